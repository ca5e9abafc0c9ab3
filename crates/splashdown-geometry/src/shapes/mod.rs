//! Where particles come from: shapes, meshes, sampling and filling.
//!
//! A [`Shape`] lives in its own frame; a pose places it in the scene. It can be asked three things:
//! how far a point is from its surface ([`Shape::signed_distance`]), for an even layer of samples
//! on or beside its surface ([`Shape::sample_surface`], for walls), and for a lattice that fills it
//! ([`fill`], for fluids). In 2D every shape is cut by its plane z = 0.

mod bgeo;
mod csv;
mod features;
mod fill;
mod lattice;
pub mod library;
mod mesh_file;
mod mesh_offset;
mod mesh_sampling;
mod mesh_shape;
mod moments;
mod obj;
mod outline;
mod particle_file;
mod ply;
mod primitives;
mod profile;
mod sampling;
mod slice;
mod surface;
#[cfg(test)]
mod test_support;
mod topology;
mod vtk;
mod wall;
mod wetted_surface;

pub use fill::fill;
pub use mesh_file::{MeshError, MeshFormat, parse_mesh, read_mesh};
pub use mesh_shape::MeshShape;
pub use moments::Moments;
pub use particle_file::{ParticleFile, ParticleFormat, parse_particles, read_particles};
pub use primitives::sheet_axes;
pub use topology::MeshReport;
pub use wall::{WetSide, wall_of};
pub use wetted_surface::{closed_surface_of, sheet_surface_of};

use crate::math::{Aabb, DVec3, Dimension};
use crate::mesh::TriangleMesh;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// No sampling or filling makes more points than this: a spacing mistyped by a factor of 1000
/// should be an error, not a machine out of memory.
pub const MAX_POINTS: f64 = 2e8;

/// Something that can be sampled with particles, centred in its own frame.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A box.
    Box {
        /// Half of its edge lengths, m.
        half: DVec3,
    },
    /// A ball.
    Sphere {
        /// m
        radius: f64,
    },
    /// A cylinder about the y axis.
    Cylinder {
        /// m
        radius: f64,
        /// Half of its height, m.
        half_height: f64,
    },
    /// A cone about the y axis: centre of the base at the origin, apex at y = `height`.
    Cone {
        /// Of the base, m.
        radius: f64,
        /// m
        height: f64,
    },
    /// A ring about the y axis.
    Torus {
        /// Radius of the circle in the middle of the tube, m.
        major: f64,
        /// Radius of the tube, m.
        minor: f64,
    },
    /// A cylinder about the y axis with half balls on both ends.
    Capsule {
        /// m
        radius: f64,
        /// Half of the height of the cylindrical part, m.
        half_height: f64,
    },
    /// A square sheet about the origin.
    Plane {
        /// Perpendicular to the sheet; any length but zero.
        normal: DVec3,
        /// Half of its edge length, m.
        half_size: f64,
    },
    /// A box of water: the walls around it, without the open faces.
    Tank {
        /// Half of the edge lengths of the water, m.
        half: DVec3,
        /// Faces without a wall.
        open: Vec<Face>,
    },
    /// A triangle mesh: a solid if closed, otherwise a sheet.
    Mesh(MeshShape),
}

/// A face of a tank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Face {
    /// Towards −x.
    Left,
    /// Towards +x.
    Right,
    /// Towards −y.
    Bottom,
    /// Towards +y.
    Top,
    /// Towards −z.
    Back,
    /// Towards +z.
    Front,
}

impl Face {
    /// All six.
    pub const ALL: [Face; 6] =
        [Face::Left, Face::Right, Face::Bottom, Face::Top, Face::Back, Face::Front];

    /// 0, 1, 2 for a face perpendicular to x, y, z.
    pub fn axis(self) -> usize {
        self as usize / 2
    }

    /// Whether it faces in the positive direction of its axis.
    pub fn is_upper(self) -> bool {
        self as usize % 2 == 1
    }

    /// Unit vector out of the box.
    pub fn normal(self) -> DVec3 {
        DVec3::AXES[self.axis()] * if self.is_upper() { 1.0 } else { -1.0 }
    }
}

/// Why a shape cannot be used or sampled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// The spacing is zero, negative or not a number.
    #[error("the spacing must be positive and finite, got {0}")]
    Spacing(f64),
    /// The offset is not a number.
    #[error("the offset must be finite, got {0}")]
    Offset(f64),
    /// A size of the shape is negative, infinite or not a number.
    #[error("{what} must be positive and finite, got {value}")]
    Size {
        /// Which size, in words.
        what: &'static str,
        /// The value that the parameter has.
        value: f64,
    },
    /// The normal of a plane has no direction, or none inside the plane of a 2D scene.
    #[error("the normal {0} of the plane has no direction here")]
    Normal(DVec3),
    /// The plane z = 0 of a 2D scene misses the mesh.
    #[error("the plane z = 0 of a 2D scene does not cut the mesh (its z runs from {min} to {max})")]
    NotCut {
        /// Smallest z of the mesh.
        min: f64,
        /// Largest z of the mesh.
        max: f64,
    },
    /// The spacing is far too small for the shape.
    #[error("about {0:.1e} samples would be needed, more than the limit of {MAX_POINTS:.0e}")]
    TooMany(f64),
    /// A mesh without a single triangle of positive area.
    #[error("the mesh has no triangles")]
    EmptyMesh,
    /// A triangle names a vertex that does not exist, or a vertex is not finite.
    #[error("the mesh is damaged: {0}")]
    DamagedMesh(String),
}

