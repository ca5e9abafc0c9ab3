//! Implicit models: the velocities at the end of the step decide what is exchanged in it.
//!
//! Backward Euler turns (V1) into a linear system for the new velocities x,
//!
//!   μᵢ xᵢ + Σⱼ Cᵢⱼ (xᵢ − xⱼ) + Σ_b C_ib (xᵢ − v_b) = μᵢ vᵢ*   (V6)
//!
//! symmetric and positive definite, stable for any viscosity and step, with walls that move as they are
//! told on the diagonal and on the right; rigid bodies are dragged along (`grips`). It is solved by conjugate gradients with a diagonal
//! preconditioner. Directions and products are in single precision, the solution in double; the true
//! residual is computed in double precision before the first and after the last iteration. That last
//! evaluation is also what the fluid gets,
//!
//!   vᵢ = vᵢ* + (Σⱼ Cᵢⱼ (xⱼ − xᵢ) + Σ_b C_ib (v_b − xᵢ)) / μᵢ   (V7)
//!
//! which differs from xᵢ by the residual over μᵢ, but conserves momentum however early the iteration stops,
//! and makes the load on a wall exactly what the fluid has lost to it.

use glam::{DMat3, DVec3, Vec4};
use rayon::prelude::*;

use super::grips::Grips;
use super::{harmonic_mean, is_implicit, sliding_layers, wall_stretch};
use crate::particles::kernel::KernelShape;
use crate::particles::neighbors::{Chunk, Neighbors};
use crate::particles::pair::{Pair, WallPair};
use crate::particles::periodic::nearest;
use crate::particles::simd::{Lanes, Vectorised, dispatch};
use crate::rigid::bodies::Body;
use crate::solve::kept::with_kept;
use crate::sph::loads::{Loads, sum_over_walls};
use crate::step::Workspace;
use crate::with_kernel;
use crate::world::{ViscosityModel, World};

/// The residual may be this share of the momenta, both as root mean squares.
const TOLERANCE: f64 = 1e-6;
/// At most this many iterations, restarts included.
const MAX_ITERATIONS: u32 = 200;
/// How often the iteration starts again when the true residual is larger than it seemed.
const MAX_RESTARTS: u32 = 4;
/// Where (V2) stops growing towards coincident particles, in h.
const CLOSEST: f32 = 0.1;

/// Pair coefficients and vectors of the solve, kept to save allocations.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    coefficients: Vec<Coefficients>,
    solution: Vec<DVec3>,
    exchanged: Vec<DVec3>,
    residual: Vec<Vec4>,
    direction: Vec<Vec4>,
    product: Vec<Vec4>,
}

/// Coefficients of one chunk, in the order of its pairs; an array may be empty if it would be zero.
#[derive(Clone, Debug, Default)]
pub(super) struct Coefficients {
    /// c of pairs that exchange all components.
    isotropic: Vec<f32>,
    /// c/|g|² of pairs that exchange along their gradient g (as stored: without its unit).
    central: Vec<f32>,
    /// c or c/|g|² of wall pairs.
    pub(super) wall: Vec<f32>,
    /// Whether wall pairs exchange along their gradients.
    wall_is_central: bool,
    /// The diagonal of the matrix.
    diagonal: Vec<Vec4>,
}

/// (V6) with what it reads.
struct System<'a> {
    world: &'a World,
    neighbors: &'a Neighbors,
    coefficients: &'a [Coefficients],
    /// μ of each fluid.
    mass: &'a [f64],
    /// v*.
    given: &'a [DVec3],
    /// How bodies are dragged.
    grips: Grips,
}

