//! Rigid bodies by themselves: contact, friction, momentum.

mod common;

use common::Noise;
use splashdown::body::Motor;
use splashdown::math::{DMat3, DQuat, DVec3, Dimension, Pose};
use splashdown::output::totals::Totals;
use splashdown::shapes::Shape;
use splashdown::validate::build::{body, floor, pool};
use splashdown::world::{Loads, Solid, SolveKind, TimeStep, Viscosity, World};

const H: f64 = 0.02;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose { translation: DVec3::new(x, y, z), ..Pose::IDENTITY }
}

fn cube(cells: f64) -> Shape {
    Shape::Box { half: DVec3::splat(0.5 * cells * H) }
}

fn world(dimension: Dimension) -> World {
    let mut world = World::new(dimension, H);
    world.time_step = TimeStep::Fixed(1e-3);
    world
}

fn advance(world: &mut World, until: f64) {
    while world.clock.time < until {
        world.step(until).unwrap();
    }
}

#[test]
fn a_box_comes_to_rest_with_its_surface_on_the_floor() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let mut world = world(dimension);
        world.add_solid(floor(&world, 0.3).unwrap());
        world.add_solid(body(&world, "box", &cube(8.0), 500.0, at(0.003, 0.1, 0.001)).unwrap());
        let mut loads = Loads::default();
        while world.clock.time < 0.5 {
            loads.add(&world.step(0.5).unwrap().loads);
        }
        let solid = &world.solids[1];
        let gap = (solid.pose.translation.y - 4.0 * H) / H;
        assert!(gap.abs() < 0.02, "{dimension:?}: {gap}");
        let speed = solid.body().unwrap().velocity.length();
        assert!(speed < 2e-3, "{dimension:?}: {speed}");
        assert!(loads.mean(0).contact.y < 0.0, "{dimension:?}");
    }
}

#[test]
fn contact_and_friction_conserve_momentum() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let mut world = world(dimension);
        world.gravity = DVec3::ZERO;
        let mut noise = Noise::new(5);
        for (k, x) in [-0.25, 0.0, 0.26].into_iter().enumerate() {
            let size = DVec3::new(3.0 + k as f64, 4.0, 2.0 + k as f64) * H;
            let mut pose = at(x, 0.02 * k as f64, 0.0);
            pose.rotation = match dimension {
                Dimension::Two => DQuat::from_rotation_z(0.4 * k as f64),
                Dimension::Three => DQuat::from_scaled_axis(noise.vector(dimension)),
            };
            let name = format!("box {k}");
            let shape = Shape::Box { half: size };
            let mut solid = body(&world, &name, &shape, 300.0 + 700.0 * k as f64, pose).unwrap();
            let rigid = solid.body_mut().unwrap();
            rigid.velocity = dimension.flatten(DVec3::new(-1.5 * x / 0.25, 0.1, 0.05));
            let spin = match dimension {
                Dimension::Two => DVec3::Z * (3.0 - 2.0 * k as f64),
                Dimension::Three => 4.0 * noise.vector(dimension),
            };
            rigid.angular_momentum = rigid.world_inertia(pose.rotation) * spin;
            world.add_solid(solid);
        }
        let scale = |world: &World| {
            let of = |body: &splashdown::body::RigidBody| body.mass * body.velocity.length();
            world.solids.iter().filter_map(|s| s.body()).map(of).sum::<f64>()
        };
        let mut touched = 0;
        for _ in 0..400 {
            let (before, size) = (Totals::of(&world), scale(&world));
            let report = world.step(f64::INFINITY).unwrap();
            touched += report.solve(SolveKind::Contact).active;
            let after = Totals::of(&world);
            let linear = (after.momentum - before.momentum).length() / size;
            let angular = (after.angular_momentum - before.angular_momentum).length();
            assert!(linear < 1e-12, "{dimension:?}: {linear:e}");
            assert!(angular / (0.1 * size) < 1e-12, "{dimension:?}: {angular:e}");
        }
        assert!(touched > 5, "{dimension:?}: {touched} contacts, they hardly met");
    }
}

#[test]
fn a_tumbling_body_keeps_its_angular_momentum_and_its_energy() {
    let mut world = world(Dimension::Three);
    world.gravity = DVec3::ZERO;
    let shape = Shape::Box { half: DVec3::new(6.0, 3.0, 1.5) * H };
    let mut solid = body(&world, "brick", &shape, 1000.0, Pose::IDENTITY).unwrap();
    let rigid = solid.body_mut().unwrap();
    // About the middle axis: it turns over again and again.
    rigid.angular_momentum = rigid.inertia * DVec3::new(0.02, 8.0, 0.02);
    let start = rigid.angular_momentum;
    world.add_solid(solid);
    let before = Totals::of(&world).kinetic_energy;
    advance(&mut world, 3.0);
    assert_eq!(world.solids[0].body().unwrap().angular_momentum, start);
    let energy = Totals::of(&world).kinetic_energy / before;
    assert!((energy - 1.0).abs() < 1e-4, "{energy}");
    let length = world.solids[0].pose.rotation.length();
    assert!((length - 1.0).abs() < 1e-12, "{length}");
}

