//! Scene file → World.
//!
//! ```text
//! text ─► tree with places ─► overrides ─► schema ─► SceneFile ─► checks ─► World
//!         tree.rs             overrides.rs validate.rs file.rs    check.rs  build.rs
//! ```
//!
//! Whatever is wrong is said with file, line, column, key and the allowed range or the nearest
//! valid name; all errors of a file in one go.

mod bodies;
mod bounds;
mod build;
mod carve;
mod check;
mod convert;
pub mod copies;
pub mod docs;
mod drop_emitters;
mod elastic;
mod elastic_geometry;
pub mod errors;
pub mod estimate;
pub mod file;
mod fluid_contact;
pub mod gallery;
mod generated_shapes;
mod geometry;
pub mod grid;
mod hints;
mod input;
pub mod memory;
mod method;
mod moving;
mod needs;
mod opening;
mod overlap;
mod overrides;
mod pieces;
mod read;
mod samples;
pub mod schema;
mod solids;
pub mod stored;
mod surfaces;
mod tree;
mod validate;
pub mod variational;

use std::path::{Path, PathBuf};

use crate::nearest::nearest;
use crate::output::settings::OutputSettings;
use crate::world::World;

use estimate::ObjectCount;

pub use errors::{SceneError, SceneErrors};
pub use file::SceneFile;
pub use memory::MemoryLimit;

/// A scene that has been read and checked.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name of the file or built-in scene.
    pub name: String,
    /// The scene as TOML, with its overrides.
    pub text: String,
    /// The content of the file, with defaults filled in.
    pub file: SceneFile,
    /// Where the files it names are looked for.
    pub directory: PathBuf,
    /// Keys of the file that an override of the solver has left out.
    left_out: Vec<String>,
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
    /// What was counted instead of sampled, when a scene was only looked at.
    pub counted: Vec<ObjectCount>,
    /// About what steps of the elastic bodies take.
    pub elastic_bytes: u64,
    /// The files that were read, as the scene names them.
    pub inputs: Vec<String>,
}

impl Scene {
    /// Opens a built-in scene by name, or a file. A file that exists comes first.
    pub fn open(name_or_path: &str, overrides: &[String]) -> Result<Scene, SceneErrors> {
        let (text, directory) = find(name_or_path)?;
        Scene::parse(name_or_path, &text, directory, overrides)
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

    /// Samples and fills the shapes: a world at time zero. It takes no more than a share of the
    /// machine's memory.
    pub fn build(&self) -> Result<Built, SceneErrors> {
        self.build_within(&MemoryLimit::default())
    }

    /// The same within a limit of memory, which is looked at before anything is sampled.
    pub fn build_within(&self, memory: &MemoryLimit) -> Result<Built, SceneErrors> {
        build::build(self, memory)
    }

    /// Opens a scene and builds it for a look: everything that is wrong with it, from its syntax to
    /// bodies that overlap, in one go. What would take long to sample is only counted
    /// (`Built::counted`).
    pub fn examine(
        name_or_path: &str,
        overrides: &[String],
        memory: &MemoryLimit,
    ) -> Result<(Scene, Built), SceneErrors> {
        let (text, directory) = find(name_or_path)?;
        let (scene, found) = read::draft(name_or_path, &text, directory, overrides)?;
        let built = build::examine(&scene, found, memory)?;
        Ok((scene, built))
    }
}

/// The text of a scene, and where the files it names are looked for.
fn find(name_or_path: &str) -> Result<(String, PathBuf), SceneErrors> {
    let path = Path::new(name_or_path);
    let is_path = name_or_path.ends_with(".toml") || name_or_path.contains(['/', '\\']);
    if path.is_file() || (is_path && gallery::find(name_or_path).is_none()) {
        let directory = path.parent().map(Path::to_path_buf).unwrap_or_default();
        return Ok((read::read_text(path)?, directory));
    }
    if let Some(builtin) = gallery::find(name_or_path) {
        return Ok((builtin.text.to_owned(), PathBuf::new()));
    }
    let names = gallery::list().iter().map(|b| b.name);
    let help = match nearest(name_or_path, names) {
        Some(name) => format!("did you mean {name}?"),
        None => "`splashdown list` shows the built-in scenes".to_string(),
    };
    let message = "is neither a file nor a built-in scene".to_string();
    Err(SceneErrors::without_place(name_or_path, message, Some(help)))
}

#[cfg(test)]
mod tests;
