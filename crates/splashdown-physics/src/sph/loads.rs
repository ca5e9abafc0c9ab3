//! What the fluid does to walls: impulses and their moments, by Newton's third law.

use rayon::prelude::*;

use crate::loads::Load;
use crate::math::DVec3;
use crate::particles::neighbors::{Chunk, Neighbors};
use crate::sph::system::FluidSystem;

/// Pressures of a step as the solvers have them (`pressure::operator`).
pub struct Pressures<'a> {
    /// Of fluid particles, from the density solve.
    pub density: &'a [f32],
    /// Of fluid particles, from the divergence solve.
    pub divergence: &'a [f32],
    /// Of wall particles, where they have their own.
    pub wall: &'a [f32],
}

/// Impulses of pressure on each solid in this step: the reaction to the wall's part of (P1).
///
/// `impulse` is the momentum of a reference particle that moves one spacing in the step.
pub fn pressure_loads(
    system: &FluidSystem,
    neighbors: &Neighbors,
    pressures: &Pressures,
    impulse: f64,
) -> WallLoads {
    let Pressures { density, divergence, wall: of_walls } = pressures;
    let of_wall = |b: u32| of_walls.get(b as usize).map_or(0.0, |&kappa| f64::from(kappa));
    sum_over_walls(system, neighbors, |chunk, k, wall| {
        let i = chunk.particles.start + k;
        let kappa = f64::from(density[i]) + f64::from(divergence[i]);
        for pair in chunk.wall_pairs(k) {
            let push = DVec3::from(pair.gradient.map(f64::from)) * impulse;
            let push = push * (kappa + of_wall(pair.index));
            wall(pair.index as usize, push, |load| (&mut load.pressure, &mut load.pressure_moment));
        }
    })
}

/// What fluid does to walls in a step, N·s.
#[derive(Clone, Debug, Default)]
pub struct WallLoads {
    /// Impulses on each solid.
    pub solids: Vec<Load>,
    /// Impulses on each sample of elastic bodies, which are the last particles.
    pub samples: Vec<DVec3>,
}

impl WallLoads {
    /// Adds those of another cause.
    pub fn add(&mut self, other: WallLoads) {
        if self.solids.is_empty() {
            *self = other;
            return;
        }
        self.solids.iter_mut().zip(&other.solids).for_each(|(sum, &load)| *sum += load);
        self.samples.iter_mut().zip(&other.samples).for_each(|(sum, &impulse)| *sum += impulse);
    }
}

/// Which part of a load is meant: the impulse and its moment.
pub type Part = fn(&mut Load) -> (&mut DVec3, &mut DVec3);

/// Adds up what `visit(chunk, k, add)` reports through `add(wall particle, impulse, part)`, in an
/// order that depends on the particles alone.
pub fn sum_over_walls(
    system: &FluidSystem,
    neighbors: &Neighbors,
    visit: impl Fn(&Chunk, usize, &mut dyn FnMut(usize, DVec3, Part)) + Sync,
) -> WallLoads {
    let first_sample = system.first_sample();
    let of_chunk = |chunk: &Chunk| {
        let mut loads: Vec<(usize, Load)> = Vec::new(); // of the few solids near this chunk
        let mut on_samples: Vec<(usize, DVec3)> = Vec::new();
        if chunk.wall_pair_count() == 0 {
            return (loads, on_samples);
        }
        let mut add = |b: usize, impulse: DVec3, part: Part| {
            let Some(solid) = system.solid_of(b) else { return };
            if let Some(sample) = b.checked_sub(first_sample) {
                on_samples.push((sample, impulse));
            }
            let slot = loads.iter().position(|(s, _)| *s == solid).unwrap_or_else(|| {
                loads.push((solid, Load::default()));
                loads.len() - 1
            });
            let (sum, moment) = part(&mut loads[slot].1);
            *sum += impulse;
            let arm = system.particles.position[b] - system.solids[solid].pose.translation;
            *moment += arm.cross(impulse);
        };
        for k in 0..chunk.particles.len() {
            visit(chunk, k, &mut add);
        }
        (loads, on_samples)
    };
    let chunks: Vec<_> = neighbors.chunks.par_iter().map(of_chunk).collect();
    let mut solids = vec![Load::default(); system.solids.len()];
    let mut samples = vec![DVec3::ZERO; system.particles.len() - first_sample];
    for (loads, on_samples) in chunks {
        loads.into_iter().for_each(|(solid, load)| solids[solid] += load);
        on_samples.into_iter().for_each(|(sample, impulse)| samples[sample] += impulse);
    }
    WallLoads { solids, samples }
}
