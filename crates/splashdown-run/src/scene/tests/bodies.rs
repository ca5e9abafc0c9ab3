//! Rigid bodies in scenes.

use super::*;
use crate::body::{CouplingMethod, CouplingSolver};
use crate::math::{DVec3, Dimension};

const HEAD: &str = "[simulation]\nspacing = 0.1\n";

fn build(text: &str) -> Built {
    match parse(text).and_then(|scene| scene.build()) {
        Ok(built) => built,
        Err(errors) => panic!("{text}\n{errors}"),
    }
}

fn body(lines: &str) -> String {
    format!("{HEAD}[[solid]]\nname = \"b\"\nshape.box.size = [1, 0.6, 0.8]\n{lines}\n")
}

/// All errors, whether found when reading or when building.
fn errors(text: &str) -> String {
    parse(text).and_then(|scene| scene.build()).expect_err(text).to_string()
}

#[test]
fn a_density_makes_a_rigid_body_about_its_centre_of_mass() {
    let text = format!(
        "{HEAD}[[solid]]\nname = \"c\"\nshape.cone = {{ radius = 0.5, height = 0.8 }}\nat = [1, 2, \
         3]\n\
         rotate = {{ axis = [1, 0, 0], angle = 90 }}\ndensity = 500\nvelocity = [1, 0, 0]\n\
         spin = [0, 0, 180]\nlock = [\"y\", \"rotate_x\"]\nforce = [0, \"2*t\", 0]\nfriction = \
         0.3\n\
         motor = {{ axis = [0, 1, 0], speed = \"90*t\", torque_limit = 2 }}\n"
    );
    let world = build(&text).world;
    let solid = &world.solids[0];
    let body = solid.body().unwrap();
    let mass = 500.0 * std::f64::consts::PI * 0.25 * 0.8 / 3.0;
    assert!((body.mass / mass - 1.0).abs() < 1e-9);
    // A quarter of the height above the base, which the rotation turned towards z.
    assert!((solid.pose.translation - DVec3::new(1.0, 2.0, 3.2)).length() < 1e-9);
    assert_eq!(solid.pose, solid.placement);
    let highest = solid.surface.vertices.iter().map(|v| v.y).fold(0.0, f64::max);
    assert!((highest - 0.6).abs() < 1e-9, "the tip in the body's frame: {highest}");
    let spin = body.angular_velocity(solid.pose.rotation);
    assert!((spin - DVec3::Z * std::f64::consts::PI).length() < 1e-9);
    assert_eq!(body.velocity, DVec3::X);
    assert_eq!(body.locks.translation, [false, true, false]);
    assert_eq!(body.locks.rotation, [true, false, false]);
    assert_eq!(body.force[1].at(3.0), 6.0);
    let motor = body.motor.as_ref().unwrap();
    assert!((motor.speed.at(2.0) - std::f64::consts::PI).abs() < 1e-12);
    assert_eq!(solid.friction, 0.3);
}

#[test]
fn a_mass_or_an_inertia_may_be_given() {
    let of = |lines: &str| build(&body(lines)).world.solids[0].body().cloned().unwrap();
    assert_eq!(of("mass = 3").mass, 3.0);
    let from_shape = of("mass = 3").inertia.x_axis.x;
    assert!((from_shape / (3.0 * (0.36 + 0.64) / 12.0) - 1.0).abs() < 1e-6);
    let given = of("mass = 3\ninertia = [1, 2, 3, 0.1, 0.2, 0.3]").inertia;
    assert!((given.z_axis - DVec3::new(0.2, 0.3, 3.0)).length() < 1e-6);
    let sheet = format!(
        "{HEAD}[[solid]]\nname = \"s\"\nshape.plane.size = 2\ndensity = 100\nthickness = 0.01\n"
    );
    assert!((build(&sheet).world.solids[0].body().unwrap().mass - 4.0).abs() < 1e-9);
}

