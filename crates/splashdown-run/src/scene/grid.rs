//! Scenes of the method with a grid: what it does not know, and the walls that its liquid meets.

use super::convert::Converter;
use super::errors::Report;
use super::file::{self, FluidSide, SceneFile};
use super::tree::{Entry, Node, Origin, Value};
use super::validate::join;
use crate::body::CouplingMethod;
use crate::math::{Aabb, DVec3, Dimension};
use crate::mesh::TriangleMesh;
use crate::method::Method;
use crate::shapes::{MeshShape, Shape, WetSide, wall_of};
use crate::sph::fluid::Viscosity;
use crate::world::{Solid, World};

/// Walls are this thick on their dry side, in cells.
const THICKNESS: f64 = 3.0;
/// Bodies of fewer cells across displace visibly too little.
const COARSEST: f64 = 3.0;
/// Largest Courant number: cells with the grid, spacings with SPH particles.
const MAX_CFL: [f64; 2] = [5.0, 2.0];

/// The tables and keys that methods with SPH particles alone have.
const OF_PARTICLES: [&str; 11] = [
    "pressure",
    "surface",
    "friction",
    "fluid_contact",
    "elastic_solver",
    "simulation.kernel",
    "coupling.solver",
    "coupling.contact_error",
    "coupling.min_iterations",
    "coupling.max_iterations",
    "coupling.warm_start",
];

/// The method.
const KEY: &str = "coupling.method";
/// Its word.
const WORD: &str = "elastomonolith";

/// Whether a scene asks for the method with a grid.
pub(super) fn has_grid(file: &SceneFile) -> bool {
    file.coupling.method == CouplingMethod::ElastoMonolith
}

/// An override that chooses the method leaves out what the file says to others, and the reverse.
/// Returns these keys.
pub(super) fn leave_out_keys_of_other_methods(tree: &mut Node) -> Vec<String> {
    let (Origin::Override(_), Some(Node { value: Value::Text(method), .. })) = tree.locate(KEY)
    else {
        return Vec::new();
    };
    let keys: &[&str] = if method == WORD { &OF_PARTICLES } else { &["grid"] };
    let Value::Table(root) = &mut tree.value else { return Vec::new() };
    let is_in_file = |entry: &Entry| matches!(entry.key, Origin::File(_));
    let mut left_out = Vec::new();
    for key in keys {
        let removed = match key.split_once('.') {
            None if root.get(*key).is_some_and(is_in_file) => root.remove(*key),
            None => None,
            Some((table, name)) => match root.get_mut(table).map(|e| &mut e.node.value) {
                Some(Value::Table(own)) if own.get(name).is_some_and(is_in_file) => {
                    own.remove(name)
                }
                _ => None,
            },
        };
        if removed.is_some() {
            left_out.push((*key).to_owned());
        }
    }
    left_out
}

