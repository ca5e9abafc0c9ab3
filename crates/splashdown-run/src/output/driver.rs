//! A run: a World, its outputs, and the loop that keeps them together.
//!
//! Frame k is at k / fps exactly: steps are cut to meet it. The end of the run cuts nothing, so
//! that a longer run begins with the same bytes.

use std::path::{Path, PathBuf};

use super::error::RunError;
use super::frame::{Frame, Surfaces};
use super::ledger::{self, Ledger};
use super::observer::Observer;
use super::resume::{StoredRun, is_next_frame};
use super::run_directory::{RunDirectory, SceneSource};
use super::settings::OutputSettings;
use super::snapshot::{self, Kind, Metadata, Snapshot};
use super::tables::Tables;
use super::writer::{Context, Writer};
use crate::solve::Stop;
use crate::world::{Loads, StepError, StepReport, World};

/// A simulation that writes its results to a directory.
#[derive(Debug)]
pub struct Simulation {
    world: World,
    /// Since the last frame.
    loads: Loads,
    scene: SceneSource,
    settings: OutputSettings,
    next_frame: u64,
    tables: Tables,
    // Before the directory: dropped first, so that the lock outlives the last write.
    writer: Writer,
    directory: RunDirectory,
    step: Step,
}

/// `World::step`, or something simpler in tests.
type Step = fn(&mut World, f64) -> Result<StepReport, StepError>;

/// What one call of `advance` did.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// What the step did.
    pub report: StepReport,
    /// The frame that was written after it, if any.
    pub frame: Option<u64>,
    /// Whether the run is over.
    pub finished: bool,
}

impl Simulation {
    /// Starts a run in a fresh directory and writes frame 0.
    pub fn create(
        scene: SceneSource,
        world: World,
        settings: OutputSettings,
        directory: RunDirectory,
    ) -> Result<Simulation, RunError> {
        Simulation::create_observed(scene, world, settings, directory, Vec::new())
    }

    /// The same with observers, which see every frame, the first included.
    pub fn create_observed(
        scene: SceneSource,
        world: World,
        settings: OutputSettings,
        directory: RunDirectory,
        observers: Vec<Box<dyn Observer>>,
    ) -> Result<Simulation, RunError> {
        // First of all: whatever happens from here on, the run can be resumed.
        directory.write_scene(&scene, settings.frames_per_second)?;
        directory.make_folders(&settings)?;
        let tables = Tables::create(directory.path(), &settings, &world)?;
        let ledger = Ledger::create(directory.path())?;
        let writer = Writer::start(context(&world, &settings, &directory), 0, ledger, observers)?;
        let (step, loads) = (World::step, Loads::default());
        let next_frame = 0;
        let mut simulation = Simulation {
            world,
            loads,
            scene,
            settings,
            next_frame,
            tables,
            writer,
            directory,
            step,
        };
        simulation.write_frame()?;
        Ok(simulation)
    }

    /// Continues an earlier run so that its outputs end up the same as if it had never stopped.
    /// `world` and `settings` must be freshly built from `stored.scene`; `scene` is that scene,
    /// except that the duration may have changed.
    pub fn resume(
        stored: StoredRun,
        scene: SceneSource,
        world: World,
        settings: OutputSettings,
    ) -> Result<Simulation, RunError> {
        Simulation::resume_observed(stored, scene, world, settings, Vec::new())
    }

    /// The same with the observers of the earlier run.
    pub fn resume_observed(
        stored: StoredRun,
        scene: SceneSource,
        mut world: World,
        settings: OutputSettings,
        observers: Vec<Box<dyn Observer>>,
    ) -> Result<Simulation, RunError> {
        let StoredRun { directory, snapshot, .. } = stored;
        let Some((entry, snapshot)) = snapshot else {
            directory.remove_snapshots_after(None)?;
            directory.remove_after(0)?;
            return Simulation::create_observed(scene, world, settings, directory, observers);
        };
        let context = context(&world, &settings, &directory); // before the world moves on
        let Snapshot { state, metadata } = snapshot;
        let does_not_fit = |reason| RunError::Snapshot { path: entry.path.clone(), reason };
        world.import_state(&state).map_err(&does_not_fit)?;
        let loads = Loads::restored(&state).map_err(&does_not_fit)?;
        let (next_frame, fps) = (metadata.next_frame, settings.frames_per_second);
        if !is_next_frame(next_frame, world.clock.time, fps) {
            let (time, fps) = (world.clock.time, settings.frames_per_second);
            let reason =
                format!("frame {next_frame} does not come next at t = {time} s and {fps} fps");
            return Err(does_not_fit(reason));
        }
        // Snapshots first: as long as one is there, so is everything that it stands for.
        directory.remove_snapshots_after(Some(&entry))?;
        directory.remove_after(next_frame)?;
        directory.write_scene(&scene, fps)?;
        directory.make_folders(&settings)?;
        let tables = Tables::reopen(directory.path(), &settings, &world, &metadata)?;
        let ledger = match metadata.extent(directory.path(), ledger::FILE)? {
            Some(extent) => Ledger::reopen(directory.path(), extent)?,
            None => Ledger::create(directory.path())?, // a run of an earlier version
        };
        let writer = Writer::start(context, next_frame, ledger, observers)?;
        let step: Step = World::step;
        Ok(Simulation {
            world,
            loads,
            scene,
            settings,
            next_frame,
            tables,
            writer,
            directory,
            step,
        })
    }

