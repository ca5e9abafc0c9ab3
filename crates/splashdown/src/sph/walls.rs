//! Wall weights: how much of a fluid's support one boundary particle stands for.
//!
//! A wall is one layer of particles. Each enters the fluid's number density with the weight
//!
//!   β_b = γ / Σ_b' hᵈ W_bb'   (W1)
//!
//! (Akinci et al. 2012, eq. 4, with the factor γ of Gissler et al. 2019 and Probst & Teschner 2023).
//! γ is the sum over a flat layer of spacing h, so that a flat, evenly sampled wall has β = 1 and
//! completes the support of a fluid lattice that starts one spacing away; sparse samplings weigh more per
//! particle, crowded ones less, and the wall stays equally tight.
//!
//! (W1) looks at the samples from among them. Fluid looks at them from one spacing away, and sees less of a
//! surface that bends away from it than of a flat one: of a sphere of samples with radius R it sees
//!
//!   s = R/(R + h) = 1 − h/(R + h)   of what it sees of a plane,
//!
//! for the spheres inside that one likewise with their depths. What the solid should make up for is all of
//! these together,
//!
//!   t = 1 − d̄ (1 − s),   d̄ = ∫ d P(d) dd / ∫ P(d) dd from h/2 to 2h, in h   (W2)
//!
//! where P(d) is what a plane adds at distance d. s is measured, sample by sample, and β is changed such that
//! walls count t there, for bodies that move. To first order this holds for cylinders, saddles and hollows, too.

use std::ops::Range;

use rayon::prelude::*;

use crate::math::DVec3;
use crate::particles::cells::CellShape;
use crate::particles::firmness::Firmness;
use crate::particles::kernel::{Kernel, SUPPORT};
use crate::particles::neighbors::{Neighbors, SearchInput};
use crate::particles::point_grid::PointGrid;

/// Neighbours within this distance, in h, have to face the same way for (W2): at edges it says nothing.
const SMOOTH_WITHIN: f64 = 1.3;
/// And this is the same way: the cosine of the largest angle between them.
const SMOOTH: f64 = 0.75;

/// (W1) for the particles of `group`, walls that never move against each other, into `weight`.
pub fn wall_weights(
    group: &[Range<usize>],
    keys: &[u64],
    within: &[[f32; 4]],
    cells: CellShape,
    kernel: Kernel,
    weight: &mut [f32],
) {
    let gamma = (kernel.layer_sum() / kernel.lattice_sum()) as f32;
    let masses = vec![1.0; group.len()];
    let mut neighbors = Neighbors::default();
    let found = neighbors.rebuild(&SearchInput {
        keys,
        within,
        fluids: group,
        solids: &[],
        inverse_mass: &masses,
        weight: &[],
        firmness: Firmness::NONE,
        kernel,
        cells,
        wide: None,
    });
    if found.is_err() {
        // Absurdly dense samples: their weights no longer matter.
        group.iter().for_each(|range| weight[range.clone()].fill(gamma));
        return;
    }
    for chunk in &neighbors.chunks {
        for (w, sums) in weight[chunk.particles.clone()].iter_mut().zip(&chunk.sums) {
            *w = gamma / sums.number_density;
        }
    }
}

/// (W2): changes the weights of one solid's samples where they are smooth and curved. Nothing is done where
/// it is not known which way is out.
pub fn curved_wall_weights(
    samples: &[DVec3],
    outward: &[DVec3],
    spacing: f64,
    kernel: Kernel,
    firmness: Firmness,
    weight: &mut [f32],
) {
    if outward.len() != samples.len() {
        return;
    }
    let grid = PointGrid::of(samples, SUPPORT * spacing);
    let before = weight.to_vec();
    let flat = f64::from(firmness.onset());
    let depth = mean_depth(kernel);
    weight.par_iter_mut().zip(samples).zip(outward).for_each(|((beta, &x), &n)| {
        let smooth = n != DVec3::ZERO
            && grid.all_near(x, |k, distance_squared| {
                distance_squared > (SMOOTH_WITHIN * spacing).powi(2) || n.dot(outward[k]) > SMOOTH
            });
        if !smooth {
            return;
        }
        let mut seen = 0.0;
        grid.all_near(x + spacing * n, |k, distance_squared| {
            seen += f64::from(before[k]) * kernel.w(distance_squared.sqrt() / spacing);
            true
        });
        let seen = seen / kernel.lattice_sum() / flat;
        let wanted = 1.0 - depth * (1.0 - seen);
        *beta *= (firmness.density_that_counts((flat * wanted) as f32) / (flat * seen) as f32)
            .clamp(0.7, 1.5);
    });
}

