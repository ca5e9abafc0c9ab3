//! Smoothing kernels in 2D and 3D.
//!
//! All lengths here are in units of the particle spacing h, which is also the smoothing length:
//! q = r/h, W(r) = σ w(q) / hᵈ, and every kernel ends at q = 2. The neighbour loops work in these
//! units throughout, so that millimetre droplets and harbours use the same floating-point range.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::math::Dimension;

/// Where every kernel ends, in units of h.
pub const SUPPORT: f64 = 2.0;

/// The weight of neighbouring particles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KernelKind {
    // The B-spline of Monaghan 1992; sums to one on the rest lattice.
    /// Cubic spline.
    #[default]
    Cubic,
    // 1995: no pairing, a little smoother.
    /// Wendland's C2 function.
    Wendland,
    // Its gradient does not vanish at the centre.
    /// Steep at the centre (Desbrun & Gascuel 1996).
    Spiky,
}

/// w(q) and w′(q), without σ, written without branches so that loops over them vectorise.
///
/// The trait lets hot loops be compiled once per kernel instead of asking at every pair.
pub trait KernelShape: Copy + Send + Sync {
    /// σ in 2D and 3D.
    const SIGMA: [f64; 2];
    /// The largest |w′|.
    const STEEPEST: f32;
    /// (w, w′) at q ≥ 0.
    fn evaluate(q: f32) -> (f32, f32);
    /// (w, w′) at q ≥ 0 in double precision.
    fn evaluate_f64(q: f64) -> (f64, f64);
}

macro_rules! kernel_shape {
    (
        $(#[$doc:meta])* $name:ident, $sigma:expr, steepest $steepest:expr,
        |$q:ident: $real:ident| $body:expr
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;
        impl KernelShape for $name {
            const SIGMA: [f64; 2] = $sigma;
            const STEEPEST: f32 = $steepest;
            #[inline(always)]
            fn evaluate($q: f32) -> (f32, f32) {
                #[allow(clippy::upper_case_acronyms)]
                type $real = f32;
                $body
            }
            #[inline(always)]
            fn evaluate_f64($q: f64) -> (f64, f64) {
                type $real = f64;
                $body
            }
        }
    };
}

use std::f64::consts::PI;

kernel_shape!(
    /// w = ¼ (2−q)³ − (1−q)³, each power only where its base is positive.
    Cubic, [10.0 / (7.0 * PI), 1.0 / PI], steepest 1.0,
    |q: R| {
        let (a, b): (R, R) = ((2.0 - q).max(0.0), (1.0 - q).max(0.0));
        (0.25 * a * a * a - b * b * b, 3.0 * b * b - 0.75 * a * a)
    }
);

kernel_shape!(
    /// w = (1 − q/2)⁴ (1 + 2q).
    Wendland, [7.0 / (4.0 * PI), 21.0 / (16.0 * PI)], steepest 135.0 / 128.0,
    |q: R| {
        let a: R = (1.0 - 0.5 * q).max(0.0);
        let cube = a * a * a;
        (cube * a * (1.0 + 2.0 * q), -5.0 * q * cube)
    }
);

kernel_shape!(
    /// w = (1 − q/2)³.
    Spiky, [10.0 / (4.0 * PI), 15.0 / (8.0 * PI)], steepest 1.5,
    |q: R| {
        let a: R = (1.0 - 0.5 * q).max(0.0);
        (a * a * a, -1.5 * a * a)
    }
);

/// A kernel with its dimension: the scalar interface, for everything outside the hot loops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kernel {
    /// The function of the distance.
    pub kind: KernelKind,
    /// In which dimension it is normalised.
    pub dimension: Dimension,
}

/// Calls a function that is generic over the kernel shape with the type behind a `KernelKind`.
#[macro_export]
macro_rules! with_kernel {
    ($kind:expr, $shape:ident => $call:expr) => {
        match $kind {
            $crate::particles::kernel::KernelKind::Cubic => {
                type $shape = $crate::particles::kernel::Cubic;
                $call
            }
            $crate::particles::kernel::KernelKind::Wendland => {
                type $shape = $crate::particles::kernel::Wendland;
                $call
            }
            $crate::particles::kernel::KernelKind::Spiky => {
                type $shape = $crate::particles::kernel::Spiky;
                $call
            }
        }
    };
}

