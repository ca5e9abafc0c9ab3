//! Explicit models: artificial viscosity and XSPH, from the velocities at the start of the step.
//!
//! Artificial viscosity (Monaghan 1992) damps particles that approach each other, along the line of
//! their centres. Its strength α c h contains a speed of sound c, which an incompressible fluid
//! does not have; the speed |vᵢⱼ| at which the two particles see each other takes its place. The
//! exchange (V4) is limited so that no particle gives away more than its relative velocity, which
//! makes any α ≤ 1 stable at any step. XSPH (V5) moves every velocity by a share ε towards the
//! average around it and is stable for ε ≤ 1 because Σ w ≤ 1.

use std::marker::PhantomData;
use std::mem::discriminant;

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::{ViscousStep, harmonic_mean};
use crate::math::rounded_bits;
use crate::particles::kernel::{Kernel, KernelShape};
use crate::particles::neighbors::Chunk;
use crate::particles::simd::{Lanes, Vectorised, dispatch};
use crate::sph::fluid::Viscosity;
use crate::sph::loads::{WallLoads, sum_over_walls};
use crate::sph::system::FluidSystem;
use crate::with_kernel;

/// Σⱼ |w′|/q is about 3 in a full neighbourhood, so that a sixth of it exchanges half at most.
const MAX_STEP: f64 = 1.0 / 6.0;

/// (V1) for (V4) and (V5): changes the predicted velocities and returns the impulses on solids.
pub fn exchange(viscous: &ViscousStep, velocity: &mut Vec<DVec3>) -> WallLoads {
    let ViscousStep { system, neighbors, dt, .. } = viscous;
    let (n, dt) = (system.fluid_count(), *dt);
    let mass = system.relative_masses();
    let step = Explicit { kernel: system.kernel(), spacing: system.space.spacing, dt };
    let old = std::mem::take(velocity);

    let per_step = dt / system.space.spacing;
    let ruler = Ruler::new(system.space.spacing, system.space.period);
    let mut all = ParticleMotion::default();
    (0..n)
        .into_par_iter()
        .map(|i| {
            let [x, y, z] = ruler.place(system.particles.position[i]);
            let fluid = system.fluid_of(i).unwrap_or(0) as i32;
            ([x, y, z, fluid], bits((old[i] * per_step).as_vec3()))
        })
        .unzip_into_vecs(&mut all.place, &mut all.motion);
    let mut new = old.clone();
    neighbors.for_each(&mut new[..n], |chunk, new, local: &mut ParticleMotion| {
        let own = system.fluids[chunk.fluid].viscosity;
        if !own.is_explicit() {
            return;
        }
        let coefficients: Vec<f32> = (system.fluids.iter().zip(&mass))
            .map(|(fluid, &other)| {
                let theirs = fluid.viscosity;
                let alike = discriminant(&theirs) == discriminant(&own);
                let mean = harmonic_mean(own.strength(), theirs.strength())
                    * harmonic_mean(mass[chunk.fluid], other);
                if alike { mean as f32 } else { 0.0 }
            })
            .collect();
        with_kernel!(step.kernel.kind, S => dispatch(AmongFluids::<S> {
            step: &step, ruler: &ruler, model: own, chunk, all: &all, local,
            coefficients: &coefficients, gain: new,
            per_mass: 1.0 / (mass[chunk.fluid] * per_step), shape: PhantomData,
        }));
        if own.boundary() == 0.0 {
            return; // it slips along walls
        }
        for (k, new) in new.iter_mut().enumerate() {
            let i = chunk.particles.start + k;
            let of_wall = |b: usize| step.wall(system, own, i, b, old[b] - old[i]);
            *new +=
                chunk.wall_pairs(k).iter().map(|pair| of_wall(pair.index as usize)).sum::<DVec3>();
        }
    });
    *velocity = new;

    let volume = system.space.dimension.volume(system.space.spacing);
    sum_over_walls(system, neighbors, |chunk, k, wall| {
        let fluid = &system.fluids[chunk.fluid];
        if !fluid.viscosity.is_explicit() || fluid.viscosity.boundary() == 0.0 {
            return;
        }
        let i = chunk.particles.start + k;
        for pair in chunk.wall_pairs(k) {
            let b = pair.index as usize;
            let gain = step.wall(system, fluid.viscosity, i, b, old[b] - old[i]);
            let impulse = -fluid.density * volume * gain;
            wall(b, impulse, |load| (&mut load.viscous, &mut load.viscous_moment));
        }
    })
}

