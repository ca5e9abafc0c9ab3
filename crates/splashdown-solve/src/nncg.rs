//! Nonsmooth nonlinear conjugate gradients: fewer sweeps for any projected iteration.
//!
//! A sweep S relaxes all unknowns x and projects them onto what they may be. Its change S(x) − x is
//! small where x is good, and acts as a gradient:
//!
//!   β = |S(x) − x|² over its last value                   (NC1)
//!   x ← S(x) + β d,   d ← β d + S(x) − x                  (NC2)
//!
//! and no memory (β = 0) when β is above one by more than noise: then the set of unknowns that are
//! at their bounds has changed. The norm is the system's own; between blocks of different units it
//! is the energy's.
//!
//! Paper: Silcowitz-Hansen, Niebe & Erleben 2010, *Nonsmooth nonlinear conjugate gradient method
//! for interactive contact force problems*, algorithm 2.

use std::time::Instant;

use glam::DVec3;
use rayon::prelude::*;

use crate::stop::Stop;

/// Entries that a thread takes at a time, at least, in loops of a few operations: a thread that
/// waits for longer than a dozen microseconds falls asleep, and takes as long to wake up.
pub const GRAIN: usize = 1024;

/// Sweeps in a row that change more than the one before until they count as diverging.
const DIVERGING: u32 = 2;

/// What one sweep found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sweep {
    /// Residual of the unknowns before the sweep, in the system's own unit.
    pub error: f64,
    /// |S(x) − x|² in the system's norm.
    pub change: f64,
    /// Whether the residual is small enough.
    pub converged: bool,
}

/// Unknowns that sweeps improve.
pub trait Projected {
    /// One sweep from the present unknowns x to S(x), which becomes `next`; x stays.
    fn sweep(&mut self) -> Sweep;

    /// (NC2)
    fn extrapolate(&mut self, beta: f64);

    /// x ← S(x), in the end: a projected iterate, never an extrapolated one.
    fn settle(&mut self);

    /// Sweeps diverge: shorter steps from now on, if there are any.
    fn shorten(&mut self) {}
}

/// How to solve.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// At least this many sweeps.
    pub min_sweeps: u32,
    /// At most this many.
    pub max_sweeps: u32,
    /// β from which on (NC2) starts anew.
    pub restart: f64,
    /// Share of β that (NC2) takes: 1 for all, 0 for plain sweeps.
    pub memory: f64,
    /// Ends it at once, with nothing usable.
    pub stop: Stop,
}

impl Default for Params {
    /// Any number of sweeps. β comes back to one again and again where unknowns form long chains:
    /// forgetting everything whenever it is a little more, as in the paper, makes every second
    /// sweep a plain one; with 1.3 hard systems take two to three times as many.
    fn default() -> Params {
        let stop = Stop::default();
        Params { min_sweeps: 0, max_sweeps: u32::MAX, restart: 1.05, memory: 1.0, stop }
    }
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Sweeps done.
    pub iterations: u32,
    /// Residual before the last sweep.
    pub error: f64,
    /// Whether it was small enough. If not, sweeps ran out, the residual is not finite, or somebody
    /// asked to stop.
    pub converged: bool,
    /// Wall-clock time of the sweeps, s.
    pub seconds: f64,
}

/// Sweeps from the present unknowns until they are good enough.
pub fn solve(system: &mut impl Projected, params: &Params) -> Report {
    let mut report = Report::default();
    let mut momentum = Momentum::new(params.restart);
    let started = Instant::now();
    while report.iterations < params.max_sweeps && !params.stop.asked() {
        let Sweep { error, change, converged } = system.sweep();
        report.iterations += 1;
        (report.error, report.converged) = (error, converged);
        if converged && report.iterations >= params.min_sweeps || !error.is_finite() {
            break;
        }
        let beta = momentum.beta(change);
        if momentum.growing == DIVERGING {
            system.shorten();
        }
        system.extrapolate(params.memory * beta);
    }
    report.seconds = started.elapsed().as_secs_f64();
    system.settle();
    report
}

/// β from change to change.
#[derive(Clone, Copy, Debug)]
pub struct Momentum {
    restart: f64,
    last_change: f64,
    /// Restarts in a row.
    growing: u32,
}

impl Momentum {
    /// Without a past: the first β is 0. From `restart` on β is 0, too.
    pub fn new(restart: f64) -> Momentum {
        Momentum { restart, last_change: f64::INFINITY, growing: 0 }
    }

