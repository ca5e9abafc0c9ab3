//! Plane figures with depth: the figure in the plane z = 0, from −depth/2 to depth/2.

use std::f64::consts::TAU;

use glam::DVec2;

use super::triangulate::triangulate;
use crate::math::DVec3;
use crate::mesh::TriangleMesh;

/// What stands on the front of an extruded figure, round about a line along z.
pub(super) struct Knob {
    /// Centre of the circle, m.
    pub centre: DVec2,
    /// Radius and height above the front, from the foot (height 0) to the top.
    pub profile: Vec<(f64, f64)>,
}

/// Corners around a knob.
const AROUND: u32 = 24;

/// A figure with holes, extruded along z. `outline` runs counter-clockwise, `holes` clockwise.
pub(super) fn extrude(outline: &[DVec2], holes: &[Vec<DVec2>], depth: f64) -> TriangleMesh {
    extrude_with(outline, holes, depth, None)
}

/// The same with a knob on its front, away from its edges.
pub(super) fn extrude_with(
    outline: &[DVec2],
    holes: &[Vec<DVec2>],
    depth: f64,
    knob: Option<&Knob>,
) -> TriangleMesh {
    let loops: Vec<&[DVec2]> =
        [outline].into_iter().chain(holes.iter().map(Vec::as_slice)).collect();
    let flat: Vec<DVec2> = loops.concat();
    let n = flat.len() as u32;
    let mut mesh = TriangleMesh::default();
    for z in [-depth / 2.0, depth / 2.0] {
        mesh.vertices.extend(flat.iter().map(|p: &DVec2| DVec3::new(p.x, p.y, z)));
    }
    let face = triangulate(outline, holes);
    mesh.triangles.extend(face.iter().map(|&[a, b, c]| [a, c, b])); // seen from behind
    let front = match knob {
        None => face,
        Some(knob) => {
            let mut holes = holes.to_vec();
            holes.push(ring(knob, knob.profile.first().map_or(0.0, |foot| foot.0)));
            triangulate(outline, &holes) // the foot's vertices follow those of the front
        }
    };
    mesh.triangles.extend(front.iter().map(|corners| corners.map(|corner| corner + n)));
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
    if let Some(knob) = knob {
        raise(&mut mesh, knob, depth / 2.0);
    }
    mesh
}

/// A ring of a knob, clockwise as the hole that it leaves in the front.
fn ring(knob: &Knob, radius: f64) -> Vec<DVec2> {
    hole(radius, AROUND).into_iter().map(|p| knob.centre + p).collect()
}

/// Adds the knob's side and top; its foot is at the height `front`.
fn raise(mesh: &mut TriangleMesh, knob: &Knob, front: f64) {
    let first = mesh.vertices.len() as u32;
    for &(radius, height) in &knob.profile {
        let points = ring(knob, radius).into_iter();
        mesh.vertices.extend(points.map(|p| p.extend(front + height)));
    }
    let top = knob.profile.last().map_or(0.0, |top| top.1);
    let middle = mesh.vertices.len() as u32;
    mesh.vertices.push(knob.centre.extend(front + top));
    let rings = knob.profile.len() as u32;
    for k in 0..AROUND {
        let at = |ring: u32, k: u32| first + ring * AROUND + k % AROUND;
        for r in 1..rings {
            let (a, b) = (at(r - 1, k), at(r - 1, k + 1));
            let (above_a, above_b) = (at(r, k), at(r, k + 1));
            mesh.triangles.push([b, a, above_a]);
            mesh.triangles.push([b, above_a, above_b]);
        }
        mesh.triangles.push([middle, at(rings - 1, k + 1), at(rings - 1, k)]);
    }
}

/// A circle as a polygon, counter-clockwise.
pub(super) fn circle(radius: f64, corners: u32) -> Vec<DVec2> {
    let corner = |k: u32| radius * DVec2::from_angle(TAU * f64::from(k) / f64::from(corners));
    (0..corners).map(corner).collect()
}

/// The same, clockwise: a hole.
pub(super) fn hole(radius: f64, corners: u32) -> Vec<DVec2> {
    let mut points = circle(radius, corners);
    points.reverse();
    points
}
