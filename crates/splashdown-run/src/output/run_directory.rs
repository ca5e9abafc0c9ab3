//! The directory of a run: who may write there, and which files are ours.
//!
//! ```text
//! scene.toml  run.json           what was run
//! frames.csv                     the files of all frames
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

use super::error::{At, RunError};
use super::fingerprint::{self, Fingerprint};
use super::formats::{self, Format};
use super::lock::{self, Lock};
use super::made;
use super::settings::OutputSettings;
use super::snapshot::{self, Entry};
use super::writer::{FIXED, SURFACES, TIME_SERIES, picture_index, surface_index};
use super::{atomic, disk, ledger};

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
    /// These files, as it names them.
    pub inputs: Vec<String>,
}

/// A directory that this process alone writes to.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    _lock: Lock,
}

/// The content of `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    program: String,
    version: String,
    /// Name of the scene.
    pub scene: String,
    /// Where files it mentions are looked for.
    pub scene_directory: PathBuf,
    /// Fingerprint of `scene.toml`; runs of earlier versions have none.
    #[serde(default)]
    pub scene_sha256: Option<String>,
    /// Frame k is at k / so many seconds.
    #[serde(default)]
    pub frames_per_second: Option<f64>,
    /// The files that the scene mentions.
    #[serde(default)]
    pub inputs: Vec<Fingerprint>,
}

const PROGRAM: &str = "splashdown";
const SCENE: &str = "scene.toml";
pub(crate) const INFO: &str = "run.json";
/// All that has to be in it.
const LEAST_INFO: &str = "{\"program\": \"splashdown\", \"version\": \"\", \"scene\": \"its \
                          name\", \"scene_directory\": \"where files of the scene are\"}";

impl RunDirectory {
    /// Makes a directory for a new run.
    pub fn create(path: &Path, existing: Existing) -> Result<RunDirectory, RunError> {
        disk::create_directories(path).at("create", path)?;
        let directory = RunDirectory { path: path.to_owned(), _lock: Lock::take(path)? };
        match existing {
            Existing::Replace => directory.clear()?,
            Existing::Refuse if is_free(path)? => {}
            Existing::Refuse => return Err(RunError::Directory(directory.what_to_do())),
        }
        Ok(directory)
    }

    /// Opens the directory of an earlier run.
    pub fn open(path: &Path) -> Result<RunDirectory, RunError> {
        if !path.is_dir() || is_free(path)? {
            return Err(RunError::Directory(format!(
                "there is no run to resume in {}: start one without --resume",
                path.display()
            )));
        }
        let directory = RunDirectory { path: path.to_owned(), _lock: Lock::take(path)? };
        if directory.holds_a_run()? {
            return Ok(directory);
        }
        Err(RunError::Directory(directory.what_to_do()))
    }

    /// Whether there is what `--resume` needs. A scene that was removed is in the snapshots, too.
    fn holds_a_run(&self) -> Result<bool, RunError> {
        let has = |name: &str| self.path.join(name).is_file();
        let has_snapshots = || snapshot::list(&self.path.join("snapshots")).map(|s| !s.is_empty());
        Ok(has(INFO) && (has(SCENE) || has_snapshots()?))
    }

    /// What can be done about a directory that is not empty.
    fn what_to_do(&self) -> String {
        let path = self.path.display();
        match self.holds_a_run() {
            Ok(true) => format!(
                "{path} is not empty: continue the run in it with --resume, replace it with \
                 --force, or choose another directory with --out"
            ),
            _ => format!(
                "{path} is not empty, and there is no run in it that could be resumed: start one \
                 without --resume and with --force, which replaces the results of an earlier run \
                 and leaves all other files alone, or choose another directory with --out"
            ),
        }
    }

    /// Path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the folders that the settings need.
    pub fn make_folders(&self, settings: &OutputSettings) -> Result<(), RunError> {
        let frames = settings.formats.iter().map(|format| format.name());
        let probes = (!settings.probes.is_empty()).then_some("probes");
        let surfaces = settings.surface.then_some(SURFACES);
        for folder in frames.chain(probes).chain(surfaces).chain(["snapshots"]) {
            let path = self.path.join(folder);
            disk::create_directories(&path).at("create", &path)?;
        }
        Ok(())
    }

