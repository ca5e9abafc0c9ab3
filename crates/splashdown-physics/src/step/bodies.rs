//! Rigid bodies in a step: what drives them, what they leave behind.

use rayon::prelude::*;
use splashdown_solve::nncg::{self, Params, Report};

use super::Workspace;
use crate::body::{CouplingMethod, CouplingSolver, RigidBody};
use crate::coupling::interlinked::explicit_friction;
use crate::coupling::touches::Touches;
use crate::math::{DVec3, Pose};
use crate::rigid::bodies::{Body, Twist, bodies, mass_unit};
use crate::rigid::dry::DryContact;
use crate::rigid::integrate::{Moved, moved};
use crate::rigid::jammed::{Jam, jams, take_jammed};
use crate::rigid::memory::{Stick, recall, remember};
use crate::rigid::search::{contacts, excess, touching_slope};
use crate::rigid::solve::{ContactSystem, Swept, is_small};
use crate::sph::loads::Loads;
use crate::world::{StepError, World};

/// Bodies that overlap are pushed apart no faster than this: gravity stops it within this many h.
const HOP: f64 = 0.01;
/// Without gravity: spacings per second.
const DRIFT: f64 = 2.0;
/// No particle of a body may cross more than this many spacings in one step: two surfaces see each
/// other when they are this far apart.
const LONGEST_MOVE: f64 = 0.5;

/// A contact solve that leaves this residual has failed: bodies would sink into each other.
const HOPELESS: f64 = 0.05;
/// Surfaces that come closer than this, in spacings between layers of samples that touch at one, while the
/// solve does not reach its tolerance, are lost in each other.
const SUNK: f64 = 0.3;

/// Rigid bodies during a step.
#[derive(Debug, Default)]
pub(super) struct BodyStep {
    /// All solids; empty if none of them is dynamic.
    pub bodies: Vec<Body>,
    /// Their motions at the beginning of the step.
    start: Vec<Twist>,
    /// Contacts of this step.
    pub system: ContactSystem,
    /// What they remember, in h.
    slips: Vec<DVec3>,
    /// Impulses of friction that came before the contact solve, one for each solid; empty if there is none.
    friction: Vec<Twist>,
    /// How the contact solve ended.
    pub solved: Report,
    /// Its residuals.
    pub swept: Swept,
}

/// What a step makes of the bodies.
#[derive(Debug, Default)]
pub(super) struct BodyResult {
    pub moved: Vec<Option<Moved>>,
    pub sticks: Vec<Stick>,
}

impl BodyStep {
    /// Whether there is anything to do.
    pub fn any(&self) -> bool {
        !self.bodies.is_empty()
    }
}

impl World {
    /// Whether any solid moves by the forces on it.
    pub(super) fn has_bodies(&self) -> bool {
        self.solids.iter().any(|solid| solid.body.is_some())
    }

    /// Contacts and touches at the present positions.
    pub(super) fn find_contacts(&self, work: &mut Workspace) {
        if !self.has_bodies() {
            return;
        }
        work.contacts = contacts(self, work);
        take_jammed(self, &mut work.contacts);
        let extrapolated = self.pressure.boundary == crate::world::BoundaryPressure::Extrapolated;
        work.touches = Touches::find(self, work, extrapolated);
    }

    /// Pairs of solids that touch and cannot move apart, at the present positions. Their contacts
    /// carry nothing.
    pub fn jams(&self) -> Vec<Jam> {
        if !self.solids.iter().any(|solid| solid.dynamic().is_some_and(RigidBody::is_locked)) {
            return Vec::new();
        }
        // A copy of the solids alone: looking sorts particles.
        let mut solids = World::new(self.dimension, self.spacing);
        (solids.kernel, solids.period) = (self.kernel, self.period);
        self.solids.iter().for_each(|solid| solids.add_solid(solid.clone()));
        let mut work = Workspace::default();
        let found = solids.sort_along_curve(&mut work).and_then(|()| solids.search(&mut work));
        if found.is_err() {
            return Vec::new(); // as the first step will say
        }
        let mut contacts = contacts(&solids, &work);
        jams(&solids, &take_jammed(&solids, &mut contacts))
    }

    /// Bodies with the motions they have, on the way to `poses` if they move as told.
    pub(super) fn start_bodies(&self, work: &mut Workspace, poses: &[Pose], dt: f64) -> BodyStep {
        if !self.has_bodies() {
            return BodyStep::default();
        }
        let bodies = bodies(self, poses, dt);
        self.show_bodies(work, &bodies, dt);
        let start = bodies.iter().map(|body| body.motion).collect();
        BodyStep { bodies, start, ..BodyStep::default() }
    }

