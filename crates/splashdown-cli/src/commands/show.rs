//! `splashdown show`: a built-in scene as TOML.

use std::process::ExitCode;

use splashdown::scene::schema::with_directive;
use splashdown::scene::{Scene, gallery};

use crate::failure::Failure;
use crate::terminal::print;

pub fn run(name: &str) -> Result<ExitCode, Failure> {
    match gallery::list().iter().find(|scene| scene.name == name) {
        Some(scene) => print(&with_directive(scene.text)),
        // Not a built-in scene: opening it prints a file, or says which name was meant.
        None => print(&with_directive(&Scene::open(name, &[])?.text)),
    }
    Ok(ExitCode::SUCCESS)
}
