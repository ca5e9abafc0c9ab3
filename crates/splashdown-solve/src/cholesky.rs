//! Cholesky factorisation of a sparse matrix (`faer`), with memory that is kept from one to the
//! next. One thread does it all, so that the bits of a solution do not depend on how many there
//! are.

use std::mem;
use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::Perm;
use faer::sparse::linalg::cholesky::{
    LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par, Side};

use crate::stop::Stop;

/// Factors of more entries than this take longer than a thread takes to start, by far.
const LONG: usize = 1 << 20;

/// Why a system cannot be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsolvable {
    /// It is not positive definite.
    #[error("the system is not positive definite")]
    Indefinite,
    /// It does not fit into memory.
    #[error("the system is too large")]
    TooLarge,
    /// Somebody asked to stop.
    #[error("it was asked to stop")]
    Stopped,
}

/// The pattern of a matrix and of its factor, and room for the factor.
#[derive(Debug)]
pub struct Factor {
    pattern: Arc<SymbolicSparseColMat<usize>>,
    symbolic: Arc<SymbolicCholesky<usize>>,
    lower: Vec<f64>,
}

/// The room for the factor, which is most of it, is not copied.
impl Clone for Factor {
    fn clone(&self) -> Factor {
        let (pattern, symbolic) = (Arc::clone(&self.pattern), Arc::clone(&self.symbolic));
        Factor { pattern, symbolic, lower: Vec::new() }
    }
}

impl Factor {
    /// For matrices of `starts.len() − 1` columns with the given rows on and below the diagonal,
    /// eliminated in the given order. What an earlier factor leaves is used again.
    pub fn new(
        starts: Vec<usize>,
        rows: Vec<usize>,
        order: Vec<usize>,
        earlier: Option<Factor>,
    ) -> Result<Factor, Unsolvable> {
        let n = order.len();
        let pattern = SymbolicSparseColMat::new_checked(n, n, starts, None, rows);
        let mut place = vec![0; n];
        order.iter().enumerate().for_each(|(k, &old)| place[old] = k);
        let order = Perm::new_checked(order.into_boxed_slice(), place.into_boxed_slice(), n);
        let ordering = SymmetricOrdering::Custom(order.as_ref());
        let symbolic = factorize_symbolic_cholesky(
            pattern.as_ref(),
            Side::Lower,
            ordering,
            Default::default(),
        )
        .map_err(|_| Unsolvable::TooLarge)?;
        Ok(Factor {
            pattern: Arc::new(pattern),
            symbolic: Arc::new(symbolic),
            lower: earlier.map(|f| f.lower).unwrap_or_default(),
        })
    }

    /// How many entries a matrix has.
    pub fn entries(&self) -> usize {
        self.pattern.compute_nnz()
    }

    /// Where columns begin, and the rows of entries.
    pub fn pattern(&self) -> (&[usize], &[usize]) {
        (self.pattern.col_ptr(), self.pattern.row_idx())
    }

    /// Factorises A, with the given entries. One that takes long is given up when somebody asks to
    /// stop.
    pub fn factorise(&mut self, entries: &mut Vec<f64>, stop: Stop) -> Result<(), Unsolvable> {
        let long = self.symbolic.len_val() >= LONG;
        let stop = if long { stop } else { Stop::default() };
        let mut job = Job {
            pattern: Arc::clone(&self.pattern),
            symbolic: Arc::clone(&self.symbolic),
            lower: mem::take(&mut self.lower),
            entries: mem::take(entries),
        };
        let done = stop.unless_asked(move || (job.factorise(), job));
        let (factorised, job) = done.ok_or(Unsolvable::Stopped)?;
        (self.lower, *entries) = (job.lower, job.entries);
        factorised
    }

