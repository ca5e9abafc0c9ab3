//! A triangle mesh as a shape: distances through a tree of boxes, signs from pseudo-normals.

use std::sync::{Arc, OnceLock};

use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::{TriMesh, TriMeshFlags};

use super::ShapeError;
use super::slice::Slice;
use super::topology::{MeshReport, clean};
use crate::math::{DVec3, Dimension};
use crate::mesh::TriangleMesh;

/// A mesh that has been checked and prepared for distance queries. Cheap to clone.
#[derive(Clone)]
pub struct MeshShape {
    inner: Arc<Prepared>,
}

struct Prepared {
    mesh: TriangleMesh,
    report: MeshReport,
    tree: TriMesh,
    slice: OnceLock<Slice>,
}

impl std::fmt::Debug for MeshShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("MeshShape").field(&self.inner.report).finish()
    }
}

impl MeshShape {
    /// Prepares a mesh: joins equal vertices, turns triangles outward, finds out whether it is
    /// closed. Look at [`MeshShape::report`] for what was found.
    pub fn new(mesh: TriangleMesh) -> Result<MeshShape, ShapeError> {
        let (mesh, report) = clean(&mesh)?;
        let tree = tree_of(&mesh, report.is_closed())?;
        Ok(MeshShape { inner: Arc::new(Prepared { mesh, report, tree, slice: OnceLock::new() }) })
    }

    /// What was found and changed.
    pub fn report(&self) -> MeshReport {
        self.inner.report
    }

    /// Whether it encloses a volume; otherwise it is a sheet.
    pub fn is_closed(&self) -> bool {
        self.inner.report.is_closed()
    }

    /// The triangles, after repairs.
    pub fn surface(&self) -> &TriangleMesh {
        &self.inner.mesh
    }

    /// Volume inside a closed mesh, m³; zero for a sheet.
    pub fn volume(&self) -> f64 {
        if self.is_closed() { self.inner.mesh.volume() } else { 0.0 }
    }

    /// The cut by the plane z = 0, made when first asked for.
    pub(super) fn slice(&self) -> &Slice {
        self.inner.slice.get_or_init(|| Slice::of(&self.inner.mesh))
    }

    /// The segments of that cut, in the plane z = 0: the solid is on their left.
    pub fn cut_segments(&self) -> impl Iterator<Item = [DVec3; 2]> {
        self.slice().lines.iter().flat_map(|line| {
            let n = line.points.len();
            let count = if line.closed { n } else { n - 1 };
            (0..count).map(move |k| [k, (k + 1) % n].map(|k| line.points[k].extend(0.0)))
        })
    }

    pub(super) fn tree(&self) -> &TriMesh {
        &self.inner.tree
    }

    /// Distance to the surface (in 2D, to the cut at z = 0): negative inside a closed mesh.
    pub fn signed_distance(&self, p: DVec3, dimension: Dimension) -> f64 {
        if !p.is_finite() {
            return f64::INFINITY;
        }
        let nearest = self.inner.tree.project_local_point(p, false);
        let inside = self.is_closed() && nearest.is_inside;
        let distance = match dimension {
            Dimension::Three => nearest.point.distance(p),
            Dimension::Two => self.slice().distance(p.truncate()),
        };
        if inside { -distance } else { distance }
    }
}

/// A tree of boxes around the triangles of a mesh.
pub(super) fn tree_of(mesh: &TriangleMesh, oriented: bool) -> Result<TriMesh, ShapeError> {
    let flags = if oriented { TriMeshFlags::ORIENTED } else { TriMeshFlags::empty() };
    TriMesh::with_flags(mesh.vertices.clone(), mesh.triangles.clone(), flags)
        .map_err(|_| ShapeError::EmptyMesh)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::Shape;
    use crate::shapes::test_support::icosphere;

    #[test]
    fn a_fine_ball_measures_like_a_sphere() {
        let ball = Shape::Mesh(MeshShape::new(icosphere(4)).unwrap());
        for k in 0..200 {
            let t = f64::from(k);
            let p = DVec3::new((t * 1.3).sin(), (t * 0.7).cos(), (t * 2.9).sin()) * 1.3;
            for dimension in [Dimension::Two, Dimension::Three] {
                let exact = dimension.flatten(p).length() - 1.0;
                let d = ball.signed_distance(p, dimension);
                assert!((d - exact).abs() < 4e-3, "{dimension:?} at {p}: {d}, not {exact}");
            }
        }
    }

    #[test]
    fn a_box_of_triangles_measures_like_a_box() {
        let exact = Shape::Box { half: DVec3::new(1.0, 0.7, 0.4) };
        let mesh = Shape::Mesh(MeshShape::new(exact.surface()).unwrap());
        for k in 0..300 {
            let t = f64::from(k);
            let p = DVec3::new((t * 1.3).sin(), (t * 0.7).cos(), (t * 2.9).sin()) * 1.5;
            for dimension in [Dimension::Two, Dimension::Three] {
                let (a, b) =
                    (mesh.signed_distance(p, dimension), exact.signed_distance(p, dimension));
                assert!((a - b).abs() < 1e-9, "{dimension:?} at {p}: {a}, not {b}");
            }
        }
    }

    #[test]
    fn an_open_mesh_is_a_sheet() {
        let sheet = Shape::Plane { normal: DVec3::Y, half_size: 1.0 };
        let mesh = Shape::Mesh(MeshShape::new(sheet.surface()).unwrap());
        assert!(!mesh.is_closed());
        for y in [-0.5, 0.5] {
            let d = mesh.signed_distance(DVec3::new(0.1, y, 0.2), Dimension::Three);
            assert!((d - 0.5).abs() < 1e-12);
        }
    }
}
