//! Water left alone for ten seconds keeps its volume and its level.

use super::run::{advance, in_dimension, world};
use super::{Case, Cost, Report};
use crate::output::totals::Totals;
use crate::world::World;

pub(super) const CASE: Case = Case {
    name: "still-water",
    summary: "a tank left alone for ten seconds after it has settled: drift of the volume and of \
              the level (2D and 3D)",
    source: "conservation of volume",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

const SCENE: &str = include_str!("../../validation/still-water.toml");

/// Until then the lattice of the filling melts, and particles move up to the walls, s.
const SETTLE: f64 = 5.0;
/// Length of the averages at the beginning and at the end, s.
const MEAN: f64 = 1.0;
/// Between their ends, s.
const WAIT: f64 = 10.0;

fn run(report: &mut Report) -> Result<(), String> {
    for dimension in [2, 3] {
        let text = in_dimension(SCENE, dimension);
        for solver in ["dfsph", "iisph"] {
            let overrides = [format!("pressure.solver={solver}")];
            let mut world = world("still-water", &text, &overrides)?;
            let filled = centre(&world);
            advance(&mut world, SETTLE - MEAN, |_, _| ())?;
            let (early_volume, early_centre) = averages(&mut world, SETTLE)?;
            advance(&mut world, SETTLE + WAIT - MEAN, |_, _| ())?;
            let (late_volume, late_centre) = averages(&mut world, SETTLE + WAIT)?;
            let variant = format!("{dimension}D {solver}");
            let drift = late_volume / early_volume - 1.0;
            report.at_most(format!("{variant}: drift of the volume"), drift, 1e-3);
            let sinking = late_centre / early_centre - 1.0;
            report.at_most(format!("{variant}: drift of the centre of mass"), sinking, 1e-3);
            let settling = early_centre / filled - 1.0;
            report.note(format!("{variant}: settling of what was filled in"), settling, 0.0);
        }
    }
    Ok(())
}

/// Mean volume and height of the centre of mass from now to `until`.
fn averages(world: &mut World, until: f64) -> Result<(f64, f64), String> {
    let (mut volume, mut height, mut duration) = (0.0, 0.0, 0.0);
    advance(world, until, |world, step| {
        volume += step.dt * Totals::of(world).volume;
        height += step.dt * centre(world);
        duration += step.dt;
    })?;
    Ok((volume / duration, height / duration))
}

/// Height of the centre of mass, m.
fn centre(world: &World) -> f64 {
    let n = world.fluid_count();
    world.particles.position[..n].iter().map(|p| p.y).sum::<f64>() / n as f64
}
