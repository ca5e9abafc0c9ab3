//! The step with SPH particles: fluids with rigid bodies, and elastic bodies on their own.
//!
//! One step of DFSPH (Bender & Koschier 2017) with bodies in its solves; IISPH leaves out the
//! first.
//!
//! ```text
//! sort particles, find neighbours, contacts, interfaces        prepare
//! Δt from speeds, pressure, tension                            longest_step
//! solids to where they are told to be; bodies as they move     attempt
//! ∇·v = 0:  pressure with bodies                                 remove_divergence
//! gravity, motors; viscosity with bodies                         apply_viscosity
//! ρ = ρ₀:   pressure with bodies, contact, tension, friction     restore_density
//! loads; elastic bodies                                          advance_elastic
//! v ← v*, x ← x + Δt v                                         accept
//! ```

mod arrange;
mod bodies;
mod checks;
pub mod diagnostics;
mod elastic;
mod foresight;
mod guests;
mod interfaces;
mod joint;
mod length;
mod pressure;
mod resampling;
mod split;
mod strays;
mod three_phases;
mod variational;

use std::mem;
use std::ops::Deref;

use glam::Vec4;
use rayon::prelude::*;
use splashdown_solids::parts::Parts;
use splashdown_solve::cg;
use splashdown_solve::nncg::Report;

use self::arrange::sort_along_curve;
use self::bodies::accept_bodies;
use self::bodies::{BodyResult, BodyStep};
use self::elastic::accept_elastic;
use self::guests::ElasticOutcome;
use self::interfaces::accept_wall_friction;
use self::pressure::flux;
use self::strays::Strays;
use self::variational::{Minimised, accept_potentials};
use super::Algorithm;
use crate::body::{CouplingMethod, CouplingSettings};
use crate::coupling::elastic::SampleRows;
use crate::coupling::interface_rows::InterfaceRows;
use crate::coupling::interface_system::TensionResult;
use crate::coupling::viscous_bodies::BodyDrag;
use crate::elastic::physics;
use crate::error::StepError;
use crate::flow::driven_particles;
use crate::loads::{Load, Loads};
use crate::math::{DVec3, Pose};
use crate::method::ParticleSettings;
use crate::particles::cells::Located;
use crate::particles::neighbors::{Chunk, Neighbors};
use crate::particles::periodic::wrapped;
use crate::report::{Phase, Solve, SolveKind, StepReport, Stopwatch};
use crate::rigid::bodies::Body;
use crate::rigid::contact::Contact;
use crate::sph::loads::{Pressures, pressure_loads};
use crate::sph::pressure::extrapolation::Extrapolation;
use crate::sph::pressure::settings::PressureSettings;
use crate::sph::shifting::Shift;
use crate::sph::tension::pairs::SurfacePairs;
use crate::sph::variational::solve::Found;
use crate::sph::viscosity::{self, Viscous, ViscousStep};
use crate::stepper::StepperSettings;
use crate::world::{BoundaryPressure, PressureSolver, World};

/// Memory of a step that is rebuilt every time.
#[derive(Default)]
pub(crate) struct Workspace {
    /// The search cells.
    located: Located,
    /// This step's neighbour lists.
    pub neighbors: Neighbors,
    /// What flies alone.
    strays: Strays,
    /// Of the solver of elastic bodies: the matrix and its factor …
    pub elastic: physics::step::Workspace,
    /// … and those of the linear model that pressure solves see.
    prediction: physics::step::Workspace,
    /// Where fluid touches elastic bodies.
    sample_rows: SampleRows,
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
    pub viscosity: viscosity::implicit::Buffers,
    /// How walls get pressures of their own, if they do.
    extrapolation: Extrapolation,
    /// Pressures of wall particles from both solves, where they have their own: one for each
    /// particle.
    pub wall_kappa: Vec<f32>,
    /// This step's contacts of rigid bodies.
    contacts: Vec<Contact>,
    /// Where fluid touches rigid bodies.
    interface_rows: InterfaceRows,
    /// Interfaces of fluids.
    surface: SurfacePairs,
    /// What tension and friction on walls did.
    interfaces: TensionResult,
    /// Where the potentials of a variational fluid are least.
    minimised: Minimised,
    /// What the last attempt would change.
    attempt: Option<Attempt>,
}

