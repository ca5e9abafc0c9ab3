//! A step that cannot be done is undone, tried again with half its length, and in the end
//! explained.

mod common;

use common::dam_break;
use splashdown::error::{Moment, ParticleAt, StepError};
use splashdown::math::{DVec3, Dimension};
use splashdown::world::{TimeStep, World};

fn world() -> World {
    dam_break(Dimension::Two, DVec3::ZERO, 0.02, [10, 20, 1], [40, 30, 1])
}

/// What a failed step must not change, by identity: steps may sort the particles.
fn state(world: &World) -> Vec<(u32, [u64; 6], [u32; 3])> {
    let p = &world.particles;
    let mut state: Vec<_> = (0..p.len())
        .map(|i| {
            let ([a, b, c], [d, e, f]) = (p.position[i].to_array(), p.velocity[i].to_array());
            let scalars = [p.density[i], p.pressure[i], p.divergence_pressure[i]];
            (p.id[i], [a, b, c, d, e, f].map(f64::to_bits), scalars.map(f32::to_bits))
        })
        .collect();
    state.sort_unstable();
    state
}

/// The particle that an error is about, and when it was.
fn failure(error: &StepError) -> (&ParticleAt, Moment) {
    match error {
        StepError::Velocity { particle, when, .. } => (particle, *when),
        StepError::Compressed { particle, when, .. } => (particle, *when),
        _ => panic!("{error}"),
    }
}

#[test]
fn a_step_that_is_too_long_is_retried_at_half_its_length() {
    let mut world = world();
    world.particles.velocity[5] = DVec3::new(10.0, 0.0, 0.0);
    world.time_step = TimeStep::Fixed(0.008); // 4 h in one step
    let report = world.step(f64::INFINITY).unwrap();
    assert!(report.retries >= 2, "{report:?}");
    assert_eq!(report.dt, 0.008 / f64::from(1 << report.retries));
    assert_eq!(world.clock.time, report.dt);
}

#[test]
fn a_hopeless_step_leaves_the_world_as_it_was() {
    let mut world = world();
    world.step(f64::INFINITY).unwrap();
    world.time_step = TimeStep::Fixed(10.0);
    let (before, clock) = (state(&world), world.clock);
    let error = world.step(f64::INFINITY).unwrap_err();
    let (particle, when) = failure(&error);
    assert_eq!((particle.object.as_str(), when.dt), ("water", 10.0 / 32.0));
    assert_eq!((state(&world), world.clock), (before, clock));

    world.time_step = TimeStep::default(); // and goes on from there
    world.step(f64::INFINITY).unwrap();
}

#[test]
fn an_error_names_object_particle_and_time() {
    let mut world = world();
    for _ in 0..10 {
        world.step(f64::INFINITY).unwrap();
    }
    let id = world.particles.id[123];
    world.particles.velocity[123].y = f64::NAN;
    let before = state(&world);
    let error = world.step(f64::INFINITY).unwrap_err();
    let (particle, when) = failure(&error);
    assert_eq!((particle.object.as_str(), particle.id), ("water", id));
    assert_eq!(when.time, world.clock.time);
    let text = error.to_string();
    assert!(
        text.starts_with(&format!("velocity not finite of water particle {id} at position ")),
        "{text}"
    );
    assert_eq!(state(&world), before);
}

#[test]
fn a_particle_that_is_nowhere_is_named() {
    for nowhere in [f64::NAN, f64::INFINITY, 1e12] {
        let mut world = world();
        world.particles.position[77].x = nowhere;
        let before = state(&world);
        let error = world.step(f64::INFINITY).unwrap_err();
        let StepError::Runaway { particle, .. } = &error else { panic!("{error}") };
        assert_eq!(particle.id, 77, "{error}");
        assert_eq!(state(&world), before);
    }
}
