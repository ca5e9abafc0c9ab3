//! Memory that a method keeps from step to step, and that nothing depends on.

use std::any::Any;
use std::fmt;

/// What a method keeps to be faster: arrays that it fills anew, lists, factors of matrices. No part
/// of the state: a copy of a world starts without, and a method must give the same bits without.
#[derive(Default)]
pub(crate) struct Scratch(Option<Box<dyn Any + Send + Sync>>);

impl Scratch {
    /// Keeps `memory`.
    pub(crate) fn of(memory: Box<dyn Any + Send + Sync>) -> Scratch {
        Scratch(Some(memory))
    }

    /// Takes the memory out, if it is of this kind; else there is new one.
    pub(crate) fn take<T: Any + Default>(&mut self) -> Box<T> {
        let kept = self.0.take().map(|memory| memory as Box<dyn Any>);
        kept.and_then(|memory| memory.downcast().ok()).unwrap_or_default()
    }

    /// The memory to look at, if it is of this kind.
    pub(crate) fn get<T: Any>(&self) -> Option<&T> {
        self.0.as_ref().and_then(|memory| memory.downcast_ref())
    }
}

impl Clone for Scratch {
    fn clone(&self) -> Scratch {
        Scratch::default()
    }
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scratch")
    }
}
