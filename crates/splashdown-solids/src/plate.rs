//! Bending of a shell: a triangle and its three neighbours resist a change of the curvature between them.
//!
//! The triangle is x₀ x₁ x₂, and x₃₊ₖ lies beyond its edge eₖ = xₖ₊₁ − xₖ. The angle θₖ of the hinge at eₖ belongs
//! half to either side; spread over the triangle, three of them make a shape operator (Grinspun et al. 2006), with
//! nₖ the normal of eₖ in the plane of the triangle,
//!
//! ```text
//! (P1)  S = Σₖ (θₖ − θ̄ₖ) |eₖ|/2A nₖ nₖᵀ
//! (P2)  E = A D/2 ((1 − ν) tr S² + ν tr² S) = ½ (θ − θ̄)ᵀ K (θ − θ̄),   D = E h³ / 12 (1 − ν²)
//!       Kₖₗ = D/4A ((1 − ν) (eₖ·eₗ)² / |eₖ||eₗ| + ν |eₖ||eₗ|)
//! ```
//!
//! which is the energy of a plate, Poisson's ratio included: on meshes of triangles that repeat, S is the
//! curvature. At a free edge there is no θₖ; no moment acts about it, so that it is what makes E least (K is reduced
//! to its Schur complement), and strips bend as beams do.

use std::collections::BTreeMap;

use glam::DVec3;
use nalgebra::{Matrix3, SMatrix, SVector, Vector3};

use crate::dense::{Mat12, projected, stacked};
use crate::hinge::{angle, angle_gradient, angle_hessian};

/// Second derivatives with respect to six vertices.
pub type Mat18 = SMatrix<f64, 18, 18>;

/// A triangle, its neighbours, the angles they rest at, and how stiff they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Plate {
    /// Corners, then those beyond the edges that begin at them. Where there is none, corner k is repeated.
    pub vertices: [u32; 6],
    /// θ̄
    pub angles: Vector3<f64>,
    /// K, J; zero for edges without a neighbour.
    pub stiffness: Matrix3<f64>,
    /// τ of Kelvin-Voigt damping, s.
    pub damping: f64,
}

/// The vertices of hinge k: the ends of the edge, the corner opposite, the corner beyond.
fn corners(k: usize) -> [usize; 4] {
    [k, (k + 1) % 3, (k + 2) % 3, 3 + k]
}

impl Plate {
    /// A triangle of a plate of bending stiffness `plate` (D, N m) that rests as it is; `None` if it has no area.
    pub fn new(
        vertices: [u32; 6],
        rest: &[DVec3; 6],
        (plate, poisson): (f64, f64),
        damping: f64,
    ) -> Option<Plate> {
        let edges = [0, 1, 2].map(|k| rest[(k + 1) % 3] - rest[k]);
        let area = 0.5 * edges[0].cross(edges[1]).length();
        let whole = Matrix3::from_fn(|k, l| {
            let lengths = edges[k].length() * edges[l].length();
            let aligned = edges[k].dot(edges[l]).powi(2) / lengths;
            plate / (4.0 * area) * ((1.0 - poisson) * aligned + poisson * lengths)
        });
        let unset = Plate { vertices, angles: Vector3::zeros(), stiffness: whole, damping };
        let stiffness = reduced(&whole, |k| unset.bends(k))?;
        let angles = unset.angles(rest);
        let fine = angles.iter().chain(stiffness.iter()).all(|v| v.is_finite());
        fine.then_some(Plate { angles, stiffness, ..unset })
    }

    /// Whether there is a neighbour beyond edge k.
    fn bends(&self, k: usize) -> bool {
        self.vertices[3 + k] != self.vertices[k]
    }

