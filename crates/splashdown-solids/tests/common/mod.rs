//! What tests of moving bodies share.
#![allow(dead_code)]

use glam::DVec3;
use splashdown_solids::bodies::Substance;
use splashdown_solids::material::{Material, Model};
use splashdown_solids::meshing::TetMesh;
use splashdown_solids::solids::{Hold, Integrator, Settings, Solids};
use splashdown_solids::step::{Outside, Report, Workspace, step};

pub(crate) const G: DVec3 = DVec3::new(0.0, -10.0, 0.0);

pub(crate) fn settings() -> Settings {
    Settings::default().with(|s| {
        s.gap.reach = 2e-3;
        s.tolerance = 1e-4;
        s.max_iterations = 300;
        s.integrator = Integrator::ImplicitEuler;
        s.verify = true;
    })
}

pub(crate) fn substance(young: f64) -> Substance {
    let material = Material::new(Model::NeoHookean, young, 0.3);
    Substance { material, density: 1000.0, friction: 0.5, drag: 0.0, damping: 0.0 }
}

pub(crate) fn at(mut mesh: TetMesh, place: DVec3) -> TetMesh {
    mesh.vertices.iter_mut().for_each(|v| *v += place);
    mesh
}

/// A floor at y = 0 of two triangles.
pub(crate) fn floor(solids: &mut Solids) -> usize {
    let corner = |x: f64, z: f64| DVec3::new(x, 0.0, z);
    let vertices = [corner(-2.0, -2.0), corner(-2.0, 2.0), corner(2.0, 2.0), corner(2.0, -2.0)];
    solids.add_obstacle(&vertices, &[[0, 1, 2], [0, 2, 3]], Hold::Fixed, 0.5)
}

/// The last of `steps` steps.
pub(crate) fn run(
    solids: &mut Solids,
    settings: &Settings,
    gravity: DVec3,
    dt: f64,
    steps: u32,
) -> Report {
    let mut workspace = Workspace::default();
    let mut last = Report::default();
    for k in 0..steps {
        last = step(
            solids,
            &mut workspace,
            settings,
            Outside { dt, gravity, force: &[], guests: None },
            |_| DVec3::ZERO,
        )
        .unwrap_or_else(|e| panic!("step {k}: {e}"));
    }
    last
}
