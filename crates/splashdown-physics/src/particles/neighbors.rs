//! Neighbour lists with their kernel gradients, built once per step and streamed by every solver.
//!
//! The search goes cell by cell. It copies the particles of the 27 cells around a cell into a small
//! buffer once, then tests every particle of the cell against that buffer eight candidates at a
//! time, and evaluates the kernel for the hits while they are at hand. Lists are kept in chunks of
//! about `CHUNK` consecutive particles. Chunks depend on the particles only, never on the number of
//! threads, so that every sum over them has the same bits on any machine.

use std::marker::PhantomData;
use std::ops::Range;

use glam::Vec4;
use rayon::prelude::*;

pub(crate) use super::chunk::{Chunk, Sums};

use super::candidates::{Candidates, FAR};
use super::cell_quadrants::CellQuadrants;
use super::cells::{CellIndex, CellShape, Run, append_runs};
use super::halo::{Halo, MAX_SLOTS, Slots, around, offsets};
use super::kernel::{Kernel, KernelShape, SUPPORT};
use super::pair::{Pair, WallPair, quantise, unit};
use super::simd::{Lanes, Vectorised, dispatch};
use super::wall_density::WallDensity;
use super::wide::{Stretch, Wide, WideBuffers, WideInput};
use crate::math::Dimension;
use crate::solve::buffers::with_buffers;
use crate::with_kernel;

/// About how many particles share a chunk: enough to forget the cost of handing it to a thread, few
/// enough that two threads finish together.
const CHUNK: usize = 512;
/// Chunks that a thread takes at a time: few, so that no thread waits long for the last one.
const CHUNKS_PER_JOB: usize = 1;

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
    /// How much walls count.
    pub wall_density: WallDensity,
    /// The kernel that values and gradients are of.
    pub kernel: Kernel,
    /// The cells; their shortest edge is the widest radius that can be searched.
    pub cells: CellShape,
    /// Support, in units of h, of a wider kernel that lists are wanted for too.
    pub wide: Option<f64>,
}

/// Too many particles in too little space: a hundred times the rest density.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crowded {
    /// One of the particles that are crowded.
    pub particle: usize,
}

/// Neighbour lists of all fluid particles.
#[derive(Clone, Debug, Default)]
pub struct Neighbors {
    /// In the order of the particles.
    pub chunks: Vec<Chunk>,
    /// Lists with the wide kernel, one for each chunk, if they were asked for.
    pub wide: Vec<Wide>,
    fluid_cells: CellIndex,
    solid_cells: CellIndex,
}

impl Neighbors {
    /// Rebuilds all lists. Particles of every object must be sorted by key. Fails, with the first
    /// of them, if particles are crowded so densely that a chunk's surroundings have too many.
    pub fn rebuild(&mut self, input: &SearchInput) -> Result<(), Crowded> {
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
        self.wide.resize_with(if input.wide.is_some() { jobs.len() } else { 0 }, Wide::default);
        let sigma = input.kernel.lattice_sigma() as f32;
        let search = Search { input, sigma, fluids: &self.fluid_cells, solids: &self.solid_cells };
        let wide = self.wide.iter_mut().map(Some).chain(std::iter::repeat_with(|| None));
        let parts: Vec<_> = self.chunks.iter_mut().zip(wide).zip(&jobs).collect();
        let parts = parts.into_par_iter().with_max_len(CHUNKS_PER_JOB);
        parts.for_each(|((chunk, wide), (fluid, runs))| {
            let runs = &home[runs.clone()];
            chunk.clear();
            chunk.fluid = *fluid;
            chunk.particles = runs[0].start as usize..runs[runs.len() - 1].end as usize;
            with_buffers(|buffers| {
                with_kernel!(input.kernel.kind, S => search.chunk::<S>(chunk, wide, runs, buffers));
            });
        });
        match self.chunks.iter().find(|chunk| chunk.halo.len() > MAX_SLOTS) {
            Some(chunk) => Err(Crowded { particle: chunk.particles.start }),
            None => Ok(()),
        }
    }

    /// Fluid particles by cell.
    pub fn fluid_cells(&self) -> &CellIndex {
        &self.fluid_cells
    }

