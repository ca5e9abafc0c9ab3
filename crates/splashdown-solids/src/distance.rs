//! Distances between a point and a triangle and between two edges, with derivatives.
//!
//! The closest points are an affine combination r = Σ wᵢ(β) xᵢ of the four vertices, where β are
//! the parameters that may move: none between two points, one along an edge, two on a triangle or
//! between two edges. The squared distance is D = min |r|², so with rₖ = ∂r/∂βₖ
//!
//! ```text
//! (ID1)  ∂D/∂xᵢ = 2 wᵢ r
//! (ID2)  ∂²D = 2 w wᵀ ⊗ I − Σₖₗ cₖ (Q⁻¹)ₖₗ cₗᵀ,   cₖ = 2 (∂w/∂βₖ ⊗ r + w ⊗ rₖ),   Qₖₗ = 2 rₖ · rₗ
//! ```
//!
//! One formula for all cases of Li et al. 2020, supplement.

use glam::DVec3;

use splashdown_solve::dense::{Mat12, Vec12, stacked};

/// Two edges count as parallel if sin² of their angle is below this: their closest points are then
/// sought among their ends.
const PARALLEL: f64 = 1e-14;

/// How the closest points depend on the four vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// w: r = Σ wᵢ xᵢ leads from one closest point to the other.
    pub weights: [f64; 4],
    /// ∂w/∂β for each parameter that may move.
    slopes: [[f64; 4]; 2],
    /// How many of these parameters there are.
    free: usize,
}

impl Closest {
    /// The point `p` and the point `a`.
    pub fn points(p: usize, a: usize) -> Closest {
        let mut weights = [0.0; 4];
        (weights[p], weights[a]) = (1.0, -1.0);
        Closest { weights, slopes: [[0.0; 4]; 2], free: 0 }
    }

    /// The point `p` and the segment from `a` to `b`.
    pub fn point_segment(x: &[DVec3; 4], p: usize, a: usize, b: usize) -> Closest {
        let edge = x[b] - x[a];
        let along = (x[p] - x[a]).dot(edge);
        let length = edge.length_squared();
        if along <= 0.0 {
            Closest::points(p, a)
        } else if along >= length {
            Closest::points(p, b)
        } else {
            let t = along / length;
            let (mut weights, mut slope) = ([0.0; 4], [0.0; 4]);
            (weights[p], weights[a], weights[b]) = (1.0, t - 1.0, -t);
            (slope[a], slope[b]) = (1.0, -1.0);
            Closest { weights, slopes: [slope, [0.0; 4]], free: 1 }
        }
    }

    /// Vertex 0 and the triangle of the others.
    pub fn point_triangle(x: &[DVec3; 4]) -> Closest {
        let [p, a, b, c] = *x;
        let (u, v, w) = (b - a, c - a, p - a);
        let normal = u.cross(v);
        let size = normal.length_squared();
        // Barycentric coordinates of the foot of the perpendicular.
        let (s, t) = (w.cross(v).dot(normal) / size, u.cross(w).dot(normal) / size);
        if s > 0.0 && t > 0.0 && s + t < 1.0 {
            let weights = [1.0, s + t - 1.0, -s, -t];
            return Closest {
                weights,
                slopes: [[0.0, 1.0, -1.0, 0.0], [0.0, 1.0, 0.0, -1.0]],
                free: 2,
            };
        }
        let sides = [(1, 2), (2, 3), (3, 1)].map(|(a, b)| Closest::point_segment(x, 0, a, b));
        nearest(x, sides)
    }

