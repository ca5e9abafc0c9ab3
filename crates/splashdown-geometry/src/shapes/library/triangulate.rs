//! Triangles of a plane figure with holes, by clipping ears.
//!
//! Holes are joined to the outline by bridges, as in Eberly 2002, Triangulation by ear clipping.

use glam::DVec2;

/// Triangles, counter-clockwise, of the figure inside `outline` (counter-clockwise) and outside of
/// `holes` (clockwise). Indices count through all loops in order.
pub(super) fn triangulate(outline: &[DVec2], holes: &[Vec<DVec2>]) -> Vec<[u32; 3]> {
    let mut points = outline.to_vec();
    let mut ring: Vec<u32> = (0..outline.len() as u32).collect();
    let mut loops: Vec<Vec<u32>> = Vec::new();
    for hole in holes {
        let first = points.len() as u32;
        points.extend(hole);
        loops.push((first..points.len() as u32).collect());
    }
    // From right to left: a bridge to the right never crosses a hole that is still to come.
    let rightmost = |hole: &Vec<u32>| {
        hole.iter().map(|&v| points[v as usize].x).fold(f64::NEG_INFINITY, f64::max)
    };
    loops.sort_by(|a, b| rightmost(b).total_cmp(&rightmost(a)));
    for k in 0..loops.len() {
        bridge(&points, &mut ring, &loops[k..]);
    }
    clip(&points, ring)
}

/// Joins the first of `holes` to the ring by the shortest bridge that crosses nothing.
fn bridge(points: &[DVec2], ring: &mut Vec<u32>, holes: &[Vec<u32>]) {
    let at = |v: u32| points[v as usize];
    let hole = &holes[0];
    let Some(from) = (0..hole.len()).max_by(|&a, &b| at(hole[a]).x.total_cmp(&at(hole[b]).x))
    else {
        return;
    };
    let start = at(hole[from]);
    let edges: Vec<[DVec2; 2]> = [ring.as_slice()]
        .into_iter()
        .chain(holes.iter().map(Vec::as_slice))
        .flat_map(|l| (0..l.len()).map(move |k| [at(l[k]), at(l[(k + 1) % l.len()])]))
        .collect();
    let mut candidates: Vec<usize> = (0..ring.len()).collect();
    candidates.sort_by(|&a, &b| {
        at(ring[a]).distance(start).total_cmp(&at(ring[b]).distance(start)).then(a.cmp(&b))
    });
    let free = |&k: &usize| !edges.iter().any(|&[a, b]| cross(start, at(ring[k]), a, b));
    let to = candidates.iter().copied().find(free).unwrap_or(0);
    let around = hole[from..].iter().chain(&hole[..=from]).copied();
    let bridged: Vec<u32> =
        ring[..=to].iter().copied().chain(around).chain(ring[to..].iter().copied()).collect();
    *ring = bridged;
}

/// Whether two segments cross between their ends.
fn cross(p: DVec2, q: DVec2, a: DVec2, b: DVec2) -> bool {
    let side = |o: DVec2, d: DVec2, x: DVec2| (d - o).perp_dot(x - o);
    side(p, q, a) * side(p, q, b) < 0.0 && side(a, b, p) * side(a, b, q) < 0.0
}

fn clip(points: &[DVec2], mut ring: Vec<u32>) -> Vec<[u32; 3]> {
    let at = |v: u32| points[v as usize];
    let mut triangles = Vec::with_capacity(ring.len());
    while ring.len() > 3 {
        let n = ring.len();
        let corner = |k: usize| [ring[(k + n - 1) % n], ring[k], ring[(k + 1) % n]];
        let turn = |k: usize| {
            let [a, b, c] = corner(k).map(at);
            (b - a).perp_dot(c - b)
        };
        let is_ear = |k: &usize| {
            let [a, b, c] = corner(*k).map(at);
            // Points at the corners themselves (ends of bridges) are not in the way.
            let blocks = |p: DVec2| {
                p != a
                    && p != b
                    && p != c
                    && (b - a).perp_dot(p - a) >= 0.0
                    && (c - b).perp_dot(p - b) >= 0.0
                    && (a - c).perp_dot(p - c) >= 0.0
            };
            turn(*k) > 0.0 && !ring.iter().any(|&v| blocks(at(v)))
        };
        // The roundest of the ears, so that slivers are rare; without any, whatever turns left
        // most.
        let shape = |k: usize| {
            let [a, b, c] = corner(k).map(at);
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            turn(k) / (longest * longest).max(f64::MIN_POSITIVE)
        };
        let best = |a: &usize, b: &usize| shape(*a).total_cmp(&shape(*b));
        let ear = (0..n).filter(is_ear).max_by(best).or((0..n).max_by(best)).unwrap_or(0);
        triangles.push(corner(ear));
        ring.remove(ear);
    }
    if let [a, b, c] = ring[..] {
        triangles.push([a, b, c]);
    }
    triangles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(centre: DVec2, radius: f64, n: i32) -> Vec<DVec2> {
        let angle = |k: i32| std::f64::consts::TAU * f64::from(k) / f64::from(n.abs());
        (0..n.abs())
            .map(|k| centre + radius * DVec2::from_angle(angle(k) * f64::from(n.signum())))
            .collect()
    }

    fn area(loops: &[Vec<DVec2>]) -> f64 {
        let edge = |l: &Vec<DVec2>, k: usize| l[k].perp_dot(l[(k + 1) % l.len()]) / 2.0;
        loops.iter().map(|l| (0..l.len()).map(|k| edge(l, k)).sum::<f64>()).sum()
    }

    #[test]
    fn figures_with_holes_are_covered_exactly_once() {
        let star: Vec<DVec2> = circle(DVec2::ZERO, 3.0, 24)
            .into_iter()
            .enumerate()
            .map(|(k, p)| if k % 2 == 0 { p } else { p * 0.6 })
            .collect();
        let holes = [
            circle(DVec2::new(0.9, 0.1), 0.4, -12),
            circle(DVec2::new(-0.8, 0.2), 0.5, -9),
            circle(DVec2::new(0.0, -1.0), 0.3, -16),
        ];
        for count in 0..=3 {
            let holes = &holes[..count];
            let triangles = triangulate(&star, holes);
            let points: Vec<DVec2> = star.iter().chain(holes.iter().flatten()).copied().collect();
            let size = |t: &[u32; 3]| {
                let [a, b, c] = t.map(|v| points[v as usize]);
                (b - a).perp_dot(c - a) / 2.0
            };
            assert!(triangles.iter().all(|t| size(t) > 0.0), "{count} holes");
            let covered: f64 = triangles.iter().map(size).sum();
            let mut loops = vec![star.clone()];
            loops.extend_from_slice(holes);
            assert!((covered - area(&loops)).abs() < 1e-9, "{count} holes: {covered}");
            assert_eq!(triangles.len(), points.len() - 2 + 2 * count);
        }
    }
}
