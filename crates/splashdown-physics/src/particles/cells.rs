//! Particles by cell: Morton keys, the sort along their curve, and the way from a cell to its
//! particles.
//!
//! Space is cut into cubes as wide as the search radius, so that all neighbours of a particle are
//! in the 27 cells (9 in 2D) around it. Cells are named by the Morton code of their integer
//! coordinates and found through a hash table: a splash may fly as far as it likes without a grid
//! growing with it. Every particle also gets its place *within* its cell in single precision;
//! distances are then computed from small numbers wherever in the world the scene happens to be.

use rayon::prelude::*;

use super::periodic::wrapped;
use crate::math::{Aabb, DVec3, floored, rounded};

/// Cells per axis that a Morton code can tell apart.
const AXIS_BITS: u32 = 21;
/// The origin of the codes moves in steps of this many cells, so that it almost never does.
const ORIGIN_STEP: f64 = 1024.0;

/// Fewest cells along a periodic axis: a cell's two neighbours must not be the same one.
pub(crate) const MIN_CELLS: f64 = 3.0;
/// Places within a cell are multiples of 1/PLACES: then the way from one particle to another is
/// exact in single precision, also across cells of up to 4 h, and the same in both directions.
const PLACES: f64 = (1 << 21) as f64;

/// Where cells are: their size and the origin of their integer coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CellGrid {
    /// Edges; along a periodic axis stretched so that a whole number of cells fills the period.
    size: DVec3,
    /// In cells, a multiple of `ORIGIN_STEP`.
    origin: DVec3,
    /// After which the world repeats, m; zero along axes where it does not.
    period: DVec3,
    /// How many cells there are along periodic axes; zero along others.
    count: DVec3,
}

/// What the search needs to know of a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CellShape {
    /// Edges of a cell, in h.
    pub size: [f32; 3],
    /// How many cells there are along a periodic axis before the first follows again; zero along
    /// others.
    pub count: [u32; 3],
}

/// In which cell each particle is.
#[derive(Clone, Debug, Default)]
pub struct Located {
    /// Morton code of each particle's cell.
    pub keys: Vec<u64>,
    /// Place of each particle within its cell, in h.
    pub within: Vec<[f32; 4]>,
    /// The cells.
    pub cells: CellShape,
    /// Where they are.
    pub(crate) grid: Option<CellGrid>,
}

/// A cell key with the consecutive particles of one object that are in the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// Morton code of the cell.
    pub key: u64,
    /// First particle.
    pub start: u32,
    /// One past the last particle.
    pub end: u32,
}

impl CellGrid {
    /// Cells of edge `size` around `bounds`; None if the particles are too far apart to be told
    /// apart (two million cells), which only a runaway particle manages. Along the axes where
    /// `period` is not zero the world repeats, and bounds do not matter.
    pub(crate) fn around(bounds: Aabb, size: f64, period: DVec3) -> Option<CellGrid> {
        let periodic = period.cmpgt(DVec3::ZERO);
        let count = DVec3::select(
            periodic,
            (period / size).floor().max(DVec3::splat(MIN_CELLS)),
            DVec3::ZERO,
        );
        let size = DVec3::select(periodic, period / count.max(DVec3::ONE), DVec3::splat(size));
        if bounds.min.x > bounds.max.x {
            return Some(CellGrid { size, origin: DVec3::ZERO, period, count });
        }
        let origin = ((bounds.min / size - 2.0) / ORIGIN_STEP).floor() * ORIGIN_STEP;
        let origin = DVec3::select(periodic, DVec3::ZERO, origin);
        let last = DVec3::select(periodic, count, bounds.max / size + 2.0 - origin);
        let fits = last.is_finite() && last.max_element() < f64::from(1u32 << AXIS_BITS);
        fits.then_some(CellGrid { size, origin, period, count })
    }

    /// The key of the cell around `p` and the place within it, in units of `unit` metres.
    pub(crate) fn locate(&self, p: DVec3, unit: f64) -> (u64, [f32; 4]) {
        let scaled = wrapped(p, self.period) / self.size;
        // Rounding may put a particle just below a period into the cell behind the last one.
        let last = DVec3::select(self.count.cmpgt(DVec3::ZERO), self.count - 1.0, DVec3::INFINITY);
        let cell = floored(scaled).min(last);
        let within = rounded((scaled - cell) * (self.size / unit * PLACES)) / PLACES;
        let c = cell - self.origin;
        let key = morton([c.x as u32, c.y as u32, c.z as u32]);
        (key, [within.x as f32, within.y as f32, within.z as f32, 0.0])
    }

    /// The keys of all cells that `bounds` meets, and how many that are. The world does not repeat.
    pub(crate) fn cells_in(&self, bounds: Aabb) -> impl Iterator<Item = u64> + Clone + use<> {
        // Nothing is beyond the first and the last cell that a code can name.
        let last = f64::from((1u32 << AXIS_BITS) - 1);
        let cell = |p: DVec3| {
            (floored(p / self.size) - self.origin).clamp(DVec3::ZERO, DVec3::splat(last))
        };
        let [from, to] = [bounds.min, bounds.max].map(|p| cell(p).as_uvec3());
        (from.z..=to.z).flat_map(move |z| {
            (from.y..=to.y).flat_map(move |y| (from.x..=to.x).map(move |x| morton([x, y, z])))
        })
    }

