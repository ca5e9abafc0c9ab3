//! The Hessian of the potentials as a matrix, for comparison: its rows reach neighbours of
//! neighbours, in 3D about 170 blocks of 3×3 numbers each.

use std::collections::HashMap;

use rayon::prelude::*;

use super::potentials::Potentials;
use crate::math::{DMat3, DVec3};
use crate::solve::operator::LinearOperator;

/// H as rows of blocks.
pub struct Assembled {
    rows: Vec<Vec<(u32, DMat3)>>,
}

/// a bᵀ
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(b.x * a, b.y * a, b.z * a)
}

impl Assembled {
    /// Of these potentials, with samples that stand still.
    pub fn of(potentials: &Potentials<'_>) -> Assembled {
        let n = potentials.count();
        Assembled { rows: (0..n).into_par_iter().map(|i| row(potentials, i)).collect() }
    }

    /// How many blocks it has.
    pub fn block_count(&self) -> usize {
        self.rows.iter().map(Vec::len).sum()
    }

    /// All entries.
    pub fn dense(&self) -> Vec<Vec<f64>> {
        let n = self.rows.len();
        let mut dense = vec![vec![0.0; 3 * n]; 3 * n];
        for (i, row) in self.rows.iter().enumerate() {
            for &(j, block) in row {
                for (r, c) in (0..3).flat_map(|r| (0..3).map(move |c| (r, c))) {
                    dense[3 * i + r][3 * j as usize + c] = block.col(c)[r];
                }
            }
        }
        dense
    }
}

/// The blocks of one row, by column.
fn row(potentials: &Potentials<'_>, i: usize) -> Vec<(u32, DMat3)> {
    let Potentials { rows, mass, held, stiffness, .. } = potentials;
    let mut blocks: HashMap<u32, DMat3> = HashMap::new();
    let mut add = |j: usize, block: DMat3| {
        *blocks.entry(j as u32).or_insert(DMat3::ZERO) += block;
    };
    let Some((stretch, k)) = rows.place(i).filter(|_| !held[i]) else {
        return Vec::new();
    };
    add(i, DMat3::from_diagonal(DVec3::splat(mass[i])));
    let near = stretch.neighbors(k).iter().map(|n| n.index as usize);
    for centre in near.chain([i]).filter(|&m| potentials.active[m]) {
        let derivatives = derivatives(potentials, centre);
        let Some(&(_, own)) = derivatives.iter().find(|(at, _)| *at == i) else { continue };
        for (j, other) in &derivatives {
            add(*j, *stiffness * outer(own, *other));
        }
    }
    for (n, &[a, b]) in stretch.rubbing(k) {
        let block = DMat3::from_diagonal(DVec3::splat(f64::from(a)))
            + f64::from(b) * outer(n.gradient(), n.gradient());
        add(i, block);
        add(n.index as usize, -block);
    }
    for (n, &[a, b]) in stretch.rubbing_walls(k) {
        add(i, DMat3::from_diagonal(DVec3::splat(f64::from(a))));
        add(i, f64::from(b) * outer(n.gradient(), n.gradient()));
    }
    let mut row: Vec<(u32, DMat3)> =
        blocks.into_iter().filter(|(j, _)| !held[*j as usize]).collect();
    row.sort_unstable_by_key(|(j, _)| *j);
    row
}

/// ∂Jᵢ/∂u of the particle itself and of its neighbours.
fn derivatives(potentials: &Potentials<'_>, i: usize) -> Vec<(usize, DVec3)> {
    let Potentials { rows, ratio, .. } = potentials;
    let Some((stretch, k)) = rows.place(i) else { return Vec::new() };
    let of_neighbor = |j: usize, g: DVec3| (j, ratio[i] * rows.volume[j] * g);
    let near = stretch.neighbors(k).iter().map(|n| of_neighbor(n.index as usize, n.gradient()));
    near.chain([(i, -ratio[i] * rows.own_gradient[i])]).collect()
}

impl LinearOperator<DVec3> for Assembled {
    fn apply(&self, x: &[DVec3], y: &mut [DVec3]) {
        y.par_iter_mut().zip(&self.rows).for_each(|(y, row)| {
            *y = row.iter().map(|&(j, block)| block * x[j as usize]).sum();
        });
    }
}
