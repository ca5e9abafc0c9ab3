//! Scenes that no sensible person writes, with every method: they go on, or end with an error that
//! names the body. And what is reported about bodies adds up.

use splashdown::math::DVec3;
use splashdown::scene::Scene;
use splashdown::world::{Loads, SolveKind, World};

const METHODS: [&str; 3] = ["weak", "interlinked", "monolithic"];

/// A tank with water up to `level` (none: dry), and what `bodies` says.
fn scene(method: &str, level: Option<f64>, bodies: &str) -> World {
    let water = level.map_or(String::new(), |level| {
        format!(
            "[[fluid]]\nname = \"water\"\n[[fluid.fill]]\n\
             shape.box = {{ min = [0, 0, 0], max = [0.24, {level}, 0.2] }}\n"
        )
    });
    let text = format!(
        "[simulation]\nspacing = 0.02\n[coupling]\nmethod = \"{method}\"\n{water}\
         [[solid]]\nname = \"tank\"\n\
         shape.tank = {{ min = [0, 0, 0], max = [0.24, 0.4, 0.2], open = [\"top\"] }}\n{bodies}"
    );
    match Scene::parse("rough", &text, "", &[]).and_then(|scene| scene.build()) {
        Ok(built) => built.world,
        Err(errors) => panic!("{text}\n{errors}"),
    }
}

fn body(name: &str, shape: &str, height: f64, more: &str) -> String {
    format!("[[solid]]\nname = \"{name}\"\nshape.{shape}\nat = [0.12, {height}, 0.1]\n{more}\n")
}

/// Steps to `until`. Everything stays finite; an error names a body.
fn goes_on_or_names(case: &str, world: &mut World, until: f64) {
    for step in 0.. {
        if world.clock.time >= until {
            return;
        }
        assert!(step < 20_000, "{case}: hangs at {} s", world.clock.time);
        if let Err(error) = world.step(until) {
            let text = error.to_string();
            let bodies = world.solids.iter().filter(|solid| solid.body().is_some());
            assert!(bodies.map(|solid| &solid.name).any(|n| text.contains(n)), "{case}: {text}");
            return;
        }
        let finite = |values: &[DVec3]| values.iter().all(|x| x.is_finite());
        assert!(finite(&world.particles.position) && finite(&world.particles.velocity), "{case}");
        for body in world.solids.iter().filter_map(|solid| solid.body()) {
            assert!(body.velocity.is_finite() && body.angular_momentum.is_finite(), "{case}");
        }
    }
}

#[test]
fn rough_bodies_go_on_or_are_named() {
    let cube = "box.size = [0.08, 0.08, 0.08]";
    let ball = "sphere.radius = 0.04";
    let plate = "plane = { size = 0.1, normal = [1, 2, 0] }";
    let pairs = |a: String, b: String| format!("{a}{b}");
    let cases = [
        // In each other, in the floor, in the water.
        ("overlap", Some(0.12), 0.05, {
            pairs(body("a", cube, 0.02, "density = 800"), body("b", cube, 0.07, "density = 2000"))
        }),
        ("plate without thickness", Some(0.1), 0.1, body("plate", plate, 0.16, "mass = 0.05")),
        ("card", Some(0.1), 0.06, {
            body("card", "box.size = [0.1, 0.0001, 0.1]", 0.12, "density = 1000")
        }),
        ("one particle", Some(0.1), 0.1, {
            let grain = "sphere.radius = 0.01";
            pairs(body("a", grain, 0.12, "density = 9000"), body("b", grain, 0.16, "density = 9"))
        }),
        ("million on one, dry", None, 0.1, {
            pairs(
                body("light", cube, 0.04, "density = 1"),
                body("heavy", cube, 0.121, "density = 1e6"),
            )
        }),
        ("million on one, wet", Some(0.06), 0.02, {
            pairs(
                body("light", cube, 0.04, "density = 1"),
                body("heavy", cube, 0.121, "density = 1e6"),
            )
        }),
        ("millionth of water", Some(0.12), 0.004, body("feather", cube, 0.08, "density = 1e-3")),
        ("million times water", Some(0.08), 0.1, body("lead", cube, 0.14, "density = 1e9")),
        ("100 m/s into water", Some(0.1), 0.004, {
            body("bullet", ball, 0.18, "density = 8000\nvelocity = [0, -100, 0]")
        }),
        ("100 m/s, light, into water", Some(0.1), 0.004, {
            body("bullet", ball, 0.18, "density = 1\nvelocity = [0, -100, 0]")
        }),
        ("100 m/s into a plate", None, 0.01, {
            pairs(
                body("bullet", ball, 0.3, "density = 8000\nvelocity = [0, -100, 0]"),
                body("plate", plate, 0.1, "mass = 0.01"),
            )
        }),
    ];
    for (name, level, until, bodies) in &cases {
        for method in METHODS {
            let mut world = scene(method, *level, bodies);
            goes_on_or_names(&format!("{name}, {method}"), &mut world, *until);
        }
    }
}

