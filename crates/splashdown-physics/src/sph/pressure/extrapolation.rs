//! Pressures of wall particles, extrapolated from the fluid by moving least squares.
//!
//! Paper: Band et al. 2018 (eqs. 5 to 11). Around each wall particle b a plane is fitted to the
//! pressures of its fluid neighbours, weighted with w_j = hᵈ W_bj, and read off at x_b:
//!
//!   p_b = Σⱼ c_bj pⱼ,   c_bj = wⱼ (1/Σw + (x_b − x̄)ᵀ M⁻¹ (xⱼ − x̄))   (E1)
//!   x̄ = Σⱼ wⱼ xⱼ / Σw,   M = Σⱼ wⱼ (xⱼ − x̄)(xⱼ − x̄)ᵀ                     (E2)
//!
//! The coefficients depend on positions only: they are computed once per step, and an iteration is
//! a short sum for each wall particle. Where neighbours do not spread out in a direction the fit
//! has no slope in it (`FLAT`); where p_b would be negative it is zero.

use glam::{DMat3, DVec3};
use rayon::prelude::*;

use crate::math::Dimension;
use crate::particles::kernel::Kernel;
use crate::particles::neighbors::Neighbors;

/// Directions in which neighbours spread (as a variance, in h²) less than about this have no slope:
/// a fit through them would only magnify the noise between particles.
const FLAT: f64 = 0.05;

/// The coefficients of (E1) for all wall particles that have fluid neighbours.
#[derive(Clone, Debug, Default)]
pub struct Extrapolation {
    /// Wall particles with neighbours: index and one past the last of their terms.
    walls: Vec<(u32, u32)>,
    /// (j, c_bj δⱼ²): κ is a pressure over δ², and a wall has δ = 1.
    terms: Vec<(u32, f32)>,
}

impl Extrapolation {
    /// Computes the coefficients from this step's pairs. `position` are all particles, `spacing` is
    /// h.
    pub fn rebuild(
        &mut self,
        neighbors: &Neighbors,
        position: &[DVec3],
        spacing: f64,
        kernel: Kernel,
    ) {
        self.transpose(neighbors, position.len());
        let mut parts = Vec::with_capacity(self.walls.len());
        let mut rest = self.terms.as_mut_slice();
        let mut start = 0;
        for &(b, end) in &self.walls {
            let (part, after) = rest.split_at_mut((end - start) as usize);
            parts.push((b as usize, part));
            (rest, start) = (after, end);
        }
        parts.into_par_iter().with_min_len(64).for_each(|(b, terms)| {
            let places: Vec<DVec3> = terms
                .iter()
                .map(|&(j, _)| (position[j as usize] - position[b]) / spacing)
                .collect();
            let coefficients = fit(&places, FLAT, kernel);
            terms.iter_mut().zip(coefficients).for_each(|(term, c)| term.1 *= c as f32);
        });
    }

    /// Lists the fluid neighbours of every wall particle, in the order of the fluid, with δ² as
    /// value.
    fn transpose(&mut self, neighbors: &Neighbors, particles: usize) {
        let mut ends = vec![0u32; particles + 1];
        for chunk in &neighbors.chunks {
            for k in 0..chunk.particles.len() {
                chunk.wall_pairs(k).iter().for_each(|pair| ends[pair.index as usize + 1] += 1);
            }
        }
        for b in 0..particles {
            ends[b + 1] += ends[b];
        }
        // ends[b] is where the next neighbour of b goes; in the end it is where those of b + 1
        // begin.
        self.terms.clear();
        self.terms.resize(ends[particles] as usize, (0, 0.0));
        for chunk in &neighbors.chunks {
            for (k, j) in chunk.particles.clone().enumerate() {
                let delta = chunk.sums[k].number_density;
                for pair in chunk.wall_pairs(k) {
                    let next = &mut ends[pair.index as usize];
                    self.terms[*next as usize] = (j as u32, delta * delta);
                    *next += 1;
                }
            }
        }
        self.walls.clear();
        let mut start = 0;
        for (b, &end) in ends[..particles].iter().enumerate() {
            if end > start {
                self.walls.push((b as u32, end));
                start = end;
            }
        }
    }

    /// (E1) from the fluid's `kappa` into `wall`, which has an entry for every particle.
    pub fn evaluate(&self, kappa: &[f32], wall: &mut [f32]) {
        let of = |k: usize| {
            let start = if k == 0 { 0 } else { self.walls[k - 1].1 as usize };
            let (b, end) = self.walls[k];
            let terms = &self.terms[start..end as usize];
            let sum: f32 = terms.iter().map(|&(j, c)| c * kappa[j as usize]).sum();
            (b as usize, sum.max(0.0))
        };
        let values: Vec<(usize, f32)> =
            (0..self.walls.len()).into_par_iter().with_min_len(256).map(of).collect();
        values.into_iter().for_each(|(b, value)| wall[b] = value);
    }
}

