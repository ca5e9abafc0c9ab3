//! Is a mesh closed, and does it face outward? Repairs what can be repaired, reports the rest.

use super::ShapeError;
use crate::mesh::TriangleMesh;
use crate::point_grid::PointGrid;

/// Vertices closer than this share of the mesh's size are one vertex.
const WELD: f64 = 1e-7;

/// What was found in a mesh, and what was changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeshReport {
    /// Triangles that are used.
    pub triangles: usize,
    /// Triangles left out because two of their corners are one.
    pub dropped_triangles: usize,
    /// Triangles that were turned to agree with their neighbours or to face outward.
    pub flipped_triangles: usize,
    /// Edges with a triangle on one side only: the rim of a hole.
    pub boundary_edges: usize,
    /// Edges with more than two triangles.
    pub non_manifold_edges: usize,
    /// Edges whose triangles still contradict each other about the outside.
    pub unbalanced_edges: usize,
}

impl MeshReport {
    /// Whether the mesh has an inside.
    pub fn is_closed(&self) -> bool {
        self.boundary_edges == 0 && self.unbalanced_edges == 0
    }
}

/// An edge and the triangles around it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Edge {
    /// The two ends, lower index first.
    pub ends: [u32; 2],
    /// Triangles, and whether each runs from the lower end to the higher.
    pub triangles: Vec<(u32, bool)>,
}

/// All edges of a mesh, ordered by their ends.
pub(super) fn edges(mesh: &TriangleMesh) -> Vec<Edge> {
    let mut uses: Vec<([u32; 2], u32, bool)> = Vec::with_capacity(3 * mesh.triangles.len());
    for (t, &[a, b, c]) in mesh.triangles.iter().enumerate() {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            uses.push(([from.min(to), from.max(to)], t as u32, from < to));
        }
    }
    uses.sort_unstable();
    let groups = uses.chunk_by(|x, y| x.0 == y.0);
    let edge = |group: &[([u32; 2], u32, bool)]| Edge {
        ends: group[0].0,
        triangles: group.iter().map(|&(_, t, up)| (t, up)).collect(),
    };
    groups.map(edge).collect()
}

