//! Solids as the solvers see them: inverse masses and motions over one step.

use crate::body::{Locks, RigidBody};
use crate::boundary::Solid;
use crate::math::{DMat3, DVec3, Dimension, Pose};
use crate::rigid::system::RigidSystem;
use crate::twist::Twist;

/// One solid. Those that stand still or move as told have no inverse mass.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Whether forces move it.
    pub is_dynamic: bool,
    /// Origin of its frame, its centre of mass if it is dynamic, m.
    pub centre: DVec3,
    /// By axis: locked axes have none.
    pub inverse_mass: DVec3,
    /// In the world's frame.
    pub inverse_inertia: DMat3,
    /// Its motion over the step as far as it is known.
    pub motion: Twist,
}

impl Body {
    /// What an impulse changes in the motion.
    #[inline(always)]
    pub fn response(&self, impulse: &Twist) -> Twist {
        Twist {
            linear: self.inverse_mass * impulse.linear,
            angular: self.inverse_inertia * impulse.angular,
        }
    }

    /// Takes an impulse.
    pub fn apply(&mut self, impulse: &Twist) {
        let response = self.response(impulse);
        self.motion.add(1.0, &response);
    }

    /// J M⁻¹ Jᵀ of one row.
    #[inline(always)]
    pub fn mobility(&self, row: &Twist) -> f64 {
        row.dot(&self.response(row))
    }
}

/// All solids, in their order, with the motions that lead to `poses` (of those that move as
/// told) or that they have now.
pub fn bodies(system: &RigidSystem, poses: &[Pose], dt: f64) -> Vec<Body> {
    let (mass_unit, h) = (system.mass_unit, system.space.spacing);
    let of_solid = |(solid, pose): (&Solid, &Pose)| {
        let centre = solid.pose.translation;
        let Some(body) = solid.dynamic() else {
            let turn = (pose.rotation * solid.pose.rotation.inverse()).normalize();
            let angular = turn.to_scaled_axis();
            let motion = Twist { linear: (pose.translation - centre) / h, angular };
            let still = solid.motion().is_static();
            let motion = if still { Twist::default() } else { motion };
            return Body {
                is_dynamic: false,
                centre,
                inverse_mass: DVec3::ZERO,
                inverse_inertia: DMat3::ZERO,
                motion,
            };
        };
        let locks = locks(body, system.space.dimension);
        let free = |locked: [bool; 3]| DVec3::from(locked.map(|l| if l { 0.0 } else { 1.0 }));
        let inertia = body.world_inertia(solid.pose.rotation);
        let inverse = free_inverse(inertia, locks.rotation);
        let motion = Twist {
            linear: free(locks.translation) * body.velocity * (dt / h),
            angular: inverse * body.angular_momentum * dt,
        };
        Body {
            is_dynamic: true,
            centre,
            inverse_mass: free(locks.translation) * (mass_unit / body.mass),
            inverse_inertia: inverse * (mass_unit * h * h),
            motion,
        }
    };
    system.solids.iter().zip(poses).map(of_solid).collect()
}

/// The locks of a body; in 2D also those that keep it in the plane.
pub fn locks(body: &RigidBody, dimension: Dimension) -> Locks {
    let mut locks = body.locks;
    if dimension == Dimension::Two {
        locks.translation[2] = true;
        locks.rotation[0] = true;
        locks.rotation[1] = true;
    }
    locks
}

/// (P I P)⁻¹ on the axes that are free, zero about those that are `locked`: whatever torque it
/// takes to hold a locked axis, the lock has it.
pub fn free_inverse(inertia: DMat3, locked: [bool; 3]) -> DMat3 {
    if locked == [false; 3] {
        return inertia.inverse();
    }
    let mut held = inertia.to_cols_array_2d();
    for (a, column) in held.iter_mut().enumerate() {
        for (b, entry) in column.iter_mut().enumerate() {
            if locked[a] || locked[b] {
                *entry = if a == b { 1.0 } else { 0.0 };
            }
        }
    }
    let mut inverse = DMat3::from_cols_array_2d(&held).inverse();
    for axis in (0..3).filter(|&axis| locked[axis]) {
        *inverse.col_mut(axis) = DVec3::ZERO;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locked_axes_do_not_turn_and_free_ones_feel_only_themselves() {
        let inertia = DMat3::from_cols(
            DVec3::new(4.0, 1.0, 0.5),
            DVec3::new(1.0, 3.0, 0.2),
            DVec3::new(0.5, 0.2, 2.0),
        );
        let one = free_inverse(inertia, [true, true, false]);
        assert_eq!(one * DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.0, 0.0, 1.5));
        let all = free_inverse(inertia, [false; 3]) * inertia;
        assert!((all - DMat3::IDENTITY).abs_diff_eq(DMat3::ZERO, 1e-14));
        assert_eq!(free_inverse(inertia, [true; 3]), DMat3::ZERO);
    }
}
