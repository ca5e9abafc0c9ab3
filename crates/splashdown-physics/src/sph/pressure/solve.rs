//! Relaxed Jacobi for pressures, as IISPH and DFSPH use it.
//!
//!   S(κ)ᵢ = max(0, κᵢ + ω (sᵢ + (Aκ)ᵢ) / Dᵢ)            (P4)
//!   eᵢ = |min(Dᵢ κᵢ, −sᵢ − (Aκ)ᵢ)|                        (P5)
//!
//! sᵢ is the compression that would remain without pressure. For the density solve (Ihmsen et al.
//! 2014, eq. 12; Bender & Koschier 2017, alg. 3) it is δᵢ* − 1, the predicted number density over
//! the rest density; for DFSPH's divergence solve (alg. 2) the rate of compression times Δt.
//!
//! Both papers stop when the mean compression is small. That does not notice a pressure that is too
//! high: started from the last step's pressures, a column of water was thrown into the air by
//! solves that stopped at once. The residual (P5) counts, besides compression, what a particle
//! under pressure expands; without pressure it may expand freely. And the mean is taken over the
//! particles that are compressed or under pressure. A column that starts to fall is compressed in
//! its lowest layer only: over all particles of a column 160 layers deep, that looks like nothing
//! until the layer is crushed.
//!
//! Plain Jacobi moves information by one neighbour per sweep and needs hundreds of sweeps for a
//! deep tank. Accelerated (`splashdown_solve::nncg`), water 25 spacings deep, started from all of
//! the last step's pressure, takes 18 sweeps instead of 61 for 10⁻⁴ (DFSPH) and 50 instead of about
//! 250 for 10⁻⁵ (IISPH).

use glam::Vec4;
use rayon::prelude::*;
use splashdown_solve::nncg::{GRAIN, Sweep, Unknowns};

use super::extrapolation::Extrapolation;
use super::operator::PressureOperator;
use crate::particles::neighbors::Chunk;
use crate::particles::simd::{Lanes, Vectorised, dispatch};

/// ω, as Ihmsen et al. (2014, section 3.3). Why no more, and how the other constants were found:
/// docs/methods/sph-pressure.md, *Constants*.
const OMEGA: f32 = 0.5;
/// ω of the last sweep where the others take more: it ends what changes its sign from neighbour to
/// neighbour.
const LAST_OMEGA: f32 = 0.45;
/// Largest root mean square of the residuals at the end, over their mean: no layer of a deep tank
/// may be crushed.
const MAX_RMS_RATIO: f64 = 4.0;
/// The mean residual is over at least this share of a fluid: a few drops on a wall are not worth a
/// solve.
const MIN_ACTIVE_SHARE: f64 = 0.01;

/// How pressures are relaxed, and how far.
#[derive(Clone, Copy, Debug)]
pub struct Relaxation {
    /// Mean residual (P5) over the particles of a fluid, as a share of the rest density.
    pub mean_error: f64,
    /// Lowest κ: zero where a surface can yield, nothing in a fluid that fills its world.
    pub lowest: f32,
    /// ω, if it is to be larger than usual where that converges.
    pub larger_omega: Option<f32>,
    /// Whether the caller computes displacements itself in the end (`exact`).
    pub skips_displacement: bool,
}

/// Pressures of walls, where they have their own.
pub struct WallPressure<'a> {
    /// How to get them.
    pub extrapolation: &'a Extrapolation,
    /// One for each particle.
    pub kappa: Vec<f32>,
}

/// The pressures of all fluids: a block of unknowns.
pub struct PressureBlock<'a> {
    /// κ of fluid particles.
    pub kappa: Unknowns<Vec<f32>>,
    /// What pressure moves each fluid particle, and what else does, in h.
    pub push: Vec<Vec4>,
    /// Compression that is to be removed.
    pub source: Vec<f32>,
    /// None where walls have no pressures of their own.
    pub walls: Option<WallPressure<'a>>,
    /// `[ω/D, D]` of each particle; both 0 for a lone one, which has nothing to push against.
    pub step: Vec<[f32; 2]>,
    operator: PressureOperator<'a>,
    relaxation: Relaxation,
    omega: f32,
}

