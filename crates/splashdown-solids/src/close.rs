//! Bodies that are close together at the start.
//!
//! A barrier pushes wherever surfaces are within its reach. Two bodies that are placed closer than
//! that would be thrown apart by a push that nobody meant, and held back by its friction. So where
//! two bodies begin close together their barrier reaches as far as their smallest gap and no
//! farther. If they part it grows with their gap, until it is that of all others.
//!
//! It grows only while nothing of it pushes: the energy of a barrier that is longer is zero, too.

use std::collections::BTreeMap;

use glam::DVec3;

use crate::candidates::{batches, gather};
use crate::contact::Pair;
use crate::solids::{Close, Solids};

/// The least reach, as a share of that of all others. What begins closer than that leaves with no
/// more than this way in one step; shorter barriers take Newton's method many more iterations.
const CLOSEST: f64 = 1e-3;

/// Smallest gaps between bodies, m.
type Gaps = BTreeMap<[usize; 2], f64>;

impl Solids {
    /// Notes which bodies are closer together than `reach`. Where they all but touch, a thousandth
    /// of it remains.
    pub fn note_close(&mut self, reach: f64) {
        let least = CLOSEST * reach;
        let mut gaps = Gaps::new();
        for pairs in batches(self, &self.position, reach) {
            self.add_gaps(&self.position, &pairs, &mut gaps);
        }
        let gaps = gaps.into_iter().filter(|(_, gap)| *gap < reach);
        self.close = gaps.map(|(bodies, gap)| Close { bodies, reach: gap.max(least) }).collect();
    }

    /// Reaches after the bodies have moved to `x`, where `pairs` are all that may be closer than
    /// `most`.
    pub(crate) fn grown(&self, x: &[DVec3], pairs: &[Pair], most: f64) -> Vec<Close> {
        let mut close = self.close.clone();
        if close.iter().all(|close| close.reach >= most) {
            return close;
        }
        let mut gaps = Gaps::new();
        self.add_gaps(x, pairs, &mut gaps);
        for close in &mut close {
            let gap = gaps.get(&close.bodies).map_or(most, |gap| gap.min(most));
            close.reach = close.reach.max(gap);
        }
        close
    }

    fn add_gaps(&self, x: &[DVec3], pairs: &[Pair], gaps: &mut Gaps) {
        for pair in pairs {
            let bodies = self.bodies_of(pair.vertices[0], pair.vertices[3]);
            if bodies[0] != bodies[1] {
                let places = gather(x, &pair.vertices);
                let apart = pair.kind.closest(&places).squared(&places).sqrt() - pair.thickness;
                gaps.entry(bodies).and_modify(|gap| *gap = gap.min(apart)).or_insert(apart);
            }
        }
    }
}
