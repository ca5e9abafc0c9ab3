//! Looks at a World, never changes it: frames, tables, probes, snapshots.

pub mod settings;
