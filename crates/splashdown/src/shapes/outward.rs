//! Which way is out, for samples behind a surface.

use rayon::prelude::*;

use super::MeshShape;
use crate::math::DVec3;
use crate::mesh::TriangleMesh;

/// Unit vectors from `samples` to the surface `inset` in front of them; zero where it is nearer or farther
/// than that. Nothing for sheets, whose samples lie on the surface.
pub fn outward_normals(surface: &TriangleMesh, samples: &[DVec3], inset: f64) -> Vec<DVec3> {
    if inset <= 0.0 {
        return Vec::new();
    }
    let Ok(surface) = MeshShape::new(surface.clone()) else { return Vec::new() };
    let outward = |x: &DVec3| {
        let step = surface.nearest_point(*x) - *x;
        let as_made = (step.length() - inset).abs() < 0.2 * inset;
        if as_made { step.normalize_or_zero() } else { DVec3::ZERO }
    };
    samples.par_iter().map(outward).collect()
}
