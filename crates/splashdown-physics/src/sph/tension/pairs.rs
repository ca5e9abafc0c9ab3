//! Neighbours within 3h (4h in the plane): how much particles are part of interfaces, and the
//! forces that lower their energy.
//!
//! Lengths are in h, volumes in hᵈ, W is the kernel stretched to that support, s = W′/r and
//! x_ij = x_i − x_j, so that ∇W_ij = s x_ij points from i to j. A fluid particle has volume 1, a
//! wall particle its weight β, which is 1 in a flat, even wall.
//!
//!   C_f^FV = 1 − Σ_j V_j W_fj
//!   C_f^FF = Σ_(other fluids) W_fj
//!   C_f^FB = Σ_b β_b W_fb                                  (T4)  PT24 eqs. 8a-c
//!   C_b^BV = 1 − Σ_f W_bf − Σ_b' β_b' W_bb'
//!   C_b^BF = Σ_f W_bf                                      (T5)  PT24 eqs. 8d, e
//!
//! With q = γ^FV S^FV, r = γ^FF S^FF, w = γ^FB S^FB of fluid particles and t = γ^BV S^BV − γ^BF
//! S^BF of wall particles (γ with A⁰ in it) the force −∂E/∂x on a fluid particle is
//!
//!   F_f = Σ_same (q_f + q_j) ∇W + Σ_other (q_f − r_f + q_j − r_j) ∇W
//!         + Σ_b (β_b (q_f − w_f) + t_b) ∇W                 (T6)  PT24 eq. 11
//!
//! and each term pulls the neighbour back along the same line: both momenta are kept whatever q, r,
//! w and t are. That is what makes them the unknowns of the solve (`sweep.rs`), which works on
//! rounded gradients; the forces that move particles in the end are summed here, in double
//! precision and along true directions.

use std::marker::PhantomData;
use std::ops::Range;

use rayon::prelude::*;

use super::energy::{Clamp, FluidContribution, Strengths, WallContribution, energy};
use super::exact::Force;
use crate::math::{DVec3, Dimension};
use crate::particles::cells::Located;
use crate::particles::halo::around;
use crate::particles::kernel::{KernelKind, KernelShape};
use crate::particles::neighbors::Neighbors;
use crate::particles::pair::WallPair;
use crate::particles::periodic::nearest;
use crate::particles::simd::dispatch;
use crate::particles::wide::{Stretch, Wide};
use crate::solve::buffers::with_buffers;
use crate::sph::system::FluidSystem;
use crate::twist::Twist;
use crate::with_kernel;

/// Wall particles per block of a parallel sum. Part of the result: another size rounds differently.
const BLOCK: usize = 512;
/// A particle that is this far from being part of an interface at the beginning of a step does not
/// become part of one within it: it changes by a few thousandths in a step, and the next step looks
/// again.
const FAR_INSIDE: f64 = -0.003;
/// Lists are thinned where more than one in so many particles does not pull: to drop pairs costs
/// more than ten sweeps over them.
const WORTH_THINNING: usize = 4;

/// A wall particle near fluid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wet {
    pub particle: u32,
    pub solid: u32,
    /// Where its neighbours end.
    end: u32,
    /// Place relative to the origin of its solid.
    pub arm: DVec3,
}

/// All neighbours of a step, and contributions at its beginning.
#[derive(Clone, Debug, Default)]
pub struct SurfacePairs {
    /// In h.
    place: Vec<DVec3>,
    /// In h.
    period: DVec3,
    /// Of all particles, in hᵈ.
    pub(super) volume: Vec<f32>,
    /// Those of the search, without pairs of particles that see no interface.
    pub(super) lists: Vec<Wide>,
    pub(super) wet: Vec<Wet>,
    /// Fluid around wall particles, with gradients that point from the wall.
    wet_pairs: Vec<WallPair>,
    /// (T4) at the beginning of the step.
    pub fluid: Vec<FluidContribution>,
    /// (T5) of `wet`.
    pub(super) wall: Vec<WallContribution>,
    /// Fluid particles that may pull.
    pub(super) active: Vec<bool>,
    /// The kernel of interfaces: which function, and how far it is stretched.
    kernel: Option<(KernelKind, Stretch)>,
}

/// What interfaces pull with: q, q − r and q − w of fluid particles; t of wall particles, by their
/// indices less the number of fluid particles.
#[derive(Clone, Debug, Default)]
pub struct Pulls {
    pub(super) fluid: Vec<[f32; 3]>,
    pub(super) wall: Vec<f32>,
}

impl SurfacePairs {
    /// Gives the lists back to be filled anew: they are too large for two sets.
    pub fn give_back(&mut self, neighbors: &mut Neighbors) {
        if !self.lists.is_empty() {
            neighbors.wide = std::mem::take(&mut self.lists);
        }
    }

