//! Surface tension and friction on walls in a step: where their solve starts, what it leaves
//! behind.

use rayon::prelude::*;

use super::bodies::BodyStep;
use super::{Step, Workspace};
use crate::body::CouplingSolver;
use crate::coupling::interface_system::{InterfaceInput, TensionResult};
use crate::coupling::wall_friction::{Walls, wall_contacts};
use crate::loads::Load;
use crate::math::DVec3;
use crate::particles::kernel::SUPPORT;
use crate::sph::tension::energy::Strengths;
use crate::sph::tension::{TensionModel, baselines};
use crate::twist::Twist;
use crate::world::World;

impl Step<'_> {
    /// How far particles see, in h.
    pub(super) fn search_radius(&self) -> f64 {
        if self.has_tension() { self.surface_support() } else { SUPPORT }
    }

    /// Support of the kernel for interfaces, in h.
    pub(crate) fn surface_support(&self) -> f64 {
        self.fluid_system().surface_support()
    }

    /// γ A⁰ in `unit`, N/m, times hᵈ⁻¹.
    pub(super) fn strengths(&self, unit: f64) -> Strengths {
        Strengths::new(&self.fluid_system(), unit)
    }

    pub(super) fn find_surfaces(&self, work: &mut Workspace) {
        if self.has_tension() && self.tension.model == TensionModel::Probst2024 {
            let mut surface = std::mem::take(&mut work.surface);
            let system = self.fluid_system();
            surface.rebuild(&system, &mut work.neighbors);
            surface.weigh_walls(&system, &work.neighbors, &work.located);
            work.surface = surface;
        }
    }

    /// The strongest tension of all, γ A⁰ over h^(d−1), N/m, and the lightest fluid's density.
    fn strongest_and_lightest(&self) -> (f64, f64) {
        let strength = match self.tension.model {
            TensionModel::Probst2024 | TensionModel::Pairwise => self.strengths(1.0).largest(),
            _ => baselines::estimated_tension(&self.fluid_system()),
        };
        let lightest = self.fluids.iter().map(|fluid| fluid.density).fold(f64::INFINITY, f64::min);
        (strength, lightest)
    }

    /// How fast tension moves something by a spacing, 1/s: √(γ/(ρ h³)).
    pub(super) fn capillary_rate(&self) -> f64 {
        let (strength, lightest) = self.strongest_and_lightest();
        let area = self.tension.calibration.rest_area(self.dimension);
        (strength / (area * lightest * self.spacing.powi(3))).sqrt()
    }

    /// The longest step that tension allows: some share of the time √(ρ h³ / 2πγ) that a capillary
    /// wave of the size of a spacing takes, with γ as large as A⁰ makes it over the paper's π/4 h².
    pub(super) fn capillary_step(&self) -> f64 {
        let (strength, lightest) = self.strongest_and_lightest();
        if strength == 0.0 || lightest.is_infinite() {
            return f64::INFINITY;
        }
        self.tension.longest_step * (lightest * self.spacing.powi(3) / (8.0 * strength)).sqrt()
    }

    /// Whether tension and nothing else is solved with pressure: no fluid rubs on walls, and no
    /// body moves.
    pub(super) fn has_only_tension(&self) -> bool {
        self.tension_is_coupled() && !self.solves_friction() && !self.has_bodies()
    }

    /// Whether friction on walls is solved with pressure. Where there is a barrier it knows all
    /// that presses, and friction is part of its solve.
    fn solves_friction(&self) -> bool {
        self.has_wall_friction() && self.elastic.guests.is_none()
    }

    /// What tension and friction start from, if there are any.
    pub(super) fn interface_input(
        &self,
        work: &Workspace,
        dt: f64,
        step: &BodyStep,
    ) -> Option<InterfaceInput> {
        if !self.tension_is_coupled() && !self.solves_friction() {
            return None;
        }
        let h = self.spacing;
        let displacement: Vec<DVec3> = work.predicted.par_iter().map(|&v| v * (dt / h)).collect();
        let time = self.clock.time;
        let mu: Vec<f64> =
            self.fluids.iter().map(|fluid| fluid.surface.friction.at(time).max(0.0)).collect();
        let walls = Walls {
            displacement: &displacement,
            solid_of: &|b| self.solid_of(b).unwrap_or(0),
            arm: &|i, solid| self.fluid_system().arm(i, solid),
            bodies: if self.is_weak() { &[] } else { &step.bodies },
        };
        let contacts = wall_contacts(&work.neighbors, &mu, &work.inverse_mass, &walls);
        let unit = self.units(dt).per_newton();
        let last = |i: usize| {
            self.particles.wall_friction_force.get(i).copied().unwrap_or_default() * unit
        };
        Some(InterfaceInput {
            strengths: match self.tension_is_coupled() {
                true => self.strengths(self.tension_unit(dt)),
                false => Strengths::default(),
            },
            friction: contacts.iter().map(|contact| last(contact.particle)).collect(),
            contacts,
            displacement,
            inverse_mass: self.inverse_masses(work),
            dynamic: self.moved_by_solve(step),
            error: self.tension.error,
            is_only_tension: self.has_only_tension(),
            has_direct_friction: self.coupling.solver == CouplingSolver::Nncg,
            share: if self.tension_is_coupled() { self.tension.warm_start } else { 1.0 },
        })
    }

    /// Which solids move during the solve.
    fn moved_by_solve(&self, step: &BodyStep) -> Vec<bool> {
        let solves = step.any() && !self.is_weak();
        let moves = |k: usize| solves && step.bodies.get(k).is_some_and(|body| body.is_dynamic);
        (0..self.solids.len()).map(moves).collect()
    }

    /// The unit of γ in a step, N/m.
    pub(super) fn tension_unit(&self, dt: f64) -> f64 {
        self.reference_density() * self.spacing.powi(3) / (dt * dt)
    }

    /// 1/μ of every fluid particle; 0 of those that nothing moves.
    pub(super) fn inverse_masses(&self, work: &Workspace) -> Vec<f64> {
        let mut inverse_mass = Vec::with_capacity(self.fluid_count());
        for (fluid, &mass) in self.fluids.iter().zip(&work.inverse_mass) {
            inverse_mass.resize(fluid.range.end, f64::from(mass));
        }
        work.held.iter().for_each(|&i| inverse_mass[i] = 0.0);
        inverse_mass
    }

    /// Adds what the solve found to the predicted velocities. `per_step` is Δt/h.
    pub(super) fn apply_interface_displacements(
        &self,
        work: &mut Workspace,
        found: TensionResult,
        per_step: f64,
    ) {
        let all = work.predicted.par_iter_mut().zip(&found.displacement);
        all.for_each(|(v, u)| *v += *u / per_step);
        work.interfaces = found;
    }

    /// Gives bodies what the solve did not move them by: in the weak coupling all impulses of
    /// tension and friction, else a rounding.
    pub(super) fn apply_interface_impulses(&self, found: &TensionResult, step: &mut BodyStep) {
        let unseen = [&found.unseen];
        let all = found.on_solids.each_ref();
        for impulses in if self.is_weak() { all.as_slice() } else { unseen.as_slice() } {
            for (body, impulse) in step.bodies.iter_mut().zip(*impulses) {
                body.apply(impulse);
            }
        }
    }

    /// Adds what tension and friction do to solids: tension to what pressure does, because a wall
    /// feels both as one; friction to viscosity. `unit` is the momentum of a particle that moves
    /// one spacing.
    pub(super) fn interface_loads(&self, work: &Workspace, unit: f64, loads: &mut [Load]) {
        let [tension, friction] = &work.interfaces.on_solids;
        let turn = unit * self.spacing;
        for (load, Twist { linear, angular }) in loads.iter_mut().zip(tension) {
            load.pressure += unit * *linear;
            load.pressure_moment += turn * *angular;
        }
        for (load, Twist { linear, angular }) in loads.iter_mut().zip(friction) {
            load.viscous += unit * *linear;
            load.viscous_moment += turn * *angular;
        }
    }
}

/// Keeps friction as the next step's start.
pub(super) fn accept_wall_friction(world: &mut World, work: &Workspace, dt: f64) {
    if !world.has_wall_friction() {
        return;
    }
    let unit = world.units(dt).force();
    world.particles.wall_friction_force.clear();
    world.particles.wall_friction_force.resize(world.particles.position.len(), DVec3::ZERO);
    work.interfaces
        .friction
        .iter()
        .for_each(|&(i, p)| world.particles.wall_friction_force[i] = unit * p);
}
