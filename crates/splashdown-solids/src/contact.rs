//! The barrier energy of a point near a triangle, and of two edges near each other.
//!
//! Two edges that become parallel would change their closest points from one end to the other at
//! once. Their energy is therefore multiplied by a mollifier that vanishes there (Li et al. 2020,
//! equation 24):
//!
//! ```text
//! (IM1)  c = |u × v|²,   ε = 10⁻³ |u₀|² |v₀|²,   m(c) = (c/ε) (2 − c/ε) for c < ε, else 1
//! ```

use glam::{DMat3, DVec3};

use crate::barrier::{Gap, barrier, barrier_curvature, barrier_slope};
use crate::distance::Closest;
use splashdown_solve::dense::{Mat12, Vec12, projected, stacked};

/// Edges whose angle has a sin² below this (of their lengths at rest) are mollified.
const MOLLIFIED: f64 = 1e-3;

/// Two features of surfaces that may meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Whose they are: a point and the corners of a triangle, or the ends of two edges. Where there
    /// are fewer than four, the last is repeated.
    pub vertices: [u32; 4],
    /// Which two features they are.
    pub kind: Kind,
    /// Area they stand for, m².
    pub area: f64,
    /// ξ: half the thickness of both, m.
    pub thickness: f64,
    /// They do not push farther apart than this, m.
    pub reach: f64,
}

impl Pair {
    /// How far apart these two are kept.
    #[inline]
    pub fn gap(&self, everywhere: Gap) -> Gap {
        let thickness = everywhere.thickness + self.thickness;
        Gap { reach: everywhere.reach.min(self.reach), thickness }
    }
}

/// What meets what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A point and a triangle.
    PointTriangle,
    /// Two edges, with the ε of (IM1).
    EdgeEdge(f64),
    /// A point and a segment of a rod: where edges are parallel, their ends must not come too
    /// close.
    PointEdge,
    /// Two particles.
    PointPoint,
}

impl Kind {
    /// Two edges that are `u` and `v` at rest.
    pub fn edges(u: DVec3, v: DVec3) -> Kind {
        Kind::EdgeEdge(MOLLIFIED * u.length_squared() * v.length_squared())
    }

    /// The closest points of features at `x`.
    #[inline]
    pub fn closest(self, x: &[DVec3; 4]) -> Closest {
        match self {
            Kind::PointTriangle => Closest::point_triangle(x),
            Kind::EdgeEdge(_) => Closest::edge_edge(x),
            Kind::PointEdge => Closest::point_segment(x, 0, 1, 2),
            Kind::PointPoint => Closest::points(0, 1),
        }
    }

    /// m, m′, m″
    fn mollifier(self, x: &[DVec3; 4]) -> [f64; 3] {
        match self {
            Kind::PointTriangle | Kind::PointEdge | Kind::PointPoint => [1.0, 0.0, 0.0],
            Kind::EdgeEdge(epsilon) => {
                let y = cross_squared(x) / epsilon;
                if y >= 1.0 {
                    return [1.0, 0.0, 0.0];
                }
                [y * (2.0 - y), 2.0 * (1.0 - y) / epsilon, -2.0 / (epsilon * epsilon)]
            }
        }
    }
}

/// Energy m b of a pair at `x`, without κ d̂ A.
pub fn energy(kind: Kind, x: &[DVec3; 4], gap: Gap) -> f64 {
    let s = gap.share(kind.closest(x).squared(x));
    if s >= 1.0 { 0.0 } else { kind.mollifier(x)[0] * barrier(s) }
}

/// −∂(m b)/∂d, of which the normal force is made, and the closest points.
pub fn barrier_force(kind: Kind, x: &[DVec3; 4], gap: Gap) -> Option<(f64, Closest)> {
    let closest = kind.closest(x);
    let squared = closest.squared(x);
    let s = gap.share(squared);
    if s >= 1.0 || s <= 0.0 {
        return None;
    }
    let slope = barrier_slope(s) * gap.slope() * 2.0 * squared.sqrt();
    Some((-kind.mollifier(x)[0] * slope, closest))
}

