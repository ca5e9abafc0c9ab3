//! Neighbours within 3h: contributions to interfaces, and the forces that lower their energy.
//!
//! Lengths are in h, volumes in hᵈ, W is the kernel stretched to a support of 3h, s = W′/r and
//! x_ij = x_i − x_j, so that ∇W_ij = s x_ij points from i to j. A fluid particle has volume 1, a wall
//! particle its weight β, which is 1 in a flat, even wall.
//!
//!   C_f^FV = 1 − Σ_j V_j W_fj,  C_f^FF = Σ_(other fluids) W_fj,  C_f^FB = Σ_b β_b W_fb     (T4)  PT24 eqs. 8a-c
//!   C_b^BV = 1 − Σ_f W_bf − Σ_b' β_b' W_bb',  C_b^BF = Σ_f W_bf                          (T5)  PT24 eqs. 8d, e
//!
//! With q = γ^FV S^FV, r = γ^FF S^FF, w = γ^FB S^FB of fluid particles and t = γ^BV S^BV − γ^BF S^BF of wall
//! particles (γ with A⁰ in it) the force −∂E/∂x on a fluid particle is
//!
//!   F_f = Σ_same (q_f + q_j) ∇W + Σ_other (q_f − r_f + q_j − r_j) ∇W + Σ_b (β_b (q_f − w_f) + t_b) ∇W   (T6)  PT24 eq. 11
//!
//! and each term pulls the neighbour back along the same line: both momenta are kept whatever q, r, w and t
//! are. Implicit forces take these at the end of the step and ∇W at its beginning (PT24 eq. 22). The paper
//! evaluates W at predicted places in every iteration; here contributions grow along ∇W, as those of pressure
//! do (its eq. 21), which needs no kernels and makes the system linear but for the clamp.

use std::ops::Range;

use rayon::prelude::*;

use super::energy::{FluidContribution, Strengths, WallContribution, bend, energy, slope};
use crate::math::{DVec3, Dimension};
use crate::particles::halo::around;
use crate::particles::kernel::{Kernel, SUPPORT};
use crate::particles::periodic::nearest;
use crate::rigid::bodies::Twist;
use crate::step::Workspace;
use crate::world::World;

/// Support of the kernel for interfaces, in h (PT24, section 5.1).
pub const WIDE: f64 = 3.0;
/// Wall particles per block of a parallel sum. Part of the result: another size rounds differently.
const BLOCK: usize = 512;

/// One neighbour.
#[derive(Clone, Copy, Debug)]
struct Pair {
    /// Index into `Particles`.
    index: u32,
    /// s; single precision, but the same number on both sides of a pair.
    slope: f32,
}

/// The neighbours of consecutive particles of one fluid.
#[derive(Clone, Debug, Default)]
struct Stretch {
    particles: Range<usize>,
    fluid: usize,
    pairs: Vec<Pair>,
    /// Where the neighbours of the same fluid, of other fluids and of walls end, for each particle.
    ends: Vec<[u32; 3]>,
}

impl Stretch {
    /// Neighbours of the k-th particle: of the same fluid, of other fluids, of walls.
    #[inline(always)]
    fn of(&self, k: usize) -> [&[Pair]; 3] {
        let start = if k == 0 { 0 } else { self.ends[k - 1][2] as usize };
        let [same, other, wall] = self.ends[k].map(|end| end as usize);
        [&self.pairs[start..same], &self.pairs[same..other], &self.pairs[other..wall]]
    }
}

/// A wall particle near fluid.
#[derive(Clone, Copy, Debug)]
struct Wet {
    particle: u32,
    solid: u32,
    /// Where its neighbours end.
    end: u32,
    /// Place relative to the origin of its solid.
    arm: DVec3,
}

/// All neighbours of a step, and contributions at its beginning.
#[derive(Clone, Debug, Default)]
pub struct SurfacePairs {
    /// In h.
    place: Vec<DVec3>,
    /// In h.
    period: DVec3,
    /// Of all particles, in hᵈ.
    volume: Vec<f64>,
    stretches: Vec<Stretch>,
    wet: Vec<Wet>,
    wet_pairs: Vec<Pair>,
    /// (T4) at the beginning of the step.
    pub fluid: Vec<FluidContribution>,
    /// (T5) of `wet`.
    wall: Vec<WallContribution>,
}

