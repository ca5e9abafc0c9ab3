//! Pressure: velocities on faces without divergence in any cell with liquid.
//!
//! With the open areas A of its faces and the pieces a of solids that move with v in a cell,
//!
//!   D = Σ ±A u − Σ a · v,   u ← u − β (p⁺ − p⁻) / θ,   Σ ±A u = Σ a · v afterwards     (GR1)
//!
//! (Ng et al. 2009). Here p is in m/s: the pressure times Δt over the density of reference and the
//! width of a cell. Solids take −p a, with p at the middle of each piece.

use glam::DVec3;
use rayon::prelude::*;

use crate::lattice::{Lattice, NONE};
use crate::level_set::surface_between;
use crate::poisson::System;
use crate::transfer::Faces;
use crate::walls::Walls;

/// A pressure in each unknown, with its gradient.
#[derive(Clone, Debug, Default)]
pub struct Pressure {
    /// m/s, one for each unknown.
    pub value: Vec<f64>,
    /// Per cell.
    pub slope: Vec<DVec3>,
}

/// D of each unknown; `velocity` is that of the solid of a piece.
pub fn divergence(
    lattice: &Lattice,
    walls: &Walls,
    system: &System,
    u: &Faces,
    velocity: impl Fn(usize) -> DVec3,
) -> Vec<f64> {
    let strides = lattice.strides();
    let of_faces = |&cell: &u32| {
        let cell = cell as usize;
        let flow = |axis: usize| {
            let upper = cell + strides[axis];
            walls.open(axis, upper) * u[axis][upper] - walls.open(axis, cell) * u[axis][cell]
        };
        (0..lattice.axes()).map(flow).sum()
    };
    let mut found: Vec<f64> = system.cells.par_iter().map(of_faces).collect();
    for (k, (&cell, piece)) in walls.cells.iter().zip(&walls.pieces).enumerate() {
        let n = system.number[cell];
        if n != NONE {
            found[n as usize] -= piece.area.dot(velocity(k));
        }
    }
    found
}

/// (p⁺ − p⁻) / θ at a face, if it is open and there is liquid on one of its sides.
#[inline]
fn difference(
    (walls, system, phi): (&Walls, &System, &[f64]),
    value: &[f64],
    axis: usize,
    (lower, face): (usize, usize),
) -> Option<f64> {
    let [below, above] = [lower, face].map(|cell| system.number[cell]);
    if (below == NONE && above == NONE) || walls.open(axis, face) <= 0.0 {
        return None;
    }
    let of = |n: u32| value.get(n as usize).copied().unwrap_or(0.0);
    let theta = match (below == NONE, above == NONE) {
        (true, _) => surface_between(phi[face], phi[lower]),
        (_, true) => surface_between(phi[lower], phi[face]),
        _ => 1.0,
    };
    Some((of(above) - of(below)) / theta)
}

/// (GR1): takes β (p⁺ − p⁻) / θ from velocities on the faces of an axis, and says which have it.
pub fn subtract(
    lattice: &Lattice,
    parts: (&Walls, &System, &[f64]),
    value: &[f64],
    axis: usize,
    beta: impl Fn(usize, usize) -> f64 + Sync,
    u: &mut [f64],
) -> Vec<bool> {
    let stride = lattice.strides()[axis];
    let of_face = |(face, u): (usize, &mut f64)| {
        let Some(lower) = face.checked_sub(stride) else { return false };
        match difference(parts, value, axis, (lower, face)) {
            Some(slope) => {
                *u -= beta(axis, face) * slope;
                true
            }
            None => false,
        }
    };
    u.par_iter_mut().enumerate().with_min_len(4096).map(of_face).collect()
}

impl Pressure {
    /// With the gradient that acts on both faces of each cell, or on the one that is open.
    pub fn new(lattice: &Lattice, parts: (&Walls, &System, &[f64]), value: Vec<f64>) -> Pressure {
        let strides = lattice.strides();
        let of_cell = |&cell: &u32| {
            let cell = cell as usize;
            let mut slope = DVec3::ZERO;
            for (axis, stride) in strides.into_iter().enumerate().take(lattice.axes()) {
                let lower = difference(parts, &value, axis, (cell - stride, cell));
                let upper = difference(parts, &value, axis, (cell, cell + stride));
                slope[axis] = match (lower, upper) {
                    (Some(a), Some(b)) => 0.5 * (a + b),
                    (Some(one), None) | (None, Some(one)) => one,
                    (None, None) => 0.0,
                };
            }
            slope
        };
        let slope = parts.1.cells.par_iter().map(of_cell).collect();
        Pressure { value, slope }
    }

    /// At a point in the cell of unknown `n`.
    #[inline]
    pub fn near(&self, lattice: &Lattice, system: &System, n: u32, at: DVec3) -> f64 {
        let n = n as usize;
        let way = at - lattice.centre(system.cells[n] as usize);
        self.value[n] + self.slope[n].dot(way)
    }
}
