//! The energy of a step (S1) as a list of potentials, and what Newton's method asks of it.

use std::sync::OnceLock;

use glam::DVec3;
use rayon::prelude::*;
use splashdown_solve::block_matrix::{BlockMatrix, Unsolvable};
use splashdown_solve::newton::{self, Energy, Problem};
use splashdown_solve::stop::Stop;

use crate::assembly::Assembly;
use crate::balance::{Balance, Forces};
use crate::candidates::{candidates, gather};
use crate::contact::{self, Pair};
use crate::crowd::{Account, Crowd};
use crate::damping::Damping;
use crate::friction::Slip;
use crate::guests::{Guest, Linear};
use crate::inertia::Inertia;
use crate::medium::Joint;
use crate::outcome::{Failure, Report};
use crate::parts::Parts;
use crate::potentials::{Barriers, Elements, Frictions, Given, InMedium, Potential};
use crate::solids::{Hold, Settings, Solids};
use crate::unknowns::Unknowns;
use crate::workspace::Workspace;

/// κ is doubled while a gap below this share of the reach shrinks further …
const TIGHT_GAP: f64 = 1e-3;
/// … up to this factor in one step.
const MAX_STIFFENING: f64 = 1e6;

/// The energy of a step.
pub struct Objective<'a> {
    /// The state at the beginning of the step.
    pub solids: &'a Solids,
    /// How a step is solved.
    pub settings: &'a Settings,
    /// x̂; for driven vertices where they should be.
    pub goal: Vec<DVec3>,
    /// What holds a vertex to its goal: mass, or the spring of a driven one times ĥ².
    pub weight: Vec<f64>,
    /// Weight of each vertex, N.
    pub load: Vec<f64>,
    /// F: forces on each vertex that nothing here changes, N; or nothing.
    pub force: &'a [DVec3],
    /// Δt
    pub dt: f64,
    /// ĥ²
    pub scale: f64,
    /// κ
    pub stiffness: f64,
    /// Kelvin-Voigt damping of the elements that have it.
    pub damping: Vec<Damping>,
    /// Pairs that may push, or meet on the way.
    pub pairs: Vec<Pair>,
    /// Contacts as friction remembers them.
    pub slips: Vec<Slip>,
    /// How far vertices may go in one iteration, m.
    pub stride: f64,
    /// Whether the step is to end at once.
    pub stop: Stop,
    /// What is solved for.
    pub unknowns: Unknowns,
    /// Where the unknowns rest.
    pub places: Vec<DVec3>,
    /// What takes part besides the bodies.
    pub crowd: Option<Crowd<'a>>,
    /// Which potentials there are.
    pub parts: Parts<'a>,
}