/// q, q − r and q − w of fluid particles; t of wall particles, by their indices.
#[derive(Clone, Debug, Default)]
pub struct Pulls {
    fluid: Vec<[f64; 3]>,
    wall: Vec<f64>,
}

impl SurfacePairs {
    /// Finds them among the wide lists of this step's search.
    pub fn rebuild(&mut self, world: &World, work: &Workspace) {
        let (n, h) = (world.fluid_count(), world.spacing);
        self.period = world.period / h;
        self.place.clear();
        self.place.par_extend(world.particles.position.par_iter().map(|&x| x / h));
        self.volume.clear();
        self.volume.par_extend(world.particles.weight.par_iter().map(|&beta| f64::from(beta)));
        let wide = Wide::new(world.kernel());
        let mut found = std::mem::take(&mut self.stretches);
        found.resize_with(work.neighbors.chunks.len(), Stretch::default);
        self.fluid.clear();
        self.fluid.resize(n, [0.0; 3]);
        let range_of = |fluid: usize| world.fluids[fluid].range.clone();
        let sums = work.neighbors.chunks.par_iter().zip(&mut found).map(|(chunk, stretch)| {
            stretch.pairs.clear();
            stretch.ends.clear();
            (stretch.particles, stretch.fluid) = (chunk.particles.clone(), chunk.fluid);
            let own = range_of(chunk.fluid);
            let mut contributions = Vec::with_capacity(chunk.particles.len());
            for (k, i) in chunk.particles.clone().enumerate() {
                let mut sum = [wide.w(0.0), 0.0, 0.0];
                let mut ends = [0; 3];
                for kind in 0..3 {
                    for &j in chunk.wide(k) {
                        let index = j as usize;
                        let is = if index >= n { 2 } else { usize::from(!own.contains(&index)) };
                        let q = if is == kind { self.offset(i, index).length() } else { WIDE };
                        if q < WIDE {
                            sum[kind] += self.volume[index] * wide.w(q);
                            stretch.pairs.push(Pair { index: j, slope: wide.slope(q) });
                        }
                    }
                    ends[kind] = stretch.pairs.len() as u32;
                }
                stretch.ends.push(ends);
                contributions.push([1.0 - sum[0] - sum[1] - sum[2], sum[1], sum[2]]); // (T4)
            }
            contributions
        });
        let sums: Vec<Vec<FluidContribution>> = sums.collect();
        for (stretch, sums) in found.iter().zip(sums) {
            self.fluid[stretch.particles.clone()].copy_from_slice(&sums);
        }
        self.stretches = found;
        self.transpose(world);
        self.weigh_walls(world, work, &wide);
    }

    /// x_i − x_j in h.
    #[inline(always)]
    fn offset(&self, i: usize, j: usize) -> DVec3 {
        nearest(self.place[i] - self.place[j], self.period)
    }

    /// Lists the fluid around every wall particle, in the order of the fluid.
    fn transpose(&mut self, world: &World) {
        let (n, all) = (world.fluid_count(), self.place.len());
        let mut next = vec![0u32; all - n + 1];
        let visit = |stretches: &[Stretch], see: &mut dyn FnMut(usize, usize, f32)| {
            for stretch in stretches {
                for (k, i) in stretch.particles.clone().enumerate() {
                    let [_, _, walls] = stretch.of(k);
                    walls.iter().for_each(|pair| see(i, pair.index as usize - n, pair.slope));
                }
            }
        };
        visit(&self.stretches, &mut |_, b, _| next[b + 1] += 1);
        (0..all - n).for_each(|b| next[b + 1] += next[b]);
        self.wet_pairs.clear();
        self.wet_pairs.resize(next[all - n] as usize, Pair { index: 0, slope: 0.0 });
        let wet_pairs = &mut self.wet_pairs;
        visit(&self.stretches, &mut |i, b, slope| {
            wet_pairs[next[b] as usize] = Pair { index: i as u32, slope };
            next[b] += 1;
        });
        // `next[b]` is by now where the neighbours of b end.
        self.wet.clear();
        let mut start = 0;
        for (b, &end) in next[..all - n].iter().enumerate() {
            if end > start
                && let Some(solid) = world.solid_of(n + b)
            {
                let away = world.particles.position[n + b] - world.solids[solid].pose.translation;
                let arm = nearest(away, world.period) / world.spacing;
                let (particle, solid) = ((n + b) as u32, solid as u32);
                self.wet.push(Wet { particle, solid, end, arm });
            }
            start = end;
        }
    }

