//! Surface tension: every interface costs energy, and forces lower it.
//!
//! Paper: Probst & Teschner 2024 (PT24), with the corrections of docs/methods/droplets.md. A fluid has an
//! energy per area against vapour, against other fluids and against walls; a wall has one where it is dry
//! and one where it is wet.
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

use self::energy::Clamp;
use crate::math::Dimension;
use crate::motion::Scalar;

/// What the surfaces of a fluid cost, N/m, and how it grips walls. All may change in time.
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

/// What the surface of a wall costs, N/m.
#[derive(Clone, Debug, PartialEq)]
pub struct WallSurface {
    /// γ^BV: where it is dry.
    pub dry: Scalar,
    /// γ^BF: where it is wet.
    pub wet: Scalar,
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

impl WallSurface {
    /// Indifferent to fluid.
    pub const NONE: WallSurface = WallSurface { dry: NONE, wet: NONE };
}

/// At which angle a fluid meets a wall.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactAngle {
    /// In the fluid, degrees.
    pub degrees: Scalar,
    /// γ^FV of the fluid, N/m.
    pub tension: Scalar,
}

/// Which forces tension has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TensionModel {
    /// Energies of interfaces (Probst & Teschner 2024).
    #[default]
    Probst2024,
    /// `baselines/pairwise.rs`
    Pairwise,
    /// `baselines/akinci2013.rs`
    Akinci2013,
    /// `baselines/he2015.rs`
    He2015,
}

/// When tension is solved for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TensionOrder {
    /// In one system with pressure. Older models, whose forces are those of the beginning of the step, act before it.
    #[default]
    Together,
    /// Before pressure and friction.
    Before,
    /// After them.
    After,
}

/// Which area a particle that is all surface stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Calibration {
    /// PT24: the mean pressure over all particles of a drop is about that of Young and Laplace.
    Paper,
    /// Drops have the pressure and the frequency of the tension given.
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

    /// Support of the kernel that tells interfaces, in h. In the plane a disc of 3h holds 28 particles, and the energy of an
    /// outline depends too much on how they happen to lie: docs/methods/droplets.md.
    pub fn support(self, dimension: Dimension) -> f64 {
        match (self, dimension) {
            (Calibration::Physical, Dimension::Two) => 4.0,
            _ => 3.0,
        }
    }

    /// Which contributions to the surface against vapour count. Inside a fluid they scatter by some thousandths about zero,
    /// and PT24's clamp, which is steepest there, makes of that a cohesion as large as the pressure in a drop.
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

/// Surface tension and friction of fluids on walls, for a whole world.
#[derive(Clone, Debug, PartialEq)]
pub struct TensionSettings {
    /// In the order of the fluids; those beyond the end have none.
    pub fluids: Vec<FluidSurface>,
    /// In the order of the solids; those beyond the end have none.
    pub walls: Vec<WallSurface>,
    /// Contact angles, in the order of the solids; instead of `walls` where there is one.
    pub angles: Vec<Option<ContactAngle>>,
    /// What the tensions mean.
    pub calibration: Calibration,
    /// Which forces they have.
    pub model: TensionModel,
    /// When they are solved for.
    pub order: TensionOrder,
    /// Stop when forces of tension and friction change by less than this share of them.
    pub error: f64,
    /// Share of the last step's pressure and friction, and of the tension at the beginning of the step, to start from where tension
    /// is solved with pressure, 0 (from nothing, as PT24) to 1. With half of the pressure, as without tension, a drop at rest would
    /// start from half of what balances its tension.
    pub warm_start: f64,
    /// Longest step over the capillary time of a spacing; infinite for no limit.
    pub longest_step: f64,
}

impl Default for TensionSettings {
    fn default() -> TensionSettings {
        TensionSettings {
            fluids: Vec::new(),
            walls: Vec::new(),
            angles: Vec::new(),
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

impl TensionSettings {
    /// Whether any interface costs anything, at any time.
    pub fn pulls(&self) -> bool {
        let fluid = |f: &FluidSurface| acts(&f.vapour) || acts(&f.others) || acts(&f.walls);
        self.fluids.iter().any(fluid) || self.walls_pull()
    }

    /// Whether the surfaces of fluid `k` against vapour, other fluids and walls cost anything, at any time.
    pub fn pulls_on(&self, k: usize) -> [bool; 3] {
        let of = |f: &FluidSurface| [acts(&f.vapour), acts(&f.others), acts(&f.walls)];
        self.fluids.get(k).map_or([false; 3], of)
    }

    /// Whether walls have energies of their own.
    pub fn walls_pull(&self) -> bool {
        self.walls.iter().any(|wall| acts(&wall.dry) || acts(&wall.wet))
            || self.angles.iter().any(Option::is_some)
    }

    /// Whether any fluid grips walls, at any time.
    pub fn grips(&self) -> bool {
        self.fluids.iter().any(|fluid| acts(&fluid.friction))
    }

    /// The coefficient of friction of fluid `k` at time `t`.
    pub fn friction(&self, k: usize, t: f64) -> f64 {
        self.fluids.get(k).map_or(0.0, |fluid| fluid.friction.at(t).max(0.0))
    }
}
