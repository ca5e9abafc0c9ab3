//! Guests: the fluid particles that take part in the step of the elastic bodies, because a surface
//! may come near them in it.
//!
//! Their pressures are known by then, and where they go by these is their goal. A barrier keeps
//! them on their side of all surfaces, whatever the pressures were (Xie 2023, section 4.4).
//!
//! Who they are is found among the particles in the search cells around each surface: interior
//! particles cost nothing. Seen from a triangle that goes from x to x′ with a mean move ū and turns
//! and stretches by at most e = max |x′ − x − ū|, a particle goes by u − ū. It does not come within
//! d̂ if either
//!
//!   (d + d′ − |u − ū|)/2 > d̂ + e,  with its distances from the triangle at both ends,       (GQ1)
//!   min(|s|, |s′|) > d̂ + e,        with its heights over the triangle's plane, of one sign. (GQ2)
//!
//! Where surfaces of elastic bodies go is known only when their step is done. It begins with an
//! expectation, and is done again if it shows that a surface came near a particle that was not
//! there.

use std::collections::BTreeSet;

use rayon::prelude::*;
use splashdown_solids::distance::Closest;
use splashdown_solids::guests::{Guest, Guests};
use splashdown_solids::parts::Parts;
use splashdown_solids::solids::Body;
use splashdown_solids::step::{self, Failure};
use splashdown_solids::verify::Violation;

use super::elastic::ElasticStep;
use super::foresight::split_share;
use super::{Step, Workspace};
use crate::elastic::{Elastic, ElasticMotion, Surroundings};
use crate::error::StepError;
use crate::loads::Load;
use crate::math::{Aabb, DVec3, Pose};
use crate::particles::cells::CellGrid;
use crate::report::{GuestReport, Phase, Stopwatch};
use crate::stepper::Stepper;
use crate::world::PressureSolver;

/// Surfaces may end so far from where they were expected without another look, in h.
const SLACK: f64 = 0.1;
/// So often is a step done again with more guests.
const MAX_ROUNDS: u32 = 4;
/// A piece of a surface that reaches through more cells than this is cut in four.
const MAX_CELLS: usize = 64;
/// A guest that ends as near to its goal as this share of its coordinates was moved by rounding.
const UNMOVED: f64 = 1e-14;

/// The elastic bodies after a step, and the fluid that took part.
pub(super) struct ElasticOutcome {
    pub motion: ElasticMotion,
    /// Particles, in the order of `motion.report.guests`.
    pub guests: Vec<usize>,
    /// How often the step was done.
    pub rounds: u32,
    /// What guests push each of `Elastic::solids.bodies` with, N; nothing without a barrier.
    pub barrier: Vec<DVec3>,
}

impl ElasticOutcome {
    pub(super) fn new(
        elastic: &Elastic,
        motion: ElasticMotion,
        guests: Vec<usize>,
        rounds: u32,
    ) -> Self {
        let by_vertex = &motion.report.guest_forces;
        let of = |body: &Body| by_vertex.get(body.vertices.clone()).map(|all| all.iter().sum());
        let barrier = elastic.solids.bodies.iter().map_while(of).collect();
        ElasticOutcome { motion, guests, rounds, barrier }
    }

    /// What there is to say of the guests.
    pub(super) fn report(&self, spacing: f64) -> GuestReport {
        let report = &self.motion.report;
        let gap = if report.guest_contacts > 0 { report.guest_gap / spacing } else { 0.0 };
        GuestReport {
            count: self.guests.len() as u32,
            pushed: report.guest_contacts as u32,
            gap,
            rounds: self.rounds,
        }
    }

    /// Adds what guests do to the solids that elastic bodies may meet, in a step of length `dt`. To
    /// a wall it is pressure.
    fn add_loads(&self, elastic: &Elastic, (dt, poses): (f64, &[Pose]), loads: &mut [Load]) {
        let by_vertex = &self.motion.report.guest_forces;
        for ((&body, load), pose) in elastic.obstacles.iter().zip(loads).zip(poses) {
            for v in elastic.solids.bodies[body].vertices.clone() {
                let Some(&force) = by_vertex.get(v) else { continue };
                let arm = self.motion.position()[v] - pose.translation;
                load.pressure += dt * force;
                load.pressure_moment += dt * arm.cross(force);
            }
        }
    }
}

