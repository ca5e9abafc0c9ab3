//! Pressure of fluids with elastic bodies that yield while it is solved for.
//!
//! Fluid meets samples b that follow vertices, x_b = Σ w_bv x_v (`deforming`). In a pressure solve
//! each of them takes the impulse of the particles around it, and the vertices answer as the linear
//! model of the step says (`splashdown_solids::prediction`), with inertia, elasticity and contact:
//!
//!   f_b = Σᵢ κᵢ g_ib,   u = R Sᵀ f,   the compression of i changes by −Σ_b g_ib·(S u)_b      (EF1)
//!
//! This is (M1) and (M2) of `monolithic` with vertices in the place of rigid bodies: the same
//! pressures act on fluid and mesh, and the sweeps see the mesh give way. A light wall yields to
//! all particles at once, and each of them must expect that. As (M2) does for rigid bodies, the
//! diagonal counts a share ω of what all others do to the same samples,
//!
//!   Dᵢ = (P3) + ω Σ_b |g_ib|·|S R Sᵀ Σⱼ |g_j||_b                                            (EF2)
//!
//! for one more answer in each solve. Without the others plates of a hundredth of the fluid's mass
//! diverge.

use glam::Vec3;
use rayon::prelude::*;

use crate::math::DVec3;
use crate::particles::neighbors::{Chunk, Neighbors};
use crate::sph::pressure::solve::PressureBlock;

/// Rows per task of a parallel loop.
const GRAIN: usize = 256;

/// Where fluid touches samples: for each wet particle its samples, and for each wet sample its
/// particles.
#[derive(Clone, Debug, Default)]
pub struct SampleRows {
    particles: Rows,
    samples: Rows,
    /// How many samples there are, wet or not.
    count: usize,
    /// The particle that the first sample is.
    first: usize,
}

/// Sparse rows of gradients.
#[derive(Clone, Debug, Default)]
struct Rows {
    /// What each row belongs to.
    owners: Vec<u32>,
    starts: Vec<u32>,
    entries: Vec<(u32, Vec3)>,
}

impl Rows {
    fn clear(&mut self) {
        self.owners.clear();
        self.entries.clear();
        self.starts.clear();
        self.starts.push(0);
    }

    /// Ends the row of `owner`, unless nothing was added to it.
    fn close(&mut self, owner: u32) {
        if self.starts.last().is_some_and(|&start| (start as usize) < self.entries.len()) {
            self.owners.push(owner);
            self.starts.push(self.entries.len() as u32);
        }
    }

