//! Vector instructions, chosen at run time (`simd/avx2.rs`).
//!
//! A loop that profits is written once, generic over `Lanes`, and handed to `dispatch`, which
//! compiles it for AVX2 and for the baseline and picks one. Both versions add the same numbers in
//! the same order with the same roundings (no fused operations), so results have the same bits on
//! either.

use glam::Vec4;

use super::candidates::Candidates;
use super::fours::{Eight, Fours};
use super::pair::Pair;

#[cfg(target_arch = "x86_64")]
mod avx2;

/// The operations that depend on the processor.
pub trait Lanes: Copy {
    /// Σ value[slot] g in units of the chunk's `unit`, lane by lane; the fourth lane is noise.
    ///
    /// This loop is where a simulation spends its time. Four sums are in flight, one for every pair
    /// of a block of four.
    fn weighted_sum(pairs: Fours, value: &[Vec4]) -> Vec4;

    /// The same for values that are numbers.
    fn scaled_sum(pairs: Fours, value: &[f32]) -> Vec4;

    /// The four numbers that eight pairs find by slot: the first of all of them, the second of all
    /// …
    fn transposed(pairs: Eight, value: &[[i32; 4]]) -> [[i32; 8]; 4];

    /// Σ c x[slot] and, if there is a one behind three coordinates, Σ c, with c = slope (own +
    /// pull[slot]), in double precision.
    fn weighted_rows(rows: Rows) -> [f64; 4];

    /// Eight pairs from the lower 16 bits of their quantised gradients, and slots.
    fn pairs(gradient: &[[u32; 8]; 3], slot: &[u32; 8]) -> [Pair; 8];

    /// Makes `near` those of the candidates that are closer than √`radius2` to `place`, as seen
    /// from there.
    fn select(from: &Candidates, place: [f32; 3], radius2: f32, near: &mut Candidates);

    /// Makes `within` those of the candidates that are in `zone`, where they are.
    fn reach(from: &Candidates, zone: &Zone, within: &mut Candidates);
}

/// All that is closer than √`radius2` to a box.
#[derive(Clone, Copy, Debug)]
pub struct Zone {
    /// Centre of the box.
    pub centre: [f32; 3],
    /// Half of its edges.
    pub half: [f32; 3],
    /// The square of the distance.
    pub radius2: f32,
}

/// What `Lanes::weighted_rows` sums over.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// The pairs of the particle.
    pub pairs: Fours<'a>,
    /// One for each pair.
    pub slopes: &'a [[f32; 4]],
    /// The pull of the particle whose pairs they are.
    pub own: f32,
    /// What each neighbour pulls with, by slot.
    pub pull: &'a [f32],
    /// Positions by slot, and 1.
    pub x: &'a [[f64; 4]],
}

/// A loop written for any `Lanes`. `run` must be `#[inline(always)]`.
pub(crate) trait Vectorised {
    /// What the loop returns.
    type Output;
    /// Runs the loop with the instructions of `L`.
    fn run<L: Lanes>(self) -> Self::Output;
}

/// Runs a loop with the best instructions this processor has.
#[inline]
pub(crate) fn dispatch<V: Vectorised>(work: V) -> V::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("popcnt")
    {
        // SAFETY: the processor has just said that it has both.
        return unsafe { avx2::run(work) };
    }
    work.run::<Portable>()
}

/// Asks for memory that is going to be read soon; any address will do.
#[inline(always)]
pub(crate) fn prefetch<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: prefetching neither faults nor changes anything, and every x86-64 can do it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// So many pairs ahead a list is asked for: 1.5 KiB, about what is read while memory answers.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 192;

