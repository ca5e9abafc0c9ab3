//! A box and a duck on a slope: when they start to slide, how fast, and whether they creep before.

use super::build::{at, body, floor, mesh_body};
use super::run::{advance, slope};
use super::{Case, Cost, Report};
use crate::body::CouplingMethod;
use crate::math::{DVec3, Dimension};
use crate::shapes::{Shape, library};
use crate::world::{Solid, TimeStep, World};

pub(super) const CASE: Case = Case {
    name: "incline",
    summary: "a box and a duck on a slope whose friction is lowered: onset of sliding, creep, \
              acceleration",
    source: "Coulomb's law; Probst & Teschner 2023, figures 3 and 4",
    by_name: false,
    cost: Cost::Seconds,
    run,
};

const H: f64 = 0.02;
const G: f64 = 9.81;
/// How fast friction is lowered, 1/s.
const LOWERED: f64 = 0.2;

/// A slope of `degrees` with nothing on it. Gravity is what is turned.
fn tilted(degrees: f64, method: CouplingMethod) -> World {
    let mut world = World::new(Dimension::Three, H);
    world.time_step = TimeStep::Fixed(1e-3);
    world.method.particles().coupling.method = method;
    let angle = degrees.to_radians();
    world.gravity = G * DVec3::new(angle.sin(), -angle.cos(), 0.0);
    world
}

/// A box of ten spacings on a slope of `degrees`, with friction `mu`.
fn slope_world(degrees: f64, mu: f64, method: CouplingMethod) -> Result<World, String> {
    let mut world = tilted(degrees, method);
    // A cube would topple at 45°.
    let height = if degrees > 40.0 { 3.0 * H } else { 5.0 * H };
    let shape = Shape::Box { half: DVec3::new(5.0 * H, height, 5.0 * H) };
    // Not in step with the samples of the floor.
    let pose = at(DVec3::new(-0.303, height, 0.0017));
    let solid = body(&world, "box", &shape, 1000.0, pose)?;
    put(&mut world, solid, mu)?;
    Ok(world)
}

/// The same with a duck of twenty spacings that looks down the slope.
fn duck_world(mu: f64) -> Result<World, String> {
    let mut world = tilted(30.0, CouplingMethod::Monolithic);
    let mut duck = mesh_body(&world, "duck", library::duck(20.0 * H), 1000.0, DVec3::ZERO)?;
    let lowest = duck.surface.vertices.iter().map(|v| v.y).fold(f64::INFINITY, f64::min);
    duck.pose.translation = DVec3::new(-0.203, -lowest, 0.0017);
    duck.placement = duck.pose;
    put(&mut world, duck, mu)?;
    Ok(world)
}

/// Puts `solid` on a floor, both with friction `mu`.
fn put(world: &mut World, mut solid: Solid, mu: f64) -> Result<(), String> {
    let mut ground = floor(world, 0.5)?;
    (ground.friction, solid.friction) = (mu, mu);
    world.add_solid(ground);
    world.add_solid(solid);
    Ok(())
}

fn place(world: &World) -> f64 {
    world.solids[1].pose.translation.x
}

fn speed(world: &World) -> f64 {
    world.solids[1].body().map_or(f64::NAN, |body| body.velocity.x)
}

/// The friction at which what lies on a slope of 30° starts to slide when friction is lowered, and
/// how it creeps before, in h/s.
pub(super) fn onset(world: &mut World) -> Result<[f64; 2], String> {
    let angle = 30.0f64.to_radians();
    let (mut sticking, mut onset) = ((f64::NAN, f64::NAN), f64::NAN);
    while world.clock.time < 3.0 && onset.is_nan() {
        let mu = 1.0 - LOWERED * world.clock.time;
        world.solids.iter_mut().for_each(|solid| solid.friction = mu);
        world.step(3.0).map_err(|e| e.to_string())?;
        if world.clock.time < 0.2 {
            sticking.0 = place(world);
        }
        if mu > 0.6 {
            sticking.1 = place(world);
        }
        // It is this fast so much later than it starts: v = ½ g cos θ (dμ/dt) t².
        let fast = 0.02;
        if speed(world) > fast {
            let late = (2.0 * fast / (G * angle.cos() * LOWERED)).sqrt();
            onset = mu + LOWERED * late;
        }
    }
    Ok([onset, (sticking.1 - sticking.0) / (H * 1.8)])
}

/// The box of ten spacings on 30°.
pub(super) fn box_world() -> Result<World, String> {
    slope_world(30.0, 1.0, CouplingMethod::Monolithic)
}

fn run(report: &mut Report) -> Result<(), String> {
    let tangent = 30.0f64.to_radians().tan();
    let [found, creep] = onset(&mut box_world()?)?;
    report.close("30°: friction at which it starts to slide", found, tangent, 0.015);
    report.at_most("30°: creep while sticking, h/s", creep, 0.1);
    let [found, creep] = onset(&mut duck_world(1.0)?)?;
    report.close("duck, 30°: friction at which it starts to slide", found, tangent, 0.05);
    report.at_most("duck, 30°: creep while sticking, h/s", creep, 0.1);

    for (degrees, mu) in [(10.0, 0.1), (20.0, 0.2), (30.0, 0.2), (30.0, 0.4), (45.0, 0.4)] {
        let mut world = slope_world(degrees, mu, CouplingMethod::Monolithic)?;
        let mut speeds = Vec::new();
        advance(&mut world, 0.3, |world, _| speeds.push((world.clock.time, speed(world))))?;
        let found = slope(&speeds[50..]);
        let angle = f64::to_radians(degrees);
        let expected = G * (angle.sin() - mu * angle.cos());
        let metric = format!("{degrees}°, μ = {mu}: acceleration over Coulomb's");
        report.close(metric, found / expected, 1.0, 0.03);
    }
    for degrees in [10.0f64, 20.0, 45.0] {
        for (share, sticks) in [(1.05, true), (0.95, false)] {
            let mu = share * degrees.to_radians().tan();
            let mut world = slope_world(degrees, mu, CouplingMethod::Monolithic)?;
            let start = place(&world);
            advance(&mut world, 0.5, |_, _| ())?;
            let moved = (place(&world) - start) / H;
            let metric = format!("{degrees}°, μ = {share} tan θ: moved in 0.5 s, h");
            if sticks {
                report.at_most(metric, moved, 0.05);
            } else {
                let angle = degrees.to_radians();
                let free = 0.125 * G * (angle.sin() - mu * angle.cos()) / H;
                report.close(metric, moved, free, 0.2 * free);
            }
        }
    }
    // Probst & Teschner 2023 on explicit friction: "slides down the slope even for μ = 1".
    let mut world = slope_world(30.0, 1.0, CouplingMethod::Interlinked)?;
    let start = place(&world);
    advance(&mut world, 1.0, |_, _| ())?;
    let slid = (place(&world) - start) / H;
    report.close("interlinked, 30°, μ = 1: slides more than 1 h in 1 s", slid.min(1.0), 1.0, 0.0);
    report.note("interlinked, 30°, μ = 1: slid in 1 s, h", slid, 0.0);
    Ok(())
}
