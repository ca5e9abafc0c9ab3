//! From the motion of a step to the new state of a body.
//!
//! PT23, appendix B: the centre moves with the new velocity, the quaternion is turned by the
//! rotation vector of the step (Zhao & van Wachem 2013), which keeps its length without
//! normalising:
//!
//!   x ← x + Δt v,   q ← (cos ½θ, sin ½θ θ̂) q,  θ = Δt ω          (R6)
//!
//! The state is the angular momentum L, not ω: a body that nothing turns keeps it to the last bit,
//! and there is no gyroscopic term. θ is taken half way through the step, ω = I(q½)⁻¹ L, which
//! keeps the energy of a tumbling body to second order in Δt.

use crate::boundary::Solid;
use crate::math::{DQuat, DVec3, Dimension, Pose};
use crate::particles::space::Space;
use crate::rigid::bodies::{Body, free_inverse, locks};
use crate::twist::Twist;

/// Pose, velocity and angular momentum after a step.
#[derive(Clone, Copy, Debug)]
pub struct RigidMotion {
    /// Pose at the end of the step.
    pub pose: Pose,
    /// m/s
    pub velocity: DVec3,
    /// kg m²/s
    pub angular_momentum: DVec3,
    /// rad/s
    pub angular_velocity: DVec3,
}

/// The rotation `q` turned further by the rotation vector `theta`.
fn turned(q: DQuat, theta: DVec3) -> DQuat {
    DQuat::from_scaled_axis(theta) * q
}

/// (R6) for a dynamic `solid` that had the motion `before` and now has `body.motion`.
pub fn integrate(
    space: Space,
    solid: &Solid,
    body: &Body,
    before: &Twist,
    dt: f64,
) -> Option<RigidMotion> {
    let rigid = solid.dynamic()?;
    let locks = locks(rigid, space.dimension);
    let velocity = body.motion.linear * (space.spacing / dt);
    let free = DVec3::from(locks.rotation.map(|locked| if locked { 0.0 } else { 1.0 }));
    let faster = (body.motion.angular - before.angular) / dt;
    let gained = rigid.world_inertia(solid.pose.rotation) * faster;
    let angular_momentum = free * (rigid.angular_momentum + gained);
    let spin = |q: DQuat| free_inverse(rigid.world_inertia(q), locks.rotation) * angular_momentum;
    let start = solid.pose.rotation;
    let middle = turned(start, 0.5 * dt * spin(start));
    let rotation = match space.dimension {
        // In the plane the inertia does not turn: one rotation about z.
        Dimension::Two => turned(start, dt * spin(start)),
        Dimension::Three => turned(start, dt * spin(middle)),
    };
    Some(RigidMotion {
        pose: Pose { translation: solid.pose.translation + dt * velocity, rotation },
        velocity,
        angular_momentum,
        angular_velocity: spin(rotation),
    })
}
