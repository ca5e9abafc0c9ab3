//! Shapes of fluids and solids.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::generated_shapes::{
    Bolt, Bowl, ChainLink, Cow, Creature, Duck, Elephant, Flower, Funnel, Gate, Gear, HollowPrism,
    Letter, Nut, Propeller, Rabbit, Rack, SpaceCapsule, Spike, Spoon, Statue, Tube, Voussoir,
    WaterWheel, Wedge,
};
use super::values::Vector;
use crate::shapes::Face;

/// What can be filled with fluid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FillShape {
    /// A block.
    Box(BoxShape),
    /// A ball; a disc in 2D.
    Sphere(Sphere),
    /// A cylinder along y.
    Cylinder(Cylinder),
    /// A cone with its tip towards +y.
    Cone(Cone),
    /// A ring around the y axis.
    Torus(Torus),
    /// A cylinder along y with round ends.
    Capsule(Capsule),
    /// A toy rabbit that sits and looks towards +x.
    Rabbit(Rabbit),
    /// A toy elephant that walks towards +x.
    Elephant(Elephant),
    /// A toy duck that swims towards +x.
    Duck(Duck),
    /// A lumpy, concave creature.
    Creature(Creature),
    /// A closed triangle mesh from a file.
    Mesh(Mesh),
    /// The particles of a file.
    Particles(ParticleFile),
}

/// What a solid can be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SolidShape {
    /// A block.
    Box(BoxShape),
    /// A ball; a disc in 2D.
    Sphere(Sphere),
    /// A cylinder along y.
    Cylinder(Cylinder),
    /// A cone with its tip towards +y.
    Cone(Cone),
    /// A ring around the y axis.
    Torus(Torus),
    /// A cylinder along y with round ends.
    Capsule(Capsule),
    /// A triangle mesh from a file, closed or open.
    Mesh(Mesh),
    /// A flat square; a line in 2D.
    Plane(Plane),
    /// A box that holds fluid, with or without some of its faces.
    Tank(Tank),
    /// A wedge with its edge along z at the top.
    Wedge(Wedge),
    /// A pyramid with its tip towards +y.
    Spike(Spike),
    /// A tube with flat sides along z.
    HollowPrism(HollowPrism),
    /// A stone of an arch about the z axis.
    Voussoir(Voussoir),
    /// A gear about the z axis.
    Gear(Gear),
    /// A plate with a hole near its top.
    Gate(Gate),
    /// A toothed bar along y.
    Rack(Rack),
    /// A water wheel about the z axis.
    WaterWheel(WaterWheel),
    /// A propeller about the y axis.
    Propeller(Propeller),
    /// A link of a chain, long along y, flat along z.
    ChainLink(ChainLink),
    /// A bolt with a thread and a hexagonal head, along y.
    Bolt(Bolt),
    /// The nut for it.
    Nut(Nut),
    /// A funnel about the y axis, wide at the top.
    Funnel(Funnel),
    /// A letter or digit in the plane z = 0.
    Letter(Letter),
    /// A toy duck that swims towards +x.
    Duck(Duck),
    /// A toy elephant that walks towards +x.
    Elephant(Elephant),
    /// A toy rabbit that sits and looks towards +x.
    Rabbit(Rabbit),
    /// A toy cow that walks towards +x.
    Cow(Cow),
    /// A round bowl that opens towards +y.
    Bowl(Bowl),
    /// A spoon along y that stands on its bowl.
    Spoon(Spoon),
    /// A tube of cloth about the y axis: a sheet.
    Tube(Tube),
    /// A winged figure with a torch on a round base, that looks towards +z.
    Statue(Statue),
    /// A flower that opens towards +y.
    Flower(Flower),
    /// A capsule that comes back from space, its heat shield down.
    SpaceCapsule(SpaceCapsule),
    /// A lumpy, concave creature.
    Creature(Creature),
}

/// A block: either its `size` about the object's `at`, or two of `min`, `max` and `size`, and no
/// `at`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BoxShape {
    /// Edge lengths.
    #[schemars(extend("x-unit" = "m"))]
    pub size: Option<Vector>,
    /// Lower corner; with `max` or `size`, instead of `at`.
    #[schemars(extend("x-unit" = "m"))]
    pub min: Option<Vector>,
    /// Upper corner; with `min` or `size`, instead of `at`.
    #[schemars(extend("x-unit" = "m"))]
    pub max: Option<Vector>,
}

/// A ball; a disc in 2D.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Radius.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub radius: f64,
}

/// A cylinder along y; a rectangle in 2D.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cylinder {
    /// Radius.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub radius: f64,
    /// From end to end; `at` is half way.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub height: f64,
}

/// A cone with its tip towards +y; a triangle in 2D.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cone {
    /// Radius of the base.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub radius: f64,
    /// From base to tip; `at` is the centre of the base.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub height: f64,
}

/// A ring around the y axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Torus {
    /// Radius of the circle in the middle of the ring.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub major: f64,
    /// Half the thickness of the ring.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub minor: f64,
}

/// A cylinder along y with round ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capsule {
    /// Radius of the cylinder and of its ends.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub radius: f64,
    /// Height of the cylinder, without the round ends; `at` is half way.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub height: f64,
}

/// A triangle mesh from an OBJ, PLY or STL file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mesh {
    /// The file, relative to the scene file.
    pub file: String,
    /// Factor from the file's unit to metres.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub scale: f64,
}

/// Particles from a PLY, VTK, BGEO or CSV file, with their velocities if it has any.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParticleFile {
    /// The file, relative to the scene file.
    pub file: String,
}

/// A flat square about `at`; a line in 2D.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plane {
    /// Perpendicular to the plane, of any length but zero. `fluid_side = "outside"` is where it
    /// points to.
    #[serde(default = "y_axis")]
    pub normal: Vector,
    /// Edge length of the square.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
    pub size: f64,
}

/// A box that holds fluid: either its inner `size` about `at`, or two of its inner corners `min`
/// and `max` and its `size`, and no `at`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Tank {
    /// Inner edge lengths.
    #[schemars(extend("x-unit" = "m"))]
    pub size: Option<Vector>,
    /// Lower inner corner; with `max` or `size`, instead of `at`.
    #[schemars(extend("x-unit" = "m"))]
    pub min: Option<Vector>,
    /// Upper inner corner; with `min` or `size`, instead of `at`.
    #[schemars(extend("x-unit" = "m"))]
    pub max: Option<Vector>,
    /// Faces that are missing; an empty list is a closed tank.
    #[schemars(extend("maxItems" = 6))]
    pub open: Vec<Face>,
}

fn one() -> f64 {
    1.0
}

fn y_axis() -> Vector {
    Vector(vec![0.0, 1.0, 0.0])
}
