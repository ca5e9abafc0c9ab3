//! `splashdown show`: a built-in scene as TOML.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use splashdown::output::error::{At, RunError};
use splashdown::scene::schema::with_directive;
use splashdown::scene::{Scene, gallery};

use crate::failure::Failure;
use crate::terminal::{print, tell};

pub(crate) fn run(name: &str, folder: Option<&Path>) -> Result<ExitCode, Failure> {
    match (gallery::find(name), folder) {
        (Some(scene), Some(folder)) => write(scene, folder)?,
        (Some(scene), None) => {
            print(&with_directive(scene.text));
            let files: Vec<&str> = scene.files.iter().map(|file| file.name).collect();
            if !files.is_empty() {
                let files = files.join(", ");
                tell(&format!(
                    "note: this scene reads {files}; `splashdown show {name} --out FOLDER` writes \
                     all of it"
                ));
            }
        }
        // Not a built-in scene: opening it prints a file, or says which name was meant.
        (None, None) => print(&with_directive(&Scene::open(name, &[])?.text)),
        (None, Some(_)) => {
            Scene::builtin(name, &[])?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a scene and the files it names, or nothing if one of them is there already.
fn write(scene: &gallery::Builtin, folder: &Path) -> Result<(), RunError> {
    let text = with_directive(scene.text);
    let own = (format!("{}.toml", scene.name), text.as_bytes());
    let files = scene.files.iter().map(|file| (file.name.to_owned(), file.bytes));
    let all: Vec<_> = [own].into_iter().chain(files).collect();
    let all = all.into_iter().map(|(name, bytes)| (folder.join(name), bytes)).collect::<Vec<_>>();
    if let Some((path, _)) = all.iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
        let message = format!("{} is there already: choose another folder", path.display());
        return Err(RunError::Directory(message));
    }
    fs::create_dir_all(folder).at("create", folder)?;
    for (path, bytes) in all {
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        file.and_then(|mut file| file.write_all(bytes)).at("write", &path)?;
        print(&format!("{}\n", path.display()));
    }
    Ok(())
}
