//! Sparse symmetric positive definite systems of 3×3 blocks, solved by Cholesky factorisation or,
//! where they are too large for that, by conjugate gradients with the inverse of the blocks on the
//! diagonal.
//!
//! Blocks are sorted by column and row; only those on and below the diagonal are kept. The symbolic
//! part of the factorisation is done again only when the pattern changes.

use std::io::{self, Write};

use glam::{DMat3, DVec3};

use crate::cg;
use crate::cholesky::Factor;
pub use crate::cholesky::Unsolvable;
use crate::operator::{LinearOperator, Preconditioner};
use crate::ordering::nested_dissection;
pub use crate::ordering::{Key, key};
use crate::stop::Stop;

/// Conjugate gradients make the residual smaller by this factor; Newton's method needs no more of a
/// direction.
const TOLERANCE: f64 = 1e-5;
/// Iterations at most.
const MOST: usize = 20_000;

/// A symmetric matrix of 3×3 blocks.
#[derive(Clone, Debug)]
pub struct BlockMatrix {
    /// Sorted, each once.
    keys: Vec<Key>,
    /// One for each key; row-major.
    blocks: Vec<[f64; 9]>,
    /// Where the blocks of each column begin.
    columns: Vec<usize>,
    factor: Option<Factor>,
    /// Memory for entries, column by column.
    entries: Vec<f64>,
    /// How often the symbolic factorisation was done.
    pub analyses: u64,
    /// Systems of more blocks each way than this are solved iteratively.
    pub most: usize,
    /// Whether a solution is to end at once, unfinished.
    pub stop: Stop,
}

impl Default for BlockMatrix {
    fn default() -> BlockMatrix {
        let (keys, blocks, columns, entries) = Default::default();
        BlockMatrix {
            keys,
            blocks,
            columns,
            factor: None,
            entries,
            analyses: 0,
            most: usize::MAX,
            stop: Stop::default(),
        }
    }
}

/// What a solve found.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// x
    pub x: Vec<DVec3>,
    /// Iterations of conjugate gradients; none where a factorisation did it.
    pub iterations: u32,
    /// Whether the residual is small enough. If not, iterations ran out; x is what they found.
    pub converged: bool,
}

impl BlockMatrix {
    /// Prepares a matrix of one block each way for each of the unknowns, which are at `places`,
    /// with the given blocks, which must be sorted, each once, and contain the diagonal. All values
    /// become zero.
    pub fn begin(&mut self, places: &[DVec3], keys: Vec<Key>) -> Result<(), Unsolvable> {
        let size = places.len();
        self.blocks.clear();
        self.blocks.resize(keys.len(), [0.0; 9]);
        if self.keys == keys && (self.factor.is_some() || size > self.most) {
            return Ok(());
        }
        self.keys = keys;
        self.columns =
            (0..=size as u64).map(|c| self.keys.partition_point(|&k| k >> 32 < c)).collect();
        self.analyses += 1;
        let earlier = self.factor.take();
        if size > self.most {
            return Ok(());
        }
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
        let order = nested_dissection(&self.keys, places);
        let order = order.iter().flat_map(|&u| [0, 1, 2].map(|c| 3 * u as usize + c)).collect();
        self.factor = Some(Factor::new(starts, rows, order, earlier)?);
        Ok(())
    }

    /// Where the blocks with these keys, sorted and all announced, are among all.
    pub fn places_of(&self, keys: &[Key]) -> Vec<u32> {
        let mut all = (0u32..).zip(&self.keys);
        let find = |key: &Key| all.find(|(_, k)| *k == key).map_or(0, |(place, _)| place);
        keys.iter().map(find).collect()
    }

    /// The block at one of `places_of`.
    #[inline]
    pub fn block_at(&mut self, place: u32) -> &mut [f64; 9] {
        &mut self.blocks[place as usize]
    }

    /// The block that couples unknowns `a` and `b`, whose rows are those of the larger one. It must
    /// have been announced.
    #[inline]
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

