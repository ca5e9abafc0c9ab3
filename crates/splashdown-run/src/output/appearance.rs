//! What elastic bodies look like: cells for unstructured grids, triangles for pictures.

use splashdown_solids::element::Element;
use splashdown_solids::solids::Solids;

use crate::math::DVec3;
use crate::world::TriangleMesh;

/// Sides of the tubes that rods are drawn as.
const SIDES: u32 = 8;

/// Vertices (numbered over all bodies) and von Mises stress of the cells of a body: its elements;
/// the triangles of a rigid body; the particles of a body that has nothing else.
pub(super) fn cells(solids: &Solids, k: usize) -> (Vec<Vec<u32>>, Vec<f32>) {
    let body = &solids.bodies[k];
    let elements = &solids.elements[body.elements.clone()];
    let rigid = solids.affine_frame[body.vertices.start].is_some();
    let (mut cells, mut stress) = (Vec::new(), Vec::new());
    for element in elements.iter().filter(|_| !rigid) {
        let own = solids.stress(element).unwrap_or_default() as f32;
        let (vertices, share) = match element {
            Element::Tetrahedron(e) => (e.vertices.to_vec(), own),
            Element::Sample(e) if e.point == 0 => (e.vertices.to_vec(), 0.25 * own),
            Element::Sample(_) => {
                // A quadratic element has the mean stress of its four samples.
                stress.iter_mut().last().into_iter().for_each(|mean: &mut f32| *mean += 0.25 * own);
                continue;
            }
            Element::Membrane(e) => (e.vertices.to_vec(), own),
            Element::Stretch(e) => (e.vertices.to_vec(), own),
            Element::Hinge(_) | Element::Bend(_) | Element::Pressure(_) => continue,
        };
        cells.push(vertices);
        stress.push(share);
    }
    if rigid {
        let surface = &solids.surface.triangles[body.triangles.clone()];
        cells.extend(surface.iter().map(|(t, _)| t.to_vec()));
    } else if elements.is_empty() {
        cells.extend(body.vertices.clone().map(|v| vec![v as u32]));
    }
    stress.resize(cells.len(), 0.0);
    (cells, stress)
}

/// Triangles of a body: its surface, and tubes and balls where there are no triangles.
pub(super) fn appearance(solids: &Solids, k: usize) -> TriangleMesh {
    let body = &solids.bodies[k];
    let first = body.vertices.start as u32;
    let mut mesh = TriangleMesh::default();
    if !body.triangles.is_empty() {
        let surface = &solids.surface.triangles[body.triangles.clone()];
        mesh.vertices = solids.position[body.vertices.clone()].to_vec();
        mesh.triangles = surface.iter().map(|(t, _)| t.map(|v| v - first)).collect();
        return mesh;
    }
    let radius = |v: u32| solids.offset[v as usize];
    let place = |v: u32| solids.position[v as usize];
    for element in &solids.elements[body.elements.clone()] {
        if let Element::Stretch(segment) = element {
            let [a, b] = segment.vertices;
            tube(&mut mesh, [place(a), place(b)], radius(a));
        }
    }
    if body.elements.is_empty() {
        for v in body.vertices.clone().map(|v| v as u32) {
            ball(&mut mesh, place(v), radius(v));
        }
    }
    mesh
}

/// A tube with pointed ends, which hide the gaps at bends.
fn tube(mesh: &mut TriangleMesh, [a, b]: [DVec3; 2], radius: f64) {
    let along = (b - a).normalize_or(DVec3::Y);
    let (u, v) = along.any_orthonormal_pair();
    let first = mesh.vertices.len() as u32;
    for k in 0..SIDES {
        let angle = std::f64::consts::TAU * f64::from(k) / f64::from(SIDES);
        let around = radius * (angle.cos() * u + angle.sin() * v);
        mesh.vertices.extend([a + around, b + around]);
    }
    mesh.vertices.extend([a - radius * along, b + radius * along]);
    let (tail, tip) = (first + 2 * SIDES, first + 2 * SIDES + 1);
    for k in 0..SIDES {
        let (p, q) = (first + 2 * k, first + 2 * ((k + 1) % SIDES));
        mesh.triangles.extend([
            [p, q, q + 1],
            [p, q + 1, p + 1],
            [q, p, tail],
            [p + 1, q + 1, tip],
        ]);
    }
}

/// An octahedron whose edges are halved and pushed out.
fn ball(mesh: &mut TriangleMesh, centre: DVec3, radius: f64) {
    for sign in 0..8u32 {
        let axis = |k: u32, unit: DVec3| if sign >> k & 1 == 0 { unit } else { -unit };
        let mut corners = [axis(0, DVec3::X), axis(1, DVec3::Y), axis(2, DVec3::Z)];
        if sign.count_ones() % 2 == 1 {
            corners.swap(0, 1);
        }
        let [a, b, c] = corners;
        let first = mesh.vertices.len() as u32;
        let all = [a, b, c, a + b, b + c, c + a];
        mesh.vertices.extend(all.map(|p| centre + radius * p.normalize()));
        let triangles = [[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]];
        mesh.triangles.extend(triangles.map(|t: [u32; 3]| t.map(|v| v + first)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sum of a · (b × c) / 6.
    fn volume(mesh: &TriangleMesh) -> f64 {
        let corners = mesh.triangles.iter().map(|t| t.map(|v| mesh.vertices[v as usize]));
        corners.map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
    }

    #[test]
    fn tubes_and_balls_are_closed_look_outwards_and_have_about_the_right_size() {
        let mut mesh = TriangleMesh::default();
        tube(&mut mesh, [DVec3::new(0.3, 0.0, 1.0), DVec3::new(0.3, 2.0, 1.0)], 0.1);
        let expected = std::f64::consts::PI * 0.01 * 2.0;
        assert!((volume(&mesh) / expected - 0.93).abs() < 0.05, "{}", volume(&mesh) / expected);
        let mut mesh = TriangleMesh::default();
        ball(&mut mesh, DVec3::new(1.0, -1.0, 0.5), 0.2);
        let expected = 4.0 / 3.0 * std::f64::consts::PI * 0.008;
        assert!((volume(&mesh) / expected - 0.8).abs() < 0.1, "{}", volume(&mesh) / expected);
    }
}
