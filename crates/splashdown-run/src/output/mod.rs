//! Looks at a World, never changes it: frames, tables, probes, snapshots.
//!
//! ```text
//! driver ──step──► World
//!   │ tables (log.csv, bodies.csv, probes/*.csv) in the driver's own thread
//!   └ frames and snapshots ──► writer (a background thread) ──► formats, snapshot
//! ```

mod appearance;
pub mod atomic;
mod collection;
mod damage;
pub mod disk;
pub mod driver;
pub mod error;
pub mod fingerprint;
pub mod formats;
pub mod frame;
pub mod immersed;
pub mod ledger;
pub mod lock;
pub mod made;
pub mod observer;
pub mod probe;
pub mod resume;
pub mod run_directory;
pub mod settings;
pub mod snapshot;
pub mod table;
pub mod tables;
#[cfg(test)]
pub(crate) mod testing;
pub mod totals;
pub mod writer;
