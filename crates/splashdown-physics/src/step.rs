//! One time step.

mod arrange;
mod bodies;
mod droplets;
mod length;
mod pressure;
mod split;
mod strays;

use std::time::Instant;

use glam::Vec4;
use rayon::prelude::*;
use splashdown_solve::nncg::Report;

use self::bodies::{BodyResult, BodyStep};
use self::strays::Strays;
use crate::body::CouplingMethod;
use crate::coupling::droplets::Found;
use crate::coupling::touches::Touches;
use crate::elastic::{self, Moved};
use crate::math::{DVec3, Pose};
use crate::particles::cells::CellShape;
use crate::particles::neighbors::{Chunk, Neighbors};
use crate::particles::periodic::wrapped;
use crate::rigid::contact::Contact;
use crate::sph::loads::{Loads, pressure_loads};
use crate::sph::pressure::extrapolation::Extrapolation;
use crate::sph::shifting::Shift;
use crate::sph::tension::pairs::SurfacePairs;
use crate::sph::viscosity;
use crate::world::{BoundaryPressure, PressureSolver, StepError, StepReport, World};

/// How often a failed step is retried at half its length.
const RETRIES: u32 = 5;
/// A solve that leaves a mean compression above this has failed.
const HOPELESS: f64 = 0.1;
/// No particle may cross more than this many spacings in one step.
const LONGEST_MOVE: f64 = 1.0;

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
    /// What flies alone.
    strays: Strays,
    /// Of the solver of elastic bodies: the matrix and its factor.
    pub elastic: elastic::physics::step::Workspace,
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
    /// Interfaces of fluids.
    surface: SurfacePairs,
    /// What tension and friction on walls did.
    droplets: Found,
}

impl Workspace {
    /// The search cell of a particle.
    pub(crate) fn key(&self, particle: usize) -> u64 {
        self.keys[particle]
    }
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
    Elastic,
    Advance,
}

/// What a step found out and would change, before it is accepted.
struct Attempt {
    poses: Vec<Pose>,
    divergence: Report,
    density: Report,
    viscosity_iterations: u32,
    loads: Loads,
    bodies: BodyStep,
    body_result: BodyResult,
    elastic: Option<Moved>,
}

