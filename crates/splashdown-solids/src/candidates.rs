//! Which features of surfaces may meet while vertices move.

use glam::DVec3;
use rayon::prelude::*;

use crate::bvh::{Bounds, Bvh};
use crate::contact::{Kind, Pair};
use crate::solids::Solids;

/// All pairs that come closer than `margin` somewhere on the way of the vertices from `from` to `to`, and
/// perhaps others. Pairs of which no vertex is free to move are left out.
pub fn candidates(solids: &Solids, from: &[DVec3], to: &[DVec3], margin: f64) -> Vec<Pair> {
    let surface = &solids.surface;
    let bounds = |vertices: &[u32]| {
        let ends = vertices.iter().flat_map(|&v| [from[v as usize], to[v as usize]]);
        Bounds::around(ends)
    };
    let free = |vertices: &[u32]| vertices.iter().any(|&v| solids.is_free(v));

    let boxes: Vec<Bounds> = surface.triangles.par_iter().map(|(t, _)| bounds(t)).collect();
    let tree = Bvh::new(&boxes);
    let mut pairs: Vec<Pair> = surface
        .points
        .par_iter()
        .flat_map_iter(|&(point, point_area)| {
            let mut found = Vec::new();
            let reached = bounds(&[point]).grown(margin);
            tree.overlapping(&reached, |k| {
                let (triangle, area) = surface.triangles[k as usize];
                if !triangle.contains(&point) && (solids.is_free(point) || free(&triangle)) {
                    let vertices = [point, triangle[0], triangle[1], triangle[2]];
                    let area = 0.5 * point_area.min(area);
                    found.push(Pair { vertices, kind: Kind::PointTriangle, area });
                }
            });
            found
        })
        .collect();

    let boxes: Vec<Bounds> = surface.edges.par_iter().map(|(e, _)| bounds(e)).collect();
    let tree = Bvh::new(&boxes);
    let of_edges: Vec<Pair> = (0..surface.edges.len())
        .into_par_iter()
        .flat_map_iter(|i| {
            let mut found = Vec::new();
            let ([a, b], first_area) = surface.edges[i];
            tree.overlapping(&boxes[i].grown(margin), |j| {
                let ([c, d], area) = surface.edges[j as usize];
                let apart = ![c, d].contains(&a) && ![c, d].contains(&b);
                if i < j as usize && apart && free(&[a, b, c, d]) {
                    let rest =
                        |from: u32, to: u32| solids.rest[to as usize] - solids.rest[from as usize];
                    let kind = Kind::edges(rest(a, b), rest(c, d));
                    let area = 0.5 * first_area.min(area);
                    found.push(Pair { vertices: [a, b, c, d], kind, area });
                }
            });
            found
        })
        .collect();
    pairs.extend(of_edges);
    pairs
}

/// The places of the vertices of `pair`.
pub fn gather(x: &[DVec3], vertices: &[u32; 4]) -> [DVec3; 4] {
    vertices.map(|v| x[v as usize])
}
