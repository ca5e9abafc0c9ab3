//! A triangle of a shell that resists stretching and shearing in its own plane.
//!
//! F is 3×2: from the plane the triangle rests in to space. Energies are functions of the two
//! principal stretches, so that the second derivative has six known modes: two that stretch, one
//! that shears, one that turns, and two that tilt the triangle out of its plane.
//!
//! ```text
//! (K1)  neo-Hookean: Ψ = μ/2 (σ₁² + σ₂² − 2) − μ ln J + λ/2 ln² J
//! (K2)  St Venant-Kirchhoff: Ψ = μ Σ Eᵢ² + λ/2 (Σ Eᵢ)²,   Eᵢ = (σᵢ² − 1)/2
//! ```
//!
//! λ is that of plane stress, 2 μ λ₃ / (λ₃ + 2 μ): nothing presses on the faces of a thin plate.

use glam::{DMat3, DVec2, DVec3};

use crate::material::Material;
use splashdown_solve::dense::{Mat12, Svd, Vec12, stacked, svd};

/// Which energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Sheet {
    /// (K1): resists being crushed without limit.
    #[default]
    NeoHookean,
    /// (K2)
    StVenantKirchhoff,
}

/// Three vertices, the shape they rest in, and what is between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Membrane {
    /// Corners.
    pub vertices: [u32; 3],
    /// F = Σ xₐ bₐᵀ: gradients of the shape functions in the plane of rest, 1/m.
    pub slopes: [DVec2; 3],
    /// Area times thickness at rest, m³.
    pub volume: f64,
    /// The energy that it has.
    pub sheet: Sheet,
    mu: f64,
    lambda: f64,
}

/// Derivatives of Ψ by the principal stretches.
struct Principal {
    first: [f64; 2],
    /// Ψ₁₁, Ψ₂₂, Ψ₁₂
    second: [f64; 3],
    /// (Ψ₁ − Ψ₂) / (σ₁ − σ₂) and (Ψ₁ + Ψ₂) / (σ₁ + σ₂), with the denominators cancelled by hand.
    shear: f64,
    turn: f64,
    /// Ψᵢ / σᵢ
    tilt: [f64; 2],
}

impl Membrane {
    /// A triangle that rests as it is; `None` if it has no area.
    pub fn new(
        vertices: [u32; 3],
        rest: [DVec3; 3],
        material: Material,
        sheet: Sheet,
        thickness: f64,
    ) -> Option<Membrane> {
        let (u, v) = (rest[1] - rest[0], rest[2] - rest[0]);
        let along = u.try_normalize()?;
        let across = (v - v.dot(along) * along).try_normalize()?;
        let (height, skew, length) = (v.dot(across), v.dot(along), u.length());
        // Inverse of the 2×2 matrix with columns (length, 0) and (skew, height).
        let b = DVec2::new(1.0 / length, -skew / (length * height));
        let c = DVec2::new(0.0, 1.0 / height);
        let volume = 0.5 * length * height * thickness;
        let (mu, full) = (material.mu, material.lambda);
        let lambda = 2.0 * mu * full / (full + 2.0 * mu);
        let fine = volume > 0.0 && b.is_finite() && c.is_finite();
        fine.then_some(Membrane { vertices, slopes: [-(b + c), b, c], volume, sheet, mu, lambda })
    }

    /// μ and λ of plane stress, Pa.
    pub fn moduli(&self) -> (f64, f64) {
        (self.mu, self.lambda)
    }

    /// F, and a third column of zeros.
    pub fn deformation(&self, x: &[DVec3; 4]) -> DMat3 {
        let (u, v) = (x[1] - x[0], x[2] - x[0]);
        let [_, b, c] = self.slopes;
        DMat3::from_cols(u * b.x + v * c.x, u * b.y + v * c.y, DVec3::ZERO)
    }

