//! How long a run will take on this machine: `splashdown check --time`.
//!
//! The first steps of the run say what a step costs. How many steps there will be, how many
//! particles emitters and sinks leave and how many iterations they need is what a rehearsal says:
//! the whole run with particles farther apart, which takes seconds. Where no rehearsal is possible,
//! the run is supposed to go on as it begins.

use std::time::Instant;

use crate::world::{SolveKind, StepError, StepReport, TimeStep, World};

/// Seconds of computing for the first steps, and for the rehearsal.
const FIRST_STEPS: f64 = 4.0;
const REHEARSAL: f64 = 8.0;
/// Steps at the start that are not typical: memory is touched for the first time, pressures start
/// from nothing.
const WARM_UP: usize = 2;
/// Walls cost so much of what fluid costs, per particle.
const WALLS: f64 = 0.2;
/// A rehearsal that comes less far than this share of the run says too little.
const ENOUGH: f64 = 0.25;

/// How long a run will take.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// Best guess, s.
    pub seconds: f64,
    /// From the fast to the slow end of what is likely, s.
    pub range: [f64; 2],
    /// Steps of the run.
    pub steps: f64,
    /// Steps that were done to find out, and how far they came, s.
    pub tried: (usize, f64),
    /// What the rest of the run was judged by.
    pub basis: Basis,
}

/// What a forecast stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Basis {
    /// The whole run: it is short enough.
    WholeRun,
    /// A rehearsal with particles so many times as far apart, which reached this share of the run.
    Rehearsal(f64, f64),
    /// The first steps alone.
    FirstSteps,
}

/// A step that was tried.
#[derive(Clone, Copy, Debug)]
struct Tried {
    time: f64,
    dt: f64,
    seconds: f64,
    /// Seconds in the loops of the solves, and how many iterations those were.
    looping: f64,
    iterations: f64,
    work: f64,
}

/// What a run must last and write.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// s
    pub duration: f64,
    /// Steps are cut to meet frames.
    pub frames_per_second: f64,
    /// Fluid particles that emitters will add.
    pub emitted: u64,
}

/// Tries the first steps of a run. `coarse` makes the same world with particles so many times as
/// far apart, if it can.
pub fn forecast(
    world: &mut World,
    plan: &Plan,
    coarse: impl FnOnce(f64) -> Option<World>,
) -> Result<Forecast, StepError> {
    let tried = try_steps(world, plan.duration, FIRST_STEPS)?;
    let spent: f64 = tried.iter().map(|step| step.seconds).sum();
    let known = (tried.len(), world.clock.time);
    if world.clock.time >= plan.duration * (1.0 - 1e-9) {
        let steps = steps_with_frames(&tried, plan, |step| step.dt);
        let seconds = spent * steps / tried.len().max(1) as f64;
        let range = [0.8 * seconds, 1.4 * seconds];
        return Ok(Forecast { seconds, range, steps, tried: known, basis: Basis::WholeRun });
    }
    let cost = Cost::of(&tried);
    let left = plan.duration - world.clock.time;
    let going_on = spent * left / world.clock.time.max(1e-12);
    let dimensions = world.dimension.count() as f64;
    if !world.elastic.any() {
        // Coarser by k: k³ fewer particles, k fewer steps (2D: k²).
        let factor = (2.0 * going_on / REHEARSAL).powf(1.0 / (dimensions + 1.0)).clamp(1.5, 5.0);
        let profile = coarse(factor).and_then(|mut small| {
            let profile = try_steps(&mut small, plan.duration, REHEARSAL).ok()?;
            let reached = small.clock.time / plan.duration;
            (reached >= ENOUGH && profile.len() > 2 * WARM_UP).then_some((profile, reached))
        });
        if let Some((profile, reached)) = profile {
            let (seconds, steps) = rehearsed(world, plan, &cost, &tried, &profile, factor);
            let doubt = if reached >= 1.0 { 1.6 } else { 2.0 };
            let range = [seconds / doubt, seconds * doubt];
            let basis = Basis::Rehearsal(factor, reached.min(1.0));
            return Ok(Forecast { seconds, range, steps, tried: known, basis });
        }
    }
    let last = tried.last().copied().unwrap_or(cost.typical);
    let steps = tried.len() as f64
        + steps_with_frames(&[last], &Plan { duration: left, ..*plan }, |s| s.dt);
    let grown = 1.0 + 0.5 * plan.emitted as f64 / last.work.max(1.0);
    let seconds = steps * cost.of_step(last.work * grown, last.iterations);
    let range = [seconds / 2.0, seconds * 3.0];
    Ok(Forecast { seconds, range, steps, tried: known, basis: Basis::FirstSteps })
}

