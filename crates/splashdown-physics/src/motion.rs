//! Prescribed motion of kinematic bodies: a pose for every time.
//!
//! A pose is relative to where the scene put the body, and acts in world coordinates: a body at
//! rest has the identity, whatever its placement.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::expression::Expression;
use crate::math::{DQuat, DVec3, Pose};

/// How a body that obeys a script moves. Velocities are never asked for: a step from t to t + Δt
/// moves a point by pose(t + Δt) − pose(t), and its velocity is that over Δt.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Motion {
    /// Stays where the scene put it.
    #[default]
    Static,
    /// Translates and turns steadily.
    Constant(ConstantMotion),
    /// Passes through poses at given times.
    Keyframes(Keyframes),
    /// Follows formulas.
    Expressions(ExpressionMotion),
}

/// Steady translation and rotation between two times.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstantMotion {
    /// m/s
    pub velocity: DVec3,
    /// Axis times rad/s.
    pub angular_velocity: DVec3,
    /// Centre of rotation at the start, in world coordinates; it moves along with `velocity`.
    pub about: DVec3,
    /// Rests before this time, s.
    pub start: f64,
    /// Rests after this time, s.
    pub end: f64,
}

/// Poses at given times, and what is between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyframes {
    /// Increasing, s.
    pub times: Vec<f64>,
    /// Displacements, m, one for each time.
    pub positions: Vec<DVec3>,
    /// Rotations about `about`, one for each time.
    pub rotations: Vec<DQuat>,
    /// Centre of rotation when not displaced, in world coordinates.
    pub about: DVec3,
    /// How to get from one to the next.
    pub interpolation: Interpolation,
    /// Starts again after the last keyframe instead of staying there.
    pub repeat: bool,
}

/// How to get from one keyframe to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Interpolation {
    /// At constant speed.
    #[default]
    Linear,
    /// Starting and stopping gently at every keyframe.
    Smooth,
}

/// Position and angle as formulas of the time `t`.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpressionMotion {
    /// Displacement, m.
    pub position: [Scalar; 3],
    /// Unit vector.
    pub axis: DVec3,
    /// Angle about `axis`, degrees.
    pub angle: Scalar,
    /// Centre of rotation when not displaced, in world coordinates.
    pub about: DVec3,
}

impl Motion {
    /// The pose at time `t`, relative to the body's placement in the scene.
    pub fn pose(&self, t: f64) -> Pose {
        match self {
            Motion::Static => Pose::IDENTITY,
            Motion::Constant(motion) => motion.pose(t),
            Motion::Keyframes(motion) => motion.pose(t),
            Motion::Expressions(motion) => motion.pose(t),
        }
    }

    /// Whether the body never moves.
    pub fn is_static(&self) -> bool {
        matches!(self, Motion::Static)
    }

    /// The first of some sample times up to `duration` at which the pose is not finite.
    pub fn first_bad_time(&self, duration: f64) -> Option<f64> {
        sample_times(duration).find(|&t| !self.pose(t).is_finite())
    }
}

/// Turns by `rotation` about `about`, then moves by `displacement`.
fn turned_about(about: DVec3, rotation: DQuat, displacement: DVec3) -> Pose {
    Pose { rotation, translation: about - rotation * about + displacement }
}

impl ConstantMotion {
    fn pose(&self, t: f64) -> Pose {
        let moving = t.clamp(self.start, self.end.max(self.start)) - self.start;
        let rotation = DQuat::from_scaled_axis(self.angular_velocity * moving);
        turned_about(self.about, rotation, self.velocity * moving)
    }
}

impl Keyframes {
    fn pose(&self, t: f64) -> Pose {
        let (Some(&first), Some(&last)) = (self.times.first(), self.times.last()) else {
            return Pose::IDENTITY;
        };
        let period = last - first;
        let t =
            if self.repeat && period > 0.0 { first + (t - first).rem_euclid(period) } else { t };

        // The keyframes before and after t; the same one twice before the first and after the last.
        let after = self.times.partition_point(|&time| time <= t);
        let (a, b) = (after.saturating_sub(1), after.min(self.times.len() - 1));
        let share = match self.times[b] - self.times[a] {
            gap if gap > 0.0 => ((t - self.times[a]) / gap).clamp(0.0, 1.0),
            _ => 0.0,
        };
        let share = match self.interpolation {
            Interpolation::Linear => share,
            Interpolation::Smooth => share * share * (3.0 - 2.0 * share),
        };
        let rotation = self.rotations[a].slerp(self.rotations[b], share);
        turned_about(self.about, rotation, self.positions[a].lerp(self.positions[b], share))
    }
}

