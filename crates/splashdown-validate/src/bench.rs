//! How fast the program is, next to how fast the machine could go.
//!
//! A pressure iteration visits every neighbour of every particle twice. Its floor on a machine is
//! the time to fetch that many 16-byte records from the places where neighbours are; and the time
//! to stream the pairs once through memory. Both are measured here, in the same run and on the same
//! lists, so that the figures mean something on a noisy machine too.

use std::time::Instant;

use glam::Vec4;
use rayon::prelude::*;

use crate::diagnostics;
use crate::sph::tension::FluidSurface;
use crate::world::{NEWTON_PHASES, PHASES, SolveKind, StepError, StepReport, World};

/// What the machine can do, measured with this many threads on this scene's lists.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// Nanoseconds to fetch the 16-byte record of a neighbour, wall-clock.
    pub gather_ns: f64,
    /// Bytes per nanosecond (GB/s) read from memory in order.
    pub bandwidth: f64,
}

/// The result of a benchmark.
#[derive(Clone, Debug)]
pub struct Report {
    /// Fluid particles.
    pub fluid: usize,
    /// Wall particles.
    pub walls: usize,
    /// Steps measured.
    pub steps: u64,
    /// Mean number of fluid neighbours.
    pub neighbors: f64,
    /// Nanoseconds per fluid particle and step, by phase.
    pub phases: [f64; PHASES.len()],
    /// Pressure iterations per step, of both solves together.
    pub iterations: f64,
    /// Nanoseconds per fluid particle and pressure iteration: the whole of both solves over their
    /// iterations.
    pub iteration_ns: f64,
    /// The same without what is done once in a solve: sources, warm start, the final push.
    pub sweep_ns: f64,
    /// Time of an iteration over that of the scene without surface tension, if it has any; the
    /// fastest step of each, because noise only ever adds.
    pub over_no_tension: Option<f64>,
    /// Bytes of neighbour lists per fluid particle.
    pub list_bytes: f64,
    /// The most memory the process had held by then, bytes, where the system tells.
    pub peak_bytes: Option<f64>,
    /// The machine.
    pub machine: Machine,
}

impl Report {
    /// Time of an iteration of the solver's loop over the time to fetch two records per pair: the
    /// gather limit.
    pub fn over_gather_limit(&self) -> f64 {
        self.sweep_ns / (2.0 * self.neighbors * self.machine.gather_ns)
    }

    /// Share of the memory bandwidth that streaming the pairs twice per iteration takes up.
    pub fn bandwidth_share(&self) -> f64 {
        let bytes = 2.0 * self.neighbors * diagnostics::PAIR_BYTES as f64;
        bytes / self.sweep_ns / self.machine.bandwidth
    }

    /// Nanoseconds per pair of one phase.
    pub fn per_pair(&self, phase: usize) -> f64 {
        self.phases[phase] / self.neighbors
    }
}

/// How long Newton's method takes for elastic bodies.
#[derive(Clone, Debug)]
pub struct Newton {
    /// Vertices that can move.
    pub vertices: usize,
    /// Elements.
    pub elements: usize,
    /// Pairs that push, mean over the steps.
    pub contacts: f64,
    /// Iterations per step.
    pub iterations: f64,
    /// The most memory the process has held, bytes, where the system tells.
    pub peak_bytes: Option<f64>,
    /// Milliseconds per iteration, in the order of `NEWTON_PHASES`.
    pub milliseconds: [f64; NEWTON_PHASES.len()],
}

/// What steps took, by phase.
struct Totals<const N: usize> {
    iterations: u32,
    contacts: u32,
    seconds: [f64; N],
}

