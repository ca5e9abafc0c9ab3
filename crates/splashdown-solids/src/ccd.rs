//! How far two features may move before they touch: additive continuous collision detection
//! (Li et al. 2021, algorithm 1). The answer is never too large.

use glam::DVec3;

use crate::contact::Kind;

/// Share of the present gap that is left.
pub(crate) const GAP_LEFT: f64 = 0.1;
/// Share of a bound that one move of the search uses.
const STEP_SHARE: f64 = 0.9;
/// A search that needs more moves than this stops where it is, which is safe.
const MAX_STEPS: usize = 4000;

/// The largest share of the moves `p`, up to `limit`, over which features that begin at `x` keep a
/// tenth of their gap above `thickness`.
pub fn safe_share(kind: Kind, x: &[DVec3; 4], p: &[DVec3; 4], thickness: f64, limit: f64) -> f64 {
    share_leaving(kind, (x, p), thickness, limit, |gap| GAP_LEFT * gap)
}

/// The same where another gap is kept: `left` of the present one, and less than that.
pub fn share_leaving(
    kind: Kind,
    (x, p): (&[DVec3; 4], &[DVec3; 4]),
    thickness: f64,
    limit: f64,
    left: impl Fn(f64) -> f64,
) -> f64 {
    // What all do together does not bring them closer.
    let mean = (p[0] + p[1] + p[2] + p[3]) / 4.0;
    let p = p.map(|p| p - mean);
    let longest = |some: &[DVec3]| some.iter().map(|p| p.length()).fold(0.0, f64::max);
    let split = if matches!(kind, Kind::EdgeEdge(_)) { 2 } else { 1 };
    // Points on the two features approach each other at most this fast.
    let speed = longest(&p[..split]) + longest(&p[split..]);
    if speed == 0.0 {
        return limit;
    }
    let gap_at = |t: f64| {
        let at = [0, 1, 2, 3].map(|k| x[k] + t * p[k]);
        kind.closest(&at).squared(&at).sqrt() - thickness
    };
    let least = left(gap_at(0.0));
    let (mut t, mut gap) = (0.0, gap_at(0.0));
    for _ in 0..MAX_STEPS {
        let next = t + STEP_SHARE * (gap - least) / speed;
        if next >= limit {
            return limit;
        }
        gap = gap_at(next);
        // Written so that a gap that is not a number stops, too.
        if !(gap > least && next > t) {
            return t;
        }
        t = next;
        if gap - least < 0.01 * least {
            return t;
        }
    }
    t
}

#[cfg(test)]
mod tests {
    use super::*;
    use splashdown_solve::differences::Random;

    const EDGES: Kind = Kind::EdgeEdge(0.0);

    #[test]
    fn a_point_that_flies_through_a_triangle_is_stopped_before_it() {
        let x = [DVec3::new(0.3, 0.3, 1.0), DVec3::ZERO, DVec3::X, DVec3::Y];
        for speed in [2.0, 100.0, 1e6] {
            let p = [-speed * DVec3::Z, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
            let t = safe_share(Kind::PointTriangle, &x, &p, 0.0, 1.0);
            let left = 1.0 - t * speed;
            assert!((0.1..0.12).contains(&left), "{speed}: {left}");
        }
        let away = [DVec3::Z, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
        assert_eq!(safe_share(Kind::PointTriangle, &x, &away, 0.0, 1.0), 1.0);
    }

    /// Along the whole way, sampled finely, nothing touches, and what passes by is not stopped.
    #[test]
    fn random_moves_never_touch() {
        let mut random = Random::new(12);
        let mut stopped = 0;
        for kind in [Kind::PointTriangle, EDGES] {
            for _ in 0..300 {
                let (x, p) = (random.points(), random.points().map(|p| 3.0 * p));
                let t = safe_share(kind, &x, &p, 0.0, 1.0);
                let gap = |t: f64| {
                    let at = [0, 1, 2, 3].map(|k| x[k] + t * p[k]);
                    kind.closest(&at).squared(&at).sqrt()
                };
                let least = 0.0999 * gap(0.0);
                assert!((0..=200).all(|k| gap(t * f64::from(k) / 200.0) >= least));
                stopped += usize::from(t < 1.0);
                if t < 1.0 {
                    // It did not stop without a reason: soon after, the gap is used up.
                    assert!(
                        gap(t) < 1.02 * 0.1 * gap(0.0) + 1e-9 || t == 0.0,
                        "{} {}",
                        gap(t),
                        gap(0.0)
                    );
                }
            }
        }
        assert!(stopped > 50);
    }

    #[test]
    fn edges_with_thickness_keep_it() {
        let x = [-DVec3::X, DVec3::X, DVec3::new(0.0, -1.0, 1.0), DVec3::new(0.0, 1.0, 1.0)];
        let p = [DVec3::ZERO, DVec3::ZERO, -5.0 * DVec3::Z, -5.0 * DVec3::Z];
        let t = safe_share(EDGES, &x, &p, 0.2, 1.0);
        assert!((0.28..0.29).contains(&(1.0 - 5.0 * t)), "{t}");
    }
}
