//! One scene by several methods, measured alike: `splashdown compare`.

use std::time::Instant;

use crate::math::DVec3;
use crate::output::totals::Totals;
use crate::world::World;

/// How many points of a curve are kept.
const POINTS: usize = 200;
/// Fluid or bodies faster than this many times the fastest fall have exploded.
const EXPLODED: f64 = 10.0;

/// What a method did with a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// Steps done.
    pub steps: u64,
    /// How far it came, s.
    pub reached: f64,
    /// Mean and smallest time step, s. Steps cut to meet the end do not count.
    pub mean_dt: f64,
    /// The smallest, s.
    pub min_dt: f64,
    /// Steps that were undone and retried.
    pub retries: u64,
    /// Mean iterations of pressure and of contact per step.
    pub pressure_iterations: f64,
    /// The same of contact.
    pub contact_iterations: f64,
    /// Seconds of computing per simulated second.
    pub seconds_per_second: f64,
    /// Energy at the end minus that at the start, over the largest change of potential energy. In a
    /// world that nothing drives it is negative.
    pub energy_gain: f64,
    /// Deepest penetration of bodies, in spacings.
    pub penetration: f64,
    /// Mean residuals of the density and of contact.
    pub density_error: f64,
    /// The same of contact and friction together.
    pub contact_error: f64,
    /// Share of steps in which the acceleration of a body turned around: 1 is a rattle, 0 is calm.
    pub flips: f64,
    /// Largest acceleration of a body, m/s².
    pub max_acceleration: f64,
    /// Fastest speed of fluid or bodies, m/s.
    pub max_speed: f64,
    /// Why it stopped before the end, if it did.
    pub trouble: Option<String>,
    /// Some points along the way.
    pub curve: Vec<Point>,
}

/// A moment of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// s
    pub time: f64,
    /// Kinetic and potential energy, J.
    pub energy: f64,
    /// Iterations of all solves.
    pub iterations: f64,
    /// In spacings.
    pub penetration: f64,
    /// Seconds of computing so far.
    pub seconds: f64,
}

impl Measured {
    /// "stable", or what is wrong.
    pub fn verdict(&self) -> String {
        match &self.trouble {
            Some(trouble) => trouble.clone(),
            None if self.flips > 0.5 => "rattles".to_owned(),
            None => "stable".to_owned(),
        }
    }
}

/// Runs `world` up to the time `until`, or as long as there is patience for, s of computing.
pub fn measure(world: &mut World, until: f64, patience: f64) -> Measured {
    let mut measured = Measured { min_dt: f64::INFINITY, ..Measured::default() };
    let start = Totals::of(world);
    let began = Instant::now();
    let limit = EXPLODED * fastest_fall(world, until);
    let mut turning = Turning::of(world);
    let (mut sums, mut fell) = ([0.0; 4], 0.0f64);
    while world.clock.time < until * (1.0 - 1e-12) && measured.trouble.is_none() {
        let report = match world.step(until) {
            Ok(report) => report,
            Err(error) => {
                measured.trouble = Some(format!("failed: {error}"));
                break;
            }
        };
        measured.steps += 1;
        measured.retries += u64::from(report.retries);
        if world.clock.time < until {
            measured.min_dt = measured.min_dt.min(report.dt);
        }
        let pressure = f64::from(report.density_iterations + report.divergence_iterations);
        let contact = f64::from(report.contact_iterations);
        let residual = report.contact_error.max(report.friction_error);
        let now = [pressure, contact, report.density_error, residual];
        (0..4).for_each(|k| sums[k] += now[k]);
        let penetration = report.penetration / world.spacing;
        measured.penetration = measured.penetration.max(penetration);
        turning.add(world, report.dt);

        let fastest = fastest(world);
        measured.max_speed = measured.max_speed.max(fastest);
        if fastest > limit {
            measured.trouble = Some(format!("exploded at {:.3} s", world.clock.time));
        } else if began.elapsed().as_secs_f64() > patience {
            measured.trouble = Some(format!("too slow: stopped at {:.3} s", world.clock.time));
        }
        let totals = Totals::of(world);
        fell = fell.max((totals.potential_energy - start.potential_energy).abs());
        let last = measured.curve.last().map_or(f64::NEG_INFINITY, |point: &Point| point.time);
        if world.clock.time - last >= until / POINTS as f64 {
            measured.curve.push(Point {
                time: world.clock.time,
                energy: totals.kinetic_energy + totals.potential_energy,
                iterations: pressure + contact,
                penetration,
                seconds: began.elapsed().as_secs_f64(),
            });
        }
    }
    let end = Totals::of(world);
    let gained =
        end.kinetic_energy + end.potential_energy - start.kinetic_energy - start.potential_energy;
    let steps = measured.steps.max(1) as f64;
    measured.reached = world.clock.time;
    measured.mean_dt = world.clock.time / steps;
    measured.min_dt = measured.min_dt.min(measured.mean_dt);
    [measured.pressure_iterations, measured.contact_iterations] =
        [sums[0] / steps, sums[1] / steps];
    [measured.density_error, measured.contact_error] = [sums[2] / steps, sums[3] / steps];
    measured.seconds_per_second = began.elapsed().as_secs_f64() / world.clock.time.max(1e-12);
    measured.energy_gain = if fell > 0.0 { gained / fell } else { 0.0 };
    measured.flips = turning.flips as f64 / turning.steps.max(1) as f64;
    measured.max_acceleration = turning.largest;
    measured
}

/// Fluid falls as far as the scene is high, bodies fall freely, and what is fast stays fast.
fn fastest_fall(world: &World, until: f64) -> f64 {
    let g = world.gravity.length();
    let down = world.gravity.normalize_or_zero();
    let heights = world.particles.position.iter().map(|p| p.dot(down));
    let (low, high) =
        heights.fold((f64::INFINITY, f64::NEG_INFINITY), |b, y| (b.0.min(y), b.1.max(y)));
    let fall = (2.0 * g * (high - low).max(0.0)).sqrt().min(g * until);
    fall.max(fastest(world)).max(0.1)
}

fn fastest(world: &World) -> f64 {
    let squared = world.particles.velocity.iter().map(|v| v.length_squared());
    squared.fold(0.0, f64::max).sqrt()
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
        world.solids.iter().filter_map(|s| s.body.as_ref()).map(|body| body.velocity).collect()
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