impl Objective<'_> {
    /// Pairs that may push while vertices move from `from` to `to`.
    pub fn near(&self, from: &[DVec3], to: &[DVec3]) -> Vec<Pair> {
        let gap = self.settings.gap;
        candidates(self.solids, from, to, gap.reach + gap.thickness)
    }

    /// Looks for all that may meet while points move from `from` to `to`.
    pub fn look(&mut self, from: &[DVec3], to: &[DVec3]) {
        if self.parts.contact > 0.0 {
            self.pairs = self.near(from, to);
        }
        if let Some(crowd) = &mut self.crowd {
            crowd.meetings = crowd.near(from, to);
        }
    }

    fn inertia(&self) -> Inertia<'_> {
        let Objective { solids, goal, weight, unknowns, dt, scale, .. } = self;
        Inertia { solids, goal, weight, unknowns, dt: *dt, scale: *scale }
    }

    /// All guests.
    fn guests(&self) -> &[Guest] {
        self.crowd.as_ref().map_or(&[], |crowd| crowd.guests.all)
    }

    fn barriers(&self) -> Barriers<'_> {
        let Parts { contact, projects, .. } = self.parts;
        let (gap, stiffness, stop) = (self.settings.gap, contact * self.stiffness, self.stop);
        let pushing = OnceLock::new();
        Barriers { pairs: &self.pairs, gap, stiffness, projects, stop, pushing }
    }

    /// Friction of this step.
    pub fn frictions(&self) -> Frictions<'_> {
        Frictions { slips: &self.slips, start: &self.solids.position, epsilon: self.epsilon() }
    }

    /// ε_v Δt
    pub fn epsilon(&self) -> f64 {
        self.settings.friction_speed * self.dt
    }

    /// The list of potentials. What goes on within bodies is first.
    fn with_potentials<R>(&self, f: impl FnOnce(&[&dyn Potential]) -> R) -> R {
        let Parts { elasticity, models, medium, projects, .. } = self.parts;
        let damping = &self.damping[..];
        let elements = Elements { elements: &self.solids.elements, damping, projects };
        let (barriers, frictions, given) = (self.barriers(), self.frictions(), Given(self.force));
        let crowd = self.crowd.as_ref();
        let of_guests = crowd.map(|c| (c.barriers(self.stop), c.frictions(self.epsilon())));
        let medium = medium.map(InMedium);
        let mut all: Vec<&dyn Potential> = Vec::new();
        if elasticity {
            all.push(&elements);
        }
        all.extend([&barriers as &dyn Potential, &frictions, &given]);
        if let Some((barriers, frictions)) = &of_guests {
            all.extend([barriers as &dyn Potential, frictions]);
        }
        all.extend(models.iter().map(|model| model as &dyn Potential));
        all.extend(medium.iter().map(|medium| medium as &dyn Potential));
        f(&all)
    }

    /// (S1)
    pub fn energy(&self, x: &[DVec3]) -> f64 {
        let sum: f64 = self.with_potentials(|all| all.iter().map(|p| p.value(x)).sum());
        self.inertia().value(x) + self.scale * sum
    }

    /// Derivatives of all potentials by all vertices.
    fn forces(&self, x: &[DVec3]) -> Forces {
        self.with_potentials(|potentials| {
            let mut all = vec![DVec3::ZERO; x.len()];
            let outer = potentials.iter().filter(|p| !p.is_internal());
            outer.for_each(|p| p.add_gradient(x, &mut all));
            let mut applied = all.clone();
            for inner in potentials.iter().filter(|p| p.is_internal()) {
                inner.add_applied(x, &mut applied);
                inner.add_gradient(x, &mut all);
            }
            Forces { applied, all }
        })
    }

    /// First derivatives of (S1) by the unknowns, and the force that is left over on a body, over
    /// those that are there; the largest.
    pub(crate) fn slope(&self, x: &[DVec3]) -> (Vec<DVec3>, f64) {
        let forces = self.forces(x);
        let mut by_vertex = vec![DVec3::ZERO; x.len()];
        self.inertia().add_gradient(x, &mut by_vertex);
        let both = by_vertex.iter_mut().zip(&forces.all);
        both.for_each(|(sum, force)| *sum += self.scale * *force);
        let gradient = self.unknowns.gather(&by_vertex);
        let (inertia, load, guests) = (self.inertia(), &self.load, self.guests());
        let left = Balance { inertia, load, guests }.imbalance(x, &forces, &gradient);
        (gradient, left)
    }

    /// Second derivatives of (S1), each potential's part without negative eigenvalues.
    pub fn assemble(&self, x: &[DVec3], workspace: &mut Workspace) -> Result<(), Unsolvable> {
        let Workspace { pattern, matrix, elimination, active, .. } = workspace;
        *active = self.parts.medium.map(|medium| medium.active(x)).unwrap_or_default();
        pattern.fit(self.solids, &self.unknowns);
        let (first, guests) = (self.solids.position.len(), self.guests().len());
        self.with_potentials(|potentials| {
            let couplings: Vec<_> = potentials.iter().flat_map(|p| p.couplings(x)).collect();
            let (unknowns, scale) = (&self.unknowns, self.scale);
            let eliminates = self.eliminates();
            let (size, keys) = if eliminates {
                elimination.begin((first, guests), unknowns, &couplings);
                let others = couplings.iter().filter(|c| (c[0] as usize) < first);
                let of_guests = Some(elimination.keys());
                (unknowns.of_bodies, pattern.keys_with(unknowns, others, of_guests))
            } else {
                (unknowns.count, pattern.keys_with(unknowns, couplings.iter(), None))
            };
            if size > 0 {
                matrix.begin(&self.places[..size], keys)?;
            }
            let elimination = eliminates.then_some(elimination);
            let mut assembly = Assembly { matrix, pattern, unknowns, scale, elimination };
            self.inertia().add_hessian(x, &mut assembly);
            potentials.iter().for_each(|p| p.add_hessian(x, &mut assembly));
            assembly.finish(self.parts.medium.is_none())
        })
    }

    /// Whether rows of guests stand apart from those of bodies.
    fn eliminates(&self) -> bool {
        self.parts.medium.is_some()
            || self
                .crowd
                .as_ref()
                .is_some_and(|crowd| crowd.guests.settings.linear == Linear::Schur)
    }

    /// Solves with the matrix that was assembled last.
    pub(crate) fn solve(
        &self,
        workspace: &mut Workspace,
        right: &[DVec3],
    ) -> Result<Vec<DVec3>, Unsolvable> {
        if let Some(medium) = self.parts.medium {
            let Workspace { matrix, elimination, active, .. } = workspace;
            if self.unknowns.of_bodies > 0 {
                raised(matrix, BlockMatrix::factorise)?;
            }
            let (unknowns, scale, stop) = (&self.unknowns, self.scale, self.stop);
            let joint = Joint { matrix, elimination, unknowns, medium, active, scale, stop };
            let (found, iterations) = joint.solve(right)?;
            workspace.linear_iterations += iterations;
            return Ok(found);
        }
        if !self.eliminates() {
            return solve_raised(&mut workspace.matrix, right);
        }
        let (reduced, of_guests) = workspace.elimination.reduce(right);
        // Where bodies have no unknowns there is nothing left to solve.
        let found = match reduced.is_empty() {
            true => reduced,
            false => solve_raised(&mut workspace.matrix, &reduced)?,
        };
        Ok(workspace.elimination.expand(found, &of_guests))
    }

    /// Moves `x` to the minimum of the energy.
    pub fn minimise(
        &mut self,
        x: &mut Vec<DVec3>,
        workspace: &mut Workspace,
        report: &mut Report,
    ) -> Result<(), Failure> {
        let params = newton::Params {
            tolerance: self.settings.tolerance * self.scale.sqrt(),
            stride: self.stride,
            max_iterations: self.settings.cut_short.unwrap_or(self.settings.max_iterations),
            stop: workspace.stop,
        };
        let gradient = Vec::new();
        let tightest = [f64::INFINITY; 2];
        let mut descent = Descent { objective: self, workspace, gradient, tightest };
        let done = match newton::minimise(&mut descent, x, &params) {
            Err(newton::Error::Slow(done)) if self.settings.cut_short.is_some() => done,
            done => done?,
        };
        report.iterations += done.iterations;
        report.linear_iterations += std::mem::take(&mut workspace.linear_iterations);
        report.seconds.iter_mut().zip(done.seconds).for_each(|(sum, part)| *sum += part);
        Ok(())
    }

    /// The contacts at `x` as friction remembers them.
    pub fn lagged(&self, x: &[DVec3]) -> Vec<Slip> {
        let (mu, barriers) = (&self.solids.friction, self.barriers());
        let slip = |pair: &Pair| {
            let [a, .., b] = pair.vertices.map(|v| mu[v as usize]);
            let friction = (a * b).sqrt();
            let places = gather(x, &pair.vertices);
            let (force, closest) =
                contact::barrier_force(pair.kind, &places, pair.gap(self.settings.gap))?;
            let limit = friction * barriers.strength(pair) * force;
            let normal = closest.separation(&places).try_normalize()?;
            let (vertices, weights) = (pair.vertices, closest.weights);
            (limit > 0.0).then_some(Slip { vertices, weights, normal, limit })
        };
        self.pairs.par_iter().filter_map(slip).collect()
    }

    /// How far apart the features of a pair are, apart from their thickness, m.
    fn distance(&self, x: &[DVec3], pair: &Pair) -> f64 {
        let places = gather(x, &pair.vertices);
        let squared = pair.kind.closest(&places).squared(&places);
        squared.sqrt() - pair.gap(self.settings.gap).thickness
    }

    /// The smallest distance over the reach.
    fn smallest_share(&self, x: &[DVec3]) -> f64 {
        let share = |pair: &Pair| self.distance(x, pair) / pair.gap(self.settings.gap).reach;
        self.pairs.par_iter().map(share).reduce(|| f64::INFINITY, f64::min)
    }

    /// A failure that names a vertex, where it would name a guest: one that the guest meets.
    pub(crate) fn among_vertices(&self, failure: Failure) -> Failure {
        let vertex = |v: u32| match &self.crowd {
            Some(crowd) if v as usize >= self.solids.position.len() => {
                crowd.vertex_near(v).unwrap_or_default()
            }
            _ => v,
        };
        match failure {
            Failure::Slow(iterations, v, by) => Failure::Slow(iterations, vertex(v), by),
            Failure::Stuck(v, by) => Failure::Stuck(vertex(v), by),
            other => other,
        }
    }

    /// What would hold every vertex at `x` against its inertia, N.
    fn pulls(&self, x: &[DVec3]) -> Vec<DVec3> {
        let mut pulls = vec![DVec3::ZERO; x.len()];
        self.inertia().add_gradient(x, &mut pulls);
        pulls.truncate(self.solids.position.len());
        for (pull, hold) in pulls.iter_mut().zip(&self.solids.hold) {
            *pull = if *hold == Hold::Free { *pull / self.scale } else { DVec3::ZERO };
        }
        pulls
    }

    /// The forces on every vertex at `x` that come from no body, N, or nothing: those that are
    /// given, those of guests, which `report` has, and of what these have in common.
    pub(crate) fn outer_forces(&self, x: &[DVec3], report: &Report) -> Vec<DVec3> {
        if self.force.is_empty() && self.crowd.is_none() {
            return Vec::new();
        }
        let mut sum = vec![DVec3::ZERO; self.solids.position.len()];
        for forces in [self.force, &report.guest_forces] {
            sum.iter_mut().zip(forces).for_each(|(sum, force)| *sum += *force);
        }
        if let Some(medium) = self.parts.medium {
            let mut gradient = vec![DVec3::ZERO; x.len()];
            medium.add_gradient(x, &mut gradient);
            sum.iter_mut().zip(&gradient).for_each(|(sum, g)| *sum -= *g);
        }
        sum
    }

    /// What there is to say about the state that was found.
    pub fn finish(&self, x: &[DVec3], report: &mut Report) {
        for pair in &self.pairs {
            let distance = self.distance(x, pair);
            if distance < pair.gap(self.settings.gap).reach {
                report.contacts += 1;
                report.smallest_gap = report.smallest_gap.min(distance);
            }
        }
        let mut forces = vec![DVec3::ZERO; x.len()];
        self.barriers().add_gradient(x, &mut forces);
        self.frictions().add_gradient(x, &mut forces);
        let bodies = self.solids.bodies.iter();
        report.forces = bodies
            .map(|body| forces[body.vertices.clone()].iter().map(|g| -*g).sum::<DVec3>())
            .collect();
        if let Some(crowd) = &self.crowd {
            let Account { contacts, gap, forces } = crowd.account(x, self.epsilon());
            (report.guest_contacts, report.guest_gap, report.guest_forces) =
                (contacts, gap, forces);
        }
        if self.parts.contact == 0.0 {
            report.pulls = self.pulls(x);
        }
        let driven = (0..self.solids.hold.len()).filter(|&v| self.solids.hold[v] == Hold::Driven);
        report.lag = driven.map(|v| x[v].distance(self.goal[v])).fold(0.0, f64::max);
    }
}

