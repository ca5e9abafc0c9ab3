//! `Lanes` with AVX2: the one file with intrinsics for processors beyond the baseline.

use std::arch::x86_64::*;

use super::*;
use crate::particles::candidates::FAR;

/// Compiles `work` for AVX2.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn run<V: Vectorised>(work: V) -> V::Output {
    work.run::<Avx2>()
}

/// AVX2. Private: only `run` names it, so that its operations are only reached with AVX2 there.
#[derive(Clone, Copy)]
struct Avx2;

impl Lanes for Avx2 {
    #[inline(always)]
    fn weighted_sum(pairs: Fours, value: &[Vec4]) -> Vec4 {
        // SAFETY: see `Avx2`.
        unsafe { weighted_sum(pairs, value) }
    }

    #[inline(always)]
    fn scaled_sum(pairs: Fours, value: &[f32]) -> Vec4 {
        // SAFETY: see `Avx2`.
        unsafe { scaled_sum(pairs, value) }
    }

    #[inline(always)]
    fn transposed(pairs: Eight, value: &[[i32; 4]]) -> [[i32; 8]; 4] {
        // SAFETY: see `Avx2`.
        unsafe { transposed(pairs, value) }
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

    #[inline(always)]
    fn reach(from: &Candidates, zone: &Zone, within: &mut Candidates) {
        // SAFETY: see `Avx2`.
        unsafe { reach(from, zone, within) }
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn weighted_sum(pairs: Fours, value: &[Vec4]) -> Vec4 {
    sum_in_twos(pairs.within(value), |a, b| {
        let first = (*value_of_pair(value, a)).into();
        _mm256_set_m128((*value_of_pair(value, b)).into(), first)
    })
}

#[target_feature(enable = "avx2")]
#[inline]
fn scaled_sum(pairs: Fours, value: &[f32]) -> Vec4 {
    sum_in_twos(pairs.within(value), |a, b| {
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
fn transposed(pairs: Eight, value: &[[i32; 4]]) -> [[i32; 8]; 4] {
    let [a, b] = pairs.within(value);
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
    pairs.within(x);
    for (pairs, slopes) in pairs.within(pull).iter().zip(slopes) {
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
    let halves = [_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b)];
    bytemuck::cast(halves.map(bytemuck::cast::<_, [u64; 4]>))
}

/// For each of the 256 patterns of eight lanes: the lanes that are set, first to last.
static SET_LANES: [[u8; 8]; 256] = {
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
    let place = place.map(|x| _mm256_set1_ps(x));
    pack(from, near, |x| {
        let [dx, dy, dz] = std::array::from_fn(|axis| _mm256_sub_ps(x[axis], place[axis]));
        ([dx, dy, dz], closer([dx, dy, dz], radius2))
    });
}

#[target_feature(enable = "avx2,popcnt")]
#[inline]
fn reach(from: &Candidates, zone: &Zone, within: &mut Candidates) {
    let [centre, half] = [zone.centre, zone.half].map(|v| v.map(|x| _mm256_set1_ps(x)));
    let (sign, zero) = (_mm256_set1_ps(-0.0), _mm256_setzero_ps());
    pack(from, within, |x| {
        let gap = std::array::from_fn(|axis| {
            let off = _mm256_andnot_ps(sign, _mm256_sub_ps(x[axis], centre[axis]));
            _mm256_max_ps(_mm256_sub_ps(off, half[axis]), zero)
        });
        (x, closer(gap, zone.radius2))
    });
}

/// Which of eight ways are shorter than √`radius2`: a bit for each.
#[target_feature(enable = "avx2")]
#[inline]
fn closer([x, y, z]: [__m256; 3], radius2: f32) -> u8 {
    let xy = _mm256_add_ps(_mm256_mul_ps(x, x), _mm256_mul_ps(y, y));
    let r2 = _mm256_add_ps(xy, _mm256_mul_ps(z, z));
    _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(r2, _mm256_set1_ps(radius2))) as u8
}

/// Packs what `keep` makes of the places of those candidates that it names.
#[target_feature(enable = "avx2,popcnt")]
#[inline]
fn pack(from: &Candidates, into: &mut Candidates, keep: impl Fn([__m256; 3]) -> ([__m256; 3], u8)) {
    let blocks = from.x.len() / 8; // candidates are padded to a multiple of eight
    let long = |length: usize| length >= 8 * blocks;
    assert!(long(from.y.len()) && long(from.z.len()) && long(from.slot.len()));
    into.clear();
    for array in [&mut into.x, &mut into.y, &mut into.z] {
        array.reserve(8 * blocks + 8);
    }
    into.slot.reserve(8 * blocks + 8);
    let mut found = 0;
    // SAFETY: `number` is at most 8·blocks, and all arrays have room for eight more than that.
    let write = |into: &mut Candidates, number: usize, [x, y, z]: [__m256; 3], slot| unsafe {
        _mm256_storeu_ps(into.x.as_mut_ptr().add(number), x);
        _mm256_storeu_ps(into.y.as_mut_ptr().add(number), y);
        _mm256_storeu_ps(into.z.as_mut_ptr().add(number), z);
        _mm256_storeu_si256(into.slot.as_mut_ptr().add(number).cast(), slot);
    };
    for block in 0..blocks {
        let k = 8 * block;
        // SAFETY: k + 8 is within all four arrays (asserted above).
        let (place, slot) = unsafe {
            (
                [&from.x, &from.y, &from.z].map(|x| _mm256_loadu_ps(x.as_ptr().add(k))),
                _mm256_loadu_si256(from.slot.as_ptr().add(k).cast()),
            )
        };
        let (place, hits) = keep(place);
        let lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(i64::from_le_bytes(
            SET_LANES[usize::from(hits)],
        )));
        let place = place.map(|x| _mm256_permutevar8x32_ps(x, lanes));
        write(into, found, place, _mm256_permutevar8x32_epi32(slot, lanes));
        found += hits.count_ones() as usize;
    }
    write(into, found, [_mm256_set1_ps(FAR); 3], _mm256_setzero_si256());
    into.count = found;
    let padded = found.next_multiple_of(8);
    // SAFETY: so many entries have been written, with those that fill up the last eight.
    unsafe {
        for array in [&mut into.x, &mut into.y, &mut into.z] {
            array.set_len(padded);
        }
        into.slot.set_len(padded);
    }
}
