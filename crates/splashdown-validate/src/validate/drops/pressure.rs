//! The pressure in a drop: Young and Laplace.

use super::{GAMMA, drop_time, radius_of, scaled_drop};
use crate::diagnostics;
use crate::math::Dimension;
use crate::sph::tension::{Calibration, TensionModel};
use crate::validate::run::advance;
use crate::validate::{Case, Cost, Report};
use crate::world::World;

pub(crate) const CASE: Case = Case {
    name: "young-laplace",
    summary: "pressure in round drops at rest over 2γ/r (γ/r in the plane), by size",
    source: "Young 1805; Probst & Teschner 2024, figure 14",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

/// Particles closer to the surface than this, in h, are not in the core.
const SKIN: f64 = 4.0;

/// Pressures over that of Young and Laplace, averaged over the last third of a run.
struct Found {
    /// Of all particles, as the solver has it: the paper's.
    all: f64,
    core: f64,
    /// Energy over γ times the area.
    energy: f64,
}

fn settle(
    dimension: Dimension,
    radius: f64,
    calibration: Calibration,
    scale: f64,
    model: TensionModel,
) -> Result<Found, String> {
    let mut world = scaled_drop(dimension, radius, calibration, scale);
    world.tension.model = model;
    let r = scale * radius_of(world.fluid_count(), dimension);
    let flat = dimension == Dimension::Two;
    let laplace = if flat { GAMMA / r } else { 2.0 * GAMMA / r };
    let end = 3.0 * drop_time(&world);
    let (mut all, mut core, mut count) = (0.0, 0.0, 0.0);
    advance(&mut world, end, |world, _| {
        if world.clock.time > 0.66 * end {
            let inner = core_pressure(world, r);
            (all, core, count) =
                (all + diagnostics::mean_solver_pressure(world), core + inner, count + 1.0);
        }
    })?;
    let area =
        if flat { 2.0 * std::f64::consts::PI * r } else { 4.0 * std::f64::consts::PI * r * r };
    let energy =
        diagnostics::surface_forces(&mut world).map_err(|e| e.to_string())?.energy / (GAMMA * area);
    let scale = 1.0 / (f64::max(count, 1.0) * laplace);
    Ok(Found { all: all * scale, core: core * scale, energy })
}

/// Mean pressure of the particles in the core.
pub(super) fn core_pressure(world: &World, r: f64) -> f64 {
    let n = world.fluid_count();
    let x = &world.particles.position[..n];
    let centre = x.iter().sum::<crate::math::DVec3>() / n as f64;
    let reach = r - SKIN * world.spacing;
    let is_inner = |&i: &usize| (x[i] - centre).length() < reach;
    let pressure = |i: usize| f64::from(world.particles.pressure[i]);
    let inner: Vec<f64> = (0..n).filter(is_inner).map(pressure).collect();
    inner.iter().sum::<f64>() / inner.len().max(1) as f64
}

/// The pressure itself, Pa, of a model that knows nothing of curvature: figure 14.
fn pairwise(report: &mut Report) -> Result<(), String> {
    for (dimension, radii) in
        [(Dimension::Two, [6.0, 9.0, 14.0]), (Dimension::Three, [5.0, 6.5, 8.0])]
    {
        let mut pressures = Vec::new();
        for radius in radii {
            let found = settle(dimension, radius, Calibration::Paper, 1.0, TensionModel::Pairwise)?;
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
    for (dimension, radii) in
        [(Dimension::Two, [8.0, 12.0, 16.0]), (Dimension::Three, [8.0, 10.0, 12.0])]
    {
        for radius in radii {
            let found =
                settle(dimension, radius, Calibration::Physical, 1.0, TensionModel::Probst2024)?;
            let variant = format!("{dimension:?}, r = {radius} h");
            let tolerance = if radius == radii[2] { 0.1 } else { 0.15 };
            report.close(format!("{variant}: pressure in the core"), found.core, 1.0, tolerance);
            report.close(format!("{variant}: energy per area"), found.energy, 1.0, 0.2);
        }
        for radius in [5.0, 8.0, 12.0] {
            let found =
                settle(dimension, radius, Calibration::Paper, 1.0, TensionModel::Probst2024)?;
            let variant = format!("{dimension:?}, r = {radius} h, calibration of the paper");
            report.close(format!("{variant}: mean pressure"), found.all, 1.025, 0.175);
            report.note(format!("{variant}: core"), found.core, 1.0);
        }
        // Nothing knows how long a metre is.
        let means: Vec<f64> = [1.0, 0.1]
            .map(|scale| {
                settle(dimension, 5.0, Calibration::Paper, scale, TensionModel::Probst2024)
                    .map(|found| found.all)
            })
            .into_iter()
            .collect::<Result<_, _>>()?;
        report.close(
            format!(
                "{dimension:?}, r = 5 h, calibration of the paper: mean pressure at h/10 over \
                     that at h"
            ),
            means[1] / means[0],
            1.0,
            0.01,
        );
    }
    Ok(())
}
