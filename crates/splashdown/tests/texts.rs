//! What a compiler does not read: names in documents, labels of equations, width of lines.

#[path = "texts/extending.rs"]
mod extending;
#[path = "texts/labels.rs"]
mod labels;
#[path = "texts/papers.rs"]
mod papers;
#[path = "texts/paths.rs"]
mod paths;
#[path = "texts/width.rs"]
mod width;

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the whole project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of a file of the project.
fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A file, or all files below a folder whose names end in `.extension`; builds are left out.
fn files(place: &Path, extension: &str) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.to_owned()];
    }
    let Ok(entries) = fs::read_dir(place) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut found: Vec<PathBuf> = paths
        .filter(|path| path.is_dir() || path.extension().is_some_and(|e| e == extension))
        .filter(|path| path.file_name().is_some_and(|name| name != "target"))
        .flat_map(|path| files(&path, extension))
        .collect();
    found.sort();
    found
}

/// All Rust files of the project.
fn sources() -> Vec<PathBuf> {
    ["crates", "fuzz"].iter().flat_map(|folder| files(&root().join(folder), "rs")).collect()
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}