/// Steps for about so many seconds of computing, or to the end. Frames cut nothing: lengths are
/// what the world allows.
fn try_steps(world: &mut World, duration: f64, budget: f64) -> Result<Vec<Tried>, StepError> {
    let began = Instant::now();
    let mut tried = Vec::new();
    while world.clock.time < duration * (1.0 - 1e-9)
        && (tried.is_empty() || began.elapsed().as_secs_f64() < budget)
    {
        let report = world.step(f64::MAX)?;
        tried.push(Tried::of(world, &report));
    }
    Ok(tried)
}

impl Tried {
    fn of(world: &World, report: &StepReport) -> Tried {
        let fluid = world.fluid_count() as f64;
        let elastic = world.elastic.solids.position.len() as f64;
        let solid = world.particles.len() as f64 - fluid;
        let [divergence, density, newton] =
            [SolveKind::Divergence, SolveKind::Density, SolveKind::Elastic]
                .map(|kind| report.solve(kind));
        Tried {
            time: report.time,
            dt: report.dt,
            seconds: report.seconds.iter().sum(),
            looping: match world.elastic.any() {
                true => newton.seconds,
                false => divergence.seconds + density.seconds,
            },
            iterations: f64::from(
                (density.iterations + divergence.iterations)
                    .max(report.solve(SolveKind::Contact).iterations)
                    .max(newton.iterations),
            ),
            work: fluid + elastic + WALLS * solid,
        }
    }
}

/// What a step costs: so much per particle, and so much per particle and iteration.
struct Cost {
    once: f64,
    per_iteration: f64,
    typical: Tried,
}

impl Cost {
    fn of(tried: &[Tried]) -> Cost {
        let settled = if tried.len() > 2 * WARM_UP { &tried[WARM_UP..] } else { tried };
        let sum = |value: fn(&Tried) -> f64| settled.iter().map(value).sum::<f64>();
        let work = sum(|step| step.work).max(1.0);
        let iterated = sum(|step| step.work * step.iterations).max(1e-9);
        let count = settled.len().max(1) as f64;
        Cost {
            once: sum(|step| step.seconds - step.looping) / work,
            per_iteration: sum(|step| step.looping) / iterated,
            typical: Tried {
                time: 0.0,
                dt: sum(|step| step.dt) / count,
                seconds: sum(|step| step.seconds) / count,
                looping: sum(|step| step.looping) / count,
                iterations: sum(|step| step.iterations) / count,
                work: work / count,
            },
        }
    }

    fn of_step(&self, work: f64, iterations: f64) -> f64 {
        work * (self.once + self.per_iteration * iterations)
    }
}

/// Seconds and steps of the run, as a rehearsal with particles `factor` times as far apart tells.
fn rehearsed(
    world: &World,
    plan: &Plan,
    cost: &Cost,
    tried: &[Tried],
    profile: &[Tried],
    factor: f64,
) -> (f64, f64) {
    let coarse = Cost::of(profile);
    let most = profile.iter().map(|step| step.work).fold(0.0, f64::max);
    // A basin that is still empty at the start: what a full one costs, the rehearsal knows better.
    let began_empty = profile.first().is_some_and(|step| step.work < 0.3 * most);
    let cost = if began_empty { &coarse } else { cost };
    let longer = length_ratio(world, factor);
    let same_time = |step: &&Tried| step.time <= world.clock.time.max(profile[WARM_UP].time);
    let early: Vec<Tried> = profile.iter().filter(same_time).copied().collect();
    let [fine, rough] = [tried, &early[..]].map(|steps| Cost::of(steps).typical);
    let more = (fine.iterations / rough.iterations.max(1.0)).clamp(0.7, 3.0);
    let size = match began_empty {
        true => factor.powi(world.dimension.count() as i32),
        false => fine.work / rough.work.max(1.0),
    };
    let (mut seconds, mut steps) = (0.0, 0.0);
    let mut at = 0;
    let frames = (plan.duration * plan.frames_per_second).ceil().max(1.0);
    for frame in 0..frames as u64 {
        let begin = frame as f64 / plan.frames_per_second;
        let length = (plan.duration - begin).min(1.0 / plan.frames_per_second);
        while at + 1 < profile.len() && profile[at].time < begin + 0.5 * length {
            at += 1;
        }
        let step = &profile[at];
        let count = (length / longer(step.dt)).ceil().max(1.0);
        steps += count;
        seconds += count * cost.of_step(step.work * size, step.iterations * more);
    }
    (seconds, steps)
}

