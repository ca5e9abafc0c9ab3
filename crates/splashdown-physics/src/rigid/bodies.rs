//! Solids as the solvers see them: inverse masses and motions over one step.

use crate::body::{Locks, RigidBody};
use crate::math::{DMat3, DVec3, Dimension, Pose};
use crate::world::World;

/// A motion of a rigid body over one step, or an impulse on it, with what turns about its centre.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// Displacement of the centre in h; impulse.
    pub linear: DVec3,
    /// Rotation vector; angular impulse about the centre.
    pub angular: DVec3,
}

impl Twist {
    /// How much `impulse` does along this motion, or this motion along `impulse`.
    #[inline(always)]
    pub fn dot(&self, other: &Twist) -> f64 {
        self.linear.dot(other.linear) + self.angular.dot(other.angular)
    }

    /// Displacement of the point `arm` away from the centre.
    #[inline(always)]
    pub fn at(&self, arm: DVec3) -> DVec3 {
        self.linear + self.angular.cross(arm)
    }

    /// An impulse `impulse` at the point `arm` away from the centre.
    #[inline(always)]
    pub fn of_impulse(impulse: DVec3, arm: DVec3) -> Twist {
        Twist { linear: impulse, angular: arm.cross(impulse) }
    }

    /// Adds `scale` times `other`.
    #[inline(always)]
    pub fn add(&mut self, scale: f64, other: &Twist) {
        self.linear += scale * other.linear;
        self.angular += scale * other.angular;
    }
}

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

    /// J M⁻¹ Jᵀ of one row.
    #[inline(always)]
    pub fn mobility(&self, row: &Twist) -> f64 {
        row.dot(&self.response(row))
    }
}

/// The unit of mass ρ_ref hᵈ with which bodies and particles are compared, kg.
pub fn mass_unit(world: &World) -> f64 {
    world.reference_density() * world.dimension.volume(world.spacing)
}

/// All solids of `world`, in their order, with the motions that lead to `poses` (of those that move as
/// told) or that they have now.
pub fn bodies(world: &World, poses: &[Pose], dt: f64) -> Vec<Body> {
    let (mass_unit, h) = (mass_unit(world), world.spacing);
    let of_solid = |(solid, pose): (&crate::world::Solid, &Pose)| {
        let centre = solid.pose.translation;
        let Some(body) = solid.dynamic() else {
            let turn = (pose.rotation * solid.pose.rotation.inverse()).normalize();
            let angular = turn.to_scaled_axis();
            let motion = Twist { linear: (pose.translation - centre) / h, angular };
            let still = solid.motion.is_static();
            let motion = if still { Twist::default() } else { motion };
            return Body {
                is_dynamic: false,
                centre,
                inverse_mass: DVec3::ZERO,
                inverse_inertia: DMat3::ZERO,
                motion,
            };
        };
        let locks = locks(body, world.dimension);
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
    world.solids.iter().zip(poses).map(of_solid).collect()
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

/// (P I P)⁻¹ on the axes that are free, zero about those that are `locked`: whatever torque it takes to
/// hold a locked axis, the lock has it.
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

    #[test]
    fn an_impulse_and_a_motion_meet_in_their_work() {
        let motion = Twist { linear: DVec3::X, angular: DVec3::Z };
        let arm = DVec3::new(0.0, 2.0, 0.0);
        let impulse = DVec3::new(3.0, 1.0, 0.0);
        let work = motion.at(arm).dot(impulse);
        assert_eq!(motion.dot(&Twist::of_impulse(impulse, arm)), work);
    }
}
