//! What pairs of particles exchange in the implicit models: coefficients of (V2) and (V3), and sums
//! over them.

use glam::{DMat3, DVec3, Vec4};

use super::{harmonic_mean, sliding_layers, wall_stretch};
use crate::particles::kernel::KernelShape;
use crate::particles::neighbors::Chunk;
use crate::particles::pair::{Pair, WallPair};
use crate::particles::periodic::nearest;
use crate::sph::fluid::Viscosity;
use crate::sph::system::FluidSystem;
use crate::with_kernel;

/// Where (V2) stops growing towards coincident particles, in h.
const CLOSEST: f32 = 0.1;

/// Coefficients of one chunk, in the order of its pairs; an array may be empty if it would be zero.
#[derive(Clone, Debug, Default)]
pub struct Coefficients {
    /// c of pairs that exchange all components.
    isotropic: Vec<f32>,
    /// c/|g|² of pairs that exchange along their gradient g (as stored: without its unit).
    central: Vec<f32>,
    /// c or c/|g|² of wall pairs.
    pub wall: Vec<f32>,
    /// Whether wall pairs exchange along their gradients.
    wall_is_central: bool,
    /// The diagonal of the matrix.
    pub(super) diagonal: Vec<Vec4>,
}

/// What is needed to compute coefficients.
pub(super) struct Assembler<'a> {
    system: &'a FluidSystem<'a>,
    mass: &'a [f64],
    /// What stands before the kernel in (V2) and (V3) at a viscosity of one.
    isotropic: f32,
    central: f32,
    stretch: Vec<f64>,
}

