//! A sheet with water on it is pulled to more than twice its length and back: its samples become
//! finer and coarser again, and nobody can tell whether it was stopped in between.

use splashdown::Scene;
use splashdown::state::Array;
use splashdown::world::World;

const SCENE: &str = r#"
[simulation]
spacing = 0.02
duration = 1

[time_step]
fixed = 0.004

[[fluid]]
name = "water"
[[fluid.fill]]
shape.box = { size = [0.08, 0.06, 0.08] }
at = [0, 0.045, 0]

[[elastic]]
name = "sheet"
kind = "shell"
shape.plane = { size = 0.16 }
thickness = 0.002
density = 1000
youngs_modulus = 1e5
element_size = 0.03

[[elastic.hold]]
box = { min = [-0.09, -0.1, -0.1], max = [-0.07, 0.1, 0.1] }
motion.expressions = { position = ["-0.06 * (1 - cos(2*pi*t/0.2))", 0, 0] }

[[elastic.hold]]
box = { min = [0.07, -0.1, -0.1], max = [0.09, 0.1, 0.1] }
motion.expressions = { position = ["0.06 * (1 - cos(2*pi*t/0.2))", 0, 0] }
"#;
/// In which it is longest.
const HALF: usize = 25;

fn world() -> World {
    let scene = Scene::parse("sheet.toml", SCENE, ".", &[]).unwrap_or_else(|e| panic!("{e}"));
    scene.build().unwrap_or_else(|errors| panic!("{errors}")).world
}

fn run(mut world: World, steps: usize, threads: usize) -> World {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| (0..steps).for_each(|_| drop(world.step(f64::INFINITY).unwrap())));
    world
}

fn samples(world: &World) -> usize {
    world.solids.last().unwrap().range.len()
}

/// What the sheet weighs for the fluid, but for how far it is stretched.
fn weight(world: &World) -> f64 {
    let solid = world.solids.last().unwrap();
    let all = world.particles.weight[solid.range.clone()].iter().zip(&solid.volume_factor);
    all.map(|(weight, factor)| f64::from(weight * factor)).sum()
}

#[test]
fn samples_follow_how_far_a_sheet_is_stretched_with_the_same_bits_across_a_stop() {
    let first = run(world(), 1, 1);
    let longest = run(first.clone(), HALF - 1, 2);
    assert!(samples(&longest) > 2 * samples(&first), "{}", samples(&longest));
    assert!((weight(&longest) / weight(&first) - 1.0).abs() < 0.05, "{}", weight(&longest));
    let end = run(longest.clone(), HALF, 1);
    assert_eq!(samples(&end), samples(&first));
    assert!((weight(&end) / weight(&first) - 1.0).abs() < 1e-6, "{}", weight(&end));

    let state = longest.export_state();
    let mut resumed = world();
    resumed.import_state(&state).unwrap();
    assert!(resumed.export_state() == state);
    assert!(run(resumed, HALF, 8).export_state() == end.export_state());
}

#[test]
fn a_snapshot_with_levels_that_are_not_those_of_the_scene_is_refused() {
    let state = run(world(), HALF, 2).export_state();
    let key = state.arrays.keys().find(|key| key.ends_with(".levels")).unwrap().clone();
    let mut fresh = world();
    let before = fresh.export_state();
    for level in [0, 2, 7, u32::MAX] {
        let mut damaged = state.clone();
        let Some(Array::U32(levels)) = damaged.arrays.get_mut(&key) else { panic!("{key}") };
        levels.fill(level);
        let message = fresh.import_state(&damaged).unwrap_err();
        assert!(message.contains("levels"), "{message}");
        assert!(fresh.export_state() == before);
    }
    fresh.import_state(&state).unwrap();
}
