//! Where the second derivatives of elements go in the matrix. Elements do not change their
//! vertices, so this is found once; contacts come and go and are added block by block.

use std::collections::BTreeMap;

use nalgebra::SMatrix;
use rayon::prelude::*;

use crate::element::Element;
use crate::elimination::Elimination;
use crate::quadratic::Mat30;
use crate::solids::Solids;
use crate::surface::Surface;
use crate::unknowns::Unknowns;
use splashdown_solve::block_matrix::{BlockMatrix, Key, Unsolvable, key};
use splashdown_solve::dense::Mat12;

/// Entries of derivatives that are in memory at the same time.
const BATCH: usize = 2048 * 144;
/// Marks a block that is not stored: it lies above the diagonal, or a vertex is held.
const NONE: u32 = u32::MAX;

/// The part of the pattern that does not change.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    unknowns: Unknowns,
    /// The diagonal, elements and rigid bodies: sorted, each once.
    keys: Vec<Key>,
    /// The same with all that a guest near any one vertex may couple.
    with_stars: Vec<Key>,
    linear: Group<4>,
    quadratic: Group<10>,
}

/// Elements of N vertices.
#[derive(Clone, Debug, Default)]
struct Group<const N: usize> {
    /// Their numbers; of the four samples of a quadratic element the first.
    elements: Vec<usize>,
    vertices: Vec<[u32; N]>,
    /// For every element and two of its vertices: which of the pattern's keys.
    slots: Vec<[[u32; N]; N]>,
}

/// A matrix that second derivatives of potentials are added to.
pub struct Assembly<'a> {
    /// Begun with the keys of the pattern and of all couplings.
    pub matrix: &'a mut BlockMatrix,
    /// Where elements go.
    pub pattern: &'a Pattern,
    /// What is solved for.
    pub unknowns: &'a Unknowns,
    /// ĥ²: what potentials are multiplied by.
    pub scale: f64,
    /// Where guests go that are no unknowns of the matrix.
    pub elimination: Option<&'a mut Elimination>,
}

impl Assembly<'_> {
    /// Adds `value` times the identity for vertex `v`.
    pub fn add_own(&mut self, v: u32, value: f64) {
        match &mut self.elimination {
            Some(elimination) if elimination.has(v) => elimination.add_own(v, value),
            _ => self.unknowns.add_own(self.matrix, v, value),
        }
    }

    /// Adds `hessian` of every element, given by its number.
    pub fn add_elements(&mut self, elements: &[Element], hessian: impl Fn(usize) -> Mat12 + Sync) {
        self.pattern.add(self.matrix, elements, hessian);
    }

    /// Adds terms of four vertices each. A guest comes first.
    pub fn add_terms(&mut self, terms: &[([u32; 4], Mat12)]) {
        for (vertices, h) in terms {
            match &mut self.elimination {
                Some(elimination) if elimination.has(vertices[0]) => {
                    elimination.add(self.matrix, self.unknowns, vertices, h);
                }
                _ => self.unknowns.add(self.matrix, vertices, h),
            }
        }
    }

    /// Leaves locked axes alone, and eliminates guests if it `completes` that.
    pub fn finish(self, completes: bool) -> Result<(), Unsolvable> {
        if let Some(elimination) = self.elimination.filter(|_| completes) {
            elimination.complete(self.matrix, self.unknowns)?;
        }
        self.unknowns.lock(self.matrix);
        Ok(())
    }
}

impl Pattern {
    /// Finds it anew if `solids` are not those of last time.
    pub fn fit(&mut self, solids: &Solids, unknowns: &Unknowns) {
        let (mut linear, mut quadratic) = (Group::default(), Group::default());
        for (k, element) in solids.elements.iter().enumerate() {
            match element {
                Element::Sample(e) if e.point == 0 => quadratic.push(k, e.vertices),
                Element::Sample(_) => {}
                _ => linear.push(k, element.corners()),
            }
        }
        let same = self.linear.vertices == linear.vertices
            && self.quadratic.vertices == quadratic.vertices
            && self.unknowns.has_bodies_of(unknowns);
        if same && !self.keys.is_empty() {
            return;
        }
        self.unknowns = unknowns.clone();
        self.keys = (0..unknowns.of_bodies as u32).map(|u| key(u, u)).collect();
        linear.vertices.iter().for_each(|v| unknowns.keys(v, &mut self.keys));
        quadratic.vertices.iter().for_each(|v| unknowns.keys(v, &mut self.keys));
        for (v, frame) in (0u32..).zip(&solids.affine_frame) {
            if frame.is_some() {
                unknowns.keys(&[v; 4], &mut self.keys);
            }
        }
        self.keys.par_sort_unstable();
        self.keys.dedup();
        self.with_stars = self.keys.clone();
        stars(&solids.surface).iter().for_each(|star| unknowns.keys(star, &mut self.with_stars));
        self.with_stars.par_sort_unstable();
        self.with_stars.dedup();
        linear.find_slots(unknowns, &self.keys);
        quadratic.find_slots(unknowns, &self.keys);
        (self.linear, self.quadratic) = (linear, quadratic);
    }

