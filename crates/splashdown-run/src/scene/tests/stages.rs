//! Every stage of reading and building reports what it finds, all in one go.

use super::*;

/// Writes a scene and looks at it like `splashdown check`.
fn examine(text: &str) -> Result<(Scene, Built), SceneErrors> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("scene.toml");
    std::fs::write(&path, text).unwrap();
    std::fs::write(directory.path().join("open.obj"), "v 0 0 0\nv 1 0 0\nf 1 2 9\n").unwrap();
    let sheet = "v 0 0 0\nv 0.3 0 0\nv 0 0.3 0\nv 0 0 0.3\nf 1 3 2\nf 1 2 4\n";
    std::fs::write(directory.path().join("sheet.obj"), sheet).unwrap();
    Scene::examine(path.to_str().unwrap(), &[], &MemoryLimit::default())
}

/// One mistake for each stage, in an order that is not that of the stages.
const MISTAKES: &str = r#"
simulation.spacing = 0.05

[[solid]]
name = "ball"
shape.sphere.radius = 0.3
density = 500

[[solid]]
name = "post"
shape.box = { size = [0.2, 2, 0.2] }

[coupling]
overlap = "refuse"

[[solid]]
name = "lump"
at = [5, 0, 0]
shape.mesh.file = "open.obj"

[[solid]]
name = "sheet"
at = [9, 0, 0]
shape.plane.size = 1
density = 100

[[fluid]]
name = "water"
density = -1

[[fluid.fill]]
shape.sphere.radius = 0.1
at = [20, 0, 0]
velocity = ["1 / (x - x)", 0, 0]

[[fluid]]
name = "oil"

[[fluid.fill]]
shape.box = { size = [0.1, 0.1, 0.1] }

[[fluid]]
name = "tar"

[[fluid.fill]]
shape.box = { size = [90, 90, 90] }

[[emitter]]
name = "tap"
fluid = "wine"
opening.disc.radius = 0.1
at = [0, 9, 0]
direction = [0, 1, 0]
speed = 1

[output]
colour = true
"#;

#[test]
fn one_mistake_of_every_stage_is_listed_and_all_are_sorted_by_line() {
    let text = examine(MISTAKES).unwrap_err().to_string();
    let lines: Vec<&str> = text.lines().collect();
    let expected = [
        (4, "solid[0]: `ball` overlaps `post`"),
        (19, "solid[2].shape.mesh.file: "),
        (25, "solid[3].density: is not enough"),
        (29, "fluid[0].density: -1 is out of range"),
        (34, "fluid[0].fill[0].velocity"),
        (36, "fluid[1]: not one particle of it is left"),
        (46, "fluid[2].fill[0].shape: makes about 58"),
        (50, "emitter[0].fluid: there is no fluid of this name"),
        (57, "output.colour: unknown key"),
    ];
    assert_eq!(lines.len(), expected.len(), "{text}");
    for (line, (number, message)) in lines.iter().zip(expected) {
        assert!(line.contains(&format!("scene.toml:{number}:")), "{number} is not in {line}");
        assert!(line.contains(message), "{message} is not in {line}");
    }
}

/// Two blocks in each other and in a third, a rod thicker than its segments, an open mesh on a body
/// that is wrong anyway.
const SOFT_MISTAKES: &str = r#"
simulation.spacing = 0.05

[[elastic]]
name = "block"
shape.box = { size = [0.2, 0.2, 0.2] }
youngs_modulus = 1e5
copies = [{ count = 2, step = [0.13, 0.03, 0.02] }]

[[elastic]]
name = "brick"
shape.box = { size = [0.2, 0.2, 0.2] }
at = [0.01, 0.12, 0.03]
youngs_modulus = 1e5

[[elastic]]
name = "rope"
kind = "rod"
points = [[0, 2, 0], [1, 2, 0]]
thickness = 0.1
youngs_modulus = 1e5

[[elastic]]
name = "leaf"
shape.mesh.file = "sheet.obj"
youngs_modulus = -1
"#;

#[test]
fn all_elastic_bodies_that_meet_or_are_too_thick_are_named_in_one_go() {
    let text = examine(SOFT_MISTAKES).unwrap_err().to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    for pair in
        ["block-1 intersects block-2", "block-1 intersects brick", "block-2 intersects brick"]
    {
        let other = pair.split(' ').rev().collect::<Vec<_>>().join(" ");
        assert!(lines[0].contains(pair) || lines[0].contains(&other), "{pair} is not in {text}");
    }
    assert!(lines[0].contains("elastic[0]: at the start, "), "{text}");
    assert!(lines[1].contains("elastic[2].thickness: 0.1 m is no less"), "{text}");
    assert!(lines[2].contains("elastic[3].shape: is not closed"), "{text}");
    assert!(lines[3].contains("elastic[3].youngs_modulus: -1 is out of range"), "{text}");
}

/// Two million pairs of bodies, each with hundreds of pairs of features: not looked at one by one.
#[test]
fn a_crowd_of_copies_in_one_place_is_refused_soon() {
    let copies = "simulation.spacing = 0.1\n[[elastic]]\nname = \"m\"\nyoungs_modulus = 1e6\n\
                  shape.box = { size = [0.2, 0.2, 0.2] }\ncopies = [{ count = 2000 }]\n";
    let text = examine(copies).unwrap_err().to_string();
    assert!(text.contains("at the start, m-1 ") && text.contains("; and others"), "{text}");
    assert!(text.len() < 1000, "{text}");
}

#[test]
fn after_a_slip_of_syntax_the_tables_behind_it_are_still_read() {
    let text = "title = \"a\n[simulation]\nspacing = 0.1\n[[fluid]]\nname = \"w\"\ndensty = 3\n";
    let errors = parse(text).unwrap_err().to_string();
    let lines: Vec<&str> = errors.lines().collect();
    assert_eq!(lines.len(), 2, "{errors}");
    assert!(lines[0].starts_with("test.toml:1:") && lines[0].contains("TOML syntax"), "{errors}");
    assert!(lines[1].contains("6:1: fluid[0].densty: unknown key"), "{errors}");
    // What stands beside the slip is not in its place: nothing is said of it.
    let errors = parse(&GOOD.replace("[[fluid]]", "[[fluid")).unwrap_err().to_string();
    assert_eq!(errors.lines().count(), 1, "{errors}");
}

#[test]
fn without_a_spacing_nothing_is_called_too_small_or_too_many() {
    let text = GOOD.replace("spacing = 0.1", "spacing = -1").replace("[1, 1, 1]", "[1, 1, 0.01]");
    let errors = examine(&text).unwrap_err();
    assert_eq!(errors.errors.len(), 1, "{errors}");
    assert_eq!(errors.errors[0].key, "simulation.spacing");
}

#[test]
fn an_examined_scene_is_built_like_any_other() {
    let (scene, built) = examine(GOOD).unwrap();
    assert_eq!(built.world.particles.len(), scene.build().unwrap().world.particles.len());
    assert!(built.counted.is_empty());
}

#[test]
fn notes_say_more_or_less_in_words_and_not_by_signs() {
    for (size, word) in [("0.46", "more"), ("0.54", "less")] {
        let text = GOOD.replace("[1, 1, 1]", &format!("[{size}, 1, 1]"));
        let notes = examine(&text).unwrap().1.notes.join("\n");
        assert!(notes.contains(&format!("% {word} than the volume of its shape")), "{notes}");
        assert!(!notes.contains('-') && !notes.contains('+'), "{notes}");
    }
}
