//! Surface tension and friction of fluids on walls, as unknowns beside the pressures.
//!
//! Paper: Probst & Teschner 2024 (PT24), algorithm 1. The unknowns are what interfaces pull with
//! (`sph::tension::sweep`) and the impulses of friction p on bodies that yield (`wall_friction`).
//! Sweeps start from the pulls after the motion before the solve, and from the friction of the last
//! step.
//!
//! Friction on walls that do not yield is no unknown: what it does to a particle depends on nothing
//! but that particle, so the friction that belongs to a pressure and a tension is known (WF5), and
//! every sweep of these sees it. But it is only as good as the pressure: the solve waits until
//! walls are pressed as hard as they will be. A compression that is small enough for a fluid may be
//! many times the weight of a drop, and lets it creep.
//!
//! Tension is most of the work of a sweep and soon as good as the pressure beside it, so it is
//! swept only now and then; and it is accelerated by what it changes itself. (With the β of all
//! others its first step, the longest by far, was repeated: a drop that starts from nothing then
//! pulled too hard by a third, and all that had converged started anew.)
//!
//! Impulses are in m_ref h/Δt and displacements in h, as everywhere in the solve.

use glam::Vec4;
use rayon::prelude::*;
use splashdown_solve::nncg::{Momentum, Sweep, Unknowns};

use crate::coupling::wall_friction::WallContact;
use crate::math::DVec3;
use crate::rigid::bodies::Body;
use crate::sph::tension::energy::Strengths;
use crate::sph::tension::pairs::SurfacePairs;
use crate::sph::tension::sweep::TensionSweep;
use crate::twist::Twist;

/// What a sweep leaves of how far pressures at walls are from the end: bounds of the estimate. How
/// the constants of this file were found: docs/methods/droplets.md, *Constants*.
const CONTRACTION: [f64; 2] = [0.5, 0.9];
/// Share of the allowed error that may be left in the normal forces on walls.
const WALL_SHARE: f64 = 0.5;
/// With a residual of at most this many times the tolerance, tension is skipped for this many
/// sweeps.
const AGGRESSIVE_SKIP: (f64, u32) = (5.0, 6);
/// Sweeps before the first one of tension where nothing else is solved with pressure.
const FIRST_SKIP: u32 = 4;
/// `AGGRESSIVE_SKIP` where steps have to be safe.
const SAFE_SKIP: (f64, u32) = (1.0, 1);
/// Steps are safe from this γ A⁰ Δt²/(ρ h³) on, which is (Δt/Δt_γ)²/8.
const STIFF_STEP: f64 = 0.3;

/// What a sweep leaves of the residual of tension: at least, at most, and before it is measured.
const TENSION_CONTRACTION: [f64; 3] = [0.3, 1.0, 0.5];

/// What the last two sweeps changed.
#[derive(Clone, Copy, Debug, Default)]
struct Changes([f64; 2]);

impl Changes {
    /// What is left to change after another `change`, if sweeps go on to make it smaller as they
    /// did: Σ ρᵏ of it.
    fn left_after(&mut self, change: f64) -> f64 {
        let [before, last] = self.0;
        self.0 = [last, change];
        let [least, most] = CONTRACTION;
        let contraction =
            if before > 0.0 { (change / before).sqrt().clamp(least, most) } else { most };
        change / (1.0 - contraction)
    }
}

/// How long the steps of tension are, and how long its rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Steps that always converge, and short rests.
    Safe,
    /// Steps that converge nearly always, and long rests.
    Aggressive,
}

/// In which sweeps of the solve tension is swept, too.
#[derive(Clone, Copy, Debug)]
struct SweepSchedule {
    /// For how many sweeps tension stays as it is.
    skip: u32,
    /// Whether it did before its last sweep.
    has_skipped: bool,
    mode: Mode,
    /// By how much it was off in its last sweep, over how much it may be.
    residual: f64,
    /// What a sweep leaves of that.
    contraction: f64,
}

impl SweepSchedule {
    fn new(is_stiff: bool, is_only_tension: bool) -> SweepSchedule {
        let [_, most, first] = TENSION_CONTRACTION;
        SweepSchedule {
            skip: if is_stiff || !is_only_tension { 0 } else { FIRST_SKIP },
            has_skipped: false,
            mode: if is_stiff { Mode::Safe } else { Mode::Aggressive },
            residual: f64::INFINITY,
            contraction: if is_stiff { most } else { first },
        }
    }