/// Derivatives of the energy.
pub fn gradient(kind: Kind, x: &[DVec3; 4], gap: Gap) -> [DVec3; 4] {
    let closest = kind.closest(x);
    let s = gap.share(closest.squared(x));
    if s >= 1.0 {
        return [DVec3::ZERO; 4];
    }
    let [m, m1, _] = kind.mollifier(x);
    let of_distance = m * barrier_slope(s) * gap.slope();
    let mut g = closest.gradient(x).map(|d| of_distance * d);
    if m1 != 0.0 {
        let of_angle = m1 * barrier(s);
        g.iter_mut().zip(cross_gradient(x)).for_each(|(g, c)| *g += of_angle * c);
    }
    g
}

/// Second derivatives of the energy, as they are.
pub fn hessian(kind: Kind, x: &[DVec3; 4], gap: Gap) -> Mat12 {
    let closest = kind.closest(x);
    let s = gap.share(closest.squared(x));
    if s >= 1.0 {
        return Mat12::zeros();
    }
    let [m, m1, m2] = kind.mollifier(x);
    let (b, b1, b2) =
        (barrier(s), barrier_slope(s) * gap.slope(), barrier_curvature(s) * gap.slope().powi(2));
    let d: Vec12 = stacked(closest.gradient(x));
    let mut h = closest.hessian(x) * (m * b1);
    h.ger(m * b2, &d, &d, 1.0);
    if m1 != 0.0 {
        let c: Vec12 = stacked(cross_gradient(x));
        h.ger(m2 * b, &c, &c, 1.0);
        h.ger(m1 * b1, &c, &d, 1.0);
        h.ger(m1 * b1, &d, &c, 1.0);
        h += cross_hessian(x) * (m1 * b);
    }
    h
}

/// Second derivatives of the energy, without negative eigenvalues.
pub fn projected_hessian(kind: Kind, x: &[DVec3; 4], gap: Gap) -> Mat12 {
    let closest = kind.closest(x);
    let s = gap.share(closest.squared(x));
    if s >= 1.0 {
        return Mat12::zeros();
    }
    if kind.mollifier(x)[1] != 0.0 {
        return projected(&hessian(kind, x, gap));
    }
    let (b1, b2) = (barrier_slope(s) * gap.slope(), barrier_curvature(s) * gap.slope().powi(2));
    closest.projected_hessian(x, b1, b2)
}

/// Second derivatives of `sign` times the energy of a point and another feature, without negative
/// eigenvalues.
pub fn projected_point_hessian(kind: Kind, x: &[DVec3; 4], gap: Gap, sign: f64) -> Mat12 {
    let closest = kind.closest(x);
    let s = gap.share(closest.squared(x));
    if s >= 1.0 {
        return Mat12::zeros();
    }
    let (b1, b2) = (barrier_slope(s) * gap.slope(), barrier_curvature(s) * gap.slope().powi(2));
    closest.projected_hessian(x, sign * b1, sign * b2)
}

/// c of (IM1)
fn cross_squared(x: &[DVec3; 4]) -> f64 {
    (x[1] - x[0]).cross(x[3] - x[2]).length_squared()
}

/// c = |u|² |v|² − (u · v)²
fn cross_gradient(x: &[DVec3; 4]) -> [DVec3; 4] {
    let (u, v) = (x[1] - x[0], x[3] - x[2]);
    let by_u = 2.0 * (v.length_squared() * u - u.dot(v) * v);
    let by_v = 2.0 * (u.length_squared() * v - u.dot(v) * u);
    [-by_u, by_u, -by_v, by_v]
}

