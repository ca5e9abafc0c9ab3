//! Surface tension on its own, before or after pressure: how older models do it, and why one system
//! is better.

use glam::Vec4;

use super::bodies::BodyStep;
use super::{Step, Workspace};
use crate::coupling::interface_system::{InterfaceInput, InterfaceSystem, TensionResult};
use crate::math::DVec3;
use crate::sph::tension::baselines;
use crate::sph::tension::{TensionModel, TensionOrder};
use crate::twist::Twist;

impl Step<'_> {
    /// Whether tension is solved together with pressure.
    pub(super) fn tension_is_coupled(&self) -> bool {
        self.has_tension()
            && self.tension.model == TensionModel::Probst2024
            && self.tension.order == TensionOrder::Together
    }

    /// Whether tension acts on its own, before or after pressure. What does not depend on the end
    /// of the step acts before, unless told otherwise.
    pub(super) fn tension_acts(&self, order: TensionOrder) -> bool {
        let after = self.tension.order == TensionOrder::After;
        self.has_tension() && !self.tension_is_coupled() && after == (order == TensionOrder::After)
    }

    /// Adds tension alone to the velocities and to the motion of bodies; returns what it did.
    pub(super) fn apply_separate_tension(
        &self,
        work: &mut Workspace,
        dt: f64,
        step: &mut BodyStep,
    ) -> TensionResult {
        let found = match self.tension.model {
            TensionModel::Probst2024 => self.relax_tension(work, dt),
            _ => self.explicit_tension(work, dt),
        };
        let per_step = dt / self.spacing;
        for (v, u) in work.predicted.iter_mut().zip(&found.displacement) {
            *v += *u / per_step;
        }
        for (body, impulse) in step.bodies.iter_mut().zip(&found.on_solids[0]) {
            body.apply(impulse);
        }
        self.write_body_velocities(work, &step.bodies, dt);
        found
    }

    /// The implicit tension (D1), with nothing else moving.
    fn relax_tension(&self, work: &mut Workspace, dt: f64) -> TensionResult {
        let surface = std::mem::take(&mut work.surface);
        let input = InterfaceInput {
            strengths: self.strengths(self.tension_unit(dt)),
            friction: Vec::new(),
            contacts: Vec::new(),
            displacement: work.predicted.iter().map(|&v| v * (dt / self.spacing)).collect(),
            inverse_mass: self.inverse_masses(work),
            dynamic: vec![false; self.solids.len()],
            error: self.tension.error,
            share: 1.0,
            is_only_tension: false,
            has_direct_friction: true,
        };
        let mut interfaces = InterfaceSystem::new(&surface, input);
        let still = vec![Vec4::ZERO; self.fluid_count()];
        for _ in 0..self.pressure.max_iterations {
            let moved =
                interfaces.tension_displacement().map_or_else(|| still.clone(), <[Vec4]>::to_vec);
            let swept = interfaces.sweep(&[], &[], &moved, true);
            interfaces.settle();
            if swept.converged {
                break;
            }
        }
        interfaces.tension_displacement();
        let found = interfaces.result(&vec![DVec3::ZERO; self.fluid_count()]);
        work.surface = surface;
        found
    }

    /// Forces of the beginning of the step over its length.
    fn explicit_tension(&self, work: &Workspace, dt: f64) -> TensionResult {
        let mut forces = baselines::forces(&self.fluid_system(), &work.neighbors);
        let unit = self.units(dt).per_newton();
        forces.fluid.iter_mut().for_each(|force| *force *= unit);
        for twist in &mut forces.solids {
            *twist = Twist { linear: twist.linear * unit, angular: twist.angular * unit };
        }
        let masses = self.inverse_masses(work);
        let moved = |(&p, &m): (&DVec3, &f64)| m * p;
        TensionResult {
            displacement: forces.fluid.iter().zip(&masses).map(moved).collect(),
            tension: forces.fluid,
            friction: Vec::new(),
            on_solids: [forces.solids, vec![Twist::default(); self.solids.len()]],
            unseen: Vec::new(),
            normal_load: 0.0,
        }
    }
}
