//! Modified proportioning with reduced gradient projections: conjugate gradients within bounds.
//!
//! Minimises ½ xᵀAx − bᵀx over x ≥ l. With g = Ax − b, unknowns at their bounds are active, and
//!
//!   φ = g where free, else 0;   β = min(g, 0) where active, else 0           (MP1)
//!   φ̃ = min((x − l)/ᾱ, φ) where φ > 0, else φ                               (MP2)
//!
//! x is a minimum where φ + β = 0. While φ is not outweighed by β, β·β ≤ Γ² φ̃·φ, conjugate
//! gradients work on the free unknowns; a step that would leave the bounds goes as far as they
//! allow, and a gradient step of length ᾱ, projected, adds the unknowns that it stops to the active
//! ones (expansion). Else a step along β frees active unknowns (proportioning).
//!
//! Papers: Dostál & Schöberl 2005, *Minimizing quadratic functions subject to bound constraints
//! with the rate of convergence and finite termination*; Dostál 2009, *Optimal quadratic
//! programming algorithms*, chapter 5, with a preconditioner in the face; Kružík et al. 2020 for
//! the expansion by a projected step of conjugate gradients.

use crate::operator::{LinearOperator, Preconditioner, add_scaled, dot};
use crate::stop::Stop;

/// Products that look for the largest eigenvalue.
const POWER_ITERATIONS: u32 = 30;
/// ᾱ ‖A‖, where the norm is estimated (from below): anything up to 2 converges.
const STEP: f64 = 1.8;

/// How an iterate that would leave the bounds goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expansion {
    /// To the bounds, then a projected gradient step of length ᾱ.
    Gradient,
    /// The whole step of conjugate gradients, projected: fewer expansions in practice, without the
    /// proof.
    #[default]
    ProjectedStep,
}

/// How to solve.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// |φ + β| may be this share of |b|.
    pub tolerance: f64,
    /// Γ
    pub gamma: f64,
    /// ᾱ, in (0, 2/‖A‖]; estimated if it is not given.
    pub step: Option<f64>,
    /// What to do at bounds.
    pub expansion: Expansion,
    /// At most this many steps of any kind.
    pub max_steps: u32,
    /// Ends it at once.
    pub stop: Stop,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            tolerance: 1e-8,
            gamma: 1.0,
            step: None,
            expansion: Expansion::default(),
            max_steps: 10_000,
            stop: Stop::default(),
        }
    }
}

/// How far a solve came.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Steps of conjugate gradients.
    pub conjugate: u32,
    /// Expansions of the active set.
    pub expansions: u32,
    /// Steps that free active unknowns.
    pub proportionings: u32,
    /// |φ + β| in the end.
    pub residual: f64,
    /// What it was allowed to be.
    pub allowed: f64,
}

impl Report {
    fn steps(&self) -> u32 {
        self.conjugate + self.expansions + self.proportionings
    }
}

/// Why there is no solution. x is what was found so far, within its bounds.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// Steps ran out.
    #[error("the projected gradient is {:e} after {} steps", .0.residual, .0.steps())]
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

/// Improves x, which is projected first, until it is a minimum over x ≥ `lower`. Bounds may be −∞.
pub fn solve(
    operator: &impl LinearOperator,
    preconditioner: &impl Preconditioner,
    b: &[f64],
    lower: &[f64],
    x: &mut [f64],
    params: &Params,
) -> Result<Report, Error> {
    let step = params.step.unwrap_or_else(|| STEP / largest_eigenvalue(operator, b.len()));
    let mut state = State::new(operator, preconditioner, [b, lower], x, step);
    let mut report = Report { allowed: params.tolerance * dot(b, b).sqrt(), ..Report::default() };
    loop {
        report.residual = state.projected_gradient();
        if report.residual <= report.allowed {
            return Ok(report);
        }
        if report.residual.is_nan() {
            return Err(Error::Indefinite(report));
        }
        if params.stop.asked() {
            return Err(Error::Stopped(report));
        }
        if report.steps() >= params.max_steps {
            return Err(Error::NoConvergence(report));
        }
        let taken = match state.is_proportional(params.gamma) {
            true => state.conjugate_step(params.expansion),
            false => state.proportion(),
        };
        match taken {
            Some(Step::Conjugate) => report.conjugate += 1,
            Some(Step::Expansion) => report.expansions += 1,
            Some(Step::Proportioning) => report.proportionings += 1,
            None => return Err(Error::Indefinite(report)),
        }
    }
}

