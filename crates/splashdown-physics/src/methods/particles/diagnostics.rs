//! What benchmarks, validation and checks of scenes ask of a world about a step: sizes of lists
//! (never the lists themselves), forces and residuals.

use std::io::{self, Write};

use rayon::prelude::*;

use super::arrange::sort_along_curve;
pub use super::bodies::jams;
use super::variational::Minimised;
use super::{Step, Workspace};
use crate::error::StepError;
use crate::math::DVec3;
use crate::particles::neighbors::Chunk;
use crate::particles::pair::Pair;
use crate::scratch::Scratch;
use crate::sph::tension::{TensionModel, baselines};
use crate::sph::variational::derivatives::{Derivatives, derivatives};
use crate::sph::variational::potentials::Potentials;
use crate::sph::variational::rows::Rows;
use crate::twist::Twist;
use crate::world::World;

/// Bytes of a pair in a neighbour list.
pub const PAIR_BYTES: usize = size_of::<Pair>();

/// What the last step left behind, if there was one.
fn last_step(world: &World) -> Option<&Workspace> {
    world.scratch.get()
}

/// Pairs in the neighbour lists of the last step.
pub fn pair_count(world: &World) -> usize {
    last_step(world).map_or(0, |work| work.neighbors.pair_count())
}

/// Bytes of the neighbour lists of the last step.
pub fn list_bytes(world: &World) -> usize {
    last_step(world).map_or(0, |work| work.neighbors.bytes() + work.surface.bytes())
}

/// Bytes of what the last step of a variational fluid multiplied with in its linear solves: its
/// pairs, and its matrix if it had one.
pub fn fluid_matrix_bytes(world: &World) -> [usize; 2] {
    last_step(world).map_or([0; 2], |work| {
        let Minimised { rows, found, .. } = &work.minimised;
        [rows.bytes(), found.matrix_bytes]
    })
}

/// How many guests of the last step met vertices of elastic bodies, and how many vertices those
/// were; none if guests were not eliminated.
pub fn guests_and_vertices(world: &World) -> [usize; 2] {
    last_step(world).map_or([0; 2], |work| work.elastic.guests_and_vertices())
}

/// The neighbours of all particles as plain indices, a list for each chunk of particles.
pub fn neighbor_indices(world: &World) -> Vec<Vec<u32>> {
    let indices = |chunk: &Chunk| -> Vec<u32> {
        (0..chunk.particles.len()).flat_map(|k| chunk.neighbors(k)).map(|(j, _)| j as u32).collect()
    };
    let chunks = last_step(world).map_or(&[][..], |work| &work.neighbors.chunks);
    chunks.par_iter().map(indices).collect()
}

/// Writes the matrix of the last Newton iteration of elastic bodies in the Matrix Market format,
/// for comparison with other solvers.
pub fn write_elastic_matrix(world: &World, to: impl Write) -> io::Result<()> {
    last_step(world).map_or(Ok(()), |work| work.elastic.matrix.clone().write(to))
}

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

/// Mean over all fluid particles of the last step's pressures as the solver has them, at a flux of
/// 1, Pa.
pub fn mean_solver_pressure(world: &World) -> f64 {
    let kappa = last_step(world).map_or(&[][..], |work| &work.kappa);
    let sum: f64 = kappa.iter().map(|&kappa| f64::from(kappa)).sum();
    sum / (kappa.len().max(1) as f64 * Step::of(world).kappa_per_pascal(world.clock.dt))
}

/// How hard fluid that rubs on walls is pressed against them in the last step, N: the sum of the
/// sizes of these forces.
pub fn wall_normal_load(world: &World) -> f64 {
    let dt = world.clock.dt;
    last_step(world).map_or(0.0, |work| work.interfaces.normal_load) * world.units(dt).force()
}

