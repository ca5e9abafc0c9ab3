//! Bending of a shell: two triangles that share an edge resist a change of the angle between them
//! (Grinspun et al. 2003).
//!
//! The edge leads from x₀ to x₁; x₂ and x₃ lie opposite. With e = x₁ − x₀,
//!
//! ```text
//! (H1)  N₁ = e × (x₂ − x₀),  N₂ = (x₃ − x₀) × e,   θ the angle from N₁ to N₂ about e; zero if flat
//! (H2)  E = c (θ − θ̄)²,   c = D/2 |e|² / (A₁ + A₂),   D = E h³ / 12 (1 − ν²)
//! (H3)  ∂θ/∂x₂ = −a₁,  ∂θ/∂x₃ = −a₂,  ∂θ/∂x₀ = (1 − s₁) a₁ + (1 − s₂) a₂,  ∂θ/∂x₁ = s₁ a₁ + s₂ a₂
//!       aᵢ = |e| Nᵢ / |Nᵢ|²,   s₁ = e · (x₂ − x₀) / |e|², likewise s₂
//! ```
//!
//! c makes the plate's stiffness D exact for cylinders about an axis of the mesh and on meshes of
//! even triangles. There the hinges act as a plate of Poisson's ratio −1/3 (Seung & Nelson 1988),
//! which does not matter where edges are clamped, nor where straight edges are supported.

use glam::{DMat3, DVec3};

use splashdown_solve::dense::{Mat12, projected, stacked};

/// Two triangles, the angle they rest at, and how stiff they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Hinge {
    /// Ends of the edge, then the two corners opposite.
    pub vertices: [u32; 4],
    /// θ̄
    pub angle: f64,
    /// c, J
    pub stiffness: f64,
}

/// What (H3) needs of one of the triangles.
struct Wing {
    a: DVec3,
    s: f64,
    /// ∂a/∂xₖ for the vertices of (H1).
    by: [DMat3; 4],
    /// ∂s/∂xₖ
    s_by: [DVec3; 4],
}

impl Hinge {
    /// A hinge of a plate of bending stiffness `plate` (D, N m) that rests as it is; `None` if a
    /// triangle has no area.
    pub fn new(vertices: [u32; 4], rest: [DVec3; 4], plate: f64) -> Option<Hinge> {
        let edge = rest[1] - rest[0];
        let areas = 0.5 * edge.cross(rest[2] - rest[0]).length()
            + 0.5 * edge.cross(rest[3] - rest[0]).length();
        let (angle, stiffness) = (angle(&rest), 0.5 * plate * edge.length_squared() / areas);
        let fine = angle.is_finite() && stiffness.is_finite();
        fine.then_some(Hinge { vertices, angle, stiffness })
    }

    /// θ − θ̄, by the shorter way.
    fn bent(&self, x: &[DVec3; 4]) -> f64 {
        let turn = std::f64::consts::TAU;
        let d = angle(x) - self.angle;
        d - turn * (d / turn).round()
    }

    /// J
    pub fn energy(&self, x: &[DVec3; 4]) -> f64 {
        self.stiffness * self.bent(x).powi(2)
    }

    /// Derivatives of the energy, N.
    pub fn gradient(&self, x: &[DVec3; 4]) -> [DVec3; 4] {
        let torque = 2.0 * self.stiffness * self.bent(x);
        angle_gradient(x).map(|g| torque * g)
    }

    /// Second derivatives, N/m; without negative eigenvalues if `project`.
    pub fn hessian(&self, x: &[DVec3; 4], project: bool) -> Mat12 {
        let bent = self.bent(x);
        let g = stacked(angle_gradient(x));
        let mut h = g * g.transpose();
        if bent.abs() > 1e-12 {
            h += angle_hessian(x) * bent;
            if project {
                h = projected(&h);
            }
        }
        h * (2.0 * self.stiffness)
    }
}

fn normals(x: &[DVec3; 4]) -> [DVec3; 2] {
    let edge = x[1] - x[0];
    [edge.cross(x[2] - x[0]), (x[3] - x[0]).cross(edge)]
}

/// θ of (H1)
pub fn angle(x: &[DVec3; 4]) -> f64 {
    let [n1, n2] = normals(x);
    let edge = (x[1] - x[0]).normalize();
    n1.cross(n2).dot(edge).atan2(n1.dot(n2))
}

/// (H3)
pub fn angle_gradient(x: &[DVec3; 4]) -> [DVec3; 4] {
    let edge = x[1] - x[0];
    let [a1, a2] = normals(x).map(|n| edge.length() * n / n.length_squared());
    let [s1, s2] = [x[2] - x[0], x[3] - x[0]].map(|w| edge.dot(w) / edge.length_squared());
    [(1.0 - s1) * a1 + (1.0 - s2) * a2, s1 * a1 + s2 * a2, -a1, -a2]
}

