//! Stopping, killing and resuming runs of pretended physics.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::*;
use crate::output::resume::Consent;
use crate::output::run_directory::Existing;
use crate::output::testing::{fake_step, small_settings, small_world};
use splashdown_physics::error::{Moment, ParticleAt};

fn scene() -> SceneSource {
    SceneSource { name: "small".to_owned(), text: "a = 1\n".to_owned(), ..Default::default() }
}

fn start(path: &Path) -> Simulation {
    let directory = RunDirectory::create(path, Existing::Refuse).unwrap();
    let run = Simulation::create(scene(), small_world(), small_settings(), directory).unwrap();
    Simulation { step: fake_step, ..run }
}

fn resume(path: &Path) -> (Simulation, Vec<String>) {
    let stored = StoredRun::open(path, Consent::default()).unwrap();
    let (scene, notes) = (stored.scene.clone(), stored.notes.clone());
    let run = Simulation::resume(stored, scene, small_world(), small_settings()).unwrap();
    (Simulation { step: fake_step, ..run }, notes)
}

fn run_to_end(mut run: Simulation) {
    while !run.is_finished() {
        run.advance().unwrap();
    }
    run.finish().unwrap();
}

/// Every file below a directory with its bytes.
fn content(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap().path();
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let name = entry.strip_prefix(path).unwrap().to_string_lossy().into_owned();
                files.insert(name, fs::read(&entry).unwrap());
            }
        }
    }
    files
}

fn assert_same(a: &Path, b: &Path) {
    let (a, b) = (content(a), content(b));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (name, bytes) in &a {
        assert!(*bytes == b[name], "{name} differs");
    }
}

#[test]
fn frames_are_at_their_times_and_nothing_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    run_to_end(start(dir.path()));
    let files = content(dir.path());
    for k in 0..=12 {
        assert!(files.contains_key(&format!("vtk/fluid_{k:06}.vtp")), "frame {k}");
        assert!(files.contains_key(&format!("bgeo/fluid_{k:06}.bgeo")));
    }
    assert!(!files.contains_key("vtk/fluid_000013.vtp"));
    let gauge = String::from_utf8(files["probes/gauge.csv"].clone()).unwrap();
    let times: Vec<f64> =
        gauge.lines().skip(1).map(|l| l.split(',').next().unwrap().parse().unwrap()).collect();
    assert_eq!(times, (0..=12).map(|k| f64::from(k) / 10.0).collect::<Vec<_>>());
}

#[test]
fn a_stopped_and_resumed_run_leaves_the_same_bytes() {
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run_to_end(start(whole.path()));
    let mut run = start(parts.path());
    for steps in [1, 30, 7, 0, 25] {
        for _ in 0..steps {
            run.advance().unwrap();
        }
        run.finish().unwrap();
        run = resume(parts.path()).0;
    }
    run_to_end(run);
    assert_same(whole.path(), parts.path());
}

#[test]
fn a_killed_and_resumed_run_leaves_the_same_bytes() {
    let whole = tempfile::tempdir().unwrap();
    run_to_end(start(whole.path()));
    for steps in [0, 5, 24, 25, 26, 60, 90] {
        let parts = tempfile::tempdir().unwrap();
        let mut run = start(parts.path());
        for _ in 0..steps {
            run.advance().unwrap();
        }
        drop(run); // no snapshot, tables not flushed
        // What a kill in the middle of a write leaves behind.
        fs::write(parts.path().join("vtk/.fluid_000099.vtp.tmp"), "half").unwrap();
        fs::write(parts.path().join("snapshots/.step-000000099.snapshot.tmp"), "half").unwrap();
        let mut log = fs::read(parts.path().join("log.csv")).unwrap();
        log.extend_from_slice(b"12,0.3");
        fs::write(parts.path().join("log.csv"), log).unwrap();
        run_to_end(resume(parts.path()).0);
        assert_same(whole.path(), parts.path());
    }
}

#[test]
fn a_damaged_snapshot_costs_time_but_no_bytes() {
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run_to_end(start(whole.path()));
    let mut run = start(parts.path());
    for _ in 0..75 {
        run.advance().unwrap();
    }
    let newest = run.finish().unwrap();
    let mut bytes = fs::read(&newest).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(&newest, bytes).unwrap();
    let (run, notes) = resume(parts.path());
    assert!(notes[0].contains("checksum"), "{notes:?}");
    run_to_end(run);
    assert_same(whole.path(), parts.path());
}

#[test]
fn a_finished_run_can_be_made_longer() {
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run_to_end(start(whole.path()));
    let mut run = start(parts.path());
    run.settings.duration = 0.615;
    run_to_end(run);
    run_to_end(resume(parts.path()).0);
    assert_same(whole.path(), parts.path());
}

#[test]
fn a_failed_step_is_saved_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = start(dir.path());
    run.advance().unwrap();
    run.step = |world, _| {
        let position = world.particles.position[3];
        Err(StepError::Velocity {
            particle: Box::new(ParticleAt { object: "water".to_owned(), id: 103, position }),
            is_finite: false,
            when: Moment { time: world.clock.time, dt: 1e-5 },
        })
    };
    let message = run.advance().unwrap_err().to_string();
    for part in ["water", "103", "t = 0.0", "stop-000000001.snapshot"] {
        assert!(message.contains(part), "{message}");
    }
    drop(run);
    assert_eq!(resume(dir.path()).0.world().clock.step, 1);
}

#[test]
fn a_vanished_folder_stops_the_run_with_the_name_of_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = start(dir.path());
    run.writer.wait().unwrap();
    fs::remove_dir_all(dir.path().join("bgeo")).unwrap();
    let error = (0..1000).find_map(|_| run.advance().err()).unwrap().to_string();
    assert!(error.contains("bgeo/fluid_00000"), "{error}");
}

#[test]
fn unusable_snapshots_never_start_a_run_over_unasked() {
    let dir = tempfile::tempdir().unwrap();
    let run = start(dir.path());
    let snapshot = run.finish().unwrap();
    fs::write(snapshot, "rubbish").unwrap();
    let message = StoredRun::open(dir.path(), Consent::default()).unwrap_err().to_string();
    assert!(message.contains("--force") && message.contains("cut off"), "{message}");
}
