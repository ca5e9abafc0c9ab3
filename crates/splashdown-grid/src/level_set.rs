//! Where liquid ends: a signed distance, negative inside, at the middles of cells.
//!
//! Outside of the liquid the distance d to the nearest particle tells the height above it. Above a
//! lattice of spacing h, whose surface lies half a spacing above its outermost particles, and whose
//! nearest particle is l to the side, that height is
//!
//!   φ = √(d² − ⟨l²⟩) − h/2,   ⟨l²⟩ = (D − 1) h²/12                                    (GL1)
//!
//! with the mean over all places above the lattice in D dimensions. Nearer than `SEED` particles
//! say little: gaps between them are no surface. From the cells beyond, φ is continued into the
//! liquid by |∇φ| = 1 (Sethian 1996), exactly so where the surface is flat, and from liquid into
//! solids along its gradient.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;
use rayon::prelude::*;

use crate::lattice::Lattice;
use crate::records::Records;
use crate::walls::Walls;

/// A cell farther than this from all particles is outside of the liquid, in cells.
const SEED: f64 = 0.75;
/// Distances are not told beyond this, in cells.
pub const DEEPEST: f64 = 3.0;

/// Signed distances to the surface of the liquid, in cells.
pub fn level_set(lattice: &Lattice, records: &Records, walls: &Walls, spacing: f64) -> Vec<f64> {
    let is_solid: Vec<bool> =
        (0..lattice.len()).into_par_iter().map(|cell| walls.of_cell(lattice, cell) < 0.0).collect();
    let mut phi = seeds(lattice, records, spacing);
    march(lattice, &is_solid, &mut phi);
    continue_into_solids(lattice, &is_solid, &mut phi);
    phi
}

/// (GL1) outside of the liquid; −`DEEPEST` elsewhere.
fn seeds(lattice: &Lattice, records: &Records, spacing: f64) -> Vec<f64> {
    let sideways = (lattice.axes() as f64 - 1.0) * spacing * spacing / 12.0;
    let around = lattice.around_cell();
    let is_near = near_particles(lattice, records);
    let of_cell = |cell: usize| {
        if !is_near[cell] {
            return DEEPEST;
        }
        let near = around.iter().map(|step| cell.wrapping_add_signed(*step));
        if near.clone().all(|cell| !records.is_empty(cell)) {
            return -DEEPEST;
        }
        let distance = nearest(lattice, records, cell);
        match distance {
            d if d < SEED => -DEEPEST,
            d if d < DEEPEST => (d * d - sideways).sqrt() - 0.5 * spacing,
            _ => DEEPEST,
        }
    };
    (0..lattice.len()).into_par_iter().map(of_cell).collect()
}

/// Which cells have a particle in the two rings of cells around them, or in them.
fn near_particles(lattice: &Lattice, records: &Records) -> Vec<bool> {
    let mut is_near: Vec<bool> =
        (0..lattice.len()).into_par_iter().map(|cell| !records.is_empty(cell)).collect();
    // The margin of the box is empty: nothing wraps around.
    for stride in lattice.strides().into_iter().take(lattice.axes()) {
        let own = is_near.clone();
        let range = 2 * stride..lattice.len() - 2 * stride;
        is_near[range.clone()].par_iter_mut().zip(range).for_each(|(near, cell)| {
            *near = (cell - 2 * stride..=cell + 2 * stride).step_by(stride).any(|c| own[c]);
        });
    }
    is_near
}

/// How far the nearest particle of this and its neighbours' neighbours is from the middle of a
/// cell.
fn nearest(lattice: &Lattice, records: &Records, cell: usize) -> f64 {
    let centre = lattice.centre(cell);
    let place = lattice.place(cell);
    let mut least = f64::INFINITY;
    for ring in 0..=2usize {
        // Those of the next ring are no nearer than this.
        if least <= (ring as f64 - 0.5).max(0.0).powi(2) {
            break;
        }
        let range = |axis: usize| {
            if axis >= lattice.axes() {
                return 0..1;
            }
            place[axis].saturating_sub(ring)..(place[axis] + ring + 1).min(lattice.size[axis])
        };
        for k in range(2) {
            for j in range(1) {
                for i in range(0) {
                    let far = [i, j, k].iter().zip(place).map(|(a, b)| a.abs_diff(b)).max();
                    if far != Some(ring) {
                        continue;
                    }
                    for record in records.of_cell(lattice.index([i, j, k])) {
                        least = least.min(record.at.distance_squared(centre));
                    }
                }
            }
        }
    }
    least.sqrt()
}

