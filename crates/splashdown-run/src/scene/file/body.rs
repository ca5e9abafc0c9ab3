//! Rigid bodies: what drives and holds them, copies of them, dry friction, and how they are
//! coupled.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::{Number, Rotation, Vector};
use crate::body::{CouplingMethod, CouplingSettings, CouplingSolver};

/// Coefficient of dry friction, unless told otherwise.
pub const DEFAULT_FRICTION: f64 = 0.5;

/// A movement that a body cannot make, along or about an axis of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lock {
    /// Along x.
    X,
    /// Along y.
    Y,
    /// Along z.
    Z,
    /// About x.
    RotateX,
    /// About y.
    RotateY,
    /// About z.
    RotateZ,
    /// Along all axes: it only turns.
    Position,
    /// About all axes: it keeps its orientation.
    Rotation,
}

/// Brings a body to a speed of rotation, as far as its torque allows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Motor {
    /// Axis of the rotation in the body's own frame, of any length but zero.
    #[serde(default = "Vector::z_axis")]
    pub axis: Vector,
    /// Speed that it tries to reach: a number, or a formula of the time `t`.
    #[schemars(extend("x-unit" = "°/s"))]
    pub speed: Number,
    /// Largest torque. In 2D, per metre of depth.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "N·m"))]
    pub torque_limit: f64,
}

/// Repeats everything before it in a row, on a circle or along a screw: copy k is turned k times
/// about `about` and moved k times by `step`. The first copy is the original.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    /// How many there are, with the original.
    #[schemars(range(min = 1, max = 100_000))]
    pub count: u32,
    /// From one copy to the next.
    #[serde(default = "Vector::zero")]
    #[schemars(extend("x-unit" = "m"))]
    pub step: Vector,
    /// Rotation from one copy to the next.
    #[serde(default)]
    pub turn: Rotation,
    /// Centre of that rotation. Not set: the centre of each copy, so that it turns in its place.
    #[serde(default)]
    #[schemars(extend("x-unit" = "m"))]
    pub about: Option<Vector>,
    /// So many fewer in the row before this one, with every copy: 1 makes a pyramid of rows.
    #[serde(default)]
    #[schemars(range(min = 0, max = 100_000))]
    pub fewer: u32,
}

/// Disorder among copies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Scatter {
    /// Moves every copy by up to so much along each axis.
    #[schemars(extend("minimum" = 0, "x-unit" = "m"))]
    pub jitter: f64,
    /// Turns every copy at random, all orientations alike; in 2D about z.
    pub rotate: bool,
    /// Another number, another disorder.
    #[schemars(range(min = 0, max = 4_294_967_295u32))]
    pub seed: u32,
}

/// Dry friction between particular solids, instead of the mean of their own coefficients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Friction {
    /// Name of a solid, or of a group of them.
    pub a: String,
    /// Name of another solid or group, or the same.
    pub b: String,
    /// Coefficient μ between the two.
    #[schemars(range(min = 0, max = 10))]
    pub coefficient: f64,
}

/// How rigid bodies are coupled to fluids and to each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Coupling {
    /// The method.
    pub method: CouplingMethod,
    /// The iteration of the monolithic method.
    pub solver: CouplingSolver,
    /// Iterate until the mean residual of contact and friction is below this.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 0.5))]
    pub contact_error: f64,
    /// At least this many iterations.
    #[schemars(range(min = 0, max = 100_000))]
    pub min_iterations: u32,
    /// At most this many iterations.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_iterations: u32,
    /// Share of the last step's contact pressures to start from.
    #[schemars(range(min = 0, max = 1))]
    pub warm_start: f64,
    /// What happens to bodies that overlap at the start.
    pub overlap: Overlap,
}

impl Default for Coupling {
    fn default() -> Self {
        let settings = CouplingSettings::default();
        Coupling {
            method: settings.method,
            solver: settings.solver,
            contact_error: settings.contact_error,
            min_iterations: settings.min_iterations,
            max_iterations: settings.max_iterations,
            warm_start: settings.warm_start,
            overlap: Overlap::default(),
        }
    }
}

/// What happens to bodies that overlap at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Overlap {
    /// They are moved apart before the first step, with a note.
    #[default]
    Separate,
    /// The scene is refused.
    Refuse,
}