    /// Takes note of how far tension was off in a sweep; whether its steps have to be safe from now
    /// on.
    fn record(&mut self, residual: f64) -> bool {
        let has_skipped = std::mem::take(&mut self.has_skipped);
        let grows = !has_skipped && residual > self.residual.max(1.0);
        let becomes_safe = self.mode == Mode::Aggressive && grows;
        if becomes_safe {
            self.mode = Mode::Safe;
        }
        if !has_skipped && self.residual.is_finite() {
            let [least, most, _] = TENSION_CONTRACTION;
            let left = residual / self.residual.max(f64::MIN_POSITIVE);
            self.contraction = left.clamp(least, most);
        }
        self.residual = residual;
        becomes_safe
    }

    /// Lets tension rest where it is near its end; whether it is. What it changes between rests
    /// would come and go in β with them, and (NC2) would start anew after each.
    fn skip_next(&mut self, residual: f64) -> bool {
        let (near, skip) = match self.mode {
            Mode::Safe => SAFE_SKIP,
            Mode::Aggressive => AGGRESSIVE_SKIP,
        };
        let is_near = residual <= near;
        self.skip = if is_near { skip } else { 0 };
        is_near
    }
}

/// What tension and friction of a step start from.
pub struct InterfaceInput {
    /// γ A⁰ in ρ_ref h³/Δt² hᵈ⁻¹.
    pub strengths: Strengths,
    /// Displacements of all particles before the solve, in h.
    pub displacement: Vec<DVec3>,
    /// 1/μ of every fluid particle; 0 of those that nothing moves.
    pub inverse_mass: Vec<f64>,
    /// Fluid particles at walls.
    pub contacts: Vec<WallContact>,
    /// Friction of the last step, one for each of `contacts`.
    pub friction: Vec<DVec3>,
    /// Which solids the solve moves, of all solids.
    pub dynamic: Vec<bool>,
    /// Share by which forces may be off.
    pub error: f64,
    /// Share of the first guesses that sweeps start from.
    pub share: f64,
    /// Whether nothing but tension is solved with pressure.
    pub is_only_tension: bool,
    /// Whether friction on walls that stand is that of (WF5) in every sweep, or is swept as in
    /// PT24.
    pub has_direct_friction: bool,
}

/// What tension and friction do in a step.
#[derive(Clone, Debug, Default)]
pub struct TensionResult {
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
    /// Σ |N| of the particles that rub on walls.
    pub normal_load: f64,
}

/// Tension and friction during a solve.
pub struct InterfaceSystem<'a> {
    input: InterfaceInput,
    /// None where nothing has any tension.
    tension: Option<TensionSweep<'a>>,
    /// When tension is swept next, and with which steps.
    schedule: SweepSchedule,
    /// Its own β, and what that follows from.
    beta: f64,
    momentum: Momentum,
    /// Whether what it pulls with has changed since `tension_displacement` was computed.
    has_changed: bool,
    /// Displacement of each fluid particle by tension.
    displacement: Vec<Vec4>,
    /// p of `input.contacts`.
    friction: Unknowns<Vec<DVec3>>,
    /// Displacements of the particles of `input.contacts` by all that moves them; in the end but
    /// for tension and friction.
    contact_displacement: Vec<DVec3>,
    /// Whether all has been swept.
    is_finished: bool,
    /// How hard walls are pressed.
    wall_pressure: Changes,
}

impl InterfaceInput {
    /// Whether friction of `contact` has to be found by sweeps.
    fn sweeps(&self, contact: &WallContact) -> bool {
        !self.has_direct_friction || contact.has_dynamic_solid()
    }
}

