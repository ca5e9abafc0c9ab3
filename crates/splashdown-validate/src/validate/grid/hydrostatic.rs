//! A column of water at rest, in a tank along the cells and in one that is turned against them.

use super::super::run::{advance, in_dimension, slope, world};
use super::{Case, Cost, Report};
use crate::math::DVec3;
use crate::world::Loads;

pub(in super::super) const CASE: Case = Case {
    name: "apic-hydrostatic",
    summary: "a column at rest on a grid: pressure over depth, force on the tank, stillness",
    source: "analytic: p = ρ g d",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

const SCENE: &str = include_str!("../../../validation/grid-hydrostatic.toml");
/// Of the water, m.
const DEPTH: f64 = 1.28;
/// Time to come to rest, and time to average over, s.
const SETTLE: f64 = 1.8;
const MEASURE: f64 = 0.2;

fn run(report: &mut Report) -> Result<(), String> {
    for dimension in [2, 3] {
        for degrees in [0.0, 30.0] {
            measure(report, dimension, degrees)?;
        }
    }
    Ok(())
}

/// Tank and gravity are turned together, so that the water fills it in the same way.
fn measure(report: &mut Report, dimension: u32, degrees: f64) -> Result<(), String> {
    let turn = f64::to_radians(degrees);
    let down = DVec3::new(turn.sin(), -turn.cos(), 0.0);
    let gravity = 9.81 * down;
    let list = |v: DVec3| match dimension {
        2 => format!("[{:?}, {:?}]", v.x, v.y),
        _ => format!("[{:?}, {:?}, {:?}]", v.x, v.y, v.z),
    };
    let rotation = format!("{{ axis = [0, 0, 1], angle = {degrees:?} }}");
    let overrides = [
        format!("simulation.gravity={}", list(gravity)),
        format!(
            "fluid.water.fill=[{{ shape = {{ box = {{ size = {} }} }}, at = {}, rotate = \
                 {rotation} }}]",
            size(dimension),
            list(DVec3::ZERO)
        ),
        format!("solid.tank.rotate={rotation}"),
        format!("solid.tank.at={}", list(-0.16 * down)),
    ];
    let mut world = world("hydrostatic", &in_dimension(SCENE, dimension), &overrides)?;
    let n = world.fluid_count();
    advance(&mut world, SETTLE, |_, _| ())?;
    let mut loads = Loads::default();
    let (mut speed2, mut looks) = (0.0, 0.0);
    let mut points = Vec::new();
    advance(&mut world, SETTLE + MEASURE, |world, step| {
        loads.add(&step.loads);
        let particles = &world.particles;
        speed2 += particles.velocity[..n].iter().map(|v| v.length_squared()).sum::<f64>();
        looks += 1.0;
        for i in (0..n).step_by(7) {
            let depth = particles.position[i].dot(down) + 0.5 * DEPTH;
            points.push((depth, f64::from(particles.pressure[i])));
        }
    })?;
    let variant = format!("{dimension}D, turned by {degrees}°");
    let weight = world.particle_mass(0) * n as f64 * 9.81;
    let inner: Vec<(f64, f64)> =
        points.into_iter().filter(|(d, _)| (0.1 * DEPTH..0.95 * DEPTH).contains(d)).collect();
    let tolerance = if degrees == 0.0 { 0.005 } else { 0.01 };
    let found = slope(&inner) / (1000.0 * 9.81);
    report.close(format!("{variant}: slope of the pressure over ρ g"), found, 1.0, tolerance);
    let force = loads.mean(0).pressure.dot(down) / weight;
    report.close(format!("{variant}: force on the tank over the weight"), force, 1.0, 0.01);
    let unrest = (speed2 / (looks * n as f64)).sqrt() / (9.81 * DEPTH).sqrt();
    let most = if degrees == 0.0 { 2e-3 } else { 5e-3 };
    report.at_most(format!("{variant}: RMS speed over √(gH) after 2 s"), unrest, most);
    Ok(())
}

fn size(dimension: u32) -> &'static str {
    if dimension == 2 { "[0.64, 1.28]" } else { "[0.64, 1.28, 0.64]" }
}
