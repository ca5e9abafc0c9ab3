//! Tetrahedra in any closed shape: isosurface stuffing (Labelle & Shewchuk 2007).
//!
//! The tetrahedra of a body-centred cubic lattice are kept where they are inside and cut where they
//! cross the surface. Lattice points very close to the surface are moved onto it first, so that no
//! sliver is cut off.

use std::collections::HashMap;

use glam::DVec3;

use super::{TetMesh, volume};

/// Share of a long and of a short edge within which a lattice point is moved to the surface (their
/// table 1).
const SNAP: [f64; 2] = [0.24999, 0.41189];

/// Fills the inside of a shape, where `distance` is negative, with tetrahedra whose edges are about
/// `size` long. The shape lies between the corners `min` and `max`.
pub fn stuffed(
    distance: impl Fn(DVec3) -> f64 + Sync,
    min: DVec3,
    max: DVec3,
    size: f64,
) -> TetMesh {
    let mut lattice = Lattice::new(min, max, size, &distance);
    lattice.snap(&distance);
    Cutter {
        lattice: &lattice,
        distance: &distance,
        mesh: TetMesh::default(),
        known: HashMap::new(),
    }
    .fill()
}

/// Points of a cubic lattice and, after them, the centres of its cells.
struct Lattice {
    corners: [usize; 3],
    places: Vec<DVec3>,
    values: Vec<f64>,
}

impl Lattice {
    fn new(
        min: DVec3,
        max: DVec3,
        size: f64,
        distance: &(impl Fn(DVec3) -> f64 + Sync),
    ) -> Lattice {
        use rayon::prelude::*;
        let cells = ((max - min) / size).to_array().map(|n| n.ceil().max(1.0) as usize + 2);
        let corners = cells.map(|n| n + 1);
        // In the middle of the box: a symmetric shape gets a symmetric mesh.
        let spare = DVec3::from([0, 1, 2].map(|a| cells[a] as f64 * size)) - (max - min);
        let origin = min - 0.5 * spare;
        let grid = |counts: [usize; 3], shift: f64| {
            (0..counts.iter().product()).map(move |n: usize| {
                let at = [n % counts[0], n / counts[0] % counts[1], n / counts[0] / counts[1]];
                origin + size * (DVec3::from(at.map(|i| i as f64)) + shift)
            })
        };
        let places: Vec<DVec3> = grid(corners, 0.0).chain(grid(cells, 0.5)).collect();
        let values = places.par_iter().map(|&p| distance(p)).collect();
        Lattice { corners, places, values }
    }

    fn corner(&self, [i, j, k]: [usize; 3]) -> usize {
        i + self.corners[0] * (j + self.corners[1] * k)
    }

    fn centre(&self, [i, j, k]: [usize; 3]) -> usize {
        let [x, y, z] = self.corners;
        x * y * z + i + (x - 1) * (j + (y - 1) * k)
    }

