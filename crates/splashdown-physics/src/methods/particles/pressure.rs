//! The step's pressure solves: what each has to remove, where it starts from, what its result means
//! in pascals.

use glam::Vec4;
use rayon::prelude::*;
use splashdown_solve::nncg::{Params, Report};
use splashdown_solve::reduce;

use super::bodies::BodyStep;
use super::elastic::ElasticStep;
use super::strays::Strays;
use super::{Step, Workspace};
use crate::body::CouplingSolver;
use crate::coupling::elastic::ElasticBlock;
use crate::coupling::interface_system::{InterfaceSystem, TensionResult};
use crate::coupling::monolithic::{BodyBlock, Coupled};
use crate::math::DVec3;
use crate::particles::neighbors::{Chunk, Sums};
use crate::particles::simd::{Lanes, Vectorised, dispatch};
use crate::rigid::solve::ContactSystem;
use crate::sph::pressure::exact;
use crate::sph::pressure::operator::PressureOperator;
use crate::sph::pressure::solve::{PressureBlock, Relaxation, WallPressure};
use crate::sph::shifting;
use crate::sph::tension::TensionOrder;
use crate::world::{BoundaryPressure, PressureSolver};

/// Largest compression that a step undoes beyond what its own motion adds. How the constants of
/// this file were found: docs/methods/sph-pressure.md, *Constants*.
const MAX_CORRECTION: f64 = 0.02;
/// How fast compression is undone, in units of how fast things happen.
const CORRECTION_RATE: f64 = 0.05;
/// What a step may undo where nothing happens at all.
const MIN_CORRECTION: f64 = 2.0e-4;
/// The error that a solve may leave, in the units of `CORRECTION_RATE`: a twentieth of what a step
/// undoes.
const ERROR_RATE: f64 = 0.05 * CORRECTION_RATE;
/// An error small enough for any pool.
const MIN_ERROR: f64 = 1.0e-4;
/// The error that a solve with tension may leave, over how far the fastest particle goes in a step,
/// in h.
const ERROR_PER_MOVE: f64 = 0.005;
/// An error small enough for any drop.
const MIN_ERROR_WITH_TENSION: f64 = 3.0e-7;
/// Share of β that is used with tension, so that no solve goes round in circles.
const BETA_WITH_TENSION: f64 = 0.9;
/// ω and the share of β where nothing but tension is solved with pressure: a quarter fewer sweeps.
const OMEGA_AND_BETA_WITH_TENSION: (f32, f64) = (0.8, 0.8);
/// The same where fluid rubs on walls, too: a seventh fewer.
const OMEGA_AND_BETA_WITH_FRICTION: (f32, f64) = (0.6, BETA_WITH_TENSION);
/// A particle with a lower number density is at a surface,
const SURFACE_DENSITY: f32 = 0.95;
/// and so is one away from walls whose |Σ hᵈ⁺¹ ∇W| is larger: about 0.5 at a flat surface.
const SURFACE_GRADIENT: f32 = 0.3;
/// Fluid without a surface is overfull from this many times the density error on.
const OVERFULL_ERRORS: f64 = 10.0;
/// So that a lone particle's κ can be computed from its pressure.
const MIN_FLUX: f32 = 0.05;

/// Whether fluid can give way there.
fn is_at_surface(sums: &Sums) -> bool {
    let is_free = sums.wall_density == 0.0;
    sums.number_density < SURFACE_DENSITY
        || is_free && sums.fluid_gradient.length() > SURFACE_GRADIENT
}

/// What a pressure solve is for.
struct PressureTask<'a> {
    /// Length of the step, s.
    dt: f64,
    /// κ that sweeps start from.
    kappa: Vec<f32>,
    /// Mean residual at which sweeps may stop.
    mean_error: f64,
    /// Tension and wall friction that are solved with it.
    interfaces: Option<InterfaceSystem<'a>>,
}