impl Step<'_> {
    /// Elastic bodies and the fluid near surfaces at the end of the step, if there are any bodies.
    pub(super) fn advance_elastic(
        &self,
        work: &mut Workspace,
        poses: &[Pose],
        elastic: &ElasticStep,
        (dt, retries): (f64, u32),
        watch: &mut Stopwatch,
    ) -> Result<Option<ElasticOutcome>, StepError> {
        if !self.elastic.is_stepped() {
            return Ok(None);
        }
        let Some(settings) = self.elastic.guests else {
            let around = self.surroundings(poses);
            let own = (elastic.force(), None, Parts::default());
            let motion = self.move_elastic(&mut work.elastic, around, own, (dt, retries))?;
            return Ok(Some(ElasticOutcome::new(&self.elastic, motion, Vec::new(), 1)));
        };
        let around = self.surroundings(poses);
        let now = &self.elastic.solids.position;
        let start = work.minimised.ends(now).or_else(|| elastic.expected(now));
        let mut ends = self.expected_ends(poses, start.as_deref(), dt);
        // What a model was taken out of has the real thing here.
        let mut found: BTreeSet<usize> = work.minimised.touched().collect();
        let mut rounds = 0;
        loop {
            found.extend(self.particles_near(work, &ends, settings.farthest(), dt));
            watch.lap(Phase::Guests);
            let guests: Vec<usize> = found.iter().copied().collect();
            let all: Vec<Guest> = guests.par_iter().map(|&i| self.moved(work, i, dt)).collect();
            let whither = guests.iter().map(|&i| self.end_of(work, i, dt));
            let start: Option<Vec<DVec3>> =
                start.as_ref().map(|start| start.iter().copied().chain(whither).collect());
            let with = Guests { all: &all, settings, start: start.as_deref() };
            let phase = (elastic.force(), with);
            let mut motion = self.last_phases(&mut work.elastic, around, phase, (dt, retries))?;
            motion.add_guest_forces(&work.minimised.handed);
            watch.lap(Phase::Elastic);
            rounds += 1;
            if rounds == MAX_ROUNDS || !self.update_ends(&mut ends, &motion) {
                return Ok(Some(ElasticOutcome::new(&self.elastic, motion, guests, rounds)));
            }
            let more = self.particles_near(work, &ends, settings.farthest(), dt);
            if more.iter().all(|i| found.contains(i)) {
                return Ok(Some(ElasticOutcome::new(&self.elastic, motion, guests, rounds)));
            }
        }
    }

    /// Where vertices will be: as the linear model says, or else as they move now; obstacles where
    /// they are told to be.
    pub(super) fn expected_ends(
        &self,
        poses: &[Pose],
        start: Option<&[DVec3]>,
        dt: f64,
    ) -> Vec<DVec3> {
        let solids = &self.elastic.solids;
        let now = solids.position.iter().zip(&solids.velocity);
        let mut ends: Vec<DVec3> = match start {
            Some(start) => start.to_vec(),
            None => now.map(|(x, v)| *x + dt * *v).collect(),
        };
        self.elastic.place_obstacles(&self.solids, poses, &mut ends);
        ends
    }

    /// Puts vertices that came elsewhere than expected where they came; whether any did.
    fn update_ends(&self, ends: &mut [DVec3], motion: &ElasticMotion) -> bool {
        let allowed = SLACK * self.spacing;
        let mut changed = false;
        for (end, x) in ends.iter_mut().zip(motion.position()) {
            if end.distance_squared(*x) > allowed * allowed {
                (*end, changed) = (*x, true);
            }
        }
        changed
    }

    /// Fluid particles that surfaces may come near while vertices go to `ends`.
    pub(super) fn particles_near(
        &self,
        work: &Workspace,
        ends: &[DVec3],
        reach: f64,
        dt: f64,
    ) -> Vec<usize> {
        let Some(grid) = work.located.grid.filter(|_| self.period == DVec3::ZERO) else {
            return Vec::new();
        };
        let solids = &self.elastic.solids;
        let (surface, offset) = (&solids.surface, &solids.offset);
        let triangles = surface.triangles.iter().map(|(t, _)| *t);
        let segments = surface.segments.iter().map(|(e, _)| [e[0], e[1], e[1]]);
        let particles = surface.particles.iter().map(|&(v, _)| [v; 3]);
        let all: Vec<[u32; 3]> = triangles.chain(segments).chain(particles).collect();
        let n = self.fluid_count();
        let longest = work.predicted[..n].par_iter().enumerate();
        let longest = longest.filter(|(i, _)| !work.strays.has(*i)).map(|(_, v)| v.length());
        let longest = dt * longest.reduce(|| 0.0, f64::max);
        let obstacles = self.elastic.obstacles.first();
        let told = obstacles.map_or(usize::MAX, |&body| solids.bodies[body].vertices.start);
        let search = Search { step: self, work, grid, dt, longest };
        let near = |corners: &[u32; 3]| {
            let thickness = corners.iter().map(|&v| offset[v as usize]).fold(0.0, f64::max);
            // Obstacles go where they are told.
            let slack = if (corners[0] as usize) < told { SLACK * self.spacing } else { 0.0 };
            let margin = reach + thickness + slack;
            let [from, to] = [&solids.position[..], ends].map(|x| corners.map(|v| x[v as usize]));
            let mut found = Vec::new();
            search.add_near(Piece { from, to }, margin, &mut found);
            found
        };
        let mut found: Vec<usize> = all.par_iter().flat_map_iter(near).collect();
        found.sort_unstable();
        found.dedup();
        // What an emitter pushes goes where it is pushed.
        found.retain(|i| work.held.binary_search(i).is_err());
        found
    }

    /// The elastic bodies and `guests` after what the first phase has left.
    fn last_phases(
        &self,
        memory: &mut step::Workspace,
        around: Surroundings,
        (force, guests): (&[DVec3], Guests),
        last: (f64, u32),
    ) -> Result<ElasticMotion, StepError> {
        let is_split = self.pressure.solver == PressureSolver::Variational;
        if is_split && self.stepper.stepper == Stepper::ContactProxy3 {
            return self.two_phases(memory, around, (force, guests), last);
        }
        let mut parts = Parts::default();
        if is_split && self.stepper.stepper == Stepper::ContactProxy {
            let foreseen = self.stepper.predict;
            let rest =
                |whole: bool| if whole { 1.0 } else { 1.0 - split_share(Stepper::ContactProxy) };
            (parts.barrier, parts.friction) = (rest(foreseen.contact), rest(foreseen.friction));
        }
        self.move_elastic(memory, around, (force, Some(guests), parts), last)
    }

    /// Where fluid particle `i` is sent, m.
    fn end_of(&self, work: &Workspace, i: usize, dt: f64) -> DVec3 {
        self.particles.position[i] + dt * work.predicted[i]
    }

    /// Fluid particle `i` as the step of the elastic bodies sees it.
    fn moved(&self, work: &Workspace, i: usize, dt: f64) -> Guest {
        let guest = self.guest(i, self.press(work, i, dt), dt);
        let goal = self.end_of(work, i, dt) + work.minimised.correction(i);
        Guest { goal, ..guest }
    }

    /// Fluid particle `i`, pressed on walls by `press` (N), where it is before a step of length
    /// `dt`.
    pub(super) fn guest(&self, i: usize, press: f64, dt: f64) -> Guest {
        let position = self.particles.position[i];
        let fluid = self.fluid_of(i).unwrap_or_default();
        let volume = self.dimension.volume(self.spacing);
        let radius = (0.75 * volume / std::f64::consts::PI).cbrt();
        Guest {
            position,
            goal: position,
            mass: self.particle_mass(fluid),
            area: std::f64::consts::PI * radius * radius,
            friction: self.fluids[fluid].surface.friction.at(self.clock.time + dt).max(0.0),
            press,
        }
    }

    /// What pressure presses fluid particle `i` on walls with, N.
    fn press(&self, work: &Workspace, i: usize, dt: f64) -> f64 {
        if self.pressure.solver == PressureSolver::Variational {
            return self.potential_press(work, i, dt);
        }
        let chunks = &work.neighbors.chunks;
        let after = chunks.partition_point(|chunk| chunk.particles.end <= i);
        let Some(chunk) = chunks.get(after) else { return 0.0 };
        let of_wall = |b: u32| work.wall_kappa.get(b as usize).map_or(0.0, |&k| f64::from(k));
        let kappa = f64::from(work.kappa[i]) + f64::from(work.divergence_kappa[i]);
        let pairs = chunk.wall_pairs(i - chunk.particles.start).iter();
        let push = |g: [f32; 3]| DVec3::from(g.map(f64::from));
        let sum: DVec3 =
            pairs.map(|pair| (kappa + of_wall(pair.index)) * push(pair.gradient)).sum();
        self.units(dt).force() * sum.length()
    }

    /// Lets guests go where they came, none of them farther than a step may take it, and adds what
    /// they pushed solids with.
    pub(super) fn take_outcome(
        &self,
        work: &mut Workspace,
        outcome: Option<&ElasticOutcome>,
        (dt, poses): (f64, &[Pose]),
        loads: &mut [Load],
    ) -> Result<(), StepError> {
        let Some(outcome) = outcome.filter(|outcome| !outcome.guests.is_empty()) else {
            return Ok(());
        };
        outcome.add_loads(&self.elastic, (dt, poses), loads);
        for (&i, end) in outcome.guests.iter().zip(outcome.motion.guests()) {
            let from = self.particles.position[i];
            let unmoved = UNMOVED * from.abs().max_element().max(self.spacing);
            if (from + dt * work.predicted[i]).distance(*end) > unmoved {
                work.predicted[i] = (*end - from) / dt;
            }
        }
        self.check_moves(work, dt)
    }

    /// The step of the elastic bodies alone, or parts of it.
    pub(super) fn move_elastic(
        &self,
        memory: &mut step::Workspace,
        around: Surroundings,
        own: (&[DVec3], Option<Guests>, Parts<'_>),
        (dt, retries): (f64, u32),
    ) -> Result<ElasticMotion, StepError> {
        memory.stop = self.stop;
        let moved = self.elastic.advance(memory, &around, own, (dt, retries));
        moved.map_err(|failure| match (&failure, own.1) {
            (Failure::Violation(Violation::Passage([guest, vertex])), Some(guests)) => {
                self.passage_error([*guest, *vertex], guests, dt)
            }
            _ => self.elastic_error(&failure, dt),
        })
    }

    /// That a guest is on the wrong side of what a vertex belongs to.
    fn passage_error(&self, [guest, vertex]: [u32; 2], guests: Guests, dt: f64) -> StepError {
        let place = guests.all.get(guest as usize).map(|guest| guest.position).unwrap_or_default();
        let mut particles = self.particles.position[..self.fluid_count()].iter();
        let particle = self.particle_at(particles.position(|x| *x == place).unwrap_or_default());
        let body = self.elastic.name_of(vertex, &self.solids).to_owned();
        let reason = format!("{} particle {} is inside or behind it", particle.object, particle.id);
        StepError::Elastic { body, reason, position: place, when: self.moment(dt) }
    }
}

