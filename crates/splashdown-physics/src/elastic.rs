//! Elastic bodies in a world: who they are, what holds them, and how a step moves them.
//!
//! The physics is the crate `splashdown-solids`; this module connects it to solids, motions and the
//! clock.

mod persist;

use std::borrow::Cow;

use splashdown_solids::element::Element;
use splashdown_solids::guests::{GuestSettings, Guests};
use splashdown_solids::parts::Parts;
use splashdown_solids::prediction::Prediction;
use splashdown_solids::solids::{Hold, Settings, Solids};
use splashdown_solids::step::{Failure, Outside, Report, Workspace, phase};
use splashdown_solids::verify::{Violation, violations};

use crate::body::RigidBody;
use crate::boundary::Solid;
use crate::math::{DVec3, Pose};
use crate::motion::Motion;

pub use splashdown_solids as physics;

/// A step that is tried again has at least so many Newton iterations, unless it is told to have
/// fewer.
const FEWEST_ITERATIONS: u32 = 25;

/// All elastic bodies of a world, and the solids they may meet.
#[derive(Clone, Debug, Default)]
pub struct Elastic {
    /// Meshes and their state: the elastic bodies first, then the solids they meet.
    pub solids: Solids,
    /// How a step is solved.
    pub settings: Settings,
    /// How fluid is kept off surfaces; nothing where only its pressure does that.
    pub guests: Option<GuestSettings>,
    /// Names of the elastic bodies, which are the first of `solids.bodies`.
    pub names: Vec<String>,
    /// Parts that move as told.
    pub handles: Vec<Handle>,
    /// For each of `World::solids`, but for samples of elastic bodies, its number in
    /// `solids.bodies`.
    pub obstacles: Vec<usize>,
}

/// Vertices that move as told.
#[derive(Clone, Debug)]
pub struct Handle {
    /// The vertices that are held, numbered over all bodies.
    pub vertices: Vec<u32>,
    /// How, from where they rest.
    pub motion: Motion,
    /// They are let go at this time, s.
    pub end: Option<f64>,
}

/// What a step makes of the elastic bodies.
#[derive(Debug)]
pub(crate) struct ElasticMotion {
    solids: Solids,
    pub report: Report,
}

/// Something that must not be, at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Flaw {
    /// The body concerned; of two the first.
    pub body: usize,
    /// What is wrong: names and a place.
    pub what: String,
    /// If that is because the body is thicker than an element of it is long: both, m.
    pub too_thick: Option<[f64; 2]>,
}

/// What is around elastic bodies in a step.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    /// Solids that they may meet.
    pub solids: &'a [Solid],
    /// Where these are at the end of the step.
    pub poses: &'a [Pose],
    /// m/s²
    pub gravity: DVec3,
    /// At the beginning of the step, s.
    pub time: f64,
}

impl ElasticMotion {
    /// Where vertices come, m.
    pub(crate) fn position(&self) -> &[DVec3] {
        &self.solids.position
    }

    /// Adds forces on vertices (N) to those of guests, if there are any.
    pub(crate) fn add_guest_forces(&mut self, forces: &[DVec3]) {
        let all = self.report.guest_forces.iter_mut().zip(forces);
        all.for_each(|(sum, force)| *sum += *force);
    }

    /// Where guests come, m.
    pub(crate) fn guests(&self) -> &[DVec3] {
        &self.report.guests
    }
}

impl Elastic {
    /// Whether there is any.
    pub fn any(&self) -> bool {
        !self.names.is_empty()
    }

    /// Whether there is something for its step to do: bodies, or fluid to keep off solids.
    pub(crate) fn is_stepped(&self) -> bool {
        self.any() || self.guests.is_some()
    }

    /// Makes the surface of `solid` something that elastic bodies cannot pass. All elastic bodies
    /// come before, and solids in the order of the world.
    pub fn add_obstacle(&mut self, solid: &Solid) {
        let vertices: Vec<DVec3> =
            solid.surface.vertices.iter().map(|&v| solid.pose.apply(v)).collect();
        let hold = if solid.motion().is_static() { Hold::Fixed } else { Hold::Driven };
        let body =
            self.solids.add_obstacle(&vertices, &solid.surface.triangles, hold, solid.friction);
        self.obstacles.push(body);
    }

