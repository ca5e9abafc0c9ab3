//! A mesh in a 2D scene: the lines in which the plane z = 0 cuts its triangles.

use std::collections::HashMap;

use glam::DVec2;
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::Polyline;

use super::mesh_offset::largest_share;
use super::profile::{Chain, Piece};
use super::{MeshShape, ShapeError, sampling};
use crate::math::{DVec3, Dimension};
use crate::mesh::TriangleMesh;

/// Outlines bend smoothly below this angle (cosine of 30°) and have a corner above it.
pub(super) const SMOOTH: f64 = 0.866;
/// A sharp corner moves at most this many offsets away.
const LONGEST_MITRE: f64 = 4.0;

/// One line of a cut: the solid is on its left.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    /// Its points, from one end to the other.
    pub points: Vec<DVec2>,
    /// Whether the last point is joined to the first.
    pub closed: bool,
}

/// All lines of a cut, ready for distance queries.
pub(super) struct Slice {
    /// Where the plane cuts the surface: open and closed lines.
    pub lines: Vec<Line>,
    tree: Option<Polyline>,
}

impl Slice {
    /// Cuts a mesh by the plane z = 0.
    pub(super) fn of(mesh: &TriangleMesh) -> Slice {
        let lines = cut(mesh);
        let mut vertices = Vec::new();
        let mut segments = Vec::new();
        for line in &lines {
            let first = vertices.len() as u32;
            vertices.extend(line.points.iter().map(|p| p.extend(0.0)));
            let last = vertices.len() as u32 - 1;
            segments.extend((first..last).map(|k| [k, k + 1]));
            if line.closed {
                segments.push([last, first]);
            }
        }
        let tree = (!segments.is_empty()).then(|| Polyline::new(vertices, Some(segments)));
        Slice { lines, tree }
    }

    /// Distance to the nearest line; infinite if there is none.
    pub(super) fn distance(&self, p: DVec2) -> f64 {
        let p = p.extend(0.0);
        let nearest = |tree: &Polyline| tree.project_local_point(p, false).point.distance(p);
        self.tree.as_ref().map_or(f64::INFINITY, nearest)
    }
}

/// Follows the cut from triangle to triangle. A vertex exactly on the plane counts as above it, so
/// that every line is complete and no segment appears twice.
fn cut(mesh: &TriangleMesh) -> Vec<Line> {
    let above = |v: u32| mesh.vertices[v as usize].z >= 0.0;
    let mut nodes: HashMap<[u32; 2], usize> = HashMap::new();
    let mut points: Vec<DVec2> = Vec::new();
    let mut next: Vec<Vec<usize>> = Vec::new();
    let mut arrivals: Vec<usize> = Vec::new();
    for &[a, b, c] in &mesh.triangles {
        let mut node_where = |goes_up: bool| {
            let crossing = [[a, b], [b, c], [c, a]]
                .into_iter()
                .find(|&[from, to]| above(from) != above(to) && above(to) == goes_up)?;
            let key = [crossing[0].min(crossing[1]), crossing[0].max(crossing[1])];
            Some(*nodes.entry(key).or_insert_with(|| {
                let [p, q] = key.map(|v| mesh.vertices[v as usize]);
                points.push(p.lerp(q, p.z / (p.z - q.z)).truncate());
                next.push(Vec::new());
                arrivals.push(0);
                points.len() - 1
            }))
        };
        // Seen from outside, the cut runs from the edge that leads down to the edge that leads up.
        if let (Some(from), Some(to)) = (node_where(false), node_where(true)) {
            next[from].push(to);
            arrivals[to] += 1;
        }
    }

    let shortest = 1e-9 * mesh.bounds().size().max_element();
    let mut lines = Vec::new();
    // Open lines first, from their beginnings; what is left are loops.
    let mut starts: Vec<usize> = (0..points.len()).collect();
    starts.sort_by_key(|&k| arrivals[k] >= next[k].len());
    for start in starts {
        while let Some(second) = next[start].pop() {
            let mut walk = vec![start, second];
            let mut at = second;
            while let Some(to) = next[at].pop() {
                walk.push(to);
                at = to;
            }
            let mut line: Vec<DVec2> = walk.iter().map(|&k| points[k]).collect();
            let closed = at == start;
            line.dedup_by(|a, b| a.distance(*b) <= shortest);
            while closed && line.len() > 1 && line[0].distance(line[line.len() - 1]) <= shortest {
                line.pop();
            }
            if line.len() > 1 {
                lines.push(Line { points: line, closed });
            }
        }
    }
    lines
}

/// Even samples of the cut, moved outward by `offset`.
pub(super) fn sample(
    mesh: &MeshShape,
    spacing: f64,
    offset: f64,
) -> Result<Vec<DVec3>, ShapeError> {
    let slice = mesh.slice();
    if slice.lines.is_empty() {
        let bounds = mesh.surface().bounds();
        return Err(ShapeError::NotCut { min: bounds.min.z, max: bounds.max.z });
    }
    let chains: Vec<Chain> = slice
        .lines
        .iter()
        .flat_map(|line| between_corners(line, &moved(line, offset, mesh)))
        .collect();
    sampling::outline(&chains, spacing)
}

