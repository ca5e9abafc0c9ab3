//! A water wheel about the z axis: flat paddles on a round hub.

use std::f64::consts::TAU;

use glam::DVec2;

use super::extrude::{extrude, hole};
use super::{ParameterError, require};
use crate::mesh::TriangleMesh;

/// A wheel with so many paddles from the hub to `radius`, each `thickness` thick, `depth` wide
/// along the axle, and a hole for it if `bore` is not zero.
pub fn water_wheel(
    radius: f64,
    hub: f64,
    paddles: u32,
    thickness: f64,
    bore: f64,
    depth: f64,
) -> Result<TriangleMesh, ParameterError> {
    require((2..=64).contains(&paddles), "paddles", "must be between 2 and 64")?;
    require(hub < radius, "hub", format!("must be below radius, {radius} m"))?;
    let widest = TAU * hub / f64::from(paddles) * 0.8;
    require(thickness < widest, "thickness", format!("must be below {widest} m"))?;
    require(bore < 0.9 * hub, "bore", format!("must be below {} m", 0.9 * hub))?;
    let half = thickness / 2.0;
    let foot = (half / hub).asin();
    let step = TAU / f64::from(paddles);
    let mut outline = Vec::new();
    for k in 0..paddles {
        let along = DVec2::from_angle(step * f64::from(k));
        let [low, high] = [-half, half].map(|side| side * along.perp());
        let start = along * hub * foot.cos();
        outline.extend([start + low, along * radius + low, along * radius + high, start + high]);
        // Along the hub to the next paddle, in steps of about ten degrees.
        let (from, to) = (step * f64::from(k) + foot, step * f64::from(k + 1) - foot);
        let parts = ((to - from) / 0.17).ceil() as u32;
        outline.extend((1..parts).map(|j| {
            hub * DVec2::from_angle(from + (to - from) * f64::from(j) / f64::from(parts))
        }));
    }
    let holes: Vec<_> = if bore > 0.0 { vec![hole(bore, 32)] } else { Vec::new() };
    Ok(extrude(&outline, &holes, depth))
}
