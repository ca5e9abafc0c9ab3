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
/// All that is exchanged has been by then, and velocities of BDF2, which look back one step, have
/// settled, s.
const END: f64 = 0.2;
const BDF2: &str = "BDF2 spreads an impulse over steps, and keeps its sum only where these are of \
                    one length";

const SINGLE: &str = "without tension, impulses of pressure are added up in single precision";

fn run(report: &mut Report) -> Result<(), String> {
    for solver in ["variational", "dfsph", "iisph"] {
        let [lost, exchanged] = hit(solver, "implicit_euler")?;
        let metric = format!("{solver}, implicit Euler: lost over exchanged");
        match solver {
            "dfsph" => report.known(SINGLE).at_most(metric, lost / exchanged, 1e-8),
            _ => report.at_most(metric, lost / exchanged, 1e-8),
        }
        report.note(format!("{solver}, implicit Euler: exchanged, kg m/s"), exchanged, 0.0);
        let [lost, exchanged] = hit(solver, "bdf2")?;
        let metric = format!("{solver}, BDF2: lost over exchanged");
        report.known(BDF2).at_most(metric, lost / exchanged, 1e-8);
    }
    Ok(())
}

/// What was lost, and what was exchanged.
fn hit(solver: &str, integrator: &str) -> Result<[f64; 2], String> {
    let changes =
        [format!("pressure.solver={solver}"), format!("elastic_solver.integrator={integrator}")];
    let mut world = world("proxy-momentum", SCENE, &changes)?;
    world.method.particles().pressure.potentials.linear_tolerance = 1e-12;
    let [before, ball_before] = [total(&world), ball(&world)];
    advance(&mut world, END, |_, _| ())?;
    let exchanged = (ball(&world) - ball_before).length();
    Ok([(total(&world) - before).length(), exchanged])
}

fn ball(world: &World) -> DVec3 {
    world.elastic.solids.momentum(0)
}

fn total(world: &World) -> DVec3 {
    let mass = world.fluids[0].density * world.spacing.powi(3);
    let fluid: DVec3 = world.particles.velocity[..world.fluid_count()].iter().sum();
    mass * fluid + ball(world)
}
