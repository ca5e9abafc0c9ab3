//! `splashdown run`: a scene from start to end, or an earlier run from where it stopped.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use splashdown::output::driver::Simulation;
use splashdown::output::error::RunError;
use splashdown::output::frame::Surfaces;
use splashdown::output::observer::Observer;
use splashdown::output::resume::{Consent, StoredRun, command};
use splashdown::output::run_directory::{Existing, RunDirectory, SceneSource, is_free};
use splashdown::output::settings::OutputSettings;
use splashdown::scene::{Built, Scene};
use splashdown::world::World;
use splashdown_render::surface_writer::SurfaceWriter;

use crate::arguments::{RunArguments, contradiction};
use crate::commands::render::last_picture;
use crate::commands::view;
use crate::failure::Failure;
use crate::progress::Display;
use crate::signals::StopRequest;
use crate::summary::{Statistics, losses, next_steps};
use crate::terminal::{print, tell};
use crate::timing;

const DEFAULT_SCENE: &str = "dam-break";

/// What `splashdown` does without a command.
pub(crate) fn default_scene() -> Result<ExitCode, Failure> {
    run(&RunArguments::default())
}

/// Runs a scene.
pub(crate) fn run(arguments: &RunArguments) -> Result<ExitCode, Failure> {
    use_threads(arguments.threads)?;
    if let Some(sentence) = contradiction(&arguments.method) {
        return Err(Failure::Usage(sentence));
    }
    // Before anything is made or simulated: the port may be in use.
    let port = if arguments.view { Some(view::reserve(&arguments.viewer)?) } else { None };
    let simulation = if arguments.resume { resume(arguments)? } else { start(arguments)? };
    finish(simulation, port, arguments)
}

