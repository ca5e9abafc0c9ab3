//! What the fluid does to walls: impulses and their moments, by Newton's third law.

use rayon::prelude::*;

use crate::math::DVec3;
use crate::particles::neighbors::Chunk;
use crate::step::Workspace;
use crate::world::{Load, World};

/// One for each solid.
pub type Loads = Vec<Load>;

/// Impulses of pressure on all solids in this step: the reaction to the wall's part of (P1).
///
/// `impulse` is the momentum of a reference particle that moves one spacing in the step.
pub fn pressure_loads(world: &World, work: &Workspace, impulse: f64) -> Loads {
    let of_wall = |b: u32| work.wall_kappa.get(b as usize).map_or(0.0, |&kappa| f64::from(kappa));
    sum_over_walls(world, work, |chunk, k, wall| {
        let i = chunk.particles.start + k;
        let kappa = f64::from(work.kappa[i]) + f64::from(work.divergence_kappa[i]);
        for pair in chunk.wall_pairs(k) {
            let push = DVec3::from(pair.gradient.map(f64::from)) * impulse;
            let push = push * (kappa + of_wall(pair.index));
            wall(pair.index as usize, push, |load| (&mut load.pressure, &mut load.pressure_moment));
        }
    })
}

/// Which part of a load is meant: the impulse and its moment.
pub type Part = fn(&mut Load) -> (&mut DVec3, &mut DVec3);

/// Adds up what `visit(chunk, k, add)` reports through `add(wall particle, impulse, part)`, in an
/// order that depends on the particles alone.
pub fn sum_over_walls(
    world: &World,
    work: &Workspace,
    visit: impl Fn(&Chunk, usize, &mut dyn FnMut(usize, DVec3, Part)) + Sync,
) -> Loads {
    let of_chunk = |chunk: &Chunk| {
        let mut loads: Vec<(usize, Load)> = Vec::new(); // of the few solids near this chunk
        if chunk.wall_pair_count() == 0 {
            return loads;
        }
        let mut add = |b: usize, impulse: DVec3, part: Part| {
            let Some(solid) = world.solid_of(b) else { return };
            let slot = loads.iter().position(|(s, _)| *s == solid).unwrap_or_else(|| {
                loads.push((solid, Load::default()));
                loads.len() - 1
            });
            let (sum, moment) = part(&mut loads[slot].1);
            *sum += impulse;
            let arm = world.particles.position[b] - world.solids[solid].pose.translation;
            *moment += arm.cross(impulse);
        };
        for k in 0..chunk.particles.len() {
            visit(chunk, k, &mut add);
        }
        loads
    };
    let chunks: Vec<_> = work.neighbors.chunks.par_iter().map(of_chunk).collect();
    let mut loads = vec![Load::default(); world.solids.len()];
    for (solid, load) in chunks.into_iter().flatten() {
        loads[solid].add(&load, 0.0);
    }
    loads
}
