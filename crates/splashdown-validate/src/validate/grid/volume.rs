//! Ten seconds of sloshing in a closed box: the level stays.

use super::super::run::{advance, in_dimension, world};
use super::{Case, Cost, Report};

pub(in super::super) const CASE: Case = Case {
    name: "apic-volume",
    summary: "ten seconds of sloshing in a closed box on a grid: level, density in the liquid",
    source: "liquid keeps its volume",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

const SCENE: &str = include_str!("../../../validation/grid-volume.toml");

fn run(report: &mut Report) -> Result<(), String> {
    for dimension in [2, 3] {
        for volume in ["density", "none"] {
            let overrides = [format!("grid.volume={volume}")];
            let mut world = world("volume", &in_dimension(SCENE, dimension), &overrides)?;
            let n = world.fluid_count() as f64;
            let (mut error, mut looks, mut liquid) = (0.0, 0.0, 0.0);
            let full = n * world.dimension.volume(world.spacing);
            let mut last = 0.0;
            advance(&mut world, 10.0, |world, step| {
                let Some(grid) = &step.grid else { return };
                if world.clock.time > 5.0 {
                    error += grid.density_error;
                    looks += 1.0;
                }
                if world.clock.time > 9.0 {
                    liquid += grid.liquid;
                    last += 1.0;
                }
            })?;
            let variant = format!("{dimension}D, volume = {volume}");
            let level = liquid / last / full;
            if volume == "density" {
                report.close(format!("{variant}: volume after 10 s"), level, 1.0, 0.01);
                let error = error / looks;
                report.at_most(format!("{variant}: RMS error of the density"), error, 0.1);
            } else {
                report.note(format!("{variant}: volume after 10 s"), level, 1.0);
            }
        }
    }
    Ok(())
}
