//! Where the second derivatives of elements go in the matrix. Elements do not change their vertices, so this is
//! found once; contacts come and go and are added block by block.

use rayon::prelude::*;

use crate::dense::Mat12;
use crate::element::Element;
use crate::matrix::{BlockMatrix, Key, key};
use crate::solids::Solids;
use crate::unknowns::Unknowns;

/// Elements whose derivatives are in memory at the same time.
const BATCH: usize = 2048;
/// Marks a block that is not stored: it lies above the diagonal, or a vertex is held.
const NONE: u32 = u32::MAX;

/// The part of the pattern that does not change.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    unknowns: Unknowns,
    vertices: Vec<[u32; 4]>,
    /// The diagonal, elements and rigid bodies: sorted, each once.
    keys: Vec<Key>,
    /// For every element and two of its vertices i and j, at 4 i + j: which of `keys`.
    slots: Vec<[u32; 16]>,
    /// Memory for a batch.
    batch: Vec<Mat12>,
}

impl Frame {
    /// Finds it anew if `solids` are not those of last time.
    pub fn fit(&mut self, solids: &Solids, unknowns: &Unknowns) {
        let same = self.vertices.len() == solids.elements.len()
            && self.vertices.iter().zip(&solids.elements).all(|(v, e)| *v == e.vertices())
            && self.unknowns == *unknowns;
        if same && !self.keys.is_empty() {
            return;
        }
        self.unknowns = unknowns.clone();
        self.vertices = solids.elements.iter().map(Element::vertices).collect();
        self.keys = (0..unknowns.count as u32).map(|u| key(u, u)).collect();
        for vertices in &self.vertices {
            unknowns.keys(vertices, &mut self.keys);
        }
        for (v, carrier) in (0u32..).zip(&solids.carrier) {
            if carrier.is_some() {
                unknowns.keys(&[v; 4], &mut self.keys);
            }
        }
        self.keys.par_sort_unstable();
        self.keys.dedup();
        let keys = &self.keys;
        let slots = |vertices: &[u32; 4]| {
            let mut slots = [NONE; 16];
            for (k, slot) in slots.iter_mut().enumerate() {
                let pair = [vertices[k / 4], vertices[k % 4]].map(|v| unknowns.single(v));
                if let [Some(a), Some(b)] = pair
                    && b <= a
                {
                    *slot = keys.binary_search(&key(a, b)).map_or(NONE, |s| s as u32);
                }
            }
            slots
        };
        self.slots = self.vertices.par_iter().map(slots).collect();
    }

    /// All keys: those of the frame and those of `terms`.
    pub fn keys_with<'a>(&self, terms: impl Iterator<Item = &'a [u32; 4]>) -> Vec<Key> {
        let mut others = Vec::new();
        terms.for_each(|vertices| self.unknowns.keys(vertices, &mut others));
        others.sort_unstable();
        others.dedup();
        let mut all = Vec::with_capacity(self.keys.len() + others.len());
        let mut rest = self.keys.iter().copied().peekable();
        for other in others {
            while let Some(k) = rest.next_if(|&k| k < other) {
                all.push(k);
            }
            if rest.peek() != Some(&other) {
                all.push(other);
            }
        }
        all.extend(rest);
        all
    }

    /// Adds `hessian` of every element to a matrix that was begun with `keys_with`. Threads compute, one adds in a
    /// fixed order.
    pub fn add(
        &mut self,
        matrix: &mut BlockMatrix,
        elements: &[Element],
        hessian: impl Fn(&Element) -> Mat12 + Sync,
    ) {
        let places = matrix.places_of(&self.keys);
        let all = elements.chunks(BATCH).zip(self.vertices.chunks(BATCH));
        for ((elements, vertices), slots) in all.zip(self.slots.chunks(BATCH)) {
            elements.par_iter().map(&hessian).collect_into_vec(&mut self.batch);
            for ((h, vertices), slots) in self.batch.iter().zip(vertices).zip(slots) {
                if !vertices.iter().all(|&v| self.unknowns.is_plain(v)) {
                    self.unknowns.add(matrix, vertices, h);
                    continue;
                }
                for (k, &slot) in slots.iter().enumerate().filter(|(_, slot)| **slot != NONE) {
                    let block = matrix.block_at(places[slot as usize]);
                    let (row, column) = (3 * (k / 4), 3 * (k % 4));
                    for c in 0..3 {
                        for r in 0..3 {
                            block[3 * r + c] += h[(row + r, column + c)];
                        }
                    }
                }
            }
        }
    }
}
