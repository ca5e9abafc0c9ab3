//! The step with a fluid of potentials: one minimisation in the place of both pressure solves and
//! of implicit viscosity.
//!
//! ```text
//! solids to where they are told to be                          predict_solids
//! gravity, explicit viscosity: where the fluid would go        goal
//! ½|x − x̂|²_M + Δt² (P_I + P_V) → min                          Task::minimise
//! reactions of samples                                         potential_loads
//! ```
//!
//! Samples move as told during all this. Rigid bodies are moved by nothing of it: scenes with both
//! are refused.

use super::{Attempt, Step, Workspace};
use crate::elastic::physics;
use crate::error::StepError;
use crate::flow::driven_particles;
use crate::math::DVec3;
use crate::report::{Phase, Stopwatch, Volume};
use crate::solve::nncg::Report;
use crate::sph::fluid::Viscosity;
use crate::sph::loads::{WallLoads, sum_over_walls};
use crate::sph::variational::operator::Carried;
use crate::sph::variational::potentials::rub;
use crate::sph::variational::rows::Rows;
use crate::sph::variational::solve::{Found, Task};
use crate::sph::viscosity::{ViscousStep, explicit};
use crate::world::World;

/// A linear solve that leaves more than this share of the residual has failed.
const MAX_RESIDUAL: f64 = 0.05;

/// Of what is under pressure at least this share is shown: who pushed is state (`Task::pushed`).
const LEAST_FLUX: f64 = 1e-3;

/// Memory of the potentials, and what they found.
#[derive(Default)]
pub(super) struct Minimised {
    rows: Rows,
    pub(super) found: Found,
    /// κ, and k_I in Pa.
    stiffness: [f64; 2],
}

impl Minimised {
    /// What a gauge would show at fluid particle `i`, Pa: k_I (1 − J) times what that pushes with.
    /// Zero where it does not push.
    pub(super) fn pressure(&self, i: usize) -> f64 {
        let [kappa, pascal] = self.stiffness;
        // However alone it is, it was pushed.
        -self.found.squeeze[i] * (pascal / kappa) * self.rows.flux[i].max(LEAST_FLUX)
    }

    /// How far volumes are from those at rest, over the particles that push.
    pub(super) fn volume(&self) -> Volume {
        let share = |s: &f64| (s / self.stiffness[0]).abs();
        let pushing = self.found.squeeze.iter().filter(|s| **s != 0.0);
        let (sum, count) = pushing.clone().fold((0.0, 0u32), |(sum, n), s| (sum + share(s), n + 1));
        Volume {
            mean_error: sum / f64::from(count.max(1)),
            max_error: pushing.map(share).fold(0.0, f64::max),
            solves: self.found.solves,
            pushing: count,
        }
    }
}

