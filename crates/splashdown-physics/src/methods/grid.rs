//! Fluids on a grid among solids that stand still or move as told (Takahashi & Batty 2022, TB22,
//! its liquid without viscosity).
//!
//! The liquid's state is its particles; the grid is made anew in every step. What a step does is in
//! `grid::step`; here the world is told to it, and what it found becomes the state.

use std::mem;

use rayon::prelude::*;

use splashdown_grid::body::{Body, Outline};
use splashdown_grid::poisson::Solved;
use splashdown_grid::records::Particles;
use splashdown_grid::settings::Settings;
use splashdown_grid::step::{self as grid, Error, Outcome, Workspace, order};

use super::Algorithm;
use crate::boundary::Solid;
use crate::error::{Moment, ParticleAt, StepError};
use crate::flow::{driven_particles, emitter_speed};
use crate::loads::{Load, Loads};
use crate::math::{DMat3, DVec3, Pose};
use crate::method::Method;
use crate::report::{GridReport, Phase, Solve, SolveKind, StepReport, Stopwatch};
use crate::world::{TimeStep, World};

/// Solids are looked at this much later to see how fast they are, s.
const SOON: f64 = 1e-4;

/// Memory, and what the last attempt found.
#[derive(Default)]
pub(crate) struct GridStep {
    work: Workspace,
    /// Of each solid that liquid meets; made in the first step.
    outlines: Option<Vec<Option<Outline>>>,
    /// At the beginning of the step.
    density: Vec<f64>,
    found: Outcome,
    poses: Vec<Pose>,
}

impl Algorithm for GridStep {
    fn prepare(
        &mut self,
        world: &mut World,
        longest: f64,
        watch: &mut Stopwatch,
    ) -> Result<(), StepError> {
        let settings = of_grid(world);
        let outline = |solid: &Solid| Outline::new(&solid.wall, world.dimension);
        let known = self.outlines.take().filter(|known| known.len() == world.solids.len());
        let outlines = known.unwrap_or_else(|| world.solids.iter().map(outline).collect());
        sort_by_cell(world, &settings)?;
        watch.lap(Phase::Sort);
        self.density.clear();
        for fluid in &world.fluids {
            self.density.extend(fluid.range.clone().map(|_| fluid.density));
        }
        let bodies = bodies(world, &outlines, longest);
        let found = self.work.prepare(&settings, &liquid(world, &self.density), &bodies);
        self.outlines = Some(outlines);
        found.map_err(|error| failure(world, error, longest))?;
        watch.lap(Phase::Neighbors);
        Ok(())
    }

    fn longest_step(&self, world: &World, cfl: f64) -> f64 {
        let width = of_grid(world).width();
        let n = world.fluid_count();
        let square = |v: &DVec3| v.length_squared();
        let fluid = world.particles.velocity[..n].par_iter().map(square);
        let fastest = fluid.reduce(|| 0.0, f64::max).sqrt().max(emitter_speed(world));
        let outlines = self.outlines.as_deref().unwrap_or(&[]);
        let of_solid = |body: &Body<'_>| {
            let reach = body.outline.map_or(0.0, Outline::reach);
            body.velocity.length() + body.spin.length() * reach
        };
        let solids = bodies(world, outlines, SOON);
        let fastest = solids.iter().map(of_solid).fold(fastest, f64::max);
        // What falls from rest passes no more than a cell either.
        cfl * width / (fastest + (world.gravity.length() * width).sqrt()).max(f64::MIN_POSITIVE)
    }

    fn attempt(
        &mut self,
        world: &World,
        dt: f64,
        _retries: u32,
        watch: &mut Stopwatch,
    ) -> Result<(), StepError> {
        let none = Vec::new();
        let outlines = self.outlines.as_ref().unwrap_or(&none);
        let bodies = bodies(world, outlines, dt);
        let held = driven_particles(world, dt);
        let found = self.work.advance(&of_grid(world), &bodies, &held, dt, world.stop);
        watch.lap(Phase::Divergence);
        self.found = found.map_err(|error| failure(world, error, dt))?;
        let later = world.clock.time + dt;
        let pose = |solid: &Solid| match solid.motion().is_static() {
            true => solid.pose,
            false => solid.motion().pose(later).then_after(&solid.placement),
        };
        self.poses = world.solids.iter().map(pose).collect();
        Ok(())
    }

    fn accept(&mut self, world: &mut World, dt: f64) -> StepReport {
        let Outcome { position, velocity, affine, density, pressure, impulses, report } =
            mem::take(&mut self.found);
        let n = position.len();
        let particles = &mut world.particles;
        particles.position[..n].copy_from_slice(&position);
        particles.velocity[..n].copy_from_slice(&velocity);
        particles.affine.resize(particles.position.len(), DMat3::ZERO);
        particles.affine[..n].copy_from_slice(&affine);
        particles.pressure[..n].copy_from_slice(&pressure);
        for fluid in &world.fluids {
            for i in fluid.range.clone() {
                particles.density[i] = fluid.density as f32 * density[i];
            }
        }
        for (solid, &pose) in world.solids.iter_mut().zip(&self.poses) {
            if !solid.motion().is_static() {
                let range = solid.range.clone();
                for (i, &local) in range.zip(&solid.local) {
                    let next = world.dimension.flatten(pose.apply(local));
                    particles.velocity[i] = (next - particles.position[i]) / dt;
                    particles.position[i] = next;
                }
                solid.pose = pose;
            }
        }
        let load = |&[pressure, pressure_moment]: &[DVec3; 2]| Load {
            pressure,
            pressure_moment,
            ..Load::default()
        };
        let solve = |kind, solved: Solved| Solve {
            iterations: solved.iterations,
            error: solved.residual,
            ..Solve::none(kind)
        };
        let solves = vec![
            solve(SolveKind::Divergence, report.pressure),
            solve(SolveKind::Density, report.volume),
        ];
        let solids = impulses.iter().map(load).collect();
        StepReport {
            solves,
            loads: Loads { solids, duration: dt, ..Loads::default() },
            grid: Some(GridReport {
                divergence: report.divergence,
                density_error: report.density_error,
                liquid: report.liquid,
                cells: report.cells,
                unknowns: report.unknowns,
                pushed: report.pushed,
                pockets: report.pockets,
            }),
            ..StepReport::default()
        }
    }
}

