//! Internal friction of fluids, and friction against walls.
//!
//! All models exchange momentum between pairs of particles, each pair giving to one what it takes from
//! the other, so that momentum is conserved whatever the model. In the units of the pressure solver
//! (`sph::pressure::operator`: relative masses μ, volumes hᵈ, lengths in h) every model reads
//!
//!   μᵢ Δvᵢ = Σⱼ Cᵢⱼ (vⱼ − vᵢ)   (V1)      Cᵢⱼ = c 1 (all components) or c n nᵀ (along the line of centres)
//!
//! with a symmetric coefficient c ≥ 0 per pair:
//!
//! | model      | c                                           | velocities        | derived in              |
//! |------------|---------------------------------------------|-------------------|-------------------------|
//! | Laplacian  | 2 η̂ |w′|/q                         (V2)     | at the end of Δt  | Brookshaw 1985; Morris et al. 1997 |
//! | Weiler2018 | 2(d+2) η̂ |w′| q/(q² + 0.01), along n  (V3)   | at the end of Δt  | Weiler et al. 2018, eq. 6 |
//! | Artificial | α min(|vᵢⱼ| Δt/h, 1/6) |w′| q/(q² + 0.01), along n (V4) | at its start | Monaghan 1992 |
//! | Xsph       | ε w                                  (V5)     | at its start      | Monaghan 1989           |
//!
//! η̂ = η Δt/(ρ_ref h²) for a dynamic viscosity η; q = r/h; w and w′ as in `particles::kernel`. Where two
//! fluids meet, c is made from the harmonic mean of their coefficients (which keeps the stress continuous)
//! and, for the explicit models, of their masses. Measurements: docs/methods/viscosity.md.

pub mod explicit;
pub mod implicit;

use super::loads::Loads;
use crate::step::Workspace;
use crate::world::{ViscosityModel, World};

/// What viscosity did in a step, beyond changing `Workspace::predicted`.
#[derive(Clone, Debug, Default)]
pub struct Viscous {
    /// Iterations of the implicit solve.
    pub iterations: u32,
    /// Impulses on solids; empty if no fluid is viscous.
    pub loads: Loads,
}

/// Applies the viscosity of all fluids to the predicted velocities.
pub fn apply(world: &World, work: &mut Workspace, dt: f64) -> Viscous {
    let any = |model: fn(ViscosityModel) -> bool| {
        let viscous = |c: f64| c > 0.0;
        world.fluids.iter().map(|fluid| fluid.viscosity).any(|viscosity| {
            model(viscosity.model)
                && (viscous(viscosity.coefficient) || viscous(viscosity.boundary))
        })
    };
    let mut viscous = Viscous::default();
    if any(|model| matches!(model, ViscosityModel::Artificial | ViscosityModel::Xsph)) {
        viscous.loads = explicit::exchange(world, work, dt);
    }
    if any(is_implicit) {
        let (iterations, loads) = implicit::solve(world, work, dt);
        viscous.iterations = iterations;
        if viscous.loads.is_empty() {
            viscous.loads = loads;
        } else {
            viscous.loads.iter_mut().zip(&loads).for_each(|(sum, load)| sum.add(load, 0.0));
        }
    }
    viscous
}

/// Whether a model is solved for at the end of the step.
pub fn is_implicit(model: ViscosityModel) -> bool {
    matches!(model, ViscosityModel::Laplacian | ViscosityModel::Weiler2018)
}

/// The harmonic mean, zero if one of the two is.
fn harmonic_mean(a: f64, b: f64) -> f64 {
    if a > 0.0 && b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 }
}

/// How much the velocity difference between a fluid and a wall particle of each solid must be stretched
/// so that the fluid sticks to the surface and not to the samples, which lie `inset` behind it (Morris
/// et al. 1997, eq. 27, for a fluid particle one spacing away from the samples).
fn wall_stretch(world: &World) -> Vec<f64> {
    let share = |inset: f64| (inset / world.spacing).clamp(0.0, 0.75);
    world.solids.iter().map(|solid| 1.0 / (1.0 - share(solid.inset))).collect()
}
