//! One array per quantity, one index range per object.

use crate::math::DVec3;

/// Every per-particle value that outlives a step. Fluids come first, object by object, then solids:
/// each object owns a contiguous range of indices, sorted along a space-filling curve.
#[derive(Clone, Debug, Default)]
pub struct Particles {
    /// m
    pub position: Vec<DVec3>,
    /// m/s
    pub velocity: Vec<DVec3>,
    /// Identity that survives sorting; unique among all particles ever made in a run.
    pub id: Vec<u32>,
    /// Mass density of fluid particles, kg/m³; zero for solids.
    pub density: Vec<f32>,
    /// Pressure of the last step, Pa, never negative.
    pub pressure: Vec<f32>,
    /// DFSPH: the part of the pressure that removed the divergence, Pa (a warm start).
    pub divergence_pressure: Vec<f32>,
}

impl Particles {
    /// How many particles there are.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }
}
