//! How bodies become vertices, elements and surfaces: solids, shells, rods, particles, rigid bodies
//! and obstacles.

use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::ops::Range;

use glam::{DMat3, DVec3};

use crate::element::Element;
use crate::hinge::Hinge;
use crate::material::{Material, Model};
use crate::membrane::{Membrane, Sheet};
use crate::meshing::{TetMesh, Triangles};
use crate::pressure::Pressure;
use crate::rigid::{MassProperties, outer};
use crate::rod::{Bend, Stretch};
use crate::solids::{AffineFrame, Body, Hold, Solids};
use crate::surface::boundary;
use crate::tetrahedron::Tetrahedron;

/// What a body is made of and how it behaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Substance {
    /// Elasticity.
    pub material: Material,
    /// kg/m³
    pub density: f64,
    /// Dry friction.
    pub friction: f64,
    /// Rate at which all motion dies away, 1/s.
    pub drag: f64,
    /// τ of Kelvin-Voigt damping, s.
    pub damping: f64,
}

/// Why a mesh cannot become an elastic body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadElement {
    /// A tetrahedron, given by its number in the mesh, that is flat or inverted at rest.
    #[error("tetrahedron {0} has no volume or is inside out")]
    Tetrahedron(usize),
    /// A tetrahedron, given by its number, with a face that more than two tetrahedra share.
    #[error("tetrahedron {0} has a face that two others have as well")]
    Crowded(usize),
    /// A triangle, given by its number, of zero area.
    #[error("triangle {0} has no area")]
    Triangle(usize),
    /// A segment, given by its number, whose ends are at one place.
    #[error("segment {0} has no length")]
    Segment(usize),
    /// A body without any mass cannot move.
    #[error("it has no volume")]
    Empty,
}

impl Solids {
    /// Adds an elastic body that rests where it is and moves with `velocity`. Returns its number.
    pub fn add_body(
        &mut self,
        mesh: &TetMesh,
        substance: &Substance,
        velocity: impl Fn(DVec3) -> DVec3,
    ) -> Result<usize, BadElement> {
        let first = self.rest.len();
        let elements = tetrahedra(mesh, first, substance.material)?;
        self.add_moving_vertices(&mesh.vertices, substance, velocity);
        self.share_mass(&elements, substance);
        let faces = boundary(&mesh.tetrahedra);
        let triangles = self.add_triangles(&faces, first);
        let elements = elements.into_iter().map(Element::Tetrahedron).collect();
        Ok(self.finish(first, (elements, substance.damping), triangles))
    }

    /// Adds a shell of the given thickness: triangles that stretch and bend.
    pub fn add_shell(
        &mut self,
        (vertices, triangles): (&[DVec3], &[[u32; 3]]),
        substance: &Substance,
        (sheet, thickness): (Sheet, f64),
        velocity: impl Fn(DVec3) -> DVec3,
    ) -> Result<usize, BadElement> {
        let first = self.rest.len();
        let material = substance.material;
        let plate =
            material.young() * thickness.powi(3) / (12.0 * (1.0 - material.poisson().powi(2)));
        let mut elements = Vec::with_capacity(3 * triangles.len());
        for (k, &t) in triangles.iter().enumerate() {
            let rest = t.map(|v| vertices[v as usize]);
            let moved = t.map(|v| v + first as u32);
            let membrane = Membrane::new(moved, rest, material, sheet, thickness);
            elements.push(Element::Membrane(membrane.ok_or(BadElement::Triangle(k))?));
        }
        for corners in hinges(triangles) {
            let rest = corners.map(|v| vertices[v as usize]);
            let hinge = Hinge::new(corners.map(|v| v + first as u32), rest, plate);
            elements.push(Element::Hinge(hinge.ok_or(BadElement::Triangle(0))?));
        }
        self.add_moving_vertices(vertices, substance, velocity);
        self.offset[first..].fill(0.5 * thickness);
        let modulus = material.lambda + 2.0 * material.mu;
        for (k, t) in triangles.iter().enumerate() {
            let Element::Membrane(membrane) = &elements[k] else { continue };
            for v in t.map(|v| v as usize + first) {
                self.mass[v] += substance.density * membrane.volume / 3.0;
                self.stiffness_estimate[v] += modulus * thickness / 3.0;
            }
        }
        let triangles = self.add_triangles(triangles, first);
        Ok(self.finish(first, (elements, substance.damping), triangles))
    }

