//! `[fluid_contact]`: how surfaces keep fluid off.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use splashdown_solids::guests::{Linear, Sum};

use crate::stepper::{Known, Stepper};

/// A barrier that keeps fluid off surfaces, so that no drop ever passes one, however thin it is and
/// however hard it is hit. Elastic bodies and solids beside them have it; other scenes may ask for
/// it. In 3D only.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FluidContact {
    /// Whether there is a barrier. Not set: in scenes with fluids and elastic bodies, and, in 3D,
    /// with `pressure.solver = "variational"`. Without it only the pressure of the fluid keeps it
    /// off surfaces.
    pub barrier: Option<bool>,
    /// At this distance surfaces begin to push particles of fluid. Not set: half of
    /// `simulation.spacing`, where the first layer of a fluid at rest is. What is longer holds
    /// fluid off.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub reach: Option<f64>,
    /// How hard they push. Not set: ρ (g H + ½ v²), with the height H from the highest fluid to
    /// where the lowest may fall, and the speed v that the scene gives to anything.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "Pa"))]
    pub stiffness: Option<f64>,
    /// How what the triangles, edges and corners of a surface push is added up.
    pub sum: Sum,
    /// How fluid and bodies are solved for together.
    pub linear: Linear,
    /// What the fluid sees of surfaces besides the barrier.
    pub walls: Walls,
    /// In which phases a step moves the variational fluid and what is in it. Not set:
    /// `contact_proxy`.
    pub stepper: Option<Stepper>,
    /// `contact_proxy`: what moving the fluid knows of the bodies in full: `"contact"`,
    /// `"elasticity"`, `"friction"`. Not set: all of it. What it does not know is split between the
    /// phases as in the paper, which is `[]`.
    pub predict: Option<Vec<Known>>,
    /// How often the variational fluid is moved in a step where friction holds it back: each time
    /// with the slip and the pressure that the time before has found. Not set: 2.
    #[schemars(extend("minimum" = 1, "maximum" = 10))]
    pub friction_passes: Option<u32>,
}

/// What fluid sees of solids and elastic bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Walls {
    /// Particles on their surfaces: density and pressure are right up to the wall.
    #[default]
    Sampled,
    /// Nothing (variational fluid): only the barrier holds it, as in the paper. For comparison: the
    /// first layer sees too little density, and columns sink.
    Bare,
}