    /// All keys: those of the pattern and of the diagonal, those of `terms`, and those of guests,
    /// if they are eliminated. Guests come and go in every step: all that they usually couple is
    /// there from the beginning, so that the order of elimination need not be found again.
    pub fn keys_with<'a>(
        &self,
        unknowns: &Unknowns,
        terms: impl Iterator<Item = &'a [u32; 4]>,
        of_guests: Option<Vec<Key>>,
    ) -> Vec<Key> {
        let eliminates = of_guests.is_some();
        let base = if eliminates { &self.with_stars } else { &self.keys };
        let mut others = of_guests.unwrap_or_default();
        if !eliminates {
            others.extend((unknowns.of_bodies..unknowns.count).map(|u| key(u as u32, u as u32)));
        }
        terms.for_each(|vertices| unknowns.keys(vertices, &mut others));
        others.sort_unstable();
        others.dedup();
        let mut all = Vec::with_capacity(base.len() + others.len());
        let mut rest = base.iter().copied().peekable();
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

    /// Adds `hessian` of every element, given by its number, to a matrix that was begun with
    /// `keys_with`.
    pub fn add(
        &self,
        matrix: &mut BlockMatrix,
        elements: &[Element],
        hessian: impl Fn(usize) -> Mat12 + Sync,
    ) {
        let places = matrix.places_of(&self.keys);
        let to = (&self.unknowns, &places[..]);
        self.linear.add(matrix, to, &hessian);
        self.quadratic.add(matrix, to, |first| {
            let mut sum = Mat30::zeros();
            for (k, element) in elements.iter().enumerate().skip(first).take(4) {
                if let Element::Sample(sample) = element {
                    sample.spread(&hessian(k), &mut sum);
                }
            }
            sum
        });
    }
}

/// Around each vertex of a surface of triangles: itself and the others of its triangles.
fn stars(surface: &Surface) -> Vec<Vec<u32>> {
    let mut stars: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (triangle, _) in &surface.triangles {
        triangle.iter().for_each(|&v| stars.entry(v).or_default().extend(triangle));
    }
    let mut all: Vec<Vec<u32>> = stars.into_values().collect();
    for star in &mut all {
        star.sort_unstable();
        star.dedup();
    }
    all
}

impl<const N: usize> Group<N> {
    fn push(&mut self, element: usize, vertices: [u32; N]) {
        self.elements.push(element);
        self.vertices.push(vertices);
    }

    fn find_slots(&mut self, unknowns: &Unknowns, keys: &[Key]) {
        let slot = |v: u32, w: u32| match [v, w].map(|v| unknowns.single(v)) {
            [Some(a), Some(b)] if b <= a => {
                keys.binary_search(&key(a, b)).map_or(NONE, |s| s as u32)
            }
            _ => NONE,
        };
        let slots = |vertices: &[u32; N]| vertices.map(|v| vertices.map(|w| slot(v, w)));
        self.slots = self.vertices.par_iter().map(slots).collect();
    }

    /// Threads compute, one adds in a fixed order. R is 3 N.
    fn add<const R: usize>(
        &self,
        matrix: &mut BlockMatrix,
        (unknowns, places): (&Unknowns, &[u32]),
        hessian: impl Fn(usize) -> SMatrix<f64, R, R> + Sync,
    ) {
        let size = BATCH / (R * R);
        let mut batch = Vec::new();
        let all = self.elements.chunks(size).zip(self.vertices.chunks(size));
        for ((elements, vertices), slots) in all.zip(self.slots.chunks(size)) {
            elements.par_iter().map(|&k| hessian(k)).collect_into_vec(&mut batch);
            for ((h, vertices), slots) in batch.iter().zip(vertices).zip(slots) {
                if !vertices.iter().all(|&v| unknowns.is_plain(v)) {
                    unknowns.add(matrix, vertices, h);
                    continue;
                }
                for (row, slots) in slots.iter().enumerate() {
                    for (column, &slot) in slots.iter().enumerate().filter(|(_, s)| **s != NONE) {
                        let block = matrix.block_at(places[slot as usize]);
                        for c in 0..3 {
                            for r in 0..3 {
                                block[3 * r + c] += h[(3 * row + r, 3 * column + c)];
                            }
                        }
                    }
                }
            }
        }
    }
}
