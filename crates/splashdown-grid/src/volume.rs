//! Displacements that give liquid its density back (Kugelstadt et al. 2019, KLF19).
//!
//!   ρ/ρ₀ = Σ w / N + missing,   Σ ±A d = ρ/ρ₀ − 1                                     (GV1)
//!
//! with N particles in a full cell, and the share that solids take of the weight of a cell counted
//! as full. It is the system of the pressure with another right-hand side. Beside air only too much
//! counts: too little is where liquid ends.

use rayon::prelude::*;
use splashdown_solve::reduce;

use crate::lattice::{Lattice, NONE, Nodes};
use crate::poisson::System;
use crate::records::Records;
use crate::settings::Kernel;
use crate::transfer::scatter;
use crate::walls::Walls;

/// No more than this is corrected in a step, as a share.
const MOST: f64 = 0.5;

/// The density of liquid in each cell, and how far it is from rest.
#[derive(Clone, Debug, Default)]
pub struct Density {
    /// Over that at rest, of each unknown.
    pub value: Vec<f64>,
    /// What the projection corrects.
    pub excess: Vec<f64>,
    /// RMS of density − 1 over cells away from air.
    pub error: f64,
}

/// (GV1); `per_cell` particles fill a cell.
pub fn density(
    lattice: &Lattice,
    records: &Records,
    walls: &Walls,
    system: &System,
    phi: &[f64],
    per_cell: f64,
) -> Density {
    let nodes = scatter(lattice, records, Nodes::Cells, Kernel::Linear, |_, _| 0.0);
    let around = lattice.around_cell();
    let is_air = |cell: usize| {
        system.number[cell] == NONE && phi[cell] >= 0.0 && walls.of_cell(lattice, cell) > 0.0
    };
    let of_unknown = |&cell: &u32| {
        let cell = cell as usize;
        let value = nodes[cell].filled / per_cell + walls.taken(cell);
        let excess = (value - 1.0).clamp(-MOST, MOST);
        let near_air = around.iter().any(|step| is_air(cell.wrapping_add_signed(*step)));
        (value, if near_air { excess.max(0.0) } else { excess }, near_air)
    };
    let found: Vec<(f64, f64, bool)> = system.cells.par_iter().map(of_unknown).collect();
    let [sum, count] = reduce::sums(found.len(), |n| match found[n] {
        (value, _, false) => [(value - 1.0).powi(2), 1.0],
        _ => [0.0; 2],
    });
    Density {
        value: found.iter().map(|f| f.0).collect(),
        excess: found.iter().map(|f| f.1).collect(),
        error: if count > 0.0 { (sum / count).sqrt() } else { 0.0 },
    }
}
