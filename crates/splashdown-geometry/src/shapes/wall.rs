//! Solids as closed meshes with a thickness: what a liquid on a grid meets.

use super::{Face, Shape, primitives};
use crate::math::{Aabb, DVec3};
use crate::mesh::TriangleMesh;

/// Where liquid may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WetSide {
    /// Around the shape; of a plane, where its normal points.
    Outside,
    /// Within the shape.
    Inside,
}

/// The closed surface of the solid that a shape stands for, at least `thickness` thick on its dry
/// side; none of sheets without a dry side.
pub fn wall_of(shape: &Shape, wet: WetSide, thickness: f64) -> Option<TriangleMesh> {
    match (shape, wet) {
        (Shape::Tank { half, open }, WetSide::Inside) => Some(around(*half, open, thickness)),
        (Shape::Tank { half, open }, WetSide::Outside) => open.is_empty().then(|| {
            let shape = Shape::Box { half: *half };
            shape.surface()
        }),
        (Shape::Plane { normal, half_size }, WetSide::Outside) => {
            Some(slab(*normal, *half_size, thickness))
        }
        (shape, WetSide::Outside) => shape.is_closed().then(|| shape.surface()),
        (shape, WetSide::Inside) => shape.is_closed().then(|| vessel(shape, thickness)),
    }
}

/// A plate behind a square sheet.
fn slab(normal: DVec3, half_size: f64, thickness: f64) -> TriangleMesh {
    let [s, t] = primitives::sheet_axes(normal);
    let n = s.cross(t);
    let half = DVec3::new(half_size, half_size, 0.5 * thickness);
    let mut mesh = Shape::Box { half }.surface();
    for v in &mut mesh.vertices {
        *v = v.x * s + v.y * t + (v.z - 0.5 * thickness) * n;
    }
    mesh
}

/// What is between a closed shape and a box around it.
fn vessel(shape: &Shape, thickness: f64) -> TriangleMesh {
    let mut mesh = shape.surface();
    let Aabb { min, max } = mesh.bounds().grown(thickness);
    mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    let hull = Shape::Box { half: 0.5 * (max - min) }.surface();
    let first = mesh.vertices.len() as u32;
    mesh.vertices.extend(hull.vertices.iter().map(|v| *v + 0.5 * (min + max)));
    mesh.triangles.extend(hull.triangles.iter().map(|t| t.map(|v| v + first)));
    mesh
}

/// The walls around a box, but for its open faces: 26 blocks around it, of which those beyond an
/// open face are left out.
fn around(half: DVec3, open: &[Face], thickness: f64) -> TriangleMesh {
    let levels: [[f64; 4]; 3] = half.to_array().map(|h| [-h - thickness, -h, h, h + thickness]);
    let is_open = |axis: usize, upper: bool| {
        open.iter().any(|face| face.axis() == axis && face.is_upper() == upper)
    };
    let is_solid = |block: [i32; 3]| {
        let inside = block.iter().all(|n| (0..3).contains(n));
        let beyond_open = (0..3).any(|axis| match block[axis] {
            0 => is_open(axis, false),
            2 => is_open(axis, true),
            _ => false,
        });
        inside && block != [1; 3] && !beyond_open
    };
    let mut mesh = TriangleMesh::default();
    for code in 0..27 {
        let block = [code % 3, code / 3 % 3, code / 9];
        if !is_solid(block) {
            continue;
        }
        for face in Face::ALL {
            let axis = face.axis();
            let mut next = block;
            next[axis] += if face.is_upper() { 1 } else { -1 };
            if is_solid(next) {
                continue;
            }
            let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
            let mut corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[a, b]| {
                let mut level = block;
                level[axis] += i32::from(face.is_upper());
                level[u] += a;
                level[v] += b;
                let at = |axis: usize| levels[axis][level[axis] as usize];
                DVec3::new(at(0), at(1), at(2))
            });
            if !face.is_upper() {
                corners.reverse();
            }
            let first = mesh.vertices.len() as u32;
            mesh.vertices.extend(corners);
            mesh.triangles.push([first, first + 1, first + 2]);
            mesh.triangles.push([first, first + 2, first + 3]);
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Dimension;
    use crate::shapes::MeshShape;

    fn closed(shape: &Shape, wet: WetSide) -> MeshShape {
        let mesh = MeshShape::new(wall_of(shape, wet, 0.5).unwrap()).unwrap();
        assert!(mesh.is_closed(), "{shape:?}");
        assert_eq!(mesh.report().flipped_triangles, 0, "{shape:?}");
        mesh
    }

    #[test]
    fn walls_of_tanks_are_closed_and_as_thick_as_told() {
        let half = DVec3::new(1.0, 0.7, 0.4);
        let all = (2.0 * half + 1.0).element_product() - (2.0 * half).element_product();
        for open in [vec![], vec![Face::Top], vec![Face::Top, Face::Right], vec![Face::Left]] {
            let mesh = closed(&Shape::Tank { half, open: open.clone() }, WetSide::Inside);
            if open.is_empty() {
                assert!((mesh.volume() - all).abs() < 1e-12, "{}", mesh.volume());
            }
            let inside = |p: DVec3| mesh.signed_distance(p, Dimension::Three) < 0.0;
            assert!(!inside(DVec3::ZERO) && inside(DVec3::new(0.0, -0.9, 0.0)));
            assert_eq!(inside(DVec3::new(0.0, 0.9, 0.0)), !open.contains(&Face::Top));
            assert_eq!(inside(DVec3::new(-1.2, 0.0, 0.0)), !open.contains(&Face::Left));
        }
    }

    #[test]
    fn vessels_and_plates_are_solid_on_their_dry_side() {
        let bowl = closed(&Shape::Sphere { radius: 1.0 }, WetSide::Inside);
        let inside = |p: DVec3| bowl.signed_distance(p, Dimension::Three) < 0.0;
        assert!(!inside(DVec3::ZERO) && inside(DVec3::Y * 1.2) && !inside(DVec3::Y * 1.6));
        let plane = Shape::Plane { normal: DVec3::new(0.3, 1.0, 0.0), half_size: 2.0 };
        let plate = closed(&plane, WetSide::Outside);
        let n = DVec3::new(0.3, 1.0, 0.0).normalize();
        assert!((plate.signed_distance(-0.2 * n, Dimension::Three) + 0.2).abs() < 1e-12);
        assert!((plate.signed_distance(0.3 * n, Dimension::Three) - 0.3).abs() < 1e-12);
        assert!(wall_of(&plane, WetSide::Inside, 0.5).is_none());
    }
}
