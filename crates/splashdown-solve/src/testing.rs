//! Dense matrices that tests compare with.

use crate::operator::{LinearOperator, Preconditioner};

/// A matrix by rows.
#[derive(Clone, Debug)]
pub(crate) struct Dense {
    pub rows: Vec<Vec<f64>>,
}

/// Numbers between −1 and 1 (splitmix64).
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

impl Dense {
    /// B Bᵀ + 0.1 of random B.
    pub(crate) fn positive(seed: u64, n: usize) -> Dense {
        let mut next = random(seed);
        let b: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| next()).collect()).collect();
        let product = |i: usize, j: usize| {
            let sum: f64 = b[i].iter().zip(&b[j]).map(|(x, y)| x * y).sum();
            sum + if i == j { 0.1 } else { 0.0 }
        };
        Dense { rows: (0..n).map(|i| (0..n).map(|j| product(i, j)).collect()).collect() }
    }

    /// A random vector.
    pub(crate) fn vector(seed: u64, n: usize) -> Vec<f64> {
        let mut next = random(seed);
        (0..n).map(|_| next()).collect()
    }

    /// A x
    pub(crate) fn times(&self, x: &[f64]) -> Vec<f64> {
        self.rows.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
    }

    /// A⁻¹ b by Gauss.
    pub(crate) fn eliminate(&self, b: &[f64]) -> Vec<f64> {
        let (n, mut a, mut x) = (b.len(), self.rows.clone(), b.to_vec());
        for k in 0..n {
            let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
            a.swap(k, pivot);
            x.swap(k, pivot);
            for i in k + 1..n {
                let factor = a[i][k] / a[k][k];
                let (upper, lower) = a.split_at_mut(i);
                lower[0].iter_mut().zip(&upper[k]).for_each(|(a, b)| *a -= factor * b);
                x[i] -= factor * x[k];
            }
        }
        for k in (0..n).rev() {
            let known: f64 = (k + 1..n).map(|j| a[k][j] * x[j]).sum();
            x[k] = (x[k] - known) / a[k][k];
        }
        x
    }

    /// The rows and columns `range` alone.
    pub(crate) fn block(
        &self,
        rows: std::ops::Range<usize>,
        columns: std::ops::Range<usize>,
    ) -> Dense {
        Dense { rows: self.rows[rows].iter().map(|row| row[columns.clone()].to_vec()).collect() }
    }
}

impl LinearOperator for Dense {
    fn apply(&self, x: &[f64], y: &mut [f64]) {
        y.copy_from_slice(&self.times(x));
    }
}

/// The inverse of the diagonal.
pub(crate) struct Jacobi(Vec<f64>);

impl Jacobi {
    pub(crate) fn of(matrix: &Dense) -> Jacobi {
        Jacobi(matrix.rows.iter().enumerate().map(|(i, row)| 1.0 / row[i]).collect())
    }
}

impl Preconditioner for Jacobi {
    fn apply(&self, r: &[f64], z: &mut [f64]) {
        z.iter_mut().zip(r).zip(&self.0).for_each(|((z, r), d)| *z = r * d);
    }
}
