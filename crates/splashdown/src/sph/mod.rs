//! What fluid particles do to each other and to walls.

pub mod loads;
pub mod pressure;
pub mod shifting;
pub mod viscosity;
pub mod walls;