/// An objective on its way to the minimum.
struct Descent<'a, 'b> {
    objective: &'a mut Objective<'b>,
    workspace: &'a mut Workspace,
    /// The gradient by the unknowns.
    gradient: Vec<DVec3>,
    /// The smallest gap over the reach so far, between bodies and of guests.
    tightest: [f64; 2],
}

impl Problem for Descent<'_, '_> {
    type Error = Unsolvable;

    fn value(&self, x: &[DVec3]) -> f64 {
        self.objective.energy(x)
    }

    /// Small enough if the forces on every body balance.
    fn slope(&mut self, x: &[DVec3]) -> bool {
        let (gradient, imbalance) = self.objective.slope(x);
        self.gradient = gradient;
        imbalance <= self.objective.settings.force_tolerance
    }

    fn assemble(&mut self, x: &[DVec3]) -> Result<(), Unsolvable> {
        self.objective.assemble(x, self.workspace)
    }

    fn direction(&mut self) -> Result<(Vec<DVec3>, f64), Unsolvable> {
        let down: Vec<DVec3> = self.gradient.iter().map(|g| -*g).collect();
        let found = self.objective.solve(self.workspace, &down)?;
        let drop = 0.5 * found.iter().zip(&down).map(|(p, g)| p.dot(*g)).sum::<f64>();
        Ok((self.objective.unknowns.spread(&found), drop))
    }

