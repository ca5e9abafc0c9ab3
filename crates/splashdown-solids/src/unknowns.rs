//! What Newton's method solves for: the vertices that move by themselves. Held ones are no
//! unknowns; those of a rigid body are combinations x = Σ wₖ cₖ of the four corners of its affine
//! frame, which are.

use glam::DVec3;
use nalgebra::SMatrix;

use crate::solids::{Hold, Solids};
use splashdown_solve::block_matrix::{BlockMatrix, Key, key};

/// Marks what is not there.
const NONE: u32 = u32::MAX;

/// On which unknowns every vertex depends, and how.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unknowns {
    parts: Vec<[(u32, f64); 4]>,
    /// How many there are.
    pub count: usize,
    /// How many of them belong to bodies. The others are guests, which come after all vertices.
    pub of_bodies: usize,
    /// Unknowns with axes along which they cannot move.
    locked: Vec<(u32, [bool; 3])>,
}

impl Unknowns {
    /// Numbers the vertices that move by themselves.
    pub fn new(solids: &Solids) -> Unknowns {
        let mut count = 0;
        let mut own = vec![NONE; solids.rest.len()];
        for (v, number) in own.iter_mut().enumerate() {
            if solids.hold[v] != Hold::Fixed && solids.affine_frame[v].is_none() {
                *number = count;
                count += 1;
            }
        }
        let none = (NONE, 0.0);
        let parts = (0..own.len()).map(|v| match &solids.affine_frame[v] {
            None => [(own[v], 1.0), none, none, none],
            Some(frame) => [0, 1, 2, 3].map(|k| {
                let corner = own[frame.corners[k] as usize];
                (corner, frame.weights[k])
            }),
        });
        let locked = own.iter().zip(&solids.locked);
        let locked = locked.filter(|(u, axes)| **u != NONE && **axes != [false; 3]);
        Unknowns {
            parts: parts.collect(),
            count: count as usize,
            of_bodies: count as usize,
            locked: locked.map(|(u, axes)| (*u, *axes)).collect(),
        }
    }

    /// The same, with guests after all vertices.
    pub fn with_guests(mut self, guests: usize) -> Unknowns {
        self.count = self.of_bodies + guests;
        self
    }

    /// Whether those of the bodies are the same.
    pub fn has_bodies_of(&self, other: &Unknowns) -> bool {
        self.parts == other.parts && self.locked == other.locked
    }

    #[inline]
    fn parts_of(&self, v: u32) -> [(u32, f64); 4] {
        let guest = || (self.of_bodies + v as usize - self.parts.len()) as u32;
        let none = (NONE, 0.0);
        let part = self.parts.get(v as usize).copied();
        part.unwrap_or_else(|| [(guest(), 1.0), none, none, none])
    }

    /// The unknowns of vertex `v`, and their weights.
    #[inline]
    pub fn of(&self, v: u32) -> impl Iterator<Item = (u32, f64)> + use<> {
        self.parts_of(v).into_iter().filter(|(u, _)| *u != NONE)
    }

    /// Whether vertex `v` can move.
    pub fn moves(&self, v: usize) -> bool {
        self.parts_of(v as u32)[0].0 != NONE
    }

    /// Whether vertex `v` is held or one unknown by itself.
    pub fn is_plain(&self, v: u32) -> bool {
        self.parts_of(v)[1].0 == NONE
    }

    /// The unknown that vertex `v` is, if it is one by itself.
    pub fn single(&self, v: u32) -> Option<u32> {
        let own = self.parts_of(v)[0].0;
        (self.is_plain(v) && own != NONE).then_some(own)
    }

    /// Which vertex each unknown is, or which guest.
    pub fn vertices(&self) -> Vec<u32> {
        let mut vertices = vec![0; self.count];
        for v in 0..self.points() {
            if let Some(u) = self.single(v) {
                vertices[u as usize] = v;
            }
        }
        vertices
    }

    /// Vertices and guests.
    fn points(&self) -> u32 {
        (self.parts.len() + self.count - self.of_bodies) as u32
    }

    /// Derivatives by the unknowns from those by the vertices.
    pub fn gather(&self, by_vertex: &[DVec3]) -> Vec<DVec3> {
        let mut sum = vec![DVec3::ZERO; self.count];
        for (v, g) in (0u32..).zip(by_vertex) {
            self.of(v).for_each(|(u, w)| sum[u as usize] += w * *g);
        }
        self.clear_locked(&mut sum);
        sum
    }

    /// Takes what is along locked axes out of `by_unknown`.
    pub fn clear_locked(&self, by_unknown: &mut [DVec3]) {
        for (u, axes) in &self.locked {
            (0..3).filter(|&k| axes[k]).for_each(|k| by_unknown[*u as usize][k] = 0.0);
        }
    }

    /// The axes along which an unknown cannot move.
    pub fn locked_axes(&self, u: u32) -> [bool; 3] {
        let found = self.locked.binary_search_by_key(&u, |(locked, _)| *locked);
        found.map_or([false; 3], |k| self.locked[k].1)
    }

    /// Makes the system leave locked axes alone.
    pub fn lock(&self, matrix: &mut BlockMatrix) {
        if !self.locked.is_empty() {
            let mut axes = vec![[false; 3]; self.count];
            self.locked.iter().for_each(|(u, locked)| axes[*u as usize] = *locked);
            matrix.lock(&axes);
        }
    }

    /// Moves of the vertices from those of the unknowns.
    pub fn spread(&self, by_unknown: &[DVec3]) -> Vec<DVec3> {
        let of = |v: u32| self.of(v).map(|(u, w)| w * by_unknown[u as usize]).sum();
        (0..self.points()).map(of).collect()
    }

    /// The blocks below the diagonal that a term of these vertices fills.
    pub fn keys(&self, vertices: &[u32], keys: &mut Vec<Key>) {
        for (i, &v) in vertices.iter().enumerate() {
            for &w in &vertices[..=i] {
                for (a, _) in self.of(v) {
                    keys.extend(self.of(w).filter(|(b, _)| *b != a).map(|(b, _)| key(a, b)));
                }
            }
        }
    }

    /// Adds the second derivatives `h` of a term of these vertices.
    pub fn add<const R: usize>(
        &self,
        matrix: &mut BlockMatrix,
        vertices: &[u32],
        h: &SMatrix<f64, R, R>,
    ) {
        for (i, &v) in vertices.iter().enumerate() {
            for (j, &w) in vertices.iter().enumerate() {
                for (a, p) in self.of(v) {
                    for (b, q) in self.of(w).filter(|(b, _)| *b <= a) {
                        let block = matrix.block_of(a, b);
                        for column in 0..3 {
                            for row in 0..3 {
                                block[3 * row + column] += p * q * h[(3 * i + row, 3 * j + column)];
                            }
                        }
                    }
                }
            }
        }
    }

    /// Adds `value` times the identity for vertex `v`.
    pub fn add_own(&self, matrix: &mut BlockMatrix, v: u32, value: f64) {
        for (a, p) in self.of(v) {
            for (b, q) in self.of(v).filter(|(b, _)| *b <= a) {
                let block = matrix.block_of(a, b);
                [0, 4, 8].iter().for_each(|&i| block[i] += p * q * value);
            }
        }
    }
}