/// What does not change, as the grid wants it.
fn of_grid(world: &World) -> grid::World {
    let settings = match world.method {
        Method::Grid(settings) => settings,
        _ => Settings::default(),
    };
    grid::World {
        dimension: world.dimension,
        spacing: world.spacing,
        gravity: world.dimension.flatten(world.gravity),
        density: world.reference_density(),
        farthest: match world.time_step {
            TimeStep::Adaptive { cfl, .. } => cfl.max(1.0),
            TimeStep::Fixed(_) => 5.0,
        },
        settings,
    }
}

/// The liquid of a world.
fn liquid<'a>(world: &'a World, density: &'a [f64]) -> Particles<'a> {
    let n = world.fluid_count();
    let particles = &world.particles;
    Particles {
        position: &particles.position[..n],
        velocity: &particles.velocity[..n],
        affine: particles.affine.get(..n).unwrap_or(&[]),
        density,
    }
}

/// Its solids, with the velocities that they have over a step of length `dt`.
fn bodies<'a>(world: &World, outlines: &'a [Option<Outline>], dt: f64) -> Vec<Body<'a>> {
    let of = |(solid, outline): (&Solid, &'a Option<Outline>)| {
        let moves = !solid.motion().is_static();
        let (mut velocity, mut spin) = (DVec3::ZERO, DVec3::ZERO);
        if moves {
            let later = solid.motion().pose(world.clock.time + dt).then_after(&solid.placement);
            velocity = (later.translation - solid.pose.translation) / dt;
            spin = (later.rotation * solid.pose.rotation.inverse()).to_scaled_axis() / dt;
        }
        Body { outline: outline.as_ref(), pose: solid.pose, velocity, spin, moves }
    };
    world.solids.iter().zip(outlines).map(of).collect()
}

/// Brings the particles of each fluid into the order of their cells.
fn sort_by_cell(world: &mut World, settings: &grid::World) -> Result<(), StepError> {
    for k in 0..world.fluids.len() {
        let range = world.fluids[k].range.clone();
        let found = order(settings, &world.particles.position[range.clone()]);
        let order = found.map_err(|error| {
            let error = match error {
                Error::Nowhere(i) => Error::Nowhere(range.start + i),
                Error::TooLarge(i) => Error::TooLarge(range.start + i),
                other => other,
            };
            failure(world, error, 0.0)
        })?;
        let order: Vec<u32> = order.iter().map(|i| i + range.start as u32).collect();
        world.particles.reorder(range, &order);
    }
    Ok(())
}

/// Why a step could not be done, in words of the world.
fn failure(world: &World, error: Error, dt: f64) -> StepError {
    let (time, when) = (world.clock.time, Moment { time: world.clock.time, dt });
    let particle = |i: usize| {
        Box::new(ParticleAt {
            object: world.fluid_of(i).map(|k| world.fluids[k].name.clone()).unwrap_or_default(),
            id: world.particles.id.get(i).copied().unwrap_or_default(),
            position: world.particles.position.get(i).copied().unwrap_or_default(),
        })
    };
    match error {
        Error::Nowhere(i) | Error::TooLarge(i) => {
            StepError::Runaway { particle: particle(i), time }
        }
        Error::NotFinite(i) => {
            StepError::Velocity { particle: particle(i), is_finite: false, when }
        }
        Error::Unsolved(solved) => {
            StepError::Unsolved { iterations: solved.iterations, residual: solved.residual, when }
        }
        Error::Stopped => StepError::Stopped { time },
    }
}