/// (E1) for neighbours at `places`, in h, seen from the wall particle.
fn fit(places: &[DVec3], flat: f64, kernel: Kernel) -> Vec<f64> {
    let weights: Vec<f64> = places.iter().map(|p| kernel.w(p.length())).collect();
    let total: f64 = weights.iter().sum();
    if total < 1e-9 {
        return vec![0.0; places.len()]; // all at the very edge
    }
    let weighted = |f: &dyn Fn(DVec3) -> DVec3| -> DVec3 {
        places.iter().zip(&weights).map(|(&p, &w)| w * f(p)).sum()
    };
    let mean = weighted(&|p| p) / total;
    let column = |axis: usize| weighted(&|p| (p - mean) * (p - mean)[axis]);
    let moments = DMat3::from_cols(column(0), column(1), column(2));
    let slope = pseudo_inverse(moments, flat * total, kernel.dimension) * -mean;
    places.iter().zip(&weights).map(|(&p, &w)| w * (1.0 / total + slope.dot(p - mean))).collect()
}

/// M⁻¹ for a symmetric M, fading out where its eigenvalues λ fall below `flat`: Σ v vᵀ λ³ / (λ⁴ +
/// flat⁴).
fn pseudo_inverse(m: DMat3, flat: f64, dimension: Dimension) -> DMat3 {
    // Jacobi rotations: M = V diag(λ) Vᵀ.
    let (mut a, mut v) = (m.to_cols_array_2d(), DMat3::IDENTITY.to_cols_array_2d());
    let pairs: &[(usize, usize)] =
        if dimension == Dimension::Two { &[(0, 1)] } else { &[(0, 1), (0, 2), (1, 2)] };
    for _ in 0..8 {
        for &(p, q) in pairs {
            if a[p][q] == 0.0 {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for row in &mut a {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            for k in 0..3 {
                (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
                (v[p][k], v[q][k]) = (c * v[p][k] - s * v[q][k], s * v[p][k] + c * v[q][k]);
            }
        }
    }
    let mut inverse = DMat3::ZERO;
    for k in 0..dimension.count() {
        let (axis, lambda) = (DVec3::from(v[k]), a[k][k].max(0.0));
        let outer = DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
        inverse += outer * (lambda.powi(3) / (lambda.powi(4) + flat.powi(4)));
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::kernel::KernelKind;
    use proptest::prelude::*;

    fn kernel(dimension: Dimension) -> Kernel {
        Kernel { kind: KernelKind::Cubic, dimension }
    }

    proptest! {
        #[test]
        fn linear_pressures_are_extrapolated(
            jitter in prop::collection::vec(prop::array::uniform3(-0.1..0.1f64), 18),
            slope in prop::array::uniform3(-3.0..3.0f64),
            flat in any::<bool>(),
        ) {
            let dimension = if flat { Dimension::Two } else { Dimension::Three };
            // Two layers above the wall, close enough that the second one counts.
            let lattice = (0..18).map(|k| {
                DVec3::new((k % 3) as f64 - 1.0, (k / 9) as f64, (k / 3 % 3) as f64 - 1.0)
            });
            let places: Vec<DVec3> = lattice
                .zip(jitter)
                .map(|(p, jitter)| 0.7 * p + DVec3::Y * 0.5 + DVec3::from(jitter))
                .map(|p| dimension.flatten(p))
                .collect();
            let pressure = |p: DVec3| 5.0 + dimension.flatten(DVec3::from(slope)).dot(p);
            let c = fit(&places, 1e-4, kernel(dimension));
            prop_assert!((c.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let p_b: f64 = places.iter().zip(&c).map(|(&p, c)| c * pressure(p)).sum();
            prop_assert!((p_b - 5.0).abs() < 1e-4, "{p_b}");
        }

        #[test]
        fn a_pseudo_inverse_inverts(
            d in prop::array::uniform3(0.1..10.0f64),
            angle in 0.0..6.0f64,
        ) {
            let r = DMat3::from_rotation_z(angle) * DMat3::from_rotation_x(0.7 * angle);
            let m = r * DMat3::from_diagonal(DVec3::from(d)) * r.transpose();
            let product = m * pseudo_inverse(m, 1e-3, Dimension::Three);
            prop_assert!((product - DMat3::IDENTITY).abs_diff_eq(DMat3::ZERO, 1e-6), "{product}");
        }
    }

    #[test]
    fn a_single_neighbour_lends_its_pressure() {
        for dimension in [Dimension::Two, Dimension::Three] {
            let c = fit(&[DVec3::new(0.3, 0.9, 0.0)], FLAT, kernel(dimension));
            assert!((c[0] - 1.0).abs() < 1e-12);
            let row: Vec<DVec3> = (-1..=1).map(|x| DVec3::new(f64::from(x), 1.0, 0.0)).collect();
            let c = fit(&row, FLAT, kernel(dimension));
            assert!((c.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{c:?}");
        }
    }
}
