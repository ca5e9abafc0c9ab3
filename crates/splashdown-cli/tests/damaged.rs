//! Runs whose files somebody has edited, removed, cut or put in their way, and what `--resume`
//! says.

mod common;

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use common::*;

/// A run of the small scene that was stopped at 0.25 s, and one that was not.
fn stopped() -> Place {
    let place = Place::new();
    place.succeed("run small.toml --quiet --until 0.25 --out parts");
    place.succeed("run small.toml --quiet --until 0.25 --out whole");
    place.succeed("run --resume --quiet --until 0.4 --out whole");
    place
}

impl Place {
    /// Runs a line that is refused with advice, and tells the message.
    fn refused(&self, line: &str) -> String {
        let output = self.run(line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", stderr(&output));
        stderr(&output)
    }

    /// Runs the line of a message that ends with `flag`, as somebody would who pastes it.
    fn paste(&self, message: &str, flag: &str) -> String {
        let line = message.lines().find(|line| line.ends_with(flag)).expect(message);
        let line = line.trim().strip_prefix("splashdown ").expect(message);
        let output = self.run(&format!("{line} --until 0.4 --quiet"));
        assert!(output.status.success(), "{line}: {}", stderr(&output));
        stderr(&output)
    }

    fn snapshots(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path("parts/snapshots")).unwrap();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort_by_key(|path| {
            path.file_stem().unwrap().to_string_lossy().split_once('-').unwrap().1.to_owned()
        });
        paths
    }
}

const RESUME: &str = "run --resume --until 0.4 --quiet --out parts";

#[test]
fn lost_frames_are_named_and_written_again_on_demand() {
    for frame in ["vtk/fluid_000011.vtp", "bgeo/fluid_000003.bgeo"] {
        let place = stopped();
        fs::remove_file(place.path("parts/ply/fluid_000011.ply")).unwrap();
        let cut = place.path("parts").join(frame);
        let bytes = fs::read(&cut).unwrap();
        fs::write(&cut, &bytes[..bytes.len() - 1]).unwrap();
        let before = content(&place.path("parts"));
        let message = place.refused(RESUME);
        assert!(message.contains("ply/fluid_000011.ply is missing"), "{message}");
        assert!(message.contains(&format!("{frame} has {} bytes", bytes.len() - 1)), "{message}");
        // Frame 11 is after a snapshot that is still there, frame 3 is before all of them.
        let from = if frame.contains("11") { "from the snapshot at" } else { "from the beginning" };
        assert!(message.contains(from), "{message}");
        assert!(before == content(&place.path("parts")), "nothing changes unasked");
        let note = place.paste(&message, "--repair");
        assert!(note.contains("going back to"), "{note}");
        assert_same(&place.path("whole"), &place.path("parts"));
    }
}

#[test]
fn a_frame_that_was_changed_is_named_and_written_again_on_demand() {
    let place = stopped();
    let path = place.path("parts/ply/fluid_000004.ply");
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, &bytes).unwrap();
    let message = place.refused(RESUME);
    assert!(message.contains("ply/fluid_000004.ply has been changed"), "{message}");
    assert_eq!(fs::read(&path).unwrap(), bytes, "nothing changes unasked");
    place.paste(&message, "--repair");
    assert_same(&place.path("whole"), &place.path("parts"));
}

#[test]
fn a_run_goes_on_without_lost_frames_on_demand() {
    let place = stopped();
    fs::remove_file(place.path("parts/vtk/fluid_000002.vtp")).unwrap();
    let message = place.refused(RESUME);
    place.paste(&message, "--accept-lost-frames");
    fs::remove_file(place.path("whole/vtk/fluid_000002.vtp")).unwrap();
    assert_same(&place.path("whole"), &place.path("parts"));
}

/// What becomes of the bytes of a file; none means that it is gone.
type Damage = fn(&[u8]) -> Vec<u8>;

#[test]
fn damaged_tables_are_named_and_written_again_on_demand() {
    let cut: Damage = |bytes| bytes[..bytes.len() / 2].to_vec();
    let garble: Damage = |bytes| {
        let mut garbled = bytes.to_vec();
        garbled[bytes.len() / 3] ^= 1;
        garbled
    };
    let damages: [(&str, &str, Damage); 4] = [
        ("log.csv", "of", cut),
        ("probes/gauge.csv", "has been changed", garble),
        ("frames.csv", "has been changed", garble),
        ("bodies.csv", "is missing", |_| Vec::new()),
    ];
    let place = stopped();
    let good = content(&place.path("parts"));
    for (table, words, damage) in damages {
        let path = place.path("parts").join(table);
        fs::remove_dir_all(place.path("parts")).unwrap();
        for (name, bytes) in &good {
            fs::create_dir_all(place.path("parts").join(name).parent().unwrap()).unwrap();
            fs::write(place.path("parts").join(name), bytes).unwrap();
        }
        match damage(&good[table]) {
            bytes if bytes.is_empty() => fs::remove_file(&path).unwrap(),
            bytes => fs::write(&path, bytes).unwrap(),
        }
        let message = place.refused(RESUME);
        assert!(message.contains(&format!("{table} ")) && message.contains(words), "{message}");
        assert!(!message.contains("--accept-lost-frames"), "{message}");
        place.paste(&message, "--repair");
        assert_same(&place.path("whole"), &place.path("parts"));
    }
}

