//! How pressures push particles, and how the pushes change the density: the operator behind IISPH,
//! DFSPH and everything later.
//!
//! Number-density form (Solenthaler & Pajarola 2008), in units in which a step has length one, lengths
//! are in h and the rest lattice has number density one:
//!
//! | paper | here    | meaning                                                              |
//! |-------|---------|----------------------------------------------------------------------|
//! | δᵢ    | `number_density` | number density, 1 at rest                                   |
//! | pᵢ    | `kappa` | κᵢ = Δt² pᵢ / (ρ_ref h² mᵢ): pressure as a displacement (m: `World::flux`) |
//! | Δvᵢ   | `push`  | Δuᵢ = Δt Δvᵢ / h: what pressure moves a particle in this step         |
//! | mᵢ    | μᵢ      | mass relative to a particle of density ρ_ref                         |
//!
//!   Δuᵢ = −(κᵢ (Gᵢᶠ + c Gᵢʷ) + Σⱼ κⱼ gᵢⱼ) / μᵢ          (P1)
//!   (Aκ)ᵢ = Δuᵢ · (Gᵢᶠ + c Gᵢʷ) − Σⱼ Δuⱼ · gᵢⱼ           (P2)
//!   Dᵢ = |Gᵢᶠ + c Gᵢʷ|² / μᵢ + Σⱼ |gᵢⱼ|² / μⱼ              (P3)   so that ∂(Aκ)ᵢ/∂κᵢ = −Dᵢ
//!
//! with gᵢⱼ = hᵈ⁺¹ ∇Wᵢⱼ, Gᶠ and Gʷ its sums over fluid and (weighted) wall neighbours. Walls do not move
//! under pressure, so their part of the sums is known before the first iteration. c = 1 if a wall
//! particle has no pressure of its own (Bender et al. 2023), 2 if it mirrors the fluid's (Akinci et al.
//! 2012). A wall that is stronger in (P1) must also count more in (P2), or else A is not symmetric and
//! pressure adds energy: with c in (P1) alone, inviscid water between mirrored walls moved 1.6 times as
//! fast, and blew up at small steps. Even so mirrored walls are the noisiest of the three.

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
    /// c, the share of a wall particle.
    pub wall_factor: f32,
    /// Particles that pressure does not move, as if they had infinite mass.
    pub held: &'a [usize],
}

impl PressureOperator<'_> {
    /// (P1) into `push`. `wall` are pressures of wall particles, where they have their own.
    pub fn push(&self, kappa: &[f32], wall: Option<&[f32]>, push: &mut [Vec4]) {
        self.neighbors.for_each(push, |chunk, out, local| {
            dispatch(Push { operator: self, kappa, wall, chunk, out, local });
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

    /// Σⱼ (uᵢ − uⱼ) · gᵢⱼ over fluid and c times walls: how much a motion `u` (of all particles, solids too)
    /// compresses the k-th particle of a chunk; `local` are the motions of its halo.
    #[inline(always)]
    pub fn compression_of_motion<L: Lanes>(
        &self,
        chunk: &Chunk,
        k: usize,
        u: &[Vec4],
        local: &[Vec4],
    ) -> Compression {
        let own = u[chunk.particles.start + k];
        let wall = |pair: &WallPair| u[pair.index as usize].dot(pair.gradient4());
        let of_walls: f32 = chunk.wall_pairs(k).iter().map(wall).sum();
        Compression {
            all: self.compression::<L>(chunk, k, own, local) - self.wall_factor * of_walls,
            walls: own.dot(chunk.sums[k].wall_gradient) - of_walls,
        }
    }
}

/// How much a motion compresses a particle.
#[derive(Clone, Copy, Debug)]
pub struct Compression {
    /// By everything around it, as the pressure operator counts it.
    pub all: f32,
    /// By walls alone.
    pub walls: f32,
}

/// (P1) for one chunk.
struct Push<'a> {
    operator: &'a PressureOperator<'a>,
    kappa: &'a [f32],
    wall: Option<&'a [f32]>,
    chunk: &'a Chunk,
    out: &'a mut [Vec4],
    local: &'a mut Vec<f32>,
}

impl Vectorised for Push<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Push { operator, kappa, wall, chunk, out, local } = self;
        chunk.fetch(kappa, local, |&kappa| kappa);
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
    }
}
