//! What leaves the tank does not ruin the run.

use splashdown::math::DVec3;
use splashdown::scene::Scene;
use splashdown::world::{StepReport, World};

/// Water in a tank, and what else is written.
fn scene(more: &str, overrides: &[&str]) -> World {
    let text = format!(
        "[simulation]\ndimension = 2\nspacing = 0.04\nduration = 5\n\
         [[solid]]\nname = \"tank\"\n\
         shape.tank = {{ min = [0, 0], max = [1, 0.6], open = [\"top\"] }}\n{more}\n\
         [[fluid]]\nname = \"water\"\n\
         [[fluid.fill]]\nshape.box = {{ min = [0, 0], max = [0.4, 0.32] }}\n"
    );
    let overrides: Vec<String> = overrides.iter().map(|&set| set.to_owned()).collect();
    Scene::parse("test", &text, "", &overrides).unwrap().build().unwrap().world
}

/// The same with a few drops beside the tank, `apart` from each other, and one that flies away.
fn with_strays(apart: f64, overrides: &[&str]) -> World {
    let drop = |x: f64| {
        let max = [x + 0.04, 0.44];
        format!("[[fluid.fill]]\nshape.box = {{ min = [{x}, 0.4], max = {max:?} }}\n")
    };
    let drops = [1.4, 1.4 + apart, 1.4 + 2.0 * apart].map(drop).concat();
    let flying = "[[fluid.fill]]\nshape.box = { min = [1.2, 0.4], max = [1.24, 0.44] }\n\
                  velocity = [3, 3]\n";
    let mist = format!("[[fluid]]\nname = \"mist\"\n{drops}{flying}");
    scene(&mist, overrides)
}

fn run(world: &mut World, end: f64) -> Vec<StepReport> {
    let mut reports = Vec::new();
    while world.clock.time < end {
        reports.push(world.step(end).unwrap());
    }
    reports
}

#[test]
fn drops_that_miss_the_tank_do_not_shorten_steps_and_are_counted_when_they_are_gone() {
    let end = 3.0;
    let alone = run(&mut scene("", &[]), end);
    for apart in [0.04, 0.06, 0.2] {
        let mut world = with_strays(apart, &[]);
        let with_drops = run(&mut world, end);
        let ratio = with_drops.len() as f64 / alone.len() as f64;
        assert!((0.9..1.1).contains(&ratio), "{apart}: {ratio} times as many steps");
        let lost: u64 = with_drops.iter().map(|report| report.flow.lost).sum();
        assert_eq!((lost, world.lost), (4, 4));
        assert_eq!(world.fluid_count(), scene("", &[]).fluid_count());
    }
}

#[test]
fn a_fixed_step_bears_what_falls_for_ever() {
    let mut world = with_strays(0.2, &["time_step.fixed=0.002"]);
    let reports = run(&mut world, 2.5);
    assert_eq!(reports.iter().map(|report| report.retries).sum::<u32>(), 0);
    assert_eq!(world.lost, 4);
}

#[test]
fn what_flies_alone_flies_along_its_parabola() {
    let mut world = with_strays(0.2, &["time_step.fixed=0.002"]);
    let (id, start) = (world.particles.id[0], world.particles.position[0]);
    let (time, steps) = (1.2, 600.0);
    run(&mut world, time);
    let k = world.particles.id.iter().position(|&other| other == id).unwrap();
    let fall = start.y - world.particles.position[k].y;
    // Of steps v ← v + Δt g, x ← x + Δt v.
    let exact = 0.5 * 9.81 * time * time * (1.0 + 1.0 / steps);
    assert!((fall / exact - 1.0).abs() < 1e-9, "{fall} m instead of {exact} m");
    assert_eq!(world.particles.position[k].x, start.x);
}

#[test]
fn threads_and_resuming_change_nothing_about_strays() {
    let state = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut world = with_strays(0.06, &[]);
        pool.install(|| run(&mut world, 2.0));
        world.export_state()
    };
    let whole = state(1);
    assert_eq!(whole, state(3));
    let mut first = with_strays(0.06, &[]);
    while first.clock.time < 1.0 {
        first.step(2.0).unwrap();
    }
    let mut second = with_strays(0.06, &[]);
    second.import_state(&first.export_state()).unwrap();
    run(&mut second, 2.0);
    assert_eq!(second.export_state(), whole);
    assert!(second.lost > 0);
}

