//! A world of water, rigid bodies, soft bodies that takes time steps. It knows no files.
//!
//! Imports point from the bottom of this table to its top, and `tests/layers.rs` keeps it so.
//!
//! | module | what it holds |
//! |---|---|
//! | [`state`] | what changes while a world runs, as named arrays |
//! | [`expression`], [`motion`] | formulas of t; prescribed motion |
//! | [`particles`] | one array per quantity ([`particles::store`]), kernels, neighbour lists |
//! | [`body`], [`deforming`] | what makes a solid a rigid body, or the surface of an elastic one |
//! | [`boundary`] | what a fluid knows of solids |
//! | [`sources`], [`bounds`] | where fluid comes from and goes; where the world ends |
//! | [`sph`], [`rigid`], [`elastic`] | fluids, rigid bodies, elastic bodies; none knows another |
//! | [`coupling`] | where two of these meet in one solve |
//! | [`method`] | which way time steps are made, with its settings |
//! | [`world`], `archive` | the whole state; to and from named arrays |
//! | `flow` | what sources, sinks and bounds do to a world after a step |
//! | `methods` | the ways to make a time step, one algorithm in each file |
//! | `step` | chooses Δt, tries, retries, accepts: knows no physics |
//! | [`report`], [`loads`], [`error`] | what a step did, and to which bodies; why it could not be done |
//!
//! All quantities are in SI units. A 2D world is the same code in the plane z = 0, one metre deep.

mod archive;
pub mod body;
pub mod boundary;
pub mod bounds;
pub mod coupling;
pub mod deforming;
pub mod elastic;
pub mod error;
pub mod expression;
mod flow;
pub mod loads;
pub mod method;
mod methods;
pub mod motion;
#[doc(hidden)]
pub mod nearest;
pub mod particles;
pub mod report;
pub mod rigid;
mod scratch;
pub mod sources;
pub mod sph;
pub mod state;
mod step;
#[doc(hidden)]
pub mod testing;
pub mod twist;
pub(crate) mod units;
pub mod world;

#[doc(hidden)]
pub use methods::particles::diagnostics;
use splashdown_geometry::{math, mesh};
use splashdown_solve as solve;