/// The derivative of (H3), term by term.
pub fn angle_hessian(x: &[DVec3; 4]) -> Mat12 {
    let [one, two] = [wing(x, 2, 1.0), wing(x, 3, -1.0)];
    let mut h = Mat12::zeros();
    for k in 0..4 {
        let rows = [
            far(&one, k, 1.0) + far(&two, k, 1.0),
            far(&one, k, 0.0) + far(&two, k, 0.0),
            -one.by[k],
            -two.by[k],
        ];
        for (r, block) in rows.iter().enumerate() {
            for column in 0..3 {
                for row in 0..3 {
                    h[(3 * r + row, 3 * k + column)] = block.col(column)[row];
                }
            }
        }
    }
    h
}

/// ∂((1 − s) a)/∂xₖ if `from` is 1, ∂(s a)/∂xₖ if it is 0.
fn far(wing: &Wing, k: usize, from: f64) -> DMat3 {
    let (share, sign) = if from > 0.5 { (1.0 - wing.s, -1.0) } else { (wing.s, 1.0) };
    share * wing.by[k] + sign * outer(wing.a, wing.s_by[k])
}

/// The triangle with corner `k` opposite the edge; `sign` orients its normal.
fn wing(x: &[DVec3; 4], k: usize, sign: f64) -> Wing {
    let (edge, side) = (x[1] - x[0], x[k] - x[0]);
    let normal = sign * edge.cross(side);
    let (length, size) = (edge.length(), normal.length_squared());
    let s = edge.dot(side) / (length * length);
    // da = |e|/|N|² (1 − 2 n nᵀ) dN + N/|N|² (e/|e|)ᵀ de
    let by_normal = length / size * (DMat3::IDENTITY - 2.0 / size * outer(normal, normal));
    let by_edge = -sign * by_normal * cross(side) + outer(normal / size, edge / length);
    let by_side = sign * by_normal * cross(edge);
    let s_by_edge = (side - 2.0 * s * edge) / (length * length);
    let s_by_side = edge / (length * length);
    let (mut by, mut s_by) = ([DMat3::ZERO; 4], [DVec3::ZERO; 4]);
    (by[0], by[1], by[k]) = (-by_edge - by_side, by_edge, by_side);
    (s_by[0], s_by[1], s_by[k]) = (-s_by_edge - s_by_side, s_by_edge, s_by_side);
    Wing { a: length * normal / size, s, by, s_by }
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// The matrix of v ↦ a × v.
fn cross(a: DVec3) -> DMat3 {
    DMat3::from_cols(a.cross(DVec3::X), a.cross(DVec3::Y), a.cross(DVec3::Z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use splashdown_solve::differences::{
        Random, difference_gradient, difference_hessian, mismatch,
    };

    fn random_hinge(random: &mut Random, height: f64) -> [DVec3; 4] {
        let x =
            [DVec3::ZERO, DVec3::X, DVec3::new(0.3, 1.0, height), DVec3::new(0.6, -0.8, height)];
        x.map(|p| p + 0.1 * random.vector())
    }

    #[test]
    fn derivatives_agree_with_finite_differences_flat_and_sharply_bent() {
        let mut random = Random::new(22);
        for k in 0..60 {
            let x = random_hinge(&mut random, [0.0, 0.7, -2.0][k % 3]);
            let rest = random_hinge(&mut random, 0.1);
            let hinge = Hinge::new([0, 1, 2, 3], rest, 1.0).unwrap();
            let expected = difference_gradient(&x, 1e-4, angle);
            assert!(mismatch(&stacked(angle_gradient(&x)), &expected) < 1e-8, "{k}");
            let expected = difference_gradient(&x, 1e-4, |x| hinge.energy(x));
            assert!(mismatch(&stacked(hinge.gradient(&x)), &expected) < 1e-6, "{k}");
            let expected = difference_hessian(&x, 1e-4, |x| hinge.gradient(x));
            assert!(mismatch(&hinge.hessian(&x, false), &expected) < 1e-6, "{k}");
            let least = hinge.hessian(&x, true).symmetric_eigenvalues().min();
            assert!(least > -1e-9, "{k}: {least}");
        }
    }

    #[test]
    fn a_sheet_folded_by_a_right_angle_has_that_angle() {
        let flat = [DVec3::ZERO, DVec3::X, DVec3::Y, -DVec3::Y];
        assert_eq!(angle(&flat), 0.0);
        let folded = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        assert!((angle(&folded).abs() - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    }
}
