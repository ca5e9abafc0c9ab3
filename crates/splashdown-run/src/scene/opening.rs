//! Openings of emitters: one layer of particles, and how it is turned.

use super::file::Opening;
use crate::math::{DMat3, DQuat, DVec3, Dimension};

/// One layer of an opening: a square lattice in the plane x = 0 of the emitter's frame, width along
/// z (along y in 2D), height along y.
pub(crate) fn layer(opening: &Opening, spacing: f64, dimension: Dimension) -> Vec<DVec3> {
    match (opening, dimension) {
        (Opening::Box(o), Dimension::Two) => line(o.width, spacing).map(at_y).collect(),
        (Opening::Disc(o), Dimension::Two) => line(2.0 * o.radius, spacing).map(at_y).collect(),
        (Opening::Box(o), Dimension::Three) => {
            let height = o.height.unwrap_or(o.width);
            grid(height, o.width, spacing).collect()
        }
        (Opening::Disc(o), Dimension::Three) => disc(o.radius, spacing),
    }
}

fn at_y(y: f64) -> DVec3 {
    DVec3::new(0.0, y, 0.0)
}

/// Centres of the cells that fit into `length`, symmetric about zero.
fn line(length: f64, spacing: f64) -> impl Iterator<Item = f64> + Clone {
    let count = (length / spacing + 1e-6).floor().max(1.0) as i64;
    (0..count).map(move |k| (k as f64 - (count - 1) as f64 / 2.0) * spacing)
}

fn grid(height: f64, width: f64, spacing: f64) -> impl Iterator<Item = DVec3> {
    line(height, spacing)
        .flat_map(move |y| line(width, spacing).map(move |z| DVec3::new(0.0, y, z)))
}

/// Lattice points of a disc. Of the two symmetric lattices, the one whose area is nearer to the
/// disc's, so that the flow rate is right.
fn disc(radius: f64, spacing: f64) -> Vec<DVec3> {
    let area = std::f64::consts::PI * radius * radius;
    let odd = (2.0 * radius / spacing).ceil() + 1.0;
    let lattices = [odd, odd + 1.0].map(|cells| {
        let size = cells * spacing;
        grid(size, size, spacing).filter(|p| p.length() < radius).collect::<Vec<_>>()
    });
    let error = |layer: &Vec<DVec3>| (layer.len() as f64 * spacing * spacing - area).abs();
    let [a, b] = lattices;
    if error(&a) <= error(&b) { a } else { b }
}

/// The rotation that turns x to the direction of flow and keeps z horizontal (along world z if the
/// flow is vertical).
pub(crate) fn orientation(direction: DVec3, dimension: Dimension) -> DQuat {
    if dimension == Dimension::Two {
        return DQuat::from_rotation_z(direction.y.atan2(direction.x));
    }
    let across = direction.cross(DVec3::Y);
    let z = if across.length() < 1e-9 { DVec3::Z } else { across.normalize() };
    DQuat::from_mat3(&DMat3::from_cols(direction, z.cross(direction), z))
}

#[cfg(test)]
mod tests {
    use super::super::file::{BoxOpening, DiscOpening};
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn a_slot_has_a_full_lattice() {
        let slot = Opening::Box(BoxOpening { width: 0.5, height: Some(0.2) });
        assert_eq!(layer(&slot, 0.1, Dimension::Three).len(), 10);
        assert_eq!(layer(&slot, 0.1, Dimension::Two).len(), 5);
    }

    #[test]
    fn a_nozzle_has_nearly_its_area() {
        let nozzle = Opening::Disc(DiscOpening { radius: 0.1 });
        let layer = layer(&nozzle, 0.01, Dimension::Three);
        let area = std::f64::consts::PI * 0.01;
        assert_relative_eq!(layer.len() as f64 * 1e-4, area, max_relative = 0.02);
    }

    #[test]
    fn x_is_turned_to_the_direction_of_flow() {
        for direction in [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::ONE.normalize()] {
            let rotation = orientation(direction, Dimension::Three);
            assert_relative_eq!((rotation * DVec3::X - direction).length(), 0.0, epsilon = 1e-12);
            assert_relative_eq!((rotation * DVec3::Z).y, 0.0, epsilon = 1e-12);
        }
        let flat = orientation(DVec3::NEG_Y, Dimension::Two);
        assert_relative_eq!((flat * DVec3::X - DVec3::NEG_Y).length(), 0.0, epsilon = 1e-12);
    }
}