#[test]
fn friction_holds_above_and_slides_below_the_tangent_of_the_slope() {
    let slope = 30.0f64.to_radians();
    for (mu, sliding) in [(0.62, false), (0.4, true)] {
        let mut world = world(Dimension::Three);
        world.gravity = 9.81 * DVec3::new(slope.sin(), -slope.cos(), 0.0);
        let mut ground = floor(&world, 0.5).unwrap();
        let mut solid = body(&world, "box", &cube(8.0), 1000.0, at(-0.3, 4.0 * H, 0.0)).unwrap();
        (ground.friction, solid.friction) = (mu, mu);
        world.add_solid(ground);
        world.add_solid(solid);
        advance(&mut world, 0.4);
        let moved = world.solids[1].pose.translation.x + 0.3;
        let free = 0.5 * 9.81 * (slope.sin() - mu * slope.cos()) * 0.4 * 0.4;
        if sliding {
            assert!((moved / free - 1.0).abs() < 0.05, "{moved} instead of {free}");
        } else {
            assert!(moved.abs() < 0.05 * H, "crept {} h", moved / H);
        }
    }
}

/// Steps to `until`; the largest speed that any body had on the way.
fn fastest(world: &mut World, until: f64) -> f64 {
    let mut fastest: f64 = 0.0;
    while world.clock.time < until {
        world.step(until).unwrap();
        for body in world.solids.iter().filter_map(|solid| solid.body()) {
            assert!(body.velocity.is_finite() && body.angular_momentum.is_finite());
            fastest = fastest.max(body.velocity.length());
        }
    }
    fastest
}

#[test]
fn bodies_that_start_in_each_other_are_parted_gently() {
    let mut world = world(Dimension::Three);
    world.gravity = DVec3::ZERO;
    world.add_solid(body(&world, "a", &cube(6.0), 1000.0, at(0.0, 0.0, 0.0)).unwrap());
    world.add_solid(body(&world, "b", &cube(6.0), 1000.0, at(0.0, 5.5 * H, 0.0)).unwrap());
    let speed = fastest(&mut world, 0.5);
    assert!(speed < 0.1, "{speed} m/s");
    let gap = (world.solids[1].pose.translation - world.solids[0].pose.translation).length() / H;
    assert!(gap > 5.95, "{gap} h");
}

#[test]
fn a_bullet_is_stopped_by_a_wall() {
    let mut world = world(Dimension::Three);
    world.time_step = TimeStep::default();
    world.add_solid(floor(&world, 0.2).unwrap());
    let mut bullet = body(&world, "bullet", &cube(5.0), 8000.0, at(0.0, 0.2, 0.0)).unwrap();
    bullet.body_mut().unwrap().velocity = DVec3::new(0.0, -100.0, 0.0);
    world.add_solid(bullet);
    fastest(&mut world, 0.01);
    let height = world.solids[1].pose.translation.y / H;
    assert!(height > 2.0, "{height} h");
}

#[test]
fn single_particles_thin_plates_and_mass_ratios_of_ten_thousand_come_to_rest() {
    let mut world = world(Dimension::Three);
    world.add_solid(floor(&world, 0.3).unwrap());
    // A pebble of one particle, a plate of one layer, and on a light cube one ten thousand times
    // heavier.
    let mut pebble = body(&world, "pebble", &cube(1.0), 2000.0, at(-0.2, 0.05, 0.0)).unwrap();
    pebble.local = vec![DVec3::ZERO];
    pebble.body_mut().unwrap().inertia = DMat3::ZERO;
    world.add_solid(pebble);
    let sheet = Shape::Plane { normal: DVec3::Y, half_size: 3.0 * H };
    let mut plate = body(&world, "plate", &cube(2.0), 500.0, at(0.2, 0.04, 0.0)).unwrap();
    plate.local = sheet.sample_surface(H, 0.0, Dimension::Three).unwrap();
    world.add_solid(plate);
    world.add_solid(body(&world, "light", &cube(6.0), 1e2, at(0.0, 3.1 * H, 0.0)).unwrap());
    world.add_solid(body(&world, "heavy", &cube(6.0), 1e6, at(0.0, 9.2 * H, 0.0)).unwrap());
    fastest(&mut world, 0.4);
    let height = |k: usize| world.solids[k].pose.translation.y / H;
    for (k, expected) in [(1, 0.5), (2, 0.5), (3, 3.0), (4, 9.0)] {
        let name = &world.solids[k].name;
        assert!((height(k) - expected).abs() < 0.2, "{name}: {} h", height(k));
    }
}

