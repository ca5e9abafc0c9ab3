//! The directory of a run: who may write there, and which files are ours.
//!
//! ```text
//! scene.toml  run.json           what was run
//! log.csv  bodies.csv  elastic.csv  probes/  tables
//! frame-0042.png                 pictures
//! fluid.pvd  solids.pvd  elastic.pvd  vtk/   for ParaView
//! bgeo/  ply/                    for Houdini and others
//! surface/                       liquid surfaces
//! snapshots/                     for resuming
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::atomic;
use super::error::{At, RunError};
use super::lock::{self, Lock};
use super::settings::{Format, OutputSettings};
use super::snapshot;
use super::writer::{SURFACES, folder_and_extension, frame_index, picture_index, surface_index};

const FORMATS: [Format; 3] = [Format::Vtk, Format::Bgeo, Format::Ply];

/// What to do with a directory that is not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Refuse, and say what can be done.
    Refuse,
    /// Remove the results of an earlier run; files of others stay.
    Replace,
}

/// The scene of a run, as it was run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SceneSource {
    /// Its name.
    pub name: String,
    /// The effective TOML, with all overrides.
    pub text: String,
    /// Where files it mentions are looked for.
    pub directory: PathBuf,
}

/// A directory that this process alone writes to.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    _lock: Lock,
}

/// The content of `run.json`.
#[derive(Serialize, Deserialize)]
struct RunInfo {
    program: String,
    version: String,
    scene: String,
    scene_directory: PathBuf,
}

impl RunDirectory {
    /// Makes a directory for a new run.
    pub fn create(path: &Path, existing: Existing) -> Result<RunDirectory, RunError> {
        fs::create_dir_all(path).at("create", path)?;
        let directory = RunDirectory { path: path.to_owned(), _lock: Lock::take(path)? };
        match existing {
            Existing::Replace => directory.clear()?,
            Existing::Refuse if is_free(path)? => {}
            Existing::Refuse => {
                return Err(RunError::Directory(format!(
                    "{} is not empty: continue the run in it with --resume, replace it with \
                     --force, or choose another directory with --out",
                    path.display()
                )));
            }
        }
        Ok(directory)
    }

    /// Opens the directory of an earlier run.
    pub fn open(path: &Path) -> Result<RunDirectory, RunError> {
        if !path.join("scene.toml").is_file() {
            return Err(RunError::Directory(format!(
                "there is no run to resume in {}: start one without --resume",
                path.display()
            )));
        }
        Ok(RunDirectory { path: path.to_owned(), _lock: Lock::take(path)? })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the folders that the settings need.
    pub fn make_folders(&self, settings: &OutputSettings) -> Result<(), RunError> {
        let frames = settings.formats.iter().map(|&format| folder_and_extension(format).0);
        let probes = (!settings.probes.is_empty()).then_some("probes");
        let surfaces = settings.surface.then_some(SURFACES);
        for folder in frames.chain(probes).chain(surfaces).chain(["snapshots"]) {
            let path = self.path.join(folder);
            fs::create_dir_all(&path).at("create", &path)?;
        }
        Ok(())
    }

    /// Records what is run.
    pub fn write_scene(&self, scene: &SceneSource) -> Result<(), RunError> {
        let info = RunInfo {
            program: "splashdown".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scene: scene.name.clone(),
            scene_directory: scene.directory.clone(),
        };
        let path = self.path.join("run.json");
        let json = serde_json::to_string_pretty(&info).map_err(std::io::Error::other);
        atomic::write_bytes(&path, (json.at("write", &path)? + "\n").as_bytes())?;
        // Last: a directory with a scene.toml can be resumed.
        atomic::write_bytes(&self.path.join("scene.toml"), scene.text.as_bytes())
    }

    /// Reads what was run.
    pub fn read_scene(&self) -> Result<SceneSource, RunError> {
        let path = self.path.join("run.json");
        let json = fs::read_to_string(&path).at("read", &path)?;
        let info: RunInfo =
            serde_json::from_str(&json).map_err(std::io::Error::other).at("read", &path)?;
        let path = self.path.join("scene.toml");
        let text = fs::read_to_string(&path).at("read", &path)?;
        Ok(SceneSource { name: info.scene, text, directory: info.scene_directory })
    }

    /// Removes what a killed run left half done, and all frames from number `frame` on.
    pub fn remove_after(&self, frame: u64) -> Result<(), RunError> {
        for folder in ["", "vtk", "bgeo", "ply", SURFACES, "probes", "snapshots"] {
            remove_files(&self.path.join(folder), |path| {
                path.file_name().is_some_and(|name| atomic::is_temporary(&name.to_string_lossy()))
            })?;
        }
        for format in FORMATS {
            let folder = self.path.join(folder_and_extension(format).0);
            remove_files(&folder, |path| frame_index(format, path).is_some_and(|k| k >= frame))?;
        }
        let surfaces = self.path.join(SURFACES);
        remove_files(&surfaces, |path| surface_index(path).is_some_and(|k| k >= frame))?;
        remove_files(&self.path, |path| picture_index(path).is_some_and(|k| k >= frame))
    }

    /// Removes snapshots later than `step`.
    pub fn remove_snapshots_after(&self, step: u64) -> Result<(), RunError> {
        for entry in snapshot::list(&self.path.join("snapshots"))? {
            if entry.step > step {
                fs::remove_file(&entry.path).at("remove", &entry.path)?;
            }
        }
        Ok(())
    }

    /// Removes all results of an earlier run, first what would make it look like one.
    fn clear(&self) -> Result<(), RunError> {
        let is_named = |names: &'static [&str]| {
            move |path: &Path| names.iter().any(|name| path.file_name() == Some(name.as_ref()))
        };
        let has_extension = |extension: &'static str| {
            move |path: &Path| path.extension() == Some(extension.as_ref())
        };
        remove_files(&self.path, is_named(&["scene.toml", "run.json"]))?;
        remove_files(&self.path.join("snapshots"), has_extension("snapshot"))?;
        self.remove_after(0)?;
        remove_files(&self.path.join("vtk"), is_named(&["fixed.vtp"]))?;
        remove_files(&self.path.join("probes"), has_extension("csv"))?;
        let tables = &[
            "fluid.pvd",
            "solids.pvd",
            "elastic.pvd",
            "log.csv",
            "bodies.csv",
            "elastic.csv",
            "timing.json",
            "report.html",
        ];
        remove_files(&self.path, is_named(tables))?;
        for folder in ["vtk", "bgeo", "ply", SURFACES, "probes", "snapshots"] {
            // Only succeeds, and only should, if nothing of others is in there.
            let _ = fs::remove_dir(self.path.join(folder));
        }
        Ok(())
    }
}