    /// Velocities of the particles of dynamic bodies into `predicted`.
    pub(super) fn show_bodies(&self, work: &mut Workspace, bodies: &[Body], dt: f64) {
        let scale = self.spacing / dt;
        for (solid, body) in self.solids.iter().zip(bodies).filter(|(_, body)| body.is_dynamic) {
            let range = solid.range.clone();
            let places = &self.particles.position[range.clone()];
            work.predicted[range].par_iter_mut().zip(places).with_min_len(1024).for_each(
                |(v, &x)| {
                    *v = scale * body.motion.linear
                        + body.motion.angular.cross(x - body.centre) / dt;
                },
            );
        }
    }

    /// Gravity, scripted forces and torques, motors.
    pub(super) fn drive_bodies(&self, step: &mut BodyStep, dt: f64) {
        let (unit, h) = (mass_unit(self), self.spacing);
        let time = self.clock.time + 0.5 * dt;
        for (solid, body) in self.solids.iter().zip(&mut step.bodies) {
            let Some(rigid) = &solid.body else { continue };
            let at = |values: &[crate::motion::Scalar; 3]| {
                DVec3::from(std::array::from_fn(|axis| values[axis].at(time)))
            };
            let force = at(&rigid.force) + rigid.mass * self.gravity;
            let torque = at(&rigid.torque);
            let mut impulse = Twist {
                linear: force * (dt * dt / (unit * h)),
                angular: torque * (dt * dt / (unit * h * h)),
            };
            let driven = body.response(&impulse);
            body.motion.add(1.0, &driven);
            if let Some(motor) = &rigid.motor {
                let axis = solid.pose.rotation * motor.axis;
                let missing = motor.speed.at(time) * dt - body.motion.angular.dot(axis);
                let mobility = axis.dot(body.inverse_inertia * axis);
                let limit = motor.torque_limit * dt * dt / (unit * h * h);
                if mobility > 0.0 {
                    let turn = (missing / mobility).clamp(-limit, limit);
                    impulse = Twist { linear: DVec3::ZERO, angular: axis * turn };
                    let driven = body.response(&impulse);
                    body.motion.add(1.0, &driven);
                }
            }
        }
    }

    /// Gives the impulses that viscosity left on solids to the bodies.
    pub(super) fn drag_bodies(&self, step: &mut BodyStep, loads: &Loads, dt: f64) {
        let (unit, h) = (mass_unit(self), self.spacing);
        for (body, load) in step.bodies.iter_mut().zip(loads) {
            let impulse = Twist {
                linear: load.viscous * (dt / (unit * h)),
                angular: load.viscous_moment * (dt / (unit * h * h)),
            };
            let dragged = body.response(&impulse);
            body.motion.add(1.0, &dragged);
        }
    }

    /// The contacts of this step, ready to be solved from the motions that bodies have by now.
    pub(super) fn prepare_contacts(&self, work: &Workspace, step: &mut BodyStep, dt: f64) {
        let mut found = work.contacts.clone();
        let (slips, begin) = recall(self, &found, dt);
        step.slips = slips;
        if self.coupling.method == CouplingMethod::Interlinked {
            step.friction = explicit_friction(&found, &mut step.bodies);
            found.iter_mut().for_each(|contact| contact.friction = 0.0);
            step.slips.fill(DVec3::ZERO);
        }
        let hop = (2.0 * HOP * self.gravity.length() / self.spacing).sqrt().max(DRIFT);
        let largest = hop * dt * touching_slope(self.kernel());
        let wet: Vec<bool> = work.touches.count.iter().map(|&n| n > 0).collect();
        step.system = ContactSystem::new(found, &step.bodies, largest, &step.slips, &wet);
        step.system.begin_with(begin);
    }

    /// How far to go with bodies in it; contacts, if there are any, want some sweeps whatever their residual says.
    pub(super) fn with_bodies(&self, mut params: Params, contacts: bool) -> Params {
        let coupling = &self.coupling;
        if contacts {
            params.min_sweeps = params.min_sweeps.max(coupling.min_iterations);
        }
        params.max_sweeps = params.max_sweeps.max(coupling.max_iterations);
        if coupling.method == CouplingMethod::Interlinked
            || coupling.solver == CouplingSolver::Jacobi
        {
            params.memory = 0.0;
        }
        params
    }

    /// Contact and friction after the fluid has been solved without them (Akinci et al. 2012).
    pub(super) fn solve_contacts_after_fluid(&self, step: &mut BodyStep) {
        let params = Params { max_sweeps: 0, stop: self.stop, ..Params::default() };
        self.solve_contacts(step, &self.with_bodies(params, true));
    }

    /// Contact and friction alone.
    pub(super) fn solve_contacts(&self, step: &mut BodyStep, params: &Params) {
        let mut contact = DryContact::new(&mut step.system, &mut step.bodies, self.coupling);
        step.solved = nncg::solve(&mut contact, params);
        step.swept = contact.swept;
    }

