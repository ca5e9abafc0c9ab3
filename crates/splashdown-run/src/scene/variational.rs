//! The variational fluid of a scene: how stiff it is unless told otherwise, and what it cannot do.
//!
//!   k_I = 100 ρ (|g| H + ½ v²)
//!
//! is a hundred times the largest pressure that the scene can be seen to lead to: under a column as
//! high as all fluid and as far as it may fall, H, and where the fastest, v, is stopped. It is a
//! number of the scene, not of the run, so that a resumed run has the same.

use super::bounds::{sources, speed};
use super::errors::Report;
use super::file::SceneFile;
use super::fluid_contact::has_barrier;
use super::tree::{Entry, Node, Origin, Value};
use super::validate::join;
use crate::math::{Aabb, DVec3};
use crate::sph::pressure::settings::LinearSolver;
use crate::stepper::Stepper;
use crate::world::{PressureSolver, World};

/// k_I over the largest pressure.
const STIFFNESS: f64 = 100.0;
/// A fluid that is softer than this many times the largest pressure is compressed visibly.
const SOFTEST: f64 = 10.0;

/// Keys of `pressure` that the variational fluid alone has.
const ITS_OWN: [&str; 3] = ["stiffness", "tension", "linear"];
/// The same of `fluid_contact`.
const ITS_CONTACT: [&str; 4] = ["stepper", "predict", "friction_passes", "walls"];
/// Keys of `pressure` that it alone does not have.
const OF_OTHERS: [&str; 1] = ["boundary"];

/// An override that chooses another solver leaves out what the file says to its own, so that one
/// scene can be run by all. Returns these keys.
pub(super) fn leave_out_keys_of_other_solver(tree: &mut Node) -> Vec<String> {
    let (Origin::Override(_), Some(Node { value: Value::Text(solver), .. })) =
        tree.locate("pressure.solver")
    else {
        return Vec::new();
    };
    let (pressure, contact): (&[&str], &[&str]) = match solver.as_str() {
        "variational" => (&OF_OTHERS, &[]),
        _ => (&ITS_OWN, &ITS_CONTACT),
    };
    let mut left_out = Vec::new();
    for (name, keys) in [("pressure", pressure), ("fluid_contact", contact)] {
        let Some(table) = tree.table(name) else { continue };
        for key in keys {
            let is_in_file = |entry: &Entry| matches!(entry.key, Origin::File(_));
            if table.get(*key).is_some_and(is_in_file) {
                table.remove(*key);
                left_out.push(join(name, key));
            }
        }
    }
    left_out
}

/// ρ (|g| H + ½ v²) of a world in which everything is in its place, Pa.
pub fn largest_pressure(world: &World, duration: f64) -> f64 {
    let density = world.fluids.iter().map(|fluid| fluid.density).fold(0.0, f64::max);
    let (g, v) = (world.gravity.length(), speed(world, duration));
    // A world without gravity in which nothing moves: so that k_I is a pressure of something.
    let least = g * world.spacing + (world.spacing / duration.max(world.spacing)).powi(2);
    density * (g * height(world) + 0.5 * v * v).max(least)
}

/// From the top of all fluid to where its lowest may fall.
fn height(world: &World) -> f64 {
    let Some(up) = (-world.gravity).try_normalize() else { return 0.0 };
    let n = world.fluid_count();
    let heights = |points: &[DVec3]| {
        let all = points.iter().map(|p| p.dot(up));
        all.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], y| [a.min(y), b.max(y)])
    };
    let [mut low, mut high] = heights(&world.particles.position[..n]);
    for (_, Aabb { min, max }) in sources(world) {
        let [a, b] = heights(&[min, max]);
        (low, high) = (low.min(a), high.max(b));
    }
    let [floor, _] = heights(&world.particles.position[n..]);
    if high < low { 0.0 } else { high - low.min(floor) + world.spacing }
}

/// Gives the fluid its stiffness, if it needs one; tells if it will be too soft.
pub(super) fn stiffen(file: &SceneFile, world: &mut World, notes: &mut Vec<String>) {
    if file.pressure.solver != PressureSolver::Variational {
        return;
    }
    let largest = largest_pressure(world, file.simulation.duration);
    let stiffness = file.pressure.stiffness.unwrap_or(STIFFNESS * largest);
    world.method.particles().pressure.potentials.stiffness = stiffness;
    if stiffness < SOFTEST * largest {
        notes.push(format!(
            "pressure.stiffness: {stiffness:.3e} Pa lets pressures of {largest:.3e} Pa compress \
             the fluid by {:.0} %; 100 times such a pressure keeps that at 1 %",
            100.0 * largest / stiffness
        ));
    }
}

