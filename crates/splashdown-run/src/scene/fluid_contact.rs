//! The barrier between fluid and surfaces, as written in a scene or as it is without a word.

use splashdown_solids::guests::GuestSettings;

use super::convert::Converter;
use super::errors::Report;
use super::file::SceneFile;
use super::file::elastic::ElasticKind;
use super::file::fluid_contact::Walls;
use super::validate::join;
use super::variational::largest_pressure;
use crate::math::Dimension;
use crate::stepper::Stepper;
use crate::world::{PressureSolver, World};

/// Reach of the barrier in spacings, unless told otherwise.
const REACH: f64 = 0.5;

/// Whether a scene has a barrier between fluid and surfaces.
pub(super) fn has_barrier(file: &SceneFile) -> bool {
    let variational = file.pressure.solver == PressureSolver::Variational;
    let expected = !file.elastic.is_empty() || (variational && file.simulation.dimension == 3);
    file.fluid_contact.barrier.unwrap_or(expected) && !file.fluid.is_empty()
}

/// Where pressure of walls ends, in spacings: samples half of one behind a surface reach two.
const RUBS: f64 = 1.5;

/// Whether fluid sees nothing of surfaces but the barrier.
pub(super) fn has_bare_walls(file: &SceneFile) -> bool {
    file.fluid_contact.walls == Walls::Bare
}

/// Keys that have no meaning with the rest of the scene.
pub(super) fn check(file: &SceneFile, report: &mut Report<'_>) {
    let written = &file.fluid_contact;
    let is_variational = file.pressure.solver == PressureSolver::Variational;
    let stepper = written.stepper.unwrap_or_default();
    let keys = [
        ("stepper", written.stepper.is_some()),
        ("predict", written.predict.is_some()),
        ("friction_passes", written.friction_passes.is_some()),
        ("walls", has_bare_walls(file)),
    ];
    for (key, _) in keys.into_iter().filter(|(_, is_written)| *is_written && !is_variational) {
        let help = "leave it out, or set pressure.solver = \"variational\"".to_string();
        report.key(&join("fluid_contact", key), "is of the variational fluid alone", Some(help));
    }
    if is_variational && has_bare_walls(file) && !has_barrier(file) {
        let help = "leave out one of the two".to_string();
        let message = "\"bare\" and barrier = false: nothing would hold the fluid";
        report.key("fluid_contact.walls", message, Some(help));
    }
    if is_variational && written.predict.is_some() && stepper != Stepper::ContactProxy {
        let help = "leave it out, or set fluid_contact.stepper = \"contact_proxy\"".to_string();
        let message = "is of the stepper contact_proxy alone";
        report.key("fluid_contact.predict", message, Some(help));
    }
    if !is_variational || stepper != Stepper::ContactProxy3 {
        return;
    }
    for (k, body) in file.elastic.iter().enumerate() {
        let key = format!("elastic[{k}]");
        let solid = matches!(body.kind, ElasticKind::Solid);
        if solid && !body.material.survives_inversion() {
            let help = "write material = \"fixed_corotated\" or \"stable_neo_hookean\", or set \
                        fluid_contact.stepper = \"contact_proxy\"";
            let message = "does not survive elements that turn inside out, as with contact_proxy_3";
            report.key(&join(&key, "material"), message, Some(help.to_string()));
        } else if matches!(body.kind, ElasticKind::Shell) {
            let help = "set fluid_contact.stepper = \"contact_proxy\"".to_string();
            let message = "shells do not survive being crushed, as with contact_proxy_3";
            report.key(&key, message, Some(help));
        }
    }
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
        friction_reach: if world.has_wall_friction() { RUBS * world.spacing } else { 0.0 },
        stiffness,
        sum: written.sum,
        linear: written.linear,
    })
}