/// What every processor can do.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Lanes for Portable {
    #[inline(always)]
    fn weighted_sum(pairs: Fours, value: &[Vec4]) -> Vec4 {
        sum_in_fours(pairs.within(value), |pair| *value_of(value, pair))
    }

    #[inline(always)]
    fn scaled_sum(pairs: Fours, value: &[f32]) -> Vec4 {
        sum_in_fours(pairs.within(value), |pair| Vec4::splat(*value_of(value, pair)))
    }

    #[inline(always)]
    fn transposed(pairs: Eight, value: &[[i32; 4]]) -> [[i32; 8]; 4] {
        let mut columns = [[0; 8]; 4];
        let [first, last] = pairs.within(value);
        for (lane, pair) in first.iter().chain(last).enumerate() {
            let row = value_of(value, pair);
            columns.iter_mut().zip(row).for_each(|(column, &number)| column[lane] = number);
        }
        columns
    }

    #[inline(always)]
    fn weighted_rows(rows: Rows) -> [f64; 4] {
        let Rows { pairs, slopes, own, pull, x } = rows;
        let mut sums = [[0.0; 4]; 4];
        pairs.within(x);
        for (pairs, slopes) in pairs.within(pull).iter().zip(slopes) {
            for ((sum, pair), slope) in sums.iter_mut().zip(pairs).zip(slopes) {
                let c = f64::from(slope * (own + value_of(pull, pair)));
                let row = value_of(x, pair);
                (0..4).for_each(|axis| sum[axis] += c * row[axis]);
            }
        }
        let [a, b, c, d] = sums;
        std::array::from_fn(|axis| (a[axis] + b[axis]) + (c[axis] + d[axis]))
    }

    #[inline(always)]
    fn pairs([x, y, z]: &[[u32; 8]; 3], slot: &[u32; 8]) -> [Pair; 8] {
        std::array::from_fn(|l| Pair::new([x[l] as i16, y[l] as i16, z[l] as i16], slot[l] as u16))
    }

    #[inline(always)]
    fn select(from: &Candidates, place: [f32; 3], radius2: f32, near: &mut Candidates) {
        near.clear();
        for (k, ((&x, &y), &z)) in from.x.iter().zip(&from.y).zip(&from.z).enumerate() {
            let (dx, dy, dz) = (x - place[0], y - place[1], z - place[2]);
            if dx * dx + dy * dy + dz * dz < radius2 {
                near.x.push(dx);
                near.y.push(dy);
                near.z.push(dz);
                near.slot.push(from.slot[k]);
            }
        }
        near.pad();
    }

    #[inline(always)]
    fn reach(from: &Candidates, zone: &Zone, within: &mut Candidates) {
        let Zone { centre, half, radius2 } = *zone;
        within.clear();
        let gap = |x: f32, axis: usize| ((x - centre[axis]).abs() - half[axis]).max(0.0);
        for (k, ((&x, &y), &z)) in from.x.iter().zip(&from.y).zip(&from.z).enumerate() {
            let (dx, dy, dz) = (gap(x, 0), gap(y, 1), gap(z, 2));
            if dx * dx + dy * dy + dz * dz < radius2 {
                within.push(from, k);
            }
        }
        within.pad();
    }
}

/// Σ value(pair) g, four sums at a time.
#[inline(always)]
fn sum_in_fours(pairs: &[[Pair; 4]], value: impl Fn(&Pair) -> Vec4) -> Vec4 {
    let mut sum = [Vec4::ZERO; 4];
    for block in pairs {
        for (lane, pair) in block.iter().enumerate() {
            sum[lane] += value(pair) * pair.gradient4();
        }
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3])
}

