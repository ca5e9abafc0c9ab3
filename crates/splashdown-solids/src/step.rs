//! One time step: the minimum of one energy, found by Newton's method without ever leaving the states in
//! which nothing intersects and nothing is inverted (Li et al. 2020, algorithm 1).
//!
//! ```text
//! (S1)  E(x) = ½ Σ m |x − x̂|² + ĥ² (Ψ(x) + κ d̂ Σ A b(x) + friction + drag)
//! (S2)  implicit Euler: x̂ = xⁿ + h vⁿ + h² g,   ĥ = h,   vⁿ⁺¹ = (xⁿ⁺¹ − xⁿ)/h
//! (S3)  BDF2, steps h after h₋, r = h/h₋, α = (1 + 2r)/(1 + r), ĥ = h/α:
//!       [x] = (1 + r) xⁿ − r²/(1 + r) xⁿ⁻¹, likewise [v];
//!       x̂ = [x]/α + ĥ [v]/α + ĥ² g,   vⁿ⁺¹ = (α xⁿ⁺¹ − [x])/h
//! ```
//!
//! Driven vertices are pulled to where they should be by springs that are stiffer than everything around
//! them by a factor of a million (inertia) and a thousand (elasticity).

use std::time::Instant;

use glam::DVec3;
use rayon::prelude::*;

use crate::candidates::{candidates, gather};
use crate::contact::{self, Pair};
use crate::dense::{Mat12, projected};
use crate::friction::Slip;
use crate::matrix::{BlockMatrix, Key, Unsolvable, key};
use crate::solids::{Hold, Integrator, Past, Settings, Solids};
use crate::verify::{Violation, violation};
use crate::{ccd, inversion};

/// κ is doubled while a gap below this share of the reach shrinks further …
const TIGHT: f64 = 1e-3;
/// … up to this factor in one step.
const FIRMEST: f64 = 1e6;
/// How often the line search halves a step.
const HALVINGS: u32 = 60;
/// Marks a vertex that is no unknown.
const NONE: u32 = u32::MAX;

/// Memory of a step that may be kept from one to the next; no part of the state.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    matrix: BlockMatrix,
}

/// What a step did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Newton iterations.
    pub iterations: u32,
    /// Pairs that push.
    pub contacts: usize,
    /// The smallest gap, m; infinite without contacts.
    pub smallest_gap: f64,
    /// Largest distance of a driven vertex from where it should be, m.
    pub lag: f64,
    /// Force of contact and friction on each body, N.
    pub forces: Vec<DVec3>,
    /// Seconds of assembly, factorisation and solution, collision detection, line search.
    pub seconds: [f64; 4],
}

/// Why a step could not be done. The state is as it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Failure {
    /// Newton took too long.
    #[error("{0} Newton iterations did not reach the tolerance")]
    Slow(u32),
    /// No step makes the energy smaller.
    #[error("no move along Newton's direction lowers the energy")]
    Stuck,
    /// See `Unsolvable`.
    #[error("{0}")]
    Unsolvable(#[from] Unsolvable),
    /// The state that was found violates what it must not: this is a mistake in the program.
    #[error("an accepted state is not allowed: {0:?}")]
    Violation(Violation),
}

/// The energy of a step.
struct Objective<'a> {
    solids: &'a Solids,
    settings: &'a Settings,
    /// x̂; for driven vertices where they should be.
    goal: Vec<DVec3>,
    /// What holds a vertex to its goal: mass, or the spring of a driven one times ĥ².
    weight: Vec<f64>,
    /// Δt
    dt: f64,
    /// ĥ²
    scale: f64,
    /// κ
    stiffness: f64,
    slips: Vec<Slip>,
    /// Unknown of each vertex.
    unknown: Vec<u32>,
    count: usize,
}

/// Backward differences (S2), (S3).
struct Difference {
    alpha: f64,
    position: Vec<DVec3>,
    velocity: Vec<DVec3>,
}

