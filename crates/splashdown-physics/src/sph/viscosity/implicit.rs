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

use glam::{DVec3, Vec4};
use rayon::prelude::*;

use super::coefficients::{Coefficients, Maker, wall_line};
use super::grips::Grips;
use crate::particles::neighbors::{Chunk, Neighbors};
use crate::particles::simd::{Lanes, Vectorised, dispatch};
use crate::rigid::bodies::Body;
use crate::solve::kept::with_kept;
use crate::sph::loads::{Loads, sum_over_walls};
use crate::step::Workspace;
use crate::world::World;

/// The residual may be this share of the momenta, both as root mean squares.
const TOLERANCE: f64 = 1e-6;
/// At most this many iterations, restarts included.
const MAX_ITERATIONS: u32 = 200;
/// How often the iteration starts again when the true residual is larger than it seemed.
const MAX_RESTARTS: u32 = 4;

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
            if system.world.stop.asked() {
                return iterations;
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