/// The kinds of steps.
enum Step {
    Conjugate,
    Expansion,
    Proportioning,
}

/// The vectors of the iteration.
struct State<'a, A, M> {
    operator: &'a A,
    preconditioner: &'a M,
    b: &'a [f64],
    lower: &'a [f64],
    x: &'a mut [f64],
    /// ᾱ
    step: f64,
    gradient: Vec<f64>,
    /// φ and β of (MP1).
    free: Vec<f64>,
    chopped: Vec<f64>,
    /// M⁻¹ φ, within the face.
    z: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
}

impl<'a, A: LinearOperator, M: Preconditioner> State<'a, A, M> {
    fn new(
        operator: &'a A,
        preconditioner: &'a M,
        [b, lower]: [&'a [f64]; 2],
        x: &'a mut [f64],
        step: f64,
    ) -> State<'a, A, M> {
        let zeros = || vec![0.0; b.len()];
        let (gradient, free, chopped) = (zeros(), zeros(), zeros());
        let (z, direction, product) = (zeros(), zeros(), zeros());
        let mut state = State {
            operator,
            preconditioner,
            b,
            lower,
            x,
            step,
            gradient,
            free,
            chopped,
            z,
            direction,
            product,
        };
        state.project();
        state.restart();
        state
    }

    /// x ← max(x, l)
    fn project(&mut self) {
        self.x.iter_mut().zip(self.lower).for_each(|(x, l)| *x = x.max(*l));
    }

    /// Everything that follows from x; conjugate gradients begin anew.
    fn restart(&mut self) {
        self.operator.apply(self.x, &mut self.gradient);
        add_scaled(&mut self.gradient, -1.0, self.b);
        self.split();
        self.direction.copy_from_slice(&self.z);
    }

    /// (MP1) and M⁻¹φ.
    fn split(&mut self) {
        for i in 0..self.x.len() {
            let (g, is_active) = (self.gradient[i], self.x[i] <= self.lower[i]);
            (self.free[i], self.chopped[i]) = if is_active { (0.0, g.min(0.0)) } else { (g, 0.0) };
        }
        self.preconditioner.apply(&self.free, &mut self.z);
        for i in 0..self.x.len() {
            if self.x[i] <= self.lower[i] {
                self.z[i] = 0.0;
            }
        }
    }

    /// |φ + β|: they are not in the same places.
    fn projected_gradient(&self) -> f64 {
        (dot(&self.free, &self.free) + dot(&self.chopped, &self.chopped)).sqrt()
    }

    /// β·β ≤ Γ² φ̃·φ with (MP2).
    fn is_proportional(&self, gamma: f64) -> bool {
        let reduced = |i: usize| {
            let (phi, room) = (self.free[i], (self.x[i] - self.lower[i]) / self.step);
            if phi > 0.0 { phi * phi.min(room) } else { phi * phi }
        };
        let reduced: f64 = (0..self.x.len()).map(reduced).sum();
        dot(&self.chopped, &self.chopped) <= gamma * gamma * reduced
    }

    /// How far −p goes within the bounds.
    fn room(&self, p: &[f64]) -> f64 {
        let all = self.x.iter().zip(self.lower).zip(p).filter(|(_, p)| **p > 0.0);
        all.map(|((x, l), p)| (x - l) / p).fold(f64::INFINITY, f64::min)
    }