    /// Solid particles by cell.
    pub fn solid_cells(&self) -> &CellIndex {
        &self.solid_cells
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
        let bytes = |c: &Chunk| {
            c.pairs.capacity() * size_of::<Pair>()
                + c.wall_pairs.capacity() * size_of::<WallPair>()
                + c.own_gradient.capacity() * size_of::<Vec4>()
                + c.counts.capacity() * 2
                + c.slopes.capacity() * size_of::<f32>()
                + (c.ends.capacity() + c.wall_ends.capacity()) * 4
                + c.halo.capacity() * 4
                + c.sums.capacity() * size_of::<Sums>()
        };
        self.chunks.iter().map(bytes).sum::<usize>()
            + self.wide.iter().map(Wide::bytes).sum::<usize>()
    }

    /// Runs `work` on all chunks in parallel, handing each the part of `out` that is its particles'
    /// and buffers for values of its halo.
    pub fn for_each<T: Send, L: Default + 'static>(
        &self,
        out: &mut [T],
        work: impl Fn(&Chunk, &mut [T], &mut L) + Sync,
    ) {
        let jobs = self.chunks.par_iter().zip(self.split(out)).with_max_len(CHUNKS_PER_JOB);
        jobs.for_each(|(chunk, part)| with_buffers(|local| work(chunk, part, local)));
    }

    /// The same with a result for each chunk, in the order of the chunks.
    pub fn map<T: Send, L: 'static, R: Send>(
        &self,
        out: &mut [T],
        work: impl Fn(&Chunk, &mut [T], &mut Vec<L>) -> R + Sync,
    ) -> Vec<R> {
        let jobs = self.chunks.par_iter().zip(self.split(out)).with_max_len(CHUNKS_PER_JOB);
        jobs.map(|(chunk, part)| with_buffers(|local| work(chunk, part, local))).collect()
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

/// Appends the stretches of consecutive numbers in `indices`.
fn append_stretches(indices: &[u32], stretches: &mut Vec<Range<u32>>) {
    for &i in indices {
        match stretches.last_mut() {
            Some(last) if last.end == i => last.end += 1,
            _ => stretches.push(i..i + 1),
        }
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

/// Buffers of one thread.
#[derive(Default)]
struct Buffers {
    halo: Halo,
    fluid: Candidates,
    wall: Candidates,
    near: Candidates,
    near_wall: Candidates,
    quadrants: CellQuadrants,
    wide: WideBuffers,
}

struct Search<'a> {
    input: &'a SearchInput<'a>,
    /// The factor of the kernel.
    sigma: f32,
    fluids: &'a CellIndex,
    solids: &'a CellIndex,
}

impl Search<'_> {
    fn chunk<S: KernelShape>(
        &self,
        chunk: &mut Chunk,
        mut wide: Option<&mut Wide>,
        runs: &[Run],
        buffers: &mut Buffers,
    ) {
        chunk.unit = unit(self.sigma * S::STEEPEST);
        buffers.halo.restart(runs.len(), offsets(self.flat()).len());
        for run in runs {
            self.around(run).for_each(|(key, _)| buffers.halo.include(key));
        }
        buffers.halo.fill(self.fluids, self.solids, self.input.within);
        chunk.halo.extend_from_slice(&buffers.halo.fluid.index);
        append_stretches(&chunk.halo, &mut chunk.halo_stretches);
        if chunk.halo.len() > MAX_SLOTS {
            return; // reported by `rebuild`
        }
        if let Some(wide) = &mut wide {
            wide.restart::<S>(chunk, &self.wide_kernel());
        }
        for (k, run) in runs.iter().enumerate() {
            let own = self.gather(k, run, buffers);
            dispatch(CellSearch::<S> {
                search: self,
                chunk,
                wide: wide.as_deref_mut(),
                run,
                own,
                buffers,
                shape: PhantomData,
            });
        }
    }

    /// Unlike the narrow one it is normalised in the continuum: only differences between places
    /// matter.
    fn wide_kernel(&self) -> Stretch {
        Stretch::new(self.input.kernel, self.input.wide.unwrap_or(SUPPORT))
    }

    /// The number of dimensions.
    fn axes(&self) -> f32 {
        self.input.kernel.dimension.count() as f32
    }

    fn flat(&self) -> bool {
        self.input.kernel.dimension == Dimension::Two
    }

    /// The cells around that of a run.
    fn around(&self, run: &Run) -> impl Iterator<Item = (u64, [i32; 3])> {
        around(run.key, self.flat(), self.input.cells.count)
    }

    /// Fills the buffers with the surroundings of the cell; returns the place of its first
    /// particle.
    fn gather(&self, k: usize, run: &Run, buffers: &mut Buffers) -> usize {
        let Buffers { halo, fluid, wall, .. } = buffers;
        fluid.clear();
        wall.clear();
        let mut own = 0;
        let offsets = offsets(self.flat());
        for (cell, offset) in halo.around(k, offsets.len()).zip(offsets) {
            let shift =
                std::array::from_fn(|axis| offset[axis] as f32 * self.input.cells.size[axis]);
            if *offset == [0; 3] {
                let slots = &halo.fluid.index[cell.fluid.0 as usize..cell.fluid.1 as usize];
                own = fluid.x.len() + slots.iter().take_while(|&&i| i != run.start).count();
            }
            fluid.add(&halo.fluid, cell.fluid, shift);
            if cell.wall.0 < cell.wall.1 {
                wall.add(&halo.wall, cell.wall, shift);
            }
        }
        fluid.pad();
        wall.pad();
        own
    }

    /// Σ |g|²/μ where fluids of several densities meet.
    fn weighted_square(&self, pairs: &[Pair], chunk: &Chunk) -> f32 {
        let unit2 = chunk.unit * chunk.unit;
        let term = |pair: &Pair| {
            let j = chunk.index(pair);
            let fluid = self.input.fluids.partition_point(|range| range.end <= j);
            let g = pair.gradient4().truncate();
            self.input.inverse_mass[fluid] * unit2 * g.length_squared()
        };
        pairs.iter().map(term).sum()
    }

    /// Appends the wall pairs of one particle and adds them to its sums. Walls are few: one by one.
    fn evaluate_walls<S: KernelShape>(
        &self,
        near: &Candidates,
        slots: &Slots,
        chunk: &mut Chunk,
        sums: &mut Sums,
    ) {
        for h in 0..near.count {
            let (d, q) = near.from(h);
            let (w, dw) = S::evaluate(q);
            let index = slots.index[near.slot[h] as usize];
            let scale = self.sigma * self.input.weight[index as usize];
            let slope = scale * dw / q.max(1.0e-6);
            let pair = WallPair { gradient: d.map(|d| slope * d), index };
            sums.wall_density += scale * w;
            sums.wall_gradient += pair.gradient4();
            sums.wall_moment -= scale * q * dw / self.axes();
            chunk.wall_pairs.push(pair);
        }
        let (count, slope) = self.input.wall_density.count(sums.wall_density);
        (sums.wall_density, sums.wall_slope) = (count, slope);
        if slope != 1.0 {
            let pairs = chunk.wall_pairs.len() - near.count..;
            chunk.wall_pairs[pairs].iter_mut().for_each(|pair| pair.scale(slope));
            sums.wall_gradient *= slope;
            sums.wall_moment *= slope;
        }
        sums.number_density += sums.wall_density;
    }
}

/// The search for all particles of one cell of one fluid.
struct CellSearch<'a, S> {
    search: &'a Search<'a>,
    chunk: &'a mut Chunk,
    wide: Option<&'a mut Wide>,
    run: &'a Run,
    /// Place of the run's first particle among the candidates.
    own: usize,
    buffers: &'a mut Buffers,
    shape: PhantomData<S>,
}

