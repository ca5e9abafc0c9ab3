//! A linear tetrahedral element.

use glam::{DMat3, DVec3};

use crate::material::{Curvature, Material};
use splashdown_solve::dense::Mat12;

/// Four vertices, the shape they rest in, and what is between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Tetrahedron {
    /// Vertices, counter-clockwise about the outward normal of the face opposite the first.
    pub vertices: [u32; 4],
    /// F = Σ xₐ bₐᵀ: gradients of the shape functions at rest, 1/m.
    pub slopes: [DVec3; 4],
    /// At rest, m³.
    pub volume: f64,
    /// What it is made of.
    pub material: Material,
}

impl Tetrahedron {
    /// An element that rests as it is; `None` if it has no volume or is inside out.
    pub fn new(vertices: [u32; 4], rest: [DVec3; 4], material: Material) -> Option<Tetrahedron> {
        let edges = DMat3::from_cols(rest[1] - rest[0], rest[2] - rest[0], rest[3] - rest[0]);
        let volume = edges.determinant() / 6.0;
        let inverse = edges.inverse();
        if !(volume > 0.0 && inverse.is_finite()) {
            return None;
        }
        let [b, c, d] = [inverse.row(0), inverse.row(1), inverse.row(2)];
        Some(Tetrahedron { vertices, slopes: [-(b + c + d), b, c, d], volume, material })
    }

    /// F
    pub fn deformation(&self, x: &[DVec3; 4]) -> DMat3 {
        let mut f = DMat3::ZERO;
        for a in 1..4 {
            let (edge, b) = (x[a] - x[0], self.slopes[a]);
            f += DMat3::from_cols(edge * b.x, edge * b.y, edge * b.z);
        }
        f
    }

    /// Von Mises' measure of the (Cauchy) stress, Pa.
    pub fn von_mises(&self, x: &[DVec3; 4]) -> f64 {
        let f = self.deformation(x);
        let s = self.material.stress(f) * f.transpose() * (1.0 / f.determinant());
        let [xx, yy, zz] = [s.x_axis.x, s.y_axis.y, s.z_axis.z];
        let shear = s.x_axis.y.powi(2) + s.y_axis.z.powi(2) + s.z_axis.x.powi(2);
        let normal = (xx - yy).powi(2) + (yy - zz).powi(2) + (zz - xx).powi(2);
        (0.5 * normal + 3.0 * shear).sqrt()
    }

    /// J
    pub fn energy(&self, x: &[DVec3; 4]) -> f64 {
        self.volume * self.material.energy(self.deformation(x))
    }

    /// Derivatives of the energy by the vertices, N.
    pub fn gradient(&self, x: &[DVec3; 4]) -> [DVec3; 4] {
        let stress = self.volume * self.material.stress(self.deformation(x));
        self.slopes.map(|b| stress * b)
    }