    /// Adds rods of the given radius: segments that stretch, and bend where exactly two of them
    /// meet.
    pub fn add_rod(
        &mut self,
        (vertices, segments): (&[DVec3], &[[u32; 2]]),
        substance: &Substance,
        radius: f64,
        velocity: impl Fn(DVec3) -> DVec3,
    ) -> Result<usize, BadElement> {
        let first = self.rest.len();
        let (young, section) = (substance.material.young(), PI * radius * radius);
        let second_moment = PI * radius.powi(4) / 4.0;
        let mut elements = Vec::with_capacity(2 * segments.len());
        let mut around: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (k, &[a, b]) in segments.iter().enumerate() {
            let rest = [a, b].map(|v| vertices[v as usize]);
            let stretch = Stretch::new([a, b].map(|v| v + first as u32), rest, young * section);
            elements.push(Element::Stretch(stretch.ok_or(BadElement::Segment(k))?));
            around.entry(a).or_default().push(b);
            around.entry(b).or_default().push(a);
        }
        for (&middle, ends) in &around {
            if let [a, c] = ends[..] {
                let corners = [a, middle, c];
                let rest = corners.map(|v| vertices[v as usize]);
                let bend =
                    Bend::new(corners.map(|v| v + first as u32), rest, young * second_moment);
                elements.extend(bend.map(Element::Bend));
            }
        }
        self.add_moving_vertices(vertices, substance, velocity);
        self.offset[first..].fill(radius);
        for &[a, b] in segments {
            let length = vertices[a as usize].distance(vertices[b as usize]);
            for v in [a, b].map(|v| v as usize + first) {
                self.mass[v] += 0.5 * substance.density * section * length;
                self.stiffness_estimate[v] += young * section / length;
            }
        }
        let moved: Vec<[u32; 2]> = segments.iter().map(|s| s.map(|v| v + first as u32)).collect();
        self.surface.add_segments(&moved, &self.rest, radius);
        let none = self.surface.triangles.len()..self.surface.triangles.len();
        Ok(self.finish(first, (elements, substance.damping), none))
    }

    /// Adds balls of the given radius that only meet others.
    pub fn add_particles(
        &mut self,
        centres: &[DVec3],
        substance: &Substance,
        radius: f64,
        velocity: impl Fn(DVec3) -> DVec3,
    ) -> usize {
        let first = self.rest.len();
        self.add_moving_vertices(centres, substance, velocity);
        self.offset[first..].fill(radius);
        self.mass[first..].fill(substance.density * 4.0 / 3.0 * PI * radius.powi(3));
        self.surface.add_particles(first as u32..self.rest.len() as u32, radius);
        let none = self.surface.triangles.len()..self.surface.triangles.len();
        self.finish(first, (Vec::new(), 0.0), none)
    }