    /// Gives the impulses of pressures `kappa` (and `wall`) to bodies that did not move under them.
    pub(super) fn push_bodies(
        &self,
        work: &Workspace,
        kappa: &[f32],
        wall: Option<&[f32]>,
        step: &mut BodyStep,
    ) {
        let mut impulse = vec![Twist::default(); step.bodies.len()];
        work.touches.impulses(kappa, wall, &mut impulse);
        for (body, impulse) in step.bodies.iter_mut().zip(&impulse) {
            let pushed = body.response(impulse);
            body.motion.add(1.0, &pushed);
        }
    }

    /// Which of the bodies in the fluid moves fastest, and how fast, in m/s.
    pub(super) fn fastest_in_fluid(
        &self,
        work: &Workspace,
        step: &BodyStep,
        dt: f64,
    ) -> Option<(&str, f64)> {
        let wet = |solid: usize| work.touches.count.get(solid).is_some_and(|&count| count > 0);
        let bodies = step.bodies.iter().enumerate().filter(|(k, body)| body.is_dynamic && wet(*k));
        let speed = |body: &Body| body.motion.linear.length() * self.spacing / dt;
        let speeds = bodies.map(|(k, body)| (self.solids[k].name.as_str(), speed(body)));
        speeds.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Whether all bodies move in a way that the next step can live with.
    pub(super) fn check_bodies(
        &self,
        work: &Workspace,
        step: &BodyStep,
        dt: f64,
    ) -> Result<(), StepError> {
        let longest = LONGEST_MOVE * self.spacing / dt;
        if step.swept.contact_error > HOPELESS {
            let worst = step.system.most_compressed();
            let solids = worst.map_or([0, 0], |contact| contact.solids);
            let [a, b] = solids.map(|k| &self.solids[k].name);
            let what = format!("contact of {a} with {b} out of control, worst at");
            return Err(self.step_error(&what, worst.map_or(0, |contact| contact.particle), dt));
        }
        if !is_small(&step.swept, &self.coupling)
            && let Some(contact) = step.system.sunk(excess(self.kernel(), SUNK))
        {
            let other = &self.solids[contact.solids[1]].name;
            let many = step.solved.iterations;
            let what = format!("{many} iterations did not stop the sinking into {other}");
            return Err(self.step_error(&what, contact.particle, dt));
        }
        let bodies = self.solids.iter().zip(&step.bodies).enumerate();
        for (k, (solid, body)) in bodies.filter(|(_, (_, body))| body.is_dynamic) {
            let first = solid.range.start;
            if !(body.motion.linear.is_finite() && body.motion.angular.is_finite()) {
                return Err(self.step_error("velocity not finite", first, dt));
            }
            if work.strays.has_solid(k) {
                continue;
            }
            let fast = |v: &DVec3| v.length_squared() > longest * longest;
            if let Some(k) = work.predicted[solid.range.clone()].iter().position(fast) {
                return Err(self.step_error("velocity out of control", first + k, dt));
            }
        }
        Ok(())
    }

    /// Adds what contact and friction did to all solids.
    pub(super) fn contact_loads(&self, step: &BodyStep, dt: f64, loads: &mut Loads) {
        let unit = mass_unit(self) * self.spacing / dt;
        let turn = unit * self.spacing;
        for (load, friction) in loads.iter_mut().zip(&step.friction) {
            load.friction += unit * friction.linear;
            load.friction_moment += turn * friction.angular;
        }
        for (k, contact) in step.system.contacts().iter().enumerate() {
            let [pressure, friction] = step.system.parts_of(k);
            for (side, &solid) in contact.solids.iter().enumerate() {
                let load = &mut loads[solid];
                load.contact += unit * pressure[side].linear;
                load.contact_moment += turn * pressure[side].angular;
                load.friction += unit * friction[side].linear;
                load.friction_moment += turn * friction[side].angular;
            }
        }
    }

    /// Where the bodies are after the step, and what their contacts remember.
    pub(super) fn finish_bodies(&self, step: &BodyStep, dt: f64) -> BodyResult {
        let all = self.solids.iter().zip(&step.bodies).zip(&step.start);
        BodyResult {
            moved: all.map(|((solid, body), start)| moved(self, solid, body, start, dt)).collect(),
            sticks: remember(self, &step.system, &step.slips, &step.bodies, dt),
        }
    }

    /// Makes the result the state of the bodies.
    pub(super) fn accept_bodies(&mut self, result: BodyResult) {
        for (solid, moved) in self.solids.iter_mut().zip(result.moved) {
            let (Some(moved), Some(body)) = (moved, &mut solid.body) else { continue };
            let Moved { pose, velocity, angular_momentum, angular_velocity } = moved;
            (solid.pose, body.velocity, body.angular_momentum) = (pose, velocity, angular_momentum);
            let range = solid.range.clone();
            let particles = &mut self.particles;
            let places =
                particles.position[range.clone()].iter_mut().zip(&mut particles.velocity[range]);
            for ((x, v), &local) in places.zip(&solid.local) {
                *x = self.dimension.flatten(pose.apply(local));
                *v = velocity + angular_velocity.cross(*x - pose.translation);
            }
        }
        self.sticks = result.sticks;
    }
}
