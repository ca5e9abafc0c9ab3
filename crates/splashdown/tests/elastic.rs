//! Elastic bodies from scene files: built, stepped, saved, refused.

use std::sync::atomic::{AtomicUsize, Ordering};

use splashdown::body::RigidBody;
use splashdown::elastic::physics::solids::{Hold, Solids};
use splashdown::math::Pose;
use splashdown::scene::Scene;
use splashdown::solve::Stop;
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

const KINDS: &str = r#"
[simulation]
spacing = 0.05
duration = 0.2

[time_step]
fixed = 0.01

[elastic_solver]
contact_distance = 0.004
verify = true

[[solid]]
name = "floor"
shape.box = { size = [2, 0.1, 2] }
at = [0, -0.05, 0]

[[elastic]]
name = "cloth"
kind = "shell"
shape.plane = { size = 0.3 }
at = [0, 0.3, 0]
thickness = 0.002
youngs_modulus = 1e5
damping_time = 0.001

[[elastic.hold]]
box = { min = [-0.16, 0.2, -0.16], max = [-0.14, 0.4, 0.16] }

[[elastic]]
name = "rope"
kind = "rod"
points = [[-0.1, 0.4, 0.05], [0.1, 0.4, 0.05]]
thickness = 0.01
youngs_modulus = 1e6

[[elastic]]
name = "die"
kind = "rigid"
shape.box = { size = [0.06, 0.06, 0.06] }
at = [0.05, 0.5, -0.05]
element_size = 0.06
youngs_modulus = 1e7
copies = [{ count = 2, step = [0, 0.1, 0] }]

[[elastic]]
name = "beads"
kind = "particles"
points = [[0.05, 0.06, 0.2], [0.05, 0.09, 0.2]]
at = [0.4, 0, 0]
thickness = 0.02
youngs_modulus = 1e6

[[elastic]]
name = "balloon"
kind = "shell"
shape.sphere = { radius = 0.08 }
at = [-0.5, 0.1, 0]
thickness = 0.002
youngs_modulus = 1e5
pressure = 100

[[elastic]]
name = "sign"
kind = "rigid"
shape.box = { size = [0.1, 0.02, 0.05] }
at = [-0.8, 0.4, 0]
element_size = 0.05
youngs_modulus = 1e7

[[elastic.hold]]
box = { min = [-0.86, 0.38, -0.1], max = [-0.84, 0.395, 0.1] }

[[elastic]]
name = "board"
shape.box = { size = [0.3, 0.02, 0.1] }
at = [0.8, 0.2, 0]
elements = "quadratic"
youngs_modulus = 1e7
damping_time = 0.001

[[elastic.hold]]
box = { min = [0.64, 0.1, -0.1], max = [0.66, 0.3, 0.1] }
"#;

#[test]
fn every_kind_of_body_runs_and_resumes_with_the_same_bits() {
    let build = || {
        let scene = Scene::parse("kinds.toml", KINDS, "", &[]).unwrap();
        scene.build().unwrap_or_else(|e| panic!("{e}")).world
    };
    let mut straight = build();
    assert_eq!(
        straight.elastic.names,
        ["cloth", "rope", "die-1", "die-2", "beads", "balloon", "sign", "board"]
    );
    advance(&mut straight, 8);
    let saved = straight.export_state();
    advance(&mut straight, 6);
    let mut resumed = build();
    resumed.import_state(&saved).unwrap();
    advance(&mut resumed, 6);
    assert_eq!(straight.export_state(), resumed.export_state());
    // The dice have fallen by about g t²/2.
    let solids = &straight.elastic.solids;
    assert!((solids.centre(3).1.y - (0.6 - 0.5 * 9.81 * 0.14 * 0.14)).abs() < 0.02);
    // The sign hangs by its edge, which stays where it is, and swings down.
    let sign = solids.bodies[6].vertices.clone();
    let moved = sign.clone().filter(|&v| solids.hold[v] == Hold::Driven);
    let moved: Vec<f64> = moved.map(|v| solids.position[v].distance(solids.rest[v])).collect();
    assert_eq!(moved.len(), 2);
    assert!(moved.iter().all(|d| *d < 1e-5), "{moved:?}");
    assert!(solids.centre(6).1.y < 0.36, "{}", solids.centre(6).1);
    // The board has swung down, after half a period, by nearly twice 3 q L⁴ / 2 E H² = 30 mm.
    let end = solids.bodies[7].vertices.clone().map(|v| solids.position[v].y).fold(1.0, f64::min);
    assert!((0.19 - end - 0.05).abs() < 0.01, "{end}");
    // Frames show all of them.
    let frame = splashdown::output::frame::Frame::capture(&straight, 0);
    assert!(frame.elastic.iter().all(|d| !d.cells.is_empty() && !d.surface.triangles.is_empty()));
    let board = &frame.elastic[7];
    assert!(board.cells.iter().all(|cell| cell.len() == 10));
    assert_eq!((board.cells.len(), board.stress.len()), (6 * 6 * 2, 6 * 6 * 2));
}

