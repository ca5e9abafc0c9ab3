//! Tetrahedra in a box, in any closed shape and from files; triangles in a rectangle.

pub mod file;
mod sheet;
mod stuffing;

use glam::DVec3;

pub use sheet::{Triangles, sheet};
pub use stuffing::stuffed;

/// Vertices and the tetrahedra between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetMesh {
    /// m
    pub vertices: Vec<DVec3>,
    /// Numbers of vertices; positive volumes.
    pub tetrahedra: Vec<[u32; 4]>,
}

impl TetMesh {
    /// m³
    pub fn volume(&self) -> f64 {
        self.tetrahedra.iter().map(|t| volume(t.map(|v| self.vertices[v as usize]))).sum()
    }
}

/// Signed volume of a tetrahedron.
pub fn volume([a, b, c, d]: [DVec3; 4]) -> f64 {
    (b - a).dot((c - a).cross(d - a)) / 6.0
}

/// A box of `size` about the origin in `cells`, each cut into six tetrahedra along its diagonal
/// (Kuhn 1960). Diagonals of neighbouring cells are mirrored, so that the mesh prefers no
/// direction.
pub fn block(size: DVec3, cells: [usize; 3]) -> TetMesh {
    let [nx, ny, nz] = cells;
    let at = |i: usize, j: usize, k: usize| (i + (nx + 1) * (j + (ny + 1) * k)) as u32;
    let mut mesh = TetMesh::default();
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..=nx {
                let share =
                    DVec3::new(i as f64 / nx as f64, j as f64 / ny as f64, k as f64 / nz as f64);
                mesh.vertices.push(size * (share - 0.5));
            }
        }
    }
    // The six ways from one corner of a cell to the opposite one.
    const WAYS: [[usize; 3]; 6] =
        [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let flip = [i % 2, j % 2, k % 2];
                let mirrored = flip.iter().sum::<usize>() % 2 == 1;
                for (way, order) in WAYS.into_iter().enumerate() {
                    let mut corner = [0, 0, 0];
                    let place = |c: [usize; 3]| {
                        let [x, y, z] =
                            [0, 1, 2].map(|a| if flip[a] == 1 { 1 - c[a] } else { c[a] });
                        at(i + x, j + y, k + z)
                    };
                    let mut tet = [place(corner), 0, 0, 0];
                    for (n, axis) in order.into_iter().enumerate() {
                        corner[axis] = 1;
                        tet[n + 1] = place(corner);
                    }
                    if mirrored != (way >= 3) {
                        tet.swap(2, 3);
                    }
                    mesh.tetrahedra.push(tet);
                }
            }
        }
    }
    mesh
}

/// The smallest and the largest angle between two faces of a tetrahedron, degrees.
pub fn dihedral_angles(mesh: &TetMesh) -> [f64; 2] {
    let mut range = [180.0, 0.0];
    for t in &mesh.tetrahedra {
        let p = t.map(|v| mesh.vertices[v as usize]);
        // At the edge from a to b, between the faces with c and with d.
        const EDGES: [[usize; 4]; 6] =
            [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 2, 0, 3], [2, 3, 0, 1], [3, 1, 0, 2]];
        for [a, b, c, d] in EDGES {
            let edge = (p[b] - p[a]).normalize();
            let across = |q: DVec3| (q - p[a]) - (q - p[a]).dot(edge) * edge;
            let angle = across(p[c]).angle_between(across(p[d])).to_degrees();
            range = [f64::min(range[0], angle), f64::max(range[1], angle)];
        }
    }
    range
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_filled_by_tetrahedra_of_equal_size() {
        let mesh = block(DVec3::new(1.0, 2.0, 3.0), [3, 2, 5]);
        assert_eq!(mesh.tetrahedra.len(), 6 * 30);
        for t in &mesh.tetrahedra {
            let v = volume(t.map(|v| mesh.vertices[v as usize]));
            assert!((v - 6.0 / 180.0).abs() < 1e-12, "{v}");
        }
        assert!((mesh.volume() - 6.0).abs() < 1e-12);
    }
}
