//! Sinks: where fluid disappears.

use crate::math::{DVec3, Pose};
use crate::state::{Persist, State};

/// A box in which, or outside which, fluid disappears.
#[derive(Clone, Debug)]
pub struct Sink {
    /// As in the scene.
    pub name: String,
    /// Placement of the box's centre.
    pub pose: Pose,
    /// Half of its edge lengths, m.
    pub half_size: DVec3,
    /// Whether it takes what is outside.
    pub outside: bool,
    /// Active from here …
    pub start: f64,
    /// … to here, s.
    pub end: f64,
    /// State: particles removed so far.
    pub removed: u64,
}

impl Sink {
    /// Whether fluid at `p` disappears.
    pub(crate) fn takes(&self, p: DVec3) -> bool {
        self.pose.inverse_apply(p).abs().cmple(self.half_size).all() != self.outside
    }
}

impl Persist for Sink {
    fn save(&self, key: &str, state: &mut State) {
        let Sink { name: _, pose: _, half_size: _, outside: _, start: _, end: _, removed } = self;
        state.put_number(&format!("{key}.removed"), *removed);
    }

    fn load(&mut self, key: &str, state: &State) -> Result<(), String> {
        self.removed = state.number(&format!("{key}.removed"))?;
        Ok(())
    }
}
