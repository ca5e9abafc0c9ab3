//! A tube of cloth: a sheet, open or closed at its ends, straight or conical, with holes.

use std::f64::consts::TAU;

use glam::DVec2;

use super::{ParameterError, require};
use crate::math::DVec3;
use crate::mesh::TriangleMesh;

/// More triangles than this are refused.
const MOST: f64 = 1e7;

/// A tube about the y axis, half of it below y = 0.
#[derive(Clone, Debug)]
pub struct Tube {
    /// Radius at its lower end, m.
    pub bottom: f64,
    /// Radius at its upper end, m.
    pub top: f64,
    /// From end to end, m.
    pub height: f64,
    /// Whether a disc closes each end.
    pub closed: bool,
    /// Where it has holes, m.
    pub holes: Vec<DVec3>,
    /// Their radius, m.
    pub hole: f64,
}

/// The tube, of triangles with edges about `edge` long.
pub fn tube(tube: &Tube, edge: f64) -> Result<TriangleMesh, ParameterError> {
    let Tube { bottom, top, height, .. } = *tube;
    let smallest = bottom.min(top);
    require(tube.hole < smallest, "hole", format!("must be below {smallest} m"))?;
    let area = TAU * bottom.max(top) * (height + bottom.max(top));
    let many = format!("must be smaller: edges of {edge} m make more than {MOST:.0e} triangles");
    require(area < 0.4 * MOST * edge * edge, "height", many)?;
    let [low, high] = [DVec2::new(bottom, -0.5 * height), DVec2::new(top, 0.5 * height)];
    let row = 0.75f64.sqrt() * edge;
    let way = |from: DVec2, to: DVec2| {
        let parts = (from.distance(to) / row).round().max(1.0) as u32;
        (0..=parts).map(move |k| from.lerp(to, f64::from(k) / f64::from(parts)))
    };
    let mut profile: Vec<DVec2> = Vec::new();
    if tube.closed {
        profile.extend(way(low.with_x(0.0), low));
        profile.pop();
    }
    profile.extend(way(low, high));
    if tube.closed {
        profile.pop();
        profile.extend(way(high, high.with_x(0.0)));
    }
    let mut mesh = revolved(&profile, edge);
    tube.holes.iter().for_each(|&centre| punch(&mut mesh, centre, tube.hole));
    Ok(mesh)
}

/// What a profile (r, y) sweeps about the y axis, in rings of triangles with edges about `edge`
/// long; the inside is on the profile's left.
fn revolved(profile: &[DVec2], edge: f64) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    let mut last = Ring::default();
    for (row, p) in profile.iter().enumerate() {
        let count = if p.x > 0.0 { (TAU * p.x / edge).round().max(6.0) as u32 } else { 1 };
        let shift = if row % 2 == 0 { 0.0 } else { 0.5 };
        let ring = Ring { first: mesh.vertices.len() as u32, count, shift };
        mesh.vertices.extend((0..count).map(|k| {
            let (sin, cos) = ring.angle(k).sin_cos();
            DVec3::new(p.x * cos, p.y, p.x * sin)
        }));
        if row > 0 {
            join(&mut mesh, last, ring);
        }
        last = ring;
    }
    mesh
}

/// Vertices around the axis.
#[derive(Clone, Copy, Default)]
struct Ring {
    first: u32,
    count: u32,
    /// Of its first vertex, in distances between two.
    shift: f64,
}

impl Ring {
    fn angle(&self, k: u32) -> f64 {
        TAU * (f64::from(k) + self.shift) / f64::from(self.count)
    }

    fn vertex(&self, k: u32) -> u32 {
        self.first + k % self.count
    }

    /// Where the next vertex after `k` is, if there is one.
    fn next(&self, k: u32) -> f64 {
        let has_next = k < self.count && self.count > 1;
        if has_next { self.angle(k + 1) } else { f64::INFINITY }
    }
}

