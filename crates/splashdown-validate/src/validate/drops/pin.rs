//! A waxed pin that is denser than water lies on its surface.

use crate::scene::Scene;
use crate::validate::run::advance;
use crate::validate::watch::named;
use crate::validate::{Case, Cost, Report};
use crate::world::{Loads, World};

pub(crate) const CASE: Case = Case {
    name: "floating-pin",
    summary: "a pin of 2.5 times the density of water rests on it, and sinks with a tenth of the \
              tension or none (2D)",
    source: "balance of forces",
    by_name: true,
    cost: Cost::Minutes,
    run,
};

/// The scene `water-strider`, with other values.
fn pool(overrides: &[&str]) -> Result<World, String> {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    let scene = Scene::builtin("water-strider", &overrides).map_err(|e| e.to_string())?;
    Ok(scene.build().map_err(|e| e.to_string())?.world)
}

/// Height of the pin over its radius.
fn height(world: &World) -> Result<f64, String> {
    Ok(named(world, "pin")?.pose.translation.y / 1e-3)
}

fn run(report: &mut Report) -> Result<(), String> {
    let mut world = pool(&[])?;
    advance(&mut world, 0.08, |_, _| ())?;
    let pin = world.solids.iter().position(|s| s.name == "pin").ok_or("there is no pin")?;
    let mut loads = Loads::default();
    advance(&mut world, 0.15, |_, step| loads.add(&step.loads))?;
    let load = loads.solids[pin];
    let mass = world.solids[pin].body().map_or(0.0, |body| body.mass);
    let weight = mass * world.gravity.length();
    let up = (load.pressure.y + load.viscous.y) / loads.duration;
    report.close("water: force of water and tension over the weight", up / weight, 1.0, 0.1);
    // Water is five radii deep: under water the top of the pin would be below that.
    let sunk = (5.0 - (height(&world)? + 1.0)).max(0.0);
    report.at_most("water: depth of the pin's top under the surface, over its radius", sunk, 0.0);

    for (name, tension) in [("a tenth of the tension", 0.007), ("no tension", 0.0)] {
        let mut world = pool(&[&format!("fluid.water.surface.tension={tension}")])?;
        advance(&mut world, 0.15, |_, _| ())?;
        report.at_most(format!("{name}: height of the pin over its radius"), height(&world)?, 2.0);
    }
    Ok(())
}