/// Keys that the solver does not have, and what the variational fluid cannot do.
pub(super) fn check(file: &SceneFile, report: &mut Report<'_>) {
    let pressure = &file.pressure;
    if pressure.solver != PressureSolver::Variational {
        let is_written =
            [pressure.stiffness.is_some(), pressure.tension.is_some(), pressure.linear.is_some()];
        for (key, _) in ITS_OWN.iter().zip(is_written).filter(|(_, is_written)| *is_written) {
            let help = "leave it out, or set pressure.solver = \"variational\"".to_string();
            let message = "is of the variational fluid alone";
            report.key(&join("pressure", key), message, Some(help));
        }
        return;
    }
    if pressure.boundary.is_some() {
        let help = "leave it out: its walls are at rest density".to_string();
        report.key("pressure.boundary", "is not for the variational fluid", Some(help));
    }
    let other = || "set pressure.solver = \"dfsph\"".to_string();
    for (k, fluid) in file.fluid.iter().enumerate() {
        let surface = &fluid.surface;
        let has_tension = surface.liquid.is_some()
            || surface.tension.is_some()
            || surface.between_fluids.is_some()
            || surface.at_walls.is_some();
        let key = format!("fluid[{k}].surface");
        if has_tension {
            let message = "the variational fluid has no surface tension";
            report.key(&key, message, Some(format!("leave it out, or {}", other())));
        } else if surface.friction.is_some() && !has_barrier(file) {
            let message = "the variational fluid has no dry friction on walls without a barrier";
            let help = format!("leave it out, or {}", other());
            report.key(&join(&key, "friction"), message, Some(help));
        }
    }
    for (k, _) in file.solid.iter().enumerate().filter(|(_, s)| s.is_rigid_body()) {
        let message = "rigid bodies do not float in the variational fluid";
        let help = format!("leave out its density or mass, or {}", other());
        report.key(&format!("solid[{k}]"), message, Some(help));
    }
    let meets_elastic = !file.elastic.is_empty() && !file.fluid.is_empty();
    let is_joint = meets_elastic && file.fluid_contact.stepper == Some(Stepper::Joint);
    if is_joint && pressure.linear == Some(LinearSolver::Assembled) {
        let help = "leave it out, or leave out fluid_contact.stepper".to_string();
        report.key("pressure.linear", "is matrix_free with the stepper joint", Some(help));
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::scene::Scene;
    use crate::world::World;

    const TANK: &str = r#"
        [simulation]
        dimension = 2
        spacing = 0.05
        [pressure]
        PRESSURE
        [[fluid]]
        name = "water"
        FLUID
        [[fluid.fill]]
        shape.box = { min = [0, 0], max = [0.5, 1] }
        [[solid]]
        name = "tank"
        shape.tank = { min = [0, 0], max = [1, 1.5], open = ["top"] }
        SOLID
    "#;

    fn world(pressure: &str, fluid: &str, solid: &str) -> Result<World, String> {
        let text =
            TANK.replace("PRESSURE", pressure).replace("FLUID", fluid).replace("SOLID", solid);
        let scene = Scene::parse("tank", &text, Path::new("."), &[]);
        let built = scene.and_then(|scene| scene.build());
        Ok(built.map_err(|errors| errors.to_string())?.world)
    }

    const VARIATIONAL: &str = "solver = \"variational\"";

    #[test]
    fn stiffness_is_a_hundred_times_the_pressure_under_the_highest_column() {
        let stiffness = |fluid: &str| {
            world(VARIATIONAL, fluid, "").unwrap().method.pressure().potentials.stiffness
        };
        // The samples of the floor lie half a spacing below it.
        let expected = 100.0 * 1000.0 * 9.81 * 1.05;
        let found = stiffness("");
        assert!((found / expected - 1.0).abs() < 0.05, "{found} {expected}");
        let faster = stiffness("velocity = [3, 4]");
        assert!((faster - found - 100.0 * 1000.0 * 12.5).abs() < 1.0, "{faster}");
    }

    #[test]
    fn what_one_kind_of_solver_has_is_refused_for_the_other() {
        for key in ["stiffness = 1e5", "tension = \"none\"", "linear = \"assembled\""] {
            let message = world(key, "", "").unwrap_err();
            assert!(message.contains("of the variational fluid alone"), "{message}");
            world(&format!("{VARIATIONAL}\n{key}"), "", "").unwrap();
        }
        let walls = format!("{VARIATIONAL}\nboundary = \"mirrored\"");
        let message = world(&walls, "", "").unwrap_err();
        assert!(message.contains("pressure.boundary"), "{message}");
    }

    #[test]
    fn an_override_of_the_solver_leaves_out_what_the_file_says_to_another() {
        let (own, others) = ("stiffness = 1e5\ntension = \"none\"", "boundary = \"mirrored\"");
        let parse = |pressure: &str, overrides: &[&str]| {
            let text = TANK.replace("PRESSURE", pressure).replace("FLUID", "").replace("SOLID", "");
            let overrides: Vec<String> = overrides.iter().map(|o| o.to_string()).collect();
            Scene::parse("tank", &text, Path::new("."), &overrides)
        };
        let scene = parse(&format!("{VARIATIONAL}\n{own}"), &["pressure.solver=dfsph"]).unwrap();
        assert_eq!(scene.file.pressure.stiffness, None);
        assert!(scene.build().unwrap().notes[0].contains("pressure.stiffness, pressure.tension"));
        let again = Scene::parse("again", &scene.text, Path::new("."), &[]).unwrap();
        assert_eq!(again.file, scene.file, "the effective text says the same");
        let scene = parse(others, &["pressure.solver=variational"]).unwrap();
        assert_eq!(scene.file.pressure.boundary, None);
        // What the overrides themselves say is meant.
        let both = ["pressure.solver=dfsph", "pressure.stiffness=1e5"];
        let message = parse(VARIATIONAL, &both).unwrap_err().to_string();
        assert!(message.contains("of the variational fluid alone"), "{message}");
    }

    #[test]
    fn what_the_variational_fluid_cannot_do_is_refused() {
        for (fluid, solid, wanted) in [
            ("surface.tension = 0.07", "", "no surface tension"),
            ("surface.friction = 0.5", "", "no dry friction"),
            ("", "density = 500", "rigid bodies do not float"),
        ] {
            let message = world(VARIATIONAL, fluid, solid).unwrap_err();
            assert!(message.contains(wanted), "{message}");
            assert!(message.contains("dfsph"), "{message}");
        }
    }
}
