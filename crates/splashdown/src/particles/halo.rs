//! The surroundings of a chunk: every particle that can be a neighbour of one of its particles.
//!
//! A chunk of a few hundred particles has some two thousand particles in the cells around it. They get
//! small numbers, their slots, so that pairs can name them in 16 bits and solvers can copy their values
//! into a buffer that stays in the nearest cache.

use super::cells::{CellIndex, Run, morton, unmorton};

/// Slots that a pair can name.
pub const MAX_SLOTS: usize = 1 << 16;

/// Particles in slots, with their places inside their own cells, one array per coordinate.
#[derive(Default)]
pub struct Slots {
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
pub struct HaloCell {
    /// First and one past the last fluid slot.
    pub fluid: (u32, u32),
    /// First and one past the last wall slot.
    pub wall: (u32, u32),
}

#[derive(Default)]
pub struct Halo {
    /// Fluid particles.
    pub fluid: Slots,
    /// Wall particles.
    pub wall: Slots,
    /// Open-addressed map from key to cell; an entry counts only if it carries this chunk's stamp.
    table: Vec<(u64, u32, HaloCell)>,
    stamp: u32,
}

impl Halo {
    /// Empties the halo for another chunk of `cells` cells with `around` cells around each.
    pub fn restart(&mut self, cells: usize, around: usize) {
        self.fluid.clear();
        self.wall.clear();
        let size = (2 * cells * around).next_power_of_two().max(64);
        if self.table.len() < size {
            self.table = vec![Default::default(); size];
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    /// The cell `key`, looked up in the global index the first time it is asked for.
    #[inline]
    pub fn cell(
        &mut self,
        key: u64,
        fluids: &CellIndex,
        solids: &CellIndex,
        within: &[[f32; 4]],
    ) -> HaloCell {
        let mask = self.table.len() - 1;
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & mask;
        loop {
            let (found, stamp, cell) = self.table[at];
            if stamp != self.stamp {
                break;
            }
            if found == key {
                return cell;
            }
            at = (at + 1) & mask;
        }
        let cell = HaloCell {
            fluid: self.fluid.add(fluids.cell(key), within),
            wall: self.wall.add(solids.cell(key), within),
        };
        self.table[at] = (key, self.stamp, cell);
        cell
    }
}

/// The cells around `key` with their offsets; 9 in 2D, 27 in 3D.
pub fn around(key: u64, flat: bool) -> impl Iterator<Item = (u64, [i32; 3])> {
    let home = unmorton(key);
    let depth = if flat { 0..=0 } else { -1..=1 };
    depth.flat_map(move |dz| {
        (-1..=1).flat_map(move |dy| {
            (-1..=1).map(move |dx| {
                let cell = [
                    home[0].wrapping_add_signed(dx),
                    home[1].wrapping_add_signed(dy),
                    home[2].wrapping_add_signed(dz),
                ];
                (morton(cell), [dx, dy, dz])
            })
        })
    })
}
