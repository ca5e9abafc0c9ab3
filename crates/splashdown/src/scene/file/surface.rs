//! Surface tension, contact angles, and friction of fluids on walls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::Number;

/// How surface tension is computed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Surface {
    /// What tensions mean.
    pub calibration: Calibration,
    /// Iterate until the forces of tension and of friction on walls change by less than this share.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 0.5))]
    pub error: f64,
    /// Longest time step, over the time that a capillary wave of the size of a spacing takes. Above 1 small
    /// waves are damped; not used with `time_step.fixed`.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 4))]
    pub longest_step: f64,
}

impl Default for Surface {
    fn default() -> Self {
        let settings = crate::sph::tension::TensionSettings::default();
        Surface {
            calibration: Calibration::default(),
            error: settings.error,
            longest_step: settings.longest_step,
        }
    }
}

/// What tensions mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Calibration {
    /// As in Probst & Teschner 2024: drops behave as if their tension were about a tenth of the given one.
    Paper,
    /// Drops behave as if their tension were the given one.
    #[default]
    Physical,
}

/// The surface of a fluid. Formulas are of the time `t`; where one is negative it counts as 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FluidSurface {
    /// Takes the tension of a liquid at 20 °C, and angles that are known for it.
    pub liquid: Option<Liquid>,
    /// Surface tension against vapour: water 0.0728. Not set: that of `liquid`, or none.
    #[schemars(extend("x-unit" = "N/m"))]
    pub tension: Option<Number>,
    /// Tension against other fluids, added to that of the other fluid. Not set: none.
    #[schemars(extend("x-unit" = "N/m"))]
    pub between_fluids: Option<Number>,
    /// Tension against all solids, added to that of a wet solid. Not set: none.
    #[schemars(extend("x-unit" = "N/m"))]
    pub at_walls: Option<Number>,
    /// Coefficient μ of Coulomb friction on solids, with which drops stick. Not set: none.
    pub friction: Option<Number>,
}

/// Liquids at 20 °C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Liquid {
    /// 0.0728 N/m.
    Water,
    /// 0.486 N/m.
    Mercury,
    /// 0.0223 N/m.
    Ethanol,
}

/// The surface of a solid. Without any of these, fluids meet it at about 90°.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SolidSurface {
    /// Takes the contact angle that is known for this material and the `liquid` of the fluid.
    pub material: Option<Material>,
    /// The angle at which the one fluid with a tension meets this solid, measured in the fluid: 0 wets,
    /// 180 does not touch. It becomes `dry` and `wet`.
    #[schemars(extend("minimum" = 0, "maximum" = 180, "x-unit" = "°"))]
    pub contact_angle: Option<f64>,
    /// Tension of the dry solid. Not set: none.
    #[schemars(extend("x-unit" = "N/m"))]
    pub dry: Option<Number>,
    /// Tension of the wet solid. Not set: none.
    #[schemars(extend("x-unit" = "N/m"))]
    pub wet: Option<Number>,
}

/// Materials with known contact angles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Material {
    /// Water 25°, mercury 140°, ethanol 0°.
    Glass,
    /// Paraffin. Water 109°.
    Wax,
    /// Stainless, not polished. Water 72°.
    Steel,
}

impl Liquid {
    /// N/m
    pub fn tension(self) -> f64 {
        match self {
            Liquid::Water => 0.0728,
            Liquid::Mercury => 0.486,
            Liquid::Ethanol => 0.0223,
        }
    }
}

impl Material {
    /// Degrees, if somebody has measured it.
    pub fn contact_angle(self, liquid: Liquid) -> Option<f64> {
        match (self, liquid) {
            (Material::Glass, Liquid::Water) => Some(25.0),
            (Material::Glass, Liquid::Mercury) => Some(140.0),
            (Material::Glass, Liquid::Ethanol) => Some(0.0),
            (Material::Wax, Liquid::Water) => Some(109.0),
            (Material::Steel, Liquid::Water) => Some(72.0),
            _ => None,
        }
    }
}
