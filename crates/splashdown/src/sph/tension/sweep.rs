//! Surface tension as unknowns of the solve: what interfaces pull with.
//!
//! PT24 solve for the force on every particle, with one step length for all: with several, forces that have
//! not converged would add up to a momentum. But forces are linear in the pulls Q = (q, r, w, t) of (T6), and
//! without momentum whatever these are. So the pulls are the unknowns here, scalars like pressures, each with
//! its own step length:
//!
//!   Q ← Q + ω α (γ S(C(t + Δt)) − Q),   α = 1/(1 + B)                   (D1)
//!   C(t + Δt) = C(t) ∓ Σ V ∇W·(u_i − u_j),   u = pressure, friction, F(Q)/μ     (D2)  PT24 eq. 21
//!   B = γ S′ R_i R / μ,   R_i = |Σ V ∇W| + Σ V |∇W|,   R = max R_i            (D3)
//!
//! B bounds the sum of a row of the Jacobian (Gershgorin), so that sweeps converge however long the step is. The
//! paper evaluates W at predicted places in every iteration; here contributions grow along ∇W, as those of pressure
//! do, which needs no kernels and makes the system linear but for the clamp.

use glam::Vec4;
use rayon::prelude::*;

use super::energy::{Clamp, Strengths};
use super::pairs::{Pulls, SurfacePairs};
use crate::math::DVec3;
use crate::particles::simd::{Lanes, Vectorised, dispatch};
use crate::particles::wide::{Wide, WideSums};
use crate::rigid::bodies::{Body, Twist};
use crate::solve::reduce;
use crate::sph::pressure::partner::PartnerSweep;

/// ω: rows of the Jacobian are bounded with room to spare.
const OMEGA: f32 = 1.0;
/// How much contributions may change during a step, for S′.
const CHANGE: f64 = 0.02;

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
    now: Pulls,
    next: Pulls,
    direction: Pulls,
    /// Displacements of wall particles of dynamic solids; empty if there are none.
    wall_moved: Vec<Vec4>,
    /// Share by which pulls may be off.
    error: f64,
}

