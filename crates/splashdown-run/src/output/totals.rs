//! Sums over all fluid particles, rigid and elastic bodies that physics conserves, or should.

use crate::math::DVec3;
use crate::solve::reduce;
use crate::world::World;

/// Energies and momenta of all fluids, rigid and elastic bodies together, and the volume of the
/// fluids. In 2D, per metre of depth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// ½ Σ m v² + ½ Σ ω·L, J.
    pub kinetic_energy: f64,
    /// −Σ m g·x, J; zero at the origin.
    pub potential_energy: f64,
    /// Σ m v, N·s.
    pub momentum: DVec3,
    /// Σ m x × v + Σ L about the origin, N·m·s.
    pub angular_momentum: DVec3,
    /// Σ m / max(ρ, ρ₀), m³: what lacks neighbours at a surface is not larger for it.
    pub volume: f64,
}

impl Totals {
    /// Sums over `world`, with the same bits on any thread count.
    pub fn of(world: &World) -> Totals {
        let mut totals = Totals::default();
        let particles = &world.particles;
        for fluid in &world.fluids {
            let m = fluid.density * world.dimension.volume(world.spacing);
            let [v2, gx, px, py, pz, lx, ly, lz, volume] = reduce::sums(fluid.range.len(), |k| {
                let i = fluid.range.start + k;
                let (x, v, rho) =
                    (particles.position[i], particles.velocity[i], f64::from(particles.density[i]));
                let l = x.cross(v);
                let volume = m / rho.max(fluid.density);
                [v.dot(v), world.gravity.dot(x), v.x, v.y, v.z, l.x, l.y, l.z, volume]
            });
            totals.kinetic_energy += 0.5 * m * v2;
            totals.potential_energy -= m * gx;
            totals.momentum += m * DVec3::new(px, py, pz);
            totals.angular_momentum += m * DVec3::new(lx, ly, lz);
            totals.volume += volume;
        }
        for solid in &world.solids {
            let Some(body) = solid.body() else { continue };
            let (x, v, l) = (solid.pose.translation, body.velocity, body.angular_momentum);
            let spin = body.angular_velocity(solid.pose.rotation);
            totals.kinetic_energy += 0.5 * (body.mass * v.dot(v) + spin.dot(l));
            totals.potential_energy -= body.mass * world.gravity.dot(x);
            totals.momentum += body.mass * v;
            totals.angular_momentum += body.mass * x.cross(v) + l;
        }
        let elastic = &world.elastic;
        for k in 0..elastic.names.len() {
            let range = elastic.solids.bodies[k].vertices.clone();
            let vertices = elastic.solids.position[range.clone()]
                .iter()
                .zip(&elastic.solids.velocity[range.clone()]);
            for ((&x, &v), &m) in vertices.zip(&elastic.solids.mass[range]) {
                totals.kinetic_energy += 0.5 * m * v.dot(v);
                totals.potential_energy -= m * world.gravity.dot(x);
                totals.momentum += m * v;
                totals.angular_momentum += m * x.cross(v);
            }
        }
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::testing::small_world;

    #[test]
    fn a_single_particle_has_the_energies_of_a_point_mass() {
        let mut world = small_world();
        world.fluids[0].range = 0..1;
        world.fluids[1].range = 1..1;
        world.particles.position[0] = DVec3::new(2.0, 3.0, 0.0);
        world.particles.velocity[0] = DVec3::new(0.0, 4.0, 0.0);
        world.particles.density[0] = 1250.0;
        let m = 1000.0 * world.spacing.powi(2);
        let totals = Totals::of(&world);
        assert_eq!(totals.kinetic_energy, 0.5 * m * 16.0);
        assert_eq!(totals.potential_energy, m * 9.81 * 3.0);
        assert_eq!(totals.momentum, DVec3::new(0.0, 4.0 * m, 0.0));
        assert_eq!(totals.angular_momentum, DVec3::new(0.0, 0.0, 8.0 * m));
        assert_eq!(totals.volume, m / 1250.0);
        world.particles.density[0] = 500.0; // at a surface
        assert_eq!(Totals::of(&world).volume, m / 1000.0);
    }
}
