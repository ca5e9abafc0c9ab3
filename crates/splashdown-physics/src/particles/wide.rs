//! A second set of neighbour lists, with a wider kernel: surface tension needs to see further than
//! pressure.
//!
//! Pairs are those of `pair.rs` and find their values in the same halo, so that the same loops run
//! over them. Neighbours of other fluids and walls are kept apart, because interfaces tell them
//! apart.

use std::ops::Range;

use glam::Vec4;

use super::candidates::Candidates;
use super::chunk::{Chunk, fetch, fetch_of};
use super::fours::Fours;
use super::halo::Halo;
use super::kernel::{Kernel, KernelKind, KernelShape, SUPPORT};
use super::neighbors::evaluate_fluid;
use super::pair::{Pair, WallPair, unit};
use super::simd::Lanes;
use crate::math::DVec3;
use crate::with_kernel;

/// A kernel stretched to another support.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stretch {
    /// Where it ends, in units of h.
    pub support: f64,
    /// σ, with which it integrates to one.
    pub sigma: f64,
}

impl Stretch {
    /// `kernel` stretched to `support`.
    pub(crate) fn new(kernel: Kernel, support: f64) -> Stretch {
        let squeeze = SUPPORT / support;
        Stretch { support, sigma: kernel.sigma() * squeeze.powi(kernel.dimension.count() as i32) }
    }

    /// Places in the stretched kernel as places in the original one.
    #[inline(always)]
    pub(crate) fn squeeze(&self) -> f64 {
        SUPPORT / self.support
    }

    /// W without σ and its derivative.
    #[inline(always)]
    fn evaluate<S: KernelShape>(&self, q: f32) -> (f32, f32) {
        let squeeze = self.squeeze() as f32;
        let (w, dw) = S::evaluate(squeeze * q);
        (w, squeeze * dw)
    }

    /// W′ without σ.
    #[inline(always)]
    fn slope<S: KernelShape>(&self, q: f32) -> f32 {
        self.evaluate::<S>(q).1
    }

    /// ∇W/σ at `offset` from a particle; at the same place it has no direction, and is zero. The
    /// slope of the kernel is in single precision, but the same number on both sides of a pair.
    #[inline(always)]
    pub(crate) fn gradient<S: KernelShape>(&self, offset: DVec3) -> DVec3 {
        let q = offset.length() as f32;
        f64::from(self.slope::<S>(q) / q.max(1e-6)) * offset
    }

    /// hᵈ W at distance q h, in double precision.
    pub(crate) fn w(&self, kind: KernelKind, q: f64) -> f64 {
        self.sigma * with_kernel!(kind, S => S::evaluate_f64(self.squeeze() * q)).0
    }
}

/// Sums over the neighbours of a particle; fourth lanes are zero. Those over walls weigh each by
/// its β.
#[derive(Clone, Copy, Debug, Default)]
pub struct WideSums {
    /// Σ hᵈ⁺¹ ∇W over the same fluid, over other fluids and over walls.
    pub gradient: [Vec4; 3],
    /// Σ hᵈ W likewise, the first with the particle itself.
    pub density: [f32; 3],
    /// Σ |hᵈ⁺¹ ∇W|² over all.
    pub square: f32,
    /// A bound of Σ |hᵈ⁺¹ ∇W| over all.
    pub size: f32,
}

impl WideSums {
    /// A bound of how strongly a particle and its neighbours answer to each other: |Σ hᵈ⁺¹ ∇W| + Σ
    /// |hᵈ⁺¹ ∇W|.
    #[inline(always)]
    pub fn reach(&self) -> f32 {
        self.size + self.gradient.iter().map(|g| g.length()).sum::<f32>()
    }
}

/// The wide lists of one chunk.
#[derive(Clone, Debug, Default)]
pub struct Wide {
    /// Indices of its particles, all of one fluid.
    pub particles: Range<usize>,
    /// Which fluid they belong to.
    pub fluid: usize,
    /// One for each particle.
    pub sums: Vec<WideSums>,
    /// What one step of a pair's gradient is worth.
    pub unit: f32,
    /// Every fluid particle that may be a neighbour in this chunk, by slot.
    halo: Vec<u32>,
    halo_stretches: Vec<Range<u32>>,
    /// Lists of the same and of other fluids in turn, each filled up to a multiple of four.
    pairs: Vec<Pair>,
    /// −hᵈ⁺² W′/r of each pair over `unit`; zero for what fills up lists. The same number on both
    /// sides of a pair, because places are rounded so that their differences are exact, unless the
    /// world repeats.
    slopes: Vec<f32>,
    /// Where lists start and where they end, filled up. Between them are pairs that have been
    /// dropped.
    ranges: Vec<[[u32; 2]; 2]>,
    counts: Vec<[u16; 2]>,
    /// Gradients without β.
    walls: Vec<WallPair>,
    wall_ends: Vec<u32>,
}

