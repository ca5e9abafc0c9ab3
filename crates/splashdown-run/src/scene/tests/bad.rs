//! Bad scenes: every fault is found, with its place, key and help.

use super::*;

/// The scene with one line added to its fluid.
fn in_fluid(line: &str) -> String {
    GOOD.replace("name = \"water\"", &format!("name = \"water\"\n{line}"))
}

#[test]
fn every_fault_has_its_place_key_and_help() {
    let after = |lines: &str| format!("{GOOD}{lines}");
    // (scene, line, column, key, part of the rest)
    let table: Vec<(String, usize, usize, &str, &str)> = vec![
        (
            in_fluid("surface.tension = -0.1"),
            7,
            19,
            "fluid[0].surface.tension",
            "-0.1 is out of range (must be at least 0)",
        ),
        (
            in_fluid("surface.liquid = \"watr\""),
            7,
            18,
            "fluid[0].surface.liquid",
            "did you mean \"water\"?",
        ),
        (in_fluid("densty = 9"), 7, 1, "fluid[0].densty", "did you mean `density`?"),
        (
            in_fluid("density = \"9\""),
            7,
            11,
            "fluid[0].density",
            "expected a number, found a string",
        ),
        (
            in_fluid("density = -9"),
            7,
            11,
            "fluid[0].density",
            "-9 is out of range (must be above 0 kg/m³)",
        ),
        (in_fluid("density = inf"), 7, 11, "fluid[0].density", "inf is out of range"),
        (in_fluid("density = 99999999999999999999"), 7, 11, "fluid[0].density", "is out of range"),
        (
            in_fluid("velocity = [0, 0]"),
            7,
            12,
            "fluid[0].velocity",
            "has 2 components in a 3D scene",
        ),
        (in_fluid("velocity = [0]"), 7, 12, "fluid[0].velocity", "has 1 items (must have 2 to 3)"),
        (
            in_fluid("velocity = [0, \"2*yy\", 0]"),
            7,
            19,
            "fluid[0].velocity[1]",
            "did you mean `y`?",
        ),
        (
            in_fluid("viscosity.xsph.strength = 2"),
            7,
            27,
            "fluid[0].viscosity.xsph.strength",
            "between 0 and 1",
        ),
        (
            in_fluid("viscosity = \"xsph\""),
            7,
            13,
            "fluid[0].viscosity",
            "write a table like xsph = { … }",
        ),
        (in_fluid("viscosity.xspf = {}"), 7, 11, "fluid[0].viscosity.xspf", "did you mean `xsph`?"),
        (
            in_fluid("viscosity = { xsph = {}, none = {} }"),
            7,
            13,
            "fluid[0].viscosity",
            "has several of none, xsph",
        ),
        (
            GOOD.replace("size = [1, 1, 1]", "size = [1, 0, 1]"),
            9,
            22,
            "fluid[0].fill[0].shape.box.size",
            "every component must be above 0 m",
        ),
        (
            GOOD.replace("size = [1, 1, 1]", "min = [0, 0, 0]"),
            9,
            13,
            "fluid[0].fill[0].shape.box",
            "has min, but neither max nor size (write size, or min and max, or size and one",
        ),
        (
            GOOD.replace("[1, 1, 1]", "[1, 1, 1], min = [0, 0, 0], max = [1, 1, 1]"),
            9,
            13,
            "fluid[0].fill[0].shape.box",
            "has more than it needs",
        ),
        (
            GOOD.replace("[1, 1, 1]", "[1, 1, 0.05]"),
            9,
            1,
            "fluid[0].fill[0].shape",
            "is smaller than one particle (0.05 m)",
        ),
        (
            GOOD.replace("spacing = 0.1", ""),
            2,
            1,
            "simulation.spacing",
            "is missing (a number in m)",
        ),
        (
            GOOD.replace("0.1", "1e-4"),
            9,
            1,
            "fluid[0].fill[0].shape",
            "make it smaller, or simulation.spacing (0.0001 m) larger",
        ),
        (GOOD.replace("0.1", "2021-01-01"), 3, 11, "simulation.spacing", "found a date"),
        (
            after("[[fluid]]\nname = \"water\"\nfill = [{ shape.box.size = [1, 1, 1] }]"),
            11,
            8,
            "fluid[1].name",
            "is also the name of fluid[0]",
        ),
        (after("[[fluid]]\nname = \"oil\""), 10, 1, "fluid[1]", "there is none of it anywhere"),
        (
            after("[[solid]]\nname = \"s\"\nshape.mesh.file = \"no.obj\""),
            12,
            19,
            "solid[0].shape.mesh.file",
            "there is no such file",
        ),
        (
            after("[[solid]]\nname = \"s\"\nshape.sphere.radius = 1\nsurface.contact_angle = 60"),
            13,
            25,
            "solid[0].surface.contact_angle",
            "there is no fluid with a tension (give a fluid surface.tension or surface.liquid)",
        ),
        (
            after("[[solid]]\nname = \"a.b\"\nshape.sphere.radius = 1"),
            11,
            8,
            "solid[0].name",
            "is not usable as a name",
        ),
        (
            after("[[solid]]\nname = \"s\"\nshape.torus = { major = 1, minor = 2 }"),
            12,
            36,
            "solid[0].shape.torus.minor",
            "must be below major",
        ),
        (after("[time_step]\nfixed = -1"), 11, 9, "time_step.fixed", "must be above 0 s"),
        (
            after("[time_step]\nfixed = 0.1\ncfl = 0.4"),
            12,
            7,
            "time_step.cfl",
            "has no meaning with `fixed`",
        ),
        (
            after("[time_step]\nmin = 0.1\nmax = 0.01"),
            12,
            7,
            "time_step.max",
            "must be at least min",
        ),
        (after("[presure]"), 10, 2, "presure", "did you mean `pressure`?"),
        (
            after("[pressure]\nboundary = \"miror\""),
            11,
            12,
            "pressure.boundary",
            "did you mean \"mirrored\"?",
        ),
        (
            after("[pressure]\nmin_iterations = 200"),
            10,
            1,
            "pressure.max_iterations",
            "must be at least min_iterations, 200",
        ),
        (
            after("[output]\nformats = [\"vtk\", \"obj\"]"),
            11,
            19,
            "output.formats[1]",
            "one of \"vtk\", \"bgeo\", \"ply\"",
        ),
        (after("x = [1, 2"), 10, 10, "", "TOML syntax"),
        (after("title = \"é\" é"), 10, 13, "", "TOML syntax"),
    ];
    for (text, line, column, key, rest) in table {
        let errors = parse(&text).expect_err(&text);
        let [error] = errors.errors.as_slice() else { panic!("{text}\ngives several:\n{errors}") };
        assert_eq!((error.line, error.column, error.key.as_str()), (line, column, key), "{errors}");
        assert!(errors.to_string().contains(rest), "{rest}\nis not in\n{errors}");
        assert!(errors.to_string().starts_with(&format!("test.toml:{line}:{column}: ")));
    }
}

