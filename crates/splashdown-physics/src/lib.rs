//! A world of water, rigid bodies, soft bodies that takes time steps. It knows no files.
//!
//! Imports point from the bottom of this table to its top. Its last column is the rule of each
//! module: what it may use besides itself, which `tests/layers.rs` reads here and checks.
//!
//! | module | what it holds | uses |
//! |---|---|---|
//! | `math` | vectors, poses, the dimension: of the crate below | |
//! | `mesh` | triangle meshes: of the crate below | |
//! | `point_grid` | points by cells: of the crate below | |
//! | `random` | numbers from a seed: of the crate below | |
//! | `solve` | solvers, all of the crate below | |
//! | `solids` | elastic bodies, all of the crate below | math, solve |
//! | `grid` | a liquid on a grid, all of the crate below | math, solve |
//! | `nearest` | "Did you mean …?" | |
//! | `scratch` | memory of a method, which nothing depends on | |
//! | `units` | the units of the solvers | |
//! | [`stepper`] | the phases of a step with a variational fluid | |
//! | [`error`] | why a step could not be done | math |
//! | [`bounds`] | where the world ends | math |
//! | [`state`] | what changes while a world runs, as named arrays | math |
//! | [`loads`] | what a step did to which body | math, state |
//! | [`report`] | what a step did, and how long it took | loads |
//! | [`expression`] | formulas of t | nearest |
//! | [`motion`] | prescribed motion | expression, math |
//! | [`twist`] | motions of rigid things, and impulses on them | math |
//! | [`particles`] | one array per quantity ([`particles::store`]), kernels, neighbour lists | math, solve, state |
//! | [`body`] | what makes a solid a rigid body | math, motion, state |
//! | [`deforming`] | what makes a solid the surface of an elastic body | math, point_grid, solids, state |
//! | [`boundary`] | what a fluid knows of solids | body, deforming, math, mesh, motion, state |
//! | [`sources`] | where fluid comes from and goes | math, motion, random, state |
//! | [`sph`] | fluids | boundary, loads, math, mesh, motion, particles, point_grid, solve, state, twist |
//! | [`rigid`] | rigid bodies | body, boundary, math, particles, solve, state, twist, units |
//! | [`elastic`] | elastic bodies | body, boundary, math, motion, solids, state |
//! | [`coupling`] | where two of these three meet in one solve | body, math, particles, rigid, solve, sph, twist |
//! | [`method`] | which way time steps are made, with its settings | body, grid, sph, stepper |
//! | [`world`] | the whole state | all above but coupling, expression, motion, nearest, twist |
//! | `archive` | the state to and from named arrays | particles, state, world |
//! | `flow` | what sources, sinks and bounds do after a step | bounds, math, particles, report, sources, world |
//! | `methods` | the ways to make a time step, one algorithm in each file | all above but archive |
//! | `step` | chooses Δt, tries, retries, accepts: knows no physics | error, flow, methods, report, world |
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
pub mod stepper;
#[doc(hidden)]
pub mod testing;
pub mod twist;
pub(crate) mod units;
pub mod world;

#[doc(hidden)]
pub use methods::particles::diagnostics;
use splashdown_geometry::{math, mesh};
use splashdown_solve as solve;