impl<S: KernelShape> Vectorised for CellSearch<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let CellSearch { search, chunk, mut wide, run, own, buffers, .. } = self;
        let Buffers { halo, fluid, wall, near, near_wall, quadrants, wide: far } = buffers;
        let several = search.input.fluids.len() > 1;
        let input = WideInput {
            kernel: search.wide_kernel(),
            own: several.then(|| search.input.fluids[chunk.fluid].clone()),
            weight: search.input.weight,
        };
        let radius2 = (SUPPORT * SUPPORT) as f32;
        let sigma = search.sigma;
        let at_centre = sigma * S::evaluate(0.0).0;
        let count = (run.end - run.start) as usize;
        let uses_quadrants = wide.is_some() && !search.flat() && CellQuadrants::pay(count);
        quadrants.restart(search.input.cells.size, input.kernel.support as f32);
        for k in 0..count {
            let place = [fluid.x[own + k], fluid.y[own + k], fluid.z[own + k]];
            let (fluid, own) = match uses_quadrants {
                true => quadrants.around::<L>(place, fluid, own),
                false => (&mut *fluid, own),
            };
            let me = own + k;
            fluid.x[me] = FAR; // nobody is its own neighbour
            // Those of the narrow kernel are among those of the wide one.
            if wide.is_some() {
                far.find::<L>([fluid, wall], place, &input.kernel);
                L::select(&far.fluid, [0.0; 3], radius2, near);
                L::select(&far.wall, [0.0; 3], radius2, near_wall);
            } else {
                L::select(fluid, place, radius2, near);
                L::select(wall, place, radius2, near_wall);
            }
            fluid.x[me] = place[0];
            let Chunk { unit, pairs, slopes, .. } = chunk;
            let keep = |slope: &[f32; 8]| {
                if wide.is_some() {
                    slopes.extend_from_slice(slope);
                }
            };
            let mut sums = evaluate_fluid::<L>(near, S::evaluate, sigma, *unit, pairs, keep);
            if let [inverse_mass] = search.input.inverse_mass {
                sums.gradient_square *= inverse_mass;
            } else {
                let last = chunk.ends.last().map_or(0, |&end| end as usize);
                sums.gradient_square = search.weighted_square(&chunk.pairs[last..], chunk);
            }
            sums.number_density += at_centre;
            sums.fluid_moment /= search.axes();
            let last = chunk.ends.last().map_or(0, |&end| end as usize);
            // Nowhere near 65 536: a chunk and its surroundings have fewer slots than that.
            chunk.counts.push((chunk.pairs.len() - last) as u16);
            if wide.is_some() {
                chunk.slopes.truncate(chunk.pairs.len());
                chunk.slopes.resize(chunk.pairs.len().next_multiple_of(4), 0.0);
            }
            chunk.pairs.resize(chunk.pairs.len().next_multiple_of(4), Pair::NONE);
            chunk.ends.push(chunk.pairs.len() as u32);

            if near_wall.count > 0 {
                search.evaluate_walls::<S>(near_wall, &halo.wall, chunk, &mut sums);
            }
            chunk.wall_ends.push(chunk.wall_pairs.len() as u32);
            chunk.own_gradient.push(sums.fluid_gradient + sums.wall_gradient);
            chunk.sums.push(sums);

            if let Some(wide) = &mut wide {
                wide.append::<S, L>(&input, halo, far);
            }
        }
    }
}

