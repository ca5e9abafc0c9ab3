//! Surface tension and friction on walls in a step: where their solve starts, what it leaves behind.

use rayon::prelude::*;

use super::Workspace;
use super::bodies::BodyStep;
use crate::body::CouplingSolver;
use crate::coupling::droplets::{Found, Start};
use crate::math::DVec3;
use crate::particles::kernel::SUPPORT;
use crate::particles::periodic::nearest;
use crate::rigid::bodies::{Twist, mass_unit};
use crate::sph::loads::Loads;
use crate::sph::tension::energy::Strengths;
use crate::sph::tension::{TensionModel, baselines};
use crate::sph::wall_friction::{Walls, grips};
use crate::world::{StepError, World};

/// The energy of all interfaces and the forces that lower it.
#[derive(Clone, Debug, Default)]
pub struct SurfaceForces {
    /// J (2D: per metre of depth), up to what dry walls far from fluid have; 0 of older models.
    pub energy: f64,
    /// On every fluid particle, N.
    pub fluid: Vec<DVec3>,
    /// On every solid: force, N, and moment about its origin, N m.
    pub solids: Vec<[DVec3; 2]>,
}

impl World {
    /// How far particles see, in h.
    pub(super) fn search_radius(&self) -> f64 {
        if self.tension.pulls() { self.surface_support() } else { SUPPORT }
    }

    /// Support of the kernel for interfaces, in h.
    pub(crate) fn surface_support(&self) -> f64 {
        self.tension.calibration.support(self.dimension)
    }

    /// γ A⁰ in `unit`, N/m, times hᵈ⁻¹.
    pub(super) fn strengths(&self, unit: f64) -> Strengths {
        let counts = [self.fluids.len(), self.solids.len()];
        Strengths::new(&self.tension, self.dimension, counts, self.clock.time, unit)
    }

    pub(super) fn find_surfaces(&self, work: &mut Workspace) {
        if self.tension.pulls() && self.tension.model == TensionModel::Probst2024 {
            let mut surface = std::mem::take(&mut work.surface);
            surface.rebuild(self, &mut work.neighbors);
            surface.weigh_walls(self, work);
            work.surface = surface;
        }
    }