/// Places as whole numbers, so that the difference of two has the same digits from both sides
/// wherever the world is and numbers that overflow still differ by what they should. A period is
/// 2³² units: its images coincide.
struct Ruler {
    /// Units per metre.
    units: DVec3,
    /// Spacings per unit.
    spacings: [f32; 3],
}

impl Ruler {
    fn new(spacing: f64, period: DVec3) -> Ruler {
        let whole = DVec3::splat((1_u64 << 32) as f64);
        let without_period = DVec3::splat((1_u64 << 20) as f64 / spacing);
        let is_periodic = period.cmpgt(DVec3::ZERO);
        let units = DVec3::select(is_periodic, whole / period, without_period);
        Ruler { units, spacings: (1.0 / (units * spacing)).as_vec3().to_array() }
    }

    fn place(&self, position: DVec3) -> [i32; 3] {
        rounded_bits(position * self.units)
    }

    /// xᵢ − xⱼ in h.
    #[inline(always)]
    fn between(&self, i: &[i32; 4], j: [i32; 3]) -> [f32; 3] {
        [
            i[0].wrapping_sub(j[0]) as f32 * self.spacings[0],
            i[1].wrapping_sub(j[1]) as f32 * self.spacings[1],
            i[2].wrapping_sub(j[2]) as f32 * self.spacings[2],
        ]
    }
}

/// What particles show to their neighbours.
#[derive(Default)]
struct ParticleMotion {
    /// Places on the ruler, and which fluid.
    place: Vec<[i32; 4]>,
    /// In h over the step, as the bits of floats: both are turned from eight rows into lanes by the
    /// same instructions.
    motion: Vec<[i32; 4]>,
}

fn bits(motion: Vec3) -> [i32; 4] {
    motion.extend(0.0).to_array().map(|x| x.to_bits() as i32)
}

/// The exchange among the fluid particles of a chunk and their neighbours, eight pairs at a time. A
/// pair sees the same bits from both sides, and sums are in double precision: momentum is kept.
struct AmongFluids<'a, S> {
    step: &'a Explicit,
    ruler: &'a Ruler,
    model: Viscosity,
    chunk: &'a Chunk,
    all: &'a ParticleMotion,
    local: &'a mut ParticleMotion,
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
        match self.model {
            Viscosity::Xsph(_) => self.exchange::<L>(|c, x, u| (smoothing::<S>(c, x), u)),
            _ => self.exchange::<L>(|c, x, u| (damping::<S>(c, x, u), x)),
        }
    }
}

impl<S: KernelShape> AmongFluids<'_, S> {
    /// `between` tells from a coefficient, xᵢ − xⱼ and vⱼ − vᵢ, in h, how much of which of them a
    /// pair exchanges.
    #[inline(always)]
    fn exchange<L: Lanes>(self, between: impl Fn(f32, [f32; 3], [f32; 3]) -> (f32, [f32; 3])) {
        let AmongFluids { step, ruler, chunk, all, local, coefficients, .. } = self;
        chunk.fetch(&all.place, &mut local.place);
        chunk.fetch(&all.motion, &mut local.motion);
        let sigma = (step.kernel.w(0.0) / S::evaluate_f64(0.0).0) as f32;
        for (k, gain) in self.gain.iter_mut().enumerate() {
            let i = chunk.particles.start + k;
            let (place, motion) = (all.place[i], all.motion[i].map(float));
            let mut sum = [[0.0f64; 8]; 3];
            let mut left = chunk.pairs(k).len() as i32;
            for eight in chunk.fours(k).eights() {
                let places = L::transposed(eight, &local.place);
                let motions = L::transposed(eight, &local.motion);
                let c = match coefficients {
                    [only] => [*only; 8],
                    _ => places[3].map(|fluid| coefficients[fluid as usize]),
                };
                let mut given = [[0.0f32; 8]; 3];
                // One plain loop over lanes: the compiler then does all of it eight at a time.
                for l in 0..8 {
                    let x = ruler.between(&place, [places[0][l], places[1][l], places[2][l]]);
                    let u = [
                        float(motions[0][l]) - motion[0],
                        float(motions[1][l]) - motion[1],
                        float(motions[2][l]) - motion[2],
                    ];
                    // What fills up the last eight is no neighbour.
                    let c = if (l as i32) < left { sigma * c[l] } else { 0.0 };
                    let (scale, along) = between(c, x, u);
                    given[0][l] = scale * along[0];
                    given[1][l] = scale * along[1];
                    given[2][l] = scale * along[2];
                }
                left -= 8;
                for (sum, given) in sum.iter_mut().zip(&given) {
                    sum.iter_mut().zip(given).for_each(|(sum, &given)| *sum += f64::from(given));
                }
            }
            let total = sum.map(|lanes| lanes.iter().sum::<f64>());
            *gain += DVec3::from(total) * self.per_mass;
        }
    }
}

