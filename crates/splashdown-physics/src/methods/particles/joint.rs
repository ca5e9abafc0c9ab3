//! All of a step in one minimum (Xie 2023, 4.23): particles are guests of the bodies' step, and the
//! potentials of the fluid are what they have in common.

use splashdown_solids::guests::{Guest, Guests};
use splashdown_solids::medium::Medium;
use splashdown_solids::parts::Parts;

use super::elastic::ElasticStep;
use super::guests::ElasticOutcome;
use super::variational::Minimised;
use super::{Step, Workspace};
use crate::deforming::Samples;
use crate::elastic::{ElasticMotion, physics};
use crate::error::StepError;
use crate::math::{DMat3, DVec3, Pose};
use crate::sph::pressure::settings::FluidTension;
use crate::sph::variational::potentials::Potentials;
use crate::sph::variational::rows::Rows;

/// Guests, and where all points are expected at the end of the step, if that is known.
type Expected<'a> = (&'a [Guest], Option<&'a [DVec3]>);

/// P_I + P_V as an energy of vertices and particles.
#[derive(Debug)]
struct Fluid<'a> {
    rows: &'a Rows,
    held: &'a [bool],
    ratio: &'a [f64],
    /// No inertia: that is the bodies' step's.
    weightless: Vec<f64>,
    /// κ
    stiffness: f64,
    /// Who pushes, if that was settled before.
    settled: Option<Vec<bool>>,
    /// Displacements of particles that are no unknowns, h.
    goal: &'a [DVec3],
    /// Which particle each guest is.
    particles: &'a [usize],
    samples: Samples<'a>,
    /// Places of vertices and guests at the beginning, m.
    start: Vec<DVec3>,
    /// How many vertices there are.
    first: usize,
    /// One unit of force, N.
    newton: f64,
    /// h
    spacing: f64,
}

impl Fluid<'_> {
    fn potentials<'a>(&'a self, active: &'a [bool]) -> Potentials<'a> {
        let Fluid { rows, held, ratio, stiffness, .. } = *self;
        Potentials { rows, mass: &self.weightless, held, ratio, active, stiffness }
    }

    /// Displacements of all particles for moves of all points (m), beyond `u`.
    fn displace(&self, u: &mut [DVec3], moves: &[DVec3]) {
        let (of_vertices, of_guests) = moves.split_at(self.first);
        for (&i, moved) in self.particles.iter().zip(of_guests) {
            u[i] = *moved / self.spacing;
        }
        let samples = u[self.samples.range.clone()].iter_mut();
        samples.zip(self.samples.gather(of_vertices)).for_each(|(u, m)| *u = m / self.spacing);
    }

    fn displacements(&self, x: &[DVec3]) -> Vec<DVec3> {
        let moves: Vec<DVec3> = x.iter().zip(&self.start).map(|(x, start)| *x - *start).collect();
        let mut u = self.goal.to_vec();
        self.displace(&mut u, &moves);
        u
    }

    /// Adds forces on particles and samples, in the unit of the fluid, to those on points.
    fn add(&self, of_fluid: &[DVec3], of_samples: Vec<DVec3>, sum: &mut [DVec3]) {
        let (by_vertex, by_guest) = sum.split_at_mut(self.first);
        let guests = by_guest.iter_mut().zip(self.particles);
        guests.for_each(|(sum, &i)| *sum += self.newton * of_fluid[i]);
        let forces: Vec<DVec3> = of_samples.iter().map(|f| self.newton * *f).collect();
        self.samples.scatter(&forces, by_vertex);
    }

    fn reaction(&self, potentials: &Potentials<'_>, squeeze: &[f64], u: &[DVec3]) -> Vec<DVec3> {
        let mut forces = vec![DVec3::ZERO; self.samples.range.len()];
        potentials.reaction(squeeze, u, self.samples.range.start, &mut forces);
        forces
    }
}

impl Medium for Fluid<'_> {
    fn value(&self, x: &[DVec3]) -> f64 {
        let active = self.active(x);
        let stored = self.potentials(&active).stored(&self.displacements(x));
        self.newton * self.spacing * stored
    }

    fn add_gradient(&self, x: &[DVec3], gradient: &mut [DVec3]) {
        let (u, active) = (self.displacements(x), self.active(x));
        let potentials = self.potentials(&active);
        let squeeze = potentials.squeeze(&u);
        let mut of_fluid = vec![DVec3::ZERO; potentials.count()];
        potentials.spread(&squeeze, &u, &mut of_fluid);
        self.add(&of_fluid, self.reaction(&potentials, &squeeze, &u), gradient);
    }

    fn active(&self, x: &[DVec3]) -> Vec<bool> {
        if let Some(settled) = &self.settled {
            return settled.clone();
        }
        let ratios = self.potentials(&[]).volume_ratios(&self.displacements(x));
        ratios.iter().map(|j| *j < 1.0).collect()
    }

    fn add_product(&self, active: &[bool], moves: &[DVec3], product: &mut [DVec3]) {
        let potentials = self.potentials(active);
        let mut p = vec![DVec3::ZERO; self.goal.len()];
        self.displace(&mut p, moves);
        let (mut squeeze, mut of_fluid) = (Vec::new(), vec![DVec3::ZERO; potentials.count()]);
        potentials.squeeze_rates(&p, &mut squeeze);
        potentials.multiply(&squeeze, &p, &mut of_fluid);
        self.add(&of_fluid, self.reaction(&potentials, &squeeze, &p), product);
    }

    fn diagonal(&self, active: &[bool]) -> Vec<DMat3> {
        let blocks = self.potentials(active).diagonal();
        let unit = self.newton / self.spacing;
        self.particles.iter().map(|&i| unit * blocks[i]).collect()
    }
}

