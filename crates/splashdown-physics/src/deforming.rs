//! Samples on elastic bodies: particles that follow the vertices of a mesh.

mod levels;

use std::ops::Range;
use std::sync::Arc;

use splashdown_solids::embedding::Embedding;

pub use self::levels::{APART, Sampler};
pub(crate) use self::levels::{NewSample, Resampled};

use self::levels::Levels;
use crate::math::DVec3;

/// Who carries the samples of one elastic body.
#[derive(Clone, Debug)]
pub struct Deforming {
    /// Its number in `Elastic::solids.bodies`.
    pub body: usize,
    /// Where its samples are among the vertices: those at rest, and then finer ones of which some
    /// are shown in their place (`levels`).
    pub embedding: Arc<Embedding>,
    /// The point of the embedding that each sample is, in the order of its particles.
    pub points: Vec<u32>,
    /// How finely its surface is sampled.
    levels: Levels,
}

impl Deforming {
    /// All points of `embedding`, in their order, which stay as they are however far the surface is
    /// stretched.
    pub fn new(body: usize, embedding: Embedding) -> Deforming {
        let count = embedding.len();
        let (embedding, points) = (Arc::new(embedding), (0..count as u32).collect());
        Deforming { body, embedding, points, levels: Levels::new(count) }
    }

    /// The same, with finer samples where the surface is stretched.
    pub fn refined_by(self, sampler: Sampler) -> Deforming {
        Deforming { levels: self.levels.refined_by(sampler), ..self }
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
