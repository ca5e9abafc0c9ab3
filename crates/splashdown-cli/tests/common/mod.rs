//! The real program on small scenes, in a directory of its own.

#![allow(dead_code)] // every test file uses its own part

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A small dam break in 2D, with probes and all formats.
pub(crate) const SCENE: &str = r#"
[simulation]
dimension = 2
spacing = 0.02
duration = 0.4

[output]
frames_per_second = 50
snapshot_every = 3
formats = ["vtk", "bgeo", "ply"]

[[fluid]]
name = "water"

[[fluid.fill]]
shape.box = { min = [0.0, 0.0], max = [0.3, 0.4] }

[[solid]]
name = "tank"
shape.tank = { min = [0.0, 0.0], max = [0.8, 0.6] }

[[probe]]
name = "gauge"
quantity = "level"
at = [0.1, 0.0]

[[probe]]
name = "sensor"
quantity = "pressure"
at = [0.1, 0.1]
"#;

/// A directory with the scene in it, in which commands are run.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        fs::write(place.path("small.toml"), SCENE).unwrap();
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_splashdown"));
        command.args(line.split(' ').filter(|word| !word.is_empty()));
        command.current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    pub(crate) fn succeed(&self, line: &str) -> String {
        let output = self.run(line);
        assert!(output.status.success(), "{line}\n{}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn start(&self, line: &str) -> Child {
        self.command(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Every file below a directory with its bytes, but for the one that tells how fast the machine
/// was.
pub(crate) fn content(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap().path();
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let name = entry.strip_prefix(path).unwrap().to_string_lossy().into_owned();
                if name != "timing.json" {
                    files.insert(name, fs::read(&entry).unwrap());
                }
            }
        }
    }
    files
}

pub(crate) fn assert_same(a: &Path, b: &Path) {
    let (a, b) = (content(a), content(b));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (name, bytes) in &a {
        assert!(*bytes == b[name], "{name} differs");
    }
}

/// Waits until the run in `directory` has written its frame `index`, or has ended.
pub(crate) fn wait_for_frame(child: &mut Child, directory: &Path, index: u64) {
    let frame = directory.join(format!("vtk/fluid_{index:06}.vtp"));
    let start = Instant::now();
    while !frame.exists() && child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_secs(120), "frame {index} never came");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(unix)]
pub(crate) fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(status.is_ok());
}
