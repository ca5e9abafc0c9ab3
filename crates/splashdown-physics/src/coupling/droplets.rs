//! Surface tension and friction of fluids on walls, as unknowns beside the pressures.
//!
//! Paper: Probst & Teschner 2024 (PT24), algorithm 1. The unknowns are what interfaces pull with (`sph::tension::sweep`)
//! and the impulses of friction p on bodies that yield (`sph::wall_friction`). Sweeps start from the pulls after the motion
//! before the solve, and from the friction of the last step.
//!
//! Friction on walls that do not yield is no unknown: what it does to a particle depends on nothing but that particle, so
//! the friction that belongs to a pressure and a tension is known (F5), and every sweep of these sees it. But it is only as
//! good as the pressure: the solve waits until walls are pressed as hard as they will be. A compression that is
//! small enough for a fluid may be many times the weight of a drop, and lets it creep.
//!
//! Tension is most of the work of a sweep and soon as good as the pressure beside it, so it is swept only now and then; and
//! it is accelerated by what it changes itself. (With the β of all others its first step, the longest by far, was repeated:
//! a drop that starts from nothing then pulled too hard by a third, and all that had converged started anew.)
//!
//! Impulses are in m_ref h/Δt and displacements in h, as everywhere in the solve.

use glam::Vec4;
use rayon::prelude::*;
use splashdown_solve::nncg::{Momentum, Sweep, Unknowns};

use crate::math::DVec3;
use crate::rigid::bodies::{Body, Twist};
use crate::sph::tension::energy::Strengths;
use crate::sph::tension::pairs::SurfacePairs;
use crate::sph::tension::sweep::TensionSweep;
use crate::sph::wall_friction::Grip;

/// What a sweep leaves of how far pressures at walls are from the end, at least and at most: it is only estimated.
const CONTRACTION: [f64; 2] = [0.5, 0.9];
/// How much of the error that is allowed may be left in how hard walls are pressed.
const AT_WALLS: f64 = 0.5;
/// Tension rests when it is off by no more than so many times what it may be in the end, and for so many sweeps at most:
const REST: (f64, u32) = (5.0, 6);
/// and so many sweeps before its first where it is alone with pressure, which makes most of its way in these: what tension starts from is seldom far
/// off, and what it would find before them is soon out of date.
const FIRST_REST: u32 = 4;
/// Where it has to be careful,
const REST_OF_THE_CAREFUL: (f64, u32) = (1.0, 1);
/// as from γ A⁰ Δt²/(ρ h³) on, which is (Δt/Δt_γ)²/8: beyond one and a half capillary times it must be swept with pressure.
const STIFF: f64 = 0.3;

/// What a sweep leaves of how far tension is off, at least and at most, and before that is known from two sweeps without a rest
/// between them: 0.37 to 0.5 in steps of 0.9 capillary times.
const KEPT: [f64; 3] = [0.3, 1.0, 0.5];

/// What the last two sweeps changed.
#[derive(Clone, Copy, Debug, Default)]
struct Changes([f64; 2]);

