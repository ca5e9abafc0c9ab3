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
    let search = Search::new(solids, from, to, margin);
    (0..search.features()).into_par_iter().flat_map_iter(|k| search.pairs_of(k)).collect()
}

/// The same, some features at a time, for whoever does not need them all at once: of a thousand
/// bodies in nearly one place there are more than fit into memory.
pub(crate) fn batches<'a>(
    solids: &'a Solids,
    x: &'a [DVec3],
    margin: f64,
) -> impl Iterator<Item = Vec<Pair>> + 'a {
    let search = Search::new(solids, x, x, margin);
    let features = search.features();
    (0..features).step_by(BATCH).map(move |first| {
        let batch = first..(first + BATCH).min(features);
        batch.into_par_iter().flat_map_iter(|k| search.pairs_of(k)).collect()
    })
}

/// Features in a batch.
pub(crate) const BATCH: usize = 64;

struct Search<'a> {
    solids: &'a Solids,
    from: &'a [DVec3],
    to: &'a [DVec3],
    margin: f64,
    triangles: Bvh,
    edges: Bvh,
    segments: Bvh,
    particles: Bvh,
}

impl<'a> Search<'a> {
    fn new(solids: &'a Solids, from: &'a [DVec3], to: &'a [DVec3], margin: f64) -> Search<'a> {
        let surface = &solids.surface;
        let thickest = solids.offset.iter().fold(0.0, |most: f64, &t| most.max(t));
        let boxes = Boxes { from, to };
        Search {
            solids,
            from,
            to,
            margin: margin + 2.0 * thickest,
            triangles: boxes.tree(&surface.triangles, |(t, _)| t),
            edges: boxes.tree(&surface.edges, |(e, _)| e),
            segments: boxes.tree(&surface.segments, |(s, _)| s),
            particles: boxes.tree(&surface.particles, |(v, _)| std::slice::from_ref(v)),
        }
    }

    /// How many features look for others: points for triangles, edges for edges, points for
    /// segments of rods, and particles for particles, in this order.
    fn features(&self) -> usize {
        let surface = &self.solids.surface;
        let for_segments = if surface.segments.is_empty() { 0 } else { surface.points.len() };
        surface.points.len() + surface.edges.len() + for_segments + surface.particles.len()
    }

    /// What a feature may meet.
    fn pairs_of(&self, feature: usize) -> Vec<Pair> {
        let surface = &self.solids.surface;
        let (points, edges) = (surface.points.len(), surface.edges.len());
        let beyond_edges = feature.wrapping_sub(points + edges);
        let particles = surface.particles.len();
        if feature < points {
            self.triangles_near(surface.points[feature])
        } else if feature < points + edges {
            self.edges_near(feature - points)
        } else if beyond_edges < self.features() - points - edges - particles {
            self.segments_near(surface.points[beyond_edges])
        } else {
            self.particles_near(feature + particles - self.features())
        }
    }

    fn near(&self, vertices: &[u32]) -> Bounds {
        Boxes { from: self.from, to: self.to }.around(vertices).grown(self.margin)
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

    fn triangles_near(&self, (point, point_area): (u32, f64)) -> Vec<Pair> {
        let mut found = Vec::new();
        self.triangles.overlapping(&self.near(&[point]), |k| {
            let (triangle, area) = self.solids.surface.triangles[k as usize];
            if !triangle.contains(&point) {
                let vertices = [point, triangle[0], triangle[1], triangle[2]];
                found.extend(self.pair(vertices, || Kind::PointTriangle, [point_area, area]));
            }
        });
        found
    }

    /// Edges after the given one.
    fn edges_near(&self, first: usize) -> Vec<Pair> {
        let edges = &self.solids.surface.edges;
        let rest = &self.solids.rest;
        let along = |from: u32, to: u32| rest[to as usize] - rest[from as usize];
        let ([a, b], first_area) = edges[first];
        let mut found = Vec::new();
        self.edges.overlapping(&self.near(&[a, b]), |k| {
            let ([c, d], area) = edges[k as usize];
            if first < k as usize && ![c, d].contains(&a) && ![c, d].contains(&b) {
                let kind = || Kind::edges(along(a, b), along(c, d));
                found.extend(self.pair([a, b, c, d], kind, [first_area, area]));
            }
        });
        found
    }

    /// Segments of rods.
    fn segments_near(&self, (point, point_area): (u32, f64)) -> Vec<Pair> {
        let mut found = Vec::new();
        self.segments.overlapping(&self.near(&[point]), |k| {
            let ([a, b], area) = self.solids.surface.segments[k as usize];
            if point != a && point != b {
                let kind = || Kind::PointEdge;
                found.extend(self.pair([point, a, b, b], kind, [point_area, area]));
            }
        });
        found
    }

    /// Particles after the given one.
    fn particles_near(&self, first: usize) -> Vec<Pair> {
        let particles = &self.solids.surface.particles;
        let (a, first_area) = particles[first];
        let mut found = Vec::new();
        self.particles.overlapping(&self.near(&[a]), |k| {
            let (b, area) = particles[k as usize];
            if first < k as usize {
                // Nothing else stands for their contact, so it has the whole area.
                let areas = [2.0 * first_area, 2.0 * area];
                found.extend(self.pair([a, b, b, b], || Kind::PointPoint, areas));
            }
        });
        found
    }
}

/// Boxes around the ways of features.
#[derive(Clone, Copy)]
struct Boxes<'a> {
    from: &'a [DVec3],
    to: &'a [DVec3],
}

impl Boxes<'_> {
    fn around(self, vertices: &[u32]) -> Bounds {
        let place = |&v: &u32| [self.from[v as usize], self.to[v as usize]];
        Bounds::around(vertices.iter().flat_map(place))
    }

    fn tree<T: Sync>(self, features: &[T], vertices: impl Fn(&T) -> &[u32] + Sync) -> Bvh {
        let boxes: Vec<Bounds> = features.par_iter().map(|f| self.around(vertices(f))).collect();
        Bvh::new(&boxes)
    }
}

/// The places of the vertices of `pair`.
pub fn gather(x: &[DVec3], vertices: &[u32; 4]) -> [DVec3; 4] {
    vertices.map(|v| x[v as usize])
}