/// Solves (V6) and applies (V7) to the predicted velocities; returns iterations and impulses on solids, which
/// `bodies` have yet to be given.
pub fn solve(world: &World, work: &mut Workspace, bodies: &[Body], dt: f64) -> (u32, Loads) {
    let n = world.fluid_count();
    let reference = world.reference_density();
    let mass: Vec<f64> = world.fluids.iter().map(|fluid| fluid.density / reference).collect();
    let mut memory = std::mem::take(&mut work.viscosity);
    let mut given = std::mem::take(&mut work.predicted);

    memory.coefficients.resize_with(work.neighbors.chunks.len(), Coefficients::default);
    let maker = Maker::new(world, &mass, dt);
    let chunks = work.neighbors.chunks.par_iter();
    chunks.zip(&mut memory.coefficients).for_each(|(chunk, out)| {
        with_kept(|local| maker.make(chunk, out, local));
    });

    let (fluid, walls) = given.split_at_mut(n);
    let chunks = &work.neighbors.chunks;
    let system = System {
        world,
        neighbors: &work.neighbors,
        coefficients: &memory.coefficients,
        mass: &mass,
        given: fluid,
        grips: Grips::find(world, bodies, chunks, &memory.coefficients, dt),
    };
    memory.solution.clear();
    memory.solution.extend_from_slice(fluid);
    let mut vectors = Vectors {
        solution: &mut memory.solution,
        walls,
        exchanged: &mut memory.exchanged,
        residual: &mut memory.residual,
        direction: &mut memory.direction,
        product: &mut memory.product,
    };
    vectors.resize(n);
    let iterations = conjugate_gradients(&system, &mut vectors);

    let volume = reference * world.dimension.volume(world.spacing);
    let loads = sum_over_walls(world, work, |chunk, k, wall| {
        let x = memory.solution[chunk.particles.start + k];
        // Chunks follow each other: the one that starts with this particle is found by bisection.
        let chunks = &work.neighbors.chunks;
        let number = chunks.partition_point(|c| c.particles.start < chunk.particles.start);
        let coefficients = &memory.coefficients[number];
        if coefficients.wall.is_empty() {
            return;
        }
        for (pair, c) in
            chunk.wall_pairs(k).iter().zip(&coefficients.wall[chunk.wall_pair_range(k)])
        {
            let b = pair.index as usize;
            let line = wall_line(world, chunk.particles.start + k, pair);
            let gain = coefficients.of_wall(*c, line, given[b] - x);
            wall(b, -volume * gain, |load| (&mut load.viscous, &mut load.viscous_moment));
        }
    });

    let exchanged = &memory.exchanged;
    work.neighbors.for_each(&mut given[..n], |chunk, v, _: &mut Vec<()>| {
        let exchanged = &exchanged[chunk.particles.clone()];
        v.iter_mut().zip(exchanged).for_each(|(v, e)| *v += *e / mass[chunk.fluid]); // (V7)
    });
    work.predicted = given;
    work.viscosity = memory;
    (iterations, loads)
}

/// What is needed to compute coefficients.
struct Maker<'a> {
    world: &'a World,
    mass: &'a [f64],
    /// What stands before the kernel in (V2) and (V3) at a viscosity of one.
    isotropic: f32,
    central: f32,
    stretch: Vec<f64>,
}

