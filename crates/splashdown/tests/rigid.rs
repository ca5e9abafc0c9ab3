//! Rigid bodies by themselves: contact, friction, momentum.

mod common;

use common::Noise;
use splashdown::math::{DQuat, DVec3, Dimension, Pose};
use splashdown::output::totals::Totals;
use splashdown::shapes::Shape;
use splashdown::validate::build::{body, floor};
use splashdown::world::{TimeStep, World};

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
        advance(&mut world, 0.5);
        let solid = &world.solids[1];
        let gap = (solid.pose.translation.y - 4.0 * H) / H;
        assert!(gap.abs() < 0.02, "{dimension:?}: {gap}");
        let speed = solid.body.as_ref().unwrap().velocity.length();
        assert!(speed < 2e-3, "{dimension:?}: {speed}");
        let weight = -world.solids[0].load.contact.y / world.solids[0].load.duration;
        assert!(weight > 0.0);
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
            let rigid = solid.body.as_mut().unwrap();
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
            world.solids.iter().filter_map(|s| s.body.as_ref()).map(of).sum::<f64>()
        };
        let mut touched = 0;
        for _ in 0..400 {
            let (before, size) = (Totals::of(&world), scale(&world));
            let report = world.step(f64::INFINITY).unwrap();
            touched += report.contacts;
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
    let rigid = solid.body.as_mut().unwrap();
    // About the middle axis: it turns over again and again.
    rigid.angular_momentum = rigid.inertia * DVec3::new(0.02, 8.0, 0.02);
    let start = rigid.angular_momentum;
    world.add_solid(solid);
    let before = Totals::of(&world).kinetic_energy;
    advance(&mut world, 3.0);
    assert_eq!(world.solids[0].body.as_ref().unwrap().angular_momentum, start);
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