    /// Replaces the rows and columns of locked unknowns by those of the identity, times their
    /// diagonal.
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
    pub fn solve(&mut self, b: &[DVec3]) -> Result<Solution, Unsolvable> {
        self.factorise()?;
        self.solve_again(b)
    }

    /// Gets ready to solve with the present blocks, any number of times.
    pub fn factorise(&mut self) -> Result<(), Unsolvable> {
        if self.factor.is_none() {
            return Ok(());
        }
        self.list_entries();
        let Some(factor) = &mut self.factor else { return Err(Unsolvable::TooLarge) };
        factor.factorise(&mut self.entries, self.stop)
    }

    /// Solves A x = b, A as it was factorised last.
    pub fn solve_again(&self, b: &[DVec3]) -> Result<Solution, Unsolvable> {
        let Some(factor) = &self.factor else { return self.iterate(b) };
        let mut x: Vec<f64> = b.iter().flat_map(|b| b.to_array()).collect();
        factor.solve(&mut x)?;
        if x.iter().any(|x| !x.is_finite()) {
            return Err(Unsolvable::Indefinite);
        }
        let x = x.chunks_exact(3).map(DVec3::from_slice).collect();
        Ok(Solution { x, iterations: 0, converged: true })
    }

    /// Solves A x = b by conjugate gradients.
    fn iterate(&self, b: &[DVec3]) -> Result<Solution, Unsolvable> {
        let blocks = DiagonalBlocks::of(self, b.len())?;
        // In exact arithmetic 3 n iterations are enough; rounding asks for more.
        let most = (10 * b.len() + 100).min(MOST) as u32;
        let (tolerance, stop) = (TOLERANCE, self.stop);
        let params = cg::Params { tolerance, max_iterations: most, stop, ..cg::Params::default() };
        let mut x = vec![DVec3::ZERO; b.len()];
        match cg::solve(self, &blocks, b, &mut x, &params) {
            Ok(report) => Ok(Solution { x, iterations: report.iterations, converged: true }),
            Err(cg::Error::NoConvergence(report)) => {
                Ok(Solution { x, iterations: report.iterations, converged: false })
            }
            Err(cg::Error::Indefinite(_)) => Err(Unsolvable::Indefinite),
            Err(cg::Error::Stopped(_)) => Err(Unsolvable::Stopped),
        }
    }

    /// The entries on and below the diagonal, column by column.
    fn list_entries(&mut self) {
        let BlockMatrix { keys, blocks, columns, entries, .. } = self;
        entries.clear();
        for (column, range) in columns.windows(2).enumerate() {
            for c in 0..3 {
                for (key, block) in keys[range[0]..range[1]].iter().zip(&blocks[range[0]..]) {
                    let first = if (key & 0xffff_ffff) as usize == column { c } else { 0 };
                    entries.extend((first..3).map(|r| block[3 * r + c]));
                }
            }
        }
    }

    /// Writes the matrix in the Matrix Market format, for comparison with other solvers.
    pub fn write(&mut self, mut to: impl Write) -> io::Result<()> {
        self.list_entries();
        let Some(factor) = &self.factor else {
            return Err(io::Error::other("the matrix is larger than direct_limit"));
        };
        let (starts, rows) = factor.pattern();
        let n = starts.len() - 1;
        writeln!(to, "%%MatrixMarket matrix coordinate real symmetric")?;
        writeln!(to, "{n} {n} {}", factor.entries())?;
        for (column, range) in starts.windows(2).enumerate() {
            for (row, entry) in rows[range[0]..range[1]].iter().zip(&self.entries[range[0]..]) {
                writeln!(to, "{} {} {entry:e}", row + 1, column + 1)?;
            }
        }
        Ok(())
    }
}

impl LinearOperator<DVec3> for BlockMatrix {
    /// Only blocks at and below the diagonal are stored.
    fn apply(&self, x: &[DVec3], y: &mut [DVec3]) {
        y.fill(DVec3::ZERO);
        self.for_each(|row, column, block| {
            let block = whole(block);
            y[row] += block * x[column];
            if row != column {
                y[column] += block.transpose() * x[row];
            }
        });
    }
}

/// The inverse of the blocks on the diagonal.
struct DiagonalBlocks(Vec<DMat3>);

