//! What fluids and solids share: particle arrays, kernels, neighbour lists.

#[cfg(test)]
mod brute;
pub mod candidates;
pub mod cells;
pub mod chunk;
pub mod firmness;
pub(crate) mod halo;
pub mod kernel;
pub mod neighbors;
pub mod pair;
pub mod periodic;
pub(crate) mod point_grid;
pub(crate) mod quarters;
pub mod simd;
pub mod store;
pub mod wide;