impl<'a> Assembler<'a> {
    pub(super) fn new(system: &'a FluidSystem<'a>, mass: &'a [f64], dt: f64) -> Assembler<'a> {
        let scale = dt / (system.reference_density() * system.space.spacing * system.space.spacing);
        let d = system.space.dimension.count() as f64;
        let isotropic = (2.0 * scale / sliding_layers(system.kernel())) as f32;
        let central = (2.0 * (d + 2.0) * scale) as f32;
        Assembler { system, mass, isotropic, central, stretch: wall_stretch(system) }
    }

    /// η of a fluid, zero if its model is not implicit.
    fn viscosity(&self, fluid: usize) -> f64 {
        self.system.fluids[fluid].viscosity.dynamic()
    }

    fn is_central(&self, fluid: usize) -> bool {
        matches!(self.system.fluids[fluid].viscosity, Viscosity::Weiler2018(_))
    }

    /// (V2) or (V3) at distance q without the viscosity, from |w′|.
    #[inline(always)]
    fn weight(&self, central: bool, slope: f32, q: f32) -> f32 {
        if central {
            self.central * slope * q / (q * q + 0.01)
        } else {
            self.isotropic * slope / q.max(CLOSEST)
        }
    }

    /// Coefficients and diagonal of one chunk.
    pub(super) fn assemble(&self, chunk: &Chunk, out: &mut Coefficients, local: &mut Vec<DVec3>) {
        let Assembler { system, .. } = *self;
        let Coefficients { isotropic, central, wall, diagonal, .. } = out;
        for array in [&mut *isotropic, &mut *central, &mut *wall] {
            array.clear();
        }
        diagonal.clear();
        diagonal.resize(chunk.particles.len(), Vec4::splat(self.mass[chunk.fluid] as f32));

        // By other fluid: η, and whether the pair exchanges along its line of centres.
        let own = self.viscosity(chunk.fluid);
        let kinds: Vec<(f64, bool)> = (0..system.fluids.len())
            .map(|other| {
                let viscosity = harmonic_mean(own, self.viscosity(other));
                (viscosity, self.is_central(chunk.fluid) && self.is_central(other))
            })
            .collect();
        let has = |wanted: bool| kinds.iter().any(|&(eta, is)| eta > 0.0 && is == wanted);
        isotropic.resize(if has(false) { chunk.pair_places() } else { 0 }, 0.0);
        central.resize(if has(true) { chunk.pair_places() } else { 0 }, 0.0);

        if has(false) || has(true) {
            chunk.fetch(&system.particles.position, local);
            with_kernel!(system.space.kernel, S => self.make_pairs::<S>(chunk, &kinds, out, local));
        }
        self.make_walls(chunk, out);
    }

    /// Coefficients of fluid pairs; `kinds` says by fluid what they are, `local` where the halo is.
    fn make_pairs<S: KernelShape>(
        &self,
        chunk: &Chunk,
        kinds: &[(f64, bool)],
        out: &mut Coefficients,
        local: &[DVec3],
    ) {
        let Assembler { system, .. } = *self;
        let (per_meter, sigma) = (1.0 / system.space.spacing, system.kernel().sigma() as f32);
        for (k, diagonal) in out.diagonal.iter_mut().enumerate() {
            let own = system.particles.position[chunk.particles.start + k];
            let mut sum = Vec4::ZERO;
            for (at, pair) in chunk.pair_range(k).zip(chunk.pairs(k)) {
                let (eta, is_central) = match kinds {
                    [only] => *only,
                    many => {
                        let j = chunk.index(pair);
                        many[system.fluid_of(j).unwrap_or(chunk.fluid)]
                    }
                };
                let apart = nearest(own - local[pair.slot()], system.space.period) * per_meter;
                let q = apart.as_vec3().length();
                let slope = -sigma * S::evaluate(q).1;
                let c = eta as f32 * self.weight(is_central, slope, q);
                if is_central {
                    let g = pair.gradient4().with_w(0.0);
                    out.central[at] = over(c, g.length_squared());
                    sum += out.central[at] * g * g;
                } else {
                    out.isotropic[at] = c;
                    sum += Vec4::splat(c);
                }
            }
            *diagonal += sum;
        }
    }

    fn make_walls(&self, chunk: &Chunk, out: &mut Coefficients) {
        let Assembler { system, .. } = *self;
        let viscosity = system.fluids[chunk.fluid].viscosity;
        out.wall_is_central = self.is_central(chunk.fluid);
        let boundary = viscosity.boundary();
        if !viscosity.is_implicit() || boundary <= 0.0 || chunk.wall_pair_count() == 0 {
            return;
        }
        for k in 0..chunk.particles.len() {
            let i = chunk.particles.start + k;
            for pair in chunk.wall_pairs(k) {
                let b = pair.index as usize;
                let g = pair.gradient4();
                let q = (system.offset(i, b) / system.space.spacing).as_vec3().length();
                let stretch = system.solid_of(b).map_or(1.0, |solid| self.stretch[solid]);
                // How much a wall counts for pressure is none of viscosity's business.
                let plain = over(g.length(), chunk.sums[k].wall_slope);
                let weight = self.weight(out.wall_is_central, plain, q);
                let c = (boundary * stretch) as f32 * weight;
                if out.wall_is_central {
                    let c = over(c, g.length_squared());
                    out.diagonal[k] += c * g * g;
                    out.wall.push(c);
                } else {
                    out.diagonal[k] += Vec4::splat(c);
                    out.wall.push(c);
                }
            }
        }
    }
}

/// a/b, zero where rounding has left no b.
fn over(a: f32, b: f32) -> f32 {
    if b > 0.0 { a / b } else { 0.0 }
}

impl Coefficients {
    /// C (v_b − x) of a wall pair with its `wall_line`, in double precision.
    pub(super) fn of_wall(&self, c: f32, line: DVec3, difference: DVec3) -> DVec3 {
        if self.wall_is_central {
            f64::from(c) * difference.dot(line) * line
        } else {
            f64::from(c) * difference
        }
    }

    /// C of a wall pair, in double precision.
    pub fn wall_matrix(&self, c: f32, line: DVec3) -> DMat3 {
        let column = |axis: DVec3| self.of_wall(c, line, axis);
        DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
    }