impl DiagonalBlocks {
    fn of(matrix: &BlockMatrix, n: usize) -> Result<DiagonalBlocks, Unsolvable> {
        let mut blocks = vec![DMat3::ZERO; n];
        matrix.for_each(|row, column, block| {
            if row == column {
                blocks[row] = whole(block).inverse();
            }
        });
        let is_usable = blocks.iter().all(|block| block.is_finite());
        is_usable.then_some(DiagonalBlocks(blocks)).ok_or(Unsolvable::Indefinite)
    }
}

impl Preconditioner<DVec3> for DiagonalBlocks {
    fn apply(&self, r: &[DVec3], z: &mut [DVec3]) {
        let all = z.iter_mut().zip(&self.0).zip(r);
        all.for_each(|((z, block), r)| *z = *block * *r);
    }
}

/// A block that is stored by rows.
fn whole(block: &[f64; 9]) -> DMat3 {
    DMat3::from_cols_array(block).transpose()
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
        matrix.begin(&[DVec3::ZERO; 6], keys.clone()).unwrap();
        for k in keys {
            let own = k >> 32 == k & 0xffff_ffff;
            let r = random.matrix();
            let symmetric = r + r.transpose() + 12.0 * DMat3::IDENTITY;
            let values = if own { symmetric } else { r };
            *matrix.block_of((k >> 32) as u32, k as u32) = values.transpose().to_cols_array();
        }
        matrix
    }

    #[test]
    fn the_iterative_solution_is_that_of_the_factorisation() {
        let mut random = Random::new(18);
        let mut direct = filled(&mut random);
        let b: Vec<DVec3> = (0..6).map(|_| random.vector()).collect();
        let expected = direct.solve(&b).unwrap().x;
        let Solution { x: found, iterations, converged } = direct.iterate(&b).unwrap();
        assert!(converged && iterations > 0);
        let wrong = found.iter().zip(&expected).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(wrong < 1e-4, "{wrong}");
    }

    #[test]
    fn solutions_solve_the_system() {
        let mut random = Random::new(15);
        let mut matrix = filled(&mut random);
        let b: Vec<DVec3> = (0..6).map(|_| random.vector()).collect();
        let x = matrix.solve(&b).unwrap().x;
        let mut product = [DVec3::ZERO; 6];
        for (key, block) in matrix.keys.iter().zip(&matrix.blocks) {
            let (column, row) = ((key >> 32) as usize, (key & 0xffff_ffff) as usize);
            let m = DMat3::from_cols_array(block).transpose();
            product[row] += m * x[column];
            if row != column {
                product[column] += m.transpose() * x[row];
            }
        }
        assert!(product.iter().zip(&b).all(|(p, b)| p.distance(*b) < 1e-12));
    }

    #[test]
    fn one_factor_solves_for_many_right_hand_sides() {
        let mut random = Random::new(21);
        let (mut matrix, mut fresh) = (filled(&mut random), BlockMatrix::default());
        assert!(matrix.solve_again(&[DVec3::ONE; 6]).is_err(), "there is no factor yet");
        matrix.factorise().unwrap();
        for _ in 0..3 {
            let b: Vec<DVec3> = (0..6).map(|_| random.vector()).collect();
            fresh.clone_from(&matrix);
            assert_eq!(matrix.solve_again(&b), fresh.solve(&b));
        }
    }

    #[test]
    fn a_pattern_that_repeats_is_analysed_once_and_an_indefinite_matrix_is_refused() {
        let mut random = Random::new(16);
        let mut matrix = filled(&mut random);
        let keys = matrix.keys.clone();
        matrix.begin(&[DVec3::ZERO; 6], keys.clone()).unwrap();
        assert_eq!(matrix.analyses, 1);
        assert_eq!(matrix.solve(&[DVec3::ONE; 6]), Err(Unsolvable::Indefinite));
        let fewer = keys.into_iter().filter(|k| *k != key(4, 1)).collect();
        matrix.begin(&[DVec3::ZERO; 6], fewer).unwrap();
        assert_eq!(matrix.analyses, 2);
    }
}
