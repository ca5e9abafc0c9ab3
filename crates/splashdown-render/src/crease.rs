//! Where the surface of a body is smooth, and where it has an edge.

use std::collections::BTreeMap;

use glam::Vec3;
use splashdown_geometry::math::DVec3;

use crate::raster::Mesh;
use crate::run::Body;

/// Cosine of the largest angle, 35 degrees, across which a surface counts as smooth.
const SHARP: f32 = 0.82;

/// The same for liquids, which are never quite smooth.
const BENT: f32 = 0.5;

/// Positions relative to `origin` and normals of the corners of all triangles, three for each:
/// smooth across small angles and sharp across large ones.
pub fn smooth(body: &Body, origin: DVec3) -> (Vec<Vec3>, Vec<Vec3>) {
    let place = merged(body);
    let positions: Vec<Vec3> = body.vertices.iter().map(|&v| (v - origin).as_vec3()).collect();
    let area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| positions[v as usize]);
        (b - a).cross(c - a)
    };
    let areas: Vec<Vec3> = body.triangles.iter().map(area).collect();
    let mut around = vec![Vec::new(); body.vertices.len()];
    for (k, t) in body.triangles.iter().enumerate() {
        for &v in t {
            around[place[v as usize] as usize].push(k as u32);
        }
    }
    let mut corners = Vec::with_capacity(3 * body.triangles.len());
    let mut normals = Vec::with_capacity(corners.capacity());
    for (k, t) in body.triangles.iter().enumerate() {
        let own = areas[k].normalize_or_zero();
        for &v in t {
            let near = &around[place[v as usize] as usize];
            // A fan of hundreds, like the cap of a cylinder, is flat: looking at a few is enough.
            let sum: Vec3 = near
                .iter()
                .take(64)
                .map(|&j| areas[j as usize])
                .filter(|a| a.normalize_or_zero().dot(own) > SHARP)
                .sum();
            corners.push(positions[v as usize]);
            normals.push(sum.normalize_or(own));
        }
    }
    (corners, normals)
}

/// Edges where a body ends or bends, and those that are `drawn` all the same, given a point and the
/// normals beside it.
pub fn edges(
    body: &Body,
    origin: DVec3,
    drawn: impl Fn(Vec3, [Vec3; 2]) -> bool,
) -> Vec<[Vec3; 2]> {
    let place = merged(body);
    let position = |v: u32| (body.vertices[v as usize] - origin).as_vec3();
    let mut found: BTreeMap<[u32; 2], ([u32; 2], Vec<Vec3>)> = BTreeMap::new();
    for t in &body.triangles {
        let [a, b, c] = t.map(position);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        for [v, w] in [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]] {
            let mut key = [place[v as usize], place[w as usize]];
            key.sort_unstable();
            found.entry(key).or_insert_with(|| ([v, w], Vec::new())).1.push(normal);
        }
    }
    let is_edge = |([v, _], normals): &&([u32; 2], Vec<Vec3>)| match normals[..] {
        [n, m] => n.dot(m) < SHARP || drawn(position(*v), [n, m]),
        _ => true,
    };
    found.values().filter(is_edge).map(|(ends, _)| ends.map(position)).collect()
}

/// Numbers vertices by where they are: files repeat corners for every triangle.
fn merged(body: &Body) -> Vec<u32> {
    let mut numbers: BTreeMap<[u64; 3], u32> = BTreeMap::new();
    body.vertices
        .iter()
        .map(|v| {
            let next = numbers.len() as u32;
            *numbers.entry(v.to_array().map(|x| (x + 0.0).to_bits())).or_insert(next)
        })
        .collect()
}

/// Gives triangles that are at an angle to the normals of their corners corners of their own, as
/// where liquid meets a wall: a normal bent halfway would glitter along the whole edge.
pub fn split(mesh: &mut Mesh) {
    for k in 0..mesh.triangles.len() {
        let corners = mesh.triangles[k];
        let [a, b, c] = corners.map(|v| mesh.positions[v as usize]);
        let Some(face) = (b - a).cross(c - a).try_normalize() else { continue };
        for (slot, v) in corners.into_iter().enumerate() {
            if mesh.normals[v as usize].dot(face) < BENT {
                mesh.triangles[k][slot] = mesh.positions.len() as u32;
                let (position, color) = (mesh.positions[v as usize], mesh.colors[v as usize]);
                mesh.positions.push(position);
                mesh.normals.push(face);
                mesh.colors.push(color);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles that share the edge from the origin along x, bent by `angle` degrees.
    fn roof(angle: f64) -> Body {
        let (sin, cos) = angle.to_radians().sin_cos();
        let (o, x) = (DVec3::ZERO, DVec3::X);
        let vertices = vec![o, x, DVec3::Y, o, x, DVec3::new(0.0, -cos, sin)];
        Body { solid: 0, vertices, triangles: vec![[0, 1, 2], [4, 3, 5]] }
    }

    #[test]
    fn a_small_bend_is_smooth_and_a_large_one_an_edge() {
        let (_, normals) = smooth(&roof(10.0), DVec3::ZERO);
        assert!(normals[0].distance(normals[4]) < 1e-5, "one normal for both");
        let (_, normals) = smooth(&roof(80.0), DVec3::ZERO);
        assert!(normals[0].distance(normals[4]) > 1.0, "one for each");
        assert_eq!(edges(&roof(10.0), DVec3::ZERO, |_, _| false).len(), 4);
        assert_eq!(edges(&roof(80.0), DVec3::ZERO, |_, _| false).len(), 5);
        assert_eq!(edges(&roof(10.0), DVec3::ZERO, |_, _| true).len(), 5);
    }

    #[test]
    fn liquid_at_a_wall_has_one_normal_for_the_surface_and_one_for_the_wall() {
        // A surface that looks up meets a wall that looks along x.
        let mut mesh = Mesh {
            positions: vec![Vec3::ZERO, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y],
            normals: vec![Vec3::Y, Vec3::Y, Vec3::Y, Vec3::X],
            colors: vec![Vec3::ONE; 4],
            triangles: vec![[0, 2, 1], [0, 1, 3]],
        };
        split(&mut mesh);
        for (triangle, normal) in mesh.triangles.iter().zip([Vec3::Y, Vec3::X]) {
            for &v in triangle {
                assert_eq!(mesh.normals[v as usize].abs(), normal);
            }
        }
        assert_eq!(mesh.positions.len(), 6, "two corners are doubled");
        assert_eq!(mesh.positions[mesh.triangles[1][1] as usize], Vec3::Z);
    }
}