/// Steps a world `warm_up` times, then `steps` times; adds up what `of` says of each of these.
fn totals<const N: usize>(
    world: &mut World,
    warm_up: u64,
    steps: u64,
    of: impl Fn(&StepReport) -> Totals<N>,
) -> Result<Totals<N>, StepError> {
    for _ in 0..warm_up {
        world.step(f64::MAX)?;
    }
    let mut totals = Totals { iterations: 0, contacts: 0, seconds: [0.0; N] };
    for _ in 0..steps {
        let step = of(&world.step(f64::MAX)?);
        totals.iterations += step.iterations;
        totals.contacts += step.contacts;
        totals.seconds.iter_mut().zip(step.seconds).for_each(|(sum, s)| *sum += s);
    }
    Ok(totals)
}

/// Steps a world of elastic bodies `warm_up` times unmeasured, then `steps` times measured. Steps
/// end after `most` Newton iterations, if that is given.
pub fn newton(
    world: &mut World,
    warm_up: u64,
    steps: u64,
    most: Option<u32>,
) -> Result<Newton, StepError> {
    world.elastic.settings.cut_short = most;
    let Totals { iterations, contacts, seconds } = totals(world, warm_up, steps, |step| Totals {
        iterations: step.solve(SolveKind::Elastic).iterations,
        contacts: step.solve(SolveKind::Elastic).active,
        seconds: step.newton_seconds,
    })?;
    let solids = &world.elastic.solids;
    Ok(Newton {
        vertices: (0..solids.rest.len() as u32).filter(|&v| solids.is_free(v)).count(),
        elements: solids.elements.iter().filter(|e| e.is_first()).count(),
        contacts: f64::from(contacts) / steps as f64,
        iterations: f64::from(iterations) / steps as f64,
        peak_bytes: peak_bytes(),
        milliseconds: seconds.map(|s| 1e3 * s / f64::from(iterations.max(1))),
    })
}

/// How long a step of rigid bodies without fluid takes.
#[derive(Clone, Debug)]
pub struct Pile {
    /// Bodies that move.
    pub bodies: usize,
    /// Samples of all solids.
    pub samples: usize,
    /// Contacts under pressure, mean over the steps.
    pub contacts: f64,
    /// Iterations of the contact solve per step.
    pub iterations: f64,
    /// Milliseconds per step, by phase.
    pub milliseconds: [f64; PHASES.len()],
}

/// Steps a world without fluid `warm_up` times unmeasured, then `steps` times measured.
pub fn pile(world: &mut World, warm_up: u64, steps: u64) -> Result<Pile, StepError> {
    let Totals { iterations, contacts, seconds } = totals(world, warm_up, steps, |step| Totals {
        iterations: step.solve(SolveKind::Contact).iterations,
        contacts: step.solve(SolveKind::Contact).active,
        seconds: step.seconds,
    })?;
    Ok(Pile {
        bodies: world.solids.iter().filter(|solid| solid.body().is_some()).count(),
        samples: world.particles.len(),
        contacts: f64::from(contacts) / steps as f64,
        iterations: f64::from(iterations) / steps as f64,
        milliseconds: seconds.map(|s| 1e3 * s / steps as f64),
    })
}

/// What steps cost.
struct Cost {
    /// Seconds by phase.
    seconds: [f64; PHASES.len()],
    /// Of both pressure solves together.
    iterations: u32,
    /// Seconds in their loops.
    sweeping: f64,
    /// Seconds per pressure iteration in the fastest step.
    fastest: f64,
}

/// Seconds in pressure solves.
fn in_solves(seconds: &[f64; PHASES.len()]) -> f64 {
    let is_solve = |name: &str| ["divergence solve", "density solve"].contains(&name);
    PHASES.iter().zip(seconds).filter(|(name, _)| is_solve(name)).map(|(_, s)| s).sum()
}

/// Steps `world` `warm_up` times unmeasured, then `steps` times measured.
fn measure(world: &mut World, warm_up: u64, steps: u64) -> Result<Cost, StepError> {
    for _ in 0..warm_up {
        world.step(f64::MAX)?;
    }
    let mut cost =
        Cost { seconds: [0.0; PHASES.len()], iterations: 0, sweeping: 0.0, fastest: f64::INFINITY };
    for _ in 0..steps {
        let step = world.step(f64::MAX)?;
        let iterations = step.solve(SolveKind::Density).iterations
            + step.solve(SolveKind::Divergence).iterations;
        cost.iterations += iterations;
        let pressure = [SolveKind::Divergence, SolveKind::Density].map(|kind| step.solve(kind));
        cost.sweeping += pressure[0].seconds + pressure[1].seconds;
        cost.fastest = cost.fastest.min(in_solves(&step.seconds) / f64::from(iterations.max(1)));
        cost.seconds.iter_mut().zip(step.seconds).for_each(|(sum, s)| *sum += s);
    }
    Ok(cost)
}

