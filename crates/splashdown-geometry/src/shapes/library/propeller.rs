//! A propeller: blades of an even twist on a round hub, about the y axis.

use std::f64::consts::TAU;

use super::isosurface::{blend, isosurface};
use super::{ParameterError, require};
use crate::math::{Aabb, DQuat, DVec3};
use crate::mesh::TriangleMesh;
use crate::shapes::primitives::{capsule, cuboid};

/// Sizes of a propeller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Propeller {
    /// From the axis to the tips, m.
    pub radius: f64,
    /// Of the hub, m.
    pub hub: f64,
    /// How many blades.
    pub blades: u32,
    /// Width of a blade, m.
    pub chord: f64,
    /// Thickness of a blade, m.
    pub thickness: f64,
    /// Between a blade and the plane of rotation at half the radius, radians. Turning about +y, a
    /// positive angle drives fluid towards −y.
    pub angle: f64,
}

/// The propeller about the y axis.
pub fn propeller(p: &Propeller) -> Result<TriangleMesh, ParameterError> {
    require(p.hub < 0.8 * p.radius, "hub", format!("must be below {} m", 0.8 * p.radius))?;
    require((1..=12).contains(&p.blades), "blades", "must be between 1 and 12")?;
    let thinnest = p.radius / 40.0;
    require(p.thickness >= thinnest, "thickness", format!("must be at least {thinnest} m"))?;
    let fits = p.chord >= p.thickness && p.chord <= 2.0 * p.radius;
    require(fits, "chord", format!("must be between {} and {} m", p.thickness, 2.0 * p.radius))?;
    let Propeller { radius, hub, blades, chord, thickness, angle } = *p;
    // A helicoid: tan φ(r) = pitch / r.
    let pitch = 0.5 * radius * angle.tan();
    let half = DVec3::new(0.5 * (radius - 0.5 * hub), 0.5 * thickness, 0.5 * chord);
    let rounding = 0.4 * thickness;
    let tall = (0.5 * chord * angle.sin().abs()).max(0.6 * hub);
    let shape = |q: DVec3| {
        let blade = |k: u32| {
            let turned = DQuat::from_rotation_y(TAU * f64::from(k) / f64::from(blades)) * q;
            let twist = (pitch / turned.x.max(0.4 * radius)).atan();
            let local = DQuat::from_rotation_x(-twist) * turned;
            let centre = DVec3::new(radius - half.x, 0.0, 0.0);
            // Shrunk and grown again: edges become round, so that cells of the mesh can follow.
            cuboid(local - centre, half - rounding) - rounding
        };
        let hub = capsule(q, hub, (tall - hub).max(0.0));
        (0..blades).map(blade).fold(hub, |d, b| blend(d, b, thickness))
    };
    let reach = DVec3::new(1.02 * radius, tall + hub + thickness, 1.02 * radius);
    let reach = reach.max(DVec3::new(0.6 * chord, 0.6 * chord, 0.6 * chord) + thickness);
    let cell = (0.35 * thickness).max(2.0 * radius / 100.0);
    Ok(isosurface(shape, Aabb { min: -reach, max: reach }, cell))
}
