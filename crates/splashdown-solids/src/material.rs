//! Hyperelastic materials, as functions of the principal stretches σ.
//!
//! The energies are isotropic, so that their second derivative has nine known modes (Smith et al.
//! 2019): three that stretch, three that shear two axes the same way and three that turn one
//! against the other. Negative ones are cut off mode by mode: at most a 3×3 eigenproblem is solved,
//! and usually none.
//!
//! | here           | meaning                                               | unit |
//! |----------------|-------------------------------------------------------|------|
//! | `mu`, `lambda` | Lamé's parameters of the small-strain limit           | Pa   |
//! | σᵢ             | principal stretches, J = σ₁σ₂σ₃                       |      |
//! | Ψ              | energy per volume at rest                             | J/m³ |

use glam::{DMat3, DVec3};
use nalgebra::Matrix3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use splashdown_solve::dense::{Svd, svd};

/// Energies of deformation. They agree where deformations are small.
//
// NeoHookean         Ψ = μ/2 (I₁ − 3) − μ ln J + λ/2 ln² J
// StableNeoHookean   finite also where an element is flat
// FixedCorotated     Ψ = μ Σ (σᵢ − 1)² + λ/2 (J − 1)²
// StVenantKirchhoff  Ψ = μ Σ Eᵢ² + λ/2 (Σ Eᵢ)², Eᵢ = (σᵢ² − 1)/2; with λ = 0 it keeps rigid bodies
//                    rigid (Lan et al. 2022)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// Neo-Hookean: resists being crushed without limit (Bonet & Wood 2008).
    #[default]
    NeoHookean,
    /// Stable neo-Hookean (Smith et al. 2018).
    StableNeoHookean,
    /// Fixed corotated (Stomakhin et al. 2012).
    FixedCorotated,
    /// St Venant-Kirchhoff. It does not resist being crushed. Shells know this one and
    /// `neo_hookean`.
    StVenantKirchhoff,
}

impl Model {
    /// Whether it has finite energies and forces where elements are flat or inside out.
    pub fn survives_inversion(self) -> bool {
        matches!(self, Model::StableNeoHookean | Model::FixedCorotated)
    }
}

/// A material of one stiffness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// The energy density that it has.
    pub model: Model,
    /// Shear modulus, Pa.
    pub mu: f64,
    /// Lamé's first parameter, Pa.
    pub lambda: f64,
    /// Whether elements may be turned inside out; else that costs more energy than there is.
    pub may_invert: bool,
}

/// Derivatives of Ψ by principal stretches. Entry k of `shear` and `turn` belongs to the two axes
/// that are not k.
struct Principal {
    first: DVec3,
    second: [[f64; 3]; 3],
    /// (Ψᵢ − Ψⱼ) / (σᵢ − σⱼ), with the denominator cancelled by hand.
    shear: [f64; 3],
    /// (Ψᵢ + Ψⱼ) / (σᵢ + σⱼ)
    turn: [f64; 3],
}

/// d²Ψ/dF² in the frame of the principal stretches: of a change U X Vᵀ of F it is
/// Σ `stretch`ᵢⱼ Xᵢᵢ Xⱼⱼ + Σ (`shear`ₖ (Xᵢⱼ + Xⱼᵢ)² + `turn`ₖ (Xᵢⱼ − Xⱼᵢ)²)/2, where i and j are
/// not k.
#[derive(Clone, Copy, Debug)]
pub struct Curvature {
    /// U
    pub u: DMat3,
    /// V
    pub v: DMat3,
    /// Pa
    pub stretch: [[f64; 3]; 3],
    /// Pa
    pub shear: [f64; 3],
    /// Pa
    pub turn: [f64; 3],
}