impl ExpressionMotion {
    fn pose(&self, t: f64) -> Pose {
        let [x, y, z] = &self.position;
        let rotation = DQuat::from_axis_angle(self.axis, self.angle.at(t).to_radians());
        turned_about(self.about, rotation, DVec3::new(x.at(t), y.at(t), z.at(t)))
    }
}

/// A number that may depend on time.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// Always the same.
    Constant(f64),
    /// A formula of `t`.
    Expression(Expression),
}

impl Scalar {
    /// The value at time `t`.
    pub fn at(&self, t: f64) -> f64 {
        match self {
            Scalar::Constant(value) => *value,
            Scalar::Expression(expression) => expression.evaluate(&[t]),
        }
    }

    /// The first of some sample times up to `duration` at which the value is not finite.
    pub fn first_bad_time(&self, duration: f64) -> Option<f64> {
        sample_times(duration).find(|&t| !self.at(t).is_finite())
    }
}

/// Times at which to try out a formula before a run: the start, the end and a few hundred between,
/// at uneven distances so as not to fall on the zeros of sines.
fn sample_times(duration: f64) -> impl Iterator<Item = f64> {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let between = (1..256).map(move |k| duration * (f64::from(k) * GOLDEN).fract());
    [0.0, duration].into_iter().chain(between)
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    fn formula(text: &str) -> Scalar {
        Scalar::Expression(Expression::compile(text, &["t"]).unwrap())
    }

    fn keyframes(interpolation: Interpolation, repeat: bool) -> Keyframes {
        let quarter = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
        Keyframes {
            times: vec![1.0, 3.0],
            positions: vec![DVec3::ZERO, DVec3::X],
            rotations: vec![DQuat::IDENTITY, quarter],
            about: DVec3::ZERO,
            interpolation,
            repeat,
        }
    }

    #[test]
    fn a_static_body_keeps_its_pose() {
        assert_eq!(Motion::Static.pose(3.0), Pose::IDENTITY);
    }

    #[test]
    fn constant_motion_turns_about_its_centre_and_rests_outside_its_window() {
        let motion = Motion::Constant(ConstantMotion {
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::Z * std::f64::consts::PI,
            about: DVec3::new(1.0, 0.0, 0.0),
            start: 1.0,
            end: 2.0,
        });
        assert_eq!(motion.pose(0.5), Pose::IDENTITY);
        let centre = DVec3::new(1.0, 0.0, 0.0);
        assert_relative_eq!(
            (motion.pose(1.3).apply(centre) - centre).length(),
            0.0,
            epsilon = 1e-14
        );
        let half_turn = DVec3::new(2.0, 0.0, 0.0);
        assert_relative_eq!(
            (motion.pose(9.0).apply(DVec3::ZERO) - half_turn).length(),
            0.0,
            epsilon = 1e-14
        );
    }

    #[test]
    fn keyframes_are_met_held_and_repeated() {
        let once = keyframes(Interpolation::Linear, false);
        assert_eq!(once.pose(0.0).translation, DVec3::ZERO);
        assert_relative_eq!(once.pose(1.5).translation.x, 0.25);
        assert_eq!(once.pose(7.0).translation, DVec3::X);
        let angle = once.pose(2.0).rotation.to_axis_angle().1;
        assert_relative_eq!(angle, std::f64::consts::FRAC_PI_4, epsilon = 1e-12);
        let smooth = keyframes(Interpolation::Smooth, false);
        assert_relative_eq!(smooth.pose(1.5).translation.x, 0.15625);
        let repeated = keyframes(Interpolation::Linear, true);
        assert_relative_eq!(repeated.pose(3.5).translation.x, 0.25);
    }

    #[test]
    fn expressions_that_leave_the_finite_numbers_are_found() {
        let motion = |x| {
            Motion::Expressions(ExpressionMotion {
                position: [formula(x), Scalar::Constant(0.0), Scalar::Constant(0.0)],
                axis: DVec3::Z,
                angle: formula("90*t"),
                about: DVec3::ZERO,
            })
        };
        assert_eq!(motion("sin(t)").first_bad_time(5.0), None);
        assert_eq!(motion("1/t").first_bad_time(5.0), Some(0.0));
        assert!(motion("sqrt(1 - t)").first_bad_time(5.0).is_some());
        let turned = motion("0").pose(1.0).apply(DVec3::X);
        assert_relative_eq!((turned - DVec3::Y).length(), 0.0, epsilon = 1e-14);
    }
}
