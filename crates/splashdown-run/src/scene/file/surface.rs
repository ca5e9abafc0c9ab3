//! Surface tension, contact angles, and friction of fluids on walls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::Number;
use crate::sph::tension::{Calibration, TensionModel, TensionOrder, TensionSettings};

/// How surface tension is computed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Surface {
    /// What tensions mean.
    pub calibration: Calibration,
    /// Which forces tension has. Only the first is meant for use: the others are there to compare
    /// with.
    pub model: TensionModel,
    /// When tension is solved for.
    pub order: TensionOrder,
    /// Iterate until the forces of tension and of friction on walls change by less than this share.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 0.5))]
    pub error: f64,
    /// Share of the last step's pressure and friction and of the first guess of tension to start
    /// from, instead of `pressure.warm_start`, where tension is solved together with pressure.
    #[schemars(range(min = 0, max = 1))]
    pub warm_start: f64,
    /// Longest time step, over the time that a capillary wave of the size of a spacing takes. Above
    /// 1 small waves are damped; not used with `time_step.fixed`.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 4))]
    pub longest_step: f64,
}

impl Default for Surface {
    fn default() -> Self {
        let settings = TensionSettings::default();
        Surface {
            calibration: Calibration::default(),
            model: TensionModel::default(),
            order: TensionOrder::default(),
            error: settings.error,
            warm_start: settings.warm_start,
            longest_step: settings.longest_step,
        }
    }
}

/// The surface of a fluid. Formulas are of the time `t`; where one is negative it counts as 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FluidSurface {
    /// Takes the tension of a liquid at 20 °C, and angles that are known for it. Not set: as
    /// `liquid` of the fluid.
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
    /// 998.2 kg/m³, 1.002 mPa·s, 0.0728 N/m.
    Water,
    /// 13546 kg/m³, 1.55 mPa·s, 0.4865 N/m.
    Mercury,
    /// 789 kg/m³, 1.20 mPa·s, 0.0224 N/m.
    Ethanol,
}

/// The surface of a solid. Without any of these, fluids meet it at about 90°. Formulas are of the
/// time `t`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SolidSurface {
    /// Takes the contact angle that is known for this material and the `liquid` of the fluid.
    pub material: Option<Material>,
    /// The angle at which the one fluid with a tension meets this solid, measured in the fluid: 0
    /// wets, 180 does not touch. It becomes `dry` and `wet`.
    #[schemars(extend("x-unit" = "°"))]
    pub contact_angle: Option<Number>,
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
    /// As it is used, not freshly cleaned. Water 25°, mercury 140°, ethanol 0°.
    Glass,
    /// Paraffin. Water 109°, mercury 149°, ethanol 0°.
    Wax,
    /// Stainless, not polished. Water 72°, mercury 140°, ethanol 0°.
    Steel,
}

/// Values at 20 °C; sources are in docs/methods/droplets.md.
impl Liquid {
    /// kg/m³
    pub fn density(self) -> f64 {
        match self {
            Liquid::Water => 998.2,
            Liquid::Mercury => 13546.0,
            Liquid::Ethanol => 789.0,
        }
    }

    /// Dynamic, Pa·s.
    pub fn viscosity(self) -> f64 {
        match self {
            Liquid::Water => 1.002e-3,
            Liquid::Mercury => 1.55e-3,
            Liquid::Ethanol => 1.20e-3,
        }
    }

    /// N/m
    pub fn tension(self) -> f64 {
        match self {
            Liquid::Water => 0.0728,
            Liquid::Mercury => 0.4865,
            Liquid::Ethanol => 0.0224,
        }
    }
}

impl Material {
    /// Degrees.
    pub fn contact_angle(self, liquid: Liquid) -> f64 {
        match (self, liquid) {
            (Material::Glass, Liquid::Water) => 25.0,
            (Material::Wax, Liquid::Water) => 109.0,
            (Material::Steel, Liquid::Water) => 72.0,
            (Material::Wax, Liquid::Mercury) => 149.0,
            (Material::Glass | Material::Steel, Liquid::Mercury) => 140.0,
            (_, Liquid::Ethanol) => 0.0,
        }
    }
}
