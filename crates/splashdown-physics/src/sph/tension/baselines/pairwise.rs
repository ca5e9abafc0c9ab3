//! Pairs attract each other alike wherever they are: the energy (T1) without its clamp, S = 1.
//!
//!   F_f = Σ_same 2 q ∇W + Σ_other (q_f − r_f + q_j − r_j) ∇W + Σ_b (β_b (q_f − w_f) + t_b) ∇W
//!
//! with the γ A⁰ themselves as q, r, w and t of (T6). Such forces press a drop together with a
//! pressure that does not depend on its size (Probst & Teschner 2024, figure 14). Paper:
//! Tartakovsky & Meakin 2005, and with other kernels Becker & Teschner 2007, Yang et al. 2017,
//! Jeske et al. 2023.

use super::{PairForce, REACH, Stretched};
use crate::math::DVec3;
use crate::sph::system::FluidSystem;
use crate::sph::tension::energy::Strengths;

/// A⁰ here over that of the full model: then the mean pressures of drops of 8 h are alike.
const SHARE: f64 = 0.36;

pub(super) struct Pairwise<'a> {
    system: &'a FluidSystem<'a>,
    kernel: Stretched,
    /// q, r and w of the fluids, N.
    fluids: Vec<[f64; 3]>,
    /// t of the solids, N.
    walls: Vec<f64>,
    fluid_of: Vec<u32>,
}

impl Pairwise<'_> {
    pub(super) fn new<'a>(system: &'a FluidSystem<'a>) -> Pairwise<'a> {
        let h = system.space.spacing;
        let energies = Strengths::new(system, 1.0);
        // From γ A⁰/hᵈ⁻¹ with lengths in h to forces.
        let unit = SHARE * system.space.dimension.volume(h) / (h * h);
        let mut fluid_of = Vec::with_capacity(system.fluid_count());
        for (k, fluid) in system.fluids.iter().enumerate() {
            fluid_of.resize(fluid.range.end, k as u32);
        }
        Pairwise {
            system,
            kernel: Stretched::new(system.kernel(), REACH),
            fluids: energies.fluids.iter().map(|f| f.map(|gamma| unit * gamma)).collect(),
            walls: energies.walls.iter().map(|[dry, wet]| unit * (dry - wet)).collect(),
            fluid_of,
        }
    }
}

impl PairForce for Pairwise<'_> {
    fn of_fluid(&self, i: usize, j: usize, away: DVec3) -> DVec3 {
        let [a, b] = [i, j].map(|i| self.fluid_of[i] as usize);
        let ([q_i, r_i, _], [q_j, r_j, _]) = (self.fluids[a], self.fluids[b]);
        let pull = if a == b { 2.0 * q_i } else { q_i - r_i + q_j - r_j };
        pull * self.kernel.gradient(away)
    }

    fn of_wall(&self, i: usize, b: usize, solid: usize, away: DVec3) -> DVec3 {
        let [q, _, w] = self.fluids[self.fluid_of[i] as usize];
        let beta = f64::from(self.system.particles.weight[b]);
        (beta * (q - w) + self.walls[solid]) * self.kernel.gradient(away)
    }
}
