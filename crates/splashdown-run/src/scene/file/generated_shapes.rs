//! Shapes of solids that are made by generators.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::Vector;

/// A wedge with its edge along z at the top; a triangle in 2D.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wedge {
    /// Edge lengths of the block around it; `at` is its middle.
    #[schemars(extend("x-unit" = "m"))]
    pub size: Vector,
}

/// A pyramid with its tip towards +y.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spike {
    /// Sides of its base.
    #[serde(default = "four")]
    #[schemars(range(min = 3, max = 200))]
    pub sides: u32,
    /// From the centre of the base to its corners.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub radius: f64,
    /// From base to tip; `at` is the centre of the base.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub height: f64,
}

/// A tube with flat sides along z; a frame in 2D.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HollowPrism {
    /// How many sides.
    #[serde(default = "four")]
    #[schemars(range(min = 3, max = 200))]
    pub sides: u32,
    /// From the axis to the outer corners.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub radius: f64,
    /// Thickness of the sides.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub wall: f64,
    /// Length along z; not used in 2D.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub depth: Option<f64>,
}

/// A stone of an arch about the z axis. `at` is the centre of the arch, so that copies that turn
/// about it make the arch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Voussoir {
    /// Inner radius of the arch.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub inner: f64,
    /// Outer radius of the arch.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub outer: f64,
    /// How much of the arch it is; its middle is at +y.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 180, "x-unit" = "°"))]
    pub angle: f64,
    /// Length along z; not used in 2D.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub depth: Option<f64>,
}

/// A gear about the z axis, with a tooth at +x.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gear {
    /// Of the pitch circle: those of two gears touch.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub radius: f64,
    /// How many; gears that mesh have teeth in the ratio of their radii.
    #[schemars(range(min = 6, max = 200))]
    pub teeth: u32,
    /// Radius of the hole for an axle; 0: none.
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "x-unit" = "m"))]
    pub bore: f64,
    /// Thickness along z; not used in 2D.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub depth: Option<f64>,
    /// Radius of a pin on its front, on which a chain can hang; 0: none.
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "x-unit" = "m"))]
    pub pin: f64,
    /// How far from the axle the pin is, towards +x.
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "x-unit" = "m"))]
    pub pin_at: f64,
    /// How far it stands out along z.
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "x-unit" = "m"))]
    pub pin_length: f64,
    /// Radius of its head, which is as thick as `pin`; 0: none.
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "x-unit" = "m"))]
    pub pin_head: f64,
}

/// A flat plate in the plane z = 0 with a hole near its top, for a chain that lifts it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// Along x.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub width: f64,
    /// Along y.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub height: f64,
    /// Radius of the hole.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub hole: f64,
    /// From the hole to the top.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub rim: f64,
    /// Thickness along z; not used in 2D.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub depth: Option<f64>,
}

/// A toothed bar along y; its teeth point to +x and its pitch line goes through `at`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rack {
    /// Of the gears that it meshes with: twice their radius over their number of teeth.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub module: f64,
    /// Along y.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub length: f64,
    /// Thickness behind the teeth.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub back: f64,
    /// Length along z; not used in 2D.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub depth: Option<f64>,
}

/// A water wheel about the z axis: flat paddles on a hub.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaterWheel {
    /// From the axle to the ends of the paddles.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub radius: f64,
    /// Radius of the hub.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub hub: f64,
    /// How many.
    #[schemars(range(min = 2, max = 64))]
    pub paddles: u32,
    /// Of a paddle.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub thickness: f64,
    /// Radius of the hole for an axle; 0: none.
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "x-unit" = "m"))]
    pub bore: f64,
    /// Width along the axle; not used in 2D.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub depth: Option<f64>,
}

/// A propeller about the y axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Propeller {
    /// From the axis to the tips of the blades.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub radius: f64,
    /// Radius of the hub.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub hub: f64,
    /// How many.
    #[serde(default = "three")]
    #[schemars(range(min = 1, max = 12))]
    pub blades: u32,
    /// Width of a blade.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub chord: f64,
    /// Thickness of a blade.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub thickness: f64,
    /// Between a blade and the plane of rotation, at half the radius. Turning about +y, a positive
    /// angle drives fluid towards −y.
    #[serde(default = "thirty_five")]
    #[schemars(extend("minimum" = -80, "maximum" = 80, "x-unit" = "°"))]
    pub angle: f64,
}

/// A link of a chain in the plane z = 0; as wide as long, it is a ring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChainLink {
    /// Along y, from outside to outside.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub length: f64,
    /// Along x, from outside to outside.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub width: f64,
    /// Of the wire.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub thickness: f64,
}

