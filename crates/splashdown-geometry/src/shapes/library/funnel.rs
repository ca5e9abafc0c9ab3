//! A funnel: a cone that opens upward, on a straight neck.

use glam::DVec2;

use super::{ParameterError, require};
use crate::mesh::TriangleMesh;
use crate::shapes::surface::swept;

/// Corners around.
const SEGMENTS: u32 = 96;

/// A funnel about the y axis with walls `wall` thick: a neck of the inner radius `neck` from y = 0
/// to `neck_length`, then a cone that is `height` high and ends with the inner radius `radius`.
pub fn funnel(
    radius: f64,
    height: f64,
    neck: f64,
    neck_length: f64,
    wall: f64,
) -> Result<TriangleMesh, ParameterError> {
    require(neck < radius, "neck", format!("must be below radius, {radius} m"))?;
    let slant = DVec2::new(radius - neck, height);
    // Thick across the wall, not along y; the neck's wall meets the cone's on the line that halves
    // the angle between them.
    let side = wall * slant.length() / height;
    let fold = wall * (slant.length() - height) / (radius - neck);
    let top = neck_length + height;
    let points = [
        DVec2::new(neck, 0.0),
        DVec2::new(neck + wall, 0.0),
        DVec2::new(neck + wall, (neck_length - fold).max(0.2 * neck_length)),
        DVec2::new(radius + side, top),
        DVec2::new(radius, top),
        DVec2::new(neck, neck_length),
    ];
    Ok(swept(&points, true, SEGMENTS))
}
