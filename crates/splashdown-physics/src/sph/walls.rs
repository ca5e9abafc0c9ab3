//! Wall weights: how much of a fluid's support one boundary particle stands for.
//!
//! A wall is one layer of particles. Each enters the fluid's number density with the weight
//!
//!   β_b = γ / Σ_b' hᵈ W_bb'   (W1)
//!
//! (Akinci et al. 2012, eq. 4, with the factor γ of Gissler et al. 2019 and Probst & Teschner
//! 2023). γ is the sum over a flat layer of spacing h, so that a flat, evenly sampled wall has β =
//! 1 and completes the support of a fluid lattice that starts one spacing away; sparse samplings
//! weigh more per particle, crowded ones less, and the wall stays equally tight.
//!
//! How large a moving body is for fluids is in `sph/volumes.rs`.

use std::ops::Range;

use crate::particles::cells::CellShape;
use crate::particles::kernel::Kernel;
use crate::particles::neighbors::{Neighbors, SearchInput};
use crate::particles::wall_density::WallDensity;

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
        wall_density: WallDensity::NONE,
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
