//! One time step.

mod bodies;
mod length;

use std::ops::Range;
use std::time::Instant;

use glam::Vec4;
use rayon::prelude::*;

use self::bodies::{BodyResult, BodyStep};
use crate::body::CouplingMethod;
use crate::coupling::monolithic::Coupled;
use crate::coupling::touches::Touches;
use crate::math::{Aabb, DVec3, Pose};
use crate::particles::cells::{CellGrid, CellShape, FEWEST_CELLS, sorting_order};
use crate::particles::kernel::{Kernel, SUPPORT};
use crate::particles::neighbors::{Chunk, Neighbors, SearchInput, Sums};
use crate::particles::periodic::wrapped;
use crate::particles::simd::{Lanes, Vectorised, dispatch};
use crate::particles::store::reorder;
use crate::rigid::contact::Contact;
use crate::rigid::solve::ContactSystem;
use crate::solve::reduce;
use crate::sph::loads::{Loads, pressure_loads};
use crate::sph::pressure::extrapolation::Extrapolation;
use crate::sph::pressure::operator::{Compression, PressureOperator};
use crate::sph::pressure::partner::Partner;
use crate::sph::pressure::solve::{Solved, StopAt, solve};
use crate::sph::shifting::{self, Shift};
use crate::sph::viscosity;
use crate::sph::walls::wall_weights;
use crate::world::{BoundaryPressure, PressureSolver, StepError, StepReport, World};

/// How often a failed step is retried at half its length.
const RETRIES: u32 = 5;
/// A solve that leaves a mean compression above this has failed.
const HOPELESS: f64 = 0.1;
/// Compression that a step may undo beyond what its own motion adds. Whoever is squeezed into a corner
/// by a moving wall is let out over a few steps instead of being shot out in one.
const LARGEST_CORRECTION: f32 = 0.02;
/// No particle may cross more than this many spacings in one step.
const LONGEST_MOVE: f64 = 1.0;

/// So that a lone particle's κ can be computed from its pressure.
const LEAST_FLUX: f32 = 0.05;

/// Memory of a step that is rebuilt every time.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// Morton code of each particle's cell.
    keys: Vec<u64>,
    /// Place of each particle within its cell, in h.
    within: Vec<[f32; 4]>,
    /// The cells.
    pub(crate) cells: CellShape,
    /// This step's neighbour lists.
    pub neighbors: Neighbors,
    /// 1/μ of each fluid.
    pub inverse_mass: Vec<f32>,
    /// Velocities being worked on: of fluids, then the (prescribed) ones of solids.
    pub predicted: Vec<DVec3>,
    /// How particles are spread evenly, in m; empty where the density solve does that.
    shifts: Vec<Shift>,
    /// `predicted` as displacements in h over the step.
    motion: Vec<Vec4>,
    /// Compression that pressure has to remove.
    source: Vec<f32>,
    /// What pressure moves each particle, in h.
    push: Vec<Vec4>,
    /// Particles that emitters move and pressure does not.
    held: Vec<usize>,
    /// Pressures of the density solve, as displacements (`sph::pressure::operator`).
    pub kappa: Vec<f32>,
    /// Pressures of the divergence solve.
    pub divergence_kappa: Vec<f32>,
    /// Pair coefficients and vectors of the viscosity solve.
    pub viscosity: viscosity::implicit::Memory,
    /// How walls get pressures of their own, if they do.
    extrapolation: Extrapolation,
    /// Pressures of wall particles from both solves, where they have their own: one for each particle.
    pub wall_kappa: Vec<f32>,
    /// This step's contacts of rigid bodies.
    contacts: Vec<Contact>,
    /// Where fluid touches rigid bodies.
    touches: Touches,
}

/// Measures phases of a step one after the other.
struct Stopwatch {
    last: Instant,
    seconds: [f64; crate::world::PHASES.len()],
}

impl Stopwatch {
    fn start() -> Stopwatch {
        Stopwatch { last: Instant::now(), seconds: Default::default() }
    }