    /// (NC1) after a sweep that changed the unknowns by |S(x) − x|² = `change`.
    pub fn beta(&mut self, change: f64) -> f64 {
        let beta = change / self.last_change.max(f64::MIN_POSITIVE);
        self.last_change = change;
        if beta > self.restart {
            self.growing += 1;
            return 0.0;
        }
        self.growing = 0;
        beta.min(1.0)
    }
}

/// Unknowns of one kind, with what (NC2) needs.
#[derive(Clone, Debug, Default)]
pub struct Unknowns<X> {
    /// x
    pub now: X,
    /// S(x), once there was a sweep.
    pub next: X,
    direction: X,
}

impl<X: Vector> Unknowns<X> {
    /// Begins with `now`.
    pub fn new(now: X) -> Unknowns<X> {
        Unknowns { next: now.clone(), direction: now.zeros(), now }
    }

    /// (NC2)
    pub fn extrapolate(&mut self, beta: f64) {
        self.now.extrapolate(&self.next, &mut self.direction, beta);
    }

    /// x ← S(x)
    pub fn settle(&mut self) {
        self.now.clone_from(&self.next);
    }
}

/// A vector of unknowns, or several together.
pub trait Vector: Clone {
    /// As many zeros.
    fn zeros(&self) -> Self;

    /// (NC2)
    fn extrapolate(&mut self, next: &Self, direction: &mut Self, beta: f64);
}

impl<T: Entry> Vector for Vec<T> {
    fn zeros(&self) -> Vec<T> {
        vec![T::ZERO; self.len()]
    }

    fn extrapolate(&mut self, next: &Vec<T>, direction: &mut Vec<T>, beta: f64) {
        let all = self.par_iter_mut().zip(next).zip(direction).with_min_len(GRAIN);
        all.for_each(|((now, &next), direction)| now.extrapolate(next, direction, beta));
    }
}

/// One entry of a vector of unknowns.
pub trait Entry: Copy + Send + Sync {
    /// 0
    const ZERO: Self;

    /// (NC2), in the entry's own precision.
    fn extrapolate(&mut self, next: Self, direction: &mut Self, beta: f64);
}

macro_rules! entry {
    ($type:ty, $zero:expr, $scalar:ty) => {
        impl Entry for $type {
            const ZERO: $type = $zero;

            #[inline(always)]
            fn extrapolate(&mut self, next: $type, direction: &mut $type, beta: f64) {
                let beta = beta as $scalar;
                let change = next - *self;
                *self = next + beta * *direction;
                *direction = beta * *direction + change;
            }
        }
    };
}

entry!(f32, 0.0, f32);
entry!(f64, 0.0, f64);
entry!(DVec3, DVec3::ZERO, f64);

impl<T: Entry, const N: usize> Entry for [T; N] {
    const ZERO: [T; N] = [T::ZERO; N];

