//! Which features of surfaces may meet while vertices move.

use glam::DVec3;
use rayon::prelude::*;

use crate::bvh::{Bounds, Bvh};
use crate::contact::{Kind, Pair};
use crate::solids::Solids;

/// All pairs that come closer than `margin` and their thickness somewhere on the way of the
/// vertices from `from` to `to`, and perhaps others. Pairs of which no vertex is free to move are
/// left out, and so are those within one rigid body.
pub fn candidates(solids: &Solids, from: &[DVec3], to: &[DVec3], margin: f64) -> Vec<Pair> {
    let thickest = solids.offset.iter().fold(0.0, |most: f64, &t| most.max(t));
    let search = Search { solids, from, to, margin: margin + 2.0 * thickest };
    let mut pairs = search.points_and_triangles();
    pairs.extend(search.edges());
    pairs.extend(search.points_and_segments());
    pairs.extend(search.particles());
    pairs
}

struct Search<'a> {
    solids: &'a Solids,
    from: &'a [DVec3],
    to: &'a [DVec3],
    margin: f64,
}

impl Search<'_> {
    fn bounds(&self, vertices: &[u32]) -> Bounds {
        let place = |&v: &u32| [self.from[v as usize], self.to[v as usize]];
        Bounds::around(vertices.iter().flat_map(place))
    }

    /// The pair of these vertices, if they can meet. The first and the last belong to different
    /// features.
    fn pair(&self, vertices: [u32; 4], kind: impl Fn() -> Kind, areas: [f64; 2]) -> Option<Pair> {
        let [a, .., d] = vertices;
        let free = vertices.iter().any(|&v| self.solids.is_free(v));
        if !free || self.solids.same_frame(a, d) {
            return None;
        }
        let thickness = self.solids.offset[a as usize] + self.solids.offset[d as usize];
        // Half the smaller area: points and edges share it.
        let area = 0.5 * areas[0].min(areas[1]);
        let reach = self.solids.reach_between(a, d);
        Some(Pair { vertices, kind: kind(), area, thickness, reach })
    }

    fn points_and_triangles(&self) -> Vec<Pair> {
        let surface = &self.solids.surface;
        let boxes: Vec<Bounds> =
            surface.triangles.par_iter().map(|(t, _)| self.bounds(t)).collect();
        let tree = Bvh::new(&boxes);
        let of_point = |&(point, point_area): &(u32, f64)| {
            let mut found = Vec::new();
            tree.overlapping(&self.bounds(&[point]).grown(self.margin), |k| {
                let (triangle, area) = surface.triangles[k as usize];
                if !triangle.contains(&point) {
                    let vertices = [point, triangle[0], triangle[1], triangle[2]];
                    found.extend(self.pair(vertices, || Kind::PointTriangle, [point_area, area]));
                }
            });
            found
        };
        surface.points.par_iter().flat_map_iter(of_point).collect()
    }

    fn edges(&self) -> Vec<Pair> {
        let surface = &self.solids.surface;
        let boxes: Vec<Bounds> = surface.edges.par_iter().map(|(e, _)| self.bounds(e)).collect();
        let tree = Bvh::new(&boxes);
        let rest =
            |from: u32, to: u32| self.solids.rest[to as usize] - self.solids.rest[from as usize];
        let of_edge = |i: usize| {
            let mut found = Vec::new();
            let ([a, b], first_area) = surface.edges[i];
            tree.overlapping(&boxes[i].grown(self.margin), |j| {
                let ([c, d], area) = surface.edges[j as usize];
                if i < j as usize && ![c, d].contains(&a) && ![c, d].contains(&b) {
                    let kind = || Kind::edges(rest(a, b), rest(c, d));
                    found.extend(self.pair([a, b, c, d], kind, [first_area, area]));
                }
            });
            found
        };
        (0..surface.edges.len()).into_par_iter().flat_map_iter(of_edge).collect()
    }

    /// All points and the segments of rods.
    fn points_and_segments(&self) -> Vec<Pair> {
        let surface = &self.solids.surface;
        if surface.segments.is_empty() {
            return Vec::new();
        }
        let boxes: Vec<Bounds> = surface.segments.par_iter().map(|(e, _)| self.bounds(e)).collect();
        let tree = Bvh::new(&boxes);
        let of_point = |&(point, point_area): &(u32, f64)| {
            let mut found = Vec::new();
            tree.overlapping(&self.bounds(&[point]).grown(self.margin), |k| {
                let ([a, b], area) = surface.segments[k as usize];
                if point != a && point != b {
                    let kind = || Kind::PointEdge;
                    found.extend(self.pair([point, a, b, b], kind, [point_area, area]));
                }
            });
            found
        };
        surface.points.par_iter().flat_map_iter(of_point).collect()
    }

    fn particles(&self) -> Vec<Pair> {
        let particles = &self.solids.surface.particles;
        let boxes: Vec<Bounds> = particles.par_iter().map(|(v, _)| self.bounds(&[*v])).collect();
        let tree = Bvh::new(&boxes);
        let of_particle = |i: usize| {
            let mut found = Vec::new();
            let (a, first_area) = particles[i];
            tree.overlapping(&boxes[i].grown(self.margin), |j| {
                let (b, area) = particles[j as usize];
                if i < j as usize {
                    // Nothing else stands for their contact, so it has the whole area.
                    let areas = [2.0 * first_area, 2.0 * area];
                    found.extend(self.pair([a, b, b, b], || Kind::PointPoint, areas));
                }
            });
            found
        };
        (0..particles.len()).into_par_iter().flat_map_iter(of_particle).collect()
    }
}

/// The places of the vertices of `pair`.
pub fn gather(x: &[DVec3], vertices: &[u32; 4]) -> [DVec3; 4] {
    vertices.map(|v| x[v as usize])
}
