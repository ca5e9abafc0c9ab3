//! What a scene consists of: fluids, solids, emitters, sinks and probes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body::{Copies, Lock, Motor, Scatter};
use super::shape::{BoxShape, FillShape, SolidShape};
use super::surface::{FluidSurface, Liquid, SolidSurface};
use super::values::{Number, Rotation, Vector, VectorField};
use crate::motion::Interpolation;
use crate::output::settings::ProbeQuantity;
use crate::sph::fluid::{ArtificialViscosity, DynamicViscosity, Viscosity};

/// A liquid of one density and viscosity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fluid {
    /// Unique; letters, digits, `-` and `_`.
    pub name: String,
    /// Takes density, viscosity (the model `weiler2018`, which lets drops spin) and tension of a
    /// liquid at 20 °C, and angles that are known for it; keys that are written count more.
    #[serde(default)]
    pub liquid: Option<Liquid>,
    /// Density at rest. Not set: that of `liquid`, or 1000.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "kg/m³"))]
    pub density: Option<f64>,
    /// Internal friction, by one of several models. Not set: that of `liquid`, or `artificial` with
    /// its default.
    #[serde(default)]
    pub viscosity: Option<Viscosity>,
    /// Velocity at the start: numbers, or formulas of the position `x`, `y`, `z`.
    #[serde(default = "VectorField::zero")]
    #[schemars(extend("x-unit" = "m/s"))]
    pub velocity: VectorField,
    /// Spin at the start about the centre of the fluid: axis times degrees per second.
    #[serde(default = "Vector::zero")]
    #[schemars(extend("x-unit" = "°/s"))]
    pub angular_velocity: Vector,
    /// Surface tension, and friction on solids.
    #[serde(default)]
    pub surface: FluidSurface,
    /// What is full of it at the start. A fluid without any needs an emitter.
    #[serde(default)]
    pub fill: Vec<Fill>,
}

impl Fluid {
    /// kg/m³
    pub fn density(&self) -> f64 {
        self.density.unwrap_or_else(|| self.liquid.map_or(DENSITY, Liquid::density))
    }

    /// As written, or that of the liquid.
    pub fn viscosity(&self) -> Viscosity {
        let of_liquid = |liquid: Liquid| {
            Viscosity::Weiler2018(DynamicViscosity { dynamic: liquid.viscosity(), boundary: None })
        };
        let usual = || Viscosity::Artificial(ArtificialViscosity::default());
        self.viscosity.unwrap_or_else(|| self.liquid.map_or_else(usual, of_liquid))
    }

    /// The liquid that tension and contact angles are known of.
    pub fn surface_liquid(&self) -> Option<Liquid> {
        self.surface.liquid.or(self.liquid)
    }
}

/// A region that is full of a fluid at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fill {
    /// One of several shapes.
    pub shape: FillShape,
    /// Where its centre is. Not set: the origin, or given by the corners of a box.
    #[serde(default)]
    #[schemars(extend("x-unit" = "m"))]
    pub at: Option<Vector>,
    /// Turns it about its centre.
    #[serde(default)]
    pub rotate: Rotation,
    /// Velocity at the start: numbers, or formulas of the position `x`, `y`, `z`. Not set: that of
    /// the fluid.
    #[serde(default)]
    #[schemars(extend("x-unit" = "m/s"))]
    pub velocity: Option<VectorField>,
}

