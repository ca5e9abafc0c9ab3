//! Kelvin-Voigt damping: stress grows by τ times the rate at which elastic stress would grow, so
//! that deformations die away and rigid motions do not.
//!
//! Over a step the rate of a strain ε is (ε − εⁿ)/Δt, and the potential of the damping stress is
//!
//! ```text
//! (EV1)  E = τ/2Δt (ε − εⁿ)ᵀ C (ε − εⁿ)
//! ```
//!
//! with the small-strain stiffness C (volume included) and Green's strain of solids and membranes,
//! the angle of hinges or the stretch of segments. Its second derivative is taken without the term
//! that vanishes with ε − εⁿ (Gauss-Newton), and so has no negative eigenvalue.

use glam::DVec3;
use nalgebra::SMatrix;

use crate::element::Element;
use crate::hinge;
use crate::quadratic::Sample;
use splashdown_solve::dense::{Mat12, Vec12, stacked};

type Vec6 = nalgebra::SVector<f64, 6>;
type Mat6 = SMatrix<f64, 6, 6>;
type ByVertex = SMatrix<f64, 6, 12>;

/// The damping of one element in one step.
#[derive(Clone, Debug)]
pub struct Damping {
    /// Number of the element that is damped.
    pub element: usize,
    /// εⁿ
    before: Vec6,
    /// τ C / Δt
    viscosity: Mat6,
}

impl Damping {
    /// Element number `index`, which is at `x` at the beginning of a step; `rate` is τ/Δt. Elements
    /// without a strain of their own (bends of rods, pressures) are not damped.
    pub fn new(element: &Element, index: usize, x: &[DVec3; 4], rate: f64) -> Option<Damping> {
        let (before, _) = strain(element, x)?;
        let viscosity = stiffness(element)? * rate;
        Some(Damping { element: index, before, viscosity })
    }

    fn grown(&self, elements: &[Element], x: &[DVec3; 4]) -> (Vec6, ByVertex) {
        let none = || (self.before, ByVertex::zeros());
        let (now, by) = strain(&elements[self.element], x).unwrap_or_else(none);
        (now - self.before, by)
    }

    /// (EV1), J
    pub fn energy(&self, elements: &[Element], x: &[DVec3; 4]) -> f64 {
        let (grown, _) = self.grown(elements, x);
        0.5 * grown.dot(&(self.viscosity * grown))
    }

    /// Derivatives by the points of the element, N.
    pub fn gradient(&self, elements: &[Element], x: &[DVec3; 4]) -> [DVec3; 4] {
        let (grown, by) = self.grown(elements, x);
        let g: Vec12 = by.transpose() * (self.viscosity * grown);
        [0, 1, 2, 3].map(|k| DVec3::new(g[3 * k], g[3 * k + 1], g[3 * k + 2]))
    }

    /// Second derivatives, N/m, without the term that vanishes with the strain's growth.
    pub fn hessian(&self, elements: &[Element], x: &[DVec3; 4]) -> Mat12 {
        let (_, by) = self.grown(elements, x);
        by.transpose() * self.viscosity * by
    }
}

/// ε, and its derivatives by the vertices.
fn strain(element: &Element, x: &[DVec3; 4]) -> Option<(Vec6, ByVertex)> {
    match element {
        Element::Tetrahedron(e) | Element::Sample(Sample { local: e, .. }) => {
            let f = e.deformation(x);
            Some(green([f.x_axis, f.y_axis, f.z_axis], e.slopes))
        }
        Element::Membrane(e) => {
            let f = e.deformation(x);
            let [a, b, c] = e.slopes.map(|b| b.extend(0.0));
            Some(green([f.x_axis, f.y_axis, DVec3::ZERO], [a, b, c, DVec3::ZERO]))
        }
        Element::Hinge(_) => Some(single(hinge::angle(x), hinge::angle_gradient(x))),
        Element::Stretch(e) => {
            let along = (x[1] - x[0]).normalize_or_zero() / e.length;
            Some(single(e.strain(x), [-along, along, DVec3::ZERO, DVec3::ZERO]))
        }
        Element::Bend(_) | Element::Pressure(_) => None,
    }
}

