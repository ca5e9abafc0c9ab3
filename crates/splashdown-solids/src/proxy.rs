//! What bodies and guests do to each other in a step, before it is made: quadratic models about the
//! state at its beginning, for whoever moves them first (Xie 2023, section 5.1.2).
//!
//! ```text
//! (PX1)  Q(u) = g·u + ½ uᵀ H u,   u = x − xⁿ:  value and derivatives of a barrier at xⁿ (X23, 5.5)
//! (PX2)  friction, secant:  ½ k |y|²,  k = μλ f₁(|y₀|)/|y₀|,  y₀ the slip that is expected
//! (PX3)  friction, tangent: (IF2) expanded at xⁿ, where nothing has slipped (X23, 5.5)
//! ```
//!
//! (PX3) makes everything stick: its stiffness 2μλ/ε knows no limit. (PX2) has the right force as
//! soon as the slip is that of the expectation.

use std::sync::OnceLock;

use glam::{DMat3, DVec3};
use rayon::prelude::*;
use splashdown_solve::dense::Mat12;
use splashdown_solve::newton::Energy;
use splashdown_solve::stop::Stop;

use crate::assembly::Assembly;
use crate::candidates::candidates;
use crate::crowd::Crowd;
use crate::friction::{Slip, f1_over_y};
use crate::guests::Guests;
use crate::potentials::{Barriers, Potential, scatter};
use crate::solids::{Settings, Solids};

/// What a model of friction knows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rubbing<'a> {
    /// (PX3)
    Tangent,
    /// (PX2), for expected moves of all points, m.
    Secant(&'a [DVec3]),
}

/// A model.
#[derive(Clone, Debug, Default)]
pub struct Proxy {
    /// H as a sum of terms of four points, N/m.
    terms: Vec<([u32; 4], Mat12)>,
    /// g of every point, N.
    slope: Vec<DVec3>,
    /// Places at the beginning of the step, m.
    start: Vec<DVec3>,
    /// How many vertices come before the guests.
    first: usize,
}

/// Guests at the beginning of a step, and what they touch.
pub struct Touching<'a> {
    crowd: Crowd<'a>,
    places: Vec<DVec3>,
}

