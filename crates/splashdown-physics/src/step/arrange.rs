//! Before anything is solved: particles in order, walls weighed, neighbours found.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;

use super::Workspace;
use crate::math::{Aabb, DVec3};
use crate::mesh::Skin;
use crate::particles::cells::{CellGrid, FEWEST_CELLS, sorting_order};
use crate::particles::firmness::{Firmness, WallKind};
use crate::particles::neighbors::SearchInput;
use crate::particles::store::reorder;
use crate::sph::volumes::{displacing, places};
use crate::sph::walls::wall_weights;
use crate::world::{BoundaryPressure, Solid, StepError, World};

impl World {
    /// Ranges of fluids and of solids.
    pub(super) fn ranges(&self) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
        (
            self.fluids.iter().map(|fluid| fluid.range.clone()).collect(),
            self.solids.iter().map(|solid| solid.range.clone()).collect(),
        )
    }

    /// Sorts the particles of every object along the Morton curve of the search cells.
    pub(super) fn sort_along_curve(&mut self, work: &mut Workspace) -> Result<(), StepError> {
        let position = &self.particles.position;
        let bounds = position
            .par_iter()
            .map(|&p| if p.is_finite() { p } else { DVec3::INFINITY }) // min and max drop NaN
            .map(|p| Aabb { min: p, max: p })
            .reduce(|| Aabb::EMPTY, |a, b| Aabb { min: a.min.min(b.min), max: a.max.max(b.max) });
        let radius = self.search_radius() * self.spacing;
        let shortest = FEWEST_CELLS * radius;
        if self
            .period
            .to_array()
            .iter()
            .any(|&l| l != 0.0 && (l.is_nan() || l < shortest * (1.0 - 1e-9)))
        {
            return Err(self.step_error("period shorter than three search radii, first", 0, 0.0));
        }
        let Some(grid) = CellGrid::around(bounds, radius, self.period) else {
            return Err(self.step_error("runaway position", self.farthest(), 0.0));
        };
        let spacing = self.spacing;
        work.cells = grid.shape(spacing);
        position
            .par_iter()
            .map(|&p| grid.locate(p, spacing))
            .unzip_into_vecs(&mut work.keys, &mut work.within);

        let (fluids, solids) = self.ranges();
        for (object, range) in fluids.iter().chain(&solids).enumerate() {
            let Some(order) = sorting_order(&work.keys[range.clone()], range.start) else {
                continue;
            };
            self.particles.reorder(range.clone(), &order);
            reorder(&mut work.keys[range.clone()], range.start, &order);
            reorder(&mut work.within[range.clone()], range.start, &order);
            if object >= fluids.len() {
                let solid = &mut self.solids[object - fluids.len()];
                reorder(&mut solid.local, range.start, &order);
                if solid.displacing.len() == solid.local.len() {
                    reorder(&mut solid.displacing, range.start, &order);
                }
            }
        }
        if self.particles.weight[self.fluid_count()..].first() == Some(&0.0) {
            self.measure_walls(work);
        }
        self.solids.iter_mut().for_each(|solid| solid.skin = Skin::default());
        Ok(())
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

    /// Wall weights, once: of all walls that never move together, of each moving one by itself.
    pub(super) fn measure_walls(&mut self, work: &Workspace) {
        let never_moves = |solid: &&Solid| solid.motion.is_static() && solid.body.is_none();
        let (fixed, moving): (Vec<_>, Vec<_>) = self.solids.iter().partition(never_moves);
        let mut groups = vec![fixed.iter().map(|solid| solid.range.clone()).collect::<Vec<_>>()];
        groups.extend(moving.iter().map(|solid| vec![solid.range.clone()]));
        let kernel = self.kernel();
        for group in &groups {
            wall_weights(
                group,
                &work.keys,
                &work.within,
                work.cells,
                kernel,
                &mut self.particles.weight,
            );
        }
        if self.fluids.is_empty() {
            return;
        }
        let firmness = self.firmness();
        let stand = self.wall_kind().stand(kernel);
        let weight = &self.particles.weight;
        // Copies of a body come one after the other and have the same samples, in another order.
        let bits = |p: &DVec3| p.to_array().map(f64::to_bits);
        let mut last: Option<(Skin, HashMap<[u64; 3], f32>)> = None;
        for solid in self.solids.iter_mut().filter(|solid| !never_moves(&&**solid)) {
            let weight = &weight[solid.range.clone()];
            let known = last.take().filter(|(skin, _)| skin.is_shared_with(&solid.skin));
            let (skin, factors) = known.unwrap_or_else(|| {
                let places = places(&solid.skin, self.spacing, kernel, firmness);
                let factors = displacing(&solid.local, &places, self.spacing, kernel, weight);
                (solid.skin.clone(), solid.local.iter().map(bits).zip(factors).collect())
            });
            let factor = |p: &DVec3| factors.get(&bits(p)).copied().unwrap_or(1.0);
            solid.displacing = solid.local.iter().map(factor).collect();
            last = Some((skin, factors));
            if solid.body.is_some() {
                solid.displacing.iter_mut().for_each(|f| *f *= stand);
            }
        }
    }

    fn wall_kind(&self) -> WallKind {
        match self.pressure.boundary {
            BoundaryPressure::Zero => WallKind::Zero,
            BoundaryPressure::Mirrored => WallKind::Mirrored,
            BoundaryPressure::Extrapolated => WallKind::Extrapolated,
        }
    }

    fn firmness(&self) -> Firmness {
        Firmness::new(self.kernel(), self.wall_kind())
    }

    /// Wall weights as fluid sees them. Among themselves bodies are as large as they are.
    fn weights_for_fluid(&self) -> Cow<'_, [f32]> {
        let mut weight = Cow::from(&self.particles.weight);
        for solid in self.solids.iter().filter(|solid| !solid.displacing.is_empty()) {
            let weight = &mut weight.to_mut()[solid.range.clone()];
            weight.iter_mut().zip(&solid.displacing).for_each(|(w, f)| *w *= f);
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
            keys: &work.keys,
            within: &work.within,
            fluids: &fluids,
            solids: &solids,
            inverse_mass: &work.inverse_mass,
            weight: &weight,
            firmness: self.firmness(),
            kernel: self.kernel(),
            cells: work.cells,
            wide: self.tension.pulls().then(|| self.surface_support()),
        });
        found.map_err(|crowded| self.step_error("crowding around", crowded.particle, 0.0))
    }
}