    /// From now on a step ends at once, undone, when `stop` is asked for (`RunError::Stopped`).
    pub fn stop_at(&mut self, stop: Stop) {
        self.world.stop = stop;
    }

    /// Does one step and writes what is due after it.
    pub fn advance(&mut self) -> Result<Progress, RunError> {
        self.writer.check()?;
        let frame_time = self.next_frame as f64 / self.settings.frames_per_second;
        let report = match (self.step)(&mut self.world, frame_time) {
            Ok(report) => report,
            Err(_) if self.world.stop.asked() => return Err(RunError::Stopped),
            Err(error) => return Err(self.give_up(error)),
        };
        self.loads.add(&report.loads);
        self.tables.log_step(&self.world, &report)?;
        let mut frame = None;
        if self.world.clock.time >= frame_time {
            frame = Some(self.next_frame);
            self.write_frame()?;
        }
        Ok(Progress { report, frame, finished: self.is_finished() })
    }

    /// Whether the run has reached its duration.
    pub fn is_finished(&self) -> bool {
        self.world.clock.time >= self.settings.duration - 1e-9
    }

    /// Saves the current state and waits until everything is on disk. Returns the snapshot.
    pub fn save(&mut self) -> Result<PathBuf, RunError> {
        self.take_snapshot(Kind::Stop)?;
        self.writer.wait()?;
        let name = snapshot::file_name(Kind::Stop, self.world.clock.step);
        Ok(self.path().join("snapshots").join(name))
    }

    /// Saves the current state and ends the run, at its end or before. Returns the snapshot.
    pub fn finish(mut self) -> Result<PathBuf, RunError> {
        self.save()
    }

    /// The world as it is now.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// What the run writes.
    pub fn settings(&self) -> &OutputSettings {
        &self.settings
    }

    /// Where the results are.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// How many frames there are.
    pub fn frame_count(&self) -> u64 {
        self.next_frame
    }

    fn write_frame(&mut self) -> Result<(), RunError> {
        let index = self.next_frame;
        self.writer.frame(Frame::capture(&self.world, index))?;
        self.tables.log_frame(&self.world, &self.loads)?;
        self.tables.flush()?;
        self.loads = Loads::default(); // the next frame's forces are means from here on
        self.next_frame += 1;
        let every = self.settings.snapshot_every;
        if index > 0 && every > 0 && index.is_multiple_of(every) {
            self.take_snapshot(Kind::Regular)?;
        }
        Ok(())
    }

    fn take_snapshot(&mut self, kind: Kind) -> Result<(), RunError> {
        // The tables first: a snapshot must never know more rows than are on disk.
        let mut metadata = Metadata {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scene_name: self.scene.name.clone(),
            scene: self.scene.text.clone(),
            next_frame: self.next_frame,
            ..Metadata::default()
        };
        self.tables.sync(self.directory.path(), &mut metadata)?;
        let mut state = self.world.export_state();
        self.loads.save(&mut state);
        let snapshot = Snapshot { state, metadata };
        self.writer.snapshot(kind, self.world.clock.step, snapshot)
    }

    fn give_up(&mut self, error: StepError) -> RunError {
        let saved = match self.save() {
            Ok(path) => format!("the last good state is in {}", path.display()),
            Err(e) => format!("the last good state could not be saved: {e}"),
        };
        RunError::Step { error, saved }
    }
}

fn context(world: &World, settings: &OutputSettings, directory: &RunDirectory) -> Context {
    Context {
        directory: directory.path().to_owned(),
        formats: settings.formats.clone(),
        frames_per_second: settings.frames_per_second,
        radius: 0.5 * world.spacing,
        surfaces: Surfaces::of(world),
        snapshots_kept: settings.snapshots_kept,
    }
}

#[cfg(test)]
#[path = "driver_tests.rs"]
mod tests;
