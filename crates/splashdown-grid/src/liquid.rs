//! A liquid on a grid: what does not change, what a step has to work with and what it finds.

use glam::{DMat3, DVec3};
use splashdown_geometry::math::Dimension;

use crate::body::Body;
use crate::lattice::Lattice;
use crate::poisson::Solved;
use crate::records::{Particles, Records};
use crate::settings::Settings;
use crate::walls::Walls;

/// More cells than this are refused.
const MOST_CELLS: f64 = 1.5e8;
/// Why a step could not be done.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// A particle is nowhere.
    #[error("particle {0} is nowhere")]
    Nowhere(usize),
    /// A particle is too far from the others.
    #[error("the liquid is too far apart for a grid")]
    TooLarge(usize),
    /// The pressure was not found.
    #[error("{} iterations left {:.1e} of the residual", .0.iterations, .0.residual)]
    Unsolved(Solved),
    /// A particle would have a velocity that is no number.
    #[error("the velocity of particle {0} is not finite")]
    NotFinite(usize),
    /// Somebody asked for it.
    #[error("stopped")]
    Stopped,
}

/// What does not change from step to step.
#[derive(Clone, Copy, Debug)]
pub struct World {
    /// 2D or 3D.
    pub dimension: Dimension,
    /// Distance of particles at rest, m.
    pub spacing: f64,
    /// m/s²
    pub gravity: DVec3,
    /// Density of reference, kg/m³.
    pub density: f64,
    /// Longest way of a particle in a step, in cells.
    pub farthest: f64,
    /// What the user chose.
    pub settings: Settings,
}

/// The grid of a step, up to its length.
#[derive(Debug)]
pub(crate) struct Grid {
    pub lattice: Lattice,
    pub walls: Walls,
    pub records: Records,
    /// Where liquid ends.
    pub phi: Vec<f64>,
}

impl Grid {
    /// Velocity of a solid at a point, in cells from the corner of the box.
    pub(crate) fn of_solid(&self, bodies: &[Body<'_>], body: u32, at: DVec3) -> DVec3 {
        match bodies.get(body as usize).filter(|body| body.moves) {
            Some(body) => body.velocity_at(self.lattice.to_world(at)),
            None => DVec3::ZERO,
        }
    }
}

/// What a step found out.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// m, particle by particle.
    pub position: Vec<DVec3>,
    /// m/s
    pub velocity: Vec<DVec3>,
    /// Gradient of the velocity, 1/s.
    pub affine: Vec<DMat3>,
    /// Over that at rest.
    pub density: Vec<f32>,
    /// Pa
    pub pressure: Vec<f32>,
    /// On each solid, N·s, with its moment about the solid's origin.
    pub impulses: Vec<[DVec3; 2]>,
    /// What happened.
    pub report: Report,
}

/// What happened in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Of the pressure.
    pub pressure: Solved,
    /// Of the displacements.
    pub volume: Solved,
    /// Largest divergence that is left, in changes of volume in the step.
    pub divergence: f64,
    /// RMS of density − 1 in the liquid.
    pub density_error: f64,
    /// Volume of the cells with liquid, m³ (2D: m²).
    pub liquid: f64,
    /// Cells of the box.
    pub cells: u64,
    /// Of them, those with liquid.
    pub unknowns: u64,
    /// Particles that were in solids.
    pub pushed: u64,
    /// Pockets of liquid that no air touches.
    pub pockets: u64,
}

impl World {
    /// Number of particles in a full cell.
    pub fn per_cell(&self) -> f64 {
        match (self.settings.particles_per_cell, self.dimension) {
            (given, _) if given > 0.0 => given,
            (_, Dimension::Two) => 4.0,
            (_, Dimension::Three) => 8.0,
        }
    }

    /// Width of a cell, m.
    pub fn width(&self) -> f64 {
        self.spacing * self.per_cell().powf(1.0 / self.dimension.count() as f64)
    }

    /// How many layers of cells around the liquid a step needs.
    pub(crate) fn margin(&self) -> i32 {
        self.farthest.ceil() as i32 + 4
    }
}

/// The box around all particles.
pub(crate) fn lattice(world: &World, particles: &Particles<'_>) -> Result<Lattice, Error> {
    if let Some(k) = particles.position.iter().position(|x| !x.is_finite()) {
        return Err(Error::Nowhere(k));
    }
    let bounds = particles.bounds();
    let (width, margin) = (world.width(), world.margin());
    Lattice::around(bounds, width, margin, world.dimension, MOST_CELLS).ok_or_else(|| {
        let middle = 0.5 * (bounds.min + bounds.max);
        let away = |k: &usize| particles.position[*k].distance_squared(middle);
        let all = 0..particles.position.len();
        Error::TooLarge(all.max_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or(0))
    })
}
