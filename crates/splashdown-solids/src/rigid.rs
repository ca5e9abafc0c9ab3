//! Rigid bodies as Newton's method has them, an affine frame and masses at vertices, and as the
//! laws of motion of a rigid body have them: mass, centre, inertia, rotation, momenta.

use glam::{DMat3, DQuat, DVec3};

use crate::solids::Solids;

/// What the motion of a rigid body depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// kg
    pub mass: f64,
    /// Centre of mass, m.
    pub centre: DVec3,
    /// Σ m r rᵀ about the centre, kg m².
    pub second_moment: DMat3,
}

/// A rigid body and how it moves. The axes of its frame are those of the world at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidMotion {
    /// kg
    pub mass: f64,
    /// About the centre of mass, in the body's frame, kg m².
    pub inertia: DMat3,
    /// Centre of mass, m.
    pub centre: DVec3,
    /// From the body's frame to the world's.
    pub rotation: DQuat,
    /// Of the centre of mass, m/s.
    pub velocity: DVec3,
    /// About the centre of mass, kg m²/s.
    pub angular_momentum: DVec3,
}

impl MassProperties {
    /// Of masses at places; `None` without any mass.
    pub fn of_points(masses: &[f64], places: &[DVec3]) -> Option<MassProperties> {
        let mass: f64 = masses.iter().sum();
        let each = || masses.iter().zip(places);
        let centre = each().map(|(m, x)| *m * *x).sum::<DVec3>() / mass;
        let second_moment = each().fold(DMat3::ZERO, |sum, (m, x)| {
            let r = *x - centre;
            sum + *m * outer(r, r)
        });
        centre.is_finite().then_some(MassProperties { mass, centre, second_moment })
    }

    /// tr(S) 1 − S
    pub fn inertia(&self) -> DMat3 {
        let s = self.second_moment;
        DMat3::from_diagonal(DVec3::splat(s.x_axis.x + s.y_axis.y + s.z_axis.z)) - s
    }
}

/// a bᵀ
pub(crate) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

impl Solids {
    /// Body number `body` and how it moves, if it is a rigid one. Its rotation is the one that is
    /// closest to its affine frame.
    pub fn rigid_motion(&self, body: usize) -> Option<RigidMotion> {
        let range = self.bodies.get(body)?.vertices.clone();
        let [origin, corners @ ..] = self.affine_frame.get(range.start)?.as_ref()?.corners;
        let masses = &self.mass[range.clone()];
        let at_rest = MassProperties::of_points(masses, &self.rest[range.clone()])?;
        let (mass, centre) = self.centre(body);
        let edges = |x: &[DVec3]| {
            let [a, b, c] = corners.map(|v| x[v as usize] - x[origin as usize]);
            DMat3::from_cols(a, b, c)
        };
        let frame = edges(&self.position) * edges(&self.rest).inverse();
        let each = masses.iter().zip(&self.position[range.clone()]).zip(&self.velocity[range]);
        Some(RigidMotion {
            mass,
            inertia: at_rest.inertia(),
            centre,
            rotation: DQuat::from_mat3(&closest_rotation(frame)),
            velocity: self.momentum(body) / mass,
            angular_momentum: each.map(|((m, x), v)| *m * (*x - centre).cross(*v)).sum(),
        })
    }
}

/// The rotation of the polar decomposition of `f`, which is close to a rotation (Higham 1986).
fn closest_rotation(f: DMat3) -> DMat3 {
    (0..20).fold(f, |r, _| 0.5 * (r + r.inverse().transpose()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretched_rotation_gives_the_rotation_back() {
        let turn = DMat3::from_quat(DQuat::from_euler(glam::EulerRot::XYZ, 0.4, -2.0, 1.3));
        let stretch = DMat3::from_cols(
            DVec3::new(1.01, 0.002, 0.0),
            DVec3::new(0.002, 0.99, 0.001),
            DVec3::new(0.0, 0.001, 1.0),
        );
        let found = closest_rotation(turn * stretch);
        assert!(found.abs_diff_eq(turn, 1e-14), "{found}");
    }

    #[test]
    fn two_masses_are_a_dumbbell() {
        let places = [DVec3::new(1.0, 0.0, 5.0), DVec3::new(4.0, 0.0, 5.0)];
        let both = MassProperties::of_points(&[2.0, 1.0], &places).unwrap();
        assert_eq!((both.mass, both.centre), (3.0, DVec3::new(2.0, 0.0, 5.0)));
        assert_eq!(both.inertia(), DMat3::from_diagonal(DVec3::new(0.0, 6.0, 6.0)));
        assert_eq!(MassProperties::of_points(&[0.0], &[DVec3::X]), None);
    }
}
