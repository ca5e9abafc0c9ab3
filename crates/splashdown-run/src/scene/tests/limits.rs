//! What is too large is refused by key and line, before anything is made of it.

use super::*;

const SOLID: &str = "[[solid]]\nname = \"s\"\nat = [50, 0, 0]\n";
const ELASTIC: &str = "simulation.spacing = 0.1\n[[elastic]]\nname = \"e\"\nyoungs_modulus = 1e5\n";

fn limit(text: &str) -> MemoryLimit {
    text.parse().unwrap()
}

/// The key and line of the only error of a scene, and all of it.
fn refused(text: &str, memory: &str) -> (String, usize, String) {
    let built = parse(text).and_then(|scene| scene.build_within(&limit(memory)));
    let errors = built.expect_err(text);
    assert_eq!(errors.errors.len(), 1, "{text}\n{errors}");
    (errors.errors[0].key.clone(), errors.errors[0].line, errors.to_string())
}

#[test]
fn memory_is_refused_by_key_and_line_for_every_kind_of_object() {
    let solid = |lines: &str| format!("{GOOD}{SOLID}{lines}\n");
    let elastic = |lines: &str| format!("{ELASTIC}{lines}\n");
    let table = [
        (GOOD.replace("[1, 1, 1]", "[9, 9, 9]"), "fluid[0].fill[0].shape", 9),
        (
            GOOD.replace("box = { size = [1, 1, 1] }", "sphere.radius = 5"),
            "fluid[0].fill[0].shape",
            9,
        ),
        (solid("shape.box = { size = [20, 20, 20] }"), "solid[0].shape", 13),
        (solid("shape.plane.size = 50"), "solid[0].shape", 13),
        (solid("shape.capsule = { radius = 0.1, height = 4000 }"), "solid[0].shape", 13),
        (solid("density = 500\nshape.duck.length = 9"), "solid[0].shape", 14),
        (
            solid(
                "shape.sphere.radius = 0.3\ncopies = [{ count = 30, step = [1, 0, 0] }, { count = \
                 30, step = [0, 1, 0] }]",
            ),
            "solid[0].copies",
            14,
        ),
        (elastic("shape.box = { size = [3, 3, 3] }"), "elastic[0].shape", 5),
        (elastic("shape.sphere.radius = 1"), "elastic[0].shape", 5),
        (elastic("kind = \"rigid\"\nshape.sphere.radius = 1"), "elastic[0].shape", 6),
        (
            elastic("kind = \"shell\"\nthickness = 0.01\nshape.plane.size = 10"),
            "elastic[0].shape",
            7,
        ),
        (
            elastic("kind = \"shell\"\nthickness = 0.01\nshape.sphere.radius = 1"),
            "elastic[0].shape",
            7,
        ),
        (
            elastic("kind = \"rod\"\nthickness = 0.01\npoints = [[0, 0, 0], [2000, 0, 0]]"),
            "elastic[0].points",
            7,
        ),
        (
            elastic("kind = \"particles\"\nthickness = 0.01\nshape.box = { size = [3, 3, 3] }"),
            "elastic[0].shape",
            7,
        ),
        (
            elastic(
                "shape.box = { size = [0.3, 0.3, 0.3] }\ncopies = [{ count = 500, step = [1, 0, 0] \
                 }]",
            ),
            "elastic[0].copies",
            6,
        ),
        (
            format!(
                "{GOOD}[[emitter]]\nname = \"e\"\nfluid = \"water\"\nopening.disc.radius = 0.5\nat \
                 = [0, 5, 0]\ndirection = [0, 1, 0]\nspeed = 1e3\n"
            ),
            "emitter[0]",
            10,
        ),
        (
            format!(
                "{GOOD}[[shower]]\nname = \"e\"\nfluid = \"water\"\nradius = 0.5\ndrops_per_second \
                 = 1e3\nbox.size = [1, 1, 1]\n"
            ),
            "shower[0]",
            10,
        ),
    ];
    for (text, key, line) in table {
        let (found, at, all) = refused(&text, "20M");
        assert_eq!((found.as_str(), at), (key, line), "{all}");
        assert!(all.contains("20 MB (--memory 20M)"), "{all}");
        let roomy = parse(&text).and_then(|scene| scene.build_within(&limit("3G")));
        if let Err(errors) = roomy {
            panic!("{text}\n{errors}");
        }
    }
}

