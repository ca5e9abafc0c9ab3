//! The background thread that writes frames and snapshots while the physics goes on.
//!
//! Jobs are done in the order they were given: once a snapshot exists, so do all frames before it.
//! After the first error nothing more is written, and the error reaches the driver at its next
//! call.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use super::atomic::{self, Out};
use super::collection::{Collection, Files};
use super::disk;
use super::error::{At, RunError};
use super::formats::{FLUID, Format, MOVING, vtk};
use super::frame::{Frame, Surfaces};
use super::ledger::{self, Ledger};
use super::observer::Observer;
use super::snapshot::{self, Kind, Snapshot};

/// Frames that may wait; the driver waits when more are due, so memory stays bounded.
const QUEUE: usize = 2;

/// What does not change from frame to frame.
#[derive(Clone, Debug)]
pub struct Context {
    /// The run directory.
    pub directory: PathBuf,
    /// Formats of the frames.
    pub formats: Vec<Format>,
    /// Turns frame numbers into times.
    pub frames_per_second: f64,
    /// Half the distance between particles, m.
    pub radius: f64,
    /// Surfaces of the bodies.
    pub surfaces: Surfaces,
    /// How many regular snapshots to keep.
    pub snapshots_kept: usize,
}

/// A handle on the background thread.
#[derive(Debug)]
pub struct Writer {
    jobs: Option<SyncSender<Job>>,
    failure: Arc<Mutex<Option<RunError>>>,
    thread: Option<JoinHandle<()>>,
}

enum Job {
    Frame(Frame),
    Snapshot(Kind, u64, Box<Snapshot>),
    /// Answers when everything before it is done.
    Barrier(SyncSender<()>),
}

/// What the thread works with.
struct Desk {
    context: Context,
    collections: Vec<Collection>,
    ledger: Ledger,
    observers: Vec<Box<dyn Observer>>,
}

impl Writer {
    /// Starts the thread after `frames` frames; observers see every further one in it.
    pub fn start(
        context: Context,
        frames: u64,
        ledger: Ledger,
        observers: Vec<Box<dyn Observer>>,
    ) -> Result<Writer, RunError> {
        let (jobs, queue) = sync_channel(QUEUE);
        let failure = Arc::new(Mutex::new(None));
        let shared = Arc::clone(&failure);
        let collections = collections(&context, frames)?;
        let mut desk = Desk { context, collections, ledger, observers };
        let thread = std::thread::spawn(move || desk.work(&queue, &shared));
        Ok(Writer { jobs: Some(jobs), failure, thread: Some(thread) })
    }

    /// Hands over a frame; waits while the queue is full.
    pub fn frame(&self, frame: Frame) -> Result<(), RunError> {
        self.send(Job::Frame(frame))
    }

    /// Hands over a snapshot.
    pub fn snapshot(&self, kind: Kind, step: u64, snapshot: Snapshot) -> Result<(), RunError> {
        self.send(Job::Snapshot(kind, step, Box::new(snapshot)))
    }

    /// Reports an error of the thread, if there was one.
    pub fn check(&self) -> Result<(), RunError> {
        let mut failure = self.failure.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match failure.take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Waits until everything handed over so far is on disk.
    pub fn wait(&self) -> Result<(), RunError> {
        let (done, answer) = sync_channel(1);
        self.send(Job::Barrier(done))?;
        // No answer means that the thread stopped at an error, which `check` reports.
        let finished = answer.recv().is_ok();
        self.check()?;
        if finished { Ok(()) } else { Err(RunError::WriterStopped) }
    }

    /// Waits for everything and ends the thread.
    pub fn finish(mut self) -> Result<(), RunError> {
        self.join();
        self.check()
    }

    fn send(&self, job: Job) -> Result<(), RunError> {
        self.check()?;
        let sent = self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok());
        if !sent {
            self.check()?;
            return Err(RunError::WriterStopped);
        }
        Ok(())
    }

    fn join(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            let mut failure = self.failure.lock().unwrap_or_else(|p| p.into_inner());
            failure.get_or_insert(RunError::WriterStopped);
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.join();
    }
}

impl Desk {
    fn work(&mut self, queue: &Receiver<Job>, failure: &Mutex<Option<RunError>>) {
        for job in queue {
            let result = match job {
                Job::Frame(frame) => self.frame(&frame),
                Job::Snapshot(kind, step, snapshot) => self.snapshot(kind, step, *snapshot),
                Job::Barrier(done) => {
                    // Whoever asked may have given up waiting.
                    let _ = done.send(());
                    Ok(())
                }
            };
            if let Err(error) = result {
                *failure.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(error);
                return;
            }
        }
    }

