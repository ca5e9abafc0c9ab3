//! Rigid bodies in a step: what drives them, what they leave behind.

use rayon::prelude::*;
use splashdown_solve::nncg::{self, Params, Report};

use super::arrange::sort_along_curve;
use super::{Step, Workspace};
use crate::body::{CouplingMethod, CouplingSolver, RigidBody};
use crate::coupling::interface_rows::InterfaceRows;
use crate::coupling::interlinked::explicit_friction;
use crate::error::StepError;
use crate::loads::Load;
use crate::math::{DVec3, Pose};
use crate::rigid::bodies::{Body, bodies};
use crate::rigid::contact_history::{StickState, recall, remember};
use crate::rigid::dry::DryContact;
use crate::rigid::integrate::{RigidMotion, integrate};
use crate::rigid::jammed::{self, Jam, take_jammed};
use crate::rigid::search::{contacts, excess, touching_slope};
use crate::rigid::solve::{ContactResidual, ContactSystem, is_small};
use crate::twist::Twist;
use crate::units::StepUnits;
use crate::world::World;

/// Bodies that overlap are pushed apart no faster than this: gravity stops it within this many h.
const MAX_SEPARATION_RISE: f64 = 0.01;
/// Without gravity: spacings per second.
const MAX_SEPARATION_SPEED: f64 = 2.0;
/// No particle of a body may cross more than this many spacings in one step: two surfaces see each
/// other when they are this far apart.
const MAX_MOVE: f64 = 0.5;

/// A contact solve that leaves this residual has failed: bodies would sink into each other.
const MAX_CONTACT_RESIDUAL: f64 = 0.05;
/// Surfaces that come closer than this, in spacings between layers of samples that touch at one,
/// while the solve does not reach its tolerance, are lost in each other.
const MIN_LAYER_DISTANCE: f64 = 0.3;

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
    /// Impulses of friction that came before the contact solve, one for each solid; empty if there
    /// is none.
    friction: Vec<Twist>,
    /// How the contact solve ended.
    pub solved: Report,
    /// Its residuals.
    pub residual: ContactResidual,
}

/// What a step makes of the bodies.
#[derive(Debug, Default)]
pub(super) struct BodyResult {
    pub moved: Vec<Option<RigidMotion>>,
    pub contact_history: Vec<StickState>,
}

impl BodyStep {
    /// Whether there is anything to do.
    pub(super) fn any(&self) -> bool {
        !self.bodies.is_empty()
    }
}

