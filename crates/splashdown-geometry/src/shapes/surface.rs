//! Triangles of shapes, for pictures and export.

use std::f64::consts::TAU;

use super::outline::Round;
use super::{Face, Shape, primitives};
use crate::math::DVec3;
use crate::mesh::TriangleMesh;

/// Around a full circle.
const SEGMENTS: u32 = 64;

/// See [`Shape::surface`].
pub(super) fn triangles(shape: &Shape) -> TriangleMesh {
    match shape {
        Shape::Box { half } => cuboid(*half, &[]),
        Shape::Tank { half, open } => cuboid(*half, open),
        Shape::Plane { normal, half_size } => {
            let [s, t] = primitives::sheet_axes(*normal).map(|axis| axis * *half_size);
            let mut mesh = TriangleMesh::default();
            push_quad(&mut mesh, [-s - t, s - t, s + t, t - s]);
            mesh
        }
        Shape::Mesh(mesh) => mesh.surface().clone(),
        _ => Round::grown(shape, 0.0).map(|round| turned(&round)).unwrap_or_default(),
    }
}

fn push_quad(mesh: &mut TriangleMesh, corners: [DVec3; 4]) {
    let first = mesh.vertices.len() as u32;
    mesh.vertices.extend(corners);
    mesh.triangles.push([first, first + 1, first + 2]);
    mesh.triangles.push([first, first + 2, first + 3]);
}

fn cuboid(half: DVec3, open: &[Face]) -> TriangleMesh {
    let corner = |k: usize| {
        let side = |axis: usize| if k >> axis & 1 == 1 { 1.0 } else { -1.0 };
        half * DVec3::new(side(0), side(1), side(2))
    };
    let mut mesh = TriangleMesh { vertices: (0..8).map(corner).collect(), triangles: Vec::new() };
    for face in Face::ALL.into_iter().filter(|face| !open.contains(face)) {
        let [u, v] = [1 << ((face.axis() + 1) % 3), 1 << ((face.axis() + 2) % 3)];
        let base = u32::from(face.is_upper()) << face.axis();
        let mut quad = [base, base + u, base + u + v, base + v];
        if !face.is_upper() {
            quad.reverse();
        }
        mesh.triangles.push([quad[0], quad[1], quad[2]]);
        mesh.triangles.push([quad[0], quad[2], quad[3]]);
    }
    mesh
}

/// The surface that the profile of a body of revolution sweeps.
fn turned(round: &Round) -> TriangleMesh {
    let chains = round.profile();
    // Arcs get as many steps as a full circle of the same radius has segments.
    let mut points: Vec<glam::DVec2> = Vec::new();
    for chain in &chains {
        let parts = if chain.is_straight() { 1 } else { SEGMENTS as usize / 2 };
        let length = chain.length();
        let from = usize::from(!points.is_empty());
        points.extend((from..=parts).map(|k| chain.at(length * k as f64 / parts as f64)));
    }
    let closed = chains.iter().any(|chain| chain.closed);
    if closed {
        points.pop();
    }
    swept(&points, closed, SEGMENTS)
}

/// The surface that points (r, y) sweep about the y axis, with the inside on their left. Points on
/// the axis become single vertices.
pub(super) fn swept(points: &[glam::DVec2], closed: bool, segments: u32) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    let reach = points.iter().map(|p| p.x).fold(0.0, f64::max);
    let rings: Vec<Vec<u32>> = points
        .iter()
        .map(|p| {
            let first = mesh.vertices.len() as u32;
            let count = if p.x <= 1e-9 * reach { 1 } else { segments };
            mesh.vertices.extend((0..count).map(|k| {
                let angle = TAU * f64::from(k) / f64::from(segments);
                let r = if count == 1 { 0.0 } else { p.x };
                DVec3::new(r * angle.cos(), p.y, r * angle.sin())
            }));
            (0..segments + 1).map(|k| first + k % count).collect()
        })
        .collect();
    let pairs = rings.len() - usize::from(!closed);
    for k in 0..pairs {
        let (low, high) = (&rings[k], &rings[(k + 1) % rings.len()]);
        for s in 0..segments as usize {
            let corners = [low[s], high[s], high[s + 1], low[s + 1]];
            for [a, b, c] in [[0, 1, 2], [0, 2, 3]].map(|t| t.map(|i: usize| corners[i])) {
                if a != b && b != c && c != a {
                    mesh.triangles.push([a, b, c]);
                }
            }
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::MeshShape;
    use std::f64::consts::PI;

    #[test]
    fn surfaces_of_solids_are_closed_and_face_outward() {
        let solids = [
            (Shape::Box { half: DVec3::new(1.0, 0.5, 0.25) }, 1.0),
            (Shape::Tank { half: DVec3::ONE, open: vec![] }, 8.0),
            (Shape::Sphere { radius: 1.0 }, 4.0 / 3.0 * PI),
            (Shape::Cylinder { radius: 0.5, half_height: 1.0 }, PI * 0.5),
            (Shape::Cone { radius: 1.0, height: 3.0 }, PI),
            (Shape::Torus { major: 1.0, minor: 0.4 }, 2.0 * PI * PI * 0.16),
            (Shape::Capsule { radius: 0.5, half_height: 1.0 }, PI * (0.5 + 1.0 / 6.0)),
        ];
        for (shape, volume) in solids {
            let surface = shape.surface();
            assert!((surface.volume() / volume - 1.0).abs() < 0.01, "{shape:?}");
            let report = MeshShape::new(surface).unwrap().report();
            assert!(report.is_closed(), "{shape:?}: {report:?}");
            assert_eq!(report.flipped_triangles, 0, "{shape:?}");
        }
    }

    #[test]
    fn an_open_tank_lacks_its_open_faces() {
        let tank = Shape::Tank { half: DVec3::ONE, open: vec![Face::Top] };
        assert_eq!(tank.surface().triangles.len(), 10);
        assert!((tank.surface().area() - 20.0).abs() < 1e-12);
    }
}