/// A float from its bits.
#[inline(always)]
fn float(bits: i32) -> f32 {
    f32::from_bits(bits as u32)
}

#[inline(always)]
fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// (V5) What a pair exchanges along vⱼ − vᵢ.
#[inline(always)]
fn smoothing<S: KernelShape>(c: f32, x: [f32; 3]) -> f32 {
    c * S::evaluate(dot(x, x).sqrt()).0
}

/// (V4) What a pair exchanges along xᵢ − xⱼ.
#[inline(always)]
fn damping<S: KernelShape>(c: f32, x: [f32; 3], u: [f32; 3]) -> f32 {
    let q2 = dot(x, x);
    let q = q2.sqrt();
    let approach = dot(u, x).max(0.0); // nothing while they separate
    let signal = dot(u, u).sqrt().min(MAX_STEP as f32);
    let slope = -S::evaluate(q).1 / (q.max(1.0e-6) * (q2 + 0.01));
    c * signal * slope * approach
}

/// What the formulas share.
struct Explicit {
    kernel: Kernel,
    spacing: f64,
    dt: f64,
}

impl Explicit {
    /// The velocity that a pair of equal particles with coefficient one exchanges; `apart` is xᵢ −
    /// xⱼ and `difference` is vⱼ − vᵢ.
    fn pair(&self, model: Viscosity, apart: DVec3, difference: DVec3) -> DVec3 {
        let x = apart / self.spacing;
        let q = x.length();
        if matches!(model, Viscosity::Xsph(_)) {
            return self.kernel.w(q) * difference; // (V5)
        }
        let approach = difference.dot(x);
        if approach <= 0.0 {
            return DVec3::ZERO; // they separate
        }
        // (V4)  c n nᵀ (vⱼ − vᵢ) = α min(|vᵢⱼ| Δt/h, 1/6) |w′|/(q (q² + 0.01)) (vⱼᵢ · x) x
        let signal = (difference.length() * self.dt / self.spacing).min(MAX_STEP);
        let slope = -self.kernel.dw(q) / (q.max(1e-6) * (q * q + 0.01));
        signal * slope * approach * x
    }

    /// What wall particle `b` gives to the velocity of fluid particle `i`.
    fn wall(
        &self,
        system: &FluidSystem,
        own: Viscosity,
        i: usize,
        b: usize,
        difference: DVec3,
    ) -> DVec3 {
        let beta = f64::from(system.particles.weight[b]);
        own.boundary() * beta * self.pair(own, system.offset(i, b), difference)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::particles::periodic::nearest;

    proptest! {
        /// Far from the origin and across a periodic border, and the same from both sides.
        #[test]
        fn whole_numbers_measure_distances(
            far in -1.0e5..1.0e5_f64,
            a in prop::array::uniform3(0.0..0.03_f64),
            b in prop::array::uniform3(0.0..0.03_f64),
            turns in -3..3_i32,
        ) {
            let (a, b, spacing) = (DVec3::from(a), DVec3::from(b), 0.02);
            let period = DVec3::new(0.6, 0.0, 0.0);
            let ruler = Ruler::new(spacing, period);
            let seen = |position| {
                let [x, y, z] = ruler.place(position);
                [x, y, z, 0]
            };
            let between = |i: [i32; 4], [x, y, z, _]: [i32; 4]| {
                Vec3::from(ruler.between(&i, [x, y, z]))
            };
            let (i, j) = (a + DVec3::Y * far, b + DVec3::Y * far + f64::from(turns) * period);
            let expected = nearest(i - j, period) / spacing;
            let found = between(seen(i), seen(j));
            prop_assert!((found.as_dvec3() - expected).length() < 4.0e-6);
            prop_assert_eq!(found, -between(seen(j), seen(i)));
        }
    }
}