    /// Adds a body that hardly deforms: all its vertices follow the four corners of an affine
    /// frame, so that it costs twelve unknowns (affine body dynamics, Lan et al. 2022). The frame
    /// is one tetrahedron of the energy V μ/4 |FᵀF − 1|², with V the volume of the body, and moves
    /// by F = (A, p). `mesh` says where its mass is, and its surface too, unless there is a
    /// `surface` of its own.
    pub fn add_rigid(
        &mut self,
        mesh: &TetMesh,
        surface: Option<&Triangles>,
        substance: &Substance,
        velocity: impl Fn(DVec3) -> DVec3,
    ) -> Result<usize, BadElement> {
        let first = self.rest.len();
        let matter = tetrahedra(mesh, first, substance.material)?;
        self.add_moving_vertices(&mesh.vertices, substance, &velocity);
        self.share_mass(&matter, substance);
        if let Some(surface) = surface {
            self.add_moving_vertices(&surface.vertices, substance, &velocity);
        }
        let (masses, places) = (&self.mass[first..], self.rest[first..].to_vec());
        let properties = MassProperties::of_points(masses, &places).ok_or(BadElement::Empty)?;
        let MassProperties { mass: whole, centre, second_moment } = properties;
        let size = places.iter().map(|x| x.distance(centre)).fold(0.0, f64::max);
        // The velocity that is affine and closest: A = (Σ m v rᵀ) (Σ m r rᵀ)⁻¹.
        let (mut drift, mut moved) = (DVec3::ZERO, DMat3::ZERO);
        for (m, &x) in masses.iter().zip(&places) {
            let (r, v) = (x - centre, velocity(x));
            drift += *m / whole * v;
            moved += *m * outer(v, r);
        }
        let turn = moved * second_moment.inverse();
        let affine = |x: DVec3| drift + turn * (x - centre);
        for (v, &x) in self.velocity[first..].iter_mut().zip(&places) {
            *v = affine(x);
        }
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|a| centre + size * a);
        let vertices = [0, 1, 2, 3].map(|k| self.rest.len() as u32 + k);
        for (place, frame) in places.iter().zip(&mut self.affine_frame[first..]) {
            let r = (*place - centre) / size;
            *frame = Some(AffineFrame {
                corners: vertices,
                weights: [1.0 - r.x - r.y - r.z, r.x, r.y, r.z],
            });
        }
        self.add_vertices(&corners, Hold::Free, substance.friction);
        for (v, x) in vertices.into_iter().zip(corners) {
            self.velocity[v as usize] = affine(x);
        }
        let (model, mu) = (Model::StVenantKirchhoff, substance.material.mu);
        let material = Material { model, mu, lambda: 0.0, may_invert: false };
        let frame = Tetrahedron::new(vertices, corners, material).ok_or(BadElement::Empty)?;
        let volume = matter.iter().map(|t| t.volume).sum();
        let frame = Element::Tetrahedron(Tetrahedron { volume, ..frame });
        let triangles = match surface {
            Some(surface) => self.add_triangles(&surface.triangles, first + mesh.vertices.len()),
            None => self.add_triangles(&boundary(&mesh.tetrahedra), first),
        };
        Ok(self.finish(first, (vec![frame], 0.0), triangles))
    }

    /// Adds a surface that stands still or goes where it is told. Returns its number.
    pub fn add_obstacle(
        &mut self,
        vertices: &[DVec3],
        triangles: &[[u32; 3]],
        hold: Hold,
        friction: f64,
    ) -> usize {
        let first = self.rest.len();
        self.add_vertices(vertices, hold, friction);
        let triangles = self.add_triangles(triangles, first);
        self.finish(first, (Vec::new(), 0.0), triangles)
    }

    /// Puts a pressure into body number `body`, the last one, whose surface is closed.
    pub fn add_pressure(&mut self, body: usize, pressure: f64) {
        let origin = self.centre(body).1;
        let triangles = self.surface.triangles[self.bodies[body].triangles.clone()].iter();
        let push = |&(vertices, _): &([u32; 3], f64)| Pressure { vertices, pressure, origin };
        let elements: Vec<Element> = triangles.map(push).map(Element::Pressure).collect();
        self.elements.extend(elements);
        self.damping.resize(self.elements.len(), 0.0);
        self.bodies[body].elements.end = self.elements.len();
    }

    pub(crate) fn add_moving_vertices(
        &mut self,
        vertices: &[DVec3],
        substance: &Substance,
        velocity: impl Fn(DVec3) -> DVec3,
    ) {
        let first = self.rest.len();
        self.add_vertices(vertices, Hold::Free, substance.friction);
        self.velocity[first..].iter_mut().zip(vertices).for_each(|(v, &x)| *v = velocity(x));
        self.drag[first..].fill(substance.drag);
    }

    fn share_mass(&mut self, elements: &[Tetrahedron], substance: &Substance) {
        let modulus = substance.material.lambda + 2.0 * substance.material.mu;
        for element in elements {
            for v in element.vertices.map(|v| v as usize) {
                self.mass[v] += substance.density * element.volume / 4.0;
                self.stiffness_estimate[v] += modulus * element.volume.cbrt() / 4.0;
            }
        }
    }

    fn add_vertices(&mut self, vertices: &[DVec3], hold: Hold, friction: f64) {
        let count = self.rest.len() + vertices.len();
        self.rest.extend_from_slice(vertices);
        self.position.extend_from_slice(vertices);
        self.velocity.resize(count, DVec3::ZERO);
        self.mass.resize(count, 0.0);
        self.hold.resize(count, hold);
        self.friction.resize(count, friction);
        self.drag.resize(count, 0.0);
        self.stiffness_estimate.resize(count, 0.0);
        self.offset.resize(count, 0.0);
        self.affine_frame.resize(count, None);
        self.locked.resize(count, [false; 3]);
    }

    pub(crate) fn add_triangles(&mut self, triangles: &[[u32; 3]], first: usize) -> Range<usize> {
        let before = self.surface.triangles.len();
        let moved: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| v + first as u32)).collect();
        self.surface.add(&moved, &self.rest);
        before..self.surface.triangles.len()
    }

    pub(crate) fn finish(
        &mut self,
        first: usize,
        (elements, damping): (Vec<Element>, f64),
        triangles: Range<usize>,
    ) -> usize {
        let before = self.elements.len();
        self.elements.extend(elements);
        self.damping.resize(self.elements.len(), damping);
        let (vertices, elements) = (first..self.rest.len(), before..self.elements.len());
        self.bodies.push(Body { vertices, elements, triangles });
        self.bodies.len() - 1
    }
}

