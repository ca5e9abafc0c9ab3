//! What fluids and solids share: particle arrays, kernels, neighbour lists.

pub mod cells;
pub mod kernel;
pub mod neighbors;
mod simd;
pub mod store;
