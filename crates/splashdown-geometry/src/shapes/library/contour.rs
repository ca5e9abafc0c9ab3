//! The lines where a function of the plane is zero, as closed polygons.
//!
//! Marching squares; corners of the polygons are put onto the line by Newton's method.

use std::collections::HashMap;

use glam::DVec2;

/// The lines f = 0 in the rectangle from `min` to `max`, f negative on their left; squares about
/// `cell` wide. The lines must not reach the border. Straight parts are left without corners.
pub(super) fn contours(
    f: impl Fn(DVec2) -> f64,
    [min, max]: [DVec2; 2],
    cell: f64,
) -> Vec<Vec<DVec2>> {
    let size = ((max - min) / cell).ceil().as_uvec2() + 1;
    let at = |x: u32, y: u32| min + DVec2::new(f64::from(x), f64::from(y)) * cell;
    let inside = |x: u32, y: u32| f(at(x, y)) < 0.0;
    // A crossing is named by the lower end of its edge and whether the edge runs up.
    type Crossing = (u32, u32, bool);
    let mut next: HashMap<Crossing, Crossing> = HashMap::new();
    let mut starts: Vec<Crossing> = Vec::new();
    for y in 0..size.y {
        for x in 0..size.x {
            let corners =
                [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)].map(|(x, y)| inside(x, y));
            let edges = [(x, y, false), (x + 1, y, true), (x, y + 1, false), (x, y, true)];
            // Walking around the square, the line enters where the inside begins.
            for k in 0..4 {
                if !corners[k] && corners[(k + 1) % 4] {
                    let leaves = (1..4).map(|step| (k + step) % 4);
                    let mut leaves = leaves.filter(|&j| corners[j] && !corners[(j + 1) % 4]);
                    if let Some(exit) = leaves.next() {
                        // The inside is on the left of the way from exit to entry.
                        next.insert(edges[exit], edges[k]);
                        starts.push(edges[exit]);
                    }
                }
            }
        }
    }
    let place = |&(x, y, up): &Crossing| {
        let (a, b) = (at(x, y), if up { at(x, y + 1) } else { at(x + 1, y) });
        let (fa, fb) = (f(a), f(b));
        on_line(&f, a.lerp(b, fa / (fa - fb)), cell)
    };
    let mut lines = Vec::new();
    for start in starts {
        let mut line = Vec::new();
        let mut here = start;
        while let Some(to) = next.remove(&here) {
            line.push(place(&here));
            here = to;
        }
        if line.len() > 2 {
            lines.push(without_straight_corners(line, 1e-3 * cell));
        }
    }
    lines
}

fn on_line(f: &impl Fn(DVec2) -> f64, mut p: DVec2, cell: f64) -> DVec2 {
    let step = 1e-4 * cell;
    for _ in 0..3 {
        let along = |axis: DVec2| (f(p + axis * step) - f(p - axis * step)) / (2.0 * step);
        let slope = DVec2::new(along(DVec2::X), along(DVec2::Y));
        if slope.length_squared() > 1e-6 {
            p -= (slope * (f(p) / slope.length_squared())).clamp_length_max(0.2 * cell);
        }
    }
    p
}

/// Leaves out corners that are on the line between their neighbours.
fn without_straight_corners(mut line: Vec<DVec2>, tolerance: f64) -> Vec<DVec2> {
    let mut k = 0;
    while k < line.len() && line.len() > 3 {
        let n = line.len();
        let (a, b) = (line[(k + n - 1) % n], line[(k + 1) % n]);
        if crate::shapes::primitives::segment(line[k], a, b) < tolerance {
            line.remove(k);
        } else {
            k += 1;
        }
    }
    line
}

/// Area inside a polygon; negative if it runs clockwise.
pub(super) fn area(line: &[DVec2]) -> f64 {
    let edge = |k: usize| line[k].perp_dot(line[(k + 1) % line.len()]);
    (0..line.len()).map(edge).sum::<f64>() / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_has_an_outline_and_a_hole() {
        let ring = |p: DVec2| (p.length() - 1.0).abs() - 0.2;
        let lines = contours(ring, [DVec2::splat(-1.5), DVec2::splat(1.5)], 0.05);
        let mut areas: Vec<f64> = lines.iter().map(|l| area(l)).collect();
        areas.sort_by(f64::total_cmp);
        assert_eq!(areas.len(), 2);
        let pi = std::f64::consts::PI;
        assert!(
            (areas[0] + pi * 0.64).abs() < 0.01 && (areas[1] - pi * 1.44).abs() < 0.01,
            "{areas:?}"
        );
    }

    #[test]
    fn straight_parts_have_no_corners() {
        let bar = |p: DVec2| (p.x.abs() - 1.0).max(p.y.abs() - 0.3);
        let lines = contours(bar, [DVec2::splat(-1.5), DVec2::splat(1.5)], 0.0437);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].len() <= 12, "{}", lines[0].len());
    }
}
