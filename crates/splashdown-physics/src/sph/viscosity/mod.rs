//! Internal friction of fluids, and friction against walls.
//!
//! All models exchange momentum between pairs of particles, each pair giving to one what it takes
//! from the other, so that momentum is conserved whatever the model. In the units of the pressure
//! solver (`sph::pressure::operator`: relative masses μ, volumes hᵈ, lengths in h) every model
//! reads
//!
//!   μᵢ Δvᵢ = Σⱼ Cᵢⱼ (vⱼ − vᵢ)   (V1)
//!
//! with Cᵢⱼ = c 1 (all components) or c n nᵀ (along the line of centres), and a symmetric
//! coefficient c ≥ 0 per pair:
//!
//! | model      | c                                                        | velocities at |
//! |------------|----------------------------------------------------------|---------------|
//! | Laplacian  | 2 η̂ |w′|/(q L)                                      (V2) | the end of Δt |
//! | Weiler2018 | 2(d+2) η̂ |w′| q/(q² + 0.01), along n                (V3) | the end of Δt |
//! | Artificial | α min(|vᵢⱼ| Δt/h, 1/6) |w′| q/(q² + 0.01), along n (V4)  | its start     |
//! | Xsph       | ε w                                                 (V5) | its start     |
//!
//! They are derived in Brookshaw 1985 and Morris et al. 1997, Weiler et al. 2018, Monaghan 1992 and
//! Monaghan 1989.
//!
//! η̂ = η Δt/(ρ_ref h²) for a dynamic viscosity η; q = r/h; w and w′ as in `particles::kernel`; L,
//! close to one, corrects what so few neighbours get wrong (`sliding_layers`). Where two fluids
//! meet, c is made from the harmonic mean of their coefficients (which keeps the stress continuous)
//! and, for the explicit models, of their masses. Measurements: docs/methods/viscosity.md.

pub mod coefficients;
pub mod explicit;
pub mod implicit;

use glam::Vec4;

use self::coefficients::Coefficients;
use crate::math::{DVec3, Dimension};
use crate::particles::kernel::{Kernel, SUPPORT};
use crate::particles::neighbors::Neighbors;
use crate::solve::{Stop, cg};
use crate::sph::fluid::Viscosity;
use crate::sph::loads::WallLoads;
use crate::sph::system::FluidSystem;

/// A step of the fluids, as viscosity sees it.
#[derive(Clone, Copy)]
pub struct ViscousStep<'a> {
    /// Fluids and solids.
    pub system: FluidSystem<'a>,
    /// Pairs of the step.
    pub neighbors: &'a Neighbors,
    /// Length of the step, s.
    pub dt: f64,
    /// Ends an iteration, with nothing usable.
    pub stop: Stop,
}

/// Walls that give way to the fluid that drags them, in the implicit solve: what they are is not
/// its business.
pub trait DraggedWalls: Sync {
    /// Whether none does.
    fn is_empty(&self) -> bool;
    /// The velocities in `walls`, of all particles of solids, that belong to those of the fluid.
    fn drag(&self, fluid: &[DVec3], walls: &mut [DVec3]);
    /// Takes what walls give way to the direction p from q = A p; returns how much p · q shrinks.
    fn give_way(&self, p: &[Vec4], q: &mut [Vec4]) -> f64;
}

/// What viscosity did in a step, beyond changing velocities.
#[derive(Clone, Debug, Default)]
pub struct Viscous {
    /// How far the implicit solve came.
    pub solved: cg::Report,
    /// Impulses on solids; empty if no fluid is viscous.
    pub loads: WallLoads,
}

/// Applies the viscosity of all fluids to `velocity`, of all particles. `dragged` are the walls
/// that give way, made of the coefficients of all chunks.
pub fn apply<W: DraggedWalls>(
    step: &ViscousStep,
    velocity: &mut Vec<DVec3>,
    buffers: &mut implicit::Buffers,
    dragged: impl FnOnce(&[Coefficients]) -> W,
) -> Viscous {
    let any = |is_such: fn(&Viscosity) -> bool| {
        step.system.fluids.iter().map(|fluid| fluid.viscosity).any(|viscosity| {
            let values = [viscosity.dynamic(), viscosity.strength(), viscosity.boundary()];
            is_such(&viscosity) && values.iter().any(|value| *value > 0.0)
        })
    };
    let mut viscous = Viscous::default();
    if any(Viscosity::is_explicit) {
        viscous.loads.add(explicit::exchange(step, velocity));
    }
    if any(Viscosity::is_implicit) {
        let (solved, loads) = implicit::solve(step, velocity, buffers, dragged);
        viscous.solved = solved;
        viscous.loads.add(loads);
    }
    viscous
}

/// L: the viscosity that layers of the rest lattice feel with (V2) when they slide over each other,
/// on average over one spacing, as a share of η. It is the sum over all pairs that reach across a
/// plane between layers, and would be one for a kernel that reaches far.
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
                // A pair that is n layers apart reaches across n planes and sees n times the
                // difference.
                sum += f64::from(layer * layer) * 2.0 * -kernel.dw(q) / q;
            }
        }
    }
    sum / f64::from(slides)
}

/// The harmonic mean, zero if one of the two is.
pub(super) fn harmonic_mean(a: f64, b: f64) -> f64 {
    if a > 0.0 && b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 }
}

/// How much the velocity difference between a fluid and a wall particle of each solid must be
/// stretched so that the fluid sticks to the surface and not to the samples, which lie `inset`
/// behind it (Morris et al. 1997, for a fluid particle one spacing away from the samples).
pub(super) fn wall_stretch(system: &FluidSystem) -> Vec<f64> {
    let share = |inset: f64| (inset / system.space.spacing).clamp(0.0, 0.75);
    system.solids.iter().map(|solid| 1.0 / (1.0 - share(solid.inset))).collect()
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

    /// Force along x that a neighbour at (x, y, z) exerts in the shear flow u = y, over η: (V2)
    /// with L = 1 and (V3).
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
        // Rows slid by s: pairs that reach across the plane above the particle's row, n rows up n
        // times.
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
