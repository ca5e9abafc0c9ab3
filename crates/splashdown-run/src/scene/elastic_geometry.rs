//! What elastic bodies are made of: tetrahedra, triangles, segments and points from shapes and
//! files.

use splashdown_solids::bodies::{BadElement, Substance};
use splashdown_solids::material::Model;
use splashdown_solids::membrane::Sheet;
use splashdown_solids::meshing::file::read_tetrahedra;
use splashdown_solids::meshing::{TetMesh, Triangles, block, sheet, stuffed};
use splashdown_solids::solids::Solids;
use splashdown_solids::surface::boundary;

use super::convert::Converter;
use super::file::{self, Copies, ElasticElements, ElasticKind, Scatter};
use super::geometry::Geometry;
use super::validate::join;
use crate::math::{DMat3, DVec2, DVec3, Dimension, Pose};
use crate::shapes::{Shape, sheet_axes};

/// Files of tetrahedra.
const ENDINGS: [&str; 3] = ["msh", "vtk", "vtu"];

/// One body about its own origin.
pub(super) enum ElasticGeometry {
    Solid(TetMesh),
    /// Where its mass is, and its surface, if that is another one.
    Rigid(TetMesh, Option<Triangles>),
    Shell(Triangles),
    Rod(Vec<DVec3>, Vec<[u32; 2]>),
    Particles(Vec<DVec3>),
}

impl file::Elastic {
    /// How it is repeated, and with what disorder.
    pub(super) fn repeats(&self) -> (&[Copies], Option<&Scatter>) {
        (&self.copies, self.scatter.as_ref())
    }
}

impl ElasticGeometry {
    /// Adds it to `solids` at `pose`. Returns its number.
    pub(super) fn add(
        &self,
        solids: &mut Solids,
        pose: &Pose,
        substance: &Substance,
        written: &file::Elastic,
        velocity: DVec3,
    ) -> Result<usize, BadElement> {
        let placed = |all: &[DVec3]| -> Vec<DVec3> { all.iter().map(|&p| pose.apply(p)).collect() };
        let moved = |mesh: &TetMesh| TetMesh {
            vertices: placed(&mesh.vertices),
            tetrahedra: mesh.tetrahedra.clone(),
        };
        let thickness = written.thickness.unwrap_or_default();
        match self {
            ElasticGeometry::Solid(mesh) => match written.elements {
                ElasticElements::Linear => solids.add_body(&moved(mesh), substance, |_| velocity),
                ElasticElements::Quadratic => {
                    solids.add_quadratic_body(&moved(mesh), substance, |_| velocity)
                }
            },
            ElasticGeometry::Rigid(mesh, surface) => {
                let surface = surface.as_ref().map(|s| Triangles {
                    vertices: placed(&s.vertices),
                    triangles: s.triangles.clone(),
                });
                solids.add_rigid(&moved(mesh), surface.as_ref(), substance, |_| velocity)
            }
            ElasticGeometry::Shell(mesh) => {
                let sheet = match written.material {
                    Model::StVenantKirchhoff => Sheet::StVenantKirchhoff,
                    _ => Sheet::NeoHookean,
                };
                let parts = (&placed(&mesh.vertices)[..], &mesh.triangles[..]);
                solids.add_shell(parts, substance, (sheet, thickness), |_| velocity)
            }
            ElasticGeometry::Rod(points, segments) => {
                let parts = (&placed(points)[..], &segments[..]);
                solids.add_rod(parts, substance, 0.5 * thickness, |_| velocity)
            }
            ElasticGeometry::Particles(points) => {
                let points = placed(points);
                Ok(solids.add_particles(&points, substance, 0.5 * thickness, |_| velocity))
            }
        }
    }
}

impl Converter<'_, '_> {
    /// The shape of a body, if it has one, and its place.
    pub(super) fn elastic_place(
        &mut self,
        key: &str,
        written: &file::Elastic,
    ) -> (Option<Geometry>, Pose) {
        match &written.shape {
            Some(shape) => {
                let size = written.size(self.spacing);
                let place = (written.at.as_ref(), &written.rotate);
                let placed = self.shape_of(key, shape, place, size);
                (Some(placed.geometry), placed.pose)
            }
            None => (None, self.placement(key, written.at.as_ref(), None, &written.rotate)),
        }
    }

    /// Reports a shape that cannot be filled, of a body that is not made because something else is
    /// wrong with it.
    pub(super) fn check_closed(&mut self, key: &str, written: &file::Elastic) {
        if !self.report.is_wrong(&join(key, "shape"))
            && let (Some(geometry), _) = self.elastic_place(key, written)
        {
            self.closed_shape(key, written, &geometry);
        }
    }

