//! Whether friction that was computed from earlier normal forces fits those that were found with
//! it.
//!
//! Contacts that slide must have the friction of their new limits, contacts that stick must not
//! exceed them. Both are judged by the sums over each body, because pairs of features come and go
//! while a body slides along.

use glam::DVec3;

use crate::friction::{Slip, f1_over_y};
use crate::objective::Objective;

/// Share of its limit by which the friction on a body may be wrong …
const TOLERANCE: f64 = 0.05;
/// … and the share of its weight that does not matter.
const NEGLIGIBLE: f64 = 2e-3;
/// A body slides when this share of its limit is used up.
const SLIDING_SHARE: f64 = 0.95;

/// Sums over the contacts of a body, N.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// What friction does.
    used: f64,
    /// What it could do by the forces it was computed from, …
    lagged: f64,
    /// … and by those that were found.
    found: f64,
}

impl Sums {
    fn agrees(&self, weight: f64) -> bool {
        let Sums { used, lagged, found } = *self;
        // Also one that had no contacts before.
        let slides = used >= SLIDING_SHARE * lagged;
        let error = if slides { (lagged - found).abs() } else { used - found };
        error <= TOLERANCE * found + NEGLIGIBLE * weight
    }
}

impl Objective<'_> {
    /// Whether the friction of this step, after moves to `x`, is that of the contacts `found`
    /// there.
    pub fn friction_agrees(&self, x: &[DVec3], found: &[Slip]) -> bool {
        let bodies = &self.solids.bodies;
        let mut sums = vec![Sums::default(); bodies.len()];
        let body_of = |v: u32| bodies.partition_point(|body| body.vertices.end <= v as usize);
        let both = |slip: &Slip| [slip.vertices[0], slip.vertices[3]].map(body_of);
        let frictions = self.frictions();
        for slip in &self.slips {
            let y = slip.slipped(&frictions.moved(x, slip)).length();
            for body in both(slip) {
                sums[body].used += slip.limit * f1_over_y(y, frictions.epsilon) * y;
                sums[body].lagged += slip.limit;
            }
        }
        for slip in found {
            both(slip).into_iter().for_each(|body| sums[body].found += slip.limit);
        }
        sums.iter().zip(bodies).all(|(sums, body)| {
            let weight = self.load[body.vertices.clone()].iter().sum();
            body.elements.is_empty() || sums.agrees(weight)
        })
    }

    /// The same for all guests together.
    pub fn guests_agree(&self, x: &[DVec3], found: &[Slip]) -> bool {
        let Some(crowd) = &self.crowd else { return true };
        let frictions = crowd.frictions(self.epsilon());
        let used = |slip: &Slip| {
            let y = slip.slipped(&frictions.moved(x, slip)).length();
            slip.limit * f1_over_y(y, frictions.epsilon) * y
        };
        let limits = |slips: &[Slip]| slips.iter().map(|slip| slip.limit).sum();
        let used = crowd.slips.iter().map(used).sum();
        let sums = Sums { used, lagged: limits(&crowd.slips), found: limits(found) };
        sums.agrees(self.load[self.solids.position.len()..].iter().sum())
    }
}
