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
//! | Laplacian  | 2 η̂ |w′|/(q L)                     (V2)     | at the end of Δt  | Brookshaw 1985; Morris et al. 1997 |
//! | Weiler2018 | 2(d+2) η̂ |w′| q/(q² + 0.01), along n  (V3)   | at the end of Δt  | Weiler et al. 2018 |
//! | Artificial | α min(|vᵢⱼ| Δt/h, 1/6) |w′| q/(q² + 0.01), along n (V4) | at its start | Monaghan 1992 |
//! | Xsph       | ε w                                  (V5)     | at its start      | Monaghan 1989           |
//!
//! η̂ = η Δt/(ρ_ref h²) for a dynamic viscosity η; q = r/h; w and w′ as in `particles::kernel`; L, close
//! to one, corrects what so few neighbours get wrong (`sliding_layers`). Where two
//! fluids meet, c is made from the harmonic mean of their coefficients (which keeps the stress continuous)
//! and, for the explicit models, of their masses. Measurements: docs/methods/viscosity.md.

mod coefficients;
pub mod explicit;
mod grips;
pub mod implicit;

use super::loads::Loads;
use crate::math::{DVec3, Dimension};
use crate::particles::kernel::{Kernel, SUPPORT};
use crate::rigid::bodies::Body;
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

/// Applies the viscosity of all fluids to the predicted velocities; `bodies` are all solids, or none where
/// no solid is dynamic.
pub fn apply(world: &World, work: &mut Workspace, bodies: &[Body], dt: f64) -> Viscous {
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
        let (iterations, loads) = implicit::solve(world, work, bodies, dt);
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

/// L: the viscosity that layers of the rest lattice feel with (V2) when they slide over each other, on
/// average over one spacing, as a share of η. It is the sum over all pairs that reach across a plane
/// between layers, and would be one for a kernel that reaches far.
pub fn sliding_layers(kernel: Kernel) -> f64 {
    let reach = SUPPORT as i32 + 1;
    let depth = if kernel.dimension == Dimension::Two { 0..=0 } else { -reach..=reach };
    let slides = 16;
    let mut sum = 0.0;
    for slide in 0..slides {
        for layer in 1..SUPPORT as i32 + 1 {
            for (x, z) in (-reach..=reach).flat_map(|x| depth.clone().map(move |z| (x, z))) {
                let slid = f64::from(x) + f64::from(slide) / f64::from(slides);
                let q = DVec3::new(slid, layer.into(), z.into()).length();
                // A pair that is n layers apart reaches across n planes and sees n times the difference.
                sum += f64::from(layer * layer) * 2.0 * -kernel.dw(q) / q;
            }
        }
    }
    sum / f64::from(slides)
}

/// The harmonic mean, zero if one of the two is.
fn harmonic_mean(a: f64, b: f64) -> f64 {
    if a > 0.0 && b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 }
}

/// How much the velocity difference between a fluid and a wall particle of each solid must be stretched
/// so that the fluid sticks to the surface and not to the samples, which lie `inset` behind it (Morris
/// et al. 1997, for a fluid particle one spacing away from the samples).
fn wall_stretch(world: &World) -> Vec<f64> {
    let share = |inset: f64| (inset / world.spacing).clamp(0.0, 0.75);
    world.solids.iter().map(|solid| 1.0 / (1.0 - share(solid.inset))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::kernel::KernelKind;

    #[test]
    fn sliding_layers_feel_nearly_the_right_viscosity() {
        let share = |kind, dimension| sliding_layers(Kernel { kind, dimension });
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-3, "{a} instead of {b}");
        close(share(KernelKind::Cubic, Dimension::Two), 0.996);
        close(share(KernelKind::Cubic, Dimension::Three), 1.011);
        close(share(KernelKind::Wendland, Dimension::Two), 0.972);
        close(share(KernelKind::Wendland, Dimension::Three), 0.984);
        close(share(KernelKind::Spiky, Dimension::Two), 0.872);
        close(share(KernelKind::Spiky, Dimension::Three), 0.948);
    }

    /// Force along x that a neighbour at (x, y, z) exerts in the shear flow u = y, over η: (V2) with L = 1
    /// and (V3).
    fn shear_forces(kernel: Kernel, apart: DVec3) -> [f64; 2] {
        let d = kernel.dimension.count() as f64;
        let q = apart.length();
        let laplacian = 2.0 * -kernel.dw(q) / q;
        let weiler = 2.0 * (d + 2.0) * -kernel.dw(q) * q / (q * q + 0.01);
        [laplacian * apart.y, weiler * apart.y * (apart.x / q).powi(2)]
    }

    /// The sum of `term` over neighbours at integer places.
    fn lattice_sum(flat: bool, term: impl Fn(DVec3) -> [f64; 2]) -> [f64; 2] {
        let depth = if flat { 0..=0 } else { -3..=3 };
        let places =
            depth.flat_map(|z| (-3..=3).flat_map(move |y| (-3..=3).map(move |x| [x, y, z])));
        let others = places.filter(|&place| place != [0, 0, 0]);
        others
            .map(|place| term(DVec3::from(place.map(f64::from))))
            .fold([0.0; 2], |sum, term| [sum[0] + term[0], sum[1] + term[1]])
    }

    #[test]
    fn the_laplacian_does_not_care_how_the_lattice_lies_but_weilers_form_does() {
        let close = |found: [f64; 2], expected: [f64; 2]| {
            let ok = found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-3);
            assert!(ok, "{found:?} instead of {expected:?}");
        };
        // Rows slid by s: pairs that reach across the plane above the particle's row, n rows up n times.
        let slid = |dimension: Dimension, s: f64| {
            let kernel = Kernel { kind: KernelKind::Cubic, dimension };
            lattice_sum(dimension == Dimension::Two, |place| {
                let planes = place.y.max(0.0);
                shear_forces(kernel, place + DVec3::X * s * place.y).map(|force| planes * force)
            })
        };
        for (s, two, three) in [
            (0.0, [1.013, 0.659], [1.020, 0.708]),
            (0.125, [1.009, 0.686], [1.017, 0.737]),
            (0.25, [0.996, 0.749], [1.010, 0.805]),
            (0.375, [0.983, 0.809], [1.004, 0.873]),
            (0.5, [0.979, 0.835], [1.003, 0.906]),
        ] {
            close(slid(Dimension::Two, s), two);
            close(slid(Dimension::Three, s), three);
        }
        // A lattice turned against the shear: the stress is ½ Σ force · y per volume.
        let turned = |degrees: f64| {
            let kernel = Kernel { kind: KernelKind::Cubic, dimension: Dimension::Two };
            let turn = crate::math::DQuat::from_rotation_z(degrees.to_radians());
            lattice_sum(true, |place| {
                let place = turn * place;
                shear_forces(kernel, place).map(|force| 0.5 * place.y * force)
            })
        };
        close(turned(0.0), [1.013, 0.659]);
        close(turned(15.0), [1.013, 0.832]);
        close(turned(30.0), [1.013, 1.178]);
        close(turned(45.0), [1.013, 1.351]);
    }
}
