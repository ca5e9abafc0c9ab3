//! Triangle meshes from files: OBJ, STL (text and binary) and PLY (text and binary).

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use super::{obj, ply};
use crate::mesh::TriangleMesh;

/// Files larger than this are refused; text of this size already describes a hundred million
/// vertices.
const LARGEST_FILE: u64 = 8 << 30;

/// Why a mesh or particle file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum MeshError {
    /// The file cannot be opened or read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file that could not be used.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The name ends in nothing we know.
    #[error("{}: unknown file type; known are {known}", path.display())]
    UnknownType {
        /// The file that could not be used.
        path: PathBuf,
        /// The endings that can be read.
        known: &'static str,
    },
    /// The content is not what the format asks for.
    #[error("{}: {what}", path.display())]
    Malformed {
        /// The file that could not be used.
        path: PathBuf,
        /// What is wrong, as a phrase.
        what: String,
    },
}

/// Reads a triangle mesh; the format follows from the ending of the name (obj, stl, ply). Polygons
/// are split into triangles. The mesh is checked only as far as the format goes:
/// [`MeshShape::new`](super::MeshShape::new) finds holes and turned triangles.
pub fn read_mesh(path: &Path) -> Result<TriangleMesh, MeshError> {
    let Some(format) = MeshFormat::of(path) else {
        return Err(MeshError::UnknownType { path: path.into(), known: "obj, stl, ply" });
    };
    parse_mesh(&read_bytes(path)?, format)
        .map_err(|what| MeshError::Malformed { path: path.into(), what })
}

/// A format of triangle meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// Wavefront OBJ.
    Obj,
    /// STL, text or binary.
    Stl,
    /// PLY, text or binary.
    Ply,
}

impl MeshFormat {
    /// The format that the ending of the name stands for.
    pub fn of(path: &Path) -> Option<MeshFormat> {
        match extension(path).as_str() {
            "obj" => Some(MeshFormat::Obj),
            "stl" => Some(MeshFormat::Stl),
            "ply" => Some(MeshFormat::Ply),
            _ => None,
        }
    }
}

/// Reads a triangle mesh from the content of a file, or says what is wrong with it, as a phrase.
pub fn parse_mesh(bytes: &[u8], format: MeshFormat) -> Result<TriangleMesh, String> {
    let parse = match format {
        MeshFormat::Obj => obj::parse,
        MeshFormat::Stl => parse_stl,
        MeshFormat::Ply => ply::parse_mesh,
    };
    parse(bytes).and_then(check)
}

/// The ending of the name in lower case, without the dot.
pub(super) fn extension(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase()
}

/// The whole content of a file of reasonable size.
pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>, MeshError> {
    let io = |source| MeshError::Io { path: path.into(), source };
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(io)?;
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > LARGEST_FILE {
        let what = format!("larger than {} GiB", LARGEST_FILE >> 30);
        return Err(MeshError::Malformed { path: path.into(), what });
    }
    Ok(bytes)
}

fn check(mesh: TriangleMesh) -> Result<TriangleMesh, String> {
    if mesh.triangles.is_empty() {
        return Err("no triangles in it".into());
    }
    let count = mesh.vertices.len();
    if let Some(v) = mesh.triangles.iter().flatten().find(|&&v| v as usize >= count) {
        return Err(format!("a face names vertex {} of {count}", u64::from(*v) + 1));
    }
    match mesh.vertices.iter().position(|p| !p.is_finite()) {
        Some(k) => Err(format!("vertex {} is not finite: {}", k + 1, mesh.vertices[k])),
        None => Ok(mesh),
    }
}

/// Splits a polygon into triangles about its first corner.
pub(super) fn fan(corners: &[u32]) -> impl Iterator<Item = [u32; 3]> + '_ {
    (2..corners.len()).map(|k| [corners[0], corners[k - 1], corners[k]])
}

