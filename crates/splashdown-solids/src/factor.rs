//! Cholesky factorisation of a sparse matrix (`faer`), with memory that is kept from one to the next. One
//! thread does it all, so that the bits of a solution do not depend on how many there are.

use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::Perm;
use faer::sparse::linalg::cholesky::{
    LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par, Side};

use crate::matrix::Unsolvable;

/// The pattern of a matrix and of its factor, and room for the factor.
#[derive(Debug)]
pub struct Factor {
    pattern: SymbolicSparseColMat<usize>,
    symbolic: Arc<SymbolicCholesky<usize>>,
    lower: Vec<f64>,
}

/// The room for the factor, which is most of it, is not copied.
impl Clone for Factor {
    fn clone(&self) -> Factor {
        let (pattern, symbolic) = (self.pattern.clone(), Arc::clone(&self.symbolic));
        Factor { pattern, symbolic, lower: Vec::new() }
    }
}

impl Factor {
    /// For matrices of `starts.len() − 1` columns with the given rows on and below the diagonal, eliminated in
    /// the given order. What an earlier factor leaves is used again.
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
            pattern,
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

    /// Replaces `b` by the solution of A x = b, A with the given entries.
    pub fn solve(&mut self, entries: &[f64], b: &mut [f64]) -> Result<(), Unsolvable> {
        let Factor { pattern, symbolic, lower } = self;
        let room = symbolic.len_val();
        let more = room.saturating_sub(lower.len());
        lower.try_reserve(more).map_err(|_| Unsolvable::TooLarge)?;
        lower.resize(room, 0.0);
        let matrix = SparseColMatRef::new(pattern.as_ref(), entries);
        let room = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let mut room = MemBuffer::try_new(room).map_err(|_| Unsolvable::TooLarge)?;
        let (side, stack) = (Side::Lower, MemStack::new(&mut room));
        let shift = Default::default();
        let spec = Default::default();
        symbolic
            .factorize_numeric_llt(lower, matrix, side, shift, Par::Seq, stack, spec)
            .map_err(|_| Unsolvable::Indefinite)?;
        let room = symbolic.solve_in_place_scratch::<f64>(1, Par::Seq);
        let mut room = MemBuffer::try_new(room).map_err(|_| Unsolvable::TooLarge)?;
        let n = b.len();
        let b = MatMut::from_column_major_slice_mut(b, n, 1);
        let stack = MemStack::new(&mut room);
        LltRef::new(symbolic, lower).solve_in_place_with_conj(Conj::No, b, Par::Seq, stack);
        Ok(())
    }
}