impl Difference {
    fn new(solids: &Solids, dt: f64, integrator: Integrator) -> Difference {
        let Past { position, velocity, dt: last } = &solids.past;
        if integrator == Integrator::ImplicitEuler || position.len() != solids.position.len() {
            let (position, velocity) = (solids.position.clone(), solids.velocity.clone());
            return Difference { alpha: 1.0, position, velocity };
        }
        let r = dt / last;
        let [now, before] = [1.0 + r, r * r / (1.0 + r)];
        let back = |new: &[DVec3], old: &[DVec3]| {
            new.iter().zip(old).map(|(n, o)| now * *n - before * *o).collect()
        };
        Difference {
            alpha: (1.0 + 2.0 * r) / (1.0 + r),
            position: back(&solids.position, position),
            velocity: back(&solids.velocity, velocity),
        }
    }
}

/// Advances `solids` by `dt`. `target` says where driven vertices are at the end of the step, and `force`
/// are other forces on each vertex (N), or nothing.
pub fn step(
    solids: &mut Solids,
    workspace: &mut Workspace,
    settings: &Settings,
    dt: f64,
    gravity: DVec3,
    force: &[DVec3],
    target: impl Fn(u32) -> DVec3,
) -> Result<Report, Failure> {
    let difference = Difference::new(solids, dt, settings.integrator);
    let (alpha, n) = (difference.alpha, solids.position.len());
    let step = dt / alpha;
    let mut goal = solids.position.clone();
    let mut weight = solids.mass.clone();
    let mut unknown = vec![NONE; n];
    let mut count = 0;
    for v in 0..n {
        match solids.hold[v] {
            Hold::Fixed => continue,
            Hold::Driven => {
                goal[v] = target(v as u32);
                let mass = solids.mass[v].max(1e-3); // obstacles have none, and need none
                weight[v] = 1e6 * mass + 1e3 * step * step * solids.firmness[v];
            }
            Hold::Free => {
                let pull = force.get(v).map_or(DVec3::ZERO, |f| *f / solids.mass[v]);
                goal[v] = (difference.position[v] + step * difference.velocity[v]) / alpha
                    + step * step * (gravity + pull);
            }
        }
        unknown[v] = count;
        count += 1;
    }
    let mut objective = Objective {
        solids,
        settings,
        goal,
        weight,
        dt,
        scale: step * step,
        // Friction begins with the pushes of the last step, and so with its κ.
        stiffness: if solids.stiffness > 0.0 { solids.stiffness } else { settings.stiffness },
        slips: Vec::new(),
        unknown,
        count: count as usize,
    };
    let mut report = Report { smallest_gap: f64::INFINITY, ..Report::default() };
    let mut x = solids.position.clone();
    let mut pairs = objective.near(&x, &x);
    for _ in 0..settings.friction_updates.max(1) {
        objective.slips = objective.lagged(&x, &pairs);
        objective.stiffness = settings.stiffness;
        pairs = objective.minimise(&mut x, pairs, workspace, &mut report)?;
    }
    objective.finish(&x, &pairs, &mut report);
    if settings.verify
        && let Some(found) = violation(solids, &x)
    {
        return Err(Failure::Violation(found));
    }
    let stiffness = objective.stiffness;
    let velocity: Vec<DVec3> =
        x.iter().zip(&difference.position).map(|(x, past)| (alpha * *x - *past) / dt).collect();
    solids.stiffness = stiffness;
    solids.past = Past {
        position: std::mem::replace(&mut solids.position, x),
        velocity: std::mem::replace(&mut solids.velocity, velocity),
        dt,
    };
    let held = solids.hold.iter().zip(&mut solids.velocity);
    held.filter(|(hold, _)| **hold == Hold::Fixed).for_each(|(_, v)| *v = DVec3::ZERO);
    Ok(report)
}

