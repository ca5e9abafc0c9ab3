//! Running scenes inside validation cases.

use std::path::Path;

use crate::scene::Scene;
use crate::world::{StepReport, World};

/// Builds the world of a scene text with overrides.
pub fn world(name: &str, text: &str, overrides: &[String]) -> Result<World, String> {
    let scene = Scene::parse(name, text, Path::new("."), overrides).map_err(|e| e.to_string())?;
    Ok(scene.build().map_err(|e| e.to_string())?.world)
}

/// Steps to time `until`, calling `look` after every step.
pub fn advance(
    world: &mut World,
    until: f64,
    mut look: impl FnMut(&World, &StepReport),
) -> Result<(), String> {
    while world.clock.time < until {
        let report = world.step(until).map_err(|e| e.to_string())?;
        look(world, &report);
    }
    Ok(())
}
