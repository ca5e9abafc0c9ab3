//! A statue: a winged figure in a robe that holds up a torch, on a round base; of blended
//! ellipsoids and rods.

use super::isosurface::{blend, ellipsoid, isosurface};
use crate::math::{Aabb, DQuat, DVec3};
use crate::mesh::TriangleMesh;

/// Ends and radii of rods with round ends, for a statue one high that looks towards +z.
const RODS: [(DVec3, DVec3, f64, f64); 7] = [
    (DVec3::new(0.0, 0.20, 0.0), DVec3::new(0.0, 0.52, 0.0), 0.15, 0.075), // robe
    (DVec3::new(0.0, 0.52, 0.0), DVec3::new(0.0, 0.64, 0.0), 0.085, 0.09), // chest
    (DVec3::new(0.0, 0.66, 0.0), DVec3::new(0.0, 0.72, 0.01), 0.04, 0.04), // neck
    (DVec3::new(0.10, 0.66, 0.0), DVec3::new(0.17, 0.80, 0.04), 0.04, 0.035), // raised arm
    (DVec3::new(0.17, 0.80, 0.04), DVec3::new(0.17, 0.90, 0.05), 0.035, 0.035), // hand and torch
    (DVec3::new(-0.10, 0.66, 0.0), DVec3::new(-0.17, 0.53, 0.06), 0.04, 0.035), // lowered arm
    (DVec3::new(-0.17, 0.53, 0.06), DVec3::new(-0.16, 0.44, 0.15), 0.035, 0.035), // its hand
];

/// Centre and half axes of what is round.
const ROUND: [(DVec3, DVec3); 4] = [
    (DVec3::new(0.0, 0.775, 0.015), DVec3::new(0.058, 0.072, 0.065)), // head
    (DVec3::new(0.0, 0.66, 0.0), DVec3::new(0.13, 0.05, 0.055)),      // shoulders
    (DVec3::new(0.17, 0.945, 0.05), DVec3::new(0.045, 0.055, 0.045)), // flame
    (DVec3::new(0.0, 0.12, 0.05), DVec3::new(0.13, 0.06, 0.13)),      // hem
];

/// A statue `height` high that stands on y = 0 and looks towards +z.
pub fn statue(height: f64) -> TriangleMesh {
    let shape = |p: DVec3| {
        let rods = RODS.iter().map(|&(a, b, r, s)| rod(p, a, b, r, s));
        let round = ROUND.iter().map(|&(centre, half)| ellipsoid(p - centre, half));
        let body = rods.chain(round).reduce(|a, b| blend(a, b, 0.04)).unwrap_or(f64::INFINITY);
        blend(blend(body, wings(p), 0.08), base(p), 0.02)
    };
    let bounds = Aabb { min: DVec3::new(-0.45, -0.02, -0.3), max: DVec3::new(0.45, 1.05, 0.3) };
    let mut mesh = isosurface(shape, bounds, 0.016);
    let (low, size) = (mesh.bounds().min.y, mesh.bounds().size().y);
    mesh.vertices.iter_mut().for_each(|p| *p = (*p - low * DVec3::Y) * (height / size));
    mesh
}

/// Distance to a rod from `a` to `b` whose radius goes from `r` to `s`.
fn rod(p: DVec3, a: DVec3, b: DVec3, r: f64, s: f64) -> f64 {
    let along = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
    p.distance(a + along * (b - a)) - (r + along * (s - r))
}

/// Two wings, spread out and up behind the shoulders.
fn wings(p: DVec3) -> f64 {
    let wing = |side: f64| {
        let centre = DVec3::new(side * 0.2, 0.7, -0.11);
        let turn = DQuat::from_rotation_z(side * -0.6) * DQuat::from_rotation_y(side * 0.35);
        ellipsoid(turn.inverse() * (p - centre), DVec3::new(0.09, 0.23, 0.04))
    };
    wing(1.0).min(wing(-1.0))
}

/// A round plinth with a step.
fn base(p: DVec3) -> f64 {
    let disc = |radius: f64, top: f64| {
        let side = p.x.hypot(p.z) - radius;
        -blend(-side, -((p.y - 0.5 * top).abs() - 0.5 * top), 0.02)
    };
    disc(0.24, 0.05).min(disc(0.19, 0.1))
}
