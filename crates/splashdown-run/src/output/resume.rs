//! An earlier run, found in its directory and ready to go on.

use std::path::Path;

use super::damage::{Damage, frames, is_inside};
use super::error::RunError;
use super::fingerprint::{self, Fingerprint};
use super::run_directory::{INFO, RunDirectory, RunInfo, SceneSource};
use super::snapshot::{self, Entry, Snapshot};

/// An earlier run. Build a World from `scene` and hand both to `Simulation::resume`.
#[derive(Debug)]
pub struct StoredRun {
    /// Its directory, locked.
    pub directory: RunDirectory,
    /// The scene that the run was started with.
    pub scene: SceneSource,
    /// Where it goes on; none if that is the beginning.
    pub snapshot: Option<(Entry, Snapshot)>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// What is done only if the user says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Consent {
    /// Goes on although the scene or files that it reads are not those the run began with.
    pub changed_inputs: bool,
    /// Goes on although frames are missing or cut.
    pub lost_frames: bool,
    /// Goes back as far as it takes to write everything again that is missing or damaged.
    pub repair: bool,
}

impl StoredRun {
    /// Looks for the newest usable snapshot of the run in `path`, and at everything before it.
    pub fn open(path: &Path, consent: Consent) -> Result<StoredRun, RunError> {
        let directory = RunDirectory::open(path)?;
        let info = directory.read_info()?;
        let mut search = Search { path, info: &info, notes: Vec::new() };
        let snapshot = search.search(consent)?;
        let mut notes = search.notes;
        if let Some((_, Snapshot { metadata, .. })) = &snapshot {
            let version = env!("CARGO_PKG_VERSION");
            if metadata.version != version {
                notes.push(format!(
                    "the run was started by version {}, this is {version}: \
                     results may differ from here on",
                    metadata.version
                ));
            }
        }
        let text = scene_text(&directory, &info, snapshot.as_ref(), consent, &mut notes)?;
        check_inputs(path, &info, consent, &mut notes)?;
        let scene = SceneSource {
            name: info.scene,
            text,
            directory: info.scene_directory,
            inputs: info.inputs.into_iter().map(|input| input.file).collect(),
        };
        Ok(StoredRun { directory, scene, snapshot, notes })
    }
}

/// The command that continues the run in `directory`.
pub fn command(directory: &Path) -> String {
    format!("splashdown run --resume --out {}", quoted(directory))
}

/// A path as a shell wants it.
pub fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+:\\".contains(c);
    if path.chars().all(plain) { path } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

/// The search for the snapshot to go on from.
struct Search<'a> {
    path: &'a Path,
    info: &'a RunInfo,
    notes: Vec<String>,
}

/// Where a run goes on.
type Place = Option<(Entry, Snapshot)>;

impl Search<'_> {
    fn search(&mut self, consent: Consent) -> Result<Place, RunError> {
        let entries = snapshot::list(&self.path.join("snapshots"))?;
        if entries.is_empty() {
            self.notes.push("there is no snapshot yet: starting from the beginning".to_owned());
            return Ok(None);
        }
        let mut damaged = None;
        for entry in entries {
            let Some(snapshot) = self.load(&entry) else { continue };
            let damage = Damage::of(self.path, &snapshot, consent.repair);
            let is_fine = damage.is_none() || consent.lost_frames && damage.tables.is_empty();
            if !is_fine {
                damaged.get_or_insert(damage);
                continue;
            }
            let place = format!("the snapshot at t = {:.6} s", time(&snapshot));
            return match damaged {
                Some(damage) => {
                    self.ask_to_repair(&damage, &place, consent)?;
                    Ok(Some((entry, snapshot)))
                }
                None => {
                    if !damage.is_none() {
                        self.notes
                            .push(format!("frames are lost:\n{}", damage.to_string().trim_end()));
                    }
                    Ok(Some((entry, snapshot)))
                }
            };
        }
        // Nothing is started over unasked: what the snapshots stand for took its time.
        match damaged {
            Some(damage) => self.ask_to_repair(&damage, "the beginning", consent)?,
            None if consent.repair => {
                self.notes.push("no snapshot can be used: starting from the beginning".to_owned());
            }
            None => {
                return Err(RunError::Directory(format!(
                    "{}\nno snapshot in {} can be used: compute everything again from the \
                     beginning \
                     with\n  {} --repair\nor begin a new run in its place with --force",
                    self.notes.join("\n"),
                    self.path.join("snapshots").display(),
                    command(self.path)
                )));
            }
        }
        Ok(None)
    }

    /// Reads a snapshot, or notes why it is passed over.
    fn load(&mut self, entry: &Entry) -> Option<Snapshot> {
        let loaded = entry.load().and_then(|snapshot| self.check(&snapshot).map(|()| snapshot));
        match loaded {
            Ok(snapshot) => Some(snapshot),
            Err(reason) => {
                self.notes.push(format!(
                    "snapshot {} is not used: {reason}; trying the one before",
                    entry.path.display()
                ));
                None
            }
        }
    }

    /// Whether what a snapshot says about the run can be true.
    fn check(&self, snapshot: &Snapshot) -> Result<(), String> {
        let (time, next) = (time(snapshot), snapshot.metadata.next_frame);
        if !(time >= 0.0 && time.is_finite()) {
            return Err(format!("its time is {time} s"));
        }
        if let Some(file) = snapshot.metadata.files.keys().find(|file| !is_inside(file)) {
            return Err(format!("it names {file} as a table of the run"));
        }
        if let Some(fps) = self.info.frames_per_second
            && !is_next_frame(next, time, fps)
        {
            return Err(format!("frame {next} cannot come next at t = {time} s"));
        }
        match frames(self.path, snapshot).ok().and_then(|rows| rows.last().cloned()) {
            Some(last) if last.frame.checked_add(1) != Some(next) => Err(format!(
                "its next frame is {next}, and the last one written was {}",
                last.frame
            )),
            _ => Ok(()),
        }
    }

    /// Goes on if the user wants the repair, else says what is damaged and how to have it.
    fn ask_to_repair(
        &mut self,
        damage: &Damage,
        place: &str,
        consent: Consent,
    ) -> Result<(), RunError> {
        if consent.repair {
            self.notes.push(format!(
                "going back to {place}, to write again what is damaged:\n{}",
                damage.to_string().trim_end()
            ));
            return Ok(());
        }
        let command = command(self.path);
        let mut message = format!(
            "files of this run are missing or damaged:\n{damage}\
             to write them again from {place} on:\n  {command} --repair"
        );
        if damage.tables.is_empty() {
            message += &format!("\nto go on without them:\n  {command} --accept-lost-frames");
        }
        Err(RunError::Directory(message))
    }
}

