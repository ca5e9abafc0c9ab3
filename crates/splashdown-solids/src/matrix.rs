//! Sparse symmetric positive definite systems of 3×3 blocks, solved by Cholesky factorisation (`faer`).
//!
//! Blocks are sorted by column and row; only those on and below the diagonal are kept. The symbolic part of
//! the factorisation is done again only when the pattern changes. One thread does it all, so that the bits
//! of a solution do not depend on how many there are.

use faer::Side;
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Llt, SymbolicLlt};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat, SymbolicSparseColMatRef};
use glam::DVec3;

/// Column and row of a block, sorted as it is stored.
pub type Key = u64;

/// The key of the block that couples unknowns `a` and `b`, wherever it lies.
pub fn key(a: u32, b: u32) -> Key {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

/// A symmetric matrix of 3×3 blocks.
#[derive(Clone, Debug, Default)]
pub struct BlockMatrix {
    /// Sorted, each once.
    keys: Vec<Key>,
    /// One for each key; row-major.
    blocks: Vec<[f64; 9]>,
    /// Where the blocks of each column begin.
    columns: Vec<usize>,
    pattern: Option<(SymbolicSparseColMat<usize>, SymbolicLlt<usize>)>,
    /// How often the symbolic factorisation was done.
    pub analyses: u64,
}

/// Why a system cannot be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsolvable {
    /// It is not positive definite.
    #[error("the system is not positive definite")]
    Indefinite,
    /// It does not fit into memory.
    #[error("the system is too large")]
    TooLarge,
}

impl BlockMatrix {
    /// Prepares a matrix of `size` blocks each way with the given blocks, which must be sorted, each once,
    /// and contain the diagonal. All values become zero.
    pub fn begin(&mut self, size: usize, keys: Vec<Key>) -> Result<(), Unsolvable> {
        self.blocks.clear();
        self.blocks.resize(keys.len(), [0.0; 9]);
        if self.keys == keys && self.pattern.is_some() {
            return Ok(());
        }
        self.keys = keys;
        self.columns =
            (0..=size as u64).map(|c| self.keys.partition_point(|&k| k >> 32 < c)).collect();
        self.analyses += 1;
        let mut starts = vec![0];
        let mut rows = Vec::with_capacity(9 * self.keys.len());
        for column in 0..size {
            let blocks = &self.keys[self.columns[column]..self.columns[column + 1]];
            for c in 0..3 {
                for &k in blocks {
                    let row = (k & 0xffff_ffff) as usize;
                    let first = if row == column { c } else { 0 };
                    rows.extend((first..3).map(|r| 3 * row + r));
                }
                starts.push(rows.len());
            }
        }
        let n = 3 * size;
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &rows);
        let symbolic =
            SymbolicLlt::try_new(pattern, Side::Lower).map_err(|_| Unsolvable::TooLarge)?;
        let owned = SymbolicSparseColMat::new_checked(n, n, starts, None, rows);
        self.pattern = Some((owned, symbolic));
        Ok(())
    }

    /// Where the block of `key` is stored, if it is one of ours.
    pub fn slot(&self, key: Key) -> Option<usize> {
        self.keys.binary_search(&key).ok()
    }

    /// Adds to entry (`row`, `column`) of the block at `slot`, which is at or below the diagonal.
    pub fn block(&mut self, slot: usize) -> &mut [f64; 9] {
        &mut self.blocks[slot]
    }

    /// The diagonal entry of every unknown.
    pub fn diagonal(&self) -> Vec<DVec3> {
        let first = self.columns.iter().take(self.columns.len().saturating_sub(1));
        first.map(|&k| &self.blocks[k]).map(|b| DVec3::new(b[0], b[4], b[8])).collect()
    }

    /// Solves A x = b.
    pub fn solve(&self, b: &[DVec3]) -> Result<Vec<DVec3>, Unsolvable> {
        let Some((pattern, symbolic)) = &self.pattern else { return Ok(Vec::new()) };
        let mut values = Vec::with_capacity(pattern.compute_nnz());
        for (column, range) in self.columns.windows(2).enumerate() {
            for c in 0..3 {
                for (key, block) in
                    self.keys[range[0]..range[1]].iter().zip(&self.blocks[range[0]..])
                {
                    let first = if (key & 0xffff_ffff) as usize == column { c } else { 0 };
                    values.extend((first..3).map(|r| block[3 * r + c]));
                }
            }
        }
        let matrix = SparseColMatRef::new(pattern.as_ref(), &values);
        let factor = Llt::try_new_with_symbolic(symbolic.clone(), matrix, Side::Lower)
            .map_err(|_| Unsolvable::Indefinite)?;
        let mut x: Vec<f64> = b.iter().flat_map(|b| b.to_array()).collect();
        let n = x.len();
        factor.solve_in_place(faer::MatMut::from_column_major_slice_mut(&mut x, n, 1));
        if x.iter().any(|x| !x.is_finite()) {
            return Err(Unsolvable::Indefinite);
        }
        Ok(x.chunks_exact(3).map(DVec3::from_slice).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differences::Random;

    fn filled(random: &mut Random) -> BlockMatrix {
        let mut keys: Vec<Key> = (0..6).map(|k| key(k, k)).collect();
        keys.extend([key(4, 1), key(0, 2), key(5, 2), key(3, 4)]);
        keys.sort_unstable();
        let mut matrix = BlockMatrix::default();
        matrix.begin(6, keys.clone()).unwrap();
        for k in keys {
            let slot = matrix.slot(k).unwrap();
            let own = k >> 32 == k & 0xffff_ffff;
            let r = random.matrix();
            let symmetric = r + r.transpose() + 12.0 * glam::DMat3::IDENTITY;
            let values = if own { symmetric } else { r };
            *matrix.block(slot) = values.transpose().to_cols_array();
        }
        matrix
    }

    #[test]
    fn solutions_solve_the_system() {
        let mut random = Random::new(15);
        let matrix = filled(&mut random);
        let b: Vec<DVec3> = (0..6).map(|_| random.vector()).collect();
        let x = matrix.solve(&b).unwrap();
        let mut product = [DVec3::ZERO; 6];
        for (key, block) in matrix.keys.iter().zip(&matrix.blocks) {
            let (column, row) = ((key >> 32) as usize, (key & 0xffff_ffff) as usize);
            let m = glam::DMat3::from_cols_array(block).transpose();
            product[row] += m * x[column];
            if row != column {
                product[column] += m.transpose() * x[row];
            }
        }
        assert!(product.iter().zip(&b).all(|(p, b)| p.distance(*b) < 1e-12));
    }

    #[test]
    fn a_pattern_that_repeats_is_analysed_once_and_an_indefinite_matrix_is_refused() {
        let mut random = Random::new(16);
        let mut matrix = filled(&mut random);
        let keys = matrix.keys.clone();
        matrix.begin(6, keys.clone()).unwrap();
        assert_eq!(matrix.analyses, 1);
        assert_eq!(matrix.solve(&[DVec3::ONE; 6]), Err(Unsolvable::Indefinite));
        matrix.begin(6, keys.into_iter().filter(|k| *k != key(4, 1)).collect()).unwrap();
        assert_eq!(matrix.analyses, 2);
    }
}