impl Step<'_> {
    /// Whether any solid moves by the forces on it.
    pub(super) fn has_bodies(&self) -> bool {
        self.solids.iter().any(|solid| solid.body().is_some())
    }

    /// Contacts and interface rows at the present positions.
    pub(super) fn find_contacts(&self, work: &mut Workspace) {
        if !self.has_bodies() {
            return;
        }
        let cells = work.neighbors.solid_cells();
        work.contacts = contacts(&self.rigid_system(), cells, work.located.cells.count);
        take_jammed(&self.rigid_system(), &mut work.contacts);
        let extrapolated = self.pressure.boundary == crate::world::BoundaryPressure::Extrapolated;
        work.interface_rows =
            InterfaceRows::find(&self.fluid_system(), &work.neighbors, extrapolated);
    }

    /// Bodies with the motions they have, on the way to `poses` if they move as told.
    pub(super) fn start_bodies(&self, work: &mut Workspace, poses: &[Pose], dt: f64) -> BodyStep {
        if !self.has_bodies() {
            return BodyStep::default();
        }
        let bodies = bodies(&self.rigid_system(), poses, dt);
        self.write_body_velocities(work, &bodies, dt);
        let start = bodies.iter().map(|body| body.motion).collect();
        BodyStep { bodies, start, ..BodyStep::default() }
    }

    /// Velocities of the particles of dynamic bodies into `predicted`.
    pub(super) fn write_body_velocities(&self, work: &mut Workspace, bodies: &[Body], dt: f64) {
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
    pub(super) fn apply_external_forces(&self, step: &mut BodyStep, dt: f64) {
        let StepUnits { mass: unit, length: h, .. } = self.units(dt);
        let time = self.clock.time + 0.5 * dt;
        for (solid, body) in self.solids.iter().zip(&mut step.bodies) {
            let Some(rigid) = solid.body() else { continue };
            let at = |values: &[crate::motion::Scalar; 3]| {
                DVec3::from(std::array::from_fn(|axis| values[axis].at(time)))
            };
            let force = at(&rigid.force) + rigid.mass * self.gravity;
            let torque = at(&rigid.torque);
            let mut impulse = Twist {
                linear: force * (dt * dt / (unit * h)),
                angular: torque * (dt * dt / (unit * h * h)),
            };
            body.apply(&impulse);
            if let Some(motor) = &rigid.motor {
                let axis = solid.pose.rotation * motor.axis;
                let missing = motor.speed.at(time) * dt - body.motion.angular.dot(axis);
                let mobility = axis.dot(body.inverse_inertia * axis);
                let limit = motor.torque_limit * dt * dt / (unit * h * h);
                if mobility > 0.0 {
                    let turn = (missing / mobility).clamp(-limit, limit);
                    impulse = Twist { linear: DVec3::ZERO, angular: axis * turn };
                    body.apply(&impulse);
                }
            }
        }
    }

    /// Gives the impulses that viscosity left on solids to the bodies.
    pub(super) fn apply_viscous_impulses(&self, step: &mut BodyStep, loads: &[Load], dt: f64) {
        let StepUnits { mass: unit, length: h, .. } = self.units(dt);
        for (body, load) in step.bodies.iter_mut().zip(loads) {
            let impulse = Twist {
                linear: load.viscous * (dt / (unit * h)),
                angular: load.viscous_moment * (dt / (unit * h * h)),
            };
            body.apply(&impulse);
        }
    }

    /// The contacts of this step, ready to be solved from the motions that bodies have by now.
    pub(super) fn prepare_contacts(&self, work: &Workspace, step: &mut BodyStep, dt: f64) {
        let mut found = work.contacts.clone();
        let (slips, begin) = recall(
            &self.rigid_system(),
            &self.contact_history,
            self.coupling.warm_start,
            &found,
            &self.units(dt),
        );
        step.slips = slips;
        if self.coupling.method == CouplingMethod::Interlinked {
            step.friction = explicit_friction(&found, &mut step.bodies);
            found.iter_mut().for_each(|contact| contact.friction = 0.0);
            step.slips.fill(DVec3::ZERO);
        }
        let separation_speed = (2.0 * MAX_SEPARATION_RISE * self.gravity.length() / self.spacing)
            .sqrt()
            .max(MAX_SEPARATION_SPEED);
        let largest = separation_speed * dt * touching_slope(self.kernel());
        let wet: Vec<bool> = work.interface_rows.count.iter().map(|&n| n > 0).collect();
        step.system = ContactSystem::new(found, &step.bodies, largest, &step.slips, &wet);
        step.system.begin_with(begin);
    }

    /// How far to go with bodies in it; contacts, if there are any, want some sweeps whatever their
    /// residual says.
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
        step.residual = contact.residual;
    }

    /// Gives the impulses of pressures `kappa` (and `wall`) to bodies that did not move under them.
    pub(super) fn apply_pressure_impulses(
        &self,
        work: &Workspace,
        kappa: &[f32],
        wall: Option<&[f32]>,
        step: &mut BodyStep,
    ) {
        let mut impulse = vec![Twist::default(); step.bodies.len()];
        work.interface_rows.impulses(kappa, wall, &mut impulse);
        for (body, impulse) in step.bodies.iter_mut().zip(&impulse) {
            body.apply(impulse);
        }
    }

    /// Which of the bodies in the fluid moves fastest, and how fast, in m/s.
    pub(super) fn fastest_in_fluid(
        &self,
        work: &Workspace,
        step: &BodyStep,
        dt: f64,
    ) -> Option<(&str, f64)> {
        let wet =
            |solid: usize| work.interface_rows.count.get(solid).is_some_and(|&count| count > 0);
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
        let longest = MAX_MOVE * self.spacing / dt;
        if step.residual.contact_error > MAX_CONTACT_RESIDUAL {
            let worst = step.system.most_compressed();
            let solids = worst.map_or([0, 0], |contact| contact.solids);
            let particle = worst.map_or(0, |contact| contact.particle);
            return Err(StepError::Contact {
                bodies: solids.map(|k| self.solids[k].name.clone()),
                position: self.particles.position.get(particle).copied().unwrap_or_default(),
                when: self.moment(dt),
            });
        }
        if !is_small(&step.residual, &self.coupling)
            && let Some(contact) =
                step.system.deepest_beyond(excess(self.kernel(), MIN_LAYER_DISTANCE))
        {
            let [body, into] = contact.solids.map(|k| self.solids[k].name.clone());
            return Err(StepError::Sinking {
                body,
                into,
                iterations: step.solved.iterations,
                position: self.particles.position[contact.particle],
                when: self.moment(dt),
            });
        }
        let bodies = self.solids.iter().zip(&step.bodies).enumerate();
        for (k, (solid, body)) in bodies.filter(|(_, (_, body))| body.is_dynamic) {
            let first = solid.range.start;
            if !(body.motion.linear.is_finite() && body.motion.angular.is_finite()) {
                return Err(self.velocity_error(first, false, dt));
            }
            if work.strays.has_solid(k) {
                continue;
            }
            let fast = |v: &DVec3| v.length_squared() > longest * longest;
            if let Some(k) = work.predicted[solid.range.clone()].iter().position(fast) {
                return Err(self.velocity_error(first + k, true, dt));
            }
        }
        Ok(())
    }

    /// Adds what contact and friction did to all solids.
    pub(super) fn contact_loads(&self, step: &BodyStep, dt: f64, loads: &mut [Load]) {
        let unit = self.units(dt).impulse();
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
        let space = self.space();
        let newton = if self.coupling.warm_start > 0.0 { self.units(dt).force() } else { 0.0 };
        BodyResult {
            moved: all
                .map(|((solid, body), start)| integrate(space, solid, body, start, dt))
                .collect(),
            contact_history: remember(
                &self.rigid_system(),
                &step.system,
                &step.slips,
                &step.bodies,
                newton,
            ),
        }
    }
}

