//! A spoon that stands on its bowl.

use super::isosurface::{blend, ellipsoid, isosurface};
use crate::math::{Aabb, DVec3};
use crate::mesh::TriangleMesh;

/// Radius of the handle, of a spoon one long.
const HANDLE: f64 = 0.025;

/// A spoon `length` long, along y from the tip of its bowl at y = 0, which opens towards +z.
pub fn spoon(length: f64) -> TriangleMesh {
    let shape = |p: DVec3| {
        let outside = ellipsoid(p - DVec3::new(0.0, 0.17, 0.0), DVec3::new(0.13, 0.17, 0.05));
        let hollow = ellipsoid(p - DVec3::new(0.0, 0.17, 0.08), DVec3::new(0.10, 0.14, 0.065));
        let handle = p.distance(p.with_x(0.0).with_y(p.y.clamp(0.28, 1.0 - HANDLE)).with_z(0.0));
        -blend(-blend(outside, handle - HANDLE, 0.05), hollow, 0.02)
    };
    let bounds = Aabb { min: DVec3::new(-0.2, -0.05, -0.15), max: DVec3::new(0.2, 1.05, 0.15) };
    let mut mesh = isosurface(shape, bounds, 0.012);
    let (low, size) = (mesh.bounds().min.y, mesh.bounds().size().y);
    mesh.vertices.iter_mut().for_each(|p| *p = (*p - low * DVec3::Y) * (length / size));
    mesh
}