    /// The edge of vertices 0 and 1 and that of 2 and 3.
    pub fn edge_edge(x: &[DVec3; 4]) -> Closest {
        let [a, b, c, d] = *x;
        let (u, v, w) = (b - a, d - c, a - c);
        let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
        let sides = [
            Closest::point_segment(x, 0, 2, 3),
            Closest::point_segment(x, 1, 2, 3),
            Closest::point_segment(x, 2, 0, 1).reversed(),
            Closest::point_segment(x, 3, 0, 1).reversed(),
        ];
        let best = nearest(x, sides);
        let size = u.cross(v).length_squared();
        if size <= PARALLEL * uu * vv {
            return best;
        }
        let s = (uv * v.dot(w) - vv * u.dot(w)) / size;
        let t = (uu * v.dot(w) - uv * u.dot(w)) / size;
        if s <= 0.0 || s >= 1.0 || t <= 0.0 || t >= 1.0 {
            return best;
        }
        let weights = [1.0 - s, s, t - 1.0, -t];
        let inside =
            Closest { weights, slopes: [[-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]], free: 2 };
        if inside.squared(x) <= best.squared(x) { inside } else { best }
    }

    /// Seen from the other side, so that r points from the second edge to the first.
    fn reversed(mut self) -> Closest {
        self.weights.iter_mut().for_each(|w| *w = -*w);
        self.slopes.iter_mut().flatten().for_each(|w| *w = -*w);
        self
    }

    /// r
    pub fn separation(&self, x: &[DVec3; 4]) -> DVec3 {
        combine(&self.weights, x)
    }

    /// D
    pub fn squared(&self, x: &[DVec3; 4]) -> f64 {
        self.separation(x).length_squared()
    }

    /// (ID1)
    pub fn gradient(&self, x: &[DVec3; 4]) -> [DVec3; 4] {
        let r = self.separation(x);
        self.weights.map(|w| 2.0 * w * r)
    }

    /// (ID2)
    pub fn hessian(&self, x: &[DVec3; 4]) -> Mat12 {
        let (w, r) = (&self.weights, self.separation(x));
        let mut h = Mat12::from_fn(|i, j| match i % 3 == j % 3 {
            true => 2.0 * w[i / 3] * w[j / 3],
            false => 0.0,
        });
        let along: [DVec3; 2] = [0, 1].map(|k| combine(&self.slopes[k], x));
        let c: [Vec12; 2] = [0, 1].map(|k| {
            let slope = &self.slopes[k];
            stacked([0, 1, 2, 3].map(|i| 2.0 * (slope[i] * r + w[i] * along[k])))
        });
        self.for_each_inverse(&along, |k, l, q| h.ger(-q, &c[k], &c[l], 1.0));
        h
    }