    /// The name of what vertex `v` belongs to.
    pub fn name_of<'a>(&'a self, v: u32, solids: &'a [Solid]) -> &'a str {
        let Some(body) = self.solids.body_of(v) else { return "" };
        let obstacle = self.obstacles.iter().position(|&b| b == body);
        let name = obstacle.and_then(|k| solids.get(k)).map(|solid| &solid.name);
        self.names.get(body).or(name).map_or("", String::as_str)
    }

    /// All that intersects at present, or is inverted, or thicker than its elements are long: once
    /// for each pair of bodies.
    pub fn flaws(&self, solids: &[Solid]) -> Vec<Flaw> {
        let found = violations(&self.solids, &self.solids.position);
        found.into_iter().map(|violation| self.flaw(violation, solids)).collect()
    }

    fn flaw(&self, violation: Violation, solids: &[Solid]) -> Flaw {
        let (vertices, what) = match violation {
            Violation::Intersection(both) => (both, self.meeting("intersects", both, solids)),
            Violation::TooClose(both) => {
                let what = match self.gap_of(both) > 0.0 {
                    true => self.meeting("is closer to", both, solids) + " than they are thick",
                    false => self.meeting("touches", both, solids),
                };
                (both, what)
            }
            Violation::Passage([_, v]) => ([v, v], self.passage(v, solids)),
            Violation::Inversion(v) => {
                ([v, v], format!("an element of {} is inside out", self.name_of(v, solids)))
            }
        };
        let bodies = vertices.map(|v| self.solids.body_of(v).unwrap_or(0));
        let p = self.solids.position[vertices[0] as usize];
        Flaw {
            body: bodies[0].min(bodies[1]),
            what: format!("{what} near [{:.4}, {:.4}, {:.4}]", p.x, p.y, p.z),
            too_thick: match violation {
                Violation::TooClose(both) if bodies[0] == bodies[1] => {
                    self.too_thick(bodies[0], self.gap_of(both))
                }
                _ => None,
            },
        }
    }

    /// How far two vertices keep apart for the thickness of what they belong to, m.
    fn gap_of(&self, vertices: [u32; 2]) -> f64 {
        vertices.iter().map(|&v| self.solids.offset[v as usize]).sum()
    }

    /// Thickness of a body and the length of its shortest element, m, where that is no longer:
    /// neighbours would push each other.
    fn too_thick(&self, body: usize, thickness: f64) -> Option<[f64; 2]> {
        let height = |e: &Element| match e {
            Element::Stretch(e) => e.length,
            Element::Membrane(e) => {
                let [a, b, c] = e.vertices.map(|v| self.solids.rest[v as usize]);
                let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
                (b - a).cross(c - a).length() / longest
            }
            _ => f64::INFINITY,
        };
        let elements = &self.solids.elements[self.solids.bodies[body].elements.clone()];
        let shortest = elements.iter().map(height).fold(f64::INFINITY, f64::min);
        (shortest <= thickness).then_some([thickness, shortest])
    }

    /// That fluid is on the wrong side of what vertex `v` belongs to.
    fn passage(&self, v: u32, solids: &[Solid]) -> String {
        format!("a particle of fluid is inside or behind {}", self.name_of(v, solids))
    }

    fn meeting(&self, how: &str, vertices: [u32; 2], solids: &[Solid]) -> String {
        let [a, b] = vertices.map(|v| self.name_of(v, solids));
        let other = if a == b { "itself" } else { b };
        format!("{a} {how} {other}")
    }

    /// How a step is solved that was tried `halvings` times in vain. It is shorter, and so easier:
    /// with fewer iterations, so that what cannot be done at all is known soon.
    fn settings_after(&self, halvings: u32) -> Settings {
        let most = self.settings.max_iterations;
        let fewer = (most >> halvings.min(31)).max(FEWEST_ITERATIONS).min(most);
        self.settings.with(|s| s.max_iterations = fewer)
    }

    /// Where vertex `v` is, or its body, if it is no part of what is seen.
    pub(crate) fn place_of(&self, v: u32) -> DVec3 {
        let body = self.solids.body_of(v).filter(|&b| self.solids.centre(b).0 > 0.0);
        let place = self.solids.position.get(v as usize).copied().unwrap_or_default();
        body.map_or(place, |body| self.solids.centre(body).1)
    }

    /// Why a step failed, as a phrase.
    pub(crate) fn explain(&self, failure: &Failure, solids: &[Solid]) -> String {
        let Failure::Violation(found) = failure else { return failure.to_string() };
        match *found {
            Violation::Intersection(both) => self.meeting("would intersect", both, solids),
            Violation::TooClose(both) => self.meeting("would touch", both, solids),
            Violation::Passage([_, v]) => self.passage(v, solids),
            Violation::Inversion(_) => "an element would be inside out".to_owned(),
        }
    }

