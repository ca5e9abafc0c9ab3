//! Newton's method for a sum of energies, with a line search that never leaves the allowed states.
//!
//! Paper: Li et al. 2020, *Incremental potential contact*, algorithm 1. What is minimised is a sum
//! of [`Energy`] terms over the same points; a term more is one more value in a list. Around them
//! stands a [`Problem`]: which points are unknowns, and how the linear system is solved.

use std::time::Instant;

use glam::DVec3;

use crate::stop::Stop;

/// How often the line search halves a step.
const HALVINGS: u32 = 30;
/// Moves below this share of the tolerance are rounding, and end the iteration whatever slope is
/// left.
const ROUNDING: f64 = 1e-4;
/// The same as a share of what is moved.
const DIGITS: f64 = 1e-13;
/// Share of an energy below which its changes are rounding.
const NOISE: f64 = 1e-11;
/// After so many iterations in a row that hardly move anything it is given up.
const IDLE: u32 = 5;

/// One term of what is minimised, of the points x. `A` is what collects second derivatives.
pub trait Energy<A: ?Sized> {
    /// E(x)
    fn value(&self, x: &[DVec3]) -> f64;

    /// Adds ∂E/∂x to `gradient`.
    fn add_gradient(&self, x: &[DVec3], gradient: &mut [DVec3]);

    /// Points that E couples at x beyond those that it always does.
    fn couplings(&self, _x: &[DVec3]) -> Vec<[u32; 4]> {
        Vec::new()
    }

    /// Adds ∂²E/∂x², without negative eigenvalues, to `hessian`.
    fn add_hessian(&self, x: &[DVec3], hessian: &mut A);

    /// The largest share of a move along `direction`, at most `longest`, on which E stays finite.
    fn safe_step(&self, _x: &[DVec3], _direction: &[DVec3], longest: f64) -> f64 {
        longest
    }
}

/// What is minimised: energies, and the unknowns that their points follow.
pub trait Problem {
    /// Why there is no direction.
    type Error;

    /// E(x)
    fn value(&self, x: &[DVec3]) -> f64;

    /// Computes first derivatives at x; whether they are small enough.
    fn slope(&mut self, x: &[DVec3]) -> bool;

    /// Computes second derivatives at x.
    fn assemble(&mut self, x: &[DVec3]) -> Result<(), Self::Error>;

    /// Where points go along Newton's direction, and by how much E should fall.
    fn direction(&mut self) -> Result<(Vec<DVec3>, f64), Self::Error>;

    /// Gets ready for moves from x along `direction`; the largest share of it that is allowed.
    fn safe_step(&mut self, x: &[DVec3], direction: &[DVec3]) -> f64;

    /// Points have moved to x: parameters may change.
    fn accept(&mut self, x: &[DVec3]);
}

/// How to minimise.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// It ends after a whole move that took no point farther than this along an axis, with a slope
    /// that is small enough.
    pub tolerance: f64,
    /// No point goes farther than this in one iteration.
    pub stride: f64,
    /// At most this many iterations.
    pub max_iterations: u32,
    /// Ends it at once.
    pub stop: Stop,
}

/// How far it came.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Iterations done.
    pub iterations: u32,
    /// The point that would move farthest in the last one, and how far along an axis.
    pub farthest: (u32, f64),
    /// Seconds of assembly, solution of the linear systems, safe steps, line search.
    pub seconds: [f64; 4],
}

/// Why there is no minimum. The points are where they have come to.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Error<E> {
    /// Iterations ran out.
    #[error("no minimum after {} iterations", .0.iterations)]
    Slow(Report),
    /// No move makes the energy smaller.
    #[error("no move makes the energy smaller")]
    Stuck(Report),
    /// Somebody asked for it.
    #[error("it was asked to stop")]
    Stopped(Report),
    /// There is no direction.
    #[error("{0}")]
    Problem(E),
}