fn time(snapshot: &Snapshot) -> f64 {
    snapshot.state.numbers.get("clock.time").map_or(f64::NAN, |bits| f64::from_bits(*bits))
}

/// Whether frame `next` is the first that has not been reached at `time`.
pub fn is_next_frame(next: u64, time: f64, frames_per_second: f64) -> bool {
    next > 0
        && (next - 1) as f64 / frames_per_second <= time
        && time < next as f64 / frames_per_second
}

/// The scene to go on with: that of the directory, unless somebody has edited it.
fn scene_text(
    directory: &RunDirectory,
    info: &RunInfo,
    snapshot: Option<&(Entry, Snapshot)>,
    consent: Consent,
    notes: &mut Vec<String>,
) -> Result<String, RunError> {
    let stored = snapshot.map(|(_, snapshot)| snapshot.metadata.scene.clone());
    let path = directory.path().join("scene.toml");
    let Some(text) = directory.read_scene()? else {
        notes.push(format!("{} is gone: it is restored from the snapshot", path.display()));
        return stored.ok_or_else(|| {
            RunError::Directory(format!(
                "there is neither {} nor a snapshot with it",
                path.display()
            ))
        });
    };
    // A run that was killed while it wrote down a longer duration has its scene from before.
    let as_run = match &info.scene_sha256 {
        Some(digits) => *digits == fingerprint::of_text(&text) || stored.as_ref() == Some(&text),
        None => stored.as_ref().is_none_or(|stored| *stored == text),
    };
    if as_run {
        return Ok(text);
    }
    if consent.changed_inputs {
        notes.push(format!("going on with {} as it was edited", path.display()));
        return Ok(text);
    }
    let mut message = format!(
        "{} was edited after the run began, and a resumed run keeps its scene\n\
         to go on with the edited one from here:\n  {} --accept-changed-inputs\n\
         to run it from its beginning:\n  splashdown run {} --out ANOTHER-DIRECTORY",
        path.display(),
        command(directory.path()),
        quoted(&path)
    );
    if stored.is_some() {
        message += &format!(
            "\nto go on with the scene as it was, move the edited one away:\n  mv {} \
             ANOTHER-NAME.toml",
            quoted(&path)
        );
    }
    Err(RunError::Directory(message))
}

/// Whether the files that the scene names are those that the run began with.
fn check_inputs(
    path: &Path,
    info: &RunInfo,
    consent: Consent,
    notes: &mut Vec<String>,
) -> Result<(), RunError> {
    let differences = |usable: bool| {
        let of = |input: &Fingerprint| input.difference(&info.scene_directory);
        let of_kind = info.inputs.iter().filter_map(of).filter(|it| it.is_usable == usable);
        of_kind.map(|it| it.sentence).collect::<Vec<_>>()
    };
    let (changed, unusable) = (differences(true), differences(false));
    if !unusable.is_empty() {
        let list = [unusable, changed].concat().join("\n  ");
        return Err(RunError::Directory(format!(
            "the scene cannot be built again without files that it reads:\n  {list}\n\
             put them back as they were, and resume then; if they have moved, say where to in \
             {}, `scene_directory`",
            path.join(INFO).display()
        )));
    }
    if changed.is_empty() {
        return Ok(());
    }
    let list = changed.join("\n  ");
    if consent.changed_inputs {
        notes.push(format!("going on although files have changed since the run began:\n  {list}"));
        return Ok(());
    }
    Err(RunError::Directory(format!(
        "files that the scene reads have changed since the run began:\n  {list}\n\
         put them back, or go on with them as they are:\n  {} --accept-changed-inputs",
        command(path)
    )))
}
