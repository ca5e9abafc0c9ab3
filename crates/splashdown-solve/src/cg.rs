//! Preconditioned conjugate gradients for symmetric positive definite systems (Hestenes & Stiefel
//! 1952).
//!
//!   ρ = r · M⁻¹r,   p ← M⁻¹r + (ρ/ρ_last) p                (CG1)
//!   a = ρ / (p · Ap),   x ← x + a p,   r ← r − a Ap        (CG2)
//!
//! `solve` is for any operator on vectors of numbers or of small vectors: one thread, fixed order.
//! `iterate` is the iteration itself for those who keep their vectors in their own way, in parallel
//! or in mixed precision: there r drifts away from b − Ax, so the true residual is computed at the
//! end, and the iteration starts again where it is larger than it seemed.

use crate::operator::{Component, LinearOperator, Preconditioner, add_scaled, dot};
use crate::stop::Stop;

/// The vectors of an iteration and what is done to them. Squares of residuals are in the system's
/// own norm.
pub trait Iteration {
    /// r ← b − Ax; returns |r|².
    fn residual(&mut self) -> f64;

    /// (CG1); `last` is ρ_last, if there is one. Returns ρ.
    fn turn(&mut self, last: Option<f64>) -> f64;

    /// Ap; returns p · Ap.
    fn multiply(&mut self) -> f64;

    /// (CG2); returns |r|².
    fn advance(&mut self, a: f64) -> f64;
}

/// How to solve.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// |r| may be this share of `scale`, or of what it is in the beginning.
    pub tolerance: f64,
    /// The square of what |r| is compared with.
    pub scale: Option<f64>,
    /// At most this many iterations, restarts included.
    pub max_iterations: u32,
    /// How often the iteration starts again when the true residual is larger than it seemed. With
    /// none it is not computed again.
    pub max_restarts: u32,
    /// Ends it at once.
    pub stop: Stop,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            tolerance: 1e-8,
            scale: None,
            max_iterations: 10_000,
            max_restarts: 0,
            stop: Stop::default(),
        }
    }
}

/// How far a solve came.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Iterations done.
    pub iterations: u32,
    /// |r|² in the end.
    pub square: f64,
    /// What it was allowed to be.
    pub allowed: f64,
}

impl Report {
    /// |r| over what it was allowed to be: more than one where iterations ran out.
    pub fn error(&self) -> f64 {
        if self.square > 0.0 { (self.square / self.allowed).sqrt() } else { 0.0 }
    }
}

/// Why there is no solution. What was found so far is where the solution would be.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// Iterations ran out.
    #[error("|r|² is {:e} after {} iterations, above {:e}", .0.square, .0.iterations, .0.allowed)]
    NoConvergence(Report),
    /// A direction without positive curvature, or a number that is none.
    #[error("the system is not positive definite")]
    Indefinite(Report),
    /// Somebody asked for it.
    #[error("it was asked to stop")]
    Stopped(Report),
}

impl Error {
    /// How far it came.
    pub fn report(&self) -> &Report {
        match self {
            Error::NoConvergence(report) | Error::Indefinite(report) | Error::Stopped(report) => {
                report
            }
        }
    }
}

/// Improves the solution until its residual is small.
pub fn iterate(system: &mut impl Iteration, params: &Params) -> Result<Report, Error> {
    let mut report = Report { square: system.residual(), ..Report::default() };
    let scale = params.scale.unwrap_or(report.square);
    report.allowed = params.tolerance * params.tolerance * scale;
    let ends = |report: &Report| {
        let Report { iterations, square, allowed } = *report;
        square <= allowed || square.is_nan() || iterations >= params.max_iterations
    };
    let mut is_indefinite = false;
    for _ in 0..=params.max_restarts {
        if ends(&report) {
            break;
        }
        is_indefinite = !round(system, params, &mut report, ends)?;
        if params.max_restarts > 0 {
            report.square = system.residual();
        }
    }
    match report.square <= report.allowed {
        true => Ok(report),
        false if is_indefinite || report.square.is_nan() => Err(Error::Indefinite(report)),
        false => Err(Error::NoConvergence(report)),
    }
}

/// Iterations from one true residual to the next; false if a curvature was not positive.
fn round(
    system: &mut impl Iteration,
    params: &Params,
    report: &mut Report,
    ends: impl Fn(&Report) -> bool,
) -> Result<bool, Error> {
    let mut last = None;
    loop {
        if params.stop.asked() {
            return Err(Error::Stopped(*report));
        }
        let rho = system.turn(last);
        let curvature = system.multiply();
        if !(curvature > 0.0 && curvature.is_finite()) {
            return Ok(false);
        }
        report.square = system.advance(rho / curvature);
        report.iterations += 1;
        if ends(report) {
            return Ok(true);
        }
        last = Some(rho);
    }
}

/// Solves A x = b from the present x, in the norm of M⁻¹.
pub fn solve<T: Component>(
    operator: &impl LinearOperator<T>,
    preconditioner: &impl Preconditioner<T>,
    b: &[T],
    x: &mut [T],
    params: &Params,
) -> Result<Report, Error> {
    let vector = || vec![T::ZERO; b.len()];
    let (r, z, p, q) = (vector(), vector(), vector(), vector());
    iterate(&mut Plain { operator, preconditioner, b, x, r, z, p, q, rho: 0.0 }, params)
}

