//! Relaxed Jacobi for pressures, as IISPH and DFSPH use it, accelerated.
//!
//!   S(κ)ᵢ = max(0, κᵢ + ω (sᵢ + (Aκ)ᵢ) / Dᵢ)            (P4)
//!   eᵢ = |min(Dᵢ κᵢ, −sᵢ − (Aκ)ᵢ)|                        (P5)
//!   κ ← S(κ) + β d,   d ← β d + S(κ) − κ                 (P6)
//!
//! sᵢ is the compression that would remain without pressure. For the density solve (Ihmsen et al. 2014,
//! eq. 12; Bender & Koschier 2017, alg. 3) it is δᵢ* − 1, the predicted number density over the rest
//! density; for DFSPH's divergence solve (alg. 2) the rate of compression times Δt.
//!
//! Both papers stop when the mean compression is small. That does not notice a pressure that is too
//! high: started from the last step's pressures, a column of water was thrown into the air by solves
//! that stopped at once. The residual (P5) counts, besides compression, what a particle under pressure
//! expands; without pressure it may expand freely. And the mean is taken over the particles that are
//! compressed or under pressure. A column that starts to fall is compressed in its lowest layer only:
//! over all particles of a column 160 layers deep, that looks like nothing until the layer is crushed.
//!
//! Plain Jacobi moves information by one neighbour per sweep and needs hundreds of sweeps for a deep
//! tank. (P6) is NNCG (Silcowitz-Hansen, Niebe & Erleben 2010): β = |S(κ) − κ|² over its last value, and
//! no memory (β = 0) when that is above one by more than noise. Water 25 spacings deep, started from all of the last step's
//! pressure, takes 18 sweeps instead of 61 for 10⁻⁴ (DFSPH) and 50 instead of about 250 for 10⁻⁵ (IISPH).

use std::time::Instant;

use glam::Vec4;
use rayon::prelude::*;

use super::extrapolation::Extrapolation;
use super::operator::PressureOperator;
use super::partner::{GRAIN, Partner};
use crate::particles::neighbors::Chunk;
use crate::particles::simd::{Lanes, Vectorised, dispatch};
use crate::solve::Stop;

