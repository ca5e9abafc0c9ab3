//! Neighbour lists with their kernel gradients, built once per step and streamed by every solver.
//!
//! The search goes cell by cell. It copies the particles of the 27 cells around a cell into a small
//! buffer once, then tests every particle of the cell against that buffer eight candidates at a time,
//! and evaluates the kernel for the hits while they are in registers. What the solvers need of a pair
//! is one 16-byte record: the gradient and the index of the neighbour. Lists are kept in chunks of
//! about `CHUNK` consecutive particles. Chunks depend on the particles only, never on the number of
//! threads, so that every sum over them has the same bits on any machine.

use std::ops::Range;

use glam::Vec4;
use rayon::prelude::*;

use super::cells::{CellIndex, Run, append_runs, morton, unmorton};
use super::kernel::{Kernel, KernelShape, SUPPORT};
use super::simd;
use crate::math::Dimension;
use crate::with_kernel;

/// About how many particles share a chunk: enough to forget the cost of handing it to a thread, few
/// enough that two threads finish together.
const CHUNK: usize = 512;

/// A neighbour: the kernel gradient hᵈ⁺¹ ∇W (for walls times the wall weight β) and an index.
///
/// The gradient is taken at the particle that owns the list, so it points from the neighbour's far
/// side towards it: ∇W_ij = W′(r) (x_i − x_j)/r with W′ < 0.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(16))]
pub struct Pair {
    gradient: [f32; 3],
    tag: u32,
}

/// Added to an index so that its bits, read as the fourth lane of a vector, are an ordinary number
/// (0.5 and up): never subnormal, infinite or NaN, which would slow the lane or poison a product.
const TAG: u32 = 0x3f00_0000;

impl Pair {
    fn new(gradient: [f32; 3], index: u32) -> Pair {
        Pair { gradient, tag: index + TAG }
    }

    /// The neighbour.
    #[inline(always)]
    pub fn index(self) -> usize {
        (self.tag - TAG) as usize
    }

    /// The gradient in the first three lanes; the fourth holds a finite number without meaning.
    #[inline(always)]
    pub fn gradient4(self) -> Vec4 {
        bytemuck::cast(self)
    }

    /// The gradient.
    pub fn gradient(self) -> [f32; 3] {
        self.gradient
    }
}

/// Sums over the neighbours of a particle that every solver needs; the fourth lanes are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// Σ hᵈ⁺¹ ∇W over fluid neighbours.
    pub fluid_gradient: Vec4,
    /// Σ β hᵈ⁺¹ ∇W over wall neighbours.
    pub wall_gradient: Vec4,
    /// hᵈ times the number density: Σ hᵈ W over fluid (with itself) and β hᵈ W over walls.
    pub number_density: f32,
    /// Σ |hᵈ⁺¹ ∇W|² / μ over fluid neighbours, μ being a neighbour's relative mass.
    pub gradient_square: f32,
}

/// The neighbours of a stretch of consecutive fluid particles of one object.
#[derive(Clone, Debug, Default)]
pub struct Chunk {
    /// Which particles.
    pub particles: Range<usize>,
    /// Which fluid they belong to.
    pub fluid: usize,
    /// One for each particle.
    pub sums: Vec<Sums>,
    pairs: Vec<Pair>,
    ends: Vec<u32>,
    wall_pairs: Vec<Pair>,
    wall_ends: Vec<u32>,
    wide: Vec<u32>,
    wide_ends: Vec<u32>,
}

impl Chunk {
    /// Fluid neighbours of the k-th particle of the chunk.
    #[inline(always)]
    pub fn pairs(&self, k: usize) -> &[Pair] {
        stretch(&self.pairs, &self.ends, k)
    }

    /// Wall neighbours of the k-th particle of the chunk.
    #[inline(always)]
    pub fn wall_pairs(&self, k: usize) -> &[Pair] {
        stretch(&self.wall_pairs, &self.wall_ends, k)
    }

    /// Fluid and wall particles within the wide radius of the k-th particle, if one was asked for.
    pub fn wide(&self, k: usize) -> &[u32] {
        stretch(&self.wide, &self.wide_ends, k)
    }

    /// Number of fluid pairs in the chunk.
    pub fn pair_count(&self) -> usize {
        self.pairs.len()
    }

    /// Number of wall pairs in the chunk.
    pub fn wall_pair_count(&self) -> usize {
        self.wall_pairs.len()
    }

    fn clear(&mut self) {
        self.sums.clear();
        self.pairs.clear();
        self.ends.clear();
        self.wall_pairs.clear();
        self.wall_ends.clear();
        self.wide.clear();
        self.wide_ends.clear();
    }
}

