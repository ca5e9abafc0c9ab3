//! One scene by several methods, measured alike: `splashdown compare`.

pub mod choices;

use crate::math::DVec3;
use crate::output::driver::Simulation;
use crate::output::error::RunError;
use crate::output::totals::Totals;
use crate::world::{SolveKind, StepReport, World};

/// How many points of a curve are kept.
const POINTS: usize = 200;
/// Fluid or bodies faster than this many times the fastest fall have exploded.
const EXPLODED: f64 = 10.0;

/// What a method did with a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// Numbers that exist in the scene.
    pub figures: Vec<Figure>,
    /// Share of steps in which the acceleration of a body turned around: 1 is a rattle, 0 is calm.
    pub flips: f64,
    /// Why it stopped before the end, if it did.
    pub trouble: Option<String>,
    /// Some points along the way.
    pub curve: Vec<Point>,
}

/// A number that a run is judged by.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What it is, with its unit at the end.
    pub name: String,
    /// How much; not a number where there is nothing to measure.
    pub value: f64,
    /// How people read it.
    pub style: Style,
}

/// How a number is written for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// With so many decimals.
    Decimals(usize),
    /// With so many decimals and its sign.
    Signed(usize),
    /// As a power of ten, with so many decimals before it.
    Power(usize),
    /// With so many digits, as a power of ten where that is shorter.
    Digits(usize),
}

impl Figure {
    /// A figure of this name.
    pub fn new(name: impl Into<String>, value: f64, style: Style) -> Figure {
        Figure { name: name.into(), value, style }
    }

    /// For people.
    pub fn text(&self) -> String {
        let value = self.value;
        match self.style {
            _ if !value.is_finite() => "-".to_owned(),
            Style::Decimals(n) => format!("{value:.n$}"),
            Style::Signed(n) => format!("{value:+.n$}"),
            Style::Power(n) => format!("{value:.n$e}"),
            Style::Digits(n) => {
                let size = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
                match usize::try_from(n as i32 - 1 - size) {
                    Ok(decimals) if size >= -3 => format!("{value:.decimals$}"),
                    _ => format!("{value:.0$e}", n.saturating_sub(1)),
                }
            }
        }
    }
}

/// A moment of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// s
    pub time: f64,
    /// Kinetic, potential and elastic energy, J.
    pub energy: f64,
    /// Iterations of all solves.
    pub iterations: f64,
    /// How deep bodies are in each other, in spacings.
    pub penetration: f64,
    /// Largest compression of the fluid, share of its rest density.
    pub compression: f64,
    /// Of elastic bodies, J.
    pub elastic_energy: f64,
    /// Seconds of computing so far.
    pub seconds: f64,
}

impl Measured {
    /// A run that could not even begin.
    pub fn refused(reason: String) -> Measured {
        Measured { trouble: Some(format!("refused: {reason}")), ..Measured::default() }
    }

    /// "stable", or what is wrong.
    pub fn verdict(&self) -> String {
        match &self.trouble {
            Some(trouble) => trouble.clone(),
            None if self.flips > 0.5 => "rattles".to_owned(),
            None => "stable".to_owned(),
        }
    }
}

/// Sums over the steps of a run.
#[derive(Default)]
struct Sums {
    steps: u64,
    retries: u64,
    seconds: f64,
    pressure_iterations: f64,
    viscosity_iterations: f64,
    contact_iterations: f64,
    newton_iterations: f64,
    contacts: f64,
    density_error: f64,
    contact_error: f64,
    min_dt: Option<f64>,
    max_compression: f64,
    penetration: f64,
    max_speed: f64,
    fell: f64,
}

impl Sums {
    /// `whole` is false for a step that was cut to meet a frame: its length says nothing.
    fn add(&mut self, report: &StepReport, world: &World, whole: bool) {
        self.steps += 1;
        self.retries += u64::from(report.retries);
        self.seconds += report.seconds.iter().sum::<f64>();
        let pressure = report.solve(SolveKind::Density).iterations
            + report.solve(SolveKind::Divergence).iterations;
        self.pressure_iterations += f64::from(pressure);
        self.viscosity_iterations += f64::from(report.solve(SolveKind::Viscosity).iterations);
        self.contact_iterations += f64::from(report.solve(SolveKind::Contact).iterations);
        self.newton_iterations += f64::from(report.solve(SolveKind::Elastic).iterations);
        self.contacts += f64::from(
            report.solve(SolveKind::Contact).active + report.solve(SolveKind::Elastic).active,
        );
        self.density_error += report.solve(SolveKind::Density).error;
        self.contact_error +=
            report.solve(SolveKind::Contact).error.max(report.solve(SolveKind::Friction).error);
        if whole {
            self.min_dt = Some(self.min_dt.map_or(report.dt, |least| least.min(report.dt)));
        }
        self.max_compression = self.max_compression.max(report.max_compression);
        self.penetration = self.penetration.max(report.penetration / world.spacing);
    }
}

