//! The one place with vector instructions chosen at run time: which candidates are within a radius.
//!
//! Both versions compute the same sums of squares with the same roundings, so a processor without
//! AVX2 finds the same neighbours in the same order. (The loops over kernel values and pairs need no
//! intrinsics: they are written in lanes of eight or four and compiled for the processor at hand.)

use super::neighbors::Candidates;

/// Whether this processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn has_avx2() -> bool {
    std::arch::is_x86_feature_detected!("avx2")
}

/// Writes the numbers of the candidates closer than √`radius2` to `place` into `hits`.
#[inline(always)]
pub(super) fn collect_portable(
    from: &Candidates,
    place: [f32; 3],
    radius2: f32,
    hits: &mut Vec<u32>,
) {
    hits.clear();
    for (k, ((&x, &y), &z)) in from.x.iter().zip(&from.y).zip(&from.z).enumerate() {
        let (dx, dy, dz) = (place[0] - x, place[1] - y, place[2] - z);
        if dx * dx + dy * dy + dz * dz < radius2 {
            hits.push(k as u32);
        }
    }
}

/// For each of the 256 patterns of eight lanes: the numbers of the lanes that are set, first to last.
#[cfg(target_arch = "x86_64")]
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

/// `collect_portable`, eight candidates at a time.
///
/// Calling it where there may be no AVX2 is unsafe.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn collect_avx2(
    from: &Candidates,
    place: [f32; 3],
    radius2: f32,
    hits: &mut Vec<u32>,
) {
    use std::arch::x86_64::*;
    let blocks = from.x.len() / 8; // candidates are padded to a multiple of eight
    assert!(from.y.len() >= 8 * blocks && from.z.len() >= 8 * blocks);
    hits.clear();
    hits.reserve(8 * blocks + 8);
    let mut found = 0;
    let [px, py, pz] = place.map(|c| _mm256_set1_ps(c));
    let limit = _mm256_set1_ps(radius2);
    for block in 0..blocks {
        let k = 8 * block;
        // SAFETY: k + 8 is within all three arrays (asserted above); `hits` has room for eight more
        // than are ever written, and `found` never exceeds 8·block.
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
