//! A spur gear about the z axis, with straight-sided teeth.
//!
//! Proportions of DIN 867: module m = 2r/z, tip r + m, root r − 1.25 m, flanks inclined by 20°; the
//! flanks are straight instead of involutes, and a little thinner, so that pairs have room to turn.

use std::f64::consts::{PI, TAU};

use glam::DVec2;

use super::extrude::{extrude, hole};
use super::{Misfit, require};
use crate::mesh::TriangleMesh;

/// Share of the width of a tooth that is left as room.
const BACKLASH: f64 = 0.12;

/// A gear of so many teeth, with the pitch circle `radius`, `depth` thick, and a hole for its axle if
/// `bore` is not zero. Two gears mesh when their pitch circles touch and a tooth of one faces a gap of
/// the other; a tooth is at +x.
pub fn gear(radius: f64, teeth: u32, bore: f64, depth: f64) -> Result<TriangleMesh, Misfit> {
    require((6..=200).contains(&teeth), "teeth", "must be between 6 and 200")?;
    let module = 2.0 * radius / f64::from(teeth);
    let (tip, root) = (radius + module, radius - 1.25 * module);
    require(bore < 0.9 * root, "bore", format!("must be below {} m", 0.9 * root))?;
    let slope = 20f64.to_radians().tan();
    let half_width = PI * module / 4.0 * (1.0 - BACKLASH);
    let at_tip = (half_width - module * slope).max(0.2 * half_width) / tip;
    // Gears of few teeth would be cut away at their feet.
    let at_root = ((half_width + 1.25 * module * slope) / root).min(0.45 * TAU / f64::from(teeth));
    let mut outline = Vec::new();
    for k in 0..teeth {
        let middle = TAU * f64::from(k) / f64::from(teeth);
        for (r, angle) in [(root, -at_root), (tip, -at_tip), (tip, at_tip), (root, at_root)] {
            outline.push(r * DVec2::from_angle(middle + angle));
        }
    }
    let holes: Vec<_> = if bore > 0.0 { vec![hole(bore, 32)] } else { Vec::new() };
    Ok(extrude(&outline, &holes, depth))
}
