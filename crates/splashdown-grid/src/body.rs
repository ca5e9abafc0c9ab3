//! Solids as closed meshes that move.

use splashdown_geometry::math::{DVec3, Dimension, Pose};
use splashdown_geometry::mesh::TriangleMesh;
use splashdown_geometry::shapes::MeshShape;

/// The shape of a solid, in its own frame.
#[derive(Clone, Debug)]
pub struct Outline {
    shape: MeshShape,
    /// Triangles, or in 2D quads of the cut at z = 0 with their depth still to be given.
    faces: Faces,
    /// Of all corners from the origin, m.
    reach: f64,
}

#[derive(Clone, Debug)]
enum Faces {
    Triangles,
    Segments(Vec<[DVec3; 2]>),
}

/// A solid in a step.
#[derive(Clone, Debug)]
pub struct Body<'a> {
    /// Its shape; none for what liquid does not meet.
    pub outline: Option<&'a Outline>,
    /// Where it is at the beginning of the step.
    pub pose: Pose,
    /// How its origin moves, m/s.
    pub velocity: DVec3,
    /// How it turns, rad/s.
    pub spin: DVec3,
    /// Whether it ever moves.
    pub moves: bool,
}

impl Outline {
    /// Of a closed mesh; none if it is not closed.
    pub fn new(mesh: &TriangleMesh, dimension: Dimension) -> Option<Outline> {
        let shape = MeshShape::new(mesh.clone()).ok().filter(MeshShape::is_closed)?;
        let faces = match dimension {
            Dimension::Three => Faces::Triangles,
            Dimension::Two => Faces::Segments(shape.cut_segments().collect()),
        };
        let reach = shape.surface().vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
        Some(Outline { shape, faces, reach })
    }

    /// Number of faces.
    pub fn len(&self) -> usize {
        match &self.faces {
            Faces::Triangles => self.shape.surface().triangles.len(),
            Faces::Segments(segments) => segments.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The corners of a face, counter-clockwise seen from the liquid, in cells from the origin of
    /// the world.
    pub fn corners(&self, face: usize, pose: &Pose, width: f64) -> Vec<DVec3> {
        match &self.faces {
            Faces::Triangles => {
                let corners = self.shape.surface().corners(face);
                corners.iter().map(|&c| pose.apply(c) / width).collect()
            }
            Faces::Segments(segments) => {
                // The solid is on the left of the segment.
                let [a, b] = segments[face].map(|c| (pose.apply(c) / width).with_z(0.0));
                vec![a, b, b + DVec3::Z, a + DVec3::Z]
            }
        }
    }

    /// Distance of a point of its frame, m: negative inside.
    pub fn distance(&self, point: DVec3, dimension: Dimension) -> f64 {
        self.shape.signed_distance(point, dimension)
    }

    /// No corner is farther from the origin of the frame, m.
    pub fn reach(&self) -> f64 {
        self.reach
    }
}

impl Body<'_> {
    /// Its velocity at a point of the world, m/s.
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(point - self.pose.translation)
    }
}
