//! Elimination of one block of unknowns out of two.
//!
//!   ( A  Bᵀ ) (x)   (f)          S y = g − B A⁻¹ f,   S = D − B A⁻¹ Bᵀ      (SC1)
//!   ( B  D  ) (y) = (g)    ⟹    x = A⁻¹ (f − Bᵀ y)                           (SC2)
//!
//! for a symmetric positive definite whole. A is the block that is easy to solve for, with a factor
//! that is at hand; the Schur complement S is never formed: conjugate gradients ask for its
//! products, one solution with A each.

use std::cell::RefCell;

use crate::cg;
use crate::operator::{Component, LinearOperator, Preconditioner};

/// The four blocks.
pub trait TwoBlocks {
    /// Entries of x.
    type First: Component;
    /// Entries of y.
    type Second: Component;
    /// Why A cannot be solved for.
    type Error;

    /// x ← A⁻¹ f
    fn solve_first(&mut self, f: &[Self::First], x: &mut [Self::First]) -> Result<(), Self::Error>;

    /// g ← g − B x
    fn subtract_first(&self, x: &[Self::First], g: &mut [Self::Second]);

    /// f ← f − Bᵀ y
    fn subtract_second(&self, y: &[Self::Second], f: &mut [Self::First]);

    /// g ← D y
    fn multiply_second(&self, y: &[Self::Second], g: &mut [Self::Second]);
}

/// Why there is no solution.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Error<E> {
    /// The first block cannot be solved for.
    #[error("the first block: {0}")]
    First(E),
    /// The Schur complement cannot.
    #[error("the Schur complement: {0}")]
    Second(#[source] cg::Error),
}

/// Solves for both blocks, y from its present value. `preconditioner` is for S; that of D will do.
pub fn solve<B: TwoBlocks>(
    blocks: &mut B,
    preconditioner: &impl Preconditioner<B::Second>,
    [f, x]: [&mut [B::First]; 2],
    (g, y): (&[B::Second], &mut [B::Second]),
    params: &cg::Params,
) -> Result<cg::Report, Error<B::Error>> {
    let mut right = g.to_vec();
    blocks.solve_first(f, x).map_err(Error::First)?;
    blocks.subtract_first(x, &mut right);
    let room = [f.len(), f.len()].map(|n| vec![B::First::ZERO; n]);
    let complement = Complement(RefCell::new(Eliminated { blocks, room, failure: None }));
    let solved = cg::solve(&complement, preconditioner, &right, y, params);
    let Eliminated { blocks, failure, .. } = complement.0.into_inner();
    if let Some(failure) = failure {
        return Err(Error::First(failure));
    }
    let report = solved.map_err(Error::Second)?;
    blocks.subtract_second(y, f); // (SC2)
    blocks.solve_first(f, x).map_err(Error::First)?;
    Ok(report)
}

/// S of (SC1).
struct Complement<'a, B: TwoBlocks>(RefCell<Eliminated<'a, B>>);

struct Eliminated<'a, B: TwoBlocks> {
    blocks: &'a mut B,
    /// For Bᵀ y and A⁻¹ Bᵀ y.
    room: [Vec<B::First>; 2],
    failure: Option<B::Error>,
}

impl<B: TwoBlocks> LinearOperator<B::Second> for Complement<'_, B> {
    fn apply(&self, y: &[B::Second], product: &mut [B::Second]) {
        let Eliminated { blocks, room: [f, x], failure } = &mut *self.0.borrow_mut();
        f.fill(B::First::ZERO);
        blocks.subtract_second(y, f);
        blocks.multiply_second(y, product);
        match blocks.solve_first(f, x) {
            // f is −Bᵀ y: S y = D y + B A⁻¹ f.
            Ok(()) => {
                x.iter_mut().for_each(|x| *x = B::First::ZERO.plus(-1.0, *x));
                blocks.subtract_first(x, product);
            }
            // Zeros have no curvature, which ends the iteration.
            Err(error) => {
                failure.get_or_insert(error);
                product.fill(B::Second::ZERO);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::Identity;
    use crate::testing::{Dense, Jacobi};
    use proptest::prelude::*;

    struct Blocks {
        a: Dense,
        b: Dense,
        d: Dense,
        works: bool,
    }

    impl Blocks {
        /// The first `n` unknowns of `whole` and the others.
        fn of(whole: &Dense, n: usize) -> Blocks {
            let all = whole.rows.len();
            Blocks {
                a: whole.block(0..n, 0..n),
                b: whole.block(n..all, 0..n),
                d: whole.block(n..all, n..all),
                works: true,
            }
        }
    }

    impl TwoBlocks for Blocks {
        type First = f64;
        type Second = f64;
        type Error = &'static str;

        fn solve_first(&mut self, f: &[f64], x: &mut [f64]) -> Result<(), &'static str> {
            x.copy_from_slice(&self.a.eliminate(f));
            if self.works { Ok(()) } else { Err("no factor") }
        }

        fn subtract_first(&self, x: &[f64], g: &mut [f64]) {
            g.iter_mut().zip(self.b.times(x)).for_each(|(g, bx)| *g -= bx);
        }

        fn subtract_second(&self, y: &[f64], f: &mut [f64]) {
            for (row, y) in self.b.rows.iter().zip(y) {
                f.iter_mut().zip(row).for_each(|(f, b)| *f -= b * y);
            }
        }

        fn multiply_second(&self, y: &[f64], g: &mut [f64]) {
            g.copy_from_slice(&self.d.times(y));
        }
    }

    proptest! {
        #[test]
        fn both_blocks_are_those_of_the_whole(
            seed in any::<u64>(), n in 1usize..15, m in 1usize..15,
        ) {
            let whole = Dense::positive(seed, n + m);
            let right = Dense::vector(seed ^ 1, n + m);
            let exact = whole.eliminate(&right);
            let mut blocks = Blocks::of(&whole, n);
            let (mut f, mut x, mut y) = (right[..n].to_vec(), vec![0.0; n], vec![0.0; m]);
            let params = cg::Params { tolerance: 1e-11, ..cg::Params::default() };
            let preconditioner = Jacobi::of(&blocks.d);
            let (first, second) = ([&mut f[..], &mut x[..]], (&right[n..], &mut y[..]));
            let report = solve(&mut blocks, &preconditioner, first, second, &params);
            prop_assert!(report.is_ok(), "{report:?}");
            for (found, exact) in x.iter().chain(&y).zip(&exact) {
                prop_assert!((found - exact).abs() < 1e-4, "{found} {exact}");
            }
        }
    }

    #[test]
    fn failures_of_either_block_are_told() {
        let whole = Dense::positive(7, 20);
        let mut blocks = Blocks::of(&whole, 8);
        let (mut f, mut x) = (vec![1.0; 8], vec![0.0; 8]);
        let (g, mut y) = (vec![1.0; 12], vec![0.0; 12]);
        let few = cg::Params { max_iterations: 2, ..cg::Params::default() };
        let found = solve(&mut blocks, &Identity, [&mut f, &mut x], (&g, &mut y), &few);
        assert!(matches!(found, Err(Error::Second(cg::Error::NoConvergence(_)))), "{found:?}");
        blocks.works = false;
        let found = solve(&mut blocks, &Identity, [&mut f, &mut x], (&g, &mut y), &few);
        assert_eq!(found, Err(Error::First("no factor")));
    }
}
