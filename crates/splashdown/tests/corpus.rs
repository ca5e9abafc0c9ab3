//! Inputs that once broke a reader: the seeds of the fuzzers are read or refused in every run of
//! the tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use splashdown::expression::Expression;
use splashdown::output::snapshot::decode;
use splashdown::scene::{MemoryLimit, Scene};
use splashdown::shapes::{MeshFormat, ParticleFormat, parse_mesh, parse_particles};

/// The seeds of a target, by name.
fn seeds(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    // What a fuzzer adds has the hash of its content as name.
    let seeds = files.filter(|path| path.file_name().unwrap().len() != 40);
    let mut seeds: Vec<_> = seeds.map(|path| (path.clone(), fs::read(&path).unwrap())).collect();
    seeds.sort();
    assert!(!seeds.is_empty(), "{target} has no seeds");
    seeds
}

/// Calls `read` with every seed; each may be refused, but quickly.
fn read_all(target: &str, read: impl Fn(&Path, &[u8])) {
    for (path, bytes) in seeds(target) {
        let start = Instant::now();
        read(&path, &bytes);
        assert!(start.elapsed() < Duration::from_secs(60), "{path:?} takes {:?}", start.elapsed());
    }
}

/// Whether a file must be refused.
fn is_bad(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_string_lossy();
    ["endless", "wide", "bomb"].iter().any(|word| name.contains(word))
}

#[test]
fn seeds_of_meshes_and_particles_are_read_or_refused() {
    read_all("mesh_files", |path, bytes| {
        let formats = [MeshFormat::Obj, MeshFormat::Stl, MeshFormat::Ply];
        let read = parse_mesh(&bytes[1..], formats[bytes[0] as usize % 3]);
        assert!(read.is_err() || !is_bad(path), "{path:?} is read");
    });
    read_all("particle_files", |path, bytes| {
        use ParticleFormat::{Bgeo, Csv, Ply, Vtk};
        let read = parse_particles(&bytes[1..], [Ply, Csv, Bgeo, Vtk][bytes[0] as usize % 4]);
        assert!(read.is_err() || !is_bad(path), "{path:?} is read");
    });
}

#[test]
fn seeds_of_scenes_formulas_and_snapshots_are_read_or_refused() {
    let memory: MemoryLimit = "200M".parse().unwrap();
    read_all("scene", |path, bytes| {
        let text = String::from_utf8_lossy(bytes);
        let text = text.split("\n---\n").next().unwrap_or_default();
        match Scene::parse("seed", text, "nowhere", &[]) {
            Ok(scene) => drop(scene.build_within(&memory)),
            Err(errors) => assert!(!errors.errors.is_empty(), "{path:?}"),
        }
    });
    read_all("expression", |_, bytes| {
        drop(Expression::compile(&String::from_utf8_lossy(bytes), &["t", "x"]));
    });
    read_all("snapshot", |_, bytes| drop(decode(bytes)));
}
