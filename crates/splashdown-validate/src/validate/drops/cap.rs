//! The contact angle of a drop by the ball (in the plane the disc) that fits its outline best.

use std::f64::consts::PI;

use crate::math::{DVec3, Dimension};

/// Particles are this far inside of the surface, in h, and those in the lowest layer above the
/// floor.
const INSIDE: f64 = 0.5;

/// The angle, in degrees, at which the ball that fits the outline meets the floor y = 0; none if
/// there are too few particles above it. Places in h.
pub(super) fn fitted_angle(places: &[DVec3], dimension: Dimension) -> Option<f64> {
    let mean = places.iter().sum::<DVec3>() / places.len() as f64;
    let axis = DVec3::new(mean.x, 0.0, mean.z);
    // The centre is on the axis: |p|² = 2 c y + k in the least-squares sense.
    let outline = outline(places.iter().map(|p| *p - axis), dimension);
    let count = outline.len() as f64;
    let (y, s) = (|p: &DVec3| p.y, |p: &DVec3| p.length_squared());
    let mean = |f: &dyn Fn(&DVec3) -> f64| outline.iter().map(f).sum::<f64>() / count;
    let (mean_y, mean_s) = (mean(&y), mean(&s));
    let variance = mean(&|p| (y(p) - mean_y).powi(2));
    if outline.len() < 4 || variance < 1e-6 {
        return None;
    }
    let centre = 0.5 * mean(&|p| (y(p) - mean_y) * (s(p) - mean_s)) / variance;
    let square = mean_s - 2.0 * centre * mean_y + centre * centre;
    let radius = square.max(0.0).sqrt() + INSIDE;
    Some((-centre / radius).clamp(-1.0, 1.0).acos().to_degrees())
}

/// The farthest particle from the middle of the base in each direction, directions about a spacing
/// apart.
fn outline(places: impl Iterator<Item = DVec3> + Clone, dimension: Dimension) -> Vec<DVec3> {
    let reach = places.clone().map(DVec3::length).fold(1.0, f64::max);
    let bands = (0.5 * PI * reach).ceil();
    let mut farthest = std::collections::BTreeMap::<(usize, usize), DVec3>::new();
    for p in places.filter(|p| p.y > 0.0) {
        let polar = (p.y / p.length()).clamp(-1.0, 1.0).acos();
        let band = (polar / (0.5 * PI) * bands).floor();
        let around = match dimension {
            Dimension::Two => 2.0,
            Dimension::Three => (2.0 * PI * reach * ((band + 0.5) / bands * 0.5 * PI).sin()).ceil(),
        };
        let turn = (p.z.atan2(p.x) / (2.0 * PI)).rem_euclid(1.0);
        let sector = (turn * around).round() % around;
        let best = farthest.entry((band as usize, sector as usize)).or_default();
        if p.length() > best.length() {
            *best = p;
        }
    }
    farthest.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lattice cut to a cap of six layers and more that meets the floor at `degrees`.
    fn cap(degrees: f64, radius: f64, dimension: Dimension) -> Vec<DVec3> {
        let centre = -radius * degrees.to_radians().cos() * DVec3::Y;
        let reach = radius.ceil() as i32;
        let depth = if dimension == Dimension::Two { 0..1 } else { -reach..reach };
        let mut points = Vec::new();
        for (x, y) in (-reach..reach).flat_map(|x| (0..2 * reach).map(move |y| (x, y))) {
            for z in depth.clone() {
                let p = dimension.flatten(DVec3::new(x.into(), y.into(), z.into()) + 0.5);
                if (p - centre).length() <= radius {
                    points.push(p);
                }
            }
        }
        points
    }

    #[test]
    fn a_lattice_that_is_cut_to_a_cap_has_its_angle() {
        for dimension in [Dimension::Two, Dimension::Three] {
            for degrees in [30.0f64, 60.0, 90.0, 120.0, 150.0] {
                let radius = (6.0 / (1.0 - degrees.to_radians().cos())).max(12.0);
                let found = fitted_angle(&cap(degrees, radius, dimension), dimension).unwrap();
                // Steps of a spacing are 5° of a ball of 12 h, and near 180° more of its foot.
                assert!((found - degrees).abs() < 7.0, "{dimension:?}, {degrees}°: {found}°");
            }
        }
        assert_eq!(fitted_angle(&[0.5 * DVec3::Y; 9], Dimension::Three), None);
    }
}
