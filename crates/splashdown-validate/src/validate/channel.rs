//! Viscous flow between two plates: Couette and Poiseuille, from rest to the steady state.

use std::f64::consts::PI;

use super::run::advance;
use super::{Case, Cost, Curve, Report, Series};
use crate::math::{DVec3, Dimension};
use crate::world::{Loads, Solid, TimeStep, Viscosity, World};

pub(super) const POISEUILLE: Case = Case {
    name: "poiseuille",
    summary: "flow between plates under a body force: velocity profiles at two resolutions",
    source: "analytic series",
    by_name: false,
    cost: Cost::Seconds,
    run: |report| poiseuille(report, &Flow::usual(), |_| ()),
};

pub(super) const COUETTE: Case = Case {
    name: "couette",
    summary: "flow between plates, one of which moves: velocity profiles and wall stress",
    source: "analytic series",
    by_name: false,
    cost: Cost::Seconds,
    run: |report| couette(report, &Flow::usual(), |_| ()),
};

const DENSITY: f64 = 1000.0;
/// Dynamic viscosity, Pa·s.
const ETA: f64 = 100.0;
const NU: f64 = ETA / DENSITY;
/// Body force per mass of the Poiseuille flow, m/s²: a top speed of 1 m/s.
const FORCE: f64 = 0.8;
const TIMES: [f64; 4] = [0.5, 1.0, 2.0, 6.0];
const ACROSS: [usize; 2] = [16, 32];

/// How a flow is judged.
pub(super) struct Flow {
    /// Before the names of its metrics.
    pub prefix: String,
    /// Relative.
    pub tolerance: f64,
    /// Why it is not met, if that is known.
    pub known: Option<&'static str>,
}

impl Flow {
    /// Of the solvers that are meant for it.
    fn usual() -> Flow {
        Flow { prefix: String::new(), tolerance: 0.02, known: None }
    }

    fn judge(&self, report: &mut Report, metric: String, error: f64) {
        let metric = format!("{}{metric}", self.prefix);
        match self.known {
            None => report.at_most(metric, error, self.tolerance),
            Some(why) => report.known(why).at_most(metric, error, self.tolerance),
        }
    }
}

/// `change` is done to every channel before.
pub(super) fn poiseuille(
    report: &mut Report,
    flow: &Flow,
    change: impl Fn(&mut World),
) -> Result<(), String> {
    // The steady profile less a decaying series.
    let exact = |y: f64, t: f64| {
        let decaying = (0..60).map(|n| {
            let k = (2 * n + 1) as f64 * PI;
            4.0 * FORCE / (NU * k.powi(3)) * (k * y).sin() * (-NU * k * k * t).exp()
        });
        FORCE / (2.0 * NU) * y * (1.0 - y) - decaying.sum::<f64>()
    };
    let prepare = |world: &mut World| {
        world.gravity = DVec3::X * FORCE;
        change(world);
    };
    profiles(report, flow, exact, prepare, |_, _, _| Ok(()))
}

/// `change` is done to every channel before.
pub(super) fn couette(
    report: &mut Report,
    flow: &Flow,
    change: impl Fn(&mut World),
) -> Result<(), String> {
    let exact = |y: f64, t: f64| {
        let decaying = (1..80).map(|n| {
            let (k, sign) = (f64::from(n) * PI, f64::from(1 - 2 * (n % 2)));
            2.0 / k * sign * (k * y).sin() * (-NU * k * k * t).exp()
        });
        y + decaying.sum::<f64>()
    };
    let slide = |world: &mut World| {
        let above = world.solids[1].range.clone();
        world.particles.velocity[above].fill(DVec3::X); // the upper plate slides along itself
        change(world);
    };
    profiles(report, flow, exact, slide, |report, world, across| {
        let until = world.clock.time + 0.5;
        let mut loads = Loads::default();
        advance(world, until, |_, step| loads.add(&step.loads))?;
        for (k, (solid, sign)) in world.solids.iter().zip([1.0, -1.0]).enumerate() {
            let stress = sign * loads.mean(k).viscous.x / world.period.x;
            let of = format!("{}{across} across: stress on the plate", flow.prefix);
            report.close(format!("{of} {}, Pa", solid.name), stress, ETA, flow.tolerance * ETA);
        }
        Ok(())
    })
}