    /// Files first, then the lists of them: a list never names what is not there.
    fn frame(&mut self, frame: &Frame) -> Result<(), RunError> {
        let mut files = write_frame(&self.context, frame)?;
        for observer in &mut self.observers {
            files.extend(observer.frame(&self.context.directory, frame)?);
        }
        self.collections.iter_mut().try_for_each(|list| list.add(frame.index))?;
        let time = frame.index as f64 / self.context.frames_per_second;
        self.ledger.add(frame.index, time, &files)
    }

    fn snapshot(&mut self, kind: Kind, step: u64, mut snapshot: Snapshot) -> Result<(), RunError> {
        let extent = self.ledger.sync()?;
        snapshot.metadata.remember(ledger::FILE, extent);
        let directory = self.context.directory.join("snapshots");
        snapshot::write(&directory, kind, step, &snapshot, self.context.snapshots_kept).map(drop)
    }
}

/// Writes all files of a frame and tells their names.
fn write_frame(context: &Context, frame: &Frame) -> Result<Vec<String>, RunError> {
    let mut files = Vec::new();
    let mut write = |name: String, content: &dyn Fn(&mut Out) -> io::Result<()>| {
        atomic::write(&context.directory.join(&name), content)?;
        files.push(name);
        Ok::<(), RunError>(())
    };
    if !context.formats.is_empty() {
        write_solids(context, frame, &mut write)?;
    }
    for &format in &context.formats {
        let fluid = format.file(FLUID, frame.index);
        write(fluid, &|out| format.write(out, &frame.points, context.radius))?;
        if let Some(elements) = format.elements_file(frame.index)
            && !frame.elastic.is_empty()
        {
            write(elements, &|out| format.write_elements(out, &frame.elastic))?;
        }
    }
    Ok(files)
}

/// Writes a file of the run, by its name and what is in it.
type Write<'a> =
    dyn FnMut(String, &dyn Fn(&mut Out) -> io::Result<()>) -> Result<(), RunError> + 'a;

/// Solids have files of their own, which are the same whatever the format of the fluid is: pictures
/// show them, and meshes are made from them.
fn write_solids(context: &Context, frame: &Frame, write: &mut Write) -> Result<(), RunError> {
    let surfaces = &context.surfaces;
    if has_fixed(surfaces) || has_moving(surfaces) {
        let folder = context.directory.join(Format::VTK.name());
        disk::create_directories(&folder).at("create", &folder)?;
    }
    if has_fixed(surfaces) && frame.index == 0 {
        write(FIXED.to_owned(), &|out| vtk::write_fixed(out, surfaces))?;
    }
    if has_moving(surfaces) {
        write(moving_file(frame.index), &|out| {
            vtk::write_moving(out, surfaces, &frame.poses, &frame.elastic)
        })?;
    }
    Ok(())
}

/// Writes the `.pvd` files so that they list the first `frames` frames. Fluid and bodies have a
/// file each: ParaView then gives them separate colours and opacity.
fn collections(context: &Context, frames: u64) -> Result<Vec<Collection>, RunError> {
    let Some(format) = context.formats.iter().copied().find(|format| format.has_time_series())
    else {
        return Ok(Vec::new());
    };
    let (fixed, moving) = (has_fixed(&context.surfaces), has_moving(&context.surfaces));
    let solids = move |k| {
        let fixed = fixed.then(|| FIXED.to_owned());
        let moving = moving.then(|| moving_file(k));
        fixed.into_iter().chain(moving).collect()
    };
    let [of_fluid, of_solids, of_elements] = TIME_SERIES;
    let mut lists: Vec<(&str, Files)> = Vec::new();
    lists.push((of_fluid, Box::new(move |k| vec![format.file(FLUID, k)])));
    if fixed || moving {
        lists.push((of_solids, Box::new(solids)));
    }
    if context.surfaces.elastic {
        let elements = move |k| format.elements_file(k).into_iter().collect();
        lists.push((of_elements, Box::new(elements)));
    }
    let create = |(name, files): (&str, Files)| {
        let path = context.directory.join(name);
        Collection::create(&path, frames, context.frames_per_second, files)
    };
    lists.into_iter().map(create).collect()
}

/// Lists of the files of all frames with their times, for ParaView: fluid, solids, elements.
pub const TIME_SERIES: [&str; 3] = ["fluid.pvd", "solids.pvd", "elastic.pvd"];

/// The bodies that never move, written with frame 0, relative to the run directory.
pub const FIXED: &str = "vtk/fixed.vtp";

