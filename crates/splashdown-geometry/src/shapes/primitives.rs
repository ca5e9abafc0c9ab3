//! Signed distances of boxes, cylinders and other primitives: negative inside, exact everywhere.
//!
//! Bodies of revolution about y are measured in their meridian plane (r, y), so a 2D scene, which
//! looks at the cut z = 0, needs no second formula for them.

use glam::DVec2;

use super::Face;
use crate::math::{DVec3, Dimension};

/// Half sizes of a box as the scene sees them: in 2D it has no walls in z.
pub(super) fn cut_half(half: DVec3, dimension: Dimension) -> DVec3 {
    match dimension {
        Dimension::Two => half.with_z(f64::INFINITY),
        Dimension::Three => half,
    }
}

/// A box.
pub(super) fn cuboid(p: DVec3, half: DVec3) -> f64 {
    let q = p.abs() - half;
    q.max(DVec3::ZERO).length() + q.max_element().min(0.0)
}

/// A rectangle about the origin of the meridian plane.
fn rectangle(q: DVec2, half: DVec2) -> f64 {
    let d = q.abs() - half;
    d.max(DVec2::ZERO).length() + d.max_element().min(0.0)
}

fn meridian(p: DVec3) -> DVec2 {
    DVec2::new(p.x.hypot(p.z), p.y)
}

/// A cylinder about y.
pub(super) fn cylinder(p: DVec3, radius: f64, half_height: f64) -> f64 {
    rectangle(meridian(p), DVec2::new(radius, half_height))
}

/// A ring about y. A fat one (`minor` > `major`) fills its own hole, where the surface near the
/// axis is inside the opposite half and does not count.
pub(super) fn torus(p: DVec3, major: f64, minor: f64) -> f64 {
    let q = meridian(p);
    let tube = q.distance(DVec2::new(major, 0.0)) - minor;
    if minor <= major || tube >= 0.0 {
        return tube;
    }
    // The nearest point of the circle is real only on this side of the axis; otherwise the nearest
    // point of the lemon-shaped surface is its tip.
    let tip = DVec2::new(0.0, (minor * minor - major * major).sqrt());
    let away = q - DVec2::new(major, 0.0);
    let on_circle = DVec2::new(major, 0.0) + away.normalize_or(DVec2::X) * minor;
    if on_circle.x >= 0.0 { tube } else { -q.distance(tip).min(q.distance(-tip)) }
}

/// A capsule about y.
pub(super) fn capsule(p: DVec3, radius: f64, half_height: f64) -> f64 {
    let on_axis = DVec3::new(0.0, p.y.clamp(-half_height, half_height), 0.0);
    p.distance(on_axis) - radius
}

/// A cone with the centre of its base at the origin and its apex at y = `height`.
pub(super) fn cone(p: DVec3, radius: f64, height: f64) -> f64 {
    let q = meridian(p);
    let (rim, apex) = (DVec2::new(radius, 0.0), DVec2::new(0.0, height));
    let base = segment(q, DVec2::ZERO, rim);
    let slope = segment(q, rim, apex);
    let inside = q.y > 0.0 && (apex - rim).perp_dot(q - rim) > 0.0;
    let distance = base.min(slope);
    if inside { -distance } else { distance }
}