    /// Second derivatives of a function f(D) with f′ = `first` and f″ = `second`, without negative
    /// eigenvalues.
    ///
    /// By (ID1) and (ID2) they are B S Bᵀ with the columns w ⊗ eᵢ and ∂w/∂βₖ ⊗ r of B: at most
    /// five. So an orthonormal basis of these leaves an eigenproblem of 5×5 instead of 12×12.
    pub fn projected_hessian(&self, x: &[DVec3; 4], first: f64, second: f64) -> Mat12 {
        let r = self.separation(x);
        let (length, size) = (r.length(), norm(&self.weights));
        let w = self.weights.map(|w| w / size);
        let along: [DVec3; 2] = [0, 1].map(|k| combine(&self.slopes[k], x));
        // S in the coordinates of B.
        let mut s = Mat5::zeros();
        for i in 0..3 {
            for j in 0..3 {
                s[(i, j)] = 4.0 * second * r[i] * r[j];
            }
            s[(i, i)] += 2.0 * first;
        }
        let c: [Vec5; 2] = [0, 1].map(|k| {
            let mut c = Vec5::new(along[k].x, along[k].y, along[k].z, 0.0, 0.0) * 2.0;
            c[3 + k] = 2.0;
            c
        });
        self.for_each_inverse(&along, |k, l, q| s.ger(-first * q, &c[k], &c[l], 1.0));
        // B = Q R, where Q has the columns w ⊗ eᵢ (w of length one) and uₖ ⊗ r/|r|.
        let mut basis = [[0.0; 4]; 2];
        let mut upper = Mat5::zeros();
        (0..3).for_each(|i| upper[(i, i)] = size);
        for k in 0..self.free {
            let mut u = self.slopes[k];
            let on_w = dot(&u, &w);
            u.iter_mut().zip(&w).for_each(|(u, w)| *u -= on_w * w);
            (0..3).for_each(|i| upper[(i, 3 + k)] = on_w * r[i]);
            for l in 0..k {
                let on_l = dot(&u, &basis[l]);
                u.iter_mut().zip(&basis[l]).for_each(|(u, b)| *u -= on_l * b);
                upper[(3 + l, 3 + k)] = on_l * length;
            }
            let left = norm(&u);
            upper[(3 + k, 3 + k)] = left * length;
            basis[k] = u.map(|u| u / left);
        }
        let eigen = (upper * s * upper.transpose()).symmetric_eigen();
        let n = r / length;
        let mut h = Mat12::zeros();
        for (value, v) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
            if *value > 0.0 {
                let even = DVec3::new(v[0], v[1], v[2]);
                let q = stacked(
                    [0, 1, 2, 3]
                        .map(|a| w[a] * even + (basis[0][a] * v[3] + basis[1][a] * v[4]) * n),
                );
                h.ger(*value, &q, &q, 1.0);
            }
        }
        h
    }

    /// Calls `f` with k, l and the entry (Q⁻¹)ₖₗ of (ID2).
    fn for_each_inverse(&self, along: &[DVec3; 2], mut f: impl FnMut(usize, usize, f64)) {
        let q = |k: usize, l: usize| 2.0 * along[k].dot(along[l]);
        match self.free {
            0 => {}
            1 => f(0, 0, 1.0 / q(0, 0)),
            _ => {
                // 4 |r₀ × r₁|²: the difference of products would lose digits where they are
                // parallel.
                let determinant = 4.0 * along[0].cross(along[1]).length_squared();
                f(0, 0, q(1, 1) / determinant);
                f(1, 1, q(0, 0) / determinant);
                f(0, 1, -q(0, 1) / determinant);
                f(1, 0, -q(0, 1) / determinant);
            }
        }
    }
}

type Mat5 = nalgebra::SMatrix<f64, 5, 5>;
type Vec5 = nalgebra::SVector<f64, 5>;

fn dot(a: &[f64; 4], b: &[f64; 4]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64; 4]) -> f64 {
    dot(a, a).sqrt()
}

fn combine(weights: &[f64; 4], x: &[DVec3; 4]) -> DVec3 {
    weights[0] * x[0] + weights[1] * x[1] + weights[2] * x[2] + weights[3] * x[3]
}

