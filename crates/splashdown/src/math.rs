//! Small shared mathematics: the dimension of a scene, boxes and rigid poses.

pub use glam::{DMat3, DQuat, DVec2, DVec3};

/// Two or three dimensions. A 2D scene lives in the plane z = 0 and is one metre deep: masses,
/// forces and volumes are then per metre of depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// The plane z = 0.
    Two,
    /// Space.
    Three,
}

impl Dimension {
    /// 2 or 3.
    pub fn count(self) -> usize {
        match self {
            Dimension::Two => 2,
            Dimension::Three => 3,
        }
    }

    /// `length` to the power of the dimension: the volume of a particle of that spacing.
    pub fn volume(self, length: f64) -> f64 {
        length.powi(self.count() as i32)
    }

    /// `length` to the power of the dimension less one: the area of a wall that a particle covers.
    pub fn area(self, length: f64) -> f64 {
        length.powi(self.count() as i32 - 1)
    }

    /// `v` with the component that leaves the plane removed in 2D.
    pub fn flatten(self, v: DVec3) -> DVec3 {
        match self {
            Dimension::Two => v.with_z(0.0),
            Dimension::Three => v,
        }
    }
}

/// An axis-aligned box. Empty (`min > max`) until a point is added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lower corner.
    pub min: DVec3,
    /// Upper corner.
    pub max: DVec3,
}

impl Aabb {
    /// The box that contains nothing.
    pub const EMPTY: Aabb = Aabb { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The smallest box around `points`.
    pub fn around(points: impl IntoIterator<Item = DVec3>) -> Aabb {
        points.into_iter().fold(Aabb::EMPTY, |b, p| Aabb { min: b.min.min(p), max: b.max.max(p) })
    }

    /// This box, larger by `margin` on every side.
    pub fn grown(self, margin: f64) -> Aabb {
        Aabb { min: self.min - margin, max: self.max + margin }
    }

    /// Whether `p` is inside or on the border.
    pub fn contains(&self, p: DVec3) -> bool {
        p.cmpge(self.min).all() && p.cmple(self.max).all()
    }

    /// Edge lengths; zero for an empty box.
    pub fn size(&self) -> DVec3 {
        (self.max - self.min).max(DVec3::ZERO)
    }
}

/// A rigid placement: rotate about the body's origin, then translate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Where the body's origin is.
    pub translation: DVec3,
    /// How the body is turned.
    pub rotation: DQuat,
}

impl Pose {
    /// The pose that changes nothing.
    pub const IDENTITY: Pose = Pose { translation: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// From the body's frame to the world.
    pub fn apply(&self, local: DVec3) -> DVec3 {
        self.rotation * local + self.translation
    }

    /// From the world to the body's frame.
    pub fn inverse_apply(&self, world: DVec3) -> DVec3 {
        self.rotation.inverse() * (world - self.translation)
    }

    /// First `inner`, then `self`.
    pub fn then_after(&self, inner: &Pose) -> Pose {
        Pose {
            translation: self.apply(inner.translation),
            rotation: (self.rotation * inner.rotation).normalize(),
        }
    }

    /// Whether every component is finite.
    pub fn is_finite(&self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite()
    }
}
