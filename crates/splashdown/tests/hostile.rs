//! Elastic bodies and fluids that no one would put together: every way to make a step gets through
//! them, or says who is concerned; nothing panics, nothing becomes infinite.

use splashdown::Scene;
use splashdown::world::World;

const WATER: &str = r#"
[[fluid]]
name = "water"
density = FLUID
[[fluid.fill]]
shape.box = { min = [-0.1, 0, -0.1], max = [0.1, 0.06, 0.1] }
[[solid]]
name = "tank"
shape.tank = { min = [-0.1, 0, -0.1], max = [0.1, 0.4, 0.1], open = ["top"] }
"#;

const CUBE: &str = r#"
[[elastic]]
name = "cube"
shape.box = { size = [0.08, 0.08, 0.08] }
element_size = 0.08
at = [PLACE]
density = BODY
youngs_modulus = STIFFNESS
material = "fixed_corotated"
velocity = [0, -1, 0]
"#;

const DROP: &str = r#"
[[fluid]]
name = "drop"
velocity = [0, -2, 0]
[[fluid.fill]]
shape.box = { size = [0.02, 0.02, 0.02] }
at = [0, 0.2, 0]
"#;

const EMITTER: &str = r#"
[[fluid]]
name = "water"
[[emitter]]
name = "tap"
fluid = "water"
opening.disc.radius = 0.03
at = [0, 0.3, 0]
direction = [0, -1, 0]
speed = 1
start = 0.005
"#;

/// What replaces FLUID, BODY, STIFFNESS and PLACE.
fn scene(parts: &[&str], words: [&str; 4]) -> String {
    let text = format!("simulation = {{ spacing = 0.02 }}\n{}", parts.concat());
    let names = ["FLUID", "BODY", "STIFFNESS", "PLACE"];
    names.iter().zip(words).fold(text, |text, (name, word)| text.replace(name, word))
}

const METHODS: [&[&str]; 6] = [
    &["pressure.solver=dfsph"],
    &["pressure.solver=iisph"],
    &["pressure.solver=variational", "fluid_contact.stepper=joint"],
    &["pressure.solver=variational", "fluid_contact.stepper=splitting"],
    &["pressure.solver=variational"],
    &["pressure.solver=variational", "fluid_contact.stepper=contact_proxy_3"],
];

fn is_finite(world: &World) -> bool {
    let solids = &world.elastic.solids;
    let all = [&world.particles.position, &world.particles.velocity];
    all.into_iter().chain([&solids.position, &solids.velocity]).flatten().all(|x| x.is_finite())
}

/// Some steps of a scene by every method.
fn survives(name: &str, text: &str, steps: u32) {
    for method in METHODS {
        let changes: Vec<String> = method.iter().map(|change| change.to_string()).collect();
        let scene = Scene::parse(name, text, ".", &changes);
        let scene = scene.unwrap_or_else(|e| panic!("{name}, {method:?}: {e}"));
        let built = scene.build().unwrap_or_else(|e| panic!("{name}, {method:?}: {e}"));
        let mut world = built.world;
        for _ in 0..steps {
            if let Err(error) = world.step(f64::INFINITY) {
                assert!(error.object().is_some(), "{name}, {method:?}: {error}");
                break;
            }
            assert!(is_finite(&world), "{name}, {method:?}");
        }
    }
}

#[test]
fn bodies_from_jelly_to_steel_and_from_foam_to_osmium_survive() {
    let place = "0, 0.115, 0.003";
    for (name, words) in [
        ("jelly", ["1000", "500", "1e2", place]),
        ("steel", ["1000", "500", "1e11", place]),
        ("foam in mercury", ["20000", "1", "1e5", place]),
        ("stiff foam in mercury", ["20000", "1", "1e11", place]),
        ("osmium in foam", ["1", "20000", "1e5", place]),
        ("heavy jelly", ["1", "20000", "1e2", place]),
    ] {
        survives(name, &scene(&[WATER, CUBE], words), 6);
    }
}

#[test]
fn what_is_alone_or_empty_survives() {
    let usual = |place| ["1000", "500", "1e5", place];
    for (name, parts, place) in [
        ("lone drop", &[DROP, CUBE][..], "0, 0.12, 0"),
        ("drop alone in space", &[DROP, CUBE], "0, 5, 0"),
        ("dry body beside water", &[WATER, CUBE], "0.5, 0.1, 0"),
        ("body without fluid", &[CUBE], "0, 0, 0"),
        ("fluid without body", &[WATER], ""),
        ("fluid that is still to come", &[EMITTER, CUBE], "0, 0.1, 0"),
    ] {
        survives(name, &scene(parts, usual(place)), 5);
    }
}

#[test]
fn steps_of_a_ten_millionth_of_a_second_survive() {
    let text = scene(&[WATER, CUBE], ["1000", "500", "1e5", "0, 0.1001, 0.003"]);
    survives("tiny steps", &format!("time_step = {{ fixed = 1e-7 }}\n{text}"), 5);
}