    /// J; the last of `x` is not looked at.
    pub fn energy(&self, x: &[DVec3; 4]) -> f64 {
        let f = self.deformation(x);
        let (mu, lambda) = (self.mu, self.lambda);
        let [a, b] = [f.x_axis, f.y_axis].map(DVec3::length_squared);
        let psi = match self.sheet {
            Sheet::NeoHookean => {
                let log = f.x_axis.cross(f.y_axis).length().ln();
                0.5 * mu * (a + b - 2.0) - mu * log + 0.5 * lambda * log * log
            }
            Sheet::StVenantKirchhoff => {
                // E = (FᵀF − 1)/2
                let [e, g] = [a, b].map(|c| 0.5 * (c - 1.0));
                let shear = 0.5 * f.x_axis.dot(f.y_axis);
                mu * (e * e + g * g + 2.0 * shear * shear) + 0.5 * lambda * (e + g) * (e + g)
            }
        };
        if psi.is_nan() { f64::INFINITY } else { self.volume * psi }
    }

    fn principal(&self, s: DVec3) -> Principal {
        let (mu, lambda, [a, b]) = (self.mu, self.lambda, [s.x, s.y]);
        match self.sheet {
            Sheet::NeoHookean => {
                // Ψᵢ = μ σᵢ + (λ ln J − μ) / σᵢ
                let q = lambda * (a * b).ln() - mu;
                let second = |s: f64| mu + (lambda - q) / (s * s);
                Principal {
                    first: [a, b].map(|s| mu * s + q / s),
                    second: [second(a), second(b), lambda / (a * b)],
                    shear: mu - q / (a * b),
                    turn: mu + q / (a * b),
                    tilt: [a, b].map(|s| mu + q / (s * s)),
                }
            }
            Sheet::StVenantKirchhoff => {
                // Ψᵢ = σᵢ (μ (σᵢ² − 1) + λ tr E)
                let trace = lambda * 0.5 * (a * a + b * b - 2.0);
                let tilt = [a, b].map(|s| mu * (s * s - 1.0) + trace);
                let second = |s: f64, t: f64| t + s * s * (2.0 * mu + lambda);
                Principal {
                    first: [a * tilt[0], b * tilt[1]],
                    second: [second(a, tilt[0]), second(b, tilt[1]), lambda * a * b],
                    shear: mu * (a * a + a * b + b * b - 1.0) + trace,
                    turn: mu * (a * a - a * b + b * b - 1.0) + trace,
                    tilt,
                }
            }
        }
    }

    /// The derivative of F's energy by F times a slope, for each vertex; the last is zero.
    fn spread(&self, [c0, c1]: [DVec3; 2]) -> [DVec3; 4] {
        let [a, b, c] = self.slopes.map(|slope| c0 * slope.x + c1 * slope.y);
        [a, b, c, DVec3::ZERO]
    }

    /// Derivatives of the energy, N.
    pub fn gradient(&self, x: &[DVec3; 4]) -> [DVec3; 4] {
        let Svd { u, sigma, v } = svd(self.deformation(x));
        let [first, second] = self.principal(sigma).first;
        let (a, b) = (first * u.x_axis, second * u.y_axis);
        let column = |k: usize| self.volume * (a * v.x_axis[k] + b * v.y_axis[k]);
        self.spread([column(0), column(1)])
    }

    /// Second derivatives, N/m; without negative eigenvalues if `project`.
    pub fn hessian(&self, x: &[DVec3; 4], project: bool) -> Mat12 {
        let Svd { u, sigma, v } = svd(self.deformation(x));
        let p = self.principal(sigma);
        let [v0, v1] = [v.x_axis, v.y_axis].map(|v| DVec2::new(v.x, v.y));
        let outer = |a: DVec3, b: DVec2| [a * b.x, a * b.y];
        let sum = |p: f64, a: [DVec3; 2], q: f64, b: [DVec3; 2]| {
            [p * a[0] + q * b[0], p * a[1] + q * b[1]]
        };
        let half = std::f64::consts::FRAC_1_SQRT_2;
        // The stretches: a symmetric 2×2 eigenproblem.
        let [aa, bb, ab] = p.second;
        let angle = 0.5 * (2.0 * ab).atan2(aa - bb);
        let (sine, cosine) = angle.sin_cos();
        let mean = 0.5 * (aa + bb);
        let radius = (0.5 * (aa - bb)).hypot(ab);
        let (s0, s1) = (outer(u.x_axis, v0), outer(u.y_axis, v1));
        let (t0, t1) = (outer(u.x_axis, v1), outer(u.y_axis, v0));
        let modes = [
            (mean + radius, sum(cosine, s0, sine, s1)),
            (mean - radius, sum(-sine, s0, cosine, s1)),
            (p.shear, sum(half, t0, half, t1)),
            (p.turn, sum(half, t0, -half, t1)),
            (p.tilt[0], outer(u.z_axis, v0)),
            (p.tilt[1], outer(u.z_axis, v1)),
        ];
        let mut h = Mat12::zeros();
        for (value, direction) in modes {
            let value = if project { value.max(0.0) } else { value };
            if value != 0.0 {
                let w: Vec12 = stacked(self.spread(direction));
                h.ger(self.volume * value, &w, &w, 1.0);
            }
        }
        h
    }