/// Vectors as they are.
struct Plain<'a, T, A, M> {
    operator: &'a A,
    preconditioner: &'a M,
    b: &'a [T],
    x: &'a mut [T],
    r: Vec<T>,
    /// M⁻¹ r
    z: Vec<T>,
    p: Vec<T>,
    /// A p
    q: Vec<T>,
    /// r · z
    rho: f64,
}

impl<T: Component, A: LinearOperator<T>, M: Preconditioner<T>> Plain<'_, T, A, M> {
    fn precondition(&mut self) -> f64 {
        self.preconditioner.apply(&self.r, &mut self.z);
        self.rho = dot(&self.r, &self.z);
        self.rho
    }
}

impl<T: Component, A: LinearOperator<T>, M: Preconditioner<T>> Iteration for Plain<'_, T, A, M> {
    fn residual(&mut self) -> f64 {
        self.operator.apply(self.x, &mut self.q);
        self.r.copy_from_slice(self.b);
        add_scaled(&mut self.r, -1.0, &self.q);
        self.precondition()
    }

    fn turn(&mut self, last: Option<f64>) -> f64 {
        match last {
            None => self.p.copy_from_slice(&self.z),
            Some(last) => {
                let beta = self.rho / last;
                self.p.iter_mut().zip(&self.z).for_each(|(p, z)| *p = z.plus(beta, *p));
            }
        }
        self.rho
    }

    fn multiply(&mut self) -> f64 {
        self.operator.apply(&self.p, &mut self.q);
        dot(&self.p, &self.q)
    }

    fn advance(&mut self, a: f64) -> f64 {
        add_scaled(self.x, a, &self.p);
        add_scaled(&mut self.r, -a, &self.q);
        self.precondition()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::Identity;
    use crate::testing::{Dense, Jacobi};
    use glam::DVec3;
    use proptest::prelude::*;

    /// A matrix of numbers on vectors: each axis on its own.
    struct ByAxis<'a>(&'a Dense);

    impl LinearOperator<DVec3> for ByAxis<'_> {
        fn apply(&self, x: &[DVec3], y: &mut [DVec3]) {
            for axis in 0..3 {
                let of_axis: Vec<f64> = x.iter().map(|x| x[axis]).collect();
                y.iter_mut().zip(self.0.times(&of_axis)).for_each(|(y, value)| y[axis] = value);
            }
        }
    }

    proptest! {
        #[test]
        fn the_solution_is_that_of_elimination(seed in any::<u64>(), n in 1usize..30) {
            let matrix = Dense::positive(seed, n);
            let b = Dense::vector(seed ^ 1, n);
            let exact = matrix.eliminate(&b);
            let close = |x: &[f64]| x.iter().zip(&exact).all(|(x, y)| (x - y).abs() < 1e-5);
            let params = Params { tolerance: 1e-10, ..Params::default() };
            let mut plain = vec![0.0; n];
            solve(&matrix, &Identity, &b, &mut plain, &params).unwrap();
            prop_assert!(close(&plain), "{plain:?} {exact:?}");
            let mut scaled = b.clone();
            solve(&matrix, &Jacobi::of(&matrix), &b, &mut scaled, &params).unwrap();
            prop_assert!(close(&scaled), "{scaled:?} {exact:?}");
            // Of vectors, and with the true residual computed again.
            let b3: Vec<DVec3> = b.iter().map(|b| DVec3::new(*b, -*b, 2.0 * b)).collect();
            let mut x3 = vec![DVec3::ZERO; n];
            let params = Params { max_restarts: 3, ..params };
            solve(&ByAxis(&matrix), &Identity, &b3, &mut x3, &params).unwrap();
            prop_assert!(close(&x3.iter().map(|x| -x.y).collect::<Vec<_>>()));
        }
    }

    #[test]
    fn iterations_that_run_out_are_told_with_what_is_left() {
        let matrix = Dense::positive(3, 40);
        let b = Dense::vector(4, 40);
        let mut x = vec![0.0; 40];
        let few = Params { max_iterations: 4, ..Params::default() };
        let error = solve(&matrix, &Identity, &b, &mut x, &few).unwrap_err();
        let Error::NoConvergence(report) = error else { panic!("{error:?}") };
        assert_eq!(report.iterations, 4);
        let left: Vec<f64> = matrix.times(&x).iter().zip(&b).map(|(y, b)| b - y).collect();
        let square = dot(&left, &left);
        assert!((report.square / square - 1.0).abs() < 1e-6, "{report:?} {square:e}");
        assert!(report.square > report.allowed);
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        let mut matrix = Dense::positive(5, 8);
        matrix.rows[3][3] = -10.0;
        let (b, mut x) = (Dense::vector(6, 8), vec![0.0; 8]);
        let found = solve(&matrix, &Identity, &b, &mut x, &Params::default());
        assert!(matches!(found, Err(Error::Indefinite(_))), "{found:?}");
        let broken = vec![f64::NAN; 8];
        let found = solve(&Dense::positive(5, 8), &Identity, &broken, &mut x, &Params::default());
        assert!(matches!(found, Err(Error::Indefinite(_))), "{found:?}");
    }
}