/// Moves `x` to the minimum of the energy.
///
/// It ends after a move that was allowed in full, that took no point farther than the tolerance,
/// and after which the slope is small. A move alone says nothing about the slope: a barrier that
/// pushes a little is so steep, compared with its push, that what a move of the tolerance changes
/// is more than all of it.
pub fn minimise<P: Problem>(
    problem: &mut P,
    x: &mut Vec<DVec3>,
    params: &Params,
) -> Result<Report, Error<P::Error>> {
    let enough = params.tolerance;
    let size = if params.stride.is_finite() { params.stride } else { 0.0 };
    let nothing = (ROUNDING * enough).max(DIGITS * size);
    let mut report = Report::default();
    let mut idle = 0;
    problem.slope(x);
    for _ in 0..params.max_iterations {
        let mut watch = Stopwatch::start();
        if params.stop.asked() {
            return Err(Error::Stopped(report));
        }
        problem.assemble(x).map_err(Error::Problem)?;
        report.seconds[0] += watch.lap();
        let (mut direction, drop) = problem.direction().map_err(Error::Problem)?;
        report.seconds[1] += watch.lap();
        report.iterations += 1;
        report.farthest = largest(&direction);
        let longest = report.farthest.1;
        let taken = (params.stride / longest).min(1.0);
        if taken < 1.0 {
            direction.iter_mut().for_each(|p| *p *= taken);
        }
        let safe = problem.safe_step(x, &direction);
        report.seconds[2] += watch.lap();
        let Some((share, new)) = search(problem, x, &direction, (safe, drop), params.stop) else {
            if params.stop.asked() {
                return Err(Error::Stopped(report));
            }
            // So close to the minimum that rounding hides it.
            return if longest <= enough { Ok(report) } else { Err(Error::Stuck(report)) };
        };
        *x = new;
        problem.accept(x);
        let is_flat = problem.slope(x);
        report.seconds[3] += watch.lap();
        let moved = share * taken * longest;
        idle = if moved <= ROUNDING * enough { idle + 1 } else { 0 };
        if idle == IDLE && longest > enough {
            return Err(Error::Stuck(report));
        }
        // A move that the line search shrinks to nothing is hidden by the noise of the energy.
        let settled = share == 1.0 || idle > 0;
        if longest <= nothing || (longest <= enough && settled && is_flat) {
            return Ok(report);
        }
    }
    Err(Error::Slow(report))
}

/// The first share of a move, halved from `safe`, that does not raise the energy, which should fall
/// by `drop`; and where it leads. None if there is none, or when somebody asks to stop.
fn search<P: Problem>(
    problem: &P,
    x: &[DVec3],
    direction: &[DVec3],
    (safe, drop): (f64, f64),
    stop: Stop,
) -> Option<(f64, Vec<DVec3>)> {
    let before = problem.value(x);
    let mut share = safe;
    for _ in 0..HALVINGS {
        let new: Vec<DVec3> = x.iter().zip(direction).map(|(x, p)| *x + share * *p).collect();
        // The last digits of the energy are noise, and cannot judge what changes no others.
        let after = problem.value(&new);
        if after <= before + 1e-13 * before.abs() || drop <= NOISE * before.abs() {
            return Some((share, new));
        }
        share *= 0.5;
        if stop.asked() {
            return None;
        }
    }
    None
}

/// The point that moves farthest along an axis, and how far.
fn largest(moves: &[DVec3]) -> (u32, f64) {
    let farther = |best: (u32, f64), (v, p): (u32, &DVec3)| {
        let length = p.abs().max_element();
        if length > best.1 { (v, length) } else { best }
    };
    (0u32..).zip(moves).fold((0, 0.0), farther)
}

struct Stopwatch(Instant);

