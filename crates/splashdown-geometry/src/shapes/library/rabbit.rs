//! A toy rabbit that sits, of blended ellipsoids.

use super::isosurface::mirrored;
use crate::math::{Aabb, DVec3};
use crate::mesh::TriangleMesh;

/// Centre and half axes of each part, for a rabbit about one high; those off the middle come twice.
const PARTS: [(DVec3, DVec3); 8] = [
    (DVec3::new(-0.10, 0.00, 0.0), DVec3::new(0.30, 0.25, 0.23)), // body
    (DVec3::new(0.13, 0.06, 0.0), DVec3::new(0.18, 0.22, 0.18)),  // chest
    (DVec3::new(0.26, 0.32, 0.0), DVec3::new(0.19, 0.16, 0.15)),  // head
    (DVec3::new(0.15, 0.58, 0.09), DVec3::new(0.07, 0.22, 0.06)), // ears
    (DVec3::new(-0.18, -0.07, 0.17), DVec3::new(0.19, 0.18, 0.11)), // haunches
    (DVec3::new(0.03, -0.22, 0.18), DVec3::new(0.18, 0.06, 0.07)), // hind feet
    (DVec3::new(0.26, -0.19, 0.09), DVec3::new(0.13, 0.08, 0.07)), // fore paws
    (DVec3::new(-0.43, -0.08, 0.0), DVec3::new(0.10, 0.10, 0.10)), // tail
];

/// A rabbit that looks towards +x, `height` high; y is up.
pub fn rabbit(height: f64) -> TriangleMesh {
    let bounds = Aabb { min: DVec3::new(-0.65, -0.4, -0.4), max: DVec3::new(0.6, 0.9, 0.4) };
    let mut mesh = mirrored(&PARTS, 0.06, bounds, 0.03);
    let scale = height / mesh.bounds().size().y;
    mesh.vertices.iter_mut().for_each(|p| *p *= scale);
    mesh
}
