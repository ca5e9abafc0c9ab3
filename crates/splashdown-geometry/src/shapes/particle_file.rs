//! Particles from files: PLY, CSV, BGEO (plain or compressed) and legacy VTK.

use std::path::Path;

use super::mesh_file::{MeshError, extension, read_bytes};
use super::{bgeo, csv, ply, vtk};
use crate::math::DVec3;

/// Positions and perhaps velocities from a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParticleFile {
    /// m
    pub positions: Vec<DVec3>,
    /// m/s, one for each position if the file has any.
    pub velocities: Option<Vec<DVec3>>,
}

/// Reads particles; the format follows from the ending of the name: ply; csv with columns x, y, z
/// and perhaps vx, vy, vz; bgeo or bgeo.gz version 5 (as written by partio and SPlisHSPlasH); vtk
/// (legacy, text or binary).
pub fn read_particles(path: &Path) -> Result<ParticleFile, MeshError> {
    let Some(format) = ParticleFormat::of(path) else {
        let known = "ply, csv, bgeo, bgeo.gz, vtk (legacy; not vtu or vtp)";
        return Err(MeshError::UnknownType { path: path.into(), known });
    };
    parse_particles(&read_bytes(path)?, format)
        .map_err(|what| MeshError::Malformed { path: path.into(), what })
}

/// A format of particle files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParticleFormat {
    /// PLY, text or binary.
    Ply,
    /// A table of text.
    Csv,
    /// BGEO version 5, plain or gzip.
    Bgeo,
    /// Legacy VTK, text or binary.
    Vtk,
}

impl ParticleFormat {
    /// The format that the ending of the name stands for.
    pub fn of(path: &Path) -> Option<ParticleFormat> {
        let inner = path.file_stem().map(Path::new).map(extension).unwrap_or_default();
        match (extension(path).as_str(), inner.as_str()) {
            ("ply", _) => Some(ParticleFormat::Ply),
            ("csv" | "txt" | "xyz", _) => Some(ParticleFormat::Csv),
            ("bgeo", _) | ("gz", "bgeo") => Some(ParticleFormat::Bgeo),
            ("vtk", _) => Some(ParticleFormat::Vtk),
            _ => None,
        }
    }
}

/// Reads particles from the content of a file, or says what is wrong with it, as a phrase.
pub fn parse_particles(bytes: &[u8], format: ParticleFormat) -> Result<ParticleFile, String> {
    let parse = match format {
        ParticleFormat::Ply => ply::parse_particles,
        ParticleFormat::Csv => csv::parse,
        ParticleFormat::Bgeo => bgeo::parse,
        ParticleFormat::Vtk => vtk::parse,
    };
    parse(bytes).and_then(check)
}

fn check(file: ParticleFile) -> Result<ParticleFile, String> {
    if file.positions.is_empty() {
        return Err("no particles in it".into());
    }
    let broken = |vectors: &[DVec3]| vectors.iter().position(|v| !v.is_finite());
    if let Some(k) = broken(&file.positions) {
        return Err(format!("particle {} is not at a finite position", k + 1));
    }
    match file.velocities.as_deref().and_then(broken) {
        Some(k) => Err(format!("the velocity of particle {} is not finite", k + 1)),
        None => Ok(file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn drops() -> ParticleFile {
        let positions: Vec<DVec3> =
            (0..20).map(|k| DVec3::new(f64::from(k), 0.5, -0.25 * f64::from(k))).collect();
        let velocities = positions.iter().map(|p| p.yzx() * 2.0).collect();
        ParticleFile { positions, velocities: Some(velocities) }
    }
    use glam::Vec3Swizzles as _;

    fn all_formats() -> Vec<(&'static str, Vec<u8>)> {
        let drops = drops();
        vec![
            ("drops.csv", csv::tests::write(&drops)),
            ("drops.bgeo", bgeo::tests::write(&drops)),
            ("drops.bgeo.gz", bgeo::tests::compress(&bgeo::tests::write(&drops))),
            ("zipped.bgeo", bgeo::tests::compress(&bgeo::tests::write(&drops))),
            ("text.vtk", vtk::tests::write(&drops, false)),
            ("binary.vtk", vtk::tests::write(&drops, true)),
            ("drops.ply", crate::shapes::test_support::write_ply_points(&drops)),
        ]
    }

    #[test]
    fn every_format_gives_the_same_drops() {
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in all_formats() {
            let path = dir.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(read_particles(&path).unwrap(), drops(), "{name}");
        }
    }

    #[test]
    fn errors_name_the_file_and_the_problem() {
        let dir = tempfile::tempdir().unwrap();
        let error = |name: &str, content: &[u8]| {
            let path = dir.path().join(name);
            std::fs::write(&path, content).unwrap();
            read_particles(&path).unwrap_err().to_string()
        };
        assert!(error("a.vtu", b"").contains("not vtu"));
        assert!(error("b.csv", b"x,y,z\n1,2,oops\n").contains("b.csv: line 2"));
        assert!(error("c.csv", b"x,y,z\n").contains("no particles"));
        assert!(error("d.csv", b"x,y,z\n1,2,inf\n").contains("finite"));
        assert!(error("e.bgeo", b"not a bgeo").contains("e.bgeo"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]
        #[test]
        fn damaged_files_are_refused_or_read_but_never_panic(
            which in 0..7usize, cut in 0.0..1.0f64, whole in any::<bool>(),
            changes in prop::collection::vec((0.0..1.0f64, any::<u8>()), 0..12),
        ) {
            let (name, mut bytes) = all_formats().swap_remove(which);
            let length = bytes.len() as f64;
            for (place, value) in changes {
                bytes[(place * length) as usize] = value;
            }
            if !whole {
                bytes.truncate((cut * length) as usize);
            }
            let parse = match name.rsplit('.').next() {
                Some("csv") => csv::parse,
                Some("vtk") => vtk::parse,
                Some("ply") => ply::parse_particles,
                _ => bgeo::parse,
            };
            if let Ok(file) = parse(&bytes).and_then(check) {
                prop_assert!(file.velocities.is_none_or(|v| v.len() == file.positions.len()));
            }
        }
    }
}
