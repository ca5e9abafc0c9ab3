//! Runs of the real program on a small scene: stopped, killed, damaged, resumed.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use common::*;

#[test]
fn a_run_says_where_its_results_are_and_what_to_do_next() {
    let place = Place::new();
    let text = place.succeed("run small.toml --until 0.05");
    for part in [
        "out/small/frame-0002.png",
        "out/small/fluid.pvd",
        "ParaView",
        "--resume",
        "density solve",
        "splashdown list",
    ] {
        assert!(text.contains(part), "{part} is missing from\n{text}");
    }
    let files = content(&place.path("out/small"));
    for name in ["scene.toml", "run.json", "log.csv", "bodies.csv", "probes/gauge.csv", "fluid.pvd"]
    {
        assert!(files.contains_key(name), "{name} is missing");
    }
    assert!(files.contains_key("vtk/fluid_000002.vtp"));
    assert!(files["frame-0002.png"].starts_with(b"\x89PNG"));
    assert!(files.keys().all(|name| !name.ends_with(".tmp") && !name.contains(".lock")));
    assert_eq!(place.succeed("run small.toml --until 0.05 --quiet --out other"), "");
}

#[test]
fn results_are_never_overwritten_silently() {
    let place = Place::new();
    place.succeed("run small.toml --until 0.03");
    let before = content(&place.path("out/small"));

    let refused = place.run("run small.toml --until 0.03 --out out/small");
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("--force"), "{}", stderr(&refused));
    place.succeed("run small.toml --until 0.03");
    assert!(place.path("out/small-2/log.csv").exists());
    assert_eq!(content(&place.path("out/small")), before);

    place.succeed("run small.toml --until 0.03 --out out/small --force");
    assert_same(&place.path("out/small"), &place.path("out/small-2"));
}

#[cfg(unix)]
#[test]
fn a_run_that_is_asked_to_stop_can_be_resumed_to_the_same_bytes() {
    let place = Place::new();
    place.succeed("run small.toml --out whole");
    for (name, code, frame) in [("-INT", 130, 2), ("-TERM", 143, 7)] {
        let out = place.path(&format!("parts{name}"));
        let mut child = place.start(&format!("run small.toml --out parts{name}"));
        wait_for_frame(&mut child, &out, frame);
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(code));
        let text = place.run(&format!("run --resume --out parts{name} --threads 1"));
        assert!(stderr(&text).contains("going on from"), "{}", stderr(&text));
        assert_same(&place.path("whole"), &out);
    }
}

#[cfg(unix)]
#[test]
fn a_killed_run_can_be_resumed_to_the_same_bytes_with_any_thread_count() {
    let place = Place::new();
    place.succeed("run small.toml --out whole --threads 2");
    for (frame, threads) in [(0, 1), (4, 3), (11, 1)] {
        let out = place.path(&format!("killed{frame}"));
        let mut child = place.start(&format!("run small.toml --threads 1 --out killed{frame}"));
        wait_for_frame(&mut child, &out, frame);
        signal(&child, "-KILL");
        child.wait().unwrap();
        // And again, while it resumes.
        let line = format!("run --resume --out killed{frame} --threads {threads}");
        let mut child = place.start(&line);
        std::thread::sleep(Duration::from_millis(40));
        signal(&child, "-KILL");
        child.wait().unwrap();
        place.succeed(&line);
        assert_same(&place.path("whole"), &out);
    }
}

#[test]
fn a_damaged_snapshot_is_reported_and_the_one_before_is_used() {
    let place = Place::new();
    place.succeed("run small.toml --out whole");
    place.succeed("run small.toml --until 0.25 --out parts");
    let newest = fs::read_dir(place.path("parts/snapshots"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().contains("stop-"))
        .unwrap();
    let mut bytes = fs::read(&newest).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&newest, bytes).unwrap();
    let output = place.run("run --resume --out parts --until 0.4");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("checksum"), "{}", stderr(&output));
    // The scenes differ: one was run with --until from the start.
    let skip = |mut files: BTreeMap<String, Vec<u8>>| {
        let is_same = |name: &str| !name.starts_with("snapshots") && !name.ends_with(".png");
        files.retain(|name, _| {
            !["scene.toml", "run.json"].contains(&name.as_str()) && is_same(name)
        });
        files
    };
    let (whole, parts) = (skip(content(&place.path("whole"))), skip(content(&place.path("parts"))));
    assert!(whole == parts);
}

