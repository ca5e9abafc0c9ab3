//! Marching cubes (Lorensen & Cline 1987) over the blocks of a sparse grid.
//!
//! The table of cases is made here: on each face of a cell, corners inside are kept apart from each
//! other, which leaves one rule for the two cells that share a face, so that surfaces are closed;
//! loops of crossed edges are cut into triangles by diagonals that do not lie in a face, so that no
//! edge of the surface has more than two triangles.

use glam::{DVec3, IVec3};
use rayon::prelude::*;

/// Cells of a block each way.
pub(crate) const BLOCK: i32 = 16;
/// Grid points of a block each way: neighbours share those on their faces.
pub(crate) const POINTS: usize = BLOCK as usize + 1;

/// A closed surface in units of cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Marched {
    /// Where edges of the grid cross the surface, in the order of those edges.
    pub vertices: Vec<DVec3>,
    /// Counter-clockwise seen from where values are low.
    pub triangles: Vec<[u32; 3]>,
}

/// An edge of the grid: z, y and x of its lower end, and its axis.
type Edge = [i32; 4];

/// The part of the surface in one block.
#[derive(Default)]
struct Patch {
    vertices: Vec<(Edge, DVec3)>,
    triangles: Vec<[u32; 3]>,
}

/// The surface between values of at least `level` and lower ones. `fill` writes the values at the
/// grid points of a block, x first, and must give shared points the same values in all blocks that
/// have them; beyond `blocks` values are low.
pub(crate) fn march(
    blocks: &[IVec3],
    level: f32,
    fill: impl Fn(usize, &mut [f32]) + Sync,
) -> Marched {
    let cases = Cases::new();
    let room = || (vec![0.0f32; POINTS * POINTS * POINTS], vec![u32::MAX; 3 * POINTS.pow(3)]);
    let patches: Vec<Patch> = (0..blocks.len())
        .into_par_iter()
        .map_init(room, |(values, numbers), k| {
            fill(k, values);
            patch(blocks[k] * BLOCK, level, values, numbers, &cases)
        })
        .collect();
    let mut vertices: Vec<(Edge, DVec3)> =
        patches.iter().flat_map(|patch| patch.vertices.iter().copied()).collect();
    vertices.par_sort_unstable_by_key(|(edge, _)| *edge);
    vertices.dedup_by_key(|(edge, _)| *edge);
    let number = |(edge, _): &(Edge, DVec3)| {
        vertices.partition_point(|(other, _)| other < edge) as u32 // it is there
    };
    let triangles: Vec<Vec<[u32; 3]>> = patches
        .par_iter()
        .map(|patch| {
            let global: Vec<u32> = patch.vertices.iter().map(number).collect();
            patch.triangles.iter().map(|t| t.map(|v| global[v as usize])).collect()
        })
        .collect();
    Marched {
        vertices: vertices.into_iter().map(|(_, at)| at).collect(),
        triangles: triangles.concat(),
    }
}

/// Triangles of a block whose first grid point is `base`; `numbers` is room for the vertices of its
/// edges.
fn patch(base: IVec3, level: f32, values: &[f32], numbers: &mut [u32], cases: &Cases) -> Patch {
    let mut patch = Patch::default();
    let index = |p: IVec3| (p.z as usize * POINTS + p.y as usize) * POINTS + p.x as usize;
    let offset: [usize; 8] = std::array::from_fn(|corner| index(of_corner(corner)));
    let is_crossed =
        values.iter().any(|&v| v >= level) && values.iter().any(|&v| v < level || v.is_nan());
    if !is_crossed {
        return patch;
    }
    numbers.fill(u32::MAX);
    for z in 0..BLOCK {
        for y in 0..BLOCK {
            for x in 0..BLOCK {
                let at = IVec3::new(x, y, z);
                let first = index(at);
                let mask = (0..8).fold(0, |mask, corner| {
                    mask | usize::from(values[first + offset[corner]] >= level) << corner
                });
                for triangle in &cases.triangles[mask] {
                    patch.triangles.push(triangle.map(|(corner, axis)| {
                        let lower = first + offset[corner];
                        let number = &mut numbers[3 * lower + axis];
                        if *number == u32::MAX {
                            *number = patch.vertices.len() as u32;
                            let upper = lower + offset[1 << axis];
                            let (a, b) = (values[lower], values[upper]);
                            let place = base + at + of_corner(corner);
                            patch.vertices.push(crossing(place, axis, (level - a) / (b - a)));
                        }
                        *number
                    }));
                }
            }
        }
    }
    patch
}

/// The vertex on an edge, kept away from its ends, where triangles would lose their area.
fn crossing(lower: IVec3, axis: usize, share: f32) -> (Edge, DVec3) {
    let mut at = lower.as_dvec3();
    at[axis] += f64::from(share.clamp(0.02, 0.98));
    ([lower.z, lower.y, lower.x, axis as i32], at)
}

/// Corners are numbered by bits: x, y, z.
fn of_corner(corner: usize) -> IVec3 {
    IVec3::new((corner & 1) as i32, (corner >> 1 & 1) as i32, (corner >> 2) as i32)
}

/// An edge of a cell: its lower corner and its axis.
type CellEdge = (usize, usize);

/// Triangles between the edges of a cell, for every set of corners inside.
struct Cases {
    triangles: Vec<Vec<[CellEdge; 3]>>,
}

impl Cases {
    fn new() -> Cases {
        let faces = faces();
        let triangles = (0..256)
            .map(|mask| {
                let mut triangles = Vec::new();
                for ring in rings(mask, &faces) {
                    // A ring that could not be cut would leave a hole, which tests look for.
                    triangles.extend(cut(&ring).unwrap_or_default());
                }
                triangles
            })
            .collect();
        Cases { triangles }
    }
}

