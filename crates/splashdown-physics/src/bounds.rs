//! Where a scene takes place, and what becomes of what leaves it.
//!
//! A drop that misses the tank falls for ever. Nothing depends on it any more, but it gets faster
//! and faster, and after some seconds one drop would ask for steps that the rest does not need.
//! Therefore: what flies alone outside of `Bounds::home` limits no step (`step::strays`), and what
//! leaves `Bounds::limit` is out. Fluid is removed and counted; a rigid body stays where it left,
//! as if it had been nailed there.

use rayon::prelude::*;

use crate::math::{Aabb, DVec3};
use crate::world::World;

/// Where a scene takes place. A world without bounds is as large as numbers are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Around all that a scene begins with: solids and the ways they take, fluid, emitters,
    /// showers, sinks.
    pub home: Aabb,
    /// What leaves this is out.
    pub limit: Aabb,
}

impl World {
    /// Takes out what has left the bounds; returns how many fluid particles that were.
    pub(crate) fn take_out_what_left(&mut self) -> u64 {
        let Some(Bounds { limit, .. }) = self.bounds else { return 0 };
        // What is nowhere has not left: it is an error of the next step.
        let stays = |p: &DVec3| limit.contains(*p) || !p.is_finite();
        let fluid = &self.particles.position[..self.fluid_count()];
        let mut left = 0;
        if !fluid.par_iter().all(stays) {
            let keep: Vec<bool> = fluid.par_iter().map(stays).collect();
            left = self.retain_fluid(&keep);
            self.lost += left;
        }
        for solid in &mut self.solids {
            let at = solid.pose.translation;
            if let Some(body) = solid.body.as_mut().filter(|body| !body.left && !stays(&at)) {
                body.left = true;
                (body.velocity, body.angular_momentum) = (DVec3::ZERO, DVec3::ZERO);
                self.particles.velocity[solid.range.clone()].fill(DVec3::ZERO);
            }
        }
        left
    }
}
