//! Frames read back from disk.

use std::sync::Arc;

use splashdown_geometry::math::{DQuat, DVec3, Pose};
use splashdown_geometry::mesh::TriangleMesh;
use splashdown_run::output::formats::{bgeo, ply, vtk};
use splashdown_run::output::frame::{Points, Surfaces};

fn points(n: usize) -> Points {
    let x = |i: usize, k: usize| ((i * k) % 101) as f64 / 7.0;
    Points {
        position: (0..n).map(|i| DVec3::new(1e7 + x(i, 3), x(i, 5), -x(i, 7))).collect(),
        velocity: (0..n).map(|i| [x(i, 11) as f32, -1.5, x(i, 13) as f32]).collect(),
        pressure: (0..n).map(|i| x(i, 17) as f32).collect(),
        density: (0..n).map(|i| 1000.0 + x(i, 19) as f32).collect(),
        id: (0..n as u32).map(|i| i * 7).collect(),
        fluid: (0..n as u32).map(|i| i % 3).collect(),
    }
}

fn surfaces() -> Surfaces {
    let triangle = TriangleMesh {
        vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
        triangles: vec![[0, 1, 2]],
    };
    let dots = TriangleMesh { vertices: vec![DVec3::Z, DVec3::ONE], triangles: Vec::new() };
    let pose =
        Pose { translation: DVec3::new(0.0, 0.0, 5.0), rotation: DQuat::from_rotation_x(1.0) };
    Surfaces {
        fixed: vec![
            (4, Pose::IDENTITY, Arc::new(triangle.clone())),
            (1, pose, Arc::new(dots)),
            (2, pose, Arc::new(triangle)),
        ],
        moving: Vec::new(),
        elastic: false,
    }
}

#[test]
fn particles_read_back_as_they_were_written() {
    for n in [0, 1, 1000] {
        let points = points(n);
        let mut file = Vec::new();
        vtk::write_points(&mut file, &points).unwrap();
        assert_eq!(vtk::read_points(&file).unwrap(), points);
        let mut file = Vec::new();
        ply::write(&mut file, &points).unwrap();
        assert_eq!(ply::read_points(&file).unwrap(), points);
        let mut file = Vec::new();
        bgeo::write(&mut file, &points, 0.01).unwrap();
        let mut rounded = points.clone(); // BGEO has single precision only
        rounded.position.iter_mut().for_each(|p| *p = p.as_vec3().as_dvec3());
        assert_eq!(bgeo::read_points(&file).unwrap(), rounded);
    }
}

/// Frames of earlier versions have no `v` and no `pscale`.
#[test]
fn houdini_files_of_earlier_versions_are_still_read() {
    use std::io::{Read, Write};
    let points = points(3);
    let mut file = Vec::new();
    bgeo::write(&mut file, &points, 0.01).unwrap();
    let mut raw = Vec::new();
    flate2::read::GzDecoder::new(&file[..]).read_to_end(&mut raw).unwrap();
    let (names, records) = (b"\0\x01v\0\x03", raw.len() - 2 - 3 * 60);
    let cut = raw.windows(names.len()).position(|w| w == names).unwrap();
    let mut old = raw[..cut].to_vec();
    old[25..29].copy_from_slice(&5u32.to_be_bytes());
    for record in raw[records..raw.len() - 2].chunks_exact(60) {
        old.extend_from_slice(&record[..44]);
    }
    old.extend_from_slice(&[0x00, 0xff]);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&old).unwrap();
    let read = bgeo::read_points(&gzip.finish().unwrap()).unwrap();
    assert_eq!(read, bgeo::read_points(&file).unwrap());
    assert_eq!(read.velocity, points.velocity);
}

#[test]
fn bodies_read_back_as_they_were_written() {
    let surfaces = surfaces();
    let mut file = Vec::new();
    vtk::write_fixed(&mut file, &surfaces).unwrap();
    let bodies = vtk::read_bodies(&file).unwrap();
    assert_eq!(bodies.triangles, [[0, 1, 2], [5, 6, 7]]);
    assert_eq!(bodies.body_of_triangle, [4, 2]);
    assert_eq!(bodies.points, [3, 4]);
    assert_eq!(bodies.body_of_point, [1, 1]);
    assert_eq!(bodies.vertices[1], DVec3::X);
    assert_eq!(bodies.vertices[5], surfaces.fixed[1].1.apply(DVec3::ZERO));
}

#[test]
fn damaged_files_give_errors_and_never_panic() {
    let (mut fluid, mut solid, mut mesh) = (Vec::new(), Vec::new(), Vec::new());
    vtk::write_points(&mut fluid, &points(20)).unwrap();
    vtk::write_fixed(&mut solid, &surfaces()).unwrap();
    ply::write(&mut mesh, &points(20)).unwrap();
    let mut houdini = Vec::new();
    bgeo::write(&mut houdini, &points(20), 0.01).unwrap();
    let all = |file: &[u8]| {
        let points = vtk::read_points(file).is_err();
        let bodies = vtk::read_bodies(file).is_err();
        let ply = ply::read_points(file).is_err();
        let bgeo = bgeo::read_points(file).is_err();
        [points, bodies, ply, bgeo]
    };
    for file in [&fluid, &solid, &mesh, &houdini] {
        // What follows the arrays is not needed; everything before is.
        for length in (0..file.len().saturating_sub(40)).step_by(3) {
            assert_eq!(all(&file[..length]), [true; 4], "cut to {length}");
        }
        for place in 0..file.len() {
            for bits in [0x01, 0x80, 0xff] {
                let mut damaged = file.clone();
                damaged[place] ^= bits;
                all(&damaged);
            }
        }
    }
    assert_eq!(all(b""), [true; 4]);
    assert_eq!(all(&[b'_'; 5000]), [true; 4]);
    // Indices out of range, found by their bytes: the corners of the last triangle.
    let corners: Vec<u8> = [5i32, 6, 7].iter().flat_map(|i| i.to_le_bytes()).collect();
    let at = solid.windows(12).position(|w| w == corners).unwrap();
    for index in [8i32, -1, i32::MAX] {
        let mut damaged = solid.clone();
        damaged[at..at + 4].copy_from_slice(&index.to_le_bytes());
        assert!(vtk::read_bodies(&damaged).unwrap_err().contains("vertex"));
    }
}
