//! A large drop on a floor: iterations and time by solver, spacing and length of the step.

use std::time::Instant;

use super::RHO;
use crate::body::CouplingSolver;
use crate::math::{DVec3, Dimension};
use crate::motion::Scalar;
use crate::sph::tension::{Calibration, FluidSurface};
use crate::validate::build::floor;
use crate::validate::{Case, Cost, Report};
use crate::world::{PressureSolver, SolveKind, TimeStep, Viscosity, World};

pub(crate) const CASE: Case = Case {
    name: "sessile-droplet",
    summary: "a drop of 20 mm on a floor: iterations of plain and accelerated sweeps, by spacing \
              and length of the step",
    source: "Probst & Teschner 2024, table 3",
    by_name: true,
    cost: Cost::Minutes,
    run,
};

pub(crate) const FINE: Case = Case {
    name: "sessile-droplet-fine",
    summary: "the same with 268 thousand particles",
    source: "Probst & Teschner 2024, table 3",
    by_name: true,
    cost: Cost::Hours,
    run: run_fine,
};

/// Radius of the drop, m.
const RADIUS: f64 = 0.01;
/// Steps of settling and of measuring.
const STEPS: [usize; 2] = [40, 8];

/// The drop, flattened a little, so that it has a floor to stand on. PT24 do not tell γ; 1 N/m
/// shows the pattern of their table.
fn sessile(h: f64, dt: f64) -> Result<World, String> {
    let mut world = World::new(Dimension::Three, h);
    world.method.particles().pressure.solver = PressureSolver::Iisph;
    world.time_step = TimeStep::Fixed(dt);
    let mut points = Vec::new();
    let reach = (RADIUS / h).ceil() as i32;
    let (centre, lowest) = (0.9 * RADIUS, 0.5 * h);
    for (x, z) in (-reach..reach).flat_map(|x| (-reach..reach).map(move |z| (x, z))) {
        for y in 0..2 * reach {
            let p = h * (DVec3::new(x.into(), y.into(), z.into()) + 0.5);
            if (p - centre * DVec3::Y).length() <= RADIUS && p.y >= lowest - 1e-9 {
                points.push(p);
            }
        }
    }
    let viscosity = Viscosity::weiler2018(0.05, 0.0);
    world.add_fluid("drop", RHO, viscosity, &points, |_| DVec3::ZERO);
    world.add_solid(floor(&world, 1.5 * RADIUS)?);
    let friction = Scalar::Constant(0.5);
    world.fluids[0].surface = FluidSurface { friction, ..FluidSurface::of(1.0) };
    world.tension.calibration = Calibration::Paper;
    world.tension.longest_step = f64::INFINITY;
    world.method.particles().pressure.max_iterations = 400;
    world.method.particles().coupling.max_iterations = 400;
    Ok(world)
}

/// Iterations and seconds a step by one solver, from where `world` is, each solve from a share of
/// what is known.
fn measured(world: &World, solver: CouplingSolver, share: f64) -> Result<[f64; 2], String> {
    let mut world = world.clone();
    world.method.particles().coupling.solver = solver;
    world.tension.warm_start = share;
    let (mut iterations, begin) = (0.0, Instant::now());
    for _ in 0..STEPS[1] {
        iterations += f64::from(
            world.step(f64::MAX).map_err(|e| e.to_string())?.solve(SolveKind::Density).iterations,
        );
    }
    let count = STEPS[1] as f64;
    Ok([iterations / count, begin.elapsed().as_secs_f64() / count])
}

/// PT24 start every solve from nothing; simulations start from the last step, and have little left
/// to do. Plain sweeps are those of PT24, friction included; so are accelerated ones as in PT24.
fn table(report: &mut Report, spacings: &[f64]) -> Result<(), String> {
    for &h in spacings {
        for dt in [4e-5, 8e-5, 1.2e-4] {
            let mut world = sessile(h, dt)?;
            for _ in 0..STEPS[0] {
                world.step(f64::MAX).map_err(|e| e.to_string())?;
            }
            for (start, share) in [("from nothing", 0.0), ("from the last step", 1.0)] {
                let [plain, plain_time] = measured(&world, CouplingSolver::Jacobi, share)?;
                let [swept, _] = measured(&world, CouplingSolver::NncgJacobi, share)?;
                let [fast, fast_time] = measured(&world, CouplingSolver::Nncg, share)?;
                let n = world.fluid_count();
                let variant = format!("{n} particles, {:.2} ms, {start}", dt * 1e3);
                report.note(format!("{variant}: iterations, plain"), plain, plain);
                report.note(format!("{variant}: iterations, accelerated as PT24"), swept, swept);
                report.note(format!("{variant}: iterations, accelerated"), fast, fast);
                let name = format!("{variant}: accelerated over plain");
                match share {
                    0.0 => report.at_most(name, fast / plain, 0.5),
                    _ => report.note(name, fast / plain, 0.5),
                }
                report.note(format!("{variant}: ms a step, plain"), 1e3 * plain_time, 0.0);
                report.note(format!("{variant}: ms a step, accelerated"), 1e3 * fast_time, 0.0);
            }
        }
    }
    Ok(())
}

fn run(report: &mut Report) -> Result<(), String> {
    table(report, &[1e-3, 5e-4])
}

fn run_fine(report: &mut Report) -> Result<(), String> {
    table(report, &[2.5e-4])
}