    /// The shape of a body, closed unless it is a shell.
    fn closed_shape(
        &mut self,
        key: &str,
        written: &file::Elastic,
        geometry: &Geometry,
    ) -> Option<Shape> {
        let shape = self.load(geometry)?;
        if written.kind == ElasticKind::Shell || shape.is_closed() {
            return Some(shape);
        }
        let help = "close its holes, or write kind = \"shell\"".to_string();
        let message = "is not closed, and has no inside to fill";
        self.report.key(&join(key, "shape"), message, Some(help));
        None
    }

    /// The mesh of a body; `None` if something is wrong with it, which is reported.
    pub(super) fn elastic_geometry(
        &mut self,
        key: &str,
        written: &file::Elastic,
        geometry: Option<&Geometry>,
    ) -> Option<ElasticGeometry> {
        let size = written.size(self.spacing);
        if let Some(tetrahedra) = &written.tetrahedra {
            let mesh = self.tetrahedra(&join(key, "tetrahedra.file"), tetrahedra)?;
            return Some(match written.kind {
                ElasticKind::Rigid => ElasticGeometry::Rigid(mesh, None),
                _ => ElasticGeometry::Solid(mesh),
            });
        }
        if !written.points.is_empty() {
            let points: Vec<DVec3> = (0..)
                .zip(&written.points)
                .map(|(k, point)| self.vector(&format!("{key}.points[{k}]"), point))
                .collect();
            return Some(match written.kind {
                ElasticKind::Rod => {
                    let (points, segments) = polyline(&points, written.closed, size);
                    ElasticGeometry::Rod(points, segments)
                }
                _ => ElasticGeometry::Particles(points),
            });
        }
        let shape = self.closed_shape(key, written, geometry?)?;
        let body = match written.kind {
            ElasticKind::Shell => ElasticGeometry::Shell(triangles_of(&shape, size)),
            ElasticKind::Particles => ElasticGeometry::Particles(lattice(&shape, size)),
            ElasticKind::Rigid => ElasticGeometry::Rigid(mesh_of(&shape, size), surface_of(&shape)),
            ElasticKind::Solid | ElasticKind::Rod => ElasticGeometry::Solid(mesh_of(&shape, size)),
        };
        let empty = match &body {
            ElasticGeometry::Solid(mesh) | ElasticGeometry::Rigid(mesh, _) => {
                mesh.tetrahedra.is_empty()
            }
            ElasticGeometry::Shell(mesh) => mesh.triangles.is_empty(),
            ElasticGeometry::Rod(points, _) | ElasticGeometry::Particles(points) => {
                points.is_empty()
            }
        };
        if empty {
            let help = format!("make it larger, or element_size ({size} m) smaller");
            self.report.key(&join(key, "shape"), "has no room for an element", Some(help));
            return None;
        }
        if let ElasticGeometry::Shell(mesh) = &body
            && written.pressure != 0.0
            && !is_closed(mesh)
        {
            self.report.key(&join(key, "pressure"), "needs a closed surface", None);
            return None;
        }
        Some(body)
    }

    fn tetrahedra(&mut self, key: &str, written: &file::TetrahedraFile) -> Option<TetMesh> {
        let path = self.existing_file(key, &written.file, &ENDINGS);
        let read = self.affordable(&path);
        match read.and_then(|()| read_tetrahedra(&path).map_err(|error| error.to_string())) {
            Ok(mut mesh) => {
                mesh.vertices.iter_mut().for_each(|v| *v *= written.scale);
                Some(mesh)
            }
            Err(error) => {
                self.report.key(key, error, None);
                None
            }
        }
    }
}

/// Tetrahedra of about `size` in `shape`.
fn mesh_of(shape: &Shape, size: f64) -> TetMesh {
    if let Shape::Box { half } = shape {
        let cells = (2.0 * *half / size).to_array().map(|n| (n.round() as usize).max(1));
        return block(2.0 * *half, cells);
    }
    let bounds = shape.bounds();
    let inside = |p: DVec3| shape.signed_distance(p, Dimension::Three);
    stuffed(inside, bounds.min, bounds.max, size)
}

/// The surface of a rigid body as it is; that of a box is the surface of its tetrahedra.
fn surface_of(shape: &Shape) -> Option<Triangles> {
    if matches!(shape, Shape::Box { .. }) {
        return None;
    }
    let surface = shape.surface();
    Some(Triangles { vertices: surface.vertices, triangles: surface.triangles })
}