/// Triangles between two rings: always the one that goes less far around.
fn join(mesh: &mut TriangleMesh, low: Ring, high: Ring) {
    let (mut i, mut j) = (0, 0);
    while low.next(i).min(high.next(j)).is_finite() {
        let [a, b] = [low.vertex(i), high.vertex(j)];
        if low.next(i) <= high.next(j) {
            mesh.triangles.push([a, b, low.vertex(i + 1)]);
            i += 1;
        } else {
            mesh.triangles.push([a, b, high.vertex(j + 1)]);
            j += 1;
        }
    }
}

/// Removes the vertices within `radius` of `centre`; those beside them move to its rim.
fn punch(mesh: &mut TriangleMesh, centre: DVec3, radius: f64) {
    let gone: Vec<bool> = mesh.vertices.iter().map(|v| v.distance(centre) < radius).collect();
    let is_gone = |v: &u32| gone[*v as usize];
    let mut rim: Vec<u32> =
        mesh.triangles.iter().filter(|t| t.iter().any(is_gone)).flatten().copied().collect();
    rim.retain(|v| !is_gone(v));
    rim.sort_unstable();
    rim.dedup();
    mesh.triangles.retain(|t| !t.iter().any(is_gone));
    for v in rim {
        let v = &mut mesh.vertices[v as usize];
        *v = centre + (*v - centre).normalize() * radius;
    }
    drop_unused(mesh);
}

/// Leaves out vertices without a triangle.
fn drop_unused(mesh: &mut TriangleMesh) {
    let mut number = vec![None; mesh.vertices.len()];
    let mut kept = Vec::new();
    for v in mesh.triangles.iter_mut().flatten() {
        let old = *v as usize;
        *v = *number[old].get_or_insert_with(|| {
            kept.push(mesh.vertices[old]);
            kept.len() as u32 - 1
        });
    }
    mesh.vertices = kept;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::MeshShape;
    use std::f64::consts::PI;

    fn plain() -> Tube {
        Tube { bottom: 0.5, top: 0.5, height: 1.0, closed: true, holes: vec![], hole: 0.1 }
    }

    #[test]
    fn a_tube_with_ends_is_closed_even_and_has_its_volume() {
        let mesh = tube(&plain(), 0.05).unwrap();
        assert!((mesh.volume() / (0.25 * PI) - 1.0).abs() < 0.01, "{}", mesh.volume());
        let longest = |[a, b, c]: [DVec3; 3]| a.distance(b).max(b.distance(c)).max(c.distance(a));
        for t in 0..mesh.triangles.len() {
            let corners = mesh.corners(t);
            let [a, b, c] = corners;
            let area = 0.5 * (b - a).cross(c - a).length();
            assert!(longest(corners) < 0.09 && area > 0.4 * 0.05 * 0.05 * 0.43, "{corners:?}");
        }
        let report = MeshShape::new(mesh).unwrap().report();
        assert!(report.is_closed() && report.flipped_triangles == 0, "{report:?}");
    }

    #[test]
    fn open_ends_and_holes_are_missing() {
        let cone = Tube { top: 0.3, closed: false, ..plain() };
        let side = PI * 0.8 * 1.04f64.sqrt();
        let whole = tube(&cone, 0.05).unwrap();
        assert!((whole.area() / side - 1.0).abs() < 0.01, "{}", whole.area());
        let holes = vec![DVec3::new(0.0, 0.25, 0.35), DVec3::new(0.0, -0.25, -0.45)];
        let pierced = tube(&Tube { holes: holes.clone(), ..cone }, 0.05).unwrap();
        assert!(((whole.area() - pierced.area()) / (2.0 * PI * 0.01) - 1.0).abs() < 0.15);
        let distance = |v: &DVec3| holes.iter().map(|h| h.distance(*v)).fold(1.0, f64::min);
        assert!(pierced.vertices.iter().all(|v| distance(v) > 0.1 - 1e-9));
        let used: std::collections::HashSet<u32> =
            pierced.triangles.iter().flatten().copied().collect();
        assert_eq!(used.len(), pierced.vertices.len());
    }
}
