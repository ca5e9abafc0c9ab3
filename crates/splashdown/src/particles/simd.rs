//! Vector instructions, chosen at run time: the one file with intrinsics for processors beyond the
//! baseline.
//!
//! A loop that profits is written once, generic over `Lanes`, and handed to `dispatch`, which compiles
//! it for AVX2 and for the baseline and picks one. Both versions add the same numbers in the same order
//! with the same roundings (no fused operations), so results have the same bits on either.

use glam::Vec4;

use super::halo::Slots;
use super::pair::Pair;

/// The operations that depend on the processor.
pub trait Lanes: Copy {
    /// Σ value[slot] g in units of the chunk's `unit`, lane by lane; the fourth lane is noise.
    ///
    /// This loop is where a simulation spends its time. Four sums are in flight, one for every pair of
    /// a block of four.
    fn weighted_sum(pairs: &[[Pair; 4]], value: &[Vec4]) -> Vec4;

    /// The same for values that are numbers.
    fn scaled_sum(pairs: &[[Pair; 4]], value: &[f32]) -> Vec4;

    /// The four numbers that eight pairs find by slot: the first of all of them, the second of all …
    fn transposed(a: &[Pair; 4], b: &[Pair; 4], value: &[[i32; 4]]) -> [[i32; 8]; 4];

    /// Writes the numbers of the candidates closer than √`radius2` to `place` into `hits`.
    fn collect(from: &Candidates, place: [f32; 3], radius2: f32, hits: &mut Vec<u32>);
}

/// Particles around a cell, seen from its corner, one array per coordinate.
#[derive(Default)]
pub struct Candidates {
    /// In h.
    pub x: Vec<f32>,
    /// In h.
    pub y: Vec<f32>,
    /// In h.
    pub z: Vec<f32>,
    slot: Vec<u32>,
    /// Without the padding.
    pub count: usize,
}

/// So far away that it is nobody's neighbour, near enough that its square is finite.
pub const FAR: f32 = 1.0e6;

impl Candidates {
    /// Candidates at these places, padded.
    #[cfg(test)]
    pub(crate) fn at(places: &[[f32; 3]]) -> Candidates {
        let mut candidates = Candidates::default();
        for &[x, y, z] in places {
            let one = Slots { index: vec![0], x: vec![x], y: vec![y], z: vec![z] };
            candidates.add(&one, (0, 1), [0.0; 3]);
        }
        candidates.pad();
        candidates
    }

    pub(super) fn clear(&mut self) {
        self.x.clear();
        self.y.clear();
        self.z.clear();
        self.slot.clear();
    }

    /// Adds slots `first` to `end`, whose cell lies `shift` away.
    #[inline(always)]
    pub(super) fn add(&mut self, from: &Slots, (first, end): (u32, u32), shift: [f32; 3]) {
        let range = first as usize..end as usize;
        self.x.extend(from.x[range.clone()].iter().map(|x| x + shift[0]));
        self.y.extend(from.y[range.clone()].iter().map(|y| y + shift[1]));
        self.z.extend(from.z[range].iter().map(|z| z + shift[2]));
        self.slot.extend(first..end);
    }

    /// Where a candidate is whose number came from `Lanes::collect`.
    #[inline(always)]
    pub(super) fn place(&self, number: usize) -> [f32; 3] {
        debug_assert!(number < self.x.len());
        // SAFETY: `collect` only hands out numbers of candidates, padding included, and the four arrays are
        // equally long. The checks would cost a tenth of the search.
        unsafe {
            let [x, y, z] = [&self.x, &self.y, &self.z];
            [*x.get_unchecked(number), *y.get_unchecked(number), *z.get_unchecked(number)]
        }
    }

    /// The slot of a candidate whose number came from `Lanes::collect`.
    #[inline(always)]
    pub(super) fn slot(&self, number: usize) -> u32 {
        debug_assert!(number < self.slot.len());
        // SAFETY: as in `place`.
        unsafe { *self.slot.get_unchecked(number) }
    }

    /// Adds at least one and at most eight candidates that never match, to a multiple of eight.
    pub(super) fn pad(&mut self) {
        self.count = self.x.len();
        let padded = self.count + 8 - self.count % 8;
        for array in [&mut self.x, &mut self.y, &mut self.z] {
            array.resize(padded, FAR);
        }
        self.slot.resize(padded, 0);
    }
}

