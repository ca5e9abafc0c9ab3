//! Particles sorted by cell.

use glam::{DMat3, DVec3};
use rayon::prelude::*;
use splashdown_geometry::math::Aabb;

use crate::lattice::Lattice;

/// The particles of a liquid, in any order.
#[derive(Clone, Copy, Debug)]
pub struct Particles<'a> {
    /// m
    pub position: &'a [DVec3],
    /// m/s
    pub velocity: &'a [DVec3],
    /// Gradient of the velocity, 1/s; empty where there is none.
    pub affine: &'a [DMat3],
    /// Rest density, kg/m³.
    pub density: &'a [f64],
}

/// A particle, ready for transfer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Record {
    /// In cells from the corner of the box.
    pub at: DVec3,
    /// m/s
    pub velocity: DVec3,
    /// Row by row, the gradient of each component of the velocity, m/s per cell.
    pub affine: [DVec3; 3],
    /// Density over that of reference.
    pub density: f64,
}

/// Particles in the order of their cells.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// One after the other.
    pub all: Vec<Record>,
    /// Which particle each of them is.
    pub order: Vec<u32>,
    /// Where those of each cell begin.
    pub start: Vec<u32>,
}

impl Particles<'_> {
    /// The box around all of them, m.
    pub fn bounds(&self) -> Aabb {
        Aabb::around(self.position.iter().copied())
    }
}

/// For each particle the index of its cell, and for each cell where its particles would begin.
fn cells(lattice: &Lattice, position: &[DVec3]) -> (Vec<u32>, Vec<u32>) {
    let cell_of = |x: &DVec3| lattice.index(lattice.cell_of(lattice.to_cells(*x))) as u32;
    let cell: Vec<u32> = position.par_iter().map(cell_of).collect();
    let mut start = vec![0u32; lattice.len() + 1];
    cell.iter().for_each(|&c| start[c as usize + 1] += 1);
    for k in 1..start.len() {
        start[k] += start[k - 1];
    }
    (cell, start)
}

/// The order of particles by cell; those of a cell keep theirs.
pub fn order(lattice: &Lattice, position: &[DVec3]) -> Vec<u32> {
    let (cell, start) = cells(lattice, position);
    sorted(&cell, &start)
}

fn sorted(cell: &[u32], start: &[u32]) -> Vec<u32> {
    let mut next = start.to_vec();
    let mut order = vec![0u32; cell.len()];
    for (i, &c) in (0u32..).zip(cell) {
        order[next[c as usize] as usize] = i;
        next[c as usize] += 1;
    }
    order
}

impl Records {
    /// Of all particles; `reference` is a density, kg/m³.
    pub fn new(lattice: &Lattice, particles: &Particles<'_>, reference: f64) -> Records {
        let (cell, start) = cells(lattice, particles.position);
        let order = sorted(&cell, &start);
        let record = |&i: &u32| {
            let i = i as usize;
            let affine = particles.affine.get(i).copied().unwrap_or(DMat3::ZERO);
            let rows = affine.transpose() * lattice.width;
            Record {
                at: lattice.to_cells(particles.position[i]),
                velocity: particles.velocity[i],
                affine: [rows.x_axis, rows.y_axis, rows.z_axis],
                density: particles.density[i] / reference,
            }
        };
        let all = order.par_iter().map(record).collect();
        Records { all, order, start }
    }

    /// Those of a cell.
    #[inline]
    pub fn of_cell(&self, cell: usize) -> &[Record] {
        &self.all[self.start[cell] as usize..self.start[cell + 1] as usize]
    }

    /// Whether a cell has none.
    #[inline]
    pub fn is_empty(&self, cell: usize) -> bool {
        self.start[cell] == self.start[cell + 1]
    }
}
