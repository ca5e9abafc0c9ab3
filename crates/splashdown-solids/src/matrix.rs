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

use crate::pcg;

/// Column and row of a block, sorted as it is stored.
pub type Key = u64;

/// The key of the block that couples unknowns `a` and `b`, wherever it lies.
pub fn key(a: u32, b: u32) -> Key {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

/// A symmetric matrix of 3×3 blocks.
#[derive(Clone, Debug)]
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
    /// Systems of more blocks each way than this are solved iteratively.
    pub most: usize,
}

impl Default for BlockMatrix {
    fn default() -> BlockMatrix {
        let (keys, blocks, columns) = Default::default();
        BlockMatrix { keys, blocks, columns, pattern: None, analyses: 0, most: usize::MAX }
    }
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
        if self.keys == keys && (self.pattern.is_some() || size > self.most) {
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
        self.pattern = None;
        if size > self.most {
            return Ok(());
        }
        let n = 3 * size;
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &rows);
        let symbolic =
            SymbolicLlt::try_new(pattern, Side::Lower).map_err(|_| Unsolvable::TooLarge)?;
        let owned = SymbolicSparseColMat::new_checked(n, n, starts, None, rows);
        self.pattern = Some((owned, symbolic));
        Ok(())
    }

    /// The block that couples unknowns `a` and `b`, whose rows are those of the larger one. It must have
    /// been announced.
    pub fn block_of(&mut self, a: u32, b: u32) -> &mut [f64; 9] {
        let column = a.min(b) as usize;
        let (first, end) = (self.columns[column], self.columns[column + 1]);
        let within = self.keys[first..end].binary_search(&key(a, b)).unwrap_or_default();
        &mut self.blocks[first + within]
    }

    /// Makes every diagonal entry larger by `share` of itself.
    pub fn raise_diagonal(&mut self, share: f64) {
        // The first block of a column is the diagonal one.
        for &first in &self.columns[..self.columns.len().saturating_sub(1)] {
            [0, 4, 8].iter().for_each(|&i| self.blocks[first][i] *= 1.0 + share);
        }
    }

    /// Replaces the rows and columns of locked unknowns by those of the identity, times their diagonal.
    pub fn lock(&mut self, axes: &[[bool; 3]]) {
        for (key, block) in self.keys.iter().zip(&mut self.blocks) {
            let (column, row) = ((key >> 32) as usize, (key & 0xffff_ffff) as usize);
            for (k, entry) in block.iter_mut().enumerate() {
                let own = row == column && k / 3 == k % 3;
                if !own && (axes[row][k / 3] || axes[column][k % 3]) {
                    *entry = 0.0;
                }
            }
        }
    }

    /// Calls `f` with row, column and entries (by rows) of every block at and below the diagonal.
    pub fn for_each(&self, mut f: impl FnMut(usize, usize, &[f64; 9])) {
        for (key, block) in self.keys.iter().zip(&self.blocks) {
            f((key & 0xffff_ffff) as usize, (key >> 32) as usize, block);
        }
    }

    /// Solves A x = b, by factorisation if the system is not too large for that.
    pub fn solve(&self, b: &[DVec3]) -> Result<Vec<DVec3>, Unsolvable> {
        let Some((pattern, symbolic)) = &self.pattern else { return pcg::solve(self, b) };
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
            let own = k >> 32 == k & 0xffff_ffff;
            let r = random.matrix();
            let symmetric = r + r.transpose() + 12.0 * glam::DMat3::IDENTITY;
            let values = if own { symmetric } else { r };
            *matrix.block_of((k >> 32) as u32, k as u32) = values.transpose().to_cols_array();
        }
        matrix
    }

    #[test]
    fn the_iterative_solution_is_that_of_the_factorisation() {
        let mut random = Random::new(18);
        let direct = filled(&mut random);
        let b: Vec<DVec3> = (0..6).map(|_| random.vector()).collect();
        let expected = direct.solve(&b).unwrap();
        let found = pcg::solve(&direct, &b).unwrap();
        let wrong = found.iter().zip(&expected).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(wrong < 1e-4, "{wrong}");
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