#[test]
fn two_dimensional_bodies_turn_about_z_only() {
    let text = "[simulation]\ndimension = 2\nspacing = 0.05\n[[solid]]\nname = \"d\"\n\
                shape.sphere.radius = 0.5\ndensity = 100\nspin = [0, 0, 90]\ntorque = [0, 0, \
                \"t\"]\n";
    let world = build(text).world;
    assert_eq!(world.dimension, Dimension::Two);
    let body = world.solids[0].body().unwrap();
    let mass = 100.0 * std::f64::consts::PI * 0.25;
    assert!((body.mass / mass - 1.0).abs() < 1e-9);
    assert!((body.inertia.z_axis.z / (mass * 0.125) - 1.0).abs() < 1e-6);
    assert_eq!(
        (body.locks.translation, body.locks.rotation),
        ([false, false, true], [true, true, false])
    );
    assert_eq!(body.torque[2].at(2.0), 2.0);
}

#[test]
fn mistakes_about_bodies_are_named() {
    let table = [
        (body("density = 1\nmass = 1"), "solid[0].mass: is given by density already"),
        (body("velocity = [1, 0, 0]"), "solid[0].velocity: needs a rigid body (give it a density"),
        (body("spin = [1, 0, 0]\nmotion.constant = {}"), "solid[0].spin: needs a rigid body"),
        (body("density = 1\nmotion.constant = {}"), "moves by the forces on it"),
        (body("density = 0"), "solid[0].density: 0 is out of range (must be above 0 kg/m³)"),
        (body("mass = 1\ninertia = [1, 2]"), "has 2 numbers (three or six numbers)"),
        (body("mass = 1\ninertia = [1, 1, 1, 2, 0, 0]"), "is not positive"),
        (body("mass = 1\nlock = [\"rotat_x\"]"), "did you mean \"rotate_x\"?"),
        (body("mass = 1\nforce = [0, \"1/t\", 0]"), "is inf at t = 0 s"),
        (body("mass = 1\ntorque = [0, 0]"), "solid[0].torque: has 2 components"),
        (body("mass = 1\nmotor = { speed = 1 }"), "solid[0].motor.torque_limit: is missing"),
        (
            body("mass = 1\nmotor = { speed = 1, torque_limit = 1, axis = [0, 0, 0] }"),
            "must not be zero",
        ),
        (body("mass = 1\nthickness = 0.1"), "solid[0].thickness: has no meaning here"),
        (body("mass = 1\nfriction = -1"), "must be between 0 and 10"),
        (
            body(
                "mass = 1\ngroup = \"stones\"\n[[friction]]\na = \"b\"\nb = \"stone\"\ncoefficient \
                 = 1",
            ),
            "did you mean `stones`?",
        ),
        (body("mass = 1\n[coupling]\nmethod = \"weka\""), "did you mean \"weak\"?"),
        (
            body("mass = 1\n[coupling]\nmin_iterations = 900"),
            "coupling.max_iterations: 200 is out of range",
        ),
        (
            body("mass = 1\ncopies = [{ count = 100000 }, { count = 100000 }]"),
            "copies: are too many",
        ),
        (
            body(
                "mass = 1\ncopies = [{ count = 2, step = [2, 0, 0] }]\n[[solid]]\nname = \"b-2\"\n\
                 shape.sphere.radius = 1\nat = [9, 9, 9]",
            ),
            "`b-2` is also the name of a copy",
        ),
        (
            format!("{HEAD}[[solid]]\nname = \"s\"\nshape.plane.size = 2\ndensity = 100\n"),
            "solid[0].density: is not enough: the body has a surface but no volume",
        ),
    ];
    for (text, expected) in table {
        let errors = errors(&text);
        assert!(errors.contains(expected), "{expected}\nis not in\n{errors}");
    }
}

#[test]
fn the_coupling_is_as_written_and_as_in_the_world_otherwise() {
    let mut plain = build(&body("mass = 1")).world;
    assert_eq!(plain.method.particles().coupling, Default::default());
    let text = body(
        "mass = 1\n[coupling]\nmethod = \"interlinked\"\nsolver = \"jacobi\"\ncontact_error = \
         1e-3\n\
         min_iterations = 3\nmax_iterations = 30\nwarm_start = 0.5",
    );
    let coupling = build(&text).world.method.particles().coupling;
    assert_eq!(coupling.method, CouplingMethod::Interlinked);
    assert_eq!(coupling.solver, CouplingSolver::Jacobi);
    assert_eq!((coupling.min_iterations, coupling.max_iterations), (3, 30));
    assert_eq!((coupling.contact_error, coupling.warm_start), (1e-3, 0.5));
}

