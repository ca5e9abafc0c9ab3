//! Surface tension on its own, before or after pressure: how older models do it, and why one system is better.

use glam::Vec4;

use super::Workspace;
use super::bodies::BodyStep;
use crate::coupling::droplets::{Droplets, Found, Start};
use crate::math::DVec3;
use crate::rigid::bodies::{Twist, mass_unit};
use crate::sph::tension::baselines;
use crate::sph::tension::{TensionModel, TensionOrder};
use crate::world::World;

impl World {
    /// Whether tension is solved together with pressure.
    pub(super) fn tension_is_coupled(&self) -> bool {
        self.tension.pulls()
            && self.tension.model == TensionModel::Probst2024
            && self.tension.order == TensionOrder::Together
    }

    /// Whether tension acts on its own, before or after pressure. What does not depend on the end of the step
    /// acts before, unless told otherwise.
    pub(super) fn tension_acts(&self, order: TensionOrder) -> bool {
        let after = self.tension.order == TensionOrder::After;
        self.tension.pulls()
            && !self.tension_is_coupled()
            && after == (order == TensionOrder::After)
    }

    /// Adds tension alone to the velocities and to the motion of bodies; returns what it did.
    pub(super) fn pull_alone(&self, work: &mut Workspace, dt: f64, step: &mut BodyStep) -> Found {
        let found = match self.tension.model {
            TensionModel::Probst2024 => self.relax_tension(work, dt),
            _ => self.explicit_tension(work, dt),
        };
        let per_step = dt / self.spacing;
        for (v, u) in work.predicted.iter_mut().zip(&found.displacement) {
            *v += *u / per_step;
        }
        for (body, impulse) in step.bodies.iter_mut().zip(&found.on_solids[0]) {
            let pulled = body.response(impulse);
            body.motion.add(1.0, &pulled);
        }
        self.show_bodies(work, &step.bodies, dt);
        found
    }

    /// The implicit tension (D1), with nothing else moving.
    fn relax_tension(&self, work: &mut Workspace, dt: f64) -> Found {
        let surface = std::mem::take(&mut work.surface);
        let start = Start {
            strengths: self.strengths(self.tension_unit(dt)),
            friction: Vec::new(),
            grips: Vec::new(),
            displacement: work.predicted.iter().map(|&v| v * (dt / self.spacing)).collect(),
            inverse_mass: self.inverse_masses(work),
            dynamic: vec![false; self.solids.len()],
            error: self.tension.error,
            share: 1.0,
            is_loose: false,
            is_friction_known: true,
        };
        let mut droplets = Droplets::new(&surface, start);
        let still = vec![Vec4::ZERO; self.fluid_count()];
        for _ in 0..self.pressure.max_iterations {
            let moved = droplets.pulled().map_or_else(|| still.clone(), <[Vec4]>::to_vec);
            let swept = droplets.sweep(&[], &[], &moved, true);
            droplets.settle();
            if swept.converged {
                break;
            }
        }
        droplets.pulled();
        let found = droplets.result(&vec![DVec3::ZERO; self.fluid_count()]);
        work.surface = surface;
        found
    }

    /// Forces of the beginning of the step over its length.
    fn explicit_tension(&self, work: &Workspace, dt: f64) -> Found {
        let mut forces = baselines::forces(self, work);
        let unit = dt * dt / (mass_unit(self) * self.spacing);
        forces.fluid.iter_mut().for_each(|force| *force *= unit);
        for twist in &mut forces.solids {
            *twist = Twist { linear: twist.linear * unit, angular: twist.angular * unit };
        }
        let masses = self.inverse_masses(work);
        let moved = |(&p, &m): (&DVec3, &f64)| m * p;
        Found {
            displacement: forces.fluid.iter().zip(&masses).map(moved).collect(),
            tension: forces.fluid,
            friction: Vec::new(),
            on_solids: [forces.solids, vec![Twist::default(); self.solids.len()]],
            unseen: Vec::new(),
            pressed: 0.0,
        }
    }
}
