//! Motions of rigid things, and impulses on them: what moves a centre with what turns about it.

use crate::math::DVec3;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_impulse_and_a_motion_meet_in_their_work() {
        let motion = Twist { linear: DVec3::X, angular: DVec3::Z };
        let arm = DVec3::new(0.0, 2.0, 0.0);
        let impulse = DVec3::new(3.0, 1.0, 0.0);
        let work = motion.at(arm).dot(impulse);
        assert_eq!(motion.dot(&Twist::of_impulse(impulse, arm)), work);
    }
}
