//! Elastic bodies and how they are solved.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use splashdown_solids::material::Model;
use splashdown_solids::solids::{Integrator, Settings};

use super::shape::BoxShape;
use super::{Copies, Motion, Rotation, Scatter, SolidShape, Vector};

/// A body that bends, stretches and never passes through others: a solid, a shell, a rod,
/// particles, or a rigid body among these.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Elastic {
    /// Unique; letters, digits, `-` and `_`.
    pub name: String,
    /// What it is made of: tetrahedra, triangles, segments or points.
    #[serde(default)]
    pub kind: ElasticKind,
    /// One of several shapes. A closed one is filled with tetrahedra (`solid`, `rigid`) or
    /// particles, or its surface is covered with triangles (`shell`); a shell may also be a
    /// `plane`, or a mesh, whose triangles are taken as they are.
    #[serde(default)]
    pub shape: Option<SolidShape>,
    /// Instead of a shape, for `solid` and `rigid`: tetrahedra from a file.
    #[serde(default)]
    pub tetrahedra: Option<TetrahedraFile>,
    /// Instead of a shape: the corners of a rod, which is cut into segments of about
    /// `element_size`; or the centres of particles.
    #[serde(default)]
    #[schemars(extend("x-unit" = "m"))]
    pub points: Vec<Vector>,
    /// Joins the last corner of a rod to the first.
    #[serde(default)]
    pub closed: bool,
    /// Thickness of a shell; diameter of a rod or of particles. Surfaces keep so far apart.
    /// Elements must be longer than that.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub thickness: Option<f64>,
    /// Where its centre is. Not set: the origin, or given by the corners of a box.
    #[serde(default)]
    #[schemars(extend("x-unit" = "m"))]
    pub at: Option<Vector>,
    /// Turns it about its centre.
    #[serde(default)]
    pub rotate: Rotation,
    /// Density at rest.
    #[serde(default = "water")]
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "kg/m³"))]
    pub density: f64,
    /// Stiffness: the stress that would double its length, if it stayed as stiff. Jelly has 1e4,
    /// rubber 1e6 to 1e7, wood 1e10.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1e13, "x-unit" = "Pa"))]
    pub youngs_modulus: f64,
    /// How much it narrows when it is stretched. At 0.5 it would keep its volume; linear elements
    /// become too stiff before that, quadratic ones do not.
    #[serde(default = "usual_ratio")]
    #[schemars(extend("minimum" = 0, "maximum" = 0.495))]
    pub poissons_ratio: f64,
    /// Its energy of deformation.
    #[serde(default)]
    pub material: Model,
    /// About how long the edges of its tetrahedra are. Not set: `simulation.spacing`.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub element_size: Option<f64>,
    /// The same in spacings: elements become finer with the fluid.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1000))]
    pub element_spacings: Option<f64>,
    /// How its tetrahedra deform, for `solid`.
    #[serde(default)]
    pub elements: ElasticElements,
    /// Velocity at the start.
    #[serde(default)]
    #[schemars(extend("x-unit" = "m/s"))]
    pub velocity: Option<Vector>,
    /// Rate at which its motion dies away, as in a thick medium (mass-proportional damping).
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "x-unit" = "1/s"))]
    pub damping: f64,
    /// Kelvin-Voigt damping: stress is larger by this time times the rate at which it grows.
    /// Deformations die away, other motion does not. Bending of rods is not damped, and so are
    /// rigid bodies and particles.
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "x-unit" = "s"))]
    pub damping_time: f64,
    /// Pressure inside, above that outside. Its surface must be closed.
    #[serde(default)]
    #[schemars(extend("x-unit" = "Pa"))]
    pub pressure: f64,
    /// Coefficient of dry friction μ; between two surfaces the geometric mean of theirs counts. Not
    /// set: 0.5.
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "maximum" = 10))]
    pub friction: Option<f64>,
    /// Parts of it that are held, or move as told. A rigid body that is held by one vertex turns
    /// about it, by two about the line between them.
    #[serde(default)]
    pub hold: Vec<Hold>,
    /// Repeats it; every further entry repeats what the ones before it made. Copies are named
    /// `NAME-1`, `NAME-2` …
    #[serde(default)]
    #[schemars(extend("maxItems" = 8))]
    pub copies: Vec<Copies>,
    /// Disorder among copies.
    #[serde(default)]
    pub scatter: Option<Scatter>,
}

