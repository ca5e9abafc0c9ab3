//! An earlier run, found in its directory and ready to go on.

use std::path::Path;

use super::error::RunError;
use super::run_directory::{RunDirectory, SceneSource};
use super::snapshot::{self, Entry, Newest, Snapshot};

/// An earlier run. Build a World from `scene` and hand both to `Simulation::resume`.
#[derive(Debug)]
pub struct StoredRun {
    /// Its directory, locked.
    pub directory: RunDirectory,
    /// What it ran.
    pub scene: SceneSource,
    /// The newest usable snapshot; none if the run was stopped before its first.
    pub snapshot: Option<(Entry, Snapshot)>,
    /// What the user should know.
    pub notes: Vec<String>,
}

impl StoredRun {
    /// Looks for the newest usable snapshot of the run in `path`.
    pub fn open(path: &Path) -> Result<StoredRun, RunError> {
        let directory = RunDirectory::open(path)?;
        let mut scene = directory.read_scene()?;
        let snapshots = path.join("snapshots");
        let accept = |snapshot: &Snapshot| tables_are_long_enough(path, snapshot);
        let Newest { found: snapshot, mut notes } = snapshot::load_newest(&snapshots, accept)?;
        match &snapshot {
            Some((_, Snapshot { metadata, .. })) => {
                scene.text.clone_from(&metadata.scene);
                let version = env!("CARGO_PKG_VERSION");
                if metadata.version != version {
                    notes.push(format!(
                        "the run was started by version {}, this is {version}: \
                         results may differ from here on",
                        metadata.version
                    ));
                }
            }
            // Starting over would throw away what the unreadable snapshots stand for: ask first.
            None if !notes.is_empty() => {
                return Err(RunError::Directory(format!(
                    "{}\nno snapshot in {} can be used: start again from the beginning with --force",
                    notes.join("\n"),
                    snapshots.display()
                )));
            }
            None => notes.push("there is no snapshot yet: starting from the beginning".to_owned()),
        }
        Ok(StoredRun { directory, scene, snapshot, notes })
    }
}

fn tables_are_long_enough(directory: &Path, snapshot: &Snapshot) -> Result<(), String> {
    for (file, &bytes) in &snapshot.metadata.files {
        let path = directory.join(file);
        let length = std::fs::metadata(&path).map(|m| m.len()).unwrap_or(0);
        if length < bytes {
            return Err(format!("{} has {length} of {bytes} bytes", path.display()));
        }
    }
    Ok(())
}
