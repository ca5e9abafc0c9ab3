//! Bodies of quadratic tetrahedra: the mesh that they are given as has corners only, and gets the
//! middles of its edges.

use std::collections::BTreeMap;

use glam::DVec3;

use crate::bodies::{BadElement, Substance};
use crate::element::Element;
use crate::meshing::TetMesh;
use crate::quadratic::{EDGES, Sample};
use crate::solids::Solids;
use crate::surface::boundary;

/// A mesh with the middles of its edges.
struct Refined {
    vertices: Vec<DVec3>,
    tetrahedra: Vec<[u32; 10]>,
    /// Each face of the outside in four.
    surface: Vec<[u32; 3]>,
}

impl Refined {
    fn new(mesh: &TetMesh) -> Refined {
        let mut vertices = mesh.vertices.clone();
        let mut middles: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                vertices.push(0.5 * (mesh.vertices[a as usize] + mesh.vertices[b as usize]));
                vertices.len() as u32 - 1
            })
        };
        let tetrahedra = mesh.tetrahedra.iter().map(|t| {
            let [e, f, g, h, i, j] = EDGES.map(|[a, b]| middle(t[a], t[b]));
            [t[0], t[1], t[2], t[3], e, f, g, h, i, j]
        });
        let tetrahedra = tetrahedra.collect();
        let faces = boundary(&mesh.tetrahedra).into_iter().flat_map(|[a, b, c]| {
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        });
        let surface = faces.collect();
        Refined { vertices, tetrahedra, surface }
    }
}

impl Solids {
    /// Adds an elastic body of quadratic tetrahedra that rests where it is and moves with
    /// `velocity`. The middles of edges are vertices like all others, and the surface has triangles
    /// between them. Returns its number.
    pub fn add_quadratic_body(
        &mut self,
        mesh: &TetMesh,
        substance: &Substance,
        velocity: impl Fn(DVec3) -> DVec3,
    ) -> Result<usize, BadElement> {
        let Refined { vertices, tetrahedra, surface } = Refined::new(mesh);
        let first = self.rest.len();
        let mut samples = Vec::with_capacity(4 * tetrahedra.len());
        for (k, t) in tetrahedra.iter().enumerate() {
            let rest = t.map(|v| vertices[v as usize]);
            let all = Sample::all(t.map(|v| v + first as u32), rest, substance.material);
            samples.extend(all.ok_or(BadElement::Tetrahedron(k))?);
        }
        self.add_moving_vertices(&vertices, substance, velocity);
        let modulus = substance.material.lambda + 2.0 * substance.material.mu;
        for sample in samples.iter().filter(|sample| sample.point == 0) {
            let volume = 4.0 * sample.local.volume;
            for (k, v) in sample.vertices.iter().enumerate() {
                // The diagonal of the mass matrix, made larger until its sum is right (Hinton et
                // al. 1976).
                let share = if k < 4 { 1.0 / 36.0 } else { 4.0 / 27.0 };
                self.mass[*v as usize] += share * substance.density * volume;
                self.stiffness_estimate[*v as usize] += modulus * volume.cbrt() / 4.0;
            }
        }
        let triangles = self.add_triangles(&surface, first);
        let elements = samples.into_iter().map(Element::Sample).collect();
        Ok(self.finish(first, (elements, substance.damping), triangles))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::{Material, Model};

    #[test]
    fn a_refined_cube_has_its_volume_mass_and_surface() {
        let mesh = crate::meshing::block(DVec3::ONE, [2, 1, 1]);
        let material = Material::new(Model::NeoHookean, 1.0, 0.3);
        let substance =
            Substance { material, density: 3.0, friction: 0.0, drag: 0.0, damping: 0.0 };
        let mut solids = Solids::default();
        solids.add_quadratic_body(&mesh, &substance, |_| DVec3::ZERO).unwrap();
        assert_eq!(solids.elements.len(), 4 * 12);
        assert_eq!(solids.rest.len(), 5 * 3 * 3); // a lattice of half the spacing
        assert!((solids.mass.iter().sum::<f64>() - 3.0).abs() < 1e-14);
        let area: f64 = solids.surface.triangles.iter().map(|(_, area)| area).sum();
        assert!((area - 6.0).abs() < 1e-14);
        assert_eq!(solids.surface.triangles.len(), 4 * 2 * (2 + 2 + 1) * 2);
    }
}
