//! Implicit models: the velocities at the end of the step decide what is exchanged in it.
//!
//! Backward Euler turns (V1) into a linear system for the new velocities x,
//!
//!   μᵢ xᵢ + Σⱼ Cᵢⱼ (xᵢ − xⱼ) + Σ_b C_ib (xᵢ − v_b) = μᵢ vᵢ*   (V6)
//!
//! symmetric and positive definite, stable for any viscosity and step, with walls that move as they
//! are told on the diagonal and on the right; walls that give way are dragged along
//! (`DraggedWalls`). It is solved by conjugate gradients with a diagonal preconditioner. Directions
//! and products are in single precision, the solution in double; the true residual is computed in
//! double precision before the first and after the last iteration. That last evaluation is also
//! what the fluid gets,
//!
//!   vᵢ = vᵢ* + (Σⱼ Cᵢⱼ (xⱼ − xᵢ) + Σ_b C_ib (v_b − xᵢ)) / μᵢ   (V7)
//!
//! which differs from xᵢ by the residual over μᵢ, but conserves momentum however early the
//! iteration stops, and makes the load on a wall exactly what the fluid has lost to it.

use glam::{DVec3, Vec4};
use rayon::prelude::*;
use splashdown_solve::cg::{self, Params};

use super::coefficients::{Assembler, Coefficients, wall_line};
use super::{DraggedWalls, ViscousStep};
use crate::particles::neighbors::{Chunk, Neighbors};
use crate::particles::simd::{Lanes, Vectorised, dispatch};
use crate::solve::Stop;
use crate::solve::buffers::with_buffers;
use crate::sph::loads::{WallLoads, sum_over_walls};
use crate::sph::system::FluidSystem;

/// The residual may be this share of the momenta, both as root mean squares.
const TOLERANCE: f64 = 1e-6;
/// At most this many iterations, restarts included.
const MAX_ITERATIONS: u32 = 200;
/// How often the iteration starts again when the true residual is larger than it seemed.
const MAX_RESTARTS: u32 = 4;

/// Pair coefficients and vectors of the solve, kept to save allocations.
#[derive(Clone, Debug, Default)]
pub struct Buffers {
    coefficients: Vec<Coefficients>,
    solution: Vec<DVec3>,
    exchanged: Vec<DVec3>,
    residual: Vec<Vec4>,
    direction: Vec<Vec4>,
    product: Vec<Vec4>,
}

/// (V6) with what it reads.
struct System<'a, W> {
    fluids: &'a FluidSystem<'a>,
    neighbors: &'a Neighbors,
    coefficients: &'a [Coefficients],
    /// μ of each fluid.
    mass: &'a [f64],
    /// v*.
    given: &'a [DVec3],
    /// Walls that the fluid drags.
    dragged: W,
    stop: Stop,
}