    #[inline(always)]
    fn extrapolate(&mut self, next: [T; N], direction: &mut [T; N], beta: f64) {
        for ((now, next), direction) in self.iter_mut().zip(next).zip(direction) {
            now.extrapolate(next, direction, beta);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// min ½ xᵀAx − bᵀx over x ≥ 0, A = tridiag(−1, 2, −1) + `shift`: relaxed projected Jacobi.
    struct Obstacle {
        b: Vec<f64>,
        shift: f64,
        omega: f64,
        tolerance: f64,
        x: Unknowns<Vec<f64>>,
        shortened: u32,
    }

    impl Obstacle {
        fn new(b: Vec<f64>, shift: f64) -> Obstacle {
            let x = Unknowns::new(vec![0.0; b.len()]);
            Obstacle { b, shift, omega: 0.5, tolerance: 1e-10, x, shortened: 0 }
        }

        fn diagonal(&self) -> f64 {
            2.0 + self.shift
        }

        /// b − Ax
        fn residual(&self, x: &[f64], i: usize) -> f64 {
            let at = |i: usize| x.get(i).copied().unwrap_or(0.0);
            let before = if i > 0 { at(i - 1) } else { 0.0 };
            self.b[i] - self.diagonal() * x[i] + before + at(i + 1)
        }

        /// How far min(x, Ax − b) is from zero.
        fn error(&self, x: &[f64]) -> f64 {
            (0..x.len()).map(|i| x[i].min(-self.residual(x, i)).abs()).fold(0.0, f64::max)
        }
    }

    impl Projected for Obstacle {
        fn sweep(&mut self) -> Sweep {
            let (error, mut change) = (self.error(&self.x.now), 0.0);
            for i in 0..self.b.len() {
                let step = self.omega / self.diagonal() * self.residual(&self.x.now, i);
                self.x.next[i] = (self.x.now[i] + step).max(0.0);
                change += (self.x.next[i] - self.x.now[i]).powi(2);
            }
            Sweep { error, change, converged: error <= self.tolerance }
        }

        fn extrapolate(&mut self, beta: f64) {
            self.x.extrapolate(beta);
        }

        fn settle(&mut self) {
            self.x.settle();
        }

        fn shorten(&mut self) {
            self.omega = 0.5;
            self.shortened += 1;
        }
    }

    fn params(memory: f64) -> Params {
        Params { max_sweeps: 20_000, memory, ..Params::default() }
    }

    proptest! {
        #[test]
        fn the_result_is_a_minimum_within_the_bounds(
            b in prop::collection::vec(-1.0..1.0f64, 1..60),
            shift in 0.01..2.0f64,
        ) {
            let mut system = Obstacle::new(b, shift);
            let report = solve(&mut system, &params(1.0));
            prop_assert!(report.converged, "{report:?}");
            prop_assert!(system.x.now.iter().all(|&x| x >= 0.0));
            // The last sweep may leave a little more than what it found.
            prop_assert!(system.error(&system.x.now) <= 10.0 * system.tolerance);
        }
    }

    #[test]
    fn memory_saves_most_sweeps() {
        let b: Vec<f64> = (0..100).map(|i| if i % 30 < 20 { 0.1 } else { -0.3 }).collect();
        let sweeps = |memory: f64| {
            let report = solve(&mut Obstacle::new(b.clone(), 0.0), &params(memory));
            assert!(report.converged, "{report:?}");
            report.iterations
        };
        let (plain, accelerated) = (sweeps(0.0), sweeps(1.0));
        assert!(accelerated * 4 < plain, "{accelerated} instead of {plain}");
    }

    #[test]
    fn steps_that_are_too_long_are_shortened() {
        let mut system = Obstacle { omega: 3.0, ..Obstacle::new(vec![1.0; 50], 0.1) };
        let report = solve(&mut system, &params(1.0));
        assert!(report.converged && system.shortened > 0, "{report:?}");
    }

    #[test]
    fn a_solve_tells_when_it_runs_out_of_sweeps_or_of_numbers() {
        let few = Params { max_sweeps: 3, ..params(1.0) };
        let report = solve(&mut Obstacle::new(vec![1.0; 50], 0.0), &few);
        assert!(!report.converged && report.iterations == 3 && report.error > 0.1, "{report:?}");
        let mut broken = vec![1.0; 50];
        broken[7] = f64::INFINITY;
        let report = solve(&mut Obstacle::new(broken, 0.0), &params(1.0));
        assert!(!report.converged && report.iterations < 3, "{report:?}");
    }

    #[test]
    fn at_least_so_many_sweeps_are_made() {
        let mut system = Obstacle::new(vec![-1.0; 5], 0.0);
        assert_eq!(solve(&mut system, &params(1.0)).iterations, 1);
        let some = Params { min_sweeps: 4, ..params(1.0) };
        assert_eq!(solve(&mut system, &some).iterations, 4);
    }

    #[test]
    fn entries_of_all_kinds_move_alike() {
        let mut scalar = Unknowns::new(vec![1.0f32]);
        let mut triple = Unknowns::new(vec![[1.0f64; 3]]);
        let mut vector = Unknowns::new(vec![DVec3::ONE]);
        for (beta, next) in [(0.0, 3.0), (0.5, 4.0)] {
            scalar.next[0] = next as f32;
            triple.next[0] = [next; 3];
            vector.next[0] = DVec3::splat(next);
            scalar.extrapolate(beta);
            triple.extrapolate(beta);
            vector.extrapolate(beta);
        }
        // x: 1, 3, 4 + 0.5 · 2.
        assert_eq!(
            (scalar.now[0], triple.now[0], vector.now[0]),
            (5.0, [5.0; 3], DVec3::splat(5.0))
        );
        // d: 2, then 0.5 · 2 + (4 − 3).
        assert_eq!((scalar.direction[0], triple.direction[0]), (2.0, [2.0; 3]));
    }
}
