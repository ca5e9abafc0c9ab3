//! Linear operators by what they do to a vector, and the few vector operations that solvers need.

use glam::DVec3;

/// One entry of a vector.
pub trait Component: Copy + Send + Sync {
    /// 0
    const ZERO: Self;

    /// Product with another entry.
    fn dot(self, other: Self) -> f64;

    /// self + factor · other
    fn plus(self, factor: f64, other: Self) -> Self;
}

impl Component for f64 {
    const ZERO: f64 = 0.0;

    #[inline(always)]
    fn dot(self, other: f64) -> f64 {
        self * other
    }

    #[inline(always)]
    fn plus(self, factor: f64, other: f64) -> f64 {
        self + factor * other
    }
}

impl Component for DVec3 {
    const ZERO: DVec3 = DVec3::ZERO;

    #[inline(always)]
    fn dot(self, other: DVec3) -> f64 {
        DVec3::dot(self, other)
    }

    #[inline(always)]
    fn plus(self, factor: f64, other: DVec3) -> DVec3 {
        self + factor * other
    }
}

/// A symmetric matrix A.
pub trait LinearOperator<T = f64> {
    /// y ← A x
    fn apply(&self, x: &[T], y: &mut [T]);
}

/// M⁻¹, which is close to A⁻¹ and easier to apply.
pub trait Preconditioner<T = f64> {
    /// z ← M⁻¹ r
    fn apply(&self, r: &[T], z: &mut [T]);
}

/// M = 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Identity;

impl<T: Copy> Preconditioner<T> for Identity {
    fn apply(&self, r: &[T], z: &mut [T]) {
        z.copy_from_slice(r);
    }
}

/// a · b, from the first entry to the last.
pub fn dot<T: Component>(a: &[T], b: &[T]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

/// y ← y + a x
pub fn add_scaled<T: Component>(y: &mut [T], a: f64, x: &[T]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y = y.plus(a, *x));
}