/// Checks a mesh, joins equal vertices, drops collapsed triangles and turns triangles so that they
/// agree with their neighbours and, if the mesh is closed, face outward.
pub(super) fn clean(mesh: &TriangleMesh) -> Result<(TriangleMesh, MeshReport), ShapeError> {
    check_indices(mesh)?;
    let mut report = MeshReport::default();
    let mut welded = weld(mesh);
    welded.triangles.retain(|&[a, b, c]| a != b && b != c && c != a);
    report.triangles = welded.triangles.len();
    report.dropped_triangles = mesh.triangles.len() - welded.triangles.len();
    if welded.triangles.is_empty() || welded.area() <= 0.0 {
        return Err(ShapeError::EmptyMesh);
    }

    let before = welded.triangles.clone();
    orient(&mut welded);
    let after = edges(&welded);
    report.boundary_edges = after.iter().filter(|e| e.triangles.len() == 1).count();
    report.non_manifold_edges = after.iter().filter(|e| e.triangles.len() > 2).count();
    let balance = |e: &Edge| 2 * e.triangles.iter().filter(|t| t.1).count() == e.triangles.len();
    report.unbalanced_edges = after.iter().filter(|e| e.triangles.len() > 1 && !balance(e)).count();
    if report.is_closed() && welded.volume() < 0.0 {
        welded.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    report.flipped_triangles = before.iter().zip(&welded.triangles).filter(|(a, b)| a != b).count();
    Ok((welded, report))
}

fn check_indices(mesh: &TriangleMesh) -> Result<(), ShapeError> {
    let damaged = |what: String| Err(ShapeError::DamagedMesh(what));
    if mesh.vertices.len() >= u32::MAX as usize || mesh.triangles.len() >= u32::MAX as usize / 3 {
        return damaged("it has more than a billion triangles or vertices".into());
    }
    if let Some(k) =
        mesh.vertices.iter().position(|p| !p.is_finite() || p.abs().max_element() > 1e12)
    {
        return damaged(format!("vertex {k} is at {}", mesh.vertices[k]));
    }
    let count = mesh.vertices.len() as u32;
    if let Some(t) = mesh.triangles.iter().position(|t| t.iter().any(|&v| v >= count)) {
        return damaged(format!("triangle {t} names vertices {:?} of {count}", mesh.triangles[t]));
    }
    Ok(())
}

fn weld(mesh: &TriangleMesh) -> TriangleMesh {
    let tolerance = (WELD * mesh.bounds().size().max_element()).max(f64::MIN_POSITIVE);
    let mut grid = PointGrid::new(tolerance, mesh.vertices.len());
    let mut used = vec![u32::MAX; mesh.vertices.len()];
    let mut merged = |v: u32| {
        let slot = &mut used[v as usize];
        if *slot == u32::MAX {
            let p = mesh.vertices[v as usize];
            let mut first = grid.count() as u32;
            grid.all_near(p, |k, _| {
                first = first.min(k as u32);
                true
            });
            if first as usize == grid.count() {
                grid.insert(p);
            }
            *slot = first;
        }
        *slot
    };
    let triangles = mesh.triangles.iter().map(|t| t.map(&mut merged)).collect();
    TriangleMesh { vertices: grid.into_points(), triangles }
}

/// Turns triangles so that neighbours agree, part by part. A part that needed no turning keeps its
/// sense (it may be the wall of a cavity); a part that did is turned outward.
fn orient(mesh: &mut TriangleMesh) {
    let mut neighbors: Vec<Vec<(u32, bool)>> = vec![Vec::new(); mesh.triangles.len()];
    for edge in edges(mesh) {
        if let [(s, up_s), (t, up_t)] = edge.triangles[..] {
            neighbors[s as usize].push((t, up_s == up_t));
            neighbors[t as usize].push((s, up_s == up_t));
        }
    }
    let mut turned: Vec<Option<bool>> = vec![None; mesh.triangles.len()];
    for start in 0..mesh.triangles.len() {
        if turned[start].is_some() {
            continue;
        }
        turned[start] = Some(false);
        let mut part = vec![start];
        let mut next = 0;
        while next < part.len() {
            let t = part[next];
            next += 1;
            for &(other, contradicts) in &neighbors[t] {
                if turned[other as usize].is_none() {
                    turned[other as usize] = turned[t].map(|turn| turn != contradicts);
                    part.push(other as usize);
                }
            }
        }
        let flips = part.iter().filter(|&&t| turned[t] == Some(true)).count();
        if flips == 0 {
            continue;
        }
        for &t in part.iter().filter(|&&t| turned[t] == Some(true)) {
            mesh.triangles[t].swap(1, 2);
        }
        let origin = mesh.vertices[mesh.triangles[start][0] as usize];
        let six_volumes = |&t: &usize| {
            let [a, b, c] = mesh.corners(t).map(|p| p - origin);
            a.dot(b.cross(c))
        };
        if part.iter().map(six_volumes).sum::<f64>() < 0.0 {
            part.iter().for_each(|&t| mesh.triangles[t].swap(1, 2));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DVec3;
    use crate::shapes::Shape;

    fn cube() -> TriangleMesh {
        Shape::Box { half: DVec3::ONE }.surface()
    }

    #[test]
    fn a_cube_inside_out_is_turned() {
        let mut mesh = cube();
        mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        let (clean, report) = clean(&mesh).unwrap();
        assert!(report.is_closed() && report.flipped_triangles == 12);
        assert!((clean.volume() - 8.0).abs() < 1e-12);
    }

    #[test]
    fn triangles_that_disagree_are_turned() {
        let mut mesh = cube();
        for t in [1, 4, 5, 9] {
            mesh.triangles[t].swap(0, 1);
        }
        let (clean, report) = clean(&mesh).unwrap();
        assert!(report.is_closed() && report.unbalanced_edges == 0, "{report:?}");
        assert!((clean.volume() - 8.0).abs() < 1e-12);
    }

    #[test]
    fn a_triangle_soup_is_joined() {
        let mesh = cube();
        let vertices = (0..12).flat_map(|t| mesh.corners(t)).collect();
        let soup = TriangleMesh {
            vertices,
            triangles: (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
        };
        let (clean, report) = clean(&soup).unwrap();
        assert!(report.is_closed() && clean.vertices.len() == 8);
    }

    #[test]
    fn holes_and_fins_are_reported() {
        let mut open = cube();
        open.triangles.truncate(10);
        let report = clean(&open).unwrap().1;
        assert!(!report.is_closed() && report.boundary_edges == 4, "{report:?}");

        let mut fin = cube();
        fin.vertices.push(DVec3::splat(3.0));
        let [a, b, _] = fin.triangles[0];
        fin.triangles.push([a, b, 8]);
        let report = clean(&fin).unwrap().1;
        assert!(!report.is_closed() && report.non_manifold_edges == 1, "{report:?}");
    }

    #[test]
    fn damaged_meshes_are_refused() {
        let mut mesh = cube();
        mesh.triangles[3][1] = 99;
        assert!(matches!(clean(&mesh), Err(ShapeError::DamagedMesh(_))));
        let mut mesh = cube();
        mesh.vertices[2].y = f64::NAN;
        assert!(matches!(clean(&mesh), Err(ShapeError::DamagedMesh(_))));
        assert_eq!(clean(&TriangleMesh::default()).unwrap_err(), ShapeError::EmptyMesh);
    }
}
