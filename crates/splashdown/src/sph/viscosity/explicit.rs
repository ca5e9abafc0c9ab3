//! Explicit models: artificial viscosity and XSPH, from the velocities at the start of the step.
//!
//! Artificial viscosity (Monaghan 1992) damps particles that approach each other, along the line of their
//! centres. Its strength α c h contains a speed of sound c, which an incompressible fluid does not have;
//! the speed |vᵢⱼ| at which the two particles see each other takes its place. The exchange (V4) is
//! limited so that no particle gives away more than its relative velocity, which makes any α ≤ 1
//! stable at any step. XSPH (V5) moves every velocity by a share ε towards the average around it and is
//! stable for ε ≤ 1 because Σ w ≤ 1.

use glam::DVec3;

use super::harmonic_mean;
use crate::particles::kernel::Kernel;
use crate::sph::loads::{Loads, sum_over_walls};
use crate::step::Workspace;
use crate::world::{Viscosity, ViscosityModel, World};

/// Σⱼ |w′|/q is about 3 in a full neighbourhood, so that a sixth of it exchanges half at most.
const LARGEST_STEP: f64 = 1.0 / 6.0;

/// (V1) for (V4) and (V5): changes the predicted velocities and returns the impulses on solids.
pub fn exchange(world: &World, work: &mut Workspace, dt: f64) -> Loads {
    let n = world.fluid_count();
    let reference = world.reference_density();
    let mass: Vec<f64> = world.fluids.iter().map(|fluid| fluid.density / reference).collect();
    let step = Explicit { kernel: world.kernel(), spacing: world.spacing, dt };
    let old = std::mem::take(&mut work.predicted);

    let mut new = old.clone();
    work.neighbors.for_each(&mut new[..n], |chunk, new, _: &mut Vec<()>| {
        let own = world.fluids[chunk.fluid].viscosity;
        if !is_explicit(own.model) {
            return;
        }
        for (k, new) in new.iter_mut().enumerate() {
            let i = chunk.particles.start + k;
            let mut gain = DVec3::ZERO; // μᵢ Δvᵢ
            for (j, _) in chunk.neighbors(k) {
                let other = world.fluid_of(j).unwrap_or(chunk.fluid);
                let theirs = world.fluids[other].viscosity;
                if theirs.model == own.model {
                    let coefficient = harmonic_mean(own.coefficient, theirs.coefficient)
                        * harmonic_mean(mass[chunk.fluid], mass[other]);
                    let pair = step.pair(own.model, world.offset(i, j), old[j] - old[i]);
                    gain += coefficient * pair;
                }
            }
            let of_wall = |b: usize| step.wall(world, own, i, b, old[b] - old[i]);
            let walls = chunk.wall_pairs(k).iter();
            gain +=
                mass[chunk.fluid] * walls.map(|pair| of_wall(pair.index as usize)).sum::<DVec3>();
            *new += gain / mass[chunk.fluid];
        }
    });
    work.predicted = new;

    let volume = world.dimension.volume(world.spacing);
    sum_over_walls(world, work, |chunk, k, wall| {
        let fluid = &world.fluids[chunk.fluid];
        if !is_explicit(fluid.viscosity.model) {
            return;
        }
        let i = chunk.particles.start + k;
        for pair in chunk.wall_pairs(k) {
            let b = pair.index as usize;
            let gain = step.wall(world, fluid.viscosity, i, b, old[b] - old[i]);
            let impulse = -fluid.density * volume * gain;
            wall(b, impulse, |load| (&mut load.viscous, &mut load.viscous_moment));
        }
    })
}

fn is_explicit(model: ViscosityModel) -> bool {
    matches!(model, ViscosityModel::Artificial | ViscosityModel::Xsph)
}

/// What the formulas share.
struct Explicit {
    kernel: Kernel,
    spacing: f64,
    dt: f64,
}

impl Explicit {
    /// The velocity that a pair of equal particles with coefficient one exchanges; `apart` is xᵢ − xⱼ and
    /// `difference` is vⱼ − vᵢ.
    fn pair(&self, model: ViscosityModel, apart: DVec3, difference: DVec3) -> DVec3 {
        let x = apart / self.spacing;
        let q = x.length();
        if model == ViscosityModel::Xsph {
            return self.kernel.w(q) * difference; // (V5)
        }
        let approach = difference.dot(x);
        if approach <= 0.0 {
            return DVec3::ZERO; // they separate
        }
        // (V4)  c n nᵀ (vⱼ − vᵢ) = α min(|vᵢⱼ| Δt/h, 1/6) |w′|/(q (q² + 0.01)) (vⱼᵢ · x) x
        let signal = (difference.length() * self.dt / self.spacing).min(LARGEST_STEP);
        let slope = -self.kernel.dw(q) / (q.max(1e-6) * (q * q + 0.01));
        signal * slope * approach * x
    }

    /// What wall particle `b` gives to the velocity of fluid particle `i`.
    fn wall(&self, world: &World, own: Viscosity, i: usize, b: usize, difference: DVec3) -> DVec3 {
        let beta = f64::from(world.particles.weight[b]);
        own.boundary * beta * self.pair(own.model, world.offset(i, b), difference)
    }
}
