//! The guests of a step on its way: whom they meet, what pushes them and what rubs them, (GU2) and
//! (GU3) of `guests`.

use glam::DVec3;
use rayon::prelude::*;
use splashdown_solve::newton::Energy;
use splashdown_solve::stop::Stop;

use crate::friction::Slip;
use crate::guests::Guests;
use crate::potentials::Frictions;
use crate::signed_pairs::{Feature, Meeting, SignedBarriers, features, meetings};
use crate::solids::Solids;

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