/// Solves (V6) and applies (V7) to `velocity`, of all particles; returns how far it came, and
/// impulses on solids, which those that are `dragged` have yet to be given.
pub fn solve<W: DraggedWalls>(
    viscous: &ViscousStep,
    velocity: &mut Vec<DVec3>,
    buffers: &mut Buffers,
    dragged: impl FnOnce(&[Coefficients]) -> W,
) -> (cg::Report, WallLoads) {
    let ViscousStep { system, neighbors, dt, stop } = viscous;
    let (n, mass) = (system.fluid_count(), system.relative_masses());
    let mut given = std::mem::take(velocity);

    buffers.coefficients.resize_with(neighbors.chunks.len(), Coefficients::default);
    let assembler = Assembler::new(system, &mass, *dt);
    let chunks = neighbors.chunks.par_iter();
    chunks.zip(&mut buffers.coefficients).for_each(|(chunk, out)| {
        with_buffers(|local| assembler.assemble(chunk, out, local));
    });

    let (fluid, walls) = given.split_at_mut(n);
    let solve = System {
        fluids: system,
        neighbors,
        coefficients: &buffers.coefficients,
        mass: &mass,
        given: fluid,
        dragged: dragged(&buffers.coefficients),
        stop: *stop,
    };
    buffers.solution.clear();
    buffers.solution.extend_from_slice(fluid);
    let mut vectors = Vectors {
        solution: &mut buffers.solution,
        walls,
        exchanged: &mut buffers.exchanged,
        residual: &mut buffers.residual,
        direction: &mut buffers.direction,
        product: &mut buffers.product,
    };
    vectors.resize(n);
    let solved = conjugate_gradients(&solve, &mut vectors);

    let volume = system.reference_density() * system.space.volume();
    let loads = sum_over_walls(system, neighbors, |chunk, k, wall| {
        let x = buffers.solution[chunk.particles.start + k];
        // Chunks follow each other: the one that starts with this particle is found by bisection.
        let chunks = &neighbors.chunks;
        let number = chunks.partition_point(|c| c.particles.start < chunk.particles.start);
        let coefficients = &buffers.coefficients[number];
        if coefficients.wall.is_empty() {
            return;
        }
        for (pair, c) in
            chunk.wall_pairs(k).iter().zip(&coefficients.wall[chunk.wall_pair_range(k)])
        {
            let b = pair.index as usize;
            let line = wall_line(system, chunk.particles.start + k, pair);
            let gain = coefficients.of_wall(*c, line, given[b] - x);
            wall(b, -volume * gain, |load| (&mut load.viscous, &mut load.viscous_moment));
        }
    });

    let exchanged = &buffers.exchanged;
    neighbors.for_each(&mut given[..n], |chunk, v, _: &mut Vec<()>| {
        let exchanged = &exchanged[chunk.particles.clone()];
        v.iter_mut().zip(exchanged).for_each(|(v, e)| *v += *e / mass[chunk.fluid]); // (V7)
    });
    *velocity = given;
    (solved, loads)
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
/// A residual that stays too large is momentum that is exchanged later: (V7) keeps all of it.
fn conjugate_gradients<W: DraggedWalls>(system: &System<W>, vectors: &mut Vectors) -> cg::Report {
    let params = Params {
        tolerance: TOLERANCE,
        scale: Some(system.scale(vectors.walls)),
        max_iterations: MAX_ITERATIONS,
        max_restarts: MAX_RESTARTS,
        stop: system.stop,
    };
    cg::iterate(&mut Solve { system, vectors }, &params).unwrap_or_else(|error| *error.report())
}

/// Conjugate gradients on (V6).
struct Solve<'a, 'b, W> {
    system: &'a System<'a, W>,
    vectors: &'a mut Vectors<'b>,
}

impl<W: DraggedWalls> cg::Iteration for Solve<'_, '_, W> {
    fn residual(&mut self) -> f64 {
        self.system.true_residual(self.vectors)
    }

    fn turn(&mut self, last: Option<f64>) -> f64 {
        self.system.precondition(self.vectors, last)
    }

    fn multiply(&mut self) -> f64 {
        self.system.multiply(self.vectors)
    }

    fn advance(&mut self, a: f64) -> f64 {
        self.system.advance(self.vectors, a as f32)
    }
}

impl<W: DraggedWalls> System<'_, W> {
    /// Runs `work(number, chunk, part of out, local)` on all chunks and adds up the results in
    /// order.
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

    /// Σ μ |v* − v̄|²: what the residual is compared with. v̄ is the mean velocity of the walls
    /// that the fluid feels, of the fluid itself if there are none, so that only relative motion
    /// counts.
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
        self.dragged.drag(solution, walls);
        self.sum(exchanged, |chunk, coefficients, exchanged, local| {
            chunk.fetch(solution, local);
            let own = &solution[chunk.particles.clone()];
            for (k, (exchanged, &x)) in exchanged.iter_mut().zip(own).enumerate() {
                *exchanged = coefficients.exchange(self.fluids, chunk, k, x, local, walls);
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
        // The product has been used: its buffers serves for D⁻¹ r.
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
        if self.dragged.is_empty() {
            return curvature;
        }
        curvature - self.dragged.give_way(direction, product)
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
