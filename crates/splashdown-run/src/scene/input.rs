//! Files that a scene names: on the disk, or beside a built-in scene and so part of the program.

use std::path::{Path, PathBuf};

use super::convert::Converter;
use super::gallery;
use crate::mesh::TriangleMesh;
use crate::shapes::{
    MeshFormat, ParticleFile, ParticleFormat, parse_mesh, parse_particles, read_mesh,
    read_particles,
};

/// A file that a scene names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Input {
    Disk(PathBuf),
    Builtin(gallery::File),
}

impl Input {
    /// The mesh in it, or what is wrong with it, as a phrase.
    pub(super) fn mesh(&self) -> Result<TriangleMesh, String> {
        match self {
            Input::Disk(path) => read_mesh(path).map_err(|e| e.to_string()),
            Input::Builtin(file) => {
                let format = MeshFormat::of(Path::new(file.name)).ok_or("has an unknown type")?;
                parse_mesh(file.bytes, format)
            }
        }
    }

    /// The particles in it, or what is wrong with it, as a phrase.
    pub(super) fn particles(&self) -> Result<ParticleFile, String> {
        match self {
            Input::Disk(path) => read_particles(path).map_err(|e| e.to_string()),
            Input::Builtin(file) => {
                let format =
                    ParticleFormat::of(Path::new(file.name)).ok_or("has an unknown type")?;
                parse_particles(file.bytes, format)
            }
        }
    }
}

impl Converter<'_, '_> {
    /// A file of a built-in scene, or one that exists, relative to the scene.
    pub(super) fn input(&mut self, key: &str, file: &str, endings: &[&str]) -> Input {
        match gallery::file(&self.report.source.file, file) {
            Some(file) => Input::Builtin(file),
            None => Input::Disk(self.existing_file(key, file, endings)),
        }
    }
}