    /// Books the time since the last call under `phase`.
    fn lap(&mut self, phase: Phase) {
        let now = Instant::now();
        self.seconds[phase as usize] += (now - self.last).as_secs_f64();
        self.last = now;
    }
}

/// Indices into `world::PHASES`.
#[derive(Clone, Copy)]
enum Phase {
    Sort,
    Neighbors,
    Divergence,
    Viscosity,
    Density,
    Loads,
    Advance,
}

/// What a step found out and would change, before it is accepted.
struct Attempt {
    poses: Vec<Pose>,
    divergence: Solved,
    density: Solved,
    viscosity_iterations: u32,
    loads: Loads,
    bodies: BodyStep,
    body_result: BodyResult,
}

impl World {
    /// Advances the world by one time step that does not pass `frame_time`, the next time at which
    /// output is due. On an error the world is as it was before the call.
    pub fn step(&mut self, frame_time: f64) -> Result<StepReport, StepError> {
        // Out of `self` while the step is being computed: up to `accept` the state is read only.
        let mut work = std::mem::take(&mut self.workspace);
        let report = self.step_with(&mut work, frame_time);
        self.workspace = work;
        report
    }

    fn step_with(
        &mut self,
        work: &mut Workspace,
        frame_time: f64,
    ) -> Result<StepReport, StepError> {
        let mut watch = Stopwatch::start();
        self.sort_along_curve(work)?;
        watch.lap(Phase::Sort);
        self.find_neighbors(work)?;
        watch.lap(Phase::Neighbors);

        let (mut dt, mut reaches_frame) = self.next_dt(frame_time);
        let mut retries = 0;
        let attempt = loop {
            match self.attempt(work, dt, &mut watch) {
                Ok(attempt) => break attempt,
                Err(error) if retries == RETRIES => return Err(error),
                Err(_) => {
                    retries += 1;
                    dt *= 0.5;
                    reaches_frame = false;
                }
            }
        };
        let time = if reaches_frame { frame_time } else { self.clock.time + dt };
        let mut report = StepReport {
            time,
            dt,
            density_iterations: attempt.density.iterations,
            divergence_iterations: attempt.divergence.iterations,
            viscosity_iterations: attempt.viscosity_iterations,
            density_error: attempt.density.error,
            max_compression: max_compression(&work.neighbors),
            contact_iterations: attempt.bodies.solved.iterations,
            contacts: attempt.bodies.swept.active as u32,
            contact_error: attempt.bodies.swept.contact_error,
            friction_error: attempt.bodies.swept.friction_error,
            penetration: self.spacing
                * work.contacts.iter().map(Contact::depth).fold(0.0, f64::max),
            retries,
            ..StepReport::default()
        };
        let began = self.clock.time;
        self.accept(work, dt, time, attempt);
        let flow = self.run_sources(began, dt);
        (report.emitted, report.blocked, report.removed) =
            (flow.emitted, flow.blocked, flow.removed);
        watch.lap(Phase::Advance);
        report.seconds = watch.seconds;
        Ok(report)
    }

    /// Whether the world repeats along all its axes: then the fluid fills it.
    fn is_closed(&self) -> bool {
        self.period.to_array().iter().take(self.dimension.count()).all(|&length| length > 0.0)
    }

