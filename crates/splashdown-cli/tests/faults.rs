//! In the spirit of SQLite: the n-th file operation of a short run fails, or is the last of a
//! program that is killed. Whatever n is, the run can be gone on with, and ends with the same
//! bytes.

mod common;

use std::fs;
use std::process::Output;

use common::*;

/// The small scene, smaller still.
fn tiny() -> String {
    let mut scene = SCENE.to_owned();
    for (from, to) in [
        ("spacing = 0.02", "spacing = 0.1"),
        ("duration = 0.4", "duration = 0.08"),
        ("snapshot_every = 3", "snapshot_every = 2"),
    ] {
        assert!(scene.contains(from), "{from}");
        scene = scene.replace(from, to);
    }
    scene
}

/// Operations from one fault to the next; prime, so that it is another kind of operation each time.
const STRIDE: usize = 11;

struct Faults {
    place: Place,
    /// File operations of a run without faults, about: two threads take turns.
    operations: usize,
}

impl Faults {
    fn new() -> Faults {
        let place = Place::new();
        fs::write(place.path("tiny.toml"), tiny()).unwrap();
        place.succeed("run tiny.toml --quiet --out whole");
        let trace = with_fault(&place, "run tiny.toml --quiet --out traced", "trace:1");
        assert_same(&place.path("whole"), &place.path("traced"));
        let operations = stderr(&trace).lines().filter(|line| !line.starts_with("wrote ")).count();
        assert!(operations > 200, "{operations}");
        Faults { place, operations }
    }

    /// Goes on after a fault as the messages say, and compares what comes out.
    fn go_on(&self, out: &str, fault: &str) {
        let directory = self.place.path(out);
        if directory.join("scene.toml").exists() {
            self.place.succeed(&format!("run --resume --quiet --out {out}"));
        } else {
            let refused = self.place.run(&format!("run --resume --quiet --out {out}"));
            let message = stderr(&refused);
            assert_eq!(refused.status.code(), Some(2), "{fault}: {message}");
            assert!(message.contains("start one without --resume"), "{fault}: {message}");
            self.place.succeed(&format!("run tiny.toml --quiet --out {out}"));
        }
        assert_same(&self.place.path("whole"), &directory);
        fs::remove_dir_all(directory).unwrap();
    }
}

fn with_fault(place: &Place, line: &str, fault: &str) -> Output {
    place.command(line).env("SPLASHDOWN_FAULT", fault).output().unwrap()
}

#[test]
fn a_run_killed_at_any_file_operation_goes_on_to_the_same_bytes() {
    let faults = Faults::new();
    for n in (1..=faults.operations).step_by(STRIDE) {
        let fault = format!("kill:{n}");
        let killed = with_fault(&faults.place, "run tiny.toml --quiet --out x", &fault);
        assert!([Some(137), Some(0)].contains(&killed.status.code()), "{fault}: {killed:?}");
        // And again while it is resumed, if it can be.
        let again = format!("kill:{}", n % 37 + 1);
        with_fault(&faults.place, "run --resume --quiet --out x", &again);
        faults.go_on("x", &fault);
    }
}

#[test]
fn a_run_whose_disk_fails_at_any_file_operation_says_so_and_goes_on_to_the_same_bytes() {
    let faults = Faults::new();
    for (k, n) in (2..=faults.operations).step_by(STRIDE).enumerate() {
        let fault = format!("{}:{n}", if k % 2 == 0 { "error" } else { "full" });
        let failed = with_fault(&faults.place, "run tiny.toml --quiet --out x", &fault);
        let message = stderr(&failed);
        match failed.status.code() {
            // Some operations have another way: a list that cannot be opened is written anew.
            Some(0) => {}
            Some(1) => assert!(message.contains("error: cannot "), "{fault}: {message}"),
            code => panic!("{fault}: {code:?}\n{message}"),
        }
        let left = content(&faults.place.path(""));
        let half = left.keys().find(|name| name.ends_with(".tmp"));
        assert_eq!(half, None, "{fault}: {message}");
        faults.go_on("x", &fault);
    }
}

#[test]
fn names_are_synced_and_lists_of_frames_cost_their_length() {
    let faults = Faults::new();
    let line = "run tiny.toml --quiet --until 1 --out long";
    let trace = stderr(&with_fault(&faults.place, line, "trace:1"));
    let place_of = |line: &str| trace.lines().position(|l| l == line).expect(line);
    for table in ["log.csv", "bodies.csv", "frames.csv", "probes/gauge.csv"] {
        let made = place_of(&format!("create long/{table} 0"));
        let synced = place_of(&format!("sync the name of long/{table} 0"));
        assert!(made < synced, "{table}");
    }
    place_of("sync the name of long/probes 0");
    place_of("sync the name of long 0");
    let written: usize = trace
        .lines()
        .filter_map(|line| line.strip_prefix("wrote long/")?.strip_prefix("fluid.pvd "))
        .map(|bytes| bytes.parse::<usize>().unwrap())
        .sum();
    let length = fs::read(faults.place.path("long/fluid.pvd")).unwrap().len();
    // 51 frames: every entry once, with the closing lines.
    assert!(written > 0 && written < 2 * length, "{written} bytes for {length}");
}
