//! What tests of shapes share: dense point sets, covering radii, a ball of triangles.

use std::fmt::Write;

use super::{Face, ParticleFile, Shape};
use crate::math::{DVec3, Dimension};
use crate::mesh::TriangleMesh;
use crate::point_grid::PointGrid;

/// One of each built-in shape, about one metre in size.
pub(super) fn solids_of_all_kinds() -> Vec<Shape> {
    vec![
        Shape::Box { half: DVec3::new(1.0, 0.6, 0.8) },
        Shape::Sphere { radius: 0.9 },
        Shape::Cylinder { radius: 0.7, half_height: 1.1 },
        Shape::Cone { radius: 0.8, height: 1.5 },
        Shape::Torus { major: 1.0, minor: 0.4 },
        Shape::Torus { major: 0.5, minor: 0.9 },
        Shape::Capsule { radius: 0.5, half_height: 0.8 },
        Shape::Plane { normal: DVec3::new(1.0, 2.0, 0.0), half_size: 1.2 },
        Shape::Tank { half: DVec3::new(1.0, 0.6, 0.8), open: vec![Face::Top] },
        Shape::Tank { half: DVec3::new(1.0, 0.6, 0.8), open: vec![] },
    ]
}

/// Points that cover the true surface with steps of at most about `step`.
pub(super) fn dense_surface(shape: &Shape, step: f64, dimension: Dimension) -> Vec<DVec3> {
    dense_offset_surface(shape, step, 0.0, dimension)
}

/// The same for the surface moved by `offset`.
pub(super) fn dense_offset_surface(
    shape: &Shape,
    step: f64,
    offset: f64,
    dimension: Dimension,
) -> Vec<DVec3> {
    shape.sample_surface(step, offset, dimension).expect("a valid shape")
}

/// The largest distance from a point of `surface` to the nearest sample.
pub(super) fn covering(surface: &[DVec3], samples: &[DVec3]) -> f64 {
    let reach = 3.0;
    let grid = PointGrid::of(samples, reach);
    let nearest = |p: &DVec3| {
        let mut least = reach * reach;
        grid.all_near(*p, |_, d| {
            least = least.min(d);
            true
        });
        least.sqrt()
    };
    surface.iter().map(nearest).fold(0.0, f64::max)
}

/// The smallest distance between two samples.
pub(super) fn nearest_pair(samples: &[DVec3]) -> f64 {
    let reach = 3.0;
    let grid = PointGrid::of(samples, reach);
    let mut least = f64::INFINITY;
    for (k, &p) in samples.iter().enumerate() {
        grid.all_near(p, |other, d| {
            if other != k {
                least = least.min(d);
            }
            true
        });
    }
    least.sqrt()
}

/// A ball of radius one: an octahedron, refined.
pub(super) fn icosphere(refinements: usize) -> TriangleMesh {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let mut triangles: Vec<[DVec3; 3]> = Vec::new();
    for k in 0..8 {
        let sign = |axis: usize| if k >> axis & 1 == 1 { -1.0 } else { 1.0 };
        let [a, b, c] = [0, 1, 2].map(|axis| axes[axis] * sign(axis));
        triangles.push(if sign(0) * sign(1) * sign(2) > 0.0 { [a, b, c] } else { [a, c, b] });
    }
    for _ in 0..refinements {
        triangles = triangles
            .into_iter()
            .flat_map(|[a, b, c]| {
                let [ab, bc, ca] = [a + b, b + c, c + a].map(DVec3::normalize);
                [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
            })
            .collect();
    }
    let corners: Vec<DVec3> = triangles.concat();
    let count = triangles.len() as u32;
    let soup = TriangleMesh {
        vertices: corners,
        triangles: (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
    };
    super::topology::clean(&soup).expect("a valid mesh").0
}

/// A mesh as OBJ text.
pub(super) fn write_obj(mesh: &TriangleMesh) -> Vec<u8> {
    let mut text = String::from("o mesh\n");
    for p in &mesh.vertices {
        writeln!(text, "v {} {} {}", p.x, p.y, p.z).unwrap();
    }
    for [a, b, c] in &mesh.triangles {
        writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1).unwrap();
    }
    text.into_bytes()
}

/// A mesh as STL.
pub(super) fn write_stl(mesh: &TriangleMesh, binary: bool) -> Vec<u8> {
    let triangles = (0..mesh.triangles.len()).map(|t| {
        let vector = |v: DVec3| stl_io::Vector::new(v.as_vec3().to_array());
        let vertices = mesh.corners(t).map(vector);
        stl_io::Triangle { normal: vector(mesh.area_vector(t).normalize()), vertices }
    });
    let mut bytes = Vec::new();
    if binary {
        stl_io::write_stl(&mut bytes, triangles.collect::<Vec<_>>().iter()).unwrap();
        return bytes;
    }
    let mut text = String::from("solid mesh\n");
    for triangle in triangles {
        let n = triangle.normal.0;
        writeln!(text, "facet normal {} {} {}\nouter loop", n[0], n[1], n[2]).unwrap();
        for v in triangle.vertices {
            writeln!(text, "vertex {} {} {}", v[0], v[1], v[2]).unwrap();
        }
        text.push_str("endloop\nendfacet\n");
    }
    text.push_str("endsolid mesh\n");
    text.into_bytes()
}

/// A mesh as PLY in one of its three encodings.
pub(super) fn write_ply(mesh: &TriangleMesh, format: &str) -> Vec<u8> {
    let mut out = format!(
        "ply\nformat {format} 1.0\ncomment a test\nelement vertex {}\nproperty double x\nproperty \
         double y\n\
         property double z\nproperty uchar red\nelement face {}\nproperty list uchar int \
         vertex_indices\nend_header\n",
        mesh.vertices.len(),
        mesh.triangles.len()
    )
    .into_bytes();
    let is_text = format == "ascii";
    let big = format == "binary_big_endian";
    for p in &mesh.vertices {
        if is_text {
            out.extend(format!("{} {} {} 9\n", p.x, p.y, p.z).bytes());
            continue;
        }
        for x in p.to_array() {
            out.extend(if big { x.to_be_bytes() } else { x.to_le_bytes() });
        }
        out.push(9);
    }
    for t in &mesh.triangles {
        if is_text {
            out.extend(format!("3 {} {} {}\n", t[0], t[1], t[2]).bytes());
            continue;
        }
        out.push(3);
        for v in t {
            out.extend(if big { v.to_be_bytes() } else { v.to_le_bytes() });
        }
    }
    out
}

/// Particles as PLY text.
pub(super) fn write_ply_points(file: &ParticleFile) -> Vec<u8> {
    let mut text = format!("ply\nformat ascii 1.0\nelement vertex {}\n", file.positions.len());
    for name in ["x", "y", "z", "vx", "vy", "vz"] {
        writeln!(text, "property float {name}").unwrap();
    }
    text.push_str("end_header\n");
    for (p, v) in file.positions.iter().zip(file.velocities.as_ref().unwrap()) {
        writeln!(text, "{} {} {} {} {} {}", p.x, p.y, p.z, v.x, v.y, v.z).unwrap();
    }
    text.into_bytes()
}
