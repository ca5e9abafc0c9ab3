//! A request to stop, which long computations look at.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Whether somebody wants a computation to stop. Whoever asks writes something else than zero;
/// nothing is lost by that: what is computed at the moment is forgotten, and the state is as it was
/// before.
#[derive(Clone, Copy, Default)]
pub struct Stop(Option<&'static AtomicUsize>);

impl Stop {
    /// Looks at `request`.
    pub fn at(request: &'static AtomicUsize) -> Stop {
        Stop(Some(request))
    }

    /// Whether it was asked for.
    pub fn asked(self) -> bool {
        self.0.is_some_and(|request| request.load(Ordering::Relaxed) != 0)
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stop").field(&self.asked()).finish()
    }
}
