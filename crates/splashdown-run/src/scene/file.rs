//! What a user may write into a scene file, as plain structs with defaults.
//!
//! The comments of the public fields are the manual: they become the JSON Schema and
//! `docs/scene.md`. Ranges and units stand beside them as schema attributes, and reading a scene
//! obeys these.

pub mod body;
pub mod elastic;
pub mod fluid_contact;
pub mod generated_shapes;
pub mod grid;
pub mod objects;
pub mod shape;
pub mod shower;
pub mod surface;
pub mod values;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use body::{Copies, Coupling, DEFAULT_FRICTION, Friction, Lock, Motor, Overlap, Scatter};
pub use elastic::{Elastic, ElasticElements, ElasticKind, ElasticSolver, Hold, TetrahedraFile};
pub use fluid_contact::FluidContact;
pub use grid::Grid;
pub use objects::{
    BoxOpening, ConstantMotion, DiscOpening, Emitter, ExpressionMotion, Fill, Fluid, FluidSide,
    Keyframe, KeyframeMotion, Motion, Opening, Probe, Sink, Solid,
};
pub use shape::{FillShape, SolidShape};
pub use shower::Shower;
pub use values::{Number, Rotation, Vector, VectorField};

use crate::output::formats::{self, Format};
use crate::particles::kernel::KernelKind;
use crate::world::{
    BoundaryPressure, FluidTension, LinearSolver, PressureSettings, PressureSolver,
};

/// A scene of Splashdown: fluids, solids, where fluid enters and leaves, and what to write.
/// All quantities are in SI units, angles in degrees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SceneFile {
    /// A name for people.
    #[serde(default)]
    pub title: String,
    /// What there is to see.
    #[serde(default)]
    pub description: String,
    /// Space, resolution and duration.
    pub simulation: Simulation,
    /// How the time step is chosen.
    #[serde(default)]
    pub time_step: TimeStep,
    /// How the fluids are kept incompressible.
    #[serde(default)]
    pub pressure: Pressure,
    /// A liquid of one density and viscosity. Write one `[[fluid]]` for each.
    #[serde(default)]
    pub fluid: Vec<Fluid>,
    /// How surface tension is computed. Fluids have one if their `surface` says so.
    #[serde(default)]
    pub surface: surface::Surface,
    /// How rigid bodies are coupled to fluids and to each other.
    #[serde(default)]
    pub coupling: Coupling,
    /// The grid of `coupling.method = "elastomonolith"`.
    #[serde(default)]
    pub grid: Grid,
    /// A body that stands still or moves as told (a tank, an obstacle, a stirrer), or, with a
    /// `density` or `mass`, a rigid body that moves by the forces on it.
    #[serde(default)]
    pub solid: Vec<Solid>,
    /// Dry friction between particular solids.
    #[serde(default)]
    pub friction: Vec<Friction>,
    /// A body that bends, stretches and never passes through others, dry or in fluids. In 3D only,
    /// and not yet together with rigid bodies that are a `[[solid]]`.
    #[serde(default)]
    pub elastic: Vec<Elastic>,
    /// How elastic bodies and their contacts are solved.
    #[serde(default)]
    pub elastic_solver: ElasticSolver,
    /// How surfaces keep fluid off.
    #[serde(default)]
    pub fluid_contact: FluidContact,
    /// An opening from which fluid flows.
    #[serde(default)]
    pub emitter: Vec<Emitter>,
    /// Single drops, one after the other: rain, or a printer.
    #[serde(default)]
    pub shower: Vec<Shower>,
    /// A box in which fluid disappears.
    #[serde(default)]
    pub sink: Vec<Sink>,
    /// A point at which the fluid, or an elastic body, is measured once per frame.
    #[serde(default)]
    pub probe: Vec<Probe>,
    /// What a run writes.
    #[serde(default)]
    pub output: Output,
}

/// Space, resolution and duration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Simulation {
    /// 2 or 3. A 2D scene lies in the plane z = 0 and is one metre deep; its vectors may have two
    /// components.
    #[serde(default = "three")]
    #[schemars(range(min = 2, max = 3))]
    pub dimension: u8,
    /// Distance between neighbouring particles at rest. Halving it makes eight times as many
    /// particles (four times in 2D) and at least twice as many steps.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub spacing: f64,
    /// Acceleration of free fall.
    #[serde(default = "earth")]
    #[schemars(extend("x-unit" = "m/s²"))]
    pub gravity: Vector,
    /// How long to simulate.
    #[serde(default = "two_seconds")]
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "s"))]
    pub duration: f64,
    /// The weight of neighbouring particles.
    #[serde(default)]
    pub kernel: KernelKind,
    /// What leaves this box is out: fluid is removed and counted in `log.csv`, a rigid body stays
    /// where it left. Not set: a box that reaches four times the longest edge of the scene beyond
    /// it on all sides, and farther where jets, bodies or prescribed motions are so fast that what
    /// they throw could still come back.
    #[serde(default)]
    pub bounds: Option<Bounds>,
}

/// A box along the axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// Lower corner.
    #[schemars(extend("x-unit" = "m"))]
    pub min: Vector,
    /// Upper corner.
    #[schemars(extend("x-unit" = "m"))]
    pub max: Vector,
}