/// What the wide search reads.
pub(crate) struct WideInput<'a> {
    /// The wide kernel.
    pub kernel: Stretch,
    /// Range of the chunk's fluid, if there are others.
    pub own: Option<Range<usize>>,
    /// β of all particles.
    pub weight: &'a [f32],
}

/// What is around a particle, as seen from it.
#[derive(Default)]
pub(crate) struct WideBuffers {
    /// Fluid.
    pub fluid: Candidates,
    /// Walls.
    pub wall: Candidates,
    others: Candidates,
}

impl WideBuffers {
    /// Finds all that `kernel` reaches from `place`.
    #[inline(always)]
    pub(super) fn find<L: Lanes>(
        &mut self,
        [fluid, wall]: [&Candidates; 2],
        place: [f32; 3],
        kernel: &Stretch,
    ) {
        let radius2 = (kernel.support * kernel.support) as f32;
        L::select(fluid, place, radius2, &mut self.fluid);
        L::select(wall, place, radius2, &mut self.wall);
    }
}

impl Wide {
    /// Empties the lists for `chunk`, whose halo is known.
    pub(super) fn restart<S: KernelShape>(&mut self, chunk: &Chunk, kernel: &Stretch) {
        self.fluid = chunk.fluid;
        self.particles = chunk.particles.clone();
        self.unit = unit((kernel.sigma * kernel.squeeze()) as f32 * S::STEEPEST);
        self.sums.clear();
        self.pairs.clear();
        self.slopes.clear();
        self.ranges.clear();
        self.counts.clear();
        self.walls.clear();
        self.wall_ends.clear();
        self.halo.clear();
        self.halo.extend_from_slice(&chunk.halo);
        self.halo_stretches.clone_from(&chunk.halo_stretches);
    }

    /// Appends the lists of the next particle, with `around` it.
    #[inline(always)]
    pub(super) fn append<S: KernelShape, L: Lanes>(
        &mut self,
        input: &WideInput,
        halo: &Halo,
        around: &mut WideBuffers,
    ) {
        let WideBuffers { fluid, wall, others } = around;
        let (kernel, sigma) = (&input.kernel, input.kernel.sigma as f32);
        others.clear();
        if let Some(own) = &input.own {
            fluid.split_off(others, |slot| {
                own.contains(&(halo.fluid.index[slot as usize] as usize))
            });
        }
        let mut sums = WideSums::default();
        let (mut ranges, mut counts) = ([[0; 2]; 2], [0; 2]);
        for (kind, near) in [fluid, others].into_iter().enumerate() {
            counts[kind] = near.count as u16;
            ranges[kind] = [self.pairs.len() as u32; 2];
            if near.count > 0 {
                let (pairs, slopes) = (&mut self.pairs, &mut self.slopes);
                let evaluate = |q: f32| kernel.evaluate::<S>(q);
                let keep = |slope: &[f32; 8]| slopes.extend_from_slice(slope);
                let found = evaluate_fluid::<L>(near, evaluate, sigma, self.unit, pairs, keep);
                sums.gradient[kind] = found.fluid_gradient;
                sums.density[kind] = found.number_density;
                sums.square += found.gradient_square;
                slopes.truncate(pairs.len());
                pairs.resize(pairs.len().next_multiple_of(4), Pair::NONE);
                slopes.resize(pairs.len(), 0.0);
            }
            ranges[kind][1] = self.pairs.len() as u32;
        }
        sums.density[0] += sigma * kernel.evaluate::<S>(0.0).0;
        let count = f32::from(counts[0]) + f32::from(counts[1]);
        sums.size = (count * sums.square).sqrt(); // Cauchy and Schwarz
        self.ranges.push(ranges);
        self.counts.push(counts);
        self.append_walls::<S>(input, wall, halo, &mut sums);
        self.wall_ends.push(self.walls.len() as u32);
        self.sums.push(sums);
    }

