//! Rods: segments that resist stretching, and pairs of them that resist bending.
//!
//! ```text
//! (ER1)  stretching: E = ½ Y S L (l/L − 1)²,   Y Young's modulus, S section, L at rest
//! (ER2)  bending: E = ½ (Y I / L̄) κ²,   κ² = 4 tan² φ/2 = 4 (1 − c)/(1 + c),   c = t₁ · t₂
//! ```
//!
//! κ is the curvature of Bergou et al. 2008 (discrete elastic rods) times the mean length L̄ of the
//! two segments. Rods are straight by nature and free to twist: a round, straight rod whose ends
//! may turn about their axis does not store twist.

use glam::{DMat3, DVec3};

use splashdown_solve::dense::{Mat12, projected};

/// A segment.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// Its ends.
    pub vertices: [u32; 2],
    /// L, m
    pub length: f64,
    /// Y S, N
    pub stiffness: f64,
}

/// Two segments that meet at the middle vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Bend {
    /// In order.
    pub vertices: [u32; 3],
    /// Y I / L̄, J
    pub stiffness: f64,
}

impl Stretch {
    /// A segment that rests as it is; `None` if its ends coincide.
    pub fn new(vertices: [u32; 2], rest: [DVec3; 2], stiffness: f64) -> Option<Stretch> {
        let length = rest[0].distance(rest[1]);
        (length > 0.0 && length.is_finite()).then_some(Stretch { vertices, length, stiffness })
    }

    /// l/L − 1
    pub fn strain(&self, x: &[DVec3; 4]) -> f64 {
        x[0].distance(x[1]) / self.length - 1.0
    }

    /// (ER1), J; only the first two of `x` are looked at.
    pub fn energy(&self, x: &[DVec3; 4]) -> f64 {
        0.5 * self.stiffness * self.length * self.strain(x).powi(2)
    }

    /// Derivatives of the energy, N.
    pub fn gradient(&self, x: &[DVec3; 4]) -> [DVec3; 4] {
        let pull = self.stiffness * self.strain(x) * (x[1] - x[0]).normalize_or_zero();
        [-pull, pull, DVec3::ZERO, DVec3::ZERO]
    }

    /// Second derivatives, N/m; without negative eigenvalues if `project`.
    pub fn hessian(&self, x: &[DVec3; 4], project: bool) -> Mat12 {
        let along = (x[1] - x[0]).normalize_or_zero();
        // Across the segment only its tension resists.
        let across = 1.0 - self.length / x[0].distance(x[1]);
        let across = if project { across.max(0.0) } else { across };
        let t = outer(along, along);
        let block = (self.stiffness / self.length) * (t + across * (DMat3::IDENTITY - t));
        let mut h = Mat12::zeros();
        for (i, j, sign) in [(0, 0, 1.0), (1, 1, 1.0), (0, 1, -1.0), (1, 0, -1.0)] {
            add(&mut h, i, j, sign * block);
        }
        h
    }
}

impl Bend {
    /// Two segments of a rod of bending stiffness `rod` (Y I, N m²); `None` if one has no length.
    pub fn new(vertices: [u32; 3], rest: [DVec3; 3], rod: f64) -> Option<Bend> {
        let mean = 0.5 * (rest[0].distance(rest[1]) + rest[1].distance(rest[2]));
        let stiffness = rod / mean;
        stiffness.is_finite().then_some(Bend { vertices, stiffness })
    }

    /// t₁, t₂, lengths and 1 − c.
    fn shape(x: &[DVec3; 4]) -> ([DVec3; 2], [f64; 2], f64) {
        let (e, f) = (x[1] - x[0], x[2] - x[1]);
        let t = [e.normalize_or_zero(), f.normalize_or_zero()];
        // Without cancellation where the rod is straight.
        (t, [e.length(), f.length()], 0.5 * (t[0] - t[1]).length_squared())
    }

    /// (ER2), J; only the first three of `x` are looked at. Infinite where a rod is folded flat.
    pub fn energy(&self, x: &[DVec3; 4]) -> f64 {
        let (_, _, m) = Bend::shape(x);
        let value = 0.5 * self.stiffness * 4.0 * m / (2.0 - m);
        if m < 2.0 { value } else { f64::INFINITY }
    }

    /// Derivatives of the energy, N.
    pub fn gradient(&self, x: &[DVec3; 4]) -> [DVec3; 4] {
        let (t, l, m) = Bend::shape(x);
        let slope = -4.0 * self.stiffness / (2.0 - m).powi(2); // dE/dc
        let [by_e, by_f] = slopes(t, l, 1.0 - m);
        [-slope * by_e, slope * (by_e - by_f), slope * by_f, DVec3::ZERO]
    }

