//! A run can be looked at anywhere, and looking at it harms no file.

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;

use common::*;

/// A closed mesh, as a user may have it beside the scene.
const WEDGE: &str = "\
v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\n\
f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

const DROPS: &str = "x,y,z,vx,vy,vz\n0.10,0.35,0.10,0,-1,0\n0.20,0.35,0.10,0,-1,0\n";

/// Without a title, with files that are named relative to the scene, and with all kinds of solids.
const SCENE: &str = r#"
[simulation]
spacing = 0.05
duration = 0.06
[output]
frames_per_second = 50
[[fluid]]
name = "water"
[[fluid.fill]]
shape.box = { min = [0, 0, 0], max = [0.2, 0.2, 0.2] }
[[fluid.fill]]
shape.particles = { file = "parts/drops.csv" }
[[solid]]
name = "tank"
shape.tank = { min = [0, 0, 0], max = [0.5, 0.5, 0.2] }
[[solid]]
name = "wedge"
shape.mesh = { file = "parts/wedge.obj", scale = 1.5 }
at = [0.3, 0.01, 0.02]
motion.constant = { velocity = [0, 0.1, 0] }
"#;

const SOFT: &str = r#"
[simulation]
spacing = 0.1
duration = 0.03
[output]
frames_per_second = 50
formats = ["bgeo"]
[[solid]]
name = "floor"
shape.plane = { normal = [0, 1, 0], size = 2 }
[[elastic]]
name = "jelly"
shape.box = { size = [0.2, 0.2, 0.2] }
at = [0, 0.3, 0]
copies = [{ count = 2, step = [0.4, 0, 0] }]
density = 1000
youngs_modulus = 1e5
"#;

fn scene_in(place: &Place, folder: &str) {
    fs::create_dir_all(place.path(folder).join("parts")).unwrap();
    fs::write(place.path(folder).join("wave.toml"), SCENE).unwrap();
    fs::write(place.path(folder).join("parts/wedge.obj"), WEDGE).unwrap();
    fs::write(place.path(folder).join("parts/drops.csv"), DROPS).unwrap();
}

fn png(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    assert!(bytes.starts_with(b"\x89PNG"), "{}", path.display());
    bytes
}

