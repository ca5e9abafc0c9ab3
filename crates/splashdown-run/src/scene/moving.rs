//! Prescribed motions as written in a scene → `Motion`.

use super::convert::Converter;
use super::file;
use super::validate::join;
use crate::math::{DVec3, Pose};
use crate::motion::{ConstantMotion, ExpressionMotion, Keyframes, Motion};

impl Converter<'_, '_> {
    /// The motion of a solid that the scene puts at `placement`.
    pub(super) fn motion(
        &mut self,
        key: &str,
        motion: Option<&file::Motion>,
        placement: &Pose,
    ) -> Motion {
        let motion = match motion {
            None => return Motion::Static,
            Some(file::Motion::Constant(m)) => {
                self.constant_motion(&join(key, "constant"), m, placement)
            }
            Some(file::Motion::Keyframes(m)) => {
                self.keyframes(&join(key, "keyframes"), m, placement)
            }
            Some(file::Motion::Expressions(m)) => {
                self.expression_motion(&join(key, "expressions"), m, placement)
            }
        };
        if let Some(t) = motion.first_bad_time(self.duration) {
            self.report.key(key, format!("is not finite at t = {t} s"), None);
            return Motion::Static;
        }
        motion
    }

    fn centre(&mut self, key: &str, about: Option<&file::Vector>, placement: &Pose) -> DVec3 {
        match about {
            Some(about) => self.vector(&join(key, "about"), about),
            None => placement.translation,
        }
    }

    fn constant_motion(
        &mut self,
        key: &str,
        motion: &file::ConstantMotion,
        placement: &Pose,
    ) -> Motion {
        self.window(key, motion.start, motion.end);
        Motion::Constant(ConstantMotion {
            velocity: self.vector(&join(key, "velocity"), &motion.velocity),
            angular_velocity: self.spin(&join(key, "angular_velocity"), &motion.angular_velocity),
            about: self.centre(key, motion.about.as_ref(), placement),
            start: motion.start,
            end: motion.end.unwrap_or(f64::INFINITY),
        })
    }

    fn keyframes(&mut self, key: &str, motion: &file::KeyframeMotion, placement: &Pose) -> Motion {
        let mut keyframes = Keyframes {
            times: Vec::new(),
            positions: Vec::new(),
            rotations: Vec::new(),
            about: self.centre(key, motion.about.as_ref(), placement),
            interpolation: motion.interpolation,
            repeat: motion.repeat,
        };
        for (k, frame) in motion.frames.iter().enumerate() {
            let key = format!("{key}.frames[{k}]");
            if keyframes.times.last().is_some_and(|last| frame.time <= *last) {
                let message = format!("{} s is not after the keyframe before it", frame.time);
                self.report.key(&join(&key, "time"), message, None);
            }
            if k > 0 {
                self.refuse_long_turn(&key, &motion.frames[k - 1].rotate, &frame.rotate);
            }
            keyframes.times.push(frame.time);
            keyframes.positions.push(self.vector(&join(&key, "position"), &frame.position));
            keyframes.rotations.push(self.rotation(&join(&key, "rotate"), &frame.rotate));
        }
        Motion::Keyframes(keyframes)
    }

    /// From one keyframe to the next a body takes the shorter way: a full turn would be none at
    /// all.
    fn refuse_long_turn(&mut self, key: &str, from: &file::Rotation, to: &file::Rotation) {
        let turn = to.angle.unwrap_or(0.0) - from.angle.unwrap_or(0.0);
        if turn.abs() >= 180.0 {
            let help = "turn by less than 180 degrees from keyframe to keyframe".to_string();
            self.report.key(&join(key, "rotate.angle"), format!("turns by {turn}°"), Some(help));
        }
    }

    fn expression_motion(
        &mut self,
        key: &str,
        motion: &file::ExpressionMotion,
        placement: &Pose,
    ) -> Motion {
        let axis_key = join(key, "axis");
        let axis = motion.axis.to_dvec3();
        self.turns_in_plane(&axis_key, axis);
        let axis = axis.try_normalize().unwrap_or_else(|| {
            self.report.key(&axis_key, "must not be zero", None);
            DVec3::Z
        });
        Motion::Expressions(ExpressionMotion {
            position: self.scalars(&join(key, "position"), &motion.position),
            axis,
            angle: self.scalar(&join(key, "angle"), &motion.angle),
            about: self.centre(key, motion.about.as_ref(), placement),
        })
    }

    /// A time window must not end before it starts.
    pub(super) fn window(&mut self, key: &str, start: f64, end: Option<f64>) {
        if let Some(end) = end.filter(|end| *end <= start) {
            let help = format!("must be above start, {start} s");
            self.report.key(&join(key, "end"), format!("{end} is out of range"), Some(help));
        }
    }
}
