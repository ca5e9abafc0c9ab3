//! A pressure inside a closed surface that stays the same however the surface moves: E = −p V, to
//! which every triangle adds the volume of the tetrahedron between it and an origin that does not
//! matter.
//!
//! ```text
//! (G1)  E = −p/6 a · (b × c),   ∂E/∂a = −p/6 b × c,   ∂²E/∂a∂b = p/6 [c]×,   likewise around
//! ```

use glam::{DMat3, DVec3};

use splashdown_solve::dense::{Mat12, projected};

/// A triangle with a pressure behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Pressure {
    /// Corners, counter-clockwise seen from outside.
    pub vertices: [u32; 3],
    /// p, Pa
    pub pressure: f64,
    /// Near the body, so that no digits are lost.
    pub origin: DVec3,
}

impl Pressure {
    fn corners(&self, x: &[DVec3; 4]) -> [DVec3; 3] {
        [x[0], x[1], x[2]].map(|x| x - self.origin)
    }

    /// (G1), J
    pub fn energy(&self, x: &[DVec3; 4]) -> f64 {
        let [a, b, c] = self.corners(x);
        -self.pressure / 6.0 * a.dot(b.cross(c))
    }

    /// Derivatives of the energy, N.
    pub fn gradient(&self, x: &[DVec3; 4]) -> [DVec3; 4] {
        let ([a, b, c], p) = (self.corners(x), -self.pressure / 6.0);
        [p * b.cross(c), p * c.cross(a), p * a.cross(b), DVec3::ZERO]
    }

    /// Second derivatives, N/m; without negative eigenvalues if `project`.
    pub fn hessian(&self, x: &[DVec3; 4], project: bool) -> Mat12 {
        let corners = self.corners(x);
        let mut h = Mat12::zeros();
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let cross = self.pressure / 6.0 * cross(corners[k]);
            for column in 0..3 {
                for row in 0..3 {
                    h[(3 * i + row, 3 * j + column)] = cross.col(column)[row];
                    h[(3 * j + column, 3 * i + row)] = cross.col(column)[row];
                }
            }
        }
        if project { projected(&h) } else { h }
    }
}

/// The matrix of v ↦ a × v.
fn cross(a: DVec3) -> DMat3 {
    DMat3::from_cols(a.cross(DVec3::X), a.cross(DVec3::Y), a.cross(DVec3::Z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use splashdown_solve::dense::stacked;
    use splashdown_solve::differences::{
        Random, difference_gradient, difference_hessian, mismatch,
    };

    #[test]
    fn derivatives_agree_with_finite_differences() {
        let mut random = Random::new(24);
        for _ in 0..20 {
            let (x, origin) = (random.points(), random.vector());
            let push = Pressure { vertices: [0, 1, 2], pressure: 3.0, origin };
            let expected = difference_gradient(&x, 1e-3, |x| push.energy(x));
            assert!(mismatch(&stacked(push.gradient(&x)), &expected) < 1e-9);
            let expected = difference_hessian(&x, 1e-3, |x| push.gradient(x));
            assert!(mismatch(&push.hessian(&x, false), &expected) < 1e-9);
        }
    }
}
