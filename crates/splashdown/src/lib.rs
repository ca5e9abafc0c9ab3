//! Splashdown simulates water with particles (SPH), so that what you see has the right pressure,
//! the right volume and the right force on every wall.
//!
//! Ten lines from a scene to a number:
//!
//! ```
//! use splashdown::Scene;
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
//! This crate holds no code of its own: it gathers the crates that do. Each uses those above it in
//! this table; the tables in their documentation go on from here.
//!
//! | crate | modules | what it holds |
//! |---|---|---|
//! | `splashdown-geometry` | [`math`], [`mesh`], [`shapes`] | shapes, and points in them |
//! | `splashdown-solve` | [`solve`] | solvers that know no physics |
//! | `splashdown-physics` | [`world`], [`method`], [`report`], [`error`], [`state`] | a run |
//! |  | [`body`], [`boundary`], [`bounds`], [`sources`] | what a world has |
//! |  | [`motion`], [`expression`], [`twist`] | how things move |
//! |  | [`particles`], [`sph`], [`rigid`], [`elastic`], [`coupling`] | what they do to each other |
//! | `splashdown-run` | [`scene`], [`output`], [`forecast`] | from a scene file to a run |
//! | `splashdown-validate` | [`validate`], [`mod@bench`], [`compare`] | results, compared |
//!
//! Derivations of the labelled equations (P1), (W1), (V1) … are in `docs/methods/`;
//! `docs/papers.md` leads from a paper to file, function, test and scene.
//!
//! All quantities are in SI units. A 2D world is the same code in the plane z = 0, one metre deep.

// What a first program needs.
pub use splashdown_geometry::math::{DVec3, Dimension};
pub use splashdown_physics::world::{StepError, StepReport, World};
pub use splashdown_run::scene::{Scene, errors::SceneErrors};

pub use splashdown_geometry::{math, mesh, shapes};
#[doc(hidden)]
pub use splashdown_physics::diagnostics;
pub use splashdown_physics::{
    body, boundary, bounds, coupling, elastic, error, expression, method, motion, particles,
    report, rigid, sources, sph, state, twist, world,
};
pub use splashdown_run::{forecast, output, scene};
pub use splashdown_solve as solve;
pub use splashdown_validate::{bench, compare, validate};

/// The example in the README is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!(concat!("../", env!("CARGO_PKG_README")))]
struct Readme;