impl<'a> TensionSweep<'a> {
    /// Starts from the pulls at the beginning of the step. `displacement` is that of all particles before the
    /// solve, in h.
    pub fn new(
        pairs: &'a SurfacePairs,
        strengths: Strengths,
        inverse_mass: Vec<f32>,
        displacement: &[DVec3],
        dynamic: Vec<bool>,
        error: f64,
    ) -> TensionSweep<'a> {
        let now = pairs.pulls(&strengths);
        let n = pairs.fluid.len();
        let yields = pairs.wet.iter().any(|wet| dynamic[wet.solid as usize]);
        let mut sweep = TensionSweep {
            wall_moved: vec![Vec4::ZERO; if yields { pairs.volume.len() - n } else { 0 }],
            contribution: pairs.fluid.iter().map(|c| c.map(|c| c as f32)).collect(),
            wall_contribution: pairs.wall.iter().map(|c| c.map(|c| c as f32)).collect(),
            step: [Vec::new(), Vec::new()],
            typical: 0.0,
            next: now.clone(),
            direction: Pulls {
                fluid: vec![[0.0; 3]; now.fluid.len()],
                wall: vec![0.0; now.wall.len()],
            },
            now,
            pairs,
            strengths,
            inverse_mass,
            dynamic,
            error,
        };
        sweep.predict(displacement);
        sweep.measure();
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
        let mut grown = vec![[0.0; 3]; n];
        self.growth(&fluid, &walls, &mut grown);
        let wall_grown = self.wall_growth(&fluid, &walls);
        self.contribution.iter_mut().zip(&grown).for_each(|(c, g)| *c = after(*c, g));
        for (c, g) in self.wall_contribution.iter_mut().zip(wall_grown) {
            *c = [c[0] - g, c[1] + g];
        }
    }

    /// Step lengths (D3).
    fn measure(&mut self) {
        let pairs = self.pairs;
        let reach = |sums: &WideSums| {
            f64::from(sums.size + sums.gradient.iter().map(|g| g.length()).sum::<f32>())
        };
        let all = || pairs.lists.iter().flat_map(|list| &list.sums);
        let largest = all().map(reach).fold(0.0, f64::max);
        let lightest = self.inverse_mass.iter().copied().fold(0.0, f32::max);
        let scale = largest * f64::from(lightest);
        let early = |clamp: Clamp, c: f64| clamp.bend((c - CHANGE).max(clamp.from));
        let length = |stiffness: f64| (f64::from(OMEGA) / (1.0 + stiffness)) as f32;
        let mut step = vec![0.0; pairs.fluid.len()];
        pairs.for_each(&mut step, |list, out| {
            let (gamma, clamps) = (&self.strengths.fluids[list.fluid], self.strengths.clamps());
            for ((i, out), sums) in list.particles.clone().zip(out).zip(&list.sums) {
                if pairs.active[i] {
                    let c = &pairs.fluid[i];
                    let rate: f64 = (0..3).map(|k| gamma[k] * early(clamps[k], c[k])).sum();
                    *out = length(rate * reach(sums) * scale);
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
        let square = |sums: &WideSums| {
            let gradient: Vec4 = sums.gradient.into_iter().sum();
            f64::from(gradient.length_squared() + sums.square)
        };
        let count = pairs.fluid.len().max(1) as f64;
        self.typical = (all().map(square).sum::<f64>() / count).sqrt();
    }

    /// F(Q)/μ, in h, of every fluid particle into `out`.
    pub fn displace(&self, out: &mut [Vec4]) {
        let walls = if self.pairs.wet.is_empty() { &[] } else { self.now.wall.as_slice() };
        let first_wall = self.pairs.fluid.len();
        self.pairs.for_each(out, |list, out| {
            dispatch(Pull { list, pulls: &self.now.fluid, walls, first_wall, out });
            for (i, out) in list.particles.clone().zip(out) {
                *out *= self.inverse_mass[i];
            }
        });
    }

    /// Adds the reactions on dynamic solids to `impulse`.
    pub fn react(&self, impulse: &mut [Twist]) {
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
            let (beta, t) = (pairs.volume[b], self.now.wall[b - n]);
            let mut sum = Vec4::ZERO;
            for pair in pairs.around(k) {
                sum += (beta * self.now.fluid[pair.index as usize][2] + t) * pair.gradient4();
            }
            Some(sum.truncate().as_dvec3())
        });
        impulse.iter_mut().zip(&reactions).for_each(|(sum, part)| sum.add(1.0, part));
    }

    /// Moves the particles of dynamic solids.
    pub fn carry(&mut self, bodies: &[Body]) {
        if self.wall_moved.is_empty() || bodies.is_empty() {
            return;
        }
        let n = self.pairs.fluid.len();
        for wet in &self.pairs.wet {
            if self.dynamic[wet.solid as usize] {
                let u = bodies[wet.solid as usize].motion.at(wet.arm);
                self.wall_moved[wet.particle as usize - n] = u.as_vec3().extend(0.0);
            }
        }
    }

    /// Σ V ∇W·(u_i − u_j) over the same fluid, other fluids and walls, of particles that may pull.
    fn growth(&self, moved: &[Vec4], walls: &[Vec4], out: &mut [[f32; 3]]) {
        let pairs = self.pairs;
        self.pairs.for_each(out, |list, out| {
            let active = &pairs.active[list.particles.clone()];
            if active.contains(&true) {
                let first_wall = pairs.fluid.len();
                let volume = &pairs.volume;
                dispatch(Growth { list, moved, walls, first_wall, volume, active, out });
            }
        });
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

    /// γ S(C(t + Δt)) of particles that may pull.
    fn want(&self, moved: &[Vec4], out: &mut [[f32; 3]]) {
        self.growth(moved, &self.wall_moved, out);
        self.pairs.for_each(out, |list, out| {
            for (i, out) in list.particles.clone().zip(out) {
                if self.pairs.active[i] {
                    let contribution = after(self.contribution[i], out);
                    *out = self.strengths.fluid_pull(list.fluid, contribution);
                }
            }
        });
    }

    /// The same, for tests.
    #[cfg(test)]
    pub fn wanted(&mut self, moved: &[Vec4]) -> Vec<[f32; 3]> {
        let mut out = vec![[0.0; 3]; self.pairs.fluid.len()];
        self.want(moved, &mut out);
        out
    }

    /// (D1), with the displacements of fluid particles by all that the solve does.
    pub fn sweep(&mut self, moved: &[Vec4]) -> PartnerSweep {
        let n = self.pairs.fluid.len();
        let mut next = std::mem::take(&mut self.next);
        self.want(moved, &mut next.fluid);
        let all = next.fluid.par_iter_mut().zip(&self.now.fluid).zip(&self.step[0]);
        all.with_min_len(4096).for_each(|((next, now), step)| {
            *next = std::array::from_fn(|k| now[k] + step * (next[k] - now[k]));
        });
        let [left, size, change] = reduce::sums(n, |i| {
            if !self.pairs.active[i] {
                return [0.0; 3];
            }
            let step = f64::from(self.step[0][i]).max(1e-12);
            let [a, b] = [&self.now.fluid[i], &next.fluid[i]];
            let moved: f64 = (0..3).map(|k| f64::from(b[k] - a[k]).abs()).fold(0.0, f64::max);
            [moved / step, f64::from(a[0].abs().max(a[1].abs())), moved * moved]
        });
        let (mut left, mut size, mut change) = (left, size, change);
        let grown = self.wall_growth(moved, &self.wall_moved);
        for (k, wet) in self.pairs.wet.iter().enumerate() {
            let [dry, covered] = self.wall_contribution[k];
            let wanted =
                self.strengths.wall_pull(wet.solid as usize, [dry - grown[k], covered + grown[k]]);
            let b = wet.particle as usize - n;
            let rest = wanted - self.now.wall[b];
            let moved = self.step[1][k] * rest;
            next.wall[b] = self.now.wall[b] + moved;
            left += f64::from(rest.abs());
            size += f64::from(self.now.wall[b].abs());
            change += f64::from(moved * moved);
        }
        self.next = next;
        PartnerSweep {
            change: self.typical * self.typical * change,
            converged: left <= self.error * size,
        }
    }

    /// (P6)
    pub fn accelerate(&mut self, beta: f64) {
        let beta = beta as f32;
        let one = |now: &mut f32, next: f32, direction: &mut f32| {
            let change = next - *now;
            *now = next + beta * *direction;
            *direction = beta * *direction + change;
        };
        let (now, next, direction) = (&mut self.now, &self.next, &mut self.direction);
        let all = now.fluid.par_iter_mut().zip(&next.fluid).zip(&mut direction.fluid);
        all.with_min_len(4096).for_each(|((now, next), direction)| {
            (0..3).for_each(|k| one(&mut now[k], next[k], &mut direction[k]));
        });
        let n = self.pairs.fluid.len();
        for wet in &self.pairs.wet {
            let b = wet.particle as usize - n;
            one(&mut now.wall[b], next.wall[b], &mut direction.wall[b]);
        }
    }

    /// Goes back to the result of the last sweep.
    pub fn finish(&mut self) {
        self.now.clone_from(&self.next);
    }

    /// Impulses of tension on fluid particles and on solids, in double precision.
    pub fn result(&self, solids: usize) -> (Vec<DVec3>, Vec<Twist>) {
        let mut force = vec![DVec3::ZERO; self.pairs.fluid.len()];
        self.pairs.forces(&self.now, &mut force);
        (force, self.pairs.reactions(&self.now, solids))
    }
}

/// Contributions of a fluid particle after Σ V W has grown.
#[inline(always)]
fn after([vapour, others, walls]: [f32; 3], grown: &[f32; 3]) -> [f32; 3] {
    [vapour - grown[0] - grown[1] - grown[2], others + grown[1], walls + grown[2]]
}

/// (T6) for one chunk.
struct Pull<'a> {
    list: &'a Wide,
    pulls: &'a [[f32; 3]],
    walls: &'a [f32],
    first_wall: usize,
    out: &'a mut [Vec4],
}

impl Vectorised for Pull<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Pull { list, pulls, walls, first_wall, out } = self;
        out.fill(Vec4::ZERO);
        if list.is_empty() {
            return;
        }
        let mut local = Vec::new();
        for kind in 0..if list.meets_others() { 2 } else { 1 } {
            list.fetch_of(pulls, &mut local, |pull| pull[kind]);
            for (k, (i, out)) in list.particles.clone().zip(&mut *out).enumerate() {
                let others = L::scaled_sum(list.fours(k, kind), &local);
                *out += pulls[i][kind] * list.sums[k].gradient[kind] + list.unit * others;
            }
        }
        for (k, (i, out)) in list.particles.clone().zip(out).enumerate() {
            *out += pulls[i][2] * list.sums[k].gradient[2];
            for pair in if walls.is_empty() { &[] } else { list.walls(k) } {
                *out += walls[pair.index as usize - first_wall] * pair.gradient4();
            }
            out.w = 0.0;
        }
    }
}

