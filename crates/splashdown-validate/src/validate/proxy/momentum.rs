//! Momentum that fluid and an elastic body exchange: what one loses the other gets.

use super::run::{advance, world};
use super::{Case, Cost, Report};
use crate::math::DVec3;
use crate::world::World;

pub(crate) const CASE: Case = Case {
    name: "proxy-momentum",
    summary: "a blob of water hits a free soft ball: momentum that is lost over what is exchanged",
    source: "Newton's third law",
    by_name: false,
    cost: Cost::Seconds,
    run,
};

pub(crate) const SCENE: &str = include_str!("../../../validation/proxy-momentum.toml");
/// Nearly all that is exchanged has been by then, s.
const END: f64 = 0.2;

fn run(report: &mut Report) -> Result<(), String> {
    for solver in ["variational", "dfsph", "iisph"] {
        for (name, integrator) in [("implicit Euler", "implicit_euler"), ("BDF2", "bdf2")] {
            let [lost, exchanged, coming] = hit(solver, integrator)?;
            let metric = format!("{solver}, {name}: lost over exchanged");
            report.at_most(metric, lost / exchanged, 1e-8);
            if coming > 0.0 {
                let metric = format!("{solver}, {name}: still on its way over exchanged");
                report.note(metric, coming / exchanged, 0.0);
            }
            report.note(format!("{solver}, {name}: exchanged, kg m/s"), exchanged, 0.0);
        }
    }
    Ok(())
}

/// What was lost, what was exchanged, and what velocities do not show yet of that.
fn hit(solver: &str, integrator: &str) -> Result<[f64; 3], String> {
    let changes =
        [format!("pressure.solver={solver}"), format!("elastic_solver.integrator={integrator}")];
    let mut world = world("proxy-momentum", SCENE, &changes)?;
    world.method.particles().pressure.potentials.linear_tolerance = 1e-12;
    let [before, ball_before] = [total(&world), ball(&world)];
    advance(&mut world, END, |_, _| ())?;
    let exchanged = (ball(&world) - ball_before).length();
    let coming = coming(&world);
    let lost = (total(&world) + coming - before).length();
    Ok([lost, exchanged, coming.length()])
}

fn ball(world: &World) -> DVec3 {
    world.elastic.solids.momentum(0)
}

/// τ A of BDF2.
fn coming(world: &World) -> DVec3 {
    let transit = &world.elastic.solids.past.transit;
    transit.force.first().map_or(DVec3::ZERO, |force| transit.lag * *force)
}

fn total(world: &World) -> DVec3 {
    let mass = world.fluids[0].density * world.spacing.powi(3);
    let fluid: DVec3 = world.particles.velocity[..world.fluid_count()].iter().sum();
    mass * fluid + ball(world)
}
