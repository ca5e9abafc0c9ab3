//! The energy of interfaces, from how much each particle is part of them.
//!
//! | paper  | here           | meaning                                                            |
//! |--------|----------------|--------------------------------------------------------------------|
//! | C      | `Contribution` | 0 inside a phase, about 0.4 at a flat surface, 1 alone             |
//! | max_ε  | `clamp`        | C without its noise about zero                                     |
//! | S      | `slope`        | its derivative: whether a particle is part of the interface at all |
//! | γ A⁰   | `Strengths`    | energy of a particle that is all interface                         |
//!
//!   E = Σ_f A⁰ (γ^FV max_ε(C^FV) + γ^FF max_ε(C^FF) + γ^FB max_ε(C^FB))
//!     + Σ_b A⁰ (γ^BV max_ε(C^BV) + γ^BF max_ε(C^BF))                     (T1)  PT24 eqs. 6, 7, 10

use crate::math::Dimension;

use super::{TensionSettings, young};

/// ε: contributions well below this are noise (PT24, section 5.1).
const EPSILON: f64 = 0.05;

/// max_ε(C, 0) = −ε + √(max(C, 0)² + ε²)                                    (T2)  PT24 eq. 9
pub fn clamp(c: f64) -> f64 {
    c.max(0.0).hypot(EPSILON) - EPSILON
}

/// S = max(C, 0) / √(C² + ε²)                                             (T3)  PT24 eq. 12
#[inline(always)]
pub fn slope(c: f64) -> f64 {
    let c = c.max(0.0);
    c / (c * c + EPSILON * EPSILON).sqrt()
}

/// S′ = ε² / (C² + ε²)^(3/2) where C ≥ 0, and nothing below.
pub fn bend(c: f64) -> f64 {
    if c < 0.0 { 0.0 } else { EPSILON * EPSILON / (c * c + EPSILON * EPSILON).powf(1.5) }
}

/// How much a fluid particle is part of interfaces: against vapour, other fluids and walls.
pub type FluidContribution = [f64; 3];
/// The same for a wall particle: against vapour and fluids.
pub type WallContribution = [f64; 2];

/// γ A⁰ of all objects at one time, in a unit of energy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Strengths {
    /// Against vapour, other fluids and walls, of each fluid.
    pub fluids: Vec<[f64; 3]>,
    /// Dry and wet, of each solid.
    pub walls: Vec<[f64; 2]>,
}

impl Strengths {
    /// γ A⁰ over hᵈ⁻¹ `unit`, N/m, at time `t` for so many fluids and solids. Negative values of a formula
    /// are none.
    pub fn new(
        settings: &TensionSettings,
        dimension: Dimension,
        counts: [usize; 2],
        t: f64,
        unit: f64,
    ) -> Strengths {
        let scale = settings.calibration.rest_area(dimension) / unit;
        let value = |gamma: &crate::motion::Scalar| scale * gamma.at(t).max(0.0);
        let fluid = |k: usize| {
            settings
                .fluids
                .get(k)
                .map_or([0.0; 3], |f| [value(&f.vapour), value(&f.others), value(&f.walls)])
        };
        let wall = |k: usize| {
            if let Some(Some(angle)) = settings.angles.get(k) {
                let tension = value(&angle.tension);
                let excess = young::needed_excess(angle.degrees.at(t), dimension) * tension;
                return [(-excess).max(0.0), excess.max(0.0)];
            }
            settings.walls.get(k).map_or([0.0; 2], |wall| [value(&wall.dry), value(&wall.wet)])
        };
        Strengths {
            fluids: (0..counts[0]).map(fluid).collect(),
            walls: (0..counts[1]).map(wall).collect(),
        }
    }

    /// The largest sum of energies that meet at a place.
    pub fn largest(&self) -> f64 {
        let fluid = self.fluids.iter().map(|f| f.iter().sum::<f64>()).fold(0.0, f64::max);
        fluid + self.walls.iter().map(|w| w.iter().sum::<f64>()).fold(0.0, f64::max)
    }
}

/// (T1) of one particle.
pub fn energy<const K: usize>(strength: &[f64; K], contribution: &[f64; K]) -> f64 {
    strength.iter().zip(contribution).map(|(gamma, &c)| gamma * clamp(c)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn slope_and_bend_are_derivatives_of_the_clamp() {
        for c in [-0.3, 0.01, 0.05, 0.2, 0.8] {
            let e = 1e-6;
            let by_difference = |f: fn(f64) -> f64| (f(c + e) - f(c - e)) / (2.0 * e);
            assert_relative_eq!(slope(c), by_difference(clamp), epsilon = 1e-8);
            assert_relative_eq!(bend(c), by_difference(slope), epsilon = 1e-6);
        }
    }
}
