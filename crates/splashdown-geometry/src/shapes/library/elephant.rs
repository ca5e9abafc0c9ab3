//! A toy elephant, of blended ellipsoids.

use super::isosurface::mirrored;
use crate::math::{Aabb, DVec3};
use crate::mesh::TriangleMesh;

/// Centre and half axes of each part, for an elephant about one long; those off the middle come
/// twice.
const PARTS: [(DVec3, DVec3); 10] = [
    (DVec3::new(-0.08, 0.00, 0.0), DVec3::new(0.30, 0.21, 0.20)), // body
    (DVec3::new(0.24, 0.09, 0.0), DVec3::new(0.15, 0.15, 0.13)),  // head
    (DVec3::new(0.38, 0.02, 0.0), DVec3::new(0.08, 0.09, 0.07)),  // root of the trunk
    (DVec3::new(0.44, -0.09, 0.0), DVec3::new(0.06, 0.11, 0.055)), // trunk
    (DVec3::new(0.48, -0.22, 0.0), DVec3::new(0.07, 0.07, 0.05)), // its tip
    (DVec3::new(-0.38, -0.02, 0.0), DVec3::new(0.05, 0.13, 0.04)), // tail
    (DVec3::new(0.10, -0.24, 0.11), DVec3::new(0.08, 0.17, 0.08)), // fore legs
    (DVec3::new(-0.24, -0.24, 0.11), DVec3::new(0.08, 0.17, 0.08)), // hind legs
    (DVec3::new(0.17, 0.12, 0.19), DVec3::new(0.10, 0.13, 0.05)), // ears
    (DVec3::new(0.37, -0.07, 0.09), DVec3::new(0.08, 0.045, 0.045)), // tusks
];

/// An elephant that walks towards +x, `length` long; y is up.
pub fn elephant(length: f64) -> TriangleMesh {
    let bounds = Aabb { min: DVec3::new(-0.6, -0.55, -0.4), max: DVec3::new(0.7, 0.4, 0.4) };
    let mut mesh = mirrored(&PARTS, 0.05, bounds, 0.03);
    let scale = length / mesh.bounds().size().x;
    mesh.vertices.iter_mut().for_each(|p| *p *= scale);
    mesh
}