impl<'a> Maker<'a> {
    fn new(world: &'a World, mass: &'a [f64], dt: f64) -> Maker<'a> {
        let scale = dt / (world.reference_density() * world.spacing * world.spacing);
        let d = world.dimension.count() as f64;
        let isotropic = (2.0 * scale / sliding_layers(world.kernel())) as f32;
        let central = (2.0 * (d + 2.0) * scale) as f32;
        Maker { world, mass, isotropic, central, stretch: wall_stretch(world) }
    }

    /// η of a fluid, zero if its model is not implicit.
    fn viscosity(&self, fluid: usize) -> f64 {
        let viscosity = self.world.fluids[fluid].viscosity;
        if is_implicit(viscosity.model) { viscosity.coefficient } else { 0.0 }
    }

    fn is_central(&self, fluid: usize) -> bool {
        self.world.fluids[fluid].viscosity.model == ViscosityModel::Weiler2018
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
    fn make(&self, chunk: &Chunk, out: &mut Coefficients, local: &mut Vec<DVec3>) {
        let Maker { world, .. } = *self;
        let Coefficients { isotropic, central, wall, diagonal, .. } = out;
        for array in [&mut *isotropic, &mut *central, &mut *wall] {
            array.clear();
        }
        diagonal.clear();
        diagonal.resize(chunk.particles.len(), Vec4::splat(self.mass[chunk.fluid] as f32));

        // By other fluid: η, and whether the pair exchanges along its line of centres.
        let own = self.viscosity(chunk.fluid);
        let kinds: Vec<(f64, bool)> = (0..world.fluids.len())
            .map(|other| {
                let viscosity = harmonic_mean(own, self.viscosity(other));
                (viscosity, self.is_central(chunk.fluid) && self.is_central(other))
            })
            .collect();
        let has = |wanted: bool| kinds.iter().any(|&(eta, is)| eta > 0.0 && is == wanted);
        isotropic.resize(if has(false) { chunk.pair_places() } else { 0 }, 0.0);
        central.resize(if has(true) { chunk.pair_places() } else { 0 }, 0.0);

        if has(false) || has(true) {
            chunk.fetch(&world.particles.position, local);
            with_kernel!(world.kernel, S => self.make_pairs::<S>(chunk, &kinds, out, local));
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
        let Maker { world, .. } = *self;
        let (per_meter, sigma) = (1.0 / world.spacing, world.kernel().sigma() as f32);
        for (k, diagonal) in out.diagonal.iter_mut().enumerate() {
            let own = world.particles.position[chunk.particles.start + k];
            let mut sum = Vec4::ZERO;
            for (at, pair) in chunk.pair_range(k).zip(chunk.pairs(k)) {
                let (eta, is_central) = match kinds {
                    [only] => *only,
                    many => {
                        let j = chunk.halo[pair.slot()] as usize;
                        many[world.fluid_of(j).unwrap_or(chunk.fluid)]
                    }
                };
                let apart = nearest(own - local[pair.slot()], world.period) * per_meter;
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
        let Maker { world, .. } = *self;
        let viscosity = world.fluids[chunk.fluid].viscosity;
        out.wall_is_central = self.is_central(chunk.fluid);
        if !is_implicit(viscosity.model)
            || viscosity.boundary <= 0.0
            || chunk.wall_pair_count() == 0
        {
            return;
        }
        for k in 0..chunk.particles.len() {
            let i = chunk.particles.start + k;
            for pair in chunk.wall_pairs(k) {
                let b = pair.index as usize;
                let g = pair.gradient4();
                let q = (world.offset(i, b) / world.spacing).as_vec3().length();
                let stretch = world.solid_of(b).map_or(1.0, |solid| self.stretch[solid]);
                // How firm a wall is to pressure is none of viscosity's business.
                let plain = over(g.length(), chunk.sums[k].wall_slope);
                let weight = self.weight(out.wall_is_central, plain, q);
                let c = (viscosity.boundary * stretch) as f32 * weight;
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
    fn of_wall(&self, c: f32, line: DVec3, difference: DVec3) -> DVec3 {
        if self.wall_is_central {
            f64::from(c) * difference.dot(line) * line
        } else {
            f64::from(c) * difference
        }
    }

    /// C of a wall pair, in double precision.
    pub(super) fn wall_matrix(&self, c: f32, line: DVec3) -> DMat3 {
        let column = |axis: DVec3| self.of_wall(c, line, axis);
        DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
    }

    /// Σⱼ Cᵢⱼ (xⱼ − xᵢ) + Σ_b C_ib (v_b − xᵢ) of the k-th particle, in double precision. What acts along lines of centres does so along
    /// the true ones, and keeps angular momentum: gradients are rounded.
    fn exchange(
        &self,
        world: &World,
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
                let line = world.offset(i, chunk.halo[pair.slot()] as usize);
                let c = f64::from(c * g.length_squared()) / line.length_squared();
                // At the same place there is no line, and g is zero.
                if c.is_finite() {
                    sum += c * (local[pair.slot()] - own).dot(line) * line;
                }
            }
        }
        if !self.wall.is_empty() {
            let first_wall = world.fluid_count();
            for (pair, &c) in chunk.wall_pairs(k).iter().zip(&self.wall[chunk.wall_pair_range(k)]) {
                let v = walls[pair.index as usize - first_wall];
                sum += self.of_wall(c, wall_line(world, i, pair), v - own);
            }
        }
        sum
    }

    /// Σⱼ Cᵢⱼ (pⱼ − pᵢ) − Σ_b C_ib pᵢ of the k-th particle, in single precision.
    #[inline(always)]
    fn spread(&self, chunk: &Chunk, k: usize, own: Vec4, local: &[Vec4]) -> Vec4 {
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

/// The gradient of a wall pair of particle i, but for its sign, along the true line between the two: its own direction is rounded.
pub(super) fn wall_line(world: &World, i: usize, pair: &WallPair) -> DVec3 {
    let line = world.offset(i, pair.index as usize);
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

/// The vectors of the iteration.
struct Vectors<'a> {
    solution: &'a mut Vec<DVec3>,
    /// Velocities of the particles of solids, those of bodies as they are dragged by the solution.
    walls: &'a mut [DVec3],
    exchanged: &'a mut Vec<DVec3>,
    residual: &'a mut Vec<Vec4>,
    direction: &'a mut Vec<Vec4>,
    product: &'a mut Vec<Vec4>,
}

impl Vectors<'_> {
    fn resize(&mut self, n: usize) {
        self.exchanged.resize(n, DVec3::ZERO);
        for vector in [&mut *self.residual, &mut *self.direction, &mut *self.product] {
            vector.resize(n, Vec4::ZERO);
        }
    }
}

/// Improves `solution` until the residual is small; leaves the momenta it exchanges in `exchanged`.
fn conjugate_gradients(system: &System, vectors: &mut Vectors) -> u32 {
    let allowed = TOLERANCE * TOLERANCE * system.scale(vectors.walls);
    let mut iterations = 0;
    let mut square = system.true_residual(vectors);
    for _ in 0..=MAX_RESTARTS {
        if square <= allowed || square.is_nan() || iterations >= MAX_ITERATIONS {
            break;
        }
        let mut rho = system.precondition(vectors, None);
        loop {
            let curvature = system.multiply(vectors);
            if curvature <= 0.0 || curvature.is_nan() {
                break;
            }
            square = system.advance(vectors, (rho / curvature) as f32);
            iterations += 1;
            if square <= allowed || square.is_nan() || iterations >= MAX_ITERATIONS {
                break;
            }
            rho = system.precondition(vectors, Some(rho));
        }
        square = system.true_residual(vectors);
    }
    iterations
}

impl System<'_> {
    /// Runs `work(number, chunk, part of out, local)` on all chunks and adds up the results in order.
    fn sum<T: Send, L: 'static>(
        &self,
        out: &mut [T],
        work: impl Fn(&Chunk, &Coefficients, &mut [T], &mut Vec<L>) -> f64 + Sync,
    ) -> f64 {
        let chunks = &self.neighbors.chunks;
        let parts = self.neighbors.map(out, |chunk, part, local| {
            let number = chunks.partition_point(|c| c.particles.start < chunk.particles.start);
            work(chunk, &self.coefficients[number], part, local)
        });
        parts.iter().sum()
    }

    /// Σ μ |v* − v̄|²: what the residual is compared with. v̄ is the mean velocity of the walls that the
    /// fluid feels, of the fluid itself if there are none, so that only relative motion counts.
    fn scale(&self, walls: &[DVec3]) -> f64 {
        let first = self.given.len();
        let (mut wall, mut pairs, mut fluid) = (DVec3::ZERO, 0usize, DVec3::ZERO);
        let mut total = 0.0;
        let mean: Vec<_> = (self.neighbors.chunks.par_iter().zip(self.coefficients))
            .map(|(chunk, coefficients)| {
                let of_wall =
                    |k| chunk.wall_pairs(k).iter().map(|pair| walls[pair.index as usize - first]);
                let near = if coefficients.wall.is_empty() { 0 } else { chunk.particles.len() };
                let wall: DVec3 = (0..near).flat_map(of_wall).sum();
                let fluid: DVec3 = self.given[chunk.particles.clone()].iter().sum();
                (
                    wall,
                    coefficients.wall.len(),
                    self.mass[chunk.fluid] * fluid,
                    chunk.particles.len(),
                )
            })
            .collect();
        for (chunk, (of_wall, count, of_fluid, particles)) in self.neighbors.chunks.iter().zip(mean)
        {
            wall += of_wall;
            pairs += count;
            fluid += of_fluid;
            total += self.mass[chunk.fluid] * particles as f64;
        }
        let mean =
            if pairs > 0 { wall / pairs as f64 } else { fluid / total.max(f64::MIN_POSITIVE) };
        let parts: Vec<f64> = (self.neighbors.chunks.par_iter())
            .map(|chunk| {
                let velocities = self.given[chunk.particles.clone()].iter();
                let squares = velocities.map(|v| (*v - mean).length_squared());
                self.mass[chunk.fluid] * squares.sum::<f64>()
            })
            .collect();
        // Fluid at rest between moving walls: the motion to come is what counts.
        let moving: f64 = parts.iter().sum();
        moving.max(total * f64::EPSILON * mean.length_squared())
    }

    /// Momenta exchanged by the solution, and what is then missing in (V6); returns Σ |r|²/μ.
    fn true_residual(&self, vectors: &mut Vectors) -> f64 {
        let Vectors { solution, walls, exchanged, residual, .. } = vectors;
        self.grips.drag(self.world, solution, walls);
        self.sum(exchanged, |chunk, coefficients, exchanged, local| {
            chunk.fetch(solution, local);
            let own = &solution[chunk.particles.clone()];
            for (k, (exchanged, &x)) in exchanged.iter_mut().zip(own).enumerate() {
                *exchanged = coefficients.exchange(self.world, chunk, k, x, local, walls);
            }
            0.0
        });
        self.sum(residual, |chunk, _, residual, _: &mut Vec<()>| {
            let mass = self.mass[chunk.fluid];
            let mut square = 0.0;
            for (i, residual) in chunk.particles.clone().zip(residual) {
                let r = mass * (self.given[i] - solution[i]) + exchanged[i];
                square += r.length_squared() / mass;
                *residual = r.as_vec3().extend(0.0);
            }
            square
        })
    }

    /// p ← D⁻¹ r + β p, β = ρ/ρ_last (zero without a last one); returns ρ = r · D⁻¹ r.
    fn precondition(&self, vectors: &mut Vectors, last: Option<f64>) -> f64 {
        let Vectors { residual, direction, product, .. } = vectors;
        // The product has been used: its memory serves for D⁻¹ r.
        let rho = self.sum(product, |chunk, coefficients, z, _: &mut Vec<()>| {
            let r = &residual[chunk.particles.clone()];
            let mut rho = 0.0;
            for ((z, &r), &d) in z.iter_mut().zip(r).zip(&coefficients.diagonal) {
                *z = r / d;
                rho += f64::from(r.dot(*z));
            }
            rho
        });
        let beta = last.map_or(0.0, |last| rho / last) as f32;
        direction.par_iter_mut().zip(&**product).for_each(|(p, &z)| *p = z + beta * *p);
        rho
    }

    /// q ← A p; returns p · q.
    fn multiply(&self, vectors: &mut Vectors) -> f64 {
        let Vectors { direction, product, .. } = vectors;
        let curvature = self.sum(product, |chunk, coefficients, product, local| {
            let mass = self.mass[chunk.fluid] as f32;
            dispatch(Multiply { chunk, coefficients, mass, direction, product, local })
        });
        if self.grips.is_empty() {
            return curvature;
        }
        curvature - self.grips.give_way(direction, product)
    }

    /// x ← x + a p, r ← r − a q; returns Σ |r|²/μ.
    fn advance(&self, vectors: &mut Vectors, a: f32) -> f64 {
        let Vectors { solution, residual, direction, product, .. } = vectors;
        let step = f64::from(a);
        solution.par_iter_mut().zip(&**direction).for_each(|(x, p)| {
            *x += step * p.truncate().as_dvec3();
        });
        self.sum(residual, |chunk, _, residual, _: &mut Vec<()>| {
            let product = &product[chunk.particles.clone()];
            let mut square = 0.0;
            for (r, &q) in residual.iter_mut().zip(product) {
                *r -= a * q;
                square += f64::from(r.length_squared());
            }
            square / self.mass[chunk.fluid]
        })
    }
}

/// q ← A p for one chunk; returns its part of p · q.
struct Multiply<'a> {
    chunk: &'a Chunk,
    coefficients: &'a Coefficients,
    mass: f32,
    direction: &'a [Vec4],
    product: &'a mut [Vec4],
    local: &'a mut Vec<Vec4>,
}

impl Vectorised for Multiply<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let Multiply { chunk, coefficients, mass, direction, product, local } = self;
        chunk.fetch(direction, local);
        let own = &direction[chunk.particles.clone()];
        let mut curvature = 0.0;
        for (k, (q, &p)) in product.iter_mut().zip(own).enumerate() {
            *q = mass * p - coefficients.spread(chunk, k, p, local);
            curvature += f64::from(p.dot(*q));
        }
        curvature
    }
}