#[inline(always)]
fn value_of<'a, T>(values: &'a [T], pair: &Pair) -> &'a T {
    debug_assert!(pair.slot() < values.len());
    // SAFETY: all callers have their pairs from `within(values)`. The check would cost a tenth of
    // the loop.
    unsafe { values.get_unchecked(pair.slot()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[derive(Clone, Copy)]
    struct WeightedSum<'a>(Fours<'a>, &'a [Vec4]);

    impl Vectorised for WeightedSum<'_> {
        type Output = Vec4;
        #[inline(always)]
        fn run<L: Lanes>(self) -> Vec4 {
            L::weighted_sum(self.0, self.1)
        }
    }

    #[derive(Clone, Copy)]
    struct ScaledSum<'a>(Fours<'a>, &'a [f32]);

    impl Vectorised for ScaledSum<'_> {
        type Output = Vec4;
        #[inline(always)]
        fn run<L: Lanes>(self) -> Vec4 {
            L::scaled_sum(self.0, self.1)
        }
    }

    impl Vectorised for Rows<'_> {
        type Output = [u64; 4];
        #[inline(always)]
        fn run<L: Lanes>(self) -> [u64; 4] {
            L::weighted_rows(self).map(f64::to_bits)
        }
    }

    #[derive(Clone, Copy)]
    struct Transposed<'a>(Fours<'a>, &'a [[i32; 4]]);

    impl Vectorised for Transposed<'_> {
        type Output = Vec<[[i32; 8]; 4]>;
        #[inline(always)]
        fn run<L: Lanes>(self) -> Vec<[[i32; 8]; 4]> {
            self.0.eights().map(|pairs| L::transposed(pairs, self.1)).collect()
        }
    }

    struct Select<'a>(&'a Candidates, [f32; 3], f32);

    impl Vectorised for Select<'_> {
        type Output = ([Vec<u32>; 4], usize);
        #[inline(always)]
        fn run<L: Lanes>(self) -> ([Vec<u32>; 4], usize) {
            let mut near = Candidates::at(&[[7.0; 3]]); // what was there before must not matter
            L::select(self.0, self.1, self.2, &mut near);
            bits(near)
        }
    }

    struct Reach<'a>(&'a Candidates, Zone);

    impl Vectorised for Reach<'_> {
        type Output = ([Vec<u32>; 4], usize);
        #[inline(always)]
        fn run<L: Lanes>(self) -> ([Vec<u32>; 4], usize) {
            let mut within = Candidates::at(&[[7.0; 3]]);
            L::reach(self.0, &self.1, &mut within);
            bits(within)
        }
    }

    /// All that candidates are.
    fn bits(candidates: Candidates) -> ([Vec<u32>; 4], usize) {
        let bits = |array: Vec<f32>| array.into_iter().map(f32::to_bits).collect();
        let Candidates { x, y, z, slot, count } = candidates;
        ([bits(x), bits(y), bits(z), slot], count)
    }

    struct Pairs(Vec<([u32; 3], u32)>);

    impl Vectorised for &Pairs {
        type Output = [Pair; 8];
        #[inline(always)]
        fn run<L: Lanes>(self) -> [Pair; 8] {
            let gradient = std::array::from_fn(|axis| std::array::from_fn(|l| self.0[l].0[axis]));
            L::pairs(&gradient, &std::array::from_fn(|l| self.0[l].1))
        }
    }

    /// Whether `work` panics, with and without vector instructions.
    fn panics<V: Vectorised + Copy>(work: V) -> [bool; 2] {
        let portable = AssertUnwindSafe(|| drop(work.run::<Portable>()));
        let dispatched = AssertUnwindSafe(|| drop(dispatch(work)));
        [catch_unwind(portable).is_err(), catch_unwind(dispatched).is_err()]
    }

    #[test]
    fn loops_refuse_to_read_beyond_their_values() {
        let pairs = vec![Pair::new([1, 2, 3], 49); 8];
        let pairs = Fours::new(&pairs, 50);
        let (vectors, rows) = (vec![Vec4::ONE; 50], vec![[1; 4]; 50]);
        let (numbers, places, slopes) = (vec![1.0; 50], vec![[1.0; 4]; 50], vec![[1.0; 4]; 2]);
        for (n, expected) in [(50, [false; 2]), (49, [true; 2]), (0, [true; 2])] {
            assert_eq!(panics(WeightedSum(pairs, &vectors[..n])), expected);
            assert_eq!(panics(ScaledSum(pairs, &numbers[..n])), expected);
            assert_eq!(panics(Transposed(pairs, &rows[..n])), expected);
            let rows = |pull, x| Rows { pairs, slopes: &slopes, own: 1.0, pull, x };
            assert_eq!(panics(rows(&numbers[..n], &places)), expected);
            assert_eq!(panics(rows(&numbers, &places[..n])), expected);
        }
    }

    proptest! {
        #[test]
        fn pairs_are_packed_the_same_with_and_without_vector_instructions(
            pairs in prop::collection::vec((prop::array::uniform3(any::<u32>()), 0..32_768u32), 8),
        ) {
            let pairs = Pairs(pairs);
            prop_assert_eq!(pairs.run::<Portable>(), dispatch(&pairs));
        }

        #[test]
        fn sums_have_the_same_bits_with_and_without_vector_instructions(
            gradients in prop::collection::vec(
                (prop::array::uniform3(-32_000..=32_000i16), 0..50u16),
                0..80,
            ),
            values in prop::collection::vec(prop::array::uniform4(-1.0e3..1.0e3f32), 50),
        ) {
            let pairs: Vec<Pair> = gradients.iter().map(|&(g, slot)| Pair::new(g, slot)).collect();
            let pairs = Fours::new(&pairs, 50);
            let values: Vec<Vec4> = values.into_iter().map(Vec4::from_array).collect();
            let bits = |v: Vec4| v.to_array().map(f32::to_bits);
            let portable = WeightedSum(pairs, &values).run::<Portable>();
            prop_assert_eq!(bits(portable), bits(dispatch(WeightedSum(pairs, &values))));
            let numbers: Vec<f32> = values.iter().map(|value| value.x).collect();
            let portable = ScaledSum(pairs, &numbers).run::<Portable>();
            prop_assert_eq!(bits(portable), bits(dispatch(ScaledSum(pairs, &numbers))));
            let slopes: Vec<[f32; 4]> = values.iter().map(|v| v.to_array()).collect();
            let places: Vec<[f64; 4]> = values.iter().map(|v| v.as_dvec4().to_array()).collect();
            let rows = || Rows { pairs, slopes: &slopes, own: 0.3, pull: &numbers, x: &places };
            prop_assert_eq!(rows().run::<Portable>(), dispatch(rows()));
            let row = |v: &Vec4| v.to_array().map(|x| x as i32);
            let rows: Vec<[i32; 4]> = values.iter().map(row).collect();
            let portable = Transposed(pairs, &rows).run::<Portable>();
            prop_assert_eq!(portable, dispatch(Transposed(pairs, &rows)));
        }

        #[test]
        fn candidates_are_the_same_with_and_without_vector_instructions(
            places in prop::collection::vec(prop::array::uniform3(-2.0..4.0f32), 0..100),
            place in prop::array::uniform3(0.0..2.0f32),
            half in prop::array::uniform3(0.0..1.0f32),
            radius2 in 0.0..10.0f32,
        ) {
            let candidates = Candidates::at(&places);
            let portable = Select(&candidates, place, radius2).run::<Portable>();
            prop_assert_eq!(portable, dispatch(Select(&candidates, place, radius2)));
            let zone = Zone { centre: place, half, radius2 };
            let portable = Reach(&candidates, zone).run::<Portable>();
            prop_assert_eq!(portable, dispatch(Reach(&candidates, zone)));
        }
    }
}