    fn get(&self, row: usize) -> &[(u32, Vec3)] {
        &self.entries[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

impl SampleRows {
    /// Finds them among this step's wall pairs. Samples are the last `count` particles, from
    /// `first`.
    pub fn find(&mut self, neighbors: &Neighbors, first: usize, count: usize) {
        self.particles.clear();
        self.samples.clear();
        (self.first, self.count) = (first, count);
        let of_chunk = |chunk: &Chunk| {
            let mut found: Vec<(u32, u32, Vec3)> = Vec::new();
            for k in 0..chunk.particles.len() {
                let particle = (chunk.particles.start + k) as u32;
                for pair in chunk.wall_pairs(k) {
                    if let Some(sample) = (pair.index as usize).checked_sub(first) {
                        found.push((particle, sample as u32, Vec3::from(pair.gradient)));
                    }
                }
            }
            found
        };
        let chunks: Vec<_> = neighbors.chunks.par_iter().map(of_chunk).collect();
        let mut all: Vec<(u32, u32, Vec3)> = chunks.into_iter().flatten().collect();
        let mut last = None;
        for &(particle, sample, gradient) in &all {
            if last.is_some_and(|last| last != particle) {
                self.particles.close(last.unwrap_or_default());
            }
            self.particles.entries.push((sample, gradient));
            last = Some(particle);
        }
        self.particles.close(last.unwrap_or_default());
        all.sort_by_key(|&(_, sample, _)| sample); // stable: particles stay in their order
        let mut last = None;
        for &(particle, sample, gradient) in &all {
            if last.is_some_and(|last| last != sample) {
                self.samples.close(last.unwrap_or_default());
            }
            self.samples.entries.push((particle, gradient));
            last = Some(sample);
        }
        self.samples.close(last.unwrap_or_default());
    }

    /// Whether fluid touches any sample.
    pub fn is_wet(&self) -> bool {
        !self.samples.owners.is_empty()
    }

    /// f of (EF1): impulses on all samples by the pressures `kappa` of the fluid and `wall` of
    /// walls.
    pub fn impulses(&self, kappa: &[f32], wall: Option<&[f32]>) -> Vec<DVec3> {
        self.sums(|sample, entries| {
            let own = wall.map_or(0.0, |wall| wall[self.first + sample]);
            let push = |&(i, g): &(u32, Vec3)| f64::from(kappa[i as usize] + own) * g.as_dvec3();
            entries.iter().map(push).sum()
        })
    }

    fn sums(&self, sum: impl Fn(usize, &[(u32, Vec3)]) -> DVec3 + Sync) -> Vec<DVec3> {
        let rows = 0..self.samples.owners.len();
        let of_row = |row: usize| sum(self.samples.owners[row] as usize, self.samples.get(row));
        let wet: Vec<DVec3> = rows.into_par_iter().with_min_len(GRAIN).map(of_row).collect();
        let mut all = vec![DVec3::ZERO; self.count];
        for (&sample, sum) in self.samples.owners.iter().zip(wet) {
            all[sample as usize] = sum;
        }
        all
    }

    /// source ← base − Σ g·u: what samples that went by `moves` (in h) leave to be removed.
    fn compressions(&self, base: &[f32], moves: &[DVec3], source: &mut [f32]) {
        let rows = 0..self.particles.owners.len();
        let of_row = |row: usize| -> f64 {
            let terms = self.particles.get(row).iter();
            terms.map(|&(sample, g)| g.as_dvec3().dot(moves[sample as usize])).sum()
        };
        let changes: Vec<f64> = rows.into_par_iter().with_min_len(GRAIN).map(of_row).collect();
        for (&i, change) in self.particles.owners.iter().zip(changes) {
            source[i as usize] = base[i as usize] - change as f32;
        }
    }
}

/// How samples move, in h, under impulses on them: S R Sᵀ.
pub type Answer<'a> = &'a dyn Fn(&[DVec3]) -> Vec<DVec3>;

/// Elastic bodies during one pressure solve.
pub struct ElasticBlock<'a> {
    rows: &'a SampleRows,
    answer: Answer<'a>,
    /// What the fluid would have to remove if nobody pushed the bodies.
    base: Vec<f32>,
}

impl<'a> ElasticBlock<'a> {
    /// Ready to solve; `base` is what the fluid has to remove if bodies go where they would without
    /// further pressure.
    pub fn new(rows: &'a SampleRows, answer: Answer<'a>, base: Vec<f32>) -> ElasticBlock<'a> {
        ElasticBlock { rows, answer, base }
    }

    /// (EF2)
    pub fn add_compliance(&self, omega: f32, step: &mut [[f32; 2]]) {
        let all = self.rows.sums(|_, entries| {
            let is_pressed = |i: u32| step[i as usize][1] > 0.0;
            let pressed = entries.iter().filter(|(i, _)| is_pressed(*i));
            pressed.map(|(_, g)| g.abs().as_dvec3()).sum()
        });
        let yields: Vec<DVec3> = (self.answer)(&all).into_iter().map(DVec3::abs).collect();
        for (row, &i) in self.rows.particles.owners.iter().enumerate() {
            let terms = self.rows.particles.get(row).iter();
            let sum: f64 = terms.map(|(b, g)| g.abs().as_dvec3().dot(yields[*b as usize])).sum();
            let [length, diagonal] = &mut step[i as usize];
            if *diagonal > 0.0 {
                *diagonal += omega * sum as f32;
                *length = omega / *diagonal;
            }
        }
    }

    /// (EF1): moves the samples by the present pressures; the fluid has to remove what that leaves.
    pub fn update_response(&self, pressure: &mut PressureBlock) {
        let impulses = self.rows.impulses(&pressure.kappa.now, pressure.wall_kappa());
        let moves = (self.answer)(&impulses);
        self.rows.compressions(&self.base, &moves, &mut pressure.source);
    }
}
