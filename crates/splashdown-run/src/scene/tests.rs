//! Reading and building scenes, good and bad.

mod bad;
mod bodies;
mod built;
mod limits;
mod mutated;
mod stages;

use super::*;

const GOOD: &str = r#"
[simulation]
spacing = 0.1

[[fluid]]
name = "water"

[[fluid.fill]]
shape.box = { size = [1, 1, 1] }
"#;

fn parse(text: &str) -> Result<Scene, SceneErrors> {
    Scene::parse("test.toml", text, "", &[])
}

fn with(overrides: &[&str]) -> Result<Scene, SceneErrors> {
    let overrides: Vec<String> = overrides.iter().map(|o| o.to_string()).collect();
    Scene::parse("test.toml", GOOD, "", &overrides)
}

#[test]
fn every_builtin_scene_is_valid_and_introduces_itself() {
    for builtin in gallery::list() {
        if let Err(errors) = Scene::builtin(builtin.name, &[]) {
            panic!("{}:\n{errors}", builtin.name);
        }
        let comments = builtin.text.lines().take_while(|line| line.starts_with('#')).count();
        assert_eq!(comments, 3, "{} opens with three comment lines", builtin.name);
    }
    assert!(gallery::find(gallery::DEFAULT).is_some());
}

#[test]
fn defaults_are_those_of_the_world() {
    let built = parse(GOOD).unwrap().build().unwrap();
    let plain = crate::world::World::new(built.world.dimension, 0.1);
    assert_eq!(built.world.method, plain.method);
    assert_eq!(built.world.time_step, plain.time_step);
    assert_eq!(built.world.gravity, plain.gravity);
}

#[test]
fn overrides_change_set_and_choose() {
    let scene = with(&[
        "fluid.0.density=900",
        "pressure.solver=iisph",
        "fluid.water.viscosity.xsph.strength=0.1",
        "simulation.gravity=[0, 0, -1]",
        "title=Two words",
        "simulation.spacing=0.050_0",
    ])
    .unwrap();
    assert_eq!(scene.file.fluid[0].density, Some(900.0));
    assert_eq!(scene.file.pressure.solver, crate::world::PressureSolver::Iisph);
    assert_eq!(scene.file.simulation.gravity.0, [0.0, 0.0, -1.0]);
    assert_eq!(scene.file.title, "Two words");
    assert!(matches!(scene.file.fluid[0].viscosity, Some(crate::world::Viscosity::Xsph(_))));
    let again = parse(&scene.text).unwrap();
    assert_eq!(again.file, scene.file, "the effective text says the same");
}

#[test]
fn an_override_chooses_another_variant_than_the_file() {
    let text = GOOD.replace("name = \"water\"", "name = \"water\"\nviscosity.xsph = {}");
    let overrides = ["fluid.0.viscosity.laplacian.dynamic=1".to_string()];
    let scene = Scene::parse("test.toml", &text, "", &overrides).unwrap();
    assert!(matches!(scene.file.fluid[0].viscosity, Some(crate::world::Viscosity::Laplacian(_))));
    assert_eq!(parse(&scene.text).unwrap().file, scene.file);
}

#[test]
fn errors_of_overrides_name_the_override() {
    let errors = with(&["fluid.0.densty=3", "fluid.watr.density=1", "x", "title.a=1"]).unwrap_err();
    let text = errors.to_string();
    for expected in [
        "--set fluid.0.densty=3: fluid[0].densty: unknown key (did you mean `density`?)",
        "--set fluid.watr.density=1: `fluid` has no `watr` (did you mean `water`?)",
        "--set x: has no `=` (write path.to.key=value)",
        "--set title.a=1: title: expected a string, found a table",
    ] {
        assert!(text.contains(expected), "{expected}\nis not in\n{text}");
    }
}

#[test]
fn scenes_open_by_name_and_by_path() {
    assert_eq!(Scene::open("dam-break", &[]).unwrap().name, "dam-break");
    let error = Scene::open("dam-brake", &[]).unwrap_err().to_string();
    assert!(error.ends_with("(did you mean dam-break?)"), "{error}");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("my.toml");
    std::fs::write(&path, GOOD).unwrap();
    let scene = Scene::open(path.to_str().unwrap(), &[]).unwrap();
    assert_eq!(scene.directory, directory.path());
    assert!(Scene::open(directory.path().join("no.toml").to_str().unwrap(), &[]).is_err());
    std::fs::write(&path, [0xff, 0xfe]).unwrap();
    let error = Scene::read(&path, &[]).unwrap_err().to_string();
    assert!(error.contains("is not UTF-8 text"), "{error}");
}

/// The iterations that docs/methods/rigid-bodies.md lists are those that a scene takes.
#[test]
fn iterations_are_documented_and_those_that_are_can_be_chosen() {
    let page = include_str!("../../../../docs/methods/rigid-bodies.md");
    let sweeps = page.split("\n## ").find(|section| section.starts_with("Sweeps")).unwrap();
    let name = |line: &'static str| Some(line.strip_prefix("- `")?.split_once('`')?.0);
    let mut documented: Vec<&str> = sweeps.lines().filter_map(name).collect();
    let mut known: Vec<&str> = schema::choices("coupling.solver").iter().map(|w| w.name).collect();
    documented.sort_unstable();
    known.sort_unstable();
    assert_eq!(documented, known);
    let overrides = ["coupling.solver=\"nncg-jacobi\"".to_owned()];
    let mut world = Scene::builtin("rising-sphere", &overrides).unwrap().build().unwrap().world;
    assert_eq!(world.method.particles().coupling.solver, crate::body::CouplingSolver::NncgJacobi);
    world.step(f64::INFINITY).unwrap();
}