#[test]
fn motions_and_emitters_are_checked() {
    let solid = |motion: &str| {
        format!("{GOOD}[[solid]]\nname = \"s\"\nshape.sphere.radius = 1\n{motion}\n")
    };
    let emitter = |line: &str| {
        format!(
            "{GOOD}[[emitter]]\nname = \"e\"\nopening.disc.radius = 0.2\nat = [0, 0, 0]\n{line}\n"
        )
    };
    let table = [
        (
            solid("motion.expressions.angle = \"1/t\""),
            "is inf at t = 0 s (must be finite at all times)",
        ),
        (solid("motion.expressions.position = [\"t\", \"x\", 0]"), "`x` is not a variable"),
        (solid("motion.expressions.axis = [0, 0, 0]"), "must not be zero"),
        (solid("motion.keyframes.frames = []"), "has 0 items"),
        (
            solid("motion.keyframes.frames = [{ time = 1 }, { time = 1 }]"),
            "is not after the keyframe before",
        ),
        (
            solid("motion.keyframes.frames = [{ time = 0 }, { time = 1, rotate.angle = 270 }]"),
            "less than 180",
        ),
        (solid("motion.constant = { start = 2, end = 1 }"), "must be above start, 2 s"),
        (solid("rotate.quaternion = [0, 0, 0, 0]"), "must not be zero"),
        (
            solid("rotate = { axis = [1, 0, 0], quaternion = [0, 0, 0, 1] }"),
            "instead of axis and angle",
        ),
        (solid("at = [1e12, 0, 0]"), "solid[0].at: is too far from the origin"),
        (
            format!(
                "{GOOD}[[fluid]]\nname = \"far\"\n[[fluid.fill]]\n\
                     shape.box = {{ min = [0, 0, 0], max = [1e12, 1, 1] }}\n"
            ),
            "fluid[1].fill[0].shape: is too far from the origin",
        ),
        (emitter("fluid = \"watr\"\ndirection = [1, 0, 0]\nspeed = 1"), "did you mean `water`?"),
        (emitter("fluid = \"water\"\ndirection = [0, 0, 0]\nspeed = 1"), "must not be zero"),
        (
            emitter("fluid = \"water\"\ndirection = [1, 0, 0]\nspeed = \"2*(t\""),
            "expected `)`, found the end",
        ),
        (
            emitter("fluid = \"water\"\ndirection = [1, 0, 0]"),
            "emitter[0].speed: is missing (a number or a string in m/s)",
        ),
    ];
    for (text, rest) in table {
        let errors = parse(&text).expect_err(&text);
        assert_eq!(errors.errors.len(), 1, "{errors}");
        assert!(errors.to_string().contains(rest), "{rest}\nis not in\n{errors}");
    }
}