#[test]
fn mistakes_end_with_code_2_and_say_where_they_are() {
    let place = Place::new();
    fs::write(place.path("bad.toml"), SCENE.replace("spacing", "spacig")).unwrap();
    for line in ["run bad.toml", "check bad.toml"] {
        let output = place.run(line);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(stderr(&output).contains("bad.toml:4:1"), "{}", stderr(&output));
    }
    assert!(!place.path("out").exists(), "nothing is written for a bad scene");
    assert_eq!(place.run("run no-such-scene").status.code(), Some(2));
    assert_eq!(place.run("run small.toml --threads 0").status.code(), Some(2));
    assert_eq!(place.run("run --resume --out nowhere").status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn an_unwritable_directory_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    fs::create_dir(place.path("closed")).unwrap();
    fs::set_permissions(place.path("closed"), fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(place.path("closed/probe"), "").is_ok() {
        return; // permissions do not bind the superuser
    }
    let output = place.run("run small.toml --until 0.03 --out closed/run");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("closed/run"), "{}", stderr(&output));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_and_leaves_nothing_half_written() {
    let place = Place::new();
    // A limit on the size of files behaves like a disk that fills up while a frame is written.
    let binary = env!("CARGO_BIN_EXE_splashdown");
    let script = format!("trap '' XFSZ; ulimit -f 24; exec {binary} run small.toml --out full");
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(place.path(""))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("cannot write full/"), "{}", stderr(&output));
    for name in content(&place.path("full")).keys() {
        assert!(!name.ends_with(".tmp"), "{name}");
    }
}

#[test]
fn the_other_commands_answer() {
    let place = Place::new();
    assert!(place.succeed("list").contains("dam-break"));
    let text = place.succeed("show dam-break");
    fs::write(place.path("copy.toml"), text).unwrap();
    assert!(place.succeed("check copy.toml").contains("particles"));
    assert!(place.succeed("check small.toml").contains("water"));
    serde_json::from_str::<serde_json::Value>(&place.succeed("schema")).unwrap();
}

#[test]
fn a_run_becomes_pictures_films_and_meshes() {
    let place = Place::new();
    place.succeed("run small.toml --until 0.05 --quiet --out run");
    assert!(!place.path("run/frame-0002.png").exists(), "a quiet run draws nothing");
    let path = place.succeed("render run --size 320x180");
    assert_eq!(path.trim(), "run/frame-0002.png");
    assert!(fs::read(place.path("run/frame-0002.png")).unwrap().starts_with(b"\x89PNG"));
    place.succeed("render run --frame 1 --color pressure --samples 1 --out one.png");
    assert!(place.path("one.png").exists());
    place.succeed("render run --film film.gif --size 160x90");
    assert!(fs::read(place.path("film.gif")).unwrap().starts_with(b"GIF89a"));
    place.succeed("export run --format obj");
    assert!(place.path("run/meshes/bodies_motion.csv").exists());
    for (line, words) in [
        ("render run --frame 99", "frames go from 0 to 2"),
        ("render nowhere", "no scene.toml"),
        ("render run --film a.avi", ".gif, .mp4 or .webp"),
        ("render run --camera up", "three-quarter"),
        ("render run --size 0x5", "1280x720"),
        ("render run --surface", "2D"),
    ] {
        let output = place.run(line);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(stderr(&output).contains(words), "{line}: {}", stderr(&output));
    }
    // A damaged frame is named.
    fs::write(place.path("run/vtk/fluid_000001.vtp"), "half a fr").unwrap();
    let output = place.run("render run --frame 1");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("fluid_000001.vtp"), "{}", stderr(&output));
}
