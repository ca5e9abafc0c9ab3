//! Solvers that know no physics: no particle, no body, no mesh.
//!
//! Each takes a system by a small trait and its parameters by a struct, and returns a report.
//!
//! | module | what it holds |
//! |---|---|
//! | [`nncg`] | projected sweeps, accelerated (Silcowitz-Hansen et al. 2010) |
//! | [`reduce`] | parallel sums with the same bits on any thread count |
//! | [`kept`] | buffers that a thread keeps from loop to loop |
//! | [`stop`] | a request to stop, which long computations look at |

pub mod kept;
pub mod nncg;
pub mod reduce;
pub mod stop;

pub use stop::Stop;