    fn hinges(&self) -> impl Iterator<Item = usize> + '_ {
        (0..3).filter(|&k| self.bends(k))
    }

    fn angles(&self, x: &[DVec3; 6]) -> Vector3<f64> {
        Vector3::from_fn(|k, _| if self.bends(k) { angle(&corners(k).map(|v| x[v])) } else { 0.0 })
    }

    /// θ − θ̄, by the shorter way.
    fn bent(&self, x: &[DVec3; 6]) -> Vector3<f64> {
        let turn = std::f64::consts::TAU;
        (self.angles(x) - self.angles).map(|d| d - turn * (d / turn).round())
    }

    /// This plate with its damping in a step of length `dt` from `before`, r = τ/Δt. Both energies are quadratic in
    /// the same angles, so their sum is that of a stiffer plate with angles in between, apart from a constant:
    ///
    /// ```text
    /// (P3)  ½ |θ − θ̄|² + ½ r |θ − θⁿ|² = ½ (1 + r) |θ − (θ̄ + r θⁿ)/(1 + r)|² + …
    /// ```
    pub fn damped(&self, before: &[DVec3; 6], dt: f64) -> Plate {
        let rate = self.damping / dt;
        Plate {
            angles: self.angles + self.bent(before) * (rate / (1.0 + rate)),
            stiffness: self.stiffness * (1.0 + rate),
            ..self.clone()
        }
    }

    /// What vertices have.
    pub fn gather(&self, of_vertex: &[DVec3]) -> [DVec3; 6] {
        self.vertices.map(|v| of_vertex[v as usize])
    }

    /// (P2), J
    pub fn energy(&self, x: &[DVec3; 6]) -> f64 {
        let bent = self.bent(x);
        0.5 * bent.dot(&(self.stiffness * bent))
    }

    /// Derivatives of the energy, N.
    pub fn gradient(&self, x: &[DVec3; 6]) -> [DVec3; 6] {
        let moments = self.stiffness * self.bent(x);
        let mut sum = [DVec3::ZERO; 6];
        for k in self.hinges() {
            let by = angle_gradient(&corners(k).map(|v| x[v]));
            for (v, g) in corners(k).into_iter().zip(by) {
                sum[v] += moments[k] * g;
            }
        }
        sum
    }

    /// Second derivatives, N/m; without negative eigenvalues if `project`.
    pub fn hessian(&self, x: &[DVec3; 6], project: bool) -> Mat18 {
        let moments = self.stiffness * self.bent(x);
        let mut slopes = SMatrix::<f64, 18, 3>::zeros();
        let mut sum = Mat18::zeros();
        for k in self.hinges() {
            let (four, places) = (corners(k), corners(k).map(|v| x[v]));
            let by = stacked(angle_gradient(&places));
            (0..12).for_each(|i| slopes[(3 * four[i / 3] + i % 3, k)] = by[i]);
            // What a moment adds is projected hinge by hinge: a 12×12 problem, and none in a flat sheet.
            if moments[k].abs() > 1e-12 * self.stiffness[(k, k)] {
                let mut h: Mat12 = angle_hessian(&places) * moments[k];
                if project {
                    h = projected(&h);
                }
                for i in 0..12 {
                    for j in 0..12 {
                        sum[(3 * four[i / 3] + i % 3, 3 * four[j / 3] + j % 3)] += h[(i, j)];
                    }
                }
            }
        }
        sum + slopes * self.stiffness * slopes.transpose()
    }
}

/// The energy that is left of `whole` when the angles that are not `kept` make it least.
fn reduced(whole: &Matrix3<f64>, kept: impl Fn(usize) -> bool) -> Option<Matrix3<f64>> {
    if (0..3).all(&kept) {
        return Some(*whole);
    }
    // The inverse of a Schur complement is a part of the inverse.
    let mut inverse = whole.try_inverse()?;
    for k in (0..3).filter(|&k| !kept(k)) {
        inverse.row_mut(k).fill(0.0);
        inverse.column_mut(k).fill(0.0);
        inverse[(k, k)] = 1.0;
    }
    let mut found = inverse.try_inverse()?;
    (0..3).filter(|&k| !kept(k)).for_each(|k| found[(k, k)] = 0.0);
    Some(found)
}

/// The vectors of six vertices one after the other.
pub fn stacked_six(parts: [DVec3; 6]) -> SVector<f64, 18> {
    SVector::from_fn(|i, _| parts[i / 3][i % 3])
}

/// For every edge the corners opposite.
pub type Edges = BTreeMap<[u32; 2], Vec<u32>>;

/// The edges of triangles.
pub fn edges(triangles: &[[u32; 3]]) -> Edges {
    let mut edges = Edges::new();
    for t in triangles {
        for k in 0..3 {
            edges.entry(ends(t, k)).or_default().push(t[(k + 2) % 3]);
        }
    }
    edges
}

fn ends(t: &[u32; 3], k: usize) -> [u32; 2] {
    let (a, b) = (t[k], t[(k + 1) % 3]);
    [a.min(b), a.max(b)]
}