    /// One step of conjugate gradients, or an expansion if that would leave the bounds. None
    /// without positive curvature.
    fn conjugate_step(&mut self, expansion: Expansion) -> Option<Step> {
        self.operator.apply(&self.direction, &mut self.product);
        let curvature = dot(&self.direction, &self.product);
        if !(curvature > 0.0 && curvature.is_finite()) {
            return None;
        }
        let length = dot(&self.z, &self.gradient) / curvature;
        let room = self.room(&self.direction);
        if length <= room {
            add_scaled(self.x, -length, &self.direction);
            add_scaled(&mut self.gradient, -length, &self.product);
            self.split();
            let beta = -dot(&self.z, &self.product) / curvature;
            let all = self.direction.iter_mut().zip(&self.z);
            all.for_each(|(p, z)| *p = z + beta * *p);
            return Some(Step::Conjugate);
        }
        match expansion {
            Expansion::ProjectedStep => add_scaled(self.x, -length, &self.direction),
            Expansion::Gradient => {
                add_scaled(self.x, -room, &self.direction);
                add_scaled(&mut self.gradient, -room, &self.product);
                self.project(); // rounding
                self.split();
                add_scaled(self.x, -self.step, &self.free);
            }
        }
        self.project();
        self.restart();
        Some(Step::Expansion)
    }

    /// A step along β.
    fn proportion(&mut self) -> Option<Step> {
        self.operator.apply(&self.chopped, &mut self.product);
        let curvature = dot(&self.chopped, &self.product);
        if !(curvature > 0.0 && curvature.is_finite()) {
            return None;
        }
        // −β leads away from all bounds.
        let length = dot(&self.chopped, &self.gradient) / curvature;
        add_scaled(self.x, -length, &self.chopped);
        add_scaled(&mut self.gradient, -length, &self.product);
        self.split();
        self.direction.copy_from_slice(&self.z);
        Some(Step::Proportioning)
    }
}

