//! Where a scene takes place, and what becomes of what leaves it.
//!
//! A drop that misses the tank falls for ever. Nothing depends on it any more, but it gets faster
//! and faster, and after some seconds one drop would ask for steps that the rest does not need.
//! Therefore: what flies alone outside of `Bounds::home` limits no step
//! (`methods::particles::strays`), and what leaves `Bounds::limit` is out. Fluid is removed and
//! counted; a rigid body stays where it left, as if it had been nailed there.

use crate::math::Aabb;

/// Where a scene takes place. A world without bounds is as large as numbers are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Around all that a scene begins with: solids and the ways they take, fluid, emitters,
    /// showers, sinks.
    pub home: Aabb,
    /// What leaves this is out.
    pub limit: Aabb,
}
