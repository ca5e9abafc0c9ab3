//! A mesh moved outward (or inward) so that its flat parts move by a given offset.
//!
//! Every vertex moves by the x that satisfies nᵢ·x = offset for the normals nᵢ around it, in the
//! sense of least squares: along the normal on a smooth part, diagonally at an edge or a corner, so
//! that a box stays a box. Where a solid is thinner than twice an inward offset, both sides meet in
//! the middle.

use glam::DMat3;
use rayon::prelude::*;

use super::MeshShape;
use crate::math::{DVec3, Dimension};
use crate::mesh::TriangleMesh;

/// A sharp tip moves at most this many offsets.
const LONGEST_MITRE: f64 = 4.0;
/// Keeps directions in which all normals agree out of the solution.
const SOFT: f64 = 1e-3;

/// The mesh of `shape` with its surface moved by `offset`.
pub(super) fn moved(shape: &MeshShape, offset: f64) -> TriangleMesh {
    let mesh = shape.surface();
    if offset == 0.0 {
        return mesh.clone();
    }
    let mut around: Vec<Corner> = vec![Corner::default(); mesh.vertices.len()];
    for t in 0..mesh.triangles.len() {
        let Some(n) = mesh.area_vector(t).try_normalize() else { continue };
        let corners = mesh.corners(t);
        for k in 0..3 {
            let [a, b, c] = [corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]];
            let weight = (b - a).angle_between(c - a);
            if weight.is_finite() {
                around[mesh.triangles[t][k] as usize].add(n, weight);
            }
        }
    }
    let place = |(corner, &p): (&Corner, &DVec3)| {
        let way = corner.mitre() * offset;
        p + way * free_share(shape, p, way, offset)
    };
    let vertices = around.par_iter().zip(&mesh.vertices).map(place).collect();
    TriangleMesh { vertices, triangles: mesh.triangles.clone() }
}

/// Normals around a vertex, summed up: Σ w n nᵀ and Σ w n.
#[derive(Clone, Copy, Default)]
struct Corner {
    products: DMat3,
    sum: DVec3,
    weight: f64,
}

impl Corner {
    fn add(&mut self, n: DVec3, weight: f64) {
        let outer = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
        if self.weight == 0.0 {
            self.products = DMat3::ZERO; // The default matrix is the identity.
        }
        self.products += outer * weight;
        self.sum += n * weight;
        self.weight += weight;
    }

    /// Where the vertex goes for an offset of one.
    fn mitre(&self) -> DVec3 {
        if self.weight <= 0.0 {
            return DVec3::ZERO;
        }
        let system = self.products + DMat3::from_diagonal(DVec3::splat(SOFT * self.weight));
        let x = system.inverse() * self.sum;
        let mean = x.dot(self.sum) / self.weight;
        // The soft term shortens the way a little; planes should arrive where they belong.
        let x = if mean > 1e-3 { x / mean } else { self.sum.normalize_or_zero() };
        if x.is_finite() { x.clamp_length_max(LONGEST_MITRE) } else { DVec3::ZERO }
    }
}

/// The share of the way that can be walked before another side of a thin shape is nearer.
fn free_share(shape: &MeshShape, p: DVec3, way: DVec3, offset: f64) -> f64 {
    let progress = |share: f64| {
        let d = shape.signed_distance(p + way * share, Dimension::Three);
        if shape.is_closed() { d * offset.signum() } else { d }
    };
    // What the first small part of the way gains; less than the offset where a mitre was cut short.
    let pace = (progress(0.05) / (0.05 * offset.abs())).clamp(0.0, 1.0);
    let free = |share: f64| progress(share) >= 0.8 * pace * share * offset.abs();
    largest_share(free)
}

/// The largest share of a way, to a thousandth, that is free; `free` shares come before those that
/// are not.
pub(super) fn largest_share(free: impl Fn(f64) -> bool) -> f64 {
    if free(1.0) {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..10 {
        let middle = 0.5 * (low + high);
        if free(middle) { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::Shape;
    use crate::shapes::test_support::icosphere;

    #[test]
    fn a_box_stays_a_box() {
        let half = DVec3::new(2.0, 1.0, 0.8);
        let shape = MeshShape::new(Shape::Box { half }.surface()).unwrap();
        for offset in [-0.5, 0.5] {
            for p in moved(&shape, offset).vertices {
                assert!((p.abs() - half - offset).length() < 1e-2, "{p}");
            }
        }
    }

    #[test]
    fn a_ball_stays_a_ball() {
        let shape = MeshShape::new(icosphere(3)).unwrap();
        for offset in [-0.3, 0.3] {
            for p in moved(&shape, offset).vertices {
                assert!((p.length() - 1.0 - offset).abs() < 5e-3, "{p}");
            }
        }
    }

    #[test]
    fn a_thin_plate_collapses_to_its_middle_but_not_further() {
        let half = DVec3::new(5.0, 0.2, 5.0);
        let shape = MeshShape::new(Shape::Box { half }.surface()).unwrap();
        for p in moved(&shape, -0.5).vertices {
            assert!(p.y.abs() < 0.05, "{p}");
        }
    }
}
