//! The same bytes whatever the number of threads, and whether or not the run was interrupted.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::folder::Folder;
use super::run::in_dimension;
use super::{Case, Cost, Report};
use crate::output::driver::Simulation;
use crate::output::resume::{Consent, StoredRun};
use crate::output::run_directory::{Existing, RunDirectory, SceneSource};
use crate::scene::Scene;

pub(super) const RESTART: Case = Case {
    name: "restart",
    summary: "a run that is stopped and resumed writes the same bytes as one that is not",
    source: "byte comparison of all outputs",
    by_name: false,
    cost: Cost::Seconds,
    run: restart,
};

pub(super) const THREADS: Case = Case {
    name: "threads",
    summary: "1, 2, 3 and 8 threads give the same bits after 100 steps",
    source: "byte comparison of all outputs and of the whole state",
    by_name: false,
    cost: Cost::Seconds,
    run: threads,
};

/// Small, but with everything in it that has a state: two fluids, a moving wall, an emitter, a
/// sink.
const SCENE: &str = include_str!("../../validation/repeatable.toml");
/// Bodies of every kind that deforms fall into water.
const SOFT: &str = include_str!("../../validation/wet-repeatable.toml");

/// What is run in several ways.
struct Trial {
    name: &'static str,
    text: String,
    overrides: Vec<String>,
}

fn trials() -> [Trial; 8] {
    let soft = |name: &'static str, solver: &str| {
        let overrides = vec![format!("pressure.solver={solver}")];
        Trial { name, text: SOFT.to_owned(), overrides }
    };
    let plain = |name: &'static str, dimension: u32| Trial {
        name,
        text: in_dimension(SCENE, dimension),
        overrides: Vec::new(),
    };
    let grid = |name: &'static str, dimension: u32| {
        let inviscid = "fluid.oil.viscosity={ none = {} }".to_owned();
        let overrides = vec!["coupling.method=elastomonolith".to_owned(), inviscid];
        Trial { overrides, ..plain(name, dimension) }
    };
    let overrides = vec!["pressure.solver=variational".to_owned()];
    let variational = Trial { name: "2D, variational", overrides, ..plain("2D", 2) };
    [
        plain("2D", 2),
        plain("3D", 3),
        variational,
        grid("2D, on a grid", 2),
        grid("3D, on a grid", 3),
        soft("soft bodies, dfsph", "dfsph"),
        soft("soft bodies, iisph", "iisph"),
        soft("soft bodies, variational", "variational"),
    ]
}

fn scene(trial: &Trial) -> Result<Scene, String> {
    let Trial { text, overrides, .. } = trial;
    Scene::parse("repeatable", text, Path::new("."), overrides).map_err(|e| e.to_string())
}

fn source(scene: &Scene) -> SceneSource {
    SceneSource {
        name: scene.name.clone(),
        text: scene.text.clone(),
        directory: scene.directory.clone(),
        inputs: Vec::new(),
    }
}

fn start(trial: &Trial, path: &Path) -> Result<Simulation, String> {
    let scene = scene(trial)?;
    let built = scene.build().map_err(|e| e.to_string())?;
    let directory = RunDirectory::create(path, Existing::Replace).map_err(|e| e.to_string())?;
    Simulation::create(source(&scene), built.world, built.output, directory)
        .map_err(|e| e.to_string())
}

fn resume(trial: &Trial, path: &Path) -> Result<Simulation, String> {
    let scene = scene(trial)?;
    let built = scene.build().map_err(|e| e.to_string())?;
    let stored = StoredRun::open(path, Consent::default()).map_err(|e| e.to_string())?;
    Simulation::resume(stored, source(&scene), built.world, built.output).map_err(|e| e.to_string())
}

/// Steps until `steps` are done or the run is over.
fn steps(simulation: &mut Simulation, steps: u64) -> Result<(), String> {
    while !simulation.is_finished() && simulation.world().clock.step < steps {
        simulation.advance().map_err(|e| e.to_string())?;
    }
    Ok(())
}

fn restart(report: &mut Report) -> Result<(), String> {
    let folder = Folder::new("restart")?;
    for trial in &trials() {
        let name = trial.name;
        let (whole, parts) = (folder.path.join("whole"), folder.path.join("parts"));
        let mut run = start(trial, &whole)?;
        steps(&mut run, u64::MAX)?;
        run.finish().map_err(|e| e.to_string())?;

        // Stopped in order after 17 steps; then dropped in the middle of things after 40, as a
        // crash would; each time resumed with another number of threads.
        let mut run = start(trial, &parts)?;
        steps(&mut run, 17)?;
        run.finish().map_err(|e| e.to_string())?;
        with_threads(3, || {
            let mut run = resume(trial, &parts)?;
            steps(&mut run, 40)
        })?;
        with_threads(1, || {
            let mut run = resume(trial, &parts)?;
            steps(&mut run, u64::MAX)?;
            run.finish().map_err(|e| e.to_string()).map(|_| ())
        })?;
        let different = differences(&contents(&whole)?, &contents(&parts)?);
        report.at_most(format!("{name}: files that differ"), different, 0.0);
    }
    Ok(())
}

fn threads(report: &mut Report) -> Result<(), String> {
    let folder = Folder::new("threads")?;
    for trial in &trials() {
        let name = trial.name;
        let mut first: Option<BTreeMap<PathBuf, Vec<u8>>> = None;
        for count in [1, 2, 3, 8] {
            let path = folder.path.join(format!("{name}, {count}"));
            with_threads(count, || {
                let mut run = start(trial, &path)?;
                steps(&mut run, 100)?;
                run.finish().map_err(|e| e.to_string()).map(|_| ())
            })?;
            let written = contents(&path)?;
            match &first {
                None => first = Some(written),
                Some(first) => report.at_most(
                    format!("{name}, {count} threads against 1: files that differ"),
                    differences(first, &written),
                    0.0,
                ),
            }
        }
    }
    Ok(())
}

fn with_threads<T: Send>(
    count: usize,
    work: impl FnOnce() -> Result<T, String> + Send,
) -> Result<T, String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
    pool.map_err(|e| e.to_string())?.install(work)
}

/// All files below a directory. Of the snapshots, which come at other moments in an interrupted
/// run, only the last counts.
fn contents(directory: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>, String> {
    let mut files = BTreeMap::new();
    let mut open = vec![directory.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).map_err(|e| e.to_string())? {
            let path = entry.map_err(|e| e.to_string())?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(directory).map_err(|e| e.to_string())?.to_owned();
                files.insert(name, fs::read(&path).map_err(|e| e.to_string())?);
            }
        }
    }
    let in_snapshots = |name: &Path| name.starts_with("snapshots");
    let last = files.keys().rfind(|name| in_snapshots(name)).cloned();
    files.retain(|name, _| !in_snapshots(name) || Some(name) == last.as_ref());
    Ok(files)
}

fn differences(a: &BTreeMap<PathBuf, Vec<u8>>, b: &BTreeMap<PathBuf, Vec<u8>>) -> f64 {
    let names: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
    names.into_iter().filter(|name| a.get(*name) != b.get(*name)).count() as f64
}
