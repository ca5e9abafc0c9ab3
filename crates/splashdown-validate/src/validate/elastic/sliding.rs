//! What a user sees who sets nothing: how far boxes slide, what carries them, how long a pendulum
//! swings.

use super::super::run::{advance, world};
use super::super::{Case, Cost, Report};
use crate::math::DVec3;
use crate::world::{Loads, World};

pub(crate) const CASE: Case = Case {
    name: "sliding-ipc",
    summary: "boxes, plates and rods slide as far as Coulomb says and are carried by their weight, \
              a pendulum keeps its swing: with all defaults",
    source: "v²/2 μ g; g (sin θ − μ cos θ); conservation of energy",
    by_name: false,
    cost: Cost::Seconds,
    run,
};

pub(super) const SCENE: &str = include_str!("../../../validation/elastic-slide.toml");
const THIN: &str = include_str!("../../../validation/elastic-thin.toml");
const PENDULUM: &str = include_str!("../../../validation/elastic-pendulum.toml");

/// Speed at the start, m/s.
const SPEED: f64 = 1.5;
/// Coefficient of friction.
const MU: f64 = 0.3;
const G: f64 = 9.81;
/// How far Coulomb lets a box slide, m.
const WAY: f64 = SPEED * SPEED / (2.0 * MU * G);

/// Mean velocity of the first elastic body, m/s.
pub(super) fn speed(world: &World) -> DVec3 {
    let solids = &world.elastic.solids;
    solids.momentum(0) / solids.centre(0).0
}

fn run(report: &mut Report) -> Result<(), String> {
    for (name, changes) in [
        ("1 MPa", &[][..]),
        ("1 GPa", &["elastic.box.youngs_modulus=1e9"][..]),
        ("steel", &["elastic.box.youngs_modulus=2e11", "elastic.box.density=7800"][..]),
        ("rigid", &["elastic.box.kind=rigid", "elastic.box.youngs_modulus=1e8"][..]),
        ("steps of 10 ms", &["time_step.fixed=0.01"][..]),
        ("0.1 mm above the floor", &["elastic.box.at=[0, 0.0501, 0]"][..]),
    ] {
        slide(report, name, changes)?;
    }
    soft(report)?;
    thin(report)?;
    first_step(report)?;
    pendulum(report)
}

fn box_world(changes: &[&str]) -> Result<World, String> {
    let changes: Vec<String> = changes.iter().map(|c| c.to_string()).collect();
    world("slide", SCENE, &changes)
}

/// How far a box slides until it stops, and what carries it meanwhile.
fn slide(report: &mut Report, name: &str, changes: &[&str]) -> Result<(), String> {
    let mut world = box_world(changes)?;
    let stops = SPEED / (MU * G);
    advance(&mut world, 0.4 * stops, |_, _| ())?;
    let mut loads = Loads::default();
    advance(&mut world, 0.9 * stops, |_, step| loads.add(&step.loads))?;
    let weight = G * world.elastic.solids.centre(0).0;
    let carried = loads.mean_elastic(0).y / weight;
    advance(&mut world, 1.4 * stops, |_, _| ())?;
    let way = world.elastic.solids.centre(0).1.x / WAY;
    report.close(format!("{name}: way over Coulomb's"), way, 1.0, 0.02);
    report.close(format!("{name}: contact force over weight"), carried, 1.0, 0.02);
    Ok(())
}

/// A box of 20 kPa bounces and sways while it slides: its foot stops while the rest of it goes on,
/// so that its way is v²/2μg only about. What Coulomb's law says of it exactly is that friction
/// takes μ times the impulse that carries it, as long as all of its foot slides.
fn soft(report: &mut Report) -> Result<(), String> {
    let mut world = box_world(&["elastic.box.youngs_modulus=2e4"])?;
    let stops = SPEED / (MU * G);
    let mut loads = Loads::default();
    advance(&mut world, 0.6 * stops, |_, step| loads.add(&step.loads))?;
    let force = loads.mean_elastic(0);
    let share = -force.x / (MU * force.y);
    report.close("20 kPa: friction over μ times what carries it", share, 1.0, 0.02);
    advance(&mut world, 1.4 * stops, |_, _| ())?;
    let way = world.elastic.solids.centre(0).1.x / WAY;
    report.close("20 kPa: way over Coulomb's", way, 1.0, 0.02);
    Ok(())
}

/// How far a plate and rods slide.
fn thin(report: &mut Report) -> Result<(), String> {
    let mut world = world("thin", THIN, &[])?;
    let places = |world: &World| -> Vec<f64> {
        (0..world.elastic.names.len()).map(|k| world.elastic.solids.centre(k).1.x).collect()
    };
    let before = places(&world);
    advance(&mut world, 1.4 * SPEED / (MU * G), |_, _| ())?;
    for ((name, from), to) in world.elastic.names.iter().zip(before).zip(places(&world)) {
        report.close(format!("{name}: way over Coulomb's"), (to - from) / WAY, 1.0, 0.02);
    }
    Ok(())
}

/// A box that begins within the usual reach of the barrier is slowed down no more than others.
fn first_step(report: &mut Report) -> Result<(), String> {
    for (gap, reach) in [
        (0.002, None),
        (0.0005, None),
        (0.0007, Some(0.001)),
        (0.0003, Some(0.001)),
        (0.0001, Some(0.001)),
    ] {
        let place = format!("elastic.box.at=[0, {}, 0]", 0.05 + gap);
        let told = reach.map(|reach| format!("elastic_solver.contact_distance={reach}"));
        let changes = ["time_step.fixed=0.005", &place].into_iter().chain(told.as_deref());
        let mut world = box_world(&changes.collect::<Vec<_>>())?;
        let dt = world.step(1.0).map_err(|e| e.to_string())?.dt;
        let lost = 1.0 - speed(&world).x / SPEED;
        let told = reach.map_or(String::new(), |r| format!(", contact_distance {} mm", 1e3 * r));
        let metric =
            format!("{} mm above the floor{told}: speed lost in the first step", 1e3 * gap);
        report.at_most(metric, lost, 1.5 * MU * G * dt / SPEED);
    }
    Ok(())
}

/// The swing of a pendulum after 6 s, from its energy.
fn pendulum(report: &mut Report) -> Result<(), String> {
    let mut world = world("pendulum", PENDULUM, &[])?;
    let swing = |world: &World| {
        let (mass, centre) = world.elastic.solids.centre(0);
        let height = centre.y + world.elastic.solids.kinetic_energy(0) / (mass * G);
        (-height / f64::hypot(0.25, 0.025)).clamp(-1.0, 1.0).acos()
    };
    let before = swing(&world);
    advance(&mut world, 6.0, |_, _| ())?;
    report.close("a rigid pendulum: swing after 6 s", swing(&world) / before, 1.0, 0.02);
    Ok(())
}