#[test]
fn mistakes_of_kinds_are_named() {
    for (change, said) in [
        ("elastic.cloth.thickness=0.2", "elastic[0].thickness: 0.2 m is no less than its shortest"),
        (
            "elastic.rope.thickness=0.06",
            "elastic[1].thickness: 0.06 m is no less than its shortest",
        ),
        ("elastic.cloth.kind=solid", "thickness: is not for this kind"),
        ("elastic.cloth.pressure=5", "needs a closed surface"),
        ("elastic.cloth.material=fixed_corotated", "material: is not for this kind"),
        ("elastic.rope.points=[]", "needs one shape"),
        ("elastic.rope.elements=quadratic", "elements: is not for this kind"),
        (
            "elastic.die.hold=[{ box = { size = [2, 2, 2] }, axes = [true, false, false] }]",
            "axes: is not for rigid bodies",
        ),
        ("elastic.die.hold=[{ box = { size = [0.01, 0.01, 0.01] } }]", "holds no vertex"),
        ("elastic.die.tetrahedra={ file = \"a.msh\" }", "needs one shape"),
        ("elastic.beads.at=[0, -0.055, 0]", "closer to floor"),
    ] {
        let scene = Scene::parse("kinds.toml", KINDS, "", &[change.to_string()]);
        let error = match scene
            .map_err(|e| e.to_string())
            .and_then(|s| s.build().map_err(|e| e.to_string()))
        {
            Ok(_) => panic!("{change} is accepted"),
            Err(error) => error,
        };
        assert!(error.contains(said), "{change}: {error}");
    }
}