    /// Takes the wide lists of this step's search.
    pub fn rebuild(&mut self, system: &FluidSystem, neighbors: &mut Neighbors) {
        self.lists = std::mem::take(&mut neighbors.wide);
        let h = system.space.spacing;
        let kernel = system.kernel();
        self.kernel = Some((kernel.kind, Stretch::new(kernel, system.surface_support())));
        self.period = system.space.period / h;
        self.place.clear();
        self.place.par_extend(system.particles.position.par_iter().map(|&x| x / h));
        self.volume.clone_from(&system.particles.weight);
        let n = system.fluid_count();
        let mut fluid = std::mem::take(&mut self.fluid);
        fluid.resize(n, [0.0; 3]);
        self.for_each(&mut fluid, |list, out, _: &mut ()| {
            let all = out.iter_mut().zip(&list.sums);
            all.for_each(|(out, sums)| *out = contribution(sums.density.map(f64::from)));
        });
        self.fluid = fluid;
        self.thin(system);
        self.transpose(system);
    }

    /// Drops all pairs that cannot pull.
    fn thin(&mut self, system: &FluidSystem) {
        let tension = &system.tension;
        let clamp = tension.calibration.clamp(system.space.dimension);
        let mut active = std::mem::take(&mut self.active);
        active.resize(self.fluid.len(), false);
        self.for_each(&mut active, |list, out, _: &mut ()| {
            let [vapour, others, walls] = system.fluids[list.fluid].surface.acts();
            let own = self.fluid[list.particles.clone()].iter();
            for (out, &[c_vapour, c_others, c_walls]) in out.iter_mut().zip(own) {
                *out = (vapour && c_vapour - clamp.from > FAR_INSIDE)
                    || (others && c_others > 0.0)
                    || (walls && c_walls > 0.0);
            }
        });
        self.active = active;
        let active = &self.active;
        self.lists.par_iter_mut().with_max_len(1).for_each(|list| {
            with_buffers(|local| {
                let own = &active[list.particles.clone()];
                let resting = own.iter().filter(|is_active| !**is_active).count();
                if resting > own.len() / WORTH_THINNING {
                    list.fetch(active, local);
                    list.thin(|k| own[k], local);
                }
            });
        });
    }

    /// x_i − x_j in h.
    #[inline(always)]
    fn offset(&self, i: usize, j: usize) -> DVec3 {
        nearest(self.place[i] - self.place[j], self.period)
    }

    /// Lists the fluid around every wall particle, in the order of the fluid.
    fn transpose(&mut self, system: &FluidSystem) {
        let (n, all) = (system.fluid_count(), self.place.len());
        let mut next = vec![0u32; all - n + 1];
        let visit = |see: &mut dyn FnMut(usize, &WallPair)| {
            for list in self.lists.iter().filter(|list| list.meets_walls()) {
                for (k, i) in list.particles.clone().enumerate() {
                    list.walls(k).iter().for_each(|pair| see(i, pair));
                }
            }
        };
        visit(&mut |_, pair| next[pair.index as usize - n + 1] += 1);
        (0..all - n).for_each(|b| next[b + 1] += next[b]);
        let mut wet_pairs = std::mem::take(&mut self.wet_pairs);
        wet_pairs.clear();
        wet_pairs.resize(next[all - n] as usize, WallPair { index: 0, gradient: [0.0; 3] });
        visit(&mut |i, pair| {
            let b = pair.index as usize - n;
            let gradient = pair.gradient.map(|g| -g);
            wet_pairs[next[b] as usize] = WallPair { index: i as u32, gradient };
            next[b] += 1;
        });
        self.wet_pairs = wet_pairs;
        // `next[b]` is by now where the neighbours of b end.
        self.wet.clear();
        let mut start = 0;
        for (b, &end) in next[..all - n].iter().enumerate() {
            if end > start
                && let Some(solid) = system.solid_of(n + b)
            {
                let away = system.particles.position[n + b] - system.solids[solid].pose.translation;
                let arm = nearest(away, system.space.period) / system.space.spacing;
                let (particle, solid) = ((n + b) as u32, solid as u32);
                self.wet.push(Wet { particle, solid, end, arm });
            }
            start = end;
        }
    }

