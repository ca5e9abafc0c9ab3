//! From a scene file to a run on disk.
//!
//! ```text
//! scene.toml ─► SceneFile ─► World ─► step ─► step ─► …
//!               (as written)  (state)   │ &World, &StepReport
//!                                       ▼
//!                  output: tables, frames, snapshots ─► ParaView, Houdini, --resume
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`output`] | looks at a world: runs, tables, frames, snapshots, resuming |
//! | [`scene`] | scene file → world, with mistakes at their lines; the built-in scenes |
//! | [`forecast`] | how long a run will take |

pub mod forecast;
pub mod output;
pub mod scene;

use splashdown_geometry::{math, mesh, random, shapes};
use splashdown_physics::{
    body, boundary, bounds, deforming, diagnostics, elastic, expression, method, motion, nearest,
    particles, rigid, sources, sph, state, stepper, world,
};
use splashdown_solve as solve;