impl Changes {
    /// What is left to change after another `change`, if sweeps go on to make it smaller as they did: Σ ρᵏ of it.
    fn left_after(&mut self, change: f64) -> f64 {
        let [before, last] = self.0;
        self.0 = [last, change];
        let [least, most] = CONTRACTION;
        let contraction =
            if before > 0.0 { (change / before).sqrt().clamp(least, most) } else { most };
        change / (1.0 - contraction)
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
    /// Which solids the solve moves, of all solids.
    pub dynamic: Vec<bool>,
    /// Share by which forces may be off.
    pub error: f64,
    /// Share of the first guesses that sweeps start from.
    pub share: f64,
    /// Whether nothing but tension is solved with pressure.
    pub is_loose: bool,
    /// Whether friction on walls that stand is that of (F5) in every sweep, or is swept as in PT24.
    pub is_friction_known: bool,
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
    /// What of these the solve has not moved solids by: it saw tension in single precision.
    pub unseen: Vec<Twist>,
    /// Σ |N| of the particles that grip walls.
    pub pressed: f64,
}

/// Tension and friction during a solve.
pub struct Droplets<'a> {
    start: Start,
    /// None where nothing has any tension.
    tension: Option<TensionSweep<'a>>,
    /// For how many sweeps tension stays as it is, and whether it did before its last one.
    rests: u32,
    has_rested: bool,
    /// Whether its steps are those that always converge, and its rests short.
    is_careful: bool,
    /// By how much it was off in its last sweep, and what a sweep leaves of that.
    left: f64,
    kept: f64,
    /// Its own β, and what that follows from.
    beta: f64,
    momentum: Momentum,
    /// Whether what it pulls with has changed since `pulled` was computed.
    is_fresh: bool,
    /// Displacement of each fluid particle by tension.
    pulled: Vec<Vec4>,
    /// p of `start.grips`.
    friction: Unknowns<Vec<DVec3>>,
    /// Displacements of the particles of `start.grips` by all that moves them; in the end but for tension and friction.
    moved: Vec<DVec3>,
    /// Whether all has been swept.
    has_ended: bool,
    /// How hard walls are pressed.
    pressing: Changes,
}

impl Start {
    /// Whether friction of `grip` has to be found by sweeps.
    fn sweeps(&self, grip: &Grip) -> bool {
        !self.is_friction_known || grip.yields()
    }
}