/// What a step found out and would change, before it is accepted.
struct Attempt {
    poses: Vec<Pose>,
    divergence: Report,
    density: Report,
    viscosity: cg::Report,
    loads: Vec<Load>,
    bodies: BodyStep,
    body_result: BodyResult,
    elastic: Option<ElasticOutcome>,
}

/// A world as the step reads it: up to `accept` nothing of it changes.
#[derive(Clone, Copy)]
pub(crate) struct Step<'w> {
    world: &'w World,
    /// How pressure is solved for.
    pressure: PressureSettings,
    /// How rigid bodies are coupled to fluids and to each other.
    coupling: CouplingSettings,
    /// How a variational fluid and bodies in it are moved.
    stepper: StepperSettings,
}

impl<'w> Step<'w> {
    /// A step of `world`, with the settings that it has.
    pub(crate) fn of(world: &'w World) -> Step<'w> {
        let ParticleSettings { pressure, coupling, stepper } = world.method.of_particles();
        Step { world, pressure, coupling, stepper }
    }
}

impl Deref for Step<'_> {
    type Target = World;

    fn deref(&self) -> &World {
        self.world
    }
}

impl Algorithm for Workspace {
    fn prepare(
        &mut self,
        world: &mut World,
        longest: f64,
        watch: &mut Stopwatch,
    ) -> Result<(), StepError> {
        sort_along_curve(world, self)?;
        watch.lap(Phase::Sort);
        let step = Step::of(world);
        step.find_neighbors(self)?;
        self.strays = step.find_strays(self, longest);
        watch.lap(Phase::Neighbors);
        Ok(())
    }

    fn longest_step(&self, world: &World, cfl: f64) -> f64 {
        Step::of(world).longest_step(&self.strays, cfl)
    }

    fn attempt(
        &mut self,
        world: &World,
        dt: f64,
        retries: u32,
        watch: &mut Stopwatch,
    ) -> Result<(), StepError> {
        self.attempt = None;
        let mut prediction = mem::take(&mut self.prediction);
        let step = Step::of(world);
        let attempt = match step.pressure.solver {
            PressureSolver::Variational => {
                step.attempt_potentials(self, &mut prediction, (dt, retries), watch)
            }
            _ => step.attempt(self, &mut prediction, (dt, retries), watch),
        };
        self.prediction = prediction;
        self.attempt = Some(attempt?);
        Ok(())
    }

    fn accept(&mut self, world: &mut World, dt: f64) -> StepReport {
        let Some(mut attempt) = self.attempt.take() else { return StepReport::default() };
        let loads = attempt.take_loads(dt);
        let report = StepReport { loads, ..Step::of(world).report(self, &attempt) };
        accept(world, self, dt, attempt);
        report
    }
}

impl Attempt {
    /// What it does to solids and elastic bodies in a step of length `dt`.
    fn take_loads(&mut self, dt: f64) -> Loads {
        let report = self.elastic.as_ref().map(|outcome| &outcome.motion.report);
        let forces = report.map_or(&[][..], |report| &report.forces);
        let barrier = self.elastic.as_ref().map_or(&[][..], |outcome| &outcome.barrier);
        Loads {
            elastic: forces.iter().map(|&force| dt * force).collect(),
            barrier: barrier.iter().map(|&force| dt * force).collect(),
            solids: mem::take(&mut self.loads),
            duration: dt,
        }
    }
}

