//! `splashdown check`: everything that can be said about a scene without running it.

use std::process::ExitCode;

use splashdown::scene::{Built, Scene};
use splashdown::world::World;

use crate::failure::Failure;
use crate::terminal::print;

pub fn run(scene: &str, overrides: &[String]) -> Result<ExitCode, Failure> {
    let scene = Scene::open(scene, overrides)?;
    let Built { world, output, notes } = scene.build()?;
    let mut lines = vec![format!("{} is fine", scene.name)];
    for fluid in &world.fluids {
        lines.push(format!("  fluid {:<20}{:>12} particles", fluid.name, fluid.range.len()));
    }
    for solid in &world.solids {
        lines.push(format!("  solid {:<20}{:>12} particles", solid.name, solid.range.len()));
    }
    let frames = (output.duration * output.frames_per_second).floor() + 1.0;
    lines.push(format!("  {} s, {frames} frames", output.duration));
    lines.push(format!("  about {:.0} MB of memory", memory_estimate(&world) / 1e6));
    lines.extend(notes.iter().map(|note| format!("note: {note}")));
    print(&(lines.join("\n") + "\n"));
    Ok(ExitCode::SUCCESS)
}

/// Bytes a run needs, roughly: arrays of every particle and its neighbours within 2h, and the
/// frames that wait to be written.
fn memory_estimate(world: &World) -> f64 {
    let neighbours = if world.dimension.count() == 2 { 20.0 } else { 60.0 };
    let (arrays, pair, frames) = (250.0, 16.0, 3.0 * 52.0);
    world.particles.len() as f64 * (arrays + pair * neighbours + frames)
}
