//! Surface tension: every interface costs energy, and forces lower it.
//!
//! Paper: Probst & Teschner 2024 (PT24), with the corrections of docs/methods/droplets.md. A fluid
//! has an energy per area against vapour, against other fluids and against walls; a wall has one
//! where it is dry and one where it is wet.
//!
//! | file        | what it does                                                              |
//! |-------------|---------------------------------------------------------------------------|
//! | `energy.rs` | the smoothed clamp, energies from contributions, what one step is worth   |
//! | `pairs.rs`  | neighbours within 3h, contributions to interfaces, forces                 |
//! | `sweep.rs`  | the same as unknowns of the solve                                         |
//! | `loops.rs`  | the loops over pairs of the solve, fast                                   |
//! | `exact.rs`  | the forces in the end, in double precision                                |
//! | `young.rs`  | tensions of walls from contact angles                                     |
//! | `baselines/` | older models, to compare with                                            |

pub mod baselines;
pub mod energy;
mod exact;
mod loops;
pub mod pairs;
pub mod sweep;
pub mod young;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::energy::Clamp;
pub use crate::boundary::{ContactAngle, WallSurface, Wetting};
use crate::math::Dimension;
use crate::motion::Scalar;

/// What the surfaces of a fluid cost, N/m, and how it rubs on walls. All may change in time.
#[derive(Clone, Debug, PartialEq)]
pub struct FluidSurface {
    /// γ^FV: against vapour.
    pub vapour: Scalar,
    /// γ^FF: against other fluids.
    pub others: Scalar,
    /// γ^FB: against walls.
    pub walls: Scalar,
    /// Coefficient μ of Coulomb friction on walls.
    pub friction: Scalar,
}

const NONE: Scalar = Scalar::Constant(0.0);

impl FluidSurface {
    /// No tension and no friction.
    pub const NONE: FluidSurface =
        FluidSurface { vapour: NONE, others: NONE, walls: NONE, friction: NONE };

    /// Tension against vapour alone.
    pub fn of(tension: f64) -> FluidSurface {
        FluidSurface { vapour: Scalar::Constant(tension), ..FluidSurface::NONE }
    }
}

/// Which forces tension has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum TensionModel {
    /// Energies of interfaces (Probst & Teschner 2024).
    #[default]
    Probst2024,
    /// Every pair of particles attracts alike (Tartakovsky & Meakin 2005). Takes the same
    /// tensions; the pressure in drops does not depend on their size.
    Pairwise,
    /// Cohesion, normals and adhesion (Akinci et al. 2013). `tension` of a fluid is the paper's γ,
    /// `dry` of a solid its coefficient of adhesion; neither is in N/m, and other tensions are not
    /// used.
    Akinci2013,
    /// Robust continuum surface force (He et al. 2015). `tension` of a fluid is the paper's κ in N;
    /// other tensions are not used.
    He2015,
}

/// When tension is solved for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum TensionOrder {
    /// In one system with pressure and friction. The older models act before pressure.
    #[default]
    Together,
    /// Before pressure and friction: drops may keep dents.
    Before,
    /// After pressure and friction: drops do not come to rest.
    After,
}

/// What tensions mean.
//
// Which area a particle that is all surface stands for: with `Paper` the mean pressure over all
// particles of a drop is about that of Young and Laplace, with `Physical` drops have the pressure
// and the frequency of the tension given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Calibration {
    /// As in Probst & Teschner 2024: drops behave as if their tension were about a tenth of the
    /// given one.
    Paper,
    /// Drops behave as if their tension were the given one.
    #[default]
    Physical,
}

impl Calibration {
    /// A⁰ in units of h^(d−1).
    pub fn rest_area(self, dimension: Dimension) -> f64 {
        match (self, dimension) {
            (Calibration::Paper, Dimension::Three) => std::f64::consts::FRAC_PI_4,
            (Calibration::Paper, Dimension::Two) => 0.5,
            (Calibration::Physical, Dimension::Three) => PHYSICAL_3D,
            (Calibration::Physical, Dimension::Two) => PHYSICAL_2D,
        }
    }

    /// Support of the kernel that tells interfaces, in h. In the plane a disc of 3h holds 28
    /// particles, and the energy of an outline depends too much on how they happen to lie:
    /// docs/methods/droplets.md.
    pub fn support(self, dimension: Dimension) -> f64 {
        match (self, dimension) {
            (Calibration::Physical, Dimension::Two) => 4.0,
            _ => 3.0,
        }
    }

    /// Which contributions to the surface against vapour count. Inside a fluid they scatter by some
    /// thousandths about zero, and PT24's clamp, which is steepest there, makes of that a cohesion
    /// as large as the pressure in a drop.
    pub fn clamp(self, dimension: Dimension) -> Clamp {
        let from = match (self, dimension) {
            (Calibration::Paper, _) => 0.0,
            (Calibration::Physical, Dimension::Three) => 0.01,
            (Calibration::Physical, Dimension::Two) => 0.004,
        };
        Clamp { from, ..Clamp::PAPER }
    }
}

/// Found by `splashdown validate drop-oscillation young-laplace`: docs/methods/droplets.md.
const PHYSICAL_3D: f64 = 6.9;
const PHYSICAL_2D: f64 = 4.2;

/// How surface tension is computed and solved for. What surfaces cost is said by the fluids
/// (`Fluid::surface`) and by the solids (`Solid::wetting`).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TensionSettings {
    /// What the tensions mean.
    pub calibration: Calibration,
    /// Which forces they have.
    pub model: TensionModel,
    /// When they are solved for.
    pub order: TensionOrder,
    /// Stop when forces of tension and friction change by less than this share of them.
    pub error: f64,
    /// Share of the last step's pressure and friction, and of the tension at the beginning of the
    /// step, to start from where tension is solved with pressure, 0 (from nothing, as PT24) to 1.
    /// With half of the pressure, as without tension, a drop at rest would start from half of what
    /// balances its tension.
    pub warm_start: f64,
    /// Longest step over the capillary time of a spacing; infinite for no limit.
    pub longest_step: f64,
}

impl Default for TensionSettings {
    fn default() -> TensionSettings {
        TensionSettings {
            calibration: Calibration::default(),
            model: TensionModel::default(),
            order: TensionOrder::default(),
            error: 1e-2,
            warm_start: 1.0,
            longest_step: 1.0,
        }
    }
}

fn acts(value: &Scalar) -> bool {
    *value != NONE
}

impl FluidSurface {
    /// Whether surfaces against vapour, other fluids and walls cost anything, at any time.
    pub fn acts(&self) -> [bool; 3] {
        [acts(&self.vapour), acts(&self.others), acts(&self.walls)]
    }

    /// Whether it rubs on walls, at any time.
    pub fn has_wall_friction(&self) -> bool {
        acts(&self.friction)
    }
}
