//! Points in hashed cells: who is near, in constant time, while points are still being added.

use crate::math::DVec3;

const END: u32 = u32::MAX;

/// A growing set of points with fast queries within a fixed radius.
pub struct PointGrid {
    radius: f64,
    /// Cells are counted from the first point, so that far from zero they are as good as near it.
    origin: DVec3,
    entries: Vec<Entry>,
    heads: Vec<u32>,
}

/// A point with all that a query asks of it in one place.
struct Entry {
    point: DVec3,
    cell: [i32; 3],
    next: u32,
}

impl PointGrid {
    /// An empty set, for queries within `radius`, made for about `expected` points.
    pub fn new(radius: f64, expected: usize) -> PointGrid {
        let buckets = (2 * expected).clamp(16, 1 << 28).next_power_of_two();
        let heads = vec![END; buckets];
        PointGrid { radius, origin: DVec3::ZERO, entries: Vec::new(), heads }
    }

    /// A set of given points.
    pub fn of(points: &[DVec3], radius: f64) -> PointGrid {
        let mut grid = PointGrid::new(radius, points.len());
        points.iter().for_each(|&p| grid.insert(p));
        grid
    }

    /// How many points there are.
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// The point added as number `k`.
    pub fn point(&self, k: usize) -> DVec3 {
        self.entries[k].point
    }

    /// All points, in the order they were added.
    pub fn into_points(self) -> Vec<DVec3> {
        self.entries.into_iter().map(|entry| entry.point).collect()
    }

    /// Adds a point.
    pub fn insert(&mut self, point: DVec3) {
        if self.entries.is_empty() {
            self.origin = point;
        }
        let cell = self.cell(point);
        let bucket = self.bucket(cell);
        let next = std::mem::replace(&mut self.heads[bucket], self.entries.len() as u32);
        self.entries.push(Entry { point, cell, next });
    }

    /// Calls `visit(index, squared distance)` for every point within the radius of `p`, until it
    /// returns false. Returns whether it never did.
    pub fn all_near(&self, p: DVec3, mut visit: impl FnMut(usize, f64) -> bool) -> bool {
        let low = self.cell(p - self.radius);
        let high = self.cell(p + self.radius);
        let reach = self.radius * self.radius;
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    let cell = [x, y, z];
                    let mut i = self.heads[self.bucket(cell)];
                    while i != END {
                        let k = i as usize;
                        let entry = &self.entries[k];
                        let distance = entry.point.distance_squared(p);
                        // The cell is compared too: buckets are shared by several cells.
                        if distance <= reach && entry.cell == cell && !visit(k, distance) {
                            return false;
                        }
                        i = entry.next;
                    }
                }
            }
        }
        true
    }

    fn cell(&self, p: DVec3) -> [i32; 3] {
        // A cell as wide as the reach to both sides: at most eight cells are looked at.
        ((p - self.origin) / (2.0 * self.radius)).floor().to_array().map(|x| x as i32)
    }

    fn bucket(&self, cell: [i32; 3]) -> usize {
        let mix = |k: i32, odd: u64| (k as u64).wrapping_mul(odd);
        let hash = mix(cell[0], 0x9E37_79B9_7F4A_7C15)
            ^ mix(cell[1], 0xC2B2_AE3D_27D4_EB4F)
            ^ mix(cell[2], 0x1656_67B1_9E37_79F9);
        (hash >> 20) as usize & (self.heads.len() - 1)
    }
}

/// The points, in order, without those closer than `distance` to an earlier one that stays.
pub fn without_crowding(points: Vec<DVec3>, distance: f64) -> Vec<DVec3> {
    with_gaps_filled(Vec::new(), points, distance)
}

/// All `points`, and of `more`, in order, those that are not closer than `distance` to what is
/// there already.
pub fn with_gaps_filled(points: Vec<DVec3>, more: Vec<DVec3>, distance: f64) -> Vec<DVec3> {
    let mut kept = PointGrid::new(distance, points.len() + more.len());
    points.into_iter().for_each(|p| kept.insert(p));
    for p in more {
        if kept.all_near(p, |_, _| false) {
            kept.insert(p);
        }
    }
    kept.into_points()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_grid_agrees_with_looking_at_every_point(
            raw in prop::collection::vec((-2.0..2.0f64, -2.0..2.0f64, -2.0..2.0f64), 1..80),
            radius in 0.05..1.5f64,
        ) {
            let points: Vec<DVec3> = raw.iter().map(|&(x, y, z)| DVec3::new(x, y, z)).collect();
            let grid = PointGrid::of(&points, radius);
            for &p in &points {
                let mut found = Vec::new();
                grid.all_near(p, |k, _| { found.push(k); true });
                found.sort_unstable();
                let expected: Vec<usize> =
                    (0..points.len()).filter(|&k| points[k].distance(p) <= radius).collect();
                prop_assert_eq!(&found, &expected);
            }
        }
    }
}
