//! A toy cow, of blended ellipsoids.

use super::isosurface::mirrored;
use crate::math::{Aabb, DVec3};
use crate::mesh::TriangleMesh;

/// Centre and half axes of each part, for a cow about one long; those off the middle come twice.
const PARTS: [(DVec3, DVec3); 10] = [
    (DVec3::new(-0.06, 0.00, 0.0), DVec3::new(0.34, 0.19, 0.17)), // body
    (DVec3::new(0.26, 0.09, 0.0), DVec3::new(0.16, 0.14, 0.11)),  // neck
    (DVec3::new(0.38, 0.18, 0.0), DVec3::new(0.13, 0.10, 0.10)),  // head
    (DVec3::new(0.48, 0.13, 0.0), DVec3::new(0.08, 0.07, 0.075)), // muzzle
    (DVec3::new(0.35, 0.29, 0.09), DVec3::new(0.04, 0.08, 0.04)), // horns
    (DVec3::new(0.33, 0.20, 0.14), DVec3::new(0.04, 0.04, 0.07)), // ears
    (DVec3::new(0.16, -0.24, 0.10), DVec3::new(0.065, 0.19, 0.065)), // fore legs
    (DVec3::new(-0.28, -0.24, 0.10), DVec3::new(0.07, 0.19, 0.07)), // hind legs
    (DVec3::new(-0.16, -0.18, 0.0), DVec3::new(0.09, 0.08, 0.08)), // udder
    (DVec3::new(-0.41, -0.04, 0.0), DVec3::new(0.05, 0.17, 0.045)), // tail
];

/// A cow that walks towards +x, `length` long; y is up.
pub fn cow(length: f64) -> TriangleMesh {
    let bounds = Aabb { min: DVec3::new(-0.6, -0.55, -0.35), max: DVec3::new(0.7, 0.5, 0.35) };
    let mut mesh = mirrored(&PARTS, 0.05, bounds, 0.03);
    let scale = length / mesh.bounds().size().x;
    mesh.vertices.iter_mut().for_each(|p| *p *= scale);
    mesh
}
