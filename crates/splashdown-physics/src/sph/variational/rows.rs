//! Pairs of a step with what the potentials need of them, and the volumes of particles.
//!
//!   Jᵢⁿ = 1 / (Σⱼ hᵈ Wᵢⱼ + φ(Σ_b β_b hᵈ Wᵢ_b))   with the world's kernel     (4.10)
//!   gᵢⱼ = hᵈ⁺¹ ∇Wᵢⱼ                               of the spiky kernel         (4.11)
//!
//! Both are scaled so that they are exact on the rest lattice: J = 1 there, and a uniform
//! expansion has its divergence. Unscaled, the spiky gradient misses 11 % of it in 2D and 4 % in
//! 3D, and so would pressures. φ and β are the other solvers' (`particles::wall_density`,
//! `sph::walls`). Gradients are rounded to single precision, alike from both sides of a pair:
//! energy, forces and matrix are made of the same numbers, and momentum is kept.

use std::ops::Range;

use rayon::prelude::*;

use crate::math::{DVec3, Dimension};
use crate::particles::kernel::{Kernel, KernelKind};
use crate::particles::neighbors::{Chunk, Neighbors};
use crate::particles::wall_density::WallDensity;
use crate::sph::system::FluidSystem;

/// One neighbour of a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbor {
    /// gᵢⱼ; of a sample times its volume.
    pub gradient: [f32; 3],
    /// Index into `Particles`.
    pub index: u32,
}

impl Neighbor {
    /// In double precision.
    #[inline(always)]
    pub fn gradient(&self) -> DVec3 {
        DVec3::from(self.gradient.map(f64::from))
    }
}

/// The neighbours of a stretch of particles, in the order of the chunks of the neighbour lists.
#[derive(Clone, Debug, Default)]
pub struct Stretch {
    /// Indices of its particles, all of one fluid.
    pub particles: Range<usize>,
    /// Which fluid they belong to.
    pub fluid: usize,
    neighbors: Vec<Neighbor>,
    ends: Vec<u32>,
    walls: Vec<Neighbor>,
    wall_ends: Vec<u32>,
    /// Friction of the same pairs (`friction`); empty where there is none.
    pub(super) friction: Vec<[f32; 2]>,
    pub(super) wall_friction: Vec<[f32; 2]>,
}

/// All pairs of a step.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// In the order of particles.
    pub stretches: Vec<Stretch>,
    /// Σⱼ hᵈ Wᵢⱼ + φ: 1/J of each particle.
    pub number_density: Vec<f64>,
    /// V/V₀ of each fluid particle.
    pub volume: Vec<f64>,
    /// Σⱼ Vⱼ gᵢⱼ + Σ_b V_b gᵢ_b
    pub own_gradient: Vec<DVec3>,
    /// The momentum that flows through a fluid under k_I (1 − J) = 1 around each particle, which a
    /// gauge would show (Irving & Kirkwood 1950): 1 on the lattice, less in settled disorder.
    pub flux: Vec<f64>,
}

/// Kernels of a step.
struct Kernels {
    density: Kernel,
    /// Σ over its lattice: what densities are divided by.
    density_sum: f64,
    slope: Kernel,
    /// What slopes are divided by.
    slope_moment: f64,
}

/// −(1/d) Σ x·hᵈ⁺¹∇W over the rest lattice: the share of a divergence that it sees.
pub fn lattice_moment(kernel: Kernel) -> f64 {
    let d = kernel.dimension.count();
    let depth = if kernel.dimension == Dimension::Two { 0..=0 } else { -2..=2i32 };
    let places =
        depth.flat_map(|z| (-2..=2i32).flat_map(move |y| (-2..=2i32).map(move |x| [x, y, z])));
    let distance = |[x, y, z]: [i32; 3]| f64::from(x * x + y * y + z * z).sqrt();
    places.map(distance).map(|q| -q * kernel.dw(q)).sum::<f64>() / d as f64
}