#[inline(always)]
fn stretch<'a, T>(values: &'a [T], ends: &[u32], k: usize) -> &'a [T] {
    let start = if k == 0 { 0 } else { ends[k - 1] as usize };
    &values[start..ends[k] as usize]
}

/// What the search reads of each particle, in the order of `Particles`.
pub struct SearchInput<'a> {
    /// Morton codes of the cells.
    pub keys: &'a [u64],
    /// Places within the cells, in units of h.
    pub within: &'a [[f32; 4]],
    /// Ranges of the fluids, from index 0 on.
    pub fluids: &'a [Range<usize>],
    /// All solid particles.
    pub solids: &'a [Range<usize>],
    /// 1/μ of each fluid: reference mass over particle mass.
    pub inverse_mass: &'a [f32],
    /// Wall weights β (only those of solids are read).
    pub weight: &'a [f32],
    /// The kernel.
    pub kernel: Kernel,
    /// Edge of a cell in units of h; the widest radius that can be searched.
    pub cell: f32,
    /// Radius of the additional index lists in units of h, if wanted.
    pub wide_radius: Option<f32>,
}

/// Neighbour lists of all fluid particles.
#[derive(Clone, Debug, Default)]
pub struct Neighbors {
    /// In the order of the particles.
    pub chunks: Vec<Chunk>,
    fluid_cells: CellIndex,
    solid_cells: CellIndex,
}

impl Neighbors {
    /// Rebuilds all lists. Particles of every object must be sorted by key.
    pub fn rebuild(&mut self, input: &SearchInput) {
        let mut home = Vec::new();
        let mut jobs = Vec::new(); // (fluid, runs)
        for (fluid, range) in input.fluids.iter().enumerate() {
            let first_run = home.len();
            append_runs(&input.keys[range.clone()], range.start, &mut home);
            split_into_jobs(&home, first_run, fluid, &mut jobs);
        }
        self.fluid_cells.rebuild(&home);
        let mut solid_runs = Vec::new();
        for range in input.solids {
            append_runs(&input.keys[range.clone()], range.start, &mut solid_runs);
        }
        self.solid_cells.rebuild(&solid_runs);

        self.chunks.resize_with(jobs.len(), Chunk::default);
        let search = Search { input, fluids: &self.fluid_cells, solids: &self.solid_cells };
        self.chunks.par_iter_mut().zip(&jobs).for_each_init(Buffers::default, |buffers, job| {
            let (chunk, (fluid, runs)) = job;
            let runs = &home[runs.clone()];
            chunk.clear();
            chunk.fluid = *fluid;
            chunk.particles = runs[0].start as usize..runs[runs.len() - 1].end as usize;
            with_kernel!(input.kernel.kind, S => search.chunk::<S>(chunk, runs, buffers));
        });
    }

    /// Number of fluid-fluid pairs, each counted from both sides.
    pub fn pair_count(&self) -> usize {
        self.chunks.iter().map(Chunk::pair_count).sum()
    }

    /// Number of fluid-wall pairs.
    pub fn wall_pair_count(&self) -> usize {
        self.chunks.iter().map(Chunk::wall_pair_count).sum()
    }

    /// Bytes held by the lists.
    pub fn bytes(&self) -> usize {
        let pair = size_of::<Pair>();
        let bytes = |c: &Chunk| {
            (c.pairs.capacity() + c.wall_pairs.capacity()) * pair
                + (c.ends.capacity() + c.wall_ends.capacity() + c.wide.capacity()) * 4
                + c.sums.capacity() * size_of::<Sums>()
        };
        self.chunks.iter().map(bytes).sum()
    }

    /// Runs `work` on all chunks in parallel, handing each the part of `out` that is its particles'.
    pub fn for_each<T: Send>(&self, out: &mut [T], work: impl Fn(&Chunk, &mut [T]) + Sync) {
        self.chunks.par_iter().zip(self.split(out)).for_each(|(chunk, part)| work(chunk, part));
    }

    /// The same with a result for each chunk, in the order of the chunks.
    pub fn map<T: Send, R: Send>(
        &self,
        out: &mut [T],
        work: impl Fn(&Chunk, &mut [T]) -> R + Sync,
    ) -> Vec<R> {
        self.chunks.par_iter().zip(self.split(out)).map(|(c, part)| work(c, part)).collect()
    }

    /// `out` cut at the borders of the chunks.
    fn split<'a, T>(&self, mut out: &'a mut [T]) -> Vec<&'a mut [T]> {
        let mut parts = Vec::with_capacity(self.chunks.len());
        for chunk in &self.chunks {
            let (part, rest) = out.split_at_mut(chunk.particles.len());
            parts.push(part);
            out = rest;
        }
        parts
    }
}

