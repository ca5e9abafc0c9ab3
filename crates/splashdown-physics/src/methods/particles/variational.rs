//! The step with a fluid of potentials: a minimum in the place of both pressure solves and of
//! implicit viscosity (Xie 2023, chapter 5).
//!
//! ```text
//! solids to where they are told to be                              predict_solids
//! gravity, explicit viscosity: where the fluid would go            goal
//! ½|z − ẑ|²_M + Δt² (P + Q) → min,  z = (x_f, x_s)                 minimise_knowing
//! reactions of samples; what Q is taken out of                     hand_over
//! ½|z − z½|²_M − Δt² ∇Q(z½)·z + Δt² (Ψ + C + D) → min              advance_elastic
//! ```
//!
//! Q are models of the second minimum about zⁿ (`foresight`). What is in Q and taken out again
//! leads to M (z − ẑ) + Δt² (∇P(z½) + ∇(Ψ + C + D)(z)) = 0: implicit Euler but for the place of ∇P.
//!
//! Rigid bodies of `[[solid]]` are moved by nothing of this: scenes with both are refused.

use splashdown_solids::parts::Parts;

use super::elastic::ElasticStep;
use super::foresight::{Foresight, Model, Touched, friction_agrees, rubs};
use super::guests::ElasticOutcome;
use super::{Attempt, Step, Workspace};
use crate::elastic::physics;
use crate::error::StepError;
use crate::flow::driven_particles;
use crate::loads::Load;
use crate::math::{DVec3, Pose};
use crate::report::{Phase, Stopwatch, Volume};
use crate::solve::nncg::Report;
use crate::solve::stop::Stop;
use crate::sph::fluid::Viscosity;
use crate::sph::loads::{WallLoads, sum_over_walls};
use crate::sph::pressure::settings::PotentialSettings;
use crate::sph::variational::operator::Carried;
use crate::sph::variational::potentials::rub;
use crate::sph::variational::rows::Rows;
use crate::sph::variational::solve::{Found, Task};
use crate::sph::viscosity::{ViscousStep, explicit};
use crate::stepper::{Prediction, Stepper};
use crate::world::World;

/// Passes end at this many times `friction_passes` if friction has not settled by then.
const MOST_REPEATS: u32 = 4;
/// A linear solve that leaves more than this share of the residual has failed.
const MAX_RESIDUAL: f64 = 0.05;

/// Of what is under pressure at least this share is shown: who pushed is state (`Task::pushed`).
const LEAST_FLUX: f64 = 1e-3;

/// Memory of the potentials, and what they found.
#[derive(Default)]
pub(super) struct Minimised {
    pub(super) rows: Rows,
    pub(super) found: Found,
    /// κ, and k_I in Pa.
    stiffness: [f64; 2],
    /// Of each fluid particle: μ, whether it moves as told, whether it was under pressure.
    mass: Vec<f64>,
    held: Vec<bool>,
    pushed: Vec<bool>,
    /// Displacements of all particles without pressure and friction.
    goal: Vec<DVec3>,
    /// Solves with friction.
    pub(super) passes: u32,
    /// Particles that touch something, and how much farther the next phase sends them without the
    /// models that are taken out, m.
    corrections: Vec<(usize, DVec3)>,
    /// What the models that are left in do to vertices, N.
    pub(super) handed: Vec<DVec3>,
    /// Moves of vertices, m.
    moves: Vec<DVec3>,
}

impl Minimised {
    /// What a gauge would show at fluid particle `i`, Pa: k_I (1 − J) times what that pushes with.
    /// Zero where it does not push.
    pub(super) fn pressure(&self, i: usize) -> f64 {
        let [kappa, pascal] = self.stiffness;
        // However alone it is, it was pushed.
        -self.found.squeeze[i] * (pascal / kappa) * self.rows.flux[i].max(LEAST_FLUX)
    }

    /// Forgets what the last step handed over.
    fn forget(&mut self) {
        self.corrections.clear();
        self.handed.clear();
        self.moves.clear();
        self.passes = 0;
    }

    /// The quadratic of the step, for those who carry samples.
    pub(super) fn task<'a>(
        &'a self,
        settings: &'a PotentialSettings,
        (carried, stop): (Option<Carried<'a>>, Stop),
    ) -> Task<'a> {
        let Minimised { rows, mass, held, goal, pushed, .. } = self;
        let stiffness = self.stiffness[0];
        Task { rows, mass, held, stiffness, goal, pushed, settings, carried, stop }
    }

    /// Where vertices at `position` go, as far as the fluid's phase knows.
    pub(super) fn ends(&self, position: &[DVec3]) -> Option<Vec<DVec3>> {
        let ends = position.iter().zip(&self.moves).map(|(x, u)| *x + *u);
        (self.moves.len() == position.len()).then(|| ends.collect())
    }

    /// |Σ V_b ∇W| of particle `i` over samples of walls.
    fn wall_slope(&self, i: usize) -> f64 {
        let Some((stretch, k)) = self.rows.place(i) else { return 0.0 };
        stretch.walls(k).iter().map(|n| n.gradient()).sum::<DVec3>().length()
    }

    /// Particles that models were taken out of.
    pub(super) fn touched(&self) -> impl Iterator<Item = usize> + '_ {
        self.corrections.iter().map(|(i, _)| *i)
    }

    /// How much farther particle `i` goes without the models that are taken out, m.
    pub(super) fn correction(&self, i: usize) -> DVec3 {
        let found = self.corrections.binary_search_by_key(&i, |(i, _)| *i);
        found.map_or(DVec3::ZERO, |k| self.corrections[k].1)
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
            passes: self.passes,
        }
    }
}

