//! What the physics of rigid bodies sees: solids with their particles, and how they rub.

use crate::body::FrictionPairs;
use crate::boundary::{Solid, solid_of};
use crate::particles::kernel::Kernel;
use crate::particles::space::Space;
use crate::particles::store::Particles;

/// All solids at the beginning of a step, to look at.
#[derive(Clone, Copy, Debug)]
pub struct RigidSystem<'a> {
    /// Units of length and the kernel.
    pub space: Space,
    /// The unit of mass ρ_ref hᵈ with which bodies and particles are compared, kg.
    pub mass_unit: f64,
    /// All particles, also those of fluids.
    pub particles: &'a Particles,
    /// In the order of their particles.
    pub solids: &'a [Solid],
    /// Dry friction of particular pairs.
    pub friction_pairs: &'a FrictionPairs,
}

impl RigidSystem<'_> {
    /// The kernel in this dimension.
    pub fn kernel(&self) -> Kernel {
        self.space.kernel()
    }

    /// The solid that particle `i` belongs to.
    pub fn solid_of(&self, i: usize) -> Option<usize> {
        solid_of(self.solids, i)
    }

    /// Coefficient of dry friction between solids `a` and `b`: that of the pair, or else the
    /// geometric mean of their own.
    pub fn friction_between(&self, a: usize, b: usize) -> f64 {
        let mean = || (self.solids[a].friction * self.solids[b].friction).sqrt();
        self.friction_pairs.between(a, b).unwrap_or_else(mean)
    }
}
