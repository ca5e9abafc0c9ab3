//! What a measuring point sees of the fluid, or of an elastic body.

use super::settings::{Probe, ProbeQuantity};
use crate::math::DVec3;
use crate::solve::reduce;
use crate::world::World;

/// Names of the values `measure` returns for a quantity.
pub fn columns(quantity: ProbeQuantity) -> &'static [&'static str] {
    match quantity {
        ProbeQuantity::Pressure => &["pressure"],
        ProbeQuantity::Level => &["level"],
        ProbeQuantity::Velocity => &["velocity_x", "velocity_y", "velocity_z"],
        ProbeQuantity::Displacement => &["displacement_x", "displacement_y", "displacement_z"],
    }
}

/// The current values of a probe; NaN where there is nothing to measure.
pub fn measure(world: &World, probe: &Probe) -> Vec<f64> {
    let particles = &world.particles;
    match probe.quantity {
        ProbeQuantity::Pressure => {
            let [p] = interpolate(world, probe.position, |i| [f64::from(particles.pressure[i])]);
            vec![p]
        }
        ProbeQuantity::Velocity => {
            interpolate(world, probe.position, |i| particles.velocity[i].to_array()).to_vec()
        }
        ProbeQuantity::Level => vec![level(world, probe.position)],
        ProbeQuantity::Displacement => displacement(world, probe.position).to_array().to_vec(),
    }
}

/// How far the vertex that rests nearest to `position` has moved. Affine frames of rigid bodies,
/// which have no mass of their own, are no part of them.
fn displacement(world: &World, position: DVec3) -> DVec3 {
    let solids = &world.elastic.solids;
    let end = world.elastic.names.len().checked_sub(1).map_or(0, |b| solids.bodies[b].vertices.end);
    let matter = (0..end).filter(|&v| solids.mass[v] > 0.0);
    let away = |v: &usize| solids.rest[*v].distance_squared(position);
    let nearest = matter.min_by(|a, b| away(a).total_cmp(&away(b)));
    nearest.map_or(DVec3::NAN, |v| solids.position[v] - solids.rest[v])
}

/// Shepard interpolation Σ w f / Σ w with w = (1 − (r/2h)²)³, which ends smoothly at r = 2h.
fn interpolate<const K: usize>(
    world: &World,
    position: DVec3,
    value: impl Fn(usize) -> [f64; K] + Sync,
) -> [f64; K] {
    let reach_squared = (2.0 * world.spacing).powi(2);
    let (mut numerator, mut denominator) = ([0.0; K], 0.0);
    for fluid in &world.fluids {
        let weight = |i: usize| {
            let q2 = world.particles.position[i].distance_squared(position) / reach_squared;
            (1.0 - q2).max(0.0).powi(3)
        };
        let (first, n) = (fluid.range.start, fluid.range.len());
        denominator += reduce::sum(n, |k| weight(first + k));
        let part = reduce::sums(n, |k| match weight(first + k) {
            0.0 => [0.0; K],
            w => value(first + k).map(|f| w * f),
        });
        numerator.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
    }
    numerator.map(|x| x / denominator) // 0/0 = NaN where there is no fluid
}

/// Height of the free surface above `position`: of the particles within h of the vertical line
/// through it, the highest that is connected to the lowest by gaps of at most 2h, plus half a
/// spacing. Drops in flight above the surface do not count.
fn level(world: &World, position: DVec3) -> f64 {
    let h = world.spacing;
    let up = (-world.gravity).try_normalize().unwrap_or(DVec3::Y);
    let mut heights: Vec<f64> = Vec::new();
    for fluid in &world.fluids {
        for &x in &world.particles.position[fluid.range.clone()] {
            let offset = x - position;
            let height = offset.dot(up);
            if (offset - height * up).length_squared() <= h * h {
                heights.push(height);
            }
        }
    }
    heights.sort_unstable_by(f64::total_cmp);
    let Some(&lowest) = heights.first() else { return f64::NAN };
    let mut surface = lowest;
    for &height in &heights {
        if height - surface > 2.0 * h {
            break;
        }
        surface = height;
    }
    surface + 0.5 * h
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::testing::small_world;

    fn column_of_water() -> World {
        let mut world = small_world();
        let h = world.spacing;
        let n = world.fluids.iter().map(|f| f.range.len()).sum::<usize>();
        for i in 0..n {
            let y = (i as f64 + 0.5) * h;
            world.particles.position[i] = DVec3::new(0.0, y, 0.0);
            world.particles.velocity[i] = DVec3::new(1.0, -2.0, 0.0);
            world.particles.pressure[i] = 100.0;
        }
        world
    }

    fn probe(position: DVec3, quantity: ProbeQuantity) -> Probe {
        Probe { name: "p".to_owned(), position, quantity }
    }

    #[test]
    fn a_uniform_field_is_measured_exactly() {
        let world = column_of_water();
        let at = DVec3::new(0.3 * world.spacing, 3.0 * world.spacing, 0.0);
        let [p] = measure(&world, &probe(at, ProbeQuantity::Pressure))[..] else { panic!() };
        approx::assert_relative_eq!(p, 100.0, max_relative = 1e-14);
        let v = measure(&world, &probe(at, ProbeQuantity::Velocity));
        approx::assert_relative_eq!(v[1], -2.0, max_relative = 1e-14);
    }

    #[test]
    fn dry_probes_are_not_numbers() {
        let world = column_of_water();
        let all = [ProbeQuantity::Pressure, ProbeQuantity::Level, ProbeQuantity::Displacement];
        for quantity in all {
            assert!(measure(&world, &probe(DVec3::X * 9.0, quantity))[0].is_nan());
        }
    }

    #[test]
    fn a_cube_in_free_fall_is_displaced_as_far_as_it_fell() {
        let scene = r#"
            simulation = { spacing = 0.05, duration = 1 }
            time_step = { fixed = 0.01 }
            elastic_solver = { integrator = "implicit_euler" }
            [[elastic]]
            name = "cube"
            shape.box = { size = [0.1, 0.1, 0.1] }
            at = [0, 5, 0]
            youngs_modulus = 1e5
            velocity = [2, 0, 0]
        "#;
        let scene = crate::scene::Scene::parse("test.toml", scene, "", &[]).unwrap();
        let mut world = scene.build().unwrap().world;
        let probe = probe(DVec3::new(0.04, 5.0, 0.0), ProbeQuantity::Displacement);
        assert_eq!(measure(&world, &probe), [0.0; 3]);
        for _ in 0..10 {
            world.step(1.0).unwrap();
        }
        let fallen = measure(&world, &probe);
        // Implicit Euler: g Δt² (1 + 2 + … + 10).
        approx::assert_relative_eq!(fallen[0], 0.2, max_relative = 1e-3);
        approx::assert_relative_eq!(fallen[1], -9.81 * 55.0e-4, max_relative = 1e-3);
        assert!(fallen[2].abs() < 1e-4, "{fallen:?}");
    }

    #[test]
    fn a_drop_in_the_air_does_not_raise_the_level() {
        let mut world = column_of_water();
        let (h, n) = (world.spacing, world.fluids.last().unwrap().range.end);
        world.particles.position[n - 1].y = 30.0 * h;
        let level = measure(&world, &probe(DVec3::ZERO, ProbeQuantity::Level))[0];
        approx::assert_relative_eq!(level, (n - 1) as f64 * h, max_relative = 1e-12);
    }
}
