//! What fluids and solids share: particle arrays, kernels, neighbour lists.
//!
//! The lists and the loops over them are for this crate alone: the loops trust the slots that the
//! search gives out (`fours.rs`), so nobody else may make pairs, or lists of them.
//!
//! ```compile_fail,E0603
//! use splashdown_physics::particles::pair::Pair;
//! ```
//! ```compile_fail,E0603
//! use splashdown_physics::particles::simd::{Lanes, Portable, dispatch};
//! ```
//! ```compile_fail,E0603
//! use splashdown_physics::particles::neighbors::Neighbors;
//! ```

#[cfg(test)]
mod brute;
pub(crate) mod candidates;
pub(crate) mod cell_quadrants;
pub(crate) mod cells;
pub(crate) mod chunk;
pub(crate) mod fours;
pub(crate) mod halo;
pub mod kernel;
pub(crate) mod neighbors;
pub(crate) mod pair;
pub(crate) mod periodic;
pub(crate) mod simd;
pub(crate) mod space;
pub mod store;
pub(crate) mod wall_density;
pub(crate) mod wide;
