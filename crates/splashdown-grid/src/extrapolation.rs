//! Velocities beyond the liquid: those of the nearest faces that have one, layer by layer, and
//! along solids where these are.

use glam::DVec3;
use rayon::prelude::*;

use crate::lattice::{Lattice, Nodes};
use crate::transfer::Faces;
use crate::walls::Walls;

/// Faces deeper in solids than this are left alone, in cells.
const DEEPEST: f64 = 2.5;

/// Gives faces without a velocity, up to `layers` from those with one, the mean of their
/// neighbours'.
pub fn extend(lattice: &Lattice, u: &mut [f64], is_known: &mut [bool], layers: usize) {
    let strides = lattice.strides();
    // Beyond these, neighbours are not in the box; what is known never reaches its sides.
    let edge = strides[lattice.axes() - 1];
    let inner = edge..u.len() - edge;
    for _ in 0..layers {
        let mean = |face: usize| {
            if is_known[face] {
                return None;
            }
            let (mut sum, mut count) = (0.0, 0u32);
            for stride in strides.into_iter().take(lattice.axes()) {
                for near in [face - stride, face + stride] {
                    if is_known[near] {
                        sum += u[near];
                        count += 1;
                    }
                }
            }
            (count > 0).then(|| (face, sum / f64::from(count)))
        };
        let found: Vec<(usize, f64)> =
            inner.clone().into_par_iter().with_min_len(4096).filter_map(mean).collect();
        if found.is_empty() {
            break;
        }
        for (face, value) in found {
            (u[face], is_known[face]) = (value, true);
        }
    }
}

/// Lets velocities on faces that solids close go along the solids, which move with `velocity` at a
/// point, in cells from the corner of the box. Only faces whose velocity `is_known` count.
pub fn slide(
    lattice: &Lattice,
    walls: &Walls,
    is_known: &[Vec<bool>],
    u: &mut Faces,
    velocity: impl Fn(u32, DVec3) -> DVec3 + Sync,
) {
    let strides = lattice.strides();
    let axes = lattice.axes();
    let corrected = |axis: usize, face: usize| {
        if !is_known[axis][face] || walls.open(axis, face) > 0.0 {
            return None;
        }
        let (distance, slope, owner) = walls.of_face(lattice, axis, face);
        let normal = slope.try_normalize()?;
        if distance < -DEEPEST {
            return None;
        }
        let mut here = DVec3::ZERO;
        for other in 0..axes {
            here[other] = match other == axis {
                true => u[axis][face],
                false => {
                    let (below, up) = (face - strides[axis], strides[other]);
                    let four = [face, face + up, below, below + up];
                    0.25 * four.iter().map(|&f| u[other][f]).sum::<f64>()
                }
            };
        }
        let place = DVec3::from_array(lattice.place(face).map(|n| n as f64));
        let at = place + lattice.offset(Nodes::Faces(axis));
        let into = normal.dot(here - velocity(owner, at));
        Some((face, u[axis][face] - into * normal[axis]))
    };
    let found: Vec<Vec<(usize, f64)>> = (0..axes)
        .map(|axis| {
            let faces = (0..lattice.len()).into_par_iter().with_min_len(4096);
            faces.filter_map(|face| corrected(axis, face)).collect()
        })
        .collect();
    for (u, found) in u.iter_mut().zip(found) {
        found.into_iter().for_each(|(face, value)| u[face] = value);
    }
}
