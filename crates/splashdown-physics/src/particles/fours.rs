//! Pairs as vector loops read them: in fours, with the number of values that must be at hand.
//!
//! The loops in `simd.rs` look up values by slot without a check for each pair, which would cost a
//! tenth of their time. What makes that sound is here: lists are made by the neighbour search
//! alone, which gives out slots of the halo it has just numbered, and their pairs are handed out
//! only for at least so many values.

use super::pair::Pair;

/// Some pairs in fours. All of their slots are below `slots`.
#[derive(Clone, Copy, Debug)]
pub struct Fours<'a> {
    pairs: &'a [[Pair; 4]],
    slots: usize,
}

impl<'a> Fours<'a> {
    /// A list that the search has made for a halo of so many `slots`.
    #[inline(always)]
    pub(super) fn new(pairs: &'a [Pair], slots: usize) -> Fours<'a> {
        Fours { pairs: pairs.as_chunks().0, slots }
    }

    /// Whether there are none.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.pairs.is_empty()
    }

    /// The pairs, for which there are `values` by slot.
    #[inline(always)]
    pub(super) fn within<T>(self, values: &[T]) -> &'a [[Pair; 4]] {
        assert!(self.slots <= values.len(), "a value for each slot of the halo");
        self.pairs
    }

    /// Two fours at a time; the last comes twice if it is left over.
    #[inline(always)]
    pub fn eights(self) -> impl Iterator<Item = Eight<'a>> {
        let slots = self.slots;
        self.pairs.chunks(2).map(move |two| {
            let (first, last) = (&two[0], two.last().unwrap_or(&two[0]));
            Eight { first, last, slots }
        })
    }
}

/// Two of the fours.
#[derive(Clone, Copy, Debug)]
pub struct Eight<'a> {
    first: &'a [Pair; 4],
    last: &'a [Pair; 4],
    slots: usize,
}

impl<'a> Eight<'a> {
    /// Both, for which there are `values` by slot.
    #[inline(always)]
    pub(super) fn within<T>(self, values: &[T]) -> [&'a [Pair; 4]; 2] {
        assert!(self.slots <= values.len(), "a value for each slot of the halo");
        [self.first, self.last]
    }
}
