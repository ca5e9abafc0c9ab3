//! A link of a chain: a round wire bent into an oval.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use glam::DVec2;

use super::{ParameterError, require};
use crate::mesh::TriangleMesh;

/// A link in the plane z = 0, `length` along y and `width` along x from outside to outside, of a
/// wire of the given thickness. As wide as long, it is a ring.
pub fn chain_link(length: f64, width: f64, thickness: f64) -> Result<TriangleMesh, ParameterError> {
    require(length >= width, "length", format!("must be at least width, {width} m"))?;
    let thickest = 0.45 * width;
    require(thickness <= thickest, "thickness", format!("must be at most {thickest} m"))?;
    const BEND: u32 = 24; // steps of each round end
    const AROUND: u32 = 20;
    let (bend, straight) = ((width - thickness) / 2.0, (length - width) / 2.0);
    // Centre line: the right side up, over the top, the left side down.
    let mut line: Vec<(DVec2, DVec2)> = Vec::new();
    for (end, from) in [(straight, 0.0), (-straight, PI)] {
        for k in 0..=BEND {
            let outward = DVec2::from_angle(from + PI * f64::from(k) / f64::from(BEND));
            line.push((DVec2::new(0.0, end) + bend * outward, outward));
        }
    }
    if straight == 0.0 {
        line.remove(BEND as usize + 1); // both ends of the two half circles are the same
        line.pop();
    }
    let count = line.len() as u32;
    let mut mesh = TriangleMesh::default();
    for (centre, outward) in &line {
        mesh.vertices.extend((0..AROUND).map(|k| {
            let angle = TAU * f64::from(k) / f64::from(AROUND) + FRAC_PI_2;
            let flat = *centre + *outward * (angle.cos() * thickness / 2.0);
            flat.extend(angle.sin() * thickness / 2.0)
        }));
    }
    for i in 0..count {
        for k in 0..AROUND {
            let at = |i: u32, k: u32| (i % count) * AROUND + k % AROUND;
            let (a, b, c, d) = (at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1));
            mesh.triangles.push([a, b, c]);
            mesh.triangles.push([a, c, d]);
        }
    }
    Ok(mesh)
}