/// A body that stands still or moves as told, or with a `density` or `mass` by the forces on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Solid {
    /// Unique; letters, digits, `-` and `_`.
    pub name: String,
    /// One of several shapes.
    pub shape: SolidShape,
    /// Where its centre is. Not set: the origin, or given by the corners of a box or tank.
    #[serde(default)]
    #[schemars(extend("x-unit" = "m"))]
    pub at: Option<Vector>,
    /// Turns it about its centre.
    #[serde(default)]
    pub rotate: Rotation,
    /// Where fluid may be. Not set: `inside` for tanks, `both` for planes and open meshes,
    /// `outside` for everything else.
    #[serde(default)]
    pub fluid_side: Option<FluidSide>,
    /// Prescribed motion. Not set: it stands still.
    #[serde(default)]
    pub motion: Option<Motion>,
    /// How far its particles lie behind its surface. Not set: half the spacing, so that fluid ends
    /// exactly at the surface; 0 for sheets with fluid on both sides.
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "x-unit" = "m"))]
    pub inset: Option<f64>,
    /// Makes it a rigid body of this density. Its mass, centre of mass and inertia are those of the
    /// volume inside; of a sheet or vessel, those of a wall of the given `thickness`.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "kg/m³"))]
    pub density: Option<f64>,
    /// Makes it a rigid body of this mass, instead of `density`. In 2D, per metre of depth.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "kg"))]
    pub mass: Option<f64>,
    /// Thickness of a sheet or of the wall of a vessel, to get its mass from `density`.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub thickness: Option<f64>,
    /// Inertia about the centre of mass in the body's own frame: xx, yy, zz, or these and xy, xz,
    /// yz. In 2D, one number. Not set: from the shape.
    #[serde(default)]
    #[schemars(extend("minItems" = 1, "maxItems" = 6, "x-unit" = "kg m²"))]
    pub inertia: Option<Vec<f64>>,
    /// Velocity of a rigid body at the start.
    #[serde(default)]
    #[schemars(extend("x-unit" = "m/s"))]
    pub velocity: Option<Vector>,
    /// Spin of a rigid body at the start: axis times degrees per second. In 2D, `[0, 0, w]`.
    #[serde(default)]
    #[schemars(extend("x-unit" = "°/s"))]
    pub spin: Option<Vector>,
    /// Movements that a rigid body cannot make: a wheel on an axle along z has
    /// `["position", "rotate_x", "rotate_y"]`.
    #[serde(default)]
    #[schemars(extend("maxItems" = 8))]
    pub lock: Vec<Lock>,
    /// Additional force on the centre of mass: numbers, or formulas of the time `t`.
    #[serde(default)]
    #[schemars(extend("x-unit" = "N"))]
    pub force: Option<VectorField>,
    /// Additional torque: numbers, or formulas of the time `t`. In 2D, `[0, 0, m]`.
    #[serde(default)]
    #[schemars(extend("x-unit" = "N·m"))]
    pub torque: Option<VectorField>,
    /// What turns a rigid body.
    #[serde(default)]
    pub motor: Option<Motor>,
    /// Coefficient of dry friction μ; between two solids the geometric mean of theirs counts,
    /// unless `[[friction]]` names the pair. Not set: 0.5.
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "maximum" = 10))]
    pub friction: Option<f64>,
    /// How fluids with a surface tension meet it.
    #[serde(default)]
    pub surface: SolidSurface,
    /// A name that `[[friction]]` can use for several solids.
    #[serde(default)]
    pub group: Option<String>,
    /// Repeats it; every further entry repeats what the ones before it made. Copies are named
    /// `NAME-1`, `NAME-2` …
    #[serde(default)]
    #[schemars(extend("maxItems" = 8))]
    pub copies: Vec<Copies>,
    /// Disorder among copies.
    #[serde(default)]
    pub scatter: Option<Scatter>,
}

impl Solid {
    /// How it is repeated, and with what disorder.
    pub(crate) fn repeats(&self) -> (&[Copies], Option<&Scatter>) {
        (&self.copies, self.scatter.as_ref())
    }

    /// Whether it moves by the forces on it.
    pub fn is_rigid_body(&self) -> bool {
        self.density.is_some() || self.mass.is_some()
    }
}

/// Where fluid may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FluidSide {
    /// Around it: it is an obstacle.
    Outside,
    /// In it: it is a container.
    Inside,
    /// On both sides: it is a thin sheet.
    Both,
}

/// Prescribed motion, relative to where the solid was put.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Motion {
    /// Steady translation and rotation.
    Constant(ConstantMotion),
    /// Through poses at given times.
    Keyframes(KeyframeMotion),
    /// By formulas of the time `t`.
    Expressions(ExpressionMotion),
}

/// Steady translation and rotation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConstantMotion {
    /// Velocity.
    #[serde(default = "Vector::zero")]
    #[schemars(extend("x-unit" = "m/s"))]
    pub velocity: Vector,
    /// Axis times degrees per second. In 2D, `[0, 0, w]`.
    #[serde(default = "Vector::zero")]
    #[schemars(extend("x-unit" = "°/s"))]
    pub angular_velocity: Vector,
    /// Centre of the rotation; it moves along. Not set: the centre of the solid.
    #[serde(default)]
    #[schemars(extend("x-unit" = "m"))]
    pub about: Option<Vector>,
    /// Rests before this time.
    #[serde(default)]
    #[schemars(extend("x-unit" = "s"))]
    pub start: f64,
    /// Rests after this time. Not set: never.
    #[serde(default)]
    #[schemars(extend("x-unit" = "s"))]
    pub end: Option<f64>,
}