    /// (T5)
    pub fn weigh_walls(&mut self, system: &FluidSystem, neighbors: &Neighbors, located: &Located) {
        self.wall.clear();
        let Some((kind, wide)) = self.kernel.filter(|_| system.walls_act()) else {
            self.wall.resize(self.wet.len(), [0.0; 2]);
            return;
        };
        let (flat, cells) = (system.space.dimension == Dimension::Two, neighbors.solid_cells());
        let contributions = (0..self.wet.len()).into_par_iter().with_min_len(64).map(|k| {
            let b = self.wet[k].particle as usize;
            let w = |j: usize| wide.w(kind, self.offset(b, j).length());
            let fluid: f64 = self.around(k).iter().map(|pair| w(pair.index as usize)).sum();
            let mut wall = 0.0;
            for (key, _) in around(located.keys[b], flat, located.cells.count) {
                for run in cells.cell(key) {
                    let all = run.start as usize..run.end as usize;
                    wall += all.map(|j| f64::from(self.volume[j]) * w(j)).sum::<f64>();
                }
            }
            [1.0 - fluid - wall, fluid]
        });
        self.wall = contributions.collect();
    }

    /// (T4) once more, in double precision: for differences of energies.
    pub fn refine(&mut self) {
        let Some((kind, wide)) = self.kernel else { return };
        let mut fluid = std::mem::take(&mut self.fluid);
        self.for_each(&mut fluid, |list, out, _: &mut ()| {
            for (k, (i, out)) in list.particles.clone().zip(out).enumerate() {
                if !self.active[i] {
                    continue; // not all of its pairs are left
                }
                let mut sum = [wide.w(kind, 0.0), 0.0, 0.0];
                for (which, sum) in sum[..2].iter_mut().enumerate() {
                    for pair in list.pairs(k, which) {
                        *sum += wide.w(kind, self.offset(i, list.index(pair)).length());
                    }
                }
                for pair in list.walls(k) {
                    let b = pair.index as usize;
                    sum[2] += f64::from(self.volume[b]) * wide.w(kind, self.offset(i, b).length());
                }
                *out = contribution(sum);
            }
        });
        self.fluid = fluid;
    }

    /// The fluid around the k-th wet wall particle.
    #[inline(always)]
    pub(super) fn around(&self, k: usize) -> &[WallPair] {
        let start = if k == 0 { 0 } else { self.wet[k - 1].end as usize };
        &self.wet_pairs[start..self.wet[k].end as usize]
    }

    /// Bytes held by the lists.
    pub fn bytes(&self) -> usize {
        self.lists.iter().map(Wide::bytes).sum()
    }

    /// (T1) at the beginning of the step, in the unit of `strengths`.
    pub fn energy(&self, strengths: &Strengths) -> f64 {
        let of_list = |list: &Wide| -> f64 {
            let gamma = &strengths.fluids[list.fluid];
            let own = self.fluid[list.particles.clone()].iter();
            own.map(|c| energy(&strengths.clamps(), gamma, c)).sum()
        };
        let fluid: f64 = self.lists.iter().map(of_list).sum();
        let of_wall = |(wet, c): (&Wet, &WallContribution)| {
            energy(&[Clamp::PAPER; 2], &strengths.walls[wet.solid as usize], c)
        };
        fluid + self.wet.iter().zip(&self.wall).map(of_wall).sum::<f64>()
    }

    /// How hard interfaces pull at the beginning of the step.
    pub fn pulls(&self, strengths: &Strengths) -> Pulls {
        self.pulls_with(strengths, |i| self.fluid[i].map(|c| c as f32))
    }

    /// The same if contributions of fluid particles are those.
    pub(super) fn pulls_with(
        &self,
        strengths: &Strengths,
        contribution: impl Fn(usize) -> [f32; 3] + Sync,
    ) -> Pulls {
        let mut pulls = Pulls {
            fluid: vec![[0.0; 3]; self.fluid.len()],
            wall: vec![0.0; self.place.len() - self.fluid.len()],
        };
        self.for_each(&mut pulls.fluid, |list, out, _: &mut ()| {
            for (i, out) in list.particles.clone().zip(out) {
                if self.active[i] {
                    *out = strengths.fluid_pull(list.fluid, contribution(i));
                }
            }
        });
        let n = self.fluid.len();
        for (wet, c) in self.wet.iter().zip(&self.wall) {
            let t = strengths.wall_pull(wet.solid as usize, c.map(|c| c as f32));
            pulls.wall[wet.particle as usize - n] = t;
        }
        pulls
    }

    /// (T6) into `force`, along true directions.
    pub fn forces(&self, pulls: &Pulls, force: &mut [DVec3]) {
        if let Some((kind, wide)) = self.kernel {
            with_kernel!(kind, S => self.sum_forces::<S>(&wide, pulls, force));
        }
    }

