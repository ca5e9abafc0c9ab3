//! Drops that merge, and one that rides on a body: neither tension nor friction nor pressure nor
//! viscosity gives anybody momentum.

use super::{GAMMA, H, Noise, RHO, ball};
use crate::diagnostics;
use crate::math::{DVec3, Dimension};
use crate::motion::Scalar;
use crate::output::totals::Totals;
use crate::shapes::Shape;
use crate::sph::tension::{FluidSurface, WallSurface};
use crate::validate::build::{at, body};
use crate::validate::{Case, Cost, Report};
use crate::world::{PressureSolver, Viscosity, World};

pub(crate) const CASE: Case = Case {
    name: "droplet-momentum",
    summary: "merging drops, free and one on a turning body: all momentum at any number of \
              iterations",
    source: "conservation of momentum",
    by_name: false,
    cost: Cost::Seconds,
    run,
};

/// Two unequal drops that touch, the first of them with a brick below it unless they are `free`.
fn drops(dimension: Dimension, solver: PressureSolver, free: bool) -> Result<World, String> {
    let mut world = World::new(dimension, H);
    world.gravity = DVec3::ZERO;
    world.method.particles().pressure.solver = solver;
    let mut noise = Noise(3);
    let mut points = ball(dimension, 4.3, DVec3::ZERO, &mut noise);
    points.extend(
        ball(dimension, 2.7, DVec3::new(6.5, 2.0, 0.5) * H, &mut noise)
            .into_iter()
            .map(|p| dimension.flatten(p)),
    );
    let spin = |p: DVec3| dimension.flatten(DVec3::new(-p.y, p.x, 0.5 * p.x)) * 10.0;
    world.add_fluid("water", RHO, Viscosity::default(), &points, spin);
    if free {
        world.fluids[0].surface = FluidSurface::of(GAMMA);
        return Ok(world);
    }
    let shape = Shape::Box { half: DVec3::new(5.0, 1.0, 4.0) * H };
    let mut brick = body(&world, "brick", &shape, 2500.0, at(DVec3::new(0.3, -5.6, 0.0) * H))?;
    if let Some(rigid) = brick.body_mut() {
        rigid.angular_momentum = rigid.inertia * (20.0 * DVec3::Z);
        rigid.velocity = DVec3::new(0.05, 0.02, 0.0);
    }
    world.add_solid(brick);
    world.fluids[0].surface =
        FluidSurface { friction: Scalar::Constant(0.4), ..FluidSurface::of(GAMMA) };
    world.solids[0].wetting =
        WallSurface { dry: Scalar::Constant(0.3 * GAMMA), wet: Scalar::Constant(0.0) }.into();
    Ok(world)
}

fn run(report: &mut Report) -> Result<(), String> {
    for dimension in [Dimension::Two, Dimension::Three] {
        for most in [1, 2, 5, 50] {
            let variant = format!("{dimension:?}, {most} iterations");
            let world = limited(drops(dimension, PressureSolver::Iisph, false)?, most);
            let [tension, friction, all] = largest_losses(world)?;
            let mut judge = |what: &str, [impulse, moment]: [f64; 2]| {
                report.at_most(format!("{variant}: impulse of {what}, relative"), impulse, 1e-13);
                report.at_most(format!("{variant}: moment of {what}, relative"), moment, 1e-13);
            };
            judge("tension", tension);
            judge("friction", friction);
            judge("all that acts", all);
            let world = limited(drops(dimension, PressureSolver::Dfsph, false)?, most);
            judge("all that acts, DFSPH", largest_losses(world)?[2]);
            let world = limited(drops(dimension, PressureSolver::Dfsph, true)?, most);
            judge("all that acts on free drops", largest_losses(world)?[2]);
            for free in [false, true] {
                let mut world = limited(drops(dimension, PressureSolver::Dfsph, free)?, most);
                let (coefficient, boundary) = (1e-3, 1e-3);
                world.fluids[0].viscosity = Viscosity::weiler2018(coefficient, boundary);
                let on = if free { "free" } else { "riding" };
                judge(
                    &format!("all that acts on {on} drops with viscosity"),
                    largest_losses(world)?[2],
                );
            }
            // The border goes through the larger drop. Angular momentum has no meaning there.
            let mut world = limited(drops(dimension, PressureSolver::Dfsph, true)?, most);
            world.period = 24.0 * H * DVec3::X;
            let lost = largest_losses(world)?[2][0];
            let metric = format!("{variant}: impulse of all in a world that repeats, relative");
            report.at_most(metric, lost, 1e-13);
        }
    }
    Ok(())
}

/// `world` with solves of at most so many iterations.
fn limited(mut world: World, most: u32) -> World {
    world.method.particles().pressure.max_iterations = most;
    world.method.particles().coupling.max_iterations = most;
    world.method.particles().coupling.min_iterations = most.min(6);
    world.method.particles().pressure.min_iterations = most.min(2);
    world
}

/// The largest momentum, and moment of it, that tension, friction and all together have in one of
/// 20 steps: of the first two over the sizes of their impulses, of all over Σ m |v| and, the
/// moment, a length of 5 h.
fn largest_losses(mut world: World) -> Result<[[f64; 2]; 3], String> {
    let mut largest = [[0.0f64; 2]; 3];
    for _ in 0..20 {
        let (before, size) = (Totals::of(&world), size(&world));
        let place = world.solids.first().map_or(DVec3::ZERO, |solid| solid.pose.translation);
        world.step(f64::INFINITY).map_err(|e| e.to_string())?;
        let [tension, friction] = diagnostics::interface_momentum_error(&world, place);
        let after = Totals::of(&world);
        let gained = (after.momentum - before.momentum).length();
        let turned = (after.angular_momentum - before.angular_momentum).length();
        let all = [gained / size, turned / (5.0 * H * size)];
        for (largest, found) in largest.iter_mut().zip([tension, friction, all]) {
            *largest = std::array::from_fn(|k| largest[k].max(found[k]));
        }
    }
    Ok(largest)
}

/// Σ m |v|
fn size(world: &World) -> f64 {
    let water = &world.particles.velocity[..world.fluid_count()];
    let water: f64 = water.iter().map(|v| v.length()).sum();
    let bodies = world.solids.iter().filter_map(|solid| solid.body());
    water * world.particle_mass(0) + bodies.map(|b| b.mass * b.velocity.length()).sum::<f64>()
}