/// Runs a simulation to its end, as long as there is patience for (s of computing) and nobody wants
/// it to stop.
pub fn measure(
    simulation: &mut Simulation,
    patience: f64,
    stop: &dyn Fn() -> bool,
    mut look: impl FnMut(&StepReport),
) -> Measured {
    let mut measured = Measured::default();
    let until = simulation.settings().duration;
    let world = simulation.world();
    let start = Energy::of(world);
    let limit = EXPLODED * fastest_fall(world, until);
    let mut turning = Turning::of(world);
    let mut sums = Sums::default();
    while !simulation.is_finished() && measured.trouble.is_none() {
        let progress = match simulation.advance() {
            Ok(progress) => progress,
            Err(RunError::Step { error, .. }) => {
                measured.trouble = Some(format!("failed: {error}"));
                break;
            }
            Err(error) => {
                measured.trouble = Some(format!("failed: {error}"));
                break;
            }
        };
        let (world, report) = (simulation.world(), &progress.report);
        let time = world.clock.time;
        look(report);
        sums.add(report, world, progress.frame.is_none());
        turning.add(world, report.dt);
        let fastest = fastest(world);
        sums.max_speed = sums.max_speed.max(fastest);
        if fastest > limit {
            measured.trouble = Some(format!("exploded at {time:.3} s"));
        } else if sums.seconds > patience {
            measured.trouble = Some(format!("too slow: stopped at {time:.3} s"));
        } else if stop() {
            measured.trouble = Some(format!("interrupted at {time:.3} s"));
        }
        let last = measured.curve.last().map_or(f64::NEG_INFINITY, |point: &Point| point.time);
        if time - last >= until / POINTS as f64 || measured.trouble.is_some() {
            let energy = Energy::of(world);
            sums.fell = sums.fell.max((energy.potential - start.potential).abs());
            measured.curve.push(Point {
                time,
                energy: energy.sum(),
                iterations: f64::from(
                    report.solve(SolveKind::Density).iterations
                        + report.solve(SolveKind::Divergence).iterations
                        + report.solve(SolveKind::Contact).iterations
                        + report.solve(SolveKind::Elastic).iterations,
                ),
                penetration: report.penetration / world.spacing,
                compression: report.max_compression,
                elastic_energy: energy.elastic,
                seconds: sums.seconds,
            });
        }
    }
    measured.flips = turning.flips as f64 / turning.steps.max(1) as f64;
    measured.figures = figures(simulation.world(), &sums, start, &turning, measured.flips);
    measured
}

/// What can be said about the run, as far as it exists in its world.
fn figures(
    world: &World,
    sums: &Sums,
    start: Energy,
    turning: &Turning,
    flips: f64,
) -> Vec<Figure> {
    use Style::{Decimals, Power, Signed};
    let (time, steps) = (world.clock.time, sums.steps.max(1) as f64);
    let end = Energy::of(world);
    let gain = if sums.fell > 0.0 { (end.sum() - start.sum()) / sums.fell } else { 0.0 };
    let mut figures = Vec::new();
    let mut add = |name: &str, value: f64, style| figures.push(Figure::new(name, value, style));
    add("reached_s", time, Decimals(4));
    add("steps", sums.steps as f64, Decimals(0));
    add("mean_dt_s", time / steps, Power(3));
    add("min_dt_s", sums.min_dt.unwrap_or(time / steps), Power(3));
    add("retries", sums.retries as f64, Decimals(0));
    add("ms_per_step", 1e3 * sums.seconds / steps, Decimals(2));
    add("seconds_per_second", sums.seconds / time.max(1e-12), Decimals(3));
    if world.fluid_count() > 0 {
        add("fluid_particles", world.fluid_count() as f64, Decimals(0));
        add("pressure_iterations", sums.pressure_iterations / steps, Decimals(1));
        if sums.viscosity_iterations > 0.0 {
            add("viscosity_iterations", sums.viscosity_iterations / steps, Decimals(1));
        }
        add("density_error", sums.density_error / steps, Power(1));
        add("max_compression", sums.max_compression, Power(1));
    }
    if !turning.velocity.is_empty() {
        add("contact_iterations", sums.contact_iterations / steps, Decimals(1));
        add("contacts", sums.contacts / steps, Decimals(1));
        add("contact_error", sums.contact_error / steps, Power(1));
        add("penetration_h", sums.penetration, Decimals(3));
        add("flips", flips, Decimals(3));
        add("max_acceleration_m_s2", turning.largest, Decimals(1));
    }
    if world.elastic.any() {
        add("newton_iterations", sums.newton_iterations / steps, Decimals(1));
        add("contacts", sums.contacts / steps, Decimals(1));
        add("elastic_energy_j", end.elastic, Power(3));
    }
    add("kinetic_energy_j", end.kinetic, Power(3));
    add("potential_energy_j", end.potential, Power(3));
    add("energy_gain", gain, Signed(3));
    add("max_speed_m_s", sums.max_speed, Decimals(2));
    figures
}

