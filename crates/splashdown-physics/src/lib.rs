//! A world of water, rigid bodies, soft bodies that takes time steps. It knows no files.
//!
//! Imports point from the bottom of this table to its top, and `tests/layers.rs` keeps it so.
//!
//! | module | what it holds |
//! |---|---|
//! | [`expression`], [`motion`] | formulas of t; prescribed motion as constants, keyframes or formulas |
//! | [`particles`] | one array per quantity ([`particles::store`]), kernels, cells along a space-filling curve, neighbour lists |
//! | [`body`], [`world`], [`step`], `sources`, [`showers`], [`bounds`], [`sph`], [`rigid`], [`elastic`], [`coupling`], [`state`] | the core, which knows itself: the whole state, one time step on one page, emitters and sinks, showers of drops, what becomes of what leaves the scene, what fluid particles do to each other, contact and friction of rigid bodies, elastic bodies (whose physics is the crate `splashdown-solids`), bodies and fluids in one solve, the state as named arrays |
//!
//! All quantities are in SI units. A 2D world is the same code in the plane z = 0, one metre deep.

pub mod body;
pub mod bounds;
pub mod coupling;
#[doc(hidden)]
pub mod diagnostics;
pub mod elastic;
pub mod expression;
pub mod motion;
#[doc(hidden)]
pub mod nearest;
pub mod particles;
pub mod rigid;
pub mod showers;
mod sources;
pub mod sph;
pub mod state;
pub mod step;
#[doc(hidden)]
pub mod testing;
pub mod world;

use splashdown_geometry::{math, mesh};
use splashdown_solve as solve;
