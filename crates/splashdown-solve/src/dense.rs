//! Small dense linear algebra: a 3×3 singular value decomposition that keeps its digits, and the
//! nearest positive semi-definite matrix.

use glam::{DMat3, DVec3};
use nalgebra::{SMatrix, SVector};

/// Second derivatives with respect to four vertices.
pub type Mat12 = SMatrix<f64, 12, 12>;
/// First derivatives with respect to four vertices.
pub type Vec12 = SVector<f64, 12>;

/// F = U diag(σ) Vᵀ with proper rotations U and V: the smallest σ is negative if det F is.
#[derive(Clone, Copy, Debug)]
pub struct Svd {
    /// Left singular vectors.
    pub u: DMat3,
    /// Singular values, in no particular order.
    pub sigma: DVec3,
    /// Right singular vectors.
    pub v: DMat3,
}

/// Singular values by one-sided Jacobi rotations. FᵀF is never formed, so small singular values
/// keep their relative accuracy.
pub fn svd(f: DMat3) -> Svd {
    let mut a = [f.x_axis, f.y_axis, f.z_axis];
    let mut v = [DVec3::X, DVec3::Y, DVec3::Z];
    for _ in 0..30 {
        let mut rotated = false;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let (alpha, beta) = (a[p].length_squared(), a[q].length_squared());
            let gamma = a[p].dot(a[q]);
            if gamma.abs() <= 1e-16 * (alpha * beta).sqrt() {
                continue;
            }
            rotated = true;
            let zeta = (beta - alpha) / (2.0 * gamma);
            let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
            let c = 1.0 / (1.0 + t * t).sqrt();
            let s = c * t;
            for m in [&mut a, &mut v] {
                (m[p], m[q]) = (c * m[p] - s * m[q], s * m[p] + c * m[q]);
            }
        }
        if !rotated {
            break;
        }
    }
    let mut sigma = DVec3::new(a[0].length(), a[1].length(), a[2].length());
    let u = left_vectors(&a, &mut sigma);
    Svd { u, sigma, v: DMat3::from_cols(v[0], v[1], v[2]) }
}

/// The directions of the orthogonal columns `a`, completed where a column vanishes.
fn left_vectors(a: &[DVec3; 3], sigma: &mut DVec3) -> DMat3 {
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| sigma[j].total_cmp(&sigma[i]));
    let [large, middle, small] = order;
    let mut u = [DVec3::ZERO; 3];
    u[large] = a[large].normalize_or(DVec3::X);
    let in_plane = a[middle] - a[middle].dot(u[large]) * u[large];
    u[middle] = in_plane.try_normalize().unwrap_or_else(|| u[large].any_orthonormal_vector());
    // The sign of the permutation makes U a rotation.
    let even = matches!(order, [0, 1, 2] | [1, 2, 0] | [2, 0, 1]);
    u[small] = u[large].cross(u[middle]) * if even { 1.0 } else { -1.0 };
    sigma[small] = a[small].dot(u[small]);
    DMat3::from_cols(u[0], u[1], u[2])
}

/// The nearest positive semi-definite matrix: negative eigenvalues become zero.
pub fn projected(h: &Mat12) -> Mat12 {
    if h.cholesky().is_some() {
        return *h;
    }
    let eigen = h.symmetric_eigen();
    let mut sum = Mat12::zeros();
    for (k, &value) in eigen.eigenvalues.iter().enumerate() {
        if value > 0.0 {
            let column = eigen.eigenvectors.column(k);
            sum.ger(value, &column, &column, 1.0);
        }
    }
    sum
}

/// The vectors of four vertices one after the other.
pub fn stacked(parts: [DVec3; 4]) -> Vec12 {
    Vec12::from_fn(|i, _| parts[i / 3][i % 3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differences::Random;

    #[test]
    fn a_decomposition_multiplies_back_also_where_it_is_degenerate() {
        let mut random = Random::new(1);
        for k in 0..4000 {
            let r = random.matrix();
            let scale = DVec3::new(1.0, random.unit(), random.unit());
            let f = match k % 8 {
                0 => r,
                1 => DMat3::from_cols(r.x_axis, r.y_axis, r.x_axis + r.y_axis),
                2 => DMat3::from_cols(r.x_axis, 2.0 * r.x_axis, -r.x_axis),
                3 => DMat3::IDENTITY * random.unit(),
                4 => r * 1e-9,
                5 => svd(r).u * DMat3::from_diagonal(DVec3::new(1.0, 1.0, scale.y)),
                6 => svd(r).u * DMat3::from_diagonal(DVec3::new(1.0, 1e-6, 1e-12)) * svd(r).v,
                _ => DMat3::ZERO,
            };
            let Svd { u, sigma, v } = svd(f);
            let back = u * DMat3::from_diagonal(sigma) * v.transpose();
            let size = f.to_cols_array().iter().fold(1e-300, |m: f64, x| m.max(x.abs()));
            assert!((back - f).to_cols_array().iter().all(|e| e.abs() < 1e-14 * size), "{f}");
            for q in [u, v] {
                assert!((q.determinant() - 1.0).abs() < 1e-13, "{q}");
                let one = q * q.transpose() - DMat3::IDENTITY;
                assert!(one.to_cols_array().iter().all(|e| e.abs() < 1e-13));
            }
        }
    }

    #[test]
    fn a_projection_has_no_negative_eigenvalue_and_keeps_positive_ones() {
        let mut random = Random::new(2);
        for _ in 0..50 {
            let half = Mat12::from_fn(|_, _| random.signed());
            let h = half + half.transpose();
            let p = projected(&h);
            let (before, after) = (h.symmetric_eigen(), p.symmetric_eigenvalues());
            assert!(after.iter().all(|&e| e > -1e-12));
            let positive: f64 = before.eigenvalues.iter().filter(|e| **e > 0.0).sum();
            assert!((after.sum() - positive).abs() < 1e-12 * positive);
        }
    }
}