/// Energies of everything, J.
#[derive(Clone, Copy)]
struct Energy {
    kinetic: f64,
    potential: f64,
    elastic: f64,
}

impl Energy {
    fn of(world: &World) -> Energy {
        let totals = Totals::of(world);
        let [_, elastic] = world.elastic.energies();
        Energy { kinetic: totals.kinetic_energy, potential: totals.potential_energy, elastic }
    }

    fn sum(&self) -> f64 {
        self.kinetic + self.potential + self.elastic
    }
}

/// Fluid falls as far as the scene is high, bodies fall freely, and what is fast stays fast.
fn fastest_fall(world: &World, until: f64) -> f64 {
    let g = world.gravity.length();
    let down = world.gravity.normalize_or_zero();
    let heights = places(world).map(|p| p.dot(down));
    let (low, high) =
        heights.fold((f64::INFINITY, f64::NEG_INFINITY), |b, y| (b.0.min(y), b.1.max(y)));
    let fall = (2.0 * g * (high - low).max(0.0)).sqrt().min(g * until);
    let driven = world.emitters.iter().map(|emitter| emitter.speed.at(0.0)).fold(0.0, f64::max);
    fall.max(fastest(world)).max(driven).max(0.1)
}

/// All particles and vertices.
fn places(world: &World) -> impl Iterator<Item = DVec3> {
    world.particles.position.iter().chain(&world.elastic.solids.position).copied()
}

fn fastest(world: &World) -> f64 {
    let velocities = world.particles.velocity.iter().chain(&world.elastic.solids.velocity);
    velocities.map(|v| v.length_squared()).fold(0.0, f64::max).sqrt()
}

/// How often accelerations of bodies turn around.
struct Turning {
    velocity: Vec<DVec3>,
    acceleration: Vec<DVec3>,
    flips: u64,
    steps: u64,
    largest: f64,
}

impl Turning {
    fn velocities(world: &World) -> Vec<DVec3> {
        world.solids.iter().filter_map(|s| s.body()).map(|body| body.velocity).collect()
    }

    fn of(world: &World) -> Turning {
        let velocity = Turning::velocities(world);
        let acceleration = vec![DVec3::ZERO; velocity.len()];
        Turning { velocity, acceleration, flips: 0, steps: 0, largest: 0.0 }
    }

    fn add(&mut self, world: &World, dt: f64) {
        let velocity = Turning::velocities(world);
        // What a body at rest does is noise: only what gravity could do as well counts.
        let enough = (0.5 * world.gravity.length()).max(0.1).powi(2);
        for (k, now) in velocity.iter().enumerate() {
            let acceleration = (*now - self.velocity[k]) / dt;
            self.flips += u64::from(acceleration.dot(self.acceleration[k]) < -enough);
            self.largest = self.largest.max(acceleration.length());
            self.acceleration[k] = acceleration;
        }
        self.steps += velocity.len() as u64;
        self.velocity = velocity;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_written_as_people_read_them() {
        let text = |value: f64, style| Figure::new("x", value, style).text();
        assert_eq!(text(1.25, Style::Signed(1)), "+1.2");
        assert_eq!(text(0.00012345, Style::Digits(3)), "1.23e-4");
        assert_eq!(text(-0.5, Style::Digits(3)), "-0.500");
        assert_eq!(text(123456.0, Style::Digits(3)), "1.23e5");
        assert_eq!(text(0.0, Style::Digits(3)), "0.00");
        assert_eq!(text(f64::NAN, Style::Power(1)), "-");
    }

    #[test]
    fn what_went_wrong_is_the_verdict() {
        assert_eq!(Measured::default().verdict(), "stable");
        assert_eq!(Measured { flips: 0.6, ..Measured::default() }.verdict(), "rattles");
        assert_eq!(Measured::refused("too small".to_owned()).verdict(), "refused: too small");
    }
}