/// Reports what the method does not know; of another, keys that are of this one.
pub(super) fn check(file: &SceneFile, report: &mut Report<'_>) {
    let is_written = |report: &Report<'_>, key: &str| report.source.root.locate(key).1.is_some();
    let [with_grid, with_particles] = MAX_CFL;
    let most = if has_grid(file) { with_grid } else { with_particles };
    if let Some(cfl) = file.time_step.cfl.filter(|cfl| *cfl > most) {
        let what = if has_grid(file) { "cells" } else { "spacings" };
        let help = format!("must be at most {most} {what}");
        report.key("time_step.cfl", format!("{cfl} is out of range"), Some(help));
    }
    if !has_grid(file) {
        if is_written(report, "grid") {
            let help = format!("leave it out, or set {KEY} = \"{WORD}\"");
            report.key("grid", "is of the method elastomonolith alone", Some(help));
        }
        return;
    }
    for key in OF_PARTICLES {
        if is_written(report, key) {
            let message = "is of the methods with SPH particles, this one has none of it";
            report.key(key, message, Some("leave it out".to_owned()));
        }
    }
    let other = || format!("leave it out, or set {KEY} = \"monolithic\"");
    for (k, fluid) in file.fluid.iter().enumerate() {
        let key = format!("fluid[{k}]");
        if fluid.surface != Default::default() {
            let message = "this method has no surface tension and no friction on walls";
            report.key(&join(&key, "surface"), message, Some(other()));
        }
        if let Some(Viscosity::Weiler2018(_) | Viscosity::Laplacian(_)) = fluid.viscosity {
            let message = "this method has no viscosity yet";
            report.key(&join(&key, "viscosity"), message, Some(other()));
        }
    }
    for (k, solid) in file.solid.iter().enumerate() {
        let key = format!("solid[{k}]");
        if solid.is_rigid_body() {
            let message = "rigid bodies do not float in this method yet";
            let help = format!("leave out density and mass, or set {KEY} = \"monolithic\"");
            report.key(&key, message, Some(help));
        }
        if solid.surface != Default::default() {
            let message = "this method has no surface tension";
            report.key(&join(&key, "surface"), message, Some(other()));
        }
        if solid.inset.is_some() {
            let message = "solids are met at their surfaces in this method";
            report.key(&join(&key, "inset"), message, Some("leave it out".to_owned()));
        }
    }
    for k in 0..file.elastic.len() {
        let message = "elastic bodies are not in this method yet";
        report.key(&format!("elastic[{k}]"), message, Some(other()));
    }
}

/// Width of a cell, m.
fn width(file: &SceneFile, dimension: Dimension) -> f64 {
    let usual = if dimension == Dimension::Two { 4.0 } else { 8.0 };
    let per_cell = file.grid.particles_per_cell.unwrap_or(usual);
    file.simulation.spacing * f64::powf(per_cell, 1.0 / dimension.count() as f64)
}

/// The closed surface that liquid meets of a solid, in the frame of its shape; empty with another
/// method, and where something is wrong with it.
pub(super) fn wall(
    convert: &mut Converter<'_, '_>,
    file: &SceneFile,
    key: &str,
    shape: &Shape,
    side: FluidSide,
) -> TriangleMesh {
    if !has_grid(file) {
        return TriangleMesh::default();
    }
    let wet = match side {
        FluidSide::Inside => WetSide::Inside,
        FluidSide::Outside => WetSide::Outside,
        // A plane is dry behind it.
        FluidSide::Both => WetSide::Outside,
    };
    wall_of(shape, wet, THICKNESS * width(file, convert.dimension)).unwrap_or_else(|| {
        let message = "is a sheet, which this method has no inside of";
        let help = "give it a thickness: close the mesh, or use a box".to_owned();
        convert.report.key(&join(key, "shape"), message, Some(help));
        TriangleMesh::default()
    })
}

/// Refuses walls that fluid is in: those of vessels and planes are thicker than they look.
/// `entries` are the entries of `[[solid]]` that the world's solids come from.
pub(super) fn refuse_buried(convert: &mut Converter<'_, '_>, entries: &[usize], world: &World) {
    let Method::Grid(_) = world.method else { return };
    let fluid = &world.particles.position[..world.fluid_count()];
    for (solid, entry) in world.solids.iter().zip(entries) {
        let Ok(wall) = MeshShape::new(solid.wall.clone()) else { continue };
        let bounds = wall.surface().bounds();
        let is_buried = |x: &&DVec3| {
            let local = solid.pose.inverse_apply(**x);
            let depth = -0.5 * world.spacing;
            bounds.contains(local) && wall.signed_distance(local, world.dimension) < depth
        };
        let count = fluid.iter().filter(is_buried).count();
        if count > 0 {
            let message = format!("{count} particles of fluid are in its wall");
            let help = format!(
                "in this method walls are {THICKNESS} cells thick on their dry side; a plane is \
                 dry behind its normal"
            );
            convert.report.key(&format!("solid[{entry}].shape"), message, Some(help));
        }
    }
}

