//! The barrier between fluid and surfaces, as written in a scene or as it is without a word.

use splashdown_solids::guests::GuestSettings;

use super::convert::Converter;
use super::file::SceneFile;
use super::variational::largest_pressure;
use crate::math::Dimension;
use crate::world::{PressureSolver, World};

/// Reach of the barrier in spacings, unless told otherwise.
const REACH: f64 = 0.5;

/// Whether a scene has a barrier between fluid and surfaces.
pub(super) fn has_barrier(file: &SceneFile) -> bool {
    let variational = file.pressure.solver == PressureSolver::Variational;
    let expected = !file.elastic.is_empty() || (variational && file.simulation.dimension == 3);
    file.fluid_contact.barrier.unwrap_or(expected) && !file.fluid.is_empty()
}

/// How surfaces keep the fluids of a `world` off, which has all its objects; nothing if they do
/// not.
pub(super) fn guest_settings(
    convert: &mut Converter<'_, '_>,
    file: &SceneFile,
    world: &World,
) -> Option<GuestSettings> {
    let written = &file.fluid_contact;
    if !has_barrier(file) {
        return None;
    }
    if convert.dimension == Dimension::Two {
        if written.barrier == Some(true) {
            let help = "write simulation.dimension = 3, or leave it out".to_string();
            let message = "there is no barrier between fluid and surfaces in 2D";
            convert.report.key("fluid_contact.barrier", message, Some(help));
        }
        return None;
    }
    if world.solids.iter().any(|solid| solid.body().is_some()) {
        let help = "leave it out, or write them as [[elastic]], kind = \"rigid\"".to_string();
        let message = "does not meet rigid bodies that are a [[solid]]";
        convert.report.key("fluid_contact.barrier", message, Some(help));
        return None;
    }
    let stiffness = written.stiffness.unwrap_or_else(|| largest_pressure(world, convert.duration));
    Some(GuestSettings {
        reach: written.reach.unwrap_or(REACH * world.spacing),
        stiffness,
        sum: written.sum,
        linear: written.linear,
    })
}
