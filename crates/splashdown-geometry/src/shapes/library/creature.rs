//! A lumpy creature: a ball with limbs, all of blended spheres, no two seeds alike.

use std::f64::consts::TAU;

use super::isosurface::{blend, isosurface};
use super::{ParameterError, require};
use crate::math::{Aabb, DVec3};
use crate::mesh::TriangleMesh;

/// A creature that fits into a ball of diameter `size`, with so many lumps on it.
pub fn creature(size: f64, lumps: u32, seed: u32) -> Result<TriangleMesh, ParameterError> {
    require((1..=30).contains(&lumps), "lumps", "must be between 1 and 30")?;
    // Directions along a spiral from pole to pole (Saff & Kuijlaars 1997) spread evenly; the golden
    // ratio makes sizes and lengths that look like chance and are the same everywhere.
    let chance = |k: u32, of: f64| (f64::from(seed) * 0.754_877_666 + f64::from(k) * of).fract();
    let balls: Vec<(DVec3, f64)> = (0..lumps)
        .map(|k| {
            let up = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(lumps);
            let turn = TAU * (0.618_033_988_75 * f64::from(k) + chance(k, 0.31) * 0.3);
            let across = (1.0 - up * up).sqrt();
            let direction = DVec3::new(across * turn.cos(), up, across * turn.sin());
            let length = 0.24 + 0.12 * chance(k, 0.569_840_291);
            (direction * length, 0.10 + 0.05 * chance(k, 0.414_213_562))
        })
        .collect();
    let shape = |p: DVec3| {
        let core = p.length() - 0.2;
        balls.iter().fold(core, |d, (centre, radius)| blend(d, p.distance(*centre) - radius, 0.06))
    };
    let bounds = Aabb { min: DVec3::splat(-0.55), max: DVec3::splat(0.55) };
    let mut mesh = isosurface(shape, bounds, 0.05);
    let reach = mesh.vertices.iter().map(|p| p.length()).fold(0.0, f64::max);
    mesh.vertices.iter_mut().for_each(|p| *p *= size / (2.0 * reach));
    Ok(mesh)
}