    /// Ranges of fluids and of solids.
    fn ranges(&self) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
        (
            self.fluids.iter().map(|fluid| fluid.range.clone()).collect(),
            self.solids.iter().map(|solid| solid.range.clone()).collect(),
        )
    }

    /// Sorts the particles of every object along the Morton curve of the search cells.
    fn sort_along_curve(&mut self, work: &mut Workspace) -> Result<(), StepError> {
        let position = &self.particles.position;
        let bounds = position
            .par_iter()
            .map(|&p| if p.is_finite() { p } else { DVec3::INFINITY }) // min and max drop NaN
            .map(|p| Aabb { min: p, max: p })
            .reduce(|| Aabb::EMPTY, |a, b| Aabb { min: a.min.min(b.min), max: a.max.max(b.max) });
        let shortest = FEWEST_CELLS * SUPPORT * self.spacing;
        if self
            .period
            .to_array()
            .iter()
            .any(|&l| l != 0.0 && (l.is_nan() || l < shortest * (1.0 - 1e-9)))
        {
            return Err(self.step_error("period shorter than six spacings, first", 0, 0.0));
        }
        let Some(grid) = CellGrid::around(bounds, SUPPORT * self.spacing, self.period) else {
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
                reorder(&mut self.solids[object - fluids.len()].local, range.start, &order);
            }
        }
        if self.particles.weight[self.fluid_count()..].first() == Some(&0.0) {
            self.measure_walls(work);
        }
        Ok(())
    }

    /// The particle farthest from the others, or the first that is nowhere.
    fn farthest(&self) -> usize {
        let position = &self.particles.position;
        if let Some(nowhere) = position.iter().position(|p| !p.is_finite()) {
            return nowhere;
        }
        let centre = position.iter().map(|p| p / position.len() as f64).sum::<DVec3>();
        let far = |i: &usize| (position[*i] - centre).length();
        (0..position.len()).max_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0)
    }

    /// Wall weights, once: of all walls that never move together, of each moving one by itself.
    fn measure_walls(&mut self, work: &Workspace) {
        let never_moves =
            |solid: &&crate::world::Solid| solid.motion.is_static() && solid.body.is_none();
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
    }

    fn find_neighbors(&self, work: &mut Workspace) -> Result<(), StepError> {
        let (fluids, solids) = self.ranges();
        let reference = self.reference_density();
        work.inverse_mass =
            self.fluids.iter().map(|fluid| (reference / fluid.density) as f32).collect();
        let found = work.neighbors.rebuild(&SearchInput {
            keys: &work.keys,
            within: &work.within,
            fluids: &fluids,
            solids: &solids,
            inverse_mass: &work.inverse_mass,
            weight: &self.particles.weight,
            wall_factor: self.wall_factor(),
            kernel: self.kernel(),
            cells: work.cells,
            wide_radius: None,
        });
        found.map_err(|crowded| self.step_error("crowding around", crowded.particle, 0.0))?;
        if self.pressure.boundary == BoundaryPressure::Extrapolated {
            let position = &self.particles.position;
            work.extrapolation.rebuild(&work.neighbors, position, self.spacing, self.kernel());
        }
        self.find_contacts(work);
        Ok(())
    }

    /// ρ_ref: the density that the solvers' unit of mass is made of.
    pub(crate) fn reference_density(&self) -> f64 {
        self.fluids.first().map_or(1000.0, |fluid| fluid.density)
    }

    /// The momentum that flows through a fluid with κ = 1 around a particle: pressure as a gauge would
    /// show it is κ times this (Irving & Kirkwood 1950). On a lattice it is 1.01 (2D) and 1.02 (3D), in
    /// settled disorder 0.97: so much would ρ g d be missed with κ alone.
    fn flux(&self, sums: &Sums) -> f32 {
        // A wall without pressure of its own carries half of what a fluid neighbour would.
        let of_wall = match self.pressure.boundary {
            BoundaryPressure::Zero => 0.5,
            BoundaryPressure::Mirrored | BoundaryPressure::Extrapolated => 1.0,
        };
        (sums.fluid_moment + of_wall * sums.wall_moment).max(LEAST_FLUX)
    }

    /// κ per Pa at a flux of 1: Δt² / (ρ_ref h²).
    fn kappa_per_pascal(&self, dt: f64) -> f64 {
        dt * dt / (self.reference_density() * self.spacing * self.spacing)
    }

    /// Everything up to the decision whether to keep the step. Changes only the workspace.
    fn attempt(
        &self,
        work: &mut Workspace,
        dt: f64,
        watch: &mut Stopwatch,
    ) -> Result<Attempt, StepError> {
        let n = self.fluid_count();
        let poses = self.predict_solids(work, dt);
        let mut bodies = self.start_bodies(work, &poses, dt);
        let driven = self.driven_particles(dt);
        work.held = driven.iter().map(|&(i, _)| i).collect();
        let drive = |predicted: &mut [DVec3]| driven.iter().for_each(|&(i, v)| predicted[i] = v);
        drive(&mut work.predicted);
        let mut divergence = Solved::default();
        work.divergence_kappa.clear();
        work.divergence_kappa.resize(n, 0.0);
        work.wall_kappa.clear();
        if self.pressure.boundary == BoundaryPressure::Extrapolated {
            work.wall_kappa.resize(self.particles.len(), 0.0);
        }
        if self.pressure.solver == PressureSolver::Dfsph {
            divergence = self.remove_divergence(work, dt, &mut bodies);
            self.check_solve(dt, &divergence)?;
        }
        watch.lap(Phase::Divergence);

        let gravity = self.dimension.flatten(self.gravity) * dt;
        work.predicted[..n].par_iter_mut().for_each(|v| *v += gravity);
        self.drive_bodies(&mut bodies, dt);
        self.show_bodies(work, &bodies.bodies, dt);
        let viscous = viscosity::apply(self, work, dt);
        self.drag_bodies(&mut bodies, &viscous.loads, dt);
        self.show_bodies(work, &bodies.bodies, dt);
        drive(&mut work.predicted);
        watch.lap(Phase::Viscosity);

        work.shifts.clear();
        let density = if self.shifts() {
            self.spread_evenly(work)
        } else {
            self.restore_density(work, dt, &mut bodies)
        };
        self.check_solve(dt, &density)?;
        self.check_moves(work, dt)?;
        self.check_bodies(work, &bodies, dt)?;
        watch.lap(Phase::Density);

        let impulse = self.particle_impulse(dt);
        let mut loads = pressure_loads(self, work, self.wall_factor(), impulse);
        for (load, of_viscosity) in loads.iter_mut().zip(&viscous.loads) {
            load.add(of_viscosity, 0.0);
        }
        self.contact_loads(&bodies, dt, &mut loads);
        let body_result = self.finish_bodies(&bodies, dt);
        watch.lap(Phase::Loads);
        let viscosity_iterations = viscous.iterations;
        Ok(Attempt { poses, divergence, density, viscosity_iterations, loads, bodies, body_result })
    }

    /// Momentum of a reference particle that moves one spacing in a step, kg m/s.
    fn particle_impulse(&self, dt: f64) -> f64 {
        self.reference_density() * self.dimension.volume(self.spacing) * self.spacing / dt
    }

    /// Poses of the solids at the end of the step; the velocities that lead there, with the fluid's
    /// present ones, into `predicted`.
    fn predict_solids(&self, work: &mut Workspace, dt: f64) -> Vec<Pose> {
        work.predicted.clear();
        work.predicted.extend_from_slice(&self.particles.velocity);
        let later = self.clock.time + dt;
        let mut poses = Vec::with_capacity(self.solids.len());
        for solid in &self.solids {
            if solid.motion.is_static() {
                poses.push(solid.pose);
                continue;
            }
            let pose = solid.motion.pose(later).then_after(&solid.placement);
            poses.push(pose);
            let range = solid.range.clone();
            let places = self.particles.position[range.clone()].par_iter().zip(&solid.local);
            work.predicted[range].par_iter_mut().zip(places).for_each(|(v, (&x, &local))| {
                *v = self.dimension.flatten(pose.apply(local) - x) / dt;
            });
        }
        poses
    }

    /// The pressure operator with this step's pairs.
    fn operator<'a>(&self, work: &'a Workspace) -> PressureOperator<'a> {
        PressureOperator {
            neighbors: &work.neighbors,
            inverse_mass: &work.inverse_mass,
            wall_factor: self.wall_factor(),
            held: &work.held,
        }
    }

    /// c, the share of a wall particle in (P1) and (P2).
    fn wall_factor(&self) -> f32 {
        match self.pressure.boundary {
            BoundaryPressure::Mirrored => 2.0,
            BoundaryPressure::Zero | BoundaryPressure::Extrapolated => 1.0,
        }
    }

    /// DFSPH's first solve: no particle may get denser through the velocities it already has.
    fn remove_divergence(&self, work: &mut Workspace, dt: f64, bodies: &mut BodyStep) -> Solved {
        // A particle with few neighbours is at the surface: what looks like compression there is not.
        let enough = if self.dimension.count() == 2 { 7 } else { 20 };
        let mut kappa = self.warm_start(&self.particles.divergence_pressure, work, dt);
        let tolerance = self.pressure.divergence_error;
        bodies.system = ContactSystem::new(Vec::new(), &bodies.bodies, 0.0, &[], &[]);
        let solved =
            self.solve_pressure(work, dt, tolerance, &mut kappa, bodies, |chunk, k, rate| {
                let neighbors = chunk.pairs(k).len() + chunk.wall_pairs(k).len();
                if neighbors < enough { 0.0 } else { rate.all }
            });
        work.divergence_kappa = kappa;
        solved
    }

    /// The density solve: the predicted density may not exceed the rest density.
    fn restore_density(&self, work: &mut Workspace, dt: f64, bodies: &mut BodyStep) -> Solved {
        if bodies.any() {
            self.prepare_contacts(work, bodies, dt);
            self.show_bodies(work, &bodies.bodies, dt);
        }
        let mut kappa = self.warm_start(&self.particles.pressure, work, dt);
        let tolerance = self.pressure.density_error;
        // A drop that meets a wall alone has too few neighbours to be compressed: it would slip between
        // the wall's particles. Against walls a particle is therefore also held to what it would count
        // with a wall that much heavier that a lone particle is at rest density on its surface.
        let kernel = self.kernel();
        let at_centre = (kernel.w(0.0) / kernel.lattice_sum()) as f32;
        let tight = ((1.0 - f64::from(at_centre)) / surface_density(kernel)) as f32;
        let solved =
            self.solve_pressure(work, dt, tolerance, &mut kappa, bodies, |chunk, k, rate| {
                let sums = &chunk.sums[k];
                let in_bulk = (sums.number_density - 1.0).min(LARGEST_CORRECTION) + rate.all;
                if sums.wall_density == 0.0 {
                    return in_bulk;
                }
                let alone = at_centre + tight * sums.wall_density - 1.0;
                in_bulk.max(alone.min(LARGEST_CORRECTION) + tight * rate.walls)
            });
        work.kappa = kappa;
        if bodies.any() && self.is_weak() {
            self.solve_contacts(bodies);
            self.show_bodies(work, &bodies.bodies, dt);
        }
        solved
    }

    /// Whether particles are kept evenly spread by shifting instead of a density solve.
    fn shifts(&self) -> bool {
        self.is_closed() && self.pressure.solver == PressureSolver::Dfsph && !self.has_bodies()
    }

    /// How far to shift particles at the end of the step, and what that does to their velocities.
    fn spread_evenly(&self, work: &mut Workspace) -> Solved {
        let mut shifts = std::mem::take(&mut work.shifts);
        shifting::shifts(&work.neighbors, &work.predicted, &mut shifts);
        work.predicted.par_iter_mut().zip(&mut shifts).for_each(|(v, shift)| {
            *v += shift.velocity;
            shift.displacement *= self.spacing;
        });
        work.shifts = shifts;
        work.kappa.clear();
        work.kappa.resize(self.fluid_count(), 0.0);
        Solved { converged: true, ..Solved::default() }
    }

    /// A share of the last step's pressures (Pa), as κ for a step of length `dt`.
    fn warm_start(&self, pressure: &[f32], work: &Workspace, dt: f64) -> Vec<f32> {
        let scale = (self.pressure.warm_start * self.kappa_per_pascal(dt)) as f32;
        let mut kappa = vec![0.0; self.fluid_count()];
        work.neighbors.for_each(&mut kappa, |chunk, kappa, _: &mut Vec<()>| {
            let pressure = &pressure[chunk.particles.clone()];
            for ((kappa, &p), sums) in kappa.iter_mut().zip(pressure).zip(&chunk.sums) {
                *kappa = scale * p / self.flux(sums);
            }
        });
        kappa
    }

    /// Solves for `kappa` and adds what it does to the predicted velocities. `source` turns the
    /// compression by the predicted motion into the one that pressure has to remove.
    fn solve_pressure(
        &self,
        work: &mut Workspace,
        dt: f64,
        mean_error: f64,
        kappa: &mut [f32],
        bodies: &mut BodyStep,
        source: impl Fn(&Chunk, usize, Compression) -> f32 + Sync,
    ) -> Solved {
        let n = self.fluid_count();
        let per_step = dt / self.spacing;
        work.predicted
            .par_iter()
            .map(|&v| (v * per_step).as_vec3().extend(0.0))
            .collect_into_vec(&mut work.motion);
        let mut sources = std::mem::take(&mut work.source);
        let mut push = std::mem::take(&mut work.push);
        sources.resize(n, 0.0);
        push.resize(n, Vec4::ZERO);

        let operator = self.operator(work);
        let motion = &work.motion;
        work.neighbors.for_each(&mut sources, |chunk, out, local| {
            dispatch(Sources { operator: &operator, chunk, motion, out, local, source: &source });
        });
        if self.is_closed() {
            // No surface can yield: what all particles have in common no pressure can remove. A
            // stirred lattice is a little denser on average than one at rest.
            let mean = (reduce::sum(n, |i| f64::from(sources[i])) / n.max(1) as f64) as f32;
            sources.par_iter_mut().for_each(|source| *source -= mean);
        }
        let mut stop = StopAt {
            mean_error,
            min_iterations: self.pressure.min_iterations,
            max_iterations: self.pressure.max_iterations,
            lowest: if self.is_closed() { f32::NEG_INFINITY } else { 0.0 },
            accelerate: true,
        };
        let extrapolates = self.pressure.boundary == BoundaryPressure::Extrapolated;
        let mut wall = vec![0.0; if extrapolates { self.particles.len() } else { 0 }];
        let walls = extrapolates.then_some((&work.extrapolation, wall.as_mut_slice()));
        let solved = if bodies.any() && !self.is_weak() {
            stop = self.stop_with_contacts(stop);
            let BodyStep { bodies: all, system, .. } = bodies;
            let base = sources.clone();
            let mut coupled = Coupled::new(all, system, &work.touches, base, self.coupling);
            let partner = Some(&mut coupled as &mut dyn Partner);
            let solved = solve(&operator, &mut sources, stop, walls, partner, kappa, &mut push);
            (bodies.swept, bodies.solved) = (coupled.swept, solved);
            solved
        } else {
            solve(&operator, &mut sources, stop, walls, None, kappa, &mut push)
        };
        work.wall_kappa.iter_mut().zip(&wall).for_each(|(sum, wall)| *sum += wall);
        work.predicted.par_iter_mut().zip(&push).for_each(|(v, push)| {
            *v += push.truncate().as_dvec3() / per_step;
        });
        (work.source, work.push) = (sources, push);
        if bodies.any() {
            if self.is_weak() {
                self.push_bodies(work, kappa, &wall, bodies);
            }
            self.show_bodies(work, &bodies.bodies, dt);
        }
        solved
    }

    /// Whether bodies keep their motion while the fluid is solved.
    fn is_weak(&self) -> bool {
        self.coupling.method == CouplingMethod::Weak
    }

    /// Whether a solve ended with something usable.
    fn check_solve(&self, dt: f64, solved: &Solved) -> Result<(), StepError> {
        if solved.error <= HOPELESS {
            return Ok(());
        }
        if let Some(i) = self.particles.velocity.iter().position(|v| !v.is_finite()) {
            return Err(self.step_error("velocity not finite", i, dt));
        }
        let densest = self.particles.density.iter().enumerate();
        let i = densest.max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(i, _)| i);
        Err(self.step_error("density error out of control near the densest", i, dt))
    }

    /// Whether all velocities are finite and no particle would jump over its neighbours.
    fn check_moves(&self, work: &Workspace, dt: f64) -> Result<(), StepError> {
        let longest = LONGEST_MOVE * self.spacing / dt;
        let bad = |v: &DVec3| !v.is_finite() || v.length_squared() > longest * longest;
        let n = self.fluid_count();
        match work.predicted[..n].par_iter().position_first(bad) {
            None => Ok(()),
            Some(i) if work.predicted[i].is_finite() => {
                Err(self.step_error("velocity out of control", i, dt))
            }
            Some(i) => Err(self.step_error("velocity not finite", i, dt)),
        }
    }

    fn step_error(&self, what: &str, i: usize, dt: f64) -> StepError {
        let fluid = self.fluid_of(i).map(|k| &self.fluids[k].name);
        let solid = self.solid_of(i).map(|k| &self.solids[k].name);
        StepError {
            what: what.to_owned(),
            object: fluid.or(solid).cloned().unwrap_or_default(),
            id: self.particles.id.get(i).copied().unwrap_or_default(),
            position: self.particles.position.get(i).copied().unwrap_or_default(),
            time: self.clock.time,
            dt,
        }
    }

    /// Makes the step's results the state: v ← v*, x ← x + Δt v.
    fn accept(&mut self, work: &Workspace, dt: f64, time: f64, attempt: Attempt) {
        let n = self.fluid_count();
        let particles = &mut self.particles;
        particles.velocity.copy_from_slice(&work.predicted);
        let (x, v) = (&mut particles.position, &particles.velocity);
        x[..n].par_iter_mut().zip(&v[..n]).for_each(|(x, v)| {
            *x = wrapped(*x + dt * *v, self.period);
        });
        x.par_iter_mut().zip(&work.shifts).for_each(|(x, shift)| {
            *x = wrapped(*x + shift.displacement, self.period);
        });
        for (solid, pose) in self.solids.iter_mut().zip(attempt.poses) {
            solid.pose = pose;
            if !solid.motion.is_static() {
                let range = solid.range.clone();
                x[range].par_iter_mut().zip(&solid.local).for_each(|(x, &local)| {
                    *x = self.dimension.flatten(pose.apply(local));
                });
            }
        }
        let pascal = (1.0 / self.kappa_per_pascal(dt)) as f32;
        for chunk in &work.neighbors.chunks {
            let rest = self.fluids[chunk.fluid].density as f32;
            for (i, sums) in chunk.particles.clone().zip(&chunk.sums) {
                let scale = pascal * self.flux(sums);
                self.particles.density[i] = rest * sums.number_density;
                self.particles.pressure[i] = scale * work.kappa[i];
                self.particles.divergence_pressure[i] = scale * work.divergence_kappa[i];
            }
        }
        self.accept_bodies(attempt.body_result);
        for (solid, load) in self.solids.iter_mut().zip(attempt.loads) {
            solid.load.add(&load, dt);
        }
        self.clock.time = time;
        self.clock.dt = dt;
        self.clock.step += 1;
    }
}

