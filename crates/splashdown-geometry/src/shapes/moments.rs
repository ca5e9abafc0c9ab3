//! Volume, centre and inertia of shapes, from which rigid bodies get their mass.
//!
//! Everything is a sum of V = ∫ dV, F = ∫ x dV and S = ∫ x xᵀ dV over simple parts. For a simplex
//! with the corners p₀ … pₙ and the measure M, with s = Σ p (e.g. Eberly 2002, Polyhedral mass
//! properties):
//!
//! | part | F | S |
//! |---|---|---|
//! | tetrahedron | M s/4 | M/20 (Σ p pᵀ + s sᵀ) |
//! | triangle | M s/3 | M/12 (Σ p pᵀ + s sᵀ) |
//! | segment | M s/2 | M/6 (Σ p pᵀ + s sᵀ) |
//!
//! A closed surface is a sum of tetrahedra with one corner at the origin, whose signed volumes
//! cancel outside (the divergence theorem); an outline in 2D is a sum of triangles in the same way.

use std::f64::consts::PI;

use glam::DMat3;

use super::outline::Round;
use super::profile::{Chain, Piece};
use super::{MeshShape, Shape};
use crate::math::{DVec3, Dimension};

/// Sums over the inside (or the surface) of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Volume, m³; of a shell its area, m². In 2D, times one metre of depth.
    pub measure: f64,
    /// ∫ x dV about the origin.
    first: DVec3,
    /// ∫ x xᵀ dV about the origin.
    second: DMat3,
}

fn outer(p: DVec3) -> DMat3 {
    DMat3::from_cols(p * p.x, p * p.y, p * p.z)
}