/// Corners of the faces of a cell, counter-clockwise seen from outside.
fn faces() -> Vec<[usize; 4]> {
    let mut faces = Vec::new();
    for axis in 0..3 {
        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        faces.push([v, u | v, u, 0]);
        faces.push([0, u, u | v, v].map(|corner| corner | 1 << axis));
    }
    faces
}

fn edge_between(a: usize, b: usize) -> CellEdge {
    (a.min(b), (a ^ b).trailing_zeros() as usize)
}

/// Loops of crossed edges: on every face, from where a run of corners inside starts to where it
/// ends.
fn rings(mask: usize, faces: &[[usize; 4]]) -> Vec<Vec<CellEdge>> {
    let is_inside = |corner: usize| mask >> corner & 1 == 1;
    let mut next: Vec<(CellEdge, CellEdge)> = Vec::new();
    for face in faces {
        for k in 0..4 {
            let (last, beyond) = (face[k], face[(k + 1) % 4]);
            if is_inside(last) && !is_inside(beyond) {
                let mut first = k + 4;
                while is_inside(face[(first - 1) % 4]) {
                    first -= 1;
                }
                let entry = edge_between(face[(first - 1) % 4], face[first % 4]);
                next.push((entry, edge_between(last, beyond)));
            }
        }
    }
    let mut rings = Vec::new();
    while let Some(&(start, _)) = next.first() {
        let mut ring = vec![start];
        let mut at = start;
        while let Some(k) = next.iter().position(|(from, _)| *from == at) {
            at = next.remove(k).1;
            ring.push(at);
        }
        ring.pop(); // the start again
        rings.push(ring);
    }
    rings
}

/// Cuts a loop into triangles without a diagonal in a face of the cell.
fn cut(ring: &[CellEdge]) -> Option<Vec<[CellEdge; 3]>> {
    let n = ring.len();
    if n < 3 {
        return Some(Vec::new());
    }
    for k in 1..n - 1 {
        let allowed = (k == 1 || !share_a_face(ring[0], ring[k]))
            && (k == n - 2 || !share_a_face(ring[k], ring[n - 1]));
        if allowed && let (Some(left), Some(right)) = (cut(&ring[..=k]), cut(&ring[k..])) {
            return Some([left, vec![[ring[0], ring[k], ring[n - 1]]], right].concat());
        }
    }
    None
}

fn share_a_face(a: CellEdge, b: CellEdge) -> bool {
    let side = |(corner, axis): CellEdge, k: usize| (k != axis).then_some(corner >> k & 1);
    (0..3).any(|k| side(a, k).is_some() && side(a, k) == side(b, k))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A surface through random values, with every case in it, in eight blocks.
    fn noise() -> Marched {
        let blocks: Vec<IVec3> = (0..8).map(|k| of_corner(k) - 1).collect();
        march(&blocks, 0.5, |k, values| {
            let base = blocks[k] * BLOCK;
            for (i, value) in values.iter_mut().enumerate() {
                let n = POINTS;
                let p = base + IVec3::new((i % n) as i32, (i / n % n) as i32, (i / n / n) as i32);
                let is_border = (p.abs().max_element()) == BLOCK;
                let seed = (p.x + 31 * p.y + 977 * p.z) as u32;
                let mut hash = seed.wrapping_mul(0x9e37_79b9);
                hash = (hash ^ hash >> 15).wrapping_mul(0x85eb_ca6b);
                *value = if is_border { 0.0 } else { (hash >> 8) as f32 / (1 << 24) as f32 };
            }
        })
    }

    #[test]
    fn any_values_give_a_closed_surface_without_edges_of_three_triangles() {
        let mesh = noise();
        let mut uses: BTreeMap<[u32; 2], [i32; 2]> = BTreeMap::new();
        for &[a, b, c] in &mesh.triangles {
            for [v, w] in [[a, b], [b, c], [c, a]] {
                uses.entry([v.min(w), v.max(w)]).or_default()[usize::from(v < w)] += 1;
            }
        }
        assert!(mesh.triangles.len() > 50_000);
        assert!(uses.values().all(|&n| n == [1, 1]), "every edge once each way");
    }

    #[test]
    fn all_loops_of_all_cases_are_cut() {
        let faces = faces();
        for mask in 0..256 {
            for ring in rings(mask, &faces) {
                let triangles = cut(&ring).unwrap();
                assert_eq!(triangles.len(), ring.len() - 2, "{mask}");
            }
        }
    }

    #[test]
    fn a_ball_has_its_volume_and_looks_outward() {
        let blocks: Vec<IVec3> = (0..8).map(|k| of_corner(k) - 1).collect();
        let mesh = march(&blocks, 0.0, |k, values| {
            for (i, value) in values.iter_mut().enumerate() {
                let p = blocks[k] * BLOCK
                    + IVec3::new(
                        (i % POINTS) as i32,
                        (i / POINTS % POINTS) as i32,
                        (i / POINTS / POINTS) as i32,
                    );
                *value = 12.0 - p.as_vec3().length();
            }
        });
        let corners = mesh.triangles.iter().map(|t| t.map(|v| mesh.vertices[v as usize]));
        let volume: f64 = corners.map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum();
        let exact = 4.0 / 3.0 * std::f64::consts::PI * 12.0f64.powi(3);
        assert!((volume / exact - 1.0).abs() < 0.01, "{}", volume / exact);
    }
}
