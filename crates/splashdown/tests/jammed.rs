//! Things that touch and cannot move apart: no force comes of it.

use splashdown::math::DVec3;
use splashdown::scene::{Built, Scene};
use splashdown::world::{Load, Loads, World};

const METHODS: [&str; 3] = ["monolithic", "interlinked", "weak"];

/// A body on a floor at y = 0, in both dimensions; `more` describes the body.
fn build(dimension: usize, method: &str, more: &str) -> Result<Built, String> {
    let (min, max) = match dimension {
        2 => ("[-0.6, -0.1]", "[0.6, 0]"),
        _ => ("[-0.6, -0.1, -0.3]", "[0.6, 0, 0.3]"),
    };
    let text = format!(
        "[simulation]\ndimension = {dimension}\nspacing = 0.02\n[coupling]\nmethod = \"{method}\"\n\
         [[solid]]\nname = \"floor\"\nshape.box = {{ min = {min}, max = {max} }}\n\
         [[solid]]\nname = \"paddle\"\n{more}\n"
    );
    let scene = Scene::parse("test", &text, "", &[]);
    scene.and_then(|scene| scene.build()).map_err(|errors| errors.to_string())
}

/// A plate on a motor whose lower edge is at `y`.
fn paddle(dimension: usize, y: f64, lock: &str) -> String {
    let at = 0.15 + y;
    let (size, at) = match dimension {
        2 => ("[0.04, 0.3]".to_owned(), format!("[0, {at}]")),
        _ => ("[0.04, 0.3, 0.2]".to_owned(), format!("[0, {at}, 0]")),
    };
    let motor =
        if lock.contains("rotation") { "" } else { "motor = { speed = 90, torque_limit = 10 }" };
    format!("shape.box.size = {size}\nat = {at}\ndensity = 500\nlock = {lock}\n{motor}")
}

const AXLE: &str = "[\"position\", \"rotate_x\", \"rotate_y\"]";

/// The largest mean force of contact and friction on the paddle, N, over frames of 10 ms, and its
/// loads in the last of them.
fn largest_force(world: &mut World, end: f64) -> (f64, Load) {
    let (mut largest, mut load) = (0.0f64, Load::default());
    while world.clock.time < end {
        let frame = world.clock.time + 0.01;
        let mut loads = Loads::default();
        while world.clock.time < frame {
            loads.add(&world.step(frame).unwrap().loads);
        }
        load = loads.mean(1);
        largest = largest.max(load.contact.length() + load.friction.length());
    }
    (largest, load)
}

#[test]
fn a_paddle_on_a_motor_that_touches_the_floor_turns_as_if_there_were_none() {
    for dimension in [2, 3] {
        let weight = 500.0 * 0.04 * 0.3 * 9.81 * if dimension == 2 { 1.0 } else { 0.2 };
        for method in METHODS {
            for y in [0.0, -1e-3] {
                let mut built = build(dimension, method, &paddle(dimension, y, AXLE)).unwrap();
                let note = built.notes.iter().find(|note| note.contains("cannot move apart"));
                let note = note.expect("a note that names both");
                assert!(note.contains("`floor` and `paddle`"), "{note}");
                let world = &mut built.world;
                assert_eq!(largest_force(world, 0.04).0, 0.0, "{dimension}D {method} {y}");
                // Its edge passes below the axle and is pushed on, out of the floor.
                let (force, _) = largest_force(world, 0.3);
                assert!(force < 10.0 * weight, "{dimension}D {method} {y}: {force} N");
                let [_, turning] = world.solids[1].velocity(0.0);
                assert!((turning.z.to_degrees() / 90.0 - 1.0).abs() < 0.01, "{turning}");
            }
        }
    }
}

#[test]
fn a_body_that_is_held_altogether_feels_nothing() {
    for dimension in [2, 3] {
        for y in [0.0, -1e-3] {
            let held = paddle(dimension, y, "[\"position\", \"rotation\"]");
            let mut built = build(dimension, "monolithic", &held).unwrap();
            assert!(built.notes.iter().any(|note| note.contains("cannot move apart")));
            assert_eq!(largest_force(&mut built.world, 0.05).0, 0.0);
        }
    }
}

#[test]
fn what_can_only_slide_slides_without_friction_or_force() {
    for (dimension, lock) in [(2, "[\"y\", \"rotation\"]"), (3, "[\"y\", \"rotation\"]")] {
        for method in METHODS {
            let text = paddle(dimension, -1e-3, lock) + "\nvelocity = [0.5, 0, 0]\n";
            let world = &mut build(dimension, method, &text).unwrap().world;
            let (force, _) = largest_force(world, 0.1);
            assert!(force < 1e-9, "{dimension}D {method}: {force} N");
            let velocity = world.solids[1].body().unwrap().velocity;
            assert!((velocity - DVec3::new(0.5, 0.0, 0.0)).length() < 1e-9, "{velocity}");
        }
    }
}

#[test]
fn deeper_than_a_tenth_of_a_spacing_is_an_error_that_names_both() {
    for dimension in [2, 3] {
        let text = build(dimension, "monolithic", &paddle(dimension, -5e-3, AXLE)).unwrap_err();
        for part in
            ["solid[1]", "`paddle` overlaps `floor` by 5.0", "e-3 m at [", "locks hold them"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}

/// What is driven against something is stopped by it, and presses as hard as its motor.
#[test]
fn a_paddle_that_a_motor_turns_into_a_wall_presses_with_its_torque() {
    for dimension in [2, 3] {
        for method in METHODS {
            let (size, at) = match dimension {
                2 => ("[0.04, 0.08]", "[0.08, 0.29]"),
                _ => ("[0.04, 0.08, 0.2]", "[0.08, 0.29, 0]"),
            };
            let stop = format!("[[solid]]\nname = \"stop\"\nshape.box.size = {size}\nat = {at}\n");
            let text = format!("{}\n{stop}", paddle(dimension, 0.25, AXLE));
            let text = text.replace("torque_limit = 10", "torque_limit = 1");
            let world = &mut build(dimension, method, &text).unwrap().world;
            let (largest, load) = largest_force(world, 0.6);
            assert!(largest < 1e4, "{dimension}D {method}: {largest} N");
            let torque = load.contact_moment.z + load.friction_moment.z;
            assert!((torque + 1.0).abs() < 0.1, "{dimension}D {method}: {torque} N m");
        }
    }
}

#[test]
fn a_free_body_still_rests_on_the_floor_with_its_weight() {
    let text = paddle(2, 0.0, "[\"x\", \"rotation\"]");
    let world = &mut build(2, "monolithic", &text).unwrap().world;
    assert!(build(2, "monolithic", &text).unwrap().notes.is_empty());
    let (_, load) = largest_force(world, 0.3);
    let weight = 500.0 * 0.04 * 0.3 * 9.81;
    let force = load.contact.y;
    assert!((force / weight - 1.0).abs() < 0.05, "{force} N instead of {weight} N");
}
