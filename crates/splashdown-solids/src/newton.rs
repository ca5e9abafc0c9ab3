//! Newton's method with a line search that never leaves the allowed states (Li et al. 2020, algorithm 1).

use std::time::Instant;

use glam::DVec3;

use crate::contact::Pair;
use crate::matrix::{BlockMatrix, Unsolvable};
use crate::objective::Objective;
use crate::step::{Failure, Report, Workspace};

/// κ is doubled while a gap below this share of the reach shrinks further …
const TIGHT: f64 = 1e-3;
/// … up to this factor in one step.
const FIRMEST: f64 = 1e6;
/// How often the line search halves a step.
const HALVINGS: u32 = 60;

/// Moves `x` to the minimum of the energy. Returns the pairs near it.
pub fn minimise(
    objective: &mut Objective<'_>,
    x: &mut Vec<DVec3>,
    mut pairs: Vec<Pair>,
    workspace: &mut Workspace,
    report: &mut Report,
) -> Result<Vec<Pair>, Failure> {
    let enough = objective.settings.tolerance * objective.scale.sqrt();
    let mut tightest = f64::INFINITY;
    let most = objective.settings.cut_short.unwrap_or(objective.settings.max_iterations);
    for _ in 0..most {
        let mut watch = Instant::now();
        let mut lap = |phase: usize| {
            report.seconds[phase] += watch.elapsed().as_secs_f64();
            watch = Instant::now();
        };
        let gradient = objective.gradient(x, &pairs);
        objective.assemble(x, &pairs, workspace)?;
        lap(0);
        let direction = direction(objective, &mut workspace.matrix, &gradient)?;
        lap(1);
        report.iterations += 1;
        let longest = direction.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        if longest <= enough {
            return Ok(pairs);
        }
        let whole: Vec<DVec3> = x.iter().zip(&direction).map(|(x, p)| *x + *p).collect();
        pairs = objective.near(x, &whole);
        let mut share = objective.safe_share(x, &direction, &pairs);
        lap(2);
        let before = objective.energy(x, &pairs);
        let mut halvings = 0;
        let new = loop {
            let new: Vec<DVec3> = x.iter().zip(&direction).map(|(x, p)| *x + share * *p).collect();
            // The last digits of the energy are noise.
            if objective.energy(&new, &pairs) <= before + 1e-13 * before.abs() {
                break new;
            }
            share *= 0.5;
            halvings += 1;
            if halvings == HALVINGS {
                // So close to the minimum that rounding hides it.
                return if longest <= 100.0 * enough { Ok(pairs) } else { Err(Failure::Stuck) };
            }
        };
        *x = new;
        lap(3);
        let gap = objective.smallest_share(x, &pairs);
        if gap < TIGHT && gap < tightest {
            objective.stiffness =
                (2.0 * objective.stiffness).min(FIRMEST * objective.settings.stiffness);
        }
        tightest = gap;
    }
    if objective.settings.cut_short.is_some() { Ok(pairs) } else { Err(Failure::Slow(most)) }
}

/// Newton's direction. The matrix is made positive definite if rounding has spoilt that.
fn direction(
    objective: &Objective<'_>,
    matrix: &mut BlockMatrix,
    gradient: &[DVec3],
) -> Result<Vec<DVec3>, Failure> {
    let down: Vec<DVec3> = gradient.iter().map(|g| -*g).collect();
    let mut shift = 0.0;
    let found = loop {
        match matrix.solve(&down) {
            Ok(found) => break found,
            Err(Unsolvable::Indefinite) if shift < 1e-3 => {
                shift = f64::max(1e-10, 100.0 * shift);
                matrix.raise_diagonal(shift);
            }
            Err(error) => return Err(error.into()),
        }
    };
    Ok(objective.unknowns.spread(&found))
}