impl Step<'_> {
    /// What the fluid's phase knows of the bodies in full.
    pub(super) fn predicts(&self) -> Prediction {
        match self.stepper.stepper {
            Stepper::ContactProxy => self.stepper.predict,
            _ => Prediction::of(&[]),
        }
    }

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
        let driven = driven_particles(self, dt);
        work.held = driven.iter().map(|&(i, _)| i).collect();
        work.shifts.clear();
        work.minimised.forget();
        let foreseen = self.predicts();
        let contact = if foreseen.contact { 1.0 } else { 0.0 };
        let (elasticity, projects) = (foreseen.elasticity, self.stepper.projects);
        let parts = Parts { elasticity, contact, projects, ..Parts::default() };
        let touched = self.touched(work, dt).filter(|touched| !touched.particles.is_empty());
        watch.lap(Phase::Guests);
        let parts = (parts, touched.is_some());
        let mut elastic = self.predict_elastic(work, prediction, parts, (&poses, dt))?;
        let mut loads = self.goal(work, dt);
        driven.iter().for_each(|&(i, v)| work.predicted[i] = v);
        elastic.write_velocities(&mut work.predicted, dt);
        let drag: Vec<DVec3> = loads.samples.iter().map(|j| *j / dt).collect();
        elastic.push(&drag, &mut work.predicted, dt);
        watch.lap(Phase::Viscosity);

        let mut outcome = None;
        self.find_potentials(work, dt);
        if self.stepper.stepper == Stepper::Joint && self.elastic.is_stepped() {
            outcome = Some(self.minimise_jointly(work, (&poses, &elastic), (dt, retries))?);
        } else {
            let base = self.base_moves(&elastic, &poses, dt);
            let touched = touched.as_ref();
            self.minimise_knowing(work, touched, (&elastic, base), dt);
        }
        self.check_stop()?;
        self.check_residual(work, dt)?;
        self.check_moves(work, dt)?;
        watch.lap(Phase::Density);

        let of_potentials = self.potential_loads(work, dt);
        let forces: Vec<DVec3> = of_potentials.samples.iter().map(|j| *j / dt).collect();
        elastic.take(&forces, &work.minimised.handed);
        self.check_samples(work, dt)?;
        loads.add(of_potentials);
        let mut loads = loads.solids;
        self.contact_loads(&bodies, dt, &mut loads);
        let body_result = self.finish_bodies(&bodies, dt);
        watch.lap(Phase::Loads);
        let last = (&poses[..], &elastic, (dt, retries));
        let elastic = self.finish_elastic(work, outcome, last, (watch, &mut loads))?;
        watch.lap(Phase::Elastic);
        Ok(Attempt {
            poses,
            divergence: Report::default(),
            density: Report::default(),
            viscosity: Default::default(),
            loads,
            bodies,
            body_result,
            elastic,
        })
    }

    /// The second phase, unless its outcome is known already.
    fn finish_elastic(
        &self,
        work: &mut Workspace,
        known: Option<ElasticOutcome>,
        (poses, elastic, (dt, retries)): (&[Pose], &ElasticStep<'_>, (f64, u32)),
        (watch, loads): (&mut Stopwatch, &mut [Load]),
    ) -> Result<Option<ElasticOutcome>, StepError> {
        let outcome = match known {
            Some(known) => Some(known),
            None => self.advance_elastic(work, poses, elastic, (dt, retries), watch)?,
        };
        self.take_outcome(work, outcome.as_ref(), (dt, poses), loads)?;
        Ok(outcome)
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

    /// Pairs, volumes, coefficients and masses of the step.
    fn find_potentials(&self, work: &mut Workspace, dt: f64) {
        let system = self.fluid_system();
        let memory = &mut work.minimised;
        let weight = self.weights_for_fluid();
        memory.rows.find(&system, &work.neighbors, &weight, self.wall_density());
        memory.rows.rub(&system, dt);
        let pascal = self.pressure.potentials.stiffness;
        memory.stiffness = [pascal * self.kappa_per_pascal(dt), pascal];
        let n = self.fluid_count();
        memory.mass.clear();
        for (fluid, relative) in self.fluids.iter().zip(system.relative_masses()) {
            memory.mass.resize(fluid.range.end, relative);
        }
        memory.held.clear();
        memory.held.resize(n, false);
        work.held.iter().for_each(|&i| memory.held[i] = true);
        let per_step = dt / self.spacing;
        memory.goal.clear();
        memory.goal.extend(work.predicted.iter().map(|v| per_step * *v));
        memory.pushed.clear();
        memory.pushed.extend(self.particles.pressure[..n].iter().map(|p| *p > 0.0));
    }

    /// The fluid's phase, as velocities into `predicted`: P, and models of what `elastic` bodies
    /// and the particles that they touch will do; `base` are moves of vertices without fluid, m.
    fn minimise_knowing(
        &self,
        work: &mut Workspace,
        touched: Option<&Touched>,
        (elastic, base): (&ElasticStep<'_>, Vec<DVec3>),
        dt: f64,
    ) {
        let unit = [self.units(dt).force(), self.spacing];
        let particles = touched.map_or(&[][..], |touched| &touched.particles);
        // Algorithm 2: bodies do not yield while fluid moves.
        let yields = self.stepper.stepper != Stepper::Splitting;
        let carries = yields && (elastic.is_wet() || touched.is_some());
        let samples = self.samples().range;
        let first = if samples.is_empty() { self.particles.len() } else { samples.start };
        let mut moves = touched.map_or_else(Vec::new, |touched| self.last_moves(touched, dt));
        let mut pass = 0;
        let mut models = self.models_of_pass(work, touched, (&moves, pass), dt);
        loop {
            let foresight = Foresight::new(elastic, (&models, particles), base.clone(), unit);
            let carried = carries.then_some(Carried { first, by: &foresight });
            let memory = &mut work.minimised;
            let before = std::mem::take(&mut memory.found);
            let task = memory.task(&self.pressure.potentials, (carried, self.stop));
            let found = if pass == 0 { task.minimise() } else { task.minimise_again(before) };
            moves = foresight.ends(&found.displacement, &found.yielded);
            work.minimised.found = found;
            pass += 1;
            let next = match rubs(&models) && !self.stop.asked() {
                true => self.models_of_pass(work, touched, (&moves, pass), dt),
                false => Vec::new(),
            };
            let passes = self.stepper.friction_passes;
            let is_done = pass >= passes && friction_agrees([&models, &next], &moves);
            if next.is_empty() || is_done || pass >= MOST_REPEATS * passes {
                work.minimised.passes = pass;
                self.hand_over(work, &foresight, (particles, moves), unit);
                break;
            }
            models = next;
        }
        let per_step = dt / self.spacing;
        for range in [0..self.fluid_count(), samples] {
            let moved = &work.minimised.found.displacement[range.clone()];
            work.predicted[range].iter_mut().zip(moved).for_each(|(v, u)| *v = *u / per_step);
        }
    }

    /// The models of a pass; pressure of the last pass, or of the last step, presses on walls.
    fn models_of_pass(
        &self,
        work: &Workspace,
        touched: Option<&Touched>,
        (moves, pass): (&[DVec3], u32),
        dt: f64,
    ) -> Vec<Model> {
        let Some(touched) = touched else { return Vec::new() };
        let press = |&i: &usize| match pass {
            0 => self.last_press(work, i, dt),
            _ => self.potential_press(work, i, dt),
        };
        let press: Vec<f64> = touched.particles.iter().map(press).collect();
        self.models(touched, (&press, moves), dt)
    }

    /// What the second phase takes over: where everything goes, what it has to take out, and what
    /// it has to leave in.
    fn hand_over(
        &self,
        work: &mut Workspace,
        foresight: &Foresight<'_>,
        (touched, moves): (&[usize], Vec<DVec3>),
        [newton, spacing]: [f64; 2],
    ) {
        let memory = &mut work.minimised;
        if touched.is_empty() && memory.found.yielded.is_empty() {
            return;
        }
        let Found { displacement, yielded, .. } = &memory.found;
        let [taken_out, left] = foresight.slopes(displacement, yielded);
        let first = taken_out.len() - touched.len();
        let correction =
            |(&i, slope): (&usize, &DVec3)| (i, spacing / (newton * memory.mass[i]) * *slope);
        memory.corrections = touched.iter().zip(&taken_out[first..]).map(correction).collect();
        memory.handed = left[..first].iter().map(|slope| -*slope).collect();
        memory.moves = moves;
        memory.moves.truncate(first);
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
        let Found { squeeze, ratio, .. } = &work.minimised.found;
        self.units(dt).force() * (squeeze[i] * ratio[i]).abs() * work.minimised.wall_slope(i)
    }

    /// The same with the pressures of the last step.
    pub(super) fn last_press(&self, work: &Workspace, i: usize, dt: f64) -> f64 {
        let Minimised { rows, stiffness: [kappa, pascal], .. } = &work.minimised;
        let shown = f64::from(self.particles.pressure[i]).max(0.0);
        let squeeze = shown * (kappa / pascal) / rows.flux[i].max(LEAST_FLUX);
        self.units(dt).force() * squeeze * rows.volume[i] * work.minimised.wall_slope(i)
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
