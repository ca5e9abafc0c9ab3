//! What a fluid knows of solids: particles on their surfaces, and who carries them.

use std::ops::Range;

use crate::body::RigidBody;
use crate::deforming::Deforming;
use crate::math::{DMat3, DQuat, DVec3, Dimension, Pose};
use crate::mesh::{TriangleMesh, WettedSurface};
use crate::motion::{Motion, Scalar};
use crate::state::{Array, Persist, State};

/// A body that is sampled with particles: it stands still, moves as told, or by the forces on it.
#[derive(Clone, Debug)]
pub struct Solid {
    /// As in the scene.
    pub name: String,
    /// Its particles.
    pub range: Range<usize>,
    /// Positions of its particles in the body's frame, in the order of `range`.
    pub local: Vec<DVec3>,
    /// Placement at the current time.
    pub pose: Pose,
    /// Placement in the scene; the pose at time t is `motion.pose(t)` after `placement`.
    pub placement: Pose,
    /// Who carries its samples.
    pub carrier: Carrier,
    /// Coefficient of dry friction μ; of two bodies in contact the geometric mean counts.
    pub friction: f64,
    /// How fluids wet it.
    pub wetting: Wetting,
    /// How far the samples lie behind the true surface, m (h/2 for closed shapes, 0 for sheets).
    pub inset: f64,
    /// The surface that fluid meets, in the body's frame: a closed one, or a sheet that a barrier
    /// keeps tight; else empty. Wanted until the first step has weighed the samples.
    pub wetted_surface: WettedSurface,
    /// How much more than its weight each sample counts for fluids, in the order of `range`, so
    /// that the body displaces its volume, or a sheet nothing (`sph::volumes`); empty if not.
    pub volume_factor: Vec<f32>,
    /// Surface triangles in the body's frame, for pictures and export.
    pub surface: TriangleMesh,
    /// The closed surface of the solid with a thickness, in the body's frame: what a liquid on a
    /// grid meets; empty for other methods.
    pub wall: TriangleMesh,
}

/// Who carries the samples that a fluid sees of a solid: it gives them velocities and takes what
/// they are pushed.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Carrier {
    /// Nobody: it stands still, and what pushes it is without effect.
    #[default]
    Fixed,
    /// A prescribed motion, whatever pushes it.
    Scripted(Box<Motion>),
    /// A rigid body, which moves by the forces on it.
    Rigid(Box<RigidBody>),
    /// The mesh of an elastic body. Places in the body's frame are those at rest.
    Deforming(Box<Deforming>),
}

impl From<Motion> for Carrier {
    fn from(motion: Motion) -> Carrier {
        match motion.is_static() {
            true => Carrier::Fixed,
            false => Carrier::Scripted(Box::new(motion)),
        }
    }
}

impl From<RigidBody> for Carrier {
    fn from(body: RigidBody) -> Carrier {
        Carrier::Rigid(Box::new(body))
    }
}

impl From<Deforming> for Carrier {
    fn from(samples: Deforming) -> Carrier {
        Carrier::Deforming(Box::new(samples))
    }
}

impl Solid {
    /// A solid without a surface that stands still, sampled at these places, `inset` behind its
    /// surface.
    pub fn fixed(name: &str, local: Vec<DVec3>, inset: f64) -> Solid {
        Solid {
            name: name.to_owned(),
            range: 0..0,
            local,
            pose: Pose::IDENTITY,
            placement: Pose::IDENTITY,
            carrier: Carrier::Fixed,
            friction: 0.0,
            wetting: Wetting::default(),
            inset,
            wetted_surface: WettedSurface::default(),
            volume_factor: Vec::new(),
            surface: TriangleMesh::default(),
            wall: TriangleMesh::default(),
        }
    }
}

/// How fluids wet a solid.
#[derive(Clone, Debug, PartialEq)]
pub enum Wetting {
    /// By what its surface costs.
    Tensions(WallSurface),
    /// By the angle at which a fluid meets it.
    Angle(ContactAngle),
}

/// What the surface of a wall costs, N/m.
#[derive(Clone, Debug, PartialEq)]
pub struct WallSurface {
    /// γ^BV: where it is dry.
    pub dry: Scalar,
    /// γ^BF: where it is wet.
    pub wet: Scalar,
}

/// At which angle a fluid meets a wall.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactAngle {
    /// In the fluid, degrees.
    pub degrees: Scalar,
    /// γ^FV of the fluid, N/m.
    pub tension: Scalar,
}

impl WallSurface {
    /// Indifferent to fluid.
    pub const NONE: WallSurface =
        WallSurface { dry: Scalar::Constant(0.0), wet: Scalar::Constant(0.0) };
}

impl Wetting {
    /// Whether it costs anything, at any time.
    pub fn acts(&self) -> bool {
        *self != Wetting::default()
    }
}

impl Default for Wetting {
    fn default() -> Wetting {
        Wetting::Tensions(WallSurface::NONE)
    }
}

impl From<WallSurface> for Wetting {
    fn from(surface: WallSurface) -> Wetting {
        Wetting::Tensions(surface)
    }
}

impl From<ContactAngle> for Wetting {
    fn from(angle: ContactAngle) -> Wetting {
        Wetting::Angle(angle)
    }
}

impl Solid {
    /// The rigid body that carries it, if one does.
    pub fn body(&self) -> Option<&RigidBody> {
        match &self.carrier {
            Carrier::Rigid(body) => Some(body),
            Carrier::Fixed | Carrier::Scripted(_) | Carrier::Deforming(_) => None,
        }
    }

