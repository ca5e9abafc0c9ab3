//! What a user may choose about the grid.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of a liquid on a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// Particles in a cell at rest; 0: eight in 3D, four in 2D.
    pub particles_per_cell: f64,
    /// Weights of grid points around a particle.
    pub kernel: Kernel,
    /// What particles carry.
    pub transfer: Transfer,
    /// Share of the change of velocity instead of the velocity itself.
    pub flip_share: f64,
    /// How the volume is kept.
    pub volume: Volume,
    /// What is left of the residual of a linear system.
    pub tolerance: f64,
    /// At most this many iterations.
    pub max_iterations: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            particles_per_cell: 0.0,
            kernel: Kernel::default(),
            transfer: Transfer::default(),
            flip_share: 0.0,
            volume: Volume::default(),
            tolerance: 1e-6,
            max_iterations: 2000,
        }
    }
}

/// The weights of grid points around a particle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kernel {
    /// Of the corners of the cell around it: cheap.
    #[default]
    Linear,
    /// Quadratic splines: smoother, keeps angular momentum, three times as much work.
    Quadratic,
}

/// What particles carry of the motion around them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Transfer {
    /// Velocity and its gradient (Jiang et al. 2015): keeps vortices, little noise.
    #[default]
    Apic,
    /// Velocity alone (Harlow 1964): damps strongly.
    Pic,
    /// Velocity, to which the change on the grid is added (Brackbill & Ruppel 1986): noisy.
    Flip,
}

/// How the volume of the liquid is kept over many steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Volume {
    /// By displacements that bring the density of particles back (Kugelstadt et al. 2019).
    #[default]
    Density,
    /// Not at all: liquid that moves for long loses or gains volume.
    None,
}