    /// Σⱼ Cᵢⱼ (xⱼ − xᵢ) + Σ_b C_ib (v_b − xᵢ) of the k-th particle, in double precision. What acts
    /// along lines of centres does so along the true ones, and keeps angular momentum: gradients
    /// are rounded.
    pub(super) fn exchange(
        &self,
        system: &FluidSystem,
        chunk: &Chunk,
        k: usize,
        own: DVec3,
        local: &[DVec3],
        walls: &[DVec3],
    ) -> DVec3 {
        let i = chunk.particles.start + k;
        let mut sum = DVec3::ZERO;
        if !self.isotropic.is_empty() {
            for (pair, &c) in chunk.pairs(k).iter().zip(&self.isotropic[chunk.pair_range(k)]) {
                sum += f64::from(c) * (local[pair.slot()] - own);
            }
        }
        if !self.central.is_empty() {
            for (pair, &c) in chunk.pairs(k).iter().zip(&self.central[chunk.pair_range(k)]) {
                let g = pair.gradient4().truncate();
                let line = system.offset(i, chunk.index(pair));
                let c = f64::from(c * g.length_squared()) / line.length_squared();
                // At the same place there is no line, and g is zero.
                if c.is_finite() {
                    sum += c * (local[pair.slot()] - own).dot(line) * line;
                }
            }
        }
        if !self.wall.is_empty() {
            let first_wall = system.fluid_count();
            for (pair, &c) in chunk.wall_pairs(k).iter().zip(&self.wall[chunk.wall_pair_range(k)]) {
                let v = walls[pair.index as usize - first_wall];
                sum += self.of_wall(c, wall_line(system, i, pair), v - own);
            }
        }
        sum
    }

    /// Σⱼ Cᵢⱼ (pⱼ − pᵢ) − Σ_b C_ib pᵢ of the k-th particle, in single precision.
    #[inline(always)]
    pub(super) fn spread(&self, chunk: &Chunk, k: usize, own: Vec4, local: &[Vec4]) -> Vec4 {
        let mut sum = Vec4::ZERO;
        if !self.isotropic.is_empty() {
            let c = &self.isotropic[chunk.pair_range(k)];
            sum += in_fours(chunk.pairs(k), c, |pair, c| c * (local[pair.slot()] - own));
        }
        if !self.central.is_empty() {
            let c = &self.central[chunk.pair_range(k)];
            sum += in_fours(chunk.pairs(k), c, |pair, c| {
                let g = pair.gradient4();
                c * (local[pair.slot()] - own).dot(g) * g
            });
        }
        if !self.wall.is_empty() {
            for (pair, &c) in chunk.wall_pairs(k).iter().zip(&self.wall[chunk.wall_pair_range(k)]) {
                let g = pair.gradient4();
                sum -= if self.wall_is_central { c * own.dot(g) * g } else { c * own };
            }
        }
        sum.with_w(0.0)
    }
}

/// The gradient of a wall pair of particle i, but for its sign, along the true line between the
/// two: its own direction is rounded.
pub fn wall_line(system: &FluidSystem, i: usize, pair: &WallPair) -> DVec3 {
    let line = system.offset(i, pair.index as usize);
    let size = DVec3::from(pair.gradient.map(f64::from)).length();
    size * line.normalize_or_zero()
}

/// Σ term(pair, c) with four sums in flight.
#[inline(always)]
fn in_fours(pairs: &[Pair], c: &[f32], term: impl Fn(&Pair, f32) -> Vec4) -> Vec4 {
    let mut sum = [Vec4::ZERO; 4];
    let (pair_blocks, pair_rest) = pairs.as_chunks::<4>();
    let (c_blocks, c_rest) = c.as_chunks::<4>();
    for (pairs, c) in pair_blocks.iter().zip(c_blocks) {
        for lane in 0..4 {
            sum[lane] += term(&pairs[lane], c[lane]);
        }
    }
    for (lane, (pair, &c)) in pair_rest.iter().zip(c_rest).enumerate() {
        sum[lane] += term(pair, c);
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3])
}
