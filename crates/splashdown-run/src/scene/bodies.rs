//! Rigid bodies as written in a scene → `RigidBody`.

use super::convert::Converter;
use super::file::{self, FluidSide, Lock, Number, Solid, VectorField};
use super::validate::join;
use crate::body::{Locks, Motor, RigidBody};
use crate::expression::Expression;
use crate::math::{DMat3, DQuat, DVec3, Dimension};
use crate::motion::Scalar;
use crate::shapes::{Moments, Shape};

/// A rigid body before it has its place.
#[derive(Clone)]
pub(crate) struct Weighed {
    body: RigidBody,
    /// Centre of mass in the frame of the shape, m.
    pub centre: DVec3,
    /// rad/s, in the world's frame.
    spin: DVec3,
}

impl Weighed {
    /// The body turned by `rotation`, with the angular momentum of its spin.
    pub(super) fn turned(&self, rotation: DQuat) -> RigidBody {
        let mut body = self.body.clone();
        body.angular_momentum = body.world_inertia(rotation) * self.spin;
        body
    }
}

impl Converter<'_, '_> {
    /// Checks what can be known about a body without its shape.
    pub(super) fn check_body(&mut self, key: &str, solid: &Solid) {
        if !solid.is_rigid_body() {
            self.refuse_body_keys(key, solid);
            return;
        }
        if solid.mass.is_some() && solid.density.is_some() {
            let help = "write one of the two".to_string();
            self.report.key(&join(key, "mass"), "is given by density already", Some(help));
        }
        if solid.motion.is_some() {
            let help = "leave it out, or density and mass".to_string();
            let message = "a rigid body moves by the forces on it";
            self.report.key(&join(key, "motion"), message, Some(help));
        }
        self.driven(key, solid);
        self.given_inertia(key, solid);
    }

    /// Keys that mean something for rigid bodies only.
    fn refuse_body_keys(&mut self, key: &str, solid: &Solid) {
        let keys = [
            ("thickness", solid.thickness.is_some()),
            ("inertia", solid.inertia.is_some()),
            ("velocity", solid.velocity.is_some()),
            ("spin", solid.spin.is_some()),
            ("lock", !solid.lock.is_empty()),
            ("force", solid.force.is_some()),
            ("torque", solid.torque.is_some()),
            ("motor", solid.motor.is_some()),
        ];
        for (name, _) in keys.into_iter().filter(|(_, given)| *given) {
            let help = "give it a density or a mass".to_string();
            self.report.key(&join(key, name), "needs a rigid body", Some(help));
        }
    }

    /// The body of a solid, if it is one.
    pub(super) fn weigh(
        &mut self,
        key: &str,
        solid: &Solid,
        shape: &Shape,
        side: FluidSide,
    ) -> Option<Weighed> {
        if !solid.is_rigid_body() {
            return None;
        }
        let (mass, moments) = self.mass(key, solid, shape, side)?;
        let inertia = match self.given_inertia(key, solid) {
            Some(inertia) => inertia,
            None => moments.inertia_per_mass() * mass,
        };
        // A straight wire or a speck has no inertia about some axis.
        let smallest = 1e-9 * mass * self.spacing * self.spacing;
        let least = DMat3::from_diagonal(DVec3::splat(smallest));
        let (mut body, spin) = self.driven(key, solid);
        (body.mass, body.inertia) = (mass, inertia + least);
        Some(Weighed { body, centre: moments.centre(), spin })
    }

    fn mass(
        &mut self,
        key: &str,
        solid: &Solid,
        shape: &Shape,
        side: FluidSide,
    ) -> Option<(f64, Moments)> {
        let inside = match side {
            FluidSide::Outside => shape.inside_moments(self.dimension),
            FluidSide::Inside | FluidSide::Both => None,
        };
        let is_shell = inside.is_none();
        let Some(moments) = inside.or_else(|| shape.surface_moments(self.dimension)) else {
            self.report.key(&join(key, "shape"), "has neither volume nor surface", None);
            return None;
        };
        let measure = match (is_shell, solid.thickness) {
            (false, Some(_)) => {
                let help = "sheets and vessels have one".to_string();
                self.report.key(&join(key, "thickness"), "has no meaning here", Some(help));
                return None;
            }
            (false, None) => moments.measure,
            (true, Some(thickness)) => moments.measure * thickness,
            (true, None) if solid.mass.is_none() => {
                let help = "give it a mass, or a thickness besides the density".to_string();
                let message = "is not enough: the body has a surface but no volume of its own";
                self.report.key(&join(key, "density"), message, Some(help));
                return None;
            }
            (true, None) => 0.0,
        };
        Some((solid.mass.unwrap_or_else(|| solid.density.unwrap_or(0.0) * measure), moments))
    }

