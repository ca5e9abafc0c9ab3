//! What wetting a wall is worth: Young's equation from energies alone, without a contact line.

use super::{GAMMA, H, Noise, RHO};
use crate::diagnostics;
use crate::math::{DVec3, Dimension};
use crate::motion::Scalar;
use crate::sph::tension::{FluidSurface, WallSurface};
use crate::validate::run::advance;
use crate::world::{PressureSolver, Solid, Viscosity, World};

/// A wall with (γ^BF − γ^BV)/γ^FV = `excess`.
pub(super) fn surface(excess: f64) -> WallSurface {
    WallSurface {
        dry: Scalar::Constant((-excess * GAMMA).max(0.0)),
        wet: Scalar::Constant((excess * GAMMA).max(0.0)),
    }
}

/// A layer of fluid without end and its energy per area at rest, over γ, with the wall below it, if
/// there is one.
fn energy(dimension: Dimension, wall: Option<f64>) -> Result<f64, String> {
    let flat = dimension == Dimension::Two;
    let (wide, deep) = if flat { (40, 14) } else { (16, 12) };
    let period = f64::from(wide) * H;
    let mut world = World::new(dimension, H);
    world.gravity = DVec3::ZERO;
    world.method.particles().pressure.solver = PressureSolver::Iisph;
    world.period = DVec3::new(period, 0.0, if flat { 0.0 } else { period });
    let (mut noise, mut points, mut samples) = (Noise(7), Vec::new(), Vec::new());
    for (x, z) in (0..wide).flat_map(|x| (0..if flat { 1 } else { wide }).map(move |z| (x, z))) {
        for y in 0..deep {
            let p = DVec3::new(x.into(), y.into(), z.into()) + 0.5;
            points.push(H * dimension.flatten(p + 0.1 * noise.vector(dimension)));
        }
        let p = DVec3::new(f64::from(x) + 0.3, -0.5, f64::from(z) + 0.3);
        samples.push(H * dimension.flatten(p));
    }
    let depth = 0.5 * f64::from(deep) * H;
    let coefficient = 0.3 * (RHO * GAMMA * depth).sqrt();
    let viscosity = Viscosity::weiler2018(coefficient, 0.0);
    world.add_fluid("slab", RHO, viscosity, &points, |_| DVec3::ZERO);
    world.fluids[0].surface = FluidSurface::of(GAMMA);
    if let Some(excess) = wall {
        world.add_solid(Solid::fixed("plate", samples, 0.0));
        world.solids[0].wetting = surface(excess).into();
    }
    let end = 4.0 * (RHO * depth.powi(3) / GAMMA).sqrt();
    let mut sum = 0.0;
    for time in [0.625, 0.75, 0.875, 1.0] {
        advance(&mut world, time * end, |_, _| ())?;
        sum += 0.25
            * diagnostics::surface_forces(&mut world.clone()).map_err(|e| e.to_string())?.energy;
    }
    Ok(sum / (GAMMA * if flat { period } else { period * period }))
}

/// (e_dry − e_wet)/γ: what cos θ is by Young's equation, and what a column between such walls is
/// lifted with.
pub(super) fn wetting(dimension: Dimension, excess: f64) -> Result<f64, String> {
    let surface = 0.5 * energy(dimension, None)?;
    let wet = energy(dimension, Some(excess))? - surface;
    Ok(dry(dimension, excess)? - wet)
}

/// The energy per area of a dry wall over γ: the limit of one whose fluid is just out of sight.
fn dry(dimension: Dimension, excess: f64) -> Result<f64, String> {
    let mut world = World::new(dimension, H);
    let flat = dimension == Dimension::Two;
    let (wide, period) = (16, 16.0 * H);
    world.period = DVec3::new(period, 0.0, if flat { 0.0 } else { period });
    let mut samples = Vec::new();
    for (x, z) in (0..wide).flat_map(|x| (0..if flat { 1 } else { wide }).map(move |z| (x, z))) {
        samples.push(H * dimension.flatten(DVec3::new(x.into(), 0.0, z.into())));
    }
    // Particles that the wall hardly sees, everywhere, so that all of it counts: energies are known
    // near fluid only.
    let far = world.tension.calibration.support(dimension) - 0.05;
    let points: Vec<DVec3> = samples.iter().map(|p| *p + far * H * DVec3::Y).collect();
    world.add_fluid("far", RHO, Viscosity::default(), &points, |_| DVec3::ZERO);
    world.add_solid(Solid::fixed("plate", samples, 0.0));
    world.solids[0].wetting = surface(excess).into();
    world.fluids[0].surface = FluidSurface::NONE;
    let energy = diagnostics::surface_forces(&mut world).map_err(|e| e.to_string())?.energy;
    Ok(energy / (GAMMA * if flat { period } else { period * period }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One layer of a square lattice has C^BV = 1 − Σ W = 0.659 in the plane and 0.532 in space.
    #[test]
    fn a_dry_wall_costs_what_its_samples_do() {
        for (dimension, c) in [(Dimension::Two, 0.659f64), (Dimension::Three, 0.532)] {
            let area = crate::sph::tension::Calibration::Physical.rest_area(dimension);
            let expected = area * (c.hypot(0.05) - 0.05);
            let found = dry(dimension, -1.0).unwrap();
            assert!((found - expected).abs() < 0.01, "{found} instead of {expected}");
        }
    }
}
