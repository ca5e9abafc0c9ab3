//! Particle shifting: how particles stay evenly spread in a fluid that fills its world.
//!
//! Without a free surface, nothing is gained by moving particles with the velocities of a density
//! solve: every correction would stay in the velocities as noise, and viscosity and the divergence
//! solve would turn it into a loss of energy (a decaying vortex lost 1.6 times as much as it
//! should). Instead, particles drift from crowded to empty places,
//!
//!   sᵢ = −C Gᵢ,   Gᵢ = Σⱼ gᵢⱼ                                   (PS1)
//!
//! which is Fick's law with the concentration's gradient (Lind et al. 2012, eq. 24), and take the
//! velocity of the place where they arrive,
//!
//!   vᵢ ← vᵢ + Σⱼ (vⱼ − vᵢ) (gᵢⱼ · sᵢ).                           (PS2)
//!
//! Lengths are in h, as everywhere in the solvers.

use crate::math::DVec3;
use crate::particles::neighbors::Neighbors;

/// C. Half of it leaves a vortex visibly noisier.
const STRENGTH: f32 = 0.2;

/// What shifting does to one particle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shift {
    /// (PS1), in h.
    pub displacement: DVec3,
    /// (PS2), in the unit of the velocities.
    pub velocity: DVec3,
}

/// (PS1) and (PS2) for all fluid particles, whose velocities come first in `velocity`.
pub fn shifts(neighbors: &Neighbors, velocity: &[DVec3], shifts: &mut Vec<Shift>) {
    let count = neighbors.chunks.last().map_or(0, |chunk| chunk.particles.end);
    shifts.clear();
    shifts.resize(count, Shift::default());
    neighbors.for_each(shifts, |chunk, shifts, _: &mut Vec<()>| {
        for (k, shift) in shifts.iter_mut().enumerate() {
            let sums = &chunk.sums[k];
            let s = -STRENGTH * (sums.fluid_gradient + sums.wall_gradient).truncate();
            let own = velocity[chunk.particles.start + k];
            let change = |(j, g): (usize, glam::Vec3)| (velocity[j] - own) * f64::from(g.dot(s));
            shift.displacement = s.as_dvec3();
            shift.velocity = chunk.neighbors(k).map(change).sum();
        }
    });
}