impl Step<'_> {
    /// The minimum of everything: what becomes of the bodies and of all particles.
    pub(super) fn minimise_jointly(
        &self,
        work: &mut Workspace,
        (poses, elastic): (&[Pose], &ElasticStep<'_>),
        last: (f64, u32),
    ) -> Result<ElasticOutcome, StepError> {
        let particles: Vec<usize> =
            (0..self.fluid_count()).filter(|i| work.held.binary_search(i).is_err()).collect();
        work.minimised.found =
            work.minimised.task(&self.pressure.potentials, (None, self.stop)).at_goal();
        let mut start = None;
        let mut pass = 0;
        loop {
            let all: Vec<Guest> =
                particles.iter().map(|&i| self.joint_guest(work, i, (pass, last.0))).collect();
            let mut memory = std::mem::take(&mut work.elastic);
            let fluid = self.medium(&work.minimised, (&particles, &all), last.0);
            let guests = (&all[..], start.as_deref());
            let own = (elastic.force(), guests, &fluid);
            let moved = self.minimise_with(&mut memory, poses, own, last).map(|motion| {
                let ends = motion.position().iter().chain(motion.guests()).copied();
                let ends: Vec<DVec3> = ends.collect();
                let active = fluid.active(&ends);
                let displacement = fluid.displacements(&ends);
                let squeeze = fluid.potentials(&active).squeeze(&displacement);
                (motion, ends, displacement, squeeze)
            });
            work.elastic = memory;
            let (motion, ends, displacement, squeeze) = moved?;
            let found = &mut work.minimised.found;
            (found.displacement, found.squeeze) = (displacement, squeeze);
            found.solves += motion.report.iterations;
            found.iterations += motion.report.linear_iterations;
            pass += 1;
            work.minimised.passes = pass;
            let rubs = all.iter().any(|guest| guest.friction > 0.0);
            if pass >= if rubs { self.stepper.friction_passes } else { 1 } {
                let per_step = last.0 / self.spacing;
                for &i in &particles {
                    work.predicted[i] = work.minimised.found.displacement[i] / per_step;
                }
                return Ok(ElasticOutcome::new(&self.elastic, motion, particles, pass));
            }
            start = Some(ends);
        }
    }

    /// Fluid particle `i` as a guest that goes where no pressure moves it.
    fn joint_guest(&self, work: &Workspace, i: usize, (pass, dt): (u32, f64)) -> Guest {
        let press = match pass {
            0 => self.last_press(work, i, dt),
            _ => self.potential_press(work, i, dt),
        };
        let goal = self.particles.position[i] + dt * work.predicted[i];
        Guest { goal, ..self.guest(i, press, dt) }
    }

    fn minimise_with(
        &self,
        memory: &mut physics::step::Workspace,
        poses: &[Pose],
        (force, guests, fluid): (&[DVec3], Expected<'_>, &Fluid<'_>),
        last: (f64, u32),
    ) -> Result<ElasticMotion, StepError> {
        let (all, start) = guests;
        let settings = self.elastic.guests.unwrap_or_default();
        let barrier = if self.elastic.guests.is_some() { 1.0 } else { 0.0 };
        let parts = Parts { medium: Some(fluid), barrier, ..Parts::default() };
        let own = (force, Some(Guests { all, settings, start }), parts);
        self.move_elastic(memory, self.surroundings(poses), own, last)
    }

    fn medium<'a>(
        &'a self,
        minimised: &'a Minimised,
        (particles, all): (&'a [usize], &[Guest]),
        dt: f64,
    ) -> Fluid<'a> {
        let vertices = &self.elastic.solids.position;
        let mut start = vertices.clone();
        start.extend(all.iter().map(|guest| guest.position));
        let task = minimised.task(&self.pressure.potentials, (None, self.stop));
        let ratio = &minimised.found.ratio;
        let is_free = self.pressure.potentials.tension == FluidTension::None;
        Fluid {
            rows: task.rows,
            held: task.held,
            ratio,
            weightless: vec![0.0; task.mass.len()],
            stiffness: task.stiffness,
            settled: (!is_free).then(|| task.first_set(ratio)),
            goal: task.goal,
            particles,
            samples: self.samples(),
            start,
            first: vertices.len(),
            newton: self.units(dt).force(),
            spacing: self.spacing,
        }
    }
}
