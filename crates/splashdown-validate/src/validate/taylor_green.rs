//! A lattice of counter-rotating vortices that viscosity slows down, in a box that repeats.

use std::f64::consts::PI;

use super::run::{advance, slope};
use super::{Case, Cost, Curve, Report, Series};
use crate::math::{DVec3, Dimension};
use crate::world::{TimeStep, Viscosity, World};

pub(super) const CASE: Case = Case {
    name: "taylor-green",
    summary: "decaying vortices at Re = 100, two resolutions",
    source: "Taylor & Green 1937: the energy decays as exp(−16 π² ν t / L²)",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

const NU: f64 = 0.01;
const DENSITY: f64 = 1000.0;
/// The energy decays as exp(−RATE t).
const RATE: f64 = 16.0 * PI * PI * NU;
/// Long enough that a third of the speed is gone, s.
const DURATION: f64 = 0.5;

/// Enough for shifting to come to an end.
const SPREADING_STEPS: u32 = 200;

fn run(report: &mut Report) -> Result<(), String> {
    let mut errors = Vec::new();
    let mut measured = Vec::new();
    for across in [64, 128] {
        let mut world = vortices(across)?;
        let mut curve = vec![(0.0, energy(&world).ln())];
        advance(&mut world, DURATION, |world, _| {
            curve.push((world.clock.time, energy(world).ln()));
        })?;
        let rate = -slope(&curve);
        report.close(format!("{across} across: decay rate of the energy"), rate, RATE, 0.05 * RATE);
        errors.push((rate / RATE - 1.0).abs());
        let share: Vec<_> = curve.iter().map(|(t, e)| (*t, (e - curve[0].1).exp())).collect();
        measured.push(Series::new(format!("{across} across"), &share));
    }
    report.curve(Curve {
        name: "kinetic energy".to_owned(),
        axes: ["time, s", "share of the initial energy"],
        measured,
        reference: vec![Series::of("exp(−16 π² ν t / L²)", [0.0, DURATION], |t| {
            (-RATE * t).exp()
        })],
        source: CASE.source,
    });
    report.note("error at 128 across over error at 64 across", errors[1] / errors[0], 0.5);
    Ok(())
}

fn vortices(across: u32) -> Result<World, String> {
    let h = 1.0 / f64::from(across);
    let mut world = World::new(Dimension::Two, h);
    world.gravity = DVec3::ZERO;
    world.period = DVec3::new(1.0, 1.0, 0.0);
    world.time_step = TimeStep::Fixed(0.1 * h);
    world.method.particles().pressure.divergence_error = 1e-5;
    let positions = even_disorder(&world, across)?;
    let viscosity = Viscosity::laplacian(DENSITY * NU, 0.0);
    let k = 2.0 * PI;
    world.add_fluid("fluid", DENSITY, viscosity, &positions, |x| {
        DVec3::new((k * x.x).sin() * (k * x.y).cos(), -(k * x.x).cos() * (k * x.y).sin(), 0.0)
    });
    Ok(world)
}

/// Particles as a flow leaves them, spread evenly but in no order. A square lattice would be torn
/// up by the vortices within the first tenth of a second, and the energy with it.
fn even_disorder(world: &World, across: u32) -> Result<Vec<DVec3>, String> {
    let h = world.spacing;
    let mut world = world.clone();
    let place = |n: u32| {
        let angle = f64::from(n) * 2.4; // far from any fraction of a turn
        let lattice = DVec3::new(f64::from(n % across), f64::from(n / across), 0.0);
        (lattice + DVec3::new(0.5 + 0.3 * angle.cos(), 0.5 + 0.3 * angle.sin(), 0.0)) * h
    };
    let positions: Vec<DVec3> = (0..across * across).map(place).collect();
    world.add_fluid("fluid", DENSITY, Viscosity::default(), &positions, |_| DVec3::ZERO);
    for _ in 0..SPREADING_STEPS {
        world.step(f64::INFINITY).map_err(|error| error.to_string())?;
    }
    Ok(world.particles.position)
}

/// Kinetic energy per mass.
fn energy(world: &World) -> f64 {
    let velocities = &world.particles.velocity;
    velocities.iter().map(|v| 0.5 * v.length_squared()).sum::<f64>() / velocities.len() as f64
}
