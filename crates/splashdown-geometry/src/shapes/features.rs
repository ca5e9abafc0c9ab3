//! Sharp edges, rims and tips of a mesh, sampled evenly before anything else.

use std::collections::HashMap;

use super::ShapeError;
use super::sampling::limit;
use super::topology::edges;
use crate::math::DVec3;
use crate::mesh::TriangleMesh;

/// An edge is sharp if its two normals differ by more than this angle (cosine of 30°).
const SHARP_EDGE: f64 = 0.866;
/// A line of sharp edges has a corner where it turns by more than this (cosine of 40°).
const CORNER: f64 = 0.766;
/// A vertex is a tip if a normal beside it differs by more than this from their mean (cosine of
/// 35°).
const TIP: f64 = 0.82;

/// Samples along the sharp edges and rims of `mesh`, corners first, about `spacing` apart.
pub(super) fn sample(mesh: &TriangleMesh, spacing: f64) -> Result<Vec<DVec3>, ShapeError> {
    let normals: Vec<DVec3> =
        (0..mesh.triangles.len()).map(|t| mesh.area_vector(t).normalize_or_zero()).collect();
    let sharp = sharp_edges(mesh, &normals);
    let length = |&[a, b]: &[u32; 2]| mesh.vertices[a as usize].distance(mesh.vertices[b as usize]);
    limit(sharp.iter().map(length).sum::<f64>() / spacing)?;
    let mut touching: HashMap<u32, Vec<u32>> = HashMap::new();
    for &[a, b] in &sharp {
        touching.entry(a).or_default().push(b);
        touching.entry(b).or_default().push(a);
    }
    let at = |v: u32| mesh.vertices[v as usize];
    let is_corner = |v: u32| match touching[&v][..] {
        [a, b] => {
            let [before, after] = [at(v) - at(a), at(b) - at(v)].map(DVec3::normalize_or_zero);
            before.dot(after) < CORNER
        }
        _ => true,
    };
    let mut vertices: Vec<u32> = touching.keys().copied().collect();
    vertices.sort_unstable();
    let corners: Vec<u32> = vertices.iter().copied().filter(|&v| is_corner(v)).collect();

    let mut samples: Vec<DVec3> = corners.iter().map(|&v| at(v)).collect();
    samples.extend(tips(mesh, &normals, &touching));
    // Lines between corners first; what is left are smooth loops.
    let mut walked: HashMap<[u32; 2], ()> = HashMap::new();
    for &start in corners.iter().chain(&vertices) {
        for &second in &touching[&start] {
            let mut line = vec![start];
            let (mut from, mut to) = (start, second);
            while walked.insert([from.min(to), from.max(to)], ()).is_none() {
                line.push(to);
                if is_corner(to) {
                    break;
                }
                let Some(&next) = touching[&to].iter().find(|&&v| v != from) else { break };
                (from, to) = (to, next);
            }
            if line.len() > 1 {
                let points: Vec<DVec3> = line.iter().map(|&v| at(v)).collect();
                samples.extend(divide(&points, spacing));
            }
        }
    }
    Ok(samples)
}

/// Edges where the surface bends sharply, ends or branches.
fn sharp_edges(mesh: &TriangleMesh, normals: &[DVec3]) -> Vec<[u32; 2]> {
    let is_sharp = |triangles: &[(u32, bool)]| match triangles {
        &[(s, up_s), (t, up_t)] => {
            // Neighbours that contradict each other about the outside are compared as if they
            // agreed.
            let sign = if up_s == up_t { -1.0 } else { 1.0 };
            let (m, n) = (normals[s as usize], normals[t as usize]);
            m != DVec3::ZERO && n != DVec3::ZERO && sign * m.dot(n) < SHARP_EDGE
        }
        _ => true,
    };
    edges(mesh).iter().filter(|e| is_sharp(&e.triangles)).map(|e| e.ends).collect()
}

/// Vertices like the apex of a cone: no sharp edge leads there, yet the normals around differ.
fn tips(mesh: &TriangleMesh, normals: &[DVec3], touching: &HashMap<u32, Vec<u32>>) -> Vec<DVec3> {
    let mut mean = vec![DVec3::ZERO; mesh.vertices.len()];
    for (t, triangle) in mesh.triangles.iter().enumerate() {
        for &v in triangle {
            mean[v as usize] += normals[t];
        }
    }
    let mut is_tip = vec![false; mesh.vertices.len()];
    for (t, triangle) in mesh.triangles.iter().enumerate() {
        for &v in triangle {
            let bends = mean[v as usize].normalize_or_zero().dot(normals[t]) < TIP;
            is_tip[v as usize] |= bends && normals[t] != DVec3::ZERO && !touching.contains_key(&v);
        }
    }
    let places = mesh.vertices.iter().zip(is_tip);
    places.filter(|(_, tip)| *tip).map(|(&p, _)| p).collect()
}

/// Points at even steps along a polyline, both ends included.
fn divide(points: &[DVec3], spacing: f64) -> Vec<DVec3> {
    let length: f64 = points.windows(2).map(|w| w[0].distance(w[1])).sum();
    let count = (length / spacing).round().max(1.0);
    let step = length / count;
    let mut samples = vec![points[0]];
    let mut walked = 0.0;
    for ends in points.windows(2) {
        let part = ends[0].distance(ends[1]);
        while part > 0.0 && walked + part >= step * samples.len() as f64 * (1.0 - 1e-12) {
            let share = (step * samples.len() as f64 - walked) / part;
            samples.push(ends[0].lerp(ends[1], share.clamp(0.0, 1.0)));
        }
        walked += part;
    }
    samples.truncate(count as usize + 1);
    samples
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::point_grid::without_crowding;
    use crate::shapes::Shape;
    use crate::shapes::test_support::icosphere;

    #[test]
    fn a_box_has_twelve_sharp_edges() {
        let mesh = Shape::Box { half: DVec3::new(2.0, 1.0, 1.0) }.surface();
        let samples = without_crowding(sample(&mesh, 0.5).unwrap(), 0.1);
        assert_eq!(samples.len(), 8 + 4 * (7 + 3 + 3));
    }

    #[test]
    fn a_ball_has_none_a_cone_has_a_rim_and_a_tip() {
        assert!(sample(&icosphere(3), 0.1).unwrap().is_empty());
        let cone = Shape::Cone { radius: 1.0, height: 1.0 }.surface();
        let samples = without_crowding(sample(&cone, 0.1).unwrap(), 0.05);
        assert!(samples.contains(&DVec3::Y));
        assert!((62..=64).contains(&samples.len()), "{}", samples.len());
    }

    #[test]
    fn polylines_are_divided_across_their_vertices() {
        let line = [DVec3::ZERO, DVec3::X * 0.3, DVec3::X * 2.4, DVec3::X * 3.1];
        let samples = divide(&line, 1.0);
        assert_eq!(samples.len(), 4);
        for (k, p) in samples.iter().enumerate() {
            assert!((p.x - 3.1 / 3.0 * k as f64).abs() < 1e-12);
        }
    }
}
