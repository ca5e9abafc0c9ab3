//! A round bowl with a thick wall.

use std::f64::consts::FRAC_PI_2;

use glam::DVec2;

use super::{ParameterError, require};
use crate::mesh::TriangleMesh;
use crate::shapes::surface::swept;

/// Corners around.
const SEGMENTS: u32 = 96;
/// Corners from the middle to the rim.
const PARTS: u32 = 24;

/// A bowl about the y axis that stands on y = 0: part of a hollow ball, with this outer radius at
/// its rim, `depth` above its foot, and walls `wall` thick.
pub fn bowl(radius: f64, depth: f64, wall: f64) -> Result<TriangleMesh, ParameterError> {
    require(depth <= radius, "depth", format!("must be at most radius, {radius} m"))?;
    require(wall < depth, "wall", format!("must be below depth, {depth} m"))?;
    let outer = (radius * radius + depth * depth) / (2.0 * depth);
    // From the middle of the foot out and up to the rim, and on the inside back to the middle.
    let arc = |ball: f64| {
        let rim = ((depth - outer) / ball).asin();
        (0..=PARTS).map(move |k| {
            let angle = -FRAC_PI_2 + (rim + FRAC_PI_2) * f64::from(k) / f64::from(PARTS);
            let x = if k == 0 { 0.0 } else { ball * angle.cos() };
            DVec2::new(x, outer + ball * angle.sin())
        })
    };
    let inside: Vec<DVec2> = arc(outer - wall).collect();
    let points: Vec<DVec2> = arc(outer).chain(inside.into_iter().rev()).collect();
    Ok(swept(&points, false, SEGMENTS))
}
