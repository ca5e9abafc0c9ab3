//! A spur gear about the z axis, with involute teeth.
//!
//! Proportions of stub teeth, so that gears of few teeth do not jam: module m = 2r/z, tip r + 0.75
//! m, root r − 1.1 m, pressure angle α = 25°. At the radius ρ a tooth is 2ψ wide (e.g. Litvin &
//! Fuentes 2004, Gear geometry): ψ(ρ) = π/2z + inv α − inv arccos(r cos α / ρ), inv x = tan x − x;
//! a little less, so that pairs have room to turn.

use std::f64::consts::{PI, TAU};

use glam::DVec2;

use super::extrude::{Knob, extrude, extrude_with, hole};
use super::{ParameterError, require};
use crate::mesh::TriangleMesh;

/// Share of the width of a tooth that is left as room.
const BACKLASH: f64 = 0.15;
/// From the pitch circle to the tips, and to the roots, in modules.
const TIP: f64 = 0.75;
const ROOT: f64 = 1.1;
/// Pressure angle: 25°.
const PRESSURE: f64 = 0.436_332_312_998_582_4;

/// A gear of so many teeth, with the pitch circle `radius`, `depth` thick, and a hole for its axle
/// if `bore` is not zero. Two gears mesh when their pitch circles touch and a tooth of one faces a
/// gap of the other; a tooth is at +x.
pub fn gear(
    radius: f64,
    teeth: u32,
    bore: f64,
    depth: f64,
) -> Result<TriangleMesh, ParameterError> {
    crank_gear(radius, teeth, bore, depth, None)
}

/// A round pin on the front of a gear.
#[derive(Clone, Copy, Debug)]
pub struct Pin {
    /// Its radius.
    pub radius: f64,
    /// How far from the axle it is, towards +x.
    pub at: f64,
    /// How far it stands out.
    pub length: f64,
    /// Radius of the head at its end, which is as thick as the pin's radius; none if it is not
    /// larger.
    pub head: f64,
}

/// A gear as above with a pin, on which a chain can hang or which something can push.
pub fn crank_gear(
    radius: f64,
    teeth: u32,
    bore: f64,
    depth: f64,
    pin: Option<&Pin>,
) -> Result<TriangleMesh, ParameterError> {
    require((6..=200).contains(&teeth), "teeth", "must be between 6 and 200")?;
    let module = 2.0 * radius / f64::from(teeth);
    let (tip, root) = (radius + TIP * module, radius - ROOT * module);
    require(bore < 0.9 * root, "bore", format!("must be below {} m", 0.9 * root))?;
    let involute = |x: f64| x.tan() - x;
    let base = radius * PRESSURE.cos();
    let half_width = |rho: f64| {
        let at_pitch = PI / (2.0 * f64::from(teeth)) * (1.0 - BACKLASH);
        at_pitch + involute(PRESSURE) - involute((base / rho).min(1.0).acos())
    };
    // One flank from root to tip; below the base circle it is straight.
    let first = base.max(root);
    let mut flank = vec![(root, half_width(first))];
    flank.extend((0..=4).map(|k| {
        let rho = first + (tip - first) * f64::from(k) / 4.0;
        (rho, half_width(rho))
    }));
    flank.dedup_by(|a, b| (a.0 - b.0).abs() < 1e-6 * module);
    let mut outline = Vec::new();
    for k in 0..teeth {
        let middle = TAU * f64::from(k) / f64::from(teeth);
        let up = flank.iter().map(|(r, half)| (*r, -half));
        let down = flank.iter().rev().copied();
        outline.extend(up.chain(down).map(|(r, angle)| r * DVec2::from_angle(middle + angle)));
    }
    let holes: Vec<_> = if bore > 0.0 { vec![hole(bore, 32)] } else { Vec::new() };
    let knob = pin.map(|pin| knob(pin, bore, root)).transpose()?;
    Ok(extrude_with(&outline, &holes, depth, knob.as_ref()))
}

/// A pin that stands between the bore and the roots of the teeth.
fn knob(pin: &Pin, bore: f64, root: f64) -> Result<Knob, ParameterError> {
    let Pin { radius, at, length, head } = *pin;
    let (nearest, farthest) = (bore + 1.2 * radius, root - 1.2 * radius);
    let fits = (nearest..=farthest).contains(&at);
    require(fits, "pin_at", format!("must be between {nearest} and {farthest} m"))?;
    require(length > 1.5 * radius, "pin_length", format!("must be above {} m", 1.5 * radius))?;
    let mut profile = vec![(radius, 0.0)];
    if head > radius {
        profile.extend([(radius, length - radius), (head, length - radius), (head, length)]);
    } else {
        profile.push((radius, length));
    }
    Ok(Knob { centre: DVec2::new(at, 0.0), profile })
}

/// A toothed bar along y, from −length/2 to length/2, that meshes with gears of the module 2r/z:
/// its teeth point to +x and its pitch line is x = 0. Behind the teeth it is `back` thick.
pub fn rack(
    module: f64,
    length: f64,
    back: f64,
    depth: f64,
) -> Result<TriangleMesh, ParameterError> {
    let pitch = PI * module;
    let teeth = (length / pitch).floor();
    require(
        (1.0..=500.0).contains(&teeth),
        "length",
        format!("must be 1 to 500 pitches of {pitch} m"),
    )?;
    // The involute of a gear without end is a straight line.
    let half_width = pitch / 4.0 * (1.0 - BACKLASH);
    let (tip, root) = (TIP * module, -ROOT * module);
    let [at_tip, at_root] = [tip, root].map(|x| half_width - x * PRESSURE.tan());
    let half = length / 2.0;
    let mut outline = vec![DVec2::new(root - back, half), DVec2::new(root - back, -half)];
    outline.push(DVec2::new(root, -half));
    for k in 0..teeth as u32 {
        let middle = (f64::from(k) - (teeth - 1.0) / 2.0) * pitch;
        for (x, y) in [(root, -at_root), (tip, -at_tip), (tip, at_tip), (root, at_root)] {
            outline.push(DVec2::new(x, middle + y));
        }
    }
    outline.push(DVec2::new(root, half));
    Ok(extrude(&outline, &[], depth))
}