#[test]
fn sizes_beyond_all_numbers_are_refused_on_any_machine() {
    for size in ["1e5", "1e30", "1e300"] {
        for shape in
            ["box.size = [S, S, S]", "sphere.radius = S", "torus = { major = S, minor = 1 }"]
        {
            let shape = shape.replace('S', size);
            let fluid = GOOD.replace("box = { size = [1, 1, 1] }", &shape);
            assert!(parse(&fluid).is_err(), "{fluid}");
            assert!(parse(&format!("{GOOD}{SOLID}shape.{shape}\n")).is_err(), "{shape}");
            assert!(parse(&format!("{ELASTIC}shape.{shape}\n")).is_err(), "{shape}");
        }
    }
    let rod =
        format!("{ELASTIC}kind = \"rod\"\nthickness = 0.01\npoints = [[0, 0, 0], [1e30, 0, 0]]\n");
    let error = parse(&rod).unwrap_err().to_string();
    assert!(error.contains("7:22: elastic[0].points[1]: is too far from the origin"), "{error}");
    let long = rod.replace("1e30", "1e6");
    let error = parse(&long).unwrap_err().to_string();
    assert!(
        error.contains("elastic[0].element_size: 0.1 m makes about 10 million elements"),
        "{error}"
    );
    let copies = "shape.sphere.radius = 0.3\ncopies = [{ count = 3, step = [1e30, 0, 0] }]\n";
    let error = parse(&format!("{GOOD}{SOLID}{copies}")).unwrap_err().to_string();
    assert!(error.contains("solid[0].copies: is too far from the origin"), "{error}");
}

#[test]
fn what_fits_is_built_although_something_else_does_not() {
    let text = format!("{GOOD}{SOLID}shape.box = {{ size = [20, 20, 20] }}\n");
    let text =
        format!("{text}[[fluid]]\nname = \"oil\"\n[[fluid.fill]]\nshape.box.size = [9, 9, 9]\n");
    let errors = parse(&text).unwrap().build_within(&limit("20M")).unwrap_err();
    let keys: Vec<&str> = errors.errors.iter().map(|error| error.key.as_str()).collect();
    assert_eq!(keys, ["solid[0].shape", "fluid[1].fill[0].shape"], "{errors}");
}

#[test]
fn a_large_scene_is_counted_for_a_look_and_not_sampled() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("large.toml");
    std::fs::write(&path, GOOD.replace("[1, 1, 1]", "[15, 15, 15]")).unwrap();
    let (_, built) = Scene::examine(path.to_str().unwrap(), &[], &limit("50G")).unwrap();
    assert_eq!(built.world.particles.len(), 0);
    let estimate = estimate::estimate(&built);
    assert!((3_375_000..3_700_000).contains(&estimate.fluid_particles), "{estimate:?}");
    assert!(estimate.memory > 2_000_000_000);
    assert!(built.notes[0].contains("only counted: `water`"), "{:?}", built.notes);
}

#[test]
fn a_box_may_be_given_by_a_corner_and_its_size() {
    let built = |shape: &str| {
        let text = GOOD.replace("{ size = [1, 1, 1] }", shape);
        parse(&text).unwrap().build().unwrap().world.particles.position.clone()
    };
    let corners = built("{ min = [0, 1, 2], max = [1, 2, 3] }");
    assert_eq!(built("{ min = [0, 1, 2], size = [1, 1, 1] }"), corners);
    assert_eq!(built("{ size = [1, 1, 1], max = [1, 2, 3] }"), corners);
}