impl Moments {
    const ZERO: Moments = Moments { measure: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    /// Adds a simplex of the given corners and signed measure.
    fn add_simplex(&mut self, corners: &[DVec3], measure: f64) {
        let n = corners.len() as f64;
        let sum: DVec3 = corners.iter().sum();
        let squares = corners.iter().fold(outer(sum), |squares, p| squares + outer(*p));
        self.measure += measure;
        self.first += measure / n * sum;
        self.second += squares * (measure / (n * (n + 1.0)));
    }

    /// The same, moved: sums are taken about a point near the shape, so that one far away keeps its
    /// digits.
    fn moved(self, by: DVec3) -> Moments {
        let mixed = DMat3::from_cols(self.first * by.x, self.first * by.y, self.first * by.z);
        Moments {
            measure: self.measure,
            first: self.first + self.measure * by,
            second: self.second + mixed + mixed.transpose() + outer(by) * self.measure,
        }
    }

    /// One metre of depth: a 2D body reaches from z = −1/2 to 1/2.
    fn one_metre_deep(mut self) -> Moments {
        self.second.z_axis.z += self.measure / 12.0;
        self
    }

    /// Centre of mass.
    pub fn centre(&self) -> DVec3 {
        self.first / self.measure
    }

    /// Inertia about the centre of mass for a mass of one: tr(S)1 − S, per volume.
    pub fn inertia_per_mass(&self) -> DMat3 {
        let about = self.moved(-self.centre()).second;
        let trace = about.x_axis.x + about.y_axis.y + about.z_axis.z;
        (DMat3::from_diagonal(DVec3::splat(trace)) - about) * (1.0 / self.measure)
    }
}

/// Of the volume inside; none for sheets and tanks, which have no inside of their own.
pub(super) fn of_inside(shape: &Shape, dimension: Dimension) -> Option<Moments> {
    match shape {
        Shape::Plane { .. } | Shape::Tank { .. } => None,
        Shape::Box { half } => Some(of_box(*half, dimension)),
        Shape::Mesh(mesh) if !mesh.is_closed() => None,
        Shape::Mesh(mesh) => Some(match dimension {
            Dimension::Three => inside_mesh(mesh),
            Dimension::Two => inside_outline(mesh),
        }),
        _ => Round::grown(shape, 0.0).map(|round| of_revolution(&round.profile(), dimension)),
    }
    .filter(|moments| moments.measure > 0.0)
}

/// Of the surface, as a sheet of even weight; none if there is nothing of it.
pub(super) fn of_surface(shape: &Shape, dimension: Dimension) -> Option<Moments> {
    let mesh = MeshShape::new(shape.surface()).ok()?;
    let mut moments = Moments::ZERO;
    match dimension {
        Dimension::Three => {
            let surface = mesh.surface();
            for t in 0..surface.triangles.len() {
                let area = surface.area_vector(t).length() / 2.0;
                moments.add_simplex(&surface.corners(t), area);
            }
        }
        Dimension::Two => {
            for [a, b] in mesh.cut_segments() {
                moments.add_simplex(&[a, b], a.distance(b));
            }
            moments = moments.one_metre_deep();
        }
    }
    (moments.measure > 0.0).then_some(moments)
}

fn of_box(half: DVec3, dimension: Dimension) -> Moments {
    let half = if dimension == Dimension::Two { half.with_z(0.5) } else { half };
    let measure = 8.0 * half.element_product();
    let second = DMat3::from_diagonal(half * half * (measure / 3.0));
    Moments { measure, first: DVec3::ZERO, second }
}

fn inside_mesh(mesh: &MeshShape) -> Moments {
    let surface = mesh.surface();
    let near = surface.vertices[0];
    let mut moments = Moments::ZERO;
    for t in 0..surface.triangles.len() {
        let [a, b, c] = surface.corners(t).map(|p| p - near);
        moments.add_simplex(&[DVec3::ZERO, a, b, c], a.dot(b.cross(c)) / 6.0);
    }
    moments.moved(near)
}

fn inside_outline(mesh: &MeshShape) -> Moments {
    let near = mesh.cut_segments().next().map_or(DVec3::ZERO, |[a, _]| a);
    let mut moments = Moments::ZERO;
    for [a, b] in mesh.cut_segments() {
        let (a, b) = (a - near, b - near);
        moments.add_simplex(&[DVec3::ZERO, a, b], a.cross(b).z / 2.0);
    }
    moments.one_metre_deep().moved(near)
}

/// A body of revolution from its profile (r, y): discs of the radius r for all y, or in 2D strips
/// of the width 2r.
fn of_revolution(profile: &[Chain], dimension: Dimension) -> Moments {
    let mut moments = Moments::ZERO;
    for piece in profile.iter().flat_map(|chain| &chain.pieces) {
        each_point(piece, |r, y, dy| {
            let (measure, across) = match dimension {
                Dimension::Three => (PI * r * r * dy, r * r / 4.0),
                Dimension::Two => (2.0 * r * dy, r * r / 3.0),
            };
            moments.measure += measure;
            moments.first.y += measure * y;
            moments.second.y_axis.y += measure * y * y;
            moments.second.x_axis.x += measure * across;
            if dimension == Dimension::Three {
                moments.second.z_axis.z += measure * across;
            }
        });
    }
    if dimension == Dimension::Two { moments.one_metre_deep() } else { moments }
}

/// Calls `f` with (r, y, dy) at the points of a quadrature along a piece.
fn each_point(piece: &Piece, mut f: impl FnMut(f64, f64, f64)) {
    /// Five points of Gauss and Legendre on [−1, 1], with their weights.
    const GAUSS: [(f64, f64); 5] = [
        (-0.906_179_845_938_664, 0.236_926_885_056_189),
        (-0.538_469_310_105_683, 0.478_628_670_499_366),
        (0.0, 0.568_888_888_888_889),
        (0.538_469_310_105_683, 0.478_628_670_499_366),
        (0.906_179_845_938_664, 0.236_926_885_056_189),
    ];
    const PARTS: u32 = 8;
    for part in 0..PARTS {
        for (x, weight) in GAUSS {
            let t = (f64::from(part) + 0.5 + 0.5 * x) / f64::from(PARTS);
            let dt = 0.5 * weight / f64::from(PARTS);
            match *piece {
                Piece::Line(a, b) => {
                    let p = a.lerp(b, t);
                    f(p.x, p.y, (b.y - a.y) * dt);
                }
                Piece::Arc { centre, radius, from, to } => {
                    let direction = glam::DVec2::from_angle(from + t * (to - from));
                    let p = centre + radius * direction;
                    f(p.x, p.y, radius * direction.x * (to - from) * dt);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{DQuat, Pose};
    use crate::shapes::test_support::icosphere;

    /// (shape, volume, height of the centre, inertia per mass)
    fn known() -> Vec<(Shape, f64, f64, DVec3)> {
        let (r, b, k) = (0.7, 1.1, 0.3);
        let tube = DVec3::new(5.0 / 8.0 * k * k + b * b / 2.0, b * b + 0.75 * k * k, 0.0);
        // A capsule is a cylinder (c) and two half balls (s) around the ends.
        let (c, s) = (2.0 * PI * r * r * b, 4.0 / 3.0 * PI * r * r * r);
        let capsule_y = c * r * r / 2.0 + s * 0.4 * r * r;
        let capsule_x =
            c * (r * r / 4.0 + b * b / 3.0) + s * (0.4 * r * r + b * b + 2.0 * b * 3.0 * r / 8.0);
        let cone_x = 3.0 / 20.0 * r * r + 3.0 / 80.0 * b * b;
        let cylinder_x = r * r / 4.0 + b * b / 3.0;
        vec![
            (
                Shape::Box { half: DVec3::new(1.0, 0.6, 0.8) },
                8.0 * 0.48,
                0.0,
                DVec3::new(1.0, 1.64, 1.36) / 3.0,
            ),
            (Shape::Sphere { radius: r }, s, 0.0, DVec3::splat(0.4 * r * r)),
            (
                Shape::Cylinder { radius: r, half_height: b },
                c,
                0.0,
                DVec3::new(cylinder_x, r * r / 2.0, cylinder_x),
            ),
            (
                Shape::Cone { radius: r, height: b },
                PI * r * r * b / 3.0,
                b / 4.0,
                DVec3::new(cone_x, 0.3 * r * r, cone_x),
            ),
            (
                Shape::Torus { major: b, minor: k },
                2.0 * PI * PI * b * k * k,
                0.0,
                DVec3::new(tube.x, tube.y, tube.x),
            ),
            (
                Shape::Capsule { radius: r, half_height: b },
                c + s,
                0.0,
                DVec3::new(capsule_x, capsule_y, capsule_x) / (c + s),
            ),
        ]
    }

    fn assert_close(found: DMat3, wanted: DMat3, share: f64, what: &str) {
        let scale = wanted.x_axis.length() + wanted.y_axis.length();
        assert!(
            (found - wanted).abs_diff_eq(DMat3::ZERO, share * scale),
            "{what}: {found} {wanted}"
        );
    }

    #[test]
    fn built_in_solids_have_the_moments_of_the_textbook() {
        for (shape, volume, height, inertia) in known() {
            let found = of_inside(&shape, Dimension::Three).unwrap();
            assert!((found.measure / volume - 1.0).abs() < 1e-10, "{shape:?}: {}", found.measure);
            assert!((found.centre() - height * DVec3::Y).length() < 1e-10, "{shape:?}");
            let (found, wanted) = (found.inertia_per_mass(), DMat3::from_diagonal(inertia));
            assert_close(found, wanted, 1e-10, &format!("{shape:?}"));
        }
    }

    #[test]
    fn cuts_have_the_moments_of_plane_figures_one_metre_deep() {
        let (r, b) = (0.7_f64, 1.1_f64);
        // (shape, area, height of the centre, polar moment per area)
        let figures = [
            (Shape::Box { half: DVec3::new(b, r, 9.0) }, 4.0 * b * r, 0.0, (b * b + r * r) / 3.0),
            (Shape::Sphere { radius: r }, PI * r * r, 0.0, r * r / 2.0),
            (Shape::Cone { radius: r, height: b }, r * b, b / 3.0, r * r / 6.0 + b * b / 18.0),
            (Shape::Torus { major: b, minor: r }, 2.0 * PI * r * r, 0.0, r * r / 2.0 + b * b),
        ];
        for (shape, area, height, polar) in figures {
            let mesh = Shape::Mesh(MeshShape::new(shape.surface()).unwrap());
            for (shape, share) in [(&shape, 1e-10), (&mesh, 8e-3)] {
                let found = of_inside(shape, Dimension::Two).unwrap();
                assert!((found.measure / area - 1.0).abs() < share, "{shape:?}");
                assert!((found.centre() - height * DVec3::Y).length() < share, "{shape:?}");
                let turning = found.inertia_per_mass().z_axis.z;
                assert!((turning / polar - 1.0).abs() < share, "{shape:?}: {turning} {polar}");
                assert!(found.inertia_per_mass().determinant() > 0.0);
            }
        }
    }

    #[test]
    fn a_mesh_weighs_like_its_shape_wherever_it_is() {
        let turn = DQuat::from_rotation_z(0.4) * DQuat::from_rotation_x(1.1);
        for place in [DVec3::ZERO, DVec3::new(3.0, -2.0, 5.0), DVec3::splat(1e4)] {
            let pose = Pose { translation: place, rotation: turn };
            for (shape, ..) in known() {
                let exact = of_inside(&shape, Dimension::Three).unwrap();
                let mut mesh = shape.surface();
                mesh.vertices.iter_mut().for_each(|p| *p = pose.apply(*p));
                let mesh = Shape::Mesh(MeshShape::new(mesh).unwrap());
                let found = of_inside(&mesh, Dimension::Three).unwrap();
                // 64 corners around: the flat facets lack up to a per cent of thin tubes.
                assert!((found.measure / exact.measure - 1.0).abs() < 1e-2, "{shape:?}");
                assert!((found.centre() - pose.apply(exact.centre())).length() < 2e-3);
                let turned = DMat3::from_quat(turn);
                let wanted = turned * exact.inertia_per_mass() * turned.transpose();
                assert_close(found.inertia_per_mass(), wanted, 2e-2, &format!("{shape:?}"));
            }
        }
    }

    #[test]
    fn a_fine_mesh_weighs_the_same_to_a_thousandth() {
        let ball = Shape::Mesh(MeshShape::new(icosphere(6)).unwrap());
        let exact = of_inside(&Shape::Sphere { radius: 1.0 }, Dimension::Three).unwrap();
        let found = of_inside(&ball, Dimension::Three).unwrap();
        assert!((found.measure / exact.measure - 1.0).abs() < 1e-3, "{}", found.measure);
        assert_close(found.inertia_per_mass(), exact.inertia_per_mass(), 1e-3, "ball");
    }

    #[test]
    fn sheets_and_shells_have_the_moments_of_their_surface() {
        let sheet = Shape::Plane { normal: DVec3::Y, half_size: 0.5 };
        let found = of_surface(&sheet, Dimension::Three).unwrap();
        assert!((found.measure - 1.0).abs() < 1e-12);
        let wanted = DMat3::from_diagonal(DVec3::new(1.0, 2.0, 1.0) / 12.0);
        assert_close(found.inertia_per_mass(), wanted, 1e-12, "sheet");
        assert!(of_inside(&sheet, Dimension::Three).is_none());
        // A hollow sphere: 2/3 m r².
        let found = of_surface(&Shape::Sphere { radius: 2.0 }, Dimension::Three).unwrap();
        let wanted = DMat3::from_diagonal(DVec3::splat(8.0 / 3.0));
        assert_close(found.inertia_per_mass(), wanted, 1e-2, "hollow sphere");
        // A line of two metres in 2D: m l²/12.
        let line = of_surface(&Shape::Plane { normal: DVec3::Y, half_size: 1.0 }, Dimension::Two);
        let line = line.unwrap();
        assert!((line.measure - 2.0).abs() < 1e-12);
        assert!((line.inertia_per_mass().z_axis.z - 4.0 / 12.0).abs() < 1e-12);
    }
}
