//! (P1) in double precision and along true directions, as pressure moves particles in the end where
//! drops or elastic bodies are.
//!
//! Sweeps see gradients in 16 bits, with which pressure turns a drop by some 10⁻⁶ of its angular
//! momentum in every step, and which jump as particles move: a drop at rest is shaken. Here both
//! sides of a pair find the same force on the line between them,
//!
//!   μᵢ Δuᵢ = Σⱼ cᵢⱼ (xᵢ − xⱼ) − κᵢ Gᵢʷ,   cᵢⱼ = −(κᵢ + κⱼ) W′/r              (P7)
//!
//! with slopes W′/r that the search has kept, the same number on both sides. Walls get the opposite
//! of their part at the place of the fluid particle (`coupling::interface_rows`).

use glam::Vec3;

use crate::math::DVec3;
use crate::particles::kernel::{Kernel, KernelShape, SUPPORT};
use crate::particles::neighbors::Chunk;
use crate::particles::pair::WallPair;
use crate::particles::periodic::nearest;
use crate::particles::simd::{Lanes, Rows, Vectorised, dispatch};
use crate::particles::wide::Stretch;
use crate::sph::pressure::operator::PressureOperator;
use crate::with_kernel;

/// Where particles are.
#[derive(Clone, Copy)]
pub struct ParticlePlaces<'a> {
    /// All of them, m.
    pub position: &'a [DVec3],
    /// m
    pub period: DVec3,
    /// h, m.
    pub spacing: f64,
    /// That of the search.
    pub kernel: Kernel,
}

/// Displacements of all fluid particles, in h, by their pressures `kappa` and those of walls, where
/// they have their own.
pub fn push(
    places: ParticlePlaces,
    operator: &PressureOperator,
    kappa: &[f32],
    wall: Option<&[f32]>,
) -> Vec<DVec3> {
    let mut push = vec![DVec3::ZERO; kappa.len()];
    operator.neighbors.for_each(&mut push, |chunk, out, local| {
        dispatch(ExactPush { places, chunk, kappa, out, local });
    });
    add_walls(operator, kappa, wall, &mut push);
    push
}

/// The same along the gradients that sweeps see, where the search has kept no slopes. They are
/// opposite for the two of a pair, and here their sums are, too.
pub fn push_along_pairs(
    operator: &PressureOperator,
    kappa: &[f32],
    wall: Option<&[f32]>,
) -> Vec<DVec3> {
    let mut push = vec![DVec3::ZERO; kappa.len()];
    operator.neighbors.for_each(&mut push, |chunk, out, _: &mut ()| {
        for (k, (i, out)) in chunk.particles.clone().zip(out).enumerate() {
            let of =
                |(j, gradient): (usize, Vec3)| f64::from(kappa[i] + kappa[j]) * gradient.as_dvec3();
            *out = -chunk.neighbors(k).map(of).sum::<DVec3>();
        }
    });
    add_walls(operator, kappa, wall, &mut push);
    push
}

/// Adds what walls do to forces between particles, and makes displacements of them.
fn add_walls(operator: &PressureOperator, kappa: &[f32], wall: Option<&[f32]>, push: &mut [DVec3]) {
    operator.neighbors.for_each(push, |chunk, out, _: &mut ()| {
        let mass = f64::from(operator.inverse_mass[chunk.fluid]);
        for (k, (i, out)) in chunk.particles.clone().zip(out).enumerate() {
            let own = f64::from(kappa[i]);
            let of = |pair: &WallPair| {
                let walls = wall.map_or(0.0, |wall| f64::from(wall[pair.index as usize]));
                (own + walls) * DVec3::from(pair.gradient.map(f64::from))
            };
            let of_walls: DVec3 = chunk.wall_pairs(k).iter().map(of).sum();
            *out = mass * (*out - of_walls);
        }
    });
    operator.held.iter().for_each(|&i| push[i] = DVec3::ZERO);
}

/// The fluid's part for one chunk.
struct ExactPush<'a> {
    places: ParticlePlaces<'a>,
    chunk: &'a Chunk,
    kappa: &'a [f32],
    out: &'a mut [DVec3],
    local: &'a mut Local,
}

/// Values of a halo.
#[derive(Default)]
struct Local {
    /// Places in h relative to the first particle of the chunk, and 1.
    place: Vec<[f64; 4]>,
    kappa: Vec<f32>,
}

impl Vectorised for ExactPush<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let ExactPush { places, chunk, kappa, out, local } = self;
        let place = places.position;
        if places.period != DVec3::ZERO {
            return with_kernel!(places.kernel.kind, S => repeating::<S>(places, chunk, kappa, out));
        }
        let (origin, per_meter) = (place[chunk.particles.start], 1.0 / places.spacing);
        let from_origin = |x: &DVec3| (*x - origin) * per_meter;
        chunk.fetch_of(place, &mut local.place, |x| from_origin(x).extend(1.0).to_array());
        chunk.fetch(kappa, &mut local.kappa);
        for (k, (i, out)) in chunk.particles.clone().zip(out).enumerate() {
            let [x, y, z, sum] = L::weighted_rows(Rows {
                pairs: chunk.fours(k),
                slopes: chunk.slopes(k),
                own: kappa[i],
                pull: &local.kappa,
                x: &local.place,
            });
            *out = f64::from(chunk.unit) * (sum * from_origin(&place[i]) - DVec3::new(x, y, z));
        }
    }
}

/// The same where the world repeats, and slopes of the search may differ by a rounding.
fn repeating<S: KernelShape>(
    places: ParticlePlaces,
    chunk: &Chunk,
    kappa: &[f32],
    out: &mut [DVec3],
) {
    let ParticlePlaces { position, period, spacing, kernel } = places;
    let sigma = kernel.lattice_sigma();
    let kernel = Stretch { support: SUPPORT, sigma };
    for (k, (i, out)) in chunk.particles.clone().zip(out).enumerate() {
        for (j, _) in chunk.neighbors(k) {
            let offset = nearest(position[i] - position[j], period) / spacing;
            let both = f64::from(kappa[i] + kappa[j]);
            *out -= sigma * both * kernel.gradient::<S>(offset);
        }
    }
}