/// The vertices of the plate of a triangle: its corners, then those beyond its edges. Only edges that exactly two
/// triangles share count; `None` if it has none.
pub fn stencil(t: &[u32; 3], edges: &Edges) -> Option<[u32; 6]> {
    let beyond = |k: usize| match edges.get(&ends(t, k)).map(Vec::as_slice) {
        Some(&[a, b]) => {
            if a == t[(k + 2) % 3] {
                b
            } else {
                a
            }
        }
        _ => t[k],
    };
    let all = [t[0], t[1], t[2], beyond(0), beyond(1), beyond(2)];
    (all[..3] != all[3..]).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differences::{Random, difference};

    /// A triangle of a lattice with its neighbours, lifted by `height`.
    fn lattice(height: impl Fn(f64, f64) -> f64, skew: f64) -> [DVec3; 6] {
        let h = 0.75f64.sqrt();
        [[0.0, 0.0], [1.0, 0.0], [0.5, h], [0.5, -h], [1.5, h], [-0.5, h]]
            .map(|[x, y]| DVec3::new(x + skew * y, y, height(x + skew * y, y)))
    }

    #[test]
    fn neighbours_are_found_across_edges_that_two_share() {
        let square = [[0, 1, 2], [0, 2, 3]];
        let found = square.map(|t| stencil(&t, &edges(&square)));
        assert_eq!(found, [Some([0, 1, 2, 0, 1, 3]), Some([0, 2, 3, 1, 2, 3])]);
        assert_eq!(stencil(&[0, 1, 2], &edges(&[[0, 1, 2]])), None);
    }

    #[test]
    fn a_triangle_of_a_lattice_has_the_energy_of_a_plate() {
        for skew in [0.0, 0.3, -0.8] {
            let flat = lattice(|_, _| 0.0, skew);
            let area = 0.5 * (flat[1] - flat[0]).cross(flat[2] - flat[0]).length();
            for [xx, yy, xy] in
                [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, -1.0, 0.3], [0.2, 0.5, 1.0]]
            {
                let tiny = 1e-5;
                let w = |x: f64, y: f64| tiny * (0.5 * xx * x * x + 0.5 * yy * y * y + xy * x * y);
                let (plate, poisson) = (2.0, 0.3);
                let element = Plate::new([0, 1, 2, 3, 4, 5], &flat, (plate, poisson), 0.0).unwrap();
                let trace = xx + yy;
                let squares = xx * xx + yy * yy + 2.0 * xy * xy;
                let expected =
                    0.5 * area * plate * ((1.0 - poisson) * squares + poisson * trace * trace);
                let found = element.energy(&lattice(w, skew)) / (tiny * tiny);
                assert!((found / expected - 1.0).abs() < 1e-6, "{skew} {found} {expected}");
            }
        }
    }

    #[test]
    fn derivatives_agree_with_finite_differences_with_and_without_neighbours() {
        let mut random = Random::new(31);
        for k in 0..40 {
            let rest = lattice(|_, _| 0.0, 0.1).map(|p| p + 0.1 * random.vector());
            let x = rest.map(|p| p + [0.05, 0.3][k % 2] * random.vector());
            let vertices = if k % 4 == 0 { [0, 1, 2, 3, 1, 5] } else { [0, 1, 2, 3, 4, 5] };
            let plate = Plate::new(vertices, &rest, (1.0, 0.3), 2.0).unwrap();
            let plate = if k % 3 == 0 { plate.damped(&rest, 1.0) } else { plate };
            let h = 1e-4;
            let moved = |i: usize, step: f64| {
                let mut y = x;
                y[i / 3][i % 3] += step;
                y
            };
            let (g, hessian) = (stacked_six(plate.gradient(&x)), plate.hessian(&x, false));
            for i in 0..18 {
                let slope = difference(h, |s| plate.energy(&moved(i, s)));
                assert!((slope - g[i]).abs() < 1e-7 * g.amax(), "{k} {i}");
                let column = difference(h, |s| stacked_six(plate.gradient(&moved(i, s))));
                assert!((column - hessian.column(i)).amax() < 1e-6 * hessian.amax(), "{k} {i}");
            }
            let least = plate.hessian(&x, true).symmetric_eigenvalues().min();
            assert!(least > -1e-9 * hessian.amax(), "{k}: {least}");
        }
    }

    #[test]
    fn damping_adds_a_potential_that_pulls_to_where_the_plate_was() {
        let mut random = Random::new(32);
        let rest = lattice(|_, _| 0.0, 0.0).map(|p| p + 0.1 * random.vector());
        let before = rest.map(|p| p + 0.1 * random.vector());
        let plate = Plate::new([0, 1, 2, 3, 4, 5], &rest, (1.0, 0.3), 2.0).unwrap();
        let at_before = Plate::new([0, 1, 2, 3, 4, 5], &rest, (1.0, 0.3), 2.0)
            .map(|p| Plate { angles: p.angles(&before), ..p })
            .unwrap();
        let damped = plate.damped(&before, 0.5);
        let sum = |x: &[DVec3; 6]| plate.energy(x) + 4.0 * at_before.energy(x);
        let [x, y] = [0, 1].map(|_| rest.map(|p| p + 0.1 * random.vector()));
        let expected = sum(&x) - sum(&y);
        assert!((damped.energy(&x) - damped.energy(&y) - expected).abs() < 1e-12);
    }
}
