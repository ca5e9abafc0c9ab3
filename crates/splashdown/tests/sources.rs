//! Emitters and sinks.

mod common;

use common::{dam_break, lattice, tank};
use splashdown::math::{DQuat, DVec3, Dimension, Pose};
use splashdown::motion::Scalar;
use splashdown::world::{Emitter, Sink, Solid, Viscosity, World};

/// An opening of `side` × `side` lattice squares.
fn emitter(dimension: Dimension, h: f64, side: usize, pose: Pose, speed: f64) -> Emitter {
    let half = 0.5 * side as f64 * h;
    let corner = dimension.flatten(DVec3::new(-0.5 * h, -half, -half));
    Emitter {
        name: "tap".to_owned(),
        fluid: 0,
        layer: lattice(dimension, corner, [1, side, side], h),
        pose,
        speed: Scalar::Constant(speed),
        start: 0.0,
        end: f64::INFINITY,
        travelled: h,
        emitted: 0,
        limit: u64::MAX,
    }
}

fn empty_world(dimension: Dimension, h: f64) -> World {
    let mut world = World::new(dimension, h);
    world.add_fluid("water", 1000.0, Viscosity::default(), &[], |_| DVec3::ZERO);
    world
}

fn run_until(world: &mut World, end: f64) -> f64 {
    let mut fastest = 0.0f64;
    while world.clock.time < end {
        world.step(end).unwrap();
        fastest = fastest.max(world.max_speed());
    }
    fastest
}

#[test]
fn the_emitted_volume_is_area_times_speed_times_time() {
    for (dimension, side) in [(Dimension::Two, 8), (Dimension::Three, 6)] {
        let (h, speed, time) = (0.02, 1.5, 1.0);
        let mut world = empty_world(dimension, h);
        let pose =
            Pose { translation: DVec3::new(3.0, 2.0, 0.0), rotation: DQuat::from_rotation_z(0.7) };
        world.emitters.push(emitter(dimension, h, side, pose, speed));
        let fastest = run_until(&mut world, time);

        let volume = world.fluid_count() as f64 * dimension.volume(h);
        let area = (side as f64 * h).powi(dimension.count() as i32 - 1);
        let ratio = volume / (area * speed * time);
        assert!((ratio - 1.0).abs() < 0.02, "{dimension:?}: {ratio}");
        assert_eq!(world.emitters[0].emitted, world.fluid_count() as u64);
        // Free fall adds to the speed; nothing else may.
        let fall = (speed * speed + 2.0 * 9.81 * 5.5f64).sqrt();
        assert!(fastest < fall, "{dimension:?}: {fastest}");
    }
}

#[test]
fn layers_follow_each_other_at_one_spacing() {
    let h = 0.02;
    let mut world = empty_world(Dimension::Two, h);
    world.gravity = DVec3::ZERO;
    world.emitters.push(emitter(Dimension::Two, h, 1, Pose::IDENTITY, 0.83));
    run_until(&mut world, 0.5);
    let mut x: Vec<f64> = world.particles.position.iter().map(|p| p.x).collect();
    x.sort_by(f64::total_cmp);
    assert!(x.len() > 15);
    for pair in x.windows(2) {
        assert!((pair[1] - pair[0] - h).abs() < 1e-3 * h, "{x:?}");
    }
}

#[test]
fn an_emitter_lifts_the_water_above_it_like_a_piston() {
    let (h, side, speed) = (0.02, 10, 0.25);
    let mut world = World::new(Dimension::Two, h);
    let column = lattice(Dimension::Two, DVec3::new(0.0, 2.0 * h, 0.0), [side, 20, 1], h);
    world.add_fluid("water", 1000.0, Viscosity::default(), &column, |_| DVec3::ZERO);
    let pipe = tank(Dimension::Two, DVec3::ZERO, [side, 80, 1], h);
    world.add_solid(Solid::fixed("pipe", pipe, 0.5 * h));
    let pose = Pose {
        translation: DVec3::new(0.5 * side as f64 * h, 0.5 * h, 0.0),
        rotation: DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2),
    };
    world.emitters.push(emitter(Dimension::Two, h, side, pose, speed));
    let height = |world: &World| {
        let n = world.fluid_count();
        2.0 * world.particles.position[..n].iter().map(|p| p.y).sum::<f64>() / n as f64
    };
    let mut fastest = run_until(&mut world, 1.0);
    let (first, before) = (world.fluid_count(), height(&world));
    fastest = fastest.max(run_until(&mut world, 3.0));
    let layers = (world.fluid_count() - first) as f64 / side as f64;
    assert!((layers * h / (speed * 2.0) - 1.0).abs() < 0.04, "{layers} layers");
    let rise = height(&world) - before;
    assert!((rise / (speed * 2.0) - 1.0).abs() < 0.1, "the water rose by {rise} m");
    assert!(fastest < 2.0, "{fastest}");
}

