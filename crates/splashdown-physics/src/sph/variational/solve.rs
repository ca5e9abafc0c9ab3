//! Minimises the potentials: which particles push, and the linear solve.
//!
//! P_I as printed pulls where J > 1, at every surface. Which particles it is summed over:
//!
//! | `tension`   | Jⁿ            | active                                                  | solves |
//! |-------------|---------------|---------------------------------------------------------|--------|
//! | `none`      | ρ₀/ρ          | {J < 1} of the last solve, until it settles             | 1 to 5 |
//! | `predicted` | min(1, ρ₀/ρ)  | but those with ρ < ρ₀ that the goal moves apart         | 1      |
//! | `printed`   | ρ₀/ρ          | all                                                     | 1      |
//!
//! `none` starts from the particles under pressure in the last step: their pressures are state, so
//! the set is, too.

use std::time::Instant;

use super::assembled::Assembled;
use super::operator::{BlockJacobi, Carried, CoupledHessian, CoupledJacobi, Hessian};
use super::potentials::Potentials;
use super::rows::Rows;
use crate::math::DVec3;
use crate::solve::cg::{self, Params, Report};
use crate::solve::operator::{LinearOperator, Preconditioner, dot};
use crate::solve::stop::Stop;
use crate::sph::pressure::settings::{FluidTension, LinearSolver, PotentialSettings};

/// How often the set may change after the first solve.
const MAX_REPEATS: u32 = 4;

/// The quadratic of a step, without the choice of who pushes.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// Pairs and volumes.
    pub rows: &'a Rows,
    /// μ of each fluid particle.
    pub mass: &'a [f64],
    /// Of each fluid particle, whether it moves as told.
    pub held: &'a [bool],
    /// κ
    pub stiffness: f64,
    /// Displacements without pressure and friction: of the fluid, then of all samples, which keep
    /// them.
    pub goal: &'a [DVec3],
    /// Of each fluid particle, whether it was under pressure in the last step.
    pub pushed: &'a [bool],
    /// Who pushes, and how the system is solved.
    pub settings: &'a PotentialSettings,
    /// Samples that yield, if any do; their displacements in `goal` are those without fluid.
    pub carried: Option<Carried<'a>>,
    /// Ends it early, with nothing usable.
    pub stop: Stop,
}

/// Where the fluid goes.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Of all particles, in h.
    pub displacement: Vec<DVec3>,
    /// Of whoever carries samples, from where they would be without fluid.
    pub yielded: Vec<DVec3>,
    /// Jⁿ as it counted.
    pub ratio: Vec<f64>,
    /// ∂P_I/∂J of each fluid particle: κ (J − 1), zero for those that do not push.
    pub squeeze: Vec<f64>,
    /// Linear solves.
    pub solves: u32,
    /// Their iterations together.
    pub iterations: u32,
    /// The residual of the last, over what it was at the goal.
    pub error: f64,
    /// Wall-clock time of the linear solves, their matrices included, s.
    pub seconds: f64,
    /// What the matrix of the last takes, in bytes; 0 without one.
    pub matrix_bytes: usize,
}

