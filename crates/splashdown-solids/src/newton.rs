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
const HALVINGS: u32 = 30;
/// Moves below this share of the tolerance are rounding, and end the iteration whatever force is
/// left.
const ROUNDING: f64 = 1e-4;

/// The same as a share of what is moved.
const DIGITS: f64 = 1e-13;
/// Share of an energy below which its changes are rounding.
const NOISE: f64 = 1e-11;
/// After so many iterations in a row that hardly move anything it is given up.
const IDLE: u32 = 5;

/// Moves `x` to the minimum of the energy. Returns the pairs near it.
///
/// It ends after a move that was allowed in full, that changed no velocity by more than the
/// tolerance, and after which the forces on every body balance. A move alone says nothing about
/// forces: a barrier that pushes a little is so steep, compared with its push, that what a move of
/// the tolerance changes is more than all of it.
pub fn minimise(
    objective: &mut Objective<'_>,
    x: &mut Vec<DVec3>,
    mut pairs: Vec<Pair>,
    workspace: &mut Workspace,
    report: &mut Report,
) -> Result<Vec<Pair>, Failure> {
    let enough = objective.settings.tolerance * objective.scale.sqrt();
    let size = if objective.stride.is_finite() { objective.stride } else { 0.0 };
    let nothing = (ROUNDING * enough).max(DIGITS * size);
    let mut tightest = f64::INFINITY;
    let mut slope = objective.slope(x, &pairs);
    let (mut farthest, mut idle) = (0, 0);
    let most = objective.settings.cut_short.unwrap_or(objective.settings.max_iterations);
    for _ in 0..most {
        let mut watch = Instant::now();
        let mut lap = |phase: usize| {
            report.seconds[phase] += watch.elapsed().as_secs_f64();
            watch = Instant::now();
        };
        if workspace.stop.asked() {
            return Err(Failure::Stopped);
        }
        objective.assemble(x, &pairs, workspace)?;
        lap(0);
        let (mut direction, drop) = direction(objective, &mut workspace.matrix, &slope.gradient)?;
        lap(1);
        report.iterations += 1;
        let longest;
        (farthest, longest) = largest(&direction);
        let taken = (objective.stride / longest).min(1.0);
        if taken < 1.0 {
            direction.iter_mut().for_each(|p| *p *= taken);
        }
        let whole: Vec<DVec3> = x.iter().zip(&direction).map(|(x, p)| *x + *p).collect();
        pairs = objective.near(x, &whole);
        let mut share = objective.safe_share(x, &direction, &pairs);
        lap(2);
        let before = objective.energy(x, &pairs);
        let mut halvings = 0;
        let new = loop {
            let new: Vec<DVec3> = x.iter().zip(&direction).map(|(x, p)| *x + share * *p).collect();
            // The last digits of the energy are noise, and cannot judge what changes no others.
            let after = objective.energy(&new, &pairs);
            if after <= before + 1e-13 * before.abs() || drop <= NOISE * before.abs() {
                break new;
            }
            share *= 0.5;
            halvings += 1;
            if workspace.stop.asked() {
                return Err(Failure::Stopped);
            }
            if halvings == HALVINGS {
                // So close to the minimum that rounding hides it.
                let close = longest <= enough;
                return if close { Ok(pairs) } else { Err(Failure::Stuck(farthest)) };
            }
        };
        *x = new;
        let gap = objective.smallest_share(x, &pairs);
        if gap < TIGHT && gap < tightest {
            objective.stiffness =
                (2.0 * objective.stiffness).min(FIRMEST * objective.settings.stiffness);
        }
        tightest = gap;
        slope = objective.slope(x, &pairs);
        lap(3);
        let moved = share * taken * longest;
        idle = if moved <= ROUNDING * enough { idle + 1 } else { 0 };
        if idle == IDLE && longest > enough {
            return Err(Failure::Stuck(farthest));
        }
        let balanced = slope.imbalance <= objective.settings.force_tolerance;
        // A move that the line search shrinks to nothing is hidden by the noise of the energy.
        let settled = share == 1.0 || idle > 0;
        if longest <= nothing || (longest <= enough && settled && balanced) {
            return Ok(pairs);
        }
    }
    if objective.settings.cut_short.is_some() {
        return Ok(pairs);
    }
    Err(Failure::Slow(most, farthest))
}

/// The vertex that moves farthest along an axis, and how far.
fn largest(moves: &[DVec3]) -> (u32, f64) {
    let farther = |best: (u32, f64), (v, p): (u32, &DVec3)| {
        let length = p.abs().max_element();
        if length > best.1 { (v, length) } else { best }
    };
    (0u32..).zip(moves).fold((0, 0.0), farther)
}

/// Newton's direction, and by how much the energy should fall. The matrix is made positive definite
/// if rounding has spoilt that.
fn direction(
    objective: &Objective<'_>,
    matrix: &mut BlockMatrix,
    gradient: &[DVec3],
) -> Result<(Vec<DVec3>, f64), Failure> {
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
    if found.iter().any(|p| !p.is_finite()) {
        return Err(Unsolvable::Indefinite.into());
    }
    let drop = 0.5 * found.iter().zip(&down).map(|(p, g)| p.dot(*g)).sum::<f64>();
    Ok((objective.unknowns.spread(&found), drop))
}