impl<'a> InterfaceSystem<'a> {
    /// Ready to solve. Without tension `pairs` are not looked at.
    pub fn new(pairs: &'a SurfacePairs, input: InterfaceInput) -> InterfaceSystem<'a> {
        let n = input.inverse_mass.len();
        let is_stiff = input.strengths.largest() > STIFF_STEP;
        let tension = (input.strengths.largest() > 0.0).then(|| {
            let inverse_mass = input.inverse_mass.iter().map(|&m| m as f32).collect();
            let (strengths, dynamic) = (input.strengths.clone(), input.dynamic.clone());
            let displacement = &input.displacement;
            let mut sweep = TensionSweep::new(
                pairs,
                strengths,
                inverse_mass,
                displacement,
                dynamic,
                input.error,
            );
            if is_stiff {
                sweep.use_safe_steps();
            }
            sweep.scale_start(input.share);
            sweep
        });
        InterfaceSystem {
            tension,
            schedule: SweepSchedule::new(is_stiff, input.is_only_tension),
            beta: 0.0,
            momentum: Momentum::new(1.0),
            has_changed: true,
            displacement: vec![Vec4::ZERO; n],
            friction: Unknowns::new(input.friction.iter().map(|&p| input.share * p).collect()),
            contact_displacement: vec![DVec3::ZERO; input.contacts.len()],
            is_finished: false,
            wall_pressure: Changes::default(),
            input,
        }
    }

    /// Whether there is any tension.
    pub fn has_tension(&self) -> bool {
        self.tension.is_some()
    }

    /// Adds the impulses of tension and friction to those on solids.
    pub fn add_reactions(&self, impulse: &mut [Twist]) {
        if let Some(tension) = &self.tension {
            tension.add_reactions(impulse);
        }
        self.add_friction_reactions(impulse);
    }

    fn add_friction_reactions(&self, impulse: &mut [Twist]) {
        let frictions = self.input.contacts.iter().zip(&self.friction.now);
        frictions.for_each(|(contact, &p)| contact.add_reaction(p, impulse));
    }

    /// Displacement of each fluid particle by tension; none in the end.
    pub fn tension_displacement(&mut self) -> Option<&[Vec4]> {
        if let Some(tension) = &mut self.tension
            && std::mem::take(&mut self.has_changed)
        {
            tension.displace(&mut self.displacement);
        }
        (!self.is_finished).then_some(&self.displacement)
    }

    /// Where everything goes with the displacements `push` by pressure and tension (in the end
    /// pressure alone) and the motions of `bodies`; how hard walls are pressed, and how those that
    /// stand hold (WF5), which is added to `push`.
    pub fn update_response(&mut self, kappa: &[f32], push: &mut [Vec4], bodies: &[Body]) {
        if let Some(tension) = &mut self.tension {
            tension.move_walls(&bodies.iter().map(|body| body.motion).collect::<Vec<_>>());
        }
        let InterfaceInput { contacts, displacement, inverse_mass, has_direct_friction, .. } =
            &mut self.input;
        let contacts =
            contacts.iter_mut().zip(&mut self.friction.now).zip(&mut self.contact_displacement);
        for ((contact, p), moved) in contacts {
            let i = contact.particle;
            contact.set_pressure(kappa[i]);
            let all = if self.is_finished { self.displacement[i] + push[i] } else { push[i] };
            if *has_direct_friction {
                let u = displacement[i] + all.truncate().as_dvec3();
                *p = contact.direct_friction(u).unwrap_or(*p);
            }
            if !self.is_finished {
                push[i] += (inverse_mass[i] * *p).as_vec3().extend(0.0);
            }
            *moved = displacement[i] + push[i].truncate().as_dvec3();
        }
    }

    /// What the solve found, in double precision. `pushed` is what pressure moves fluid.
    pub fn result(mut self, pushed: &[DVec3]) -> TensionResult {
        let solids = self.input.dynamic.len();
        let (n, none) = (self.displacement.len(), vec![Twist::default(); solids]);
        let mut seen = none.clone();
        self.add_reactions(&mut seen);
        let InterfaceInput { displacement, inverse_mass: mass, contacts, .. } = &self.input;
        let moved = || {
            let both = self.displacement.iter().zip(pushed);
            let both = both.map(|(pulled, pushed)| pulled.truncate().as_dvec3() + *pushed);
            let mut moved: Vec<DVec3> =
                displacement.iter().zip(both).map(|(u, by)| *u + by).collect();
            let held = contacts.iter().zip(&self.friction.now);
            held.for_each(|(contact, &p)| moved[contact.particle] += mass[contact.particle] * p);
            moved
        };
        let (tension, on_solids) = match &self.tension {
            Some(tension) => tension.result(solids, moved),
            None => (vec![DVec3::ZERO; n], none.clone()),
        };
        let mut pulled: Vec<DVec3> = tension.par_iter().zip(mass).map(|(&p, &m)| m * p).collect();
        // Once more with exact forces: what rounding is worth would make a drop that sticks creep.
        if self.input.has_direct_friction {
            for (contact, p) in contacts.iter().zip(&mut self.friction.now) {
                let i = contact.particle;
                *p = contact.direct_friction(displacement[i] + pushed[i] + pulled[i]).unwrap_or(*p);
            }
        }
        let mut on_solids = [on_solids, none];
        self.add_friction_reactions(&mut on_solids[1]);
        let mut unseen = seen;
        for ((unseen, of_tension), of_friction) in
            unseen.iter_mut().zip(&on_solids[0]).zip(&on_solids[1])
        {
            let mut all = *of_tension;
            all.add(1.0, of_friction);
            all.add(-1.0, unseen);
            *unseen = all;
        }
        let frictions = self.input.contacts.iter().zip(&self.friction.now);
        let friction: Vec<_> = frictions.map(|(contact, &p)| (contact.particle, p)).collect();
        friction.iter().for_each(|&(i, p)| pulled[i] += mass[i] * p);
        let normal_load = self.input.contacts.iter().map(WallContact::normal_impulse).sum();
        TensionResult { displacement: pulled, tension, friction, on_solids, unseen, normal_load }
    }

    /// One sweep of (D1) and (WF3), in which pressures become `next`; `push` is what moves fluid
    /// before, `is_last` whether the solve waits for nothing else.
    pub fn sweep(&mut self, bodies: &[Body], next: &[f32], push: &[Vec4], is_last: bool) -> Sweep {
        let mut friction = self.sweep_friction(bodies);
        friction.converged &= self.has_converged_walls(next);
        let Some(tension) = &mut self.tension else { return friction };
        let schedule = &mut self.schedule;
        if schedule.skip > 0 && !(is_last && friction.converged) {
            schedule.skip -= 1;
            schedule.has_skipped = true;
            return Sweep { converged: false, ..friction }; // no solve ends while tension waits
        }
        let residual = tension.sweep(push);
        self.has_changed = true;
        self.beta = self.momentum.beta(residual.change);
        if schedule.record(residual.left) {
            tension.use_safe_steps();
        }
        let is_near = schedule.skip_next(residual.left);
        Sweep {
            error: residual.left,
            change: friction.change + if is_near { 0.0 } else { residual.change },
            // `left` is what this sweep found, not what it leaves.
            converged: schedule.contraction * residual.left <= 1.0 && friction.converged,
        }
    }

    /// Whether pressures `next` press walls as hard as they will in the end.
    fn has_converged_walls(&mut self, next: &[f32]) -> bool {
        let contacts = || self.input.contacts.iter();
        let change: f64 = contacts().map(|contact| contact.change(next[contact.particle])).sum();
        let limit: f64 = contacts().map(WallContact::limit).sum();
        self.wall_pressure.left_after(change) <= WALL_SHARE * self.input.error * limit
    }

    fn sweep_friction(&mut self, bodies: &[Body]) -> Sweep {
        let (mut change, mut left, mut limit) = (0.0, 0.0, 0.0);
        let Unknowns { now, next, .. } = &mut self.friction;
        for (((contact, now), next), &u) in
            self.input.contacts.iter().zip(now).zip(next).zip(&self.contact_displacement)
        {
            if !self.input.sweeps(contact) {
                continue;
            }
            let (after, rest) = contact.update(*now, u, bodies);
            change += contact.compliance() * (after - *now).length_squared();
            (left, limit) = (left + rest, limit + contact.limit());
            *next = after;
        }
        Sweep { error: left, change, converged: left <= self.input.error * limit }
    }

    /// (NC2), friction kept inside its cone.
    pub fn extrapolate(&mut self, beta: f64) {
        if let Some(tension) = self.tension.as_mut().filter(|_| self.has_changed) {
            tension.extrapolate(beta.min(self.beta));
        }
        self.friction.extrapolate(beta);
        for (contact, p) in self.input.contacts.iter().zip(&mut self.friction.now) {
            if self.input.sweeps(contact) {
                *p = contact.project(*p);
            }
        }
    }

    /// Goes back to the result of the last sweep.
    pub fn settle(&mut self) {
        if let Some(tension) = &mut self.tension {
            tension.settle();
        }
        self.friction.settle();
        (self.schedule.skip, self.has_changed) = (0, true);
    }

    /// The same in the end, when nobody asks any more what tension does but in double precision.
    pub fn finish(&mut self) {
        self.settle();
        (self.has_changed, self.is_finished) = (false, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_to_change_follows_from_what_has_changed() {
        // Of a geometric series from 1 on the rest is known after two terms; before that nothing is
        // taken for granted.
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
