//! Splashdown simulates water with particles (SPH), so that what you see has the right pressure, the right
//! volume and the right force on every wall.
//!
//! Ten lines from a scene to a number:
//!
//! ```
//! use splashdown::scene::Scene;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let scene = Scene::builtin("dam-break-2d", &["simulation.spacing=0.005".to_owned()])?;
//! let mut world = scene.build()?.world;
//! while world.clock.time < 0.1 {
//!     world.step(0.1)?; // never beyond 0.1 s
//! }
//! let water = &world.particles.position[..world.fluid_count()];
//! let front = water.iter().map(|p| p.x).fold(0.0, f64::max);
//! println!("after {} steps the front is at {front:.3} m", world.clock.step);
//! # assert!((0.06..0.2).contains(&front), "{front}");
//! # Ok(())
//! # }
//! ```
//!
//! # How data flows
//!
//! ```text
//! scene.toml ─► SceneFile ─► World ─► step ─► step ─► …
//!               (as written)  (state)   │ &World, &StepReport
//!                                       ▼
//!                  output: tables, frames, snapshots ─► ParaView, Houdini, --resume
//! ```
//!
//! # The map
//!
//! Imports point from the bottom of this table to its top, and `tests/layers.rs` keeps it so.
//!
//! | module | what it holds |
//! |---|---|
//! | [`math`], [`mesh`], [`solve`] | dimensions, boxes, poses; triangle meshes; the crate of solvers that know no physics |
//! | [`expression`], [`motion`] | formulas of t; prescribed motion as constants, keyframes or formulas |
//! | [`particles`] | one array per quantity ([`particles::store`]), kernels, cells along a space-filling curve, neighbour lists |
//! | [`body`], [`world`], [`step`], `sources`, [`showers`], [`bounds`], [`sph`], [`rigid`], [`elastic`], [`coupling`], [`state`] | the core, which knows itself: the whole state, one time step on one page, emitters and sinks, showers of drops, what becomes of what leaves the scene, what fluid particles do to each other, contact and friction of rigid bodies, elastic bodies (whose physics is the crate `splashdown-solids`), bodies and fluids in one solve, the state as named arrays |
//! | [`shapes`] | where particles come from: solids, meshes, sampling, filling, mesh and particle files |
//! | [`output`] | looks at a world: runs, tables, frames, snapshots, resuming |
//! | [`scene`] | scene file → world, with every mistake at its line and column; the built-in scenes |
//! | [`validate`], [`bench`], [`compare`] | measured against known answers, the limits of the machine, and by several methods |
//!
//! Derivations of the labelled equations (P1), (W1), (V1) … are in `docs/methods/`; `docs/papers.md`
//! leads from a paper to file, function, test and scene.
//!
//! All quantities are in SI units. A 2D world is the same code in the plane z = 0, one metre deep.

pub mod bench;
pub mod body;
pub mod bounds;
pub mod compare;
pub mod coupling;
pub mod elastic;
pub mod expression;
pub mod forecast;
pub mod math;
pub mod mesh;
pub mod motion;
pub(crate) mod nearest;
pub mod output;
pub mod particles;
pub(crate) mod random;
pub mod rigid;
pub mod scene;
pub mod shapes;
pub mod showers;
mod sources;
pub mod sph;
pub mod state;
pub mod step;
pub mod validate;
pub mod world;

pub use splashdown_solve as solve;

/// The example in the README is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