impl Stopwatch {
    fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }

    /// Seconds since the last lap.
    fn lap(&mut self) -> f64 {
        let seconds = self.0.elapsed().as_secs_f64();
        self.0 = Instant::now();
        seconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Diagonals of second derivatives.
    type Diagonal = Vec<DVec3>;

    /// ½ w |x − goal|²
    struct Spring {
        weight: f64,
        goal: Vec<DVec3>,
    }

    impl Energy<Diagonal> for Spring {
        fn value(&self, x: &[DVec3]) -> f64 {
            let squares = x.iter().zip(&self.goal).map(|(x, goal)| x.distance_squared(*goal));
            0.5 * self.weight * squares.sum::<f64>()
        }

        fn add_gradient(&self, x: &[DVec3], gradient: &mut [DVec3]) {
            let all = gradient.iter_mut().zip(x).zip(&self.goal);
            all.for_each(|((g, x), goal)| *g += self.weight * (*x - *goal));
        }

        fn add_hessian(&self, _: &[DVec3], hessian: &mut Diagonal) {
            hessian.iter_mut().for_each(|h| *h += self.weight);
        }
    }

    /// −k Σ ln z: points stay above the ground.
    struct Ground(f64);

    impl Energy<Diagonal> for Ground {
        fn value(&self, x: &[DVec3]) -> f64 {
            -self.0 * x.iter().map(|x| x.z.ln()).sum::<f64>()
        }

        fn add_gradient(&self, x: &[DVec3], gradient: &mut [DVec3]) {
            gradient.iter_mut().zip(x).for_each(|(g, x)| g.z -= self.0 / x.z);
        }

        fn add_hessian(&self, x: &[DVec3], hessian: &mut Diagonal) {
            hessian.iter_mut().zip(x).for_each(|(h, x)| h.z += self.0 / (x.z * x.z));
        }

        fn safe_step(&self, x: &[DVec3], direction: &[DVec3], longest: f64) -> f64 {
            let share = |(x, p): (&DVec3, &DVec3)| if p.z < 0.0 { -0.9 * x.z / p.z } else { 1.0 };
            x.iter().zip(direction).map(share).fold(longest, f64::min)
        }
    }

    /// Points that are all unknowns, each on its own.
    struct Points<'a> {
        energies: &'a [&'a dyn Energy<Diagonal>],
        gradient: Vec<DVec3>,
        hessian: Diagonal,
    }

    impl Points<'_> {
        fn of<'a>(energies: &'a [&'a dyn Energy<Diagonal>], n: usize) -> Points<'a> {
            Points { energies, gradient: vec![DVec3::ZERO; n], hessian: vec![DVec3::ZERO; n] }
        }
    }

    impl Problem for Points<'_> {
        type Error = &'static str;

        fn value(&self, x: &[DVec3]) -> f64 {
            self.energies.iter().map(|energy| energy.value(x)).sum()
        }

        fn slope(&mut self, x: &[DVec3]) -> bool {
            self.gradient.fill(DVec3::ZERO);
            self.energies.iter().for_each(|energy| energy.add_gradient(x, &mut self.gradient));
            self.gradient.iter().all(|g| g.length() < 1e-9)
        }

        fn assemble(&mut self, x: &[DVec3]) -> Result<(), &'static str> {
            self.hessian.fill(DVec3::ZERO);
            self.energies.iter().for_each(|energy| energy.add_hessian(x, &mut self.hessian));
            if self.hessian.iter().all(|h| h.min_element() > 0.0) { Ok(()) } else { Err("flat") }
        }

        fn direction(&mut self) -> Result<(Vec<DVec3>, f64), &'static str> {
            let both = || self.gradient.iter().zip(&self.hessian);
            let drop = 0.5 * both().map(|(g, h)| (*g * *g / *h).element_sum()).sum::<f64>();
            Ok((both().map(|(g, h)| -*g / *h).collect(), drop))
        }

        fn safe_step(&mut self, x: &[DVec3], direction: &[DVec3]) -> f64 {
            let safe =
                |share, energy: &&dyn Energy<Diagonal>| energy.safe_step(x, direction, share);
            self.energies.iter().fold(1.0, safe)
        }

        fn accept(&mut self, x: &[DVec3]) {
            assert!(x.iter().all(|x| x.z > 0.0), "left the allowed states");
        }
    }

    fn params() -> Params {
        let stop = Stop::default();
        Params { tolerance: 1e-9, stride: f64::INFINITY, max_iterations: 100, stop }
    }

    proptest! {
        #[test]
        fn springs_against_a_barrier_come_to_rest_above_the_ground(
            goals in prop::collection::vec(prop::array::uniform3(-5.0..5.0f64), 1..10),
            stiffness in 1e-4..1.0f64,
            weight in 0.1..10.0f64,
        ) {
            let goal: Vec<DVec3> = goals.iter().map(|&g| DVec3::from(g)).collect();
            let (spring, ground) = (Spring { weight, goal: goal.clone() }, Ground(stiffness));
            let energies: [&dyn Energy<Diagonal>; 2] = [&spring, &ground];
            let mut x = vec![DVec3::ONE; goal.len()];
            let found = minimise(&mut Points::of(&energies, x.len()), &mut x, &params());
            prop_assert!(found.is_ok(), "{found:?}");
            for (x, goal) in x.iter().zip(&goal) {
                // w (z − g) = k/z
                let root = 0.5 * (goal.z + (goal.z * goal.z + 4.0 * stiffness / weight).sqrt());
                prop_assert!((*x - goal.with_z(root)).length() < 1e-6, "{x} {goal}");
            }
        }
    }

    #[test]
    fn an_energy_more_is_one_more_in_the_list() {
        let [a, b] = [1.0, 3.0].map(|z| Spring { weight: 2.0, goal: vec![DVec3::Z * z] });
        let energies: [&dyn Energy<Diagonal>; 2] = [&a, &b];
        let mut x = vec![DVec3::new(4.0, 5.0, 6.0)];
        let report = minimise(&mut Points::of(&energies, 1), &mut x, &params()).unwrap();
        assert_eq!(x[0], DVec3::Z * 2.0);
        assert_eq!(report.iterations, 2); // the second one finds nothing to do
    }

    #[test]
    fn iterations_that_run_out_and_systems_without_solution_are_told() {
        let spring = Spring { weight: 1.0, goal: vec![-DVec3::Z; 3] };
        let ground = Ground(1e-6);
        let energies: [&dyn Energy<Diagonal>; 2] = [&spring, &ground];
        let few = Params { max_iterations: 3, ..params() };
        let mut x = vec![DVec3::ONE; 3];
        let found = minimise(&mut Points::of(&energies, 3), &mut x, &few);
        let Err(Error::Slow(report)) = found else { panic!("{found:?}") };
        assert_eq!(report.iterations, 3);
        let found = minimise(&mut Points::of(&energies[..0], 3), &mut x, &few);
        assert_eq!(found, Err(Error::Problem("flat")));
    }

    #[test]
    fn no_point_strides_too_far() {
        let spring = Spring { weight: 1.0, goal: vec![DVec3::Z * 100.0] };
        let energies: [&dyn Energy<Diagonal>; 1] = [&spring];
        let mut x = vec![DVec3::ZERO];
        let short = Params { stride: 10.0, ..params() };
        let report = minimise(&mut Points::of(&energies, 1), &mut x, &short).unwrap();
        assert!(report.iterations > 10 && (x[0].z - 100.0).abs() < 1e-9, "{report:?} {x:?}");
    }
}