/// A bolt along y: a thread from `at` to `length` above it, then a hexagonal head.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bolt {
    /// Radius of the thread's crest.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub radius: f64,
    /// Rise of the thread in one turn; it is right-handed.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub pitch: f64,
    /// From crest to root. Not set: half the pitch.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub depth: Option<f64>,
    /// Of the thread.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub length: f64,
    /// Width of the head from side to side.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub across: f64,
    /// Height of the head.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub head: f64,
}

/// A hexagonal nut from `at` to `height` above it, for a bolt of the same radius and pitch. They
/// fit where they are a whole number of pitches apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nut {
    /// Radius of the bolt's crest.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub radius: f64,
    /// Rise of the thread in one turn.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub pitch: f64,
    /// From crest to root. Not set: half the pitch.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub depth: Option<f64>,
    /// Of the nut.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub height: f64,
    /// Width from side to side.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub across: f64,
    /// How much wider its thread is than the bolt's.
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "x-unit" = "m"))]
    pub clearance: f64,
}

/// A funnel about the y axis; `at` is the lower end of its neck.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Funnel {
    /// Inner radius at the top.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub radius: f64,
    /// Height of the cone.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub height: f64,
    /// Inner radius of the neck.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub neck: f64,
    /// Length of the neck.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub neck_length: f64,
    /// Thickness of the walls.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub wall: f64,
}

/// A letter or digit in the plane z = 0, written with a round pen; `at` is its middle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Letter {
    /// One of A to Z and 0 to 9.
    pub letter: String,
    /// Of the letter; it is about two thirds as wide.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub height: f64,
    /// Width of the pen.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub stroke: f64,
    /// Thickness along z; not used in 2D.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub depth: Option<f64>,
}

/// A toy duck that swims towards +x.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Duck {
    /// From tail to beak; `at` is the middle of its body.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub length: f64,
}

/// A toy elephant that walks towards +x.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Elephant {
    /// From tail to trunk; `at` is the middle of its body.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub length: f64,
}

/// A toy rabbit that sits and looks towards +x.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rabbit {
    /// From its feet to its ears; `at` is the middle of its body.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub height: f64,
}

/// A toy cow that walks towards +x.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cow {
    /// From tail to muzzle; `at` is the middle of its body.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub length: f64,
}

/// A round bowl that opens towards +y, part of a hollow ball.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bowl {
    /// Outer radius at its rim.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub radius: f64,
    /// From its foot, where `at` is, to its rim; at most `radius`.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub depth: f64,
    /// Thickness of its wall.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub wall: f64,
}

/// A spoon that stands on its bowl, which opens towards +z.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spoon {
    /// From end to end, along y; `at` is its lower end.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub length: f64,
}

/// A sheet around the y axis, straight or conical, of triangles as long as elements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tube {
    /// Radius at its lower end.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub radius: f64,
    /// The same at its upper end. Not set: as at the lower one.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub top: Option<f64>,
    /// From end to end; `at` is half way.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub height: f64,
    /// Whether a disc closes each end.
    #[serde(default)]
    pub closed: bool,
    /// Where it has round holes, from its centre.
    #[serde(default)]
    #[schemars(extend("maxItems" = 100, "x-unit" = "m"))]
    pub holes: Vec<Vector>,
    /// Radius of the holes.
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "x-unit" = "m"))]
    pub hole: f64,
}

/// A winged figure with a torch on a round base, that looks towards +z.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Statue {
    /// From the ground to the flame; `at` is the middle of its foot.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub height: f64,
}

/// A flower with two rings of petals that opens towards +y.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flower {
    /// From tip to tip; `at` is where the petals meet.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub diameter: f64,
    /// In each ring.
    #[serde(default = "seven")]
    #[schemars(range(min = 3, max = 12))]
    pub petals: u32,
}

/// A capsule that comes back from space; `at` is the middle of its widest place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpaceCapsule {
    /// Where it is widest.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub radius: f64,
    /// From its widest place to its top.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub height: f64,
}

/// A lumpy, concave creature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Creature {
    /// Diameter of the ball into which it fits.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub size: f64,
    /// How many lumps it has.
    #[serde(default = "seven")]
    #[schemars(range(min = 1, max = 30))]
    pub lumps: u32,
    /// Another number, another creature.
    #[serde(default)]
    #[schemars(range(min = 0, max = 4_294_967_295u32))]
    pub seed: u32,
}

fn three() -> u32 {
    3
}

fn four() -> u32 {
    4
}

fn seven() -> u32 {
    7
}

fn thirty_five() -> f64 {
    35.0
}