impl Task<'_> {
    /// Where nothing pushes.
    pub fn at_goal(&self) -> Found {
        let ratio: Vec<f64> = match self.settings.tension {
            FluidTension::Predicted => self.rows.volume.iter().map(|j| j.min(1.0)).collect(),
            _ => self.rows.volume.clone(),
        };
        let yielded = vec![DVec3::ZERO; self.carried.map_or(0, |carried| carried.by.count())];
        Found { displacement: self.goal.to_vec(), yielded, ratio, ..Found::default() }
    }

    /// Minimises.
    pub fn minimise(&self) -> Found {
        let found = self.at_goal();
        let active = self.first_set(&found.ratio);
        self.minimise_from(found, active)
    }

    /// Minimises again, from what was found with other carriers.
    pub fn minimise_again(&self, found: Found) -> Found {
        let active = match self.settings.tension {
            FluidTension::None => found.squeeze.iter().map(|s| *s != 0.0).collect(),
            _ => self.first_set(&found.ratio),
        };
        self.minimise_from(found, active)
    }

    fn minimise_from(&self, mut found: Found, mut active: Vec<bool>) -> Found {
        let first = found.solves;
        loop {
            let potentials = self.potentials(&found.ratio, &active);
            let at = [&mut found.displacement, &mut found.yielded];
            let began = Instant::now();
            let change = self.improve(&potentials, at);
            found.seconds += began.elapsed().as_secs_f64();
            found.solves += 1;
            found.iterations += change.iterations;
            found.error = change.error;
            found.matrix_bytes = change.matrix_bytes;
            let ratios = potentials.volume_ratios(&found.displacement);
            let pushes = |(j, active): (&f64, &bool)| if *active { j - 1.0 } else { 0.0 };
            found.squeeze =
                ratios.iter().zip(&active).map(pushes).map(|s| self.stiffness * s).collect();
            let next: Vec<bool> = ratios.iter().map(|j| *j < 1.0).collect();
            let is_done = self.settings.tension != FluidTension::None
                || next == active
                || found.solves - first > MAX_REPEATS
                || self.stop.asked();
            if is_done {
                return found;
            }
            active = next;
        }
    }

    /// The quadratic with volumes `ratio` at the beginning, of which those that are `active` count.
    pub fn potentials<'a>(&'a self, ratio: &'a [f64], active: &'a [bool]) -> Potentials<'a> {
        let Task { rows, mass, held, stiffness, .. } = *self;
        Potentials { rows, mass, held, ratio, active, stiffness }
    }

    /// Who pushes in the first solve.
    pub fn first_set(&self, ratio: &[f64]) -> Vec<bool> {
        match self.settings.tension {
            FluidTension::None => self.pushed.to_vec(),
            FluidTension::Printed => vec![true; ratio.len()],
            FluidTension::Predicted => {
                let all = vec![true; ratio.len()];
                let later = self.potentials(ratio, &all).volume_ratios(self.goal);
                let volume = self.rows.volume.iter();
                let thins = |((v, j), r): ((&f64, &f64), &f64)| *v > 1.0 && *r > *j;
                volume.zip(ratio).zip(&later).map(|all| !thins(all)).collect()
            }
        }
    }

    /// One linear solve from the present displacements of particles and of whoever carries samples;
    /// samples that nobody carries keep theirs.
    fn improve(&self, potentials: &Potentials<'_>, at: [&mut Vec<DVec3>; 2]) -> Solved {
        match self.carried {
            None => self.improve_with(potentials, &BlockJacobi::of(potentials, &[]), at),
            Some(Carried { by, .. }) => {
                let jacobi = BlockJacobi::of(potentials, &by.shared_blocks());
                let count = potentials.count();
                let both = CoupledJacobi { fluid: &jacobi, count, by };
                self.improve_with(potentials, &both, at)
            }
        }
    }

    /// −∂E of fluid particles, then of whoever carries samples.
    fn residual(&self, potentials: &Potentials<'_>, u: &[DVec3], y: &[DVec3]) -> Vec<DVec3> {
        let mut r = potentials.gradient(u, self.goal);
        if let Some(Carried { first, by }) = self.carried {
            let mut forces = vec![DVec3::ZERO; u.len() - first];
            potentials.reaction(&potentials.squeeze(u), u, first, &mut forces);
            let mut slope = vec![DVec3::ZERO; y.len()];
            by.resistance(y, &mut slope);
            by.add_shared_slope(u, y, [&mut r, &mut slope]);
            r.extend(slope.iter().zip(by.pulled(&forces)).map(|(own, of_fluid)| *own + of_fluid));
        }
        r.iter_mut().for_each(|g| *g = -*g);
        r
    }

    fn improve_with(
        &self,
        potentials: &Potentials<'_>,
        jacobi: &impl Preconditioner<DVec3>,
        [u, y]: [&mut Vec<DVec3>; 2],
    ) -> Solved {
        let square = |r: &[DVec3]| {
            let mut z = vec![DVec3::ZERO; r.len()];
            jacobi.apply(r, &mut z);
            dot(r, &z)
        };
        let still = vec![DVec3::ZERO; y.len()];
        let scale = square(&self.residual(potentials, self.goal, &still));
        let r = self.residual(potentials, u, y);
        let mut step = vec![DVec3::ZERO; r.len()];
        let params = Params {
            tolerance: self.settings.linear_tolerance,
            scale: Some(scale),
            max_iterations: self.settings.linear_iterations,
            max_restarts: 0,
            stop: self.stop,
        };
        let all = self.goal.len();
        let samples = self.carried.map_or(0..0, |carried| carried.first..all);
        let matrix = match self.settings.linear {
            LinearSolver::MatrixFree => None,
            LinearSolver::Assembled => Some(Assembled::of(potentials, samples)),
        };
        let matrix_bytes = matrix.as_ref().map_or(0, Assembled::bytes);
        let solved = match (self.carried, matrix) {
            (Some(carried), matrix) => {
                let hessian = CoupledHessian::new(*potentials, matrix, carried, all);
                solve(&hessian, jacobi, &r, &mut step, &params)
            }
            (None, None) => solve(&Hessian::new(*potentials), jacobi, &r, &mut step, &params),
            (None, Some(matrix)) => solve(&matrix, jacobi, &r, &mut step, &params),
        };
        let (of_fluid, of_carriers) = step.split_at(potentials.count());
        u.iter_mut().zip(of_fluid).for_each(|(u, step)| *u += *step);
        if let Some(Carried { first, by }) = self.carried {
            y.iter_mut().zip(of_carriers).for_each(|(y, step)| *y += *step);
            let samples = u[first..].iter_mut().zip(&self.goal[first..]);
            samples.zip(by.moves(y)).for_each(|((u, goal), more)| *u = *goal + more);
        }
        let error = (solved.square / scale.max(f64::MIN_POSITIVE)).sqrt();
        Solved { error, matrix_bytes, ..solved }
    }
}

/// How a linear solve ended.
struct Solved {
    iterations: u32,
    square: f64,
    error: f64,
    matrix_bytes: usize,
}

fn solve(
    operator: &impl LinearOperator<DVec3>,
    jacobi: &impl Preconditioner<DVec3>,
    r: &[DVec3],
    step: &mut [DVec3],
    params: &Params,
) -> Solved {
    let report = match cg::solve(operator, jacobi, r, step, params) {
        Ok(report) => report,
        Err(error) => *error.report(),
    };
    let Report { iterations, square, .. } = report;
    Solved { iterations, square, error: 0.0, matrix_bytes: 0 }
}