#[test]
fn a_motor_turns_a_locked_wheel_up_to_its_speed() {
    let mut world = world(Dimension::Three);
    let shape = Shape::Cylinder { radius: 4.0 * H, half_height: H };
    let mut wheel = body(&world, "wheel", &shape, 1000.0, at(0.0, 0.0, 0.0)).unwrap();
    let rigid = wheel.body_mut().unwrap();
    rigid.locks.translation = [true; 3];
    rigid.locks.rotation = [true, false, true];
    let inertia = rigid.inertia.y_axis.y;
    let torque = 20.0 * inertia;
    let speed = splashdown::motion::Scalar::Constant(3.0);
    rigid.motor = Some(Motor { axis: DVec3::Y, speed, torque_limit: torque });
    world.add_solid(wheel);
    advance(&mut world, 0.1);
    let spin = |world: &World| {
        let solid = &world.solids[0];
        solid.body().unwrap().angular_velocity(solid.pose.rotation).y
    };
    assert!((spin(&world) - 2.0).abs() < 1e-6, "{}", spin(&world)); // 20 rad/s² for 0.1 s
    advance(&mut world, 0.3);
    assert!((spin(&world) - 3.0).abs() < 1e-9, "{}", spin(&world));
    assert_eq!(world.solids[0].pose.translation, DVec3::ZERO);
}

#[test]
fn a_mass_ratio_of_a_million_is_held_or_refused_by_name() {
    let mut world = world(Dimension::Three);
    world.method.particles().coupling.max_iterations = 2000;
    world.add_solid(floor(&world, 0.2).unwrap());
    world.add_solid(body(&world, "light", &cube(5.0), 1e2, at(0.0, 2.5 * H, 0.0)).unwrap());
    world.add_solid(body(&world, "heavy", &cube(5.0), 1e8, at(0.0, 7.5 * H, 0.0)).unwrap());
    while world.clock.time < 0.2 {
        if let Err(error) = world.step(0.2) {
            assert!(["light", "heavy"].contains(&error.object().unwrap()), "{error}");
            return;
        }
        let rigid = world.solids[2].body().unwrap();
        assert!(rigid.velocity.is_finite());
    }
    let height = world.solids[2].pose.translation.y / H;
    assert!((height - 7.5).abs() < 0.5, "{height} h");
}

#[test]
fn a_mass_ratio_of_a_million_does_not_sink_in_silently_with_default_iterations() {
    let mut world = world(Dimension::Three);
    world.add_solid(floor(&world, 0.2).unwrap());
    world.add_solid(body(&world, "light", &cube(5.0), 1e2, at(0.0, 2.5 * H, 0.0)).unwrap());
    world.add_solid(body(&world, "heavy", &cube(5.0), 1e8, at(0.0, 7.5 * H, 0.0)).unwrap());
    while world.clock.time < 0.3 {
        if let Err(error) = world.step(0.3) {
            let text = error.to_string();
            assert!(text.contains("light") || text.contains("heavy"), "{text}");
            return;
        }
    }
    let height = world.solids[2].pose.translation.y / H;
    assert!((height - 7.5).abs() < 0.75, "{height} h");
}

/// A body of one particle, a plate without thickness and a rod without width, each with its centre
/// at the origin.
fn thinnest(world: &World) -> Vec<Solid> {
    let mut pebble = body(world, "pebble", &cube(1.0), 2000.0, Pose::IDENTITY).unwrap();
    pebble.local = vec![DVec3::ZERO];
    pebble.body_mut().unwrap().inertia = DMat3::ZERO;
    let mut plate = body(world, "plate", &cube(2.0), 500.0, Pose::IDENTITY).unwrap();
    let sheet = Shape::Plane { normal: DVec3::Y, half_size: 3.0 * H };
    plate.local = sheet.sample_surface(H, 0.0, Dimension::Three).unwrap();
    let mut rod = body(world, "rod", &cube(2.0), 500.0, Pose::IDENTITY).unwrap();
    rod.local = (-3..=3).map(|k| DVec3::X * f64::from(k) * H).collect();
    rod.body_mut().unwrap().inertia = DMat3::from_diagonal(DVec3::new(0.0, 1e-3, 1e-3));
    vec![pebble, plate, rod]
}

