//! Cohesion between particles, normals that want to be alike, adhesion to walls.
//!
//! Paper: Akinci, Akinci & Teschner 2013, Versatile surface tension and adhesion for SPH fluids
//! (AAT13). R is the support of the kernel, 2h. With n = R Σ V_j ∇W and K = 2 ρ₀/(ρ_i + ρ_j):
//!
//!   F_i = −Σ_j K γ (m_i m_j C(r) x_ij/r + m_i (n_i − n_j))
//!         − Σ_b γ_b m_i ψ_b A(r) x_ib/r                            AAT13 eqs. 1, 3-6
//!   C = 32/(π R⁹) (R−r)³ r³,  for r < R/2: 32/(π R⁹) (2 (R−r)³ r³ − R⁶/64)   AAT13 eq. 2
//!   A = 0.007/R^3.25 (−4r²/R + 6r − 2R)^¼  for R/2 < r < R                    AAT13 eq. 7
//!
//! γ is `tension` of the fluid and γ_b is `dry` of the solid; they are not in N/m, and what they do
//! changes with the spacing. m_i before the normals is the mean of both masses, so that unequal
//! fluids keep momentum too. In the plane particles are cubes of a layer one spacing deep.

use std::f64::consts::PI;

use super::{PairForce, Stretched, coefficients, gather, near, offset};
use crate::math::DVec3;
use crate::particles::kernel::SUPPORT;
use crate::particles::neighbors::Neighbors;
use crate::sph::system::FluidSystem;
use crate::sph::tension::Wetting;

pub(super) struct Akinci<'a> {
    system: &'a FluidSystem<'a>,
    /// γ and ρ₀ of every fluid particle.
    fluid: Vec<[f64; 2]>,
    /// γ_b of the solids.
    adhesion: Vec<f64>,
    /// n
    normal: Vec<DVec3>,
    /// ρ/ρ₀
    density: Vec<f64>,
}

/// h³ C at distance q h.
fn cohesion(q: f64) -> f64 {
    let r = SUPPORT;
    if q >= r {
        return 0.0;
    }
    let bump = (r - q).powi(3) * q.powi(3);
    let shape = if 2.0 * q > r { bump } else { 2.0 * bump - r.powi(6) / 64.0 };
    32.0 / (PI * r.powi(9)) * shape
}

/// h³ A at distance q h.
fn adhesion(q: f64) -> f64 {
    let r = SUPPORT;
    if !(0.5 * r..r).contains(&q) {
        return 0.0;
    }
    0.007 / r.powf(3.25) * (-4.0 * q * q / r + 6.0 * q - 2.0 * r).max(0.0).powf(0.25)
}

impl Akinci<'_> {
    pub(super) fn new<'a>(system: &'a FluidSystem<'a>, neighbors: &Neighbors) -> Akinci<'a> {
        let kernel = Stretched::new(system.kernel(), SUPPORT);
        let n = system.fluid_count();
        let mut fluid = Vec::with_capacity(n);
        for (of, gamma) in system.fluids.iter().zip(coefficients(system)) {
            fluid.resize(of.range.end, [gamma, of.density]);
        }
        let time = system.time;
        let dry = |k: usize| match &system.solids[k].wetting {
            Wetting::Tensions(wall) => wall.dry.at(time).max(0.0),
            Wetting::Angle(_) => 0.0,
        };
        let normal = gather(neighbors, |i, k, list| {
            let fluid = near(list, k).filter(|&j| j < n);
            SUPPORT * fluid.map(|j| kernel.gradient(offset(system, i, j))).sum::<DVec3>()
        });
        let sums = neighbors.chunks.iter().flat_map(|chunk| &chunk.sums);
        let density = sums.map(|sums| f64::from(sums.number_density)).collect();
        let adhesion = (0..system.solids.len()).map(dry).collect();
        Akinci { system, fluid, adhesion, normal, density }
    }

    /// hᵈ: what h³ of the paper's masses times h³ of C, over the depth, leaves.
    fn unit(&self) -> f64 {
        self.system.space.dimension.volume(self.system.space.spacing)
    }
}

impl PairForce for Akinci<'_> {
    fn of_fluid(&self, i: usize, j: usize, away: DVec3) -> DVec3 {
        let q = away.length();
        if q >= SUPPORT {
            return DVec3::ZERO;
        }
        let ([gamma_i, rho_i], [gamma_j, rho_j]) = (self.fluid[i], self.fluid[j]);
        let gamma = 0.5 * (gamma_i + gamma_j);
        let k = 2.0 / (self.density[i] + self.density[j]);
        let together = rho_i * rho_j * cohesion(q) * away.normalize_or_zero();
        let alike = 0.5 * (rho_i + rho_j) * (self.normal[i] - self.normal[j]);
        -k * gamma * self.unit() * (together + alike)
    }

    fn of_wall(&self, i: usize, b: usize, solid: usize, away: DVec3) -> DVec3 {
        let [_, rho] = self.fluid[i];
        let psi = rho * f64::from(self.system.particles.weight[b]);
        let strength = self.adhesion[solid] * rho * psi * adhesion(away.length());
        -strength * self.unit() * away.normalize_or_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_those_of_the_paper() {
        // Repulsive below about a quarter of R, strongest at half of it, where both branches meet.
        assert!(cohesion(0.4) < 0.0 && cohesion(0.6) > 0.0);
        assert!((cohesion(1.0) - cohesion(1.0 + 1e-9)).abs() < 1e-9);
        assert!((cohesion(1.0) - 32.0 / (PI * 512.0)).abs() < 1e-12);
        assert!(cohesion(0.9) < cohesion(1.0) && cohesion(1.1) < cohesion(1.0));
        assert_eq!([cohesion(2.0), adhesion(0.9), adhesion(2.0)], [0.0; 3]);
        // Largest in the middle of its support: 0.007 (R/4)^¼ / R^3.25.
        assert!((adhesion(1.5) - 0.007 * 0.5f64.powf(0.25) / 2f64.powf(3.25)).abs() < 1e-12);
        assert!(adhesion(1.4) < adhesion(1.5) && adhesion(1.6) < adhesion(1.5));
    }
}