/// ω. Ihmsen et al. (2014, section 3.3) take it because more diverges in deep water: here some steps of two scenes at 0.8, most at 0.9. What more leaves changes its sign from
/// neighbour to neighbour: with 0.7 most scenes take a sixth fewer sweeps, but a column at rest is shaken forty times as much, and the lift of a ball
/// scatters by 1 % instead of 0.2 %.
const OMEGA: f32 = 0.5;
/// ω of the last sweep where the others take more than usual: it ends what changes its sign.
const LAST_OMEGA: f32 = 0.45;
/// Sweeps in a row that change more than the one before until they count as diverging.
const DIVERGING: u32 = 2;
/// How much larger than the mean the root mean square of the residuals may be at the end. Errors that
/// are all in one layer of a deep tank are small on average and large enough there to crush it.
const PEAKED: f64 = 4.0;
/// β from which on (P6) starts anew. It comes back to one again and again: forgetting everything whenever it is
/// a little more, as in the paper, made every second sweep of a column 60 deep a plain one (47 sweeps instead of 18).
/// With 1.3 a dam break takes two to three times as many sweeps.
const FORGET: f64 = 1.05;
/// The mean residual is over at least this share of a fluid: a few drops on a wall are not worth a solve.
const FEWEST: f64 = 0.01;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct StopAt {
    /// Mean residual (P5) over the particles of a fluid, as a share of the rest density.
    pub mean_error: f64,
    /// At least this many iterations.
    pub min_iterations: u32,
    /// At most this many.
    pub max_iterations: u32,
    /// Lowest κ: zero where a surface can yield, nothing in a fluid that fills its world.
    pub lowest: f32,
    /// Share of β that (P6) takes: 1 for all, 0 for plain sweeps.
    pub memory: f64,
    /// ω, if it is to be larger than usual where that converges.
    pub bold: Option<f32>,
    /// Whether the caller computes displacements itself in the end (`exact`).
    pub leaves_push: bool,
    /// Ends it at once, with nothing usable.
    pub request: Stop,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solved {
    /// Iterations done.
    pub iterations: u32,
    /// Mean residual (P5) before the last update: the worst of the fluids.
    pub error: f64,
    /// Whether `error` met the tolerance.
    pub converged: bool,
    /// Wall-clock time of the iterations, s.
    pub seconds: f64,
}

/// Pressures of walls, where they have their own: how to get them, and room for one for each particle.
pub type WallPressure<'a> = Option<(&'a Extrapolation, &'a mut [f32])>;

/// Improves `kappa` until the mean residual is small; leaves the final displacement in `push` (unless `stop.leaves_push`), and the
/// final pressures of walls in `walls`. A `partner` is solved with it, and changes `source` meanwhile.
pub fn solve(
    operator: &PressureOperator,
    source: &mut [f32],
    stop: StopAt,
    mut walls: WallPressure,
    mut partner: Option<&mut dyn Partner>,
    kappa: &mut [f32],
    push: &mut [Vec4],
) -> Solved {
    if source.is_empty() && partner.is_none() {
        return Solved { converged: true, ..Solved::default() };
    }
    let mut solved = Solved::default();
    let count = source.len();
    let lengths = |omega: f32, partner: &Option<&mut dyn Partner>| {
        let mut step = step_lengths(operator, omega, count);
        if let Some(partner) = partner {
            partner.yielding(omega, &mut step);
        }
        step
    };
    let mut omega = stop.bold.unwrap_or(OMEGA);
    let mut step = lengths(omega, &partner);
    // What turns changes of κ into the energy norm of a partner's; alone, the unit does not matter.
    let typical = partner.as_ref().map_or(1.0, |_| typical_diagonal(&step));
    let mut update = |kappa: &[f32],
                      push: &mut [Vec4],
                      source: &mut [f32],
                      partner: &mut Option<&mut dyn Partner>,
                      pushes: bool| {
        if let Some((extrapolation, wall)) = &mut walls {
            extrapolation.evaluate(kappa, wall);
        }
        let wall = walls.as_ref().map(|(_, wall)| &**wall);
        let pulled = partner.as_mut().and_then(|partner| partner.pulled());
        if pushes {
            operator.push(kappa, wall, pulled, push);
        }
        if let Some(partner) = partner {
            partner.respond(kappa, wall, push, source);
        }
    };
    let mut next = kappa.to_vec();
    let mut direction = vec![0.0; kappa.len()];
    let mut last_change = f64::INFINITY; // makes the first step a plain sweep: β = 0
    let mut growing = 0;
    let started = Instant::now();
    while solved.iterations < stop.max_iterations && !stop.request.asked() {
        update(kappa, push, source, &mut partner, true);
        let sweep = jacobi(operator, source, &step, stop.lowest, push, kappa, &mut next);
        let is_small = sweep.error <= stop.mean_error;
        let with = partner.as_mut().map(|partner| partner.sweep(&next, push, is_small));
        solved.iterations += 1;
        solved.error = sweep.error;
        solved.converged = is_small && with.is_none_or(|with| with.converged);
        if solved.converged && solved.iterations >= stop.min_iterations || !solved.error.is_finite()
        {
            break;
        }
        let change = typical * sweep.change + with.map_or(0.0, |with| with.change);
        let beta = change / last_change.max(f64::MIN_POSITIVE);
        last_change = change;
        growing = if beta > FORGET { growing + 1 } else { 0 };
        if growing == DIVERGING && omega > OMEGA {
            omega = OMEGA;
            step = lengths(omega, &partner);
        }
        let beta = if beta > FORGET { 0.0 } else { stop.memory * beta.min(1.0) };
        accelerate(beta as f32, &next, kappa, &mut direction);
        if let Some(partner) = &mut partner {
            partner.accelerate(beta);
        }
    }
    solved.seconds = started.elapsed().as_secs_f64();
    // To a projected iterate from one that may be extrapolated: as far as the last sweep went, or less.
    let share = if stop.bold.is_some() { LAST_OMEGA / omega } else { 1.0 };
    let all = kappa.par_iter_mut().zip(&next).with_min_len(GRAIN);
    all.for_each(|(kappa, &next)| {
        *kappa =
            if share < 1.0 { (*kappa + share * (next - *kappa)).max(stop.lowest) } else { next };
    });
    if let Some(partner) = &mut partner {
        partner.finish();
    }
    update(kappa, push, source, &mut partner, !stop.leaves_push);
    solved
}

/// Mean of the diagonals.
fn typical_diagonal(step: &[[f32; 2]]) -> f64 {
    let sum: f64 = step.iter().map(|[_, diagonal]| f64::from(*diagonal)).sum();
    sum / step.len().max(1) as f64
}

/// ω/Dᵢ and Dᵢ; both 0 for a lone particle, which has nothing to push against.
fn step_lengths(operator: &PressureOperator, omega: f32, count: usize) -> Vec<[f32; 2]> {
    let mut step = vec![[0.0; 2]; count];
    operator.neighbors.for_each(&mut step, |chunk, step, _: &mut Vec<()>| {
        for (k, step) in step.iter_mut().enumerate() {
            let diagonal = operator.diagonal(chunk, k);
            *step = if diagonal > 1.0e-6 { [omega / diagonal, diagonal] } else { [0.0; 2] };
        }
    });
    step
}

/// (P6)  κ ← S(κ) + β d,   d ← β d + S(κ) − κ
fn accelerate(beta: f32, next: &[f32], kappa: &mut [f32], direction: &mut [f32]) {
    let all = kappa.par_iter_mut().zip(next).zip(direction).with_min_len(GRAIN);
    all.for_each(|((kappa, &next), direction)| {
        let change = next - *kappa;
        *kappa = next + beta * *direction;
        *direction = beta * *direction + change;
    });
}

/// What a sweep found.
#[derive(Clone, Copy, Default)]
struct Sweep {
    /// Residual (P5): the sum over a chunk, or the mean over the worst of the fluids.
    error: f64,
    /// Sum of the squares of (P5).
    square: f64,
    /// Particles that are compressed or under pressure.
    active: f64,
    /// |S(κ) − κ|².
    change: f64,
}

/// One sweep of (P4) from `kappa` to `next`.
fn jacobi(
    operator: &PressureOperator,
    source: &[f32],
    step: &[[f32; 2]],
    lowest: f32,
    push: &[Vec4],
    kappa: &[f32],
    next: &mut [f32],
) -> Sweep {
    let found = operator.neighbors.map(next, |chunk, next, local| {
        dispatch(Jacobi { operator, source, step, lowest, push, chunk, kappa, next, local })
    });
    let fluids = operator.inverse_mass.len();
    let mut totals = vec![(Sweep::default(), 0); fluids];
    for (chunk, sweep) in operator.neighbors.chunks.iter().zip(found) {
        let (total, particles) = &mut totals[chunk.fluid];
        total.error += sweep.error;
        total.active += sweep.active;
        total.square += sweep.square;
        total.change += sweep.change;
        *particles += chunk.particles.len();
    }
    let mean = |(total, particles): &(Sweep, usize)| {
        let count = total.active.max(FEWEST * *particles as f64).max(1.0);
        (total.error / count).max((total.square / count).sqrt() / PEAKED)
    };
    Sweep {
        error: totals.iter().map(mean).fold(0.0, max_or_nan),
        square: totals.iter().map(|(total, _)| total.square).sum(),
        active: totals.iter().map(|(total, _)| total.active).sum(),
        change: totals.iter().map(|(total, _)| total.change).sum(),
    }
}

/// The larger one; NaN if either is.
fn max_or_nan(a: f64, b: f64) -> f64 {
    if b.is_nan() || b > a { b } else { a }
}

/// (P4) for one chunk; returns sums.
struct Jacobi<'a> {
    operator: &'a PressureOperator<'a>,
    source: &'a [f32],
    step: &'a [[f32; 2]],
    lowest: f32,
    push: &'a [Vec4],
    chunk: &'a Chunk,
    kappa: &'a [f32],
    next: &'a mut [f32],
    local: &'a mut Vec<Vec4>,
}

