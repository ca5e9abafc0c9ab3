//! What guests have in common: the potentials of the fluid they are particles of.
//!
//! It couples each guest with so many others that its second derivatives are known by what they do
//! to a direction. A linear system with it is solved by conjugate gradients, with one block for
//! each guest and one for all bodies as the preconditioner:
//!
//! ```text
//! (MD1)  ( H_s + P_ss   Gᵀ + P_sf ) (y)   (r)           (H_s        )⁻¹
//!        ( G + P_fs     H_f + P_ff ) (z) = (f),   M⁻¹ = (    H_f + D)  ,   D: diagonal blocks of P
//! ```

use std::fmt::Debug;

use glam::{DMat3, DVec3};
use splashdown_solve::block_matrix::{BlockMatrix, Unsolvable};
use splashdown_solve::cg::{self, Params};
use splashdown_solve::operator::{LinearOperator, Preconditioner};
use splashdown_solve::stop::Stop;

use crate::elimination::Elimination;
use crate::unknowns::Unknowns;

/// The residual of a linear system over what it is in the beginning.
const TOLERANCE: f64 = 1e-4;
/// Where conjugate gradients have not come that far after so many iterations, Newton's method goes
/// where they are.
const MAX_ITERATIONS: u32 = 500;

/// An energy of all guests, and of the vertices around them.
pub trait Medium: Debug + Sync {
    /// Of all points, J.
    fn value(&self, x: &[DVec3]) -> f64;

    /// Adds its first derivatives by all points, N.
    fn add_gradient(&self, x: &[DVec3], gradient: &mut [DVec3]);

    /// Which of its terms count at `x`.
    fn active(&self, x: &[DVec3]) -> Vec<bool>;

    /// Adds what the second derivatives of the terms that count do to moves of all points, N.
    fn add_product(&self, active: &[bool], moves: &[DVec3], product: &mut [DVec3]);

    /// The blocks on the diagonal of guests, N/m.
    fn diagonal(&self, active: &[bool]) -> Vec<DMat3>;
}

/// The linear system (MD1).
pub(crate) struct Joint<'a> {
    /// H_s, factorised.
    pub matrix: &'a BlockMatrix,
    /// H_f and G.
    pub elimination: &'a Elimination,
    /// What is solved for.
    pub unknowns: &'a Unknowns,
    pub medium: &'a dyn Medium,
    pub active: &'a [bool],
    /// ĥ²
    pub scale: f64,
    pub stop: Stop,
}

impl Joint<'_> {
    /// Where Newton's direction leads, and how many iterations that took.
    pub(crate) fn solve(&self, right: &[DVec3]) -> Result<(Vec<DVec3>, u32), Unsolvable> {
        let blocks = self.elimination.own_blocks().into_iter();
        let of_guest = |(own, medium): (DMat3, DMat3)| (own + self.scale * medium).inverse();
        let guests = blocks.zip(self.medium.diagonal(self.active)).map(of_guest).collect();
        let blocks = Blocks { joint: self, guests };
        let (tolerance, max_iterations) = (TOLERANCE, MAX_ITERATIONS);
        let params = Params { tolerance, max_iterations, stop: self.stop, ..Params::default() };
        let mut x = vec![DVec3::ZERO; right.len()];
        match cg::solve(self, &blocks, right, &mut x, &params) {
            Ok(report) | Err(cg::Error::NoConvergence(report)) => Ok((x, report.iterations)),
            Err(cg::Error::Indefinite(_)) => Err(Unsolvable::Indefinite),
            Err(cg::Error::Stopped(_)) => Err(Unsolvable::Stopped),
        }
    }
}

impl LinearOperator<DVec3> for Joint<'_> {
    fn apply(&self, p: &[DVec3], out: &mut [DVec3]) {
        let bodies = self.unknowns.of_bodies;
        let moves = self.unknowns.spread(p);
        let mut product = vec![DVec3::ZERO; moves.len()];
        self.medium.add_product(self.active, &moves, &mut product);
        out[bodies..].fill(DVec3::ZERO);
        if bodies > 0 {
            self.matrix.apply(&p[..bodies], &mut out[..bodies]);
        }
        self.elimination.add_product(p, out);
        self.unknowns.clear_locked(out);
        let of_medium = self.unknowns.gather(&product);
        out.iter_mut().zip(of_medium).for_each(|(sum, f)| *sum += self.scale * f);
    }
}

/// M⁻¹ of (MD1).
struct Blocks<'a> {
    joint: &'a Joint<'a>,
    guests: Vec<DMat3>,
}

impl Preconditioner<DVec3> for Blocks<'_> {
    fn apply(&self, r: &[DVec3], z: &mut [DVec3]) {
        let bodies = self.joint.unknowns.of_bodies;
        if bodies > 0 {
            // Where the factor is of no use, its diagonal has failed before.
            match self.joint.matrix.solve_again(&r[..bodies]) {
                Ok(solution) => z[..bodies].copy_from_slice(&solution.x),
                Err(_) => z[..bodies].copy_from_slice(&r[..bodies]),
            }
        }
        let guests = z[bodies..].iter_mut().zip(&r[bodies..]).zip(&self.guests);
        guests.for_each(|((z, r), block)| *z = *block * *r);
    }
}