impl World {
    /// Advances the world by one time step that does not pass `frame_time`, the next time at which
    /// output is due. On an error the world is as it was before the call.
    pub fn step(&mut self, frame_time: f64) -> Result<StepReport, StepError> {
        // Out of `self` while the step is being computed: up to `accept` the state is read only.
        let mut work = std::mem::take(&mut self.workspace);
        // On one of the pool's threads from beginning to end: from outside, every parallel loop of the step (hundreds)
        // would wake the pool and put the caller to sleep.
        let report = rayon::scope(|_| self.step_with(&mut work, frame_time));
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
        work.strays = self.find_strays(work, self.longest_dt());
        watch.lap(Phase::Neighbors);

        let (mut dt, mut reaches_frame) = self.next_dt(&work.strays, frame_time);
        let mut retries = 0;
        let attempt = loop {
            match self.attempt(work, dt, retries, &mut watch) {
                Ok(attempt) => break attempt,
                Err(error) if retries == RETRIES || self.stop.asked() => return Err(error),
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
            sweep_seconds: attempt.divergence.seconds + attempt.density.seconds,
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
            newton_iterations: attempt.elastic.as_ref().map_or(0, |e| e.report.iterations),
            elastic_contacts: attempt.elastic.as_ref().map_or(0, |e| e.report.contacts as u32),
            newton_seconds: attempt.elastic.as_ref().map_or([0.0; 4], |e| e.report.seconds),
            retries,
            ..StepReport::default()
        };
        let began = self.clock.time;
        self.accept(work, dt, time, attempt);
        let flow = self.run_sources(began, dt);
        (report.emitted, report.blocked, report.removed) =
            (flow.emitted, flow.blocked, flow.removed);
        report.lost = self.take_out_what_left();
        watch.lap(Phase::Advance);
        report.seconds = watch.seconds;
        Ok(report)
    }

    /// Whether the world repeats along all its axes: then the fluid fills it.
    fn is_closed(&self) -> bool {
        self.period.to_array().iter().take(self.dimension.count()).all(|&length| length > 0.0)
    }

    /// ρ_ref: the density that the solvers' unit of mass is made of.
    pub(crate) fn reference_density(&self) -> f64 {
        self.fluids.first().map_or(1000.0, |fluid| fluid.density)
    }

    /// Everything up to the decision whether to keep the step. Changes only the workspace.
    fn attempt(
        &self,
        work: &mut Workspace,
        dt: f64,
        retries: u32,
        watch: &mut Stopwatch,
    ) -> Result<Attempt, StepError> {
        let n = self.fluid_count();
        let poses = self.predict_solids(work, dt);
        let mut bodies = self.start_bodies(work, &poses, dt);
        let driven = self.driven_particles(dt);
        work.held = driven.iter().map(|&(i, _)| i).collect();
        let drive = |predicted: &mut [DVec3]| driven.iter().for_each(|&(i, v)| predicted[i] = v);
        drive(&mut work.predicted);
        let mut divergence = Report::default();
        work.divergence_kappa.clear();
        work.divergence_kappa.resize(n, 0.0);
        work.wall_kappa.clear();
        if self.pressure.boundary == BoundaryPressure::Extrapolated {
            work.wall_kappa.resize(self.particles.len(), 0.0);
        }
        if self.pressure.solver == PressureSolver::Dfsph {
            divergence = self.remove_divergence(work, dt, &mut bodies);
            self.check_stop(dt)?;
            self.check_solve(work, &bodies, dt, &divergence)?;
        }
        watch.lap(Phase::Divergence);
        self.check_stop(dt)?;

        let gravity = self.dimension.flatten(self.gravity) * dt;
        work.predicted[..n].par_iter_mut().for_each(|v| *v += gravity);
        self.drive_bodies(&mut bodies, dt);
        self.show_bodies(work, &bodies.bodies, dt);
        let viscous = viscosity::apply(self, work, &bodies.bodies, dt);
        self.drag_bodies(&mut bodies, &viscous.loads, dt);
        self.show_bodies(work, &bodies.bodies, dt);
        drive(&mut work.predicted);
        watch.lap(Phase::Viscosity);
        self.check_stop(dt)?;

        work.shifts.clear();
        let density = if self.shifts() {
            self.spread_evenly(work)
        } else {
            self.restore_density(work, dt, &mut bodies)
        };
        self.check_stop(dt)?;
        self.check_solve(work, &bodies, dt, &density)?;
        self.check_moves(work, dt)?;
        self.check_bodies(work, &bodies, dt)?;
        watch.lap(Phase::Density);

        let impulse = self.particle_impulse(dt);
        let mut loads = pressure_loads(self, work, impulse);
        for (load, of_viscosity) in loads.iter_mut().zip(&viscous.loads) {
            load.add(of_viscosity, 0.0);
        }
        self.contact_loads(&bodies, dt, &mut loads);
        self.droplet_loads(work, impulse, &mut loads);
        let body_result = self.finish_bodies(&bodies, dt);
        watch.lap(Phase::Loads);
        self.check_stop(dt)?;
        let elastic = self.advance_elastic(&mut work.elastic, &poses, dt, retries)?;
        watch.lap(Phase::Elastic);
        Ok(Attempt {
            poses,
            divergence,
            density,
            viscosity_iterations: viscous.iterations,
            loads,
            bodies,
            body_result,
            elastic,
        })
    }

    /// Elastic bodies at the end of the step, if there are any.
    fn advance_elastic(
        &self,
        solver: &mut elastic::physics::step::Workspace,
        poses: &[Pose],
        dt: f64,
        retries: u32,
    ) -> Result<Option<Moved>, StepError> {
        if !self.elastic.any() {
            return Ok(None);
        }
        solver.stop = self.stop;
        let moved = self.elastic.advance(
            solver,
            &self.solids,
            poses,
            self.gravity,
            &self.clock,
            (dt, retries),
        );
        moved.map(Some).map_err(|failure| {
            let vertex = failure.vertex().unwrap_or_default();
            StepError {
                what: self.elastic.explain(&failure, &self.solids),
                object: self.elastic.name_of(vertex, &self.solids).to_owned(),
                id: None,
                position: self.elastic.place_of(vertex),
                time: self.clock.time,
                dt,
            }
        })
    }

    /// Ends the step if somebody asked for it. Sweeps end early then, and leave nothing usable.
    fn check_stop(&self, dt: f64) -> Result<(), StepError> {
        if self.stop.asked() { Err(self.step_error("stopped while moving", 0, dt)) } else { Ok(()) }
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

    /// Whether bodies keep their motion while the fluid is solved.
    fn is_weak(&self) -> bool {
        self.coupling.method == CouplingMethod::Weak
    }

    /// Whether a solve ended with something usable.
    fn check_solve(
        &self,
        work: &Workspace,
        bodies: &BodyStep,
        dt: f64,
        solved: &Report,
    ) -> Result<(), StepError> {
        if solved.error <= HOPELESS {
            return Ok(());
        }
        if let Some(i) = self.particles.velocity.iter().position(|v| !v.is_finite()) {
            return Err(self.step_error("velocity not finite", i, dt));
        }
        let densest = self.particles.density.iter().enumerate();
        let i = densest.max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(i, _)| i);
        // With bodies in the fluid it is mostly one of them that the method cannot hold.
        let body = self.fastest_in_fluid(work, bodies, dt);
        let moving = |(name, speed)| format!(" around body {name} ({speed:.1e} m/s),");
        let what = format!(
            "density error out of control{} near the densest",
            body.map(moving).unwrap_or_default()
        );
        Err(self.step_error(&what, i, dt))
    }

    /// Whether all velocities are finite and no particle would jump over its neighbours.
    fn check_moves(&self, work: &Workspace, dt: f64) -> Result<(), StepError> {
        let longest = LONGEST_MOVE * self.spacing / dt;
        // What flies alone may cross as much as it likes, as long as it stays in the world.
        let world = self.bounds.map_or(0.0, |bounds| bounds.limit.size().length() / dt);
        let bad = |(i, v): (usize, &DVec3)| {
            let longest = if work.strays.has(i) { longest.max(world) } else { longest };
            !v.is_finite() || v.length_squared() > longest * longest
        };
        let n = self.fluid_count();
        match work.predicted[..n].par_iter().enumerate().position_first(bad) {
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
            id: Some(self.particles.id.get(i).copied().unwrap_or_default()),
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
        self.accept_droplets(work, dt);
        if let Some(moved) = attempt.elastic {
            self.elastic.accept(moved, dt);
        }
        for (solid, load) in self.solids.iter_mut().zip(attempt.loads) {
            solid.load.add(&load, dt);
        }
        self.clock.time = time;
        self.clock.dt = dt;
        self.clock.step += 1;
    }
}

/// Largest compression of any particle, as a share of the rest density.
fn max_compression(neighbors: &Neighbors) -> f64 {
    let of_chunk = |chunk: &Chunk| {
        let compression = chunk.sums.iter().map(|sums| f64::from(sums.number_density) - 1.0);
        compression.fold(0.0, f64::max)
    };
    neighbors.chunks.par_iter().map(of_chunk).reduce(|| 0.0, f64::max)
}
