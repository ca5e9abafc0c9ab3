//! Shells bend as plates and beams do, and meshes that cannot be used are refused.

mod common;

use common::settings;
use glam::{DVec2, DVec3};
use splashdown_solids::bodies::{BadElement, Substance};
use splashdown_solids::material::{Material, Model};
use splashdown_solids::membrane::Sheet;
use splashdown_solids::meshing::{TetMesh, sheet};
use splashdown_solids::solids::{Hold, Settings, Solids};
use splashdown_solids::step::{Workspace, step};
use splashdown_solids::verify::{Violation, violation};

const THICKNESS: f64 = 0.01;

fn substance(poisson: f64) -> Substance {
    let material = Material::new(Model::NeoHookean, 1e9, poisson);
    Substance { material, density: 1000.0, friction: 0.0, drag: 0.0, damping: 0.0 }
}

/// The sag of a strip of length one, supported at its ends, whose long sides are free, over beam theory.
fn strip(poisson: f64) -> f64 {
    let spacing = 1.0 / 32.0;
    let mesh = sheet(DVec2::new(1.0, 0.2), spacing);
    let mut solids = Solids::default();
    let parts = (&mesh.vertices[..], &mesh.triangles[..]);
    solids
        .add_shell(parts, &substance(poisson), (Sheet::NeoHookean, THICKNESS), |_| DVec3::ZERO)
        .unwrap();
    for (hold, p) in solids.hold.iter_mut().zip(&solids.rest) {
        if p.x.abs() > 0.5 - 1e-9 {
            *hold = Hold::Fixed;
        }
    }
    let (g, dt) = (1e-4, 100.0); // so long that inertia has no say
    let settings = Settings { tolerance: 1e-9 / dt, max_iterations: 500, ..settings() };
    let gravity = DVec3::new(0.0, 0.0, -g);
    step(&mut solids, &mut Workspace::default(), &settings, dt, gravity, &[], |_| DVec3::ZERO)
        .unwrap();
    let places = solids.rest.iter().zip(&solids.position);
    let middle = places.filter(|(r, _)| r.x.abs() < 0.3 * spacing);
    let (sum, count) = middle.fold((0.0, 0.0), |(s, n), (_, x)| (s - x.z, n + 1.0));
    let stiffness = 1e9 * THICKNESS.powi(3) / 12.0;
    sum / count / (5.0 * 1000.0 * THICKNESS * g / (384.0 * stiffness))
}

#[test]
fn a_strip_with_free_sides_bends_as_a_beam_at_any_ratio() {
    for poisson in [0.0, 0.3] {
        let found = strip(poisson);
        assert!((found - 1.0).abs() < 0.03, "{poisson}: {found}");
    }
}

#[test]
fn vertices_at_the_same_place_that_are_not_one_are_found_before_the_first_step() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE, DVec3::X];
    let mesh = TetMesh { vertices: corners.to_vec(), tetrahedra: vec![[0, 1, 2, 3], [2, 5, 3, 4]] };
    let mut solids = Solids::default();
    solids.add_body(&mesh, &substance(0.3), |_| DVec3::ZERO).unwrap();
    let found = violation(&solids, &solids.position);
    assert!(matches!(found, Some(Violation::TooClose(_))), "{found:?}");
}

#[test]
fn a_face_of_three_tetrahedra_is_refused() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, -DVec3::Z, 2.0 * DVec3::Z];
    let tetrahedra = vec![[0, 1, 2, 3], [0, 2, 1, 4], [0, 1, 2, 5]];
    let mesh = TetMesh { vertices: corners.to_vec(), tetrahedra };
    let refused = Solids::default().add_body(&mesh, &substance(0.3), |_| DVec3::ZERO);
    assert_eq!(refused, Err(BadElement::Crowded(2)));
}
