//! What flies alone, outside of the scene: it limits no step and fails no check.
//!
//! A drop is astray when it is outside of the box around the scene (`Bounds::home`) and around all
//! solids, by more than anything can move in a step, and when there are only a few other drops as
//! near as that. Then nothing can happen to it in this step that a long step would get wrong: it
//! flies along its parabola. The same for a rigid body that fell off the table, if there is nothing
//! at all around it.
//!
//! Where nothing stands, as in a scene of drops that float in space, everything flies, and nothing
//! is astray.

use rayon::prelude::*;

use super::{Step, Workspace};
use crate::math::{Aabb, DVec3, Dimension};
use crate::particles::cells::CellIndex;
use crate::particles::halo::around;
use crate::particles::kernel::SUPPORT;
use crate::world::Solid;

/// So many particles are a few drops.
const FEW: usize = 32;

/// What flies alone in a step. Both lists are empty if nothing does.
#[derive(Clone, Debug, Default)]
pub(super) struct Strays {
    /// Of each fluid particle, whether it does.
    pub fluid: Vec<bool>,
    /// Of each solid: rigid bodies, also those that have left.
    pub solids: Vec<bool>,
}

impl Strays {
    /// Whether fluid particle `i` flies alone.
    pub(super) fn has(&self, i: usize) -> bool {
        self.fluid.get(i) == Some(&true)
    }

    /// Whether solid `k` flies alone.
    pub(super) fn has_solid(&self, k: usize) -> bool {
        self.solids.get(k) == Some(&true)
    }
}

impl Step<'_> {
    /// What flies alone in a step no longer than `longest`, at the present positions.
    pub(super) fn find_strays(&self, work: &Workspace, longest: f64) -> Strays {
        let stands = |solid: &Solid| solid.body().is_none();
        let Some(bounds) = self.bounds.filter(|_| self.solids.iter().any(stands)) else {
            return Strays::default();
        };
        if self.period != DVec3::ZERO {
            return Strays::default(); // there is no outside
        }
        let (position, n) = (&self.particles.position, self.fluid_count());
        let inside = |p: &DVec3| bounds.home.contains(*p);
        let bodies = self.solids.iter().filter(|solid| !stands(solid));
        if bodies.map(|solid| &solid.pose.translation).all(inside)
            && position[..n].par_iter().all(inside)
        {
            return Strays::default();
        }
        // As far as two things can come towards each other.
        let reach = 2.0 * self.max_speed() * longest + 2.0 * SUPPORT * self.spacing;
        let surroundings = Surroundings {
            fluid: work.neighbors.fluid_cells(),
            edge: f64::from(work.located.cells.size[0]) * self.spacing,
            flat: self.dimension == Dimension::Two,
        };
        let solids = self.stray_solids(work, bounds.home, reach, &surroundings);
        let around_solids =
            |k: usize| Aabb::around(position[self.solids[k].range.clone()].iter().copied());
        let moving = (0..self.solids.len()).filter(|&k| self.solids[k].moves() && !solids[k]);
        let taken = moving.map(around_solids).fold(bounds.home, Aabb::union).grown(reach);
        let outside: Vec<usize> =
            (0..n).into_par_iter().filter(|&i| !taken.contains(position[i])).collect();
        let mut fluid = vec![false; if outside.is_empty() { 0 } else { n }];
        let level = surroundings.level(reach);
        // Particles are sorted along the curve: those of a wide cell come one after the other.
        let mut last = None;
        for i in outside {
            let wide = work.located.keys[i] >> (3 * level);
            let few = match last {
                Some((cell, few)) if cell == wide => few,
                _ => surroundings.count(wide, level, FEW) <= FEW,
            };
            last = Some((wide, few));
            fluid[i] = few;
        }
        Strays { fluid, solids }
    }

    /// Which rigid bodies fly alone, or have left.
    fn stray_solids(
        &self,
        work: &Workspace,
        home: Aabb,
        reach: f64,
        surroundings: &Surroundings,
    ) -> Vec<bool> {
        let position = &self.particles.position;
        let has_left = |solid: &Solid| solid.body().is_some_and(|body| body.left);
        let boxes: Vec<(usize, Aabb)> = (0..self.solids.len())
            .filter(|&k| self.solids[k].moves() && !has_left(&self.solids[k]))
            .map(|k| (k, Aabb::around(position[self.solids[k].range.clone()].iter().copied())))
            .collect();
        let home = home.grown(reach);
        let flies = |&(k, own): &(usize, Aabb)| {
            let solid = &self.solids[k];
            let range = &solid.range;
            if solid.body().is_none() || range.is_empty() || own.meets(&home) {
                return false;
            }
            let near = own.grown(reach);
            if boxes.iter().any(|(other, of_other)| *other != k && of_other.meets(&near)) {
                return false;
            }
            let level = surroundings.level(reach + own.size().length());
            let wide = work.located.keys[range.start] >> (3 * level);
            surroundings.count(wide, level, 0) == 0
        };
        let mut solids: Vec<bool> = self.solids.iter().map(has_left).collect();
        boxes.iter().filter(|own| flies(own)).for_each(|&(k, _)| solids[k] = true);
        solids
    }

    /// Largest speed of any particle that does not fly alone, m/s.
    pub(super) fn fastest(&self, strays: &Strays) -> f64 {
        if strays.fluid.is_empty() && strays.solids.is_empty() {
            return self.max_speed();
        }
        let (velocity, n) = (&self.particles.velocity, self.fluid_count());
        let of = |v: &DVec3| v.length_squared();
        let fluid = (0..n).into_par_iter().filter(|&i| !strays.has(i)).map(|i| of(&velocity[i]));
        let solids = self.solids.iter().enumerate().filter(|(k, _)| !strays.has_solid(*k));
        let solids = solids.filter(|(_, solid)| solid.moves());
        let solids = solids.flat_map(|(_, solid)| &velocity[solid.range.clone()]).map(of);
        fluid.reduce(|| 0.0, f64::max).max(solids.fold(0.0, f64::max)).sqrt()
    }
}

/// Fluid in cells as wide as one likes: those of the search, eight to one, eight of these to one …
struct Surroundings<'a> {
    fluid: &'a CellIndex,
    /// Of a cell of the search, m.
    edge: f64,
    flat: bool,
}

impl Surroundings<'_> {
    /// How often cells have to be doubled to be as wide as `reach`.
    fn level(&self, reach: f64) -> u32 {
        (reach / self.edge).log2().ceil().clamp(0.0, 20.0) as u32
    }

    /// The number of particles in the cells of `level` around `cell`, or more than `enough`.
    fn count(&self, cell: u64, level: u32, enough: usize) -> usize {
        let runs = self.fluid.runs();
        let mut count = 0;
        for (cell, _) in around(cell, self.flat, [0; 3]) {
            let first = runs.partition_point(|run| run.key >> (3 * level) < cell);
            let same = runs[first..].iter().take_while(|run| run.key >> (3 * level) == cell);
            for run in same {
                count += (run.end - run.start) as usize;
                if count > enough {
                    return count;
                }
            }
        }
        count
    }
}
