//! The surroundings of a chunk: every particle that can be a neighbour of one of its particles.
//!
//! A chunk of a few hundred particles has some two thousand particles in the cells around it. They
//! get small numbers, their slots, so that pairs can name them in 16 bits and solvers can copy
//! their values into a buffer that stays in the nearest cache.

use super::cells::{CellIndex, Run, spread, unmorton};

/// Slots that a pair can name.
pub(crate) const MAX_SLOTS: usize = 1 << 15;

/// Particles in slots, with their places inside their own cells, one array per coordinate.
#[derive(Default)]
pub(crate) struct Slots {
    /// Index of each particle.
    pub index: Vec<u32>,
    /// Place within its cell, in h.
    pub x: Vec<f32>,
    /// Place within its cell, in h.
    pub y: Vec<f32>,
    /// Place within its cell, in h.
    pub z: Vec<f32>,
}

impl Slots {
    fn clear(&mut self) {
        self.index.clear();
        self.x.clear();
        self.y.clear();
        self.z.clear();
    }

    /// Adds the particles of some runs; returns the slots they got.
    fn add(&mut self, runs: &[Run], within: &[[f32; 4]]) -> (u32, u32) {
        let first = self.index.len() as u32;
        for run in runs {
            let places = &within[run.start as usize..run.end as usize];
            self.index.extend(run.start..run.end);
            self.x.extend(places.iter().map(|p| p[0]));
            self.y.extend(places.iter().map(|p| p[1]));
            self.z.extend(places.iter().map(|p| p[2]));
        }
        (first, self.index.len() as u32)
    }
}

/// A cell of the halo: its slots among the fluid and among the wall particles.
#[derive(Clone, Copy, Default)]
pub(crate) struct HaloCell {
    key: u64,
    /// First and one past the last fluid slot.
    pub fluid: (u32, u32),
    /// First and one past the last wall slot.
    pub wall: (u32, u32),
}

/// The halo of one chunk; reused from chunk to chunk.
#[derive(Default)]
pub(crate) struct Halo {
    /// Fluid particles.
    pub fluid: Slots,
    /// Wall particles.
    pub wall: Slots,
    cells: Vec<HaloCell>,
    /// For every cell of the chunk, the numbers of the cells around it.
    around: Vec<u32>,
    /// The cells in the order of the curve.
    order: Vec<(u64, u32)>,
    /// Open-addressed map from key to cell; an entry counts only if it carries this chunk's stamp.
    table: Vec<(u32, u32)>,
    stamp: u32,
}

impl Halo {
    /// Empties the halo for another chunk of `cells` cells with `around` cells around each.
    pub(crate) fn restart(&mut self, cells: usize, around: usize) {
        self.fluid.clear();
        self.wall.clear();
        self.cells.clear();
        self.around.clear();
        let size = (2 * cells * around).next_power_of_two().max(64);
        if self.table.len() < size || self.stamp > u32::MAX - 4 {
            self.table = vec![(0, 0); size];
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    /// Where `key` is in the table: its entry, or the free one where it belongs.
    #[inline]
    fn find(&self, key: u64) -> (usize, Option<usize>) {
        let mask = self.table.len() - 1;
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & mask;
        loop {
            let (stamp, cell) = self.table[at];
            if stamp != self.stamp {
                return (at, None);
            }
            if self.cells[cell as usize].key == key {
                return (at, Some(cell as usize));
            }
            at = (at + 1) & mask;
        }
    }

    /// Makes a cell around the next cell of the chunk part of the halo.
    pub(crate) fn include(&mut self, key: u64) {
        let number = match self.find(key) {
            (_, Some(number)) => number,
            (free, None) => {
                self.table[free] = (self.stamp, self.cells.len() as u32);
                self.cells.push(HaloCell { key, ..HaloCell::default() });
                self.cells.len() - 1
            }
        };
        self.around.push(number as u32);
    }

    /// Gives slots to the particles of all included cells, in the order of the curve: particles of
    /// cells that follow each other on it lie side by side in memory and can be copied together.
    pub(crate) fn fill(&mut self, fluids: &CellIndex, solids: &CellIndex, within: &[[f32; 4]]) {
        self.order.clear();
        self.order.extend(self.cells.iter().zip(0..).map(|(cell, number)| (cell.key, number)));
        self.order.sort_unstable();
        for &(key, number) in &self.order {
            let cell = &mut self.cells[number as usize];
            cell.fluid = self.fluid.add(fluids.cell(key), within);
            cell.wall = self.wall.add(solids.cell(key), within);
        }
    }

    /// The cells around the k-th cell of the chunk, `count` of them, as they were included.
    pub(crate) fn around(&self, k: usize, count: usize) -> impl Iterator<Item = &HaloCell> {
        self.around[k * count..(k + 1) * count].iter().map(|&number| &self.cells[number as usize])
    }
}

/// The cells around `key` with their offsets; 9 in 2D, 27 in 3D. `count` is the number of cells
/// along periodic axes, where the first cell follows the last; zero along others.
pub(crate) fn around(
    key: u64,
    flat: bool,
    count: [u32; 3],
) -> impl Iterator<Item = (u64, [i32; 3])> {
    let home = unmorton(key);
    let along = move |axis: usize, offset: i32| match home[axis].wrapping_add_signed(offset) {
        u32::MAX if count[axis] > 0 => count[axis] - 1,
        cell if cell == count[axis] && offset > 0 => 0,
        cell => cell,
    };
    let along: [[u64; 3]; 3] =
        std::array::from_fn(|axis| [-1, 0, 1].map(|offset| spread(along(axis, offset)) << axis));
    offsets(flat).iter().map(move |offset| {
        let [x, y, z] = std::array::from_fn(|axis| along[axis][(offset[axis] + 1) as usize]);
        (x | y | z, *offset)
    })
}

/// Where the cells around a cell are, in the order of `around`.
pub(crate) fn offsets(flat: bool) -> &'static [[i32; 3]] {
    const ALL: [[i32; 3]; 27] = {
        let mut all = [[0; 3]; 27];
        let mut k = 0;
        while k < 27 {
            all[k as usize] = [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1];
            k += 1;
        }
        all
    };
    if flat { &ALL[9..18] } else { &ALL }
}