    /// (T5)
    fn weigh_walls(&mut self, world: &World, work: &Workspace, wide: &Wide) {
        self.wall.clear();
        if !world.tension.walls_pull() {
            self.wall.resize(self.wet.len(), [0.0; 2]);
            return;
        }
        let (flat, cells) = (world.dimension == Dimension::Two, work.neighbors.solid_cells());
        let contributions = (0..self.wet.len()).into_par_iter().with_min_len(64).map(|k| {
            let b = self.wet[k].particle as usize;
            let w = |j: usize| wide.w(self.offset(b, j).length());
            let fluid: f64 = self.around(k).iter().map(|pair| w(pair.index as usize)).sum();
            let mut wall = 0.0;
            for (key, _) in around(work.key(b), flat, work.cells.count) {
                for run in cells.cell(key) {
                    let all = run.start as usize..run.end as usize;
                    wall += all.map(|j| self.volume[j] * w(j)).sum::<f64>();
                }
            }
            [1.0 - fluid - wall, fluid]
        });
        self.wall = contributions.collect();
    }

    /// The fluid around the k-th wet wall particle.
    #[inline(always)]
    fn around(&self, k: usize) -> &[Pair] {
        let start = if k == 0 { 0 } else { self.wet[k - 1].end as usize };
        &self.wet_pairs[start..self.wet[k].end as usize]
    }

    /// How many particles there are, walls included.
    pub fn particle_count(&self) -> usize {
        self.place.len()
    }

    /// Wall particles near fluid, with their solids and their places relative to those.
    pub fn wet(&self) -> impl Iterator<Item = (usize, usize, DVec3)> {
        self.wet.iter().map(|wet| (wet.particle as usize, wet.solid as usize, wet.arm))
    }

    /// (T1) at the beginning of the step, in the unit of `strengths`.
    pub fn energy(&self, strengths: &Strengths) -> f64 {
        let of_stretch = |stretch: &Stretch| -> f64 {
            let gamma = &strengths.fluids[stretch.fluid];
            self.fluid[stretch.particles.clone()].iter().map(|c| energy(gamma, c)).sum()
        };
        let fluid: f64 = self.stretches.iter().map(of_stretch).sum();
        let walls = self.wet.iter().zip(&self.wall);
        fluid + walls.map(|(wet, c)| energy(&strengths.walls[wet.solid as usize], c)).sum::<f64>()
    }

    /// How hard interfaces pull after the displacements `u`, in h, of all particles; none at all for
    /// `None`.
    pub fn pulls(&self, strengths: &Strengths, u: Option<&[DVec3]>, pulls: &mut Pulls) {
        pulls.fluid.resize(self.fluid.len(), [0.0; 3]);
        pulls.wall.clear();
        pulls.wall.resize(self.place.len(), 0.0);
        self.for_each(&mut pulls.fluid, |stretch, out| {
            let [vapour, others, walls] = strengths.fluids[stretch.fluid];
            for (k, (i, out)) in stretch.particles.clone().zip(out).enumerate() {
                let mut change = [0.0; 3]; // of Σ V W
                if let Some(u) = u {
                    for (change, pairs) in change.iter_mut().zip(stretch.of(k)) {
                        *change = self.growth(i, pairs, u);
                    }
                }
                let [c_vapour, c_others, c_walls] = self.fluid[i];
                let q = vapour * slope(c_vapour - change[0] - change[1] - change[2]);
                let r = others * slope(c_others + change[1]);
                let w = walls * slope(c_walls + change[2]);
                *out = [q, q - r, q - w];
            }
        });
        let of_wet = |k: usize| {
            let (wet, [dry, covered]) = (&self.wet[k], self.wall[k]);
            let b = wet.particle as usize;
            let change = u.map_or(0.0, |u| self.growth(b, self.around(k), u));
            let [gamma_dry, gamma_wet] = strengths.walls[wet.solid as usize];
            gamma_dry * slope(dry - change) - gamma_wet * slope(covered + change)
        };
        if strengths.walls.iter().any(|&wall| wall != [0.0; 2]) {
            let t: Vec<f64> =
                (0..self.wet.len()).into_par_iter().with_min_len(64).map(of_wet).collect();
            self.wet.iter().zip(t).for_each(|(wet, t)| pulls.wall[wet.particle as usize] = t);
        }
    }

