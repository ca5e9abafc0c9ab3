//! Quadratic tetrahedra, of ten vertices: four corners and the middles of six edges. They bend,
//! where linear ones have to stretch, and do not lock near ν = 0.5.
//!
//! With barycentric coordinates λ, whose slopes are b, the shape functions are λₖ (2 λₖ − 1) and 4
//! λₖ λⱼ. Collecting what multiplies each bₖ in F = Σ xₐ ∇Nₐᵀ,
//!
//! ```text
//! (Q1)  F = Σₖ 3 yₖ bₖᵀ,   yₖ = ((4 λₖ − 1) xₖ + Σⱼ 4 λⱼ xₖⱼ) / 3
//! ```
//!
//! where the weights of a yₖ sum to one. So at a point the element is a linear one with the corners
//! y. Where edges are straight that is the element itself, a third as large, about the point.
//! Energies are integrated by their values at four points (exact to degree two), λ = a at one
//! corner and b at the others.

use glam::DVec3;
use nalgebra::SMatrix;

use crate::material::Material;
use crate::tetrahedron::Tetrahedron;
use splashdown_solve::dense::Mat12;

/// Second derivatives with respect to ten vertices.
pub type Mat30 = SMatrix<f64, 30, 30>;

/// a = (5 + 3 √5) / 20
const NEAR: f64 = 0.585_410_196_624_968_5;
/// b = (5 − √5) / 20
const FAR: f64 = 0.138_196_601_125_010_5;
/// Which corners the middles lie between: vertex 4 and so on, in the order of VTK.
pub(crate) const EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]];
/// The middle between two corners.
const MIDDLE: [[usize; 4]; 4] = [[0, 4, 6, 7], [4, 1, 5, 8], [6, 5, 2, 9], [7, 8, 9, 3]];

/// A quarter of a quadratic tetrahedron: what is at one of its four points. They follow each other
/// in the list of elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The corners and the middles of the edges.
    pub vertices: [u32; 10],
    /// Which of the four points of the element, 0 to 3.
    pub point: usize,
    /// The linear element of the corners y, with a quarter of the volume; its vertices are the
    /// corners x.
    pub local: Tetrahedron,
}

impl Sample {
    /// The four samples of an element that rests as it is; `None` if it has no volume at one of
    /// them.
    pub fn all(vertices: [u32; 10], rest: [DVec3; 10], material: Material) -> Option<[Sample; 4]> {
        let [a, b, c, d, ..] = vertices;
        let sample = |point: usize| {
            let corners = blended(point, |a| rest[a]);
            let mut local = Tetrahedron::new([a, b, c, d], corners, material)?;
            local.volume *= 27.0 / 4.0; // a third as large, and a quarter of it
            Some(Sample { vertices, point, local })
        };
        Some([sample(0)?, sample(1)?, sample(2)?, sample(3)?])
    }

    /// y of what vertices have.
    pub fn gather(&self, of_vertex: &[DVec3]) -> [DVec3; 4] {
        blended(self.point, |a| of_vertex[self.vertices[a] as usize])
    }

    /// Adds derivatives by y to those by the vertices.
    pub fn scatter(&self, parts: &[DVec3; 4], by_vertex: &mut [DVec3]) {
        for (k, part) in parts.iter().enumerate() {
            for (a, weight) in blend(self.point, k) {
                by_vertex[self.vertices[a] as usize] += weight * *part;
            }
        }
    }

    /// Adds second derivatives by y to those by the ten vertices.
    pub fn spread(&self, h: &Mat12, sum: &mut Mat30) {
        // Wᵀ H W, first by rows, then by columns, which lie together in memory.
        let mut half = SMatrix::<f64, 30, 12>::zeros();
        for k in 0..4 {
            for (a, weight) in blend(self.point, k) {
                for column in 0..12 {
                    for c in 0..3 {
                        half[(3 * a + c, column)] += weight * h[(3 * k + c, column)];
                    }
                }
            }
        }
        for k in 0..4 {
            for (a, weight) in blend(self.point, k) {
                for c in 0..3 {
                    sum.column_mut(3 * a + c).axpy(weight, &half.column(3 * k + c), 1.0);
                }
            }
        }
    }
}