impl Shape {
    /// Distance to the surface, negative inside. Sheets (a plane, an open mesh) have no inside:
    /// their distance is never negative. A tank is negative inside the box of water; its magnitude
    /// is the distance to the nearest wall, and an open face is not a wall. In 2D, the same of the
    /// cut at z = 0, whatever the z of `p`.
    pub fn signed_distance(&self, p: DVec3, dimension: Dimension) -> f64 {
        let p = dimension.flatten(p);
        match self {
            Shape::Box { half } => primitives::cuboid(p, primitives::cut_half(*half, dimension)),
            Shape::Sphere { radius } => p.length() - radius,
            Shape::Cylinder { radius, half_height } => {
                primitives::cylinder(p, *radius, *half_height)
            }
            Shape::Cone { radius, height } => primitives::cone(p, *radius, *height),
            Shape::Torus { major, minor } => primitives::torus(p, *major, *minor),
            Shape::Capsule { radius, half_height } => primitives::capsule(p, *radius, *half_height),
            Shape::Plane { normal, half_size } => {
                primitives::sheet(p, *normal, *half_size, dimension)
            }
            Shape::Tank { half, open } => primitives::tank(p, *half, open, dimension),
            Shape::Mesh(mesh) => mesh.signed_distance(p, dimension),
        }
    }

    /// The smallest axis-aligned box around the shape, in its own frame.
    pub fn bounds(&self) -> Aabb {
        let half = match self {
            Shape::Box { half } | Shape::Tank { half, .. } => *half,
            Shape::Sphere { radius } => DVec3::splat(*radius),
            Shape::Cylinder { radius, half_height } => DVec3::new(*radius, *half_height, *radius),
            Shape::Cone { radius, height } => {
                let min = DVec3::new(-radius, 0.0, -radius);
                return Aabb { min, max: DVec3::new(*radius, *height, *radius) };
            }
            Shape::Torus { major, minor } => DVec3::new(major + minor, *minor, major + minor),
            Shape::Capsule { radius, half_height } => {
                DVec3::new(*radius, half_height + radius, *radius)
            }
            Shape::Plane { normal, half_size } => {
                let [s, t] = primitives::sheet_axes(*normal);
                (s.abs() + t.abs()) * *half_size
            }
            Shape::Mesh(mesh) => return mesh.surface().bounds(),
        };
        Aabb { min: -half, max: half }
    }

    /// Whether the surface encloses a volume. Sheets and tanks with an open face do not.
    pub fn is_closed(&self) -> bool {
        match self {
            Shape::Plane { .. } => false,
            Shape::Tank { open, .. } => open.is_empty(),
            Shape::Mesh(mesh) => mesh.is_closed(),
            _ => true,
        }
    }

    /// Moments of the volume inside; none for sheets and tanks.
    pub fn inside_moments(&self, dimension: Dimension) -> Option<Moments> {
        moments::of_inside(self, dimension)
    }

    /// Moments of the surface, as if it were a sheet of even weight.
    pub fn surface_moments(&self, dimension: Dimension) -> Option<Moments> {
        moments::of_surface(self, dimension)
    }

    /// Triangles for pictures and export; round shapes moderately fine.
    pub fn surface(&self) -> TriangleMesh {
        surface::triangles(self)
    }

    /// Even samples of the surface at `offset` from the true surface (positive = outward), about
    /// `spacing` apart: every point of that surface is within 0.75 spacings of a sample, and
    /// samples are at least 0.7 spacings apart (0.5 where edges leave no choice, less behind knife
    /// edges). Edges, corners and tips are kept. In 2D, samples of the outline of the cut at z = 0.
    ///
    /// Offset surfaces keep sharp edges: a box stays a box. An inward offset larger than a shape is
    /// thick stops in its middle.
    pub fn sample_surface(
        &self,
        spacing: f64,
        offset: f64,
        dimension: Dimension,
    ) -> Result<Vec<DVec3>, ShapeError> {
        sampling::sample(self, spacing, offset, dimension)
    }

    /// Checks the sizes of the shape.
    pub fn check(&self) -> Result<(), ShapeError> {
        let sizes: &[(&'static str, f64)] = match self {
            Shape::Box { half } | Shape::Tank { half, .. } => &[
                ("half size in x", half.x),
                ("half size in y", half.y),
                ("half size in z", half.z),
            ],
            Shape::Sphere { radius } => &[("radius", *radius)],
            Shape::Cylinder { radius, half_height } | Shape::Capsule { radius, half_height } => {
                &[("radius", *radius), ("half height", *half_height)]
            }
            Shape::Cone { radius, height } => &[("radius", *radius), ("height", *height)],
            Shape::Torus { major, minor } => &[("major radius", *major), ("minor radius", *minor)],
            Shape::Plane { normal, half_size } => {
                if !normal.is_finite() || normal.try_normalize().is_none() {
                    return Err(ShapeError::Normal(*normal));
                }
                &[("half size", *half_size)]
            }
            Shape::Mesh(_) => &[],
        };
        match sizes.iter().find(|(_, value)| !(*value > 0.0 && value.is_finite())) {
            Some(&(what, value)) => Err(ShapeError::Size { what, value }),
            None => Ok(()),
        }
    }
}
