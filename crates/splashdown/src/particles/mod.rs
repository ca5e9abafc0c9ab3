//! What fluids and solids share: particle arrays, kernels, neighbour lists.

pub mod kernel;
pub mod store;
