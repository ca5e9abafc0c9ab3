//! Gives every body of liquid the volume of its particles.
//!
//! Particles that are near each other, or share a piece of surface, make a body: a lake, a drop.
//! Its surface moves along its normals, except where walls hold it, until it encloses what it
//! should.

use glam::{DVec3, Vec3};

use crate::near::Near;

/// Particles nearer than this belong together, in spacings.
const LINK: f32 = 1.5;

/// Which vertices make one body of liquid, and how much liquid it has.
pub(crate) struct Bodies {
    /// The body of each vertex.
    pub of_vertex: Vec<u32>,
    /// Particles of each body.
    pub particles: Vec<u32>,
}

impl Bodies {
    /// `nearest` is the particle of each vertex.
    pub(crate) fn new(
        points: &[Vec3],
        spacing: f32,
        near: &Near,
        nearest: &[u32],
        triangles: &[[u32; 3]],
    ) -> Bodies {
        let mut sets = Sets::new(points.len());
        for (i, &p) in points.iter().enumerate() {
            near.visit(p, |j, square| {
                if j < i && square < (LINK * spacing).powi(2) {
                    sets.join(i as u32, j as u32);
                }
            });
        }
        for t in triangles {
            let [a, b, c] = t.map(|v| nearest[v as usize]);
            sets.join(a, b);
            sets.join(b, c);
        }
        let mut number = vec![u32::MAX; points.len()];
        let mut particles: Vec<u32> = Vec::new();
        for i in 0..points.len() as u32 {
            let root = sets.root(i) as usize;
            if number[root] == u32::MAX {
                number[root] = particles.len() as u32;
                particles.push(0);
            }
            particles[number[root] as usize] += 1;
        }
        let of_vertex = nearest.iter().map(|&i| number[sets.root(i) as usize]).collect();
        Bodies { of_vertex, particles }
    }
}

/// Disjoint sets of numbers.
struct Sets {
    parent: Vec<u32>,
}

impl Sets {
    fn new(count: usize) -> Sets {
        Sets { parent: (0..count as u32).collect() }
    }

    fn root(&mut self, mut i: u32) -> u32 {
        while self.parent[i as usize] != i {
            let above = self.parent[self.parent[i as usize] as usize];
            self.parent[i as usize] = above;
            i = above;
        }
        i
    }

    fn join(&mut self, i: u32, j: u32) {
        let (a, b) = (self.root(i), self.root(j));
        // The smaller number leads: the result depends on what is joined, not on the order.
        self.parent[a.max(b) as usize] = a.min(b);
    }
}

/// A third of the areas of the triangles around each vertex, along their normals: by how much the
/// volume grows if it moves.
pub(crate) fn area_vectors(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let mut sums = vec![Vec3::ZERO; vertices.len()];
    for t in triangles {
        let [a, b, c] = t.map(|v| vertices[v as usize]);
        let area = (b - a).cross(c - a) / 6.0;
        t.iter().for_each(|&v| sums[v as usize] += area);
    }
    sums
}

/// The volume that the surface of each body encloses.
pub(crate) fn enclosed(bodies: &Bodies, vertices: &[Vec3], triangles: &[[u32; 3]]) -> Vec<f64> {
    // Measured from a vertex of each body, so that digits are not lost.
    let mut origin: Vec<Option<DVec3>> = vec![None; bodies.particles.len()];
    let mut volumes = vec![0.0; bodies.particles.len()];
    for t in triangles {
        let body = bodies.of_vertex[t[0] as usize] as usize;
        let [a, b, c] = t.map(|v| vertices[v as usize].as_dvec3());
        let o = *origin[body].get_or_insert(a);
        volumes[body] += (a - o).dot((b - o).cross(c - o)) / 6.0;
    }
    volumes
}