impl Step<'_> {
    /// κ per Pa at a flux of 1: Δt² / (ρ_ref h²).
    pub(super) fn kappa_per_pascal(&self, dt: f64) -> f64 {
        dt * dt / (self.reference_density() * self.spacing * self.spacing)
    }

    /// The pressure operator with this step's pairs.
    pub(super) fn operator<'a>(&self, work: &'a Workspace) -> PressureOperator<'a> {
        PressureOperator {
            neighbors: &work.neighbors,
            inverse_mass: &work.inverse_mass,
            held: &work.held,
        }
    }

    /// DFSPH's first solve: no particle may get denser through the velocities it already has.
    pub(super) fn remove_divergence(
        &self,
        work: &mut Workspace,
        dt: f64,
        bodies: &mut BodyStep,
        elastic: &mut ElasticStep,
    ) -> Report {
        // A particle with few neighbours is at the surface: what looks like compression there is
        // not.
        let enough = if self.dimension.count() == 2 { 7 } else { 20 };
        let share = self.pressure.warm_start;
        let kappa = self.warm_start(&self.particles.divergence_pressure, share, work, dt);
        let task = PressureTask {
            dt,
            kappa,
            mean_error: self.pressure.divergence_error,
            interfaces: None,
        };
        bodies.system = ContactSystem::new(Vec::new(), &bodies.bodies, 0.0, &[], &[]);
        let (kappa, report) =
            self.solve_pressure(work, task, (bodies, elastic), |chunk, k, rate| {
                let neighbors = chunk.pairs(k).len() + chunk.wall_pairs(k).len();
                if neighbors < enough { 0.0 } else { rate }
            });
        work.divergence_kappa = kappa;
        report
    }

    /// The density solve: the predicted density may not exceed the rest density.
    pub(super) fn restore_density(
        &self,
        work: &mut Workspace,
        dt: f64,
        bodies: &mut BodyStep,
        elastic: &mut ElasticStep,
    ) -> Report {
        work.interfaces = TensionResult::default();
        let mut alone = None;
        if self.tension_acts(TensionOrder::Before) {
            alone = Some(self.apply_separate_tension(work, dt, bodies));
        }
        if bodies.any() {
            self.prepare_contacts(work, bodies, dt);
            self.write_body_velocities(work, &bodies.bodies, dt);
        }
        let share = match self.tension_is_coupled() {
            true => self.tension.warm_start,
            false => self.pressure.warm_start,
        };
        let kappa = self.warm_start(&self.particles.pressure, share, work, dt);
        let surface = std::mem::take(&mut work.surface);
        let input = self.interface_input(work, dt, bodies);
        let interfaces = input.map(|input| InterfaceSystem::new(&surface, input));
        let mean_error = self.largest_error(&work.strays, dt);
        let task = PressureTask { dt, kappa, mean_error, interfaces };
        let largest = self.largest_correction(&work.strays, dt);
        let rest = self.rest_density(work);
        let (kappa, report) =
            self.solve_pressure(work, task, (bodies, elastic), |chunk, k, rate| {
                (chunk.sums[k].number_density - rest).min(largest) + rate
            });
        work.surface = surface;
        work.kappa = kappa;
        if bodies.any() && self.is_weak() {
            self.solve_contacts_after_fluid(bodies);
            self.write_body_velocities(work, &bodies.bodies, dt);
        }
        if self.tension_acts(TensionOrder::After) {
            alone = Some(self.apply_separate_tension(work, dt, bodies));
        }
        if let Some(TensionResult { tension, on_solids: [of_tension, _], .. }) = alone {
            work.interfaces.tension = tension;
            work.interfaces.on_solids[0] = of_tension;
        }
        report
    }

    /// The number density that fluid is brought to: one, unless there is no surface at which it
    /// could give way. A vessel filled to the last corner holds more than its walls leave room for,
    /// and asked for what cannot be its water is shaken harder and harder
    /// (docs/methods/sph-pressure.md).
    fn rest_density(&self, work: &Workspace) -> f32 {
        let all = work.neighbors.chunks.iter().flat_map(|chunk| &chunk.sums);
        // A world that repeats has no walls that count too much: its pressures hold the fluid
        // together.
        if self.is_closed() || all.clone().any(is_at_surface) {
            return 1.0;
        }
        let sum: f64 = all.map(|sums| f64::from(sums.number_density)).sum();
        let mean = sum / self.fluid_count().max(1) as f64;
        // What solves leave over is undone as ever: under a piston it would add up.
        (mean - OVERFULL_ERRORS * self.pressure.density_error).max(1.0) as f32
    }

    /// The mean error at which a density solve may stop.
    fn largest_error(&self, strays: &Strays, dt: f64) -> f64 {
        let (h, g, speed) = (self.spacing, self.gravity.length(), self.fastest(strays));
        let mut error = self.pressure.density_error;
        if g > 0.0 {
            let per_second = ERROR_RATE * ((g / h).sqrt() + speed / h);
            error = error.min((per_second * dt).max(MIN_ERROR));
        }
        if self.tension_is_coupled() {
            error = error.min((ERROR_PER_MOVE * speed * dt / h).max(MIN_ERROR_WITH_TENSION));
        }
        error
    }

    /// How much compression a step of length `dt` may undo.
    fn largest_correction(&self, strays: &Strays, dt: f64) -> f32 {
        let (h, g) = (self.spacing, self.gravity.length());
        let thickness = self.fluids.iter().map(|fluid| fluid.viscosity.dynamic() / fluid.density);
        // Thick fluids do not fly off.
        let viscous = thickness.fold(0.0, f64::max) / (h * h);
        let rates = (g / h).sqrt() + self.fastest(strays) / h + viscous + self.capillary_rate();
        let per_second = CORRECTION_RATE * rates;
        (per_second * dt).clamp(MIN_CORRECTION, MAX_CORRECTION) as f32
    }

    /// Whether particles are kept evenly spread by shifting instead of a density solve.
    pub(super) fn shifts(&self) -> bool {
        self.is_closed()
            && self.pressure.solver == PressureSolver::Dfsph
            && !self.has_bodies()
            && !self.has_tension()
    }

    /// How far to shift particles at the end of the step, and what that does to their velocities.
    pub(super) fn spread_evenly(&self, work: &mut Workspace) -> Report {
        let mut shifts = std::mem::take(&mut work.shifts);
        shifting::shifts(&work.neighbors, &work.predicted, &mut shifts);
        work.predicted.par_iter_mut().zip(&mut shifts).for_each(|(v, shift)| {
            *v += shift.velocity;
            shift.displacement *= self.spacing;
        });
        work.shifts = shifts;
        work.kappa.clear();
        work.kappa.resize(self.fluid_count(), 0.0);
        Report { converged: true, ..Report::default() }
    }

    /// A share of the last step's pressures (Pa), as κ for a step of length `dt`.
    fn warm_start(&self, pressure: &[f32], share: f64, work: &Workspace, dt: f64) -> Vec<f32> {
        let scale = (share * self.kappa_per_pascal(dt)) as f32;
        let mut kappa = vec![0.0; self.fluid_count()];
        work.neighbors.for_each(&mut kappa, |chunk, kappa, _: &mut Vec<()>| {
            let pressure = &pressure[chunk.particles.clone()];
            for ((kappa, &p), sums) in kappa.iter_mut().zip(pressure).zip(&chunk.sums) {
                *kappa = scale * p / flux(self.pressure.boundary, sums);
            }
        });
        kappa
    }

    /// Solves for pressures and what goes with them, and adds what they do to the predicted
    /// velocities; returns κ. `source` turns the compression by the predicted motion into the one
    /// that pressure has to remove.
    fn solve_pressure(
        &self,
        work: &mut Workspace,
        task: PressureTask,
        (bodies, elastic): (&mut BodyStep, &mut ElasticStep),
        source: impl Fn(&Chunk, usize, f32) -> f32 + Sync,
    ) -> (Vec<f32>, Report) {
        let PressureTask { dt, kappa, mean_error, interfaces } = task;
        let moves_bodies = bodies.any() && !self.is_weak();
        let (relaxation, params) = self.how_to_solve(mean_error, interfaces.as_ref(), bodies);
        if moves_bodies && self.fluid_count() == 0 {
            self.solve_contacts(bodies, &params);
            self.write_body_velocities(work, &bodies.bodies, dt);
            return (kappa, Report { error: 0.0, ..bodies.solved }); // nothing is compressed
        }
        let source = self.compressions(work, dt, source);
        let mut push = std::mem::take(&mut work.push);
        push.resize(self.fluid_count(), Vec4::ZERO);
        let operator = self.operator(work);
        let rows = &work.interface_rows;
        let body_block = moves_bodies.then(|| {
            let BodyStep { bodies, system, .. } = bodies;
            BodyBlock::new(bodies, system, rows, source.clone(), self.coupling)
        });
        let answer = |impulses: &[DVec3]| elastic.answer(impulses);
        let elastic_block = (elastic.is_wet() && !self.is_weak())
            .then(|| ElasticBlock::new(&work.sample_rows, &answer, source.clone()));
        let walls = self.wall_pressure(work);
        let pressure = PressureBlock::new(operator, relaxation, walls, kappa, source, push);
        let mut system = Coupled::new(pressure, body_block, elastic_block, interfaces);
        let report = system.solve(&params);

        let Coupled { pressure, bodies: body_block, interface, .. } = system;
        let PressureBlock { kappa, push, source, walls, .. } = pressure;
        if let Some(residual) = body_block.map(|block| block.residual) {
            (bodies.residual, bodies.solved) = (residual, report);
        }
        let (kappa, wall) = (kappa.now, walls.map(|walls| walls.kappa));
        // Samples take impulses in double precision, and what they get the fluid has to lose.
        let exact = match relaxation.skips_displacement {
            true => Some(self.exact_push(&operator, &kappa, wall.as_deref())),
            false if !elastic.is_wet() => None,
            false => Some(exact::push_along_pairs(&operator, &kappa, wall.as_deref())),
        };
        let found = interface.map(|interfaces| match &exact {
            Some(push) => interfaces.result(push),
            None => interfaces.result(&push.par_iter().map(to_f64).collect::<Vec<_>>()),
        });
        (work.source, work.push) = (source, push);
        self.push_fluid(work, exact.as_deref(), dt);
        if bodies.any() && self.is_weak() {
            self.apply_pressure_impulses(work, &kappa, wall.as_deref(), bodies);
        }
        if elastic.is_wet() {
            let impulses = work.sample_rows.impulses(&kappa, wall.as_deref());
            elastic.push_by(&impulses, &mut work.predicted, dt);
        }
        for (sum, wall) in work.wall_kappa.iter_mut().zip(wall.iter().flatten()) {
            *sum += wall;
        }
        if let Some(found) = found {
            self.apply_interface_impulses(&found, bodies);
            self.apply_interface_displacements(work, found, dt / self.spacing);
        }
        if bodies.any() {
            self.write_body_velocities(work, &bodies.bodies, dt);
        }
        (kappa, report)
    }

    /// How to relax pressures, and how to sweep all that is solved with them.
    fn how_to_solve(
        &self,
        mean_error: f64,
        interfaces: Option<&InterfaceSystem>,
        bodies: &BodyStep,
    ) -> (Relaxation, Params) {
        let has_tension = interfaces.is_some_and(InterfaceSystem::has_tension);
        let larger = match self.has_only_tension() {
            true => Some(OMEGA_AND_BETA_WITH_TENSION),
            false => (has_tension && !self.has_bodies()).then_some(OMEGA_AND_BETA_WITH_FRICTION),
        };
        let mut relaxation = Relaxation {
            mean_error,
            lowest: if self.is_closed() { f32::NEG_INFINITY } else { 0.0 },
            larger_omega: larger.map(|(omega, _)| omega),
            skips_displacement: self.has_tension(),
        };
        let mut params = Params {
            min_sweeps: self.pressure.min_iterations,
            max_sweeps: self.pressure.max_iterations,
            memory: match (has_tension, larger) {
                (true, Some((_, memory))) => memory,
                (true, None) => BETA_WITH_TENSION,
                _ => 1.0,
            },
            stop: self.stop,
            ..Params::default()
        };
        if bodies.any() && !self.is_weak() {
            params = self.with_bodies(params, !bodies.system.contacts().is_empty());
        } else if interfaces.is_some() && self.coupling.solver == CouplingSolver::Jacobi {
            (params.memory, relaxation.larger_omega) = (0.0, None); // as PT24
        }
        (relaxation, params)
    }

    /// The compression of each particle that pressure has to remove: `source` of the one by the
    /// predicted motion.
    fn compressions(
        &self,
        work: &mut Workspace,
        dt: f64,
        source: impl Fn(&Chunk, usize, f32) -> f32 + Sync,
    ) -> Vec<f32> {
        let (n, per_step) = (self.fluid_count(), dt / self.spacing);
        work.predicted
            .par_iter()
            .map(|&v| (v * per_step).as_vec3().extend(0.0))
            .collect_into_vec(&mut work.motion);
        let mut sources = std::mem::take(&mut work.source);
        sources.resize(n, 0.0);
        let (operator, motion) = (self.operator(work), &work.motion);
        work.neighbors.for_each(&mut sources, |chunk, out, local| {
            dispatch(Sources { operator: &operator, chunk, motion, out, local, source: &source });
        });
        if self.is_closed() {
            // No surface can yield: what all particles have in common no pressure can remove. A
            // stirred lattice is a little denser on average than one at rest.
            let mean = (reduce::sum(n, |i| f64::from(sources[i])) / n.max(1) as f64) as f32;
            sources.par_iter_mut().for_each(|source| *source -= mean);
        }
        sources
    }

    /// Pressures of walls, if they have their own.
    fn wall_pressure<'a>(&self, work: &'a Workspace) -> Option<WallPressure<'a>> {
        let extrapolates = self.pressure.boundary == BoundaryPressure::Extrapolated;
        extrapolates.then(|| WallPressure {
            extrapolation: &work.extrapolation,
            kappa: vec![0.0; self.particles.len()],
        })
    }

    /// (P1) in double precision.
    fn exact_push(
        &self,
        operator: &PressureOperator,
        kappa: &[f32],
        wall: Option<&[f32]>,
    ) -> Vec<DVec3> {
        let places = exact::ParticlePlaces {
            position: &self.particles.position,
            period: self.period,
            spacing: self.spacing,
            kernel: self.kernel(),
        };
        exact::push(places, operator, kappa, wall)
    }

    /// Adds what pressure moves the fluid in a step of length `dt` to the predicted velocities: in
    /// double precision (`exact`) where drops or elastic bodies are, else as sweeps saw it.
    fn push_fluid(&self, work: &mut Workspace, exact: Option<&[DVec3]>, dt: f64) {
        let per_step = dt / self.spacing;
        let all = work.predicted.par_iter_mut();
        match exact {
            Some(exact) => all.zip(exact).for_each(|(v, push)| *v += *push / per_step),
            None => all.zip(&work.push).for_each(|(v, push)| *v += to_f64(push) / per_step),
        }
    }
}