/// Cuts the runs from `first` on into jobs of about `CHUNK` particles.
fn split_into_jobs(
    home: &[Run],
    first: usize,
    fluid: usize,
    jobs: &mut Vec<(usize, Range<usize>)>,
) {
    let mut begin = first;
    for end in first + 1..=home.len() {
        let full = (home[end - 1].end - home[begin].start) as usize >= CHUNK;
        if full || end == home.len() {
            jobs.push((fluid, begin..end));
            begin = end;
        }
    }
}

/// Particles around a cell, seen from its corner, one array per coordinate.
#[derive(Default)]
pub(super) struct Candidates {
    pub x: Vec<f32>,
    pub y: Vec<f32>,
    pub z: Vec<f32>,
    index: Vec<u32>,
    /// 1/μ of a fluid particle, β of a wall particle.
    value: Vec<f32>,
    count: usize,
}

/// So far away that it is nobody's neighbour, near enough that its square is finite.
const FAR: f32 = 1.0e6;

impl Candidates {
    fn clear(&mut self) {
        for array in [&mut self.x, &mut self.y, &mut self.z, &mut self.value] {
            array.clear();
        }
        self.index.clear();
    }

    fn push(&mut self, place: [f32; 3], index: u32, value: f32) {
        self.x.push(place[0]);
        self.y.push(place[1]);
        self.z.push(place[2]);
        self.index.push(index);
        self.value.push(value);
    }

    /// Adds at least one and at most eight candidates that never match, to a multiple of eight.
    fn pad(&mut self) {
        self.count = self.x.len();
        for _ in 0..8 - self.count % 8 {
            self.push([FAR; 3], 0, 0.0);
        }
    }
}

/// Buffers of one thread.
#[derive(Default)]
struct Buffers {
    fluid: Candidates,
    wall: Candidates,
    hits: Vec<u32>,
}

struct Search<'a> {
    input: &'a SearchInput<'a>,
    fluids: &'a CellIndex,
    solids: &'a CellIndex,
}

