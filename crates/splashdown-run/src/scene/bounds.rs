//! The box around a scene, and the larger one beyond which things are gone.

use super::convert::Converter;
use super::file::SceneFile;
use crate::bounds::Bounds;
use crate::math::{Aabb, DVec3, Dimension};
use crate::sources::drop_emitter::DropPlaces;
use crate::world::{Solid, World};

/// The larger box reaches this many times the longest edge of the scene beyond it on all sides.
const GENEROUS: f64 = 4.0;
/// And what is thrown comes back: a jet of speed v lands within v²/g, which is doubled.
const THROW: f64 = 2.0;
/// At so many times of a run prescribed motions and speeds are looked at.
const TIMES: u32 = 200;
/// No box is longer than this many spacings: the search could not tell its cells apart.
const LONGEST: f64 = 2e6;

const KEY: &str = "simulation.bounds";

/// The bounds of the `world` of a scene, which has all its objects.
pub(crate) fn bounds(convert: &mut Converter<'_, '_>, file: &SceneFile, world: &World) -> Bounds {
    let home = home(world, convert.duration);
    let limit = match &file.simulation.bounds {
        None => generous(world, home, convert.duration),
        Some(written) => {
            let min = convert.vector("simulation.bounds.min", &written.min);
            let max = convert.vector("simulation.bounds.max", &written.max);
            let mut limit = Aabb { min, max };
            if convert.dimension == Dimension::Two {
                (limit.min.z, limit.max.z) = (-1.0, 1.0);
            }
            check(convert, world, limit);
            limit
        }
    };
    Bounds { home, limit }
}

/// Around all that the scene begins with.
fn home(world: &World, duration: f64) -> Aabb {
    let particles = Aabb::around(world.particles.position.iter().copied());
    let elastic = Aabb::around(world.elastic.solids.position.iter().copied());
    let mut home = particles.union(elastic);
    for solid in world.solids.iter().filter(|solid| !solid.motion().is_static()) {
        home = way(solid, duration).into_iter().fold(home, Aabb::union);
    }
    home = sources(world).into_iter().map(|(_, place)| place).fold(home, Aabb::union);
    for sink in &world.sinks {
        let corners = corners(Aabb { min: -sink.half_size, max: sink.half_size });
        home = home.union(Aabb::around(corners.map(|p| sink.pose.apply(p))));
    }
    if world.dimension == Dimension::Two {
        (home.min.z, home.max.z) = (0.0, 0.0);
    }
    home.grown(world.spacing)
}

/// Emitters and showers by their names, and where they are.
pub(super) fn sources(world: &World) -> Vec<(&str, Aabb)> {
    let emitters = world.emitters.iter().map(|emitter| {
        let opening = emitter.layer.iter().map(|&p| emitter.pose.apply(p));
        (emitter.name.as_str(), Aabb::around(opening))
    });
    let showers = world.drop_emitters.iter().map(|shower| {
        let place = match &shower.places {
            DropPlaces::List(places) => Aabb::around(places.iter().copied()),
            DropPlaces::Box { pose, half_size, .. } => {
                let corners = corners(Aabb { min: -*half_size, max: *half_size });
                Aabb::around(corners.map(|p| pose.apply(p)))
            }
        };
        (shower.name.as_str(), place)
    });
    emitters.chain(showers).collect()
}

/// Boxes around a solid that moves as told, at many times.
fn way(solid: &Solid, duration: f64) -> Vec<Aabb> {
    let corners = corners(Aabb::around(solid.local.iter().copied()));
    let at = |t: f64| {
        let pose = solid.motion().pose(t).then_after(&solid.placement);
        Aabb::around(corners.map(|p| pose.apply(p)))
    };
    times(duration).map(at).filter(|b| b.min.is_finite() && b.max.is_finite()).collect()
}

fn times(duration: f64) -> impl Iterator<Item = f64> {
    (0..=TIMES).map(move |k| duration * f64::from(k) / f64::from(TIMES))
}

