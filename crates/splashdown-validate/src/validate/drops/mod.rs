//! Drops: surface tension, contact angles, friction on walls.

mod angle;
mod cap;
mod capillary;
mod derivatives;
mod keep;
mod long_steps;
mod oscillation;
mod pin;
mod pressure;
mod rest;
mod sessile;
mod slab;
mod slopes;
mod split;
mod tube;

pub(super) use angle::CASE as CONTACT_ANGLE;
pub(super) use capillary::CASE as CAPILLARY_RISE;
pub(super) use derivatives::CASE as DERIVATIVES;
pub(super) use keep::CASE as MOMENTUM;
pub(super) use long_steps::CASE as CAPILLARY_STEP;
pub(super) use oscillation::{CASE as OSCILLATION, LARGE as OSCILLATION_LARGE};
pub(super) use pin::CASE as FLOATING_PIN;
pub(super) use pressure::CASE as YOUNG_LAPLACE;
pub(super) use rest::CASE as REST;
pub(super) use sessile::{CASE as SESSILE, FINE as SESSILE_FINE};
pub(super) use slopes::CASE as SLOPES;
pub(super) use split::CASE as SPLIT;
pub(super) use tube::CASE as TWO_DROPS;

use crate::math::{DVec3, Dimension};
use crate::sph::tension::{Calibration, FluidSurface};
use crate::world::{PressureSolver, Viscosity, World};

/// Water.
const GAMMA: f64 = 0.072;
const RHO: f64 = 1000.0;
/// Spacing, m. Nothing depends on it: all is measured in h and in the time √(ρ R³/γ) of a drop.
const H: f64 = 1e-3;

/// Numbers that look random in [−1, 1).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self, dimension: Dimension) -> DVec3 {
        dimension.flatten(DVec3::new(self.next(), self.next(), self.next()))
    }
}

/// Places of a lattice within `radius`, in h, of a centre, disturbed by a tenth of a spacing: an
/// undisturbed lattice stays one.
fn ball(dimension: Dimension, radius: f64, centre: DVec3, noise: &mut Noise) -> Vec<DVec3> {
    let reach = radius.ceil() as i32;
    let depth = if dimension == Dimension::Two { 0..1 } else { -reach..reach };
    let mut points = Vec::new();
    for (x, y) in (-reach..reach).flat_map(|x| (-reach..reach).map(move |y| (x, y))) {
        for z in depth.clone() {
            let p = dimension.flatten(DVec3::new(x.into(), y.into(), z.into()) + 0.5);
            if p.length() <= radius {
                points.push((p + 0.1 * noise.vector(dimension)) * H + centre);
            }
        }
    }
    points
}

/// The radius, m, of a round drop of so many particles.
fn radius_of(particles: usize, dimension: Dimension) -> f64 {
    use std::f64::consts::PI;
    let n = particles as f64;
    match dimension {
        Dimension::Two => H * (n / PI).sqrt(),
        Dimension::Three => H * (0.75 * n / PI).cbrt(),
    }
}

/// A drop without gravity, so viscous that it soon comes to rest.
fn drop(dimension: Dimension, radius: f64, calibration: Calibration) -> World {
    scaled_drop(dimension, radius, calibration, 1.0)
}

/// The same with a spacing of `scale` times H.
fn scaled_drop(dimension: Dimension, radius: f64, calibration: Calibration, scale: f64) -> World {
    let mut world = World::new(dimension, scale * H);
    world.gravity = DVec3::ZERO;
    world.method.particles().pressure.solver = PressureSolver::Iisph;
    let points = ball(dimension, radius, DVec3::ZERO, &mut Noise(1));
    let points: Vec<DVec3> = points.into_iter().map(|p| scale * p).collect();
    let calm = (RHO * GAMMA * radius * scale * H).sqrt();
    let viscosity = Viscosity::weiler2018(calm, 0.0);
    world.add_fluid("drop", RHO, viscosity, &points, |_| DVec3::ZERO);
    world.fluids[0].surface = FluidSurface::of(GAMMA);
    world.tension.calibration = calibration;
    world
}

/// √(ρ R³/γ), s.
fn drop_time(world: &World) -> f64 {
    let radius = radius_of(world.fluid_count(), world.dimension) * world.spacing / H;
    (RHO * radius.powi(3) / GAMMA).sqrt()
}