/// Directions of the segments before and after point `k`; equal at the end of an open line.
fn directions(line: &Line, k: usize) -> [DVec2; 2] {
    let n = line.points.len();
    let toward = |a: usize, b: usize| (line.points[b % n] - line.points[a % n]).normalize_or_zero();
    let before = (line.closed || k > 0).then(|| toward(k + n - 1, k));
    let after = (line.closed || k + 1 < n).then(|| toward(k, k + 1));
    let before_or_after = before.or(after).unwrap_or(DVec2::X);
    [before_or_after, after.unwrap_or(before_or_after)]
}

/// The points of a line, moved to its right so that straight parts move by `offset`.
fn moved(line: &Line, offset: f64, mesh: &MeshShape) -> Vec<DVec2> {
    if offset == 0.0 {
        return line.points.clone();
    }
    let outward = |along: DVec2| DVec2::new(along.y, -along.x);
    let place = |k: usize| {
        let [m, n] = directions(line, k).map(outward);
        let p = line.points[k];
        let mitre = (m + n) / (1.0 + m.dot(n)).max(1e-9);
        let way = mitre.clamp_length_max(LONGEST_MITRE) * offset;
        p + way * free_share(p, way, offset, mesh)
    };
    (0..line.points.len()).map(place).collect()
}

/// The share of the way that can be walked before another side of a thin shape is nearer.
fn free_share(p: DVec2, way: DVec2, offset: f64, mesh: &MeshShape) -> f64 {
    let free = |share: f64| {
        let d = mesh.signed_distance((p + way * share).extend(0.0), Dimension::Two);
        let d = if mesh.is_closed() { d * offset.signum() } else { d };
        d >= 0.8 * share * offset.abs()
    };
    largest_share(free)
}

/// Splits a line where it has corners; `places` are its points after moving.
fn between_corners(line: &Line, places: &[DVec2]) -> Vec<Chain> {
    let n = places.len();
    let is_corner = |k: usize| {
        let [before, after] = directions(line, k);
        before.dot(after) < SMOOTH || (!line.closed && (k == 0 || k + 1 == n))
    };
    let chain = |from: usize, to: usize, closed: bool| {
        let piece = |k: usize| Piece::Line(places[k % n], places[(k + 1) % n]);
        Chain { pieces: (from..to).map(piece).collect(), closed }
    };
    let mut corners: Vec<usize> = (0..n).filter(|&k| is_corner(k)).collect();
    match corners.first() {
        None => vec![chain(0, n, true)],
        Some(&first) => {
            if line.closed {
                corners.push(first + n);
            }
            corners.windows(2).map(|ends| chain(ends[0], ends[1], false)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::Shape;
    use crate::shapes::test_support::{covering, dense_offset_surface, icosphere, nearest_pair};

    #[test]
    fn a_ball_is_cut_in_one_circle_even_through_its_vertices() {
        let slice = Slice::of(&icosphere(3));
        assert_eq!(slice.lines.len(), 1);
        assert!(slice.lines[0].closed);
        assert!(slice.lines[0].points.iter().all(|p| (p.length() - 1.0).abs() < 0.01));
    }

    #[test]
    fn cuts_of_meshes_are_sampled_like_the_shapes_they_show() {
        let shapes = [
            Shape::Box { half: DVec3::new(6.3, 4.0, 3.0) },
            Shape::Cylinder { radius: 4.0, half_height: 5.2 },
            Shape::Sphere { radius: 7.0 },
            Shape::Torus { major: 8.0, minor: 2.5 },
            Shape::Cone { radius: 5.0, height: 8.0 },
            Shape::Plane { normal: DVec3::new(0.3, 1.0, 0.0), half_size: 6.0 },
        ];
        for shape in shapes {
            let mesh = Shape::Mesh(MeshShape::new(shape.surface()).unwrap());
            for offset in [-0.5, 0.0, 0.5] {
                let samples = mesh.sample_surface(1.0, offset, Dimension::Two).unwrap();
                let surface = dense_offset_surface(&shape, 0.05, offset, Dimension::Two);
                let (cover, apart) = (covering(&surface, &samples), nearest_pair(&samples));
                assert!(cover < 0.6 && apart > 0.7, "{shape:?} {offset}: {cover} {apart}");
            }
        }
    }

    #[test]
    fn a_thin_plate_offset_inward_stays_in_its_middle() {
        let plate = Shape::Box { half: DVec3::new(5.0, 0.2, 5.0) };
        let mesh = Shape::Mesh(MeshShape::new(plate.surface()).unwrap());
        for p in mesh.sample_surface(1.0, -0.5, Dimension::Two).unwrap() {
            assert!(p.y.abs() < 0.05 && p.x.abs() < 5.0, "{p}");
        }
    }

    #[test]
    fn a_mesh_beside_the_plane_is_refused() {
        let mut mesh = icosphere(1);
        mesh.vertices.iter_mut().for_each(|p| p.z += 5.0);
        let shape = Shape::Mesh(MeshShape::new(mesh).unwrap());
        let error = shape.sample_surface(0.1, 0.0, Dimension::Two).unwrap_err();
        assert!(matches!(error, ShapeError::NotCut { .. }));
        assert_eq!(shape.signed_distance(DVec3::ZERO, Dimension::Two), f64::INFINITY);
    }
}
