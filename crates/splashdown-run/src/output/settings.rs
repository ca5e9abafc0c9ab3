//! What a run writes, and how often.

use crate::math::DVec3;

/// What a run writes, and how often.
#[derive(Clone, Debug, PartialEq)]
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

/// A file format of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// VTK XML binary (`.vtp`) with a `.pvd` time series, for ParaView.
    Vtk,
    /// Gzip-compressed BGEO version 5, for Houdini.
    Bgeo,
    /// Binary PLY.
    Ply,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeQuantity {
    /// Shepard-interpolated pressure, Pa.
    Pressure,
    /// Height of the free surface above the probe's position, against gravity, m.
    Level,
    /// Shepard-interpolated velocity, m/s.
    Velocity,
    /// How far the vertex of an elastic body that rests nearest has moved, m.
    Displacement,
}