    /// Σ V ∇W·(u_i − u_j)
    #[inline(always)]
    fn growth(&self, i: usize, pairs: &[Pair], u: &[DVec3]) -> f64 {
        let mut sum = 0.0;
        for pair in pairs {
            let j = pair.index as usize;
            let along = self.offset(i, j).dot(u[i] - u[j]);
            sum += self.volume[j] * f64::from(pair.slope) * along;
        }
        sum
    }

    /// (T6) into `force`.
    pub fn forces(&self, pulls: &Pulls, force: &mut [DVec3]) {
        self.for_each(force, |stretch, out| {
            for (k, (i, out)) in stretch.particles.clone().zip(out).enumerate() {
                let [same, others, walls] = stretch.of(k);
                let own = pulls.fluid[i];
                let mut sum = DVec3::ZERO;
                for (kind, pairs) in [same, others].into_iter().enumerate() {
                    for pair in pairs {
                        let j = pair.index as usize;
                        let pull = own[kind] + pulls.fluid[j][kind];
                        sum += pull * f64::from(pair.slope) * self.offset(i, j);
                    }
                }
                for pair in walls {
                    let b = pair.index as usize;
                    let pull = self.volume[b] * own[2] + pulls.wall[b];
                    sum += pull * f64::from(pair.slope) * self.offset(i, b);
                }
                *out = sum;
            }
        });
    }

    /// The reaction of (T6) on every solid, about its origin.
    pub fn reactions(&self, pulls: &Pulls, solids: usize) -> Vec<Twist> {
        let of_block = |block: Range<usize>| {
            let mut sums: Vec<(u32, Twist)> = Vec::new(); // of the few solids in this block
            for k in block {
                let wet = &self.wet[k];
                let b = wet.particle as usize;
                let mut force = DVec3::ZERO;
                for pair in self.around(k) {
                    let i = pair.index as usize;
                    let pull = self.volume[b] * pulls.fluid[i][2] + pulls.wall[b];
                    force += pull * f64::from(pair.slope) * self.offset(b, i);
                }
                let at =
                    sums.iter().position(|(solid, _)| *solid == wet.solid).unwrap_or_else(|| {
                        sums.push((wet.solid, Twist::default()));
                        sums.len() - 1
                    });
                sums[at].1.add(1.0, &Twist::of_impulse(force, wet.arm));
            }
            sums
        };
        let blocks = (0..self.wet.len().div_ceil(BLOCK)).into_par_iter();
        let block = |k: usize| k * BLOCK..((k + 1) * BLOCK).min(self.wet.len());
        let sums: Vec<_> = blocks.map(|k| of_block(block(k))).collect();
        let mut total = vec![Twist::default(); solids];
        sums.into_iter().flatten().for_each(|(solid, sum)| total[solid as usize].add(1.0, &sum));
        total
    }

