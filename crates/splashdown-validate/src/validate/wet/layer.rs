//! A column of water swings on a soft layer, which may be much lighter than the water.

use super::super::run::advance;
use super::super::{Case, Cost, Report};
use super::{G, SOLVERS, WATER, world};
use crate::world::{TimeStep, World};

pub(crate) const CASE: Case = Case {
    name: "added-mass",
    summary: "a column of water let go on a soft layer of its density, a tenth and a hundredth",
    source: "one oscillator: 2π √((ρ H + ρₛ t/3) t/E′)",
    by_name: false,
    cost: Cost::Seconds,
    run,
};

pub(crate) const SCENE: &str = include_str!("../../../validation/wet-layer.toml");

/// About half a period, s.
const HALF: f64 = 0.046;
/// The scene's own steps are a twentieth of half a swing. These resolve it.
const STEP: f64 = 5e-4;
/// Height of the column, m.
const HEIGHT: f64 = 0.2;
/// Of the layer: m, Pa.
const THICKNESS: f64 = 0.1;
const YOUNG: f64 = 1e5;
/// Why the first turn is too early.
const EARLY: &str =
    "lattices are dense in corners of walls that mirror: they push off at the start";

fn run(report: &mut Report) -> Result<(), String> {
    for solver in SOLVERS {
        let solver_change = format!("pressure.solver={solver}");
        for ratio in [1.0, 0.1, 0.01] {
            let density = format!("elastic.layer.density={}", ratio * WATER);
            let swing = swing(world(SCENE, &[&solver_change, &density])?, Some(STEP))?;
            let expected = Oscillator::new(ratio * WATER);
            let name = format!("{solver}, density ratio {ratio}");
            let metric = format!("{name}: period, from turn to turn, over that of theory");
            report.close(metric, 0.5 * swing.period / expected.half_period, 1.0, 0.05);
            let metric = format!("{name}: time of the first turn over half a period");
            report.known(EARLY).close(metric, swing.time / expected.half_period, 1.0, 0.05);
            let metric = format!("{name}: largest deflection over static");
            let deflection = swing.deflection / expected.deflection;
            report.close(metric, deflection, 2.0, 0.15);
        }
        let own = swing(world(SCENE, &[&solver_change])?, None)?;
        let metric = format!("{solver}, steps of the scene: largest deflection over static");
        report.note(metric, own.deflection / Oscillator::new(WATER).deflection, 2.0);
        let weak = [&solver_change, "elastic.layer.density=10", "coupling.method=weak"];
        let weak = swing(world(SCENE, &weak)?, Some(STEP));
        let deflection = weak.map_or(f64::NAN, |swing| swing.deflection);
        let metric = format!("{solver}, weak, density ratio 0.01: largest deflection over static");
        report.note(metric, deflection / Oscillator::new(0.01 * WATER).deflection, 2.0);
    }
    Ok(())
}

/// The column with a third of the layer's mass, on the layer as a spring.
struct Oscillator {
    /// s
    half_period: f64,
    /// At rest, m.
    deflection: f64,
}

impl Oscillator {
    /// The stress of a neo-Hookean layer that cannot widen, for Poisson's ratio 0, is
    /// E/2 (λ − 1/λ) at a stretch of λ.
    fn new(density: f64) -> Oscillator {
        let load = G * (WATER * HEIGHT + 0.5 * density * THICKNESS) / YOUNG;
        let stretch = (load * load + 1.0).sqrt() - load;
        let tangent = 0.5 * YOUNG * (1.0 + stretch.powi(-2));
        let mass = WATER * HEIGHT + density * THICKNESS / 3.0;
        Oscillator {
            half_period: std::f64::consts::PI * (mass * THICKNESS / tangent).sqrt(),
            deflection: THICKNESS * (1.0 - stretch),
        }
    }
}

/// How a layer swings.
struct Swing {
    /// When it is deepest for the first time, s.
    time: f64,
    /// From then to when it is deepest for the second time, s.
    period: f64,
    /// The first time, m.
    deflection: f64,
}

/// Lets column and layer go, until it has been deepest twice.
fn swing(mut world: World, step: Option<f64>) -> Result<Swing, String> {
    if let Some(step) = step {
        world.time_step = TimeStep::Fixed(step);
    }
    let mut path = vec![(0.0, 0.0)];
    advance(&mut world, 3.5 * HALF, |world, _| {
        path.push((world.clock.time, deflection(world)));
    })?;
    let (first, deflection) = deepest(&path, 0.0, 1.5 * HALF)?;
    let (second, _) = deepest(&path, 2.2 * HALF, 3.5 * HALF)?;
    Ok(Swing { time: first, period: second - first, deflection })
}

/// When and how deep the layer was deepest between two times.
fn deepest(path: &[(f64, f64)], from: f64, to: f64) -> Result<(f64, f64), String> {
    let within = path.iter().enumerate().filter(|(_, (time, _))| (from..to).contains(time));
    let k = within.max_by(|(_, a), (_, b)| a.1.total_cmp(&b.1)).map_or(0, |(k, _)| k);
    if k == 0 || k + 1 >= path.len() {
        return Err("the layer did not turn".to_owned());
    }
    // Vertex of the parabola through three points.
    let [(_, a), (time, b), (later, c)] = [path[k - 1], path[k], path[k + 1]];
    let shift = 0.5 * (a - c) / (a - 2.0 * b + c);
    Ok((time + shift * (later - time), b))
}

/// How far the top of the layer has sunk, m.
fn deflection(world: &World) -> f64 {
    let solids = &world.elastic.solids;
    let body = solids.bodies[0].vertices.clone();
    let places = solids.rest[body.clone()].iter().zip(&solids.position[body]);
    let top = places.filter(|(rest, _)| rest.y > -1e-6);
    let (sum, count) = top.fold((0.0, 0.0), |(s, n), (rest, x)| (s + rest.y - x.y, n + 1.0));
    sum / count
}