impl Search<'_> {
    fn chunk<S: KernelShape>(&self, chunk: &mut Chunk, runs: &[Run], buffers: &mut Buffers) {
        for run in runs {
            let own = self.gather(run, buffers);
            #[cfg(target_arch = "x86_64")]
            if simd::has_avx2() {
                // SAFETY: has_avx2 has just asked the processor.
                unsafe { self.run_avx2::<S>(chunk, run, own, buffers) }
                continue;
            }
            self.run::<S>(chunk, run, own, buffers, simd::collect_portable);
        }
    }

    /// Fills the buffers with the surroundings of the cell; returns the place of its first particle.
    fn gather(&self, run: &Run, buffers: &mut Buffers) -> usize {
        let input = self.input;
        let home = unmorton(run.key);
        let depth = if input.kernel.dimension == Dimension::Two { 0..=0 } else { -1..=1 };
        buffers.fluid.clear();
        buffers.wall.clear();
        let mut own = 0;
        for dz in depth {
            for dy in -1..=1 {
                for dx in -1..=1 {
                    let cell = [
                        home[0].wrapping_add_signed(dx),
                        home[1].wrapping_add_signed(dy),
                        home[2].wrapping_add_signed(dz),
                    ];
                    let key = morton(cell);
                    let shift = [dx, dy, dz].map(|d| d as f32 * input.cell);
                    let place = |i: usize| {
                        let w = &input.within[i];
                        [w[0] + shift[0], w[1] + shift[1], w[2] + shift[2]]
                    };
                    for r in self.fluids.cell(key) {
                        if r.start == run.start {
                            own = buffers.fluid.x.len();
                        }
                        let value = self.inverse_mass_of(r.start as usize);
                        for i in r.start..r.end {
                            buffers.fluid.push(place(i as usize), i, value);
                        }
                    }
                    for r in self.solids.cell(key) {
                        for i in r.start..r.end {
                            let beta = input.weight[i as usize];
                            buffers.wall.push(place(i as usize), i, beta);
                        }
                    }
                }
            }
        }
        buffers.fluid.pad();
        buffers.wall.pad();
        own
    }

    fn inverse_mass_of(&self, i: usize) -> f32 {
        match self.input.inverse_mass {
            [only] => *only,
            several => {
                let fluid = self.input.fluids.iter().position(|range| range.contains(&i));
                fluid.map_or(1.0, |f| several[f])
            }
        }
    }

    /// `run`, compiled for AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn run_avx2<S: KernelShape>(&self, chunk: &mut Chunk, run: &Run, own: usize, b: &mut Buffers) {
        let collect = |c: &Candidates, p: [f32; 3], r2: f32, hits: &mut Vec<u32>| {
            simd::collect_avx2(c, p, r2, hits)
        };
        self.run::<S>(chunk, run, own, b, collect);
    }

    /// All particles of one cell of one fluid.
    #[inline(always)]
    fn run<S: KernelShape>(
        &self,
        chunk: &mut Chunk,
        run: &Run,
        own: usize,
        buffers: &mut Buffers,
        collect: impl Fn(&Candidates, [f32; 3], f32, &mut Vec<u32>),
    ) {
        let Buffers { fluid, wall, hits } = buffers;
        let radius2 = (SUPPORT * SUPPORT) as f32;
        let sigma = self.input.kernel.lattice_sigma() as f32;
        for k in 0..(run.end - run.start) as usize {
            let me = own + k;
            let place = [fluid.x[me], fluid.y[me], fluid.z[me]];
            fluid.x[me] = FAR; // nobody is its own neighbour
            collect(fluid, place, radius2, hits);
            let of_fluid = evaluate::<S, false>(fluid, hits, place, sigma, &mut chunk.pairs);
            chunk.ends.push(chunk.pairs.len() as u32);

            let mut of_wall = Evaluated::default();
            if wall.count > 0 {
                collect(wall, place, radius2, hits);
                of_wall = evaluate::<S, true>(wall, hits, place, sigma, &mut chunk.wall_pairs);
            }
            chunk.wall_ends.push(chunk.wall_pairs.len() as u32);

            if let Some(radius) = self.input.wide_radius {
                for candidates in [&*fluid, &*wall] {
                    collect(candidates, place, radius * radius, hits);
                    chunk.wide.extend(hits.iter().map(|&h| candidates.index[h as usize]));
                }
                chunk.wide_ends.push(chunk.wide.len() as u32);
            }
            fluid.x[me] = place[0];

            let at_centre = sigma * S::evaluate(0.0).0;
            chunk.sums.push(Sums {
                number_density: at_centre + of_fluid.w + of_wall.w,
                fluid_gradient: of_fluid.gradient,
                wall_gradient: of_wall.gradient,
                gradient_square: of_fluid.square,
            });
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Evaluated {
    w: f32,
    gradient: Vec4,
    square: f32,
}

/// Kernel values and gradients of the hits, eight at a time; appends the pairs and returns sums.
#[inline(always)]
fn evaluate<S: KernelShape, const WALL: bool>(
    from: &Candidates,
    hits: &mut Vec<u32>,
    place: [f32; 3],
    sigma: f32,
    pairs: &mut Vec<Pair>,
) -> Evaluated {
    let count = hits.len();
    // Candidate `from.count` is one of the far ones: it fills the last eight with zeros.
    hits.resize(count.next_multiple_of(8), from.count as u32);
    pairs.reserve(hits.len());
    let mut w_sum = [0.0f32; 8];
    let mut square = [0.0f32; 8];
    let mut sum = [[0.0f32; 8]; 3];
    for (block, lanes) in hits.as_chunks::<8>().0.iter().enumerate() {
        let mut d = [[0.0f32; 8]; 3];
        let mut value = [0.0f32; 8];
        let mut index = [0u32; 8];
        for l in 0..8 {
            let slot = lanes[l] as usize;
            d[0][l] = place[0] - from.x[slot];
            d[1][l] = place[1] - from.y[slot];
            d[2][l] = place[2] - from.z[slot];
            value[l] = from.value[slot];
            index[l] = from.index[slot];
        }
        let mut g = [[0.0f32; 8]; 3];
        for l in 0..8 {
            let q = (d[0][l] * d[0][l] + d[1][l] * d[1][l] + d[2][l] * d[2][l]).sqrt();
            let (w, dw) = S::evaluate(q);
            let scale = if WALL { sigma * value[l] } else { sigma };
            let slope = scale * dw / q.max(1.0e-6);
            for axis in 0..3 {
                g[axis][l] = slope * d[axis][l];
                sum[axis][l] += g[axis][l];
            }
            w_sum[l] += scale * w;
            if !WALL {
                let g2 = g[0][l] * g[0][l] + g[1][l] * g[1][l] + g[2][l] * g[2][l];
                square[l] += value[l] * g2;
            }
        }
        let live = (count - 8 * block).min(8);
        pairs.extend((0..live).map(|l| Pair::new([g[0][l], g[1][l], g[2][l]], index[l])));
    }
    let total = |lanes: &[f32; 8]| -> f32 {
        // A fixed tree: the same bits whatever the compiler makes of it.
        let [a, b, c, d, e, f, g, h] = *lanes;
        ((a + e) + (b + f)) + ((c + g) + (d + h))
    };
    Evaluated {
        w: total(&w_sum),
        gradient: Vec4::new(total(&sum[0]), total(&sum[1]), total(&sum[2]), 0.0),
        square: total(&square),
    }
}
