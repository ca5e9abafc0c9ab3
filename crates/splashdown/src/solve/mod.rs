//! Solvers and sums that know no physics.

pub mod kept;
pub mod reduce;
