//! One time step: how long it is, what happens when it fails, what comes after it. What happens in
//! it is the method's business (`methods`).

use crate::error::StepError;
use crate::flow;
use crate::methods::{self, Algorithm};
use crate::report::{Phase, StepReport, Stopwatch};
use crate::world::{Clock, TimeStep, World};

/// How often a failed step is retried at half its length.
const RETRIES: u32 = 5;
/// A step may grow by this factor over the last one (which may have been halved to meet a frame).
const GROWTH: f64 = 2.0;
/// The first step is this share of what would be allowed: pressures start from nothing.
const FIRST: f64 = 0.1;

impl World {
    /// Advances the world by one time step that does not pass `frame_time`, the next time at which
    /// output is due. On an error the world is as it was before the call.
    pub fn step(&mut self, frame_time: f64) -> Result<StepReport, StepError> {
        let mut algorithm = methods::take(self);
        // On one of the pool's threads from beginning to end: from outside, every parallel loop of
        // the step (hundreds) would wake the pool and put the caller to sleep.
        let report = rayon::scope(|_| step(self, algorithm.as_mut(), frame_time));
        methods::keep(self, algorithm);
        report
    }
}

fn step(
    world: &mut World,
    algorithm: &mut dyn Algorithm,
    frame_time: f64,
) -> Result<StepReport, StepError> {
    let mut watch = Stopwatch::start();
    algorithm.prepare(world, longest(&world.time_step, &world.clock), &mut watch)?;
    let allowed = |cfl| algorithm.longest_step(world, cfl);
    let wanted = wanted(&world.time_step, &world.clock, allowed);
    let (mut dt, mut reaches_frame) = until_frame(wanted, frame_time - world.clock.time);
    let mut retries = 0;
    while let Err(error) = algorithm.attempt(world, dt, retries, &mut watch) {
        if retries == RETRIES || world.stop.asked() {
            return Err(error);
        }
        retries += 1;
        dt *= 0.5;
        reaches_frame = false;
    }
    let mut report = StepReport { dt, retries, ..algorithm.accept(world, dt) };
    let began = world.clock.time;
    world.clock.time = if reaches_frame { frame_time } else { began + dt };
    world.clock.dt = dt;
    world.clock.step += 1;
    report.time = world.clock.time;
    report.flow = flow::run(world, began, dt);
    watch.lap(Phase::Advance);
    report.seconds = watch.seconds;
    Ok(report)
}

/// No step from here is longer than this.
fn longest(time_step: &TimeStep, clock: &Clock) -> f64 {
    match *time_step {
        TimeStep::Fixed(dt) => dt,
        TimeStep::Adaptive { min, max, .. } if clock.step > 0 => {
            max.min(GROWTH * clock.dt).max(min)
        }
        TimeStep::Adaptive { min, max, .. } => (FIRST * max).max(min),
    }
}

/// How long the next step should be. `allowed` is what the method allows for a Courant number.
fn wanted(time_step: &TimeStep, clock: &Clock, allowed: impl Fn(f64) -> f64) -> f64 {
    match *time_step {
        TimeStep::Fixed(dt) => dt,
        TimeStep::Adaptive { cfl, min, max } => {
            let allowed = allowed(cfl).min(max);
            let ramp = if clock.step > 0 { GROWTH * clock.dt } else { FIRST * allowed };
            allowed.min(ramp).max(min)
        }
    }
}

/// The length of a step that does not pass the next frame, `left` from here, and whether it ends
/// there.
fn until_frame(wanted: f64, left: f64) -> (f64, bool) {
    if left <= wanted * (1.0 + 1e-9) {
        (left, true)
    } else if left < 2.0 * wanted {
        (0.5 * left, false) // two equal steps rather than a long and a tiny one
    } else {
        (wanted, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_met_without_tiny_steps() {
        assert_eq!(until_frame(0.01, 0.01), (0.01, true));
        assert_eq!(until_frame(0.01, 0.004), (0.004, true));
        assert_eq!(until_frame(0.01, 0.015), (0.0075, false));
        assert_eq!(until_frame(0.01, 0.03), (0.01, false));
    }

    #[test]
    fn steps_start_short_and_grow_by_no_more_than_a_factor() {
        let adaptive = TimeStep::Adaptive { cfl: 0.4, min: 1e-6, max: 0.005 };
        let allowed = |cfl: f64| 0.01 * cfl; // 0.004
        let at = |step, dt| Clock { step, dt, ..Clock::default() };
        assert_eq!(wanted(&adaptive, &at(0, 0.0), allowed), 0.0004);
        assert_eq!(wanted(&adaptive, &at(1, 0.0004), allowed), 0.0008);
        assert_eq!(wanted(&adaptive, &at(9, 0.004), allowed), 0.004);
        assert_eq!(wanted(&TimeStep::Fixed(0.1), &at(9, 0.004), allowed), 0.1);
        for clock in [at(0, 0.0), at(1, 0.0004), at(9, 0.004)] {
            assert!(wanted(&adaptive, &clock, |_| f64::INFINITY) <= longest(&adaptive, &clock));
        }
    }
}