/// A cell whose distance is known, the shallowest first.
#[derive(PartialEq)]
struct Front {
    phi: f64,
    cell: usize,
}

impl Eq for Front {}

impl Ord for Front {
    fn cmp(&self, other: &Front) -> Ordering {
        self.phi.total_cmp(&other.phi).then(other.cell.cmp(&self.cell))
    }
}

impl PartialOrd for Front {
    fn partial_cmp(&self, other: &Front) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Continues φ from the seeds into cells that have none, by |∇φ| = 1.
fn march(lattice: &Lattice, is_solid: &[bool], phi: &mut [f64]) {
    let strides = lattice.strides();
    let is_open = |cell: usize| !is_solid[cell];
    let wanted: Vec<bool> = phi.iter().map(|&phi| phi <= -DEEPEST).collect();
    let mut is_known: Vec<bool> =
        (0..phi.len()).map(|cell| !wanted[cell] && is_open(cell)).collect();
    let neighbours = |cell: usize| {
        let axes = strides.into_iter().take(lattice.axes());
        axes.flat_map(move |stride| [cell - stride, cell + stride])
    };
    let upwind = |cell: usize, phi: &[f64], is_known: &[bool]| {
        let mut highest = [f64::NEG_INFINITY; 3];
        for (axis, stride) in strides.into_iter().enumerate().take(lattice.axes()) {
            for near in [cell - stride, cell + stride] {
                if is_known[near] {
                    highest[axis] = highest[axis].max(phi[near]);
                }
            }
        }
        below(highest)
    };
    let mut heap = BinaryHeap::new();
    for cell in (0..phi.len()).filter(|&cell| wanted[cell] && is_open(cell)) {
        if neighbours(cell).any(|near| is_known[near]) {
            heap.push(Front { phi: upwind(cell, phi, &is_known), cell });
        }
    }
    while let Some(Front { phi: found, cell }) = heap.pop() {
        if is_known[cell] {
            continue;
        }
        if found <= -DEEPEST {
            break;
        }
        (phi[cell], is_known[cell]) = (found, true);
        for near in neighbours(cell) {
            if wanted[near] && is_open(near) && !is_known[near] {
                heap.push(Front { phi: upwind(near, phi, &is_known), cell: near });
            }
        }
    }
}

/// The φ for which Σ (φₐ − φ)² = 1 over the axes whose neighbour is above it.
fn below(mut highest: [f64; 3]) -> f64 {
    highest.sort_by(|a, b| b.total_cmp(a));
    let mut phi = highest[0] - 1.0;
    for count in 2..=3 {
        if highest[count - 1] <= phi {
            break;
        }
        let n = count as f64;
        let sum: f64 = highest[..count].iter().sum();
        let squares: f64 = highest[..count].iter().map(|x| x * x).sum();
        let root = (sum * sum - n * (squares - 1.0)).max(0.0).sqrt();
        phi = (sum - root) / n;
    }
    phi
}

/// Continues φ along its gradient into cells whose middle lies in a solid.
fn continue_into_solids(lattice: &Lattice, is_solid: &[bool], phi: &mut [f64]) {
    let strides = lattice.strides();
    let around = lattice.around_cell();
    let is_open = |cell: usize| !is_solid[cell];
    let slope = |cell: usize| {
        let mut slope = DVec3::ZERO;
        for (axis, stride) in strides.into_iter().enumerate().take(lattice.axes()) {
            let (before, after) = (cell - stride, cell + stride);
            slope[axis] = match (is_open(before), is_open(after)) {
                (true, true) => 0.5 * (phi[after] - phi[before]),
                (true, false) => phi[cell] - phi[before],
                (false, true) => phi[after] - phi[cell],
                (false, false) => 0.0,
            };
        }
        slope
    };
    let continued = |cell: usize| {
        let place = lattice.place(cell);
        let margin = |axis: usize| place[axis] >= 2 && place[axis] + 2 < lattice.size[axis];
        if is_open(cell) || !(0..lattice.axes()).all(margin) {
            return None;
        }
        let (mut sum, mut count) = (0.0, 0.0);
        for &step in &around {
            let near = cell.wrapping_add_signed(step);
            if is_open(near) && phi[near].abs() < DEEPEST {
                let way = lattice.centre(cell) - lattice.centre(near);
                let weight = 1.0 / way.length_squared();
                sum += weight * (phi[near] + slope(near).clamp_length_max(1.0).dot(way));
                count += weight;
            }
        }
        if count > 0.0 {
            return Some((cell, sum / count));
        }
        // Deep in liquid, or far from it.
        let mut near = around.iter().map(|step| cell.wrapping_add_signed(*step));
        let open = near.find(|&near| is_open(near));
        Some((cell, open.map_or(DEEPEST, |near| phi[near])))
    };
    let found: Vec<_> = (0..phi.len()).into_par_iter().filter_map(continued).collect();
    found.into_iter().for_each(|(cell, value)| phi[cell] = value);
}

/// Share of the way from a cell in the liquid to one outside of it at which the surface lies.
#[inline]
pub fn surface_between(inside: f64, outside: f64) -> f64 {
    (inside / (inside - outside)).clamp(0.01, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::Particles;
    use glam::DVec3;
    use splashdown_geometry::math::{Aabb, Dimension};

    /// Where the surface of a lattice of particles lies, over where it should, in cells; with
    /// disorder of so many spacings.
    fn error(shift: DVec3, disorder: f64, dimension: Dimension) -> f64 {
        let h = 0.5;
        let mut random = splashdown_solve::differences::Random::new(5);
        let mut positions = Vec::new();
        let depth = if dimension == Dimension::Two { 1 } else { 24 };
        for k in 0..depth {
            for j in 0..24 {
                for i in 0..24 {
                    let at = DVec3::new(f64::from(i), f64::from(j), f64::from(k)) + 0.5;
                    let moved = if j == 23 { 0.0 } else { disorder };
                    let x = h * (at + moved * random.vector()) + shift;
                    positions.push(dimension.flatten(x));
                }
            }
        }
        let bounds = Aabb::around(positions.iter().copied());
        let lattice = Lattice::around(bounds, 1.0, 4, dimension, 1e7).unwrap();
        let density = vec![1.0; positions.len()];
        let velocity = vec![DVec3::ZERO; positions.len()];
        let particles =
            Particles { position: &positions, velocity: &velocity, affine: &[], density: &density };
        let records = Records::new(&lattice, &particles, 1.0);
        let phi = level_set(&lattice, &records, &Walls::none(&lattice), h);
        let surface = 12.0 + shift.y - f64::from(lattice.low[1]);
        let stride = lattice.strides()[1];
        let mut errors = Vec::new();
        for i in 4..8 {
            for k in if depth == 1 { 0..1 } else { 4..8 } {
                let cell = [i - lattice.low[0], 3 - lattice.low[1], k - lattice.low[2]];
                let cell = if depth == 1 { [cell[0], cell[1], 0] } else { cell };
                let mut at = lattice.index(cell.map(|n| n as usize));
                while phi[at + stride] < 0.0 {
                    at += stride;
                }
                let share = surface_between(phi[at], phi[at + stride]);
                errors.push(lattice.centre(at).y + share - surface);
            }
        }
        errors.iter().sum::<f64>() / errors.len() as f64
    }

    #[test]
    fn the_level_of_still_water_is_right_within_a_tenth_of_a_cell() {
        for dimension in [Dimension::Two, Dimension::Three] {
            let mut worst: f64 = 0.0;
            for k in 0..20 {
                let t = f64::from(k);
                let shift = DVec3::new(0.5 * (1.7 * t).sin(), 0.05 * t, 0.5 * (2.9 * t).cos());
                let found = error(shift, 0.0, dimension);
                worst = worst.max(found.abs());
                let found = error(shift, 0.2, dimension);
                worst = worst.max(found.abs());
            }
            assert!(worst < 0.1, "{dimension:?}: {worst}");
        }
    }
}
