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

use super::{FluidSurface, Wetting, young};
use crate::boundary::Solid;
use crate::motion::Scalar;
use crate::sph::fluid::Fluid;
use crate::sph::system::FluidSystem;

/// The smoothed clamp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clamp {
    /// C₀: contributions below this are none.
    pub from: f64,
    /// ε: those that exceed it by less than this count little.
    pub epsilon: f64,
}

impl Default for Clamp {
    fn default() -> Clamp {
        Clamp::PAPER
    }
}

impl Clamp {
    /// PT24, section 5.1.
    pub const PAPER: Clamp = Clamp { from: 0.0, epsilon: 0.05 };

    /// max_ε(C) = −ε + √(max(C − C₀, 0)² + ε²)                                (T2)  PT24 eq. 9
    pub fn value(self, c: f64) -> f64 {
        (c - self.from).max(0.0).hypot(self.epsilon) - self.epsilon
    }

    /// S = max(C − C₀, 0) / √((C − C₀)² + ε²)                               (T3)  PT24 eq. 12
    #[inline(always)]
    pub fn slope(self, c: f32) -> f32 {
        let c = (c - self.from as f32).max(0.0);
        let epsilon = self.epsilon as f32;
        c / (c * c + epsilon * epsilon).sqrt()
    }

    /// S′ = ε² / ((C − C₀)² + ε²)^(3/2) where C ≥ C₀, and nothing below.
    pub fn bend(self, c: f64) -> f64 {
        let (c, square) = (c - self.from, self.epsilon * self.epsilon);
        let size = c * c + square;
        if c < 0.0 { 0.0 } else { square / (size * size.sqrt()) }
    }
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
    /// Against vapour; other interfaces have the paper's.
    pub clamp: Clamp,
}

impl Strengths {
    /// γ A⁰ over hᵈ⁻¹ `unit`, N/m, at present. Negative values of a formula are none.
    pub fn new(system: &FluidSystem, unit: f64) -> Strengths {
        let (calibration, dimension) = (system.tension.calibration, system.space.dimension);
        let (scale, t) = (calibration.rest_area(dimension) / unit, system.time);
        let value = |gamma: &Scalar| scale * gamma.at(t).max(0.0);
        let fluid = |fluid: &Fluid| {
            let FluidSurface { vapour, others, walls, .. } = &fluid.surface;
            [value(vapour), value(others), value(walls)]
        };
        let wall = |solid: &Solid| match &solid.wetting {
            Wetting::Tensions(wall) => [value(&wall.dry), value(&wall.wet)],
            Wetting::Angle(angle) => {
                let tension = value(&angle.tension);
                let excess = young::needed_excess(angle.degrees.at(t), dimension) * tension;
                [(-excess).max(0.0), excess.max(0.0)]
            }
        };
        Strengths {
            fluids: system.fluids.iter().map(fluid).collect(),
            walls: system.solids.iter().map(wall).collect(),
            clamp: calibration.clamp(dimension),
        }
    }

    /// Of the three interfaces of a fluid.
    pub fn clamps(&self) -> [Clamp; 3] {
        [self.clamp, Clamp::PAPER, Clamp::PAPER]
    }

    /// q, q − r and q − w of a particle of a fluid.
    #[inline(always)]
    pub fn fluid_pull(&self, fluid: usize, c: [f32; 3]) -> [f32; 3] {
        let [vapour, others, walls] = self.fluids[fluid].map(|gamma| gamma as f32);
        let q = vapour * self.clamp.slope(c[0]);
        let r = if others > 0.0 { others * Clamp::PAPER.slope(c[1]) } else { 0.0 };
        let w = if walls > 0.0 { walls * Clamp::PAPER.slope(c[2]) } else { 0.0 };
        [q, q - r, q - w]
    }

    /// t of a particle of a solid.
    #[inline(always)]
    pub fn wall_pull(&self, solid: usize, [dry, covered]: [f32; 2]) -> f32 {
        let [gamma_dry, gamma_wet] = self.walls[solid].map(|gamma| gamma as f32);
        gamma_dry * Clamp::PAPER.slope(dry) - gamma_wet * Clamp::PAPER.slope(covered)
    }

    /// The largest sum of energies that meet at a place.
    pub fn largest(&self) -> f64 {
        let fluid = self.fluids.iter().map(|f| f.iter().sum::<f64>()).fold(0.0, f64::max);
        fluid + self.walls.iter().map(|w| w.iter().sum::<f64>()).fold(0.0, f64::max)
    }
}

/// (T1) of one particle.
pub fn energy<const K: usize>(
    clamps: &[Clamp; K],
    strength: &[f64; K],
    contribution: &[f64; K],
) -> f64 {
    (0..K).map(|k| strength[k] * clamps[k].value(contribution[k])).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn slope_and_bend_are_derivatives_of_the_clamp() {
        for clamp in [Clamp::PAPER, Clamp { from: 0.07, epsilon: 0.2 }] {
            for c in [-0.3, 0.01, 0.05, 0.2, 0.8] {
                let by_difference =
                    |f: &dyn Fn(f64) -> f64, e: f64| (f(c + e) - f(c - e)) / (2.0 * e);
                let slope = |c: f64| f64::from(clamp.slope(c as f32));
                let of_value = by_difference(&|c| clamp.value(c), 1e-6);
                assert_relative_eq!(slope(c), of_value, epsilon = 1e-6);
                assert_relative_eq!(clamp.bend(c), by_difference(&slope, 1e-3), epsilon = 1e-2);
            }
        }
    }
}
