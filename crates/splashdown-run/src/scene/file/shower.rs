//! Single drops, one after the other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shape::BoxShape;
use super::values::Vector;

/// Single drops, one after the other: at random places of a `box`, or at `places` in turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shower {
    /// Unique; letters, digits, `-` and `_`.
    pub name: String,
    /// Name of the fluid that the drops are of.
    pub fluid: String,
    /// Radius of a drop; one of less than the spacing is a single particle.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub radius: f64,
    /// How many drops appear, at even intervals.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1e6, "x-unit" = "1/s"))]
    pub drops_per_second: f64,
    /// Their centres are anywhere in this box.
    #[serde(default, rename = "box")]
    pub region: Option<BoxShape>,
    /// Where the centre of the box is. Not set: the origin, or given by the corners of the box.
    #[serde(default)]
    #[schemars(extend("x-unit" = "m"))]
    pub at: Option<Vector>,
    /// Centres of the drops, in their order, each used once; instead of a box.
    #[serde(default)]
    #[schemars(extend("x-unit" = "m"))]
    pub places: Vec<Vector>,
    /// Velocity of a new drop.
    #[serde(default = "Vector::zero")]
    #[schemars(extend("x-unit" = "m/s"))]
    pub velocity: Vector,
    /// The first drop appears at this time.
    #[serde(default)]
    #[schemars(extend("x-unit" = "s"))]
    pub start: f64,
    /// None appears from this time on. Not set: for ever.
    #[serde(default)]
    #[schemars(extend("x-unit" = "s"))]
    pub end: Option<f64>,
    /// Another number, other places in the box.
    #[serde(default)]
    #[schemars(range(min = 0, max = 4_294_967_295_u32))]
    pub seed: u32,
}
