//! Showers as written in a scene → `sources::DropEmitter`.

use super::check::check_source;
use super::convert::Converter;
use super::file::{self, Fluid, Rotation, SceneFile};
use super::validate::join;
use crate::sources::drop_emitter::{DropEmitter, DropPlaces, drop};

/// A drop of more particles than this is refused.
const MAX_PER_DROP: f64 = 1e6;

/// Whether an emitter or a shower makes the fluid of this name.
pub(crate) fn has_source(file: &SceneFile, fluid: &str) -> bool {
    file.emitter.iter().any(|emitter| emitter.fluid == fluid)
        || file.shower.iter().any(|shower| shower.fluid == fluid)
}

pub(crate) fn check_shower(
    convert: &mut Converter<'_, '_>,
    key: &str,
    shower: &file::Shower,
    fluids: &[Fluid],
) {
    check_source(convert, key, &shower.fluid, fluids);
    convert.window(key, shower.start, shower.end);
    convert.vector(&join(key, "velocity"), &shower.velocity);
    places(convert, key, shower);
    let across = 2.0 * shower.radius / convert.spacing;
    if convert.has_scale && across.powi(convert.dimension.count() as i32) > MAX_PER_DROP {
        let help = format!("at most {MAX_PER_DROP} particles");
        convert.report.key(&join(key, "radius"), "is too large for this spacing", Some(help));
    }
}

fn places(convert: &mut Converter<'_, '_>, key: &str, shower: &file::Shower) -> DropPlaces {
    let list = shower.places.iter().enumerate();
    let list: Vec<_> =
        list.map(|(k, p)| convert.position(&format!("{key}.places[{k}]"), p)).collect();
    match (&shower.region, list.is_empty()) {
        (Some(region), true) => {
            let parts = [&region.size, &region.min, &region.max];
            let (half_size, centre) = convert.block(&join(key, "box"), parts);
            let pose = convert.placement(key, shower.at.as_ref(), centre, &Rotation::default());
            DropPlaces::Box { pose, half_size, seed: shower.seed }
        }
        (None, false) => DropPlaces::List(list),
        _ => {
            let help = "write either a box or places".to_string();
            convert.report.key(key, "needs to know where drops appear", Some(help));
            DropPlaces::List(list)
        }
    }
}

/// All drop emitters of a scene that has been checked.
pub(crate) fn build_drop_emitters(
    convert: &mut Converter<'_, '_>,
    file: &SceneFile,
) -> Vec<DropEmitter> {
    let build = |convert: &mut Converter<'_, '_>, k: usize, shower: &file::Shower| {
        let key = format!("shower[{k}]");
        DropEmitter {
            name: shower.name.clone(),
            fluid: file.fluid.iter().position(|f| f.name == shower.fluid).unwrap_or(0),
            drop: drop(shower.radius, convert.spacing, convert.dimension),
            places: places(convert, &key, shower),
            velocity: convert.vector(&join(&key, "velocity"), &shower.velocity),
            rate: shower.drops_per_second,
            start: shower.start,
            end: shower.end.unwrap_or(f64::INFINITY),
        }
    };
    let mut emitters = Vec::new();
    for (k, shower) in file.shower.iter().enumerate() {
        if !convert.report.is_wrong(&format!("shower[{k}]")) {
            emitters.push(build(convert, k, shower));
        }
    }
    emitters
}