impl<'a> Droplets<'a> {
    /// Ready to solve. Without tension `pairs` are not looked at.
    pub fn new(pairs: &'a SurfacePairs, start: Start) -> Droplets<'a> {
        let n = start.inverse_mass.len();
        let is_stiff = start.strengths.largest() > STIFF;
        let tension = (start.strengths.largest() > 0.0).then(|| {
            let inverse_mass = start.inverse_mass.iter().map(|&m| m as f32).collect();
            let (strengths, dynamic) = (start.strengths.clone(), start.dynamic.clone());
            let displacement = &start.displacement;
            let mut sweep = TensionSweep::new(
                pairs,
                strengths,
                inverse_mass,
                displacement,
                dynamic,
                start.error,
            );
            if is_stiff {
                sweep.be_careful();
            }
            sweep.start_from(start.share);
            sweep
        });
        Droplets {
            tension,
            rests: if is_stiff || !start.is_loose { 0 } else { FIRST_REST },
            has_rested: false,
            is_careful: is_stiff,
            left: f64::INFINITY,
            beta: 0.0,
            momentum: Momentum::new(1.0),
            kept: if is_stiff { KEPT[1] } else { KEPT[2] },
            is_fresh: true,
            pulled: vec![Vec4::ZERO; n],
            friction: Unknowns::new(start.friction.iter().map(|&p| start.share * p).collect()),
            moved: vec![DVec3::ZERO; start.grips.len()],
            has_ended: false,
            pressing: Changes::default(),
            start,
        }
    }

    /// Whether there is any tension.
    pub fn pull(&self) -> bool {
        self.tension.is_some()
    }

    /// Adds the impulses of tension and friction to those on solids.
    pub fn react(&self, impulse: &mut [Twist]) {
        if let Some(tension) = &self.tension {
            tension.react(impulse);
        }
        self.react_to_friction(impulse);
    }

    fn react_to_friction(&self, impulse: &mut [Twist]) {
        let frictions = self.start.grips.iter().zip(&self.friction.now);
        frictions.for_each(|(grip, &p)| grip.react(p, impulse));
    }

    /// Displacement of each fluid particle by tension; none in the end.
    pub fn pulled(&mut self) -> Option<&[Vec4]> {
        if let Some(tension) = &mut self.tension
            && std::mem::take(&mut self.is_fresh)
        {
            tension.displace(&mut self.pulled);
        }
        (!self.has_ended).then_some(&self.pulled)
    }

    /// Where everything goes with the displacements `push` by pressure and tension (in the end pressure alone) and the motions of `bodies`; how
    /// hard walls are pressed, and how those that stand hold (F5), which is added to `push`.
    pub fn respond(&mut self, kappa: &[f32], push: &mut [Vec4], bodies: &[Body]) {
        if let Some(tension) = &mut self.tension {
            tension.carry(bodies);
        }
        let Start { grips, displacement, inverse_mass, is_friction_known, .. } = &mut self.start;
        let grips = grips.iter_mut().zip(&mut self.friction.now).zip(&mut self.moved);
        for ((grip, p), moved) in grips {
            let i = grip.particle;
            grip.press(kappa[i]);
            let all = if self.has_ended { self.pulled[i] + push[i] } else { push[i] };
            if *is_friction_known {
                let u = displacement[i] + all.truncate().as_dvec3();
                *p = grip.hold(u).unwrap_or(*p);
            }
            if !self.has_ended {
                push[i] += (inverse_mass[i] * *p).as_vec3().extend(0.0);
            }
            *moved = displacement[i] + push[i].truncate().as_dvec3();
        }
    }

    /// What the solve found, in double precision. `pushed` is what pressure moves fluid.
    pub fn result(mut self, pushed: &[DVec3]) -> Found {
        let solids = self.start.dynamic.len();
        let (n, none) = (self.pulled.len(), vec![Twist::default(); solids]);
        let mut seen = none.clone();
        self.react(&mut seen);
        let Start { displacement, inverse_mass: mass, grips, .. } = &self.start;
        let moved = || {
            let both = self.pulled.iter().zip(pushed);
            let both = both.map(|(pulled, pushed)| pulled.truncate().as_dvec3() + *pushed);
            let mut moved: Vec<DVec3> =
                displacement.iter().zip(both).map(|(u, by)| *u + by).collect();
            let held = grips.iter().zip(&self.friction.now);
            held.for_each(|(grip, &p)| moved[grip.particle] += mass[grip.particle] * p);
            moved
        };
        let (tension, on_solids) = match &self.tension {
            Some(tension) => tension.result(solids, moved),
            None => (vec![DVec3::ZERO; n], none.clone()),
        };
        let mut pulled: Vec<DVec3> = tension.par_iter().zip(mass).map(|(&p, &m)| m * p).collect();
        // Once more with exact forces: what rounding is worth would make a drop that sticks creep.
        if self.start.is_friction_known {
            for (grip, p) in grips.iter().zip(&mut self.friction.now) {
                let i = grip.particle;
                *p = grip.hold(displacement[i] + pushed[i] + pulled[i]).unwrap_or(*p);
            }
        }
        let mut on_solids = [on_solids, none];
        self.react_to_friction(&mut on_solids[1]);
        let mut unseen = seen;
        for ((unseen, of_tension), of_friction) in
            unseen.iter_mut().zip(&on_solids[0]).zip(&on_solids[1])
        {
            let mut all = *of_tension;
            all.add(1.0, of_friction);
            all.add(-1.0, unseen);
            *unseen = all;
        }
        let frictions = self.start.grips.iter().zip(&self.friction.now);
        let friction: Vec<_> = frictions.map(|(grip, &p)| (grip.particle, p)).collect();
        friction.iter().for_each(|&(i, p)| pulled[i] += mass[i] * p);
        let pressed = self.start.grips.iter().map(Grip::pressed).sum();
        Found { displacement: pulled, tension, friction, on_solids, unseen, pressed }
    }

    /// One sweep of (D1) and (F3), in which pressures become `next`; `push` is what moves fluid before, `is_last` whether the solve waits for nothing else.
    pub fn sweep(&mut self, bodies: &[Body], next: &[f32], push: &[Vec4], is_last: bool) -> Sweep {
        let mut friction = self.sweep_friction(bodies);
        friction.converged &= self.is_pressed(next);
        let Some(tension) = &mut self.tension else { return friction };
        if self.rests > 0 && !(is_last && friction.converged) {
            self.rests -= 1;
            self.has_rested = true;
            return Sweep { converged: false, ..friction }; // no solve ends while it rests
        }
        let has_rested = std::mem::take(&mut self.has_rested);
        let swept = tension.sweep(push);
        self.is_fresh = true;
        self.beta = self.momentum.beta(swept.change);
        if !self.is_careful && !has_rested && swept.left > self.left.max(1.0) {
            tension.be_careful();
            self.is_careful = true;
        }
        if !has_rested && self.left.is_finite() {
            self.kept = (swept.left / self.left.max(f64::MIN_POSITIVE)).clamp(KEPT[0], KEPT[1]);
        }
        self.left = swept.left;
        // What it changes between rests would come and go in β with them, and (NC2) would start anew after each.
        let (near, rest) = if self.is_careful { REST_OF_THE_CAREFUL } else { REST };
        let is_near = swept.left <= near;
        self.rests = if is_near { rest } else { 0 };
        Sweep {
            error: swept.left,
            change: friction.change + if is_near { 0.0 } else { swept.change },
            // `left` is what this sweep found, not what it leaves.
            converged: self.kept * swept.left <= 1.0 && friction.converged,
        }
    }

    /// Whether pressures `next` press walls as hard as they will in the end.
    fn is_pressed(&mut self, next: &[f32]) -> bool {
        let grips = || self.start.grips.iter();
        let change: f64 = grips().map(|grip| grip.change(next[grip.particle])).sum();
        let limit: f64 = grips().map(Grip::limit).sum();
        self.pressing.left_after(change) <= AT_WALLS * self.start.error * limit
    }

    fn sweep_friction(&mut self, bodies: &[Body]) -> Sweep {
        let (mut change, mut left, mut limit) = (0.0, 0.0, 0.0);
        let Unknowns { now, next, .. } = &mut self.friction;
        for (((grip, now), next), &u) in self.start.grips.iter().zip(now).zip(next).zip(&self.moved)
        {
            if !self.start.sweeps(grip) {
                continue;
            }
            let (after, rest) = grip.update(*now, u, bodies);
            change += grip.compliance() * (after - *now).length_squared();
            (left, limit) = (left + rest, limit + grip.limit());
            *next = after;
        }
        Sweep { error: left, change, converged: left <= self.start.error * limit }
    }

    /// (NC2), friction kept inside its cone.
    pub fn extrapolate(&mut self, beta: f64) {
        if let Some(tension) = self.tension.as_mut().filter(|_| self.is_fresh) {
            tension.extrapolate(beta.min(self.beta));
        }
        self.friction.extrapolate(beta);
        for (grip, p) in self.start.grips.iter().zip(&mut self.friction.now) {
            if self.start.sweeps(grip) {
                *p = grip.project(*p);
            }
        }
    }

    /// Goes back to the result of the last sweep.
    pub fn settle(&mut self) {
        if let Some(tension) = &mut self.tension {
            tension.settle();
        }
        self.friction.settle();
        (self.rests, self.is_fresh) = (0, true);
    }

    /// The same in the end, when nobody asks any more what tension does but in double precision.
    pub fn finish(&mut self) {
        self.settle();
        (self.is_fresh, self.has_ended) = (false, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_to_change_follows_from_what_has_changed() {
        // Of a geometric series from 1 on the rest is known after two terms; before that nothing is taken for granted.
        for ratio in [0.6f64, 0.7, 0.85] {
            let mut changes = Changes::default();
            for k in 0..6 {
                let left = changes.left_after(ratio.powi(k));
                let rest = ratio.powi(k) / if k < 2 { 0.1 } else { 1.0 - ratio };
                assert!((left / rest - 1.0).abs() < 1e-12, "{ratio}, {k}: {left} of {rest}");
            }
        }
        // What grows is not taken for the end.
        let mut growing = Changes([1.0, 2.0]);
        assert!((growing.left_after(4.0) - 40.0).abs() < 1e-12);
    }
}