/// What the user may want to know.
pub(super) fn notes(file: &SceneFile, world: &World) -> Vec<String> {
    let Method::Grid(_) = world.method else { return Vec::new() };
    let width = width(file, world.dimension);
    let mut notes = Vec::new();
    for fluid in file.fluid.iter().filter(|f| f.viscosity.is_none() && f.liquid.is_some()) {
        let name = &fluid.name;
        notes.push(format!("fluid `{name}`: this method has no viscosity yet, it flows without"));
    }
    for fluid in &file.fluid {
        if let Some(Viscosity::Artificial(_) | Viscosity::Xsph(_)) = fluid.viscosity {
            notes.push(format!(
                "fluid `{}`: its viscosity is no physical value, and not used by this method",
                fluid.name
            ));
        }
    }
    for written in &file.solid {
        let first = format!("{}-1", written.name);
        let is_it = |solid: &&Solid| solid.name == written.name || solid.name == first;
        let Some(solid) = world.solids.iter().find(is_it) else { continue };
        let size = solid.surface.bounds().size();
        let least = match world.dimension {
            Dimension::Two => size.x.min(size.y),
            Dimension::Three => size.min_element(),
        };
        let is_shell =
            matches!(written.shape, file::SolidShape::Tank(_) | file::SolidShape::Plane(_));
        if !is_shell && least < COARSEST * width {
            let cells = least / width;
            notes.push(format!(
                "solid `{}` is {cells:.1} cells across: forces on it are off by about {:.0} %",
                solid.name,
                100.0 / (cells * cells).max(1.0)
            ));
        }
    }
    notes
}

/// Cells of the grid at the start, those with liquid, and their memory, in a line.
pub fn grid_in_words(world: &World) -> Option<String> {
    let Method::Grid(settings) = world.method else { return None };
    let usual = if world.dimension == Dimension::Two { 4.0 } else { 8.0 };
    let given = settings.particles_per_cell;
    let per_cell = if given > 0.0 { given } else { usual };
    let width = world.spacing * f64::powf(per_cell, 1.0 / world.dimension.count() as f64);
    let n = world.fluid_count();
    let bounds = Aabb::around(world.particles.position[..n].iter().copied());
    let size = (bounds.size() / width).ceil() + 12.0;
    let cells = match world.dimension {
        Dimension::Two => size.x * size.y,
        Dimension::Three => size.element_product(),
    };
    let unknowns = n as f64 / per_cell;
    let megabytes = (cells * BYTES_PER_CELL + unknowns * BYTES_PER_UNKNOWN) / 1e6;
    Some(format!(
        "  cells of {width} m: about {cells:.0} around the liquid at the start, {unknowns:.0} with \
         a pressure, {megabytes:.0} MB more"
    ))
}