impl<'a> Touching<'a> {
    /// Of guests of a step that begins at the state of `solids`.
    pub fn new(solids: &Solids, guests: Guests<'a>) -> Touching<'a> {
        let mut crowd = Crowd::new(solids, guests, 1.0);
        let places = crowd.places().to_vec();
        crowd.meetings = crowd.near(&places, &places);
        Touching { crowd, places }
    }

    /// (PX1) of `share` of the barrier; negative eigenvalues are taken off if it `projects`.
    pub fn barrier(&self, share: f64, projects: bool) -> Proxy {
        let barriers = self.crowd.barriers(Stop::default());
        let mut slope = vec![DVec3::ZERO; self.places.len()];
        barriers.add_gradient(&self.places, &mut slope);
        slope.iter_mut().for_each(|g| *g *= share);
        let terms = barriers.hessians(&self.places, share, projects);
        self.proxy(terms, slope)
    }

    /// `share` of the friction of the guests, each pressed by `press` (N) besides the barrier, in a
    /// step of length `dt`.
    pub fn friction(
        &mut self,
        press: &[f64],
        settings: &Settings,
        (share, rubbing, dt): (f64, Rubbing<'_>, f64),
    ) -> Proxy {
        let epsilon = settings.friction_speed * dt;
        let slips = self.crowd.pressed(&self.places, press);
        let of_slip = |slip: &Slip| (slip.vertices, share * held_back(slip, rubbing, epsilon));
        let terms = slips.par_iter().map(of_slip).collect();
        self.proxy(terms, vec![DVec3::ZERO; self.places.len()])
    }

    fn proxy(&self, terms: Vec<([u32; 4], Mat12)>, slope: Vec<DVec3>) -> Proxy {
        let first = self.places.len() - self.crowd.guests.all.len();
        Proxy { terms, slope, start: self.places.clone(), first }
    }
}

impl Proxy {
    /// (PX1) of `share` of the contact between bodies, for a step with as many `guests`.
    pub fn of_bodies(
        solids: &Solids,
        settings: &Settings,
        (share, projects): (f64, bool),
        guests: &[DVec3],
    ) -> Proxy {
        let (x, gap) = (&solids.position, settings.gap);
        let pairs = candidates(solids, x, x, gap.reach + gap.thickness);
        let stiffness = share * settings.stiffness;
        let (stop, pushing) = (Stop::default(), OnceLock::new());
        let barriers = Barriers { pairs: &pairs, gap, stiffness, projects, stop, pushing };
        let mut start = x.clone();
        start.extend(guests);
        let mut slope = vec![DVec3::ZERO; start.len()];
        barriers.add_gradient(x, &mut slope);
        Proxy { terms: barriers.hessians(x, 1.0), slope, start, first: x.len() }
    }

    /// Whether nothing meets anything.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Adds ∂Q/∂x of every point for their moves, N.
    pub fn add_slope(&self, u: &[DVec3], sum: &mut [DVec3]) {
        sum.iter_mut().zip(&self.slope).for_each(|(sum, g)| *sum += *g);
        self.add_product(u, sum);
    }

    /// Adds H u, in the order of terms.
    pub fn add_product(&self, u: &[DVec3], sum: &mut [DVec3]) {
        for (vertices, h) in &self.terms {
            scatter(sum, vertices, &product(h, &vertices.map(|v| u[v as usize])));
        }
    }

    /// The blocks of H on the diagonal of guests, by their numbers, N/m.
    pub fn own_blocks(&self) -> impl Iterator<Item = (usize, DMat3)> + '_ {
        let of_guests = self.terms.iter().filter(|(v, _)| v[0] as usize >= self.first);
        of_guests.map(|(vertices, h)| {
            let column = |j: usize| DVec3::new(h[(0, j)], h[(1, j)], h[(2, j)]);
            let block = DMat3::from_cols(column(0), column(1), column(2));
            (vertices[0] as usize - self.first, block)
        })
    }

    fn moves(&self, x: &[DVec3]) -> Vec<DVec3> {
        x.iter().zip(&self.start).map(|(x, start)| *x - *start).collect()
    }
}

/// As a part of another phase.
impl Energy<Assembly<'_>> for Proxy {
    fn value(&self, x: &[DVec3]) -> f64 {
        let u = self.moves(x);
        let linear: f64 = self.slope.iter().zip(&u).map(|(g, u)| g.dot(*u)).sum();
        let of_term = |(vertices, h): &([u32; 4], Mat12)| {
            let u = vertices.map(|v| u[v as usize]);
            0.5 * product(h, &u).iter().zip(&u).map(|(f, u)| f.dot(*u)).sum::<f64>()
        };
        linear + self.terms.iter().map(of_term).sum::<f64>()
    }

    fn add_gradient(&self, x: &[DVec3], gradient: &mut [DVec3]) {
        self.add_slope(&self.moves(x), gradient);
    }

    fn couplings(&self, _x: &[DVec3]) -> Vec<[u32; 4]> {
        self.terms.iter().map(|(vertices, _)| *vertices).collect()
    }

    fn add_hessian(&self, _x: &[DVec3], hessian: &mut Assembly<'_>) {
        let scale = hessian.scale;
        let terms: Vec<([u32; 4], Mat12)> =
            self.terms.iter().map(|(vertices, h)| (*vertices, h * scale)).collect();
        hessian.add_terms(&terms);
    }
}

impl Potential for Proxy {}

/// H u of one term.
fn product(h: &Mat12, u: &[DVec3; 4]) -> [DVec3; 4] {
    [0, 3, 6, 9].map(|row| {
        let of = |(k, u): (usize, &DVec3)| {
            let along = |i: usize| {
                let entry = |j: usize| h[(row + i, 3 * k + j)];
                entry(0) * u.x + entry(1) * u.y + entry(2) * u.z
            };
            DVec3::new(along(0), along(1), along(2))
        };
        u.iter().enumerate().map(of).sum()
    })
}

