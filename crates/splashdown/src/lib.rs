//! Splashdown: water, rigid bodies and soft bodies that push on each other at the same time.

pub mod expression;
pub mod math;
pub mod motion;
pub mod output;
pub mod particles;
pub mod scene;
pub mod shapes;
mod sources;
pub mod sph;
pub mod step;
pub mod world;