/// The step of the run where the rehearsal's is so long.
fn length_ratio(world: &World, factor: f64) -> impl Fn(f64) -> f64 {
    let time_step = world.time_step;
    let g = world.gravity.length().max(f64::MIN_POSITIVE);
    let spacing = world.spacing;
    let power = if world.has_tension() { 1.5 } else { 1.0 };
    move |dt| match time_step {
        TimeStep::Fixed(fixed) => fixed,
        TimeStep::Adaptive { cfl, min, max } => {
            // Nearly at rest, a step is limited by free fall, which goes with the root of the
            // spacing.
            let fall = |h: f64| 0.5 * cfl * (h / g).sqrt();
            let resting = dt >= 0.95 * fall(spacing * factor).min(max) && power == 1.0;
            let scaled = dt / factor.powf(power);
            if resting { fall(spacing).min(max) } else { scaled.clamp(min, max) }
        }
    }
}

/// Steps of these lengths, cut where a frame is due.
fn steps_with_frames(tried: &[Tried], plan: &Plan, dt: impl Fn(&Tried) -> f64) -> f64 {
    let mean = tried.iter().map(&dt).sum::<f64>() / tried.len().max(1) as f64;
    let frame = 1.0 / plan.frames_per_second;
    let in_frame = (frame / mean.max(1e-12) - 1e-6).ceil().max(1.0);
    (plan.duration / frame * in_frame).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;

    const TANK: &str = r#"
        simulation = { dimension = 2, spacing = 0.05, duration = 0.2 }
        [[fluid]]
        name = "water"
        [[fluid.fill]]
        shape.box = { min = [0, 0], max = [0.5, 0.5] }
        [[solid]]
        name = "tank"
        shape.tank = { min = [0, 0], max = [1, 1] }
    "#;

    fn step(time: f64, dt: f64, work: f64) -> Tried {
        Tried { time, dt, seconds: 1e-3 * work, looping: 0.5e-3 * work, iterations: 10.0, work }
    }

    #[test]
    fn a_short_run_is_simply_run() {
        let mut world = Scene::parse("tank", TANK, "", &[]).unwrap().build().unwrap().world;
        let plan = Plan { duration: 0.05, frames_per_second: 30.0, emitted: 0 };
        let found = forecast(&mut world, &plan, |_| panic!("not needed")).unwrap();
        assert_eq!(found.basis, Basis::WholeRun);
        assert!(found.steps >= found.tried.0 as f64 && found.seconds > 0.0, "{found:?}");
        assert!(found.range[0] < found.seconds && found.seconds < found.range[1]);
    }

    #[test]
    fn a_rehearsal_at_the_same_spacing_is_the_run_itself() {
        let mut world = Scene::parse("tank", TANK, "", &[]).unwrap().build().unwrap().world;
        world.time_step = TimeStep::Fixed(0.01);
        let all: Vec<Tried> = (1..=100).map(|k| step(0.01 * f64::from(k), 0.01, 1000.0)).collect();
        let plan = Plan { duration: 1.0, frames_per_second: 25.0, emitted: 0 };
        world.clock.time = 0.1;
        let cost = Cost::of(&all[..10]);
        let (seconds, steps) = rehearsed(&world, &plan, &cost, &all[..10], &all, 1.0);
        assert!((seconds - 100.0).abs() < 1e-6 && steps == 100.0, "{seconds} {steps}");
        // Twice as many particles at the end cost half as much again in all.
        let grows: Vec<Tried> =
            all.iter().map(|s| step(s.time, s.dt, 1000.0 * (1.0 + s.time))).collect();
        let cost = Cost::of(&grows[..10]);
        let (seconds, _) = rehearsed(&world, &plan, &cost, &grows[..10], &grows, 1.0);
        assert!((seconds - 150.0).abs() < 5.0, "{seconds}");
    }

    #[test]
    fn steps_are_cut_where_frames_are_due() {
        let plan = Plan { duration: 1.0, frames_per_second: 30.0, emitted: 0 };
        assert_eq!(steps_with_frames(&[step(0.0, 0.03, 1.0)], &plan, |s| s.dt), 60.0);
        assert_eq!(steps_with_frames(&[step(0.0, 1.0, 1.0)], &plan, |s| s.dt), 30.0);
    }
}
