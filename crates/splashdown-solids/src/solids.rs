//! Everything elastic in a simulation, and the obstacles it meets.

use std::ops::Range;

use glam::DVec3;

use crate::barrier::Gap;
use crate::material::Material;
use crate::meshing::TetMesh;
use crate::surface::{Surface, boundary};
use crate::tetrahedron::Tetrahedron;

/// What moves a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// The forces on it.
    Free,
    /// Nothing.
    Fixed,
    /// It goes where it is told.
    Driven,
}

/// How the motion is integrated in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Integrator {
    /// First order; loses energy.
    #[default]
    ImplicitEuler,
    /// Second order (backward differentiation), also where steps differ in length.
    Bdf2,
}

/// How a step is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How far apart surfaces are kept.
    pub gap: Gap,
    /// κ of the barrier at the beginning of a step, Pa.
    pub stiffness: f64,
    /// ε_v: contacts that slip more slowly than this stick, m/s.
    pub friction_speed: f64,
    /// How often friction is updated in a step.
    pub friction_updates: u32,
    /// Newton stops when no vertex would move faster than this, m/s.
    pub tolerance: f64,
    /// A step that needs more iterations has failed.
    pub max_iterations: u32,
    /// Integration in time.
    pub integrator: Integrator,
    /// Looks for intersections and inverted elements after every step.
    pub verify: bool,
}

/// A body, as ranges of vertices and elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its vertices.
    pub vertices: Range<usize>,
    /// Its elements; none of an obstacle.
    pub elements: Range<usize>,
    /// Its surface.
    pub triangles: Range<usize>,
}

/// All bodies, vertex by vertex.
#[derive(Clone, Debug, Default)]
pub struct Solids {
    /// Which vertices belong to what.
    pub bodies: Vec<Body>,
    /// Places at rest, m.
    pub rest: Vec<DVec3>,
    /// kg; zero for obstacles.
    pub mass: Vec<f64>,
    /// What moves each vertex.
    pub hold: Vec<Hold>,
    /// Coefficient of dry friction; of two surfaces the geometric mean counts.
    pub friction: Vec<f64>,
    /// Rate at which motion is damped, 1/s.
    pub drag: Vec<f64>,
    /// About how stiff the elements around a vertex are, N/m.
    pub firmness: Vec<f64>,
    /// All elements.
    pub elements: Vec<Tetrahedron>,
    /// All surfaces.
    pub surface: Surface,
    /// State: places, m.
    pub position: Vec<DVec3>,
    /// State: m/s.
    pub velocity: Vec<DVec3>,
    /// State: the step before, which BDF2 looks back at.
    pub past: Past,
    /// State: κ at the end of the last step, Pa; zero before the first.
    pub stiffness: f64,
}

/// Where everything was one step before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// m; empty before the first step.
    pub position: Vec<DVec3>,
    /// m/s
    pub velocity: Vec<DVec3>,
    /// Length of the last step, s.
    pub dt: f64,
}

/// What a body is made of and how it behaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Substance {
    /// Elasticity.
    pub material: Material,
    /// kg/m³
    pub density: f64,
    /// Dry friction.
    pub friction: f64,
    /// 1/s
    pub drag: f64,
}

/// The element of a mesh that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("tetrahedron {0} has no volume or is inside out")]
pub struct BadElement(pub usize);

impl Solids {
    /// Adds an elastic body that rests where it is and moves with `velocity`. Returns its number.
    pub fn add_body(
        &mut self,
        mesh: &TetMesh,
        substance: &Substance,
        velocity: impl Fn(DVec3) -> DVec3,
    ) -> Result<usize, BadElement> {
        let first = self.rest.len();
        let moved = |v: u32| v + first as u32;
        let mut elements = Vec::with_capacity(mesh.tetrahedra.len());
        for (k, &t) in mesh.tetrahedra.iter().enumerate() {
            let rest = t.map(|v| mesh.vertices[v as usize]);
            let element = Tetrahedron::new(t.map(moved), rest, substance.material);
            elements.push(element.ok_or(BadElement(k))?);
        }
        self.add_vertices(&mesh.vertices, Hold::Free, substance.friction);
        self.velocity[first..].iter_mut().zip(&mesh.vertices).for_each(|(v, &x)| *v = velocity(x));
        self.drag[first..].fill(substance.drag);
        let modulus = substance.material.lambda + 2.0 * substance.material.mu;
        for element in &elements {
            for v in element.vertices.map(|v| v as usize) {
                self.mass[v] += substance.density * element.volume / 4.0;
                self.firmness[v] += modulus * element.volume.cbrt() / 4.0;
            }
        }
        let elements_before = self.elements.len();
        self.elements.extend(elements);
        let faces: Vec<[u32; 3]> =
            boundary(&mesh.tetrahedra).into_iter().map(|t| t.map(moved)).collect();
        let triangles = self.add_triangles(&faces);
        let (vertices, elements) = (first..self.rest.len(), elements_before..self.elements.len());
        self.bodies.push(Body { vertices, elements, triangles });
        Ok(self.bodies.len() - 1)
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
        let moved: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| v + first as u32)).collect();
        let triangles = self.add_triangles(&moved);
        let elements = self.elements.len()..self.elements.len();
        self.bodies.push(Body { vertices: first..self.rest.len(), elements, triangles });
        self.bodies.len() - 1
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
        self.firmness.resize(count, 0.0);
    }

    fn add_triangles(&mut self, triangles: &[[u32; 3]]) -> Range<usize> {
        let before = self.surface.triangles.len();
        self.surface.add(triangles, &self.rest);
        before..self.surface.triangles.len()
    }

    /// Whether forces move vertex `v`.
    pub fn is_free(&self, v: u32) -> bool {
        self.hold[v as usize] == Hold::Free
    }

    /// The body that vertex `v` belongs to.
    pub fn body_of(&self, v: u32) -> Option<usize> {
        self.bodies.iter().position(|body| body.vertices.contains(&(v as usize)))
    }

    /// Elastic energy stored in a body, J.
    pub fn elastic_energy(&self, body: usize) -> f64 {
        let elements = &self.elements[self.bodies[body].elements.clone()];
        elements.iter().map(|e| e.energy(&e.vertices.map(|v| self.position[v as usize]))).sum()
    }

    /// Kinetic energy of a body, J.
    pub fn kinetic_energy(&self, body: usize) -> f64 {
        let range = self.bodies[body].vertices.clone();
        let each = self.mass[range.clone()].iter().zip(&self.velocity[range]);
        each.map(|(m, v)| 0.5 * m * v.length_squared()).sum()
    }

    /// Mass (kg) and centre of mass of a body.
    pub fn centre(&self, body: usize) -> (f64, DVec3) {
        let range = self.bodies[body].vertices.clone();
        let mass: f64 = self.mass[range.clone()].iter().sum();
        let each = self.mass[range.clone()].iter().zip(&self.position[range]);
        (mass, each.map(|(m, x)| *m * *x).sum::<DVec3>() / mass.max(f64::MIN_POSITIVE))
    }

    /// Momentum of a body, kg m/s.
    pub fn momentum(&self, body: usize) -> DVec3 {
        let range = self.bodies[body].vertices.clone();
        self.mass[range.clone()].iter().zip(&self.velocity[range]).map(|(m, v)| *m * *v).sum()
    }
}