impl Vectorised for Jacobi<'_> {
    type Output = Sweep;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Sweep {
        let Jacobi { operator, source, step, lowest, push, chunk, kappa, next, local } = self;
        chunk.fetch(push, local);
        let own = chunk.particles.clone();
        for ((k, left), (&s, &push)) in
            next.iter_mut().enumerate().zip(source[own.clone()].iter().zip(&push[own.clone()]))
        {
            *left = s + operator.compression::<L>(chunk, k, push, local);
        }
        // Over the few hundred particles of a chunk single precision is enough for sums.
        let mut sums = [[0.0; 8]; 4];
        let (rows, rest) = next.as_chunks_mut::<8>();
        let (kappas, last_kappas) = kappa[own.clone()].as_chunks::<8>();
        let (steps, last_steps) = step[own].as_chunks::<8>();
        for ((row, kappa), step) in rows.iter_mut().zip(kappas).zip(steps) {
            relax(row, kappa, step, lowest, &mut sums);
        }
        // Lone particles without pressure fill up the last eight: nothing happens to them. (Not at the lowest pressure, which may be −∞.)
        let (mut row, mut kappa, mut step) = ([0.0; 8], [0.0; 8], [[0.0; 2]; 8]);
        row[..rest.len()].copy_from_slice(rest);
        kappa[..rest.len()].copy_from_slice(last_kappas);
        step[..rest.len()].copy_from_slice(last_steps);
        relax(&mut row, &kappa, &step, lowest, &mut sums);
        rest.copy_from_slice(&row[..rest.len()]);
        let [error, square, active, change] =
            sums.map(|lanes| f64::from(lanes.iter().sum::<f32>()));
        Sweep { error, square, active, change }
    }
}

/// (P4) for eight particles at a time, without branches: `next` holds sᵢ + (Aκ)ᵢ before and S(κ)ᵢ after.
#[inline(always)]
fn relax(
    next: &mut [f32; 8],
    kappa: &[f32; 8],
    step: &[[f32; 2]; 8],
    lowest: f32,
    sums: &mut [[f32; 8]; 4],
) {
    for l in 0..8 {
        let (left, [length, diagonal]) = (next[l], step[l]);
        let wanted = kappa[l] + length * left;
        next[l] = if wanted > lowest { wanted } else { lowest };
        let change = next[l] - kappa[l];
        let is_active = (length > 0.0) & ((left > 0.0) | (kappa[l] > lowest));
        let slack = diagonal * (kappa[l] - lowest);
        let error = (if -left < slack { -left } else { slack }).abs(); // (P5)
        let error = if is_active { error } else { 0.0 };
        sums[0][l] += error;
        sums[1][l] += error * error;
        sums[2][l] += if is_active { 1.0 } else { 0.0 };
        sums[3][l] += change * change;
    }
}
