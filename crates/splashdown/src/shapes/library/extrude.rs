//! Plane figures with depth: the figure in the plane z = 0, from −depth/2 to depth/2.

use std::f64::consts::TAU;

use glam::DVec2;

use super::triangulate::triangulate;
use crate::math::DVec3;
use crate::mesh::TriangleMesh;

/// A figure with holes, extruded along z. `outline` runs counter-clockwise, `holes` clockwise.
pub fn extrude(outline: &[DVec2], holes: &[Vec<DVec2>], depth: f64) -> TriangleMesh {
    let loops: Vec<&[DVec2]> =
        [outline].into_iter().chain(holes.iter().map(Vec::as_slice)).collect();
    let flat: Vec<DVec2> = loops.concat();
    let n = flat.len() as u32;
    let mut mesh = TriangleMesh::default();
    for z in [-depth / 2.0, depth / 2.0] {
        mesh.vertices.extend(flat.iter().map(|p: &DVec2| DVec3::new(p.x, p.y, z)));
    }
    for [a, b, c] in triangulate(outline, holes) {
        mesh.triangles.push([a, c, b]); // seen from behind
        mesh.triangles.push([a + n, b + n, c + n]);
    }
    let mut first = 0;
    for line in loops {
        let count = line.len() as u32;
        for k in 0..count {
            let (a, b) = (first + k, first + (k + 1) % count);
            mesh.triangles.push([a, b, b + n]);
            mesh.triangles.push([a, b + n, a + n]);
        }
        first += count;
    }
    mesh
}

/// A circle as a polygon, counter-clockwise.
pub fn circle(radius: f64, corners: u32) -> Vec<DVec2> {
    let corner = |k: u32| radius * DVec2::from_angle(TAU * f64::from(k) / f64::from(corners));
    (0..corners).map(corner).collect()
}

/// The same, clockwise: a hole.
pub fn hole(radius: f64, corners: u32) -> Vec<DVec2> {
    let mut points = circle(radius, corners);
    points.reverse();
    points
}
