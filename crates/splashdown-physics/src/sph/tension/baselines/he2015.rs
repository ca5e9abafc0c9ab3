//! Tension as the energy of a colour field's gradient: robust where surfaces have few particles.
//!
//! Paper: He et al. 2015, Robust simulation of sparsely sampled thin features in SPH-based free
//! surface flows, sections 4.1 and 4.2. The surrounding air and the filtered pressure of that paper
//! are left out, and the support is 3h, as in Probst & Teschner 2024, section 6.2.
//!
//!   c_i = Σ_j V_j W_ij,   ∇c_i = Σ_j V_j c_j ∇W / Σ_j V_j W
//!   F_i = κ/4 Σ_j V_i V_j (|∇c_i|² + |∇c_j|²) ∇W
//!
//! κ is `tension` of the fluid, in N; a surface has a tension of about κ/h, so that κ must be
//! chosen anew for every spacing. Walls count as full of the fluid (c = 1) and have no gradient of
//! their own.

use super::{PairForce, REACH, Stretched, coefficients, gather, near, offset};
use crate::math::DVec3;
use crate::particles::neighbors::Neighbors;
use crate::sph::system::FluidSystem;

pub(super) struct He<'a> {
    system: &'a FluidSystem<'a>,
    kernel: Stretched,
    /// κ hᵈ⁻³ of every fluid particle: forces with lengths in h.
    strength: Vec<f64>,
    /// h² |∇c|²
    squared_gradient: Vec<f64>,
}

impl He<'_> {
    pub(super) fn new<'a>(system: &'a FluidSystem<'a>, neighbors: &Neighbors) -> He<'a> {
        let kernel = Stretched::new(system.kernel(), REACH);
        let (n, h) = (system.fluid_count(), system.space.spacing);
        let volume = |j: usize| if j < n { 1.0 } else { f64::from(system.particles.weight[j]) };
        let color = gather(neighbors, |i, k, list| {
            near(list, k)
                .fold(kernel.w(DVec3::ZERO), |c, j| c + volume(j) * kernel.w(offset(system, i, j)))
        });
        let squared_gradient = gather(neighbors, |i, k, list| {
            let c = |j: usize| if j < n { color[j] } else { 1.0 };
            let term = |j: usize| volume(j) * c(j) * kernel.gradient(offset(system, i, j));
            let sum: DVec3 = near(list, k).map(term).sum();
            (sum / color[i]).length_squared()
        });
        let unit = system.space.dimension.volume(h) / h.powi(3);
        let mut strength = Vec::with_capacity(n);
        for (fluid, kappa) in system.fluids.iter().zip(coefficients(system)) {
            strength.resize(fluid.range.end, unit * kappa);
        }
        He { system, kernel, strength, squared_gradient }
    }
}

impl PairForce for He<'_> {
    fn of_fluid(&self, i: usize, j: usize, away: DVec3) -> DVec3 {
        let kappa = 0.5 * (self.strength[i] + self.strength[j]);
        let sum = self.squared_gradient[i] + self.squared_gradient[j];
        0.25 * kappa * sum * self.kernel.gradient(away)
    }

    fn of_wall(&self, i: usize, b: usize, _: usize, away: DVec3) -> DVec3 {
        let volume = f64::from(self.system.particles.weight[b]);
        0.25 * self.strength[i] * volume * self.squared_gradient[i] * self.kernel.gradient(away)
    }
}