    fn safe_step(&mut self, x: &[DVec3], direction: &[DVec3]) -> f64 {
        let objective = &mut *self.objective;
        let whole: Vec<DVec3> = x.iter().zip(direction).map(|(x, p)| *x + *p).collect();
        objective.look(x, &whole);
        objective.with_potentials(|potentials| {
            potentials.iter().fold(1.0, |share, p| p.safe_step(x, direction, share))
        })
    }

    fn accept(&mut self, x: &[DVec3]) {
        let objective = &mut *self.objective;
        let gap = objective.smallest_share(x);
        if gap < TIGHT_GAP && gap < self.tightest[0] {
            objective.stiffness = stiffened(objective.stiffness, objective.settings.stiffness);
        }
        self.tightest[0] = gap;
        if let Some(crowd) = &mut objective.crowd {
            let gap = crowd.smallest_share(x);
            if gap < TIGHT_GAP && gap < self.tightest[1] {
                crowd.stiffness = stiffened(crowd.stiffness, crowd.first_stiffness());
            }
            self.tightest[1] = gap;
        }
    }
}

/// Twice κ, which was `first` at the beginning of the step.
fn stiffened(stiffness: f64, first: f64) -> f64 {
    (2.0 * stiffness).min(MAX_STIFFENING * first)
}

