//! Explicit models: artificial viscosity and XSPH, from the velocities at the start of the step.
//!
//! Artificial viscosity (Monaghan 1992) damps particles that approach each other, along the line of their
//! centres. Its strength α c h contains a speed of sound c, which an incompressible fluid does not have;
//! the speed |vᵢⱼ| at which the two particles see each other takes its place. The exchange (V4) is
//! limited so that no particle gives away more than its relative velocity, which makes any α ≤ 1
//! stable at any step. XSPH (V5) moves every velocity by a share ε towards the average around it and is
//! stable for ε ≤ 1 because Σ w ≤ 1.

use std::marker::PhantomData;

use glam::DVec3;
use rayon::prelude::*;

use super::harmonic_mean;
use crate::particles::kernel::{Kernel, KernelShape};
use crate::particles::neighbors::Chunk;
use crate::particles::periodic::nearest;
use crate::particles::simd::{Lanes, Vectorised, dispatch};
use crate::sph::loads::{Loads, sum_over_walls};
use crate::step::Workspace;
use crate::with_kernel;
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

    let per_step = dt / world.spacing;
    let seen: Vec<Seen> = (0..n)
        .into_par_iter()
        .map(|i| Seen { position: world.particles.position[i], motion: old[i] * per_step })
        .collect();
    let mut new = old.clone();
    work.neighbors.for_each(&mut new[..n], |chunk, new, local: &mut Vec<Seen>| {
        let own = world.fluids[chunk.fluid].viscosity;
        if !is_explicit(own.model) {
            return;
        }
        let coefficients: Vec<f32> = (world.fluids.iter().zip(&mass))
            .map(|(fluid, &other)| {
                let theirs = fluid.viscosity;
                let alike = theirs.model == own.model;
                let mean = harmonic_mean(own.coefficient, theirs.coefficient)
                    * harmonic_mean(mass[chunk.fluid], other);
                if alike { mean as f32 } else { 0.0 }
            })
            .collect();
        with_kernel!(step.kernel.kind, S => dispatch(AmongFluids::<S> {
            step: &step, world, chunk, seen: &seen, local, coefficients: &coefficients,
            gain: new, per_mass: 1.0 / (mass[chunk.fluid] * per_step), shape: PhantomData,
        }));
        for (k, new) in new.iter_mut().enumerate() {
            let i = chunk.particles.start + k;
            let of_wall = |b: usize| step.wall(world, own, i, b, old[b] - old[i]);
            *new +=
                chunk.wall_pairs(k).iter().map(|pair| of_wall(pair.index as usize)).sum::<DVec3>();
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

/// What a particle shows to its neighbours.
#[derive(Clone, Copy)]
struct Seen {
    position: DVec3,
    /// In h over the step.
    motion: DVec3,
}

/// The exchange among the fluid particles of a chunk and their neighbours, eight pairs at a time. Differences
/// and sums are in double precision: a pair sees the same bits from both sides, and momentum is kept.
struct AmongFluids<'a, S> {
    step: &'a Explicit,
    world: &'a World,
    chunk: &'a Chunk,
    seen: &'a [Seen],
    local: &'a mut Vec<Seen>,
    /// With each of the fluids.
    coefficients: &'a [f32],
    gain: &'a mut [DVec3],
    /// From what is exchanged to a change of velocity.
    per_mass: f64,
    shape: PhantomData<S>,
}

impl<S: KernelShape> Vectorised for AmongFluids<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let AmongFluids { step, world, chunk, seen, local, coefficients, .. } = self;
        chunk.fetch(seen, local, |&seen| seen);
        let sigma = (step.kernel.w(0.0) / S::evaluate_f64(0.0).0) as f32;
        let smooths = world.fluids[chunk.fluid].viscosity.model == ViscosityModel::Xsph;
        let (per_meter, period) = (1.0 / step.spacing, world.period);
        for (k, gain) in self.gain.iter_mut().enumerate() {
            let own = seen[chunk.particles.start + k];
            let mut sum = [[0.0f64; 8]; 3];
            for block in chunk.pairs(k).chunks(8) {
                let (mut x, mut u, mut c) = ([[0.0f32; 8]; 3], [[0.0f32; 8]; 3], [0.0f32; 8]);
                for (l, pair) in block.iter().enumerate() {
                    let other = &local[pair.slot()];
                    let apart = nearest(own.position - other.position, period) * per_meter;
                    [x[0][l], x[1][l], x[2][l]] = apart.as_vec3().to_array();
                    [u[0][l], u[1][l], u[2][l]] = (other.motion - own.motion).as_vec3().to_array();
                    let fluid = match coefficients.len() {
                        1 => 0,
                        _ => world.fluid_of(chunk.halo[pair.slot()] as usize).unwrap_or(0),
                    };
                    c[l] = sigma * coefficients[fluid];
                }
                for l in 0..8 {
                    let dot = |a: &[[f32; 8]; 3], b: &[[f32; 8]; 3]| {
                        a[0][l] * b[0][l] + a[1][l] * b[1][l] + a[2][l] * b[2][l]
                    };
                    let q2 = dot(&x, &x);
                    let q = q2.sqrt();
                    let (w, dw) = S::evaluate(q);
                    if smooths {
                        for axis in 0..3 {
                            sum[axis][l] += f64::from(c[l] * w * u[axis][l]); // (V5)
                        }
                    } else {
                        let approach = dot(&u, &x).max(0.0); // nothing while they separate
                        let signal = dot(&u, &u).sqrt().min(LARGEST_STEP as f32);
                        let slope = -dw / (q.max(1.0e-6) * (q2 + 0.01));
                        let scale = c[l] * signal * slope * approach; // (V4)
                        for axis in 0..3 {
                            sum[axis][l] += f64::from(scale * x[axis][l]);
                        }
                    }
                }
            }
            let total = sum.map(|lanes| lanes.iter().sum::<f64>());
            *gain += DVec3::from(total) * self.per_mass;
        }
    }
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
