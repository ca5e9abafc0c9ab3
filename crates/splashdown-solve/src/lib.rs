//! Solvers that know no physics: no particle, no body, no mesh.
//!
//! Each takes a system by a small trait and its parameters by a struct, and returns a report, or an
//! error with what it had found when it did not converge.
//!
//! | module | what it holds |
//! |---|---|
//! | [`nncg`] | projected sweeps, accelerated (Silcowitz-Hansen et al. 2010) |
//! | [`cg`] | conjugate gradients for any linear [`operator`] |
//! | [`mprgp`] | conjugate gradients within bounds (Dostál & Schöberl 2005) |
//! | [`schur`] | elimination of one block of unknowns out of two |
//! | [`newton`] | Newton's method for a sum of energies (Li et al. 2020) |
//! | [`block_matrix`], [`cholesky`], [`ordering`] | sparse symmetric systems |
//! | [`dense`], [`differences`] | small matrices; finite differences for tests and validation |
//! | [`reduce`] | parallel sums with the same bits on any thread count |
//! | [`buffers`] | buffers that a thread keeps from loop to loop |
//! | [`stop`] | a request to stop, which long computations look at |

pub mod block_matrix;
pub mod buffers;
pub mod cg;
pub mod cholesky;
pub mod dense;
pub mod differences;
pub mod mprgp;
pub mod newton;
pub mod nncg;
pub mod operator;
pub mod ordering;
pub mod reduce;
pub mod schur;
pub mod stop;
#[cfg(test)]
mod testing;

pub use stop::Stop;