    /// Records what is run, with fingerprints of all files that it reads.
    pub fn write_scene(&self, scene: &SceneSource, frames_per_second: f64) -> Result<(), RunError> {
        let take = |file: &String| {
            let path = scene.directory.join(file);
            Fingerprint::take(&scene.directory, file).at("read", &path)
        };
        let info = RunInfo {
            program: PROGRAM.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scene: scene.name.clone(),
            scene_directory: scene.directory.clone(),
            scene_sha256: Some(fingerprint::of_text(&scene.text)),
            frames_per_second: Some(frames_per_second),
            inputs: scene.inputs.iter().map(take).collect::<Result<_, _>>()?,
        };
        let path = self.path.join(INFO);
        let json = serde_json::to_string_pretty(&info).map_err(std::io::Error::other);
        atomic::write_bytes(&path, (json.at("write", &path)? + "\n").as_bytes())?;
        // Last: a directory with a scene.toml can be resumed.
        atomic::write_bytes(&self.path.join(SCENE), scene.text.as_bytes())
    }

    /// Reads what is known about the run.
    pub fn read_info(&self) -> Result<RunInfo, RunError> {
        let path = self.path.join(INFO);
        let bytes = disk::read(&path).at("read", &path)?;
        serde_json::from_slice(&bytes).map_err(|error| {
            RunError::Directory(format!(
                "{} is damaged ({error}): put back a copy of it, or replace what is in it by {}, \
                 or start a new run with splashdown run {} --out ELSEWHERE",
                path.display(),
                LEAST_INFO,
                super::resume::quoted(&self.path.join(SCENE)),
            ))
        })
    }

    /// Reads the scene; none if somebody has removed it.
    pub fn read_scene(&self) -> Result<Option<String>, RunError> {
        let path = self.path.join(SCENE);
        match disk::read_text(&path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            other => other.at("read", &path).map(Some),
        }
    }

    /// Removes what a killed run left half done, and all frames from number `frame` on.
    pub fn remove_after(&self, frame: u64) -> Result<(), RunError> {
        for folder in made::folders().chain([""]) {
            remove_files(&self.path.join(folder), |path| {
                path.file_name().is_some_and(|name| atomic::is_temporary(&name.to_string_lossy()))
            })?;
        }
        for format in formats::ALL {
            let frame_of = |path: &Path| format.frame_of(path.file_name()?.to_str()?);
            let folder = self.path.join(format.name());
            remove_files(&folder, |path| frame_of(path).is_some_and(|k| k >= frame))?;
        }
        let surfaces = self.path.join(SURFACES);
        remove_files(&surfaces, |path| surface_index(path).is_some_and(|k| k >= frame))?;
        remove_files(&self.path, |path| {
            picture_index(path).is_some_and(|k| k >= frame) && made::is_made(path)
        })
    }

    /// Removes snapshots that are newer than one, or all, newest first.
    pub fn remove_snapshots_after(&self, kept: Option<&Entry>) -> Result<(), RunError> {
        let entries = snapshot::list(&self.path.join("snapshots"))?;
        entries.iter().take_while(|entry| Some(*entry) != kept).try_for_each(Entry::remove)
    }

    /// Removes all results of an earlier run, first what would make it look like one.
    fn clear(&self) -> Result<(), RunError> {
        let is_named = |names: &'static [&str]| {
            move |path: &Path| names.iter().any(|name| path.file_name() == Some(name.as_ref()))
        };
        let has_extension = |extension: &'static str| {
            move |path: &Path| path.extension() == Some(extension.as_ref())
        };
        remove_files(&self.path, is_named(&[SCENE, INFO]))?;
        remove_files(&self.path.join("snapshots"), has_extension("snapshot"))?;
        self.remove_after(0)?;
        remove_files(&self.path.join(Format::VTK.name()), |path| path.ends_with(FIXED))?;
        remove_files(&self.path.join("probes"), has_extension("csv"))?;
        remove_files(&self.path, is_named(&TIME_SERIES))?;
        let tables = &["log.csv", "bodies.csv", "elastic.csv", ledger::FILE, "timing.json"];
        remove_files(&self.path, is_named(tables))?;
        remove_files(&self.path, |p| is_named(&["report.html"])(p) && made::is_made(p))?;
        for folder in made::folders() {
            // Only succeeds, and only should, if nothing of others is in there.
            let _ = fs::remove_dir(self.path.join(folder));
        }
        Ok(())
    }
}

