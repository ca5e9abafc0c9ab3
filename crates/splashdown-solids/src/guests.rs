//! Guests: points that are no part of any body, have mass, and are kept on their side of all
//! surfaces. Particles of a fluid near a surface are guests of the step of the bodies.
//!
//! ```text
//! (GU1)  E = ½ Σ m (ĥ/Δt)² |x − x̂|² + ĥ² (Σ C(x) + friction)      added to (S1) of `step`
//! (GU2)  C: the barrier of `signed_pairs`, of area s, between a guest and each body
//! (GU3)  friction (IF2) with the limit μ (|∂C/∂x| + press), one contact for each guest and body
//! ```
//!
//! Guests are integrated by implicit Euler, whatever the bodies are: hence the factor in (GU1).
//! They do not meet each other. In all arrays of places they come after the vertices of the bodies.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A point without thickness that surfaces keep on its side: a particle of a fluid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guest {
    /// xⁿ, m
    pub position: DVec3,
    /// Where it goes if nothing is in its way, m.
    pub goal: DVec3,
    /// kg
    pub mass: f64,
    /// s: the disc of its sphere, m².
    pub area: f64,
    /// Coefficient of friction on everything it meets.
    pub friction: f64,
    /// What presses it on a surface besides the barrier (pressure through samples), N. Counts for
    /// friction.
    pub press: f64,
}

/// How guests are kept away from surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GuestSettings {
    /// d̂: surfaces push guests that are closer than this, m.
    pub reach: f64,
    /// Surfaces rub guests that something besides the barrier presses on them and that are closer
    /// than this, m.
    pub friction_reach: f64,
    /// κ of their barrier at the beginning of a step, Pa.
    pub stiffness: f64,
    /// How the parts of a surface share in it.
    pub sum: Sum,
    /// How the linear systems are solved.
    pub linear: Linear,
}

impl Default for GuestSettings {
    /// Nothing keeps them away.
    fn default() -> GuestSettings {
        let (sum, linear) = Default::default();
        GuestSettings { reach: 0.0, friction_reach: 0.0, stiffness: 0.0, sum, linear }
    }
}

impl GuestSettings {
    /// What is farther from all surfaces feels nothing of them, m.
    pub fn farthest(&self) -> f64 {
        self.reach.max(self.friction_reach)
    }
}

/// How the triangles near a particle share in pushing it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sum {
    /// Triangles, minus the edges that two of them share, plus the vertices inside: a flat surface
    /// pushes along its normal, and does not know into which triangles it is cut.
    #[default]
    Exclusion,
    /// All triangles. Near their edges a flat surface pushes several times as much, and sideways.
    Sum,
    /// The nearest triangle alone. In grooves the push changes its direction at once.
    Nearest,
}

/// How the linear systems of bodies and particles near them are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Linear {
    /// Particles are eliminated first: the system is no larger than that of the bodies.
    #[default]
    Schur,
    /// One factorisation of everything, for comparison.
    Whole,
}

/// What takes part in a step besides the bodies.
#[derive(Clone, Copy, Debug)]
pub struct Guests<'a> {
    /// All of them.
    pub all: &'a [Guest],
    /// How they are kept away.
    pub settings: GuestSettings,
    /// Where all vertices are expected at the end of the step, and then all guests, m: Newton's
    /// method begins as far towards there as is safe. Without guests they are expected at their
    /// goals; without anything, vertices are expected where they are.
    pub start: Option<&'a [DVec3]>,
}
