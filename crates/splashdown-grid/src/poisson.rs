//! The linear system of both projections, and its solution.
//!
//! One unknown in each cell with liquid, one link through each face that is open:
//!
//!   Σ A_f β_f (p − p_neighbour) / θ_f = b                                             (GP1)
//!
//! with the open share A, the density of reference over that of the face β, and, towards a cell
//! without liquid, p_neighbour = 0 and the share θ of the way at which the surface lies (Gibou et
//! al. 2002; θ = 1 elsewhere). It is symmetric and positive definite, but for pockets that no
//! surface bounds: there b and p have no mean, and the smallest pressure is made zero.
//!
//! Solved by conjugate gradients with a modified incomplete Cholesky factor (Gustafsson 1978).

use rayon::prelude::*;
use splashdown_solve::cg::{self, Iteration, Params};
use splashdown_solve::{Stop, reduce};

use crate::lattice::{Lattice, NONE};
use crate::level_set::surface_between;
use crate::walls::Walls;

/// How much of what the factor drops its diagonal takes over.
const MODIFIED: f64 = 0.97;
/// A pivot below this share of the diagonal is not used.
const SMALLEST: f64 = 0.25;

/// (GP1) of the cells with liquid.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// The cell of each unknown.
    pub cells: Vec<u32>,
    /// The unknown of each cell, or `NONE`.
    pub number: Vec<u32>,
    /// Unknowns on both sides along each axis; one more than there are where there is none.
    below: Vec<[u32; 3]>,
    above: Vec<[u32; 3]>,
    /// A β towards those below.
    link: Vec<[f64; 3]>,
    diagonal: Vec<f64>,
    /// 1 / √pivot of the factor.
    pivot: Vec<f64>,
    /// Unknowns that no surface bounds, pocket by pocket.
    pub pockets: Vec<Vec<u32>>,
}

/// How far a solve came.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solved {
    /// Iterations done.
    pub iterations: u32,
    /// What is left, as a share.
    pub residual: f64,
}

impl System {
    /// Of the cells in which `phi` is negative; `beta` is that of a face.
    pub fn new(
        lattice: &Lattice,
        walls: &Walls,
        phi: &[f64],
        beta: impl Fn(usize, usize) -> f64 + Sync,
    ) -> System {
        let strides = lattice.strides();
        let axes = lattice.axes();
        let is_wet = |cell: usize| {
            phi[cell] < 0.0
                && lattice.is_inner(lattice.place(cell))
                && (0..axes)
                    .any(|a| walls.open(a, cell) > 0.0 || walls.open(a, cell + strides[a]) > 0.0)
        };
        let wet: Vec<u32> =
            (0..lattice.len() as u32).into_par_iter().filter(|&c| is_wet(c as usize)).collect();
        let mut number = vec![NONE; lattice.len()];
        (0u32..).zip(&wet).for_each(|(n, &cell)| number[cell as usize] = n);
        let none = wet.len() as u32;
        let row = |&cell: &u32| {
            let cell = cell as usize;
            let mut row = Row { below: [none; 3], above: [none; 3], ..Row::default() };
            for (axis, stride) in strides.into_iter().enumerate().take(axes) {
                for (face, other) in [(cell, cell - stride), (cell + stride, cell + stride)] {
                    let coupling = walls.open(axis, face) * beta(axis, face);
                    if coupling <= 0.0 {
                        continue;
                    }
                    if number[other] != NONE {
                        row.diagonal += coupling;
                        match other < cell {
                            true => {
                                (row.below[axis], row.link[axis]) = (number[other], coupling);
                            }
                            false => row.above[axis] = number[other],
                        }
                    } else if phi[other] >= 0.0 {
                        row.diagonal += coupling / surface_between(phi[cell], phi[other]);
                        row.is_bounded = true;
                    }
                }
            }
            row
        };
        let rows: Vec<Row> = wet.par_iter().map(row).collect();
        let mut system = System { cells: wet, number, ..System::default() };
        for row in &rows {
            system.below.push(row.below);
            system.above.push(row.above);
            system.link.push(row.link);
            system.diagonal.push(row.diagonal);
        }
        system.pockets = system.find_pockets(&rows);
        system.factorise();
        system
    }

    /// Number of unknowns.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Unknowns that are linked to each other and to no surface.
    fn find_pockets(&self, rows: &[Row]) -> Vec<Vec<u32>> {
        let mut is_seen = vec![false; rows.len()];
        let mut pockets = Vec::new();
        for first in 0..rows.len() {
            if is_seen[first] {
                continue;
            }
            is_seen[first] = true;
            let mut own = vec![first as u32];
            let (mut next, mut is_bounded) = (0, false);
            while let Some(&n) = own.get(next) {
                let n = n as usize;
                is_bounded |= rows[n].is_bounded;
                for &other in self.below[n].iter().chain(&self.above[n]) {
                    if (other as usize) < rows.len() && !is_seen[other as usize] {
                        is_seen[other as usize] = true;
                        own.push(other);
                    }
                }
                next += 1;
            }
            if !is_bounded {
                own.sort_unstable();
                pockets.push(own);
            }
        }
        pockets
    }

    /// The link between an unknown and the one above it.
    #[inline]
    fn link_above(&self, n: usize, axis: usize) -> f64 {
        self.link.get(self.above[n][axis] as usize).map_or(0.0, |link| link[axis])
    }