impl Kernel {
    /// σ, the factor that makes the kernel integrate to one.
    pub fn sigma(&self) -> f64 {
        let [two, three] = with_kernel!(self.kind, S => S::SIGMA);
        match self.dimension {
            Dimension::Two => two,
            Dimension::Three => three,
        }
    }

    /// hᵈ W at distance q h.
    pub fn w(&self, q: f64) -> f64 {
        self.sigma() * with_kernel!(self.kind, S => S::evaluate_f64(q)).0
    }

    /// hᵈ⁺¹ dW/dr at distance q h; never positive.
    pub fn dw(&self, q: f64) -> f64 {
        self.sigma() * with_kernel!(self.kind, S => S::evaluate_f64(q)).1
    }

    /// σ over the lattice sum: with it the number density of the rest lattice is exactly one.
    pub fn lattice_sigma(&self) -> f64 {
        self.sigma() / self.lattice_sum()
    }

    /// Σ hᵈ W over the rest lattice: the number density of an undisturbed fluid (1 for the cubic
    /// spline to four digits), which is what "rest density" means to the solvers.
    pub fn lattice_sum(&self) -> f64 {
        self.sum_over_lattice(self.dimension.count())
    }

    /// The same over one flat layer of particles: a wall of even spacing h.
    pub fn layer_sum(&self) -> f64 {
        self.sum_over_lattice(self.dimension.count() - 1)
    }

    fn sum_over_lattice(&self, axes: usize) -> f64 {
        let side = |axis: usize| if axis < axes { -2..=2i32 } else { 0..=0 };
        let mut sum = 0.0;
        for x in side(0) {
            for y in side(1) {
                for z in side(2) {
                    sum += self.w(f64::from(x * x + y * y + z * z).sqrt());
                }
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [KernelKind; 3] = [KernelKind::Cubic, KernelKind::Wendland, KernelKind::Spiky];

    fn all() -> impl Iterator<Item = Kernel> {
        KINDS.into_iter().flat_map(|kind| {
            [Dimension::Two, Dimension::Three].map(|dimension| Kernel { kind, dimension })
        })
    }

    #[test]
    fn kernels_integrate_to_one() {
        for kernel in all() {
            let n = 20_000;
            let dq = SUPPORT / n as f64;
            let integral: f64 = (0..n)
                .map(|i| (i as f64 + 0.5) * dq)
                .map(|q| {
                    let shell = if kernel.dimension == Dimension::Two {
                        2.0 * PI * q
                    } else {
                        4.0 * PI * q * q
                    };
                    kernel.w(q) * shell * dq
                })
                .sum();
            assert!((integral - 1.0).abs() < 1e-6, "{kernel:?}: {integral}");
        }
    }

    #[test]
    fn slopes_agree_with_finite_differences_and_vanish_outside() {
        for kernel in all() {
            for i in 1..40 {
                let (q, e) = (i as f64 * 0.0497, 1e-6);
                let slope = (kernel.w(q + e) - kernel.w(q - e)) / (2.0 * e);
                assert!((slope - kernel.dw(q)).abs() < 1e-6, "{kernel:?} at {q}");
            }
            assert_eq!((kernel.w(2.0), kernel.dw(2.5)), (0.0, 0.0));
        }
    }

    #[test]
    fn the_cubic_spline_sums_to_one_on_the_lattice() {
        let kernel = Kernel { kind: KernelKind::Cubic, dimension: Dimension::Three };
        assert!((kernel.lattice_sum() - 1.0).abs() < 1e-3, "{}", kernel.lattice_sum());
        // A flat layer of spacing h: 0.7006 (Probst & Teschner 2023 use γ = 0.7 for it).
        assert!((kernel.layer_sum() - 0.7006).abs() < 1e-3, "{}", kernel.layer_sum());
    }
}
