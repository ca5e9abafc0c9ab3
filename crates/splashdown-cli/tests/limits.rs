//! Scenes and files that claim more than there is: refused at once, by key and line, in little
//! memory.
#![cfg(target_os = "linux")]

mod common;

use std::fs;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use common::{Place, stderr};

/// Runs `splashdown LINE` where it can have no more address space than this.
fn run_in(place: &Place, kilobytes: u32, line: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_splashdown");
    let script = format!("ulimit -v {kilobytes}; exec '{program}' {line}");
    let folder = place.path("");
    Command::new("sh").args(["-c", &script]).current_dir(folder).output().unwrap()
}

const FLUID: &str = "simulation.spacing = 0.1\n[[fluid]]\nname = \"w\"\n[[fluid.fill]]\n";
const SOLID: &str = "shape.box.size = [1, 1, 1]\n[[solid]]\nname = \"s\"\nat = [50, 0, 0]\n";
const ELASTIC: &str = "simulation.spacing = 0.1\n[[elastic]]\nname = \"e\"\nyoungs_modulus = 1e5\n";

#[test]
fn whatever_is_too_large_is_refused_in_little_memory_and_time() {
    let place = Place::new();
    let faces = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n\
                 property float z\nelement face 18446744073709551615\nend_header\n0 0 0\n1 0 0\n0 \
                 1 0\n";
    fs::write(place.path("endless.ply"), faces).unwrap();
    let fluid = |lines: &str| format!("{FLUID}{lines}\n");
    let solid = |lines: &str| format!("{FLUID}{SOLID}{lines}\n");
    let elastic = |lines: &str| format!("{ELASTIC}{lines}\n");
    let thin = |kind: &str, lines: &str| {
        format!("{ELASTIC}kind = \"{kind}\"\nthickness = 0.01\n{lines}\n")
    };
    // (scene, line, key)
    let table = [
        (fluid("shape.mesh.file = \"endless.ply\""), 5, "fluid[0].fill[0].shape.mesh.file"),
        (
            fluid("shape.particles.file = \"endless.ply\""),
            5,
            "fluid[0].fill[0].shape.particles.file",
        ),
        (fluid("shape.box.size = [50, 50, 50]"), 5, "fluid[0].fill[0].shape"),
        (fluid("shape.sphere.radius = 1e30"), 5, "fluid[0].fill[0].shape"),
        (solid("shape.mesh.file = \"endless.ply\""), 9, "solid[0].shape.mesh.file"),
        (solid("shape.box.size = [1e5, 1e-3, 1e5]"), 9, "solid[0].shape"),
        (solid("shape.torus = { major = 1e9, minor = 0.1 }"), 9, "solid[0].shape"),
        (solid("shape.tank.size = [1, 1, 1]\ninset = 1e6"), 9, "solid[0].shape"),
        (solid("density = 9\nshape.statue.height = 1e4"), 10, "solid[0].shape"),
        (
            solid("shape.duck.length = 1\ncopies = [{ count = 100000, step = [9, 0, 0] }]"),
            10,
            "solid[0].copies",
        ),
        (
            solid(
                "shape.sphere.radius = 1\ncopies = [{ count = 9999 }, { count = 9999 }, { count = \
                 9999 }]",
            ),
            10,
            "solid[0].copies",
        ),
        (elastic("shape.box.size = [1e5, 1e5, 1e5]"), 2, "elastic[0].element_size"),
        (elastic("shape.box.size = [1e4, 1, 1]"), 2, "elastic[0].element_size"),
        (elastic("shape.capsule = { radius = 1, height = 1e4 }"), 2, "elastic[0].element_size"),
        (elastic("shape.sphere.radius = 1\nelement_size = 1e-30"), 6, "elastic[0].element_size"),
        (thin("shell", "shape.plane.size = 1e5"), 2, "elastic[0].element_size"),
        (thin("shell", "shape.plane.size = 90"), 7, "elastic[0].shape"),
        (thin("rod", "points = [[0, 0, 0], [1e30, 0, 0]]"), 7, "elastic[0].points[1]"),
        (thin("rod", "points = [[0, 0, 0], [1e5, 0, 0]]"), 7, "elastic[0].points"),
        (thin("particles", "points = [[0, 0, 0], [1e30, 0, 0]]"), 7, "elastic[0].points[1]"),
        (thin("particles", "shape.box.size = [1e3, 1e3, 1e3]"), 2, "elastic[0].element_size"),
        (
            thin("rod", "points = [[0, 0, 0], [1, 0, 0]]\ncopies = [{ count = 99999 }]"),
            8,
            "elastic[0].copies",
        ),
        // Of these, more features are close than fit into memory.
        (
            elastic(
                "shape.box.size = [1, 1, 1]\nelement_size = 1\ncopies = [{ count = 2000, step = \
                 [1e-5, 0, 0] }]",
            ),
            2,
            "elastic[0]",
        ),
    ];
    for (scene, line, key) in table {
        fs::write(place.path("large.toml"), &scene).unwrap();
        for command in ["check large.toml", "run large.toml --out never"] {
            let start = Instant::now();
            let output = run_in(&place, 1_500_000, command);
            let message = stderr(&output);
            assert_eq!(output.status.code(), Some(2), "{scene}\n{message}");
            assert!(message.starts_with(&format!("large.toml:{line}:")), "{scene}\n{message}");
            assert!(message.contains(&format!(": {key}: ")), "{key}\n{scene}\n{message}");
            let taken = start.elapsed();
            assert!(taken < Duration::from_secs(10), "{scene}\ntook {taken:?}");
        }
    }
}

#[test]
fn the_limit_of_memory_can_be_set() {
    let place = Place::new();
    fs::write(place.path("large.toml"), format!("{FLUID}shape.box.size = [3, 3, 3]\n")).unwrap();
    assert!(place.succeed("check large.toml --memory 1G").contains("27000 particles"));
    for line in ["check", "run --out never", "bench"] {
        let output = place.command(&format!("{line} large.toml --memory 10M")).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}: {}", stderr(&output));
        let message = stderr(&output);
        assert!(
            message.starts_with("large.toml:5:1: fluid[0].fill[0].shape: needs about"),
            "{message}"
        );
        assert!(message.contains("the limit is 10 MB (--memory 10M)"), "{message}");
    }
    let output = place.command("check large.toml --memory lots").output().unwrap();
    assert!(stderr(&output).contains("write a size like 8G or 512M"), "{}", stderr(&output));
}
