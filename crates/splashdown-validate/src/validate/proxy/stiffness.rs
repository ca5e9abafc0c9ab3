//! What the stiffness k_I buys and costs (Xie 2023, figure 6.4).

use super::run::{advance, slope, world};
use super::{Case, Cost, Report};
use crate::world::World;

pub(crate) const CASE: Case = Case {
    name: "proxy-stiffness",
    summary: "compression and CG iterations of the variational fluid over its stiffness",
    source: "compression p/k_I; condition ~ k_I; Xie 2023, figure 6.4",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

const SCENE: &str = include_str!("../../../validation/proxy-stiffness.toml");
/// Time to come to rest, and time to average over, s.
const SETTLE: f64 = 3.0;
const MEASURE: f64 = 0.5;
/// Δt² k_I/(ρ d²) of the softest.
const SOFTEST: f64 = 4.0;
/// A fixed step, s.
const STEP: f64 = 2e-3;
/// Stiffness grows by √10 from one to the next, over two decades.
const RUNS: i32 = 5;

fn run(report: &mut Report) -> Result<(), String> {
    let text = super::run::in_dimension(SCENE, 2);
    let (mut compression, mut iterations) = (Vec::new(), Vec::new());
    for k in 0..RUNS {
        let d = world("proxy-stiffness", &text, &[])?.spacing;
        let stiffness = SOFTEST * 1000.0 * (d / STEP).powi(2) * 10f64.powf(0.5 * f64::from(k));
        let changes =
            [format!("pressure.stiffness={stiffness}"), format!("time_step.fixed={STEP}")];
        let found = Found::measure(world("proxy-stiffness", &text, &changes)?)?;
        compression.push((stiffness.ln(), found.compression.ln()));
        iterations.push((stiffness.ln(), found.iterations.ln()));
        let variant = format!("k_I = {stiffness:.2e} Pa");
        report.note(format!("{variant}: compression at the bottom"), found.compression, 0.0);
        report.note(format!("{variant}: iterations a solve"), found.iterations, 0.0);
    }
    report.close("exponent of the compression", slope(&compression), -1.0, 0.1);
    report.close("exponent of the iterations", slope(&iterations), 0.5, 0.2);
    for dimension in [2, 3] {
        let text = super::run::in_dimension(SCENE, dimension);
        let found = Found::measure(world("proxy-stiffness", &text, &[])?)?;
        let variant = format!("{dimension}D, automatic k_I");
        report.at_most(format!("{variant}: iterations a solve"), found.iterations, 60.0);
        report.at_most(format!("{variant}: most iterations of a step"), found.most, 60.0);
        report.note(format!("{variant}: compression at the bottom"), found.compression, 0.01);
    }
    Ok(())
}

/// Means over the last part of a run.
struct Found {
    compression: f64,
    iterations: f64,
    most: f64,
}

impl Found {
    fn measure(mut world: World) -> Result<Found, String> {
        advance(&mut world, SETTLE, |_, _| ())?;
        let (h, n) = (world.spacing, world.fluid_count());
        let (mut sum, mut count) = (0.0, 0.0);
        let (mut iterations, mut solves, mut most) = (0.0, 0.0, 0.0f64);
        advance(&mut world, SETTLE + MEASURE, |world, step| {
            let of_step = f64::from(step.solves.iter().map(|solve| solve.iterations).sum::<u32>());
            let solves_of_step = f64::from(step.volume.unwrap_or_default().solves);
            iterations += of_step;
            solves += solves_of_step;
            most = most.max(of_step / solves_of_step);
            let particles = &world.particles;
            let rest = world.fluids[0].density;
            let places = particles.position[..n].iter().zip(&particles.density);
            for (_, density) in places.filter(|(x, _)| (h..3.0 * h).contains(&x.y)) {
                sum += 1.0 - rest / f64::from(*density);
                count += 1.0;
            }
        })?;
        Ok(Found { compression: sum / count, iterations: iterations / solves, most })
    }
}
