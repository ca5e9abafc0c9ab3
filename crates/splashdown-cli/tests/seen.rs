//! Runs as people see them: surfaces, reports, the viewer.

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;

use common::*;

const SPACE: &str = r#"
title = "A <small> splash"
[simulation]
spacing = 0.05
duration = 0.3
[output]
frames_per_second = 50
snapshot_every = 3
formats = ["vtk"]
[[fluid]]
name = "water"
[[fluid.fill]]
shape.box = { min = [0, 0, 0], max = [0.2, 0.4, 0.2] }
[[fluid]]
name = "oil"
density = 800
[[fluid.fill]]
shape.box = { min = [0.25, 0, 0], max = [0.4, 0.2, 0.2] }
[[solid]]
name = "tank"
shape.tank = { min = [0, 0, 0], max = [0.6, 0.6, 0.2] }
[[solid]]
name = "paddle"
shape.box = { size = [0.05, 0.1, 0.1] }
at = [0.5, 0.3, 0.1]
motion.constant = { velocity = [0, -0.1, 0] }
"#;

fn place() -> Place {
    let place = Place::new();
    fs::write(place.path("space.toml"), SPACE).unwrap();
    place
}

#[cfg(unix)]
#[test]
fn surfaces_are_written_with_the_frames_and_after_a_kill_as_if_nothing_had_happened() {
    let place = place();
    place.succeed("run space.toml --surface --quiet --out whole");
    let files = content(&place.path("whole"));
    for name in ["surface/water_000000.ply", "surface/oil_000015.ply"] {
        assert!(files[name].starts_with(b"ply\n"), "{name}");
    }
    let mut child = place.start("run space.toml --surface --quiet --threads 1 --out killed");
    wait_for_frame(&mut child, &place.path("killed"), 7);
    signal(&child, "-KILL");
    child.wait().unwrap();
    // Surfaces go on without being asked for again: the scene remembers.
    place.succeed("run --resume --quiet --out killed");
    assert_same(&place.path("whole"), &place.path("killed"));
    // In 2D there are none, and the scene says so before anything runs.
    let output = place.run("run small.toml --surface");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("output.surface"), "{}", stderr(&output));
}

/// Whether processes can be kept to one of several cores.
#[cfg(target_os = "linux")]
fn can_pin() -> bool {
    let pinned = std::process::Command::new("taskset").args(["-c", "0", "true"]).output();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores > 1 && pinned.is_ok_and(|output| output.status.success())
}

#[cfg(target_os = "linux")]
#[test]
fn surfaces_are_the_same_on_any_cores_that_the_process_may_use() {
    if !can_pin() {
        eprintln!("skipped: there is one core only, or no taskset");
        return;
    }
    let place = place();
    let on_one_core = |line: &str| {
        let mut command = std::process::Command::new("taskset");
        command.args(["-c", "0", env!("CARGO_BIN_EXE_splashdown")]);
        command.args(line.split(' ')).current_dir(place.path("")).stdin(Stdio::null());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
    };
    place.succeed("run space.toml --surface --quiet --threads 2 --out free");
    on_one_core("run space.toml --surface --quiet --threads 2 --out pinned");
    assert_same(&place.path("free"), &place.path("pinned"));
    let mut child = place.start("run space.toml --surface --quiet --threads 2 --out killed");
    wait_for_frame(&mut child, &place.path("killed"), 7);
    signal(&child, "-KILL");
    child.wait().unwrap();
    on_one_core("run --resume --quiet --out killed");
    assert_same(&place.path("free"), &place.path("killed"));
}