/// Through poses at given times; the first and last are held.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyframeMotion {
    /// The poses, in the order of their times.
    #[schemars(extend("minItems" = 1, "maxItems" = 100_000))]
    pub frames: Vec<Keyframe>,
    /// Centre of the rotations. Not set: the centre of the solid.
    #[serde(default)]
    #[schemars(extend("x-unit" = "m"))]
    pub about: Option<Vector>,
    /// How to get from one pose to the next.
    #[serde(default)]
    pub interpolation: Interpolation,
    /// Starts again after the last keyframe.
    #[serde(default)]
    pub repeat: bool,
}

/// A pose at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// When.
    #[schemars(extend("x-unit" = "s"))]
    pub time: f64,
    /// Displacement from where the solid was put.
    #[serde(default = "Vector::zero")]
    #[schemars(extend("x-unit" = "m"))]
    pub position: Vector,
    /// Rotation from how the solid was put; from one keyframe to the next it takes the shorter way,
    /// so turn by less than 180 degrees at a time.
    #[serde(default)]
    pub rotate: Rotation,
}

/// By formulas of the time `t`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpressionMotion {
    /// Displacement from where the solid was put.
    #[serde(default = "VectorField::zero")]
    #[schemars(extend("x-unit" = "m"))]
    pub position: VectorField,
    /// Axis of the rotation, of any length but zero.
    #[serde(default = "Vector::z_axis")]
    pub axis: Vector,
    /// Angle of the rotation.
    #[serde(default = "zero_number")]
    #[schemars(extend("x-unit" = "°"))]
    pub angle: Number,
    /// Centre of the rotation when not displaced. Not set: the centre of the solid.
    #[serde(default)]
    #[schemars(extend("x-unit" = "m"))]
    pub about: Option<Vector>,
}

/// An opening from which fluid flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Emitter {
    /// Unique; letters, digits, `-` and `_`.
    pub name: String,
    /// Name of the fluid that comes out.
    pub fluid: String,
    /// Shape of the opening.
    pub opening: Opening,
    /// Centre of the opening.
    #[schemars(extend("x-unit" = "m"))]
    pub at: Vector,
    /// Direction of the flow, of any length but zero.
    pub direction: Vector,
    /// Speed of the flow: a number, or a formula of the time `t`. Nothing comes out while it is
    /// negative.
    #[schemars(extend("x-unit" = "m/s"))]
    pub speed: Number,
    /// Flows from this time on.
    #[serde(default)]
    #[schemars(extend("x-unit" = "s"))]
    pub start: f64,
    /// Flows until this time. Not set: for ever.
    #[serde(default)]
    #[schemars(extend("x-unit" = "s"))]
    pub end: Option<f64>,
    /// Stops after this many particles.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub limit: u64,
}

/// Shape of an emitter's opening.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Opening {
    /// A slot.
    Box(BoxOpening),
    /// A round nozzle; a slot in 2D.
    Disc(DiscOpening),
}

/// A slot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxOpening {
    /// Horizontal edge (along z if the flow is vertical); the whole opening in 2D.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub width: f64,
    /// The other edge; not used in 2D. Not set: as `width`.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub height: Option<f64>,
}

/// A round nozzle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscOpening {
    /// Radius.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub radius: f64,
}

/// A box in which, or outside which, fluid disappears.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sink {
    /// Unique; letters, digits, `-` and `_`.
    pub name: String,
    /// The box.
    #[serde(rename = "box")]
    pub shape: BoxShape,
    /// Takes what is outside the box instead: fluid that has left the scene would fall for ever,
    /// and shorten the steps.
    #[serde(default)]
    pub outside: bool,
    /// Where its centre is. Not set: the origin, or given by the corners of the box.
    #[serde(default)]
    #[schemars(extend("x-unit" = "m"))]
    pub at: Option<Vector>,
    /// Turns it about its centre.
    #[serde(default)]
    pub rotate: Rotation,
    /// Active from this time on.
    #[serde(default)]
    #[schemars(extend("x-unit" = "s"))]
    pub start: f64,
    /// Active until this time. Not set: for ever.
    #[serde(default)]
    #[schemars(extend("x-unit" = "s"))]
    pub end: Option<f64>,
}

/// A point at which the fluid, or an elastic body, is measured once per frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// Unique; letters, digits, `-` and `_`. Also names its file.
    pub name: String,
    /// What is measured.
    pub quantity: ProbeQuantity,
    /// Where; for a level, any point below the surface on the vertical line; for a displacement,
    /// where the vertex is at the start (the nearest one is taken).
    #[schemars(extend("x-unit" = "m"))]
    pub at: Vector,
}

/// Of a fluid unless told otherwise, kg/m³.
const DENSITY: f64 = 1000.0;

fn zero_number() -> Number {
    Number::Constant(0.0)
}

fn default_limit() -> u64 {
    100_000_000
}