    fn factorise(&mut self) {
        let count = self.len();
        let mut pivot = vec![0.0; count + 1];
        for n in 0..count {
            let mut e = self.diagonal[n];
            for axis in 0..3 {
                let below = self.below[n][axis] as usize;
                if below == count {
                    continue;
                }
                let link = self.link[n][axis];
                let dropped: f64 =
                    (0..3).filter(|a| *a != axis).map(|a| self.link_above(below, a)).sum();
                e -= link * (link + MODIFIED * dropped) * pivot[below] * pivot[below];
            }
            if e < SMALLEST * self.diagonal[n] {
                e = self.diagonal[n];
            }
            pivot[n] = if e > 0.0 { 1.0 / e.sqrt() } else { 0.0 };
        }
        self.pivot = pivot;
    }

    /// y ← A x; vectors have a zero more than there are unknowns.
    fn multiply(&self, x: &[f64], y: &mut [f64]) {
        let count = self.len();
        y[..count].par_iter_mut().enumerate().with_min_len(4096).for_each(|(n, y)| {
            let mut sum = self.diagonal[n] * x[n];
            for axis in 0..3 {
                sum -= self.link[n][axis] * x[self.below[n][axis] as usize];
                sum -= self.link_above(n, axis) * x[self.above[n][axis] as usize];
            }
            *y = sum;
        });
    }

    /// z ← M⁻¹ r.
    fn precondition(&self, r: &[f64], z: &mut [f64]) {
        let count = self.len();
        for n in 0..count {
            let mut sum = r[n];
            for axis in 0..3 {
                let below = self.below[n][axis] as usize;
                sum += self.link[n][axis] * self.pivot[below] * z[below];
            }
            z[n] = sum * self.pivot[n];
        }
        for n in (0..count).rev() {
            let mut sum = z[n];
            for axis in 0..3 {
                let above = self.above[n][axis] as usize;
                sum += self.link_above(n, axis) * self.pivot[n] * z[above];
            }
            z[n] = sum * self.pivot[n];
        }
    }

    /// Takes the mean of each pocket away.
    fn balance(&self, values: &mut [f64]) {
        for pocket in &self.pockets {
            let sum: f64 = pocket.iter().map(|&n| values[n as usize]).sum();
            let mean = sum / pocket.len() as f64;
            pocket.iter().for_each(|&n| values[n as usize] -= mean);
        }
    }

    /// Solves (GP1). `b` has one entry for each unknown.
    pub fn solve(
        &self,
        b: &[f64],
        tolerance: f64,
        max_iterations: u32,
        stop: Stop,
    ) -> (Vec<f64>, Solved) {
        let count = self.len();
        let mut b = b.to_vec();
        self.balance(&mut b);
        let vector = || vec![0.0; count + 1];
        let square = reduce::sum(count, |n| b[n] * b[n]);
        let (x, r, z, p, q) = (vector(), vector(), vector(), vector(), vector());
        let mut gradients = Gradients { system: self, b, x, r, z, p, q };
        let params =
            Params { tolerance, scale: Some(square), max_iterations, max_restarts: 0, stop };
        let report = match cg::iterate(&mut gradients, &params) {
            Ok(report) => report,
            Err(error) => *error.report(),
        };
        let mut x = gradients.x;
        x.truncate(count);
        for pocket in &self.pockets {
            let least = pocket.iter().map(|&n| x[n as usize]).fold(f64::INFINITY, f64::min);
            pocket.iter().for_each(|&n| x[n as usize] -= least);
        }
        let residual = if square > 0.0 { (report.square / square).sqrt() } else { 0.0 };
        (x, Solved { iterations: report.iterations, residual })
    }
}

/// What assembly finds of an unknown.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    below: [u32; 3],
    above: [u32; 3],
    link: [f64; 3],
    diagonal: f64,
    /// Whether a surface is next to it.
    is_bounded: bool,
}

/// The vectors of conjugate gradients.
struct Gradients<'a> {
    system: &'a System,
    b: Vec<f64>,
    x: Vec<f64>,
    r: Vec<f64>,
    z: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
}

impl Iteration for Gradients<'_> {
    fn residual(&mut self) -> f64 {
        self.system.multiply(&self.x, &mut self.q);
        let (b, q) = (&self.b, &self.q);
        self.r.iter_mut().zip(b).zip(q).for_each(|((r, b), q)| *r = b - q);
        reduce::sum(b.len(), |n| self.r[n] * self.r[n])
    }

    fn turn(&mut self, last: Option<f64>) -> f64 {
        self.system.precondition(&self.r, &mut self.z);
        // Rounding must not let the mean of a pocket grow.
        self.system.balance(&mut self.z);
        let (r, z) = (&self.r, &self.z);
        let rho = reduce::sum(self.b.len(), |n| r[n] * z[n]);
        let beta = last.map_or(0.0, |last| rho / last);
        self.p.iter_mut().zip(z).for_each(|(p, z)| *p = z + beta * *p);
        rho
    }

    fn multiply(&mut self) -> f64 {
        self.system.multiply(&self.p, &mut self.q);
        let (p, q) = (&self.p, &self.q);
        reduce::sum(self.b.len(), |n| p[n] * q[n])
    }

    fn advance(&mut self, a: f64) -> f64 {
        self.x.iter_mut().zip(&self.p).for_each(|(x, p)| *x += a * p);
        self.r.iter_mut().zip(&self.q).for_each(|(r, q)| *r -= a * q);
        let r = &self.r;
        reduce::sum(self.b.len(), |n| r[n] * r[n])
    }
}
