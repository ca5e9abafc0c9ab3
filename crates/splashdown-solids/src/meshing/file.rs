//! Tetrahedral meshes from files: Gmsh (`.msh`, 2.x and 4.1, text), legacy VTK (`.vtk`, text) and
//! VTK XML (`.vtu`, text or raw appended data).

mod gmsh;
mod vtk;
mod vtu;

use std::io::Read;
use std::path::Path;

use glam::DVec3;

use super::{TetMesh, volume};

/// Files larger than this are refused.
const LARGEST_FILE: u64 = 8 << 30;

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeshFileError {
    /// It cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// Something in a line of it.
    #[error("line {line}: {what}")]
    Line {
        /// From 1.
        line: usize,
        /// And what would be right.
        what: String,
    },
    /// Something about it all.
    #[error("{0}")]
    Content(String),
}

/// Reads a mesh by the ending of its name.
pub fn read_tetrahedra(path: &Path) -> Result<TetMesh, MeshFileError> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
    let unreadable = |e: std::io::Error| MeshFileError::Unreadable(e.to_string());
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST_FILE {
        let what = format!("it is larger than {} GiB", LARGEST_FILE >> 30);
        return Err(MeshFileError::Content(what));
    }
    parse_tetrahedra(&ending, &bytes)
}

/// The mesh in a file whose name ends with `ending`.
pub fn parse_tetrahedra(ending: &str, bytes: &[u8]) -> Result<TetMesh, MeshFileError> {
    let text = || {
        let help = "it is not text; export it as ASCII";
        std::str::from_utf8(bytes).map_err(|_| MeshFileError::Content(help.to_owned()))
    };
    let raw = match ending {
        "msh" => gmsh::parse(text()?)?,
        "vtk" => vtk::parse(text()?)?,
        "vtu" => vtu::parse(bytes)?,
        _ => {
            let known = format!("ending {ending:?} is not one of msh, vtk, vtu");
            return Err(MeshFileError::Content(known));
        }
    };
    raw.finish()
}

/// Vertices and tetrahedra as a file has them.
#[derive(Default)]
struct Raw {
    vertices: Vec<DVec3>,
    tetrahedra: Vec<[usize; 4]>,
}

impl Raw {
    /// Leaves out vertices that no tetrahedron has, and turns those tetrahedra that are inside out.
    fn finish(self) -> Result<TetMesh, MeshFileError> {
        let content = |what: String| Err(MeshFileError::Content(what));
        if self.tetrahedra.is_empty() {
            return content("it has no tetrahedra".to_owned());
        }
        if self.vertices.len() > u32::MAX as usize {
            return content("it has too many vertices".to_owned());
        }
        let mut number = vec![u32::MAX; self.vertices.len()];
        let mut mesh = TetMesh::default();
        for (k, tetrahedron) in self.tetrahedra.iter().enumerate() {
            let mut corners = [0; 4];
            for (corner, &v) in corners.iter_mut().zip(tetrahedron) {
                let Some(&place) = self.vertices.get(v) else {
                    return content(format!("tetrahedron {k} has vertex {v}, which there is not"));
                };
                if !place.is_finite() {
                    return content(format!("vertex {v} is not finite"));
                }
                if number[v] == u32::MAX {
                    number[v] = mesh.vertices.len() as u32;
                    mesh.vertices.push(place);
                }
                *corner = number[v];
            }
            if volume(corners.map(|v| mesh.vertices[v as usize])) < 0.0 {
                corners.swap(2, 3);
            }
            mesh.tetrahedra.push(corners);
        }
        Ok(mesh)
    }
}

/// The words of a text whose first line has the number `first`, with the line each stands in.
struct Words<'a> {
    words: std::iter::Peekable<Box<dyn Iterator<Item = (usize, &'a str)> + 'a>>,
    last: usize,
}

impl<'a> Words<'a> {
    fn new(text: &'a str, first: usize) -> Words<'a> {
        let lines = (first..).zip(text.lines());
        let words: Box<dyn Iterator<Item = (usize, &'a str)> + 'a> =
            Box::new(lines.flat_map(|(n, line)| line.split_whitespace().map(move |w| (n, w))));
        Words { words: words.peekable(), last: first }
    }

    fn next(&mut self, what: &str) -> Result<&'a str, MeshFileError> {
        match self.words.next() {
            Some((line, word)) => {
                self.last = line;
                Ok(word)
            }
            None => Err(MeshFileError::Content(format!("it ends where {what} should be"))),
        }
    }

    fn peek(&mut self) -> Option<&'a str> {
        self.words.peek().map(|(_, word)| *word)
    }

    fn error<T>(&self, what: impl Into<String>) -> Result<T, MeshFileError> {
        Err(MeshFileError::Line { line: self.last, what: what.into() })
    }

    fn parse<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, MeshFileError> {
        let word = self.next(what)?;
        word.parse().or_else(|_| self.error(format!("{word:?} is not {what}")))
    }

    /// A number of things, of which a text of this size cannot have more than characters.
    fn count(&mut self, what: &str, most: usize) -> Result<usize, MeshFileError> {
        let count: usize = self.parse(what)?;
        if count > most {
            return self.error(format!("{count} is more than a file of {most} bytes can hold"));
        }
        Ok(count)
    }

    fn point(&mut self) -> Result<DVec3, MeshFileError> {
        let what = "a coordinate";
        Ok(DVec3::new(self.parse(what)?, self.parse(what)?, self.parse(what)?))
    }
}

#[cfg(test)]
mod tests;
