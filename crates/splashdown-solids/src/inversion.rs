//! How far vertices may move before an element is inverted.

use glam::{DMat3, DVec3};

/// Share of the present volume that is left.
const VOLUME_LEFT: f64 = 0.1;
/// How often the interval is halved to find the bound.
const MAX_BISECTIONS: u32 = 30;

/// The largest share t of the moves `p`, up to `limit`, over which a tetrahedron at `x` keeps a
/// tenth of its volume. Its volume is a cubic in t. In Bernstein form on an interval a cubic lies
/// above its smallest coefficient, so that what is found is safe.
pub fn safe_share(x: &[DVec3; 4], p: &[DVec3; 4], limit: f64) -> f64 {
    share_leaving(x, p, VOLUME_LEFT, limit)
}

/// The same where it keeps the share `left` of its volume.
pub fn share_leaving(x: &[DVec3; 4], p: &[DVec3; 4], left: f64, limit: f64) -> f64 {
    let edges = DMat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0]);
    let moves = limit * DMat3::from_cols(p[1] - p[0], p[2] - p[0], p[3] - p[0]);
    let (a, b) =
        ([edges.x_axis, edges.y_axis, edges.z_axis], [moves.x_axis, moves.y_axis, moves.z_axis]);
    let det = |m: [DVec3; 3]| m[0].dot(m[1].cross(m[2]));
    let volume = det(a);
    let c1 = det([b[0], a[1], a[2]]) + det([a[0], b[1], a[2]]) + det([a[0], a[1], b[2]]);
    let c2 = det([a[0], b[1], b[2]]) + det([b[0], a[1], b[2]]) + det([b[0], b[1], a[2]]);
    let c3 = det(b);
    let c0 = (1.0 - left) * volume;
    // Powers of t to Bernstein coefficients on [0, 1].
    let cubic = [c0, c0 + c1 / 3.0, c0 + (2.0 * c1 + c2) / 3.0, c0 + c1 + c2 + c3];
    if !(c0 > 0.0 && cubic.iter().all(|c| c.is_finite())) {
        return 0.0;
    }
    limit * positive_until(cubic, 0)
}

/// How far from 0 towards 1 a cubic is surely positive.
fn positive_until(b: [f64; 4], depth: u32) -> f64 {
    if b.iter().all(|&c| c > 0.0) {
        return 1.0;
    }
    if depth == MAX_BISECTIONS || b[0] <= 0.0 {
        return 0.0;
    }
    // De Casteljau's construction at the middle.
    let mean = |a: f64, b: f64| 0.5 * (a + b);
    let (p, q, r) = (mean(b[0], b[1]), mean(b[1], b[2]), mean(b[2], b[3]));
    let (s, t) = (mean(p, q), mean(q, r));
    let m = mean(s, t);
    let first = positive_until([b[0], p, s, m], depth + 1);
    if first < 1.0 {
        return 0.5 * first;
    }
    0.5 + 0.5 * positive_until([m, t, r, b[3]], depth + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use splashdown_solve::differences::Random;

    fn volume(x: &[DVec3; 4], p: &[DVec3; 4], t: f64) -> f64 {
        let y = [0, 1, 2, 3].map(|k| x[k] + t * p[k]);
        (y[1] - y[0]).dot((y[2] - y[0]).cross(y[3] - y[0]))
    }

    #[test]
    fn a_corner_that_falls_through_its_face_stops_above_it() {
        let x = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let p = [DVec3::ZERO, DVec3::ZERO, DVec3::ZERO, -4.0 * DVec3::Z];
        let t = safe_share(&x, &p, 1.0);
        assert!((t - 0.9 / 4.0).abs() < 1e-8, "{t}");
        assert_eq!(safe_share(&x, &p.map(|p| -p), 1.0), 1.0);
    }

    #[test]
    fn random_moves_never_invert_and_stop_only_where_they_must() {
        let mut random = Random::new(14);
        let mut stopped = 0;
        for _ in 0..500 {
            let (x, p) = (random.points(), random.points().map(|p| 2.0 * p));
            let before = volume(&x, &p, 0.0);
            if before <= 0.0 {
                assert_eq!(safe_share(&x, &p, 1.0), 0.0);
                continue;
            }
            let t = safe_share(&x, &p, 1.0);
            let least = (0..=400).map(|k| volume(&x, &p, t * f64::from(k) / 400.0));
            assert!(least.fold(f64::INFINITY, f64::min) >= 0.0999 * before);
            if t < 1.0 {
                stopped += 1;
                assert!(volume(&x, &p, t) < 0.1001 * before, "{}", volume(&x, &p, t) / before);
            }
        }
        assert!(stopped > 50);
    }
}
