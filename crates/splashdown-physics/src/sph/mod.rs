//! What fluid particles do to each other and to walls.

pub mod loads;
pub mod pressure;
pub mod shifting;
pub mod tension;
pub mod viscosity;
pub mod volumes;
pub mod wall_friction;
pub mod walls;