/// The compression that pressure has to remove, for one chunk.
struct Sources<'a, F> {
    operator: &'a PressureOperator<'a>,
    chunk: &'a Chunk,
    motion: &'a [Vec4],
    out: &'a mut [f32],
    local: &'a mut Vec<Vec4>,
    source: &'a F,
}

impl<F: Fn(&Chunk, usize, Compression) -> f32> Vectorised for Sources<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Sources { operator, chunk, motion, out, local, source } = self;
        chunk.fetch(motion, local, |&u| u);
        for (k, out) in out.iter_mut().enumerate() {
            let compression = operator.compression_of_motion::<L>(chunk, k, motion, local);
            *out = source(chunk, k, compression);
        }
    }
}

/// What a flat wall of samples half a spacing behind its surface adds to the number density there.
fn surface_density(kernel: Kernel) -> f64 {
    let depth = if kernel.dimension.count() == 2 { 0..=0 } else { -2..=2 };
    let at = |x: i32, z: i32| kernel.w((f64::from(x * x + z * z) + 0.25).sqrt());
    let sum: f64 = depth.flat_map(|z| (-2..=2).map(move |x| at(x, z))).sum();
    sum / kernel.lattice_sum()
}

/// Largest compression of any particle, as a share of the rest density.
fn max_compression(neighbors: &Neighbors) -> f64 {
    let sums = neighbors.chunks.iter().flat_map(|chunk| &chunk.sums);
    sums.fold(0.0, |most, sums| f64::max(most, f64::from(sums.number_density) - 1.0))
}
