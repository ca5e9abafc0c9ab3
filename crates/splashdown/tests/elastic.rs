//! Elastic bodies from scene files: built, stepped, saved, refused.

use splashdown::scene::Scene;
use splashdown::world::World;

const SCENE: &str = r#"
[simulation]
spacing = 0.05
duration = 0.2

[time_step]
fixed = 0.01

[elastic_solver]
verify = true

[[solid]]
name = "floor"
shape.box = { size = [1, 0.1, 1] }
at = [0, -0.05, 0]

[[solid]]
name = "press"
shape.box = { size = [0.3, 0.05, 0.3] }
at = [0, 0.4, 0]
motion.constant = { velocity = [0, -1, 0] }

[[elastic]]
name = "ball"
shape.sphere = { radius = 0.08 }
at = [0.01, 0.09, 0]
youngs_modulus = 2e4

[[elastic]]
name = "cube"
shape.box = { size = [0.1, 0.1, 0.1] }
at = [0.02, 0.25, 0.01]
youngs_modulus = 2e4
"#;

fn build(changes: &[&str]) -> Result<World, String> {
    let changes: Vec<String> = changes.iter().map(|c| c.to_string()).collect();
    let scene = Scene::parse("test.toml", SCENE, "", &changes).map_err(|e| e.to_string())?;
    scene.build().map(|built| built.world).map_err(|e| e.to_string())
}

fn advance(world: &mut World, steps: u32) {
    for _ in 0..steps {
        world.step(1.0).unwrap();
    }
}

#[test]
fn a_press_squeezes_what_lies_on_the_floor_and_a_resumed_run_has_the_same_bits() {
    for integrator in ["implicit_euler", "bdf2"] {
        let change = format!("elastic_solver.integrator={integrator}");
        let mut straight = build(&[&change]).unwrap();
        advance(&mut straight, 12);
        let saved = straight.export_state();
        advance(&mut straight, 6);
        let mut resumed = build(&[&change]).unwrap();
        resumed.import_state(&saved).unwrap();
        advance(&mut resumed, 6);
        assert_eq!(straight.export_state(), resumed.export_state());

        // At 0.18 s the press has come down by 0.18 m onto the cube on the ball.
        let elastic = &straight.elastic;
        let press = elastic.solids.bodies[elastic.obstacles[1]].vertices.clone();
        let bottom = elastic.solids.position[press].iter().map(|p| p.y).fold(1.0, f64::min);
        assert!((bottom - (0.375 - 0.18)).abs() < 1e-4, "{bottom}");
        let top = elastic.solids.position[elastic.solids.bodies[1].vertices.clone()]
            .iter()
            .map(|p| p.y)
            .fold(0.0, f64::max);
        assert!(top < bottom && top > bottom - 0.01, "{top} {bottom}");
        assert!(elastic.energies()[1] > 1e-3);
    }
}

#[test]
fn mistakes_are_named() {
    for (changes, said) in [
        (vec!["elastic.cube.at=[0.02, 0.16, 0.01]"], "ball intersects cube"),
        (vec!["elastic.cube.youngs_modulus=-1"], "elastic[1].youngs_modulus"),
        (vec!["elastic.cube.poissons_ratio=0.5"], "poissons_ratio"),
        (vec!["elastic.cube.element_size=1e-5"], "million elements"),
        (vec!["simulation.dimension=2"], "no elastic bodies in 2D"),
        (vec!["solid.floor.density=100"], "does not yet meet fluids and rigid bodies"),
    ] {
        let error = build(&changes).err().unwrap_or_else(|| panic!("{changes:?} is accepted"));
        assert!(error.contains(said), "{changes:?}: {error}");
    }
}

#[test]
fn a_state_of_another_scene_is_refused() {
    let world = build(&[]).unwrap();
    let mut finer = build(&["elastic.cube.element_size=0.03"]).unwrap();
    let error = finer.import_state(&world.export_state()).unwrap_err();
    assert!(error.contains("elastic."), "{error}");
}