fn cross_hessian(x: &[DVec3; 4]) -> Mat12 {
    let (u, v) = (x[1] - x[0], x[3] - x[2]);
    let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
    let one = DMat3::IDENTITY;
    let uu = 2.0 * (v.length_squared() * one - outer(v, v));
    let vv = 2.0 * (u.length_squared() * one - outer(u, u));
    let uv = 2.0 * (2.0 * outer(u, v) - outer(v, u) - u.dot(v) * one);
    let sign = [-1.0, 1.0, -1.0, 1.0];
    Mat12::from_fn(|i, j| {
        let (a, b) = (i / 3, j / 3);
        let (row, column) = (i % 3, j % 3);
        let block = match (a < 2, b < 2) {
            (true, true) => uu.col(column)[row],
            (false, false) => vv.col(column)[row],
            (true, false) => uv.col(column)[row],
            (false, true) => uv.col(row)[column],
        };
        sign[a] * sign[b] * block
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use splashdown_solve::differences::{
        Random, difference_gradient, difference_hessian, mismatch,
    };

    fn check(kind: Kind, x: &[DVec3; 4], gap: Gap, step: f64, tolerance: f64) {
        let expected = difference_gradient(x, step, |x| energy(kind, x, gap));
        let found = stacked(gradient(kind, x, gap));
        assert!(mismatch(&found, &expected) < tolerance, "{kind:?} {x:?} {found} {expected}");
        let expected = difference_hessian(x, step, |x| gradient(kind, x, gap));
        let found = hessian(kind, x, gap);
        assert!(
            mismatch(&found, &expected) < 10.0 * tolerance,
            "{kind:?} {x:?} {found} {expected}"
        );
    }

    #[test]
    fn a_point_over_a_triangle() {
        let mut random = Random::new(9);
        for k in 0..50 {
            let gap = Gap { reach: 0.3, thickness: 0.02 * f64::from(k % 2) };
            let height = 0.03 + 0.25 * random.unit();
            let foot = DVec3::new(0.2 + 0.2 * random.unit(), 0.2 + 0.2 * random.unit(), height);
            // Over the face, beside an edge and beside a corner.
            let p = match k % 3 {
                0 => foot,
                1 => DVec3::new(0.4, -0.7 * height, 0.7 * height),
                _ => DVec3::new(-0.5 * height, -0.6 * height, 0.5 * height),
            };
            let bend = 0.05 * random.vector();
            check(Kind::PointTriangle, &[p, bend, DVec3::X, DVec3::Y], gap, 2e-4 * height, 2e-6);
        }
    }

    #[test]
    fn two_edges_that_cross_and_that_are_nearly_parallel() {
        let mut random = Random::new(10);
        let gap = Gap { reach: 0.3, thickness: 0.0 };
        for k in 0..60 {
            let height = 0.03 + 0.2 * random.unit();
            let angle: f64 =
                if k % 2 == 0 { 0.3 + random.unit() } else { 0.003 + 0.02 * random.unit() };
            let along = DVec3::new(angle.cos(), angle.sin(), 0.02 * random.signed());
            let middle = DVec3::new(0.05 * random.signed(), 0.0, height);
            let x = [-DVec3::X, DVec3::X, middle - along, middle + along];
            let kind = Kind::edges(2.0 * DVec3::X, 2.0 * along);
            let mollified = kind.mollifier(&x)[0] < 1.0;
            assert_eq!(mollified, k % 2 == 1);
            // Nearly parallel edges turn over a short way.
            let step = if mollified { 2e-5 * height } else { 2e-4 * height };
            check(kind, &x, gap, step, if mollified { 2e-5 } else { 2e-6 });
        }
    }

    #[test]
    fn parallel_edges_do_not_push() {
        let x = [DVec3::ZERO, DVec3::X, 0.01 * DVec3::Y, DVec3::X + 0.01 * DVec3::Y];
        let kind = Kind::edges(DVec3::X, DVec3::X);
        let gap = Gap { reach: 0.1, thickness: 0.0 };
        assert_eq!(energy(kind, &x, gap), 0.0);
        assert_eq!(gradient(kind, &x, gap), [DVec3::ZERO; 4]);
        assert!(hessian(kind, &x, gap).iter().all(|h| h.is_finite()));
    }

    #[test]
    fn the_push_is_the_gradient() {
        let x = [DVec3::new(0.3, 0.3, 0.1), DVec3::ZERO, DVec3::X, DVec3::Y];
        let gap = Gap { reach: 0.2, thickness: 0.0 };
        let (force, _) = barrier_force(Kind::PointTriangle, &x, gap).unwrap();
        let g = gradient(Kind::PointTriangle, &x, gap);
        assert!((force + g[0].z).abs() < 1e-12 * force);
        let sum: DVec3 = g.iter().sum();
        assert!(sum.length() < 1e-12 * force);
    }
}