    /// Second derivatives, N/m; without negative eigenvalues if `project`.
    pub fn hessian(&self, x: &[DVec3; 4], project: bool) -> Mat12 {
        let (t, l, m) = Bend::shape(x);
        let c = 1.0 - m;
        let first = -4.0 * self.stiffness / (1.0 + c).powi(2);
        let second = 8.0 * self.stiffness / (1.0 + c).powi(3);
        let [by_e, by_f] = slopes(t, l, c);
        let [p, q] = t.map(|t| DMat3::IDENTITY - outer(t, t));
        // ∂²c/∂e² = −(t₁ gᵀ + g t₁ᵀ)/|e| − c P₁/|e|², ∂²c/∂e∂f = P₁ P₂ / |e||f|
        let own = |t: DVec3, g: DVec3, p: DMat3, l: f64| {
            (outer(t, g) + outer(g, t)) * (-1.0 / l) - (c / (l * l)) * p
        };
        let ee = first * own(t[0], by_e, p, l[0]) + second * outer(by_e, by_e);
        let ff = first * own(t[1], by_f, q, l[1]) + second * outer(by_f, by_f);
        let ef = (first / (l[0] * l[1])) * p * q + second * outer(by_e, by_f);
        let fe = ef.transpose();
        // e = x₁ − x₀, f = x₂ − x₁
        let mut h = Mat12::zeros();
        for (i, j, block) in [
            (0, 0, ee),
            (0, 1, ef - ee),
            (0, 2, -ef),
            (1, 0, fe - ee),
            (1, 1, ee + ff - ef - fe),
            (1, 2, ef - ff),
            (2, 0, -fe),
            (2, 1, fe - ff),
            (2, 2, ff),
        ] {
            add(&mut h, i, j, block);
        }
        if project && m > 1e-24 { projected(&h) } else { h }
    }
}

/// ∂c/∂e and ∂c/∂f.
fn slopes(t: [DVec3; 2], l: [f64; 2], c: f64) -> [DVec3; 2] {
    [(t[1] - c * t[0]) / l[0], (t[0] - c * t[1]) / l[1]]
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

fn add(h: &mut Mat12, i: usize, j: usize, block: DMat3) {
    for column in 0..3 {
        for row in 0..3 {
            h[(3 * i + row, 3 * j + column)] += block.col(column)[row];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use splashdown_solve::dense::stacked;
    use splashdown_solve::differences::{
        Random, difference_gradient, difference_hessian, mismatch,
    };

    #[test]
    fn derivatives_agree_with_finite_differences_straight_and_bent() {
        let mut random = Random::new(23);
        for k in 0..60 {
            let line = [0.0, 1.0, 2.2, 2.2].map(|x| DVec3::new(x, 0.0, 0.0));
            let size = [0.0, 0.1, 0.5][k % 3];
            let x = line.map(|p| p + size * random.vector());
            let bend = Bend::new([0, 1, 2], [line[0], line[1], line[2]], 2.0).unwrap();
            let stretch = Stretch::new([0, 1], [line[0], line[1]], 2.0).unwrap();
            let expected = difference_gradient(&x, 1e-4, |x| bend.energy(x));
            assert!((stacked(bend.gradient(&x)) - expected).amax() < 1e-7, "{k}");
            let expected = difference_hessian(&x, 1e-4, |x| bend.gradient(x));
            assert!(mismatch(&bend.hessian(&x, false), &expected) < 1e-6, "{k}");
            let expected = difference_gradient(&x, 1e-4, |x| stretch.energy(x));
            assert!((stacked(stretch.gradient(&x)) - expected).amax() < 1e-8, "{k}");
            let expected = difference_hessian(&x, 1e-4, |x| stretch.gradient(x));
            assert!(mismatch(&stretch.hessian(&x, false), &expected) < 1e-6, "{k}");
            for h in [bend.hessian(&x, true), stretch.hessian(&x, true)] {
                assert!(h.symmetric_eigenvalues().min() > -1e-9);
            }
        }
    }

    /// A fine circle of radius R stores ½ Y I / R² per length.
    #[test]
    fn a_circle_stores_what_a_bent_rod_stores() {
        let (n, radius, rod) = (200, 2.0, 3.0);
        let at = |k: usize| {
            let a = std::f64::consts::TAU * k as f64 / n as f64;
            radius * DVec3::new(a.cos(), a.sin(), 0.0)
        };
        let energy: f64 = (0..n)
            .map(|k| {
                let x = [at(k), at(k + 1), at(k + 2)];
                let bend = Bend::new([0, 1, 2], x, rod).unwrap();
                bend.energy(&[x[0], x[1], x[2], x[2]])
            })
            .sum();
        let expected = 0.5 * rod / radius * std::f64::consts::TAU;
        assert!((energy / expected - 1.0).abs() < 1e-3, "{}", energy / expected);
    }
}
