//! The Hessian of the potentials as a matrix, for comparison: its rows reach neighbours of
//! neighbours, in 3D about 170 blocks of 3×3 numbers each.
//!
//! ```text
//! H = μ + κ Σₘ (∂Jₘ)ᵀ ∂Jₘ + C:   block (i, j) = κ Σₘ ∂Jₘ/∂uᵢ (∂Jₘ/∂uⱼ)ᵀ + …,  m near i, j near m
//! ```
//!
//! Rows are sparse, and summed up one after the other with a note of where each column stands
//! (Gustavson 1978). Samples that somebody carries have rows and columns, too.

use std::ops::Range;

use rayon::prelude::*;

use super::potentials::Potentials;
use super::rows::{Neighbor, Rows, Stretch};
use crate::math::{DMat3, DVec3};
use crate::solve::operator::LinearOperator;

/// A column that has no place in a row.
const NOWHERE: u32 = u32::MAX;
/// So many rows of samples are made at a time.
const SAMPLES: usize = 256;

/// H as sparse rows of blocks.
pub struct Assembled {
    /// Of the fluid, in the order of particles.
    fluid: Vec<Part>,
    /// Of samples, in their order.
    samples: Vec<Part>,
}

/// Some rows that follow each other.
#[derive(Default)]
struct Part {
    /// Where each ends.
    ends: Vec<usize>,
    /// Particles.
    columns: Vec<u32>,
    blocks: Vec<DMat3>,
}

/// a bᵀ
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(b.x * a, b.y * a, b.z * a)
}

/// C of a pair (`friction`).
fn rubbing(n: &Neighbor, &[a, b]: &[f32; 2]) -> DMat3 {
    let g = n.gradient();
    DMat3::from_diagonal(DVec3::splat(f64::from(a))) + f64::from(b) * outer(g, g)
}

impl Assembled {
    /// Of these potentials; `samples` are the particles besides the fluid that have rows. The
    /// others stand still.
    pub fn of(potentials: &Potentials<'_>, samples: Range<usize>) -> Assembled {
        let (rows, all) = (potentials.rows, potentials.count().max(samples.end));
        let near = NearSamples::find(rows, samples);
        let maker = Maker { potentials, near: &near };
        let fluid = (rows.stretches.par_iter())
            .map_init(|| Sum::over(all), |sum, stretch| maker.rows_of_fluid(stretch, sum));
        let count = near.ends.len();
        let parts = (0..count.div_ceil(SAMPLES)).into_par_iter();
        let samples = parts.map_init(
            || Sum::over(all),
            |sum, k| maker.rows_of_samples(k * SAMPLES..count.min((k + 1) * SAMPLES), sum),
        );
        Assembled { fluid: fluid.collect(), samples: samples.collect() }
    }

    /// How many bytes it takes.
    pub fn bytes(&self) -> usize {
        let of = |part: &Part| {
            size_of_val(&part.ends[..])
                + part.columns.capacity() * size_of::<u32>()
                + part.blocks.capacity() * size_of::<DMat3>()
        };
        self.fluid.iter().chain(&self.samples).map(of).sum()
    }

    /// All entries of the fluid's rows and columns.
    pub fn dense(&self) -> Vec<Vec<f64>> {
        let n: usize = self.fluid.iter().map(|part| part.ends.len()).sum();
        let mut dense = vec![vec![0.0; 3 * n]; 3 * n];
        let rows = self.fluid.iter().flat_map(|part| (0..part.ends.len()).map(|k| part.row(k)));
        for (i, (columns, blocks)) in rows.enumerate() {
            let row = columns.iter().zip(blocks).filter(|(j, _)| (**j as usize) < n);
            for (&j, block) in row {
                for (r, c) in (0..3).flat_map(|r| (0..3).map(move |c| (r, c))) {
                    dense[3 * i + r][3 * j as usize + c] = block.col(c)[r];
                }
            }
        }
        dense
    }

    /// H p of the fluid and of samples, for a direction of all particles.
    pub fn multiply(&self, p: &[DVec3], of_fluid: &mut [DVec3], of_samples: &mut [DVec3]) {
        for (parts, mut rest) in [(&self.fluid, of_fluid), (&self.samples, of_samples)] {
            let mut work = Vec::with_capacity(parts.len());
            for part in parts {
                let (own, behind) = rest.split_at_mut(part.ends.len());
                work.push((part, own));
                rest = behind;
            }
            work.into_par_iter().for_each(|(part, out)| {
                out.iter_mut().enumerate().for_each(|(k, sum)| {
                    let (columns, blocks) = part.row(k);
                    let row = columns.iter().zip(blocks);
                    *sum = row.map(|(&j, block)| *block * p[j as usize]).sum();
                });
            });
        }
    }
}

impl LinearOperator<DVec3> for Assembled {
    fn apply(&self, p: &[DVec3], out: &mut [DVec3]) {
        self.multiply(p, out, &mut []);
    }
}

impl Part {
    fn row(&self, k: usize) -> (&[u32], &[DMat3]) {
        let range = if k == 0 { 0 } else { self.ends[k - 1] }..self.ends[k];
        (&self.columns[range.clone()], &self.blocks[range])
    }
}

/// A row while it is summed up, at the end of a part.
struct Sum {
    /// Of each column, where in the row it is.
    place: Vec<u32>,
    part: Part,
    /// Where the row begins.
    start: usize,
}