/// Whether a directory does not exist or holds nothing but perhaps a lock.
pub fn is_free(path: &Path) -> Result<bool, RunError> {
    let entries = match fs::read_dir(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(true),
        other => other.at("list", path)?,
    };
    for entry in entries {
        if entry.at("list", path)?.file_name() != lock::FILE {
            return Ok(false);
        }
    }
    Ok(true)
}

fn remove_files(directory: &Path, condemned: impl Fn(&Path) -> bool) -> Result<(), RunError> {
    let entries = match fs::read_dir(directory) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        other => other.at("list", directory)?,
    };
    for entry in entries {
        let path = entry.at("list", directory)?.path();
        if condemned(&path) && path.is_file() {
            fs::remove_file(&path).at("remove", &path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_with_content_is_refused_with_advice() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("thesis.tex"), "precious").unwrap();
        let message = RunDirectory::create(dir.path(), Existing::Refuse).unwrap_err().to_string();
        assert!(message.contains("--resume") && message.contains("--force"), "{message}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn replacing_a_run_spares_the_files_of_others() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::create_dir(path("vtk")).unwrap();
        fs::create_dir(path("ply")).unwrap();
        for name in ["thesis.tex", "vtk/mine.vtp", "vtk/fluid_000001.vtp", "ply/fluid_000001.ply"] {
            fs::write(path(name), "x").unwrap();
        }
        fs::write(path("log.csv"), "x").unwrap();
        fs::create_dir(path("surface")).unwrap();
        fs::write(path("surface/water_000001.ply"), "x").unwrap();
        drop(RunDirectory::create(dir.path(), Existing::Replace).unwrap());
        assert!(path("thesis.tex").exists() && path("vtk/mine.vtp").exists());
        assert!(!path("vtk/fluid_000001.vtp").exists() && !path("log.csv").exists());
        assert!(!path("ply").exists() && !path("surface").exists());
    }

    #[test]
    fn the_scene_reads_back_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let run = RunDirectory::create(&dir.path().join("a/b"), Existing::Refuse).unwrap();
        let scene = SceneSource {
            name: "dam".to_owned(),
            text: "x = \"ü\"\n".to_owned(),
            directory: PathBuf::from("/scenes"),
        };
        run.write_scene(&scene).unwrap();
        assert_eq!(run.read_scene().unwrap(), scene);
    }
}
