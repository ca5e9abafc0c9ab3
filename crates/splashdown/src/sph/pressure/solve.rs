//! Relaxed Jacobi for pressures, as IISPH and DFSPH use it.
//!
//!   κᵢ ← max(0, κᵢ + ω (sᵢ + (Aκ)ᵢ) / Dᵢ)   (P4)
//!
//! sᵢ is the compression that would remain without pressure. For the density solve (Ihmsen et al. 2014,
//! eq. 12; Bender & Koschier 2017, alg. 3) it is δᵢ* − 1, the predicted number density over the rest
//! density; for DFSPH's divergence solve (alg. 2) the rate of compression times Δt, where positive.

use glam::Vec4;

use super::operator::PressureOperator;
use crate::particles::neighbors::Chunk;
use crate::particles::simd::{Lanes, Vectorised, dispatch};

/// ω: larger values diverge in deep water (Ihmsen et al. 2014, section 3.3).
const OMEGA: f32 = 0.5;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct StopAt {
    /// Mean compression over the particles of a fluid, as a share of the rest density.
    pub mean_error: f64,
    /// At least this many iterations.
    pub min_iterations: u32,
    /// At most this many.
    pub max_iterations: u32,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solved {
    /// Iterations done.
    pub iterations: u32,
    /// Mean compression before the last update: the worst of the fluids.
    pub error: f64,
    /// Whether `error` met the tolerance.
    pub converged: bool,
}

/// Pressures of walls, where they have their own: from the fluid's to the walls', once an iteration.
pub type WallPressure<'a> = Option<&'a mut (dyn FnMut(&[f32]) -> Vec<f32> + 'a)>;

/// Improves `kappa` until the mean compression is small; leaves the final displacement in `push`.
pub fn solve(
    operator: &PressureOperator,
    source: &[f32],
    stop: StopAt,
    mut walls: WallPressure,
    kappa: &mut [f32],
    push: &mut [Vec4],
) -> Solved {
    let mut solved = Solved::default();
    let mut update = |kappa: &[f32], push: &mut [Vec4]| {
        let of_walls = walls.as_mut().map(|pressure| pressure(kappa));
        operator.push(kappa, of_walls.as_deref(), push);
    };
    let step = step_lengths(operator, source.len());
    update(kappa, push);
    while solved.iterations < stop.max_iterations {
        solved.error = jacobi(operator, source, &step, push, kappa);
        solved.iterations += 1;
        update(kappa, push);
        solved.converged = solved.error <= stop.mean_error;
        if solved.converged && solved.iterations >= stop.min_iterations || !solved.error.is_finite()
        {
            break;
        }
    }
    solved
}

/// ω/Dᵢ, or 0 for a lone particle, which has nothing to push against.
fn step_lengths(operator: &PressureOperator, count: usize) -> Vec<f32> {
    let mut step = vec![0.0; count];
    operator.neighbors.for_each(&mut step, |chunk, step, _: &mut Vec<()>| {
        for (k, step) in step.iter_mut().enumerate() {
            let diagonal = operator.diagonal(chunk, k);
            *step = if diagonal > 1.0e-6 { OMEGA / diagonal } else { 0.0 };
        }
    });
    step
}

/// One sweep of (P4); returns the mean compression it found.
fn jacobi(
    operator: &PressureOperator,
    source: &[f32],
    step: &[f32],
    push: &[Vec4],
    kappa: &mut [f32],
) -> f64 {
    let errors = operator.neighbors.map(kappa, |chunk, kappa, local| {
        dispatch(Jacobi { operator, source, step, push, chunk, kappa, local })
    });
    let fluids = operator.inverse_mass.len();
    let (mut error, mut count) = (vec![0.0; fluids], vec![0usize; fluids]);
    for (chunk, e) in operator.neighbors.chunks.iter().zip(errors) {
        error[chunk.fluid] += e;
        count[chunk.fluid] += chunk.particles.len();
    }
    error.iter().zip(&count).map(|(e, &n)| e / n.max(1) as f64).fold(0.0, max_or_nan)
}

/// The larger one; NaN if either is.
fn max_or_nan(a: f64, b: f64) -> f64 {
    if b.is_nan() || b > a { b } else { a }
}

/// (P4) for one chunk; returns the sum of the compressions it found.
struct Jacobi<'a> {
    operator: &'a PressureOperator<'a>,
    source: &'a [f32],
    step: &'a [f32],
    push: &'a [Vec4],
    chunk: &'a Chunk,
    kappa: &'a mut [f32],
    local: &'a mut Vec<Vec4>,
}

impl Vectorised for Jacobi<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let Jacobi { operator, source, step, push, chunk, kappa, local } = self;
        chunk.fetch(push, local, |&push| push);
        let mut error = 0.0;
        for (k, kappa) in kappa.iter_mut().enumerate() {
            let i = chunk.particles.start + k;
            let left = source[i] + operator.compression::<L>(chunk, k, push[i], local);
            *kappa = (*kappa + step[i] * left).max(0.0);
            // Without a step length there is nothing to be done, and no error to be had.
            error += if step[i] > 0.0 { f64::from(left.max(0.0)) } else { 0.0 };
        }
        error
    }
}
