//! Liquids: what they are made of.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::sph::tension::FluidSurface;
use crate::state::{Persist, State};

/// A liquid of one density and viscosity.
#[derive(Clone, Debug)]
pub struct Fluid {
    /// As in the scene.
    pub name: String,
    /// Its particles.
    pub range: Range<usize>,
    /// Rest density, kg/m³.
    pub density: f64,
    /// Internal friction.
    pub viscosity: Viscosity,
    /// What its surfaces cost, and how it rubs on walls.
    pub surface: FluidSurface,
}

/// The viscosity models, each with its own parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Viscosity {
    /// No friction at all.
    None(NoViscosity),
    /// Explicit artificial viscosity (Monaghan 1992): cheap, damps noise, not a physical value.
    Artificial(ArtificialViscosity),
    /// Explicit smoothing of velocities (Schechter & Bridson 2012): cheap, not a physical value.
    Xsph(XsphViscosity),
    /// Implicit, along the line of centres (Weiler et al. 2018): for highly viscous fluids.
    Weiler2018(DynamicViscosity),
    /// Implicit Laplacian of the velocity (Brookshaw 1985; Morris et al. 1997): the physical value.
    Laplacian(DynamicViscosity),
}

/// No friction at all.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoViscosity {}

/// Explicit artificial viscosity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArtificialViscosity {
    /// Strength.
    #[serde(default = "default_alpha")]
    #[schemars(range(min = 0, max = 1))]
    pub alpha: f64,
    /// Strength against walls.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1))]
    pub boundary: f64,
}

/// Explicit smoothing of velocities.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct XsphViscosity {
    /// Share of the neighbours' mean velocity taken over in every step.
    #[serde(default = "default_strength")]
    #[schemars(range(min = 0, max = 1))]
    pub strength: f64,
    /// The same for walls.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1))]
    pub boundary: f64,
}

/// Viscosity as a material constant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DynamicViscosity {
    /// Dynamic viscosity: water 0.001, olive oil 0.08, honey 10.
    #[schemars(extend("minimum" = 0, "x-unit" = "Pa·s"))]
    pub dynamic: f64,
    /// The same between fluid and walls. Not set: as `dynamic`, so that fluid sticks to walls; 0:
    /// it slips.
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "x-unit" = "Pa·s"))]
    pub boundary: Option<f64>,
}

fn default_alpha() -> f64 {
    0.01
}

fn default_strength() -> f64 {
    0.05
}

impl Default for Viscosity {
    fn default() -> Self {
        Viscosity::NONE
    }
}

impl Default for ArtificialViscosity {
    fn default() -> Self {
        ArtificialViscosity { alpha: default_alpha(), boundary: 0.0 }
    }
}

impl Viscosity {
    /// No friction at all.
    pub const NONE: Viscosity = Viscosity::None(NoViscosity {});

    /// Of strength `alpha`, and another against walls.
    pub fn artificial(alpha: f64, boundary: f64) -> Viscosity {
        Viscosity::Artificial(ArtificialViscosity { alpha, boundary })
    }

    /// Of a share of the neighbours' velocity, and another of that of walls.
    pub fn xsph(strength: f64, boundary: f64) -> Viscosity {
        Viscosity::Xsph(XsphViscosity { strength, boundary })
    }

    /// Of dynamic viscosity η, and another against walls, Pa·s.
    pub fn weiler2018(dynamic: f64, boundary: f64) -> Viscosity {
        Viscosity::Weiler2018(DynamicViscosity { dynamic, boundary: Some(boundary) })
    }

    /// Of dynamic viscosity η, and another against walls, Pa·s.
    pub fn laplacian(dynamic: f64, boundary: f64) -> Viscosity {
        Viscosity::Laplacian(DynamicViscosity { dynamic, boundary: Some(boundary) })
    }

    /// Dynamic viscosity η, Pa·s; zero where the model has no physical value.
    pub fn dynamic(&self) -> f64 {
        match self {
            Viscosity::Weiler2018(v) | Viscosity::Laplacian(v) => v.dynamic,
            _ => 0.0,
        }
    }

    /// Strength α or share ε of an explicit model; zero of others.
    pub(crate) fn strength(&self) -> f64 {
        match self {
            Viscosity::Artificial(v) => v.alpha,
            Viscosity::Xsph(v) => v.strength,
            _ => 0.0,
        }
    }

    /// What stands for `dynamic` or `strength` against walls.
    pub fn boundary(&self) -> f64 {
        match self {
            Viscosity::None(_) => 0.0,
            Viscosity::Artificial(v) => v.boundary,
            Viscosity::Xsph(v) => v.boundary,
            Viscosity::Weiler2018(v) | Viscosity::Laplacian(v) => v.boundary.unwrap_or(v.dynamic),
        }
    }

    /// Whether it is solved for at the end of the step.
    pub fn is_implicit(&self) -> bool {
        matches!(self, Viscosity::Laplacian(_) | Viscosity::Weiler2018(_))
    }

    /// Whether it is made of velocities at the beginning of the step.
    pub fn is_explicit(&self) -> bool {
        matches!(self, Viscosity::Artificial(_) | Viscosity::Xsph(_))
    }
}

impl Persist for Fluid {
    fn save(&self, key: &str, state: &mut State) {
        let Fluid { name: _, range, density: _, viscosity: _, surface: _ } = self;
        state.put_range(key, range);
    }

    fn load(&mut self, key: &str, state: &State) -> Result<(), String> {
        self.range = state.range(key)?;
        Ok(())
    }
}
