//! The surfaces that must not meet: points, edges and triangles, with the areas they stand for.
//! Rods are edges without triangles, particles points without edges.

use std::collections::BTreeMap;

use glam::DVec3;

/// All surfaces of all bodies together. Numbers are those of vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Vertices on a surface, and the area around each, m².
    pub points: Vec<(u32, f64)>,
    /// Edges of triangles, and the area around each, m².
    pub edges: Vec<([u32; 2], f64)>,
    /// Triangles, counter-clockwise seen from outside, and their areas, m².
    pub triangles: Vec<([u32; 3], f64)>,
    /// Segments of rods, which are among `edges` as well.
    pub segments: Vec<([u32; 2], f64)>,
    /// Free particles, which are among `points` as well.
    pub particles: Vec<(u32, f64)>,
}

impl Surface {
    /// Adds the triangles of a body that rests at `rest`.
    pub fn add(&mut self, triangles: &[[u32; 3]], rest: &[DVec3]) {
        let mut points: BTreeMap<u32, f64> = BTreeMap::new();
        let mut edges: BTreeMap<[u32; 2], f64> = BTreeMap::new();
        for &t in triangles {
            let [a, b, c] = t.map(|v| rest[v as usize]);
            let area = 0.5 * (b - a).cross(c - a).length();
            self.triangles.push((t, area));
            for k in 0..3 {
                *points.entry(t[k]).or_default() += area / 3.0;
                let (a, b) = (t[k], t[(k + 1) % 3]);
                *edges.entry([a.min(b), a.max(b)]).or_default() += area / 3.0;
            }
        }
        self.points.extend(points);
        self.edges.extend(edges);
    }

    /// Adds segments of rods that rest at `rest`. Each stands for its length times its width.
    pub fn add_segments(&mut self, segments: &[[u32; 2]], rest: &[DVec3], radius: f64) {
        let mut points: BTreeMap<u32, f64> = BTreeMap::new();
        for &[a, b] in segments {
            let area = 2.0 * radius * rest[a as usize].distance(rest[b as usize]);
            *points.entry(a).or_default() += 0.5 * area;
            *points.entry(b).or_default() += 0.5 * area;
            self.edges.push(([a, b], area));
            self.segments.push(([a, b], area));
        }
        self.points.extend(points);
    }

    /// Adds free particles. Each stands for its section.
    pub fn add_particles(&mut self, vertices: std::ops::Range<u32>, radius: f64) {
        let particles = vertices.map(|v| (v, std::f64::consts::PI * radius * radius));
        self.points.extend(particles.clone());
        self.particles.extend(particles);
    }
}

/// The faces that belong to one tetrahedron only, counter-clockwise seen from outside.
pub fn boundary(tetrahedra: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let mut faces: BTreeMap<[u32; 3], ([u32; 3], u32)> = BTreeMap::new();
    for &[a, b, c, d] in tetrahedra {
        for face in [[a, c, b], [a, b, d], [b, c, d], [a, d, c]] {
            let mut key = face;
            key.sort_unstable();
            faces.entry(key).or_insert((face, 0)).1 += 1;
        }
    }
    faces.into_values().filter(|(_, count)| *count == 1).map(|(face, _)| face).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meshing::block;

    #[test]
    fn the_boundary_of_a_box_is_closed_and_looks_outwards() {
        let mesh = block(DVec3::new(1.0, 2.0, 3.0), [2, 3, 4]);
        let triangles = boundary(&mesh.tetrahedra);
        let volume: f64 = triangles
            .iter()
            .map(|t| t.map(|v| mesh.vertices[v as usize]))
            .map(|[a, b, c]| a.dot(b.cross(c)) / 6.0)
            .sum();
        assert!((volume - 6.0).abs() < 1e-12);
        let mut surface = Surface::default();
        surface.add(&triangles, &mesh.vertices);
        let areas = [
            surface.points.iter().map(|p| p.1).sum::<f64>(),
            surface.edges.iter().map(|e| e.1).sum::<f64>(),
            surface.triangles.iter().map(|t| t.1).sum::<f64>(),
        ];
        assert!(areas.iter().all(|a| (a - 22.0).abs() < 1e-12), "{areas:?}");
        // Euler: V − E + F = 2
        let [v, e, f] = [surface.points.len(), surface.edges.len(), surface.triangles.len()];
        assert_eq!(v + f, e + 2);
    }
}
