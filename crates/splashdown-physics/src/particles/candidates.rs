//! Particles that may be neighbours, or are, one array per coordinate: what the search tests eight
//! at a time.

use super::halo::Slots;

/// Particles around a cell, seen from its corner, or around one of its particles, seen from there;
/// one array per coordinate.
#[derive(Default)]
pub struct Candidates {
    /// Coordinates relative to the cell in question, in h.
    pub x: Vec<f32>,
    /// The same along y.
    pub y: Vec<f32>,
    /// The same along z.
    pub z: Vec<f32>,
    /// Places in the chunk's halo.
    pub slot: Vec<u32>,
    /// How many there are, without the padding.
    pub count: usize,
}

/// So far away that it is nobody's neighbour, near enough that its square is finite.
pub(crate) const FAR: f32 = 1.0e6;

impl Candidates {
    /// Candidates at these places, padded.
    #[cfg(test)]
    pub(crate) fn at(places: &[[f32; 3]]) -> Candidates {
        let mut candidates = Candidates::default();
        for (k, &[x, y, z]) in places.iter().enumerate() {
            candidates.x.push(x);
            candidates.y.push(y);
            candidates.z.push(z);
            candidates.slot.push(k as u32);
        }
        candidates.pad();
        candidates
    }

    pub(super) fn clear(&mut self) {
        self.x.clear();
        self.y.clear();
        self.z.clear();
        self.slot.clear();
        self.count = 0;
    }

    /// Adds slots `first` to `end`, whose cell lies `shift` away.
    #[inline(always)]
    pub(super) fn add(&mut self, from: &Slots, (first, end): (u32, u32), shift: [f32; 3]) {
        if first == end {
            return; // most cells around a thin sheet are empty
        }
        let range = first as usize..end as usize;
        self.x.extend(from.x[range.clone()].iter().map(|x| x + shift[0]));
        self.y.extend(from.y[range.clone()].iter().map(|y| y + shift[1]));
        self.z.extend(from.z[range].iter().map(|z| z + shift[2]));
        self.slot.extend(first..end);
    }

    /// From the `k`-th to where it is seen from, and how far that is.
    #[inline(always)]
    pub(super) fn from(&self, k: usize) -> ([f32; 3], f32) {
        let d = [-self.x[k], -self.y[k], -self.z[k]];
        (d, (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt())
    }

    /// Adds candidates that never match, to a multiple of eight.
    pub(super) fn pad(&mut self) {
        self.count = self.x.len();
        let padded = self.count.next_multiple_of(8);
        for array in [&mut self.x, &mut self.y, &mut self.z] {
            array.resize(padded, FAR);
        }
        self.slot.resize(padded, 0);
    }

    /// Adds the `k`-th of `from`.
    pub(super) fn push(&mut self, from: &Candidates, k: usize) {
        self.x.push(from.x[k]);
        self.y.push(from.y[k]);
        self.z.push(from.z[k]);
        self.slot.push(from.slot[k]);
    }

    /// Moves those whose slots `belongs` does not name to `others`.
    pub(super) fn split_off(&mut self, others: &mut Candidates, belongs: impl Fn(u32) -> bool) {
        others.clear();
        let mut kept = 0;
        for k in 0..self.count {
            if belongs(self.slot[k]) {
                [self.x[kept], self.y[kept], self.z[kept]] = [self.x[k], self.y[k], self.z[k]];
                self.slot[kept] = self.slot[k];
                kept += 1;
            } else {
                others.push(self, k);
            }
        }
        [&mut self.x, &mut self.y, &mut self.z].into_iter().for_each(|array| array.truncate(kept));
        self.slot.truncate(kept);
        self.pad();
        others.pad();
    }
}
