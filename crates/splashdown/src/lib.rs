//! Splashdown: water, rigid bodies and soft bodies that push on each other at the same time.

pub mod expression;
pub mod math;
pub mod mesh;
pub mod motion;
pub(crate) mod nearest;
pub mod output;
pub mod particles;
pub mod scene;
pub mod shapes;
pub mod world;
