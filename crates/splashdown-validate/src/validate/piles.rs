//! Piles that are hard to solve: a heavy cube on a light one, and a stack of boxes.

use super::build::{at, body, floor};
use super::run::advance;
use super::{Case, Cost, Report};
use crate::body::CouplingSolver;
use crate::math::{DVec3, Dimension};
use crate::shapes::Shape;
use crate::world::{SolveKind, TimeStep, World};

pub(super) const MASS_RATIO: Case = Case {
    name: "mass-ratio",
    summary: "a cube 1000 times heavier on a light one: rest, penetration, iterations",
    source: "Probst & Teschner 2023, figure 6",
    by_name: false,
    cost: Cost::Seconds,
    run: mass_ratio,
};

pub(super) const BOX_STACK: Case = Case {
    name: "box-stack",
    summary: "eight boxes on each other: rest, penetration, iterations",
    source: "Probst & Teschner 2023, figure 7",
    by_name: false,
    cost: Cost::Seconds,
    run: box_stack,
};

const H: f64 = 0.02;

/// Cubes of `cells` spacings and these densities on each other, each a little above the one below.
pub(super) fn pile(
    cells: f64,
    densities: &[f64],
    error: f64,
    solver: CouplingSolver,
) -> Result<World, String> {
    let mut world = World::new(Dimension::Three, H);
    world.time_step = TimeStep::Fixed(1e-3);
    world.method.particles().coupling.contact_error = error;
    world.method.particles().coupling.solver = solver;
    world.method.particles().coupling.min_iterations = 1;
    world.method.particles().coupling.max_iterations = 5000;
    world.add_solid(floor(&world, 12.0 * H)?);
    let shape = Shape::Box { half: DVec3::splat(0.5 * cells * H) };
    for (k, &density) in densities.iter().enumerate() {
        let height = (k as f64 + 0.5) * cells * H + 0.05 * H * (k + 1) as f64;
        world.add_solid(body(&world, &format!("box {k}"), &shape, density, at(DVec3::Y * height))?);
    }
    Ok(world)
}

/// What came out of a pile.
pub(super) struct Outcome {
    /// Iterations per step in the second half.
    pub iterations: f64,
    /// Largest penetration, in h.
    pub worst: f64,
    /// Error of the height of the top, in h.
    pub sunk: f64,
    /// Largest speed of a body at the end, m/s.
    pub speed: f64,
}

pub(super) fn settle(mut world: World, cells: f64, until: f64) -> Result<Outcome, String> {
    let (mut iterations, mut steps, mut worst) = (0, 0, 0.0f64);
    advance(&mut world, until, |world, step| {
        worst = worst.max(step.penetration / H);
        if world.clock.time > 0.5 * until {
            iterations += step.solve(SolveKind::Contact).iterations;
            steps += 1;
        }
    })?;
    let count = world.solids.len() - 1;
    let top = world.solids[count].pose.translation.y / H;
    let bodies = world.solids.iter().filter_map(|solid| solid.body());
    Ok(Outcome {
        iterations: f64::from(iterations) / f64::from(steps.max(1)),
        worst,
        sunk: top - (count as f64 - 0.5) * cells,
        speed: bodies.map(|body| body.velocity.length()).fold(0.0, f64::max),
    })
}

fn compare(
    report: &mut Report,
    cells: f64,
    densities: &[f64],
    error: f64,
    share: f64,
) -> Result<(), String> {
    let run = |solver, until| settle(pile(cells, densities, error, solver)?, cells, until);
    let nncg = run(CouplingSolver::Nncg, 1.0)?;
    report.at_most("largest penetration, h", nncg.worst, 0.5);
    report.at_most("height of the top at rest, error in h", nncg.sunk, 0.1);
    report.at_most("speed at rest, m/s", nncg.speed, 0.02);
    let jacobi = run(CouplingSolver::Jacobi, 0.3)?;
    let together = run(CouplingSolver::NncgJacobi, 0.3)?;
    report.note(format!("Jacobi: iterations for {error:.0e}"), jacobi.iterations, 0.0);
    report.note("NNCG, contacts all at once: iterations", together.iterations, 0.0);
    report.note("NNCG, contacts one after the other: iterations", nncg.iterations, 0.0);
    report.note("NNCG, all at once, over Jacobi", together.iterations / jacobi.iterations, share);
    report.at_most("NNCG over Jacobi", nncg.iterations / jacobi.iterations, share);
    Ok(())
}

fn mass_ratio(report: &mut Report) -> Result<(), String> {
    compare(report, 10.0, &[1e3, 1e6], 1e-3, 0.2)
}

fn box_stack(report: &mut Report) -> Result<(), String> {
    compare(report, 6.0, &[1e3; 8], 1e-4, 0.25)
}