impl Sum {
    fn over(columns: usize) -> Sum {
        Sum { place: vec![NOWHERE; columns], part: Part::default(), start: 0 }
    }

    #[inline(always)]
    fn add(&mut self, j: usize, block: DMat3) {
        let Part { columns, blocks, .. } = &mut self.part;
        match self.place[j] {
            NOWHERE => {
                self.place[j] = (columns.len() - self.start) as u32;
                columns.push(j as u32);
                blocks.push(block);
            }
            at => blocks[self.start + at as usize] += block,
        }
    }

    fn end_row(&mut self) {
        let Sum { place, part, start } = self;
        part.columns[*start..].iter().for_each(|j| place[*j as usize] = NOWHERE);
        *start = part.columns.len();
        part.ends.push(*start);
    }

    fn take(&mut self) -> Part {
        self.start = 0;
        std::mem::take(&mut self.part)
    }
}

/// Which particles are near each sample, and how.
struct NearSamples {
    samples: Range<usize>,
    ends: Vec<usize>,
    /// The particle, and the sample as its neighbour with their friction.
    pairs: Vec<(u32, Neighbor, [f32; 2])>,
}

impl NearSamples {
    fn find(rows: &Rows, samples: Range<usize>) -> NearSamples {
        let mut pairs = Vec::new();
        for stretch in if samples.is_empty() { &[][..] } else { &rows.stretches } {
            for k in 0..stretch.particles.len() {
                let i = (stretch.particles.start + k) as u32;
                let rubs = stretch.rubbing_walls(k).map(|(_, c)| *c);
                let rubs = rubs.chain(std::iter::repeat([0.0; 2]));
                let walls = stretch.walls(k).iter().zip(rubs);
                let wanted = walls.filter(|(n, _)| samples.contains(&(n.index as usize)));
                pairs.extend(wanted.map(|(n, c)| (i, *n, c)));
            }
        }
        pairs.sort_by_key(|(_, n, _)| n.index);
        let end = |b: usize| pairs.partition_point(|(_, n, _)| n.index as usize <= b);
        NearSamples { ends: samples.clone().map(end).collect(), samples, pairs }
    }
}

struct Maker<'a> {
    potentials: &'a Potentials<'a>,
    near: &'a NearSamples,
}

impl Maker<'_> {
    fn rows_of_fluid(&self, stretch: &Stretch, sum: &mut Sum) -> Part {
        for k in 0..stretch.particles.len() {
            if !self.potentials.held[stretch.particles.start + k] {
                self.row_of_fluid(stretch, k, sum);
            }
            sum.end_row();
        }
        sum.take()
    }

    fn row_of_fluid(&self, stretch: &Stretch, k: usize, sum: &mut Sum) {
        let Potentials { rows, mass, ratio, .. } = self.potentials;
        let i = stretch.particles.start + k;
        sum.add(i, DMat3::from_diagonal(DVec3::splat(mass[i])));
        self.add_centre((i, -ratio[i] * rows.own_gradient[i]), (stretch, k), sum);
        for n in stretch.neighbors(k) {
            let m = n.index as usize;
            // Seen from m the gradient points the other way.
            let own = -ratio[m] * rows.volume[i] * n.gradient();
            let Some(place) = rows.place(m) else { continue };
            self.add_centre((m, own), place, sum);
        }
        for (n, c) in stretch.rubbing(k) {
            let block = rubbing(n, c);
            sum.add(i, block);
            sum.add(n.index as usize, -block);
        }
        for (n, c) in stretch.rubbing_walls(k) {
            let (b, block) = (n.index as usize, rubbing(n, c));
            sum.add(i, block);
            if self.near.samples.contains(&b) {
                sum.add(b, -block);
            }
        }
    }

    fn rows_of_samples(&self, range: Range<usize>, sum: &mut Sum) -> Part {
        let Potentials { rows, ratio, .. } = self.potentials;
        let NearSamples { samples, ends, pairs } = self.near;
        for k in range {
            let start = if k == 0 { 0 } else { ends[k - 1] };
            for (m, n, c) in &pairs[start..ends[k]] {
                let m = *m as usize;
                let Some(place) = rows.place(m) else { continue };
                self.add_centre((m, ratio[m] * n.gradient()), place, sum);
                if *c != [0.0; 2] {
                    let block = rubbing(n, c);
                    sum.add(samples.start + k, block);
                    sum.add(m, -block);
                }
            }
            sum.end_row();
        }
        sum.take()
    }

    /// Adds κ ∂Jₘ/∂uᵢ (∂Jₘ/∂u)ᵀ, of which `own` is ∂Jₘ/∂uᵢ.
    #[inline(always)]
    fn add_centre(&self, (m, own): (usize, DVec3), (stretch, k): (&Stretch, usize), sum: &mut Sum) {
        let Potentials { rows, ratio, active, stiffness, .. } = self.potentials;
        if !active[m] {
            return;
        }
        let own = stiffness * ratio[m] * own;
        sum.add(m, outer(own, -rows.own_gradient[m]));
        for n in stretch.neighbors(k) {
            let j = n.index as usize;
            sum.add(j, outer(own, rows.volume[j] * n.gradient()));
        }
        for n in stretch.walls(k).iter().filter(|n| self.near.samples.contains(&(n.index as usize)))
        {
            sum.add(n.index as usize, outer(own, n.gradient()));
        }
    }
}
