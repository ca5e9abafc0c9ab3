//! `splashdown render`: pictures of a run.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use splashdown::output::writer::picture_file;
use splashdown_render::camera::View;
use splashdown_render::error::RenderError;
use splashdown_render::run::Run;
use splashdown_render::stage::{Look, Stage};

use crate::arguments::RenderArguments;
use crate::failure::Failure;
use crate::terminal::print;

/// Draws one frame.
pub fn run(arguments: &RenderArguments) -> Result<ExitCode, Failure> {
    let run = Run::open(&arguments.directory)?;
    let look = look(arguments)?;
    let last = *run.frames.last().unwrap_or(&0);
    let index = arguments.frame.unwrap_or(last);
    let path = match &arguments.out {
        Some(path) => path.clone(),
        None => picture_path(&arguments.directory, index),
    };
    picture(&run, look, index, &path)?;
    print(&format!("{}\n", path.display()));
    Ok(ExitCode::SUCCESS)
}

/// Draws the last frame of a run as the run itself ends. None if there are no frames to draw.
pub fn last_picture(directory: &Path) -> Result<Option<PathBuf>, RenderError> {
    let Ok(run) = Run::open(directory) else { return Ok(None) };
    let Some(&index) = run.frames.last() else { return Ok(None) };
    let path = picture_path(directory, index);
    picture(&run, Look::default(), index, &path)?;
    Ok(Some(path))
}

fn picture(run: &Run, look: Look, index: u64, path: &Path) -> Result<(), RenderError> {
    let frame = run.load(index)?;
    let stage = Stage::new(run, look, index, index)?;
    stage.picture(&frame).write_png(path)
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
    Ok(Look { width, height, samples, quantity: arguments.color.into(), view })
}