/// The momentum that flows through a fluid with κ = 1 around a particle: pressure as a gauge would
/// show it is κ times this (Irving & Kirkwood 1950). On a lattice it is 1.01 (2D) and 1.02 (3D), in
/// settled disorder 0.97: so much would ρ g d be missed with κ alone.
pub(super) fn flux(boundary: BoundaryPressure, sums: &Sums) -> f32 {
    // Of a fluid neighbour's pressure one half is its own: a wall without has the other half alone.
    // One that mirrors counts twice already.
    let of_wall = match boundary {
        BoundaryPressure::Zero | BoundaryPressure::Mirrored => 0.5,
        BoundaryPressure::Extrapolated => 1.0,
    };
    (sums.fluid_moment + of_wall * sums.wall_moment).max(MIN_FLUX)
}

fn to_f64(push: &Vec4) -> DVec3 {
    push.truncate().as_dvec3()
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

impl<F: Fn(&Chunk, usize, f32) -> f32> Vectorised for Sources<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Sources { operator, chunk, motion, out, local, source } = self;
        chunk.fetch(motion, local);
        for (k, out) in out.iter_mut().enumerate() {
            let compression = operator.compression_of_motion::<L>(chunk, k, motion, local);
            *out = source(chunk, k, compression);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surfaces_are_seen_however_dense_they_are() {
        let of = |number_density: f32, one_sided: f32, wall_density: f32| {
            let fluid_gradient = Vec4::new(0.0, one_sided, 0.0, 0.0);
            Sums { number_density, fluid_gradient, wall_density, ..Sums::default() }
        };
        // A flat surface at rest; one of a drop that tension squeezes; deep inside; next to a wall.
        assert!(is_at_surface(&of(0.7, 0.5, 0.0)));
        assert!(is_at_surface(&of(1.1, 0.6, 0.0)));
        assert!(!is_at_surface(&of(1.01, 0.05, 0.0)));
        assert!(!is_at_surface(&of(1.01, 0.5, 0.3)));
    }
}