impl Curvature {
    /// Without negative eigenvalues.
    pub fn projected(mut self) -> Curvature {
        for part in [&mut self.shear, &mut self.turn] {
            *part = part.map(|value| value.max(0.0));
        }
        let s = &self.stretch;
        let minor = s[0][0] * s[1][1] - s[0][1] * s[1][0];
        let rows = s.map(DVec3::from_array);
        // Sylvester: only a matrix that is not positive definite has eigenvalues to cut off.
        if !(s[0][0] > 0.0 && minor > 0.0 && rows[0].dot(rows[1].cross(rows[2])) > 0.0) {
            let eigen = Matrix3::from_fn(|i, j| s[i][j]).symmetric_eigen();
            let values = eigen.eigenvalues.map(|value| value.max(0.0));
            let vectors = eigen.eigenvectors;
            let cut = vectors * Matrix3::from_diagonal(&values) * vectors.transpose();
            self.stretch = table(|i, j| cut[(i, j)]);
        }
        self
    }
}

impl Material {
    /// From Young's modulus (Pa) and Poisson's ratio.
    pub fn new(model: Model, young: f64, poisson: f64) -> Material {
        let mu = young / (2.0 * (1.0 + poisson));
        let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        Material { model, mu, lambda, may_invert: false }
    }

    /// Young's modulus, Pa.
    pub fn young(&self) -> f64 {
        self.mu * (3.0 * self.lambda + 2.0 * self.mu) / (self.lambda + self.mu)
    }

    /// Poisson's ratio.
    pub fn poisson(&self) -> f64 {
        0.5 * self.lambda / (self.lambda + self.mu)
    }

    /// Ψ at deformation gradient `f`; infinite if it is inverted and may not be. Zero at rest.
    pub fn energy(&self, f: DMat3) -> f64 {
        let (mu, lambda) = (self.mu, self.lambda);
        let j = f.determinant();
        if (j <= 0.0 && !self.may_invert) || !j.is_finite() {
            return f64::INFINITY;
        }
        let [a, b, c] = [f.x_axis, f.y_axis, f.z_axis].map(DVec3::length_squared);
        let i1 = a + b + c;
        match self.model {
            Model::NeoHookean => {
                let log = j.ln();
                0.5 * mu * (i1 - 3.0) - mu * log + 0.5 * lambda * log * log
            }
            Model::StableNeoHookean => {
                let (mu, lambda, alpha) = self.smith();
                let at_rest = 0.5 * lambda * (1.0 - alpha).powi(2);
                0.5 * mu * ((i1 - 3.0) - ((i1 + 1.0) / 4.0).ln())
                    + 0.5 * lambda * (j - alpha).powi(2)
                    - at_rest
            }
            Model::FixedCorotated => {
                let stretch = svd(f).sigma - DVec3::ONE;
                mu * stretch.length_squared() + 0.5 * lambda * (j - 1.0).powi(2)
            }
            Model::StVenantKirchhoff => {
                // E = (FᵀF − 1)/2
                let e = (f.transpose() * f - DMat3::IDENTITY) * 0.5;
                let [a, b, c] = [e.x_axis, e.y_axis, e.z_axis].map(DVec3::length_squared);
                let trace = 0.5 * (i1 - 3.0);
                mu * (a + b + c) + 0.5 * lambda * trace * trace
            }
        }
    }

    /// First Piola-Kirchhoff stress P = dΨ/dF, Pa.
    pub fn stress(&self, f: DMat3) -> DMat3 {
        let (mu, lambda) = (self.mu, self.lambda);
        // dJ/dF
        let [a, b, c] = [f.x_axis, f.y_axis, f.z_axis];
        let cofactor = DMat3::from_cols(b.cross(c), c.cross(a), a.cross(b));
        let j = a.dot(cofactor.x_axis);
        match self.model {
            Model::NeoHookean => mu * f + (lambda * j.ln() - mu) / j * cofactor,
            Model::StableNeoHookean => {
                let (mu, lambda, alpha) = self.smith();
                let i1 = a.length_squared() + b.length_squared() + c.length_squared() + 1.0;
                mu * (1.0 - 1.0 / i1) * f + lambda * (j - alpha) * cofactor
            }
            Model::FixedCorotated => {
                let Svd { u, sigma, v } = svd(f);
                u * DMat3::from_diagonal(self.principal(sigma).first) * v.transpose()
            }
            Model::StVenantKirchhoff => {
                let e = (f.transpose() * f - DMat3::IDENTITY) * 0.5;
                let trace = e.x_axis.x + e.y_axis.y + e.z_axis.z;
                f * (2.0 * mu * e + DMat3::from_diagonal(DVec3::splat(lambda * trace)))
            }
        }
    }

