//! Tests of the potentials on small worlds.

use super::rows::lattice_moment;
use crate::diagnostics::potential_derivatives;
use crate::math::{DVec3, Dimension};
use crate::particles::kernel::{Kernel, KernelKind};
use crate::solve::differences::Random;
use crate::world::{FluidTension, LinearSolver, PressureSolver, Solid, Viscosity, World};

const BOTH: [Dimension; 2] = [Dimension::Two, Dimension::Three];

/// A cube of fluid on a plate that is large enough for it, shaken by `noise` spacings.
fn cube(dimension: Dimension, across: usize, noise: f64, viscosity: Viscosity) -> World {
    let h = 0.01;
    let mut random = Random::new(5);
    let mut world = World::new(dimension, h);
    let layers = if dimension == Dimension::Two { 1 } else { across };
    let place = |k: usize| {
        DVec3::new((k % across) as f64, (k / across % across) as f64, (k / across / across) as f64)
    };
    let mut points: Vec<DVec3> = (0..across * across * layers).map(|k| h * place(k)).collect();
    points.iter_mut().for_each(|p| *p += dimension.flatten(noise * h * random.vector()));
    let half = points.len() / 2;
    world.add_fluid("water", 1000.0, viscosity, &points[..half], |_| DVec3::ZERO);
    world.add_fluid("oil", 800.0, viscosity, &points[half..], |_| DVec3::ZERO);
    let wide = across + 6;
    let deep = if dimension == Dimension::Two { 1 } else { wide };
    let plate = (0..wide * deep).map(|k| {
        let z = if deep == 1 { 0.0 } else { (k / wide) as f64 - 3.0 };
        h * DVec3::new((k % wide) as f64 - 3.0, -1.0, z)
    });
    world.add_solid(Solid::fixed("plate", plate.collect(), 0.0));
    world.method.particles().pressure.solver = PressureSolver::Variational;
    world
}

#[test]
fn derivatives_belong_together_and_momentum_is_kept() {
    for dimension in BOTH {
        let across = if dimension == Dimension::Two { 8 } else { 5 };
        for viscosity in [Viscosity::laplacian(2.0, 3.0), Viscosity::weiler2018(2.0, 3.0)] {
            let mut world = cube(dimension, across, 0.2, viscosity);
            let found = potential_derivatives(&mut world, 2e-3, 9).unwrap();
            let errors = [found.gradient, found.hessian, found.product, found.momentum];
            assert!(errors[0] < 1e-8 && errors[1] < 1e-10, "{dimension:?}: {errors:?}");
            assert!(errors[2] < 1e-12 && errors[3] < 1e-12, "{dimension:?}: {errors:?}");
        }
    }
}

#[test]
fn the_spiky_gradient_misses_what_is_said_of_it() {
    for (dimension, moment) in BOTH.into_iter().zip([0.886, 0.956]) {
        let found = lattice_moment(Kernel { kind: KernelKind::Spiky, dimension });
        assert!((found - moment).abs() < 1e-3, "{dimension:?}: {found}");
    }
}

#[test]
fn a_lattice_is_at_rest_density_also_on_a_plate() {
    for dimension in BOTH {
        let mut world = cube(dimension, 9, 0.0, Viscosity::NONE);
        world.step(1e-6).unwrap();
        let centre = DVec3::splat(0.04).min(dimension.flatten(DVec3::ONE));
        let middle = |y: f64| {
            let at = DVec3 { y, ..centre };
            let places = world.particles.position.iter().zip(&world.particles.density);
            let nearest = places.min_by(|a, b| a.0.distance(at).total_cmp(&b.0.distance(at)));
            f64::from(*nearest.unwrap().1)
        };
        // Oil is above.
        assert!((middle(0.0) / 1000.0 - 1.0).abs() < 2e-3, "{dimension:?}: {}", middle(0.0));
    }
}

/// A 2D tank with water in it to a height of 16 spacings.
fn tank(viscosity: f64) -> World {
    let h = 0.02;
    let mut world = World::new(Dimension::Two, h);
    let place = |k: usize| h * DVec3::new((k % 12) as f64 + 0.5, (k / 12) as f64 + 0.5, 0.0);
    let points: Vec<DVec3> = (0..12 * 16).map(place).collect();
    world
        .add_fluid("water", 1000.0, Viscosity::laplacian(viscosity, 0.0), &points, |_| DVec3::ZERO);
    let floor = (-1..13).map(|x| DVec3::new(f64::from(x) + 0.5, -0.5, 0.0));
    let sides = (0..24).flat_map(|y| [-0.5, 12.5].map(|x| DVec3::new(x, f64::from(y) + 0.5, 0.0)));
    let samples = floor.chain(sides).map(|p| h * p).collect();
    world.add_solid(Solid::fixed("tank", samples, 0.5 * h));
    let pressure = &mut world.method.particles().pressure;
    (pressure.solver, pressure.potentials.stiffness) = (PressureSolver::Variational, 3.2e5);
    world
}

fn advance(world: &mut World, until: f64) {
    while world.clock.time < until {
        world.step(until).unwrap();
    }
}

#[test]
fn a_still_liquid_stays_still_and_at_its_height() {
    let mut world = tank(1.4); // a thin one trembles: docs/methods/variational.md
    advance(&mut world, 1.0);
    let n = world.fluid_count();
    let square: f64 = world.particles.velocity[..n].iter().map(|v| v.length_squared()).sum();
    let speed = (square / n as f64).sqrt() / (9.81f64 * 0.32).sqrt();
    assert!(speed < 1e-2, "{speed}");
    let mean: f64 = world.particles.position[..n].iter().map(|x| x.y).sum::<f64>() / n as f64;
    assert!((mean / 0.16 - 1.0).abs() < 0.03, "{mean}");
}

#[test]
fn both_linear_solvers_find_the_same() {
    let mut worlds = [tank(1e-3), tank(1e-3)];
    worlds[1].method.particles().pressure.potentials.linear = LinearSolver::Assembled;
    for world in &mut worlds {
        advance(world, 0.02);
    }
    let [a, b] = worlds.each_ref().map(|world| &world.particles.position);
    let apart = a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(apart < 1e-9, "{apart:e}");
}

#[test]
fn tension_as_printed_pulls_and_the_others_do_not() {
    // Two pieces of a lattice that move apart.
    let speed_lost = |tension: FluidTension| {
        let h = 0.01;
        let mut world = World::new(Dimension::Two, h);
        world.gravity = DVec3::ZERO;
        let place = |k: usize| h * DVec3::new((k % 8) as f64, (k / 8) as f64, 0.0);
        let points: Vec<DVec3> = (0..64).map(place).collect();
        let apart = |p: DVec3| DVec3::X * if p.x > 3.5 * h { 0.5 } else { -0.5 };
        world.add_fluid("water", 1000.0, Viscosity::NONE, &points, apart);
        let pressure = &mut world.method.particles().pressure;
        (pressure.solver, pressure.potentials.tension) = (PressureSolver::Variational, tension);
        advance(&mut world, 0.01);
        let speeds = world.particles.velocity.iter().map(|v| v.x.abs());
        1.0 - speeds.sum::<f64>() / (0.5 * 64.0)
    };
    assert!(speed_lost(FluidTension::Printed) > 0.05);
    assert!(speed_lost(FluidTension::None).abs() < 1e-3);
    assert!(speed_lost(FluidTension::Predicted).abs() < 0.02);
}
