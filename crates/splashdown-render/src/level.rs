//! How much liquid is around a point: a smooth function of the particles, one inside and zero far
//! away.
//!
//! φ(x) = Σⱼ Vⱼ W(x − xⱼ) with the cubic spline W of two spacings, scaled to one at zero, and
//! Vⱼ = 1 / Σₖ W(xⱼ − xₖ): particles at a surface stand for more volume than those around them
//! (Löschner et al. 2023). Where φ = 0.6, a lone particle has a radius of 0.62 spacings, and so its
//! own volume.

use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;

use crate::marching::{self, BLOCK, Marched, POINTS};
use crate::near::Near;

/// φ on the surface.
const LEVEL: f32 = 0.6;
/// Cells per spacing.
const CELLS: f64 = 2.0;
/// Reach of a particle, in cells.
const REACH: f32 = 2.0 * CELLS as f32;
/// Particles lie at multiples of this part of a cell, so that their distances to grid points are
/// exact in single precision, and the same in all blocks.
const PARTS: f64 = 65536.0;
/// Farther away than this many cells, particles are left out.
const FAR: f64 = 1e8;

/// The surface φ = 0.6 of particles given in metres.
pub(crate) fn surface(points: &[Vec3], spacing: f64, near: &Near) -> Marched {
    let cell = spacing / CELLS;
    let places: Vec<DVec3> =
        points.iter().map(|p| (p.as_dvec3() / cell * PARTS).round() / PARTS).collect();
    let volumes = volumes(points, spacing, near);
    let mut members: Vec<([i32; 3], u32)> = (0..points.len())
        .into_par_iter()
        .filter(|&i| places[i].abs().max_element() < FAR)
        .flat_map_iter(|i| touched(places[i]).map(move |block| (block, i as u32)))
        .collect();
    members.par_sort_unstable();
    let parts: Vec<&[([i32; 3], u32)]> = members.chunk_by(|a, b| a.0 == b.0).collect();
    let blocks: Vec<IVec3> = parts.iter().map(|part| part[0].0.into()).collect();
    let mut mesh = marching::march(&blocks, LEVEL, |k, values| {
        values.fill(0.0);
        let base = (blocks[k] * BLOCK).as_dvec3();
        for &(_, i) in parts[k] {
            add((places[i as usize] - base).as_vec3(), volumes[i as usize], values);
        }
    });
    mesh.vertices.iter_mut().for_each(|v| *v *= cell);
    mesh
}

fn volumes(points: &[Vec3], spacing: f64, near: &Near) -> Vec<f32> {
    let reach = 2.0 * spacing as f32;
    let sum = |p: Vec3| {
        let mut sum = 0.0;
        near.visit(p, |_, square| sum += spline(square.sqrt() / reach));
        sum
    };
    points.par_iter().map(|&p| 1.0 / sum(p).max(1.0)).collect()
}

/// W, where it ends at q = 1.
fn spline(q: f32) -> f32 {
    let (a, b) = ((1.0 - q).max(0.0), (0.5 - q).max(0.0));
    2.0 * a * a * a - 8.0 * b * b * b
}

/// Blocks with grid points that a particle reaches.
fn touched(p: DVec3) -> impl Iterator<Item = [i32; 3]> {
    let (reach, block) = (f64::from(REACH), f64::from(BLOCK));
    let low = ((p - reach) / block).ceil().as_ivec3() - 1;
    let size = ((p + reach) / block).floor().as_ivec3() - low + 1;
    (0..size.element_product()).map(move |k| {
        (low + IVec3::new(k % size.x, k / size.x % size.y, k / size.x / size.y)).to_array()
    })
}

/// Adds a particle to the grid points around it.
fn add(p: Vec3, volume: f32, values: &mut [f32]) {
    let last = (POINTS - 1) as f32;
    let range = |x: f32| {
        (x - REACH).ceil().max(0.0) as usize..((x + REACH).floor().min(last) + 1.0) as usize
    };
    for z in range(p.z) {
        for y in range(p.y) {
            let side = (z as f32 - p.z).powi(2) + (y as f32 - p.y).powi(2);
            let half = (REACH * REACH - side).max(0.0).sqrt();
            let from = (p.x - half).ceil().max(0.0) as usize;
            let to = ((p.x + half).floor().min(last) + 1.0).max(0.0) as usize;
            let row = (z * POINTS + y) * POINTS;
            for x in from..to {
                let square = side + (x as f32 - p.x).powi(2);
                values[row + x] += volume * spline(square.sqrt() / REACH);
            }
        }
    }
}