/// Computes with so many threads from now on; None leaves it at one for each core.
pub(crate) fn use_threads(threads: Option<u16>) -> Result<(), Failure> {
    let Some(threads) = threads else { return Ok(()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
    pool.build_global().map_err(|e| Failure::Usage(format!("--threads {threads}: {e}")))
}

fn start(arguments: &RunArguments) -> Result<Simulation, Failure> {
    let scene = Scene::open(scene_name(arguments), &arguments.overrides())?;
    let say = |text: &str| {
        if !arguments.quiet {
            tell(text);
        }
    };
    let path = match &arguments.out {
        Some(path) => path.clone(),
        None if arguments.force => default_directory(&scene.name),
        None => unused_directory(default_directory(&scene.name), say)?,
    };
    let existing = if arguments.force { Existing::Replace } else { Existing::Refuse };
    // Sampling a large scene takes a while: find out first whether its results have a place to go.
    if existing == Existing::Refuse && !is_free(&path)? {
        RunDirectory::create(&path, existing)?;
    }
    let built = scene.build_within(&arguments.memory.limit())?;
    let Built { world, output, notes, .. } = &built;
    notes.iter().for_each(|note| say(&format!("note: {note}")));
    let fluid: usize = world.fluids.iter().map(|f| f.range.len()).sum();
    let solid: usize = world.solids.iter().map(|s| s.range.len()).sum();
    say(&format!(
        "{}: {fluid} fluid and {solid} solid particles, {} s, results in {}",
        scene.name,
        output.duration,
        path.display()
    ));
    begin(&scene, built, RunDirectory::create(&path, existing)?)
}

/// Starts to write the run of a scene into a directory.
pub(crate) fn begin(
    scene: &Scene,
    built: Built,
    directory: RunDirectory,
) -> Result<Simulation, Failure> {
    let Built { world, output, inputs, .. } = built;
    let observers = observers(scene, &output, &world);
    let source = source(scene, inputs)?;
    Ok(Simulation::create_observed(source, world, output, directory, observers)?)
}

fn resume(arguments: &RunArguments) -> Result<Simulation, Failure> {
    let path = match &arguments.out {
        Some(path) => path.clone(),
        None => default_directory(scene_name(arguments)),
    };
    let consent = Consent {
        changed_inputs: arguments.accept_changed_inputs,
        lost_frames: arguments.accept_lost_frames,
        repair: arguments.repair,
    };
    let stored = StoredRun::open(&path, consent)?;
    let SceneSource { name, text, directory, .. } = &stored.scene;
    if let Some(asked) = &arguments.scene
        && stem(asked) != stem(name)
    {
        let message = format!("{} holds a run of {name}, not of {asked}", path.display());
        return Err(Failure::Usage(message));
    }
    let scene = Scene::parse(name, text, directory.clone(), &arguments.overrides())?;
    stored.notes.iter().for_each(|note| tell(&format!("note: {note}")));
    let Built { world, output, inputs, .. } = scene.build_within(&arguments.memory.limit())?;
    let observers = observers(&scene, &output, &world);
    let source = source(&scene, inputs)?;
    let simulation = Simulation::resume_observed(stored, source, world, output, observers)?;
    if !arguments.quiet {
        let clock = simulation.world().clock;
        tell(&format!(
            "{}: going on from t = {:.6} s, step {}",
            scene.name, clock.time, clock.step
        ));
    }
    Ok(simulation)
}

/// What else looks at the frames: the scene says so, and a resumed run has its scene.
fn observers(scene: &Scene, output: &OutputSettings, world: &World) -> Vec<Box<dyn Observer>> {
    if !output.surface {
        return Vec::new();
    }
    let fluids = scene.file.fluid.iter().map(|fluid| fluid.name.clone()).collect();
    let (spacing, solids) = (scene.file.simulation.spacing, Surfaces::of(world));
    vec![Box::new(SurfaceWriter { fluids, spacing, solids })]
}

/// Steps until the end or until somebody wants the run to stop.
fn finish(
    mut simulation: Simulation,
    port: Option<TcpListener>,
    arguments: &RunArguments,
) -> Result<ExitCode, Failure> {
    let quiet = arguments.quiet;
    let stop = StopRequest::listen()
        .map_err(|e| Failure::Usage(format!("cannot listen for Ctrl-C: {e}")))?;
    simulation.stop_at(stop.inside_steps());
    let settings = simulation.settings().clone();
    let directory = simulation.path().to_owned();
    let viewer = match port {
        Some(port) => Some(view::start(&directory, port, &arguments.viewer)?),
        None => None,
    };
    let mut display = Display::new(quiet, simulation.world().clock.time, settings.duration);
    let mut statistics = Statistics::default();
    let mut stopped = None;
    let mut result = Ok(());
    while !simulation.is_finished() && stopped.is_none() && result.is_ok() {
        result = match simulation.advance() {
            Ok(progress) => {
                statistics.add(&progress.report);
                display.step(&progress.report);
                Ok(())
            }
            // In the middle of a step, which is forgotten.
            Err(RunError::Stopped) => Ok(()),
            Err(error) => Err(error),
        };
        stopped = stop.exit_code();
    }
    let time = simulation.world().clock.time;
    let losses = losses(simulation.world());
    let saved = result.and_then(|()| simulation.finish());
    let wall = display.close();
    let snapshot = saved?;
    if !quiet {
        timing::write(&directory, &statistics, wall)?;
    }
    match stopped {
        Some(code) => {
            if !quiet {
                tell(&format!("stopped at t = {time:.6} s, saved in {}", snapshot.display()));
                tell(&format!("go on with: {}", command(&directory)));
            }
            Ok(ExitCode::from(code))
        }
        None => {
            if !quiet {
                print(&(statistics.table(wall) + &losses + "\n"));
                // Without a picture, the results are there all the same.
                let picture = last_picture(&directory).map_err(|error| error.to_string());
                let (formats, duration) = (&settings.formats, settings.duration);
                print(&next_steps(&directory, &picture, formats, duration));
            }
            if let Some(viewer) = viewer {
                tell(&format!("the viewer stays at {} until Ctrl-C", viewer.url()));
                view::wait(&stop);
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn scene_name(arguments: &RunArguments) -> &str {
    arguments.scene.as_deref().unwrap_or(DEFAULT_SCENE)
}

/// `out/NAME` in the current directory.
fn default_directory(scene: &str) -> PathBuf {
    Path::new("out").join(stem(scene))
}

/// The name of a scene without folders and extension.
pub(crate) fn stem(scene: &str) -> String {
    let path = Path::new(scene);
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The directory itself, or `NAME-2`, `NAME-3` … if it is in use.
pub(crate) fn unused_directory(first: PathBuf, say: impl Fn(&str)) -> Result<PathBuf, RunError> {
    let name = first.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut path = first.clone();
    let mut number = 2;
    while !is_free(&path)? {
        path = first.with_file_name(format!("{name}-{number}"));
        number += 1;
    }
    if path != first {
        say(&format!("{} has results already, using {}", first.display(), path.display()));
    }
    Ok(path)
}

/// The scene as the run directory remembers it; resuming must find its files from anywhere.
fn source(scene: &Scene, inputs: Vec<String>) -> Result<SceneSource, Failure> {
    let directory = if scene.directory.as_os_str().is_empty() {
        std::env::current_dir()
    } else {
        std::path::absolute(&scene.directory)
    };
    let directory = directory.map_err(|e| Failure::Usage(format!("no current directory: {e}")))?;
    Ok(SceneSource { name: scene.name.clone(), text: scene.text.clone(), directory, inputs })
}
