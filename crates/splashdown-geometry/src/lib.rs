//! Shapes that become points: solids, triangle meshes, their sampling. It knows no physics.
//!
//! | module | what it holds |
//! |---|---|
//! | [`math`], [`mesh`] | dimensions, boxes, poses; triangle meshes |
//! | [`point_grid`], [`random`] | who is near; numbers that are the same on every machine |
//! | [`shapes`] | where particles come from: solids, meshes, sampling, filling, files |

pub mod math;
pub mod mesh;
pub mod point_grid;
pub mod random;
pub mod shapes;