    /// Von Mises' measure of the (Cauchy) stress at positions `x` of all vertices, Pa.
    pub fn von_mises(&self, x: &[DVec3]) -> f64 {
        let [a, b, c] = self.vertices.map(|v| x[v as usize]);
        let Svd { sigma, .. } = svd(self.deformation(&[a, b, c, c]));
        let [p, q] = self.principal(sigma).first;
        // In plane stress the thickness hardly changes: σᵢ ≈ Pᵢ / (the other stretch).
        let (p, q) = (p / sigma.y, q / sigma.x);
        (p * p - p * q + q * q).max(0.0).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::Model;
    use splashdown_solve::differences::{
        Random, difference_gradient, difference_hessian, mismatch,
    };

    const SHEETS: [Sheet; 2] = [Sheet::NeoHookean, Sheet::StVenantKirchhoff];

    fn triangle(sheet: Sheet, random: &mut Random) -> (Membrane, [DVec3; 4]) {
        let [a, b, c] = [DVec3::ZERO, DVec3::X, DVec3::Y].map(|p| p + 0.2 * random.vector());
        let material = Material::new(Model::NeoHookean, 2.0, 0.3);
        (Membrane::new([0, 1, 2], [a, b, c], material, sheet, 0.1).unwrap(), [a, b, c, c])
    }

    #[test]
    fn derivatives_agree_with_finite_differences() {
        let mut random = Random::new(21);
        for sheet in SHEETS {
            for k in 0..40 {
                let (membrane, rest) = triangle(sheet, &mut random);
                let x = match k % 3 {
                    0 => rest.map(|p| 1.4 * p), // repeated stretches
                    1 => rest.map(|p| p * DVec3::new(1.0, 0.3, 1.0)),
                    _ => rest.map(|p| p + 0.3 * random.vector()),
                };
                let expected = difference_gradient(&x, 1e-4, |x| membrane.energy(x));
                let found = stacked(membrane.gradient(&x));
                assert!((found - expected).amax() < 1e-8, "{sheet:?} {k}");
                let expected = difference_hessian(&x, 1e-4, |x| membrane.gradient(x));
                let wrong = mismatch(&membrane.hessian(&x, false), &expected);
                assert!(wrong < 1e-6, "{sheet:?} {k}: {wrong}");
                let least = membrane.hessian(&x, true).symmetric_eigenvalues().min();
                assert!(least > -1e-12, "{sheet:?} {k}: {least}");
            }
        }
    }

    /// Plane stress: pulled along one axis and free across, force = E × strain × section.
    #[test]
    fn a_strip_is_as_stiff_as_young_says() {
        let rest = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Y];
        let material = Material::new(Model::NeoHookean, 3.0, 0.3);
        for sheet in SHEETS {
            let membrane =
                Membrane::new([0, 1, 2], [rest[0], rest[1], rest[2]], material, sheet, 0.1);
            let membrane = membrane.unwrap();
            let strain = 1e-6;
            let x = rest.map(|p| p * DVec3::new(1.0 + strain, 1.0 - 0.3 * strain, 1.0));
            let [_, pull, free, _] = membrane.gradient(&x);
            // The slope of corner 1 is 1/m: its force is stress × thickness / 2.
            assert!((pull.x / (3.0 * strain * 0.05) - 1.0).abs() < 1e-4, "{sheet:?} {pull}");
            assert!(free.y.abs() < 1e-4 * pull.x, "{sheet:?} {free}");
        }
    }
}
