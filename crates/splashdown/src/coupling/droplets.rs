//! Surface tension and friction of fluids on walls, as unknowns beside the pressures.
//!
//! Paper: Probst & Teschner 2024 (PT24), algorithm 1. The unknowns are the impulses of tension on fluid
//! particles and on solids, P, and of friction, p (`sph::wall_friction`). With the force F of (T6) at the end
//! of the step, which all impulses together lead to,
//!
//!   P ← P + ω α (F − P)                                         (D1)  PT24 eq. 18b
//!
//! α is one number for all particles, so that P has no momentum after any number of sweeps (per particle it
//! has); solids that tension moves are swept alike. α = 1/(1 + B) with B of `SurfacePairs::stiffness`.
//! Sweeps start from the forces at the beginning of the step, and from the friction of the last one.
//!
//! Impulses are in m_ref h/Δt and displacements in h, as everywhere in the solve.

use rayon::prelude::*;

use glam::Vec4;

use crate::math::DVec3;
use crate::rigid::bodies::{Body, Twist};
use crate::solve::reduce;
use crate::sph::pressure::partner::PartnerSweep;
use crate::sph::tension::energy::Strengths;
use crate::sph::tension::pairs::{Pulls, SurfacePairs};
use crate::sph::wall_friction::Grip;

/// ω
const OMEGA: f64 = 0.5;

/// An unknown vector with what acceleration needs.
#[derive(Clone, Debug, Default)]
struct Unknown {
    now: Vec<DVec3>,
    next: Vec<DVec3>,
    direction: Vec<DVec3>,
}

impl Unknown {
    fn new(now: Vec<DVec3>) -> Unknown {
        let (next, direction) = (now.clone(), vec![DVec3::ZERO; now.len()]);
        Unknown { now, next, direction }
    }

    /// (P6)
    fn accelerate(&mut self, beta: f64) {
        let all = self.now.par_iter_mut().zip(&self.next).zip(&mut self.direction);
        all.with_min_len(4096).for_each(|((now, &next), direction)| {
            let change = next - *now;
            *now = next + beta * *direction;
            *direction = beta * *direction + change;
        });
    }
}

/// What tension and friction of a step start from.
pub struct Start {
    /// γ A⁰ in ρ_ref h³/Δt² hᵈ⁻¹.
    pub strengths: Strengths,
    /// Displacements of all particles before the solve, in h.
    pub displacement: Vec<DVec3>,
    /// 1/μ of every fluid particle; 0 of those that nothing moves.
    pub inverse_mass: Vec<f64>,
    /// Fluid particles at walls.
    pub grips: Vec<Grip>,
    /// Friction of the last step, one for each of `grips`.
    pub friction: Vec<DVec3>,
    /// How many solids there are.
    pub solids: usize,
    /// Share by which forces may be off.
    pub error: f64,
}

/// What tension and friction do in a step.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Displacements of fluid particles, in h.
    pub displacement: Vec<DVec3>,
    /// P of fluid particles.
    pub tension: Vec<DVec3>,
    /// p of those at walls.
    pub friction: Vec<(usize, DVec3)>,
    /// Impulses of tension and of friction on all solids.
    pub on_solids: [Vec<Twist>; 2],
}

/// Tension and friction during a solve.
pub struct Droplets<'a> {
    pairs: &'a SurfacePairs,
    start: Start,
    /// ω α; none without tension.
    relaxation: Option<f64>,
    pulls: Pulls,
    force: Vec<DVec3>,
    /// P of fluid particles.
    tension: Unknown,
    /// P of solids: linear and angular parts in turn.
    on_solids: Unknown,
    /// p of `start.grips`.
    friction: Unknown,
    /// Displacements of all particles by now, in h.
    displacement: Vec<DVec3>,
    /// Displacement of each fluid particle by P and p.
    own: Vec<DVec3>,
}

