//! Viscosity against analytic solutions, in channels and boxes that repeat.

use std::f64::consts::PI;

use splashdown::math::{DVec3, Dimension, Pose};
use splashdown::motion::Motion;
use splashdown::world::{
    Load, Solid, StepReport, TimeStep, TriangleMesh, Viscosity, ViscosityModel, World,
};

fn viscosity(model: ViscosityModel, coefficient: f64, boundary: f64) -> Viscosity {
    Viscosity { model, coefficient, boundary }
}

/// A flat wall of samples at height `y`, along the whole period.
fn wall(name: &str, world: &World, y: f64) -> Solid {
    let h = world.spacing;
    let columns = (world.period.x / h).round() as usize;
    let rows =
        if world.dimension == Dimension::Two { 1 } else { (world.period.z / h).round() as usize };
    let depth = if world.dimension == Dimension::Two { 0.0 } else { h };
    let place = |n: usize| {
        let (x, z) = ((n % columns) as f64 + 0.5, (n / columns) as f64 + 0.5);
        DVec3::new(x * h, y, z * depth)
    };
    Solid {
        name: name.to_owned(),
        range: 0..0,
        local: (0..columns * rows).map(place).collect(),
        pose: Pose::IDENTITY,
        placement: Pose::IDENTITY,
        motion: Motion::Static,
        inset: 0.5 * h,
        load: Load::default(),
        surface: TriangleMesh::default(),
    }
}

/// A channel of height 1 m between two walls, `across` particles high, periodic along x.
fn channel(across: usize, density: f64, viscosity: Viscosity) -> World {
    let h = 1.0 / across as f64;
    let mut world = World::new(Dimension::Two, h);
    world.gravity = DVec3::ZERO;
    world.period = DVec3::new(8.0 * h, 0.0, 0.0);
    let place = |n: usize| DVec3::new((n % 8) as f64 + 0.5, (n / 8) as f64 + 0.5, 0.0) * h;
    let positions: Vec<DVec3> = (0..8 * across).map(place).collect();
    world.add_fluid("fluid", density, viscosity, &positions, |_| DVec3::ZERO);
    let (below, above) = (wall("below", &world, -0.5 * h), wall("above", &world, 1.0 + 0.5 * h));
    world.add_solid(below);
    world.add_solid(above);
    world
}

/// Steps until `time`.
fn run(world: &mut World, time: f64) -> StepReport {
    let mut last = StepReport::default();
    while world.clock.time < time {
        last = world.step(time).unwrap();
    }
    last
}

/// ‖u − exact‖/‖exact‖ over the fluid.
fn error(world: &World, exact: impl Fn(DVec3) -> DVec3) -> f64 {
    let n = world.fluid_count();
    let particles = world.particles.position[..n].iter().zip(&world.particles.velocity[..n]);
    let (mut difference, mut norm) = (0.0, 0.0);
    for (&x, &v) in particles {
        difference += (v - exact(x)).length_squared();
        norm += exact(x).length_squared();
    }
    (difference / norm).sqrt()
}

/// Velocity of a fluid that a force `g` per mass sets into motion between walls at y = 0 and 1.
fn poiseuille(y: f64, t: f64, nu: f64, g: f64) -> f64 {
    let steady = g / (2.0 * nu) * y * (1.0 - y);
    let decaying = (0..60).map(|n| {
        let k = (2 * n + 1) as f64 * PI;
        4.0 * g / (nu * k.powi(3)) * (k * y).sin() * (-nu * k * k * t).exp()
    });
    steady - decaying.sum::<f64>()
}

/// Velocity of a fluid at rest between a wall at y = 0 and one at y = 1 that starts to move at speed 1.
fn couette(y: f64, t: f64, nu: f64) -> f64 {
    let decaying = (1..80).map(|n| {
        let k = f64::from(n) * PI;
        2.0 / k * f64::from(1 - 2 * (n % 2)) * (k * y).sin() * (-nu * k * k * t).exp()
    });
    y + decaying.sum::<f64>()
}

fn poiseuille_errors(across: usize, model: ViscosityModel) -> Vec<f64> {
    let (rho, eta, g) = (1000.0, 100.0, 0.8); // ν = 0.1 m²/s, top speed 1 m/s
    let mut world = channel(across, rho, viscosity(model, eta, eta));
    world.gravity = DVec3::new(g, 0.0, 0.0);
    world.time_step = TimeStep::Fixed(0.2 / across as f64);
    let mut errors = Vec::new();
    for t in [0.5, 1.0, 2.0, 6.0] {
        let report = run(&mut world, t);
        errors.push(error(&world, |x| DVec3::new(poiseuille(x.y, t, eta / rho, g), 0.0, 0.0)));
        println!(
            "poiseuille {model:?} {across} t {t} error {:.5} {} iterations",
            errors.last().unwrap(),
            report.viscosity_iterations
        );
    }
    errors
}

fn couette_errors(across: usize, model: ViscosityModel) -> Vec<f64> {
    let (rho, eta) = (1000.0, 100.0);
    let mut world = channel(across, rho, viscosity(model, eta, eta));
    let above = world.solids[1].range.clone();
    world.particles.velocity[above].fill(DVec3::X); // slides along itself
    world.time_step = TimeStep::Fixed(0.2 / across as f64);
    let mut errors = Vec::new();
    for t in [0.5, 1.0, 2.0, 6.0] {
        let report = run(&mut world, t);
        errors.push(error(&world, |x| DVec3::new(couette(x.y, t, eta / rho), 0.0, 0.0)));
        println!(
            "couette {model:?} {across} t {t} error {:.5} {} iterations",
            errors.last().unwrap(),
            report.viscosity_iterations
        );
    }
    // The stress on both walls is η du/dy = 100 Pa.
    world.solids.iter_mut().for_each(|solid| solid.load = Load::default());
    run(&mut world, 6.5);
    for (solid, sign) in world.solids.iter().zip([1.0, -1.0]) {
        let stress = solid.load.viscous.x / solid.load.duration / world.period.x;
        println!("stress {stress} {:?}", solid.load);
        errors.push((stress - sign * eta).abs() / eta);
    }
    errors
}

#[test]
fn poiseuille_flow_follows_the_analytic_series() {
    for across in [16, 32] {
        let errors = poiseuille_errors(across, ViscosityModel::Laplacian);
        assert!(errors.iter().all(|&e| e < 0.02), "{across} across: {errors:?}");
    }
}

#[test]
fn couette_flow_follows_the_analytic_series() {
    for across in [16, 32] {
        let errors = couette_errors(across, ViscosityModel::Laplacian);
        assert!(errors.iter().all(|&e| e < 0.02), "{across} across: {errors:?}");
    }
}

#[test]
fn weiler() {
    poiseuille_errors(16, ViscosityModel::Weiler2018);
    couette_errors(16, ViscosityModel::Weiler2018);
}
