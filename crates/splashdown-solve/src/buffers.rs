//! Buffers that a thread keeps from loop to loop.
//!
//! A parallel loop over chunks runs hundreds of times per step, and every chunk needs buffers for
//! what is around it. Made anew for each they cost more than they look: arrays grow by being
//! copied, threads wait for each other in the allocator, and pages that it gives back to the system
//! come back empty, one fault each.

use std::any::{Any, TypeId};
use std::cell::RefCell;

thread_local! {
    /// By type; few enough to be searched one by one.
    static BUFFERS: RefCell<Vec<(TypeId, Box<dyn Any>)>> = const { RefCell::new(Vec::new()) };
}

/// Runs `work` with the buffers of type `B` that this thread has used last, as it left them. (With
/// fresh ones, if those are in use: `work` may wait for other loops, whose jobs then run in
/// between.)
pub fn with_buffers<B: Default + 'static, R>(work: impl FnOnce(&mut B) -> R) -> R {
    let id = TypeId::of::<B>();
    let kept = BUFFERS.with_borrow_mut(|kept| {
        let at = kept.iter().position(|(of, _)| *of == id)?;
        kept.swap_remove(at).1.downcast::<B>().ok()
    });
    let mut buffers = kept.unwrap_or_default();
    let result = work(&mut buffers);
    BUFFERS.with_borrow_mut(|kept| kept.push((id, buffers)));
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_come_back_as_they_were_left_unless_they_are_in_use() {
        #[derive(Default)]
        struct Mine(Vec<u32>);
        with_buffers(|buffers: &mut Mine| {
            buffers.0.push(7);
            with_buffers(|inner: &mut Mine| assert!(inner.0.is_empty()));
        });
        with_buffers(|numbers: &mut Vec<f32>| assert!(numbers.is_empty()));
        // The outer ones were put back last.
        let found =
            [(); 2].map(|()| with_buffers(|buffers: &mut Mine| std::mem::take(&mut buffers.0)));
        assert!(found.contains(&vec![7]), "{found:?}");
    }
}
