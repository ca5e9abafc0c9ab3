//! Running scenes inside validation cases.

use std::path::Path;

use crate::scene::Scene;
use crate::world::{StepReport, World};

/// Builds the world of a scene text with overrides.
pub(super) fn world(name: &str, text: &str, overrides: &[String]) -> Result<World, String> {
    let scene = Scene::parse(name, text, Path::new("."), overrides).map_err(|e| e.to_string())?;
    Ok(scene.build().map_err(|e| e.to_string())?.world)
}

/// A 3D scene text as a 2D one: vectors of three numbers lose the last.
pub(super) fn flattened(text: &str) -> String {
    let flat_line = |line: &str| -> String {
        let Some((key, value)) = line.split_once('=') else { return line.to_owned() };
        let mut flat = String::new();
        for (k, part) in value.split('[').enumerate() {
            let (list, rest) = part.split_once(']').unwrap_or(("", part));
            let items: Vec<&str> = list.split(',').map(str::trim).collect();
            match (k, items.as_slice()) {
                (0, _) => flat += part,
                // An axis of rotation is the one vector that leaves the plane.
                (_, ["0", "0", "1"]) => flat += &format!("[0, 0, 1]{rest}"),
                (_, [x, y, _]) if !x.contains("\"vtk\"") => flat += &format!("[{x}, {y}]{rest}"),
                _ => flat += &format!("[{part}"),
            }
        }
        format!("{key}={flat}")
    };
    let lines = text.lines().map(|line| match line.trim() {
        "dimension = 3" => "dimension = 2".to_owned(),
        table if table.starts_with('[') || table.starts_with('#') => line.to_owned(),
        _ => flat_line(line),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The text of a scene written in 3D, in the dimension asked for.
pub(super) fn in_dimension(text: &str, dimension: u32) -> String {
    if dimension == 2 { flattened(text) } else { text.to_owned() }
}

/// Steps to time `until`, calling `look` after every step.
pub(super) fn advance(
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

/// Least-squares slope of y over x.
pub(super) fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (mx, my) = points.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
    let (xy, xx) = points
        .iter()
        .fold((0.0, 0.0), |(a, b), (x, y)| (a + (x - mx) * (y - my), b + (x - mx).powi(2)));
    xy / xx
}
