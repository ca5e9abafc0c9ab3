//! What fluid particles do to each other and to walls.

pub mod fluid;
pub mod loads;
pub mod pressure;
pub mod shifting;
pub mod system;
pub mod tension;
pub mod variational;
pub mod viscosity;
pub mod volumes;
pub mod walls;