impl Kernels {
    fn of(density: Kernel) -> Kernels {
        let slope = Kernel { kind: KernelKind::Spiky, ..density };
        let (density_sum, slope_moment) = (density.lattice_sum(), lattice_moment(slope));
        Kernels { density, density_sum, slope, slope_moment }
    }

    /// hᵈ W at distance q.
    fn weight(&self, q: f64) -> f64 {
        self.density.w(q) / self.density_sum
    }

    /// hᵈ⁺¹ ∇W where the offset is `x`, in h.
    fn gradient(&self, x: DVec3) -> DVec3 {
        let q = x.length();
        if q > 0.0 { x * (self.slope.dw(q) / (q * self.slope_moment)) } else { DVec3::ZERO }
    }
}

impl Rows {
    /// Pairs and volumes at the present places. `weight` are those of all particles as fluid sees
    /// them.
    pub fn find(
        &mut self,
        system: &FluidSystem<'_>,
        neighbors: &Neighbors,
        weight: &[f32],
        wall_density: WallDensity,
    ) {
        let kernels = Kernels::of(system.kernel());
        let search = Search { system, kernels: &kernels, weight, wall_density };
        self.stretches.resize_with(neighbors.chunks.len(), Stretch::default);
        let found: Vec<Vec<[f64; 2]>> = (self.stretches.par_iter_mut().zip(&neighbors.chunks))
            .map(|(stretch, chunk)| search.stretch(chunk, stretch))
            .collect();
        self.number_density.clear();
        self.number_density.extend(found.iter().flatten().map(|[density, _]| density));
        self.flux.clear();
        self.flux.extend(found.iter().flatten().map(|[_, flux]| flux));
        self.volume.clear();
        self.volume.extend(self.number_density.iter().map(|n| 1.0 / n));
        let mut own = std::mem::take(&mut self.own_gradient);
        own.resize(self.volume.len(), DVec3::ZERO);
        self.for_each(&mut own, |stretch, k| stretch.own_gradient(k, &self.volume));
        self.own_gradient = own;
    }

    /// How many bytes its lists take.
    pub fn bytes(&self) -> usize {
        let of = |stretch: &Stretch| {
            let Stretch { neighbors, ends, walls, wall_ends, friction, wall_friction, .. } =
                stretch;
            size_of_val(&neighbors[..])
                + size_of_val(&walls[..])
                + size_of_val(&ends[..])
                + size_of_val(&wall_ends[..])
                + size_of_val(&friction[..])
                + size_of_val(&wall_friction[..])
        };
        let by_particle = size_of_val(&self.volume[..]) + size_of_val(&self.own_gradient[..]);
        by_particle + self.stretches.iter().map(of).sum::<usize>()
    }

    /// The stretch that particle `i` belongs to, and its place there.
    pub fn place(&self, i: usize) -> Option<(&Stretch, usize)> {
        let at = self.stretches.partition_point(|stretch| stretch.particles.end <= i);
        let stretch = self.stretches.get(at)?;
        Some((stretch, i.checked_sub(stretch.particles.start)?))
    }

    /// Runs `work` on every particle in parallel: `work(stretch, k)` is what `out` is to hold.
    pub(super) fn for_each<T: Send>(
        &self,
        out: &mut [T],
        work: impl Fn(&Stretch, usize) -> T + Sync,
    ) {
        let mut rest = out;
        let mut parts = Vec::with_capacity(self.stretches.len());
        for stretch in &self.stretches {
            let (part, behind) = rest.split_at_mut(stretch.particles.len());
            parts.push(part);
            rest = behind;
        }
        self.stretches.par_iter().zip(parts).for_each(|(stretch, part)| {
            part.iter_mut().enumerate().for_each(|(k, value)| *value = work(stretch, k));
        });
    }
}

struct Search<'a> {
    system: &'a FluidSystem<'a>,
    kernels: &'a Kernels,
    weight: &'a [f32],
    wall_density: WallDensity,
}

