//! Surface tension as unknowns of the solve: what interfaces pull with.
//!
//! PT24 solve for the force on every particle, with one step length for all: with several, forces
//! that have not converged would add up to a momentum. But forces are linear in the pulls Q = (q,
//! r, w, t) of (T6), and without momentum whatever these are. So the pulls are the unknowns here,
//! scalars like pressures, each with its own step length:
//!
//!   Q ← Q + ω α (γ S(C(t + Δt)) − Q),   α = 1/(1 + B)                   (D1)
//!   C(t + Δt) = C(t) ∓ Σ V ∇W·(u_i − u_j),   u = pressure, friction, F(Q)/μ     (D2)  PT24 eq. 21
//!   B = γ S′ R_i R / μ,   R_i = |Σ V ∇W| + Σ V |∇W|,   R = max R_i            (D3)
//!
//! Steps of more than 3.5 capillary times, m of them, are calmed after the solve along the lines
//! between particles, so that both momenta are kept. The directions and slopes of pairs are those
//! of the beginning of the step, and a spring K that is not part of a solve needs Δt² K < 4; if a
//! share d of motion is taken away afterwards it needs Δt² K < 2(2 − d)/(1 − d):
//!
//!   F ← F + (c d/m²) Σ (Q_i + Q_j) ∇W (u_ij·x_ij)/x_ij²                   (D4)
//!   d = (a − 1)/(a − ½),   a = (m/3.5)²
//!
//! B bounds the sum of a row of the Jacobian (Gershgorin), so that sweeps converge however long the
//! step is. The paper evaluates W at predicted places in every iteration; here contributions grow
//! along ∇W, as those of pressure do, which needs no kernels and makes the system linear but for
//! the clamp.

use glam::Vec4;
use rayon::prelude::*;
use splashdown_solve::nncg::{Unknowns, Vector};

use super::energy::{Clamp, Strengths};
use super::loops::{Grow, Growth, Pull, Relax};
use super::pairs::{Pulls, SurfacePairs};
use crate::math::DVec3;
use crate::particles::simd::dispatch;
use crate::particles::wide::{Wide, WideSums};
use crate::twist::Twist;

/// ω of steps that converge however long they are (docs/methods/droplets.md, *Constants*).
const OMEGA: f64 = 1.3;
/// ω to begin with, as long as sweeps converge with it.
const AGGRESSIVE_OMEGA: f64 = 5.0;
/// How much contributions may change during a step, for S′.
const MAX_CHANGE: f64 = 0.02;

/// Capillary times of a step up to which forces may act along the directions of its beginning.
const LONG_STEP: f64 = 3.5;
/// c of (D4): about as much as stops the fastest motion of neighbours in one step.
const CALMING: f64 = 9.6;

/// What a sweep found.
#[derive(Clone, Copy, Debug)]
pub struct TensionResidual {
    /// Change of the pulls, squared, in the energy norm.
    pub change: f64,
    /// By how much pulls are off over how much they may be.
    pub left: f64,
}

impl Vector for Pulls {
    fn zeros(&self) -> Pulls {
        Pulls { fluid: self.fluid.zeros(), wall: self.wall.zeros() }
    }

    fn extrapolate(&mut self, next: &Pulls, direction: &mut Pulls, beta: f64) {
        self.fluid.extrapolate(&next.fluid, &mut direction.fluid, beta);
        self.wall.extrapolate(&next.wall, &mut direction.wall, beta);
    }
}

/// The unknowns of one step.
pub struct TensionSweep<'a> {
    pairs: &'a SurfacePairs,
    strengths: Strengths,
    /// 1/μ of every fluid particle; 0 of those that nothing moves.
    inverse_mass: Vec<f32>,
    /// Solids that the solve moves.
    dynamic: Vec<bool>,
    /// Contributions of fluid particles at the end of the step, but for what the solve moves.
    contribution: Vec<[f32; 3]>,
    /// Those of `pairs.wet`.
    wall_contribution: Vec<[f32; 2]>,
    /// ω α of fluid particles and of `pairs.wet`.
    step: [Vec<f32>; 2],
    /// Typical size of a force for a pull of one, √(|Σ V ∇W|² + Σ |V ∇W|²).
    typical: f64,
    /// Q
    pulls: Unknowns<Pulls>,
    /// Displacements of wall particles of dynamic solids; empty if there are none.
    wall_moved: Vec<Vec4>,
    /// Share by which pulls may be off.
    error: f64,
}