/// d̄ of (W2).
fn mean_depth(kernel: Kernel) -> f64 {
    let steps = 64;
    let at = |k: usize| 0.5 + (SUPPORT - 0.5) * (k as f64 + 0.5) / steps as f64;
    let plane = |d: f64| {
        let planes = (0..steps).map(|k| SUPPORT * (k as f64 + 0.5) / steps as f64);
        let across = |r: f64| if kernel.dimension.count() == 3 { r } else { 1.0 };
        planes.map(|r| across(r) * kernel.w((d * d + r * r).sqrt())).sum::<f64>()
    };
    let (sum, moment) =
        (0..steps).map(at).fold((0.0, 0.0), |(s, m), d| (s + plane(d), m + d * plane(d)));
    moment / sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Dimension;
    use crate::particles::firmness::WallKind;
    use crate::particles::kernel::KernelKind;
    use crate::shapes::{Shape, outward_normals};

    /// What the samples of a sphere of `radius` h make walls count one spacing outside of them, on average, and
    /// what the solid inside would, in units of what half a space makes them count.
    fn counted_and_wanted(dimension: Dimension, radius: f64) -> (f64, f64) {
        let h = 0.1;
        let kernel = Kernel { kind: KernelKind::Cubic, dimension };
        let shape = Shape::Sphere { radius: radius * h };
        let samples = shape.sample_surface(h, -0.5 * h, dimension).unwrap();
        let outward = outward_normals(&shape.surface(), &samples, 0.5 * h);
        let gamma = kernel.layer_sum();
        let own =
            |x: &DVec3| -> f64 { samples.iter().map(|b| kernel.w((*x - *b).length() / h)).sum() };
        let mut weight: Vec<f32> = samples.iter().map(|x| (gamma / own(x)) as f32).collect();
        let firmness = Firmness::new(kernel, WallKind::Zero);
        curved_wall_weights(&samples, &outward, h, kernel, firmness, &mut weight);
        let seen = |x: DVec3| -> f64 {
            let each = samples.iter().zip(&weight);
            each.map(|(b, w)| f64::from(*w) * kernel.w((x - *b).length() / h)).sum()
        };
        let outside = |b: &DVec3| *b * ((radius + 0.5) / (radius - 0.5));
        let counted = samples.iter().map(|b| seen(outside(b))).sum::<f64>() / samples.len() as f64;
        // A lattice of fine cells around a place half a spacing outside of the sphere, or of a plane.
        let fine = 0.1;
        let steps = -20..20;
        let depth = if dimension == Dimension::Two { 0..1 } else { -20..20 };
        let (mut ball, mut half) = (0.0, 0.0);
        for x in steps.clone() {
            for y in steps.clone() {
                for z in depth.clone() {
                    let p = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
                    let p = dimension.flatten((p + 0.5) * fine);
                    let w = kernel.w(p.length());
                    ball += if (p + (radius + 0.5) * DVec3::X).length() < radius { w } else { 0.0 };
                    half += if p.x < -0.5 { w } else { 0.0 };
                }
            }
        }
        let onset = f64::from(firmness.onset());
        (counted / kernel.lattice_sum() / onset, ball / half)
    }

    #[test]
    fn a_round_wall_counts_as_much_as_the_solid_behind_it() {
        for dimension in [Dimension::Two, Dimension::Three] {
            for radius in [3.0, 4.0, 6.0, 10.0] {
                let (counted, wanted) = counted_and_wanted(dimension, radius);
                let error = (counted / wanted - 1.0).abs();
                assert!(error < 0.03, "{dimension:?} {radius} {counted} {wanted}");
            }
        }
    }
}
