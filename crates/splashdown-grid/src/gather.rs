//! Faces to particles: what each of them becomes.

use glam::{DMat3, DVec3};
use rayon::prelude::*;

use crate::advection::{advected, velocity_at};
use crate::body::Body;
use crate::kernel::Stencil;
use crate::lattice::{NONE, Nodes};
use crate::liquid::{Error, Grid, Outcome, Report, World};
use crate::poisson::System;
use crate::projection::Pressure;
use crate::settings::Kernel;
use crate::transfer::{Faces, from_faces};
use crate::volume::Density;

/// No displacement is longer, in cells.
const LONGEST: f64 = 0.5;
/// A step in which the grid knows what happens.
pub(crate) struct Gather<'a> {
    pub world: &'a World,
    pub grid: &'a Grid,
    pub bodies: &'a [Body<'a>],
    pub dt: f64,
    pub fields: Fields,
}

/// What a particle becomes.
struct Moved {
    at: DVec3,
    velocity: DVec3,
    affine: [DVec3; 3],
    density: f32,
    pressure: f32,
    was_inside: bool,
}

/// Fields on the grid that particles take what they become from.
pub(crate) struct Fields {
    /// Velocities before the step, and after it, m/s.
    pub before: Faces,
    pub after: Faces,
    /// In cells.
    pub displacement: Option<Faces>,
    pub pressure: Pressure,
    pub density: Density,
    pub system: System,
    pub substeps: u32,
}

impl Gather<'_> {
    /// What all particles become; `held` ones move with their velocities.
    pub(crate) fn run(
        &self,
        held: &[bool],
        impulses: Vec<[DVec3; 2]>,
        report: Report,
    ) -> Result<Outcome, Error> {
        let moved = (0..held.len())
            .into_par_iter()
            .with_min_len(256)
            .map(|r| self.gather(r, held[r]))
            .collect();
        self.outcome(moved, impulses, report)
    }

    /// What record `r` becomes.
    fn gather(&self, r: usize, is_held: bool) -> Moved {
        let (Grid { lattice, records, .. }, fields) = (self.grid, &self.fields);
        let record = &records.all[r];
        let cell = lattice.index(lattice.cell_of(record.at));
        let per_second = self.dt / lattice.width;
        let (density, pressure) = self.sample(record.at);
        let mut moved = Moved {
            at: record.at,
            velocity: record.velocity,
            affine: record.affine,
            density,
            pressure,
            was_inside: false,
        };
        if is_held {
            moved.at += per_second * record.velocity;
            return moved;
        }
        if self.is_free(cell) {
            moved.velocity += self.dt * lattice.dimension.flatten(self.world.gravity);
            moved.at += per_second * moved.velocity;
        } else {
            let settings = &self.world.settings;
            (moved.velocity, moved.affine) =
                from_faces(lattice, record, &fields.before, &fields.after, settings);
            moved.at = advected(lattice, &fields.after, record.at, per_second, fields.substeps);
            if let Some(d) = &fields.displacement {
                let shift = velocity_at(lattice, d, record.at);
                moved.at += shift.clamp_length_max(LONGEST);
            }
        }
        self.push_out(&mut moved);
        moved
    }

    /// Whether there is no liquid in the cells around one: particles there fly freely.
    fn is_free(&self, cell: usize) -> bool {
        let (lattice, system) = (&self.grid.lattice, &self.fields.system);
        let deep = if lattice.axes() == 2 { 0 } else { 1 };
        let [_, sy, sz] = lattice.strides().map(|s| s as isize);
        (-deep..=deep).all(|k| {
            (-1..=1).all(|j| {
                (-1..=1)
                    .all(|i| system.number[cell.wrapping_add_signed(i + j * sy + k * sz)] == NONE)
            })
        })
    }

    /// Density over that at rest and pressure, Pa, around a point.
    fn sample(&self, at: DVec3) -> (f32, f32) {
        let Fields { system, pressure, density, .. } = &self.fields;
        let lattice = &self.grid.lattice;
        let pascal = self.world.density * lattice.width / self.dt;
        let stencil = Stencil::new(lattice, Nodes::Cells, Kernel::Linear, at);
        let (mut sum, mut share, mut total) = (0.0, 0.0, 0.0);
        stencil.each(lattice, |near, weight, way| {
            let n = system.number[near];
            if n != NONE && weight > 0.0 {
                let n = n as usize;
                sum += weight * (pressure.value[n] - pressure.slope[n].dot(way));
                share += weight * density.value[n];
                total += weight;
            }
        });
        if total == 0.0 {
            return (1.0, 0.0);
        }
        ((share / total) as f32, (pascal * sum / total).max(0.0) as f32)
    }

    /// Out of solids, where these are at the end of the step.
    fn push_out(&self, moved: &mut Moved) {
        let Grid { lattice, walls, .. } = self.grid;
        let per_second = self.dt / lattice.width;
        for _ in 0..3 {
            let (near, _, owner) = walls.distances.at(moved.at);
            let moves = self.bodies.get(owner as usize).is_some_and(|body| body.moves);
            if near > 0.0 && !(moves && near < 2.0) {
                return;
            }
            // Where the point would be if the solid had stayed.
            let of_solid = self.grid.of_solid(self.bodies, owner, moved.at);
            let there = moved.at - per_second * of_solid;
            let Some((out, depth)) = walls.distances.depth(there) else { return };
            moved.was_inside = true;
            // What flies freely must not fall ever faster on a floor.
            moved.velocity -= out * out.dot(moved.velocity - of_solid).min(0.0);
            moved.at += (depth + 1e-6) * out;
        }
    }

    /// Particle by particle, as the world has them.
    fn outcome(
        &self,
        moved: Vec<Moved>,
        impulses: Vec<[DVec3; 2]>,
        mut report: Report,
    ) -> Result<Outcome, Error> {
        let Grid { lattice, records, .. } = self.grid;
        let count = moved.len();
        let mut outcome = Outcome {
            position: vec![DVec3::ZERO; count],
            velocity: vec![DVec3::ZERO; count],
            affine: vec![DMat3::ZERO; count],
            density: vec![1.0; count],
            pressure: vec![0.0; count],
            impulses,
            report,
        };
        for (moved, &i) in moved.iter().zip(&records.order) {
            let i = i as usize;
            if !(moved.at.is_finite() && moved.velocity.is_finite()) {
                return Err(Error::NotFinite(i));
            }
            outcome.position[i] = lattice.to_world(moved.at);
            outcome.velocity[i] = moved.velocity;
            let [x, y, z] = moved.affine.map(|row| row / lattice.width);
            outcome.affine[i] = DMat3::from_cols(x, y, z).transpose();
            (outcome.density[i], outcome.pressure[i]) = (moved.density, moved.pressure);
            report.pushed += u64::from(moved.was_inside);
        }
        outcome.report = report;
        Ok(outcome)
    }
}