    /// Calls `each` with every tetrahedron: two neighbouring centres and an edge of the face
    /// between them.
    fn each_tetrahedron(&self, mut each: impl FnMut([usize; 4])) {
        let cells = self.corners.map(|n| n - 1);
        for n in 0..cells.iter().product() {
            let cell = [n % cells[0], n / cells[0] % cells[1], n / cells[0] / cells[1]];
            for axis in 0..3 {
                let mut next = cell;
                next[axis] += 1;
                if next[axis] == cells[axis] {
                    continue;
                }
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let face = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[a, b]| {
                    let mut corner = next;
                    corner[u] += a;
                    corner[v] += b;
                    self.corner(corner)
                });
                for k in 0..4 {
                    each([self.centre(cell), self.centre(next), face[k], face[(k + 1) % 4]]);
                }
            }
        }
    }

    /// Moves points that are too close to the surface onto it.
    fn snap(&mut self, distance: &impl Fn(DVec3) -> f64) {
        let mut edges: Vec<[usize; 2]> = Vec::new();
        self.each_tetrahedron(|t| {
            for i in 0..4 {
                for j in 0..i {
                    if self.values[t[i]] * self.values[t[j]] < 0.0 {
                        edges.push([t[i], t[j]]);
                        edges.push([t[j], t[i]]);
                    }
                }
            }
        });
        edges.sort_unstable();
        edges.dedup();
        let centres = self.corners.iter().product();
        let mut k = 0;
        while k < edges.len() {
            let from = edges[k][0];
            let mut nearest: Option<(f64, DVec3)> = None;
            while k < edges.len() && edges[k][0] == from {
                let to = edges[k][1];
                k += 1;
                if self.values[from] * self.values[to] >= 0.0 {
                    continue; // one of them has been moved
                }
                let cut = crossing(distance, self.places[from], self.places[to]);
                // Edges within one of the two lattices are the long ones.
                let short = usize::from((from < centres) != (to < centres));
                let limit = SNAP[short] * self.places[from].distance(self.places[to]);
                let away = cut.distance(self.places[from]);
                if away < limit && nearest.is_none_or(|(best, _)| away < best) {
                    nearest = Some((away, cut));
                }
            }
            if let Some((_, place)) = nearest {
                self.places[from] = place;
                self.values[from] = 0.0;
            }
        }
    }
}

/// Where the distance vanishes between two points on different sides of the surface.
fn crossing(distance: &impl Fn(DVec3) -> f64, mut inside: DVec3, mut outside: DVec3) -> DVec3 {
    if distance(inside) > 0.0 {
        std::mem::swap(&mut inside, &mut outside);
    }
    for _ in 0..30 {
        let middle = 0.5 * (inside + outside);
        if distance(middle) < 0.0 { inside = middle } else { outside = middle }
    }
    0.5 * (inside + outside)
}

struct Cutter<'a, F> {
    lattice: &'a Lattice,
    distance: &'a F,
    mesh: TetMesh,
    /// Vertices of the mesh by lattice points, or by the edges they cut.
    known: HashMap<[usize; 2], u32>,
}