/// Σ V ∇W·(u_i − u_j) for one chunk.
struct Growth<'a> {
    list: &'a Wide,
    moved: &'a [Vec4],
    walls: &'a [Vec4],
    first_wall: usize,
    volume: &'a [f32],
    active: &'a [bool],
    out: &'a mut [[f32; 3]],
}

impl Vectorised for Growth<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Growth { list, moved, walls, first_wall, volume, active, out } = self;
        let mut local = Vec::new();
        list.fetch(moved, &mut local);
        for (k, (i, out)) in list.particles.clone().zip(out).enumerate() {
            if !active[k] {
                continue;
            }
            let (u, gradient) = (moved[i], &list.sums[k].gradient);
            let total = |change: Vec4| change.x + change.y + change.z;
            let of_fluid = |kind: usize| {
                let fours = list.fours(k, kind);
                if fours.is_empty() {
                    return 0.0;
                }
                total(u * gradient[kind] - list.unit * L::weighted_sum(fours, &local))
            };
            let (same, others) = (of_fluid(0), of_fluid(1));
            let mut change = u * gradient[2];
            for pair in if walls.is_empty() { &[] } else { list.walls(k) } {
                let b = pair.index as usize;
                change -= volume[b] * pair.gradient4() * walls[b - first_wall];
            }
            *out = [same, others, total(change)];
        }
    }
}
