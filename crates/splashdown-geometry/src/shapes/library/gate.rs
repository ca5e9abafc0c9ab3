//! A gate: a flat plate with a hole near its top, for the link of a chain that lifts it.

use glam::DVec2;

use super::extrude::{extrude, hole};
use super::{ParameterError, require};
use crate::mesh::TriangleMesh;

/// A plate in the plane z = 0 about its middle, with a round hole whose edge is `rim` below its
/// top.
pub fn gate(
    width: f64,
    height: f64,
    hole_radius: f64,
    rim: f64,
    depth: f64,
) -> Result<TriangleMesh, ParameterError> {
    let widest = 0.45 * width.min(height);
    require(hole_radius < widest, "hole", format!("must be below {widest} m"))?;
    let highest = height - 2.1 * hole_radius;
    require(rim < highest, "rim", format!("must be below {highest} m"))?;
    let (x, y) = (width / 2.0, height / 2.0);
    let outline = [(-x, -y), (x, -y), (x, y), (-x, y)].map(DVec2::from);
    let centre = DVec2::new(0.0, y - rim - hole_radius);
    let eye = hole(hole_radius, 32).into_iter().map(|p| centre + p).collect();
    Ok(extrude(&outline, &[eye], depth))
}
