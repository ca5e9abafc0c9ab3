//! A lattice of counter-rotating vortices that viscosity slows down, in a box that repeats.

use std::f64::consts::PI;

use super::run::{advance, slope};
use super::{Case, Report};
use crate::math::{DVec3, Dimension};
use crate::world::{TimeStep, Viscosity, ViscosityModel, World};

pub const CASE: Case = Case {
    name: "taylor-green",
    summary: "decaying vortices at Re = 100, two resolutions",
    source: "Taylor & Green 1937: the energy decays as exp(−16 π² ν t / L²)",
    run,
};

const NU: f64 = 0.01;
const DENSITY: f64 = 1000.0;
/// The energy decays as exp(−RATE t).
const RATE: f64 = 16.0 * PI * PI * NU;
/// Long enough that a third of the speed is gone, s.
const DURATION: f64 = 0.5;

fn run(report: &mut Report) -> Result<(), String> {
    let mut errors = Vec::new();
    for across in [32, 64] {
        let mut world = vortices(across);
        let mut curve = vec![(0.0, energy(&world).ln())];
        advance(&mut world, DURATION, |world, _| {
            curve.push((world.clock.time, energy(world).ln()));
        })?;
        let rate = -slope(&curve);
        report.close(format!("{across} across: decay rate of the energy"), rate, RATE, 0.05 * RATE);
        errors.push((rate / RATE - 1.0).abs());
    }
    report.note("error at 64 across over error at 32 across", errors[1] / errors[0], 0.5);
    Ok(())
}

fn vortices(across: u32) -> World {
    let h = 1.0 / f64::from(across);
    let mut world = World::new(Dimension::Two, h);
    world.gravity = DVec3::ZERO;
    world.period = DVec3::new(1.0, 1.0, 0.0);
    world.time_step = TimeStep::Fixed(0.1 * h);
    let place =
        |n: u32| DVec3::new(f64::from(n % across) + 0.5, f64::from(n / across) + 0.5, 0.0) * h;
    let positions: Vec<DVec3> = (0..across * across).map(place).collect();
    let viscosity =
        Viscosity { model: ViscosityModel::Laplacian, coefficient: DENSITY * NU, boundary: 0.0 };
    let k = 2.0 * PI;
    world.add_fluid("fluid", DENSITY, viscosity, &positions, |x| {
        DVec3::new((k * x.x).sin() * (k * x.y).cos(), -(k * x.x).cos() * (k * x.y).sin(), 0.0)
    });
    world
}

/// Kinetic energy per mass.
fn energy(world: &World) -> f64 {
    let velocities = &world.particles.velocity;
    velocities.iter().map(|v| 0.5 * v.length_squared()).sum::<f64>() / velocities.len() as f64
}
