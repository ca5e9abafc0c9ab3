//! The loops over the wide pairs of a chunk in a sweep: what pulls do to particles, and what
//! motions do to pulls.

use glam::Vec4;

use super::energy::Strengths;
use crate::particles::simd::{Lanes, Vectorised};
use crate::particles::wide::Wide;

/// (T6)/μ for one chunk, along rounded gradients.
pub(super) struct Pull<'a> {
    pub list: &'a Wide,
    pub pulls: &'a [[f32; 3]],
    /// t of wall particles; empty if none are wet.
    pub walls: &'a [f32],
    pub first_wall: usize,
    /// 1/μ of all fluid particles.
    pub inverse_mass: &'a [f32],
    pub out: &'a mut [Vec4],
    pub local: &'a mut Vec<f32>,
}

impl Vectorised for Pull<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Pull { list, pulls, walls, first_wall, inverse_mass, out, local } = self;
        out.fill(Vec4::ZERO);
        if list.is_empty() {
            return;
        }
        for kind in 0..if list.meets_others() { 2 } else { 1 } {
            list.fetch_of(pulls, local, |pull| pull[kind]);
            for (k, (i, out)) in list.particles.clone().zip(&mut *out).enumerate() {
                let fours = list.fours(k, kind);
                if !fours.is_empty() {
                    let others = L::scaled_sum(fours, local);
                    *out += pulls[i][kind] * list.sums[k].gradient[kind] + list.unit * others;
                }
            }
        }
        for (k, (i, out)) in list.particles.clone().zip(out).enumerate() {
            *out += pulls[i][2] * list.sums[k].gradient[2];
            for pair in if walls.is_empty() { &[] } else { list.walls(k) } {
                *out += walls[pair.index as usize - first_wall] * pair.gradient4();
            }
            *out = (inverse_mass[i] * *out).with_w(0.0);
        }
    }
}

/// Σ V ∇W·(u_i − u_j) over the same fluid, other fluids and walls, for one chunk.
#[derive(Clone, Copy)]
pub(super) struct Growth<'a> {
    pub list: &'a Wide,
    /// u of all fluid particles.
    pub moved: &'a [Vec4],
    /// u of all wall particles; empty if none move.
    pub walls: &'a [Vec4],
    pub first_wall: usize,
    /// V of all particles.
    pub volume: &'a [f32],
    /// Which particles of the chunk may pull; the others are not looked at.
    pub active: &'a [bool],
}

impl Growth<'_> {
    /// Of the k-th particle of the chunk; `local` are the motions of its halo.
    #[inline(always)]
    fn of<L: Lanes>(&self, k: usize, local: &[Vec4]) -> [f32; 3] {
        let list = self.list;
        let (u, gradient) = (self.moved[list.particles.start + k], &list.sums[k].gradient);
        let total = |change: Vec4| change.x + change.y + change.z;
        let of_fluid = |kind: usize| {
            let fours = list.fours(k, kind);
            if fours.is_empty() {
                return 0.0;
            }
            total(u * gradient[kind] - list.unit * L::weighted_sum(fours, local))
        };
        let (same, others) = (of_fluid(0), of_fluid(1));
        let mut change = u * gradient[2];
        for pair in if self.walls.is_empty() { &[] } else { list.walls(k) } {
            let b = pair.index as usize;
            change -= self.volume[b] * pair.gradient4() * self.walls[b - self.first_wall];
        }
        [same, others, total(change)]
    }
}

/// Lets contributions grow by a motion.
pub(super) struct Grow<'a> {
    pub growth: Growth<'a>,
    pub contribution: &'a mut [[f32; 3]],
    pub local: &'a mut Vec<Vec4>,
}

impl Vectorised for Grow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Grow { growth, contribution, local } = self;
        growth.list.fetch(growth.moved, local);
        for (k, c) in contribution.iter_mut().enumerate() {
            if growth.active[k] {
                *c = after(*c, &growth.of::<L>(k, local));
            }
        }
    }
}

/// (D1) for one chunk, from `now` to `next`. Particles that do not pull keep what they have.
pub(super) struct Relax<'a> {
    pub growth: Growth<'a>,
    pub strengths: &'a Strengths,
    /// Of the chunk, as all below.
    pub contribution: &'a [[f32; 3]],
    /// ω α
    pub step: &'a [f32],
    pub now: &'a [[f32; 3]],
    pub next: &'a mut [[f32; 3]],
    pub local: &'a mut Vec<Vec4>,
}

impl Vectorised for Relax<'_> {
    /// Σ |γ S − Q|, Σ |Q| and Σ of the squares of changes.
    type Output = [f64; 3];

    #[inline(always)]
    fn run<L: Lanes>(self) -> [f64; 3] {
        let Relax { growth, strengths, contribution, step, now, next, local } = self;
        growth.list.fetch(growth.moved, local);
        let fluid = growth.list.fluid;
        // Over the few hundred particles of a chunk single precision is enough for sums.
        let mut sums = [0.0f32; 3];
        for (k, next) in next.iter_mut().enumerate() {
            if !growth.active[k] {
                continue;
            }
            let c = after(contribution[k], &growth.of::<L>(k, local));
            let (wanted, now, step) = (strengths.fluid_pull(fluid, c), &now[k], step[k]);
            let rest: [f32; 3] = std::array::from_fn(|kind| wanted[kind] - now[kind]);
            *next = std::array::from_fn(|kind| now[kind] + step * rest[kind]);
            let [a, b, c] = rest.map(f32::abs);
            let left = a.max(b).max(c);
            sums[0] += left;
            sums[1] += now[0].abs().max(now[1].abs());
            sums[2] += (step * left) * (step * left);
        }
        sums.map(f64::from)
    }
}

/// Contributions of a fluid particle after Σ V W has grown.
#[inline(always)]
fn after([vapour, others, walls]: [f32; 3], grown: &[f32; 3]) -> [f32; 3] {
    [vapour - grown[0] - grown[1] - grown[2], others + grown[1], walls + grown[2]]
}
