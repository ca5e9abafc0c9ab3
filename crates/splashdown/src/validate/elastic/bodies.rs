//! What the cases have in common.

use splashdown_solids::barrier::Gap;
use splashdown_solids::material::{Material, Model};
use splashdown_solids::meshing::{TetMesh, block};
use splashdown_solids::solids::{Hold, Integrator, Settings, Solids, Substance};

use crate::math::DVec3;

/// Settings that look at every state.
pub fn settings(tolerance: f64) -> Settings {
    Settings {
        gap: Gap { reach: 1e-3, thickness: 0.0 },
        stiffness: 1e4,
        friction_speed: 1e-4,
        friction_updates: 1,
        tolerance,
        max_iterations: 500,
        integrator: Integrator::ImplicitEuler,
        verify: true,
    }
}

/// A neo-Hookean substance.
pub fn substance(young: f64, poisson: f64) -> Substance {
    let material = Material::new(Model::NeoHookean, young, poisson);
    Substance { material, density: 1000.0, friction: 0.0, drag: 0.0 }
}

/// A block about `centre`.
pub fn block_at(size: DVec3, cells: [usize; 3], centre: DVec3) -> TetMesh {
    let mut mesh = block(size, cells);
    mesh.vertices.iter_mut().for_each(|v| *v += centre);
    mesh
}

/// Adds a body at rest.
pub fn add(solids: &mut Solids, mesh: &TetMesh, substance: &Substance) -> Result<usize, String> {
    solids.add_body(mesh, substance, |_| DVec3::ZERO).map_err(|e| e.to_string())
}

/// Holds the vertices that are chosen by where they rest.
pub fn hold(solids: &mut Solids, how: Hold, chosen: impl Fn(DVec3) -> bool) {
    for (hold, &rest) in solids.hold.iter_mut().zip(&solids.rest) {
        if chosen(rest) {
            *hold = how;
        }
    }
}