/// Distance of `q` to the segment from `a` to `b`.
pub(super) fn segment(q: DVec2, a: DVec2, b: DVec2) -> f64 {
    let along = b - a;
    let t = ((q - a).dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    q.distance(a + t * along)
}

/// Directions of the edges of a square sheet. The first lies in the plane z = 0, so that the cut of
/// a sheet that stands on that plane is a line along it.
pub fn sheet_axes(normal: DVec3) -> [DVec3; 2] {
    let n = normal.normalize_or(DVec3::Y);
    let s = DVec3::Z.cross(n).try_normalize().unwrap_or(DVec3::X);
    [s, n.cross(s)]
}

/// A square sheet (in 2D a line): unsigned.
pub(super) fn sheet(p: DVec3, normal: DVec3, half_size: f64, dimension: Dimension) -> f64 {
    match dimension {
        Dimension::Two => {
            let Some(n) = normal.with_z(0.0).try_normalize() else { return f64::INFINITY };
            let s = DVec3::new(-n.y, n.x, 0.0);
            let past_the_end = (p.dot(s).abs() - half_size).max(0.0);
            p.dot(n).hypot(past_the_end)
        }
        Dimension::Three => {
            let [s, t] = sheet_axes(normal);
            let n = s.cross(t);
            let past = |axis: DVec3| (p.dot(axis).abs() - half_size).max(0.0);
            DVec3::new(p.dot(n), past(s), past(t)).length()
        }
    }
}

/// The walls around a box of water: negative in the water, magnitude = distance to the nearest
/// wall.
pub(super) fn tank(p: DVec3, half: DVec3, open: &[Face], dimension: Dimension) -> f64 {
    let half = cut_half(half, dimension);
    let in_water = p.abs().cmple(half).all();
    let walls = Face::ALL
        .into_iter()
        .filter(|face| !open.contains(face) && (dimension == Dimension::Three || face.axis() != 2));
    let distance = walls.fold(f64::INFINITY, |nearest, face| {
        let side = if face.is_upper() { 1.0 } else { -1.0 };
        let mut away = (p.abs() - half).max(DVec3::ZERO);
        away[face.axis()] = p[face.axis()] - side * half[face.axis()];
        nearest.min(away.length())
    });
    if in_water { -distance } else { distance }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::Shape;
    use crate::shapes::test_support::{dense_surface, solids_of_all_kinds};
    use proptest::prelude::*;

    fn any_point() -> impl Strategy<Value = DVec3> {
        (-3.0..3.0, -3.0..3.0, -3.0..3.0).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    #[test]
    fn distances_agree_with_the_nearest_of_many_surface_points() {
        for shape in solids_of_all_kinds() {
            for dimension in [Dimension::Two, Dimension::Three] {
                let step = 0.02;
                let surface = dense_surface(&shape, step, dimension);
                for k in 0..60 {
                    let t = f64::from(k);
                    let p = DVec3::new((t * 1.7).sin(), (t * 2.3).sin(), (t * 3.1).sin()) * 2.0;
                    let p = dimension.flatten(p);
                    let nearest =
                        surface.iter().map(|s| s.distance(p)).fold(f64::INFINITY, f64::min);
                    let d = shape.signed_distance(p, dimension).abs();
                    assert!(
                        nearest >= d - 1e-9 && nearest <= d + step,
                        "{shape:?} {dimension:?} at {p}: {d} but brute force says {nearest}"
                    );
                }
            }
        }
    }

    proptest! {
        #[test]
        fn a_distance_never_changes_faster_than_the_way_walked(a in any_point(), b in any_point()) {
            for shape in solids_of_all_kinds() {
                if matches!(&shape, Shape::Tank { open, .. } if !open.is_empty()) {
                    continue; // Its sign jumps in an open face.
                }
                for dimension in [Dimension::Two, Dimension::Three] {
                    let [at_a, at_b] = [a, b].map(|x| shape.signed_distance(x, dimension));
                    let change = at_a - at_b;
                    let way = dimension.flatten(a - b).length();
                    prop_assert!(change.abs() <= way + 1e-9, "{shape:?} {dimension:?}: {change} \
                        over {way}");
                }
            }
        }
    }

    #[test]
    fn the_inside_is_negative() {
        let inside = [
            (Shape::Box { half: DVec3::ONE }, DVec3::splat(0.5)),
            (Shape::Cone { radius: 1.0, height: 2.0 }, DVec3::new(0.2, 0.1, 0.1)),
            (Shape::Torus { major: 1.0, minor: 0.3 }, DVec3::new(0.0, 0.0, 1.1)),
            (Shape::Capsule { radius: 0.5, half_height: 1.0 }, DVec3::new(0.0, 1.4, 0.0)),
            (Shape::Cylinder { radius: 0.5, half_height: 1.0 }, DVec3::new(0.3, 0.9, 0.3)),
        ];
        for (shape, p) in inside {
            assert!(shape.signed_distance(p, Dimension::Three) < 0.0, "{shape:?}");
        }
        let cone = Shape::Cone { radius: 1.0, height: 2.0 };
        assert!(cone.signed_distance(DVec3::new(0.0, -0.1, 0.0), Dimension::Three) > 0.0);
        assert!(cone.signed_distance(DVec3::new(0.9, 0.5, 0.0), Dimension::Three) > 0.0);
    }

    #[test]
    fn an_open_face_of_a_tank_is_no_wall() {
        let tank = Shape::Tank { half: DVec3::ONE, open: vec![Face::Top] };
        let near_the_top = tank.signed_distance(DVec3::new(0.0, 0.9, 0.0), Dimension::Three);
        assert!((near_the_top + 1.0).abs() < 1e-12, "the side walls are nearest: {near_the_top}");
        let above = tank.signed_distance(DVec3::new(0.0, 1.5, 0.0), Dimension::Two);
        assert!((above - 1.25_f64.sqrt()).abs() < 1e-12, "the rim is nearest: {above}");
        let box_like = Shape::Tank { half: DVec3::ONE, open: vec![] };
        let p = DVec3::new(0.3, 1.4, -0.2);
        let of_box = Shape::Box { half: DVec3::ONE }.signed_distance(p, Dimension::Three);
        assert!((box_like.signed_distance(p, Dimension::Three) - of_box).abs() < 1e-12);
    }
}