/// How the time step is chosen: from the speed of the fluid (`cfl`, `min`, `max`), or `fixed`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TimeStep {
    /// Always this step, only cut where a frame is due. Excludes the other keys. Not set: the step
    /// adapts.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "s"))]
    pub fixed: Option<f64>,
    /// Share of the spacing that the fastest particle may travel in one step, at most 2. With
    /// `coupling.method = "elastomonolith"`: of a cell, at most 5, and 1 if it is not set.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 5, "default" = DEFAULT_CFL))]
    pub cfl: Option<f64>,
    /// No step is shorter, except to meet a frame.
    #[schemars(extend("exclusiveMinimum" = 0, "default" = DEFAULT_MIN_STEP, "x-unit" = "s"))]
    pub min: Option<f64>,
    /// No step is longer. With `coupling.method = "elastomonolith"` 0.02 if it is not set.
    #[schemars(extend("exclusiveMinimum" = 0, "default" = DEFAULT_MAX_STEP, "x-unit" = "s"))]
    pub max: Option<f64>,
}

/// Share of the spacing that the fastest particle may travel in one step, unless told otherwise.
pub const DEFAULT_CFL: f64 = 0.4;
/// Share of a cell that the fastest particle may travel in a step with a grid, unless told
/// otherwise.
pub const DEFAULT_CELLS: f64 = 1.0;
/// Longest adaptive time step with a grid unless told otherwise, s.
pub const DEFAULT_MAX_GRID_STEP: f64 = 0.02;
/// Shortest adaptive time step unless told otherwise, s.
pub const DEFAULT_MIN_STEP: f64 = 1e-6;
/// Longest adaptive time step unless told otherwise, s.
pub const DEFAULT_MAX_STEP: f64 = 5e-3;

/// How the fluids are kept incompressible.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Pressure {
    /// The method.
    pub solver: PressureSolver,
    /// What pressure walls show to the fluid. Not set: `mirrored` where there are rigid or elastic
    /// bodies, which then float as deep as they should; `zero` without, and with surface tension.
    pub boundary: Option<BoundaryPressure>,
    /// Iterate until the mean compression is below this share of the rest density; above 0.0001,
    /// calm water is solved more exactly than that, because what is left over adds up. With surface
    /// tension, the less moves the more exactly: to 0.0000003 where drops rest.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 0.5))]
    pub density_error: f64,
    /// DFSPH: iterate until the mean compression per step by the velocities is below this share.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 0.5))]
    pub divergence_error: f64,
    /// At least this many iterations.
    #[schemars(range(min = 0, max = 10_000))]
    pub min_iterations: u32,
    /// At most this many iterations.
    #[schemars(range(min = 1, max = 10_000))]
    pub max_iterations: u32,
    /// Share of the last step's pressure to start from.
    #[schemars(range(min = 0, max = 1))]
    pub warm_start: f64,
    /// Variational fluid: the pressure over the share of its volume that the fluid loses to it. Not
    /// set: 100 ρ (g H + v²/2) with the height H of all fluid, sources and falls along gravity and
    /// the largest speed v that the scene gives to anything, so that about 1 % is lost; `check`
    /// shows it.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "Pa"))]
    pub stiffness: Option<f64>,
    /// Variational fluid: whether particles pull on each other where they are farther apart than at
    /// rest. Not set: `none`.
    pub tension: Option<FluidTension>,
    /// Variational fluid: how the linear system is solved. Not set: `matrix_free`.
    pub linear: Option<LinearSolver>,
}

impl Default for Pressure {
    fn default() -> Self {
        let settings = PressureSettings::default();
        Pressure {
            solver: settings.solver,
            boundary: None,
            density_error: settings.density_error,
            divergence_error: settings.divergence_error,
            min_iterations: settings.min_iterations,
            max_iterations: settings.max_iterations,
            warm_start: settings.warm_start,
            stiffness: None,
            tension: None,
            linear: None,
        }
    }
}

/// What a run writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Output {
    /// Frames per simulated second.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1e6, "x-unit" = "1/s"))]
    pub frames_per_second: f64,
    /// File formats of the frames; an empty list writes none.
    #[schemars(extend("maxItems" = formats::ALL.len()))]
    pub formats: Vec<Format>,
    /// Whether the surface of every fluid is written for each frame, as a PLY mesh with normals and
    /// velocities. In 3D only.
    pub surface: bool,
    /// Frames from one snapshot (for resuming) to the next; 0 writes one only at the end and when
    /// interrupted.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub snapshot_every: u64,
    /// How many snapshots to keep.
    #[schemars(range(min = 2, max = 1_000_000))]
    pub snapshots_kept: usize,
}

impl Default for Output {
    fn default() -> Self {
        Output {
            frames_per_second: 30.0,
            formats: vec![Format::VTK],
            surface: false,
            snapshot_every: 10,
            snapshots_kept: 2,
        }
    }
}

fn three() -> u8 {
    3
}

fn earth() -> Vector {
    Vector(vec![0.0, -9.81, 0.0])
}

fn two_seconds() -> f64 {
    2.0
}
