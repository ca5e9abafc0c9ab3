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

use crate::candidates::{candidates, gather};
use crate::contact::Pair;
use crate::solids::Solids;

/// The least reach, as a share of that of all others. What begins closer than that leaves with no
/// more than this way in one step; shorter barriers take Newton's method many more iterations.
const CLOSEST: f64 = 1e-3;

/// Two bodies whose barrier has a reach of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Close {
    /// Their numbers, the smaller one first.
    pub bodies: [usize; 2],
    /// d̂ between them, m.
    pub reach: f64,
}

/// Smallest gaps between bodies, m.
type Gaps = BTreeMap<[usize; 2], f64>;

impl Solids {
    /// Notes which bodies are closer together than `reach`. Where they all but touch, a thousandth
    /// of it remains.
    pub fn note_close(&mut self, reach: f64) {
        let least = CLOSEST * reach;
        let pairs = candidates(self, &self.position, &self.position, reach);
        let gaps = self.gaps(&self.position, &pairs).into_iter().filter(|(_, gap)| *gap < reach);
        self.close = gaps.map(|(bodies, gap)| Close { bodies, reach: gap.max(least) }).collect();
    }

    /// The longest reach of a barrier between the bodies of two vertices.
    pub fn reach_between(&self, a: u32, b: u32) -> f64 {
        if self.close.is_empty() {
            return f64::INFINITY;
        }
        let found = self.close.binary_search_by_key(&self.bodies_of(a, b), |close| close.bodies);
        found.map_or(f64::INFINITY, |k| self.close[k].reach)
    }

    /// Reaches after the bodies have moved to `x`, where `pairs` are all that may be closer than
    /// `most`.
    pub(crate) fn grown(&self, x: &[DVec3], pairs: &[Pair], most: f64) -> Vec<Close> {
        let mut close = self.close.clone();
        if close.iter().all(|close| close.reach >= most) {
            return close;
        }
        let gaps = self.gaps(x, pairs);
        for close in &mut close {
            let gap = gaps.get(&close.bodies).map_or(most, |gap| gap.min(most));
            close.reach = close.reach.max(gap);
        }
        close
    }

    fn gaps(&self, x: &[DVec3], pairs: &[Pair]) -> Gaps {
        let mut gaps = Gaps::new();
        for pair in pairs {
            let bodies = self.bodies_of(pair.vertices[0], pair.vertices[3]);
            if bodies[0] != bodies[1] {
                let places = gather(x, &pair.vertices);
                let apart = pair.kind.closest(&places).squared(&places).sqrt() - pair.thickness;
                gaps.entry(bodies).and_modify(|gap| *gap = gap.min(apart)).or_insert(apart);
            }
        }
        gaps
    }

    fn bodies_of(&self, a: u32, b: u32) -> [usize; 2] {
        let of = |v: u32| self.bodies.partition_point(|body| body.vertices.end <= v as usize);
        let [a, b] = [of(a), of(b)];
        [a.min(b), a.max(b)]
    }
}
