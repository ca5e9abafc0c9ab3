//! Samples on elastic bodies: particles that follow the vertices of a mesh.

use std::ops::Range;
use std::sync::Arc;

use splashdown_solids::embedding::Embedding;

use crate::math::DVec3;
use crate::state::{Array, State};

/// Who carries the samples of one elastic body.
#[derive(Clone, Debug)]
pub struct Deforming {
    /// Its number in `Elastic::solids.bodies`.
    pub body: usize,
    /// Where its samples are among the vertices.
    pub embedding: Arc<Embedding>,
    /// The point of the embedding that each sample is, in the order of its particles.
    pub points: Vec<u32>,
}

impl Deforming {
    /// All points of `embedding`, in their order.
    pub fn new(body: usize, embedding: Embedding) -> Deforming {
        let points = (0..embedding.len() as u32).collect();
        Deforming { body, embedding: Arc::new(embedding), points }
    }

    /// The same body without samples.
    pub fn bare(&self) -> Deforming {
        Deforming::new(self.body, Embedding::default())
    }

    /// What samples have of something that vertices have.
    pub fn gather<'a>(&'a self, of_vertex: &'a [DVec3]) -> impl Iterator<Item = DVec3> + 'a {
        self.points.iter().map(|&point| self.embedding.gather(point as usize, of_vertex))
    }

    /// Gives forces on samples to the vertices.
    pub fn scatter(&self, forces: &[DVec3], by_vertex: &mut [DVec3]) {
        for (&point, &force) in self.points.iter().zip(forces) {
            if force != DVec3::ZERO {
                self.embedding.scatter(point as usize, force, by_vertex);
            }
        }
    }

    /// How much larger the surface around each sample is than at rest, with vertices at `x`.
    pub fn stretch<'a>(&'a self, x: &'a [DVec3]) -> impl Iterator<Item = f64> + 'a {
        self.points.iter().map(|&point| self.embedding.stretch(point as usize, x))
    }

    /// The order of its samples is part of the state.
    pub(crate) fn save(&self, key: &str, state: &mut State) {
        state.put(&format!("{key}.points"), Array::U32(self.points.clone()));
    }

    pub(crate) fn load(&mut self, key: &str, state: &State) -> Result<(), String> {
        let points = state.integers(&format!("{key}.points"))?;
        let mut sorted = points.clone();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..self.embedding.len() as u32) {
            return Err(format!("{key}.points are not the samples of the scene"));
        }
        self.points = points.clone();
        Ok(())
    }
}

/// The samples of all elastic bodies, which are the last particles of a world.
#[derive(Clone, Debug, Default)]
pub struct Samples<'a> {
    /// Bodies in the order of their particles.
    pub bodies: Vec<&'a Deforming>,
    /// Their particles.
    pub range: Range<usize>,
}

impl Samples<'_> {
    /// What samples have of something that vertices have, in their order.
    pub fn gather(&self, of_vertex: &[DVec3]) -> Vec<DVec3> {
        self.bodies.iter().flat_map(|body| body.gather(of_vertex)).collect()
    }

    /// Gives forces on samples to the vertices.
    pub fn scatter(&self, mut forces: &[DVec3], by_vertex: &mut [DVec3]) {
        for body in &self.bodies {
            let (own, others) = forces.split_at(body.points.len());
            body.scatter(own, by_vertex);
            forces = others;
        }
    }
}