impl Search<'_> {
    /// Fills a stretch from a chunk; returns number densities and fluxes.
    fn stretch(&self, chunk: &Chunk, out: &mut Stretch) -> Vec<[f64; 2]> {
        out.particles = chunk.particles.clone();
        out.fluid = chunk.fluid;
        for list in [&mut out.neighbors, &mut out.walls] {
            list.clear();
        }
        for ends in [&mut out.ends, &mut out.wall_ends] {
            ends.clear();
        }
        (0..chunk.particles.len()).map(|k| self.particle(chunk, k, out)).collect()
    }

    fn particle(&self, chunk: &Chunk, k: usize, out: &mut Stretch) -> [f64; 2] {
        let (kernels, i) = (self.kernels, chunk.particles.start + k);
        let offset = |j: usize| self.system.offset(i, j) / self.system.space.spacing;
        let (mut density, mut moment) = (kernels.weight(0.0), 0.0);
        for (j, _) in chunk.neighbors(k) {
            let (x, gradient) = (offset(j), kernels.gradient(offset(j)));
            density += kernels.weight(x.length());
            moment -= x.dot(gradient);
            out.neighbors.push(neighbor(gradient, j));
        }
        out.ends.push(out.neighbors.len() as u32);
        let beta = |b: usize| f64::from(self.weight[b]);
        let walls = chunk.wall_pairs(k).iter().map(|pair| pair.index as usize);
        let w: f64 = walls.clone().map(|b| beta(b) * kernels.weight(offset(b).length())).sum();
        let (count, slope) = self.wall_density.count(w as f32);
        for b in walls {
            let gradient = beta(b) * f64::from(slope) * kernels.gradient(offset(b));
            // Of a fluid neighbour's push one half is its own: samples have none.
            moment -= 0.5 * offset(b).dot(gradient);
            out.walls.push(neighbor(gradient, b));
        }
        out.wall_ends.push(out.walls.len() as u32);
        // φ(w) − w is what single precision is enough for.
        let density = density + w + f64::from(count - w as f32);
        [density, moment / self.system.space.dimension.count() as f64]
    }
}

fn neighbor(gradient: DVec3, index: usize) -> Neighbor {
    Neighbor { gradient: gradient.as_vec3().to_array(), index: index as u32 }
}

impl Stretch {
    /// Fluid neighbours of the k-th particle.
    #[inline(always)]
    pub fn neighbors(&self, k: usize) -> &[Neighbor] {
        &self.neighbors[range(&self.ends, k)]
    }

    /// Samples around the k-th particle.
    #[inline(always)]
    pub fn walls(&self, k: usize) -> &[Neighbor] {
        &self.walls[range(&self.wall_ends, k)]
    }

    /// Fluid neighbours with their friction, where there is any.
    #[inline(always)]
    pub fn rubbing(&self, k: usize) -> impl Iterator<Item = (&Neighbor, &[f32; 2])> {
        let at = if self.friction.is_empty() { 0..0 } else { range(&self.ends, k) };
        self.neighbors[at.clone()].iter().zip(&self.friction[at])
    }

    /// Samples with their friction, where there is any.
    #[inline(always)]
    pub fn rubbing_walls(&self, k: usize) -> impl Iterator<Item = (&Neighbor, &[f32; 2])> {
        let at = if self.wall_friction.is_empty() { 0..0 } else { range(&self.wall_ends, k) };
        self.walls[at.clone()].iter().zip(&self.wall_friction[at])
    }

    fn own_gradient(&self, k: usize, volume: &[f64]) -> DVec3 {
        let fluid = self.neighbors(k).iter().map(|n| volume[n.index as usize] * n.gradient());
        fluid.chain(self.walls(k).iter().map(Neighbor::gradient)).sum()
    }
}

#[inline(always)]
fn range(ends: &[u32], k: usize) -> Range<usize> {
    let start = if k == 0 { 0 } else { ends[k - 1] as usize };
    start..ends[k] as usize
}