/// Steps `world` `warm_up` times unmeasured, then `steps` times measured; a world with surface
/// tension once more without, from where it then is.
pub fn run(world: &mut World, warm_up: u64, steps: u64) -> Result<Report, StepError> {
    let cost = measure(world, warm_up, steps)?;
    let fluid = world.fluid_count();
    let peak_bytes = peak_bytes(); // before the measurements below, which take memory of their own
    let per_particle = 1e9 / (fluid as f64 * steps as f64);
    let neighbors = diagnostics::pair_count(world) as f64 / fluid as f64;
    let list_bytes = diagnostics::list_bytes(world) as f64 / fluid as f64;
    let machine = Machine { gather_ns: gather_ns(world, fluid), bandwidth: bandwidth() };
    let mut over_no_tension = None;
    if world.has_tension() {
        for fluid in &mut world.fluids {
            let friction = fluid.surface.friction.clone();
            fluid.surface = FluidSurface { friction, ..FluidSurface::NONE };
        }
        world.solids.iter_mut().for_each(|solid| solid.wetting = Default::default());
        over_no_tension = Some(cost.fastest / measure(world, 1, steps)?.fastest);
    }
    Ok(Report {
        fluid,
        walls: world.particles.len() - fluid,
        steps,
        neighbors,
        phases: cost.seconds.map(|s| s * per_particle),
        iterations: f64::from(cost.iterations) / steps as f64,
        iteration_ns: in_solves(&cost.seconds) * 1e9 / (fluid as f64 * f64::from(cost.iterations)),
        sweep_ns: cost.sweeping * 1e9 / (fluid as f64 * f64::from(cost.iterations)),
        over_no_tension,
        list_bytes,
        peak_bytes,
        machine,
    })
}

/// The most memory this process has held.
fn peak_bytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kilobytes| kilobytes * 1024.0)
}

/// The best of a few runs of `work`, s: what the machine can do when nobody disturbs it.
fn fastest(mut work: impl FnMut() -> f32) -> f64 {
    let time = |_| {
        let start = Instant::now();
        std::hint::black_box(work());
        start.elapsed().as_secs_f64()
    };
    (0..7).map(time).fold(f64::INFINITY, f64::min)
}

/// Fetches a 16-byte record for every pair, by plain index lists as a solver without halos would.
fn gather_ns(world: &World, fluid: usize) -> f64 {
    let records = vec![Vec4::ONE; fluid];
    let lists = diagnostics::neighbor_indices(world);
    let pairs: usize = lists.iter().map(Vec::len).sum();
    let seconds = fastest(|| {
        let sum = |list: &Vec<u32>| list.iter().map(|&j| records[j as usize]).sum::<Vec4>().x;
        lists.par_iter().map(sum).sum()
    });
    seconds * 1e9 / pairs as f64
}

/// Reads an array much larger than the caches.
fn bandwidth() -> f64 {
    let array = vec![1.0f32; 32 << 20];
    let seconds = fastest(|| {
        let sum = |part: &[f32]| {
            let lanes = part.as_chunks::<4>().0.iter().map(|&x| Vec4::from(x));
            let [mut a, mut b] = [Vec4::ZERO; 2];
            for (k, lane) in lanes.enumerate() {
                if k % 2 == 0 { a += lane } else { b += lane }
            }
            (a + b).x
        };
        array.par_chunks(1 << 16).map(sum).sum()
    });
    size_of_val(array.as_slice()) as f64 / (seconds * 1e9)
}