fn tetrahedra(
    mesh: &TetMesh,
    first: usize,
    material: Material,
) -> Result<Vec<Tetrahedron>, BadElement> {
    let mut owners: BTreeMap<[u32; 3], u8> = BTreeMap::new();
    for (k, &[a, b, c, d]) in mesh.tetrahedra.iter().enumerate() {
        for mut face in [[a, b, c], [a, b, d], [a, c, d], [b, c, d]] {
            face.sort_unstable();
            let count = owners.entry(face).or_default();
            *count += 1;
            if *count > 2 {
                return Err(BadElement::Crowded(k));
            }
        }
    }
    let element = |(k, &t): (usize, &[u32; 4])| {
        let rest = t.map(|v| mesh.vertices[v as usize]);
        Tetrahedron::new(t.map(|v| v + first as u32), rest, material)
            .ok_or(BadElement::Tetrahedron(k))
    };
    mesh.tetrahedra.iter().enumerate().map(element).collect()
}

/// Pairs of triangles with a common edge: the ends of the edge and the two corners opposite.
fn hinges(triangles: &[[u32; 3]]) -> Vec<[u32; 4]> {
    let mut edges: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
    for t in triangles {
        for k in 0..3 {
            let (a, b, opposite) = (t[k], t[(k + 1) % 3], t[(k + 2) % 3]);
            edges.entry([a.min(b), a.max(b)]).or_default().push(opposite);
        }
    }
    let pairs = |([a, b], opposite): ([u32; 2], Vec<u32>)| {
        let next: Vec<[u32; 4]> = opposite.windows(2).map(|w| [a, b, w[0], w[1]]).collect();
        next
    };
    edges.into_iter().flat_map(pairs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_of_two_triangles_has_one_hinge_and_a_tetrahedron_six() {
        assert_eq!(hinges(&[[0, 1, 2], [0, 2, 3]]), [[0, 2, 1, 3]]);
        assert_eq!(hinges(&[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]).len(), 6);
    }
}
