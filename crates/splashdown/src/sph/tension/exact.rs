//! (T6) in double precision and along true directions, as it moves particles in the end.
//!
//! Both sides of a pair must find the same force, or momentum is lost: its size comes from places rounded to a grid, whose differences
//! are exact in single precision; its direction from the true places,
//!
//!   F_i = Σ_j c_ij (x_i − x_j) = x_i Σ_j c_ij − Σ_j c_ij x_j,   c_ij = (Q_i + Q_j) W′/r          (T7)
//!
//! with places relative to one of the chunk, so that nothing is lost by the difference.

use std::marker::PhantomData;

use super::pairs::Pulls;
use crate::math::DVec3;
use crate::particles::kernel::KernelShape;
use crate::particles::pair::Pair;
use crate::particles::periodic::nearest;
use crate::particles::simd::{Lanes, Vectorised};
use crate::particles::wide::{Stretch, Wide};

/// Steps of the grid per h. Differences of up to 4h have no more than the 24 bits of a single-precision number.
const FINENESS: f64 = (1 << 22) as f64;

/// (T6) over fluid for one chunk.
pub(super) struct Force<'a, S> {
    pub list: &'a Wide,
    pub kernel: &'a Stretch,
    pub pulls: &'a Pulls,
    /// In h, of all particles.
    pub place: &'a [DVec3],
    /// In h.
    pub period: DVec3,
    pub out: &'a mut [DVec3],
    pub local: &'a mut ForceBuffers,
    pub shape: PhantomData<S>,
}

/// Values of a halo, and the pairs of a particle.
#[derive(Default)]
pub(super) struct ForceBuffers {
    /// Places relative to the first particle of the chunk, and 1.
    place: Vec<[f64; 4]>,
    /// Places on the grid, and the bits of the pull.
    coarse: Vec<[i32; 4]>,
    /// c of the pairs of one particle.
    weight: Vec<[f32; 8]>,
}

/// A place on the grid. The grid is endless: beyond 2³² steps it starts over, and differences stay right.
#[inline(always)]
fn on_grid(place: DVec3) -> [i32; 3] {
    (FINENESS * place).to_array().map(|x| x as i64 as i32)
}

impl<S: KernelShape> Vectorised for Force<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Force { list, kernel, pulls, place, period, out, local, .. } = self;
        out.fill(DVec3::ZERO);
        let kinds = if list.meets_others() { 2 } else { 1 };
        if period != DVec3::ZERO {
            return (0..kinds).for_each(|kind| {
                for (k, (i, out)) in list.particles.clone().zip(&mut *out).enumerate() {
                    let own = pulls.fluid[i][kind];
                    for pair in list.pairs(k, kind) {
                        let j = list.index(pair);
                        let pull = f64::from(own + pulls.fluid[j][kind]);
                        let offset = nearest(place[i] - place[j], period);
                        *out += kernel.sigma * along::<S>(kernel, offset, pull);
                    }
                }
            });
        }
        let origin = place[list.particles.start];
        list.fetch_of(place, &mut local.place, |x| (*x - origin).extend(1.0).to_array());
        for kind in 0..kinds {
            list.fetch_both(place, &pulls.fluid, &mut local.coarse, |x, pull| {
                let [x, y, z] = on_grid(*x);
                [x, y, z, pull[kind].to_bits() as i32]
            });
            for (k, (i, out)) in list.particles.clone().zip(&mut *out).enumerate() {
                let fours = list.fours(k, kind);
                if fours.is_empty() {
                    continue;
                }
                let (at, own) = (on_grid(place[i]), pulls.fluid[i][kind]);
                local.weight.clear();
                for eight in fours.chunks(2) {
                    let values =
                        L::transposed(&eight[0], eight.last().unwrap_or(&eight[0]), &local.coarse);
                    local.weight.push(weights::<S>(kernel, at, own, &values));
                }
                let weight = local.weight.as_flattened_mut();
                weight[list.pairs(k, kind).len()..].fill(0.0); // what fills up the last eight
                let [x, y, z, sum] = weighted_places(fours, weight, &local.place);
                *out += kernel.sigma * (sum * (place[i] - origin) - DVec3::new(x, y, z));
            }
        }
    }
}

/// c of eight pairs, whose places and pulls are `values`. Pairs at the same place have no direction, and no force.
#[inline(always)]
fn weights<S: KernelShape>(
    kernel: &Stretch,
    at: [i32; 3],
    own: f32,
    values: &[[i32; 8]; 4],
) -> [f32; 8] {
    let mut weights = [0.0; 8];
    for (l, weight) in weights.iter_mut().enumerate() {
        let away = |axis: usize| at[axis].wrapping_sub(values[axis][l]) as f32;
        let (x, y, z) = (away(0), away(1), away(2));
        let q = (x * x + y * y + z * z).sqrt() * (1.0 / FINENESS) as f32;
        let pull = own + f32::from_bits(values[3][l] as u32);
        *weight = pull * kernel.slope::<S>(q) / q.max(1e-6);
    }
    weights
}

/// Σ c x and Σ c, four sums at a time.
#[inline(always)]
fn weighted_places(fours: &[[Pair; 4]], weight: &[f32], place: &[[f64; 4]]) -> [f64; 4] {
    let mut sums = [[0.0; 4]; 4];
    for (pairs, weight) in fours.iter().zip(weight.as_chunks::<4>().0) {
        for ((sum, &c), pair) in sums.iter_mut().zip(weight).zip(pairs) {
            let (c, x) = (f64::from(c), &place[pair.slot()]);
            (0..4).for_each(|axis| sum[axis] += c * x[axis]);
        }
    }
    std::array::from_fn(|axis| (sums[0][axis] + sums[1][axis]) + (sums[2][axis] + sums[3][axis]))
}

/// `pull` ∇W/σ for x_i − x_j = `offset`; a pair at the same place has no direction, and no force. The slope of the kernel
/// is in single precision, but the same number on both sides of a pair.
#[inline(always)]
pub(super) fn along<S: KernelShape>(kernel: &Stretch, offset: DVec3, pull: f64) -> DVec3 {
    let q = offset.length() as f32;
    let slope = kernel.slope::<S>(q) / q.max(1e-6);
    pull * f64::from(slope) * offset
}