    fn given_inertia(&mut self, key: &str, solid: &Solid) -> Option<DMat3> {
        let values = solid.inertia.as_ref()?;
        let key = join(key, "inertia");
        let inertia = match (self.dimension, values.as_slice()) {
            (Dimension::Two, &[zz]) => DMat3::from_diagonal(DVec3::splat(zz)),
            (Dimension::Three, &[xx, yy, zz]) => DMat3::from_diagonal(DVec3::new(xx, yy, zz)),
            (Dimension::Three, &[xx, yy, zz, xy, xz, yz]) => DMat3::from_cols(
                DVec3::new(xx, xy, xz),
                DVec3::new(xy, yy, yz),
                DVec3::new(xz, yz, zz),
            ),
            (dimension, values) => {
                let help = match dimension {
                    Dimension::Two => "one number in a 2D scene",
                    Dimension::Three => "three or six numbers",
                };
                let message = format!("has {} numbers", values.len());
                self.report.key(&key, message, Some(help.to_string()));
                return None;
            }
        };
        // Sylvester: all leading minors are positive.
        let [x, y] = [inertia.x_axis, inertia.y_axis];
        let minors = [x.x, x.x * y.y - x.y * y.x, inertia.determinant()];
        if minors.iter().any(|minor| !(*minor > 0.0 && minor.is_finite())) {
            let help = "bodies resist turning about every axis".to_string();
            self.report.key(&key, "is not positive", Some(help));
            return None;
        }
        Some(inertia)
    }

    /// What moves and holds the body, and its spin; without mass.
    fn driven(&mut self, key: &str, solid: &Solid) -> (RigidBody, DVec3) {
        let mut body = RigidBody::at_rest(1.0, DMat3::IDENTITY);
        if let Some(velocity) = &solid.velocity {
            body.velocity = self.vector(&join(key, "velocity"), velocity);
        }
        if let Some(force) = &solid.force {
            body.force = self.scalars(&join(key, "force"), force);
        }
        if let Some(torque) = &solid.torque {
            body.torque = self.torques(&join(key, "torque"), torque);
        }
        body.motor = solid.motor.as_ref().map(|motor| self.motor(&join(key, "motor"), motor));
        body.locks = self.locks(&solid.lock);
        let spin = solid.spin.as_ref().map(|spin| self.spin(&join(key, "spin"), spin));
        (body, spin.unwrap_or(DVec3::ZERO))
    }

    /// Like a vector of formulas, but in 2D it is the third component that counts.
    fn torques(&mut self, key: &str, field: &VectorField) -> [Scalar; 3] {
        let is_zero = |number: &Number| match number {
            Number::Constant(value) => *value == 0.0,
            Number::Expression(text) => text.trim() == "0",
        };
        if field.0.len() != 3 {
            let message = format!("has {} components", field.0.len());
            self.report.key(key, message, Some("write [x, y, z]".to_string()));
        } else if self.dimension == Dimension::Two && !field.0[..2].iter().all(is_zero) {
            let help = "write [0, 0, m]".to_string();
            self.report.key(key, "turns out of the plane of a 2D scene", Some(help));
        }
        [0, 1, 2].map(|k| match field.0.get(k) {
            Some(number) => self.scalar(&format!("{key}[{k}]"), number),
            None => Scalar::Constant(0.0),
        })
    }

    fn motor(&mut self, key: &str, motor: &file::Motor) -> Motor {
        let axis = motor.axis.to_dvec3();
        self.turns_in_plane(&join(key, "axis"), axis);
        let axis = axis.try_normalize().unwrap_or_else(|| {
            self.report.key(&join(key, "axis"), "must not be zero", None);
            DVec3::Z
        });
        let degrees = self.scalar(&join(key, "speed"), &motor.speed);
        Motor { axis, speed: in_radians(degrees), torque_limit: motor.torque_limit }
    }

    fn locks(&self, locks: &[Lock]) -> Locks {
        let flat = self.dimension == Dimension::Two;
        let mut held = Locks { translation: [false, false, flat], rotation: [flat, flat, false] };
        for lock in locks {
            match lock {
                Lock::X => held.translation[0] = true,
                Lock::Y => held.translation[1] = true,
                Lock::Z => held.translation[2] = true,
                Lock::RotateX => held.rotation[0] = true,
                Lock::RotateY => held.rotation[1] = true,
                Lock::RotateZ => held.rotation[2] = true,
                Lock::Position => held.translation = [true; 3],
                Lock::Rotation => held.rotation = [true; 3],
            }
        }
        held
    }
}

/// From degrees to radians, also of a formula.
fn in_radians(degrees: Scalar) -> Scalar {
    let formula = match degrees {
        Scalar::Constant(value) => return Scalar::Constant(value.to_radians()),
        Scalar::Expression(formula) => format!("({}) * pi / 180", formula.text()),
    };
    // A formula in parentheses is a formula; one at the limit of depth stands still.
    Expression::compile(&formula, &["t"]).map_or(Scalar::Constant(0.0), Scalar::Expression)
}
