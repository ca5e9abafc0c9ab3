//! Surfaces cut into the pieces in each cell (Sutherland & Hodgman 1974).
//!
//! Cells are half open: a face that lies between two cells belongs to the upper one, so that each
//! piece is counted once.

use glam::DVec3;
use rayon::prelude::*;

use crate::body::Body;

/// The part of a face of a solid in a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// The cell, counted from the origin of the world.
    pub cell: [i32; 3],
    /// Which solid.
    pub body: u32,
    /// Its normal, out of the solid, with its area as length, in squares of cells.
    pub area: DVec3,
    /// Its middle, in cells from the origin of the world.
    pub at: DVec3,
}

/// The pieces of all faces of a solid, face by face.
pub fn pieces(body: &Body<'_>, number: u32, width: f64) -> Vec<Piece> {
    let Some(outline) = body.outline else { return Vec::new() };
    let of_face = |face: usize| {
        let mut found = Vec::new();
        cut(&outline.corners(face, &body.pose, width), number, &mut found);
        found
    };
    (0..outline.len()).into_par_iter().flat_map_iter(of_face).collect()
}

/// The pieces of a flat convex polygon.
pub fn cut(polygon: &[DVec3], body: u32, found: &mut Vec<Piece>) {
    let (mut slabs, mut rows) = (Vec::new(), Vec::new());
    let (mut slab, mut row, mut piece) = (Vec::new(), Vec::new(), Vec::new());
    let mut spare = Vec::new();
    layers(polygon, 2, &mut slabs);
    for &k in &slabs {
        between(polygon, 2, k, &mut slab, &mut spare);
        layers(&slab, 1, &mut rows);
        for &j in &rows {
            between(&slab, 1, j, &mut row, &mut spare);
            let mut columns = Vec::new();
            layers(&row, 0, &mut columns);
            for i in columns {
                between(&row, 0, i, &mut piece, &mut spare);
                found.extend(measured(&piece, [i, j, k], body));
            }
        }
    }
}

/// The layers of cells along an axis that a polygon passes through.
fn layers(polygon: &[DVec3], axis: usize, layers: &mut Vec<i32>) {
    layers.clear();
    let low = polygon.iter().map(|p| p[axis]).fold(f64::INFINITY, f64::min);
    let high = polygon.iter().map(|p| p[axis]).fold(f64::NEG_INFINITY, f64::max);
    if low.is_finite() && high.is_finite() {
        let first = low.floor() as i32;
        layers.extend(first..=first.max(high.ceil() as i32 - 1));
    }
}

/// The part of a polygon in a layer of cells.
fn between(
    polygon: &[DVec3],
    axis: usize,
    layer: i32,
    part: &mut Vec<DVec3>,
    spare: &mut Vec<DVec3>,
) {
    let low = f64::from(layer);
    half(polygon, axis, low, 1.0, spare);
    half(spare, axis, low + 1.0, -1.0, part);
}

/// The part of a polygon on one side of a plane.
fn half(polygon: &[DVec3], axis: usize, plane: f64, side: f64, part: &mut Vec<DVec3>) {
    part.clear();
    for (k, &b) in polygon.iter().enumerate() {
        let a = polygon[(k + polygon.len() - 1) % polygon.len()];
        let [da, db] = [a, b].map(|p| side * (p[axis] - plane));
        if (da < 0.0 && db > 0.0) || (da > 0.0 && db < 0.0) {
            let mut cross = a + (b - a) * (da / (da - db));
            cross[axis] = plane;
            part.push(cross);
        }
        if db >= 0.0 {
            part.push(b);
        }
    }
}

/// Area and middle of a polygon, if it has any.
fn measured(polygon: &[DVec3], cell: [i32; 3], body: u32) -> Option<Piece> {
    let &first = polygon.first()?;
    let (mut area, mut moment, mut total) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    for pair in polygon.windows(2).skip(1) {
        let part = 0.5 * (pair[0] - first).cross(pair[1] - first);
        let size = part.length();
        area += part;
        moment += size * (first + pair[0] + pair[1]) / 3.0;
        total += size;
    }
    (total > 0.0).then(|| Piece { cell, body, area, at: moment / total })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(polygon: &[DVec3]) -> Vec<Piece> {
        let mut found = Vec::new();
        cut(polygon, 0, &mut found);
        found
    }

    #[test]
    fn pieces_add_up_to_the_triangle() {
        let corners =
            [DVec3::new(0.3, -1.2, 2.7), DVec3::new(4.1, 0.0, 3.0), DVec3::new(-2.0, 3.3, -1.1)];
        let found = all(&corners);
        let sum: DVec3 = found.iter().map(|piece| piece.area).sum();
        let whole = 0.5 * (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        assert!(sum.distance(whole) < 1e-13, "{sum} {whole}");
        let middle: DVec3 = found.iter().map(|piece| piece.at * piece.area.length()).sum();
        let expected = (corners[0] + corners[1] + corners[2]) / 3.0;
        assert!((middle / whole.length()).distance(expected) < 1e-13);
        for piece in &found {
            let cell = DVec3::from_array(piece.cell.map(f64::from));
            assert!((piece.at - cell - 0.5).abs().max_element() <= 0.5 + 1e-12, "{piece:?}");
        }
    }

    #[test]
    fn a_triangle_between_two_cells_belongs_to_the_upper_one() {
        let corners =
            [DVec3::new(0.2, 1.0, 0.2), DVec3::new(0.4, 1.0, 0.8), DVec3::new(0.8, 1.0, 0.2)];
        let found = all(&corners);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].cell, [0, 1, 0]);
        // Corners on corners of cells, and edges along theirs.
        let corners = [DVec3::ZERO, DVec3::new(2.0, 0.0, 0.0), DVec3::new(0.0, 2.0, 0.0)];
        let found = all(&corners);
        assert_eq!(found.len(), 3, "{found:?}");
        let area: f64 = found.iter().map(|piece| piece.area.z).sum();
        assert!((area - 2.0).abs() < 1e-15);
    }
}