    /// The strongest tension of all, γ A⁰ over h^(d−1), N/m, and the lightest fluid's density.
    fn strongest_and_lightest(&self) -> (f64, f64) {
        let strength = match self.tension.model {
            TensionModel::Probst2024 | TensionModel::Pairwise => self.strengths(1.0).largest(),
            _ => baselines::estimated_tension(self),
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

    /// The longest step that tension allows: some share of the time √(ρ h³ / 2πγ) that a capillary wave
    /// of the size of a spacing takes, with γ as large as A⁰ makes it over the paper's π/4 h².
    pub(super) fn capillary_step(&self) -> f64 {
        let (strength, lightest) = self.strongest_and_lightest();
        if strength == 0.0 || lightest.is_infinite() {
            return f64::INFINITY;
        }
        self.tension.longest_step * (lightest * self.spacing.powi(3) / (8.0 * strength)).sqrt()
    }

    /// Whether tension and nothing else is solved with pressure: no fluid grips walls, and no body moves.
    pub(super) fn tension_is_loose(&self) -> bool {
        self.tension_is_coupled() && !self.tension.grips() && !self.has_bodies()
    }

    /// What tension and friction start from, if there are any.
    pub(super) fn start_droplets(
        &self,
        work: &Workspace,
        dt: f64,
        step: &BodyStep,
    ) -> Option<Start> {
        if !self.tension_is_coupled() && !self.tension.grips() {
            return None;
        }
        let h = self.spacing;
        let displacement: Vec<DVec3> = work.predicted.par_iter().map(|&v| v * (dt / h)).collect();
        let time = self.clock.time;
        let mu: Vec<f64> = (0..self.fluids.len()).map(|k| self.tension.friction(k, time)).collect();
        let walls = Walls {
            displacement: &displacement,
            solid_of: &|b| self.solid_of(b).unwrap_or(0),
            arm: &|i, solid| {
                let away = self.particles.position[i] - self.solids[solid].pose.translation;
                nearest(away, self.period) / h
            },
            bodies: if self.is_weak() { &[] } else { &step.bodies },
        };
        let grips = grips(&work.neighbors, &mu, &work.inverse_mass, &walls);
        let unit = dt * dt / (mass_unit(self) * h);
        let last = |i: usize| self.particles.grip.get(i).copied().unwrap_or_default() * unit;
        Some(Start {
            strengths: match self.tension_is_coupled() {
                true => self.strengths(self.tension_unit(dt)),
                false => Strengths::default(),
            },
            friction: grips.iter().map(|grip| last(grip.particle)).collect(),
            grips,
            displacement,
            inverse_mass: self.inverse_masses(work),
            dynamic: self.moved_by_solve(step),
            error: self.tension.error,
            is_loose: self.tension_is_loose(),
            is_friction_known: self.coupling.solver == CouplingSolver::Nncg,
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
    pub(super) fn take_droplets(&self, work: &mut Workspace, found: Found, per_step: f64) {
        let all = work.predicted.par_iter_mut().zip(&found.displacement);
        all.for_each(|(v, u)| *v += *u / per_step);
        work.droplets = found;
    }

    /// Gives bodies what the solve did not move them by: in the weak coupling all impulses of tension and friction, else a rounding.
    pub(super) fn pull_bodies(&self, found: &Found, step: &mut BodyStep) {
        let unseen = [&found.unseen];
        let all = found.on_solids.each_ref();
        for impulses in if self.is_weak() { all.as_slice() } else { unseen.as_slice() } {
            for (body, impulse) in step.bodies.iter_mut().zip(*impulses) {
                let pulled = body.response(impulse);
                body.motion.add(1.0, &pulled);
            }
        }
    }

    /// Adds what tension and friction do to solids: tension to what pressure does, because a wall feels
    /// both as one; friction to viscosity. `unit` is the momentum of a particle that moves one spacing.
    pub(super) fn droplet_loads(&self, work: &Workspace, unit: f64, loads: &mut Loads) {
        let [tension, friction] = &work.droplets.on_solids;
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

    /// Keeps friction as the next step's start.
    pub(super) fn accept_droplets(&mut self, work: &Workspace, dt: f64) {
        if !self.tension.grips() {
            return;
        }
        let unit = mass_unit(self) * self.spacing / (dt * dt);
        self.particles.grip.clear();
        self.particles.grip.resize(self.particles.position.len(), DVec3::ZERO);
        work.droplets.friction.iter().for_each(|&(i, p)| self.particles.grip[i] = unit * p);
    }

    /// Bytes held by lists of neighbours for surface tension.
    pub fn surface_list_bytes(&self) -> usize {
        self.workspace.surface.bytes()
    }

    /// How hard fluid that grips walls is pressed against them in the last step, N: the sum of the sizes of these forces.
    pub fn grip_load(&self) -> f64 {
        let dt = self.clock.dt;
        self.workspace.droplets.pressed * mass_unit(self) * self.spacing / (dt * dt)
    }

    /// What the impulses of tension and of friction in the last step add up to over fluid and solids, and
    /// their moments, over the sums of their sizes. `place` is where the first solid was. Zero in exact
    /// arithmetic; particles must be in the order of that step.
    pub fn droplet_impulses_left(&self, place: DVec3) -> [[f64; 2]; 2] {
        let (found, h) = (&self.workspace.droplets, self.spacing);
        // Where particles were: they have moved since.
        let at = |i: usize| {
            (self.particles.position[i] - self.particles.velocity[i] * self.clock.dt) / h
        };
        let tension: Vec<(usize, DVec3)> = found.tension.iter().copied().enumerate().collect();
        let left = |impulses: &[(usize, DVec3)], solids: &[Twist]| {
            let mut sum = Twist::default();
            let (mut size, mut reach) = (0.0, 0.0f64);
            for &(i, p) in impulses {
                sum.add(1.0, &Twist::of_impulse(p, at(i) - place / h));
                (size, reach) = (size + p.length(), reach.max((at(i) - place / h).length()));
            }
            solids.iter().for_each(|twist| sum.add(1.0, twist));
            let size = f64::max(size, f64::MIN_POSITIVE);
            [sum.linear.length() / size, sum.angular.length() / (size * reach.max(1.0))]
        };
        [left(&tension, &found.on_solids[0]), left(&found.friction, &found.on_solids[1])]
    }

    /// The energy of interfaces as they are now, and the forces that lower it. Sorts the particles.
    pub fn surface_forces(&mut self) -> Result<SurfaceForces, StepError> {
        let mut work = std::mem::take(&mut self.workspace);
        let found = self.sort_along_curve(&mut work).and_then(|()| self.find_neighbors(&mut work));
        let mut forces = SurfaceForces::default();
        if found.is_ok() && self.tension.model != TensionModel::Probst2024 {
            let found = baselines::forces(self, &work);
            let solids = found.solids.iter();
            forces.solids = solids.map(|t| [t.linear, t.angular * self.spacing]).collect();
            forces.fluid = found.fluid;
        } else if found.is_ok() && self.tension.pulls() {
            let strengths = self.strengths(1.0);
            let area = self.dimension.volume(self.spacing) / self.spacing; // hᵈ⁻¹
            work.surface.refine();
            let pulls = work.surface.pulls(&strengths);
            let mut fluid = vec![DVec3::ZERO; self.fluid_count()];
            work.surface.forces(&pulls, &mut fluid);
            let unit = area / self.spacing;
            fluid.iter_mut().for_each(|force| *force *= unit);
            let solids = work.surface.reactions(&pulls, self.solids.len());
            forces = SurfaceForces {
                energy: area * work.surface.energy(&strengths),
                fluid,
                solids: solids.iter().map(|t| [unit * t.linear, area * t.angular]).collect(),
            };
        }
        self.workspace = work;
        found.map(|()| forces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Dimension;
    use crate::motion::Scalar;
    use crate::sph::tension::sweep::TensionSweep;
    use crate::sph::tension::{FluidSurface, WallSurface};
    use crate::world::{Solid, Viscosity};
    use glam::Vec4;

    /// Two drops of different fluids on a plate, so disordered that nothing cancels.
    fn drops() -> World {
        let mut world = World::new(Dimension::Three, 1e-3);
        let wave = |k: usize, f: f64| 0.2e-3 * (f * k as f64).sin();
        let place = |k: usize, x: f64| {
            let at = DVec3::new(x + (k % 5) as f64, 0.7 + (k / 5 % 5) as f64, (k / 25) as f64);
            at * 1e-3 + DVec3::new(wave(k, 1.3), wave(k, 2.1), wave(k, 3.7))
        };
        for (name, x) in [("water", 0.0), ("oil", 5.2)] {
            let points: Vec<DVec3> = (0..125).map(|k| place(k, x)).collect();
            world.add_fluid(name, 1000.0, Viscosity::default(), &points, |_| DVec3::ZERO);
        }
        // By their velocities particles are told apart when they have been sorted anew.
        world.particles.velocity.iter_mut().enumerate().for_each(|(k, v)| v.x = k as f64);
        let plate = (0..120).map(|k| DVec3::new((k % 12) as f64 - 1.0, 0.0, (k / 12) as f64 - 2.0));
        world.add_solid(Solid::fixed("plate", plate.map(|p| p * 1e-3).collect(), 0.0));
        let constant = Scalar::Constant;
        let fluid = |vapour, others, walls| FluidSurface {
            vapour: constant(vapour),
            others: constant(others),
            walls: constant(walls),
            friction: constant(0.0),
        };
        world.tension.fluids = vec![fluid(0.07, 0.02, 0.01), fluid(0.03, 0.01, 0.02)];
        world.tension.walls = vec![WallSurface { dry: constant(0.02), wet: constant(0.05) }];
        world
    }

    #[test]
    fn forces_during_the_solve_are_those_after_it_but_for_rounding() {
        let mut world = drops();
        let after = world.surface_forces().unwrap();
        let n = world.fluid_count();
        let still = vec![DVec3::ZERO; world.particles.len()];
        let surface = &world.workspace.surface;
        let strengths = world.strengths(1.0);
        let sweep = TensionSweep::new(surface, strengths, vec![1.0; n], &still, vec![false], 0.01);
        let mut during = vec![Vec4::ZERO; n];
        sweep.displace(&mut during);
        let largest = after.fluid.iter().map(|f| f.length()).fold(0.0, f64::max);
        let unit = world.spacing; // hᵈ⁻¹/h
        for (during, after) in during.iter().zip(&after.fluid) {
            let error = (unit * during.truncate().as_dvec3() - *after).length();
            assert!(error < 2e-4 * largest, "{error:e} of {largest:e}");
        }
    }

    #[test]
    fn what_calms_long_steps_keeps_momentum_and_takes_energy() {
        let mut world = drops();
        world.surface_forces().unwrap();
        let n = world.fluid_count();
        let place: Vec<DVec3> =
            world.particles.position[..n].iter().map(|x| *x / world.spacing).collect();
        let moved: Vec<DVec3> =
            place.iter().map(|x| 0.01 * DVec3::new(x.y.sin(), (3.0 * x.z).cos(), x.x)).collect();
        let surface = &world.workspace.surface;
        let mut force = vec![DVec3::ZERO; n];
        surface.calm(&surface.pulls(&world.strengths(1.0)), 1.0, &moved, &mut force);
        let size: f64 = force.iter().map(|f| f.length()).sum();
        let sum: DVec3 = force.iter().sum();
        let turn: DVec3 = place.iter().zip(&force).map(|(x, f)| x.cross(*f)).sum();
        let work: f64 = moved.iter().zip(&force).map(|(u, f)| u.dot(*f)).sum();
        assert!(sum.length() < 1e-13 * size && turn.length() < 1e-12 * size, "{sum} {turn}");
        assert!(work < -1e-4 * size, "{work:e} of {size:e}");
    }

    /// Forces by the tags of particles.
    fn tagged_forces(world: &mut World) -> Vec<(f64, DVec3)> {
        let forces = world.surface_forces().unwrap().fluid;
        let tags = world.particles.velocity.iter().map(|v| v.x);
        let mut tagged: Vec<(f64, DVec3)> = tags.zip(forces).collect();
        tagged.sort_by(|a, b| a.0.total_cmp(&b.0));
        tagged
    }

    #[test]
    fn forces_do_not_care_which_image_of_a_particle_is_kept() {
        let alone = tagged_forces(&mut drops());
        let mut world = drops();
        world.period = DVec3::new(0.04, 0.0, 0.0);
        let n = world.fluid_count();
        world.particles.position[..n].iter_mut().step_by(3).for_each(|x| x.x -= 0.04);
        let repeated = tagged_forces(&mut world);
        let largest = alone.iter().map(|(_, f)| f.length()).fold(0.0, f64::max);
        for ((tag, a), (_, b)) in alone.iter().zip(&repeated) {
            assert!((*a - *b).length() < 1e-6 * largest, "particle {tag}: {a} and {b}");
        }
    }

    #[test]
    fn pulls_after_a_motion_are_those_at_the_places_it_leads_to() {
        let mut world = drops();
        world.surface_forces().unwrap();
        let n = world.fluid_count();
        let motion = |p: DVec3| DVec3::new(2e-3 * p.y, -1e-3 * p.x, 1e-3 * p.z);
        let motion: Vec<DVec3> =
            world.particles.position[..n].iter().map(|p| motion(*p / world.spacing)).collect();
        let mut all = motion.clone();
        all.resize(world.particles.len(), DVec3::ZERO);
        let strengths = world.strengths(1.0);
        let wanted = |world: &World, u: &[DVec3]| {
            let surface = &world.workspace.surface;
            let (mass, walls) = (vec![1.0; n], vec![false]);
            let mut sweep = TensionSweep::new(surface, strengths.clone(), mass, u, walls, 0.01);
            let pulls = sweep.wanted(&vec![Vec4::ZERO; n]);
            let mut tagged: Vec<(f64, f32)> = world
                .particles
                .velocity
                .iter()
                .map(|v| v.x)
                .zip(pulls.iter().map(|q| q[0]))
                .collect();
            tagged.sort_by(|a, b| a.0.total_cmp(&b.0));
            tagged.into_iter().map(|(_, q)| q).collect::<Vec<f32>>()
        };
        let before = wanted(&world, &vec![DVec3::ZERO; world.particles.len()]);
        let predicted = wanted(&world, &all);
        let h = world.spacing;
        world.particles.position.iter_mut().zip(&motion).for_each(|(x, u)| *x += h * *u);
        world.surface_forces().unwrap();
        let found = wanted(&world, &vec![DVec3::ZERO; world.particles.len()]);
        let change = |a: &[f32], b: &[f32]| -> f64 {
            a.iter().zip(b).map(|(a, b)| f64::from((a - b).abs())).sum()
        };
        let (missed, moved) = (change(&predicted, &found), change(&before, &found));
        assert!(missed < 0.05 * moved, "{missed:e} of {moved:e}");
    }
}