fn corners(of: Aabb) -> [DVec3; 8] {
    let pick = |k: usize, bit: usize, axis: usize| {
        if k & bit == 0 { of.min[axis] } else { of.max[axis] }
    };
    std::array::from_fn(|k| DVec3::new(pick(k, 1, 0), pick(k, 2, 1), pick(k, 4, 2)))
}

/// A box that nothing leaves which might come back.
fn generous(world: &World, home: Aabb, duration: f64) -> Aabb {
    let (v, g) = (speed(world, duration), world.gravity.length());
    let thrown = if g > 0.0 { (THROW * v * v / g).min(v * duration) } else { v * duration };
    let stands = |solid: &Solid| solid.body().is_none();
    // Where nothing could catch it, everything falls as long as the run lasts.
    let fall = if world.solids.iter().any(stands) || !world.elastic.solids.position.is_empty() {
        0.0
    } else {
        v * duration + 0.5 * g * duration * duration
    };
    let edge = home.size().max_element();
    let margin = GENEROUS * edge + THROW * fall + thrown;
    home.grown(margin.min(0.5 * (LONGEST * world.spacing - edge)).max(0.0))
}

/// The largest speed that the scene gives to anything.
pub(super) fn speed(world: &World, duration: f64) -> f64 {
    let mut speed = world.particles.velocity.iter().map(|v| v.length()).fold(0.0, f64::max);
    for emitter in &world.emitters {
        let open = times(duration).filter(|t| (emitter.start..=emitter.end).contains(t));
        speed = open.map(|t| emitter.speed.at(t)).fold(speed, f64::max);
    }
    let showers = world.drop_emitters.iter().map(|shower| shower.velocity.length());
    speed = showers.fold(speed, f64::max);
    for solid in &world.solids {
        let size = Aabb::around(solid.local.iter().copied()).size().length();
        if let Some(motor) = solid.body().and_then(|body| body.motor.as_ref()) {
            let turns = times(duration).map(|t| motor.speed.at(t).abs() * size);
            speed = turns.filter(|v| v.is_finite()).fold(speed, f64::max);
        }
        if !solid.motion().is_static() {
            let velocities = times(duration).map(|t| solid.velocity(t));
            let fastest = velocities.map(|[v, turn]| v.length() + turn.length() * size);
            speed = fastest.filter(|v| v.is_finite()).fold(speed, f64::max);
        }
    }
    speed
}

/// Whether bounds that somebody wrote can be meant so.
fn check(convert: &mut Converter<'_, '_>, world: &World, limit: Aabb) {
    let size = limit.max - limit.min;
    let longest = LONGEST * convert.spacing;
    if let Some(axis) = (0..3).find(|&axis| size[axis] <= 0.0) {
        let axis = ["x", "y", "z"][axis];
        convert.report.key(KEY, format!("`max` must be above `min` along {axis}"), None);
        return;
    }
    if size.max_element() > longest {
        let help = format!("at most {longest} m, which are {LONGEST:.0} spacings");
        convert.report.key(KEY, format!("is {} m long", size.max_element()), Some(help));
    }
    let outside = |points: &[DVec3]| points.iter().find(|p| !limit.contains(**p)).copied();
    let fluids = world
        .fluids
        .iter()
        .map(|fluid| (&*fluid.name, outside(&world.particles.position[fluid.range.clone()])));
    let bodies = world.solids.iter().filter(|solid| solid.body().is_some());
    let bodies = bodies.map(|solid| (&*solid.name, outside(&[solid.pose.translation])));
    let sources = sources(world).into_iter();
    let sources = sources.map(|(name, place)| (name, outside(&[place.min, place.max])));
    for (name, place) in fluids.chain(bodies).chain(sources) {
        if let Some(place) = place {
            let message = format!("`{name}` begins outside of it, at {place}");
            convert.report.key(KEY, message, Some("make it larger".to_string()));
        }
    }
}
