//! What changes while a world runs, as named arrays and numbers. A snapshot is a `State` in a file.
//!
//! Each store saves and loads itself (`Persist`), under names that begin with its own. `save` names
//! every field of the struct it looks at, so that a new field does not compile until somebody has
//! decided whether it belongs into a snapshot.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::math::DVec3;

/// Named arrays and numbers. All `f64` are kept bit by bit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// One entry per array.
    pub arrays: BTreeMap<String, Array>,
    /// Integers, and the bits of `f64`s.
    pub numbers: BTreeMap<String, u64>,
}

/// A named array of a state.
#[derive(Clone, Debug, PartialEq)]
pub enum Array {
    /// Vectors.
    Vectors(Vec<DVec3>),
    /// Double precision.
    F64(Vec<f64>),
    /// Single precision.
    F32(Vec<f32>),
    /// Identities and indices.
    U32(Vec<u32>),
}

/// Something with a part that changes while a world runs.
pub(crate) trait Persist {
    /// Puts what changes under names that begin with `key`.
    fn save(&self, key: &str, state: &mut State);

    /// Continues from what `save` put. The rest comes from the scene that it was built from. On an
    /// error it is of no use any more.
    fn load(&mut self, key: &str, state: &State) -> Result<(), String>;
}

/// Writing.
impl State {
    pub(crate) fn put(&mut self, key: &str, array: Array) {
        self.arrays.insert(key.to_owned(), array);
    }

    pub(crate) fn put_number(&mut self, key: &str, value: u64) {
        self.numbers.insert(key.to_owned(), value);
    }

    pub(crate) fn put_f64(&mut self, key: &str, value: f64) {
        self.put_number(key, value.to_bits());
    }

    pub(crate) fn put_range(&mut self, key: &str, range: &Range<usize>) {
        self.put_number(&format!("{key}.start"), range.start as u64);
        self.put_number(&format!("{key}.end"), range.end as u64);
    }

    /// All of a list, and how many they are.
    pub(crate) fn put_all(&mut self, key: &str, list: &[impl Persist]) {
        self.put_number(key, list.len() as u64);
        list.iter().enumerate().for_each(|(k, item)| item.save(&format!("{key}.{k}"), self));
    }
}

/// Reading. Nothing is trusted: a snapshot may come from another scene or be made by hand.
impl State {
    pub(crate) fn number(&self, key: &str) -> Result<u64, String> {
        self.numbers.get(key).copied().ok_or_else(|| format!("{key} is missing"))
    }

    pub(crate) fn finite(&self, key: &str) -> Result<f64, String> {
        let value = f64::from_bits(self.number(key)?);
        if value.is_finite() { Ok(value) } else { Err(format!("{key} is {value}")) }
    }

    pub(crate) fn expect_count(&self, key: &str, expected: usize) -> Result<(), String> {
        let stored = self.number(key)?;
        if stored == expected as u64 {
            return Ok(());
        }
        Err(format!("it has {stored} {key}, the scene has {expected}"))
    }

    pub(crate) fn range(&self, key: &str) -> Result<Range<usize>, String> {
        let index = |key: String| -> Result<usize, String> {
            usize::try_from(self.number(&key)?).map_err(|_| format!("{key} is too large"))
        };
        let range = index(format!("{key}.start"))?..index(format!("{key}.end"))?;
        if range.start > range.end {
            return Err(format!("{key} ends before it starts"));
        }
        Ok(range)
    }

    pub(crate) fn vectors(&self, key: &str) -> Result<&Vec<DVec3>, String> {
        match self.arrays.get(key) {
            Some(Array::Vectors(values)) if values.iter().all(|v| v.is_finite()) => Ok(values),
            Some(Array::Vectors(_)) => Err(format!("{key} holds values that are not finite")),
            Some(_) => Err(format!("{key} does not hold vectors")),
            None => Err(format!("{key} is missing")),
        }
    }

    pub(crate) fn singles(&self, key: &str) -> Result<&Vec<f32>, String> {
        match self.arrays.get(key) {
            Some(Array::F32(values)) if values.iter().all(|v| v.is_finite()) => Ok(values),
            Some(Array::F32(_)) => Err(format!("{key} holds values that are not finite")),
            Some(_) => Err(format!("{key} does not hold single-precision numbers")),
            None => Err(format!("{key} is missing")),
        }
    }

    pub(crate) fn integers(&self, key: &str) -> Result<&Vec<u32>, String> {
        match self.arrays.get(key) {
            Some(Array::U32(values)) => Ok(values),
            _ => Err(format!("{key} is missing")),
        }
    }

    /// A list as long as the one that was stored.
    pub(crate) fn load_all(&self, key: &str, list: &mut [impl Persist]) -> Result<(), String> {
        self.expect_count(key, list.len())?;
        let mut all = list.iter_mut().enumerate();
        all.try_for_each(|(k, item)| item.load(&format!("{key}.{k}"), self))
    }
}
