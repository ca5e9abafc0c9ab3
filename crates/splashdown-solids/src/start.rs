//! Where Newton's method begins: between the last state and the one that is expected.
//!
//! It goes towards what is expected until a gap is half of what it was, or half of the reach if it
//! was more, or an element has half of its volume. Going on would leave a barrier so steep that
//! Newton's method needs many iterations to come away from it. And it goes there only if the energy
//! is less than at the last state.

use glam::DVec3;
use rayon::prelude::*;

use crate::candidates::gather;
use crate::ccd;
use crate::inversion;
use crate::objective::Objective;

/// Share of gaps and volumes that is left.
const LEFT: f64 = 0.5;

impl Objective<'_> {
    /// Moves `x`, the state at the beginning, towards what guests and their host expect.
    pub(crate) fn approach_expected(&mut self, x: &mut Vec<DVec3>) {
        let Some(crowd) = &self.crowd else { return };
        let expected = crowd.expected();
        let mut moves = vec![DVec3::ZERO; self.unknowns.count];
        for v in 0..x.len() {
            if let Some(u) = self.unknowns.single(v as u32) {
                moves[u as usize] = expected[v] - x[v];
            }
        }
        let mut direction = self.unknowns.spread(&moves);
        let longest = direction.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        let whole = (self.stride / longest).min(1.0);
        direction.iter_mut().for_each(|p| *p *= whole);
        let to: Vec<DVec3> = x.iter().zip(&direction).map(|(x, p)| *x + *p).collect();
        self.look(x, &to);
        let share = self.gentle_share(x, &direction);
        let new: Vec<DVec3> = x.iter().zip(&direction).map(|(x, p)| *x + share * *p).collect();
        if share > 0.0 && self.energy(&new) < self.energy(x) {
            *x = new;
        }
    }

    fn gentle_share(&self, x: &[DVec3], p: &[DVec3]) -> f64 {
        let gap = self.settings.gap;
        let of_pair = |pair: &crate::contact::Pair| {
            let (ways, gap) =
                ((gather(x, &pair.vertices), gather(p, &pair.vertices)), pair.gap(gap));
            let left = |now: f64| LEFT * now.min(gap.reach);
            ccd::share_leaving(pair.kind, (&ways.0, &ways.1), gap.thickness, 1.0, left)
        };
        let pairs = self.pairs.par_iter().map(of_pair).reduce(|| 1.0, f64::min);
        let of_element = |e: &crate::element::Element| match e.upright() {
            Some(_) => inversion::share_leaving(&e.gather(x), &e.gather(p), LEFT, 1.0),
            None => 1.0,
        };
        let elements = self.solids.elements.par_iter().map(of_element).reduce(|| 1.0, f64::min);
        let meetings = self.crowd.iter().flat_map(|crowd| &crowd.meetings);
        let of_meeting = |least: f64, meeting: &crate::signed_pairs::Meeting| {
            meeting.safe_share((x, p), least, |now| LEFT * now.min(meeting.reach.reach))
        };
        meetings.fold(pairs.min(elements), of_meeting)
    }
}