/// Corners of the triangles of a surface that a run or `export` wrote.
fn triangles(path: &std::path::Path) -> Vec<[[f64; 3]; 3]> {
    let bytes = fs::read(path).unwrap();
    let end = bytes.windows(11).position(|window| window == b"end_header\n").unwrap() + 11;
    let header = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let count = |name: &str| -> usize {
        let line = header.lines().find(|line| line.starts_with(name)).unwrap();
        line[name.len()..].trim().parse().unwrap()
    };
    let (vertex, face) = (8 * 3 + 4 * 6, 1 + 4 * 3);
    let places: Vec<[f64; 3]> = bytes[end..]
        .chunks_exact(vertex)
        .take(count("element vertex"))
        .map(|row| {
            std::array::from_fn(|k| f64::from_le_bytes(row[8 * k..8 * k + 8].try_into().unwrap()))
        })
        .collect();
    let faces = bytes[end + vertex * places.len()..].chunks_exact(face);
    faces
        .map(|row| {
            std::array::from_fn(|k| {
                let v = u32::from_le_bytes(row[4 * k + 1..4 * k + 5].try_into().unwrap());
                places[v as usize]
            })
        })
        .collect()
}

#[test]
fn surfaces_of_a_splash_end_at_walls_and_enclose_its_volume() {
    let place = place();
    place.succeed("run space.toml --surface --quiet --out run");
    place.succeed("run space.toml --quiet --out bare");
    place.succeed("export bare --surface --format ply --out meshes");
    let files = |frame: usize| {
        [
            place.path(&format!("run/surface/water_{frame:06}.ply")),
            place.path(&format!("meshes/water_{frame:06}.ply")),
        ]
    };
    let particles = 4.0 * 8.0 * 4.0;
    for path in [0, 5, 10, 15].into_iter().flat_map(files) {
        let mut volume = 0.0;
        for [a, b, c] in triangles(&path) {
            for corner in [a, b, c] {
                for (x, size) in corner.into_iter().zip([0.6, 9.0, 0.2]) {
                    assert!((0.0..=size).contains(&x), "{corner:?} in {}", path.display());
                }
            }
            volume += (a[0] * (b[1] * c[2] - b[2] * c[1])
                + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0]))
                / 6.0;
        }
        let share = volume / (particles * 0.05f64.powi(3));
        assert!((share - 1.0).abs() < 0.03, "{share} in {}", path.display());
    }
}

