//! A capsule that comes back from space: a blunt, rounded heat shield below a truncated cone.

use std::f64::consts::FRAC_PI_2;

use glam::DVec2;

use super::{ParameterError, require};
use crate::mesh::TriangleMesh;
use crate::shapes::surface::swept;

/// Corners around.
const SEGMENTS: u32 = 96;

/// A capsule about the y axis with its widest place, of this radius, at the origin; its top is
/// `height` above. The proportions are Apollo's: a shield 2.4 radii round, a cone of 33°.
pub fn space_capsule(radius: f64, height: f64) -> Result<TriangleMesh, ParameterError> {
    let (lowest, highest) = (0.4 * radius, 4.0 * radius);
    let fits = (lowest..=highest).contains(&height);
    require(fits, "height", format!("must be between {lowest} and {highest} m"))?;
    let shoulder = 0.1 * radius;
    let shield = 2.4 * radius;
    // The shield ends where it meets the shoulder's circle, on the line of both centres.
    let rim = DVec2::new(radius - shoulder, 0.0);
    let reach = ((radius - shoulder) / (shield - shoulder)).asin();
    let centre = DVec2::new(0.0, rim.y + (shield - shoulder) * reach.cos());
    let mut points = Vec::new();
    arc(&mut points, centre, shield, -FRAC_PI_2, -FRAC_PI_2 + reach, 10);
    // The cone rises to the top, where it is rounded too.
    let top = 0.12 * radius;
    let tip = DVec2::new((radius - 0.66 * height).max(0.25 * radius), height - top);
    let side = tip - rim;
    // Both circles touch the cone's side where they face away from it.
    let tilt = side.y.atan2(side.x) - FRAC_PI_2;
    let lean = tilt + ((shoulder - top) / side.length()).asin();
    arc(&mut points, rim, shoulder, -FRAC_PI_2 + reach, lean, 8);
    arc(&mut points, tip, top, lean, FRAC_PI_2, 8);
    points.push(DVec2::new(0.0, height));
    Ok(swept(&points, false, SEGMENTS))
}

/// Points of an arc, without its first one if there are points before it.
fn arc(points: &mut Vec<DVec2>, centre: DVec2, radius: f64, from: f64, to: f64, parts: u32) {
    let first = u32::from(!points.is_empty());
    points.extend((first..=parts).map(|k| {
        centre + radius * DVec2::from_angle(from + (to - from) * f64::from(k) / f64::from(parts))
    }));
}