#[test]
fn all_errors_come_in_one_go() {
    let text = r#"
[simulation]
spaceing = 0.1
[[fluid]]
name = "water"
density = -1
velocity = ["x +", 0, 0]
[[fluid]]
name = "water"
[[fluid.fill]]
shape.ball = { radius = 1 }
[[emitter]]
fluid = "oil"
[output]
formats = "vtk"
"#;
    let errors = parse(text).unwrap_err();
    let keys: Vec<&str> = errors.errors.iter().map(|error| error.key.as_str()).collect();
    for key in [
        "simulation.spaceing",
        "simulation.spacing",
        "fluid[0].density",
        "fluid[0].velocity[0]",
        "fluid[1].name",
        "fluid[1].fill[0].shape.ball",
        "emitter[0].name",
        "emitter[0].fluid",
        "output.formats",
    ] {
        assert!(keys.contains(&key), "{key} is not in\n{errors}");
    }
    assert!(errors.errors.is_sorted_by_key(|error| error.line));
}

#[test]
fn two_dimensional_scenes_stay_in_their_plane() {
    let flat = GOOD.replace("spacing", "dimension = 2\nspacing").replace("[1, 1, 1]", "[1, 1]");
    assert!(parse(&flat).is_ok());
    for line in
        ["at = [0, 0, 1]", "rotate = { axis = [1, 0, 0], angle = 3 }", "velocity = [0, 0, \"x\"]"]
    {
        let errors = parse(&format!("{flat}{line}")).expect_err(line);
        assert_eq!(errors.errors.len(), 1, "{errors}");
    }
    assert!(parse(&format!("{flat}rotate.angle = 30")).is_ok());
}

#[test]
fn an_empty_scene_says_what_it_needs() {
    let errors = parse("").unwrap_err().to_string();
    assert!(errors.contains("simulation: is missing"), "{errors}");
    assert!(errors.contains("fluid: there is no fluid"), "{errors}");
}

#[test]
fn huge_and_deep_input_is_refused_quickly() {
    assert!(parse(&"#".repeat(5 << 20)).is_err());
    assert!(parse(&format!("a = {}", "[".repeat(100_000))).is_err());
    let many: String = (0..20_000).map(|k| format!("key{k} = 1\n")).collect();
    let errors = parse(&many).unwrap_err();
    assert!(errors.errors.len() < 110);
    assert!(errors.to_string().contains("more errors are not shown"));
    let long = format!("{} = 1", "k".repeat(1 << 20));
    assert!(parse(&long).unwrap_err().to_string().len() < 1000);
}

#[test]
fn showers_and_surfaces_are_checked() {
    let shower = |fluid: &str, line: &str| {
        format!(
            "{GOOD}[[shower]]\nname = \"s\"\nfluid = \"{fluid}\"\nradius = 0.2\ndrops_per_second = \
             1\n{line}\n"
        )
    };
    let solid = |tension: &str, line: &str| {
        let good = GOOD.replacen("name = \"water\"", &format!("name = \"water\"\n{tension}"), 1);
        format!("{good}[[solid]]\nname = \"t\"\nshape.tank = {{ size = [2, 2, 2] }}\n{line}\n")
    };
    let tension = "surface.tension = 0.07";
    for (text, message) in [
        (shower("water", ""), "shower[0]: needs to know where drops appear"),
        (
            shower("water", "box = { size = [1, 1, 1] }\nplaces = [[0, 0, 0]]"),
            "either a box or places",
        ),
        (shower("water", "places = [[0, 0]]"), "shower[0].places[0]: has 2 components"),
        (shower("oil", "places = [[0, 0, 0]]"), "shower[0].fluid: there is no fluid of this name"),
        (solid(tension, "surface.contact_angle = 190"), "must be between 0 and 180"),
        (solid(tension, "surface.contact_angle = \"90 + u\""), "solid[0].surface.contact_angle"),
        (solid("", "surface.contact_angle = 60"), "there is no fluid with a tension"),
        (
            format!(
                "[surface]\nmodel = \"he2015\"\n{}",
                solid(tension, "surface.contact_angle = 60")
            ),
            "has no meaning with this surface.model",
        ),
    ] {
        let errors = parse(&text).expect_err(&text).to_string();
        assert!(errors.contains(message), "{message} is not in\n{errors}");
    }
    assert!(parse(&solid(tension, "surface.contact_angle = \"90 + 30*t\"")).is_ok());
    let model =
        format!("[surface]\nmodel = \"pairwise\"\norder = \"after\"\n{}", solid(tension, ""));
    assert!(parse(&model).is_ok());
}
