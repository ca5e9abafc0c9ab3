//! A flower: two rings of petals, curved like spoons, around a button.

use std::f64::consts::TAU;

use super::isosurface::{blend, ellipsoid, isosurface};
use super::{ParameterError, require};
use crate::math::{Aabb, DQuat, DVec3};
use crate::mesh::TriangleMesh;

/// Half the thickness of a petal, for a flower of the diameter 2.
const THIN: f64 = 0.045;

/// How a ring of petals is made.
struct Ring {
    /// Length and half the width of a petal.
    length: f64,
    wide: f64,
    /// How steeply it rises at the button, and how much its slope changes to the tip, in radians.
    rise: f64,
    bend: f64,
    /// By how much of the angle between petals the ring is turned.
    turn: f64,
}

const RINGS: [Ring; 2] = [
    Ring { length: 1.0, wide: 0.34, rise: 0.15, bend: 0.5, turn: 0.0 },
    Ring { length: 0.72, wide: 0.26, rise: 0.6, bend: 0.6, turn: 0.5 },
];

/// A flower of the given diameter with so many petals in each of two rings, which opens towards +y.
/// `at` is where they meet.
pub fn flower(diameter: f64, petals: u32) -> Result<TriangleMesh, ParameterError> {
    require((3..=12).contains(&petals), "petals", "must be between 3 and 12")?;
    let shape = |p: DVec3| {
        let button = ellipsoid(p - 0.02 * DVec3::Y, DVec3::new(0.17, 0.1, 0.17));
        RINGS.iter().fold(button, |d, ring| blend(d, ring.distance(p, petals), 0.05))
    };
    let bounds = Aabb { min: DVec3::new(-1.1, -0.2, -1.1), max: DVec3::new(1.1, 1.0, 1.1) };
    let mut mesh = isosurface(shape, bounds, 0.04);
    let across = mesh.vertices.iter().map(|p| p.x.hypot(p.z)).fold(0.0, f64::max);
    mesh.vertices.iter_mut().for_each(|p| *p *= diameter / (2.0 * across));
    Ok(mesh)
}

impl Ring {
    /// About the distance to the nearest petal.
    fn distance(&self, p: DVec3, petals: u32) -> f64 {
        let between = TAU / f64::from(petals);
        let angle = p.z.atan2(p.x) - self.turn * between;
        let nearest = (angle / between).round() * between + self.turn * between;
        // In the frame of that petal, x outward along it.
        let q = DQuat::from_rotation_y(nearest) * p;
        let along = (q.x / self.length).clamp(0.0, 1.2);
        // The height of its middle line, and the sides of the spoon.
        let middle = self.length * (along * self.rise.tan() + 0.5 * along * along * self.bend);
        let height = middle + 0.6 * q.z * q.z / self.wide;
        let slope = self.rise.tan() + along * self.bend;
        let flat = DVec3::new(q.x - 0.53 * self.length, (q.y - height) / slope.hypot(1.0), q.z);
        ellipsoid(flat, DVec3::new(0.5 * self.length, THIN, self.wide))
    }
}