/// Triangles of about `size` on `shape`; those of a mesh as they are.
fn triangles_of(shape: &Shape, size: f64) -> Triangles {
    match shape {
        Shape::Plane { normal, half_size } => {
            let [s, t] = sheet_axes(*normal);
            let turn = DMat3::from_cols(s, t, *normal);
            let mut mesh = sheet(DVec2::splat(2.0 * half_size), size);
            mesh.vertices.iter_mut().for_each(|v| *v = turn * *v);
            mesh
        }
        Shape::Mesh(mesh) => {
            let surface = mesh.surface();
            let (vertices, triangles) = (surface.vertices.clone(), surface.triangles.clone());
            Triangles { vertices, triangles }
        }
        _ => {
            let mesh = mesh_of(shape, size);
            let mut number = vec![u32::MAX; mesh.vertices.len()];
            let mut skin = Triangles::default();
            for triangle in boundary(&mesh.tetrahedra) {
                skin.triangles.push(triangle.map(|v| {
                    let number = &mut number[v as usize];
                    if *number == u32::MAX {
                        *number = skin.vertices.len() as u32;
                        skin.vertices.push(mesh.vertices[v as usize]);
                    }
                    *number
                }));
            }
            skin
        }
    }
}

/// Whether every edge has two triangles, which run along it in opposite directions.
fn is_closed(mesh: &Triangles) -> bool {
    let mut edges: Vec<[u32; 2]> =
        mesh.triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]).collect();
    edges.sort_unstable();
    edges.windows(2).all(|pair| pair[0] != pair[1])
        && edges.iter().all(|&[a, b]| edges.binary_search(&[b, a]).is_ok())
}

/// The way along `corners`, cut into segments of about `size`.
fn polyline(corners: &[DVec3], closed: bool, size: f64) -> (Vec<DVec3>, Vec<[u32; 2]>) {
    let mut points = vec![corners[0]];
    let ends = corners.iter().skip(1).chain(corners.first().filter(|_| closed));
    for (&from, &to) in corners.iter().zip(ends) {
        let pieces = (from.distance(to) / size).round().max(1.0);
        points.extend((1..=pieces as usize).map(|k| from.lerp(to, k as f64 / pieces)));
    }
    if closed {
        points.pop();
    }
    let last = points.len() as u32;
    let mut segments: Vec<[u32; 2]> = (1..last).map(|v| [v - 1, v]).collect();
    if closed {
        segments.push([last - 1, 0]);
    }
    (points, segments)
}

/// Points `size` apart in `shape`.
fn lattice(shape: &Shape, size: f64) -> Vec<DVec3> {
    let bounds = shape.bounds();
    let counts = (bounds.size() / size).to_array().map(|n| n as usize);
    let mut points = Vec::new();
    for k in 0..=counts[2] {
        for j in 0..=counts[1] {
            for i in 0..=counts[0] {
                let place = DVec3::new(i as f64 + 0.5, j as f64 + 0.5, k as f64 + 0.5);
                let p = bounds.min + size * place;
                if shape.signed_distance(p, Dimension::Three) <= -0.5 * size + 1e-9 * size {
                    points.push(p);
                }
            }
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rod_follows_its_corners_and_a_ring_closes() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 2.0, 0.0)];
        let (points, segments) = polyline(&corners, false, 0.5);
        assert_eq!((points.len(), segments.len()), (7, 6));
        assert_eq!(points[6], corners[2]);
        let (points, segments) = polyline(&corners, true, 0.5);
        assert_eq!(points.len(), segments.len());
        assert_eq!(segments[segments.len() - 1][1], 0);
    }

    #[test]
    fn skins_are_closed_and_sheets_are_not() {
        assert!(is_closed(&triangles_of(&Shape::Sphere { radius: 1.0 }, 0.3)));
        assert!(is_closed(&triangles_of(&Shape::Box { half: DVec3::ONE }, 0.5)));
        let plane = Shape::Plane { normal: DVec3::Y, half_size: 1.0 };
        let mesh = triangles_of(&plane, 0.3);
        assert!(!is_closed(&mesh));
        assert!(mesh.vertices.iter().all(|v| v.y.abs() < 1e-12));
        let [a, b, c] = mesh.triangles[0].map(|v| mesh.vertices[v as usize]);
        assert!((b - a).cross(c - a).y > 0.0, "it looks along its normal");
    }

    #[test]
    fn particles_fill_a_box_without_touching_its_sides() {
        let points = lattice(&Shape::Box { half: DVec3::splat(0.5) }, 0.25);
        assert_eq!(points.len(), 64);
    }
}
