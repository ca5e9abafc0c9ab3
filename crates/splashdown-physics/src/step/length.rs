//! How long a step may be.

use rayon::prelude::*;

use super::strays::Strays;
use crate::math::DVec3;
use crate::solve::reduce;
use crate::world::{TimeStep, World};

/// A step may grow by this factor over the last one (which may have been halved to meet a frame).
const GROWTH: f64 = 2.0;
/// The first step is this share of what would be allowed: pressures start from nothing.
const FIRST: f64 = 0.1;
/// Share of the Courant number that free fall from rest may use up.
const FALL: f64 = 0.5;
/// Share of a spacing that pressure alone may carry a particle in a step (`pressure_speed`). At 1, water at rest 75
/// spacings deep was crushed within 25 steps and then thrown up; at 0.5 the jolt was a fiftieth of its energy, at 0.35
/// nothing is left of it. Iterations become fewer: the cost of a second hardly changes.
const PRESSURE: f64 = 0.35;

impl World {
    /// No step from here is longer than this.
    pub(super) fn longest_dt(&self) -> f64 {
        match self.time_step {
            TimeStep::Fixed(dt) => dt,
            TimeStep::Adaptive { min, max, .. } if self.clock.step > 0 => {
                max.min(GROWTH * self.clock.dt).max(min)
            }
            TimeStep::Adaptive { min, max, .. } => (FIRST * max).max(min),
        }
    }

    /// The length of the next step, and whether it ends at `frame_time`. What flies alone does not
    /// matter.
    pub(super) fn next_dt(&self, strays: &Strays, frame_time: f64) -> (f64, bool) {
        let wanted = match self.time_step {
            TimeStep::Fixed(dt) => dt,
            TimeStep::Adaptive { cfl, min, max } => {
                let g = self.gravity.length();
                // The speed at the end of a step of the last length, if nothing stops the fall.
                let speed = self.fastest(strays).max(self.emitter_speed()) + g * self.clock.dt;
                let by_speed = cfl * self.spacing / speed.max(f64::MIN_POSITIVE);
                let by_fall = FALL * cfl * (self.spacing / g.max(f64::MIN_POSITIVE)).sqrt();
                let by_pressure =
                    PRESSURE * self.spacing / self.pressure_speed(strays).max(f64::MIN_POSITIVE);
                let allowed =
                    by_speed.min(by_fall).min(by_pressure).min(self.capillary_step()).min(max);
                let ramp =
                    if self.clock.step > 0 { GROWTH * self.clock.dt } else { FIRST * allowed };
                allowed.min(ramp).max(min)
            }
        };
        let left = frame_time - self.clock.time;
        if left <= wanted * (1.0 + 1e-9) {
            (left, true)
        } else if left < 2.0 * wanted {
            (0.5 * left, false) // two equal steps rather than a long and a tiny one
        } else {
            (wanted, false)
        }
    }

    /// Largest speed of any particle, m/s.
    pub fn max_speed(&self) -> f64 {
        let square = |v: &DVec3| v.length_squared();
        self.particles.velocity.par_iter().map(square).reduce(|| 0.0, f64::max).sqrt()
    }

    /// √(p/ρ) for the pressure at the bottom of the fluid: the speed at which it would leave if the
    /// pressure were let go. A step in which that carries a particle further than a spacing asks the
    /// pressure solve for more digits than it has: a particle in a thousand is pushed through a wall.
    ///
    /// The pressure is that of the fluid's depth (√12 times the standard deviation of its heights,
    /// which spray hardly changes), or twice the mean of what the last step found, if that is more.
    fn pressure_speed(&self, strays: &Strays) -> f64 {
        let particles = &self.particles;
        let flying = strays.fluid.iter().filter(|&&flies| flies).count();
        let n = (self.fluid_count() - flying).max(1) as f64;
        let Some(up) = (-self.gravity).try_normalize() else { return 0.0 };
        let first = (0..self.fluid_count()).find(|&i| !strays.has(i)).unwrap_or(0);
        let origin = particles.position.get(first).map_or(0.0, |p| p.dot(up));
        let [height, square, pressure] = reduce::sums(self.fluid_count(), |i| {
            if strays.has(i) {
                return [0.0; 3];
            }
            let y = particles.position[i].dot(up) - origin;
            [y, y * y, f64::from(particles.pressure[i] + particles.divergence_pressure[i])]
        });
        let depth = (12.0 * (square / n - (height / n).powi(2)).max(0.0)).sqrt();
        let found = 2.0 * pressure / (n * self.reference_density());
        (self.gravity.length() * depth).max(found).sqrt()
    }
}