    fn sum_forces<S: KernelShape>(&self, wide: &Stretch, pulls: &Pulls, force: &mut [DVec3]) {
        let n = self.fluid.len();
        self.for_each(force, |list, out, local| {
            if list.is_empty() {
                return out.fill(DVec3::ZERO);
            }
            dispatch(Force::<S> {
                list,
                kernel: wide,
                pulls,
                place: &self.place,
                period: self.period,
                out,
                local,
                shape: PhantomData,
            });
            for (k, (i, out)) in list.particles.clone().zip(out).enumerate() {
                let mut sum = DVec3::ZERO;
                for pair in list.walls(k) {
                    let b = pair.index as usize;
                    let pull = self.wall_pull(b, pulls.fluid[i][2], pulls.wall[b - n]);
                    if pull != 0.0 {
                        sum += pull * wide.gradient::<S>(self.offset(i, b));
                    }
                }
                *out += wide.sigma * sum;
            }
        });
    }

    /// Adds `share` times (D4) to `force`, for displacements `moved` in h: pairs that pull resist
    /// getting closer or farther apart.
    pub fn calm(&self, pulls: &Pulls, share: f64, moved: &[DVec3], force: &mut [DVec3]) {
        let Some((kind, wide)) = self.kernel else { return };
        self.for_each(force, |list, out, _: &mut ()| {
            let kinds = if list.meets_others() { 2 } else { 1 };
            for (k, (i, out)) in list.particles.clone().zip(out).enumerate() {
                let mut sum = DVec3::ZERO;
                for which in 0..kinds {
                    let own = pulls.fluid[i][which];
                    for pair in list.pairs(k, which) {
                        let j = list.index(pair);
                        let offset = self.offset(i, j);
                        let pull = f64::from((own + pulls.fluid[j][which]).max(0.0));
                        let rate =
                            (moved[i] - moved[j]).dot(offset) / offset.length_squared().max(1e-6);
                        sum += rate * pull * with_kernel!(kind, S => wide.gradient::<S>(offset));
                    }
                }
                *out += share * wide.sigma * sum;
            }
        });
    }

    /// β_b (q_f − w_f) + t_b
    fn wall_pull(&self, b: usize, fluid: f32, wall: f32) -> f64 {
        f64::from(self.volume[b]) * f64::from(fluid) + f64::from(wall)
    }

    /// The reaction of (T6) on every solid, about its origin.
    pub fn reactions(&self, pulls: &Pulls, solids: usize) -> Vec<Twist> {
        let Some((kind, wide)) = self.kernel else { return vec![Twist::default(); solids] };
        let n = self.fluid.len();
        let on_wall = |k: usize| {
            let b = self.wet[k].particle as usize;
            let mut force = DVec3::ZERO;
            for pair in self.around(k) {
                let i = pair.index as usize;
                let pull = self.wall_pull(b, pulls.fluid[i][2], pulls.wall[b - n]);
                if pull != 0.0 {
                    let offset = self.offset(b, i);
                    force += pull * with_kernel!(kind, S => wide.gradient::<S>(offset));
                }
            }
            Some(wide.sigma * force)
        };
        self.sum_over_solids(solids, on_wall)
    }

    /// Forces on wet wall particles, `None` for those that do not count, as forces and moments on
    /// solids.
    pub(super) fn sum_over_solids(
        &self,
        solids: usize,
        force: impl Fn(usize) -> Option<DVec3> + Sync,
    ) -> Vec<Twist> {
        let of_block = |block: Range<usize>| {
            let mut sums: Vec<(u32, Twist)> = Vec::new(); // of the few solids in this block
            for k in block {
                let Some(force) = force(k) else { continue };
                let wet = &self.wet[k];
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

    /// Runs `work` on all lists in parallel, handing each the part of `out` that is its particles'
    /// and a buffer for its halo.
    pub(super) fn for_each<T: Send, L: Default + 'static>(
        &self,
        out: &mut [T],
        work: impl Fn(&Wide, &mut [T], &mut L) + Sync,
    ) {
        let jobs = self.lists.par_iter().zip(self.split(out)).with_max_len(1);
        jobs.for_each(|(list, part)| with_buffers(|local| work(list, part, local)));
    }

    /// The same with a result for each list, in their order.
    pub(super) fn map<T: Send, L: Default + 'static, R: Send>(
        &self,
        out: &mut [T],
        work: impl Fn(&Wide, &mut [T], &mut L) -> R + Sync,
    ) -> Vec<R> {
        let jobs = self.lists.par_iter().zip(self.split(out)).with_max_len(1);
        jobs.map(|(list, part)| with_buffers(|local| work(list, part, local))).collect()
    }

    /// `out` cut at the borders of the lists.
    fn split<'a, T>(&self, mut out: &'a mut [T]) -> Vec<&'a mut [T]> {
        let cut = |list: &Wide| {
            let (part, rest) = std::mem::take(&mut out).split_at_mut(list.particles.len());
            out = rest;
            part
        };
        self.lists.iter().map(cut).collect()
    }
}

/// (T4) from Σ V W over the same fluid, other fluids and walls.
fn contribution([same, others, walls]: [f64; 3]) -> FluidContribution {
    [1.0 - same - others - walls, others, walls]
}
