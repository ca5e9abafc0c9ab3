//! `splashdown render`: pictures and films of a run.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use splashdown::output::made;
use splashdown::output::writer::picture_file;
use splashdown_render::camera::View;
use splashdown_render::error::RenderError;
use splashdown_render::film::Film;
use splashdown_render::image::Image;
use splashdown_render::renderer::Renderer;
use splashdown_render::run::Run;
use splashdown_render::stage::{Look, Stage};

use crate::arguments::RenderArguments;
use crate::failure::Failure;
use crate::progress::Counter;
use crate::terminal::{print, tell};

/// Draws one frame, or all of them.
pub(crate) fn run(arguments: &RenderArguments) -> Result<ExitCode, Failure> {
    if let Some(path) = &arguments.film {
        Film::check(path)?;
        made::check(path, arguments.force)?;
    }
    let run = Run::open(&arguments.directory)?;
    let look = look(arguments)?;
    let renderer = Renderer::choose(arguments.renderer)?;
    tell(&format!("drawn by: {}", renderer.name()));
    if let Some(path) = &arguments.film {
        film(&run, look, &renderer, path, arguments)?;
        tell_of_refusal(&renderer);
        print(&format!("{}\n", path.display()));
        return Ok(ExitCode::SUCCESS);
    }
    let last = *run.frames.last().unwrap_or(&0);
    let index = arguments.frame.unwrap_or(last);
    let path = match &arguments.out {
        Some(path) => path.clone(),
        None => picture_path(&arguments.directory, index),
    };
    made::check(&path, arguments.force)?;
    picture(&run, look, &renderer, index)?.write_png(&path, arguments.force)?;
    tell_of_refusal(&renderer);
    print(&format!("{}\n", path.display()));
    Ok(ExitCode::SUCCESS)
}

fn tell_of_refusal(renderer: &Renderer) {
    if let Some(reason) = renderer.refused() {
        tell(&format!("note: drawn by the CPU instead: {reason}"));
    }
}

/// Draws the last frame of a run as the run itself ends. None if there are no frames to draw.
pub(crate) fn last_picture(directory: &Path) -> Result<Option<PathBuf>, RenderError> {
    let run = Run::begun(directory)?;
    let Some(&index) = run.frames.last() else { return Ok(None) };
    let path = picture_path(directory, index);
    made::check(&path, false)?;
    picture(&run, Look::default(), &Renderer::Cpu, index)?.write_png(&path, false)?;
    Ok(Some(path))
}

fn picture(run: &Run, look: Look, renderer: &Renderer, index: u64) -> Result<Image, RenderError> {
    let frame = run.load(index)?;
    let stage = Stage::new(run, look, index, index)?;
    stage.picture_by(renderer, &frame)
}

fn film(
    run: &Run,
    look: Look,
    renderer: &Renderer,
    path: &Path,
    arguments: &RenderArguments,
) -> Result<(), RenderError> {
    let (Some(&first), Some(&last)) = (run.frames.first(), run.frames.last()) else {
        return Ok(());
    };
    let stage = Stage::new(run, look, first, last)?;
    let middle = run.frames[run.frames.len() / 2];
    let draw = |index: u64| stage.picture_by(renderer, &run.load(index)?);
    let samples = [first, middle, last].map(draw);
    let samples: Vec<_> = samples.into_iter().collect::<Result<_, _>>()?;
    let fps = arguments.fps.map_or(run.frames_per_second.min(30.0), f64::from);
    let mut film = Film::create(path, &samples, fps, arguments.force)?;
    let mut counter = Counter::new("frame", run.frames.len());
    for &index in &run.frames {
        film.add(&draw(index)?)?;
        counter.step();
    }
    counter.close();
    film.finish()
}

fn picture_path(directory: &Path, index: u64) -> PathBuf {
    directory.join(picture_file(index))
}

fn look(arguments: &RenderArguments) -> Result<Look, Failure> {
    let view = match &arguments.camera {
        Some(text) => {
            View::parse(text).map_err(|reason| Failure::Usage(format!("--camera: {reason}")))?
        }
        None => View::Usual,
    };
    let [width, height] = arguments.size;
    let samples = usize::from(arguments.samples);
    let surface = arguments.surface;
    let quantity = arguments.color;
    Ok(Look { width, height, samples, quantity, view, surface })
}
