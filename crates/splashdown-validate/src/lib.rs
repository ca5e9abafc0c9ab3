//! What Splashdown computes, held against known answers.
//!
//! | module | against what |
//! |---|---|
//! | [`validate`] | known answers |
//! | [`mod@bench`] | the limits of the machine |
//! | [`compare`] | itself, by several methods |

pub mod bench;
pub mod compare;
pub mod validate;

use splashdown_geometry::{math, mesh, shapes};
use splashdown_physics::{body, diagnostics, motion, sph, stepper, world};
use splashdown_run::{output, scene};
