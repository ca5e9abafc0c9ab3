//! The barrier that keeps surfaces apart (Li et al. 2020, equation 6; with thickness: Li et al.
//! 2021).
//!
//! With s = (D − ξ²) / (d̂² + 2 ξ d̂), which is 0 where surfaces of thickness ξ touch and 1 where
//! they are d̂ apart,
//!
//! ```text
//! (B1)  b(s) = −(s − 1)² ln s   for 0 < s < 1,   0 for s ≥ 1,   ∞ for s ≤ 0
//! ```
//!
//! The energy of a pair of area A is κ d̂ A b, so that κ is a pressure and the force per area does
//! not depend on how fine a surface is.

/// How far apart surfaces are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// d̂: they push when they are closer than this, m.
    pub reach: f64,
    /// ξ: they never come closer than this, m.
    pub thickness: f64,
}

impl Gap {
    /// D at which pushing begins.
    #[inline]
    pub fn squared_reach(&self) -> f64 {
        (self.reach + self.thickness).powi(2)
    }

    /// ds/dD
    #[inline]
    pub fn slope(&self) -> f64 {
        1.0 / (self.reach * (self.reach + 2.0 * self.thickness))
    }

    /// s
    #[inline]
    pub fn share(&self, squared_distance: f64) -> f64 {
        (squared_distance - self.thickness * self.thickness) * self.slope()
    }
}

/// (B1)
pub fn barrier(s: f64) -> f64 {
    if s <= 0.0 {
        f64::INFINITY
    } else if s >= 1.0 {
        0.0
    } else {
        -(s - 1.0).powi(2) * s.ln()
    }
}

/// b′
pub fn barrier_slope(s: f64) -> f64 {
    if s >= 1.0 { 0.0 } else { (1.0 - s) * (2.0 * s.ln() - (1.0 - s) / s) }
}

/// b″
pub fn barrier_curvature(s: f64) -> f64 {
    if s >= 1.0 {
        return 0.0;
    }
    let q = (1.0 - s) / s;
    -2.0 * s.ln() + 4.0 * q + q * q
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_agree_with_finite_differences_from_touching_to_apart() {
        for k in 1..100 {
            let s = f64::powi(f64::from(k) / 100.0, 3);
            let h = 1e-4 * s.min(1.0 - s);
            let slope = (barrier(s + h) - barrier(s - h)) / (2.0 * h);
            assert!((barrier_slope(s) - slope).abs() < 1e-6 * slope.abs().max(1e-2), "{s}");
            let curvature = (barrier_slope(s + h) - barrier_slope(s - h)) / (2.0 * h);
            assert!((barrier_curvature(s) - curvature).abs() < 1e-5 * curvature.abs(), "{s}");
        }
        // It ends smoothly, and never lets go.
        assert_eq!([barrier(1.0), barrier_slope(1.0), barrier_curvature(1.0)], [0.0; 3]);
        assert_eq!([barrier(0.0), barrier(-1.0)], [f64::INFINITY; 2]);
    }

    #[test]
    fn surfaces_with_thickness_touch_at_it() {
        let gap = Gap { reach: 0.01, thickness: 0.002 };
        assert!(gap.share(0.002f64.powi(2)).abs() < 1e-15);
        assert!((gap.share(gap.squared_reach()) - 1.0).abs() < 1e-15);
    }
}
