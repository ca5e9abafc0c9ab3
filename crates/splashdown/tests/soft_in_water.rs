//! Elastic bodies in water: what is given is taken, also by what is light, and what leaves the
//! solver alone changes nothing.

use splashdown::math::DVec3;
use splashdown::world::{TimeStep, World};
use splashdown::{Scene, body::CouplingMethod};

fn world(text: &str) -> World {
    let scene =
        Scene::parse("soft.toml", text, ".", &[]).unwrap_or_else(|errors| panic!("{errors}"));
    scene.build().unwrap_or_else(|errors| panic!("{errors}")).world
}

/// A blob of water on its way to a soft ball, without gravity.
const BLOB: &str = r#"
[simulation]
spacing = 0.02
duration = 1
gravity = [0, 0, 0]

[time_step]
fixed = 0.002

[elastic_solver]
integrator = "implicit_euler"
tolerance = 1e-9
force_tolerance = 1e-9

[[fluid]]
name = "water"
velocity = [1, 0, 0]
[[fluid.fill]]
shape.sphere = { radius = 0.06 }
at = [-0.13, 0.01, 0]

[[elastic]]
name = "ball"
shape.sphere = { radius = 0.05 }
density = 300
youngs_modulus = 2e4
element_size = 0.025
"#;

fn momentum(world: &World) -> [DVec3; 2] {
    let mass = world.particle_mass(0);
    let fluid = world.particles.velocity[..world.fluid_count()].iter();
    [mass * fluid.sum::<DVec3>(), world.elastic.solids.momentum(0)]
}

#[test]
fn water_gives_a_soft_ball_the_momentum_that_it_loses() {
    for solver in ["dfsph", "iisph"] {
        for method in ["monolithic", "weak"] {
            let pressure = format!("[pressure]\nsolver = \"{solver}\"\n");
            let coupling = format!("[coupling]\nmethod = \"{method}\"\n");
            let mut world = world(&format!("{BLOB}{pressure}{coupling}"));
            let [water, ball] = momentum(&world);
            while world.clock.time < 0.06 {
                world.step(1.0).unwrap();
            }
            let [after, taken] = momentum(&world);
            let exchanged = (taken - ball).length();
            assert!(exchanged > 0.05 * water.length(), "they met: {exchanged}");
            let lost = (after + taken - water - ball).length();
            assert!(lost < 1e-4 * exchanged, "{solver}, {method}: {lost} of {exchanged} kg m/s");
        }
    }
}

/// With BDF2 some of an impulse is on its way for a few steps, and none of it gets lost there.
#[test]
fn steps_of_any_length_lose_no_momentum() {
    let text = BLOB.replace("implicit_euler", "bdf2");
    let mut world = world(&text);
    let start: DVec3 = momentum(&world).into_iter().sum();
    let ball = momentum(&world)[1];
    let mut most: f64 = 0.0;
    for k in 0..40 {
        world.time_step = TimeStep::Fixed(1e-3 * [2.0, 1.1, 2.1, 0.6, 1.2][k % 5]);
        world.step(1.0).unwrap();
        let transit = &world.elastic.solids.past.transit;
        let coming = transit.force.first().map_or(DVec3::ZERO, |force| transit.lag * *force);
        let now = momentum(&world).into_iter().sum::<DVec3>() + coming;
        most = most.max((now - start).length());
    }
    let exchanged = (momentum(&world)[1] - ball).length();
    assert!(most < 1e-4 * exchanged, "{most} of {exchanged} kg m/s");
}

/// A tank with a light soft box on the water.
const FLOATS: &str = r#"
[simulation]
spacing = 0.02
duration = 1

[[fluid]]
name = "water"
[[fluid.fill]]
shape.box = { size = [0.24, 0.12, 0.24] }
at = [0.12, 0.06, 0.12]

[[elastic]]
name = "box"
shape.box = { size = [0.1, 0.1, 0.1] }
at = [0.12, 0.13, 0.12]
density = 50
youngs_modulus = 3e4
element_size = 0.05

[[solid]]
name = "tank"
shape.tank = { min = [0, 0, 0], max = [0.24, 0.4, 0.24], open = ["top"] }
"#;

#[test]
fn a_box_of_a_twentieth_of_waters_density_floats_and_stays_slow() {
    let mut world = world(FLOATS);
    let mut fastest: f64 = 0.0;
    while world.clock.time < 0.5 {
        world.step(0.5).unwrap();
        fastest = world.elastic.solids.velocity.iter().map(|v| v.length()).fold(fastest, f64::max);
    }
    let (mass, centre) = world.elastic.solids.centre(0);
    assert!((mass - 0.05).abs() < 1e-9);
    // It lies on the water: five millimetres of it are in there.
    assert!(centre.y > 0.15 && centre.y < 0.18, "{centre}");
    assert!(fastest < 1.5, "{fastest} m/s");
}

#[test]
fn samples_follow_the_mesh_and_come_last() {
    let mut world = world(FLOATS);
    for _ in 0..5 {
        world.step(1.0).unwrap();
    }
    assert_eq!(world.stiff_solids().len() + 1, world.solids.len());
    let (solid, meshes) = (&world.solids[world.solids.len() - 1], &world.elastic.solids);
    assert_eq!(solid.range.end, world.particles.len());
    let samples = solid.deforming().unwrap();
    for (at, x) in
        samples.gather(&meshes.position).zip(&world.particles.position[solid.range.clone()])
    {
        assert_eq!(at, *x);
    }
    assert!(matches!(world.method.particles().coupling.method, CouplingMethod::Monolithic));
}

#[test]
fn what_does_not_work_yet_is_refused_by_name() {
    let refused = |more: &str, changes: &[String]| {
        let text = format!("{FLOATS}{more}");
        let built = Scene::parse("soft.toml", &text, ".", changes).and_then(|scene| scene.build());
        built.map(|_| ()).unwrap_err().to_string()
    };
    let rigid = "[[solid]]\nname = \"stone\"\nshape.sphere = { radius = 0.03 }\ndensity = 500\n\
                 at = [0.05, 0.3, 0.05]\n";
    let message = refused(rigid, &[]);
    assert!(message.contains("elastic") && message.contains("kind = \"rigid\""), "{message}");
    let message = refused("", &["fluid.water.surface.tension=0.07".to_owned()]);
    assert!(message.contains("elastic[0]") && message.contains("tension"), "{message}");
}
