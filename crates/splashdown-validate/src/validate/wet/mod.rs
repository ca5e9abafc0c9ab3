//! Elastic bodies in ordinary water, as a user writes them: how deep they float, how far water
//! bends them, how fast they swing under it.

mod buoyancy;
mod dams;
mod layer;
mod plate;
mod tight;

pub(crate) use buoyancy::{CUBES, CUBES_FINE, SHELLS};
pub(crate) use dams::{GATE, GATE_FINE, OBSTACLE};
pub(crate) use layer::CASE as ADDED_MASS;
pub(crate) use plate::{ALUMINIUM, CASE as HYDROELASTIC};
pub(crate) use tight::{BAG, JET};

use super::run;
use crate::world::World;

/// kg/m³
const WATER: f64 = 1000.0;
/// m/s²
const G: f64 = 9.81;
/// Ordinary water has the first two.
const SOLVERS: [&str; 3] = ["dfsph", "iisph", "variational"];

/// The world of a scene with changes to it.
fn world(text: &str, changes: &[&str]) -> Result<World, String> {
    let changes: Vec<String> = changes.iter().map(|change| change.to_string()).collect();
    run::world("wet", text, &changes)
}

/// The samples of the only elastic body, among the solids.
fn samples(world: &World) -> Result<usize, String> {
    let found = world.solids.iter().position(|solid| solid.deforming().is_some());
    found.ok_or_else(|| "no samples of an elastic body".to_owned())
}

/// Mass of all water, kg.
fn water(world: &World) -> f64 {
    world.fluid_count() as f64 * WATER * world.spacing.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scene_of_every_case_builds() {
        use buoyancy::{BALL, BALLOON, CUBE, HANGING};
        for text in [CUBE, HANGING, BALL, BALLOON, layer::SCENE, plate::SCENE, tight::BAG_SCENE]
            .into_iter()
            .chain([dams::GATE_SCENE, dams::OBSTACLE_SCENE, plate::OF_ALUMINIUM])
        {
            for solver in SOLVERS {
                let world = world(text, &[&format!("pressure.solver={solver}")]).unwrap();
                assert!(samples(&world).is_ok());
            }
        }
    }
}
