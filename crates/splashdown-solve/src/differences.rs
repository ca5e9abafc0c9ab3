//! Random configurations and finite differences, for tests and validation.

use std::ops::{Add, Mul, Sub};

use glam::{DMat3, DVec3};

use crate::dense::{Mat12, Vec12, stacked};

/// A small generator with a fixed sequence (xorshift64*).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The same seed gives the same sequence.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Between 0 and 1.
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Between −1 and 1.
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// In the cube from −1 to 1.
    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }

    /// Entries between −1 and 1.
    pub fn matrix(&mut self) -> DMat3 {
        DMat3::from_cols(self.vector(), self.vector(), self.vector())
    }

    /// Four vectors.
    pub fn points(&mut self) -> [DVec3; 4] {
        [self.vector(), self.vector(), self.vector(), self.vector()]
    }
}

/// `x` with coordinate `i` changed by `step`.
fn moved(x: &[DVec3; 4], i: usize, step: f64) -> [DVec3; 4] {
    let mut x = *x;
    x[i / 3][i % 3] += step;
    x
}

/// Sixth-order central differences: (45 (f₁ − f₋₁) − 9 (f₂ − f₋₂) + (f₃ − f₋₃)) / 60 h.
pub fn difference<T>(h: f64, f: impl Fn(f64) -> T) -> T
where
    T: Sub<Output = T> + Add<Output = T> + Mul<f64, Output = T>,
{
    let across = |k: f64| f(k * h) - f(-k * h);
    let sum = across(1.0) * 45.0 - across(2.0) * 9.0 + across(3.0);
    sum * (1.0 / (60.0 * h))
}

/// First derivatives.
pub fn difference_gradient(x: &[DVec3; 4], h: f64, f: impl Fn(&[DVec3; 4]) -> f64) -> Vec12 {
    Vec12::from_fn(|i, _| difference(h, |step| f(&moved(x, i, step))))
}

/// The same of a gradient.
pub fn difference_hessian(
    x: &[DVec3; 4],
    h: f64,
    gradient: impl Fn(&[DVec3; 4]) -> [DVec3; 4],
) -> Mat12 {
    let mut hessian = Mat12::zeros();
    for i in 0..12 {
        let column: Vec12 = difference(h, |step| stacked(gradient(&moved(x, i, step))));
        hessian.set_column(i, &column);
    }
    hessian
}

/// Largest difference, relative to the largest entry of `b`.
pub fn mismatch<const R: usize, const C: usize>(
    a: &nalgebra::SMatrix<f64, R, C>,
    b: &nalgebra::SMatrix<f64, R, C>,
) -> f64 {
    (a - b).amax() / b.amax().max(1e-300)
}