#[test]
fn impulses_on_bodies_are_what_changes_their_momentum() {
    // One slides on the floor in water, one falls into it, one rides on that.
    let cube = "box.size = [0.08, 0.06, 0.06]";
    let bodies = [
        body("sunk", cube, 0.031, "density = 3000\nvelocity = [0.3, 0, 0.1]"),
        body("floating", cube, 0.2, "density = 500\nspin = [0, 0, 200]"),
        body("on-top", cube, 0.262, "density = 900\nvelocity = [0.2, -0.5, 0]"),
    ];
    for method in METHODS {
        let mut world = scene(method, Some(0.12), &bodies.concat());
        let (mut touched, mut worst) = (0, [0.0f64; 2]);
        while world.clock.time < 0.12 {
            let before = world.solids.clone();
            let report = world.step(0.12).unwrap();
            touched += report.solve(SolveKind::Contact).active;
            let solids = before.iter().zip(&world.solids);
            for ((before, after), load) in solids.zip(&report.loads.solids) {
                let (Some(old), Some(new)) = (before.body(), after.body()) else { continue };
                let weight = old.mass * report.dt * world.gravity;
                let given = load.pressure + load.viscous + load.contact + load.friction + weight;
                let turned = load.pressure_moment
                    + load.viscous_moment
                    + load.contact_moment
                    + load.friction_moment;
                let change = old.mass * (new.velocity - old.velocity);
                let turn = new.angular_momentum - old.angular_momentum;
                let scale = weight.length() + load.pressure.length() + load.contact.length();
                worst[0] = worst[0].max((change - given).length() / scale);
                worst[1] = worst[1].max((turn - turned).length() / (0.04 * scale));
            }
        }
        println!("{method}: {worst:?}, {touched} contacts");
        assert!(touched > 100, "{method}");
        assert!(worst[0] < 1e-5 && worst[1] < 1e-5, "{method}: {worst:?}");
    }
}

#[test]
fn at_rest_the_reported_forces_are_the_weights() {
    let cube = "box.size = [0.08, 0.08, 0.08]";
    for method in METHODS {
        for (level, density, contact) in [(None, 3000.0, 1.0), (Some(0.14), 500.0, 0.0)] {
            let height = if level.is_some() { 0.139 } else { 0.041 };
            let mut world =
                scene(method, level, &body("box", cube, height, &format!("density = {density}")));
            let mut loads = Loads::default();
            while world.clock.time < 1.0 {
                let measured = world.clock.time >= 0.5;
                let report = world.step(1.0).unwrap();
                if measured {
                    loads.add(&report.loads);
                }
            }
            let weight = density * 0.08f64.powi(3) * 9.81;
            let (tank, load) = (loads.mean(0), loads.mean(1));
            let share = |force: DVec3| force.y / weight;
            let parts = [load.pressure, load.contact, load.friction, load.viscous].map(share);
            println!("{method}, {level:?}: {parts:?}");
            let total: f64 = parts.iter().sum();
            assert!((total - 1.0).abs() < 0.02, "{method}, {level:?}: {parts:?}");
            assert!((parts[1] - contact).abs() < 0.01, "{method}, {level:?}: {parts:?}");
            // What the box stands on feels it.
            assert!((tank.contact + load.contact).length() <= 1e-9 * weight);
        }
    }
}