/// What the impulses of tension and of friction in the last step add up to over fluid and solids,
/// and their moments, over the sums of their sizes. `place` is where the first solid was. Zero in
/// exact arithmetic; particles must be in the order of that step.
pub fn interface_momentum_error(world: &World, place: DVec3) -> [[f64; 2]; 2] {
    let Some(Workspace { interfaces: found, .. }) = last_step(world) else { return [[0.0; 2]; 2] };
    let h = world.spacing;
    // Where particles were: they have moved since.
    let at =
        |i: usize| (world.particles.position[i] - world.particles.velocity[i] * world.clock.dt) / h;
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

/// Whether the potentials of a variational fluid and their derivatives belong together, in a step
/// of length `dt` from where it is now. Sorts the particles.
pub fn potential_derivatives(
    world: &mut World,
    dt: f64,
    seed: u64,
) -> Result<Derivatives, StepError> {
    let mut work = world.scratch.take::<Workspace>();
    let found =
        sort_along_curve(world, &mut work).and_then(|()| Step::of(world).find_neighbors(&mut work));
    let derivatives = found.map(|()| Step::of(world).derivatives_of_potentials(&work, dt, seed));
    world.scratch = Scratch::of(work);
    derivatives
}

/// The energy of interfaces as they are now, and the forces that lower it. Sorts the particles.
pub fn surface_forces(world: &mut World) -> Result<SurfaceForces, StepError> {
    let mut work = world.scratch.take::<Workspace>();
    let found =
        sort_along_curve(world, &mut work).and_then(|()| Step::of(world).find_neighbors(&mut work));
    let forces = found.map(|()| Step::of(world).forces_of_interfaces(&mut work));
    world.scratch = Scratch::of(work);
    forces
}

impl Step<'_> {
    fn derivatives_of_potentials(&self, work: &Workspace, dt: f64, seed: u64) -> Derivatives {
        let (n, system) = (self.fluid_count(), self.fluid_system());
        let mut rows = Rows::default();
        rows.find(&system, &work.neighbors, &self.weights_for_fluid(), self.wall_density());
        rows.rub(&system, dt);
        let relative = system.relative_masses();
        let mass = |i: usize| system.fluid_of(i).map_or(1.0, |k| relative[k]);
        let potentials = Potentials {
            mass: &(0..n).map(mass).collect::<Vec<f64>>(),
            held: &vec![false; n],
            ratio: &rows.volume.clone(),
            active: &(0..n).map(|i| i % 5 != 0).collect::<Vec<bool>>(),
            stiffness: self.pressure.potentials.stiffness * self.kappa_per_pascal(dt),
            rows: &rows,
        };
        derivatives(&potentials, self.particles.len(), self.dimension, seed)
    }

    fn forces_of_interfaces(&self, work: &mut Workspace) -> SurfaceForces {
        if self.tension.model != TensionModel::Probst2024 {
            let found = baselines::forces(&self.fluid_system(), &work.neighbors);
            let solids = found.solids.iter();
            let solids = solids.map(|t| [t.linear, t.angular * self.spacing]).collect();
            return SurfaceForces { energy: 0.0, fluid: found.fluid, solids };
        }
        if !self.has_tension() {
            return SurfaceForces::default();
        }
        let strengths = self.strengths(1.0);
        let area = self.dimension.volume(self.spacing) / self.spacing; // hᵈ⁻¹
        work.surface.refine();
        let pulls = work.surface.pulls(&strengths);
        let mut fluid = vec![DVec3::ZERO; self.fluid_count()];
        work.surface.forces(&pulls, &mut fluid);
        let unit = area / self.spacing;
        fluid.iter_mut().for_each(|force| *force *= unit);
        let solids = work.surface.reactions(&pulls, self.solids.len());
        SurfaceForces {
            energy: area * work.surface.energy(&strengths),
            fluid,
            solids: solids.iter().map(|t| [unit * t.linear, area * t.angular]).collect(),
        }
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
        world.fluids[0].surface = fluid(0.07, 0.02, 0.01);
        world.fluids[1].surface = fluid(0.03, 0.01, 0.02);
        let wall = WallSurface { dry: constant(0.02), wet: constant(0.05) };
        world.solids[0].wetting = wall.into();
        world
    }

    #[test]
    fn forces_during_the_solve_are_those_after_it_but_for_rounding() {
        let mut world = drops();
        let after = surface_forces(&mut world).unwrap();
        let n = world.fluid_count();
        let still = vec![DVec3::ZERO; world.particles.len()];
        let surface = &last_step(&world).unwrap().surface;
        let strengths = Step::of(&world).strengths(1.0);
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
        surface_forces(&mut world).unwrap();
        let n = world.fluid_count();
        let place: Vec<DVec3> =
            world.particles.position[..n].iter().map(|x| *x / world.spacing).collect();
        let moved: Vec<DVec3> =
            place.iter().map(|x| 0.01 * DVec3::new(x.y.sin(), (3.0 * x.z).cos(), x.x)).collect();
        let surface = &last_step(&world).unwrap().surface;
        let mut force = vec![DVec3::ZERO; n];
        surface.calm(&surface.pulls(&Step::of(&world).strengths(1.0)), 1.0, &moved, &mut force);
        let size: f64 = force.iter().map(|f| f.length()).sum();
        let sum: DVec3 = force.iter().sum();
        let turn: DVec3 = place.iter().zip(&force).map(|(x, f)| x.cross(*f)).sum();
        let work: f64 = moved.iter().zip(&force).map(|(u, f)| u.dot(*f)).sum();
        assert!(sum.length() < 1e-13 * size && turn.length() < 1e-12 * size, "{sum} {turn}");
        assert!(work < -1e-4 * size, "{work:e} of {size:e}");
    }

    /// Forces by the tags of particles.
    fn tagged_forces(world: &mut World) -> Vec<(f64, DVec3)> {
        let forces = surface_forces(world).unwrap().fluid;
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
        surface_forces(&mut world).unwrap();
        let n = world.fluid_count();
        let motion = |p: DVec3| DVec3::new(2e-3 * p.y, -1e-3 * p.x, 1e-3 * p.z);
        let motion: Vec<DVec3> =
            world.particles.position[..n].iter().map(|p| motion(*p / world.spacing)).collect();
        let mut all = motion.clone();
        all.resize(world.particles.len(), DVec3::ZERO);
        let strengths = Step::of(&world).strengths(1.0);
        let wanted = |world: &World, u: &[DVec3]| {
            let surface = &last_step(world).unwrap().surface;
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
        surface_forces(&mut world).unwrap();
        let found = wanted(&world, &vec![DVec3::ZERO; world.particles.len()]);
        let change = |a: &[f32], b: &[f32]| -> f64 {
            a.iter().zip(b).map(|(a, b)| f64::from((a - b).abs())).sum()
        };
        let (missed, moved) = (change(&predicted, &found), change(&before, &found));
        assert!(missed < 0.05 * moved, "{missed:e} of {moved:e}");
    }
}
