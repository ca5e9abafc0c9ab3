//! Solvers and sums that know no physics.

pub mod kept;
pub mod reduce;

pub use splashdown_solids::stop::Stop;