    /// Walls are few: one by one.
    fn append_walls<S: KernelShape>(
        &mut self,
        input: &WideInput,
        near: &Candidates,
        halo: &Halo,
        sums: &mut WideSums,
    ) {
        let (kernel, sigma) = (&input.kernel, input.kernel.sigma as f32);
        for h in 0..near.count {
            let (d, q) = near.from(h);
            let (w, dw) = kernel.evaluate::<S>(q);
            let index = halo.wall.index[near.slot[h] as usize];
            let slope = sigma * dw / q.max(1.0e-6);
            let pair = WallPair { gradient: d.map(|d| slope * d), index };
            let beta = input.weight[index as usize];
            sums.gradient[2] += beta * pair.gradient4();
            sums.density[2] += beta * sigma * w;
            sums.square += pair.gradient4().length_squared();
            sums.size += pair.gradient4().length() * beta.max(1.0);
            self.walls.push(pair);
        }
    }

    /// Keeps of the lists of particles that `is_active` does not name only pairs with those that it
    /// names. `local` are its answers for the halo.
    pub fn thin(&mut self, is_active: impl Fn(usize) -> bool, local: &[bool]) {
        for (k, (ranges, counts)) in self.ranges.iter_mut().zip(&mut self.counts).enumerate() {
            if is_active(k) {
                continue;
            }
            for ([start, end], count) in ranges.iter_mut().zip(counts) {
                let list = &mut self.pairs[*start as usize..*end as usize];
                let slopes = &mut self.slopes[*start as usize..*end as usize];
                let mut kept = 0;
                for at in 0..usize::from(*count) {
                    // Without a branch, which nobody could predict.
                    (list[kept], slopes[kept]) = (list[at], slopes[at]);
                    kept += usize::from(local[list[at].slot()]);
                }
                let padded = kept.next_multiple_of(4);
                list[kept..padded].fill(Pair::NONE);
                slopes[kept..padded].fill(0.0);
                *count = kept as u16;
                *end = *start + padded as u32;
            }
        }
    }

    /// The neighbours of the k-th particle in the same fluid (0) or in others (1).
    #[inline(always)]
    pub fn pairs(&self, k: usize, kind: usize) -> &[Pair] {
        let start = self.ranges[k][kind][0] as usize;
        &self.pairs[start..start + usize::from(self.counts[k][kind])]
    }

    /// The same in fours; what fills up the last adds nothing to any sum.
    #[inline(always)]
    pub fn fours(&self, k: usize, kind: usize) -> Fours<'_> {
        let [start, end] = self.ranges[k][kind];
        Fours::new(&self.pairs[start as usize..end as usize], self.halo.len())
    }

    /// Slopes of the same pairs, and of what fills up the last four.
    #[inline(always)]
    pub fn slopes(&self, k: usize, kind: usize) -> &[[f32; 4]] {
        let [start, end] = self.ranges[k][kind];
        self.slopes[start as usize..end as usize].as_chunks::<4>().0
    }

    /// The particle behind a pair.
    #[inline(always)]
    pub fn index(&self, pair: &Pair) -> usize {
        self.halo[pair.slot()] as usize
    }

    /// Wall neighbours of the k-th particle.
    #[inline(always)]
    pub fn walls(&self, k: usize) -> &[WallPair] {
        let start = if k == 0 { 0 } else { self.wall_ends[k - 1] as usize };
        &self.walls[start..self.wall_ends[k] as usize]
    }

    /// Whether any particle has neighbours in other fluids.
    pub fn meets_others(&self) -> bool {
        self.counts.iter().any(|counts| counts[1] > 0)
    }

    /// Whether any particle has neighbours in walls.
    pub fn meets_walls(&self) -> bool {
        !self.walls.is_empty()
    }

    /// Whether there is nothing to sum over.
    pub fn is_empty(&self) -> bool {
        self.walls.is_empty() && self.counts.iter().all(|&counts| counts == [0; 2])
    }

    /// Copies the `values` of the particles of the halo into `local`, where pairs find them by
    /// slot.
    #[inline(always)]
    pub fn fetch<T: Copy>(&self, values: &[T], local: &mut Vec<T>) {
        fetch(&self.halo_stretches, self.halo.len(), values, local);
    }

    /// The same for something that is made of each value.
    #[inline(always)]
    pub fn fetch_of<T, L>(&self, values: &[T], local: &mut Vec<L>, of: impl Fn(&T) -> L) {
        fetch_of(&self.halo_stretches, self.halo.len(), values, local, of);
    }

    /// Bytes held by the lists.
    pub fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<Pair>()
            + self.slopes.capacity() * size_of::<f32>()
            + self.walls.capacity() * size_of::<WallPair>()
            + self.sums.capacity() * size_of::<WideSums>()
            + self.ranges.capacity() * size_of::<[[u32; 2]; 2]>()
            + (self.wall_ends.capacity() + self.halo.capacity()) * 8
    }
}
