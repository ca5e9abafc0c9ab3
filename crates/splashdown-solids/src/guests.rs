//! Guests: points that are no part of any body, have mass, and are kept on their side of all
//! surfaces. Particles of a fluid near a surface are guests of the step of the bodies.
//!
//! ```text
//! (GU1)  E = ½ Σ m (ĥ/Δt)² |x − x̂|² + ĥ² (Σ C(x) + friction)      added to (S1) of `step`
//! (GU2)  C: the barrier of `signed_pairs`, of area s, between a guest and each body
//! (GU3)  friction (IF2) with the limit μ (|∂C/∂x| + press), one contact for each guest and body
//! ```
//!
//! Guests are integrated by implicit Euler, whatever the bodies are: hence the factor in (GU1).
//! They do not meet each other. In all arrays of places they come after the vertices of the bodies.

use glam::DVec3;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::friction::Slip;
use crate::potentials::Frictions;
use crate::signed_pairs::{Feature, Meeting, SignedBarriers, features, meetings};
use crate::solids::Solids;
use splashdown_solve::newton::Energy;
use splashdown_solve::stop::Stop;

/// A point without thickness that surfaces keep on its side: a particle of a fluid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guest {
    /// xⁿ, m
    pub position: DVec3,
    /// Where it goes if nothing is in its way, m.
    pub goal: DVec3,
    /// kg
    pub mass: f64,
    /// s: the disc of its sphere, m².
    pub area: f64,
    /// Coefficient of friction on everything it meets.
    pub friction: f64,
    /// What presses it on a surface besides the barrier (pressure through samples), N. Counts for
    /// friction.
    pub press: f64,
}

/// How guests are kept away from surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GuestSettings {
    /// d̂: surfaces push guests that are closer than this, m.
    pub reach: f64,
    /// Surfaces rub guests that something besides the barrier presses on them and that are closer
    /// than this, m.
    pub friction_reach: f64,
    /// κ of their barrier at the beginning of a step, Pa.
    pub stiffness: f64,
    /// How the parts of a surface share in it.
    pub sum: Sum,
    /// How the linear systems are solved.
    pub linear: Linear,
}

impl Default for GuestSettings {
    /// Nothing keeps them away.
    fn default() -> GuestSettings {
        let (sum, linear) = Default::default();
        GuestSettings { reach: 0.0, friction_reach: 0.0, stiffness: 0.0, sum, linear }
    }
}

impl GuestSettings {
    /// What is farther from all surfaces feels nothing of them, m.
    pub fn farthest(&self) -> f64 {
        self.reach.max(self.friction_reach)
    }
}

/// How the triangles near a particle share in pushing it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sum {
    /// Triangles, minus the edges that two of them share, plus the vertices inside: a flat surface
    /// pushes along its normal, and does not know into which triangles it is cut.
    #[default]
    Exclusion,
    /// All triangles. Near their edges a flat surface pushes several times as much, and sideways.
    Sum,
    /// The nearest triangle alone. In grooves the push changes its direction at once.
    Nearest,
}

/// How the linear systems of bodies and particles near them are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Linear {
    /// Particles are eliminated first: the system is no larger than that of the bodies.
    #[default]
    Schur,
    /// One factorisation of everything, for comparison.
    Whole,
}

/// What takes part in a step besides the bodies.
#[derive(Clone, Copy, Debug)]
pub struct Guests<'a> {
    /// All of them.
    pub all: &'a [Guest],
    /// How they are kept away.
    pub settings: GuestSettings,
    /// Where all vertices are expected at the end of the step, and then all guests, m: Newton's
    /// method begins as far towards there as is safe. Without guests they are expected at their
    /// goals; without anything, vertices are expected where they are.
    pub start: Option<&'a [DVec3]>,
}

/// The guests of one step on its way.
#[derive(Clone, Debug)]
pub struct Crowd<'a> {
    /// Who they are.
    pub guests: Guests<'a>,
    /// κ
    pub stiffness: f64,
    /// Whom they may meet.
    pub meetings: Vec<Meeting>,
    /// Contacts as friction remembers them.
    pub slips: Vec<Slip>,
    /// Places of vertices and guests at the beginning of the step, m.
    start: Vec<DVec3>,
    /// What guests can meet.
    features: Vec<Feature>,
    /// How many vertices come before them.
    first: usize,
    /// Share of the barrier that κ stands for.
    share: f64,
}

/// What there is to say about guests after a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// Guests within reach of something.
    pub contacts: usize,
    /// The smallest gap, m.
    pub gap: f64,
    /// Force of barrier and friction on each vertex, N.
    pub forces: Vec<DVec3>,
}

