//! Everything that stores elastic energy, in one list.
//!
//! Every element is looked at through four points. They are its vertices; elements that have fewer
//! repeat their last one, by which their energy does not change, and those that have more blend
//! them (`quadratic.rs`).

use glam::DVec3;

use crate::hinge::Hinge;
use crate::membrane::Membrane;
use crate::pressure::Pressure;
use crate::quadratic::Sample;
use crate::rod::{Bend, Stretch};
use crate::tetrahedron::Tetrahedron;
use splashdown_solve::dense::Mat12;

/// One element.
#[derive(Clone, Debug, PartialEq)]
pub enum Element {
    /// Of a solid.
    Tetrahedron(Tetrahedron),
    /// Of a solid, a quarter of a quadratic one.
    Sample(Sample),
    /// Of a shell, in its plane.
    Membrane(Membrane),
    /// Of a shell, across an edge.
    Hinge(Hinge),
    /// Of a rod, along a segment.
    Stretch(Stretch),
    /// Of a rod, between two segments.
    Bend(Bend),
    /// Of a closed surface with a pressure inside, which stores no elastic energy.
    Pressure(Pressure),
}

impl Element {
    /// Its vertices, or the corners of a quadratic one.
    pub fn corners(&self) -> [u32; 4] {
        match self {
            Element::Tetrahedron(e) | Element::Sample(Sample { local: e, .. }) => e.vertices,
            Element::Hinge(e) => e.vertices,
            Element::Membrane(Membrane { vertices: [a, b, c], .. })
            | Element::Bend(Bend { vertices: [a, b, c], .. })
            | Element::Pressure(Pressure { vertices: [a, b, c], .. }) => [*a, *b, *c, *c],
            Element::Stretch(Stretch { vertices: [a, b], .. }) => [*a, *b, *b, *b],
        }
    }

    /// The tetrahedron of its four points, if it is one.
    pub fn tetrahedron(&self) -> Option<&Tetrahedron> {
        match self {
            Element::Tetrahedron(e) | Element::Sample(Sample { local: e, .. }) => Some(e),
            _ => None,
        }
    }

    /// The same, if it must not be turned inside out.
    pub fn upright(&self) -> Option<&Tetrahedron> {
        self.tetrahedron().filter(|e| !e.material.may_invert)
    }

    /// From now on it may be turned inside out, if its material survives that.
    pub fn let_invert(&mut self) {
        if let Element::Tetrahedron(e) | Element::Sample(Sample { local: e, .. }) = self {
            e.material.may_invert = e.material.model.survives_inversion();
        }
    }

    /// Whether it is one by itself, or the first of the four samples of a quadratic one.
    pub fn is_first(&self) -> bool {
        !matches!(self, Element::Sample(Sample { point: 1.., .. }))
    }

    /// What vertices have, at its four points.
    pub fn gather(&self, of_vertex: &[DVec3]) -> [DVec3; 4] {
        match self {
            Element::Sample(e) => e.gather(of_vertex),
            _ => self.corners().map(|v| of_vertex[v as usize]),
        }
    }

    /// Adds derivatives by its four points to those by the vertices.
    pub fn scatter(&self, parts: &[DVec3; 4], by_vertex: &mut [DVec3]) {
        match self {
            Element::Sample(e) => e.scatter(parts, by_vertex),
            _ => {
                for (v, part) in self.corners().into_iter().zip(parts) {
                    by_vertex[v as usize] += *part;
                }
            }
        }
    }

    /// J
    pub fn energy(&self, x: &[DVec3; 4]) -> f64 {
        match self {
            Element::Tetrahedron(e) | Element::Sample(Sample { local: e, .. }) => e.energy(x),
            Element::Membrane(e) => e.energy(x),
            Element::Hinge(e) => e.energy(x),
            Element::Stretch(e) => e.energy(x),
            Element::Bend(e) => e.energy(x),
            Element::Pressure(e) => e.energy(x),
        }
    }

    /// Derivatives of the energy by its points, N.
    pub fn gradient(&self, x: &[DVec3; 4]) -> [DVec3; 4] {
        match self {
            Element::Tetrahedron(e) | Element::Sample(Sample { local: e, .. }) => e.gradient(x),
            Element::Membrane(e) => e.gradient(x),
            Element::Hinge(e) => e.gradient(x),
            Element::Stretch(e) => e.gradient(x),
            Element::Bend(e) => e.gradient(x),
            Element::Pressure(e) => e.gradient(x),
        }
    }

    /// Second derivatives, N/m; without negative eigenvalues if `project`.
    pub fn hessian(&self, x: &[DVec3; 4], project: bool) -> Mat12 {
        match self {
            Element::Tetrahedron(e) | Element::Sample(Sample { local: e, .. }) => {
                e.hessian(x, project)
            }
            Element::Membrane(e) => e.hessian(x, project),
            Element::Hinge(e) => e.hessian(x, project),
            Element::Stretch(e) => e.hessian(x, project),
            Element::Bend(e) => e.hessian(x, project),
            Element::Pressure(e) => e.hessian(x, project),
        }
    }
}