/// Solves with the matrix, which is made positive definite if rounding has spoilt that.
pub(crate) fn solve_raised(
    matrix: &mut BlockMatrix,
    right: &[DVec3],
) -> Result<Vec<DVec3>, Unsolvable> {
    // Where conjugate gradients ran out of iterations: a direction all the same.
    let found = raised(matrix, |matrix| matrix.solve(right))?.x;
    match found.iter().all(|p| p.is_finite()) {
        true => Ok(found),
        false => Err(Unsolvable::Indefinite),
    }
}

/// Does what needs a positive definite matrix, and raises its diagonal if it is none by rounding.
fn raised<T>(
    matrix: &mut BlockMatrix,
    act: impl Fn(&mut BlockMatrix) -> Result<T, Unsolvable>,
) -> Result<T, Unsolvable> {
    let mut shift = 0.0;
    loop {
        match act(matrix) {
            Err(Unsolvable::Indefinite) if shift < 1e-3 => {
                shift = f64::max(1e-10, 100.0 * shift);
                matrix.raise_diagonal(shift);
            }
            done => return done,
        }
    }
}

impl From<newton::Error<Unsolvable>> for Failure {
    fn from(error: newton::Error<Unsolvable>) -> Failure {
        match error {
            newton::Error::Slow(report) => {
                Failure::Slow(report.iterations, report.farthest.0, report.farthest.1)
            }
            newton::Error::Stuck(report) => Failure::Stuck(report.farthest.0, report.farthest.1),
            newton::Error::Stopped(_) | newton::Error::Problem(Unsolvable::Stopped) => {
                Failure::Stopped
            }
            newton::Error::Problem(error) => Failure::Unsolvable(error),
        }
    }
}
