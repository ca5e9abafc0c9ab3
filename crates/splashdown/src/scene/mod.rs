//! Scene file → World.
//!
//! ```text
//! text ─► tree with places ─► overrides ─► schema ─► SceneFile ─► checks ─► World
//!         tree.rs             overrides.rs validate.rs file.rs    check.rs  build.rs
//! ```
//!
//! Whatever is wrong is said with file, line, column, key and the allowed range or the nearest valid
//! name; all errors of a file in one go.

mod bodies;
mod build;
mod carve;
mod check;
mod convert;
pub mod copies;
pub mod docs;
mod elastic;
pub mod errors;
pub mod estimate;
pub mod file;
pub mod gallery;
mod geometry;
mod made;
mod matter;
mod moving;
mod opening;
mod overlap;
mod overrides;
mod read;
pub mod schema;
mod showers;
mod solids;
mod surfaces;
mod tree;
mod validate;

use std::path::{Path, PathBuf};

use crate::nearest::nearest;
use crate::output::settings::OutputSettings;
use crate::world::World;

pub use errors::{SceneError, SceneErrors};
pub use file::SceneFile;

/// A scene that has been read and checked.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name of the file or built-in scene.
    pub name: String,
    /// The scene as TOML, with its overrides.
    pub text: String,
    /// What it says.
    pub file: SceneFile,
    /// Where the files it names are looked for.
    pub directory: PathBuf,
    /// Where everything stands in the text.
    source: errors::Source,
}

/// A scene that is ready to run.
#[derive(Clone, Debug)]
pub struct Built {
    /// At time zero.
    pub world: World,
    /// What to write, and how long to run.
    pub output: OutputSettings,
    /// What the user may want to know, such as how much fluid was carved away.
    pub notes: Vec<String>,
    /// The files that were read, as the scene names them.
    pub inputs: Vec<String>,
}

impl Scene {
    /// Opens a built-in scene by name, or a file. A file that exists comes first.
    pub fn open(name_or_path: &str, overrides: &[String]) -> Result<Scene, SceneErrors> {
        let path = Path::new(name_or_path);
        if path.is_file() {
            return Scene::read(path, overrides);
        }
        if gallery::find(name_or_path).is_some() {
            return Scene::builtin(name_or_path, overrides);
        }
        if name_or_path.ends_with(".toml") || name_or_path.contains(['/', '\\']) {
            return Scene::read(path, overrides);
        }
        let names = gallery::list().iter().map(|b| b.name);
        let help = match nearest(name_or_path, names) {
            Some(name) => format!("did you mean {name}?"),
            None => "`splashdown list` shows the built-in scenes".to_string(),
        };
        let message = "is neither a file nor a built-in scene".to_string();
        Err(SceneErrors::without_place(name_or_path, message, Some(help)))
    }

    /// Opens a built-in scene.
    pub fn builtin(name: &str, overrides: &[String]) -> Result<Scene, SceneErrors> {
        match gallery::find(name) {
            Some(builtin) => Scene::parse(name, builtin.text, PathBuf::new(), overrides),
            None => {
                let help = nearest(name, gallery::list().iter().map(|b| b.name));
                let help = help.map(|name| format!("did you mean {name}?"));
                let message = "there is no built-in scene of this name".to_string();
                Err(SceneErrors::without_place(name, message, help))
            }
        }
    }

    /// Reads a scene file.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Scene, SceneErrors> {
        let text = read::read_text(path)?;
        let directory = path.parent().map(Path::to_path_buf).unwrap_or_default();
        Scene::parse(&path.display().to_string(), &text, directory, overrides)
    }

    /// Reads a scene from its text; `directory` is where the files it names are looked for.
    pub fn parse(
        name: &str,
        text: &str,
        directory: impl Into<PathBuf>,
        overrides: &[String],
    ) -> Result<Scene, SceneErrors> {
        read::parse(name, text, directory.into(), overrides)
    }

    /// Samples and fills the shapes: a world at time zero.
    pub fn build(&self) -> Result<Built, SceneErrors> {
        build::build(self)
    }
}

#[cfg(test)]
mod tests;