/// The answer of a viewer that is started in `folder` and shows the run in `run`.
#[cfg(unix)]
fn viewed(place: &Place, folder: &str, run: &str, target: &str) -> String {
    let mut command = place.command(&format!("view {run} --no-open"));
    command.current_dir(place.path(folder));
    let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).unwrap_or_else(|| panic!("{line}"));
    let address = address.split('/').next().unwrap().to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    let request = format!("GET {target} HTTP/1.0\r\nHost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    signal(&child, "-INT");
    child.wait().unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[cfg(unix)]
#[test]
fn a_run_that_was_moved_and_has_lost_its_files_is_seen_as_before() {
    let place = Place::new();
    scene_in(&place, "here");
    let told = place.succeed("run here/wave.toml --out here/run");
    assert!(told.contains("a picture       here/run/frame-0003.png"), "{told}");
    let picture = png(&place.path("here/run/frame-0003.png"));

    fs::create_dir_all(place.path("there/deep")).unwrap();
    fs::rename(place.path("here/run"), place.path("there/moved")).unwrap();
    fs::remove_dir_all(place.path("here")).unwrap();
    let from = |folder: &str, line: &str| {
        let output = place.command(line).current_dir(place.path(folder)).output().unwrap();
        assert!(output.status.success(), "{line}\n{}", stderr(&output));
    };
    from("there/deep", "render ../moved --out again.png");
    let again = png(&place.path("there/deep/again.png"));
    assert!(again == picture, "the same picture from another folder");
    from("there", "render moved --film film.gif --size 64x48");
    from("there/moved", "report .");
    let page = fs::read_to_string(place.path("there/moved/report.html")).unwrap();
    assert!(page.contains("<h1>wave</h1>"), "a scene without a title is called by its name");
    assert!(page.contains("parts/wedge.obj") && page.contains("surface of the liquid"));
    from("there/deep", "export ../moved --surface --out meshes");
    let meshes = content(&place.path("there/deep/meshes"));
    for name in ["tank.ply", "wedge_000003.ply", "water_000000.ply", "bodies_motion.csv"] {
        assert!(meshes.contains_key(name), "{name}: {:?}", meshes.keys());
    }
    let run = viewed(&place, "there/deep", "../moved", "/api/run");
    assert!(run.contains("\"title\":\"wave\"") && run.contains("\"wedge\""), "{run}");
    assert!(viewed(&place, "there", "moved", "/api/bodies/3").contains("SPDM"));
}

#[cfg(unix)]
#[test]
fn a_run_with_files_can_be_watched() {
    let place = Place::new();
    scene_in(&place, "here");
    let mut command = place.command("run here/wave.toml --out run --quiet --view --no-open");
    let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    assert!(first.contains("viewer: http://127.0.0.1:"), "{first}");
    assert!(lines.any(|line| line.unwrap().contains("until Ctrl-C")), "it goes on to the end");
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn solids_are_seen_whatever_the_format_of_the_frames() {
    let place = Place::new();
    scene_in(&place, ".");
    place.succeed("run wave.toml --quiet --out vtk");
    place.succeed("render vtk --size 320x180 --out vtk.png");
    for format in ["ply", "bgeo"] {
        place.succeed(&format!("run wave.toml --quiet --format {format} --out {format}"));
        place.succeed(&format!("render {format} --size 320x180 --out {format}.png"));
        place.succeed(&format!("export {format}"));
        let meshes = content(&place.path(&format!("{format}/meshes")));
        assert!(meshes.contains_key("tank.ply") && meshes.contains_key("wedge_000002.ply"));
    }
    assert!(png(&place.path("ply.png")) == png(&place.path("vtk.png")));
    // Tables alone were asked for: there are no solids either, and no picture is missed.
    let told = place.succeed("run wave.toml --format none --out none");
    assert!(!place.path("none/vtk").exists() && !told.contains("picture"), "{told}");
}

#[test]
fn elastic_bodies_keep_their_names() {
    let place = Place::new();
    fs::write(place.path("soft.toml"), SOFT).unwrap();
    place.succeed("run soft.toml --quiet --out run");
    for format in ["ply", "obj", "vtk"] {
        place.succeed(&format!("export run --format {format} --out {format}"));
        let meshes = content(&place.path(format));
        for name in ["floor", "jelly-1_000001", "jelly-2_000001"] {
            let name = format!("{name}.{format}");
            assert!(meshes.contains_key(&name), "{name}: {:?}", meshes.keys());
        }
    }
}

#[test]
fn a_builtin_scene_brings_its_mesh_file_along() {
    let place = Place::new();
    let small = "--set simulation.spacing=0.05 --until 0.01";
    place.succeed(&format!("run toy-boat {small} --quiet --out boat"));
    place.succeed("render boat --size 64x48 --out boat.png");
    place.succeed("run --resume --until 0.02 --quiet --out boat");
    place.succeed("check toy-boat");
    // Printed alone, it lacks its file, which is said; written to a folder, it runs.
    let output = place.run("show toy-boat");
    assert!(stderr(&output).contains("show toy-boat --out FOLDER"), "{}", stderr(&output));
    fs::write(place.path("mine.toml"), &output.stdout).unwrap();
    let output = place.run("check mine.toml");
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output);
    assert!(message.contains("boat.obj") && message.contains("show toy-boat --out"), "{message}");
    place.succeed("show toy-boat --out my");
    place.succeed(&format!("run my/toy-boat.toml {small} --quiet --out mine"));
    assert!(
        content(&place.path("boat"))["vtk/fluid_000000.vtp"]
            == content(&place.path("mine"))["vtk/fluid_000000.vtp"]
    );
    fs::write(place.path("my/boat.obj"), "changed").unwrap();
    assert_eq!(place.run("show toy-boat --out my").status.code(), Some(2));
    assert_eq!(fs::read(place.path("my/boat.obj")).unwrap(), b"changed");
    assert_eq!(place.run("show no-such-scene --out my").status.code(), Some(2));
}

#[test]
fn nothing_is_overwritten_that_was_not_made_from_the_run() {
    let place = Place::new();
    place.succeed("run small.toml --until 0.03 --quiet --out run");
    let before = content(&place.path("run"));
    let refused = |line: &str| {
        let output = place.run(line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", stderr(&output));
        stderr(&output)
    };
    // Files of the user, unless they insist.
    fs::write(place.path("thesis.tex"), "precious").unwrap();
    fs::create_dir(place.path("meshes")).unwrap();
    for name in ["film.gif", "meshes/tank.ply", "meshes/bodies_motion.csv"] {
        fs::write(place.path(name), "precious").unwrap();
    }
    for line in [
        "render run --size 64x48 --out thesis.tex",
        "render run --size 64x48 --film film.gif",
        "report run --out thesis.tex",
        "export run --out meshes",
    ] {
        assert!(refused(line).contains("--force"), "{line}");
    }
    fs::remove_file(place.path("meshes/bodies_motion.csv")).unwrap();
    assert!(refused("export run --out meshes").contains("tank.ply"));
    for name in ["thesis.tex", "film.gif", "meshes/tank.ply"] {
        assert_eq!(fs::read(place.path(name)).unwrap(), b"precious", "{name}");
    }
    // What was made is made anew without a question.
    for _ in 0..2 {
        place.succeed("render run --size 64x48 --film film.gif --force");
        place.succeed("render run --size 64x48");
        place.succeed("report run");
        place.succeed("export run --format vtk");
        place.succeed("export run --format obj");
    }
    place.succeed("render run --size 64x48 --film film.gif");
    place.succeed("export run --out meshes --force");
    place.succeed("export run --out meshes");
    // The run's own, never.
    for line in [
        "render run --force --out run/log.csv",
        "render run --force --out run/scene.toml",
        "render run --force --out run/vtk/fluid_000000.vtp",
        "render run --force --film run/snapshots/film.gif",
        "report run --force --out run/bodies.csv",
        "export run --force --out run/vtk",
        "export run --force --out run/ply/new",
    ] {
        assert!(refused(line).contains("belongs to the run"), "{line}");
    }
    for (name, bytes) in before {
        assert!(fs::read(place.path("run").join(&name)).unwrap() == bytes, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn devices_pipes_and_links_stay_what_they_are() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let place = Place::new();
    place.succeed("run small.toml --until 0.02 --quiet --out run");
    fs::write(place.path("precious"), "precious").unwrap();
    symlink("precious", place.path("link.png")).unwrap();
    symlink("precious", place.path("link.gif")).unwrap();
    for line in [
        "render run --size 64x48 --force --out link.png",
        "render run --size 64x48 --force --film link.gif",
        "report run --force --out link.png",
        "render run --size 64x48 --force --out /dev/null",
        "report run --force --out /dev/null",
        "report run --out /dev/stdout",
    ] {
        let output = place.run(line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", stderr(&output));
    }
    assert_eq!(fs::read(place.path("precious")).unwrap(), b"precious");
    assert!(place.path("link.png").is_symlink());
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    // The picture at the end of a run is no exception, and the summary says why there is none.
    fs::write(place.path("mine.png"), "precious").unwrap();
    fs::create_dir(place.path("other")).unwrap();
    symlink("../mine.png", place.path("run/frame-0002.png")).unwrap();
    let told = place.succeed("run --resume --until 0.04 --out run");
    assert!(told.contains("frame-0002.png is a symbolic link"), "{told}");
    assert!(told.contains("no picture"), "{told}");
    assert_eq!(fs::read(place.path("mine.png")).unwrap(), b"precious");
    // Nor is a link, or a file of the user, taken for the lock of a run.
    symlink("../precious", place.path("other/.lock")).unwrap();
    let output = place.run("run small.toml --until 0.02 --quiet --out other");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("symbolic link"), "{}", stderr(&output));
    assert_eq!(fs::read(place.path("precious")).unwrap(), b"precious");
}
