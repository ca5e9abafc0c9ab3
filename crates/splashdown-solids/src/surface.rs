//! The surfaces that must not meet: points, edges and triangles, with the areas they stand for.
//! Rods are edges without triangles, particles points without edges.

use std::collections::{BTreeMap, BTreeSet};

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
    /// Edges of exactly two triangles.
    pub inner_edges: Vec<[u32; 2]>,
    /// Vertices all of whose edges are shared, and joints of rods: how often they count where
    /// surfaces are summed by inclusion and exclusion.
    pub inner_points: Vec<(u32, f64)>,
    /// Edges of more than two triangles.
    pub crowded_edges: Vec<[u32; 2]>,
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
        self.note_inner(triangles, points.keys());
        self.points.extend(points);
        self.edges.extend(edges);
    }

    /// Finds the edges and vertices inside what `triangles` make.
    fn note_inner<'a>(&mut self, triangles: &[[u32; 3]], points: impl Iterator<Item = &'a u32>) {
        let mut shared: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        for [a, b, c] in triangles {
            for [a, b] in [[a, b], [b, c], [c, a]] {
                *shared.entry([*a.min(b), *a.max(b)]).or_default() += 1;
            }
        }
        let on_rim: BTreeSet<u32> =
            shared.iter().filter(|(_, n)| **n != 2).flat_map(|(edge, _)| *edge).collect();
        self.inner_points.extend(points.filter(|v| !on_rim.contains(v)).map(|&v| (v, 1.0)));
        for (edge, count) in shared {
            match count {
                2 => self.inner_edges.push(edge),
                3.. => self.crowded_edges.push(edge),
                _ => {}
            }
        }
    }

    /// Adds segments of rods that rest at `rest`. Each stands for its length times its width.
    pub fn add_segments(&mut self, segments: &[[u32; 2]], rest: &[DVec3], radius: f64) {
        let mut points: BTreeMap<u32, f64> = BTreeMap::new();
        let mut joined: BTreeMap<u32, f64> = BTreeMap::new();
        for &[a, b] in segments {
            let area = 2.0 * radius * rest[a as usize].distance(rest[b as usize]);
            *points.entry(a).or_default() += 0.5 * area;
            *points.entry(b).or_default() += 0.5 * area;
            self.edges.push(([a, b], area));
            self.segments.push(([a, b], area));
            [a, b].iter().for_each(|&v| *joined.entry(v).or_default() -= 1.0);
        }
        let joints = joined.into_iter().map(|(v, minus_ends)| (v, 1.0 + minus_ends));
        self.inner_points.extend(joints.filter(|(_, count)| *count != 0.0));
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
        assert_eq!([surface.inner_edges.len(), surface.inner_points.len()], [e, v]);
        assert!(surface.crowded_edges.is_empty());
    }

    #[test]
    fn the_rim_of_a_sheet_is_not_inside_and_an_edge_of_three_triangles_is_crowded() {
        let corner = |k: u32| DVec3::new(f64::from(k % 3), f64::from(k / 3), 0.0);
        let rest: Vec<DVec3> = (0..9).map(corner).collect();
        let cell = |k: u32| [[k, k + 1, k + 4], [k, k + 4, k + 3]];
        let mut triangles: Vec<[u32; 3]> = [0, 1, 3, 4].into_iter().flat_map(cell).collect();
        let mut surface = Surface::default();
        surface.add(&triangles, &rest);
        assert_eq!((surface.inner_edges.len(), &surface.inner_points[..]), (8, &[(4, 1.0)][..]));
        triangles.push([4, 8, 6]);
        let mut surface = Surface::default();
        surface.add(&triangles, &rest);
        assert_eq!((&surface.crowded_edges[..], surface.inner_points.len()), (&[[4, 8]][..], 0));
        let mut rod = Surface::default();
        rod.add_segments(&[[0, 1], [1, 2], [1, 4]], &rest, 0.1);
        assert_eq!(rod.inner_points, [(1, -2.0)]);
    }
}
