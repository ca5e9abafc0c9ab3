//! Parallel sums with the same bits on any thread count.
//!
//! Floating-point addition is not associative, so the order must not depend on who happens to be
//! idle: chunks of a fixed size are summed from left to right, then the chunks in order.

use rayon::prelude::*;

use glam::DVec3;

/// Terms per chunk. Part of the result: another size rounds differently.
const CHUNK: usize = 4096;

/// Σ f(i) for i in 0..n.
pub fn sum(n: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    let [total] = sums(n, |i| [f(i)]);
    total
}

/// Σ f(i) for i in 0..n, of vectors.
pub fn sum_vector(n: usize, f: impl Fn(usize) -> DVec3 + Sync) -> DVec3 {
    DVec3::from_array(sums(n, |i| f(i).to_array()))
}

/// Several sums over the same indices in one pass.
pub fn sums<const K: usize>(n: usize, f: impl Fn(usize) -> [f64; K] + Sync) -> [f64; K] {
    let chunk = |c: usize| {
        let mut total = [0.0; K];
        for i in c * CHUNK..n.min((c + 1) * CHUNK) {
            add(&mut total, &f(i));
        }
        total
    };
    // A sum of one chunk is the common case in small scenes: do not wake anybody up for it.
    if n <= CHUNK {
        return chunk(0);
    }
    let chunks: Vec<[f64; K]> = (0..n.div_ceil(CHUNK)).into_par_iter().map(chunk).collect();
    let mut total = [0.0; K];
    chunks.iter().for_each(|c| add(&mut total, c));
    total
}

fn add<const K: usize>(total: &mut [f64; K], term: &[f64; K]) {
    for (t, x) in total.iter_mut().zip(term) {
        *t += x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn awkward(i: usize) -> f64 {
        (i as f64 * 0.7).sin() * 10f64.powi((i % 17) as i32 - 8)
    }

    #[test]
    fn sums_have_the_same_bits_on_any_thread_count() {
        let with_threads = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| sum(100_003, awkward).to_bits())
        };
        let one = with_threads(1);
        assert_eq!(one, with_threads(2));
        assert_eq!(one, with_threads(8));
    }

    #[test]
    fn sums_agree_with_a_plain_loop() {
        for n in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK] {
            let plain: f64 = (0..n).map(|i| i as f64).sum();
            assert_eq!(sum(n, |i| i as f64), plain);
            assert_eq!(sum_vector(n, |i| DVec3::splat(i as f64)), DVec3::splat(plain));
        }
    }
}
