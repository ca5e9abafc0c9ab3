//! Reading and building scenes, good and bad.

use proptest::prelude::*;

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
fn every_builtin_scene_is_valid() {
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
fn show_errors() {
    let bad = r#"title = 3
[simulation]
spaceing = 0.1
spacing = -1
gravity = [0, nan, 0]
kernel = "cubc"
[pressure]
warm_start = 2
max_iterations = 1.5
[[fluid]]
name = "water"
densty = 900
viscosity.laplacian = { dynamic = -1 }
velocity = [0, "sinn(x)", 0]
[[fluid]]
name = "water"
viscosity = "laplacian"
[[fluid.fill]]
shape.bx = { size = [1, 1, 1] }
[[fluid.fill]]
at = [1, 2]
[[solid]]
name = "tank"
shape.tank = { size = [1, 1], open = ["topp"] }
motion.expressions = { position = ["1/t", 0, 0] }
[[solid]]
name = "x y"
shape.mesh = { file = "nowhere.obj" }
[[emitter]]
name = "e"
fluid = "watr"
opening.disc.radius = 1
at = [0, 0, 0]
direction = [0, 0, 0]
speed = "2 * (t"
"#;
    println!("{}", parse(bad).unwrap_err());
    println!("{}", parse("a = [1, \nb = 2\n[x\ny = 09\n").unwrap_err());
    println!(
        "{}",
        with(&[
            "fluid.0.densty=3",
            "fluid.watr.density=1",
            "pressure.solver=iisp",
            "x",
            "fluid.0.viscosity.xsph.strength=7"
        ])
        .unwrap_err()
    );
    println!(
        "{}",
        with(&["fluid.0.viscosity.xsph.strength=0.7", "pressure.solver=iisph"]).unwrap().text
    );
}
