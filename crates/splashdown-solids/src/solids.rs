//! Everything elastic in a simulation, and the obstacles it meets.

use std::ops::Range;

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::barrier::Gap;
use crate::element::Element;
use crate::quadratic::Sample;
use crate::surface::Surface;

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

/// Integration of elastic bodies in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Integrator {
    /// First order: motion dies away by itself, the sooner the longer the steps. A pendulum of 1 m
    /// loses a quarter of its swing in 6 s at steps of 5 ms.
    ImplicitEuler,
    // Backward differentiation, also where steps differ in length.
    /// Second order backward differences: keeps motion alive.
    #[default]
    Bdf2,
}

/// How a step is solved: the usual, or that with some fields changed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// How far apart surfaces are kept.
    pub gap: Gap,
    /// κ of the barrier at the beginning of a step, Pa.
    pub stiffness: f64,
    /// ε_v: contacts that slip more slowly than this stick, m/s.
    pub friction_speed: f64,
    /// How often friction is updated in a step at most; it is until it agrees with the normal
    /// forces.
    pub friction_updates: u32,
    /// Newton stops when it changes no velocity by more than this, m/s …
    pub tolerance: f64,
    /// … and the force that is left over on every body is below this share of those that are there.
    pub force_tolerance: f64,
    /// A step that needs more iterations has failed.
    pub max_iterations: u32,
    /// Accepts what that many iterations have found, which is allowed but no minimum: for
    /// measurements of speed.
    pub cut_short: Option<u32>,
    /// Integration in time.
    pub integrator: Integrator,
    /// Systems of more vertices than this are solved iteratively instead of by factorisation.
    pub direct_limit: usize,
    /// Looks for intersections and inverted elements after every step.
    pub verify: bool,
}

impl Default for Settings {
    /// For bodies of decimetres that are as soft as rubber. With size and stiffness change `gap`,
    /// `stiffness` and `tolerance`.
    fn default() -> Settings {
        Settings {
            gap: Gap { reach: 1e-3, thickness: 0.0 },
            stiffness: 1e4,
            friction_speed: 1e-3,
            friction_updates: 10,
            tolerance: 1e-3,
            force_tolerance: 1e-3,
            max_iterations: 100,
            cut_short: None,
            integrator: Integrator::default(),
            direct_limit: 40_000,
            verify: false,
        }
    }
}

impl Settings {
    /// These settings, changed.
    pub fn with(mut self, change: impl FnOnce(&mut Settings)) -> Settings {
        change(&mut self);
        self
    }
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

/// How a vertex of a rigid body follows the four corners of an affine frame: x = Σ wₖ cₖ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AffineFrame {
    /// The vertices that are its corners.
    pub corners: [u32; 4],
    /// w, of sum one.
    pub weights: [f64; 4],
}

/// Two bodies whose barrier has a reach of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Close {
    /// Their numbers, the smaller one first.
    pub bodies: [usize; 2],
    /// d̂ between them, m.
    pub reach: f64,
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
    /// Axes along which a vertex cannot move, whatever moves it; not for vertices of rigid bodies.
    pub locked: Vec<[bool; 3]>,
    /// Coefficient of dry friction; of two surfaces the geometric mean counts.
    pub friction: Vec<f64>,
    /// Rate at which motion is damped, 1/s.
    pub drag: Vec<f64>,
    /// About how stiff the elements around a vertex are, N/m.
    pub stiffness_estimate: Vec<f64>,
    /// Half the thickness of shells, the radius of rods and particles: what contact keeps free
    /// around a vertex, m.
    pub offset: Vec<f64>,
    /// What moves a vertex of a rigid body, which does not move by itself.
    pub affine_frame: Vec<Option<AffineFrame>>,
    /// All elements.
    pub elements: Vec<Element>,
    /// τ of each element: time of Kelvin-Voigt damping, s.
    pub damping: Vec<f64>,
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
    /// State: bodies that began close together, sorted.
    pub close: Vec<Close>,
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
    /// What velocities do not show yet.
    pub transit: Transit,
}

/// Momentum from outside that is on its way, as the next step knows it (`transit`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transit {
    /// A: the part of the outside in the force that each body shows, N; empty as long as nothing
    /// has pushed any from outside.
    pub force: Vec<DVec3>,
    /// τ of the last step, s.
    pub lag: f64,
}

impl Solids {
    /// Whether forces move vertex `v`.
    pub fn is_free(&self, v: u32) -> bool {
        self.hold[v as usize] == Hold::Free
    }

    /// Whether both vertices belong to the same rigid body, which cannot meet itself.
    pub fn same_frame(&self, a: u32, b: u32) -> bool {
        let frame = |v: u32| self.affine_frame[v as usize].map(|frame| frame.corners[0]);
        frame(a).is_some() && frame(a) == frame(b)
    }

    /// The body that vertex `v` belongs to.
    pub fn body_of(&self, v: u32) -> Option<usize> {
        self.bodies.iter().position(|body| body.vertices.contains(&(v as usize)))
    }

    /// The longest reach of a barrier between the bodies of two vertices.
    pub fn reach_between(&self, a: u32, b: u32) -> f64 {
        if self.close.is_empty() {
            return f64::INFINITY;
        }
        let found = self.close.binary_search_by_key(&self.bodies_of(a, b), |close| close.bodies);
        found.map_or(f64::INFINITY, |k| self.close[k].reach)
    }

    /// The numbers of the bodies of two vertices, the smaller one first.
    pub(crate) fn bodies_of(&self, a: u32, b: u32) -> [usize; 2] {
        let of = |v: u32| self.bodies.partition_point(|body| body.vertices.end <= v as usize);
        let [a, b] = [of(a), of(b)];
        [a.min(b), a.max(b)]
    }

    /// Elastic energy stored in a body, J.
    pub fn elastic_energy(&self, body: usize) -> f64 {
        let elements = &self.elements[self.bodies[body].elements.clone()];
        let stores = |e: &&Element| !matches!(e, Element::Pressure(_));
        elements.iter().filter(stores).map(|e| e.energy(&e.gather(&self.position))).sum()
    }

    /// Von Mises' measure of the stress in an element that is a solid, a membrane or a segment, Pa.
    pub fn stress(&self, element: &Element) -> Option<f64> {
        let x = &self.position;
        match element {
            Element::Tetrahedron(e) | Element::Sample(Sample { local: e, .. }) => {
                Some(e.von_mises(&element.gather(x)))
            }
            Element::Membrane(e) => Some(e.von_mises(x)),
            Element::Stretch(e) => {
                let [a, b] = e.vertices.map(|v| v as usize);
                let section = std::f64::consts::PI * self.offset[a].powi(2);
                Some((e.strain(&[x[a], x[b], x[b], x[b]]) * e.stiffness / section).abs())
            }
            Element::Hinge(_) | Element::Bend(_) | Element::Pressure(_) => None,
        }
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
