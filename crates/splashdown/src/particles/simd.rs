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

    /// Σ c x[slot] and, if there is a one behind three coordinates, Σ c, with c = slope (own + pull[slot]), in double precision.
    fn weighted_rows(rows: Rows) -> [f64; 4];

    /// Eight pairs from the lower 16 bits of their quantised gradients, and slots.
    fn pairs(gradient: &[[u32; 8]; 3], slot: &[u32; 8]) -> [Pair; 8];

    /// Makes `near` those of the candidates that are closer than √`radius2` to `place`, as seen from there.
    fn select(from: &Candidates, place: [f32; 3], radius2: f32, near: &mut Candidates);
}

/// What `Lanes::weighted_rows` sums over.
pub struct Rows<'a> {
    /// Which rows.
    pub pairs: &'a [[Pair; 4]],
    /// One for each pair.
    pub slopes: &'a [[f32; 4]],
    /// The pull of the particle whose pairs they are.
    pub own: f32,
    /// Pulls by slot.
    pub pull: &'a [f32],
    /// By slot.
    pub x: &'a [[f64; 4]],
}

/// Particles around a cell, seen from its corner, or around one of its particles, seen from there; one array per coordinate.
#[derive(Default)]
pub struct Candidates {
    /// In h.
    pub x: Vec<f32>,
    /// In h.
    pub y: Vec<f32>,
    /// In h.
    pub z: Vec<f32>,
    /// Places in the chunk's halo.
    pub slot: Vec<u32>,
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
        for (k, &[x, y, z]) in places.iter().enumerate() {
            candidates.x.push(x);
            candidates.y.push(y);
            candidates.z.push(z);
            candidates.slot.push(k as u32);
        }
        candidates.pad();
        candidates
    }

    pub(super) fn clear(&mut self) {
        self.x.clear();
        self.y.clear();
        self.z.clear();
        self.slot.clear();
        self.count = 0;
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

    /// From the `k`-th to where it is seen from, and how far that is.
    #[inline(always)]
    pub(super) fn from(&self, k: usize) -> ([f32; 3], f32) {
        let d = [-self.x[k], -self.y[k], -self.z[k]];
        (d, (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt())
    }

    /// Adds candidates that never match, to a multiple of eight.
    pub(super) fn pad(&mut self) {
        self.count = self.x.len();
        let padded = self.count.next_multiple_of(8);
        for array in [&mut self.x, &mut self.y, &mut self.z] {
            array.resize(padded, FAR);
        }
        self.slot.resize(padded, 0);
    }

    /// Adds the `k`-th of `from`.
    fn push(&mut self, from: &Candidates, k: usize) {
        self.x.push(from.x[k]);
        self.y.push(from.y[k]);
        self.z.push(from.z[k]);
        self.slot.push(from.slot[k]);
    }

    /// Moves those whose slots `belongs` does not name to `others`.
    pub(super) fn split_off(&mut self, others: &mut Candidates, belongs: impl Fn(u32) -> bool) {
        others.clear();
        let mut kept = 0;
        for k in 0..self.count {
            if belongs(self.slot[k]) {
                [self.x[kept], self.y[kept], self.z[kept]] = [self.x[k], self.y[k], self.z[k]];
                self.slot[kept] = self.slot[k];
                kept += 1;
            } else {
                others.push(self, k);
            }
        }
        [&mut self.x, &mut self.y, &mut self.z].into_iter().for_each(|array| array.truncate(kept));
        self.slot.truncate(kept);
        self.pad();
        others.pad();
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
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("popcnt")
    {
        // SAFETY: the processor has just said that it has both.
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
    fn weighted_rows(rows: Rows) -> [f64; 4] {
        let Rows { pairs, slopes, own, pull, x } = rows;
        let mut sums = [[0.0; 4]; 4];
        for (pairs, slopes) in pairs.iter().zip(slopes) {
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
    #[target_feature(enable = "avx2,popcnt")]
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
        fn weighted_rows(rows: Rows) -> [f64; 4] {
            // SAFETY: see `Avx2`.
            unsafe { weighted_rows(rows) }
        }

        #[inline(always)]
        fn pairs(gradient: &[[u32; 8]; 3], slot: &[u32; 8]) -> [Pair; 8] {
            // SAFETY: see `Avx2`.
            unsafe { pairs(gradient, slot) }
        }

        #[inline(always)]
        fn select(from: &Candidates, place: [f32; 3], radius2: f32, near: &mut Candidates) {
            if from.count == 0 {
                return near.clear(); // most places are far from walls
            }
            // SAFETY: see `Avx2`.
            unsafe { select(from, place, radius2, near) }
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

    #[target_feature(enable = "avx2")]
    #[inline]
    fn weighted_rows(rows: Rows) -> [f64; 4] {
        let Rows { pairs, slopes, own, pull, x } = rows;
        let own = _mm_set1_ps(own);
        let mut sums = [_mm256_setzero_pd(); 4];
        let row = |pair: &Pair| bytemuck::cast::<[f64; 4], __m256d>(*value_of_pair(x, pair));
        for (pairs, slopes) in pairs.iter().zip(slopes) {
            prefetch(std::ptr::from_ref(pairs).wrapping_add(AHEAD / 4));
            let [a, b, c, d] = pairs;
            let [p, q, r, s] = [a, b, c, d].map(|pair| *value_of_pair(pull, pair));
            let c4 = _mm_mul_ps(bytemuck::cast(*slopes), _mm_add_ps(own, _mm_setr_ps(p, q, r, s)));
            let c4 = _mm256_cvtps_pd(c4);
            let of = |sum, weight, pair| _mm256_add_pd(sum, _mm256_mul_pd(weight, row(pair)));
            sums[0] = of(sums[0], _mm256_permute4x64_pd::<0x00>(c4), a);
            sums[1] = of(sums[1], _mm256_permute4x64_pd::<0x55>(c4), b);
            sums[2] = of(sums[2], _mm256_permute4x64_pd::<0xaa>(c4), c);
            sums[3] = of(sums[3], _mm256_permute4x64_pd::<0xff>(c4), d);
        }
        let (low, high) = (_mm256_add_pd(sums[0], sums[1]), _mm256_add_pd(sums[2], sums[3]));
        bytemuck::cast(_mm256_add_pd(low, high))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn pairs(gradient: &[[u32; 8]; 3], slot: &[u32; 8]) -> [Pair; 8] {
        let [x, y, z] = gradient.map(bytemuck::cast::<_, __m256i>);
        let twice_slot = _mm256_slli_epi32::<17>(bytemuck::cast(*slot));
        let low = _mm256_blend_epi16::<0xaa>(x, _mm256_slli_epi32::<16>(y));
        let high = _mm256_blend_epi16::<0xaa>(z, twice_slot);
        // Pairs 0, 1, 4, 5 and 2, 3, 6, 7.
        let (a, b) = (_mm256_unpacklo_epi32(low, high), _mm256_unpackhi_epi32(low, high));
        let halves =
            [_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b)];
        bytemuck::cast(halves.map(bytemuck::cast::<_, [u64; 4]>))
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

    #[target_feature(enable = "avx2,popcnt")]
    #[inline]
    fn select(from: &Candidates, place: [f32; 3], radius2: f32, near: &mut Candidates) {
        let blocks = from.x.len() / 8; // candidates are padded to a multiple of eight
        let long = |length: usize| length >= 8 * blocks;
        assert!(long(from.y.len()) && long(from.z.len()) && long(from.slot.len()));
        near.clear();
        for array in [&mut near.x, &mut near.y, &mut near.z] {
            array.reserve(8 * blocks + 8);
        }
        near.slot.reserve(8 * blocks + 8);
        let mut found = 0;
        let [px, py, pz] = place.map(|x| _mm256_set1_ps(x));
        let limit = _mm256_set1_ps(radius2);
        // SAFETY: `number` is at most 8·blocks, and all arrays have room for eight more than that.
        let write = |near: &mut Candidates, number: usize, [x, y, z]: [__m256; 3], slot| unsafe {
            _mm256_storeu_ps(near.x.as_mut_ptr().add(number), x);
            _mm256_storeu_ps(near.y.as_mut_ptr().add(number), y);
            _mm256_storeu_ps(near.z.as_mut_ptr().add(number), z);
            _mm256_storeu_si256(near.slot.as_mut_ptr().add(number).cast(), slot);
        };
        for block in 0..blocks {
            let k = 8 * block;
            // SAFETY: k + 8 is within all four arrays (asserted above).
            let (x, y, z, slot) = unsafe {
                (
                    _mm256_loadu_ps(from.x.as_ptr().add(k)),
                    _mm256_loadu_ps(from.y.as_ptr().add(k)),
                    _mm256_loadu_ps(from.z.as_ptr().add(k)),
                    _mm256_loadu_si256(from.slot.as_ptr().add(k).cast()),
                )
            };
            let (dx, dy) = (_mm256_sub_ps(x, px), _mm256_sub_ps(y, py));
            let dz = _mm256_sub_ps(z, pz);
            let xy = _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
            let r2 = _mm256_add_ps(xy, _mm256_mul_ps(dz, dz));
            let hits = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(r2, limit)) as usize;
            // SAFETY: a row of the table has eight numbers.
            let lanes = unsafe { _mm256_loadu_si256(SET_LANES[hits].as_ptr().cast()) };
            let first = [dx, dy, dz].map(|d| _mm256_permutevar8x32_ps(d, lanes));
            write(near, found, first, _mm256_permutevar8x32_epi32(slot, lanes));
            found += hits.count_ones() as usize;
        }
        write(near, found, [_mm256_set1_ps(FAR); 3], _mm256_setzero_si256());
        near.count = found;
        let padded = found.next_multiple_of(8);
        // SAFETY: so many entries have been written, with those that fill up the last eight.
        unsafe {
            for array in [&mut near.x, &mut near.y, &mut near.z] {
                array.set_len(padded);
            }
            near.slot.set_len(padded);
        }
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

    impl Vectorised for Rows<'_> {
        type Output = [u64; 4];
        #[inline(always)]
        fn run<L: Lanes>(self) -> [u64; 4] {
            L::weighted_rows(self).map(f64::to_bits)
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

    struct Select<'a>(&'a Candidates, [f32; 3], f32);

    impl Vectorised for Select<'_> {
        type Output = ([Vec<u32>; 4], usize);
        #[inline(always)]
        fn run<L: Lanes>(self) -> ([Vec<u32>; 4], usize) {
            let mut near = Candidates::at(&[[7.0; 3]]); // what was there before must not matter
            L::select(self.0, self.1, self.2, &mut near);
            let bits = |array: Vec<f32>| array.into_iter().map(f32::to_bits).collect();
            ([bits(near.x), bits(near.y), bits(near.z), near.slot], near.count)
        }
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
            let slopes: Vec<[f32; 4]> = values.iter().map(|v| v.to_array()).collect();
            let places: Vec<[f64; 4]> = values.iter().map(|v| v.as_dvec4().to_array()).collect();
            let rows = || Rows { pairs, slopes: &slopes, own: 0.3, pull: &numbers, x: &places };
            prop_assert_eq!(rows().run::<Portable>(), dispatch(rows()));
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
            let portable = Select(&candidates, place, radius2).run::<Portable>();
            prop_assert_eq!(portable, dispatch(Select(&candidates, place, radius2)));
        }
    }
}
