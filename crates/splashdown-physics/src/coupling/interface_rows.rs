//! Where fluid touches rigid bodies: one row for each fluid particle and body.
//!
//! A body is rigid, so that all of its particles b around a fluid particle i act like one row:
//!
//!   J_iK = c (Σ_b g_ib, Σ_b x_iK × g_ib)                            (M1)
//!
//! (c: the share of walls, `operator`). Pressure κᵢ gives the body the impulse κᵢ J_iK, the
//! opposite of what walls give to the particle in (P1) (PT23 eqs. 3.13 and 3.15), and a motion u_K
//! of the body changes the particle's compression by −J_iK·u_K (eq. 3.14). An iteration needs
//! nothing else of the body: coupled sweeps read no wall pairs.

use rayon::prelude::*;

use crate::math::DVec3;
use crate::particles::neighbors::{Chunk, Neighbors};
use crate::rigid::bodies::Body;
use crate::sph::system::FluidSystem;
use crate::twist::Twist;

/// Terms per block of a parallel sum. Part of the result: another size rounds differently.
const BLOCK: usize = 2048;

/// One fluid particle, or one wall particle with a pressure of its own, at one body.
#[derive(Clone, Copy, Debug)]
pub struct InterfaceRow {
    /// The particle whose pressure counts.
    pub particle: u32,
    /// Index of the solid.
    pub solid: u32,
    /// Impulse on the solid per κ.
    pub twist: Twist,
}

/// All interface rows of a step.
#[derive(Clone, Debug, Default)]
pub struct InterfaceRows {
    /// Of fluid particles, in their order.
    pub fluid: Vec<InterfaceRow>,
    /// Of wall particles of bodies, where walls have their own pressures.
    pub walls: Vec<InterfaceRow>,
    /// How many fluid particles touch each solid.
    pub count: Vec<u32>,
}

impl InterfaceRows {
    /// Finds them among this step's wall pairs. Wall particles have their own pressures if
    /// `own_pressures`.
    pub fn find(system: &FluidSystem, neighbors: &Neighbors, own_pressures: bool) -> InterfaceRows {
        let dynamic = |b: usize| system.solid_of(b).filter(|&s| system.solids[s].body().is_some());
        let impulse = |gradient: [f32; 3]| DVec3::from(gradient.map(f64::from));
        let of_chunk = |chunk: &Chunk| {
            let mut found: Vec<InterfaceRow> = Vec::new();
            if chunk.wall_pair_count() == 0 {
                return found;
            }
            for k in 0..chunk.particles.len() {
                let particle = (chunk.particles.start + k) as u32;
                let first = found.len();
                for pair in chunk.wall_pairs(k) {
                    let Some(solid) = dynamic(pair.index as usize) else { continue };
                    // Where the fluid particle is, so that all angular momentum is kept: g points
                    // from there to b but for rounding.
                    let at = system.arm(particle as usize, solid);
                    let twist = Twist::of_impulse(impulse(pair.gradient), at);
                    let solid = solid as u32;
                    match found[first..].iter_mut().find(|row| row.solid == solid) {
                        Some(found) => found.twist.add(1.0, &twist),
                        None => found.push(InterfaceRow { particle, solid, twist }),
                    }
                }
            }
            found
        };
        let chunks: Vec<_> = neighbors.chunks.par_iter().map(of_chunk).collect();
        let fluid: Vec<InterfaceRow> = chunks.into_iter().flatten().collect();
        let mut count = vec![0; system.solids.len()];
        fluid.iter().for_each(|row| count[row.solid as usize] += 1);
        let mut walls: Vec<InterfaceRow> = Vec::new();
        if own_pressures {
            let mut sums: std::collections::BTreeMap<u32, DVec3> = Default::default();
            for chunk in &neighbors.chunks {
                for pair in (0..chunk.particles.len()).flat_map(|k| chunk.wall_pairs(k)) {
                    *sums.entry(pair.index).or_default() += impulse(pair.gradient);
                }
            }
            for (b, sum) in sums {
                if let Some(solid) = dynamic(b as usize) {
                    let twist = Twist::of_impulse(sum, system.arm(b as usize, solid));
                    walls.push(InterfaceRow { particle: b, solid: solid as u32, twist });
                }
            }
        }
        InterfaceRows { fluid, walls, count }
    }

    /// Adds the impulses of the pressures `kappa` of the fluid and `wall` of walls to `impulse`.
    pub fn impulses(&self, kappa: &[f32], wall: Option<&[f32]>, impulse: &mut [Twist]) {
        add(&self.fluid, kappa, impulse);
        if let Some(wall) = wall {
            add(&self.walls, wall, impulse);
        }
    }

    /// source ← base − J·(u − given): what bodies that no longer move as `given` leave to be
    /// removed.
    pub fn compressions(&self, base: &[f32], given: &[Twist], bodies: &[Body], source: &mut [f32]) {
        self.fluid
            .iter()
            .for_each(|row| source[row.particle as usize] = base[row.particle as usize]);
        for row in &self.fluid {
            let solid = row.solid as usize;
            let mut change = bodies[solid].motion;
            change.add(-1.0, &given[solid]);
            source[row.particle as usize] -= row.twist.dot(&change) as f32;
        }
    }
}

/// Σ κ J over rows by solid, in an order that does not depend on threads.
fn add(rows: &[InterfaceRow], kappa: &[f32], impulse: &mut [Twist]) {
    let of_block = |block: &[InterfaceRow]| {
        let mut sums: Vec<(u32, Twist)> = Vec::new(); // of the few bodies around
        for row in block {
            let at = sums.iter().position(|(solid, _)| *solid == row.solid).unwrap_or_else(|| {
                sums.push((row.solid, Twist::default()));
                sums.len() - 1
            });
            sums[at].1.add(f64::from(kappa[row.particle as usize]), &row.twist);
        }
        sums
    };
    let blocks: Vec<_> = rows.par_chunks(BLOCK).map(of_block).collect();
    for (solid, sum) in blocks.into_iter().flatten() {
        impulse[solid as usize].add(1.0, &sum);
    }
}