impl Elastic {
    /// About how long its elements are, m.
    pub fn size(&self, spacing: f64) -> f64 {
        let relative = self.element_spacings.unwrap_or(1.0);
        self.element_size.unwrap_or(relative * spacing)
    }
}

/// What an elastic body is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ElasticKind {
    /// Tetrahedra.
    #[default]
    Solid,
    /// Triangles that stretch and bend: cloth, sheets, balloons.
    Shell,
    /// Segments that stretch and bend: ropes, wires, hair. They are straight by nature.
    Rod,
    /// Balls that only meet others.
    Particles,
    /// A body that hardly deforms, of twelve unknowns (Lan et al. 2022).
    Rigid,
}

/// How tetrahedra deform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ElasticElements {
    /// Evenly, with four vertices each. Too stiff in bending where few lie across, and near a ratio
    /// of 0.5.
    #[default]
    Linear,
    /// Also bent, with ten vertices each: in all as many as linear ones of half the size have.
    Quadratic,
}

/// A tetrahedral mesh: Gmsh (`.msh`, 2.x or 4.1), VTK (`.vtk`) or VTK XML (`.vtu`), as text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TetrahedraFile {
    /// The file, relative to the scene file.
    pub file: String,
    /// Factor from the file's unit to metres.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub scale: f64,
}

/// Vertices of an elastic body that are held, or move as told: those that lie in a box at the
/// start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hold {
    /// The box.
    #[serde(rename = "box")]
    pub region: BoxShape,
    /// Where its centre is. Not set: the origin, or given by its corners.
    #[serde(default)]
    #[schemars(extend("x-unit" = "m"))]
    pub at: Option<Vector>,
    /// Prescribed motion. Not set: they stand still.
    #[serde(default)]
    pub motion: Option<Motion>,
    /// Lets them go at this time. Not set: never.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "s"))]
    pub end: Option<f64>,
    /// Holds them along some axes only, as rollers do: x, y, z. Excludes `motion` and `end`. Not
    /// set: along all.
    #[serde(default)]
    pub axes: Option<[bool; 3]>,
}

/// How elastic bodies and their contacts are solved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ElasticSolver {
    /// Surfaces push each other when they are closer than this. Not set: a tenth of
    /// `simulation.spacing`. Two bodies that start closer together than that push each other only
    /// when they are closer than at the start (or than a thousandth of this) until they have
    /// parted: what lies close together is not pushed apart.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub contact_distance: Option<f64>,
    /// How hard they do. Not set: a tenth of Young's modulus of the softest body. It rises by
    /// itself where surfaces come too close.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "Pa"))]
    pub contact_stiffness: Option<f64>,
    /// Contacts that slip more slowly than this stick.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m/s"))]
    pub friction_speed: f64,
    /// A step updates friction until it agrees with the normal forces within 5 %, at most so often.
    #[schemars(range(min = 1, max = 100))]
    pub friction_updates: u32,
    /// Newton's iteration stops when it changes no velocity by more than this, and forces balance.
    /// Not set: 0.05
    /// spacings per second.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m/s"))]
    pub tolerance: Option<f64>,
    /// Forces on a body balance when what is left over is below this share of those that are there:
    /// weight, contact, pressure, inertia, and what holds it.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub force_tolerance: f64,
    /// A step that needs more iterations is tried again at half its length.
    #[schemars(range(min = 1, max = 10_000))]
    pub max_iterations: u32,
    /// Integration in time.
    pub integrator: Integrator,
    /// Systems of more vertices than this are solved by conjugate gradients instead of
    /// factorisation, which takes less memory.
    #[schemars(range(min = 0, max = 4_294_967_295u32))]
    pub direct_limit: usize,
    /// Looks for intersections and inverted elements after every step, and stops if there is one.
    pub verify: bool,
}

impl Default for ElasticSolver {
    fn default() -> Self {
        let usual = Settings::default();
        ElasticSolver {
            contact_distance: None,
            contact_stiffness: None,
            friction_speed: usual.friction_speed,
            friction_updates: usual.friction_updates,
            tolerance: None,
            force_tolerance: usual.force_tolerance,
            max_iterations: usual.max_iterations,
            integrator: usual.integrator,
            direct_limit: usual.direct_limit,
            verify: usual.verify,
        }
    }
}

fn one() -> f64 {
    1.0
}

fn water() -> f64 {
    1000.0
}

fn usual_ratio() -> f64 {
    0.3
}
