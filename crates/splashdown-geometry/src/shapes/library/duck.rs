//! A toy duck, of blended ellipsoids, on a flat base.

use super::isosurface::{blend, ellipsoid, isosurface};
use crate::math::{Aabb, DVec3};
use crate::mesh::TriangleMesh;

/// Centre and half axes of each part, for a duck about one long.
const PARTS: [(DVec3, DVec3); 6] = [
    (DVec3::new(-0.04, 0.0, 0.0), DVec3::new(0.40, 0.23, 0.28)), // body
    (DVec3::new(0.15, 0.05, 0.0), DVec3::new(0.22, 0.20, 0.22)), // chest
    (DVec3::new(0.22, 0.22, 0.0), DVec3::new(0.12, 0.14, 0.12)), // neck
    (DVec3::new(0.24, 0.37, 0.0), DVec3::new(0.17, 0.16, 0.16)), // head
    (DVec3::new(0.43, 0.34, 0.0), DVec3::new(0.09, 0.04, 0.08)), // beak
    (DVec3::new(-0.40, 0.13, 0.0), DVec3::new(0.13, 0.07, 0.11)), // tail
];

/// Where its flat base is.
const BASE: f64 = -0.15;

/// A duck that swims towards +x, `length` long; y is up.
pub fn duck(length: f64) -> TriangleMesh {
    let shape = |p: DVec3| {
        let parts = PARTS.iter().map(|(centre, half)| ellipsoid(p - centre, *half));
        let duck = parts.reduce(|a, b| blend(a, b, 0.08)).unwrap_or(f64::INFINITY);
        -blend(-duck, p.y - BASE, 0.02)
    };
    let bounds = Aabb { min: DVec3::new(-0.6, -0.3, -0.35), max: DVec3::new(0.6, 0.6, 0.35) };
    let mut mesh = isosurface(shape, bounds, 0.037);
    let scale = length / mesh.bounds().size().x;
    mesh.vertices.iter_mut().for_each(|p| *p *= scale);
    mesh
}
