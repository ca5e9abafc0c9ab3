//! What makes a solid a rigid body: mass, momentum, and what drives it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::math::{DMat3, DQuat, DVec3};
use crate::motion::Scalar;
use crate::state::{Array, Persist, State};

/// A solid that moves by the forces on it. The origin of its frame is its centre of mass.
#[derive(Clone, Debug)]
pub struct RigidBody {
    /// kg (2D: per metre of depth).
    pub mass: f64,
    /// Inertia about the centre of mass in the body's frame, kg m².
    pub inertia: DMat3,
    /// State: velocity of the centre of mass, m/s.
    pub velocity: DVec3,
    /// State: angular momentum about the centre of mass, kg m²/s. This is kept instead of the
    /// angular velocity, so that a body that spins freely keeps it to the last bits.
    pub angular_momentum: DVec3,
    /// Which of its movements are held.
    pub locks: Locks,
    /// Additional force at the centre of mass, N.
    pub force: [Scalar; 3],
    /// Additional torque, N m.
    pub torque: [Scalar; 3],
    /// What turns it.
    pub motor: Option<Motor>,
    /// State: it has left the bounds of the world, and stays where it was then.
    pub left: bool,
}

/// Movements that a body cannot make, along and about the axes of the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Locks {
    /// Held along x, y, z.
    pub translation: [bool; 3],
    /// Held about x, y, z.
    pub rotation: [bool; 3],
}

/// A motor brings a body to a speed of rotation as far as its torque allows.
#[derive(Clone, Debug)]
pub struct Motor {
    /// Unit vector in the body's frame.
    pub axis: DVec3,
    /// Speed it tries to reach, rad/s.
    pub speed: Scalar,
    /// Largest torque, N m.
    pub torque_limit: f64,
}

impl RigidBody {
    /// A body at rest that nothing but gravity and contact moves.
    pub fn at_rest(mass: f64, inertia: DMat3) -> RigidBody {
        let none = || [const { Scalar::Constant(0.0) }; 3];
        RigidBody {
            mass,
            inertia,
            velocity: DVec3::ZERO,
            angular_momentum: DVec3::ZERO,
            locks: Locks::default(),
            force: none(),
            torque: none(),
            motor: None,
            left: false,
        }
    }

    /// Whether it cannot make some movements.
    pub fn is_locked(&self) -> bool {
        self.locks != Locks::default()
    }

    /// Inertia in the world's frame of a body turned by `rotation`.
    pub fn world_inertia(&self, rotation: DQuat) -> DMat3 {
        let turn = DMat3::from_quat(rotation);
        turn * self.inertia * turn.transpose()
    }

    /// Angular velocity of a body turned by `rotation`: ω = I⁻¹ L, rad/s.
    pub fn angular_velocity(&self, rotation: DQuat) -> DVec3 {
        self.world_inertia(rotation).inverse() * self.angular_momentum
    }
}

impl Persist for RigidBody {
    fn save(&self, key: &str, state: &mut State) {
        let RigidBody {
            mass: _,
            inertia: _,
            velocity,
            angular_momentum,
            locks: _,
            force: _,
            torque: _,
            motor: _,
            left,
        } = self;
        let momentum = vec![*velocity, *angular_momentum];
        state.put(&format!("{key}.momentum"), Array::Vectors(momentum));
        state.put_number(&format!("{key}.left"), u64::from(*left));
    }

    fn load(&mut self, key: &str, state: &State) -> Result<(), String> {
        self.left = match state.number(&format!("{key}.left"))? {
            flag @ (0 | 1) => flag == 1,
            other => return Err(format!("{key}.left is {other}")),
        };
        let &[velocity, angular_momentum] = state.vectors(&format!("{key}.momentum"))?.as_slice()
        else {
            return Err(format!("{key}.momentum is unusable"));
        };
        (self.velocity, self.angular_momentum) = (velocity, angular_momentum);
        Ok(())
    }
}

/// Dry friction of particular pairs of solids, by classes of solids so that hundreds of alike
/// bodies are one entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrictionPairs {
    /// The class of each solid, in the order of `World::solids`; solids beyond the end have none.
    pub class: Vec<u32>,
    /// Coefficients by pairs of classes, the smaller class first.
    pub coefficient: BTreeMap<[u32; 2], f64>,
}

impl FrictionPairs {
    /// The coefficient between solids `a` and `b`, if theirs is a particular one.
    pub fn between(&self, a: usize, b: usize) -> Option<f64> {
        if self.coefficient.is_empty() {
            return None;
        }
        let (&a, &b) = (self.class.get(a)?, self.class.get(b)?);
        self.coefficient.get(&[a.min(b), a.max(b)]).copied()
    }
}

/// How bodies and fluids are solved together.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CouplingSettings {
    /// Which method.
    pub method: CouplingMethod,
    /// Which iteration (`Monolithic`).
    pub solver: CouplingSolver,
    /// Stop when the mean residual of contact (Fischer-Burmeister) and friction is below this.
    pub contact_error: f64,
    /// At least this many iterations.
    pub min_iterations: u32,
    /// At most this many iterations.
    pub max_iterations: u32,
    /// Share of the last step's contact pressures to start from, 0 to 1.
    pub warm_start: f64,
}

/// The ways to couple bodies and fluids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CouplingMethod {
    /// Bodies do not move while the fluid is solved (Akinci et al. 2012).
    Weak,
    /// Bodies move in every iteration of the fluid's solve (Gissler et al. 2019).
    Interlinked,
    /// One system of pressure, contact and friction (Probst & Teschner 2023).
    #[default]
    Monolithic,
    /// Liquid on a grid among solids that stand still or move as told (Takahashi & Batty 2022; its
    /// elastic and rigid bodies are not there yet).
    ElastoMonolith,
}

/// The iterations of the monolithic method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CouplingSolver {
    /// Projected relaxed Jacobi.
    Jacobi,
    // Friction of fluids on walls that stand is solved for exactly in every sweep.
    /// Accelerated (Silcowitz-Hansen, Niebe & Erleben 2010), contacts one after the other, forth
    /// and back.
    #[default]
    Nncg,
    /// Accelerated, all contacts at once, as Probst & Teschner 2023 do it.
    NncgJacobi,
}

impl Default for CouplingSettings {
    fn default() -> CouplingSettings {
        CouplingSettings {
            method: CouplingMethod::default(),
            solver: CouplingSolver::default(),
            contact_error: 1e-5,
            min_iterations: 6,
            max_iterations: 200,
            warm_start: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn angular_velocity_follows_the_turned_inertia() {
        let mut body = RigidBody::at_rest(2.0, DMat3::from_diagonal(DVec3::new(1.0, 2.0, 4.0)));
        body.angular_momentum = DVec3::X;
        let quarter = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
        assert_relative_eq!(body.angular_velocity(DQuat::IDENTITY).x, 1.0);
        assert_relative_eq!(body.angular_velocity(quarter).x, 0.5, epsilon = 1e-15);
    }
}
