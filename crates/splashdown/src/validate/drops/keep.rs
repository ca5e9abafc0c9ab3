//! Drops that merge, and one that rides on a body: tension and friction give nobody momentum.

use super::{GAMMA, H, Noise, RHO, ball};
use crate::math::{DVec3, Dimension};
use crate::motion::Scalar;
use crate::output::totals::Totals;
use crate::shapes::Shape;
use crate::sph::tension::{FluidSurface, WallSurface};
use crate::validate::build::{at, body};
use crate::validate::{Case, Report};
use crate::world::{PressureSolver, Viscosity, World};

pub const CASE: Case = Case {
    name: "droplet-momentum",
    summary: "merging drops, one on a turning body: momentum of tension and friction at any number of iterations",
    source: "conservation of momentum",
    by_name: false,
    run,
};

/// Two unequal drops that touch, the first of them with a brick below it.
fn drops(dimension: Dimension) -> Result<World, String> {
    let mut world = World::new(dimension, H);
    world.gravity = DVec3::ZERO;
    world.pressure.solver = PressureSolver::Iisph;
    let mut noise = Noise(3);
    let mut points = ball(dimension, 4.3, DVec3::ZERO, &mut noise);
    points.extend(
        ball(dimension, 2.7, DVec3::new(6.5, 2.0, 0.5) * H, &mut noise)
            .into_iter()
            .map(|p| dimension.flatten(p)),
    );
    let spin = |p: DVec3| dimension.flatten(DVec3::new(-p.y, p.x, 0.5 * p.x)) * 10.0;
    world.add_fluid("water", RHO, Viscosity::default(), &points, spin);
    let shape = Shape::Box { half: DVec3::new(5.0, 1.0, 4.0) * H };
    let mut brick = body(&world, "brick", &shape, 2500.0, at(DVec3::new(0.3, -5.6, 0.0) * H))?;
    if let Some(rigid) = &mut brick.body {
        rigid.angular_momentum = rigid.inertia * (20.0 * DVec3::Z);
        rigid.velocity = DVec3::new(0.05, 0.02, 0.0);
    }
    world.add_solid(brick);
    world.tension.fluids =
        vec![FluidSurface { friction: Scalar::Constant(0.4), ..FluidSurface::of(GAMMA) }];
    world.tension.walls =
        vec![WallSurface { dry: Scalar::Constant(0.3 * GAMMA), wet: Scalar::Constant(0.0) }];
    Ok(world)
}

fn run(report: &mut Report) -> Result<(), String> {
    for dimension in [Dimension::Two, Dimension::Three] {
        for most in [1, 2, 5, 50] {
            let mut world = drops(dimension)?;
            world.pressure.max_iterations = most;
            world.coupling.max_iterations = most;
            world.coupling.min_iterations = most.min(6);
            world.pressure.min_iterations = most.min(2);
            let (mut tension, mut friction, mut all) = ([0.0f64; 2], [0.0f64; 2], [0.0f64; 2]);
            for _ in 0..20 {
                let before = (Totals::of(&world), size(&world));
                let place = world.solids[0].pose.translation;
                world.step(f64::INFINITY).map_err(|e| e.to_string())?;
                let left = world.droplet_impulses_left(place);
                tension = std::array::from_fn(|k| tension[k].max(left[0][k]));
                friction = std::array::from_fn(|k| friction[k].max(left[1][k]));
                let after = Totals::of(&world);
                let (before, size) = before;
                all[0] = all[0].max((after.momentum - before.momentum).length() / size);
                let turned = (after.angular_momentum - before.angular_momentum).length();
                all[1] = all[1].max(turned / (5.0 * H * size));
            }
            let variant = format!("{dimension:?}, {most} iterations");
            report.at_most(format!("{variant}: impulse of tension, relative"), tension[0], 1e-13);
            report.at_most(format!("{variant}: its moment, relative"), tension[1], 1e-13);
            report.at_most(format!("{variant}: impulse of friction, relative"), friction[0], 1e-13);
            report.at_most(format!("{variant}: its moment, relative"), friction[1], 1e-13);
            // Pressure is in single precision, and the directions in which it acts are kept in 16 bits.
            report.at_most(format!("{variant}: all momentum, per step"), all[0], 1e-6);
            report.at_most(format!("{variant}: all angular momentum, per step"), all[1], 1e-5);
        }
    }
    Ok(())
}

/// Σ m |v|
fn size(world: &World) -> f64 {
    let water = &world.particles.velocity[..world.fluid_count()];
    let water: f64 = water.iter().map(|v| v.length()).sum();
    let bodies = world.solids.iter().filter_map(|solid| solid.body.as_ref());
    water * world.particle_mass(0) + bodies.map(|b| b.mass * b.velocity.length()).sum::<f64>()
}