#[test]
fn an_edited_scene_is_neither_put_back_nor_used_unasked() {
    let place = stopped();
    let (path, original) = (place.path("parts/scene.toml"), place.path("parts/was.toml"));
    let text = fs::read_to_string(&path).unwrap();
    let edited = text.replace("name = \"water\"", "name = \"water\"\ndensity = 900");
    assert!(edited != text);
    fs::write(&path, &edited).unwrap();
    let message = place.refused(RESUME);
    assert!(message.contains("scene.toml was edited"), "{message}");
    assert_eq!(fs::read_to_string(&path).unwrap(), edited);
    // As it was: the edited one goes out of the way.
    fs::rename(&path, &original).unwrap();
    place.succeed("run --resume --quiet --out parts");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    // As it is now.
    fs::rename(&original, &path).unwrap();
    let note = place.paste(&message, "--accept-changed-inputs");
    assert!(note.contains("as it was edited"), "{note}");
    assert!(fs::read_to_string(&path).unwrap().contains("density = 900"));
    place.succeed("run --resume --quiet --out parts");
}

/// A cube with a corner at the origin.
const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 1 5 8 4\nf 2 3 7 6\n";

const WITH_FILES: &str = r#"
simulation = { spacing = 0.1, duration = 0.25 }
[output]
frames_per_second = 20
snapshot_every = 2
[[fluid]]
name = "water"
[[fluid.fill]]
shape.particles = { file = "drops.csv" }
[[solid]]
name = "cube"
shape.mesh = { file = "meshes/cube.obj", scale = 0.4 }
"#;

#[test]
fn a_file_that_changed_since_the_run_began_is_named() {
    let place = Place::new();
    fs::create_dir(place.path("meshes")).unwrap();
    fs::write(place.path("meshes/cube.obj"), CUBE).unwrap();
    fs::write(place.path("drops.csv"), "x,y,z\n0.2,0.9,0.2\n0.3,0.9,0.2\n").unwrap();
    fs::write(place.path("files.toml"), WITH_FILES).unwrap();
    place.succeed("run files.toml --quiet --out whole");
    place.succeed("run files.toml --quiet --out parts");
    let info = fs::read_to_string(place.path("parts/run.json")).unwrap();
    assert!(info.contains("\"drops.csv\"") && info.contains("\"meshes/cube.obj\""), "{info}");
    for (file, other) in [
        ("meshes/cube.obj", CUBE.replace("v 1 1 1", "v 1 2 1")),
        ("drops.csv", "x,y,z\n0.2,0.9,0.2\n0.3,0.8,0.2\n".to_owned()),
    ] {
        let good = fs::read(place.path(file)).unwrap();
        fs::write(place.path(file), other).unwrap();
        let message = place.refused(RESUME);
        assert!(message.contains(&format!("{file} has other content")), "{message}");
        fs::remove_file(place.path(file)).unwrap();
        let message = place.refused(RESUME);
        assert!(message.contains(&format!("{file} is missing")), "{message}");
        assert!(!message.contains("--accept-changed-inputs"), "it would not help: {message}");
        let message = place.refused(&format!("{RESUME} --accept-changed-inputs"));
        assert!(message.contains("put them back"), "{message}");
        fs::write(place.path(file), good).unwrap();
    }
    place.succeed("run --resume --quiet --out parts");
    assert_same(&place.path("whole"), &place.path("parts"));
    // All of it moved: the message says where the run is told of the new place.
    fs::create_dir(place.path("new")).unwrap();
    for name in ["meshes", "drops.csv"] {
        fs::rename(place.path(name), place.path("new").join(name)).unwrap();
    }
    let message = place.refused(RESUME);
    assert!(message.contains("parts/run.json, `scene_directory`"), "{message}");
    let mut moved: serde_json::Value = serde_json::from_str(&info).unwrap();
    moved["scene_directory"] = place.path("new").to_str().unwrap().into();
    fs::write(place.path("parts/run.json"), moved.to_string()).unwrap();
    place.succeed("run --resume --quiet --out parts");
    for name in ["meshes", "drops.csv"] {
        fs::rename(place.path("new").join(name), place.path(name)).unwrap();
    }
    fs::write(place.path("parts/run.json"), &info).unwrap();
    fs::write(place.path("meshes/cube.obj"), CUBE.replace("v 1 1 1", "v 1 1 1.01")).unwrap();
    let message = place.refused(RESUME);
    let note = place.paste(&message, "--accept-changed-inputs");
    assert!(note.contains("cube.obj"), "{note}");
    place.succeed("run --resume --quiet --out parts");
}

