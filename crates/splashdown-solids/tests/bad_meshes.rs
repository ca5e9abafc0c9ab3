//! Meshes that cannot be used are refused.

use glam::DVec3;
use splashdown_solids::bodies::{BadElement, Substance};
use splashdown_solids::material::{Material, Model};
use splashdown_solids::meshing::TetMesh;
use splashdown_solids::solids::Solids;

fn substance() -> Substance {
    let material = Material::new(Model::NeoHookean, 1e9, 0.3);
    Substance { material, density: 1000.0, friction: 0.0, drag: 0.0, damping: 0.0 }
}

#[test]
fn a_face_of_three_tetrahedra_is_refused() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, -DVec3::Z, 2.0 * DVec3::Z];
    let tetrahedra = vec![[0, 1, 2, 3], [0, 2, 1, 4], [0, 1, 2, 5]];
    let mesh = TetMesh { vertices: corners.to_vec(), tetrahedra };
    let refused = Solids::default().add_body(&mesh, &substance(), |_| DVec3::ZERO);
    assert_eq!(refused, Err(BadElement::Crowded(2)));
}