/// The name of the scene that was run in a directory, if a plain `run.json` there says so.
pub fn scene_name(directory: &Path) -> Option<String> {
    let path = directory.join("run.json");
    // Not through a link: the viewer shows what it finds, and may show files of the run only.
    if !fs::symlink_metadata(&path).is_ok_and(|entry| entry.is_file()) {
        return None;
    }
    let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(path).ok()?).ok()?;
    json.get("scene")?.as_str().map(str::to_owned)
}

/// Whether a directory does not exist or holds nothing but what a run leaves that was killed before
/// its scene was written: perhaps a lock, perhaps a `run.json`.
pub fn is_free(path: &Path) -> Result<bool, RunError> {
    let entries = match fs::read_dir(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(true),
        other => other.at("list", path)?,
    };
    for entry in entries {
        let entry = entry.at("list", path)?;
        let is_ours = match entry.file_name().to_str() {
            Some(lock::FILE | ".run.json.tmp" | ".scene.toml.tmp") => true,
            Some(INFO) => is_of_a_run(&entry.path()),
            _ => false,
        };
        if !is_ours {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_of_a_run(info: &Path) -> bool {
    let text = disk::read_text(info).ok();
    let info = text.and_then(|text| serde_json::from_str::<RunInfo>(&text).ok());
    info.is_some_and(|info| info.program == PROGRAM)
}

fn remove_files(directory: &Path, condemned: impl Fn(&Path) -> bool) -> Result<(), RunError> {
    let entries = match fs::read_dir(directory) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        other => other.at("list", directory)?,
    };
    for entry in entries {
        let path = entry.at("list", directory)?.path();
        if condemned(&path) && path.is_file() {
            disk::remove_file(&path).at("remove", &path)?;
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
        // Pictures and reports that were made from the run go with it, others stay.
        fs::write(path("frame-0001.png"), "mine").unwrap();
        fs::write(path("report.html"), "mine").unwrap();
        made::write(&path("frame-0002.png"), made::MARK.into(), false).unwrap();
        drop(RunDirectory::create(dir.path(), Existing::Replace).unwrap());
        assert!(path("thesis.tex").exists() && path("vtk/mine.vtp").exists());
        assert!(!path("vtk/fluid_000001.vtp").exists() && !path("log.csv").exists());
        assert!(!path("ply").exists() && !path("surface").exists());
        assert!(path("frame-0001.png").exists() && path("report.html").exists());
        assert!(!path("frame-0002.png").exists());
    }

    fn scene() -> SceneSource {
        SceneSource {
            name: "dam".to_owned(),
            text: "x = \"ü\"\n".to_owned(),
            directory: PathBuf::from("/scenes"),
            inputs: Vec::new(),
        }
    }

    #[test]
    fn the_scene_reads_back_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let run = RunDirectory::create(&dir.path().join("a/b"), Existing::Refuse).unwrap();
        run.write_scene(&scene(), 30.0).unwrap();
        assert_eq!(run.read_scene().unwrap(), Some(scene().text));
        let info = run.read_info().unwrap();
        assert_eq!((info.scene, info.scene_directory), (scene().name, scene().directory));
        assert_eq!(info.scene_sha256, Some(fingerprint::of_text(&scene().text)));
    }

    /// Whatever a run leaves that was killed before its scene was there is in nobody's way.
    #[test]
    fn a_directory_with_the_beginnings_of_a_run_is_free() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::write(path(".lock"), "7").unwrap();
        fs::write(path(".scene.toml.tmp"), "x = ").unwrap();
        let run = RunDirectory::create(dir.path(), Existing::Refuse).unwrap();
        run.write_scene(&scene(), 30.0).unwrap();
        drop(run);
        assert!(!is_free(dir.path()).unwrap());
        fs::remove_file(path("scene.toml")).unwrap();
        assert!(is_free(dir.path()).unwrap());
        let message = RunDirectory::open(dir.path()).unwrap_err().to_string();
        assert!(message.contains("start one without --resume"), "{message}");
        fs::write(path("run.json"), "{ \"mine\": true }").unwrap();
        assert!(!is_free(dir.path()).unwrap(), "somebody else's run.json");
        let message = RunDirectory::open(dir.path()).unwrap_err().to_string();
        assert!(message.contains("--force"), "{message}");
    }
}
