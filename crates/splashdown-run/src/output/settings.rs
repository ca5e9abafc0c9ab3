//! What a run writes, and how often.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::formats::Format;
use crate::math::DVec3;

/// What a run writes, and how often.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OutputSettings {
    /// Frames per simulated second; frame k is at k / fps exactly. Frame 0 is the initial state.
    pub frames_per_second: f64,
    /// Formats of the frames.
    pub formats: Vec<Format>,
    /// Whether liquid surfaces are written, too. An observer must do it: see `splashdown-render`.
    pub surface: bool,
    /// A snapshot every this many frames (0: only at the end and when interrupted).
    pub snapshot_every: u64,
    /// How many snapshots to keep, at least 2.
    pub snapshots_kept: usize,
    /// The run ends at the first step at or after this time, s.
    pub duration: f64,
    /// Measuring points.
    pub probes: Vec<Probe>,
}

/// A measuring point of the fluid, written as one row per frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// As in the scene; also the name of its CSV file.
    pub name: String,
    /// Where; for a level, any point of the vertical line.
    pub position: DVec3,
    /// What is measured there.
    pub quantity: ProbeQuantity,
}

/// What a probe measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProbeQuantity {
    /// Pressure, Pa.
    Pressure,
    /// Height of the free surface above the point, against gravity, m.
    Level,
    /// Velocity, m/s.
    Velocity,
    /// How far the nearest vertex of an elastic body has moved since the start, m.
    Displacement,
}