/// The bodies that do, at a frame, relative to the run directory.
pub fn moving_file(index: u64) -> String {
    Format::VTK.file(MOVING, index)
}

/// The folder of liquid surfaces.
pub const SURFACES: &str = "surface";

/// The surface of a fluid at a frame, relative to the run directory.
pub fn surface_file(fluid: &str, index: u64) -> String {
    format!("{SURFACES}/{}_{index:06}.ply", file_stem(fluid))
}

/// The name of an object as part of a file name: scenes of other versions may have odd ones.
pub fn file_stem(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    name.chars().map(safe).collect()
}

/// The number of the frame that a file in the folder of surfaces belongs to, if it is one of ours.
pub fn surface_index(path: &Path) -> Option<u64> {
    let (_, digits) = path.file_name()?.to_str()?.strip_suffix(".ply")?.rsplit_once('_')?;
    if digits.len() >= 6 && digits.bytes().all(|b| b.is_ascii_digit()) {
        digits.parse().ok()
    } else {
        None
    }
}

/// The picture of a frame, relative to the run directory.
pub fn picture_file(index: u64) -> String {
    format!("frame-{index:04}.png")
}

/// The number of the frame that a file in the run directory is a picture of, if it is one of ours.
pub fn picture_index(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_str()?;
    let digits = name.strip_prefix("frame-")?.strip_suffix(".png")?;
    if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None }
}

fn has_fixed(surfaces: &Surfaces) -> bool {
    surfaces.fixed.iter().any(|(_, _, mesh)| !mesh.vertices.is_empty())
}

fn has_moving(surfaces: &Surfaces) -> bool {
    surfaces.elastic || surfaces.moving.iter().any(|(_, mesh)| !mesh.vertices.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::testing::small_world;

    fn context(directory: &Path) -> Context {
        Context {
            directory: directory.to_owned(),
            formats: vec![Format::VTK, Format::named("ply").unwrap()],
            frames_per_second: 10.0,
            radius: 0.05,
            surfaces: Surfaces::of(&small_world()),
            snapshots_kept: 2,
        }
    }

    fn start(directory: &Path) -> Writer {
        let ledger = Ledger::create(directory).unwrap();
        Writer::start(context(directory), 0, ledger, Vec::new()).unwrap()
    }

    #[test]
    fn frames_and_collections_appear_under_their_names() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("vtk")).unwrap();
        std::fs::create_dir(dir.path().join("ply")).unwrap();
        let writer = start(dir.path());
        for k in 0..4 {
            writer.frame(Frame::capture(&small_world(), k)).unwrap();
        }
        writer.wait().unwrap();
        assert!(dir.path().join("ply/fluid_000003.ply").is_file());
        writer.finish().unwrap();
        let solids = std::fs::read_to_string(dir.path().join("solids.pvd")).unwrap();
        assert_eq!(solids.matches("vtk/fixed.vtp").count(), 4);
        assert_eq!(picture_index(Path::new(&picture_file(12))), Some(12));
        assert_eq!(picture_index(Path::new("frame-best.png")), None);
        assert_eq!(surface_file("../oil", 7), "surface/___oil_000007.ply");
        assert_eq!(surface_index(Path::new("surface/a_b_000123.ply")), Some(123));
        assert_eq!(surface_index(Path::new("surface/mine.ply")), None);
    }

    #[test]
    fn solids_are_written_whatever_the_format_of_the_fluid_is() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("ply")).unwrap();
        let context =
            Context { formats: vec![Format::named("ply").unwrap()], ..context(dir.path()) };
        let ledger = Ledger::create(dir.path()).unwrap();
        let writer = Writer::start(context, 0, ledger, Vec::new()).unwrap();
        writer.frame(Frame::capture(&small_world(), 0)).unwrap();
        writer.finish().unwrap();
        assert!(dir.path().join("vtk/fixed.vtp").is_file());
        assert!(!dir.path().join("vtk/fluid_000000.vtp").exists());
        assert!(!dir.path().join("solids.pvd").exists(), "nobody asked for ParaView");
    }

    #[test]
    fn an_error_names_the_file_and_reaches_the_driver() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("vtk")).unwrap(); // but no ply/
        let writer = start(dir.path());
        writer.frame(Frame::capture(&small_world(), 0)).unwrap();
        let message = writer.wait().unwrap_err().to_string();
        assert!(message.contains("ply/fluid_000000.ply"), "{message}");
        assert!(matches!(
            writer.frame(Frame::capture(&small_world(), 1)),
            Err(RunError::WriterStopped)
        ));
    }
}
