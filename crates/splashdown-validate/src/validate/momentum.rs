//! Tumbling bodies collide, in nothing and in water: nobody gains momentum.

use super::build::{at, body};
use super::{Case, Cost, Report};
use crate::body::CouplingMethod;
use crate::math::{DVec3, Dimension};
use crate::output::totals::Totals;
use crate::shapes::Shape;
use crate::world::{PressureSolver, SolveKind, TimeStep, Viscosity, World};

pub(super) const CASE: Case = Case {
    name: "momentum",
    summary: "tumbling bodies collide, dry and in water: change of both momenta per step, by \
              method",
    source: "conservation of momentum",
    by_name: false,
    cost: Cost::Seconds,
    run,
};

const H: f64 = 0.02;

/// Two bricks of different density that fly into each other, if `wet` in a turning block of water.
fn bricks(dimension: Dimension, wet: bool) -> Result<World, String> {
    let mut world = World::new(dimension, H);
    world.gravity = DVec3::ZERO;
    world.time_step = TimeStep::Fixed(1e-3);
    let shape = Shape::Box { half: DVec3::new(3.0, 2.0, 1.5) * H };
    let centres = [-4.0, 4.2].map(|x| dimension.flatten(DVec3::new(x, 0.3 * x, 0.1 * x) * H));
    if wet {
        let side = 10i32;
        let depth = if dimension == Dimension::Two { 0..1 } else { -side..side };
        let mut points = Vec::new();
        for (x, y) in (-side..side).flat_map(|x| (-side..side).map(move |y| (x, y))) {
            for z in depth.clone() {
                let cell = DVec3::new(x.into(), y.into(), z.into()) + 0.5;
                points.push(dimension.flatten(cell * H));
            }
        }
        let free = |p: &DVec3, c: &DVec3| shape.signed_distance(*p - *c, dimension) > 0.4 * H;
        points.retain(|p| centres.iter().all(|c| free(p, c)));
        world.add_fluid("water", 1000.0, Viscosity::default(), &points, |p| {
            dimension.flatten(DVec3::new(-p.y, p.x, 0.3 * p.x))
        });
    }
    for (k, (centre, density)) in centres.into_iter().zip([300.0, 3000.0]).enumerate() {
        let mut solid = body(&world, &format!("brick {k}"), &shape, density, at(centre))?;
        solid.friction = 0.6;
        if let Some(rigid) = solid.body_mut() {
            rigid.velocity = dimension.flatten(DVec3::new(-12.0 * centre.x, 0.1, 0.05));
            let spin = DVec3::new(2.0, -1.0, 3.0 - k as f64);
            let spin = if dimension == Dimension::Two { spin.z * DVec3::Z } else { spin };
            rigid.angular_momentum = rigid.inertia * spin;
        }
        world.add_solid(solid);
    }
    Ok(world)
}

/// Σ m |v|, what a change of momentum is to be measured against.
fn size(world: &World) -> f64 {
    let water = &world.particles.velocity[..world.fluid_count()];
    let water: f64 = water.iter().map(|v| v.length()).sum();
    let water = if world.fluids.is_empty() { 0.0 } else { water * world.particle_mass(0) };
    let bodies = world.solids.iter().filter_map(|solid| solid.body());
    water + bodies.map(|body| body.mass * body.velocity.length()).sum::<f64>()
}

fn run(report: &mut Report) -> Result<(), String> {
    let methods = [CouplingMethod::Weak, CouplingMethod::Interlinked, CouplingMethod::Monolithic];
    for dimension in [Dimension::Two, Dimension::Three] {
        for method in methods {
            for (wet, limit) in [(false, 1e-12), (true, 1e-6)] {
                for solver in [PressureSolver::Dfsph, PressureSolver::Iisph] {
                    if !wet && solver == PressureSolver::Iisph {
                        continue; // no pressure to solve for
                    }
                    let mut world = bricks(dimension, wet)?;
                    (
                        world.method.particles().coupling.method,
                        world.method.particles().pressure.solver,
                    ) = (method, solver);
                    let (mut linear, mut angular, mut contacts) = (0.0f64, 0.0f64, 0);
                    for _ in 0..if wet && dimension == Dimension::Three { 60 } else { 150 } {
                        let (before, size) = (Totals::of(&world), size(&world));
                        let step = world.step(f64::INFINITY).map_err(|e| e.to_string())?;
                        contacts += step.solve(SolveKind::Contact).active;
                        let after = Totals::of(&world);
                        linear = linear.max((after.momentum - before.momentum).length() / size);
                        let turn = (after.angular_momentum - before.angular_momentum).length();
                        angular = angular.max(turn / (10.0 * H * size));
                    }
                    let around = if wet { format!("{solver:?}") } else { "dry".to_owned() };
                    let variant = format!("{dimension:?} {method:?} {around}");
                    report.at_most(format!("{variant}: linear, per step"), linear, limit);
                    report.at_most(format!("{variant}: angular, per step"), angular, limit);
                    report.note(format!("{variant}: contacts"), contacts.into(), 0.0);
                }
            }
        }
    }
    Ok(())
}