    /// Edges in units of `unit` metres, and how they repeat.
    pub(crate) fn shape(&self, unit: f64) -> CellShape {
        let size = (self.size / unit).as_vec3().to_array();
        CellShape { size, count: self.count.to_array().map(|count| count as u32) }
    }
}

/// Interleaves the bits of three coordinates.
pub(crate) fn morton(c: [u32; 3]) -> u64 {
    spread(c[0]) | spread(c[1]) << 1 | spread(c[2]) << 2
}

/// The coordinates behind a Morton code.
pub(crate) fn unmorton(key: u64) -> [u32; 3] {
    [gather(key), gather(key >> 1), gather(key >> 2)]
}

/// A coordinate with two zeros after each bit.
pub(crate) fn spread(x: u32) -> u64 {
    let mut x = u64::from(x) & 0x1f_ffff;
    x = (x | x << 32) & 0x001f_0000_0000_ffff;
    x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

fn gather(x: u64) -> u32 {
    let mut x = x & 0x1249_2492_4924_9249;
    x = (x | x >> 2) & 0x10c3_0c30_c30c_30c3;
    x = (x | x >> 4) & 0x100f_00f0_0f00_f00f;
    x = (x | x >> 8) & 0x001f_0000_ff00_00ff;
    x = (x | x >> 16) & 0x001f_0000_0000_ffff;
    ((x | x >> 32) & 0x1f_ffff) as u32
}

/// The order that sorts `keys` (ties stay in order), or None if they are sorted already.
pub(crate) fn sorting_order(keys: &[u64], first: usize) -> Option<Vec<u32>> {
    if keys.is_sorted() {
        return None;
    }
    let mut order: Vec<(u64, u32)> =
        keys.iter().enumerate().map(|(i, &key)| (key, (first + i) as u32)).collect();
    order.par_sort_unstable(); // no two are equal: the index is part of what is compared
    Some(order.into_iter().map(|(_, index)| index).collect())
}

/// Appends the runs of equal keys in `keys`, which belong to particles from index `first` on.
pub(crate) fn append_runs(keys: &[u64], first: usize, runs: &mut Vec<Run>) {
    let mut start = 0;
    while start < keys.len() {
        let key = keys[start];
        let length = keys[start..].iter().take_while(|&&k| k == key).count();
        runs.push(Run { key, start: (first + start) as u32, end: (first + start + length) as u32 });
        start += length;
    }
}

/// The way from a cell to its particles: a hash table over runs sorted by key.
#[derive(Clone, Debug, Default)]
pub struct CellIndex {
    runs: Vec<Run>,
    /// (key, first run, number of runs); a power of two, at most half full.
    table: Vec<(u64, u32, u32)>,
}

const EMPTY: u64 = u64::MAX;

impl CellIndex {
    /// Rebuilds the index from runs in any order.
    pub fn rebuild(&mut self, runs: &[Run]) {
        self.runs.clear();
        self.runs.extend_from_slice(runs);
        if !self.runs.is_sorted() {
            self.runs.sort_unstable();
        }
        let size = (2 * self.runs.len()).next_power_of_two().max(2);
        self.table.clear();
        self.table.resize(size, (EMPTY, 0, 0));
        let mut first = 0;
        while first < self.runs.len() {
            let key = self.runs[first].key;
            let count = self.runs[first..].iter().take_while(|run| run.key == key).count();
            let mut slot = self.slot_of(key);
            while self.table[slot].0 != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = (key, first as u32, count as u32);
            first += count;
        }
    }

    /// All runs, sorted by key.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The runs of the cell `key`.
    pub fn cell(&self, key: u64) -> &[Run] {
        if self.runs.is_empty() {
            return &[];
        }
        let mut slot = self.slot_of(key);
        loop {
            let (found, first, count) = self.table[slot];
            if found == key {
                return &self.runs[first as usize..(first + count) as usize];
            }
            if found == EMPTY {
                return &[];
            }
            slot = (slot + 1) & (self.table.len() - 1);
        }
    }

    fn slot_of(&self, key: u64) -> usize {
        // Fibonacci hashing: the high bits of key · 2⁶⁴/φ are well mixed.
        let shift = 64 - self.table.len().trailing_zeros();
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn morton_codes_are_invertible(x in 0u32..1 << 21, y in 0u32..1 << 21, z in 0u32..1 << 21) {
            prop_assert_eq!(unmorton(morton([x, y, z])), [x, y, z]);
        }

        #[test]
        fn every_particle_is_found_in_its_cell(
            mut keys in prop::collection::vec(0u64..50, 0..300),
        ) {
            keys.sort_unstable();
            let mut runs = Vec::new();
            append_runs(&keys, 7, &mut runs);
            let mut index = CellIndex::default();
            index.rebuild(&runs);
            for key in 0..60 {
                let found: usize = index.cell(key).iter().map(|r| (r.end - r.start) as usize).sum();
                prop_assert_eq!(found, keys.iter().filter(|&&k| k == key).count());
            }
        }
    }

    #[test]
    fn a_far_away_cell_keeps_the_place_within_it() {
        let size = 0.04;
        for offset in [0.0, 1000.0, -1.0e6] {
            let p = DVec3::new(offset + 0.013, 0.5, 0.25);
            let grid = CellGrid::around(Aabb::around([p]), size, DVec3::ZERO).unwrap();
            let (_, within) = grid.locate(p, 0.02);
            let expected = (p.x / size - (p.x / size).floor()) * 2.0;
            assert!((f64::from(within[0]) - expected).abs() < 3e-7);
        }
    }
}
