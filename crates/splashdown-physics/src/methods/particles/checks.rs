//! Whether what a step has found may become the state.

use rayon::prelude::*;
use splashdown_solve::nncg::Report;

use super::bodies::BodyStep;
use super::{Step, Workspace};
use crate::error::{Moment, ParticleAt, StepError};
use crate::math::DVec3;

/// A solve that leaves a mean compression above this has failed.
const MAX_COMPRESSION: f64 = 0.1;

/// No particle may cross more than this many spacings in one step.
pub(super) const MAX_MOVE: f64 = 1.0;

impl Step<'_> {
    /// Ends the step if somebody asked for it. Sweeps end early then, and leave nothing usable.
    pub(super) fn check_stop(&self) -> Result<(), StepError> {
        match self.stop.asked() {
            true => Err(StepError::Stopped { time: self.clock.time }),
            false => Ok(()),
        }
    }

    /// Whether a solve ended with something usable.
    pub(super) fn check_solve(
        &self,
        work: &Workspace,
        bodies: &BodyStep,
        dt: f64,
        (phase, solved): (&'static str, &Report),
    ) -> Result<(), StepError> {
        if solved.error <= MAX_COMPRESSION {
            return Ok(());
        }
        if let Some(i) = self.particles.velocity.iter().position(|v| !v.is_finite()) {
            return Err(self.velocity_error(i, false, dt));
        }
        let densest = self.particles.density.iter().enumerate();
        let i = densest.max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(i, _)| i);
        let body = self.fastest_in_fluid(work, bodies, dt);
        Err(StepError::Compressed {
            particle: self.particle_at(i),
            body: body.map(|(name, speed)| (name.to_owned(), speed)),
            phase,
            residual: solved.error,
            when: self.moment(dt),
        })
    }

    /// Whether all velocities are finite and no particle would jump over its neighbours.
    pub(super) fn check_moves(&self, work: &Workspace, dt: f64) -> Result<(), StepError> {
        let longest = MAX_MOVE * self.spacing / dt;
        // What flies alone may cross as much as it likes, as long as it stays in the world.
        let world = self.bounds.map_or(0.0, |bounds| bounds.limit.size().length() / dt);
        let bad = |(i, v): (usize, &DVec3)| {
            let longest = if work.strays.has(i) { longest.max(world) } else { longest };
            !v.is_finite() || v.length_squared() > longest * longest
        };
        let n = self.fluid_count();
        match work.predicted[..n].par_iter().enumerate().position_first(bad) {
            None => Ok(()),
            Some(i) => Err(self.velocity_error(i, work.predicted[i].is_finite(), dt)),
        }
    }

    /// That particle `i` is too fast, or that its velocity is no number.
    pub(super) fn velocity_error(&self, i: usize, is_finite: bool, dt: f64) -> StepError {
        let (particle, when) = (self.particle_at(i), self.moment(dt));
        StepError::Velocity { particle, is_finite, when }
    }

    /// Particle `i` as messages name it.
    pub(super) fn particle_at(&self, i: usize) -> Box<ParticleAt> {
        let fluid = self.fluid_of(i).map(|k| &self.fluids[k].name);
        let solid = self.solid_of(i).map(|k| &self.solids[k].name);
        Box::new(ParticleAt {
            object: fluid.or(solid).cloned().unwrap_or_default(),
            id: self.particles.id.get(i).copied().unwrap_or_default(),
            position: self.particles.position.get(i).copied().unwrap_or_default(),
        })
    }

    /// Now, in a step of length `dt`.
    pub(super) fn moment(&self, dt: f64) -> Moment {
        Moment { time: self.clock.time, dt }
    }
}
