//! What pictures of a run show: small runs written by hand.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use splashdown_geometry::math::{DVec3, Pose};
use splashdown_geometry::mesh::TriangleMesh;
use splashdown_render::framing;
use splashdown_render::run::Run;
use splashdown_render::stage::{Look, Stage};
use splashdown_run::output::formats::vtk;
use splashdown_run::output::frame::{Points, Surfaces};

const SCENE: &str = r#"
title = "Drops"
[simulation]
spacing = 0.1
duration = 1
[[fluid]]
name = "water"
[[fluid.fill]]
shape.box = { min = [0, 0, 0], max = [1, 0.5, 1] }
[[solid]]
name = "tank"
shape.tank = { min = [0, 0, 0], max = [2, 1, 1] }
"#;

/// A pool of 500 particles in a tank; `drops` says where further ones are at each of ten frames.
fn run(directory: &Path, drops: impl Fn(u32) -> Vec<DVec3>) -> Run {
    fs::write(directory.join("scene.toml"), SCENE).unwrap();
    fs::create_dir(directory.join("vtk")).unwrap();
    let corner = |k: u32| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2));
    let size = DVec3::new(2.0, 1.0, 1.0);
    let tank = TriangleMesh {
        vertices: (0..8).map(|k| corner(k) * size).collect(),
        triangles: vec![[0, 1, 5], [0, 5, 4], [0, 2, 3], [0, 3, 1]],
    };
    let fixed = vec![(0, Pose::IDENTITY, Arc::new(tank))];
    let solids = Surfaces { fixed, ..Surfaces::default() };
    let write = |name: &str, bytes: &[u8]| fs::write(directory.join("vtk").join(name), bytes);
    let mut bytes = Vec::new();
    vtk::write_fixed(&mut bytes, &solids).unwrap();
    write("fixed.vtp", &bytes).unwrap();
    for frame in 0..10 {
        let cell = |k: u32| [k % 10, k / 10 % 5, k / 50].map(|c| 0.1 * (f64::from(c) + 0.5));
        let mut position: Vec<DVec3> = (0..500).map(|k| DVec3::from_array(cell(k))).collect();
        position.extend(drops(frame));
        let n = position.len();
        let points = Points {
            position,
            velocity: vec![[f32::from(frame as u8), 0.0, 0.0]; n],
            pressure: vec![0.0; n],
            density: vec![1000.0; n],
            id: (0..n as u32).collect(),
            fluid: vec![0; n],
        };
        let mut bytes = Vec::new();
        vtk::write_points(&mut bytes, &points).unwrap();
        write(&format!("fluid_{frame:06}.vtp"), &bytes).unwrap();
    }
    Run::open(directory).unwrap()
}

#[test]
fn one_drop_far_away_changes_neither_camera_nor_ground() {
    let (plain, stray) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let plain = framing::of(&run(plain.path(), |_| Vec::new())).unwrap();
    let falling = |k: u32| vec![DVec3::new(3.0, -40.0 * f64::from(k), 0.5)];
    let stray = framing::of(&run(stray.path(), falling)).unwrap();
    assert_eq!(plain.bounds.min, DVec3::ZERO);
    assert_eq!(plain.bounds.max, DVec3::new(2.0, 1.0, 1.0));
    let start = DVec3::new(3.0, 0.0, 0.5); // the fluid at the start is in the picture
    assert_eq!(stray.bounds.min, plain.bounds.min.min(start));
    assert_eq!(stray.bounds.max, plain.bounds.max.max(start));
    assert_eq!([plain.ground, stray.ground], [0.0; 2], "the floor of the tank");
}

#[test]
fn ninety_nine_of_a_hundred_particles_are_in_the_picture() {
    let directory = tempfile::tempdir().unwrap();
    // A jet of a tenth of the liquid that leaves the tank, and some drops that leave the jet.
    let jet = |frame: u32| -> Vec<DVec3> {
        let k = |i: u32| f64::from(i) * f64::from(frame) / 9.0;
        let mut drops: Vec<DVec3> =
            (0..50).map(|i| DVec3::new(2.0 + 0.1 * k(i), 0.5, 0.5)).collect();
        drops.extend((0..4).map(|i| DVec3::new(0.5, 1.0 + 50.0 * k(i), 0.5)));
        drops
    };
    let run = run(directory.path(), jet);
    let bounds = framing::of(&run).unwrap().bounds;
    let all: Vec<DVec3> =
        run.frames.iter().flat_map(|&k| run.load_points(k).unwrap().position).collect();
    let outside = all.iter().filter(|&&p| !bounds.contains(p)).count();
    assert!(outside > 0 && outside * 100 <= all.len(), "{outside} of {}", all.len());
    assert!(bounds.max.x > 5.0 && bounds.max.y < 10.0, "{bounds:?}");
}

#[test]
fn what_falls_under_the_ground_is_not_looked_for() {
    let directory = tempfile::tempdir().unwrap();
    let falls =
        |k: u32| (0..100).map(|i| DVec3::new(1.0, 0.5 - 0.05 * f64::from(k * i), 0.5)).collect();
    let framing = framing::of(&run(directory.path(), falls)).unwrap();
    assert_eq!([framing.ground, framing.bounds.min.y], [0.0; 2]);
}

#[test]
fn all_frames_are_seen_by_the_same_camera() {
    let directory = tempfile::tempdir().unwrap();
    let run = run(directory.path(), |k| vec![DVec3::new(1.0, 0.6 + 0.1 * f64::from(k), 0.5); 20]);
    let look = Look { width: 80, height: 60, samples: 1, ..Look::default() };
    let film = Stage::new(&run, look.clone(), 0, 9).unwrap();
    // What stands still has the same pixels in all frames, drawn together or one by one: the walls.
    let corner = |stage: &Stage<'_>, k: u64| {
        let image = stage.picture(&run.load(k).unwrap()).unwrap();
        (0..30 * 20).map(|i| image.at(50 + i % 30, 10 + i / 30)).collect::<Vec<_>>()
    };
    let first = corner(&film, 0);
    assert!(first.iter().any(|&c| c != first[0]), "there is something to be seen");
    for k in [3, 9] {
        assert!(first == corner(&film, k), "frame {k} of a film");
        let alone = Stage::new(&run, look.clone(), k, k).unwrap();
        assert!(first == corner(&alone, k), "frame {k} alone");
    }
}

#[test]
fn a_surface_has_the_colour_of_water_unless_told() {
    let directory = tempfile::tempdir().unwrap();
    let run = run(directory.path(), |_| Vec::new());
    let look = Look { width: 80, height: 60, samples: 1, surface: true, ..Look::default() };
    let colors = |look: Look| {
        let stage = Stage::new(&run, look, 0, 9).unwrap();
        stage.colors(&run.load_points(9).unwrap())
    };
    let water = splashdown_render::color::of_fluid(0);
    assert!(colors(look.clone()).iter().all(|&c| c == water));
    let told = Look { quantity: Some(splashdown_render::stage::Quantity::Velocity), ..look };
    assert!(colors(told).iter().all(|&c| c != water));
}