/// Makes the result the state of the bodies.
pub(super) fn accept_bodies(world: &mut World, result: BodyResult) {
    for (solid, moved) in world.solids.iter_mut().zip(result.moved) {
        let (Some(moved), Some(body)) = (moved, solid.body_mut()) else { continue };
        let RigidMotion { pose, velocity, angular_momentum, angular_velocity } = moved;
        (body.velocity, body.angular_momentum) = (velocity, angular_momentum);
        solid.pose = pose;
        let range = solid.range.clone();
        let particles = &mut world.particles;
        let places =
            particles.position[range.clone()].iter_mut().zip(&mut particles.velocity[range]);
        for ((x, v), &local) in places.zip(&solid.local) {
            *x = world.dimension.flatten(pose.apply(local));
            *v = velocity + angular_velocity.cross(*x - pose.translation);
        }
    }
    world.contact_history = result.contact_history;
}

/// Pairs of solids that touch and cannot move apart, at the present positions. Their contacts
/// carry nothing.
pub fn jams(world: &World) -> Vec<Jam> {
    if !world.solids.iter().any(|solid| solid.dynamic().is_some_and(RigidBody::is_locked)) {
        return Vec::new();
    }
    // A copy of the solids alone: looking sorts particles.
    let mut solids = World::new(world.dimension, world.spacing);
    (solids.kernel, solids.period) = (world.kernel, world.period);
    world.stiff_solids().iter().for_each(|solid| solids.add_solid(solid.clone()));
    let mut work = Workspace::default();
    let found =
        sort_along_curve(&mut solids, &mut work).and_then(|()| Step::of(&solids).search(&mut work));
    if found.is_err() {
        return Vec::new(); // as the first step will say
    }
    let solids = solids.rigid_system();
    let cells = work.neighbors.solid_cells();
    let mut contacts = contacts(&solids, cells, work.located.cells.count);
    jammed::jams(&solids, &take_jammed(&solids, &mut contacts))
}