impl<'a> Crowd<'a> {
    /// The guests of a step that begins at the state of `solids` and has that share of their
    /// barrier.
    pub fn new(solids: &Solids, guests: Guests<'a>, share: f64) -> Crowd<'a> {
        let mut start = solids.position.clone();
        start.extend(guests.all.iter().map(|guest| guest.position));
        Crowd {
            guests,
            stiffness: share * guests.settings.stiffness,
            meetings: Vec::new(),
            slips: Vec::new(),
            start,
            features: features(solids, guests.settings.sum),
            first: solids.position.len(),
            share,
        }
    }

    /// Places of vertices and guests at the beginning of the step, m.
    pub fn places(&self) -> &[DVec3] {
        &self.start
    }

    /// κ at the beginning of a step.
    pub fn first_stiffness(&self) -> f64 {
        self.share * self.guests.settings.stiffness
    }

    /// Whom they may meet while all move from `from` to `to`.
    pub fn near(&self, from: &[DVec3], to: &[DVec3]) -> Vec<Meeting> {
        if self.share == 0.0 {
            return Vec::new();
        }
        meetings(&self.features, &self.guests, self.first, [from, to])
    }

    /// What pushes them.
    pub fn barriers(&self, stop: Stop) -> SignedBarriers<'_> {
        SignedBarriers { meetings: &self.meetings, stiffness: self.stiffness, stop }
    }

    /// What holds them back; `epsilon` as for all.
    pub fn frictions(&self, epsilon: f64) -> Frictions<'_> {
        Frictions { slips: &self.slips, start: &self.start, epsilon }
    }

    /// (GU3): the contacts at `x` as friction remembers them.
    pub fn lagged(&self, x: &[DVec3]) -> Vec<Slip> {
        let press: Vec<f64> = self.guests.all.iter().map(|guest| guest.press).collect();
        self.pressed(x, &press)
    }

    /// The same where `press` (N) presses guests. What presses a guest presses it on the nearest
    /// body. The whole barrier counts, whatever share of it this step has.
    pub fn pressed(&self, x: &[DVec3], press: &[f64]) -> Vec<Slip> {
        let barriers = self.barriers(Stop::default());
        let pushes: Vec<_> = self.meetings.par_iter().map(|m| barriers.push(m, x)).collect();
        let gap = |k: usize| pushes[k].as_ref().map_or(f64::INFINITY, |push| push.gap);
        let slip = |(k, meeting): (usize, &Meeting)| {
            let push = pushes[k].as_ref()?;
            let guest = &self.guests.all[meeting.guest as usize - self.first];
            let beside = |other: &usize| self.meetings[*other].guest == meeting.guest;
            let before = (0..k).rev().take_while(beside).all(|other| gap(other) > gap(k));
            let after = (k + 1..pushes.len()).take_while(beside).all(|other| gap(other) >= gap(k));
            let own = press[meeting.guest as usize - self.first];
            let press = if before && after { own } else { 0.0 };
            let normal = push.force.try_normalize().unwrap_or(push.normal);
            let limit = guest.friction * (push.force.length() / self.share + press);
            let (vertices, weights) = (push.vertices, push.weights);
            (limit > 0.0).then_some(Slip { vertices, weights, normal, limit })
        };
        self.meetings.iter().enumerate().filter_map(slip).collect()
    }

    /// Where everything would go at the beginning of the step, if it went as expected.
    pub fn expected(&self) -> Vec<DVec3> {
        let goals = self.guests.all.iter().map(|guest| guest.goal);
        match self.guests.start {
            Some(start) if start.len() == self.start.len() => start.to_vec(),
            Some(start) if start.len() == self.first => {
                start.iter().copied().chain(goals).collect()
            }
            _ => self.start[..self.first].iter().copied().chain(goals).collect(),
        }
    }

    /// The first guest that is not outside of what it meets, and a vertex of that.
    pub fn stuck(&self, x: &[DVec3]) -> Option<[u32; 2]> {
        let inside = |m: &&Meeting| m.gap(x) <= 0.0;
        let found = self.meetings.iter().find(inside)?;
        Some([found.guest - self.first as u32, found.vertex()])
    }

    /// A vertex of something that the point `v` meets, if that is a guest.
    pub fn vertex_near(&self, v: u32) -> Option<u32> {
        self.meetings.iter().find(|m| m.guest == v).map(Meeting::vertex)
    }

    /// The smallest gap over the reach.
    pub fn smallest_share(&self, x: &[DVec3]) -> f64 {
        let share = |meeting: &Meeting| meeting.gap(x) / meeting.reach.reach;
        self.meetings.par_iter().map(share).reduce(|| f64::INFINITY, f64::min)
    }

    /// What there is to say about the state that was found.
    pub fn account(&self, x: &[DVec3], epsilon: f64) -> Account {
        let gaps: Vec<f64> = self.meetings.par_iter().map(|m| m.gap(x)).collect();
        let near = self.meetings.iter().zip(&gaps).filter(|(m, gap)| **gap < m.reach.reach);
        let mut who: Vec<u32> = near.map(|(m, _)| m.guest).collect();
        who.dedup();
        let reach = self.guests.settings.reach;
        let within = gaps.into_iter().filter(|gap| *gap < reach);
        let mut forces = vec![DVec3::ZERO; x.len()];
        self.barriers(Stop::default()).add_gradient(x, &mut forces);
        self.frictions(epsilon).add_gradient(x, &mut forces);
        Account {
            contacts: who.len(),
            gap: within.fold(f64::INFINITY, f64::min),
            forces: forces[..self.first].iter().map(|g| -*g).collect(),
        }
    }
}