/// Values and gradients of the kernel `evaluate` for all that are `near`, eight at a time; appends
/// the pairs and returns sums. `keep` gets what turns distances into gradients in units of `unit`.
#[inline(always)]
pub(super) fn evaluate_fluid<L: Lanes>(
    near: &Candidates,
    evaluate: impl Fn(f32) -> (f32, f32),
    sigma: f32,
    unit: f32,
    pairs: &mut Vec<Pair>,
    mut keep: impl FnMut(&[f32; 8]),
) -> Sums {
    let first = pairs.len();
    pairs.reserve(near.x.len());
    let per_unit = sigma / unit;
    let mut w_sum = [0.0f32; 8];
    let mut square = [0.0f32; 8];
    let mut moment = [0.0f32; 8];
    let mut sum = [[0.0f32; 8]; 3];
    let (x, y) = (near.x.as_chunks::<8>().0, near.y.as_chunks::<8>().0);
    let (z, slots) = (near.z.as_chunks::<8>().0, near.slot.as_chunks::<8>().0);
    for (((x, y), z), slot) in x.iter().zip(y).zip(z).zip(slots) {
        let d = [x, y, z];
        let (mut g, mut slopes) = ([[0; 8]; 3], [0.0; 8]);
        for l in 0..8 {
            let q = (x[l] * x[l] + y[l] * y[l] + z[l] * z[l]).sqrt();
            let (w, dw) = evaluate(q);
            let slope = -per_unit * dw / q.max(1.0e-6);
            slopes[l] = slope;
            w_sum[l] += w;
            moment[l] -= q * dw;
            for axis in 0..3 {
                let (rounded, bits) = quantise(slope * d[axis][l]);
                g[axis][l] = bits;
                sum[axis][l] += rounded;
                square[l] += rounded * rounded;
            }
        }
        pairs.extend_from_slice(&L::pairs(&g, slot));
        keep(&slopes);
    }
    pairs.truncate(first + near.count);
    let total = |lanes: &[f32; 8]| -> f32 {
        // A fixed tree: the same bits whatever the compiler makes of it.
        let [a, b, c, d, e, f, g, h] = *lanes;
        ((a + e) + (b + f)) + ((c + g) + (d + h))
    };
    let gradient = Vec4::new(total(&sum[0]), total(&sum[1]), total(&sum[2]), 0.0);
    Sums {
        number_density: sigma * total(&w_sum),
        fluid_gradient: unit * gradient,
        wall_gradient: Vec4::ZERO,
        wall_density: 0.0,
        wall_slope: 1.0,
        gradient_square: unit * unit * total(&square),
        fluid_moment: sigma * total(&moment),
        wall_moment: 0.0,
    }
}
