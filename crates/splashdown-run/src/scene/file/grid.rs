//! `[grid]`: the grid of `coupling.method = "elastomonolith"`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::method::{GridKernel, GridSettings, Transfer, VolumeControl};

/// FLIP without damping is noisy; this much of it is usual.
const USUAL_FLIP: f64 = 0.97;

/// The grid of `coupling.method = "elastomonolith"`. Particles are those of the other methods, so
/// cells are as large as it takes to hold as many as told.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Grid {
    /// Particles in a full cell: 8 makes cells two spacings wide in 3D, 4 in 2D. Not set: these.
    #[schemars(extend("minimum" = 1, "maximum" = 64))]
    pub particles_per_cell: Option<f64>,
    /// The weights of grid points around a particle.
    pub kernel: GridKernel,
    /// What particles carry of the motion around them.
    pub transfer: Transfer,
    /// Share of the change of velocity that particles take over, instead of the velocity itself.
    /// Not set: 0; with `flip`, 0.97.
    #[schemars(range(min = 0, max = 1))]
    pub flip_share: Option<f64>,
    /// How the volume of the liquid is kept.
    pub volume: VolumeControl,
}

impl Grid {
    /// As the method wants them.
    pub(crate) fn settings(&self) -> GridSettings {
        let usual = if self.transfer == Transfer::Flip { USUAL_FLIP } else { 0.0 };
        let mut settings = GridSettings::default();
        settings.particles_per_cell = self.particles_per_cell.unwrap_or(0.0);
        settings.kernel = self.kernel;
        settings.transfer = self.transfer;
        settings.flip_share = self.flip_share.unwrap_or(usual);
        settings.volume = self.volume;
        settings
    }
}
