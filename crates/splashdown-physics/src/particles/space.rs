//! The space that particles live in: its dimension, their distance, how far they see.

use crate::math::{DVec3, Dimension};
use crate::particles::kernel::{Kernel, KernelKind};
use crate::particles::periodic::nearest;

/// What all particles of a world have in common.
#[derive(Clone, Copy, Debug)]
pub struct Space {
    /// 2D or 3D.
    pub dimension: Dimension,
    /// Distance h between particles at rest, m.
    pub spacing: f64,
    /// After which the world repeats along each axis, m; zero where it does not.
    pub period: DVec3,
    /// The smoothing kernel.
    pub kernel: KernelKind,
}

impl Space {
    /// The kernel in this dimension.
    pub fn kernel(&self) -> Kernel {
        Kernel { kind: self.kernel, dimension: self.dimension }
    }

    /// hᵈ, m³ (2D: m²).
    pub fn volume(&self) -> f64 {
        self.dimension.volume(self.spacing)
    }

    /// From `b` to `a`, of nearest images if the world repeats, m.
    #[inline(always)]
    pub fn between(&self, a: DVec3, b: DVec3) -> DVec3 {
        nearest(a - b, self.period)
    }

    /// From `b` to `a` in h.
    pub fn arm(&self, a: DVec3, b: DVec3) -> DVec3 {
        self.between(a, b) / self.spacing
    }
}
