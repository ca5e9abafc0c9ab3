//! Elastic bodies against beam theory, Coulomb, and themselves.

mod bodies;
mod cantilever;
mod derivatives;
mod impact;
mod incline;
mod patch;
mod vibration;

pub use cantilever::CASE as CANTILEVER;
pub use derivatives::CASE as DERIVATIVES;
pub use impact::CASE as HIGH_SPEED;
pub use incline::CASE as INCLINE;
pub use patch::CASE as PATCH_TEST;
pub use vibration::CASE as ENERGY;