#[test]
fn a_body_that_falls_off_the_table_limits_no_step_and_stays_where_it_leaves() {
    let stone = "[[solid]]\nname = \"stone\"\nshape.box.size = [0.2, 0.2]\nat = [1.5, 0.3]\n\
                 density = 2000\nspin = [0, 0, 400]\n";
    let bounds = "simulation.bounds={ min = [-2, -8], max = [4, 3] }";
    for fixed in [&[bounds][..], &[bounds, "time_step.fixed=0.002"]] {
        // Bodies change what pressure walls show: compare with one that stays.
        let held = stone.replace("spin = [0, 0, 400]", "lock = [\"position\", \"rotation\"]");
        let alone = run(&mut scene(&held, fixed), 2.5);
        let mut world = scene(stone, fixed);
        let reports = run(&mut world, 2.5);
        let ratio = reports.len() as f64 / alone.len() as f64;
        assert!((0.9..1.1).contains(&ratio), "{ratio} times as many steps");
        assert_eq!(reports.iter().map(|report| report.retries).sum::<u32>(), 0);
        let solid = &world.solids[1];
        let body = solid.body().unwrap();
        assert!(body.left && body.velocity == DVec3::ZERO);
        assert!((-8.2..-8.0).contains(&solid.pose.translation.y), "{}", solid.pose.translation);
    }
}

#[test]
fn what_is_out_of_control_is_an_error_wherever_it_is() {
    for bad in [1e30, f64::NAN, f64::INFINITY] {
        let mut world = with_strays(0.2, &[]);
        run(&mut world, 0.8);
        let fluid = world.fluids[0].range.clone();
        world.particles.velocity[fluid.start].x = bad; // of one that flies alone
        assert!(world.step(1.0).is_err(), "{bad}");
        let mut world = with_strays(0.2, &[]);
        run(&mut world, 0.8);
        let fluid = world.fluids[1].range.clone();
        world.particles.position[fluid.start].x = bad;
        let error = world.step(1.0).unwrap_err();
        assert!(error.to_string().contains("runaway position of water"), "{bad}: {error}");
    }
}

#[test]
fn a_fountain_falls_back_into_its_basin() {
    let text = "[simulation]\ndimension = 2\nspacing = 0.04\nduration = 3\n\
                [[fluid]]\nname = \"water\"\n\
                [[emitter]]\nname = \"jet\"\nfluid = \"water\"\nopening.box.width = 0.12\n\
                at = [0, 0.1]\ndirection = [0, 1]\nspeed = 8\nend = 0.1\n\
                [[solid]]\nname = \"basin\"\n\
                shape.tank = { min = [-0.6, 0], max = [0.6, 0.2], open = [\"top\"] }\n";
    let mut world = Scene::parse("test", text, "", &[]).unwrap().build().unwrap().world;
    let mut highest = 0.0f64;
    while world.clock.time < 1.5 {
        world.step(1.5).unwrap();
        let n = world.fluid_count();
        highest = world.particles.position[..n].iter().map(|p| p.y).fold(highest, f64::max);
    }
    assert!(highest > 2.5, "{highest} m"); // v²/2g = 3.3 m
    assert_eq!(world.lost, 0);
}

#[test]
fn bounds_are_as_written_and_what_cannot_be_meant_is_refused() {
    let mut world = with_strays(0.2, &["simulation.bounds={ min = [-1, -1], max = [3, 2] }"]);
    run(&mut world, 0.56);
    assert_eq!(world.lost, 3, "one is still in the air");
    let errors = |bounds: &str| {
        let text = "[simulation]\ndimension = 2\nspacing = 0.04\n[[fluid]]\nname = \"water\"\n\
                    [[fluid.fill]]\nshape.box = { min = [0, 0], max = [0.4, 0.32] }\n";
        let overrides = [format!("simulation.bounds={bounds}")];
        let scene = Scene::parse("test", text, "", &overrides);
        scene.and_then(|scene| scene.build()).map(|_| ()).unwrap_err().to_string()
    };
    for (bounds, expected) in [
        ("{ min = [0, 0], max = [0, 1] }", "`max` must be above `min` along x"),
        ("{ min = [0, 0], max = [0.2, 1] }", "`water` begins outside of it"),
        ("{ min = [0, -1e9], max = [1, 1] }", "m long (at most 80000 m"),
        ("{ min = [0, 0] }", "simulation.bounds.max"),
        ("{ min = [0, 0], max = [1, 1], mode = 1 }", "unknown key"),
    ] {
        let text = errors(bounds);
        assert!(text.contains(expected) && text.contains("simulation.bounds"), "{text}");
    }
}
