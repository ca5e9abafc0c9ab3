//! Finds the particles around a point.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use glam::{IVec3, Vec3};
use rayon::prelude::*;

/// Particles in cells as wide as they are looked for.
pub(crate) struct Near<'a> {
    points: &'a [Vec3],
    reach: f32,
    /// Particles sorted by cell.
    order: Vec<u32>,
    cells: HashMap<IVec3, [u32; 2], BuildHasherDefault<CellHasher>>,
}

impl<'a> Near<'a> {
    /// For looking at all `points` nearer than `reach`.
    pub(crate) fn new(points: &'a [Vec3], reach: f32) -> Near<'a> {
        let cell = |i: u32| (points[i as usize] / reach).floor().as_ivec3();
        let mut order: Vec<u32> = (0..points.len() as u32).collect();
        order.par_sort_unstable_by_key(|&i| (cell(i).to_array(), i));
        let mut cells: HashMap<IVec3, [u32; 2], _> = HashMap::default();
        for (k, &i) in order.iter().enumerate() {
            let k = k as u32;
            cells.entry(cell(i)).or_insert([k, k])[1] = k + 1;
        }
        Near { points, reach, order, cells }
    }

    /// Calls `found` with the number and the squared distance of every point around `p`.
    pub(crate) fn visit(&self, p: Vec3, mut found: impl FnMut(usize, f32)) {
        let cell = (p / self.reach).floor().as_ivec3();
        for k in 0..27 {
            let step = IVec3::new(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
            let Some(&[from, to]) = self.cells.get(&cell.saturating_add(step)) else { continue };
            for &i in &self.order[from as usize..to as usize] {
                let square = self.points[i as usize].distance_squared(p);
                if square < self.reach * self.reach {
                    found(i as usize, square);
                }
            }
        }
    }

    /// How many points are around `p`, and the nearest of them.
    pub(crate) fn count_and_nearest(&self, p: Vec3) -> (usize, Option<usize>) {
        let (mut count, mut nearest) = (0, None);
        self.visit(p, |i, square| {
            count += 1;
            if nearest.is_none_or(|(_, best)| square < best) {
                nearest = Some((i, square));
            }
        });
        (count, nearest.map(|(i, _)| i))
    }

    /// Means of the particles' values around each point, near ones weighted most.
    pub(crate) fn interpolate(&self, at: &[Vec3], values: &[Vec3]) -> Vec<Vec3> {
        at.par_iter()
            .map(|&p| {
                let (mut sum, mut weights) = (Vec3::ZERO, 0.0);
                self.visit(p, |i, square| {
                    let weight = (1.0 - square / (self.reach * self.reach)).powi(3);
                    sum += values[i] * weight;
                    weights += weight;
                });
                if weights > 0.0 { sum / weights } else { Vec3::ZERO }
            })
            .collect()
    }
}

/// Cells are looked for much more often than a careful hash would allow, and nobody chooses them
/// to collide.
#[derive(Default)]
struct CellHasher(u64);

impl Hasher for CellHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_i32(b.into()));
    }

    fn write_i32(&mut self, i: i32) {
        self.0 = (self.0.rotate_left(21) ^ u64::from(i as u32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }
}
