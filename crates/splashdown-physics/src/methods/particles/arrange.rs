//! Before anything is solved: particles in order, walls weighed, neighbours found.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;

use super::{Step, Workspace};
use crate::error::StepError;
use crate::math::{Aabb, DVec3};
use crate::mesh::WettedSurface;
use crate::particles::cells::{CellGrid, MIN_CELLS, sorting_order};
use crate::particles::neighbors::SearchInput;
use crate::particles::store::reorder;
use crate::particles::wall_density::{WallDensity, WallKind};
use crate::sph::volumes::{places, volume_factors};
use crate::sph::walls::wall_weights;
use crate::world::{BoundaryPressure, Carrier, Solid, World};

impl Step<'_> {
    /// Ranges of fluids and of solids.
    pub(super) fn ranges(&self) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
        (
            self.fluids.iter().map(|fluid| fluid.range.clone()).collect(),
            self.solids.iter().map(|solid| solid.range.clone()).collect(),
        )
    }

    /// The particle farthest from the others, or the first that is nowhere.
    pub(super) fn farthest(&self) -> usize {
        let position = &self.particles.position;
        if let Some(nowhere) = position.iter().position(|p| !p.is_finite()) {
            return nowhere;
        }
        let centre = position.iter().map(|p| p / position.len() as f64).sum::<DVec3>();
        let far = |i: &usize| (position[*i] - centre).length();
        (0..position.len()).max_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0)
    }

    fn wall_kind(&self) -> WallKind {
        match self.pressure.boundary {
            BoundaryPressure::Zero => WallKind::Zero,
            BoundaryPressure::Mirrored => WallKind::Mirrored,
            BoundaryPressure::Extrapolated => WallKind::Extrapolated,
        }
    }

    pub(super) fn wall_density(&self) -> WallDensity {
        WallDensity::new(self.kernel(), self.wall_kind())
    }

    /// Wall weights as fluid sees them. Among themselves bodies are as large as they are.
    pub(super) fn weights_for_fluid(&self) -> Cow<'_, [f32]> {
        let mut weight = Cow::from(&self.particles.weight);
        for solid in self.solids.iter().filter(|solid| !solid.volume_factor.is_empty()) {
            let weight = &mut weight.to_mut()[solid.range.clone()];
            weight.iter_mut().zip(&solid.volume_factor).for_each(|(w, f)| *w *= f);
            // A surface that grows has as many samples as before, and each stands for more of it.
            if let Some(samples) = solid.deforming() {
                let stretch = samples.stretch(&self.elastic.solids.position);
                weight.iter_mut().zip(stretch).for_each(|(w, s)| *w *= s as f32);
            }
        }
        weight
    }

    pub(super) fn find_neighbors(&self, work: &mut Workspace) -> Result<(), StepError> {
        self.search(work)?;
        if self.pressure.boundary == BoundaryPressure::Extrapolated {
            let position = &self.particles.position;
            work.extrapolation.rebuild(&work.neighbors, position, self.spacing, self.kernel());
        }
        self.find_contacts(work);
        self.find_samples(work);
        self.find_surfaces(work);
        Ok(())
    }

    /// Neighbour lists at the present positions.
    pub(super) fn search(&self, work: &mut Workspace) -> Result<(), StepError> {
        let (fluids, solids) = self.ranges();
        let reference = self.reference_density();
        work.inverse_mass =
            self.fluids.iter().map(|fluid| (reference / fluid.density) as f32).collect();
        let weight = self.weights_for_fluid();
        work.surface.give_back(&mut work.neighbors);
        let found = work.neighbors.rebuild(&SearchInput {
            keys: &work.located.keys,
            within: &work.located.within,
            fluids: &fluids,
            solids: &solids,
            inverse_mass: &work.inverse_mass,
            weight: &weight,
            wall_density: self.wall_density(),
            kernel: self.kernel(),
            cells: work.located.cells,
            wide: self.has_tension().then(|| self.surface_support()),
        });
        found.map_err(|crowded| StepError::Crowded {
            particle: self.particle_at(crowded.particle),
            time: self.clock.time,
        })
    }
}

