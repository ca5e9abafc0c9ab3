//! Whether surfaces intersect or elements are inverted: a check that shares nothing with what
//! prevents it.

use glam::DVec3;
use rayon::prelude::*;

use crate::bvh::{Bounds, Bvh};
use crate::candidates::{candidates, gather};
use crate::contact::Pair;
use crate::element::Element;
use crate::meshing::volume;
use crate::solids::Solids;

/// What must never be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
    /// An edge passes through a triangle: a vertex of each.
    Intersection([u32; 2]),
    /// An element has no volume left, or a negative one: its first vertex.
    Inversion(u32),
    /// Two features are closer than their thickness, or touch: a vertex of each.
    TooClose([u32; 2]),
}

/// The first violation at positions `x`, if there is one.
pub fn violation(solids: &Solids, x: &[DVec3]) -> Option<Violation> {
    let inverted = |e: &&Element| {
        let left = volume(e.gather(x));
        left <= 0.0 || left.is_nan()
    };
    let mut solid = solids.elements.iter().filter(|e| e.tetrahedron().is_some());
    if let Some(element) = solid.find(inverted) {
        return Some(Violation::Inversion(element.corners()[0]));
    }
    let surface = &solids.surface;
    let place = |v: u32| x[v as usize];
    let boxes: Vec<Bounds> =
        surface.triangles.par_iter().map(|(t, _)| Bounds::around(t.map(place))).collect();
    let tree = Bvh::new(&boxes);
    let pierced = surface.edges.par_iter().map(|&(edge, _)| {
        let mut first = None;
        tree.overlapping(&Bounds::around(edge.map(place)), |k| {
            let (triangle, _) = surface.triangles[k as usize];
            let apart = !triangle.iter().any(|v| edge.contains(v))
                && !solids.same_frame(edge[0], triangle[0]);
            let free = edge.iter().chain(&triangle).any(|&v| solids.is_free(v));
            if apart && free && first.is_none() && pierces(edge.map(place), triangle.map(place)) {
                first = Some(Violation::Intersection([edge[0], triangle[0]]));
            }
        });
        first
    });
    pierced.find_first(Option::is_some).flatten().or_else(|| too_close(solids, x))
}

/// The first pair that is not further apart than its thickness.
fn too_close(solids: &Solids, x: &[DVec3]) -> Option<Violation> {
    let close = |pair: &&Pair| {
        let places = gather(x, &pair.vertices);
        pair.kind.closest(&places).squared(&places) <= pair.thickness.powi(2)
    };
    let pairs = candidates(solids, x, x, 0.0);
    let first = pairs.iter().find(close)?;
    Some(Violation::TooClose([first.vertices[0], first.vertices[3]]))
}

/// Whether a segment passes through a triangle: its ends are on both sides, and so are the sides of
/// the triangle about its line.
fn pierces([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let side = |d: DVec3| volume([a, b, c, d]);
    if side(p) * side(q) > 0.0 {
        return false;
    }
    let about = [[a, b], [b, c], [c, a]].map(|[from, to]| volume([p, q, from, to]));
    let all = |sign: f64| about.iter().all(|v| v * sign > 0.0);
    all(1.0) || all(-1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_needle_pierces_what_it_passes_through() {
        let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let needle = |x: f64, y: f64| [DVec3::new(x, y, -1.0), DVec3::new(x, y, 1.0)];
        assert!(pierces(needle(0.2, 0.3), triangle));
        assert!(!pierces(needle(0.8, 0.3), triangle));
        assert!(!pierces(needle(0.2, 0.3).map(|p| p + 1.5 * DVec3::Z), triangle));
    }
}