/// Steps to `until`; an error must name one of the bodies, a state must be finite.
fn survives(world: &mut World, until: f64) -> bool {
    while world.clock.time < until {
        if let Err(error) = world.step(until) {
            let named = |solid: &Solid| error.to_string().contains(&solid.name);
            assert!(world.solids.iter().any(named) || error.object() == Some("water"), "{error}");
            return false;
        }
        assert!(world.particles.position.iter().all(|x| x.is_finite()));
        assert!(world.particles.velocity.iter().all(|v| v.is_finite()));
        for body in world.solids.iter().filter_map(|solid| solid.body()) {
            assert!(body.velocity.is_finite() && body.angular_momentum.is_finite());
        }
    }
    true
}

#[test]
fn thin_bodies_at_a_hundred_metres_per_second_are_stopped_by_walls_and_by_each_other() {
    for k in 0..3 {
        for against in ["floor", "box"] {
            let mut world = world(Dimension::Three);
            world.time_step = TimeStep::default();
            if against == "floor" {
                world.add_solid(floor(&world, 0.2).unwrap());
            } else {
                let place = at(0.0, -3.0 * H, 0.0);
                world.add_solid(body(&world, "box", &cube(6.0), 1e3, place).unwrap());
            }
            let mut thin = thinnest(&world).swap_remove(k);
            thin.pose = at(0.003, 0.1, 0.001);
            thin.body_mut().unwrap().velocity = DVec3::new(0.0, -100.0, 0.0);
            world.add_solid(thin);
            if survives(&mut world, 0.005) {
                let gap = world.solids[1].pose.translation.y - world.solids[0].pose.translation.y;
                let name = &world.solids[1].name;
                assert!(gap > 0.0, "{name} went through the {against}: {} h", gap / H);
            }
        }
    }
}

#[test]
fn a_body_at_a_hundred_metres_per_second_into_water_gives_no_nan() {
    let cells = [30, 15, 1];
    let calm = Viscosity::default();
    let mut world = pool(Dimension::Two, H, cells, 40, calm, &[]).unwrap();
    let place = at(15.0 * H, 22.0 * H, 0.0);
    let mut bullet = body(&world, "bullet", &cube(5.0), 8000.0, place).unwrap();
    bullet.body_mut().unwrap().velocity = DVec3::new(0.0, -100.0, 0.0);
    world.add_solid(bullet);
    survives(&mut world, 0.004);
}

#[test]
fn a_warm_start_saves_iterations_and_changes_nothing_about_rest() {
    let run = |warm_start: f64| {
        let mut world = world(Dimension::Three);
        world.method.particles().coupling.warm_start = warm_start;
        world.method.particles().coupling.min_iterations = 1;
        world.add_solid(floor(&world, 0.2).unwrap());
        for k in 0..5 {
            let place = at(0.0, (6.0 * f64::from(k) + 3.0) * H, 0.0);
            world.add_solid(body(&world, "box", &cube(6.0), 1e3, place).unwrap());
        }
        let mut iterations = 0;
        while world.clock.time < 0.2 {
            iterations += world.step(0.2).unwrap().solve(SolveKind::Contact).iterations;
        }
        (iterations, world.solids[5].pose.translation.y / H)
    };
    let (cold, warm) = (run(0.0), run(0.5));
    assert!(f64::from(warm.0) < 0.9 * f64::from(cold.0), "{cold:?} {warm:?}");
    assert!((warm.1 - 27.0).abs() < 0.05 && (cold.1 - 27.0).abs() < 0.05, "{cold:?} {warm:?}");
}

#[test]
fn a_warm_started_pile_has_the_same_bits_with_any_number_of_threads_and_after_a_restart() {
    let start = || {
        let mut world = world(Dimension::Three);
        world.method.particles().coupling.warm_start = 0.5;
        world.add_solid(floor(&world, 0.2).unwrap());
        world.add_solid(body(&world, "a", &cube(5.0), 1e3, at(0.0, 2.6 * H, 0.0)).unwrap());
        world.add_solid(body(&world, "b", &cube(5.0), 1e3, at(0.01, 7.8 * H, 0.0)).unwrap());
        world
    };
    let run = |mut world: World, steps: usize, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| (0..steps).for_each(|_| assert!(world.step(f64::INFINITY).is_ok())));
        world
    };
    let whole = run(start(), 60, 1);
    assert!(whole.contact_history.iter().any(|stick| stick.load.y > 0.0));
    let mut resumed = start();
    resumed.import_state(&run(start(), 35, 3).export_state()).unwrap();
    assert!(whole.export_state() == run(resumed, 25, 2).export_state());
}
