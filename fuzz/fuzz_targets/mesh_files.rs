//! Any bytes are a mesh or are refused: OBJ, STL and PLY. The first byte chooses the format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use splashdown::math::{DVec3, Dimension};
use splashdown::shapes::{MeshFormat, MeshShape, parse_mesh};

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, content)) = bytes.split_first() else { return };
    let format = [MeshFormat::Obj, MeshFormat::Stl, MeshFormat::Ply][choice as usize % 3];
    let Ok(mesh) = parse_mesh(content, format) else { return };
    assert!(mesh.triangles.iter().flatten().all(|&v| (v as usize) < mesh.vertices.len()));
    assert!(mesh.vertices.iter().all(|v| v.is_finite()));
    if mesh.triangles.len() < 200 {
        if let Ok(shape) = MeshShape::new(mesh) {
            let _ = shape.signed_distance(DVec3::new(0.1, 0.2, 0.3), Dimension::Three);
        }
    }
});
