//! Triangles in a rectangle, as even as its edges allow.

use glam::{DVec2, DVec3};

/// Vertices and the triangles between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangles {
    /// m
    pub vertices: Vec<DVec3>,
    /// Numbers of vertices.
    pub triangles: Vec<[u32; 3]>,
}

/// A rectangle in the plane z = 0 about the origin. Rows of vertices about `spacing` apart are
/// shifted by half a spacing against each other, so that triangles have about equal sides. They
/// look towards +z.
pub fn sheet(size: DVec2, spacing: f64) -> Triangles {
    let across = (size.x / spacing).round().max(1.0) as usize;
    let pitch = size.x / across as f64;
    let rows = (size.y / (pitch * 0.75f64.sqrt())).round().max(1.0) as usize;
    let mut mesh = Triangles::default();
    let mut last: Vec<u32> = Vec::new();
    for row in 0..=rows {
        let shares: Vec<f64> = match row % 2 {
            0 => (0..=across).map(|k| k as f64).collect(),
            _ => {
                let inner = (0..across).map(|k| k as f64 + 0.5);
                std::iter::once(0.0).chain(inner).chain([across as f64]).collect()
            }
        };
        let y = size.y * (row as f64 / rows as f64 - 0.5);
        let first = mesh.vertices.len() as u32;
        mesh.vertices.extend(shares.iter().map(|s| DVec3::new(s * pitch - 0.5 * size.x, y, 0.0)));
        let this: Vec<u32> = (first..mesh.vertices.len() as u32).collect();
        if row > 0 {
            strip(&mut mesh, &last, &this);
        }
        last = this;
    }
    mesh
}

/// Triangles between two rows: always the one whose new edge is the shorter.
fn strip(mesh: &mut Triangles, below: &[u32], above: &[u32]) {
    let (mut i, mut j) = (0, 0);
    let x = |v: u32| mesh.vertices[v as usize].x;
    let mut found = Vec::new();
    while i + 1 < below.len() || j + 1 < above.len() {
        let right_below = below.get(i + 1).map_or(f64::INFINITY, |&v| (x(v) - x(above[j])).abs());
        let right_above = above.get(j + 1).map_or(f64::INFINITY, |&v| (x(v) - x(below[i])).abs());
        if right_below <= right_above {
            found.push([below[i], below[i + 1], above[j]]);
            i += 1;
        } else {
            found.push([below[i], above[j + 1], above[j]]);
            j += 1;
        }
    }
    mesh.triangles.extend(found);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_is_covered_once_by_even_triangles() {
        let mesh = sheet(DVec2::new(2.0, 1.0), 0.1);
        let mut total = 0.0;
        let mut smallest = f64::INFINITY;
        for t in &mesh.triangles {
            let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
            let normal = (b - a).cross(c - a);
            assert!(normal.z > 0.0, "{t:?}");
            total += 0.5 * normal.z;
            smallest = f64::min(smallest, 0.5 * normal.z);
        }
        assert!((total - 2.0).abs() < 1e-12, "{total}");
        // Those at the sides are halves.
        assert!(smallest > 0.2 * 0.01, "{smallest}");
    }
}