    /// Where driven vertices are at the end of a step; all others where they rest.
    fn targets(&self, around: &Surroundings, dt: f64) -> Vec<DVec3> {
        let mut target = self.solids.rest.clone();
        for handle in &self.handles {
            let pose = handle.motion.pose(around.time + dt);
            handle.vertices.iter().for_each(|&v| {
                target[v as usize] = pose.apply(self.solids.rest[v as usize]);
            });
        }
        self.place_obstacles(around.solids, around.poses, &mut target);
        target
    }

    /// Puts the vertices of obstacles, of all vertices, where they are with solids at `poses`.
    pub(crate) fn place_obstacles(&self, solids: &[Solid], poses: &[Pose], all: &mut [DVec3]) {
        for ((solid, pose), &body) in solids.iter().zip(poses).zip(&self.obstacles) {
            let vertices = self.solids.bodies[body].vertices.clone();
            for (at, &local) in all[vertices].iter_mut().zip(&solid.surface.vertices) {
                *at = pose.apply(local);
            }
        }
    }

    /// The meshes with all handles let go whose time is over.
    fn solids_at(&self, time: f64) -> Cow<'_, Solids> {
        let over = self.handles.iter().filter(|handle| handle.end.is_some_and(|end| time >= end));
        let held = |v: &u32| self.solids.hold[*v as usize] != Hold::Free;
        let loose: Vec<u32> =
            over.flat_map(|handle| &handle.vertices).copied().filter(held).collect();
        if loose.is_empty() {
            return Cow::Borrowed(&self.solids);
        }
        let mut solids = self.solids.clone();
        loose.iter().for_each(|&v| solids.hold[v as usize] = Hold::Free);
        Cow::Owned(solids)
    }

    /// A linear model of the step that `advance` makes of these `parts`, in `workspace`.
    pub(crate) fn predict<'a>(
        &self,
        workspace: &'a mut Workspace,
        around: &Surroundings,
        (parts, dt): (Parts<'_>, f64),
    ) -> Result<Prediction<'a>, Failure> {
        let target = self.targets(around, dt);
        let outside = Outside { dt, gravity: around.gravity, force: &[], guests: None };
        let (solids, settings) = (self.solids_at(around.time), &self.settings);
        let target = |v: u32| target[v as usize];
        Prediction::new(&solids, workspace, settings, (outside, parts), target)
    }

    /// The elastic bodies after a step, or those `parts` of one, in which `force` pushes vertices
    /// besides (N, or nothing) and `guests` take part; nothing is changed yet but `workspace`, the
    /// memory of the solver.
    pub(crate) fn advance(
        &self,
        workspace: &mut Workspace,
        around: &Surroundings,
        (force, guests, parts): (&[DVec3], Option<Guests>, Parts<'_>),
        (dt, halvings): (f64, u32),
    ) -> Result<ElasticMotion, Failure> {
        let mut moved = self.solids_at(around.time).into_owned();
        let target = self.targets(around, dt);
        let settings = &self.settings_after(halvings);
        let goal = |v: u32| target[v as usize];
        let outside = Outside { dt, gravity: around.gravity, force, guests };
        let report = phase(&mut moved, workspace, settings, (outside, parts), goal)?;
        Ok(ElasticMotion { solids: moved, report })
    }

    /// Makes `moved` the state.
    pub(crate) fn accept(&mut self, moved: ElasticMotion) {
        self.solids = moved.solids;
    }

    /// Elastic body `k` as a rigid body, and where it is, if it is of that kind.
    pub fn rigid_body(&self, k: usize) -> Option<(Pose, RigidBody)> {
        let motion = self.solids.rigid_motion(k)?;
        let (velocity, angular_momentum) = (motion.velocity, motion.angular_momentum);
        let at_rest = RigidBody::at_rest(motion.mass, motion.inertia);
        let pose = Pose { translation: motion.centre, rotation: motion.rotation };
        Some((pose, RigidBody { velocity, angular_momentum, ..at_rest }))
    }

    /// Sum over all elastic bodies: kinetic energy, elastic energy, J.
    pub fn energies(&self) -> [f64; 2] {
        let bodies = 0..self.names.len();
        let kinetic = bodies.clone().map(|k| self.solids.kinetic_energy(k)).sum();
        [kinetic, bodies.map(|k| self.solids.elastic_energy(k)).sum()]
    }
}
