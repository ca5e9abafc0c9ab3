//! Older models of surface tension, to compare with: forces of the beginning of a step, added to
//! velocities before or after pressure is solved for.
//!
//! | file            | model                                                                   |
//! |-----------------|-------------------------------------------------------------------------|
//! | `pairwise.rs`   | every pair attracts alike, as in Tartakovsky & Meakin 2005              |
//! | `akinci2013.rs` | cohesion, surface minimisation by normals, adhesion: Akinci et al. 2013 |
//! | `he2015.rs`     | energy of the squared gradient of a colour field: He et al. 2015        |

mod akinci2013;
mod he2015;
mod pairwise;
#[cfg(test)]
mod tests;

use rayon::prelude::*;

use super::TensionModel;
use crate::math::DVec3;
use crate::particles::kernel::{Kernel, SUPPORT};
use crate::particles::neighbors::Neighbors;
use crate::particles::periodic::nearest;
use crate::particles::wide::Wide;
use crate::sph::system::FluidSystem;
use crate::twist::Twist;

/// Forces, in N (2D: per metre of depth).
#[derive(Clone, Debug, Default)]
pub struct Forces {
    /// On every fluid particle.
    pub fluid: Vec<DVec3>,
    /// On every solid, with moments about its origin over the spacing.
    pub solids: Vec<Twist>,
}

/// What particles do to each other, in N; places are in h and within 3h of each other.
trait PairForce: Sync {
    /// On fluid particle `i` by `j`, which is at x_i − `away`; that on `j` is its negative.
    fn of_fluid(&self, i: usize, j: usize, away: DVec3) -> DVec3;
    /// On fluid particle `i` by wall particle `b` of `solid`.
    fn of_wall(&self, i: usize, b: usize, solid: usize, away: DVec3) -> DVec3;
}

/// The forces of the world's model; none for the one that is solved with pressure.
pub fn forces(system: &FluidSystem, neighbors: &Neighbors) -> Forces {
    match system.tension.model {
        TensionModel::Probst2024 => Forces {
            fluid: vec![DVec3::ZERO; system.fluid_count()],
            solids: vec![Twist::default(); system.solids.len()],
        },
        TensionModel::Pairwise => sum(system, neighbors, &pairwise::Pairwise::new(system)),
        TensionModel::Akinci2013 => {
            sum(system, neighbors, &akinci2013::Akinci::new(system, neighbors))
        }
        TensionModel::He2015 => sum(system, neighbors, &he2015::He::new(system, neighbors)),
    }
}

/// The tension, N/m, that surfaces have about: for the longest step.
pub fn estimated_tension(system: &FluidSystem) -> f64 {
    let most =
        |value: &dyn Fn(usize) -> f64| (0..system.fluids.len()).map(value).fold(0.0, f64::max);
    let coefficient = |k: usize| coefficients(system)[k];
    match system.tension.model {
        TensionModel::Probst2024 | TensionModel::Pairwise => most(&coefficient),
        // Ten pairs per h² cross a surface; each holds on with γ m² C, at most 0.02 ρ m, over a
        // spacing.
        TensionModel::Akinci2013 => most(&|k| {
            0.2 * coefficient(k) * (system.fluids[k].density * system.space.spacing).powi(2)
        }),
        // ∫ κ/2 |∇c|² across a surface about two spacings thick.
        TensionModel::He2015 => most(&|k| 0.5 * coefficient(k) / system.space.spacing),
    }
}

/// What is given as `tension` of each fluid, at the present time.
fn coefficients(system: &FluidSystem) -> Vec<f64> {
    let of = |k: usize| system.fluids[k].surface.vapour.at(system.time).max(0.0);
    (0..system.fluids.len()).map(of).collect()
}

/// x_i − x_j in h.
fn offset(system: &FluidSystem, i: usize, j: usize) -> DVec3 {
    let x = &system.particles.position;
    nearest(x[i] - x[j], system.space.period) / system.space.spacing
}

/// Support of the models that do not say otherwise, in h: that of Probst & Teschner 2024.
const REACH: f64 = 3.0;

/// Neighbours of the k-th particle of a list, fluid first.
fn near(list: &Wide, k: usize) -> impl Iterator<Item = usize> {
    let fluid = [0, 1].into_iter().flat_map(move |kind| list.pairs(k, kind));
    let walls = list.walls(k).iter().map(|pair| pair.index as usize);
    fluid.map(|pair| list.index(pair)).chain(walls)
}

fn sum(system: &FluidSystem, neighbors: &Neighbors, pairs: &impl PairForce) -> Forces {
    let n = system.fluid_count();
    let of_list = |list: &Wide| {
        let mut fluid = Vec::with_capacity(list.particles.len());
        let mut solids: Vec<(usize, Twist)> = Vec::new(); // the few near these particles
        for (k, i) in list.particles.clone().enumerate() {
            let mut total = DVec3::ZERO;
            for j in near(list, k) {
                let away = offset(system, i, j);
                if j < n {
                    total += pairs.of_fluid(i, j, away);
                } else if let Some(solid) = system.solid_of(j) {
                    let force = pairs.of_wall(i, j, solid, away);
                    total += force;
                    let centre = system.solids[solid].pose.translation;
                    let arm = nearest(system.particles.position[j] - centre, system.space.period)
                        / system.space.spacing;
                    let slot = solids.iter().position(|(s, _)| *s == solid).unwrap_or_else(|| {
                        solids.push((solid, Twist::default()));
                        solids.len() - 1
                    });
                    solids[slot].1.add(-1.0, &Twist::of_impulse(force, arm));
                }
            }
            fluid.push(total);
        }
        (fluid, solids)
    };
    // In the order of the lists, which the particles alone decide.
    let parts: Vec<_> = neighbors.wide.par_iter().map(of_list).collect();
    let mut forces =
        Forces { fluid: vec![DVec3::ZERO; n], solids: vec![Twist::default(); system.solids.len()] };
    for (list, (fluid, solids)) in neighbors.wide.iter().zip(parts) {
        forces.fluid[list.particles.clone()].copy_from_slice(&fluid);
        solids.iter().for_each(|(solid, twist)| forces.solids[*solid].add(1.0, twist));
    }
    forces
}

/// A value for every fluid particle from its neighbours: `of(particle, place in its list, list)`.
fn gather<T: Send>(neighbors: &Neighbors, of: impl Fn(usize, usize, &Wide) -> T + Sync) -> Vec<T> {
    let of_list = |list: &Wide| -> Vec<T> {
        list.particles.clone().enumerate().map(|(k, i)| of(i, k, list)).collect()
    };
    let parts: Vec<Vec<T>> = neighbors.wide.par_iter().map(of_list).collect();
    parts.into_iter().flatten().collect()
}

/// A kernel stretched to another support; in units of h.
#[derive(Clone, Copy)]
struct Stretched {
    kernel: Kernel,
    squeeze: f64,
}

impl Stretched {
    fn new(kernel: Kernel, support: f64) -> Stretched {
        Stretched { kernel, squeeze: SUPPORT / support }
    }

    fn scale(&self) -> f64 {
        self.squeeze.powi(self.kernel.dimension.count() as i32)
    }

    fn w(&self, away: DVec3) -> f64 {
        self.scale() * self.kernel.w(self.squeeze * away.length())
    }

    /// ∇W with respect to the place of the particle that is `away` from the other: points to that
    /// one.
    fn gradient(&self, away: DVec3) -> DVec3 {
        let slope = self.scale() * self.squeeze * self.kernel.dw(self.squeeze * away.length());
        slope * away.normalize_or_zero()
    }
}