#[test]
fn limits_and_time_windows_hold() {
    let h = 0.02;
    let mut world = empty_world(Dimension::Two, h);
    let mut tap = emitter(Dimension::Two, h, 5, Pose::IDENTITY, 1.0);
    tap.limit = 23;
    world.emitters.push(tap);
    let mut late = emitter(Dimension::Two, h, 5, Pose::IDENTITY, 1.0);
    late.pose.translation.y = 5.0;
    (late.start, late.end) = (0.1, 0.2);
    world.emitters.push(late);
    run_until(&mut world, 0.09);
    assert_eq!(world.emitters[1].emitted, 0);
    run_until(&mut world, 0.5);
    assert_eq!(world.emitters[0].emitted, 23);
    let layers = world.emitters[1].emitted / 5;
    assert!((5..=6).contains(&layers), "{layers}");
    let mut ids = world.particles.id.clone();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), world.particles.len());
}

#[test]
fn nothing_is_made_where_something_is() {
    let h = 0.02;
    let mut world = empty_world(Dimension::Two, h);
    let lid = vec![DVec3::new(0.3 * h, 0.0, 0.0)];
    world.add_solid(Solid::fixed("lid", lid, 0.5 * h));
    world.gravity = DVec3::ZERO;
    world.emitters.push(emitter(Dimension::Two, h, 3, Pose::IDENTITY, 1.0));
    let report = world.step(1e-3).unwrap();
    assert_eq!((report.flow.emitted, report.flow.blocked), (2, 1));
}

#[test]
fn a_sink_empties_a_tank() {
    let h = 0.02;
    let mut world = World::new(Dimension::Two, h);
    for (k, density) in [1000.0, 800.0].into_iter().enumerate() {
        let corner = DVec3::new(0.0, k as f64 * 10.0 * h, 0.0);
        let points = lattice(Dimension::Two, corner, [20, 10, 1], h);
        world.add_fluid("layer", density, Viscosity::default(), &points, |_| DVec3::ZERO);
    }
    let walls = tank(Dimension::Two, DVec3::ZERO, [20, 30, 1], h);
    let wall_count = walls.len();
    world.add_solid(Solid::fixed("tank", walls, 0.5 * h));
    world.sinks.push(Sink {
        name: "drain".to_owned(),
        pose: Pose { translation: DVec3::new(0.2, 0.0, 0.0), ..Pose::IDENTITY },
        half_size: DVec3::new(0.3, 1.5 * h, 1.0),
        outside: false,
        start: 0.05,
        end: f64::INFINITY,
        removed: 0,
    });
    let mut removed = 0;
    while world.clock.time < 1.5 {
        removed += world.step(1.5).unwrap().flow.removed;
        if world.clock.time < 0.05 {
            assert_eq!(removed, 0);
        }
    }
    assert_eq!((removed, world.sinks[0].removed, world.fluid_count()), (400, 400, 0));
    assert_eq!(world.solids[0].range, 0..wall_count);
    assert_eq!(world.particles.len(), wall_count);
}

/// Drops on either side of the edge of a floor: one lies there, the other falls and leaves the
/// scene.
#[test]
fn fluid_that_leaves_the_scene_is_removed() {
    let h = 0.02;
    let mut world = World::new(Dimension::Two, h);
    let drops = [DVec3::new(0.1, 0.1, 0.0), DVec3::new(0.5, 0.1, 0.0)];
    world.add_fluid("water", 1000.0, Viscosity::default(), &drops, |_| DVec3::ZERO);
    let floor: Vec<DVec3> = (0..11).map(|k| DVec3::new(h * f64::from(k), 0.0, 0.0)).collect();
    world.add_solid(Solid::fixed("floor", floor, 0.0));
    world.sinks.push(Sink {
        name: "beyond".to_owned(),
        pose: Pose::IDENTITY,
        half_size: DVec3::new(1.0, 0.5, 1.0),
        outside: true,
        start: 0.0,
        end: f64::INFINITY,
        removed: 0,
    });
    let fall = (2.0 * 0.6 / 9.81f64).sqrt(); // from 0.1 m above to 0.5 m below
    while world.clock.time < 0.5 {
        world.step(0.5).unwrap();
        let left = if world.clock.time > fall + 0.01 { 1 } else { 2 };
        assert!((world.clock.time - fall).abs() < 0.01 || world.fluid_count() == left);
    }
    assert_eq!((world.sinks[0].removed, world.fluid_count()), (1, 1));
    assert!(world.particles.position[0].x < 0.3);
}

#[test]
fn a_copy_of_the_world_goes_on_with_the_same_particles() {
    let h = 0.02;
    let mut world = dam_break(Dimension::Two, DVec3::ZERO, h, [10, 10, 1], [30, 60, 1]);
    let pose = Pose { translation: DVec3::new(0.1, 0.6, 0.0), ..Pose::IDENTITY };
    world.emitters.push(emitter(Dimension::Two, h, 4, pose, 1.0));
    run_until(&mut world, 0.21);
    let mut copy = world.clone();
    run_until(&mut world, 0.4);
    run_until(&mut copy, 0.4);
    assert_eq!(world.particles, copy.particles);
    assert_eq!(
        world.solids[0].range,
        100 + world.emitters[0].emitted as usize..world.particles.len()
    );
}
