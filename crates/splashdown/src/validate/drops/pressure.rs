//! The pressure in a drop: Young and Laplace.

use super::{GAMMA, H, drop, drop_time, radius_of};
use crate::math::Dimension;
use crate::sph::tension::{Calibration, TensionModel};
use crate::validate::run::advance;
use crate::validate::{Case, Report};
use crate::world::World;

pub const CASE: Case = Case {
    name: "young-laplace",
    summary: "pressure in round drops at rest over 2γ/r (γ/r in the plane), by size",
    source: "Young 1805; Probst & Teschner 2024, figure 14",
    by_name: false,
    run,
};

/// Particles closer to the surface than this, in h, are not in the core.
const SKIN: f64 = 4.0;

/// Pressures over that of Young and Laplace, averaged over the last third of a run.
struct Found {
    all: f64,
    core: f64,
    /// Energy over γ times the area.
    energy: f64,
}

fn settle(
    dimension: Dimension,
    radius: f64,
    calibration: Calibration,
    model: TensionModel,
) -> Result<Found, String> {
    let mut world = drop(dimension, radius, calibration);
    world.tension.model = model;
    let r = radius_of(world.fluid_count(), dimension);
    let flat = dimension == Dimension::Two;
    let laplace = if flat { GAMMA / r } else { 2.0 * GAMMA / r };
    let end = 3.0 * drop_time(&world);
    let (mut all, mut core, mut count) = (0.0, 0.0, 0.0);
    advance(&mut world, end, |world, _| {
        if world.clock.time > 0.66 * end {
            let [mean, inner] = means(world, r);
            (all, core, count) = (all + mean, core + inner, count + 1.0);
        }
    })?;
    let area =
        if flat { 2.0 * std::f64::consts::PI * r } else { 4.0 * std::f64::consts::PI * r * r };
    let energy = world.surface_forces().map_err(|e| e.to_string())?.energy / (GAMMA * area);
    let scale = 1.0 / (f64::max(count, 1.0) * laplace);
    Ok(Found { all: all * scale, core: core * scale, energy })
}

/// Mean pressure of all particles, and of those in the core.
fn means(world: &World, r: f64) -> [f64; 2] {
    let n = world.fluid_count();
    let x = &world.particles.position[..n];
    let centre = x.iter().sum::<crate::math::DVec3>() / n as f64;
    let p = &world.particles.pressure[..n];
    let inner: Vec<f64> = (0..n)
        .filter(|&i| (x[i] - centre).length() < r - SKIN * H)
        .map(|i| f64::from(p[i]))
        .collect();
    let mean = p.iter().map(|&p| f64::from(p)).sum::<f64>() / n as f64;
    [mean, inner.iter().sum::<f64>() / inner.len().max(1) as f64]
}

/// The pressure itself, Pa, of a model that knows nothing of curvature: figure 14.
fn pairwise(report: &mut Report) -> Result<(), String> {
    for (dimension, radii) in
        [(Dimension::Two, [6.0, 9.0, 14.0]), (Dimension::Three, [5.0, 6.5, 8.0])]
    {
        let mut pressures = Vec::new();
        for radius in radii {
            let found = settle(dimension, radius, Calibration::Paper, TensionModel::Pairwise)?;
            let variant = format!("pairwise, {dimension:?}, r = {radius} h");
            report.note(format!("{variant}: mean pressure"), found.all, 1.0);
            pressures.push(found.all / radius);
        }
        let most = pressures.iter().copied().fold(0.0, f64::max);
        let least = pressures.iter().copied().fold(f64::INFINITY, f64::min);
        let metric = format!("pairwise, {dimension:?}: largest over smallest mean pressure");
        report.close(metric, most / least, 1.0, 0.15);
    }
    Ok(())
}

fn run(report: &mut Report) -> Result<(), String> {
    pairwise(report)?;
    for (dimension, radii) in [(Dimension::Two, &[8.0, 12.0, 16.0][..]), (Dimension::Three, &[8.0])]
    {
        for &radius in radii {
            let found = settle(dimension, radius, Calibration::Physical, TensionModel::Probst2024)?;
            let variant = format!("{dimension:?}, r = {radius} h");
            report.close(format!("{variant}: pressure in the core"), found.core, 1.0, 0.15);
            report.close(format!("{variant}: energy per area"), found.energy, 1.0, 0.1);
            let found = settle(dimension, radius, Calibration::Paper, TensionModel::Probst2024)?;
            report.note(
                format!("{variant}: mean pressure, calibration of the paper"),
                found.all,
                1.0,
            );
            report.note(format!("{variant}: core, calibration of the paper"), found.core, 1.0);
        }
    }
    Ok(())
}
