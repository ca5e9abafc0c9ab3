//! Which pressure solver runs, and how.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which pressure solver runs, and when it stops.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PressureSettings {
    /// IISPH or DFSPH.
    pub solver: PressureSolver,
    /// Pressure at walls.
    pub boundary: BoundaryPressure,
    /// Stop when the mean density error is below this share of the rest density: compression, or
    /// expansion of what is under pressure.
    pub density_error: f64,
    /// DFSPH: stop when the mean rate of that, times dt, is below this.
    pub divergence_error: f64,
    /// At least this many iterations.
    pub min_iterations: u32,
    /// At most this many iterations.
    pub max_iterations: u32,
    /// Share of the last step's pressure to start from, 0 to 1.
    pub warm_start: f64,
}

/// The pressure solvers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum PressureSolver {
    /// Divergence-free SPH (Bender & Koschier 2017).
    #[default]
    Dfsph,
    /// Implicit incompressible SPH (Ihmsen et al. 2014).
    Iisph,
}

/// What pressure walls show to the fluid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum BoundaryPressure {
    /// None (Bender et al. 2023).
    #[default]
    Zero,
    /// That of the nearby fluid particle itself (Akinci et al. 2012).
    Mirrored,
    /// Extrapolated from the fluid by moving least squares (Band et al. 2018).
    Extrapolated,
}

impl Default for PressureSettings {
    fn default() -> PressureSettings {
        PressureSettings {
            solver: PressureSolver::default(),
            boundary: BoundaryPressure::default(),
            density_error: 1e-4,
            divergence_error: 1e-3,
            min_iterations: 2,
            max_iterations: 100,
            warm_start: 0.5,
        }
    }
}