#[test]
fn a_run_json_of_rubbish_is_named_with_what_to_do() {
    let place = Place::new();
    place.succeed("run small.toml --quiet --until 0.1 --out parts");
    for rubbish in [&b"no JSON"[..], b"", b"{}", b"[1, 2]", b"\xff\xfe\x00", b"{\"program\": 3}"] {
        fs::write(place.path("parts/run.json"), rubbish).unwrap();
        let message = place.refused("run --resume --quiet --out parts --until 0.2");
        assert!(message.contains("parts/run.json is damaged ("), "{message}");
        assert!(message.contains("put back a copy"), "{message}");
        assert!(message.contains("splashdown run parts/scene.toml --out"), "{message}");
        place.succeed("render parts --frame 2 --out picture.png");
    }
    // The least that the message says has to be in it is enough.
    let message = place.refused("run --resume --quiet --out parts --until 0.2");
    let (from, to) = (message.find('{').unwrap(), message.rfind('}').unwrap());
    let least = message[from..=to].replace("where files of the scene are", ".");
    fs::write(place.path("parts/run.json"), least).unwrap();
    place.succeed("run --resume --quiet --out parts --until 0.2");
}

/// A snapshot with other metadata and the right checksum.
fn forge(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let header = u64::from_le_bytes(bytes[24..32].try_into().unwrap()) as usize;
    let text = std::str::from_utf8(&bytes[32..32 + header]).unwrap();
    assert!(text.contains(from), "{text}");
    let mut text = text.replace(from, to);
    while !text.len().is_multiple_of(8) {
        text.push(' ');
    }
    let payload =
        [&(text.len() as u64).to_le_bytes(), text.as_bytes(), &bytes[32 + header..]].concat();
    let mut rest = bytes[12..16].to_vec();
    rest.extend((payload.len() as u64).to_le_bytes());
    rest.extend(payload);
    [&bytes[..8], &crc32(&rest).to_le_bytes(), rest.as_slice()].concat()
}

/// Bit by bit: the test has no need to be fast.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 > 0 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    let byte = |crc: u32, byte: &u8| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc));
    !bytes.iter().fold(!0, byte)
}

#[test]
fn snapshots_that_lie_are_passed_over() {
    let place = stopped();
    let newest = place.snapshots().pop().unwrap();
    let good = fs::read(&newest).unwrap();
    for next in ["13000000000", "12", "0", "18446744073709551615"] {
        let from = "\\\"next_frame\\\":13";
        fs::write(&newest, forge(&good, from, &format!("\\\"next_frame\\\":{next}"))).unwrap();
        let output = place.run("run --resume --quiet --out parts");
        let message = stderr(&output);
        assert!(output.status.success(), "{message}");
        assert!(message.contains("is not used") && message.contains("frame"), "{message}");
        assert!(fs::read(&newest).unwrap() == good, "the same state is reached again");
    }
    // The name lies.
    let lie = place.path("parts/snapshots/stop-000009999.snapshot");
    fs::write(&lie, &good).unwrap();
    let output = place.run(RESUME);
    assert!(output.status.success() && !lie.exists());
    assert!(stderr(&output).contains("its name says 9999"), "{}", stderr(&output));
    assert_same(&place.path("whole"), &place.path("parts"));
}

#[cfg(unix)]
#[test]
fn pipes_links_and_directories_are_no_snapshots() {
    let place = stopped();
    let newest = place.snapshots().pop().unwrap();
    let path = |step| place.path(&format!("parts/snapshots/step-{step:09}.snapshot"));
    let made = std::process::Command::new("mkfifo").arg(path(9001)).status();
    assert!(made.unwrap().success());
    std::os::unix::fs::symlink(&newest, path(9002)).unwrap();
    std::os::unix::fs::symlink("/dev/zero", path(9003)).unwrap();
    fs::create_dir(path(9004)).unwrap();
    let output = place.run(RESUME);
    let message = stderr(&output);
    assert!(output.status.success(), "{message}");
    for words in ["it is a pipe", "it is a link", "it is a directory"] {
        assert!(message.contains(words), "{message}");
    }
    for step in 9001..=9003 {
        fs::remove_file(path(step)).unwrap();
    }
    fs::remove_dir(path(9004)).unwrap();
    assert_same(&place.path("whole"), &place.path("parts"));
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_printed_is_an_error_and_a_closed_pipe_is_none() {
    let place = Place::new();
    for line in ["list", "show dam-break", "schema", "check small.toml", "--help", "--version"] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = place.command(line).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{line}");
        assert!(stderr(&output).contains("standard output"), "{line}: {}", stderr(&output));

        let mut child = place.command(line).stdout(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        assert!(child.wait().unwrap().success(), "{line}");
    }
}
