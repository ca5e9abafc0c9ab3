//! How pressures push particles, and how the pushes change the density: the operator behind IISPH,
//! DFSPH and everything later.
//!
//! Number-density form (Solenthaler & Pajarola 2008), in units in which a step has length one,
//! lengths are in h and the rest lattice has number density one:
//!
//! | paper | here    | meaning                                                              |
//! |-------|---------|----------------------------------------------------------------------|
//! | δᵢ    | `number_density` | number density, 1 at rest                                   |
//! | pᵢ    | `kappa` | κᵢ = Δt² pᵢ / (ρ_ref h² mᵢ): pressure as a displacement (m: `World::flux`) |
//! | Δvᵢ   | `push`  | Δuᵢ = Δt Δvᵢ / h: what pressure moves a particle in this step         |
//! | mᵢ    | μᵢ      | mass relative to a particle of density ρ_ref                         |
//!
//!   Δuᵢ = −(κᵢ (Gᵢᶠ + Gᵢʷ) + Σⱼ κⱼ gᵢⱼ) / μᵢ          (P1)
//!   (Aκ)ᵢ = Δuᵢ · (Gᵢᶠ + Gᵢʷ) − Σⱼ Δuⱼ · gᵢⱼ           (P2)
//!   Dᵢ = |Gᵢᶠ + Gᵢʷ|² / μᵢ + Σⱼ |gᵢⱼ|² / μⱼ              (P3)   so that ∂(Aκ)ᵢ/∂κᵢ = −Dᵢ
//!
//! with gᵢⱼ = hᵈ⁺¹ ∇Wᵢⱼ, Gᶠ its sum over fluid neighbours and Gʷ = φ′ Σ β hᵈ⁺¹ ∇W that over walls,
//! whose φ′ is 1 away from walls without pressure of their own (Bender et al. 2023) and 2 where
//! they mirror the fluid's (Akinci et al. 2012): see `WallDensity`. Walls do not move under
//! pressure, so their part of the sums is known before the first iteration. Gᵢ is the derivative of
//! δᵢ and stands in (P1) and (P2) alike: A is symmetric, and pressure cannot add energy.

use glam::Vec4;

use crate::particles::neighbors::{Chunk, Neighbors};
use crate::particles::pair::WallPair;
use crate::particles::simd::{Lanes, Vectorised, dispatch};

/// The operator for one step.
#[derive(Clone, Copy)]
pub struct PressureOperator<'a> {
    /// Pairs of this step.
    pub neighbors: &'a Neighbors,
    /// 1/μ of each fluid.
    pub inverse_mass: &'a [f32],
    /// Particles that pressure does not move, as if they had infinite mass.
    pub held: &'a [usize],
}

impl PressureOperator<'_> {
    /// (P1) and what else moves fluid, `tension`, into `push`. `wall` are pressures of wall
    /// particles, where they have their own.
    pub fn push(
        &self,
        kappa: &[f32],
        wall: Option<&[f32]>,
        tension: Option<&[Vec4]>,
        push: &mut [Vec4],
    ) {
        self.neighbors.for_each(push, |chunk, out, local| {
            dispatch(Push { operator: self, kappa, wall, tension, chunk, out, local });
        });
        self.held.iter().for_each(|&i| push[i] = Vec4::ZERO);
    }

    /// (P2) of the k-th particle of a chunk; `local` are the pushes of its halo.
    #[inline(always)]
    pub fn compression<L: Lanes>(&self, chunk: &Chunk, k: usize, own: Vec4, local: &[Vec4]) -> f32 {
        let others = chunk.unit * L::weighted_sum(chunk.fours(k), local);
        let change = own * chunk.own_gradient[k] - others;
        change.x + change.y + change.z
    }

    /// (P3) of the k-th particle of a chunk.
    #[inline(always)]
    pub fn diagonal(&self, chunk: &Chunk, k: usize) -> f32 {
        let square = chunk.own_gradient[k].length_squared();
        self.inverse_mass[chunk.fluid] * square + chunk.sums[k].gradient_square
    }

    /// Σⱼ (uᵢ − uⱼ) · gᵢⱼ over fluid and walls: how much a motion `u` (of all particles, solids
    /// too) compresses the k-th particle of a chunk; `local` are the motions of its halo.
    #[inline(always)]
    pub fn compression_of_motion<L: Lanes>(
        &self,
        chunk: &Chunk,
        k: usize,
        u: &[Vec4],
        local: &[Vec4],
    ) -> f32 {
        let own = u[chunk.particles.start + k];
        let wall = |pair: &WallPair| u[pair.index as usize].dot(pair.gradient4());
        let of_walls: f32 = chunk.wall_pairs(k).iter().map(wall).sum();
        self.compression::<L>(chunk, k, own, local) - of_walls
    }
}

/// (P1) for one chunk.
struct Push<'a> {
    operator: &'a PressureOperator<'a>,
    kappa: &'a [f32],
    wall: Option<&'a [f32]>,
    tension: Option<&'a [Vec4]>,
    chunk: &'a Chunk,
    out: &'a mut [Vec4],
    local: &'a mut Vec<f32>,
}

impl Vectorised for Push<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Push { operator, kappa, wall, tension, chunk, out, local } = self;
        chunk.fetch(kappa, local);
        let inverse_mass = operator.inverse_mass[chunk.fluid];
        for (k, out) in out.iter_mut().enumerate() {
            let own = kappa[chunk.particles.start + k];
            let mut sum = own * chunk.own_gradient[k];
            sum += chunk.unit * L::scaled_sum(chunk.fours(k), local);
            if let Some(wall) = wall {
                let term = |pair: &WallPair| wall[pair.index as usize] * pair.gradient4();
                sum += chunk.wall_pairs(k).iter().map(term).sum::<Vec4>();
            }
            *out = (-inverse_mass * sum).with_w(0.0);
        }
        if let Some(tension) = tension {
            let tension = &tension[chunk.particles.clone()];
            out.iter_mut().zip(tension).for_each(|(out, tension)| *out += *tension);
        }
    }
}