    /// The rigid body that carries it, to be changed.
    pub fn body_mut(&mut self) -> Option<&mut RigidBody> {
        match &mut self.carrier {
            Carrier::Rigid(body) => Some(body),
            Carrier::Fixed | Carrier::Scripted(_) | Carrier::Deforming(_) => None,
        }
    }

    /// The prescribed motion that carries it; static if none does.
    pub fn motion(&self) -> &Motion {
        match &self.carrier {
            Carrier::Scripted(motion) => motion,
            Carrier::Fixed | Carrier::Rigid(_) | Carrier::Deforming(_) => &Motion::Static,
        }
    }

    /// The samples of an elastic body, if it is one.
    pub fn deforming(&self) -> Option<&Deforming> {
        match &self.carrier {
            Carrier::Deforming(samples) => Some(samples),
            Carrier::Fixed | Carrier::Scripted(_) | Carrier::Rigid(_) => None,
        }
    }

    /// Whether it ever moves: as told, or by the forces on it.
    pub fn moves(&self) -> bool {
        !matches!(self.carrier, Carrier::Fixed)
    }

    /// The rigid body that it is, unless it has left the bounds.
    pub fn dynamic(&self) -> Option<&RigidBody> {
        self.body().filter(|body| !body.left)
    }

    /// Velocity of its origin and angular velocity at `time`, m/s and rad/s.
    pub fn velocity(&self, time: f64) -> [DVec3; 2] {
        if let Some(body) = self.body() {
            return [body.velocity, body.angular_velocity(self.pose.rotation)];
        }
        if self.motion().is_static() {
            return [DVec3::ZERO; 2];
        }
        // Prescribed motions are poses; formulas of them need no derivative of their own.
        const STEP: f64 = 1e-5;
        let pose = |t: f64| self.motion().pose(t).then_after(&self.placement);
        let (before, after) = (pose(time - STEP), pose(time + STEP));
        let turn = (after.rotation * before.rotation.inverse()).to_scaled_axis();
        [(after.translation - before.translation) / (2.0 * STEP), turn / (2.0 * STEP)]
    }
}

impl Solid {
    /// Makes the inertia of a body usable: rods, plates and single particles have axes about which
    /// they have none. Returns the velocities of its particles, given their places in its frame.
    pub(crate) fn prepare_body(
        &mut self,
        spacing: f64,
        dimension: Dimension,
    ) -> impl Fn(DVec3) -> DVec3 + use<> {
        let rotation = self.pose.rotation;
        let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        if let Some(body) = self.body_mut() {
            let of_particle = 0.1 * body.mass * spacing * spacing; // a ball of diameter h
            let least = (1e-3 * of_particle).powi(3);
            if dimension == Dimension::Two {
                // Only what is about z counts.
                body.inertia = DMat3::from_diagonal(DVec3::splat(body.inertia.z_axis.z));
            }
            if body.inertia.determinant().abs() < least {
                body.inertia += DMat3::from_diagonal(DVec3::splat(of_particle));
            }
            (linear, angular) = (body.velocity, body.angular_velocity(rotation));
        }
        move |local| linear + angular.cross(rotation * local)
    }
}

/// The solid that particle `i` belongs to: they are in the order of their particles.
pub fn solid_of(solids: &[Solid], i: usize) -> Option<usize> {
    let after = solids.partition_point(|solid| solid.range.end <= i);
    solids.get(after).filter(|solid| solid.range.contains(&i)).map(|_| after)
}

impl Persist for Solid {
    fn save(&self, key: &str, state: &mut State) {
        let Solid {
            name: _,
            range,
            local,
            pose: Pose { translation, rotation },
            placement: _,
            carrier,
            friction: _,
            wetting: _,
            inset: _,
            wetted_surface: _,
            volume_factor,
            surface: _,
            wall: _,
        } = self;
        state.put_range(key, range);
        state.put(&format!("{key}.local"), Array::Vectors(local.clone()));
        state.put(&format!("{key}.displacing"), Array::F32(volume_factor.clone()));
        let pose = [translation.to_array().as_slice(), &rotation.to_array()].concat();
        state.put(&format!("{key}.pose"), Array::F64(pose));
        match carrier {
            Carrier::Fixed | Carrier::Scripted(_) => {}
            Carrier::Rigid(body) => body.save(key, state),
            Carrier::Deforming(samples) => samples.save(key, state),
        }
    }

    fn load(&mut self, key: &str, state: &State) -> Result<(), String> {
        self.range = state.range(key)?;
        let count = self.range.len();
        self.volume_factor = state.singles(&format!("{key}.displacing"))?.clone();
        if ![0, count].contains(&self.volume_factor.len()) {
            let factors = self.volume_factor.len();
            return Err(format!("{key} has {count} particles but displaces with {factors}"));
        }
        match &mut self.carrier {
            Carrier::Fixed | Carrier::Scripted(_) => {}
            Carrier::Rigid(body) => body.load(key, state)?,
            Carrier::Deforming(samples) => samples.load(key, state)?,
        }
        self.local = state.vectors(&format!("{key}.local"))?.clone();
        if self.local.len() != count {
            return Err(format!("{key} has {count} particles but {} places", self.local.len()));
        }
        self.pose = match state.arrays.get(&format!("{key}.pose")) {
            Some(Array::F64(p)) if p.len() == 7 && p.iter().all(|x| x.is_finite()) => Pose {
                translation: DVec3::from_slice(&p[..3]),
                rotation: DQuat::from_slice(&p[3..]),
            },
            _ => return Err(format!("{key}.pose is missing or unusable")),
        };
        Ok(())
    }
}
