//! Neighbours of a few hundred particles: the lists that solvers stream, and sums over them.

use std::ops::Range;

use glam::{Vec3, Vec4};

use super::fours::Fours;
use super::pair::{Pair, WallPair};

/// Sums over the neighbours of a particle that every solver needs; the fourth lanes are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// Σ hᵈ⁺¹ ∇W over fluid neighbours.
    pub fluid_gradient: Vec4,
    /// φ′ Σ β hᵈ⁺¹ ∇W over wall neighbours (`WallDensity`).
    pub wall_gradient: Vec4,
    /// hᵈ times the number density: Σ hᵈ W over fluid (with itself) and φ(Σ β hᵈ W) over walls.
    pub number_density: f32,
    /// The walls' part of it.
    pub wall_density: f32,
    /// φ′, by which the gradients of wall pairs are scaled.
    pub wall_slope: f32,
    /// Σ |hᵈ⁺¹ ∇W|² / μ over fluid neighbours, μ being a neighbour's relative mass.
    pub gradient_square: f32,
    /// −(1/d) Σ x · hᵈ⁺¹ ∇W over fluid neighbours, x being the way to them in h: 1 in a continuum,
    /// about 1 deep inside a fluid (with the walls' part).
    pub fluid_moment: f32,
    /// The same with φ′ β over wall neighbours.
    pub wall_moment: f32,
}

/// The neighbours of a stretch of consecutive fluid particles of one object.
#[derive(Clone, Debug, Default)]
pub struct Chunk {
    /// Indices of its particles, all of one fluid.
    pub particles: Range<usize>,
    /// Which fluid they belong to.
    pub fluid: usize,
    /// One for each particle.
    pub sums: Vec<Sums>,
    /// Every particle that may be a neighbour in this chunk, by slot.
    pub(super) halo: Vec<u32>,
    /// The same as stretches of consecutive particles, which are faster to copy.
    pub(super) halo_stretches: Vec<Range<u32>>,
    /// What one step of a pair's gradient is worth.
    pub unit: f32,
    /// What a particle's own pressure pushes against: the gradients of all its pairs,
    /// those of walls as they count. One for each particle.
    pub own_gradient: Vec<Vec4>,
    /// Lists of particles one after the other, each filled up to a multiple of four with
    /// `Pair::NONE`: loops over them come without a remainder.
    pub(super) pairs: Vec<Pair>,
    /// Where the filled-up lists end.
    pub(super) ends: Vec<u32>,
    pub(super) counts: Vec<u16>,
    /// −hᵈ⁺² W′/r of each pair over `unit`, as in `Wide`, where exact forces are wanted; empty
    /// elsewhere.
    pub(super) slopes: Vec<f32>,
    pub(super) wall_pairs: Vec<WallPair>,
    pub(super) wall_ends: Vec<u32>,
}

impl Chunk {
    /// Fluid neighbours of the k-th particle of the chunk.
    #[inline(always)]
    pub fn pairs(&self, k: usize) -> &[Pair] {
        &self.pairs[self.pair_range(k)]
    }

    /// The same in fours; what fills up the last adds nothing to any sum.
    #[inline(always)]
    pub fn fours(&self, k: usize) -> Fours<'_> {
        Fours::new(stretch(&self.pairs, &self.ends, k), self.halo.len())
    }

    /// Slopes of the same pairs, and of what fills up the last four.
    #[inline(always)]
    pub fn slopes(&self, k: usize) -> &[[f32; 4]] {
        stretch(&self.slopes, &self.ends, k).as_chunks::<4>().0
    }

    /// The particle behind a pair.
    #[inline(always)]
    pub fn index(&self, pair: &Pair) -> usize {
        self.halo[pair.slot()] as usize
    }

    /// Indices and gradients hᵈ⁺¹ ∇W of the fluid neighbours of the k-th particle: the comfortable
    /// way.
    pub fn neighbors(&self, k: usize) -> impl Iterator<Item = (usize, Vec3)> {
        let gradient = |pair: &Pair| pair.gradient4().truncate() * self.unit;
        self.pairs(k).iter().map(move |pair| (self.index(pair), gradient(pair)))
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

    /// Wall neighbours of the k-th particle of the chunk.
    #[inline(always)]
    pub fn wall_pairs(&self, k: usize) -> &[WallPair] {
        stretch(&self.wall_pairs, &self.wall_ends, k)
    }

    /// Where the fluid pairs of the k-th particle are among those of the chunk, for values kept
    /// beside them.
    #[inline(always)]
    pub fn pair_range(&self, k: usize) -> Range<usize> {
        let start = range(&self.ends, k).start;
        start..start + usize::from(self.counts[k])
    }

    /// The same for its wall pairs.
    #[inline(always)]
    pub fn wall_pair_range(&self, k: usize) -> Range<usize> {
        range(&self.wall_ends, k)
    }

    /// Number of fluid pairs in the chunk.
    pub fn pair_count(&self) -> usize {
        self.counts.iter().map(|&count| usize::from(count)).sum()
    }

    /// One more than the largest number in any `pair_range`.
    pub fn pair_places(&self) -> usize {
        self.pairs.len()
    }

    /// Number of wall pairs in the chunk.
    pub fn wall_pair_count(&self) -> usize {
        self.wall_pairs.len()
    }

    pub(super) fn clear(&mut self) {
        self.sums.clear();
        self.halo.clear();
        self.halo_stretches.clear();
        self.own_gradient.clear();
        self.pairs.clear();
        self.ends.clear();
        self.counts.clear();
        self.slopes.clear();
        self.wall_pairs.clear();
        self.wall_ends.clear();
    }
}

/// Copies the `values` of stretches of particles, `count` in all, into `local`.
#[inline(always)]
pub(super) fn fetch<T: Copy>(
    stretches: &[Range<u32>],
    count: usize,
    values: &[T],
    local: &mut Vec<T>,
) {
    local.clear();
    // Buffers start empty; growing bit by bit made an iteration a quarter slower.
    local.reserve(count);
    for stretch in stretches {
        local.extend_from_slice(&values[stretch.start as usize..stretch.end as usize]);
    }
}

/// Fills `local` with what `of` makes of the `values` of stretches of particles, `count` in all.
#[inline(always)]
pub(super) fn fetch_of<T, L>(
    stretches: &[Range<u32>],
    count: usize,
    values: &[T],
    local: &mut Vec<L>,
    of: impl Fn(&T) -> L,
) {
    local.clear();
    local.reserve(count);
    for stretch in stretches {
        local.extend(values[stretch.start as usize..stretch.end as usize].iter().map(&of));
    }
}

#[inline(always)]
fn stretch<'a, T>(values: &'a [T], ends: &[u32], k: usize) -> &'a [T] {
    &values[range(ends, k)]
}

#[inline(always)]
fn range(ends: &[u32], k: usize) -> Range<usize> {
    let start = if k == 0 { 0 } else { ends[k - 1] as usize };
    start..ends[k] as usize
}
