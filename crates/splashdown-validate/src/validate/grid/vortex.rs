//! An inviscid vortex in a closed box: how much of its energy is left after a turn.

use super::super::run::{advance, world};
use super::{Case, Cost, Report};
use crate::world::World;

pub(in super::super) const CASE: Case = Case {
    name: "apic-taylor-green",
    summary: "an inviscid vortex in a closed box on a grid: energy after a turn",
    source: "nothing takes energy from a steady flow without viscosity; bounds: measured with \
             prototypes",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

const SCENE: &str = include_str!("../../../validation/grid-vortex.toml");

fn run(report: &mut Report) -> Result<(), String> {
    for transfer in ["apic", "pic", "flip"] {
        let overrides = [format!("grid.transfer={transfer}")];
        let mut world = world("vortex", SCENE, &overrides)?;
        let before = energy(&world);
        advance(&mut world, 2.0, |_, _| ())?;
        let left = energy(&world) / before;
        let metric = format!("{transfer}: energy left at t = 2 s");
        match transfer {
            "apic" => report.close(metric, left, 0.9, 0.1),
            // It damps in every step, and these are as long as they may be.
            "pic" => report
                .known("fewer steps than the prototype's damp less")
                .at_most(metric, left, 0.65),
            _ => report.note(metric, left, 1.0),
        }
    }
    Ok(())
}

/// Σ ½ v² of the particles, each of the same mass.
fn energy(world: &World) -> f64 {
    let fluid = &world.particles.velocity[..world.fluid_count()];
    fluid.iter().map(|v| 0.5 * v.length_squared()).sum()
}