#[test]
fn tetrahedra_come_from_a_gmsh_file() {
    let folder = std::env::temp_dir().join(format!("splashdown-msh-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let msh = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 \
               1\n\
               $EndNodes\n$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n";
    std::fs::write(folder.join("one.msh"), msh).unwrap();
    let scene = r#"
        simulation = { spacing = 0.1, duration = 0.1 }
        [[elastic]]
        name = "one"
        tetrahedra = { file = "one.msh", scale = 0.1 }
        youngs_modulus = 1e5
    "#;
    let build = |text: &str| {
        let scene = Scene::parse("one.toml", text, &folder, &[]).map_err(|e| e.to_string())?;
        scene.build().map(|b| b.world).map_err(|e| e.to_string())
    };
    let world = build(scene).unwrap();
    assert!((world.elastic.solids.centre(0).0 - 1000.0 * 1e-3 / 6.0).abs() < 1e-9);
    std::fs::write(folder.join("one.msh"), msh.replace("1 2 3 4\n$EndEl", "1 2 3 5\n$EndEl"))
        .unwrap();
    let error = build(scene).err().unwrap();
    assert!(error.contains("elastic[0].tetrahedra.file") && error.contains("no node 5"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn mistakes_are_named() {
    for (changes, said) in [
        (vec!["elastic.cube.at=[0.02, 0.16, 0.01]"], "ball intersects cube"),
        (vec!["elastic.cube.youngs_modulus=-1"], "elastic[1].youngs_modulus"),
        (vec!["elastic.cube.poissons_ratio=0.5"], "poissons_ratio"),
        (vec!["elastic.cube.element_size=1e-5"], "million elements"),
        (vec!["simulation.dimension=2"], "no elastic bodies in 2D"),
        (vec!["solid.floor.density=100"], "does not meet rigid bodies"),
    ] {
        let error = build(&changes).err().unwrap_or_else(|| panic!("{changes:?} is accepted"));
        assert!(error.contains(said), "{changes:?}: {error}");
    }
}

/// Whole steps, and what is tried after them, end within seconds.
#[test]
fn a_step_that_cannot_be_done_names_the_body_and_the_reason() {
    let change = "elastic.balloon.pressure=1e12".to_string();
    let scene = Scene::parse("kinds.toml", KINDS, "", &[change]).unwrap();
    let mut world = scene.build().unwrap_or_else(|e| panic!("{e}")).world;
    // Samples of solids are put in another order, whether the step succeeds or not.
    let state = |world: &World| {
        let Solids { position, velocity, past, .. } = &world.elastic.solids;
        (world.clock, position.clone(), velocity.clone(), past.clone())
    };
    let before = state(&world);
    let error = world.step(1.0).unwrap_err().to_string();
    assert!(error.starts_with("elastic body balloon: "), "{error}");
    assert!(!error.contains("particle"), "{error}");
    assert_eq!(state(&world), before);
}

#[test]
fn a_step_that_is_interrupted_leaves_no_trace() {
    let request: &'static AtomicUsize = Box::leak(Box::new(AtomicUsize::new(0)));
    let (mut straight, mut stopped) = (build(&[]).unwrap(), build(&[]).unwrap());
    advance(&mut straight, 3);
    advance(&mut stopped, 2);
    stopped.stop = Stop::at(request);
    request.store(2, Ordering::Relaxed);
    stopped.step(1.0).unwrap_err();
    request.store(0, Ordering::Relaxed);
    stopped.step(1.0).unwrap();
    assert_eq!(straight.export_state(), stopped.export_state());
}

#[test]
fn bodies_that_start_close_together_have_a_shorter_reach_until_they_part() {
    let close = |changes: &[&str]| build(changes).unwrap().elastic.solids.close;
    let apart = ["elastic.ball.at=[0.01, 0.2, 0]", "elastic.cube.at=[0, 0.5, 0]"];
    assert_eq!(close(&apart), []);
    let lower = "elastic.ball.at=[0.01, 0.0801, 0]";
    for told in ["", "elastic_solver.contact_distance=0.003"] {
        let changes: Vec<&str> = [lower, told].into_iter().filter(|c| !c.is_empty()).collect();
        let mut world = build(&changes).unwrap();
        let [found] = world.elastic.solids.close[..] else { panic!("one pair is close") };
        assert!(found.reach < 0.0025, "{found:?}");
        // Upwards.
        let ball = world.elastic.solids.bodies[0].vertices.clone();
        world.elastic.solids.velocity[ball].iter_mut().for_each(|v| v.y = 2.0);
        advance(&mut world, 5);
        let most = world.elastic.settings.gap.reach;
        assert_eq!(world.elastic.solids.close[0].reach, most);
        let mut resumed = build(&changes).unwrap();
        resumed.import_state(&world.export_state()).unwrap();
        assert_eq!(resumed.elastic.solids.close, world.elastic.solids.close);
    }
}

#[test]
fn an_open_mesh_has_no_inside() {
    let folder = std::env::temp_dir().join(format!("splashdown-open-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    std::fs::write(folder.join("open.obj"), format!("{corners}f 1 3 2\nf 1 2 4\nf 1 4 3\n"))
        .unwrap();
    let text = r#"
        simulation = { spacing = 0.1, duration = 0.1 }
        [[elastic]]
        name = "one"
        shape.mesh = { file = "open.obj" }
        youngs_modulus = 1e5
    "#;
    let scene = Scene::parse("one.toml", text, &folder, &[]).map_err(|e| e.to_string());
    let error = scene.and_then(|s| s.build().map_err(|e| e.to_string())).err().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(error.contains("is not closed"), "{error}");
}

#[test]
fn a_state_of_another_scene_is_refused() {
    let world = build(&[]).unwrap();
    let mut finer = build(&["elastic.cube.element_size=0.03"]).unwrap();
    let error = finer.import_state(&world.export_state()).unwrap_err();
    assert!(error.contains("elastic."), "{error}");
}

/// The rigid body of a world that has one.
fn only_body(world: &World) -> (Pose, RigidBody) {
    let mut all = world.rigid_bodies();
    let (name, pose, body) = all.next().unwrap();
    assert!(name == "die" && all.next().is_none(), "one body");
    (pose, body.into_owned())
}

#[test]
fn a_rigid_body_is_described_alike_whichever_solver_moves_it() {
    let thrown = |entry: &str| {
        let text = format!(
            r#"
            simulation = {{ spacing = 0.02, duration = 1 }}
            time_step.fixed = 0.001
            {entry}
            name = "die"
            shape.box.size = [0.2, 0.1, 0.05]
            at = [0.3, 1, 0]
            rotate = {{ axis = [1, 2, 0], angle = 40 }}
            density = 500
            velocity = [1, 2, 0]
            "#
        );
        let scene = Scene::parse("thrown.toml", &text, "", &[]).unwrap();
        let mut world = scene.build().unwrap().world;
        let start = only_body(&world);
        advance(&mut world, 50);
        [start, only_body(&world)]
    };
    let of_particles = thrown("[[solid]]");
    let kind = "kind = \"rigid\"\nelement_size = 0.00625\nyoungs_modulus = 1e8";
    let affine = thrown(&format!("[[elastic]]\n{kind}"));
    for ((pose, body), (other, affine)) in of_particles.iter().zip(&affine) {
        assert!((affine.mass / body.mass - 1.0).abs() < 1e-9, "{} kg", affine.mass);
        assert!(other.translation.distance(pose.translation) < 1e-3, "{}", other.translation);
        // By 2/n² too large, of eight cells in the shortest edge.
        let exact = body.world_inertia(pose.rotation);
        let found = affine.world_inertia(other.rotation);
        let largest = exact.col(0).length().max(exact.col(1).length()).max(exact.col(2).length());
        assert!(found.abs_diff_eq(exact, largest / 32.0), "{found} instead of {exact} kg m²");
        let [momentum, of_affine] = [body, affine].map(|body| body.mass * body.velocity);
        assert!(of_affine.distance(momentum) < 1e-3 * momentum.length(), "{of_affine}");
        assert!(affine.angular_momentum.length() < 1e-6 && affine.motor.is_none());
    }
    let turned =
        [&of_particles, &affine].map(|[start, end]| start.0.rotation.angle_between(end.0.rotation));
    assert!(turned.iter().all(|angle| *angle < 1e-4), "{turned:?}");
}