/// Second derivatives of what a model knows of a contact's friction.
fn held_back(slip: &Slip, rubbing: Rubbing<'_>, epsilon: f64) -> Mat12 {
    match rubbing {
        Rubbing::Tangent => slip.hessian(&[DVec3::ZERO; 4], epsilon),
        Rubbing::Secant(moves) => {
            let y = slip.slipped(&slip.vertices.map(|v| moves[v as usize])).length();
            let k = slip.limit * f1_over_y(y, epsilon);
            let (w, n) = (&slip.weights, slip.normal);
            let across = |i: usize, j: usize| f64::from(u8::from(i == j)) - n[i] * n[j];
            Mat12::from_fn(|i, j| k * w[i / 3] * w[j / 3] * across(i % 3, j % 3))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guests::{Guest, GuestSettings};
    use crate::solids::Hold;
    use splashdown_solve::differences::Random;

    /// A floor that moves as told, and guests over it within the reach of 0.5.
    fn crowd(random: &mut Random) -> (Solids, Vec<Guest>) {
        let corner = |x: f64, y: f64| DVec3::new(x, y, 0.0);
        let floor = [corner(-9.0, -9.0), corner(9.0, -9.0), corner(0.0, 9.0)];
        let mut solids = Solids::default();
        solids.add_obstacle(&floor, &[[0, 1, 2]], Hold::Driven, 1.0);
        let guest = |_| {
            let position = random.vector().with_z(0.1 + 0.3 * random.unit());
            Guest { position, goal: position, mass: 1.0, area: 0.3, friction: 0.4, press: 2.0 }
        };
        let all = (0..20).map(guest).collect();
        (solids, all)
    }

    fn touching<'a>(solids: &Solids, all: &'a [Guest]) -> Touching<'a> {
        let (reach, stiffness) = (0.5, 7.0);
        let settings = GuestSettings { reach, stiffness, ..GuestSettings::default() };
        Touching::new(solids, Guests { all, settings, start: None })
    }

    fn slope(model: &Proxy, u: &[DVec3]) -> Vec<DVec3> {
        let mut sum = vec![DVec3::ZERO; u.len()];
        model.add_slope(u, &mut sum);
        sum
    }

    #[test]
    fn the_model_of_the_barrier_is_right_to_second_order() {
        let mut random = Random::new(5);
        let (solids, all) = crowd(&mut random);
        let model = touching(&solids, &all).barrier(1.0, false);
        let moves: Vec<DVec3> = (0..23).map(|_| random.vector()).collect();
        // Twice the move, four times the error of the gradient.
        let error = |size: f64| {
            let u: Vec<DVec3> = moves.iter().map(|u| size * *u).collect();
            let moved: Vec<Guest> = (all.iter().zip(&u[3..]))
                .map(|(guest, u)| Guest { position: guest.position + *u, ..*guest })
                .collect();
            let mut there = solids.clone();
            there.position.iter_mut().zip(&u).for_each(|(x, u)| *x += *u);
            let exact = touching(&there, &moved).barrier(1.0, false).slope;
            let apart = exact.iter().zip(slope(&model, &u)).map(|(a, b)| a.distance(b));
            apart.fold(0.0, f64::max)
        };
        let ratio = error(2e-4) / error(1e-4);
        assert!((ratio - 4.0).abs() < 0.3, "{ratio}");
    }

    #[test]
    fn a_secant_has_the_whole_friction_of_the_slip_that_is_expected() {
        let mut random = Random::new(6);
        let (solids, all) = crowd(&mut random);
        let along = |size: f64| {
            let of_floor = [DVec3::ZERO; 3].into_iter();
            of_floor.chain((0..20).map(|_| size * DVec3::X)).collect::<Vec<DVec3>>()
        };
        let far = along(1e-2);
        let mut touching = touching(&solids, &all);
        let bare = slope(&touching.barrier(1.0, true), &along(0.0));
        let press: Vec<f64> = (0..20).map(f64::from).collect();
        let secant = (1.0, Rubbing::Secant(&far), 1e-2);
        let friction = slope(&touching.friction(&press, &Settings::default(), secant), &far);
        for (k, guest) in all.iter().enumerate() {
            // The floor's own friction is 1: the guests' is that of both.
            let limit = guest.friction * (press[k] + bare[3 + k].z.abs());
            assert!((friction[3 + k].x - limit).abs() < 1e-9 * limit, "{limit}");
        }
        let total: DVec3 = friction.iter().sum();
        assert!(total.length() < 1e-9, "momentum: {total}");
    }
}