/// The shape functions of the ten vertices at barycentric coordinates λ.
pub fn shape(lambda: [f64; 4]) -> [f64; 10] {
    let mut shape = [0.0; 10];
    for (n, l) in shape.iter_mut().zip(lambda) {
        *n = l * (2.0 * l - 1.0);
    }
    for (n, [j, k]) in shape[4..].iter_mut().zip(EDGES) {
        *n = 4.0 * lambda[j] * lambda[k];
    }
    shape
}

/// The vertices of yₖ at a point, and their weights (Q1).
fn blend(point: usize, k: usize) -> [(usize, f64); 4] {
    let coordinate = |j: usize| if j == point { NEAR } else { FAR };
    [0, 1, 2, 3].map(|j| {
        let weight = 4.0 * coordinate(j) - if j == k { 1.0 } else { 0.0 };
        (MIDDLE[k][j], weight / 3.0)
    })
}

fn blended(point: usize, of: impl Fn(usize) -> DVec3) -> [DVec3; 4] {
    [0, 1, 2, 3].map(|k| blend(point, k).iter().map(|&(a, weight)| weight * of(a)).sum())
}

#[cfg(test)]
mod tests {
    use glam::DMat3;

    use super::*;
    use crate::material::Model;
    use splashdown_solve::differences::Random;

    fn element(random: &mut Random) -> ([Sample; 4], [DVec3; 10]) {
        let corners =
            [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|p| p + 0.1 * random.vector());
        let mut rest = [DVec3::ZERO; 10];
        rest[..4].copy_from_slice(&corners);
        for (k, [a, b]) in EDGES.iter().enumerate() {
            rest[4 + k] = 0.5 * (corners[*a] + corners[*b]);
        }
        let material = Material::new(Model::NeoHookean, 2.0, 0.3);
        (Sample::all([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], rest, material).unwrap(), rest)
    }

    /// x ↦ A x + (quadratic) is met exactly: F is its derivative at the point.
    #[test]
    fn quadratic_maps_have_their_own_gradient() {
        let mut random = Random::new(41);
        let (samples, rest) = element(&mut random);
        let (linear, bend, axis) = (random.matrix(), random.vector(), random.vector());
        let map = |p: DVec3| linear * p + axis.dot(p).powi(2) * bend;
        let x = rest.map(map);
        let mut volume = 0.0;
        for sample in &samples {
            let share = |k: usize| if k == sample.point { NEAR } else { FAR };
            let p: DVec3 = (0..4).map(|k| share(k) * rest[k]).sum();
            let slope = 2.0 * axis.dot(p) * bend;
            let expected =
                linear + DMat3::from_cols(slope * axis.x, slope * axis.y, slope * axis.z);
            let found = sample.local.deformation(&sample.gather(&x));
            let wrong = (found - expected).to_cols_array();
            assert!(wrong.iter().all(|e| e.abs() < 1e-13), "{wrong:?}");
            volume += sample.local.volume;
        }
        let whole = crate::meshing::volume([rest[0], rest[1], rest[2], rest[3]]);
        assert!((volume - whole).abs() < 1e-15);
    }

    #[test]
    fn derivatives_by_ten_vertices_agree_with_finite_differences() {
        let mut random = Random::new(42);
        let (samples, rest) = element(&mut random);
        let x = rest.map(|p| p + 0.05 * random.vector());
        let energy =
            |x: &[DVec3]| samples.iter().map(|s| s.local.energy(&s.gather(x))).sum::<f64>();
        let gradient = |x: &[DVec3]| {
            let mut sum = [DVec3::ZERO; 10];
            samples.iter().for_each(|s| s.scatter(&s.local.gradient(&s.gather(x)), &mut sum));
            sum
        };
        let mut hessian = Mat30::zeros();
        for s in &samples {
            s.spread(&s.local.hessian(&s.gather(&x), false), &mut hessian);
        }
        let size = 1e-4;
        for j in 0..30 {
            let at = |step: f64| {
                let mut x = x;
                x[j / 3][j % 3] += step * size;
                x
            };
            let slope = (energy(&at(1.0)) - energy(&at(-1.0))) / (2.0 * size);
            assert!((slope - gradient(&x)[j / 3][j % 3]).abs() < 1e-6, "{j}");
            let (ahead, back) = (gradient(&at(1.0)), gradient(&at(-1.0)));
            for i in 0..30 {
                let slope = (ahead[i / 3][i % 3] - back[i / 3][i % 3]) / (2.0 * size);
                assert!((slope - hessian[(i, j)]).abs() < 1e-5, "{i} {j}");
            }
        }
    }
}