impl<'a> PressureBlock<'a> {
    /// Starts from the pressures `kappa`, with `source` to be removed; `push` is room for what they
    /// do.
    pub fn new(
        operator: PressureOperator<'a>,
        relaxation: Relaxation,
        walls: Option<WallPressure<'a>>,
        kappa: Vec<f32>,
        source: Vec<f32>,
        push: Vec<Vec4>,
    ) -> PressureBlock<'a> {
        let omega = relaxation.larger_omega.unwrap_or(OMEGA);
        let step = step_lengths(&operator, omega, source.len());
        let kappa = Unknowns::new(kappa);
        PressureBlock { kappa, push, source, walls, step, operator, relaxation, omega }
    }

    /// ω
    pub fn omega(&self) -> f32 {
        self.omega
    }

    /// Pressures of wall particles, where they have their own.
    pub fn wall_kappa(&self) -> Option<&[f32]> {
        self.walls.as_ref().map(|walls| walls.kappa.as_slice())
    }

    /// (P1) of the present pressures, with what else moves fluid (`tension`), into `push`.
    pub fn push(&mut self, tension: Option<&[Vec4]>) {
        let wall = self.walls.as_ref().map(|walls| walls.kappa.as_slice());
        self.operator.push(&self.kappa.now, wall, tension, &mut self.push);
    }

    /// Mean of the diagonals: turns changes of κ into an energy.
    pub fn typical_diagonal(&self) -> f64 {
        let sum: f64 = self.step.iter().map(|[_, diagonal]| f64::from(*diagonal)).sum();
        sum / self.step.len().max(1) as f64
    }

    /// Whether the caller computes displacements itself in the end.
    pub fn skips_displacement(&self) -> bool {
        self.relaxation.skips_displacement
    }

    /// The pressures of walls that belong to the present ones of the fluid.
    pub fn extrapolate_to_walls(&mut self) {
        if let Some(WallPressure { extrapolation, kappa }) = &mut self.walls {
            extrapolation.evaluate(&self.kappa.now, kappa);
        }
    }

    /// One sweep of (P4).
    pub fn relax(&mut self) -> Sweep {
        let PressureBlock { operator, source, step, push, kappa, relaxation, .. } = self;
        let lowest = relaxation.lowest;
        let found = jacobi(operator, source, step, lowest, push, &kappa.now, &mut kappa.next);
        let converged = found.error <= relaxation.mean_error;
        Sweep { error: found.error, change: found.change, converged }
    }

    /// Takes the usual ω from now on. False if it was no larger; else step lengths are as in the
    /// beginning.
    pub fn shorten(&mut self) -> bool {
        let was_larger = self.omega > OMEGA;
        if was_larger {
            self.omega = OMEGA;
            self.step = step_lengths(&self.operator, OMEGA, self.source.len());
        }
        was_larger
    }

    /// To a projected iterate from one that may be extrapolated: as far as the last sweep went, or
    /// less.
    pub fn settle(&mut self) {
        let Relaxation { lowest, larger_omega, .. } = self.relaxation;
        let share = if larger_omega.is_some() { LAST_OMEGA / self.omega } else { 1.0 };
        if share >= 1.0 {
            return self.kappa.settle();
        }
        let Unknowns { now, next, .. } = &mut self.kappa;
        let all = now.par_iter_mut().zip(next).with_min_len(GRAIN);
        all.for_each(|(kappa, &mut next)| *kappa = (*kappa + share * (next - *kappa)).max(lowest));
    }
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

/// Sums over the particles of a sweep.
#[derive(Clone, Copy, Default)]
struct Sums {
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
) -> Sums {
    let found = operator.neighbors.map(next, |chunk, next, local| {
        dispatch(Jacobi { operator, source, step, lowest, push, chunk, kappa, next, local })
    });
    let fluids = operator.inverse_mass.len();
    let mut totals = vec![(Sums::default(), 0); fluids];
    for (chunk, sweep) in operator.neighbors.chunks.iter().zip(found) {
        let (total, particles) = &mut totals[chunk.fluid];
        total.error += sweep.error;
        total.active += sweep.active;
        total.square += sweep.square;
        total.change += sweep.change;
        *particles += chunk.particles.len();
    }
    let mean = |(total, particles): &(Sums, usize)| {
        let count = total.active.max(MIN_ACTIVE_SHARE * *particles as f64).max(1.0);
        (total.error / count).max((total.square / count).sqrt() / MAX_RMS_RATIO)
    };
    Sums {
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
    type Output = Sums;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Sums {
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
        // Lone particles without pressure fill up the last eight: nothing happens to them. (Not at
        // the lowest pressure, which may be −∞.)
        let (mut row, mut kappa, mut step) = ([0.0; 8], [0.0; 8], [[0.0; 2]; 8]);
        row[..rest.len()].copy_from_slice(rest);
        kappa[..rest.len()].copy_from_slice(last_kappas);
        step[..rest.len()].copy_from_slice(last_steps);
        relax(&mut row, &kappa, &step, lowest, &mut sums);
        rest.copy_from_slice(&row[..rest.len()]);
        let [error, square, active, change] =
            sums.map(|lanes| f64::from(lanes.iter().sum::<f32>()));
        Sums { error, square, active, change }
    }
}

/// (P4) for eight particles at a time, without branches: `next` holds sᵢ + (Aκ)ᵢ before and S(κ)ᵢ
/// after.
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
