//! The barrier between fluid and surfaces, as written in a scene or as it is without a word.

use splashdown_solids::guests::GuestSettings;

use super::bounds::{home, sources, speed};
use super::convert::Converter;
use super::file::SceneFile;
use crate::math::{Aabb, Dimension};
use crate::world::World;

/// Reach of the barrier in spacings, unless told otherwise.
const REACH: f64 = 0.5;
/// What falls where nothing does, m/s².
const FALL: f64 = 9.81;

/// Whether a scene has a barrier between fluid and surfaces.
pub(super) fn has_barrier(file: &SceneFile) -> bool {
    let meets = !file.elastic.is_empty() && !file.fluid.is_empty();
    file.fluid_contact.barrier.unwrap_or(meets) && !file.fluid.is_empty()
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

/// What the fluids of a scene press with where they press hardest: ρ (g H + ½ v²), Pa.
fn largest_pressure(world: &World, duration: f64) -> f64 {
    let density = world.fluids.iter().map(|fluid| fluid.density).fold(0.0, f64::max);
    let g = world.gravity.length();
    let up = -world.gravity.normalize_or_zero();
    let heights = |b: Aabb| {
        let reach = 0.5 * b.size().dot(up.abs());
        let middle = b.min.midpoint(b.max).dot(up);
        [middle - reach, middle + reach]
    };
    let [lowest, _] = heights(home(world, duration));
    let fluid = &world.particles.position[..world.fluid_count()];
    let places = sources(world).into_iter().map(|(_, place)| place);
    let fluid = places.fold(Aabb::around(fluid.iter().copied()), Aabb::union);
    let highest = if fluid.min.cmple(fluid.max).all() { heights(fluid)[1] } else { lowest };
    let v = speed(world, duration);
    // Where nothing moves and nothing falls: as if it fell from a spacing.
    density * (g * (highest - lowest) + 0.5 * v * v).max(FALL * world.spacing)
}