/// A triangle on its way; a segment or a point, whose last corners are repeated.
#[derive(Clone, Copy)]
struct Piece {
    from: [DVec3; 3],
    to: [DVec3; 3],
}

impl Piece {
    fn bounds(&self) -> Aabb {
        Aabb::around(self.from.into_iter().chain(self.to))
    }

    fn is_triangle(&self) -> bool {
        self.from[1] != self.from[2]
    }

    /// Whether it may come within `margin` of what goes by `u` from `x` (GQ1), (GQ2).
    fn may_meet(&self, x: DVec3, u: DVec3, margin: f64) -> bool {
        let (mean, spread) = self.moves();
        let (u, margin) = (u - mean, margin + spread);
        let apart = 0.5 * (self.distance(x) + self.distance(x + u) - u.length());
        if apart > margin {
            return false;
        }
        let [a, b, c] = self.from;
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { return true };
        let heights = [x, x + u].map(|x| (x - a).dot(normal));
        heights[0] * heights[1] < 0.0 || heights[0].abs().min(heights[1].abs()) <= margin
    }

    /// From its place at the beginning to `x`, m.
    fn distance(&self, x: DVec3) -> f64 {
        let [a, b, c] = self.from;
        let places = [x, a, b, c];
        let closest = match (a == b, self.is_triangle()) {
            (_, true) => Closest::point_triangle(&places),
            (false, false) => Closest::point_segment(&places, 0, 1, 2),
            (true, false) => Closest::points(0, 1),
        };
        closest.squared(&places).sqrt()
    }