    /// An upper bound of how much forces can change per displacement of particles (Gershgorin): PT24's
    /// diagonal (its eq. 39) lets iterations diverge for steps beyond 1.5 capillary times, this does not.
    pub fn stiffness(&self, strengths: &Strengths) -> f64 {
        let size = |i: usize, pair: &Pair| {
            f64::from(-pair.slope) * self.offset(i, pair.index as usize).length()
        };
        // Σ V |∇W| + |Σ V ∇W| over some neighbours, and the second part alone.
        let reach = |i: usize, lists: &[&[Pair]]| {
            let (mut sum, mut vector) = (0.0, DVec3::ZERO);
            for pair in lists.iter().copied().flatten() {
                let j = pair.index as usize;
                sum += self.volume[j] * size(i, pair);
                vector += self.volume[j] * f64::from(pair.slope) * self.offset(i, j);
            }
            (sum + vector.length(), vector.length())
        };
        let mut rates = vec![[0.0; 3]; self.fluid.len()];
        let mut own = vec![0.0; self.fluid.len()];
        self.for_each(&mut rates, |stretch, out| {
            let gamma = strengths.fluids[stretch.fluid];
            for (k, (i, out)) in stretch.particles.clone().zip(out).enumerate() {
                let [same, others, walls] = stretch.of(k);
                let lists: [&[&[Pair]]; 3] = [&[same, others, walls], &[others], &[walls]];
                let bends = self.fluid[i].map(bend);
                for kind in 0..3 {
                    if gamma[kind] > 0.0 {
                        out[kind] = gamma[kind] * bends[kind] * reach(i, lists[kind]).0;
                    }
                }
            }
        });
        let mut of_walls = vec![0.0; self.place.len()];
        for (k, (wet, contribution)) in self.wet.iter().zip(&self.wall).enumerate() {
            let gamma = strengths.walls[wet.solid as usize];
            if gamma != [0.0; 2] {
                let rate: f64 = gamma.iter().zip(contribution).map(|(g, &c)| g * bend(c)).sum();
                of_walls[wet.particle as usize] =
                    rate * reach(wet.particle as usize, &[self.around(k)]).0;
            }
        }
        self.for_each(&mut own, |stretch, out| {
            for (k, (i, out)) in stretch.particles.clone().zip(out).enumerate() {
                let [same, others, walls] = stretch.of(k);
                let vector = reach(i, &[same, others, walls]).1;
                let mut sum = rates[i][0] * vector;
                sum += rates[i][1] * reach(i, &[others]).1 + rates[i][2] * reach(i, &[walls]).1;
                sum += same.iter().map(|p| rates[p.index as usize][0] * size(i, p)).sum::<f64>();
                for pair in others {
                    let [vapour, other, _] = rates[pair.index as usize];
                    sum += (vapour + other) * size(i, pair);
                }
                for pair in walls {
                    sum += of_walls[pair.index as usize] * size(i, pair);
                }
                *out = sum;
            }
        });
        own.into_iter().fold(0.0, f64::max)
    }

    /// Runs `work` on all stretches in parallel, handing each the part of `out` that is its particles'.
    fn for_each<T: Send>(&self, mut out: &mut [T], work: impl Fn(&Stretch, &mut [T]) + Sync) {
        let mut parts = Vec::with_capacity(self.stretches.len());
        for stretch in &self.stretches {
            let (part, rest) = out.split_at_mut(stretch.particles.len());
            parts.push((stretch, part));
            out = rest;
        }
        parts.into_par_iter().for_each(|(stretch, part)| work(stretch, part));
    }
}

/// The kernel with a support of 3h.
struct Wide {
    kernel: Kernel,
    /// Support of the kernel over that of this one.
    squeeze: f64,
    scale: f64,
}

impl Wide {
    fn new(kernel: Kernel) -> Wide {
        let squeeze = SUPPORT / WIDE;
        Wide { kernel, squeeze, scale: squeeze.powi(kernel.dimension.count() as i32) }
    }

    fn w(&self, q: f64) -> f64 {
        self.scale * self.kernel.w(self.squeeze * q)
    }

    /// W′/r; a pair at the same place has no direction, and no force.
    fn slope(&self, q: f64) -> f32 {
        (self.scale * self.squeeze * self.kernel.dw(self.squeeze * q) / q.max(1e-9)) as f32
    }
}
