//! How long a step may be.

use super::Step;
use super::strays::Strays;
use crate::flow::emitter_speed;
use crate::solve::reduce;

/// Share of the Courant number that free fall from rest may use up.
const FALL_SHARE: f64 = 0.5;
/// Share of a spacing that pressure alone may carry a particle in a step (`pressure_speed`). How it
/// was found: docs/methods/sph-pressure.md, *Constants*.
const PRESSURE_MOVE: f64 = 0.35;

impl Step<'_> {
    /// How long the step may be if the fastest particle goes `cfl` spacings in it, s. What flies
    /// alone does not matter.
    pub(super) fn longest_step(&self, strays: &Strays, cfl: f64) -> f64 {
        let g = self.gravity.length();
        // The speed at the end of a step of the last length, if nothing stops the fall.
        let speed = self.fastest(strays).max(emitter_speed(self)) + g * self.clock.dt;
        let by_speed = cfl * self.spacing / speed.max(f64::MIN_POSITIVE);
        let by_fall = FALL_SHARE * cfl * (self.spacing / g.max(f64::MIN_POSITIVE)).sqrt();
        let by_pressure =
            PRESSURE_MOVE * self.spacing / self.pressure_speed(strays).max(f64::MIN_POSITIVE);
        by_speed.min(by_fall).min(by_pressure).min(self.capillary_step())
    }

    /// √(p/ρ) for the pressure at the bottom of the fluid: the speed at which it would leave if the
    /// pressure were let go. A step in which that carries a particle further than a spacing asks
    /// the pressure solve for more digits than it has: a particle in a thousand is pushed through a
    /// wall.
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