impl Step<'_> {
    /// Everything up to the decision whether to keep the step.
    pub(super) fn attempt_potentials(
        &self,
        work: &mut Workspace,
        prediction: &mut physics::step::Workspace,
        (dt, retries): (f64, u32),
        watch: &mut Stopwatch,
    ) -> Result<Attempt, StepError> {
        let poses = self.predict_solids(work, dt);
        let bodies = self.start_bodies(work, &poses, dt);
        let mut elastic = self.predict_elastic(work, prediction, &poses, dt)?;
        let driven = driven_particles(self, dt);
        work.held = driven.iter().map(|&(i, _)| i).collect();
        work.shifts.clear();
        let mut loads = self.goal(work, dt);
        driven.iter().for_each(|&(i, v)| work.predicted[i] = v);
        elastic.write_velocities(&mut work.predicted, dt);
        let drag: Vec<DVec3> = loads.samples.iter().map(|j| *j / dt).collect();
        elastic.push(&drag, &mut work.predicted, dt);
        watch.lap(Phase::Viscosity);

        self.minimise(work, elastic.carried(), dt);
        self.check_stop()?;
        self.check_residual(work, dt)?;
        self.check_moves(work, dt)?;
        watch.lap(Phase::Density);

        let of_potentials = self.potential_loads(work, dt);
        let forces: Vec<DVec3> = of_potentials.samples.iter().map(|j| *j / dt).collect();
        elastic.push(&forces, &mut work.predicted, dt);
        self.check_samples(work, dt)?;
        loads.add(of_potentials);
        let mut loads = loads.solids;
        self.contact_loads(&bodies, dt, &mut loads);
        let body_result = self.finish_bodies(&bodies, dt);
        watch.lap(Phase::Loads);
        let elastic = self.advance_elastic(work, &poses, &elastic, (dt, retries), watch)?;
        self.take_outcome(work, elastic.as_ref(), (dt, &poses), &mut loads)?;
        watch.lap(Phase::Elastic);
        Ok(Attempt {
            poses,
            divergence: Report::default(),
            density: Report::default(),
            viscosity_iterations: 0,
            loads,
            bodies,
            body_result,
            elastic,
        })
    }

    /// Gravity and explicit viscosity on the predicted velocities; returns impulses on walls.
    fn goal(&self, work: &mut Workspace, dt: f64) -> WallLoads {
        let n = self.fluid_count();
        let gravity = self.dimension.flatten(self.gravity) * dt;
        work.predicted[..n].iter_mut().for_each(|v| *v += gravity);
        let acts = |v: &Viscosity| v.is_explicit() && v.strength().max(v.boundary()) > 0.0;
        if !self.fluids.iter().any(|fluid| acts(&fluid.viscosity)) {
            return WallLoads::default();
        }
        let (system, neighbors) = (self.fluid_system(), &work.neighbors);
        let step = ViscousStep { system, neighbors, dt, stop: self.stop };
        explicit::exchange(&step, &mut work.predicted)
    }

    /// The minimum, as velocities into `predicted`.
    fn minimise(&self, work: &mut Workspace, carried: Option<Carried<'_>>, dt: f64) {
        let (n, system) = (self.fluid_count(), self.fluid_system());
        let memory = &mut work.minimised;
        let weight = self.weights_for_fluid();
        memory.rows.find(&system, &work.neighbors, &weight, self.wall_density());
        memory.rows.rub(&system, dt);
        let pascal = self.pressure.stiffness;
        memory.stiffness = [pascal * self.kappa_per_pascal(dt), pascal];

        let mut mass = Vec::with_capacity(n);
        for (fluid, relative) in self.fluids.iter().zip(system.relative_masses()) {
            mass.resize(fluid.range.end, relative);
        }
        let mut held = vec![false; n];
        work.held.iter().for_each(|&i| held[i] = true);
        let per_step = dt / self.spacing;
        let goal: Vec<DVec3> = work.predicted.iter().map(|v| per_step * *v).collect();
        let pushed: Vec<bool> = self.particles.pressure[..n].iter().map(|p| *p > 0.0).collect();
        memory.found = Task {
            rows: &memory.rows,
            mass: &mass,
            held: &held,
            stiffness: memory.stiffness[0],
            goal: &goal,
            pushed: &pushed,
            tension: self.pressure.tension,
            linear: self.pressure.linear,
            carried,
            stop: self.stop,
        }
        .minimise();
        let moved = work.predicted[..n].iter_mut().zip(&memory.found.displacement);
        moved.for_each(|(v, u)| *v = *u / per_step);
    }

    /// Whether the solve ended with something usable.
    fn check_residual(&self, work: &Workspace, dt: f64) -> Result<(), StepError> {
        let Found { iterations, error, .. } = work.minimised.found;
        match error <= MAX_RESIDUAL {
            true => Ok(()),
            false => {
                Err(StepError::Unsolved { iterations, residual: error, when: self.moment(dt) })
            }
        }
    }

    /// What the potentials press fluid particle `i` on walls with, N.
    pub(super) fn potential_press(&self, work: &Workspace, i: usize, dt: f64) -> f64 {
        let Minimised { rows, found, .. } = &work.minimised;
        let Some((stretch, k)) = rows.place(i) else { return 0.0 };
        let sum: DVec3 = stretch.walls(k).iter().map(|n| n.gradient()).sum();
        self.units(dt).force() * (found.squeeze[i] * found.ratio[i]).abs() * sum.length()
    }

    /// Impulses of the potentials on walls.
    fn potential_loads(&self, work: &Workspace, dt: f64) -> WallLoads {
        let unit = self.units(dt).impulse();
        let Minimised { rows, found, .. } = &work.minimised;
        let u = &found.displacement;
        sum_over_walls(&self.fluid_system(), &work.neighbors, |chunk, k, wall| {
            let i = chunk.particles.start + k;
            let Some((stretch, k)) = rows.place(i) else { return };
            let push = -unit * found.squeeze[i] * found.ratio[i];
            for n in stretch.walls(k) {
                wall(n.index as usize, push * n.gradient(), |load| {
                    (&mut load.pressure, &mut load.pressure_moment)
                });
            }
            for (n, &c) in stretch.rubbing_walls(k) {
                let b = n.index as usize;
                let drag = unit * rub(n, c, u[i] - u[b]);
                wall(b, drag, |load| (&mut load.viscous, &mut load.viscous_moment));
            }
        })
    }
}

/// Densities and pressures of the minimum become the state.
pub(super) fn accept_potentials(world: &mut World, work: &Workspace) {
    let memory = &work.minimised;
    for fluid in &world.fluids {
        for i in fluid.range.clone() {
            let density = fluid.density * memory.rows.number_density[i];
            world.particles.density[i] = density as f32;
            world.particles.pressure[i] = memory.pressure(i).max(0.0) as f32;
            world.particles.divergence_pressure[i] = 0.0;
        }
    }
}