    /// Replaces b by the x of A x = b, with the A that was factorised last.
    pub fn solve(&self, b: &mut [f64]) -> Result<(), Unsolvable> {
        let symbolic = &*self.symbolic;
        if self.lower.len() < symbolic.len_val() {
            return Err(Unsolvable::Indefinite); // there is no factor
        }
        let room = symbolic.solve_in_place_scratch::<f64>(1, Par::Seq);
        let mut room = MemBuffer::try_new(room).map_err(|_| Unsolvable::TooLarge)?;
        let n = b.len();
        let x = MatMut::from_column_major_slice_mut(b, n, 1);
        let lower = &self.lower[..symbolic.len_val()];
        let stack = MemStack::new(&mut room);
        LltRef::new(symbolic, lower).solve_in_place_with_conj(Conj::No, x, Par::Seq, stack);
        Ok(())
    }
}

/// A matrix to be factorised, with all that it takes.
struct Job {
    pattern: Arc<SymbolicSparseColMat<usize>>,
    symbolic: Arc<SymbolicCholesky<usize>>,
    lower: Vec<f64>,
    entries: Vec<f64>,
}

impl Job {
    fn factorise(&mut self) -> Result<(), Unsolvable> {
        let Job { pattern, symbolic, lower, entries } = self;
        let room = symbolic.len_val();
        let more = room.saturating_sub(lower.len());
        lower.try_reserve(more).map_err(|_| Unsolvable::TooLarge)?;
        lower.resize(room, 0.0);
        let matrix = SparseColMatRef::new((**pattern).as_ref(), entries.as_slice());
        let room = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let mut room = MemBuffer::try_new(room).map_err(|_| Unsolvable::TooLarge)?;
        let (side, stack) = (Side::Lower, MemStack::new(&mut room));
        let shift = Default::default();
        let spec = Default::default();
        symbolic
            .factorize_numeric_llt(lower, matrix, side, shift, Par::Seq, stack, spec)
            .map_err(|_| Unsolvable::Indefinite)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::time::Instant;

    use super::*;

    /// A full matrix of `n` columns, 1 + n on the diagonal and 1 elsewhere, and its entries.
    fn full(n: usize) -> (Factor, Vec<f64>) {
        let starts = (0..=n).scan(0, |sum, k| {
            let start = *sum;
            *sum += n.saturating_sub(k);
            Some(start)
        });
        let rows: Vec<usize> = (0..n).flat_map(|column| column..n).collect();
        let columns = (0..n).flat_map(|column| std::iter::repeat_n(column, n - column));
        let entry = |(row, column)| if row == column { 1.0 + n as f64 } else { 1.0 };
        let entries = rows.iter().copied().zip(columns).map(entry).collect();
        (Factor::new(starts.collect(), rows, (0..n).collect(), None).unwrap(), entries)
    }

    fn solved(
        factor: &mut Factor,
        entries: &mut Vec<f64>,
        b: &[f64],
        stop: Stop,
    ) -> Result<Vec<f64>, Unsolvable> {
        let mut x = b.to_vec();
        factor.factorise(entries, stop)?;
        factor.solve(&mut x)?;
        Ok(x)
    }

    /// Seconds of work, of which nobody waits for more than a fraction.
    #[test]
    fn a_long_factorisation_ends_when_somebody_asks_and_can_be_done_again() {
        static ASKED: AtomicUsize = AtomicUsize::new(1);
        static CALM: AtomicUsize = AtomicUsize::new(0);
        let n = 3000;
        let (mut factor, entries) = full(n);
        let b: Vec<f64> = (0..n).map(|k| k as f64).collect();
        let began = Instant::now();
        let stopped = solved(&mut factor, &mut entries.clone(), &b, Stop::at(&ASKED));
        assert_eq!(stopped, Err(Unsolvable::Stopped));
        assert!(began.elapsed().as_secs_f64() < 1.0, "{:?}", began.elapsed());
        let mut kept = entries.clone();
        let waited = solved(&mut factor, &mut kept, &b, Stop::at(&CALM)).unwrap();
        assert_eq!(kept, entries);
        let alone = solved(&mut full(n).0, &mut kept, &b, Stop::default()).unwrap();
        assert_eq!(waited, alone);
    }
}