/// ‖A‖ from below, by power iteration.
fn largest_eigenvalue(operator: &impl LinearOperator, n: usize) -> f64 {
    // Any vector that is not orthogonal to the largest eigenvector.
    let mut v: Vec<f64> = (0..n).map(|i| 1.0 + (1.7 * i as f64).sin()).collect();
    let mut product = vec![0.0; n];
    let mut largest = f64::MIN_POSITIVE;
    for _ in 0..POWER_ITERATIONS {
        operator.apply(&v, &mut product);
        let length = dot(&product, &product).sqrt();
        largest = f64::max(largest, length / dot(&v, &v).sqrt());
        if length == 0.0 {
            break;
        }
        v.iter_mut().zip(&product).for_each(|(v, p)| *v = p / length);
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::Identity;
    use crate::testing::{Dense, Jacobi};
    use proptest::prelude::*;

    /// How far x is from max(x − g, l), the largest entry.
    fn unsolved(matrix: &Dense, [b, lower, x]: [&[f64]; 3]) -> f64 {
        let product = matrix.times(x);
        let left = |i: usize| (x[i] - (x[i] - (product[i] - b[i])).max(lower[i])).abs();
        (0..x.len()).map(left).fold(0.0, f64::max)
    }

    proptest! {
        #[test]
        fn minima_within_bounds_are_found_in_all_ways(seed in any::<u64>(), n in 1usize..30) {
            let matrix = Dense::positive(seed, n);
            let b: Vec<f64> = Dense::vector(seed ^ 1, n).iter().map(|b| 5.0 * b).collect();
            let mut lower = Dense::vector(seed ^ 2, n);
            lower[0] = f64::NEG_INFINITY;
            let mut found: Vec<Vec<f64>> = Vec::new();
            for expansion in [Expansion::Gradient, Expansion::ProjectedStep] {
                let params = Params { expansion, tolerance: 1e-9, ..Params::default() };
                for scaled in [false, true] {
                    let mut x = vec![0.0; n];
                    let report = match scaled {
                        false => solve(&matrix, &Identity, &b, &lower, &mut x, &params),
                        true => solve(&matrix, &Jacobi::of(&matrix), &b, &lower, &mut x, &params),
                    };
                    prop_assert!(report.is_ok(), "{report:?}");
                    prop_assert!(x.iter().zip(&lower).all(|(x, l)| x >= l));
                    prop_assert!(unsolved(&matrix, [&b, &lower, &x]) < 1e-6);
                    found.push(x);
                }
            }
            // There is one minimum only.
            for other in &found[1..] {
                prop_assert!(other.iter().zip(&found[0]).all(|(a, b)| (a - b).abs() < 1e-5));
            }
            // It is that of the free unknowns alone, the others at their bounds.
            let free: Vec<usize> = (0..n).filter(|&i| found[0][i] > lower[i] + 1e-7).collect();
            let rows = |i: &usize| free.iter().map(|&j| matrix.rows[*i][j]).collect();
            let of_free = Dense { rows: free.iter().map(rows).collect() };
            let known = |i: usize| -> f64 {
                let held = (0..n).filter(|j| !free.contains(j));
                held.map(|j| matrix.rows[i][j] * lower[j]).sum()
            };
            let right: Vec<f64> = free.iter().map(|&i| b[i] - known(i)).collect();
            for (k, exact) in of_free.eliminate(&right).into_iter().enumerate() {
                prop_assert!((found[0][free[k]] - exact).abs() < 1e-4, "{exact} {:?}", found[0]);
            }
        }

        #[test]
        fn without_bounds_it_is_conjugate_gradients(seed in any::<u64>(), n in 1usize..20) {
            let matrix = Dense::positive(seed, n);
            let b = Dense::vector(seed ^ 1, n);
            let (free, mut x) = (vec![f64::NEG_INFINITY; n], vec![0.0; n]);
            let report = solve(&matrix, &Identity, &b, &free, &mut x, &Params::default()).unwrap();
            prop_assert_eq!((report.expansions, report.proportionings), (0, 0));
            for (x, exact) in x.iter().zip(matrix.eliminate(&b)) {
                prop_assert!((x - exact).abs() < 1e-5);
            }
        }
    }

    /// −Δ on a line of `n` points.
    struct Membrane(usize);

    impl LinearOperator for Membrane {
        fn apply(&self, x: &[f64], y: &mut [f64]) {
            for i in 0..self.0 {
                let before = if i > 0 { x[i - 1] } else { 0.0 };
                y[i] = 2.0 * x[i] - before - x.get(i + 1).unwrap_or(&0.0);
            }
        }
    }

    #[test]
    fn a_membrane_rests_on_its_obstacle() {
        let n = 200;
        let (b, lower) = (vec![-1e-3; n], vec![-1.0; n]);
        let mut x = vec![0.0; n];
        let report = solve(&Membrane(n), &Identity, &b, &lower, &mut x, &Params::default());
        let report = report.unwrap();
        assert!(report.expansions > 0 && report.steps() < 3 * n as u32, "{report:?}");
        let resting = x.iter().filter(|x| **x <= -1.0).count();
        // Free for √(2 · 1/10⁻³) = 44.7 points on either side.
        assert!((100..=120).contains(&resting), "{resting}");
    }

    #[test]
    fn steps_that_run_out_and_matrices_that_are_not_positive_are_told() {
        let (b, lower) = (vec![-1e-3; 200], vec![-1.0; 200]);
        let few = Params { max_steps: 5, ..Params::default() };
        let mut x = vec![0.0; 200];
        let found = solve(&Membrane(200), &Identity, &b, &lower, &mut x, &few);
        let Err(Error::NoConvergence(report)) = found else { panic!("{found:?}") };
        assert!(report.steps() == 5 && report.residual > report.allowed, "{report:?}");
        let mut matrix = Dense::positive(5, 8);
        matrix.rows[3][3] = -10.0;
        let (b, free, mut x) = (Dense::vector(6, 8), vec![f64::NEG_INFINITY; 8], vec![0.0; 8]);
        let found = solve(&matrix, &Identity, &b, &free, &mut x, &Params::default());
        assert!(matches!(found, Err(Error::Indefinite(_))), "{found:?}");
    }
}