/// Sorts the particles of every object along the Morton curve of the search cells.
pub(super) fn sort_along_curve(world: &mut World, work: &mut Workspace) -> Result<(), StepError> {
    let step = Step::of(world);
    let position = &world.particles.position;
    let bounds = position
        .par_iter()
        .map(|&p| if p.is_finite() { p } else { DVec3::INFINITY }) // min and max drop NaN
        .map(|p| Aabb { min: p, max: p })
        .reduce(|| Aabb::EMPTY, |a, b| Aabb { min: a.min.min(b.min), max: a.max.max(b.max) });
    let radius = step.search_radius() * world.spacing;
    let shortest = MIN_CELLS * radius;
    let periods = world.period.to_array();
    let short = |l: &&f64| **l != 0.0 && (l.is_nan() || **l < shortest * (1.0 - 1e-9));
    if let Some(&length) = periods.iter().find(short) {
        return Err(StepError::ShortPeriod { length, shortest });
    }
    let Some(grid) = CellGrid::around(bounds, radius, world.period) else {
        let particle = step.particle_at(step.farthest());
        return Err(StepError::Runaway { particle, time: world.clock.time });
    };
    let spacing = world.spacing;
    (work.located.cells, work.located.grid) = (grid.shape(spacing), Some(grid));
    position
        .par_iter()
        .map(|&p| grid.locate(p, spacing))
        .unzip_into_vecs(&mut work.located.keys, &mut work.located.within);

    let (fluids, solids) = step.ranges();
    for (object, range) in fluids.iter().chain(&solids).enumerate() {
        let Some(order) = sorting_order(&work.located.keys[range.clone()], range.start) else {
            continue;
        };
        world.particles.reorder(range.clone(), &order);
        reorder(&mut work.located.keys[range.clone()], range.start, &order);
        reorder(&mut work.located.within[range.clone()], range.start, &order);
        if object >= fluids.len() {
            let solid = &mut world.solids[object - fluids.len()];
            reorder(&mut solid.local, range.start, &order);
            if solid.volume_factor.len() == solid.local.len() {
                reorder(&mut solid.volume_factor, range.start, &order);
            }
            if let Carrier::Deforming(samples) = &mut solid.carrier {
                reorder(&mut samples.points, range.start, &order);
            }
        }
    }
    if world.particles.weight[world.fluid_count()..].first() == Some(&0.0) {
        measure_walls(world, work);
    }
    world.solids.iter_mut().for_each(|solid| solid.wetted_surface = WettedSurface::default());
    Ok(())
}

/// Wall weights, once: of all walls that never move together, of each moving one by itself.
fn measure_walls(world: &mut World, work: &Workspace) {
    let never_moves = |solid: &&Solid| !solid.moves();
    let (fixed, moving): (Vec<_>, Vec<_>) = world.solids.iter().partition(never_moves);
    let mut groups = vec![fixed.iter().map(|solid| solid.range.clone()).collect::<Vec<_>>()];
    groups.extend(moving.iter().map(|solid| vec![solid.range.clone()]));
    let kernel = world.kernel();
    for group in &groups {
        wall_weights(
            group,
            &work.located.keys,
            &work.located.within,
            work.located.cells,
            kernel,
            &mut world.particles.weight,
        );
    }
    if world.fluids.is_empty() {
        return;
    }
    let wall_density = Step::of(world).wall_density();
    let correction = Step::of(world).wall_kind().volume_correction(kernel);
    let weight = &world.particles.weight;
    let has_barrier = world.elastic.guests.is_some();
    // Copies of a body come one after the other and have the same samples, in another order.
    let bits = |p: &DVec3| p.to_array().map(f64::to_bits);
    let mut last: Option<(WettedSurface, HashMap<[u64; 3], f32>)> = None;
    let is_factored = |solid: &Solid| solid.moves() || solid.wetted_surface.is_sheet();
    for solid in world.solids.iter_mut().filter(|solid| is_factored(solid)) {
        let weight = &weight[solid.range.clone()];
        let known =
            last.take().filter(|(surface, _)| surface.is_shared_with(&solid.wetted_surface));
        let (surface, factors) = known.unwrap_or_else(|| {
            let places = places(&solid.wetted_surface, world.spacing, kernel, wall_density);
            let is_tight = solid.deforming().is_some() || solid.wetted_surface.is_sheet();
            let weight = (weight, has_barrier && is_tight);
            let factors = volume_factors(&solid.local, &places, world.spacing, kernel, weight);
            (solid.wetted_surface.clone(), solid.local.iter().map(bits).zip(factors).collect())
        });
        let factor = |p: &DVec3| factors.get(&bits(p)).copied().unwrap_or(1.0);
        solid.volume_factor = solid.local.iter().map(factor).collect();
        last = Some((surface, factors));
        if solid.body().is_some() || solid.deforming().is_some() {
            solid.volume_factor.iter_mut().for_each(|f| *f *= correction);
        }
    }
}