    /// d²Ψ/dF²
    pub fn curvature(&self, f: DMat3) -> Curvature {
        let Svd { u, sigma, v } = svd(f);
        let Principal { second, shear, turn, .. } = self.principal(sigma);
        Curvature { u, v, stretch: second, shear, turn }
    }

    /// μ, λ and the rest stretch α of Smith et al. 2018, chosen so that the small-strain limit is
    /// ours.
    fn smith(&self) -> (f64, f64, f64) {
        let (mu, lambda) = (4.0 / 3.0 * self.mu, self.lambda + 5.0 / 6.0 * self.mu);
        (mu, lambda, 1.0 + 0.75 * mu / lambda)
    }

    fn principal(&self, s: DVec3) -> Principal {
        let (mu, lambda) = (self.mu, self.lambda);
        let j = s.x * s.y * s.z;
        // dJ/dσᵢ; the second derivative ∂²J/∂σᵢ∂σⱼ is the third stretch.
        let cofactor = DVec3::new(s.y * s.z, s.z * s.x, s.x * s.y);
        let third = |a: usize, b: usize| s[3 - a - b];
        let other = |k: usize| ((k + 1) % 3, (k + 2) % 3);
        match self.model {
            Model::NeoHookean => {
                // Ψᵢ = μ σᵢ + (λ ln J − μ) / σᵢ
                let q = lambda * j.ln() - mu;
                Principal {
                    first: mu * s + q / s,
                    second: table(|a, b| match a == b {
                        true => mu - q / (s[a] * s[a]) + lambda / (s[a] * s[a]),
                        false => lambda / (s[a] * s[b]),
                    }),
                    shear: each(|k| mu - q / cofactor[k]),
                    turn: each(|k| mu + q / cofactor[k]),
                }
            }
            Model::StableNeoHookean => {
                // Ψᵢ = μ (1 − 1/(I₁ + 1)) σᵢ + λ (J − α) dJ/dσᵢ
                let (mu, lambda, alpha) = self.smith();
                let i1 = s.length_squared() + 1.0;
                let (m, q) = (mu * (1.0 - 1.0 / i1), lambda * (j - alpha));
                Principal {
                    first: m * s + q * cofactor,
                    second: table(|a, b| {
                        let same = if a == b { m } else { q * third(a, b) };
                        same + 2.0 * mu * s[a] * s[b] / (i1 * i1)
                            + lambda * cofactor[a] * cofactor[b]
                    }),
                    shear: each(|k| m - q * s[k]),
                    turn: each(|k| m + q * s[k]),
                }
            }
            Model::FixedCorotated => {
                // Ψᵢ = 2 μ (σᵢ − 1) + λ (J − 1) dJ/dσᵢ
                let q = lambda * (j - 1.0);
                Principal {
                    first: 2.0 * mu * (s - DVec3::ONE) + q * cofactor,
                    second: table(|a, b| {
                        let same = if a == b { 2.0 * mu } else { q * third(a, b) };
                        same + lambda * cofactor[a] * cofactor[b]
                    }),
                    shear: each(|k| 2.0 * mu - q * s[k]),
                    turn: each(|k| {
                        let (a, b) = other(k);
                        2.0 * mu * (1.0 - 2.0 / (s[a] + s[b])) + q * s[k]
                    }),
                }
            }
            Model::StVenantKirchhoff => {
                // Ψᵢ = σᵢ (μ (σᵢ² − 1) + λ tr E)
                let squares = s * s;
                let trace = 0.5 * lambda * (squares.element_sum() - 3.0);
                let pair = |k: usize, sign: f64| {
                    let (a, b) = other(k);
                    mu * (squares[a] + sign * s[a] * s[b] + squares[b] - 1.0) + trace
                };
                Principal {
                    first: s * (mu * (squares - DVec3::ONE) + DVec3::splat(trace)),
                    second: table(|a, b| {
                        let same = mu * (3.0 * squares[a] - 1.0) + trace;
                        lambda * s[a] * s[b] + if a == b { same } else { 0.0 }
                    }),
                    shear: each(|k| pair(k, 1.0)),
                    turn: each(|k| pair(k, -1.0)),
                }
            }
        }
    }
}