fn nearest<const N: usize>(x: &[DVec3; 4], all: [Closest; N]) -> Closest {
    let mut best = all[0];
    for other in &all[1..] {
        if other.squared(x) < best.squared(x) {
            best = *other;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use splashdown_solve::differences::{
        Random, difference_gradient, difference_hessian, mismatch,
    };

    type Find = fn(&[DVec3; 4]) -> Closest;
    const KINDS: [(&str, Find); 2] =
        [("point-triangle", Closest::point_triangle), ("edge-edge", Closest::edge_edge)];

    /// The smallest distance over a fine grid of both features.
    fn brute(kind: &str, x: &[DVec3; 4]) -> f64 {
        let n = 200;
        let mut best = f64::INFINITY;
        for i in 0..=n {
            for j in 0..=n {
                let (s, t) = (i as f64 / n as f64, j as f64 / n as f64);
                let r = if kind == "edge-edge" {
                    x[0].lerp(x[1], s) - x[2].lerp(x[3], t)
                } else if s + t <= 1.0 {
                    x[0] - (x[1] + s * (x[2] - x[1]) + t * (x[3] - x[1]))
                } else {
                    continue;
                };
                best = best.min(r.length());
            }
        }
        best
    }

    #[test]
    fn no_other_points_are_closer() {
        let mut random = Random::new(7);
        for (kind, find) in KINDS {
            for k in 0..200 {
                let mut x = random.points();
                if k % 5 == 0 {
                    x[3] = x[2] + (x[1] - x[0]) * 0.7; // parallel edges
                }
                let (found, sampled) = (find(&x).squared(&x).sqrt(), brute(kind, &x));
                assert!(found <= sampled + 1e-12, "{kind}: {found} {sampled}");
                assert!(sampled - found < 0.02, "{kind}: {found} {sampled}");
            }
        }
    }

    #[test]
    fn derivatives_agree_with_finite_differences_in_every_region() {
        let mut random = Random::new(8);
        for (kind, find) in KINDS {
            let mut seen = [0; 3];
            for _ in 0..400 {
                let x = random.points();
                let closest = find(&x);
                // Where the kind of closest feature changes, second derivatives jump.
                let step = 1e-4;
                let feature = |y: &[DVec3; 4]| find(y).weights.map(|w| w != 0.0);
                let same = (0..24).all(|i| {
                    let mut y = x;
                    y[i % 12 / 3][i % 3] += 2.0 * step * if i < 12 { 1.0 } else { -1.0 };
                    feature(&y) == feature(&x)
                });
                if !same || closest.squared(&x) < 0.01 {
                    continue;
                }
                let gradient = stacked(closest.gradient(&x));
                let value = |y: &[DVec3; 4]| find(y).squared(y);
                let expected = difference_gradient(&x, step, value);
                let (u, v) = (x[1] - x[0], x[3] - x[2]);
                if kind == "edge-edge" && u.cross(v).length() < 0.2 * u.length() * v.length() {
                    continue;
                }
                if kind == "point-triangle" && (x[2] - x[1]).cross(x[3] - x[1]).length() < 0.2 {
                    continue;
                }
                seen[closest.free] += 1;
                assert!(mismatch(&gradient, &expected) < 1e-8, "{kind} {closest:?}");
                let expected = difference_hessian(&x, step, |y| find(y).gradient(y));
                let wrong = mismatch(&closest.hessian(&x), &expected);
                assert!(wrong < 1e-6, "{kind} {closest:?} {wrong}");
            }
            assert!(seen.iter().all(|&n| n > 5), "{kind}: {seen:?}");
        }
    }

    #[test]
    fn the_small_eigenproblem_gives_what_the_large_one_gives() {
        let mut random = Random::new(18);
        for k in 0..400 {
            let x = random.points();
            let closest = [Closest::point_triangle(&x), Closest::edge_edge(&x)][k % 2];
            let (first, second) = (-random.unit(), random.unit());
            let d = stacked(closest.gradient(&x));
            let full = closest.hessian(&x) * first + d * d.transpose() * second;
            let found = closest.projected_hessian(&x, first, second);
            let wrong = (found - splashdown_solve::dense::projected(&full)).amax() / full.amax();
            assert!(wrong < 1e-9, "{closest:?}: {wrong}");
        }
    }

    #[test]
    fn parallel_touching_and_pointlike_edges_have_finite_distances() {
        let (o, e) = (DVec3::ZERO, DVec3::X);
        for x in [
            [o, e, DVec3::Y, e + DVec3::Y],                 // parallel
            [o, e, o + 2.0 * e, o + 3.0 * e],               // collinear
            [o, e, 0.5 * e - DVec3::Y, 0.5 * e + DVec3::Y], // crossing
            [o, o, e, 2.0 * e],                             // a point
            [o, e, DVec3::Y, e + (1.0 + 1e-9) * DVec3::Y],  // nearly parallel
        ] {
            let closest = Closest::edge_edge(&x);
            assert!(closest.squared(&x).is_finite());
            assert!(closest.weights.iter().all(|w| w.is_finite()), "{x:?}");
            let closest = Closest::point_triangle(&x);
            assert!(closest.squared(&x).is_finite(), "{x:?}");
        }
    }
}
