//! Shapes with flat faces: hollow prism, wedge, spike and the stone of an arch.

use glam::DVec2;

use super::extrude::{circle, extrude, hole};
use super::{ParameterError, require};
use crate::math::DVec3;
use crate::mesh::TriangleMesh;

/// A tube along z with so many sides, `radius` to its outer corners, and walls `wall` thick.
pub fn hollow_prism(
    sides: u32,
    radius: f64,
    wall: f64,
    depth: f64,
) -> Result<TriangleMesh, ParameterError> {
    require((3..=200).contains(&sides), "sides", "must be between 3 and 200")?;
    // From corner to corner a wall is thicker than from face to face.
    let across = (std::f64::consts::PI / f64::from(sides)).cos();
    let thickest = 0.9 * radius * across;
    require(wall < thickest, "wall", format!("must be below {thickest} m"))?;
    Ok(extrude(&circle(radius, sides), &[hole(radius - wall / across, sides)], depth))
}

/// A wedge with its edge along z at the top, in the middle of a block of this size.
pub fn wedge(size: DVec3) -> TriangleMesh {
    let half = size / 2.0;
    let outline =
        [DVec2::new(-half.x, -half.y), DVec2::new(half.x, -half.y), DVec2::new(0.0, half.y)];
    extrude(&outline, &[], size.z)
}

/// A pyramid on a base of so many sides, `radius` to its corners, with the centre of the base at
/// the origin and the tip at y = `height`.
pub fn spike(sides: u32, radius: f64, height: f64) -> Result<TriangleMesh, ParameterError> {
    require((3..=200).contains(&sides), "sides", "must be between 3 and 200")?;
    let corner = |p: DVec2| DVec3::new(p.x, 0.0, -p.y);
    let mut vertices: Vec<DVec3> = circle(radius, sides).into_iter().map(corner).collect();
    vertices.extend([DVec3::ZERO, DVec3::Y * height]);
    let mut mesh = TriangleMesh { vertices, triangles: Vec::new() };
    for k in 0..sides {
        let next = (k + 1) % sides;
        mesh.triangles.push([sides, next, k]);
        mesh.triangles.push([sides + 1, k, next]);
    }
    Ok(mesh)
}

/// A stone of an arch about the z axis: from the radius `inner` to `outer`, `angle` (radians) wide
/// with its middle at +y. The origin is the centre of the arch, so that copies turn into their
/// place.
pub fn voussoir(
    inner: f64,
    outer: f64,
    angle: f64,
    depth: f64,
) -> Result<TriangleMesh, ParameterError> {
    require(inner < outer, "inner", format!("must be below outer, {outer} m"))?;
    let widest = std::f64::consts::PI;
    require(angle > 0.0 && angle <= widest, "angle", "must be above 0° and at most 180°")?;
    let parts = (angle / 0.06).ceil().max(1.0) as u32;
    let middle = std::f64::consts::FRAC_PI_2;
    let at = |r: f64, k: u32| {
        r * DVec2::from_angle(middle - angle / 2.0 + angle * f64::from(k) / f64::from(parts))
    };
    let over = (0..=parts).map(|k| at(outer, k));
    let under = (0..=parts).rev().map(|k| at(inner, k));
    Ok(extrude(&over.chain(under).collect::<Vec<_>>(), &[], depth))
}
