//! Into how many pieces an elastic body is cut, known before it is.

use std::path::Path;

use super::file::{self, ElasticElements, ElasticKind};
use super::needs::whole;
use crate::math::DVec3;
use crate::shapes::Shape;

/// Bytes per vertex of a system that is solved by conjugate gradients: elements, matrix, contacts.
const BYTES_PER_VERTEX: f64 = 7000.0;
/// Bytes per vertex of what factorisation adds, times the cube root of how many there are: a cube
/// of 9300 vertices took 28 kB for each, one of 30 000 took 32 kB.
const BYTES_OF_FACTOR: f64 = 1000.0;
/// Bytes per vertex of rods and particles.
const BYTES_PER_POINT: f64 = 3000.0;
/// Bytes per cell of a lattice that is cut at a surface.
const BYTES_PER_CELL: f64 = 800.0;
/// A file of tetrahedra has at most one vertex for so many bytes: three numbers, and its share of
/// elements.
const BYTES_IN_FILE: u64 = 60;

/// How much there is of an elastic body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pieces {
    pub vertices: u128,
    /// Tetrahedra, triangles, segments or points.
    pub elements: u128,
    /// Bytes that cutting it takes.
    pub making: u128,
}

impl Pieces {
    /// Of a shape that is cut into pieces of about `written.element_size`.
    pub(super) fn of_shape(shape: &Shape, written: &file::Elastic, spacing: f64) -> Pieces {
        let size = written.size(spacing);
        let counts = shape.bounds().size() / size;
        let cells = |more: f64| (counts.max(DVec3::ONE) + more).element_product();
        // Points in the middle of edges: as many as there are of half the size.
        let finer = if written.elements == ElasticElements::Quadratic { 8.0 } else { 1.0 };
        let (vertices, elements, making) = match (shape, written.kind) {
            (Shape::Plane { half_size, .. }, _) => {
                let across = 2.0 * half_size / size + 2.0;
                (1.2 * across * across, 2.4 * across * across, 0.0)
            }
            (Shape::Mesh(mesh), ElasticKind::Shell) => {
                let surface = mesh.surface();
                (surface.vertices.len() as f64, surface.triangles.len() as f64, 0.0)
            }
            (_, ElasticKind::Particles) => (cells(1.0), cells(1.0), 0.0),
            (Shape::Box { .. }, _) => (finer * cells(1.0), 6.0 * cells(0.0), 0.0),
            _ => (finer * 2.0 * cells(2.0), 12.0 * cells(1.0), BYTES_PER_CELL * cells(3.0)),
        };
        // Its own surface besides the tetrahedra that weigh it.
        let surface = match written.kind {
            ElasticKind::Rigid => shape.surface().vertices.len() as f64,
            _ => 0.0,
        };
        let vertices = vertices + surface;
        Pieces { vertices: whole(vertices), elements: whole(elements), making: whole(making) }
    }

    /// Of a rod along points, or of the points themselves.
    pub(super) fn of_points(written: &file::Elastic, spacing: f64) -> Pieces {
        let size = written.size(spacing);
        let corners: Vec<DVec3> = written.points.iter().map(|p| p.to_dvec3()).collect();
        let ends = corners.iter().skip(1).chain(corners.first().filter(|_| written.closed));
        let parts = corners.iter().zip(ends).map(|(a, b)| (a.distance(*b) / size).max(1.0));
        let count = match written.kind {
            ElasticKind::Rod => whole(parts.sum::<f64>() + 1.0),
            _ => corners.len() as u128,
        };
        Pieces { vertices: count, elements: count, making: 0 }
    }

    /// Of a file of tetrahedra, by its length.
    pub(super) fn in_file(path: &Path) -> Pieces {
        let length = std::fs::metadata(path).map_or(0, |file| file.len());
        let vertices = u128::from(length / BYTES_IN_FILE);
        Pieces { vertices, elements: 6 * vertices, making: 0 }
    }

    /// What one body takes while it moves.
    pub(super) fn bytes(&self, written: &file::Elastic, direct_limit: usize) -> u128 {
        match written.kind {
            ElasticKind::Rod | ElasticKind::Particles => {
                whole(self.vertices as f64 * BYTES_PER_POINT)
            }
            _ => {
                let vertices = self.vertices as f64;
                let is_direct = vertices <= direct_limit as f64;
                let factor = if is_direct { BYTES_OF_FACTOR * vertices.cbrt() } else { 0.0 };
                whole(vertices * (BYTES_PER_VERTEX + factor))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use crate::scene::convert::Converter;
    use crate::scene::errors::Report;

    /// The pieces that were foreseen, and the vertices and elements that there are.
    fn pieces(body: &str) -> (Pieces, u128, u128) {
        let text = format!(
            "simulation.spacing = 0.1\n[[elastic]]\nname = \"e\"\nyoungs_modulus = 1e5\n{body}\n"
        );
        let scene = Scene::parse("pieces", &text, "", &[]).unwrap();
        let written = &scene.file.elastic[0];
        let foreseen = match &written.shape {
            Some(_) => {
                let mut report = Report::new(&scene.source);
                let mut convert = Converter::new(&scene.file, &scene.directory, &mut report);
                let geometry = convert.elastic_place("elastic[0]", written).0.unwrap();
                Pieces::of_shape(&convert.load(&geometry).unwrap(), written, 0.1)
            }
            None => Pieces::of_points(written, 0.1),
        };
        let solids = scene.build().unwrap().world.elastic.solids;
        (foreseen, solids.rest.len() as u128, solids.elements.len() as u128)
    }

    #[test]
    fn counts_are_bounds_for_every_kind_of_body() {
        for body in [
            "shape.box = { size = [1, 0.5, 0.3] }",
            "shape.box = { size = [1, 0.5, 0.3] }\nelements = \"quadratic\"",
            "shape.sphere = { radius = 0.4 }",
            "shape.capsule = { radius = 0.1, height = 2 }",
            "kind = \"rigid\"\nshape.duck = { length = 1 }",
            "kind = \"shell\"\nthickness = 0.01\nshape.plane = { size = 1 }",
            "kind = \"shell\"\nthickness = 0.01\nshape.sphere = { radius = 0.5 }",
            "kind = \"particles\"\nthickness = 0.05\nshape.box = { size = [1, 1, 1] }",
            "kind = \"particles\"\nthickness = 0.05\npoints = [[0, 0, 0], [1, 0, 0]]",
            "kind = \"rod\"\nthickness = 0.01\npoints = [[0, 0, 0], [1, 0, 0], [1, 5, 0]]",
        ] {
            let (foreseen, vertices, elements) = pieces(body);
            assert!(
                vertices > 0 && vertices <= foreseen.vertices,
                "{body}: {foreseen:?}, {vertices}"
            );
            // Bending of rods and shells counts as elements, too, and every fourth part of a bent
            // tetrahedron.
            let most = match body {
                _ if body.contains("quadratic") => 4,
                _ if body.contains("rod") || body.contains("shell") => 3,
                _ => 1,
            };
            assert!(elements <= most * foreseen.elements, "{body}: {foreseen:?}, {elements}");
        }
    }
}
