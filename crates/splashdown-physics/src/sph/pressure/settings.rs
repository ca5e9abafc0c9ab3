//! Which pressure solver runs, and how.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which pressure solver runs, and when it stops.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PressureSettings {
    /// DFSPH, IISPH, or potentials.
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
    /// What only a variational fluid has.
    pub potentials: PotentialSettings,
}

/// How a variational fluid (Xie 2023) resists, and how its least energy is found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PotentialSettings {
    /// k_I, the pressure over the share of volume that is lost to it, Pa.
    pub stiffness: f64,
    /// Whether particles pull on each other.
    pub tension: FluidTension,
    /// How the linear system is solved.
    pub linear: LinearSolver,
    /// What the residual of the linear system may be, over what it is without pressure.
    pub linear_tolerance: f64,
    /// At most this many iterations of a linear solve.
    pub linear_iterations: u32,
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
    /// A weakly compressible fluid of potentials that are minimised (Xie 2023).
    Variational,
}

/// Whether particles of the variational fluid that are farther apart than at rest pull on each
/// other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FluidTension {
    /// Never: only those that are denser than at rest push, which takes two or three solves a step.
    #[default]
    None,
    /// Nearly never: before the one solve of the step, particles at rest density or below that are
    /// about to move apart are left out.
    Predicted,
    /// As the paper has it: surfaces pull themselves together, and fronts are too fast.
    Printed,
}

/// How the linear system of the variational fluid is solved, by conjugate gradients in both cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LinearSolver {
    /// By two passes over the pairs of particles.
    #[default]
    MatrixFree,
    /// With the matrix, which couples neighbours of neighbours: slow and large, for comparison.
    Assembled,
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
            potentials: PotentialSettings::default(),
        }
    }
}

impl Default for PotentialSettings {
    fn default() -> PotentialSettings {
        PotentialSettings {
            stiffness: 1e5,
            tension: FluidTension::default(),
            linear: LinearSolver::default(),
            linear_tolerance: 1e-4,
            linear_iterations: 200,
        }
    }
}