impl<'a> Droplets<'a> {
    /// Ready to solve. Without tension `pairs` are not looked at.
    pub fn new(pairs: &'a SurfacePairs, start: Start) -> Droplets<'a> {
        let n = start.inverse_mass.len();
        let mut droplets = Droplets {
            pairs,
            relaxation: None,
            pulls: Pulls::default(),
            force: vec![DVec3::ZERO; n],
            tension: Unknown::new(vec![DVec3::ZERO; n]),
            on_solids: Unknown::new(vec![DVec3::ZERO; 2 * start.solids]),
            friction: Unknown::new(start.friction.clone()),
            displacement: start.displacement.clone(),
            own: vec![DVec3::ZERO; n],
            start,
        };
        if droplets.start.strengths.largest() > 0.0 {
            let lightest = droplets.start.inverse_mass.iter().copied().fold(0.0, f64::max);
            let stiffness = lightest * pairs.stiffness(&droplets.start.strengths);
            droplets.relaxation = Some(OMEGA / (1.0 + stiffness));
            pairs.pulls(&droplets.start.strengths, None, &mut droplets.pulls);
            let reactions = droplets.pull();
            droplets.tension = Unknown::new(droplets.force.clone());
            droplets.on_solids = Unknown::new(reactions);
        }
        droplets
    }

    /// (T6) at the present pulls into `force`; returns the forces on solids.
    fn pull(&mut self) -> Vec<DVec3> {
        self.pairs.forces(&self.pulls, &mut self.force);
        let reactions = self.pairs.reactions(&self.pulls, self.start.solids);
        reactions.iter().flat_map(|twist| [twist.linear, twist.angular]).collect()
    }

    /// Adds the impulses of tension and friction to those on solids.
    pub fn react(&self, impulse: &mut [Twist]) {
        self.react_to_tension(impulse);
        self.react_to_friction(impulse);
    }

    fn react_to_tension(&self, impulse: &mut [Twist]) {
        for (sum, part) in impulse.iter_mut().zip(self.on_solids.now.as_chunks::<2>().0) {
            sum.add(1.0, &Twist { linear: part[0], angular: part[1] });
        }
    }

    fn react_to_friction(&self, impulse: &mut [Twist]) {
        let frictions = self.start.grips.iter().zip(&self.friction.now);
        frictions.for_each(|(grip, &p)| grip.react(p, impulse));
    }

    /// Where everything goes with the displacements `push` by pressure and the motions of `bodies`; how
    /// hard walls are pressed.
    pub fn respond(&mut self, kappa: &[f32], push: &[Vec4], bodies: &[Body]) {
        let tension = self.own.par_iter_mut().zip(&self.tension.now).zip(&self.start.inverse_mass);
        tension.with_min_len(4096).for_each(|((own, &p), &m)| *own = m * p);
        for (grip, &p) in self.start.grips.iter_mut().zip(&self.friction.now) {
            grip.press(kappa[grip.particle]);
            self.own[grip.particle] += self.start.inverse_mass[grip.particle] * p;
        }
        let n = self.own.len();
        let fluid = self.displacement[..n].par_iter_mut().zip(&self.start.displacement);
        fluid.zip(&self.own).zip(push).with_min_len(4096).for_each(|(((u, &base), &own), push)| {
            *u = base + own + push.truncate().as_dvec3();
        });
        if self.relaxation.is_some() && !bodies.is_empty() {
            for (b, solid, arm) in self.pairs.wet() {
                if bodies[solid].is_dynamic {
                    self.displacement[b] = bodies[solid].motion.at(arm);
                }
            }
        }
    }

    /// Adds the displacements by P and p to `push`.
    pub fn shove(&self, push: &mut [Vec4]) {
        push.par_iter_mut().zip(&self.own).with_min_len(4096).for_each(|(push, own)| {
            *push += own.as_vec3().extend(0.0);
        });
    }

    /// What the solve found.
    pub fn result(self) -> Found {
        let mut on_solids = [vec![Twist::default(); self.start.solids], Vec::new()];
        on_solids[1] = on_solids[0].clone();
        self.react_to_tension(&mut on_solids[0]);
        self.react_to_friction(&mut on_solids[1]);
        let frictions = self.start.grips.iter().zip(&self.friction.now);
        Found {
            friction: frictions.map(|(grip, &p)| (grip.particle, p)).collect(),
            displacement: self.own,
            tension: self.tension.now,
            on_solids,
        }
    }

    /// One sweep of (D1) and (F3).
    pub fn sweep(&mut self, bodies: &[Body]) -> PartnerSweep {
        let tension = self.sweep_tension();
        let friction = self.sweep_friction(bodies);
        PartnerSweep {
            change: tension.change + friction.change,
            converged: tension.converged && friction.converged,
        }
    }

    fn sweep_tension(&mut self) -> PartnerSweep {
        let Some(relaxation) = self.relaxation else {
            return PartnerSweep { change: 0.0, converged: true };
        };
        let displacement = Some(self.displacement.as_slice());
        self.pairs.pulls(&self.start.strengths, displacement, &mut self.pulls);
        let reactions = self.pull();
        let Unknown { now, next, .. } = &mut self.tension;
        next.par_iter_mut().zip(&*now).zip(&self.force).with_min_len(4096).for_each(
            |((next, &now), &force)| *next = now + relaxation * (force - now), // (D1)
        );
        let solids = &mut self.on_solids;
        for ((next, &now), force) in solids.next.iter_mut().zip(&solids.now).zip(reactions) {
            *next = now + relaxation * (force - now);
        }
        let (now, force, mass) = (&self.tension.now, &self.force, &self.start.inverse_mass);
        let [left, size, square] = reduce::sums(now.len(), |i| {
            let rest = force[i] - now[i];
            [rest.length(), force[i].length(), mass[i] * rest.length_squared()]
        });
        let change = relaxation * square; // |ΔP|² / (ω α)
        PartnerSweep { change, converged: left <= self.start.error * size }
    }

    fn sweep_friction(&mut self, bodies: &[Body]) -> PartnerSweep {
        let (mut change, mut left, mut limit) = (0.0, 0.0, 0.0);
        let Unknown { now, next, .. } = &mut self.friction;
        for ((grip, now), next) in self.start.grips.iter().zip(now).zip(next) {
            let (after, rest) = grip.update(*now, self.displacement[grip.particle], bodies);
            change += grip.compliance() * (after - *now).length_squared();
            (left, limit) = (left + rest, limit + grip.limit());
            *next = after;
        }
        PartnerSweep { change, converged: left <= self.start.error * limit }
    }

    /// (P6), friction kept inside its cone.
    pub fn accelerate(&mut self, beta: f64) {
        self.tension.accelerate(beta);
        self.on_solids.accelerate(beta);
        self.friction.accelerate(beta);
        let frictions = self.start.grips.iter().zip(&mut self.friction.now);
        frictions.for_each(|(grip, p)| *p = grip.project(*p));
    }

    /// Goes back to the result of the last sweep.
    pub fn finish(&mut self) {
        for unknown in [&mut self.tension, &mut self.on_solids, &mut self.friction] {
            unknown.now.clone_from(&unknown.next);
        }
    }
}