    /// Four that make up this one.
    fn quarters(&self) -> [Piece; 4] {
        let quarters = |[a, b, c]: [DVec3; 3]| {
            let [ab, bc, ca] = [a.midpoint(b), b.midpoint(c), c.midpoint(a)];
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        let (from, to) = (quarters(self.from), quarters(self.to));
        [0, 1, 2, 3].map(|k| Piece { from: from[k], to: to[k] })
    }

    /// Mean move, and how much farther a corner may go.
    fn moves(&self) -> (DVec3, f64) {
        let of: [DVec3; 3] = [0, 1, 2].map(|k| self.to[k] - self.from[k]);
        let mean = (of[0] + of[1] + of[2]) / 3.0;
        (mean, of.iter().map(|u| u.distance(mean)).fold(0.0, f64::max))
    }
}

/// Looks for particles around pieces.
struct Search<'a> {
    step: &'a Step<'a>,
    work: &'a Workspace,
    grid: CellGrid,
    dt: f64,
    /// No particle goes farther, m.
    longest: f64,
}

impl Search<'_> {
    /// Adds the particles that `piece` may come nearer to than `margin`.
    fn add_near(&self, piece: Piece, margin: f64, found: &mut Vec<usize>) {
        let bounds = piece.bounds().grown(margin);
        let cells = self.grid.cells_in(bounds.grown(self.longest));
        let particles = self.step.fluid_count();
        let reaches_through = |count: usize| cells.clone().nth(count).is_some();
        if reaches_through(MAX_CELLS) && self.should_cut(&piece, margin, particles) {
            piece.quarters().into_iter().for_each(|quarter| self.add_near(quarter, margin, found));
            return;
        }
        let meets = |i: &usize| {
            let (x, u) = (self.step.particles.position[*i], self.dt * self.work.predicted[*i]);
            bounds.meets(&Aabb::around([x, x + u])) && piece.may_meet(x, u, margin)
        };
        // What is thrown far away has more cells on its way than there are particles.
        if reaches_through(particles) {
            found.extend((0..particles).filter(meets));
            return;
        }
        let index = self.work.neighbors.fluid_cells();
        let runs = cells.flat_map(|key| index.cell(key));
        found.extend(runs.flat_map(|run| run.start as usize..run.end as usize).filter(meets));
    }

    /// Whether quarters of a piece are worth their while: it is large, but not so large that there
    /// would be more of them than particles.
    fn should_cut(&self, piece: &Piece, margin: f64, particles: usize) -> bool {
        let size = [piece.from, piece.to].map(|at| Aabb::around(at).size().max_element());
        let pieces = (size[0].max(size[1]) / (2.0 * (margin + self.longest))).powi(2);
        piece.is_triangle() && pieces > 1.0 && pieces < particles as f64
    }
}
