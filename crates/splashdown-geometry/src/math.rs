//! Small shared mathematics: the dimension of a scene, boxes and rigid poses.

pub use glam::{DMat3, DQuat, DVec2, DVec3};

/// 1.5 · 2⁵²: adding it to a number up to 2⁵¹ leaves the nearest whole one in the low bits.
const WHOLE: f64 = 6_755_399_441_055_744.0;

/// The whole number nearest to each coordinate, of two the even one. `f64::round` is a call of the
/// C library on processors of the baseline.
#[inline]
pub fn rounded(v: DVec3) -> DVec3 {
    (v + WHOLE) - WHOLE
}

/// The same as integers, of which numbers beyond them keep the lower 32 bits.
#[inline]
pub fn rounded_bits(v: DVec3) -> [i32; 3] {
    (v + WHOLE).to_array().map(|shifted| shifted.to_bits() as i32)
}

/// The largest whole number not above each coordinate, without such a call.
#[inline]
pub fn floored(v: DVec3) -> DVec3 {
    let nearest = rounded(v);
    nearest - DVec3::select(nearest.cmpgt(v), DVec3::ONE, DVec3::ZERO)
}

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

    /// The smallest box around both.
    pub fn union(self, other: Aabb) -> Aabb {
        Aabb { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Whether the two have a point in common.
    pub fn meets(&self, other: &Aabb) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_without_the_library_is_that_of_the_library() {
        for x in [0.0, 0.3, -0.3, 0.5, -0.5, 1.5, 2.5, -2.5, 1.0e9 + 0.7, -1.0e9 - 0.2, 7.0, -7.0] {
            let v = DVec3::splat(x);
            assert_eq!(rounded(v), v.map(f64::round_ties_even), "{x}");
            assert_eq!(floored(v), v.floor(), "{x}");
            assert_eq!(rounded_bits(v), [x.round_ties_even() as i32; 3], "{x}");
        }
        let above = DVec3::new(4_294_967_296.0 + 5.0, -4_294_967_296.0 - 5.0, 0.0);
        assert_eq!(rounded_bits(above), [5, -5, 0]);
    }
}
