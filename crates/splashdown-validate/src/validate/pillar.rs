//! A deep column of water with a floating body: how iterations grow with depth.

use super::build::{at, body, pool};
use super::run::{advance, slope};
use super::{Case, Cost, Report};
use crate::body::CouplingSolver;
use crate::math::{DVec3, Dimension};
use crate::shapes::Shape;
use crate::world::{PressureSolver, SolveKind, TimeStep, Viscosity, World};

pub(super) const CASE: Case = Case {
    name: "fluid-pillar",
    summary: "a deep column with a floating cube: iterations of Jacobi and NNCG, growth with depth",
    source: "Probst & Teschner 2023, figure 8",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

const H: f64 = 0.02;

fn pillar(depth: usize, error: f64, solver: CouplingSolver) -> Result<World, String> {
    let shape = Shape::Box { half: DVec3::splat(2.5 * H) };
    let centre = DVec3::new(5.0, depth as f64 + 1.2, 5.0) * H;
    let viscosity = Viscosity::laplacian(2.0, 0.0);
    let water = [10, depth, 10];
    let mut world = pool(Dimension::Three, H, water, depth + 10, viscosity, &[(&shape, centre)])?;
    world.add_solid(body(&world, "cube", &shape, 300.0, at(centre))?);
    world.time_step = TimeStep::Fixed(1e-3);
    world.method.particles().pressure.solver = PressureSolver::Iisph;
    world.method.particles().pressure.warm_start = 0.0;
    (
        world.method.particles().pressure.density_error,
        world.method.particles().coupling.contact_error,
    ) = (error, error);
    (
        world.method.particles().pressure.min_iterations,
        world.method.particles().coupling.min_iterations,
    ) = (1, 1);
    (
        world.method.particles().pressure.max_iterations,
        world.method.particles().coupling.max_iterations,
    ) = (3000, 3000);
    world.method.particles().coupling.solver = solver;
    Ok(world)
}

/// Mean iterations from `start` to `end`, s; and the world.
fn iterations(mut world: World, start: f64, end: f64) -> Result<(f64, World), String> {
    let (mut sum, mut steps) = (0, 0);
    advance(&mut world, end, |world, step| {
        if world.clock.time > start {
            sum += step.solve(SolveKind::Density).iterations;
            steps += 1;
        }
    })?;
    Ok((f64::from(sum) / f64::from(steps.max(1)), world))
}

fn run(report: &mut Report) -> Result<(), String> {
    for (depth, demanded) in [(24, false), (40, true)] {
        let (nncg, world) = iterations(pillar(depth, 1e-5, CouplingSolver::Nncg)?, 0.1, 0.3)?;
        let rest = world.solids[1].body().map_or(f64::NAN, |body| body.velocity.length());
        report.at_most(format!("{depth} deep: speed of the cube after 0.3 s, m/s"), rest, 0.1);
        let (jacobi, _) = iterations(pillar(depth, 1e-5, CouplingSolver::Jacobi)?, 0.1, 0.15)?;
        report.note(format!("{depth} deep, Jacobi: iterations for 1e-5"), jacobi, 0.0);
        report.note(format!("{depth} deep, NNCG: iterations for 1e-5"), nncg, 0.0);
        let metric = format!("{depth} deep: NNCG over Jacobi");
        if demanded {
            report.at_most(metric, nncg / jacobi, 1.0 / 6.0);
        } else {
            report.note(metric, nncg / jacobi, 1.0 / 6.0);
        }
    }
    let mut points = Vec::new();
    for depth in [15, 30, 60] {
        let (found, _) = iterations(pillar(depth, 1e-4, CouplingSolver::Nncg)?, 0.1, 0.2)?;
        report.note(format!("{depth} deep, NNCG: iterations for 1e-4"), found, 0.0);
        points.push(((depth as f64).ln(), found.ln()));
    }
    report.at_most("NNCG: exponent of iterations over depth", slope(&points), 0.85);
    Ok(())
}