fn parse_stl(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let mut bytes = bytes.to_vec();
    // Many programs begin binary files with "solid" too; the length tells them apart.
    if let Some(count) = bytes.get(80..84).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes) {
        let is_binary = bytes.len() as u64 == 84 + 50 * u64::from(count);
        if is_binary && bytes.starts_with(b"solid") {
            bytes[..5].fill(b' ');
        }
    }
    let stl = stl_io::read_stl(&mut Cursor::new(bytes)).map_err(|error| error.to_string())?;
    let vertices = stl.vertices.iter().map(|v| glam::Vec3::from_array(v.0).as_dvec3()).collect();
    let index = |v: usize| u32::try_from(v).unwrap_or(u32::MAX);
    let triangles = stl.faces.iter().map(|face| face.vertices.map(index)).collect();
    Ok(TriangleMesh { vertices, triangles })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::test_support::{icosphere, write_obj, write_ply, write_stl};
    use crate::shapes::{MeshShape, Shape};
    use proptest::prelude::*;
    use std::path::PathBuf;

    /// The same ball in every format.
    fn files(dir: &Path) -> Vec<PathBuf> {
        let ball = icosphere(2);
        let contents = [
            ("ball.obj", write_obj(&ball)),
            ("text.stl", write_stl(&ball, false)),
            ("binary.STL", write_stl(&ball, true)),
            ("text.ply", write_ply(&ball, "ascii")),
            ("little.ply", write_ply(&ball, "binary_little_endian")),
            ("big.ply", write_ply(&ball, "binary_big_endian")),
        ];
        let write = |(name, bytes): (&str, Vec<u8>)| {
            let path = dir.join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        contents.into_iter().map(write).collect()
    }

    #[test]
    fn every_format_gives_the_same_ball() {
        let dir = tempfile::tempdir().unwrap();
        let ball = icosphere(2);
        for path in files(dir.path()) {
            let mesh = read_mesh(&path).unwrap();
            assert_eq!(mesh.triangles.len(), ball.triangles.len(), "{path:?}");
            assert!((mesh.volume() - ball.volume()).abs() < 1e-5, "{path:?}");
            let shape = Shape::Mesh(MeshShape::new(mesh).unwrap());
            assert!(shape.is_closed(), "{path:?}");
        }
    }

    #[test]
    fn a_binary_stl_may_begin_with_the_word_solid() {
        let mut bytes = write_stl(&icosphere(1), true);
        bytes[..6].copy_from_slice(b"solid ");
        assert_eq!(parse_stl(&bytes).unwrap().triangles.len(), 32);
    }

    #[test]
    fn errors_name_the_file_and_the_problem() {
        let dir = tempfile::tempdir().unwrap();
        let error = |name: &str, content: &[u8]| {
            let path = dir.path().join(name);
            std::fs::write(&path, content).unwrap();
            read_mesh(&path).unwrap_err().to_string()
        };
        assert!(error("a.step", b"").contains("known are obj, stl, ply"));
        assert!(error("empty.obj", b"# nothing\n").contains("no triangles"));
        assert!(error("index.obj", b"v 0 0 0\nv 1 0 0\nf 1 2 9\n").contains("index.obj"));
        assert!(error("nan.obj", b"v 0 0 nan\nv 1 0 0\nv 1 1 0\nf 1 2 3\n").contains("not finite"));
        let missing = read_mesh(&dir.path().join("missing.ply")).unwrap_err();
        assert!(matches!(missing, MeshError::Io { .. }));
    }

    #[test]
    fn huge_counts_in_a_header_are_not_believed() {
        let mut stl = write_stl(&icosphere(0), true);
        stl[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(parse_stl(&stl).is_err());
        for format in ["ascii", "binary_little_endian"] {
            let header = format!(
                "ply\nformat {format} 1.0\nelement vertex 4000000000\nproperty float x\nproperty \
                 float y\n\
                 property float z\nelement face 4000000000\nproperty list int int vertex_indices\n\
                 end_header\n"
            );
            let mut file = header.into_bytes();
            file.extend([0x7f; 64]);
            assert!(ply::parse_mesh(&file).is_err());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn damaged_files_are_refused_or_read_but_never_panic(
            which in 0..6usize, cut in 0.0..1.0f64, whole in any::<bool>(),
            changes in prop::collection::vec((0.0..1.0f64, any::<u8>()), 0..12),
        ) {
            let ball = icosphere(1);
            let mut bytes = match which {
                0 => write_obj(&ball),
                1 => write_stl(&ball, false),
                2 => write_stl(&ball, true),
                3 => write_ply(&ball, "ascii"),
                4 => write_ply(&ball, "binary_little_endian"),
                _ => write_ply(&ball, "binary_big_endian"),
            };
            let length = bytes.len() as f64;
            for (place, value) in changes {
                bytes[(place * length) as usize] = value;
            }
            if !whole {
                bytes.truncate((cut * length) as usize);
            }
            let parsed = match which {
                0 => obj::parse(&bytes),
                1 | 2 => parse_stl(&bytes),
                _ => ply::parse_mesh(&bytes),
            };
            if let Ok(mesh) = parsed.and_then(check)
                && let Ok(shape) = MeshShape::new(mesh)
            {
                let (origin, space) = (crate::math::DVec3::ZERO, crate::math::Dimension::Three);
                let _ = shape.signed_distance(origin, space);
            }
        }
    }
}