#[test]
fn copies_are_bodies_of_their_own_with_names_and_friction() {
    let text = body(
        "mass = 1\ngroup = \"stones\"\n\
         copies = [{ count = 3, step = [2, 0, 0] }, { count = 2, step = [0, 1, 0] }]\n\
         [[solid]]\nname = \"floor\"\nshape.plane.size = 20\nat = [0, -1, 0]\nfriction = 0.2\n\
         [[friction]]\na = \"stones\"\nb = \"stones\"\ncoefficient = 0.9",
    );
    let world = build(&text).world;
    let names: Vec<&str> = world.solids.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["b-1", "b-2", "b-3", "b-4", "b-5", "b-6", "floor"]);
    assert_eq!(world.solids[5].pose.translation, DVec3::new(4.0, 1.0, 0.0));
    assert_eq!(world.solids[5].range.len(), world.solids[0].range.len());
    assert_eq!(world.friction_between(0, 5), 0.9);
    assert!((world.friction_between(3, 6) - (0.5f64 * 0.2).sqrt()).abs() < 1e-12);
}

#[test]
fn overlapping_bodies_are_moved_apart_or_refused_by_name() {
    let floor =
        "[[solid]]\nname = \"floor\"\nshape.box = { min = [-5, -1, -5], max = [5, 0, 5] }\n";
    let boxes = "[[solid]]\nname = \"box\"\nshape.box.size = [1, 1, 1]\nat = [0, 0.45, 0]\nmass = \
                 1\n\
                 copies = [{ count = 2, step = [0.9, 0, 0] }]\n";
    let refuse = "[coupling]\noverlap = \"refuse\"\n";
    let text = errors(&format!("{HEAD}{refuse}{floor}{boxes}"));
    assert!(
        text.contains("test.toml:8:1: solid[1]: `box-1` overlaps `box-2` by 1.000e-1 m"),
        "{text}"
    );
    let built = build(&format!("{HEAD}{floor}{boxes}"));
    assert!(
        built.notes.iter().any(|n| n.contains("`box-1` and `box-2` overlapped")),
        "{:?}",
        built.notes
    );
    let world = &built.world;
    let [a, b] = [1, 2].map(|k| world.solids[k].range.clone());
    let position = &world.particles.position;
    let nearest = position[a.clone()]
        .iter()
        .flat_map(|p| position[b.clone()].iter().map(move |q| p.distance(*q)))
        .fold(f64::INFINITY, f64::min);
    assert!((0.09..0.13).contains(&nearest), "{nearest}");
    let lowest = position[a].iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    assert!(lowest + 0.05 > 0.089, "above the floor's samples: {lowest}");
    // Two walls with less room than the body has: no way out.
    let wall = |name: &str, x: f64| {
        format!(
            "[[solid]]\nname = \"{name}\"\nshape.plane = {{ normal = [1, 0, 0], size = 4 }}\nat = \
             [{x}, 0, 0]\n"
        )
    };
    let squeezed = format!(
        "{HEAD}{}{}[[solid]]\nname = \"box\"\nshape.box.size = [1, 1, 1]\nmass = 1\n",
        wall("left", -0.4),
        wall("right", 0.4)
    );
    let text = errors(&squeezed);
    assert!(text.contains("they could not be moved apart"), "{text}");
}

#[test]
fn fluid_is_carved_around_rigid_bodies() {
    let water = "[[fluid]]\nname = \"water\"\n[[fluid.fill]]\nshape.box.size = [2, 2, 2]\n";
    let ball = "[[solid]]\nname = \"ball\"\nshape.sphere.radius = 0.5\ndensity = 100\n";
    let built = build(&format!("{HEAD}{water}{ball}"));
    // No centre of a particle is nearer to the surface than half a spacing, or nearly so.
    let left = |radius: f64| 8000.0 - 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    let count = built.world.fluids[0].range.len() as f64;
    assert!((left(0.56)..left(0.5)).contains(&count), "{count}");
    assert!(built.notes[0].contains("carved away by `ball`"), "{:?}", built.notes);
}
