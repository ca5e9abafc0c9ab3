//! The surface where a smooth function is zero, as triangles.
//!
//! Naive surface nets (Gibson 1998): one vertex for each cell that the surface passes through, put
//! onto the surface by Newton's method; four cells around an edge that crosses it make a quad.

use std::collections::HashMap;

use crate::math::{Aabb, DVec3};
use crate::mesh::TriangleMesh;

/// The surface f = 0 inside `bounds`, f negative inside; cells about `cell` wide. The surface must
/// not reach the border of `bounds`.
pub(super) fn isosurface(f: impl Fn(DVec3) -> f64, bounds: Aabb, cell: f64) -> TriangleMesh {
    let size = (bounds.size() / cell).ceil().as_uvec3() + 2;
    let origin = bounds.min - cell;
    let at = |x: u32, y: u32, z: u32| {
        origin + DVec3::new(f64::from(x), f64::from(y), f64::from(z)) * cell
    };
    let index = |x: u32, y: u32, z: u32| ((z * (size.y + 1) + y) * (size.x + 1) + x) as usize;
    let mut values = Vec::with_capacity(index(0, 0, size.z + 1));
    for z in 0..=size.z {
        for y in 0..=size.y {
            values.extend((0..=size.x).map(|x| f(at(x, y, z))));
        }
    }
    let inside = |x: u32, y: u32, z: u32| values[index(x, y, z)] < 0.0;

    let mut mesh = TriangleMesh::default();
    let mut vertex_of: HashMap<[u32; 3], u32> = HashMap::new();
    for z in 0..size.z {
        for y in 0..size.y {
            for x in 0..size.x {
                let corners =
                    (0..8u32).filter(|k| inside(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2)));
                if !matches!(corners.count(), 0 | 8) {
                    vertex_of.insert([x, y, z], mesh.vertices.len() as u32);
                    let middle = at(x, y, z) + 0.5 * cell;
                    mesh.vertices.push(on_surface(&f, middle, cell));
                }
            }
        }
    }
    // Every edge of the grid that crosses the surface, with the four cells around it.
    let around = [[0, 0], [1, 0], [1, 1], [0, 1]];
    for z in 1..size.z {
        for y in 1..size.y {
            for x in 1..size.x {
                for axis in 0..3 {
                    let mut end = [x, y, z];
                    end[axis] += 1;
                    let (from, to) = (inside(x, y, z), inside(end[0], end[1], end[2]));
                    if from == to {
                        continue;
                    }
                    let quad = around.map(|[u, v]| {
                        let mut cell = [x, y, z];
                        cell[(axis + 1) % 3] -= 1 - u;
                        cell[(axis + 2) % 3] -= 1 - v;
                        vertex_of.get(&cell).copied()
                    });
                    if let [Some(a), Some(b), Some(c), Some(d)] = quad {
                        push_quad(&mut mesh, if from { [a, b, c, d] } else { [d, c, b, a] });
                    }
                }
            }
        }
    }
    mesh
}

/// Splits a quad along its shorter diagonal.
fn push_quad(mesh: &mut TriangleMesh, [a, b, c, d]: [u32; 4]) {
    let at = |v: u32| mesh.vertices[v as usize];
    let split = if at(a).distance_squared(at(c)) <= at(b).distance_squared(at(d)) {
        [[a, b, c], [a, c, d]]
    } else {
        [[a, b, d], [b, c, d]]
    };
    mesh.triangles.extend(split);
}

/// Newton's method towards f = 0, from the middle of a cell and not far out of it.
fn on_surface(f: &impl Fn(DVec3) -> f64, middle: DVec3, cell: f64) -> DVec3 {
    let step = 1e-3 * cell;
    let mut p = middle;
    for _ in 0..6 {
        let along = |axis: DVec3| (f(p + axis * step) - f(p - axis * step)) / (2.0 * step);
        let slope = DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z));
        let squared = slope.length_squared();
        if squared > 1e-12 {
            p -= slope * (f(p) / squared);
        }
        p = p.clamp(middle - 0.7 * cell, middle + 0.7 * cell);
    }
    p
}

/// The smaller of two distances, with a fillet about `k` wide where they are alike.
pub(super) fn blend(a: f64, b: f64, k: f64) -> f64 {
    let h = (k - (a - b).abs()).max(0.0) / k;
    a.min(b) - h * h * k / 4.0
}

/// About the distance to an ellipsoid with the given half axes.
pub(super) fn ellipsoid(p: DVec3, half: DVec3) -> f64 {
    let (near, far) = ((p / half).length(), (p / (half * half)).length());
    if far > 0.0 { near * (near - 1.0) / far } else { -half.min_element() }
}

/// Blended ellipsoids, each with its mirror image at the plane z = 0: centres and half axes.
pub(super) fn mirrored(
    parts: &[(DVec3, DVec3)],
    fillet: f64,
    bounds: Aabb,
    cell: f64,
) -> TriangleMesh {
    let shape = |p: DVec3| {
        let folded = p.with_z(p.z.abs());
        let distances = parts.iter().map(|(centre, half)| ellipsoid(folded - centre, *half));
        distances.reduce(|a, b| blend(a, b, fillet)).unwrap_or(f64::INFINITY)
    };
    isosurface(shape, bounds, cell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::MeshShape;

    #[test]
    fn a_ball_is_round_closed_and_faces_outward() {
        let bounds = Aabb { min: DVec3::splat(-1.0), max: DVec3::splat(1.0) };
        let mesh = isosurface(|p| p.length() - 1.0, bounds, 0.1);
        assert!(mesh.vertices.iter().all(|p| (p.length() - 1.0).abs() < 1e-3));
        assert!((mesh.volume() / (4.0 / 3.0 * std::f64::consts::PI) - 1.0).abs() < 0.01);
        let report = MeshShape::new(mesh).unwrap().report();
        assert!(report.is_closed() && report.flipped_triangles == 0, "{report:?}");
    }

    #[test]
    fn a_blend_is_smooth_and_never_outside_of_the_parts() {
        assert_eq!(blend(1.0, 3.0, 0.5), 1.0);
        assert!(blend(1.0, 1.0, 0.4) < 1.0);
        assert!(
            (ellipsoid(DVec3::new(2.0, 0.0, 0.0), DVec3::new(1.0, 0.5, 0.5)) - 1.0).abs() < 1e-12
        );
    }
}