impl<'a> TensionSweep<'a> {
    /// Starts from the pulls after the motion before the solve. `displacement` is that of all
    /// particles before the solve, in h.
    pub fn new(
        pairs: &'a SurfacePairs,
        strengths: Strengths,
        inverse_mass: Vec<f32>,
        displacement: &[DVec3],
        dynamic: Vec<bool>,
        error: f64,
    ) -> TensionSweep<'a> {
        let n = pairs.fluid.len();
        let moves_walls = pairs.wet.iter().any(|wet| dynamic[wet.solid as usize]);
        let mut sweep = TensionSweep {
            wall_moved: vec![Vec4::ZERO; if moves_walls { pairs.volume.len() - n } else { 0 }],
            contribution: vec![[0.0; 3]; n],
            wall_contribution: pairs.wall.iter().map(|c| c.map(|c| c as f32)).collect(),
            step: [Vec::new(), Vec::new()],
            typical: 0.0,
            pulls: Unknowns::default(),
            pairs,
            strengths,
            inverse_mass,
            dynamic,
            error,
        };
        sweep.predict(displacement);
        sweep.measure(AGGRESSIVE_OMEGA);
        // If nothing but the motion before the solve happens: at rest pressure and tension balance,
        // and little does.
        let start = pairs.pulls_with(&sweep.strengths, |i| sweep.contribution[i]);
        sweep.pulls = Unknowns::new(start);
        sweep
    }

    /// Contributions after the motion before the solve.
    fn predict(&mut self, displacement: &[DVec3]) {
        let n = self.pairs.fluid.len();
        let to_f32 = |u: &DVec3| u.as_vec3().extend(0.0);
        let fluid: Vec<Vec4> = displacement[..n].par_iter().map(to_f32).collect();
        let mut walls: Vec<Vec4> = displacement[n..].par_iter().map(to_f32).collect();
        for wet in &self.pairs.wet {
            if self.dynamic[wet.solid as usize] {
                walls[wet.particle as usize - n] = Vec4::ZERO;
            }
        }
        let mut contribution = std::mem::take(&mut self.contribution);
        self.pairs.for_each(&mut contribution, |list, contribution, local| {
            let before = &self.pairs.fluid[list.particles.clone()];
            let all = contribution.iter_mut().zip(before);
            all.for_each(|(now, before)| *now = before.map(|c| c as f32));
            if let Some(growth) = self.growth(list, &fluid, &walls) {
                dispatch(Grow { growth, contribution, local });
            }
        });
        self.contribution = contribution;
        let wall_grown = self.wall_growth(&fluid, &walls);
        for (c, g) in self.wall_contribution.iter_mut().zip(wall_grown) {
            *c = [c[0] - g, c[1] + g];
        }
    }

    /// Starts from a share of what has been guessed.
    pub fn scale_start(&mut self, share: f64) {
        if share != 1.0 {
            let share = share as f32;
            let Pulls { fluid, wall } = &mut self.pulls.now;
            fluid.iter_mut().for_each(|pull| *pull = pull.map(|q| share * q));
            wall.iter_mut().for_each(|t| *t *= share);
            self.pulls.next.clone_from(&self.pulls.now);
        }
    }

    /// Takes shorter steps from now on: those that converge however long the step is.
    pub fn use_safe_steps(&mut self) {
        self.measure(OMEGA);
    }

    /// Step lengths (D3).
    fn measure(&mut self, omega: f64) {
        let pairs = self.pairs;
        let of_list = |list: &Wide| {
            let largest = list.sums.iter().map(WideSums::reach).fold(0.0, f32::max);
            let squares = list.sums.iter().map(|sums| {
                let gradient: Vec4 = sums.gradient.into_iter().sum();
                gradient.length_squared() + sums.square
            });
            (largest, f64::from(squares.sum::<f32>()))
        };
        let found: Vec<(f32, f64)> = pairs.lists.par_iter().map(of_list).collect();
        let largest = found.iter().map(|(largest, _)| *largest).fold(0.0, f32::max);
        let square: f64 = found.iter().map(|(_, square)| square).sum();
        self.typical = (square / pairs.fluid.len().max(1) as f64).sqrt();
        let lightest = self.inverse_mass.iter().copied().fold(0.0, f32::max);
        let scale = f64::from(largest) * f64::from(lightest);
        let early = |clamp: Clamp, c: f64| clamp.bend((c - MAX_CHANGE).max(clamp.from));
        let length = |stiffness: f64| (omega / (1.0 + stiffness)).min(1.0) as f32;
        let mut step = vec![0.0; pairs.fluid.len()];
        pairs.for_each(&mut step, |list, out, _: &mut ()| {
            let (gamma, clamps) = (&self.strengths.fluids[list.fluid], self.strengths.clamps());
            for ((i, out), sums) in list.particles.clone().zip(out).zip(&list.sums) {
                if pairs.active[i] {
                    let c = &pairs.fluid[i];
                    let bend = |k: usize| match gamma[k] {
                        0.0 => 0.0,
                        gamma => gamma * early(clamps[k], c[k]),
                    };
                    let rate: f64 = (0..3).map(bend).sum();
                    *out = length(rate * f64::from(sums.reach()) * scale);
                }
            }
        });
        let of_wall = |k: usize| {
            let wet = &pairs.wet[k];
            let gamma = self.strengths.walls[wet.solid as usize];
            let rate: f64 = (0..2).map(|j| gamma[j] * early(Clamp::PAPER, pairs.wall[k][j])).sum();
            let around = pairs.around(k).iter();
            let sum: f64 = around.map(|pair| f64::from(pair.gradient4().length())).sum();
            length(rate * 2.0 * sum * scale)
        };
        let walls = (0..pairs.wet.len()).into_par_iter().with_min_len(64).map(of_wall).collect();
        self.step = [step, walls];
    }

    /// F(Q)/μ, in h, of every fluid particle into `out`.
    pub fn displace(&self, out: &mut [Vec4]) {
        let walls = if self.pairs.wet.is_empty() { &[] } else { self.pulls.now.wall.as_slice() };
        let first_wall = self.pairs.fluid.len();
        let (pulls, inverse_mass) = (&self.pulls.now.fluid, &self.inverse_mass);
        self.pairs.for_each(out, |list, out, local| {
            dispatch(Pull { list, pulls, walls, first_wall, inverse_mass, out, local });
        });
    }

    /// Adds the reactions on dynamic solids to `impulse`.
    pub fn add_reactions(&self, impulse: &mut [Twist]) {
        if self.wall_moved.is_empty() {
            return;
        }
        let (pairs, n) = (self.pairs, self.pairs.fluid.len());
        let reactions = pairs.sum_over_solids(impulse.len(), |k| {
            let wet = &pairs.wet[k];
            if !self.dynamic[wet.solid as usize] {
                return None;
            }
            let b = wet.particle as usize;
            let (beta, t) = (pairs.volume[b], self.pulls.now.wall[b - n]);
            let mut sum = Vec4::ZERO;
            for pair in pairs.around(k) {
                sum += (beta * self.pulls.now.fluid[pair.index as usize][2] + t) * pair.gradient4();
            }
            Some(sum.truncate().as_dvec3())
        });
        impulse.iter_mut().zip(&reactions).for_each(|(sum, part)| sum.add(1.0, part));
    }

    /// Moves the particles of dynamic solids.
    pub fn move_walls(&mut self, motions: &[Twist]) {
        if self.wall_moved.is_empty() || motions.is_empty() {
            return;
        }
        let n = self.pairs.fluid.len();
        for wet in &self.pairs.wet {
            if self.dynamic[wet.solid as usize] {
                let u = motions[wet.solid as usize].at(wet.arm);
                self.wall_moved[wet.particle as usize - n] = u.as_vec3().extend(0.0);
            }
        }
    }

    /// What `moved` and `walls` do to a chunk; nothing if no particle of it may pull.
    fn growth<'g>(
        &'g self,
        list: &'g Wide,
        moved: &'g [Vec4],
        walls: &'g [Vec4],
    ) -> Option<Growth<'g>> {
        let pairs = self.pairs;
        let active = &pairs.active[list.particles.clone()];
        let (first_wall, volume) = (pairs.fluid.len(), &pairs.volume);
        let growth = Growth { list, moved, walls, first_wall, volume, active };
        active.contains(&true).then_some(growth)
    }

    /// Σ ∇W·(u_b − u_f) of `pairs.wet`.
    fn wall_growth(&self, moved: &[Vec4], walls: &[Vec4]) -> Vec<f32> {
        if self.strengths.walls.iter().all(|gamma| *gamma == [0.0; 2]) {
            return vec![0.0; self.pairs.wet.len()];
        }
        let n = self.pairs.fluid.len();
        let of_wet = |k: usize| {
            let b = self.pairs.wet[k].particle as usize - n;
            let own = walls.get(b).copied().unwrap_or(Vec4::ZERO);
            let mut sum = Vec4::ZERO;
            for pair in self.pairs.around(k) {
                sum += pair.gradient4() * (own - moved[pair.index as usize]);
            }
            sum.x + sum.y + sum.z
        };
        (0..self.pairs.wet.len()).into_par_iter().with_min_len(64).map(of_wet).collect()
    }

    /// (D1), with the displacements of fluid particles by all that the solve does.
    pub fn sweep(&mut self, moved: &[Vec4]) -> TensionResidual {
        let n = self.pairs.fluid.len();
        let mut next = std::mem::take(&mut self.pulls.next);
        let parts = self.pairs.map(&mut next.fluid, |list, next, local| {
            let Some(growth) = self.growth(list, moved, &self.wall_moved) else { return [0.0; 3] };
            let own = list.particles.clone();
            dispatch(Relax {
                growth,
                strengths: &self.strengths,
                contribution: &self.contribution[own.clone()],
                step: &self.step[0][own.clone()],
                now: &self.pulls.now.fluid[own],
                next,
                local,
            })
        });
        let total = |k: usize| parts.iter().map(|part| part[k]).sum::<f64>();
        let [mut left, mut size, mut change] = [total(0), total(1), total(2)];
        let grown = self.wall_growth(moved, &self.wall_moved);
        for (k, wet) in self.pairs.wet.iter().enumerate() {
            let [dry, covered] = self.wall_contribution[k];
            let wanted =
                self.strengths.wall_pull(wet.solid as usize, [dry - grown[k], covered + grown[k]]);
            let b = wet.particle as usize - n;
            let rest = wanted - self.pulls.now.wall[b];
            let moved = self.step[1][k] * rest;
            next.wall[b] = self.pulls.now.wall[b] + moved;
            left += f64::from(rest.abs());
            size += f64::from(self.pulls.now.wall[b].abs());
            change += f64::from(moved * moved);
        }
        self.pulls.next = next;
        TensionResidual {
            change: self.typical * self.typical * change,
            left: left / (self.error * size).max(f64::MIN_POSITIVE),
        }
    }

    /// γ S(C(t + Δt)) of fluid particles that may pull.
    #[cfg(test)]
    pub fn wanted(&mut self, moved: &[Vec4]) -> Vec<[f32; 3]> {
        self.step[0].fill(1.0);
        self.sweep(moved);
        self.pulls.next.fluid.clone()
    }

    /// (NC2)
    pub fn extrapolate(&mut self, beta: f64) {
        self.pulls.extrapolate(beta);
    }

    /// Goes back to the result of the last sweep.
    pub fn settle(&mut self) {
        self.pulls.settle();
    }

    /// c d/m² of (D4); 0 in steps that are not too long.
    fn calming(&self) -> f64 {
        let lightest = self.inverse_mass.iter().copied().fold(0.0, f32::max);
        let square = 8.0 * self.strengths.largest() * f64::from(lightest); // m²
        let over = square / (LONG_STEP * LONG_STEP);
        if over > 1.0 { CALMING * (over - 1.0) / ((over - 0.5) * square) } else { 0.0 }
    }

    /// Impulses of tension on fluid particles and on solids, in double precision. `moved` tells
    /// where all that happens in the step moves fluid particles, in h.
    pub fn result(
        &self,
        solids: usize,
        moved: impl FnOnce() -> Vec<DVec3>,
    ) -> (Vec<DVec3>, Vec<Twist>) {
        let mut force = vec![DVec3::ZERO; self.pairs.fluid.len()];
        self.pairs.forces(&self.pulls.now, &mut force);
        let share = self.calming();
        if share > 0.0 {
            self.pairs.calm(&self.pulls.now, share, &moved(), &mut force);
        }
        (force, self.pairs.reactions(&self.pulls.now, solids))
    }
}
