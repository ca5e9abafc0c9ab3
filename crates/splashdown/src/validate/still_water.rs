//! Water left alone for ten seconds keeps its volume.

use super::run::{advance, in_dimension, world};
use super::{Case, Report};
use crate::output::totals::Totals;
use crate::world::World;

pub const CASE: Case = Case {
    name: "still-water",
    summary: "a tank left alone for ten seconds: drift of the volume and of the surface (2D and 3D)",
    source: "conservation of volume",
    by_name: false,
    run,
};

const SCENE: &str = include_str!("../../validation/still-water.toml");

fn run(report: &mut Report) -> Result<(), String> {
    for dimension in [2, 3] {
        let text = in_dimension(SCENE, dimension);
        for solver in ["dfsph", "iisph"] {
            let overrides = [format!("pressure.solver={solver}")];
            let mut world = world("still-water", &text, &overrides)?;
            advance(&mut world, 1.0, |_, _| ())?;
            let (early_volume, early_centre) = averages(&mut world, 2.0)?;
            advance(&mut world, 9.0, |_, _| ())?;
            let (late_volume, late_centre) = averages(&mut world, 10.0)?;
            let variant = format!("{dimension}D {solver}");
            let drift = late_volume / early_volume - 1.0;
            report.at_most(format!("{variant}: drift of the volume"), drift, 1e-3);
            let sinking = late_centre / early_centre - 1.0;
            report.at_most(format!("{variant}: drift of the centre of mass"), sinking, 2e-3);
        }
    }
    Ok(())
}

/// Mean volume and height of the centre of mass from now to `until`.
fn averages(world: &mut World, until: f64) -> Result<(f64, f64), String> {
    let (mut volume, mut centre, mut duration) = (0.0, 0.0, 0.0);
    advance(world, until, |world, step| {
        let n = world.fluid_count();
        volume += step.dt * Totals::of(world).volume;
        let heights = world.particles.position[..n].iter().map(|p| p.y);
        centre += step.dt * heights.sum::<f64>() / n as f64;
        duration += step.dt;
    })?;
    Ok((volume / duration, centre / duration))
}
