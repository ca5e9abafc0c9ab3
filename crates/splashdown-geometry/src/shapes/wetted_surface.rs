//! The surface that fluid meets, cut into small patches.

use std::collections::HashMap;

use super::MeshShape;
use crate::math::{DVec3, Dimension};
use crate::mesh::{Patch, TriangleMesh, WettedSurface};

/// Patches are no longer than this, in spacings.
const LONGEST: f64 = 0.4;
/// Patches that look the same way are joined in cells of this width, in spacings: surfaces may be
/// far finer. (Pieces of 0.2 joined in cells of 0.3 cost a duck a hundredth of its buoyancy.)
const CELL: f64 = 0.15;

/// The surface of a solid inside of `surface`; none if that is not closed.
pub fn closed_surface_of(
    surface: &TriangleMesh,
    spacing: f64,
    dimension: Dimension,
) -> WettedSurface {
    let Ok(shape) = MeshShape::new(surface.clone()) else { return WettedSurface::default() };
    if !shape.is_closed() {
        return WettedSurface::default();
    }
    let longest = LONGEST * spacing;
    let mut patches = Vec::new();
    match dimension {
        Dimension::Three => patches = patches_of(shape.surface(), longest),
        Dimension::Two => {
            shape.cut_segments().for_each(|ends| divide(ends, longest, &mut patches));
        }
    }
    WettedSurface::closed(joined(patches, CELL * spacing))
}

/// A sheet, with fluid on both sides of it.
pub fn sheet_surface_of(surface: &TriangleMesh, spacing: f64) -> WettedSurface {
    // As a shape its triangles look the same way, as far as that can be.
    let Ok(shape) = MeshShape::new(surface.clone()) else { return WettedSurface::default() };
    let patches = patches_of(shape.surface(), LONGEST * spacing);
    WettedSurface::sheet(joined(patches, CELL * spacing))
}

fn patches_of(mesh: &TriangleMesh, longest: f64) -> Vec<Patch> {
    let mut patches = Vec::new();
    (0..mesh.triangles.len()).for_each(|t| halve(mesh.corners(t), longest, &mut patches));
    patches
}

/// Joins patches of the same cell that look the same way (of six). What flows through them stays
/// the same.
fn joined(patches: Vec<Patch>, cell: f64) -> Vec<Patch> {
    let mut places: HashMap<([i64; 3], usize, bool), usize> = HashMap::new();
    // Middles are sums over areas until the end.
    let mut joined: Vec<(Patch, f64)> = Vec::new();
    for Patch { at, area } in patches {
        let size = area.length();
        let axis = area.abs().max_position();
        let key = ((at / cell).floor().to_array().map(|x| x as i64), axis, area[axis] > 0.0);
        let place = *places.entry(key).or_insert(joined.len());
        match joined.get_mut(place) {
            Some((patch, total)) => {
                patch.at += at * size;
                patch.area += area;
                *total += size;
            }
            None => joined.push((Patch { at: at * size, area }, size)),
        }
    }
    let real = joined.into_iter().filter(|(_, total)| *total > 0.0);
    real.map(|(patch, total)| Patch { at: patch.at / total, ..patch }).collect()
}

/// Halves a triangle at its longest edge until all pieces are small.
fn halve(corners: [DVec3; 3], longest: f64, patches: &mut Vec<Patch>) {
    let mut pieces = vec![corners];
    while let Some([a, b, c]) = pieces.pop() {
        // a-b is the longest edge of the three.
        let [ab, bc, ca] = [a.distance(b), b.distance(c), c.distance(a)];
        let [a, b, c] = match (ab >= bc && ab >= ca, bc >= ca) {
            (true, _) => [a, b, c],
            (false, true) => [b, c, a],
            (false, false) => [c, a, b],
        };
        if ab.max(bc).max(ca) <= longest {
            let area = 0.5 * (b - a).cross(c - a);
            patches.push(Patch { at: (a + b + c) / 3.0, area });
        } else {
            let middle = 0.5 * (a + b);
            pieces.extend([[a, middle, c], [middle, b, c]]);
        }
    }
}

/// Divides a segment, with the solid on its left, into equal parts.
fn divide([a, b]: [DVec3; 2], longest: f64, patches: &mut Vec<Patch>) {
    let parts = ((b - a).length() / longest).ceil().max(1.0);
    let piece = (b - a) / parts;
    let area = DVec3::new(piece.y, -piece.x, 0.0);
    patches.extend((0..parts as usize).map(|k| Patch { at: a + piece * (k as f64 + 0.5), area }));
}
