//! Conjugate gradients for systems that are too large to factorise (Hestenes & Stiefel 1952), preconditioned by
//! the inverse of the 3×3 blocks on the diagonal. One thread, fixed order: the same bits everywhere.

use glam::{DMat3, DVec3};

use crate::matrix::{BlockMatrix, Unsolvable};
use crate::stop::Stop;

/// The residual is made smaller by this factor; Newton's method needs no more of a direction.
const TOLERANCE: f64 = 1e-5;

/// Iterations at most.
const MOST: usize = 20_000;

/// Solves A x = b; what was found so far when somebody asks to stop.
pub fn solve(matrix: &BlockMatrix, b: &[DVec3], stop: Stop) -> Result<Vec<DVec3>, Unsolvable> {
    let n = b.len();
    let mut diagonal = vec![DMat3::ZERO; n];
    matrix.for_each(|row, column, block| {
        if row == column {
            diagonal[row] = whole(block).inverse();
        }
    });
    if diagonal.iter().any(|d| !d.is_finite()) {
        return Err(Unsolvable::Indefinite);
    }
    let precondition =
        |r: &[DVec3]| -> Vec<DVec3> { diagonal.iter().zip(r).map(|(d, r)| *d * *r).collect() };
    let (mut x, mut r) = (vec![DVec3::ZERO; n], b.to_vec());
    let mut z = precondition(&r);
    let mut p = z.clone();
    let mut rho = dot(&r, &z);
    let enough = TOLERANCE * TOLERANCE * rho;
    // In exact arithmetic 3 n iterations are enough; rounding asks for more, and where it asks for
    // many more, what has been found is a direction all the same.
    for _ in 0..(10 * n + 100).min(MOST) {
        if rho <= enough || stop.asked() {
            return Ok(x);
        }
        let q = multiply(matrix, &p);
        let curvature = dot(&p, &q);
        if !(curvature > 0.0 && curvature.is_finite()) {
            return Err(Unsolvable::Indefinite);
        }
        let alpha = rho / curvature;
        for k in 0..n {
            x[k] += alpha * p[k];
            r[k] -= alpha * q[k];
        }
        z = precondition(&r);
        let next = dot(&r, &z);
        let beta = next / rho;
        rho = next;
        p.iter_mut().zip(&z).for_each(|(p, z)| *p = *z + beta * *p);
    }
    Ok(x)
}

/// A block that is stored by rows; that on the diagonal is symmetric.
fn whole(block: &[f64; 9]) -> DMat3 {
    DMat3::from_cols_array(block).transpose()
}

/// A x: only blocks at and below the diagonal are stored.
fn multiply(matrix: &BlockMatrix, x: &[DVec3]) -> Vec<DVec3> {
    let mut y = vec![DVec3::ZERO; x.len()];
    matrix.for_each(|row, column, block| {
        let block = whole(block);
        y[row] += block * x[column];
        if row != column {
            y[column] += block.transpose() * x[row];
        }
    });
    y
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}
