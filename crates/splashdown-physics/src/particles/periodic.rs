//! Worlds that repeat: what leaves on one side comes back on the other.
//!
//! Along a periodic axis cells are a little wider than the search radius, so that a whole number of
//! them fills the period; the search then only has to know that the first cell follows the last
//! (`halo::around`).

use crate::math::DVec3;

/// `p` in the first period, [0, period), along each axis that has one.
pub(crate) fn wrapped(p: DVec3, period: DVec3) -> DVec3 {
    if period == DVec3::ZERO {
        return p;
    }
    let turns = (p / period).floor();
    DVec3::select(period.cmpgt(DVec3::ZERO), p - turns * period, p)
}

/// `difference` of two places as that of their nearest images.
#[inline(always)]
pub(crate) fn nearest(difference: DVec3, period: DVec3) -> DVec3 {
    let far = (2.0 * difference.abs()).cmpgt(period) & period.cmpgt(DVec3::ZERO);
    if !far.any() {
        return difference;
    }
    let turns = (difference / period).round();
    DVec3::select(far, difference - turns * period, difference)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::math::{Aabb, Dimension};
    use crate::particles::cells::CellGrid;
    use crate::particles::kernel::{Kernel, KernelKind, SUPPORT};
    use crate::particles::neighbors::{Neighbors, SearchInput};
    use crate::particles::wall_density::WallDensity;

    /// Numbers that look random in [0, 1).
    fn noise(seed: &mut u64) -> f64 {
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Pairs of fluid with fluid and with wall particles, by the search and by looking at all of
    /// them.
    fn compare(dimension: Dimension, period: DVec3, h: f64) {
        let mut seed = 1;
        let count = 900;
        let extent = DVec3::select(period.cmpgt(DVec3::ZERO), period, DVec3::splat(9.0 * h));
        let mut position: Vec<DVec3> = (0..count)
            .map(|_| DVec3::new(noise(&mut seed), noise(&mut seed), noise(&mut seed)) * extent)
            .map(|p| dimension.flatten(p))
            .collect();
        // Some exactly on the border, some far outside it, as a moving solid may be.
        position[0] = DVec3::ZERO;
        position[1] -= DVec3::splat(1e-18);
        position[600..].iter_mut().for_each(|p| *p -= 3.0 * period);
        position[1] = dimension.flatten(position[1]);

        let fluid_count = 600;
        let bounds = Aabb::around(position.iter().copied());
        let grid = CellGrid::around(bounds, SUPPORT * h, period).unwrap();
        let key = |p: &DVec3| grid.locate(*p, h).0;
        position[..fluid_count].sort_by_key(key);
        position[fluid_count..].sort_by_key(key);
        let (keys, within): (Vec<_>, Vec<_>) = position.iter().map(|&p| grid.locate(p, h)).unzip();

        let (fluid, solid) = (0..fluid_count, fluid_count..count);
        let mut neighbors = Neighbors::default();
        let input = SearchInput {
            keys: &keys,
            within: &within,
            fluids: std::slice::from_ref(&fluid),
            solids: std::slice::from_ref(&solid),
            inverse_mass: &[1.0],
            weight: &vec![1.0; count],
            wall_density: WallDensity::NONE,
            kernel: Kernel { kind: KernelKind::Cubic, dimension },
            cells: grid.shape(h),
            wide: None,
        };
        neighbors.rebuild(&input).unwrap();

        let mut found = 0;
        for chunk in &neighbors.chunks {
            for (k, i) in chunk.particles.clone().enumerate() {
                let walls = chunk.wall_pairs(k).iter().map(|pair| pair.index as usize);
                let listed: Vec<usize> = chunk.neighbors(k).map(|(j, _)| j).chain(walls).collect();
                let set: BTreeSet<usize> = listed.iter().copied().collect();
                assert_eq!(set.len(), listed.len(), "nobody is listed twice");
                found += listed.len();
                for j in (0..count).filter(|&j| j != i) {
                    let x = nearest(position[i] - position[j], period);
                    let q = x.length() / h;
                    if (q - SUPPORT).abs() > 1e-5 {
                        assert_eq!(q < SUPPORT, set.contains(&j), "{i} and {j} at {q}");
                    }
                }
                for (j, g) in chunk.neighbors(k) {
                    let x = nearest(position[i] - position[j], period).as_vec3();
                    assert!(g.dot(x) <= 0.0 && g.cross(x).length() <= 1e-4 * x.length());
                }
            }
        }
        assert!(found > 5000, "only {found} pairs: the test is too thin");
    }

    #[test]
    fn the_search_agrees_with_minimum_images() {
        let h = 0.1;
        compare(Dimension::Two, DVec3::new(0.6, 0.0, 0.0), h); // three cells
        compare(Dimension::Two, DVec3::new(1.37, 0.91, 0.0), h);
        compare(Dimension::Three, DVec3::new(0.6, 0.0, 0.0), h);
        compare(Dimension::Three, DVec3::new(0.65, 0.79, 0.81), h);
        compare(Dimension::Three, DVec3::ZERO, h);
    }

    #[test]
    fn wrapping_changes_only_periodic_axes() {
        let period = DVec3::new(2.0, 0.0, 0.5);
        assert_eq!(wrapped(DVec3::new(-0.5, -7.0, 0.75), period), DVec3::new(1.5, -7.0, 0.25));
        assert_eq!(nearest(DVec3::new(1.5, -7.0, 0.2), period), DVec3::new(-0.5, -7.0, 0.2));
    }
}
