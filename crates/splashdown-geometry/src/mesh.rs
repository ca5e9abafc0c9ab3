//! Surfaces made of triangles.

use std::sync::Arc;

use crate::math::{Aabb, DVec3};

/// A surface made of triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// Corners, m.
    pub vertices: Vec<DVec3>,
    /// Three corners each, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl TriangleMesh {
    /// The three corners of triangle `t`.
    pub fn corners(&self, t: usize) -> [DVec3; 3] {
        self.triangles[t].map(|v| self.vertices[v as usize])
    }

    /// Normal of triangle `t` with twice its area as length: (b − a) × (c − a).
    pub fn area_vector(&self, t: usize) -> DVec3 {
        let [a, b, c] = self.corners(t);
        (b - a).cross(c - a)
    }

    /// Total area of all triangles, m².
    pub fn area(&self) -> f64 {
        (0..self.triangles.len()).map(|t| self.area_vector(t).length() / 2.0).sum()
    }

    /// Volume inside a closed mesh, m³; negative if the triangles face inward.
    pub fn volume(&self) -> f64 {
        // Measured from a vertex of the mesh, so that a mesh far away keeps its digits.
        let origin = self.vertices.first().copied().unwrap_or(DVec3::ZERO);
        let six_fold = |t| {
            let [a, b, c] = self.corners(t).map(|p| p - origin);
            a.dot(b.cross(c))
        };
        (0..self.triangles.len()).map(six_fold).sum::<f64>() / 6.0
    }

    /// The smallest box around all vertices.
    pub fn bounds(&self) -> Aabb {
        Aabb::around(self.vertices.iter().copied())
    }
}

/// A small piece of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// Its middle, m.
    pub at: DVec3,
    /// Its normal, outwards, with its area (in 2D its length) as length.
    pub area: DVec3,
}

/// The surface that fluid meets, in small patches: a closed one, or a sheet. Cheap to clone: copies
/// of a body share it.
#[derive(Clone, Debug, Default)]
pub struct WettedSurface {
    patches: Arc<[Patch]>,
    is_sheet: bool,
}

impl WettedSurface {
    /// A closed surface of these patches.
    pub fn closed(patches: Vec<Patch>) -> WettedSurface {
        WettedSurface { patches: patches.into(), is_sheet: false }
    }

    /// A sheet of these patches, which fluid meets from both sides.
    pub fn sheet(patches: Vec<Patch>) -> WettedSurface {
        WettedSurface { patches: patches.into(), is_sheet: true }
    }

    /// Whether fluid may be on both sides of it.
    pub fn is_sheet(&self) -> bool {
        self.is_sheet
    }

    /// Whether it is the very same surface, that of a copy.
    pub fn is_shared_with(&self, other: &WettedSurface) -> bool {
        Arc::ptr_eq(&self.patches, &other.patches)
    }

    /// The patches.
    pub fn patches(&self) -> &[Patch] {
        &self.patches
    }
}