    /// Second derivatives of the energy, N/m; without negative eigenvalues if `project`.
    ///
    /// With c = Vᵀ b, a move x of vertex a changes F by U (Uᵀx c_aᵀ) Vᵀ, so that the block of a and
    /// b is U K Uᵀ with Kᵢᵢ = `stretch`ᵢᵢ c_aᵢ c_bᵢ + Σ (`shear` + `turn`)/2 c_aⱼ c_bⱼ and Kᵢⱼ =
    /// `stretch`ᵢⱼ c_aᵢ c_bⱼ + (`shear` − `turn`)/2 c_aⱼ c_bᵢ. The slopes sum to zero, and so do
    /// the blocks of a row.
    pub fn hessian(&self, x: &[DVec3; 4], project: bool) -> Mat12 {
        let curvature = self.material.curvature(self.deformation(x));
        let Curvature { u, v, stretch, shear, turn } =
            if project { curvature.projected() } else { curvature };
        let half = [0, 1, 2].map(|k| {
            [0.5 * (shear[k] + turn[k]) * self.volume, 0.5 * (shear[k] - turn[k]) * self.volume]
        });
        let stretch = stretch.map(|row| row.map(|s| s * self.volume));
        let c = self.slopes.map(|b| v.transpose() * b);
        let turned = u.transpose();
        let mut sum = Mat12::zeros();
        let mut put = |a: usize, b: usize, block: DMat3| {
            for column in 0..3 {
                for row in 0..3 {
                    sum[(3 * a + row, 3 * b + column)] = block.col(column)[row];
                    sum[(3 * b + column, 3 * a + row)] = block.col(column)[row];
                }
            }
        };
        let mut first = [DMat3::ZERO; 4]; // blocks of vertex 0 and each
        for a in 1..4 {
            for b in 1..=a {
                let (p, q) = (c[a], c[b]);
                let same = |i: usize, j: usize, k: usize| {
                    stretch[i][i] * p[i] * q[i]
                        + half[k][0] * p[j] * q[j]
                        + half[j][0] * p[k] * q[k]
                };
                let mixed = |i: usize, j: usize, k: usize| {
                    stretch[i][j] * p[i] * q[j] + half[k][1] * p[j] * q[i]
                };
                let inner = DMat3::from_cols_array(&[
                    same(0, 1, 2),
                    mixed(1, 0, 2),
                    mixed(2, 0, 1),
                    mixed(0, 1, 2),
                    same(1, 2, 0),
                    mixed(2, 1, 0),
                    mixed(0, 2, 1),
                    mixed(1, 2, 0),
                    same(2, 0, 1),
                ]);
                let block = u * inner * turned;
                put(a, b, block);
                first[a] -= block;
                if a != b {
                    first[b] -= block.transpose();
                }
            }
        }
        // `first[a]` has the rows of a and the columns of 0.
        (1..4).for_each(|a| put(a, 0, first[a]));
        put(0, 0, -(first[1] + first[2] + first[3]));
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::Model;
    use splashdown_solve::dense::stacked;
    use splashdown_solve::differences::{
        Random, difference_gradient, difference_hessian, mismatch,
    };

    const MODELS: [Model; 4] = [
        Model::NeoHookean,
        Model::StableNeoHookean,
        Model::FixedCorotated,
        Model::StVenantKirchhoff,
    ];

    fn element(model: Model, random: &mut Random) -> (Tetrahedron, [DVec3; 4]) {
        let rest = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|p| p + 0.1 * random.vector());
        let material = Material::new(model, 2.0, 0.3);
        (Tetrahedron::new([0, 1, 2, 3], rest, material).unwrap(), rest)
    }

    #[test]
    fn derivatives_agree_with_finite_differences() {
        let mut random = Random::new(5);
        for model in MODELS {
            for k in 0..40 {
                let (tetrahedron, rest) = element(model, &mut random);
                // At rest, stretched evenly (repeated singular values), nearly flat, and at random.
                let x = match k % 4 {
                    0 => rest,
                    1 => rest.map(|p| 1.4 * p),
                    2 => rest.map(|p| p * DVec3::new(1.0, 0.05, 1.0)),
                    _ => rest.map(|p| p + 0.2 * random.vector()),
                };
                let small = 1e-3 * if k % 4 == 2 { 0.05 } else { 1.0 };
                let gradient = stacked(tetrahedron.gradient(&x));
                let expected = difference_gradient(&x, small, |x| tetrahedron.energy(x));
                let size = expected.amax().max(1e-2);
                assert!((gradient - expected).amax() < 1e-7 * size, "{model:?} {k}");
                let hessian = tetrahedron.hessian(&x, false);
                let expected = difference_hessian(&x, small, |x| tetrahedron.gradient(x));
                assert!(mismatch(&hessian, &expected) < 1e-6, "{model:?} {k}");
            }
        }
    }

    #[test]
    fn projected_stiffness_is_the_nearest_semi_definite_one() {
        let mut random = Random::new(6);
        for model in MODELS {
            for _ in 0..20 {
                let (tetrahedron, rest) = element(model, &mut random);
                let x = rest.map(|p| 0.5 * p + 0.1 * random.vector());
                if tetrahedron.deformation(&x).determinant() < 0.0 {
                    continue;
                }
                let eigenvalues = tetrahedron.hessian(&x, true).symmetric_eigenvalues();
                assert!(eigenvalues.min() >= -1e-9 * eigenvalues.max(), "{model:?}");
            }
        }
    }

    #[test]
    fn flat_and_inverted_rest_shapes_are_refused() {
        let material = Material::new(Model::NeoHookean, 1.0, 0.3);
        let flat = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X + DVec3::Y];
        let inverted = [DVec3::ZERO, DVec3::Y, DVec3::X, DVec3::Z];
        assert_eq!(Tetrahedron::new([0, 1, 2, 3], flat, material), None);
        assert_eq!(Tetrahedron::new([0, 1, 2, 3], inverted, material), None);
    }
}