/// What a step keeps for a cell and for an unknown, bytes.
const BYTES_PER_CELL: f64 = 250.0;
const BYTES_PER_UNKNOWN: f64 = 300.0;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::scene::Scene;

    const TANK: &str = r#"
        TOP
        [simulation]
        dimension = 2
        spacing = 0.1
        SIMULATION
        [[fluid]]
        name = "water"
        FLUID
        [[fluid.fill]]
        shape.box = { min = [0, 0], max = [0.5, 1] }
        [[solid]]
        name = "tank"
        shape.tank = { min = [0, 0], max = [2, 1.5], open = ["top"] }
        SOLID
        [coupling]
        method = "elastomonolith"
        COUPLING
    "#;

    /// The scene with lines in some of its places.
    fn scene(lines: &[(&str, &str)], overrides: &[&str]) -> Result<Scene, String> {
        let mut text = TANK.to_owned();
        for (place, line) in lines {
            text = text.replace(place, line);
        }
        for place in ["TOP", "SIMULATION", "FLUID", "SOLID", "COUPLING"] {
            text = text.replace(place, "");
        }
        let overrides: Vec<String> = overrides.iter().map(|o| o.to_string()).collect();
        Scene::parse("tank", &text, Path::new("."), &overrides).map_err(|e| e.to_string())
    }

    fn built(lines: &[(&str, &str)], overrides: &[&str]) -> Result<World, String> {
        Ok(scene(lines, overrides)?.build().map_err(|e| e.to_string())?.world)
    }

    #[test]
    fn what_the_method_does_not_know_is_refused_with_its_line() {
        for (place, line, wanted) in [
            (
                "SIMULATION",
                "kernel = \"wendland\"",
                "simulation.kernel: is of the methods with SPH",
            ),
            ("COUPLING", "contact_error = 1e-4", "coupling.contact_error: is of the methods"),
            ("COUPLING", "[pressure]\nwarm_start = 0.5", "pressure: is of the methods with SPH"),
            ("FLUID", "viscosity.laplacian = { dynamic = 1 }", "no viscosity yet"),
            ("FLUID", "surface.tension = 0.07", "no surface tension"),
            ("SOLID", "density = 500", "rigid bodies do not float in this method yet"),
            ("SOLID", "inset = 0.02", "are met at their surfaces"),
            ("COUPLING", "[time_step]\ncfl = 6", "at most 5"),
        ] {
            let message = scene(&[(place, line)], &[]).unwrap_err();
            assert!(message.contains(wanted), "{line}: {message}");
            assert!(message.starts_with("tank:") && message.contains('('), "{message}");
        }
        let tank = "shape.tank = { size = [0.5, 0.5], open = [\"top\"] }\nat = [1.2, 0.8]";
        let sheet = format!("[[solid]]\nname = \"sheet\"\n{tank}\nfluid_side = \"outside\"");
        let plane = "[[solid]]\nname = \"floor\"\nshape.plane = { size = 4, normal = [0, -1] }";
        let message = built(&[("SOLID", plane)], &[]).unwrap_err();
        assert!(message.contains("are in its wall") && message.contains("normal"), "{message}");
        let message = built(&[("SOLID", sheet.as_str())], &[]).unwrap_err();
        assert!(message.contains("is a sheet") && message.contains("thickness"), "{message}");
    }

    #[test]
    fn a_grid_is_refused_by_other_methods_and_left_out_by_an_override() {
        let grid = ("COUPLING", "[grid]\ntransfer = \"flip\"");
        let message = scene(&[grid], &["coupling.method=weak"]);
        assert_eq!(message.unwrap().file.grid, file::Grid::default());
        let text = TANK.replace("\"elastomonolith\"", "\"weak\"").replace(grid.0, grid.1);
        let text =
            ["TOP", "SIMULATION", "FLUID", "SOLID"].iter().fold(text, |t, p| t.replace(p, ""));
        let message = Scene::parse("tank", &text, Path::new("."), &[]).unwrap_err().to_string();
        assert!(message.contains("of the method elastomonolith alone"), "{message}");
    }

    #[test]
    fn an_override_that_chooses_the_method_leaves_out_what_is_of_others() {
        let lines =
            [("COUPLING", "[pressure]\nwarm_start = 0.5"), ("SIMULATION", "kernel = \"wendland\"")];
        let text = "coupling.method=elastomonolith";
        let scene = scene(&lines, &[text]).unwrap();
        let built = scene.build().unwrap();
        assert!(matches!(built.world.method, Method::Grid(_)));
        assert!(built.notes[0].contains("pressure, simulation.kernel"), "{:?}", built.notes);
    }

    #[test]
    fn a_world_with_a_grid_has_walls_with_a_thickness() {
        let world = built(&[("FLUID", "viscosity.artificial = {}")], &[]).unwrap();
        let bounds = world.solids[0].wall.bounds();
        assert!((bounds.size().x - (2.0 + 2.0 * THICKNESS * 0.2)).abs() < 1e-9, "{bounds:?}");
        assert!(grid_in_words(&world).unwrap().contains("cells of 0.2 m"));
    }
}