/// A loop written for any `Lanes`. `run` must be `#[inline(always)]`.
pub trait Vectorised {
    /// What the loop returns.
    type Output;
    /// The loop.
    fn run<L: Lanes>(self) -> Self::Output;
}

/// Runs a loop with the best instructions this processor has.
#[inline]
pub fn dispatch<V: Vectorised>(work: V) -> V::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has just said that it has AVX2.
        return unsafe { avx2::run(work) };
    }
    work.run::<Portable>()
}

/// Asks for memory that is going to be read soon; any address will do.
#[inline(always)]
pub fn prefetch<T>(place: *const T) {
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
pub struct Portable;

impl Lanes for Portable {
    #[inline(always)]
    fn weighted_sum(pairs: &[[Pair; 4]], value: &[Vec4]) -> Vec4 {
        sum_in_fours(pairs, |pair| *value_of(value, pair))
    }

    #[inline(always)]
    fn scaled_sum(pairs: &[[Pair; 4]], value: &[f32]) -> Vec4 {
        sum_in_fours(pairs, |pair| Vec4::splat(*value_of(value, pair)))
    }

    #[inline(always)]
    fn transposed(a: &[Pair; 4], b: &[Pair; 4], value: &[[i32; 4]]) -> [[i32; 8]; 4] {
        let mut columns = [[0; 8]; 4];
        for (lane, pair) in a.iter().chain(b).enumerate() {
            let row = value_of(value, pair);
            columns.iter_mut().zip(row).for_each(|(column, &number)| column[lane] = number);
        }
        columns
    }

    #[inline(always)]
    fn collect(from: &Candidates, place: [f32; 3], radius2: f32, hits: &mut Vec<u32>) {
        hits.clear();
        for (k, ((&x, &y), &z)) in from.x.iter().zip(&from.y).zip(&from.z).enumerate() {
            let (dx, dy, dz) = (place[0] - x, place[1] - y, place[2] - z);
            if dx * dx + dy * dy + dz * dz < radius2 {
                hits.push(k as u32);
            }
        }
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
    // SAFETY: pairs are only made by the neighbour search, which numbers the slots of a chunk's halo,
    // and `values` was fetched for that halo. The check would cost a tenth of the loop.
    unsafe { values.get_unchecked(pair.slot()) }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::*;

    /// Compiles `work` for AVX2.
    #[target_feature(enable = "avx2")]
    pub fn run<V: Vectorised>(work: V) -> V::Output {
        work.run::<Avx2>()
    }

    /// AVX2. Private: only `run` names it, so that its operations are only reached with AVX2 there.
    #[derive(Clone, Copy)]
    struct Avx2;

    impl Lanes for Avx2 {
        #[inline(always)]
        fn weighted_sum(pairs: &[[Pair; 4]], value: &[Vec4]) -> Vec4 {
            // SAFETY: see `Avx2`.
            unsafe { weighted_sum(pairs, value) }
        }

        #[inline(always)]
        fn scaled_sum(pairs: &[[Pair; 4]], value: &[f32]) -> Vec4 {
            // SAFETY: see `Avx2`.
            unsafe { scaled_sum(pairs, value) }
        }

        #[inline(always)]
        fn transposed(a: &[Pair; 4], b: &[Pair; 4], value: &[[i32; 4]]) -> [[i32; 8]; 4] {
            // SAFETY: see `Avx2`.
            unsafe { transposed(a, b, value) }
        }

        #[inline(always)]
        fn collect(from: &Candidates, place: [f32; 3], radius2: f32, hits: &mut Vec<u32>) {
            // SAFETY: see `Avx2`.
            unsafe { collect(from, place, radius2, hits) }
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn weighted_sum(pairs: &[[Pair; 4]], value: &[Vec4]) -> Vec4 {
        sum_in_twos(pairs, |a, b| {
            let first = (*value_of_pair(value, a)).into();
            _mm256_set_m128((*value_of_pair(value, b)).into(), first)
        })
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn scaled_sum(pairs: &[[Pair; 4]], value: &[f32]) -> Vec4 {
        sum_in_twos(pairs, |a, b| {
            let first = _mm256_broadcast_ss(value_of_pair(value, a));
            _mm256_blend_ps::<0xf0>(first, _mm256_broadcast_ss(value_of_pair(value, b)))
        })
    }

    /// Two pairs to a register: the first and second sum share one, the third and fourth another.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn sum_in_twos(pairs: &[[Pair; 4]], values: impl Fn(&Pair, &Pair) -> __m256) -> Vec4 {
        let mut low = _mm256_setzero_ps();
        let mut high = _mm256_setzero_ps();
        for [a, b, c, d] in pairs {
            prefetch(std::ptr::from_ref(a).wrapping_add(AHEAD));
            let [ab, cd] = [two_gradients(a, b), two_gradients(c, d)];
            low = _mm256_add_ps(low, _mm256_mul_ps(values(a, b), ab));
            high = _mm256_add_ps(high, _mm256_mul_ps(values(c, d), cd));
        }
        let low = _mm_add_ps(_mm256_castps256_ps128(low), _mm256_extractf128_ps::<1>(low));
        let high = _mm_add_ps(_mm256_castps256_ps128(high), _mm256_extractf128_ps::<1>(high));
        Vec4::from(_mm_add_ps(low, high))
    }

    /// The gradients of two pairs that lie side by side.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn two_gradients(a: &Pair, b: &Pair) -> __m256 {
        let raw = _mm_set_epi64x(bytemuck::cast(*b), bytemuck::cast(*a));
        _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(raw))
    }

    /// `value_of`, with the slot read in the cheapest way.
    #[inline(always)]
    fn value_of_pair<'a, T>(values: &'a [T], pair: &Pair) -> &'a T {
        debug_assert!(pair.slot() < values.len());
        let first: *const u8 = values.as_ptr().cast();
        // SAFETY: as in `value_of`; the offset is the slot times the size of a value.
        unsafe { &*first.add(pair.twice_slot() * (size_of::<T>() / 2)).cast() }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn transposed(a: &[Pair; 4], b: &[Pair; 4], value: &[[i32; 4]]) -> [[i32; 8]; 4] {
        let row = |pair: &Pair| bytemuck::cast::<[i32; 4], __m128>(*value_of_pair(value, pair));
        let rows = |lane: usize| _mm256_set_m128(row(&b[lane]), row(&a[lane]));
        let [first, second, third, fourth] = [rows(0), rows(1), rows(2), rows(3)];
        let low = [_mm256_unpacklo_ps(first, second), _mm256_unpacklo_ps(third, fourth)];
        let high = [_mm256_unpackhi_ps(first, second), _mm256_unpackhi_ps(third, fourth)];
        let both = |[ab, cd]: [__m256; 2]| {
            let (ab, cd) = (_mm256_castps_pd(ab), _mm256_castps_pd(cd));
            [_mm256_unpacklo_pd(ab, cd), _mm256_unpackhi_pd(ab, cd)]
        };
        let ([x, y], [z, w]) = (both(low), both(high));
        [x, y, z, w].map(bytemuck::cast)
    }

    /// For each of the 256 patterns of eight lanes: the lanes that are set, first to last.
    static SET_LANES: [[u32; 8]; 256] = {
        let mut table = [[0; 8]; 256];
        let mut pattern = 0;
        while pattern < 256 {
            let (mut lane, mut filled) = (0, 0);
            while lane < 8 {
                if pattern >> lane & 1 == 1 {
                    table[pattern][filled] = lane;
                    filled += 1;
                }
                lane += 1;
            }
            pattern += 1;
        }
        table
    };

    #[target_feature(enable = "avx2")]
    #[inline]
    fn collect(from: &Candidates, place: [f32; 3], radius2: f32, hits: &mut Vec<u32>) {
        let blocks = from.x.len() / 8; // candidates are padded to a multiple of eight
        assert!(from.y.len() >= 8 * blocks && from.z.len() >= 8 * blocks);
        hits.clear();
        hits.reserve(8 * blocks + 8);
        let mut found = 0;
        let (px, py) = (_mm256_set1_ps(place[0]), _mm256_set1_ps(place[1]));
        let pz = _mm256_set1_ps(place[2]);
        let limit = _mm256_set1_ps(radius2);
        for block in 0..blocks {
            let k = 8 * block;
            // SAFETY: k + 8 is within all three arrays (asserted above); `hits` has room for eight
            // more than are ever written, and `found` never exceeds 8·block.
            unsafe {
                let dx = _mm256_sub_ps(px, _mm256_loadu_ps(from.x.as_ptr().add(k)));
                let dy = _mm256_sub_ps(py, _mm256_loadu_ps(from.y.as_ptr().add(k)));
                let dz = _mm256_sub_ps(pz, _mm256_loadu_ps(from.z.as_ptr().add(k)));
                let xy = _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
                let r2 = _mm256_add_ps(xy, _mm256_mul_ps(dz, dz));
                let near = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(r2, limit)) as usize;
                let lanes = _mm256_loadu_si256(SET_LANES[near].as_ptr().cast());
                let numbers = _mm256_add_epi32(lanes, _mm256_set1_epi32(k as i32));
                _mm256_storeu_si256(hits.as_mut_ptr().add(found).cast(), numbers);
                found += near.count_ones() as usize;
            }
        }
        // SAFETY: the first `found` entries have been written.
        unsafe { hits.set_len(found) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct WeightedSum<'a>(&'a [[Pair; 4]], &'a [Vec4]);

    impl Vectorised for WeightedSum<'_> {
        type Output = Vec4;
        #[inline(always)]
        fn run<L: Lanes>(self) -> Vec4 {
            L::weighted_sum(self.0, self.1)
        }
    }

    struct ScaledSum<'a>(&'a [[Pair; 4]], &'a [f32]);

    impl Vectorised for ScaledSum<'_> {
        type Output = Vec4;
        #[inline(always)]
        fn run<L: Lanes>(self) -> Vec4 {
            L::scaled_sum(self.0, self.1)
        }
    }

    struct Transposed<'a>(&'a [[Pair; 4]], &'a [[i32; 4]]);

    impl Vectorised for Transposed<'_> {
        type Output = Vec<[[i32; 8]; 4]>;
        #[inline(always)]
        fn run<L: Lanes>(self) -> Vec<[[i32; 8]; 4]> {
            self.0.windows(2).map(|pairs| L::transposed(&pairs[0], &pairs[1], self.1)).collect()
        }
    }

    struct Collect<'a>(&'a Candidates, [f32; 3], f32);

    impl Vectorised for Collect<'_> {
        type Output = Vec<u32>;
        #[inline(always)]
        fn run<L: Lanes>(self) -> Vec<u32> {
            let mut hits = vec![7; 3]; // what was there before must not matter
            L::collect(self.0, self.1, self.2, &mut hits);
            hits
        }
    }

    proptest! {
        #[test]
        fn sums_have_the_same_bits_with_and_without_vector_instructions(
            gradients in prop::collection::vec((prop::array::uniform3(-32_000..=32_000i16), 0..50u16), 0..80),
            values in prop::collection::vec(prop::array::uniform4(-1.0e3..1.0e3f32), 50),
        ) {
            let pairs: Vec<Pair> = gradients.iter().map(|&(g, slot)| Pair::new(g, slot)).collect();
            let pairs = pairs.as_chunks().0;
            let values: Vec<Vec4> = values.into_iter().map(Vec4::from_array).collect();
            let bits = |v: Vec4| v.to_array().map(f32::to_bits);
            let portable = WeightedSum(pairs, &values).run::<Portable>();
            prop_assert_eq!(bits(portable), bits(dispatch(WeightedSum(pairs, &values))));
            let numbers: Vec<f32> = values.iter().map(|value| value.x).collect();
            let portable = ScaledSum(pairs, &numbers).run::<Portable>();
            prop_assert_eq!(bits(portable), bits(dispatch(ScaledSum(pairs, &numbers))));
            let rows: Vec<[i32; 4]> = values.iter().map(|v| v.to_array().map(|x| x as i32)).collect();
            let portable = Transposed(pairs, &rows).run::<Portable>();
            prop_assert_eq!(portable, dispatch(Transposed(pairs, &rows)));
        }

        #[test]
        fn candidates_are_the_same_with_and_without_vector_instructions(
            places in prop::collection::vec(prop::array::uniform3(-2.0..4.0f32), 0..100),
            place in prop::array::uniform3(0.0..2.0f32),
            radius2 in 0.0..10.0f32,
        ) {
            let candidates = Candidates::at(&places);
            let portable = Collect(&candidates, place, radius2).run::<Portable>();
            prop_assert_eq!(portable, dispatch(Collect(&candidates, place, radius2)));
        }
    }
}