fn single(value: f64, by: [DVec3; 4]) -> (Vec6, ByVertex) {
    let (mut strain, mut all) = (Vec6::zeros(), ByVertex::zeros());
    strain[0] = value;
    all.set_row(0, &stacked(by).transpose());
    (strain, all)
}

/// E₁₁, E₂₂, E₃₃, 2 E₁₂, 2 E₂₃, 2 E₃₁ of the columns of F.
fn green(f: [DVec3; 3], slopes: [DVec3; 4]) -> (Vec6, ByVertex) {
    let (mut strain, mut by) = (Vec6::zeros(), ByVertex::zeros());
    for i in 0..3 {
        let j = (i + 1) % 3;
        strain[i] = 0.5 * (f[i].length_squared() - 1.0);
        strain[3 + i] = f[i].dot(f[j]);
        by.set_row(i, &stacked(slopes.map(|b| f[i] * b[i])).transpose());
        by.set_row(3 + i, &stacked(slopes.map(|b| f[i] * b[j] + f[j] * b[i])).transpose());
    }
    (strain, by)
}

/// C
fn stiffness(element: &Element) -> Option<Mat6> {
    let first = |value: f64| {
        let mut c = Mat6::zeros();
        c[(0, 0)] = value;
        c
    };
    let hooke = |volume: f64, mu: f64, lambda: f64, axes: usize| {
        Mat6::from_fn(|i, j| match (i < 3, j < 3) {
            (true, true) if i < axes && j < axes => {
                volume * (lambda + if i == j { 2.0 * mu } else { 0.0 })
            }
            (false, false) if i == j => volume * mu,
            _ => 0.0,
        })
    };
    match element {
        Element::Tetrahedron(e) | Element::Sample(Sample { local: e, .. }) => {
            Some(hooke(e.volume, e.material.mu, e.material.lambda, 3))
        }
        Element::Membrane(e) => {
            let (mu, lambda) = e.moduli();
            Some(hooke(e.volume, mu, lambda, 2))
        }
        Element::Hinge(e) => Some(first(2.0 * e.stiffness)),
        Element::Stretch(e) => Some(first(e.stiffness * e.length)),
        Element::Bend(_) | Element::Pressure(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hinge::Hinge;
    use crate::material::{Material, Model};
    use crate::membrane::{Membrane, Sheet};
    use crate::tetrahedron::Tetrahedron;
    use splashdown_solve::differences::{
        Random, difference_gradient, difference_hessian, mismatch,
    };

    #[test]
    fn derivatives_agree_with_finite_differences() {
        let mut random = Random::new(25);
        let material = Material::new(Model::NeoHookean, 2.0, 0.3);
        for _ in 0..10 {
            let rest =
                [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|p| p + 0.1 * random.vector());
            let three = [rest[0], rest[1], rest[2]];
            let elements = [
                Element::Tetrahedron(Tetrahedron::new([0, 1, 2, 3], rest, material).unwrap()),
                Element::Membrane(
                    Membrane::new([0, 1, 2], three, material, Sheet::NeoHookean, 0.1).unwrap(),
                ),
                Element::Hinge(Hinge::new([0, 1, 2, 3], rest, 1.0).unwrap()),
            ];
            for k in 0..3 {
                let damping = Damping::new(&elements[k], k, &rest, 2.0).unwrap();
                let x = rest.map(|p| p + 0.1 * random.vector());
                let expected = difference_gradient(&x, 1e-4, |x| damping.energy(&elements, x));
                let found = stacked(damping.gradient(&elements, &x));
                assert!(mismatch(&found, &expected) < 1e-7, "{k}");
                // Exact where nothing has moved.
                let expected = difference_hessian(&rest, 1e-4, |x| damping.gradient(&elements, x));
                assert!(mismatch(&damping.hessian(&elements, &rest), &expected) < 1e-6, "{k}");
                // Turning and moving costs nothing.
                let turn = glam::DQuat::from_rotation_x(0.7);
                let moved = rest.map(|p| turn * p + DVec3::ONE);
                assert!(damping.energy(&elements, &moved) < 1e-20, "{k}");
            }
        }
    }
}
