//! A light disc rises through water: which couplings survive which time steps.

use super::build::{at, body, pool};
use super::{Case, Cost, Report};
use crate::body::CouplingMethod;
use crate::math::{DVec3, Dimension};
use crate::shapes::Shape;
use crate::world::{PressureSolver, TimeStep, Viscosity};

pub(super) const CASE: Case = Case {
    name: "rising-sphere",
    summary: "a disc ten times lighter than water rises: stability of the three couplings",
    source: "Gissler et al. 2019, section 4.1.1",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

const H: f64 = 0.05;
/// Water faster than this is a splash that nothing physical explains, m/s.
const SPLASH: f64 = 10.0;

/// What happened to a disc.
struct Rise {
    /// Largest speed of water, m/s.
    fastest: f64,
    /// Share of steps in which the disc's acceleration changes its sign.
    flips: f64,
    /// How far it rose, m.
    risen: f64,
    /// How far it went sideways, m.
    aside: f64,
    /// Wall-clock seconds.
    seconds: f64,
    /// Whether steps failed or had to be halved.
    retried: bool,
}

fn rise(method: CouplingMethod, dt: f64) -> Result<Rise, String> {
    let shape = Shape::Sphere { radius: 0.367 };
    let centre = DVec3::new(1.25, 0.8, 0.0);
    let water = [50, 98, 1];
    let viscosity = Viscosity::default();
    let mut world = pool(Dimension::Two, H, water, 120, viscosity, &[(&shape, centre)])?;
    world.add_solid(body(&world, "disc", &shape, 100.0, at(centre))?);
    world.time_step = TimeStep::Fixed(dt);
    world.method.particles().pressure.solver = PressureSolver::Iisph;
    world.method.particles().pressure.density_error = 1e-3;
    world.method.particles().coupling.method = method;
    let clock = std::time::Instant::now();
    let mut rise =
        Rise { fastest: 0.0, flips: 0.0, risen: 0.0, aside: 0.0, seconds: 0.0, retried: false };
    let (mut last, mut before, mut steps) = (0.0, 0.0, 0.0);
    while world.clock.time < 1.0 {
        let Ok(step) = world.step(1.0) else {
            rise.retried = true;
            break;
        };
        rise.retried |= step.retries > 0;
        let water = &world.particles.velocity[..world.fluid_count()];
        rise.fastest = water.iter().map(|v| v.length()).fold(rise.fastest, f64::max);
        let velocity = world.solids[1].body().map_or(0.0, |body| body.velocity.y);
        let acceleration = (velocity - last) / step.dt;
        rise.flips += if acceleration * before < 0.0 { 1.0 } else { 0.0 };
        (last, before, steps) = (velocity, acceleration, steps + 1.0);
    }
    let moved = world.solids[1].pose.translation - centre;
    rise.flips /= f64::max(steps, 1.0);
    (rise.risen, rise.aside) = (moved.y, moved.x.abs());
    rise.seconds = clock.elapsed().as_secs_f64();
    Ok(rise)
}

fn run(report: &mut Report) -> Result<(), String> {
    let strong = [CouplingMethod::Interlinked, CouplingMethod::Monolithic];
    for method in strong {
        for dt in [2e-3, 4e-3] {
            let found = rise(method, dt)?;
            let variant = format!("{method:?}, {} ms", dt * 1e3);
            report.at_most(format!("{variant}: fastest water, m/s"), found.fastest, SPLASH);
            report.note(format!("{variant}: flips of the acceleration"), found.flips, 0.0);
            report.note(format!("{variant}: risen in 1 s, m"), found.risen, 0.0);
            report.note(format!("{variant}: sideways, m"), found.aside, 0.0);
            report.note(format!("{variant}: seconds"), found.seconds, 0.0);
        }
    }
    for dt in [2e-3, 5e-4] {
        let found = rise(CouplingMethod::Weak, dt)?;
        let variant = format!("Weak, {} ms", dt * 1e3);
        let broken = found.retried || found.fastest > SPLASH;
        report.close(format!("{variant}: unstable"), f64::from(u8::from(broken)), 1.0, 0.0);
        report.note(format!("{variant}: fastest water, m/s"), found.fastest, 0.0);
        report.note(format!("{variant}: flips of the acceleration"), found.flips, 0.0);
        report.note(format!("{variant}: risen, m"), found.risen, 0.0);
    }
    Ok(())
}