impl Step<'_> {
    /// What the step did, but for its loads.
    fn report(&self, work: &Workspace, attempt: &Attempt) -> StepReport {
        let pressure = |kind, report: &Report| Solve {
            iterations: report.iterations,
            error: report.error,
            seconds: report.seconds,
            ..Solve::none(kind)
        };
        let BodyStep { solved, residual, .. } = &attempt.bodies;
        let contact = |kind, error| Solve {
            iterations: solved.iterations,
            error,
            active: residual.active as u32,
            ..Solve::none(kind)
        };
        let elastic = attempt.elastic.as_ref().map(|outcome| &outcome.motion.report);
        let newton = elastic.map(|report| Solve {
            iterations: report.iterations,
            active: report.contacts as u32,
            seconds: report.seconds.iter().sum(),
            ..Solve::none(SolveKind::Elastic)
        });
        let viscosity = Solve {
            iterations: attempt.viscosity.iterations,
            error: attempt.viscosity.error(),
            ..Solve::none(SolveKind::Viscosity)
        };
        let mut solves = vec![
            pressure(SolveKind::Divergence, &attempt.divergence),
            viscosity,
            pressure(SolveKind::Density, &attempt.density),
            contact(SolveKind::Contact, residual.contact_error),
            contact(SolveKind::Friction, residual.friction_error),
        ];
        solves.extend(newton);
        let is_variational = self.pressure.solver == PressureSolver::Variational;
        let volume = is_variational.then(|| work.minimised.volume());
        if let (Some(volume), [_, _, density, ..]) = (&volume, &mut solves[..]) {
            let Found { iterations, error, seconds, .. } = work.minimised.found;
            *density = Solve { iterations, error, seconds, active: volume.pushing, ..*density };
        }
        StepReport {
            solves,
            volume,
            max_compression: max_compression(&work.neighbors),
            penetration: self.spacing
                * work.contacts.iter().map(Contact::depth).fold(0.0, f64::max),
            newton_seconds: elastic.map_or([0.0; 4], |report| report.seconds),
            guests: attempt.elastic.as_ref().map(|o| o.report(self.spacing)).unwrap_or_default(),
            ..StepReport::default()
        }
    }

    /// Whether the world repeats along all its axes: then the fluid fills it.
    fn is_closed(&self) -> bool {
        self.period.to_array().iter().take(self.dimension.count()).all(|&length| length > 0.0)
    }

    /// Everything up to the decision whether to keep the step. Changes only the workspace.
    fn attempt(
        &self,
        work: &mut Workspace,
        prediction: &mut physics::step::Workspace,
        (dt, retries): (f64, u32),
        watch: &mut Stopwatch,
    ) -> Result<Attempt, StepError> {
        let n = self.fluid_count();
        let poses = self.predict_solids(work, dt);
        let mut bodies = self.start_bodies(work, &poses, dt);
        let driven = driven_particles(self, dt);
        work.held = driven.iter().map(|&(i, _)| i).collect();
        let drive = |predicted: &mut [DVec3]| driven.iter().for_each(|&(i, v)| predicted[i] = v);
        drive(&mut work.predicted);
        let whole = (Parts::default(), false);
        let mut elastic = self.predict_elastic(work, prediction, whole, (&poses, dt))?;
        let mut divergence = Report::default();
        work.divergence_kappa.clear();
        work.divergence_kappa.resize(n, 0.0);
        work.wall_kappa.clear();
        if self.pressure.boundary == BoundaryPressure::Extrapolated {
            work.wall_kappa.resize(self.particles.len(), 0.0);
        }
        if self.pressure.solver == PressureSolver::Dfsph {
            divergence = self.remove_divergence(work, dt, &mut bodies, &mut elastic);
            self.check_stop()?;
            self.check_solve(work, &bodies, dt, ("divergence", &divergence))?;
        }
        watch.lap(Phase::Divergence);
        self.check_stop()?;

        let gravity = self.dimension.flatten(self.gravity) * dt;
        work.predicted[..n].par_iter_mut().for_each(|v| *v += gravity);
        self.apply_external_forces(&mut bodies, dt);
        self.write_body_velocities(work, &bodies.bodies, dt);
        elastic.write_velocities(&mut work.predicted, dt);
        let viscous = self.apply_viscosity(work, &bodies.bodies, dt);
        self.apply_viscous_impulses(&mut bodies, &viscous.loads.solids, dt);
        self.write_body_velocities(work, &bodies.bodies, dt);
        let drag: Vec<DVec3> = viscous.loads.samples.iter().map(|j| *j / dt).collect();
        elastic.push(&drag, &mut work.predicted, dt);
        drive(&mut work.predicted);
        watch.lap(Phase::Viscosity);
        self.check_stop()?;

        work.shifts.clear();
        let density = if self.shifts() {
            self.spread_evenly(work)
        } else {
            self.restore_density(work, dt, &mut bodies, &mut elastic)
        };
        self.check_stop()?;
        self.check_solve(work, &bodies, dt, ("density", &density))?;
        self.check_moves(work, dt)?;
        self.check_bodies(work, &bodies, dt)?;
        self.check_samples(work, dt)?;
        watch.lap(Phase::Density);

        let mut loads = self.sum_loads(work, &bodies, &viscous, dt);
        let body_result = self.finish_bodies(&bodies, dt);
        watch.lap(Phase::Loads);
        self.check_stop()?;
        let elastic = self.advance_elastic(work, &poses, &elastic, (dt, retries), watch)?;
        self.take_outcome(work, elastic.as_ref(), (dt, &poses), &mut loads)?;
        watch.lap(Phase::Elastic);
        Ok(Attempt {
            poses,
            divergence,
            density,
            viscosity: viscous.solved,
            loads,
            bodies,
            body_result,
            elastic,
        })
    }

    /// What the step does to solids.
    fn sum_loads(
        &self,
        work: &Workspace,
        bodies: &BodyStep,
        viscous: &Viscous,
        dt: f64,
    ) -> Vec<Load> {
        let impulse = self.units(dt).impulse();
        let pressures = Pressures {
            density: &work.kappa,
            divergence: &work.divergence_kappa,
            wall: &work.wall_kappa,
        };
        let system = self.fluid_system();
        let mut loads = pressure_loads(&system, &work.neighbors, &pressures, impulse).solids;
        for (load, &of_viscosity) in loads.iter_mut().zip(&viscous.loads.solids) {
            *load += of_viscosity;
        }
        self.contact_loads(bodies, dt, &mut loads);
        self.interface_loads(work, impulse, &mut loads);
        loads
    }

    /// Friction inside the fluids and against walls; bodies are dragged along.
    fn apply_viscosity(&self, work: &mut Workspace, bodies: &[Body], dt: f64) -> Viscous {
        let system = self.fluid_system();
        let step = ViscousStep { system, neighbors: &work.neighbors, dt, stop: self.stop };
        let chunks = &work.neighbors.chunks;
        viscosity::apply(&step, &mut work.predicted, &mut work.viscosity, |coefficients| {
            BodyDrag::find(system, bodies, chunks, coefficients, dt)
        })
    }

    /// Poses of the solids at the end of the step; the velocities that lead there, with the fluid's
    /// present ones, into `predicted`.
    fn predict_solids(&self, work: &mut Workspace, dt: f64) -> Vec<Pose> {
        work.predicted.clear();
        work.predicted.extend_from_slice(&self.particles.velocity);
        let later = self.clock.time + dt;
        let mut poses = Vec::with_capacity(self.solids.len());
        for solid in &self.solids {
            if solid.motion().is_static() {
                poses.push(solid.pose);
                continue;
            }
            let pose = solid.motion().pose(later).then_after(&solid.placement);
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
}

/// Makes the step's results the state: v ← v*, x ← x + Δt v.
fn accept(world: &mut World, work: &Workspace, dt: f64, attempt: Attempt) {
    let n = world.fluid_count();
    let particles = &mut world.particles;
    particles.velocity.copy_from_slice(&work.predicted);
    let (x, v) = (&mut particles.position, &particles.velocity);
    x[..n].par_iter_mut().zip(&v[..n]).for_each(|(x, v)| {
        *x = wrapped(*x + dt * *v, world.period);
    });
    x.par_iter_mut().zip(&work.shifts).for_each(|(x, shift)| {
        *x = wrapped(*x + shift.displacement, world.period);
    });
    for (solid, pose) in world.solids.iter_mut().zip(attempt.poses) {
        solid.pose = pose;
        if !solid.motion().is_static() {
            let range = solid.range.clone();
            x[range].par_iter_mut().zip(&solid.local).for_each(|(x, &local)| {
                *x = world.dimension.flatten(pose.apply(local));
            });
        }
    }
    if Step::of(world).pressure.solver == PressureSolver::Variational {
        accept_potentials(world, work);
    } else {
        accept_pressures(world, work, dt);
    }
    accept_bodies(world, attempt.body_result);
    accept_wall_friction(world, work, dt);
    if let Some(outcome) = attempt.elastic {
        accept_elastic(world, outcome.motion);
    }
}

/// Densities and pressures of the sweeps become the state.
fn accept_pressures(world: &mut World, work: &Workspace, dt: f64) {
    let step = Step::of(world);
    let (boundary, pascal) = (step.pressure.boundary, (1.0 / step.kappa_per_pascal(dt)) as f32);
    for chunk in &work.neighbors.chunks {
        let rest = world.fluids[chunk.fluid].density as f32;
        for (i, sums) in chunk.particles.clone().zip(&chunk.sums) {
            let scale = pascal * flux(boundary, sums);
            world.particles.density[i] = rest * sums.number_density;
            world.particles.pressure[i] = scale * work.kappa[i];
            world.particles.divergence_pressure[i] = scale * work.divergence_kappa[i];
        }
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