#[test]
fn frames_of_every_format_can_be_drawn() {
    let place = Place::new();
    for format in ["vtk", "ply", "bgeo"] {
        place.succeed(&format!(
            "run small.toml --until 0.03 --quiet --format {format} --out {format}"
        ));
        place.succeed(&format!("render {format} --size 160x90 --out {format}.png"));
        assert!(fs::read(place.path(&format!("{format}.png"))).unwrap().starts_with(b"\x89PNG"));
    }
    let output = place.run("render . --out none.png");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn bodies_that_stand_still_are_exported_once() {
    let place = place();
    place.succeed("run space.toml --until 0.05 --quiet --out run");
    place.succeed("export run --surface --format ply");
    let files = content(&place.path("run/meshes"));
    assert!(files.contains_key("tank.ply") && files.contains_key("paddle_000002.ply"));
    assert!(!files.keys().any(|name| name.starts_with("tank_")), "{:?}", files.keys());
    assert!(files.contains_key("water_000001.ply") && files.contains_key("oil_000001.ply"));
    let motion = String::from_utf8_lossy(&files["bodies_motion.csv"]).into_owned();
    let paddle: Vec<&str> = motion.lines().filter(|line| line.contains("paddle")).collect();
    assert_eq!(paddle.len(), 3, "{motion}");
    assert!(motion.starts_with("t,body,x,y,z,rotation_x,rotation_y,rotation_z,rotation_w\n"));
}

#[test]
fn a_report_holds_everything_in_one_file() {
    let place = place();
    place.succeed("run space.toml --until 0.1 --out run");
    assert_eq!(place.succeed("report run").trim(), "run/report.html");
    let page = fs::read_to_string(place.path("run/report.html")).unwrap();
    for part in [
        "<h1>A &lt;small&gt; splash</h1>",
        "data:image/png;base64,",
        "surface of the liquid",
        "energy, J",
        "iterations per step",
        "time step, s",
        "residual of the density solve",
        "force on tank, N",
        "<td>density solve</td>",
        "seed",
        env!("CARGO_PKG_VERSION"),
        "fluid.oil.density",
        "[[solid]]",
    ] {
        assert!(page.contains(part), "{part} is missing");
    }
    // Nothing is fetched: no scripts, no links, no pictures from elsewhere.
    assert!(!page.contains("<script") && !page.contains("<link") && !page.contains("src=\"http"));
    place.succeed("report run --out elsewhere.html");
    assert!(place.path("elsewhere.html").exists());
    assert_eq!(place.run("report nowhere").status.code(), Some(2));
    // A quiet run of tables alone has a report, too.
    place.succeed("run small.toml --until 0.05 --quiet --format none --out bare");
    place.succeed("report bare");
    let page = fs::read_to_string(place.path("bare/report.html")).unwrap();
    assert!(page.contains("wrote no frames") && page.contains("probe gauge"));
}

#[test]
fn a_validation_report_has_curves_over_known_answers() {
    let place = Place::new();
    place.succeed("validate poiseuille --report page.html");
    let page = fs::read_to_string(place.path("page.html")).unwrap();
    for part in ["<h2>poiseuille</h2>", "L2 error", "velocity profiles", "known", "pass", "<svg"] {
        assert!(page.contains(part), "{part} is missing");
    }
    // Nobody's file is replaced, nor touched before the cases run.
    fs::write(place.path("thesis.html"), "precious").unwrap();
    let output = place.run("validate poiseuille --report thesis.html");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("--force"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(place.path("thesis.html")).unwrap(), "precious");
    place.succeed("validate poiseuille --report thesis.html --force");
    let output = place.run("validate restart --report no/such/folder/page.html");
    assert_eq!(output.status.code(), Some(1), "before hours of computing");
}

#[test]
fn mistakes_of_the_viewer_end_with_code_2() {
    let place = Place::new();
    let output = place.run("view nowhere --no-open");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no scene.toml"), "{}", stderr(&output));
    assert_eq!(place.run("view . --port 99999").status.code(), Some(2));
}

#[test]
fn a_port_in_use_is_noticed_before_anything_is_simulated() {
    let place = Place::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let output = place.run(&format!("run small.toml --out run --view --no-open --port {port}"));
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output);
    assert!(message.contains(&format!("cannot listen on port {port} of 127.0.0.1")), "{message}");
    assert!(!place.path("run").exists(), "nothing is made");
}

#[test]
fn who_draws_can_be_chosen_and_is_told() {
    let place = Place::new();
    place.succeed("run small.toml --until 0.02 --quiet --out run");
    for choice in ["auto", "cpu"] {
        let line = format!("render run --size 64x48 --renderer {choice} --out {choice}.png");
        let output = place.run(&line);
        assert!(output.status.success() && stderr(&output).contains("drawn by: "), "{line}");
    }
    let output = place.run("render run --size 64x48 --renderer gpu --out gpu.png");
    if output.status.success() {
        assert!(stderr(&output).contains("drawn by: GPU"), "{}", stderr(&output));
    } else {
        // Built without the feature, or no Vulkan on this machine: the message says what helps.
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("--renderer cpu"), "{}", stderr(&output));
        assert!(!place.path("gpu.png").exists());
    }
}

#[cfg(unix)]
#[test]
fn a_run_can_be_watched_while_it_goes_on_and_afterwards() {
    let place = place();
    place.succeed("run space.toml --quiet --out plain");
    let mut command = place.command("run space.toml --quiet --out watched --view --no-open");
    let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    let address = first.split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
    assert!(address.starts_with("127.0.0.1:"), "{first}");
    let get = |target: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        let request = format!("GET {target} HTTP/1.0\r\nHost: {address}\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    };
    assert!(get("/").contains("<canvas"));
    // Ask as a page does until the run is over.
    let mut seen = String::new();
    for line in lines.by_ref() {
        if line.unwrap().contains("until Ctrl-C") {
            seen = get("/api/state");
            break;
        }
    }
    assert!(seen.contains("14,15]") && seen.contains("\"running\":false"), "{seen}");
    assert!(get("/api/frame/15").contains("SPDF"));
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_same(&place.path("plain"), &place.path("watched"));
}
