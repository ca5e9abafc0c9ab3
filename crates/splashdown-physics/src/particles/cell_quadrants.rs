//! Fewer candidates for a wide search: of the 27 cells around a cell a particle reaches a sixth, a
//! quadrant of the cell a half.
//!
//! What particles of a quadrant of the cell can reach is sorted out once, for all of them. The
//! order stays, and with it the lists and all sums over them.

use super::candidates::Candidates;
use super::simd::{Lanes, Zone};

/// From so many particles in a cell on it pays.
const MIN_PARTICLES: usize = 8;

/// Candidates that quadrants of a cell can reach; along z a quadrant is as long as the cell.
#[derive(Default)]
pub(crate) struct CellQuadrants {
    parts: [Candidates; 4],
    /// Where the first particle of the cell is among them, where they are known.
    own: [Option<usize>; 4],
    reach: f32,
    size: [f32; 3],
}

impl CellQuadrants {
    /// Starts with another cell of this `size`, from whose particles others closer than `reach` are
    /// looked for.
    pub(crate) fn restart(&mut self, size: [f32; 3], reach: f32) {
        self.own = [None; 4];
        // A little more: places are compared with rounded borders of quadrants.
        (self.size, self.reach) = (size, reach * 1.001);
    }

    /// Whether a cell of `count` particles is worth it.
    pub(crate) fn pay(count: usize) -> bool {
        count >= MIN_PARTICLES
    }

    /// Those of the candidates `all` around the cell that may be near `place` in it, and where its
    /// first particle is among them.
    #[inline(always)]
    pub(crate) fn around<L: Lanes>(
        &mut self,
        place: [f32; 3],
        all: &Candidates,
        own: usize,
    ) -> (&mut Candidates, usize) {
        let half = [self.size[0] / 4.0, self.size[1] / 4.0, self.size[2] / 2.0];
        let upper = [place[0] >= 2.0 * half[0], place[1] >= 2.0 * half[1]];
        let quadrant = usize::from(upper[0]) + 2 * usize::from(upper[1]);
        let part = &mut self.parts[quadrant];
        let first = *self.own[quadrant].get_or_insert_with(|| {
            let across = |axis: usize| if upper[axis] { 3.0 * half[axis] } else { half[axis] };
            let centre = [across(0), across(1), half[2]];
            let zone = Zone { centre, half, radius2: self.reach * self.reach };
            L::reach(all, &zone, part);
            // All of the cell is within reach.
            part.slot.iter().position(|&slot| slot == all.slot[own]).unwrap_or(0)
        });
        (part, first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::simd::Portable;
    use splashdown_geometry::random::Random;

    #[test]
    fn quarters_leave_out_nobody_who_is_near_and_keep_the_order() {
        let (size, reach) = ([3.0f32; 3], 3.0f32);
        let mut random = Random(5);
        let mut place = |from: f64, to: f64| -> [f32; 3] {
            std::array::from_fn(|_| (from + (to - from) * random.unit()) as f32)
        };
        let own: Vec<_> = (0..20).map(|_| place(0.0, 3.0)).collect();
        let mut places: Vec<_> = (0..600).map(|_| place(-3.0, 6.0)).collect();
        places.splice(300..300, own.iter().copied());
        let all = Candidates::at(&places);
        let mut quadrants = CellQuadrants::default();
        quadrants.restart(size, reach);
        for (k, &me) in own.iter().enumerate() {
            let (part, first) = quadrants.around::<Portable>(me, &all, 300);
            assert_eq!(part.slot[first + k], 300 + k as u32);
            assert!(part.count < 2 * all.count / 3, "{} of {}", part.count, all.count);
            let near = |from: &Candidates| {
                let mut near = Candidates::default();
                Portable::select(from, me, reach * reach, &mut near);
                (near.x, near.y, near.z, near.slot)
            };
            assert_eq!(near(part), near(&all));
        }
    }
}
