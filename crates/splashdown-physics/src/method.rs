//! Which way time steps are made, with its settings.

use crate::body::CouplingSettings;
use crate::sph::pressure::settings::{PressureSettings, PressureSolver};
use crate::stepper::{Stepper, StepperSettings};

pub use splashdown_grid::settings::{
    Kernel as GridKernel, Settings as GridSettings, Transfer, Volume as VolumeControl,
};

/// The ways to make a time step. Each is a file in `methods`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Method {
    /// Fluids of SPH particles with rigid bodies; elastic bodies on their own.
    Particles(ParticleSettings),
    /// Fluids on a grid among solids that stand still or move as told.
    Grid(GridSettings),
}

/// Settings of the step with SPH particles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ParticleSettings {
    /// How pressure is solved for.
    pub pressure: PressureSettings,
    /// How rigid bodies are coupled to fluids and to each other.
    pub coupling: CouplingSettings,
    /// How a variational fluid and the bodies in it are moved.
    pub stepper: StepperSettings,
}

impl Method {
    /// Settings of the step with particles, which becomes the method if another was.
    pub fn particles(&mut self) -> &mut ParticleSettings {
        match self {
            Method::Particles(settings) => settings,
            other => {
                *other = Method::default();
                other.particles()
            }
        }
    }

    /// How pressure is solved for; the usual way if the method has no such settings.
    pub fn pressure(&self) -> PressureSettings {
        self.of_particles().pressure
    }

    /// In which phases a variational fluid and the bodies in it are moved.
    pub fn stepper(&self) -> Stepper {
        let settings = self.of_particles();
        match settings.pressure.solver {
            PressureSolver::Variational => settings.stepper.stepper,
            _ => Stepper::default(),
        }
    }

    /// The same, to read: the usual ones if the method is another.
    pub(crate) fn of_particles(&self) -> ParticleSettings {
        match *self {
            Method::Particles(settings) => settings,
            Method::Grid(_) => ParticleSettings::default(),
        }
    }
}

impl Default for Method {
    fn default() -> Method {
        Method::Particles(ParticleSettings::default())
    }
}