/// Measures the profile at several times and resolutions, and the order of convergence.
fn profiles(
    report: &mut Report,
    flow: &Flow,
    exact: impl Fn(f64, f64) -> f64,
    prepare: impl Fn(&mut World),
    afterwards: impl Fn(&mut Report, &mut World, usize) -> Result<(), String>,
) -> Result<(), String> {
    let mut means = Vec::new();
    for across in ACROSS {
        let mut world = channel(across);
        prepare(&mut world);
        let mut mean = 0.0;
        let (mut measured, mut reference) = (Vec::new(), Vec::new());
        for t in TIMES {
            advance(&mut world, t, |_, _| ())?;
            let error = relative_error(&world, |y| exact(y, t));
            flow.judge(report, format!("{across} across, t = {t} s: L2 error"), error);
            mean += error / TIMES.len() as f64;
            measured.push(Series::new(format!("t = {t} s"), &profile(&world)));
            reference.push(Series::of(format!("t = {t} s"), [0.0, 1.0], |y| exact(y, t)));
        }
        report.curve(Curve {
            name: format!("{}velocity profiles, {across} across", flow.prefix),
            axes: ["height, m", "velocity, m/s"],
            measured,
            reference,
            source: "analytic series",
        });
        afterwards(report, &mut world, across)?;
        means.push(mean);
    }
    let order = (means[0] / means[1]).log2();
    report.note(format!("{}observed order of the mean L2 error", flow.prefix), order, 1.0);
    Ok(())
}

/// Height and velocity of every particle, from below.
fn profile(world: &World) -> Vec<(f64, f64)> {
    let n = world.fluid_count();
    let particles = world.particles.position[..n].iter().zip(&world.particles.velocity[..n]);
    let mut profile: Vec<(f64, f64)> = particles.map(|(x, v)| (x.y, v.x)).collect();
    profile.sort_by(|a, b| a.0.total_cmp(&b.0));
    profile
}

/// ‖u − exact‖/‖exact‖ over the fluid.
fn relative_error(world: &World, exact: impl Fn(f64) -> f64) -> f64 {
    let n = world.fluid_count();
    let particles = world.particles.position[..n].iter().zip(&world.particles.velocity[..n]);
    let (difference, norm) = particles.fold((0.0, 0.0), |(difference, norm), (x, v)| {
        let u = exact(x.y);
        (difference + (*v - DVec3::X * u).length_squared(), norm + u * u)
    });
    (difference / norm).sqrt()
}

/// A 2D channel of height 1 m between two plates, `across` particles high, that repeats along x.
fn channel(across: usize) -> World {
    let h = 1.0 / across as f64;
    let mut world = World::new(Dimension::Two, h);
    world.gravity = DVec3::ZERO;
    world.period = DVec3::X * (8.0 * h);
    world.time_step = TimeStep::Fixed(0.2 * h);
    let place = |n: usize| DVec3::new((n % 8) as f64 + 0.5, (n / 8) as f64 + 0.5, 0.0) * h;
    let positions: Vec<DVec3> = (0..8 * across).map(place).collect();
    let viscosity = Viscosity::laplacian(ETA, ETA);
    world.add_fluid("fluid", DENSITY, viscosity, &positions, |_| DVec3::ZERO);
    world.add_solid(plate("below", h, -0.5 * h));
    world.add_solid(plate("above", h, 1.0 + 0.5 * h));
    world
}

/// Samples of a plate at height `y`, eight spacings long.
fn plate(name: &str, h: f64, y: f64) -> Solid {
    let local = (0..8).map(|n| DVec3::new((f64::from(n) + 0.5) * h, y, 0.0)).collect();
    Solid::fixed(name, local, 0.5 * h)
}
