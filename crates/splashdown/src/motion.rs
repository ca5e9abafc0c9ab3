//! Prescribed motion of kinematic bodies: a pose for every time.

use crate::math::Pose;

/// How a body that obeys a script moves. Velocities are never asked for: a step from t to t + Δt
/// moves a point by pose(t + Δt) − pose(t), and its velocity is that over Δt.
#[derive(Clone, Debug, Default)]
pub enum Motion {
    /// Stays where the scene put it.
    #[default]
    Static,
}

impl Motion {
    /// The pose at time `t`, relative to the body's placement in the scene.
    pub fn pose(&self, _t: f64) -> Pose {
        Pose::IDENTITY
    }

    /// Whether the body never moves.
    pub fn is_static(&self) -> bool {
        matches!(self, Motion::Static)
    }
}

/// A number that may depend on time.
#[derive(Clone, Debug)]
pub enum Scalar {
    /// Always the same.
    Constant(f64),
}

impl Scalar {
    /// The value at time `t`.
    pub fn at(&self, _t: f64) -> f64 {
        let Scalar::Constant(value) = self;
        *value
    }
}