fn each(f: impl Fn(usize) -> f64) -> [f64; 3] {
    [f(0), f(1), f(2)]
}

fn table(f: impl Fn(usize, usize) -> f64) -> [[f64; 3]; 3] {
    [0, 1, 2].map(|a| [0, 1, 2].map(|b| f(a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use splashdown_solve::differences::Random;

    /// (Hooke)  σ = 2 μ ε + λ tr ε
    #[test]
    fn every_material_obeys_hooke_for_small_strains() {
        let mut random = Random::new(3);
        for model in [Model::NeoHookean, Model::StableNeoHookean, Model::FixedCorotated] {
            for poisson in [0.0, 0.3, 0.45] {
                let material = Material::new(model, 1.0, poisson);
                let e = random.matrix();
                let strain = 1e-6 * 0.5 * (e + e.transpose());
                let stress = material.stress(DMat3::IDENTITY + strain);
                let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
                let hooke = 2.0 * material.mu * strain + material.lambda * trace * DMat3::IDENTITY;
                let wrong =
                    (stress - hooke).to_cols_array().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                assert!(wrong < 1e-5 * 1e-6, "{model:?} {poisson}: {wrong}");
                assert!(material.energy(DMat3::IDENTITY).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn turning_a_body_costs_nothing() {
        let mut random = Random::new(4);
        for model in [Model::NeoHookean, Model::StableNeoHookean, Model::FixedCorotated] {
            let material = Material::new(model, 1.0, 0.3);
            let f = DMat3::IDENTITY + 0.3 * random.matrix();
            let turn = svd(random.matrix()).u;
            let [one, other] = [f, turn * f].map(|f| material.energy(f));
            assert!((one - other).abs() < 1e-13 * one, "{model:?}");
            assert_eq!(material.energy(-f), f64::INFINITY);
        }
    }

    #[test]
    fn materials_that_survive_inversion_push_back_from_beyond() {
        let mut random = Random::new(7);
        for model in [Model::StableNeoHookean, Model::FixedCorotated] {
            let material = Material { may_invert: true, ..Material::new(model, 1.0, 0.3) };
            for _ in 0..20 {
                let turn = svd(random.matrix()).u;
                let f = turn * DMat3::from_diagonal(DVec3::new(1.1, 0.9, -0.4 * random.unit()));
                let direction = random.matrix();
                let along = |t: f64| material.energy(f + t * direction);
                let slope = (along(1e-5) - along(-1e-5)) / 2e-5;
                let stress = material.stress(f);
                let found: f64 = (stress.to_cols_array().iter().zip(direction.to_cols_array()))
                    .map(|(p, x)| p * x)
                    .sum();
                assert!((found - slope).abs() < 1e-7, "{model:?}: {found} {slope}");
                let upright = turn * DMat3::from_diagonal(DVec3::Z);
                assert!(material.energy(f + 0.01 * upright) < material.energy(f), "{model:?}");
            }
        }
    }
}
