//! Solvers and sums that know no physics.

pub mod reduce;
