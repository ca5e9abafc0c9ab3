//! Splashdown: water, rigid bodies and soft bodies that push on each other at the same time.

pub mod bench;
pub mod expression;
pub mod math;
pub mod mesh;
pub mod motion;
pub(crate) mod nearest;
pub mod output;
pub mod particles;
pub mod scene;
pub mod shapes;
pub mod solve;
mod sources;
pub mod sph;
pub mod state;
pub mod step;
pub mod validate;
pub mod world;
