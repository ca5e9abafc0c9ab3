//! Friction that sticks, as a smooth energy of how far a contact slipped (Li et al. 2020, equations
//! 13-17).
//!
//! ```text
//! (IF1)  y = (1 − n nᵀ) Σ wᵢ (xᵢ − xᵢⁿ)                        the slip of this step
//! (IF2)  E = μ λ f₀(|y|),   f₀′ = f₁(y) = y/ε (2 − y/ε) for y < ε, else 1,   ε = ε_v Δt
//! ```
//!
//! The normal force λ, the normal n and the weights w are those at the beginning of the step
//! ("lagged"). Where f₁ < 1 the contact sticks: it creeps at a speed below ε_v.

use glam::{DMat3, DVec3};

use splashdown_solve::dense::Mat12;

/// A contact as it was when friction was last updated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slip {
    /// The vertices of the pair.
    pub vertices: [u32; 4],
    /// w
    pub weights: [f64; 4],
    /// n, of length one.
    pub normal: DVec3,
    /// μ λ, N.
    pub limit: f64,
}

impl Slip {
    /// (IF1) for displacements `u` of the vertices.
    pub fn slipped(&self, u: &[DVec3; 4]) -> DVec3 {
        let w = &self.weights;
        let along = w[0] * u[0] + w[1] * u[1] + w[2] * u[2] + w[3] * u[3];
        along - along.dot(self.normal) * self.normal
    }

    /// (IF2), J
    pub fn energy(&self, u: &[DVec3; 4], epsilon: f64) -> f64 {
        self.limit * f0(self.slipped(u).length(), epsilon)
    }

    /// The force that resists, by vertex, N.
    pub fn gradient(&self, u: &[DVec3; 4], epsilon: f64) -> [DVec3; 4] {
        let y = self.slipped(u);
        let force = self.limit * f1_over_y(y.length(), epsilon) * y;
        self.weights.map(|w| w * force)
    }

    /// Second derivatives: w wᵀ ⊗ M, where M has no negative eigenvalue.
    pub fn hessian(&self, u: &[DVec3; 4], epsilon: f64) -> Mat12 {
        let y = self.slipped(u);
        let length = y.length();
        let outer = |a: DVec3| DMat3::from_cols(a * a.x, a * a.y, a * a.z);
        let across = DMat3::IDENTITY - outer(self.normal);
        let mut m = f1_over_y(length, epsilon) * across;
        if length > 0.0 {
            // d(f₁/y)/dy y: what the slip itself changes.
            let along = outer(y / length);
            m += (f1_slope(length, epsilon) - f1_over_y(length, epsilon)) * along;
        }
        let w = &self.weights;
        Mat12::from_fn(|i, j| self.limit * w[i / 3] * w[j / 3] * m.col(j % 3)[i % 3])
    }
}

/// f₀
pub fn f0(y: f64, epsilon: f64) -> f64 {
    if y >= epsilon {
        return y;
    }
    y * y * (1.0 - y / (3.0 * epsilon)) / epsilon + epsilon / 3.0
}

/// f₁(y) / y
pub fn f1_over_y(y: f64, epsilon: f64) -> f64 {
    if y >= epsilon { 1.0 / y } else { (2.0 - y / epsilon) / epsilon }
}

/// f₁′
fn f1_slope(y: f64, epsilon: f64) -> f64 {
    if y >= epsilon { 0.0 } else { 2.0 * (1.0 - y / epsilon) / epsilon }
}

#[cfg(test)]
mod tests {
    use super::*;
    use splashdown_solve::dense::stacked;
    use splashdown_solve::differences::{
        Random, difference_gradient, difference_hessian, mismatch,
    };

    #[test]
    fn derivatives_agree_with_finite_differences_sticking_and_sliding() {
        let mut random = Random::new(11);
        for k in 0..60 {
            let slip = Slip {
                vertices: [0, 1, 2, 3],
                weights: [1.0, -0.2, -0.5, -0.3],
                normal: random.vector().normalize(),
                limit: 3.0,
            };
            let epsilon = 1e-2;
            let size = [1e-3, 5e-3, 5e-2][k % 3];
            let u = random.points().map(|p| size * p);
            let step = 1e-6;
            let expected = difference_gradient(&u, step, |u| slip.energy(u, epsilon));
            assert!(mismatch(&stacked(slip.gradient(&u, epsilon)), &expected) < 1e-7);
            let expected = difference_hessian(&u, step, |u| slip.gradient(u, epsilon));
            let found = slip.hessian(&u, epsilon);
            assert!(mismatch(&found, &expected) < 1e-6);
            assert!(found.symmetric_eigenvalues().min() > -1e-9 * found.amax());
        }
    }

    #[test]
    fn what_slides_is_held_back_by_its_limit_and_what_rests_is_not() {
        let (weights, normal) = ([1.0, -1.0, 0.0, 0.0], DVec3::Z);
        let slip = Slip { vertices: [0; 4], weights, normal, limit: 2.0 };
        let u = [0.3 * DVec3::X + DVec3::Z, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
        assert_eq!(slip.gradient(&u, 1e-3)[0], 2.0 * DVec3::X);
        assert_eq!(slip.gradient(&[DVec3::ZERO; 4], 1e-3)[0], DVec3::ZERO);
        assert!(slip.hessian(&[DVec3::ZERO; 4], 1e-3)[(0, 0)] > 0.0);
    }
}