impl<F: Fn(DVec3) -> f64> Cutter<'_, F> {
    fn fill(mut self) -> TetMesh {
        let lattice = self.lattice;
        lattice.each_tetrahedron(|t| self.cut(t));
        self.mesh
    }

    fn point(&mut self, v: usize) -> u32 {
        self.vertex([v, v], |cutter| cutter.lattice.places[v])
    }

    fn between(&mut self, a: usize, b: usize) -> u32 {
        let key = [a.min(b), a.max(b)];
        self.vertex(key, |cutter| {
            let [a, b] = key.map(|v| cutter.lattice.places[v]);
            crossing(cutter.distance, a, b)
        })
    }

    fn vertex(&mut self, key: [usize; 2], place: impl FnOnce(&Self) -> DVec3) -> u32 {
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let place = place(self);
        let number = self.mesh.vertices.len() as u32;
        self.mesh.vertices.push(place);
        self.known.insert(key, number);
        number
    }

    fn add(&mut self, mut t: [u32; 4]) {
        if volume(t.map(|v| self.mesh.vertices[v as usize])) < 0.0 {
            t.swap(2, 3);
        }
        self.mesh.tetrahedra.push(t);
    }

    /// Keeps what is inside of a tetrahedron. Neighbours must cut the faces they share the same
    /// way: every diagonal begins at the lattice point that is deeper inside.
    fn cut(&mut self, mut t: [usize; 4]) {
        let value = &self.lattice.values;
        t.sort_by(|&a, &b| value[a].total_cmp(&value[b]).then(a.cmp(&b)));
        let inside = t.iter().filter(|v| value[**v] < 0.0).count();
        let outside = t.iter().filter(|v| value[**v] > 0.0).count();
        let [a, b, c, d] = t;
        match (inside, outside) {
            (0, _) => {}
            (_, 0) => {
                let all = t.map(|v| self.point(v));
                self.add(all);
            }
            (1, _) => {
                let others = [b, c, d].map(|v| match self.lattice.values[v] > 0.0 {
                    true => self.between(a, v),
                    false => self.point(v),
                });
                let a = self.point(a);
                self.add([a, others[0], others[1], others[2]]);
            }
            (2, 1) => {
                let (ad, bd) = (self.between(a, d), self.between(b, d));
                let [a, b, c] = [a, b, c].map(|v| self.point(v));
                self.add([c, a, b, bd]);
                self.add([c, a, bd, ad]);
            }
            (2, _) => {
                let [ac, ad] = [c, d].map(|v| self.between(a, v));
                let [bc, bd] = [c, d].map(|v| self.between(b, v));
                let [a, b] = [a, b].map(|v| self.point(v));
                self.add([a, b, bc, bd]);
                let place = |v: u32| self.mesh.vertices[v as usize];
                if place(ac).distance_squared(place(bd)) < place(ad).distance_squared(place(bc)) {
                    self.add([a, ac, bd, bc]);
                    self.add([a, ac, ad, bd]);
                } else {
                    self.add([a, ad, bc, ac]);
                    self.add([a, ad, bd, bc]);
                }
            }
            _ => {
                let [ad, bd, cd] = [a, b, c].map(|v| self.between(v, d));
                let [a, b, c] = [a, b, c].map(|v| self.point(v));
                self.add([a, ad, bd, cd]);
                self.add([a, b, c, cd]);
                self.add([a, b, cd, bd]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meshing::dihedral_angles;
    use crate::surface::boundary;

    #[test]
    fn a_ball_has_its_volume_a_closed_surface_and_no_slivers() {
        for size in [0.3, 0.15] {
            let ball = |p: DVec3| p.length() - 1.0;
            let mesh = stuffed(ball, DVec3::splat(-1.0), DVec3::splat(1.0), size);
            let exact = 4.0 / 3.0 * std::f64::consts::PI;
            assert!(
                (mesh.volume() / exact - 1.0).abs() < 0.6 * size * size,
                "{}",
                mesh.volume() / exact
            );
            // Closed: every edge of the surface has two triangles. Its vertices lie on the ball.
            let surface = boundary(&mesh.tetrahedra);
            let mut edges = HashMap::new();
            for t in &surface {
                for k in 0..3 {
                    let (a, b) = (t[k], t[(k + 1) % 3]);
                    *edges.entry([a.min(b), a.max(b)]).or_insert(0) += 1;
                }
                assert!(t.iter().all(|&v| ball(mesh.vertices[v as usize]).abs() < 1e-6));
            }
            assert!(edges.values().all(|&n| n == 2));
            let [least, most] = dihedral_angles(&mesh);
            assert!(least > 9.0 && most < 165.0, "{least} {most}");
        }
    }

    #[test]
    fn neighbours_cut_their_common_faces_the_same_way() {
        // A lumpy shape: inside faces belong to two tetrahedra, and the surface encloses the
        // volume.
        let lumpy = |p: DVec3| {
            p.length()
                - 0.8
                - 0.1 * (5.0 * p.x).sin() * (4.0 * p.y).cos()
                - 0.05 * (7.0 * p.z).sin()
        };
        let mesh = stuffed(lumpy, DVec3::splat(-1.0), DVec3::splat(1.0), 0.13);
        let enclosed: f64 = boundary(&mesh.tetrahedra)
            .iter()
            .map(|t| t.map(|v| mesh.vertices[v as usize]))
            .map(|[a, b, c]| a.dot(b.cross(c)) / 6.0)
            .sum();
        assert!((enclosed - mesh.volume()).abs() < 1e-10);
        assert!(mesh.tetrahedra.iter().all(|t| volume(t.map(|v| mesh.vertices[v as usize])) > 0.0));
    }
}
