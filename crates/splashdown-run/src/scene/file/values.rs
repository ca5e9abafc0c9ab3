//! Vectors, rotations, and numbers that may be formulas.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::math::{DQuat, DVec3};

/// A vector of two (2D scenes) or three components.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline, extend("minItems" = 2, "maxItems" = 3))]
pub struct Vector(pub Vec<f64>);

impl Vector {
    /// The zero vector.
    pub fn zero() -> Vector {
        Vector(vec![0.0; 3])
    }

    /// The z axis.
    pub fn z_axis() -> Vector {
        Vector(vec![0.0, 0.0, 1.0])
    }

    /// With a third component of zero if there is none.
    pub fn to_dvec3(&self) -> DVec3 {
        let component = |k: usize| self.0.get(k).copied().unwrap_or(0.0);
        DVec3::new(component(0), component(1), component(2))
    }
}

/// A number, or a formula in quotation marks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum Number {
    /// A number.
    Constant(f64),
    /// A formula.
    Expression(String),
}

/// A vector whose components are numbers or formulas.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline, extend("minItems" = 2, "maxItems" = 3))]
pub struct VectorField(pub Vec<Number>);

impl VectorField {
    /// The zero vector.
    pub fn zero() -> VectorField {
        VectorField(vec![Number::Constant(0.0), Number::Constant(0.0), Number::Constant(0.0)])
    }
}

/// A rotation, as an angle about an axis or as a quaternion.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Rotation {
    /// Axis of the rotation, of any length but zero. Not set: the z axis.
    pub axis: Option<Vector>,
    /// Angle about the axis, counter-clockwise seen from its tip.
    #[schemars(extend("default" = 0.0, "x-unit" = "°"))]
    pub angle: Option<f64>,
    /// x, y, z, w; instead of axis and angle.
    #[schemars(extend("minItems" = 4, "maxItems" = 4))]
    pub quaternion: Option<Vec<f64>>,
}

impl Rotation {
    /// As a unit quaternion; what is wrong with it otherwise, and with which key.
    pub fn to_quaternion(&self) -> Result<DQuat, (&'static str, String)> {
        if let Some(q) = &self.quaternion {
            if self.axis.is_some() || self.angle.is_some() {
                return Err(("quaternion", "stands instead of axis and angle".to_string()));
            }
            let q = DQuat::from_xyzw(q[0], q[1], q[2], q[3]);
            let length = q.length();
            if !(length > 1e-6 && length.is_finite()) {
                return Err(("quaternion", "must not be zero".to_string()));
            }
            return Ok(q.normalize());
        }
        let axis = self.axis.as_ref().map_or(DVec3::Z, Vector::to_dvec3);
        match axis.try_normalize() {
            Some(axis) => Ok(DQuat::from_axis_angle(axis, self.angle.unwrap_or(0.0).to_radians())),
            None => Err(("axis", "must not be zero".to_string())),
        }
    }
}