impl Objective<'_> {
    /// Pairs that may push while vertices move from `from` to `to`.
    fn near(&self, from: &[DVec3], to: &[DVec3]) -> Vec<Pair> {
        let gap = self.settings.gap;
        candidates(self.solids, from, to, gap.reach + gap.thickness)
    }

    /// κ d̂ A
    fn strength(&self, pair: &Pair) -> f64 {
        self.stiffness * self.settings.gap.reach * pair.area
    }

    /// The contacts at `x` as friction remembers them.
    fn lagged(&self, x: &[DVec3], pairs: &[Pair]) -> Vec<Slip> {
        let mu = &self.solids.friction;
        let slip = |pair: &Pair| {
            let [a, .., b] = pair.vertices.map(|v| mu[v as usize]);
            let friction = (a * b).sqrt();
            let places = gather(x, &pair.vertices);
            let (push, closest) = contact::push(pair.kind, &places, self.settings.gap)?;
            let limit = friction * self.strength(pair) * push;
            let normal = closest.separation(&places).try_normalize()?;
            let (vertices, weights) = (pair.vertices, closest.weights);
            (limit > 0.0).then_some(Slip { vertices, weights, normal, limit })
        };
        pairs.par_iter().filter_map(slip).collect()
    }

    /// Moves `x` to the minimum of the energy. Returns the pairs near it.
    fn minimise(
        &mut self,
        x: &mut Vec<DVec3>,
        mut pairs: Vec<Pair>,
        workspace: &mut Workspace,
        report: &mut Report,
    ) -> Result<Vec<Pair>, Failure> {
        let enough = self.settings.tolerance * self.scale.sqrt();
        let mut tightest = f64::INFINITY;
        for _ in 0..self.settings.max_iterations {
            let mut watch = Instant::now();
            let mut lap = |phase: usize| {
                report.seconds[phase] += watch.elapsed().as_secs_f64();
                watch = Instant::now();
            };
            let gradient = self.gradient(x, &pairs);
            self.assemble(x, &pairs, &mut workspace.matrix)?;
            lap(0);
            let direction = self.direction(&mut workspace.matrix, &gradient)?;
            lap(1);
            report.iterations += 1;
            let longest = direction.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
            if longest <= enough {
                return Ok(pairs);
            }
            let whole: Vec<DVec3> = x.iter().zip(&direction).map(|(x, p)| *x + *p).collect();
            pairs = self.near(x, &whole);
            let mut share = self.safe_share(x, &direction, &pairs);
            lap(2);
            let before = self.energy(x, &pairs);
            let mut halvings = 0;
            let new = loop {
                let new: Vec<DVec3> =
                    x.iter().zip(&direction).map(|(x, p)| *x + share * *p).collect();
                // The last digits of the energy are noise.
                if self.energy(&new, &pairs) <= before + 1e-13 * before.abs() {
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
            let gap = self.smallest_share(x, &pairs);
            if gap < TIGHT * TIGHT && gap < tightest {
                self.stiffness = (2.0 * self.stiffness).min(FIRMEST * self.settings.stiffness);
            }
            tightest = gap;
        }
        Err(Failure::Slow(self.settings.max_iterations))
    }

    /// Newton's direction. The matrix is made positive definite if rounding has spoilt that.
    fn direction(
        &self,
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
                    let diagonal = matrix.diagonal();
                    for (k, d) in (0u32..).zip(diagonal) {
                        let slot = matrix.slot(key(k, k)).unwrap_or_default();
                        let block = matrix.block(slot);
                        [0, 4, 8]
                            .iter()
                            .zip(d.to_array())
                            .for_each(|(&i, d)| block[i] += shift * d);
                    }
                }
                Err(error) => return Err(error.into()),
            }
        };
        let of = |&u: &u32| if u == NONE { DVec3::ZERO } else { found[u as usize] };
        Ok(self.unknown.iter().map(of).collect())
    }

    /// (S1)
    fn energy(&self, x: &[DVec3], pairs: &[Pair]) -> f64 {
        let solids = self.solids;
        let to_goal: f64 = (0..x.len())
            .filter(|&v| self.unknown[v] != NONE)
            .map(|v| {
                let drag = self.drag(v);
                let moved = (x[v] - solids.position[v]).length_squared();
                0.5 * self.weight[v] * (x[v] - self.goal[v]).length_squared() + 0.5 * drag * moved
            })
            .sum();
        let elements: Vec<f64> =
            solids.elements.par_iter().map(|e| e.energy(&gather(x, &e.vertices))).collect();
        let barrier = |pair: &Pair| {
            self.strength(pair)
                * contact::energy(pair.kind, &gather(x, &pair.vertices), self.settings.gap)
        };
        let barriers: Vec<f64> = pairs.par_iter().map(barrier).collect();
        let epsilon = self.settings.friction_speed * self.dt;
        let slip = |slip: &Slip| slip.energy(&self.moved(x, &slip.vertices), epsilon);
        let slips: Vec<f64> = self.slips.par_iter().map(slip).collect();
        let sum = |values: &[f64]| values.iter().sum::<f64>();
        to_goal + self.scale * (sum(&elements) + sum(&barriers) + sum(&slips))
    }

    /// How far vertices have moved in this step.
    fn moved(&self, x: &[DVec3], vertices: &[u32; 4]) -> [DVec3; 4] {
        vertices.map(|v| x[v as usize] - self.solids.position[v as usize])
    }

    /// ĥ² c m / Δt of a vertex that is damped at the rate c.
    fn drag(&self, v: usize) -> f64 {
        self.scale * self.solids.drag[v] * self.solids.mass[v] / self.dt
    }

    /// First derivatives of (S1) by the unknowns.
    fn gradient(&self, x: &[DVec3], pairs: &[Pair]) -> Vec<DVec3> {
        let all = self.forces(x, pairs);
        let mut gradient = vec![DVec3::ZERO; self.count];
        for (v, &u) in self.unknown.iter().enumerate().filter(|(_, u)| **u != NONE) {
            gradient[u as usize] = self.weight[v] * (x[v] - self.goal[v])
                + self.drag(v) * (x[v] - self.solids.position[v])
                + self.scale * all[v];
        }
        gradient
    }

    /// Derivatives of elastic, barrier and friction energies by all vertices, N.
    fn forces(&self, x: &[DVec3], pairs: &[Pair]) -> Vec<DVec3> {
        let mut all = self.contact_forces(x, pairs);
        let elements: Vec<[DVec3; 4]> =
            self.solids.elements.par_iter().map(|e| e.gradient(&gather(x, &e.vertices))).collect();
        for (element, parts) in self.solids.elements.iter().zip(&elements) {
            scatter(&mut all, &element.vertices, parts);
        }
        all
    }

    /// Derivatives of barrier and friction energies by all vertices, N.
    fn contact_forces(&self, x: &[DVec3], pairs: &[Pair]) -> Vec<DVec3> {
        let mut all = vec![DVec3::ZERO; x.len()];
        let of_pair = |pair: &Pair| {
            let strength = self.strength(pair);
            contact::gradient(pair.kind, &gather(x, &pair.vertices), self.settings.gap)
                .map(|g| strength * g)
        };
        let barriers: Vec<[DVec3; 4]> = pairs.par_iter().map(of_pair).collect();
        for (pair, parts) in pairs.iter().zip(&barriers) {
            scatter(&mut all, &pair.vertices, parts);
        }
        let epsilon = self.settings.friction_speed * self.dt;
        let of_slip = |slip: &Slip| slip.gradient(&self.moved(x, &slip.vertices), epsilon);
        let slips: Vec<[DVec3; 4]> = self.slips.par_iter().map(of_slip).collect();
        for (slip, parts) in self.slips.iter().zip(&slips) {
            scatter(&mut all, &slip.vertices, parts);
        }
        all
    }

    /// Second derivatives of (S1), each energy's part without negative eigenvalues.
    fn assemble(
        &self,
        x: &[DVec3],
        pairs: &[Pair],
        matrix: &mut BlockMatrix,
    ) -> Result<(), Unsolvable> {
        let (gap, epsilon) = (self.settings.gap, self.settings.friction_speed * self.dt);
        let active: Vec<(&Pair, Mat12)> = pairs
            .par_iter()
            .filter_map(|pair| {
                let places = gather(x, &pair.vertices);
                let near = pair.kind.closest(&places).squared(&places) < gap.squared_reach();
                near.then(|| {
                    let stiffness = self.strength(pair) * self.scale;
                    (pair, projected(&(contact::hessian(pair.kind, &places, gap) * stiffness)))
                })
            })
            .collect();
        let slips: Vec<Mat12> = self
            .slips
            .par_iter()
            .map(|slip| slip.hessian(&self.moved(x, &slip.vertices), epsilon) * self.scale)
            .collect();
        let elements: Vec<Mat12> = self
            .solids
            .elements
            .par_iter()
            .map(|e| e.hessian(&gather(x, &e.vertices), true) * self.scale)
            .collect();

        let contacts = active.iter().map(|(pair, h)| (&pair.vertices, h));
        let slips = self.slips.iter().map(|slip| &slip.vertices).zip(&slips);
        let elements = self.solids.elements.iter().map(|e| &e.vertices).zip(&elements);
        let parts: Vec<(&[u32; 4], &Mat12)> = elements.chain(contacts).chain(slips).collect();
        let mut keys: Vec<Key> = (0..self.count as u32).map(|u| key(u, u)).collect();
        for (vertices, _) in &parts {
            let unknowns = vertices.map(|v| self.unknown[v as usize]);
            for (i, &a) in unknowns.iter().enumerate().filter(|(_, a)| **a != NONE) {
                keys.extend(unknowns[..i].iter().filter(|b| **b != NONE).map(|&b| key(a, b)));
            }
        }
        keys.par_sort_unstable();
        keys.dedup();
        matrix.begin(self.count, keys)?;
        for (v, &u) in self.unknown.iter().enumerate().filter(|(_, u)| **u != NONE) {
            let slot = matrix.slot(key(u, u)).unwrap_or_default();
            let own = self.weight[v] + self.drag(v);
            [0, 4, 8].iter().for_each(|&i| matrix.block(slot)[i] += own);
        }
        for (vertices, h) in parts {
            let unknowns = vertices.map(|v| self.unknown[v as usize]);
            for (i, &a) in unknowns.iter().enumerate().filter(|(_, a)| **a != NONE) {
                for (j, &b) in unknowns.iter().enumerate().filter(|(_, b)| **b <= a) {
                    let slot = matrix.slot(key(a, b)).unwrap_or_default();
                    let block = matrix.block(slot);
                    for (k, entry) in block.iter_mut().enumerate() {
                        *entry += h[(3 * i + k / 3, 3 * j + k % 3)];
                    }
                }
            }
        }
        Ok(())
    }

    /// The largest share of a move on which nothing touches and nothing is inverted.
    fn safe_share(&self, x: &[DVec3], direction: &[DVec3], pairs: &[Pair]) -> f64 {
        let smallest = |shares: Vec<f64>| shares.into_iter().fold(1.0, f64::min);
        let thickness = self.settings.gap.thickness;
        let kept = smallest(
            self.solids
                .elements
                .par_iter()
                .map(|e| {
                    let v = &e.vertices;
                    inversion::safe_share(&gather(x, v), &gather(direction, v), 1.0)
                })
                .collect(),
        );
        smallest(
            pairs
                .par_iter()
                .map(|pair| {
                    let v = &pair.vertices;
                    ccd::safe_share(
                        pair.kind,
                        &gather(x, v),
                        &gather(direction, v),
                        thickness,
                        kept,
                    )
                })
                .collect(),
        )
        .min(kept)
    }

    /// The smallest s of the barrier.
    fn smallest_share(&self, x: &[DVec3], pairs: &[Pair]) -> f64 {
        let share = |pair: &Pair| {
            let places = gather(x, &pair.vertices);
            self.settings.gap.share(pair.kind.closest(&places).squared(&places))
        };
        pairs.par_iter().map(share).reduce(|| f64::INFINITY, f64::min)
    }

    /// What there is to say about the state that was found.
    fn finish(&self, x: &[DVec3], pairs: &[Pair], report: &mut Report) {
        let gap = self.settings.gap;
        for pair in pairs {
            let places = gather(x, &pair.vertices);
            let distance = pair.kind.closest(&places).squared(&places).sqrt() - gap.thickness;
            if distance < gap.reach {
                report.contacts += 1;
                report.smallest_gap = report.smallest_gap.min(distance);
            }
        }
        let forces = self.contact_forces(x, pairs);
        let bodies = self.solids.bodies.iter();
        report.forces = bodies
            .map(|body| forces[body.vertices.clone()].iter().map(|g| -*g).sum::<DVec3>())
            .collect();
        let driven = (0..x.len()).filter(|&v| self.solids.hold[v] == Hold::Driven);
        report.lag = driven.map(|v| x[v].distance(self.goal[v])).fold(0.0, f64::max);
    }
}

fn scatter(all: &mut [DVec3], vertices: &[u32; 4], parts: &[DVec3; 4]) {
    for (&v, part) in vertices.iter().zip(parts) {
        all[v as usize] += *part;
    }
}
