//! `splashdown list`: the built-in scenes with one line each.

use std::process::ExitCode;

use splashdown::scene::gallery;

use crate::failure::Failure;
use crate::terminal::{print, tell};

pub(crate) fn run() -> Result<ExitCode, Failure> {
    let scenes = gallery::list();
    let width = scenes.iter().map(|scene| scene.name.len()).max().unwrap_or(0);
    for scene in scenes {
        print(&format!("{:<width$}  {}\n", scene.name, scene.summary));
    }
    tell("\nRun one with `splashdown run NAME`, print it with `splashdown show NAME`.");
    Ok(ExitCode::SUCCESS)
}
