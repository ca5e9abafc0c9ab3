//! Even divisions of lengths and circles, and exact lattices on boxes and squares.

use super::Face;
use crate::math::{DVec3, Dimension};

/// Widest step of a division, in spacings: a square mesh of this width is covered within 0.75.
const WIDEST: f64 = 1.06;
/// Sides closer than this, in spacings, share one layer of samples in the middle.
pub(super) const MERGED: f64 = 0.5;

/// Into how many steps of about `spacing` a `length` is divided: the nearest number, or one more if
/// the steps would be too wide. Zero for a length so short that its two ends are one sample.
pub(super) fn steps(length: f64, spacing: f64) -> usize {
    let ratio = length / spacing;
    if ratio < MERGED {
        return 0;
    }
    ratio.round().max((ratio / WIDEST - 1e-9).ceil()).max(1.0) as usize
}

/// How many samples a circle of `radius` gets: neighbours about `spacing` apart along the chord.
pub(super) fn ring_count(radius: f64, spacing: f64) -> usize {
    let mut count = (std::f64::consts::TAU * radius / spacing).round() as usize;
    let chord = |n: usize| 2.0 * radius * (std::f64::consts::PI / n as f64).sin();
    if count > 2 && chord(count) > WIDEST * spacing {
        count += 1;
    }
    while count > 2 && chord(count) < 0.7 * spacing {
        count -= 1;
    }
    if count <= 2 { if 2.0 * radius < 0.7 * spacing { 1 } else { 2 } } else { count }
}

/// Lattice points on the faces of the box of half sizes `half`, corner to corner, edges included.
/// Open faces are left out, but not their edges with closed ones. In 2D: the rectangle's outline.
pub(super) fn on_box(half: DVec3, open: &[Face], spacing: f64, dimension: Dimension) -> Vec<DVec3> {
    let mut count = [0; 3];
    for axis in 0..dimension.count() {
        count[axis] = steps(2.0 * half[axis], spacing);
    }
    let walls: Vec<Face> = Face::ALL
        .into_iter()
        .filter(|face| face.axis() < dimension.count() && !open.contains(face))
        .collect();
    let on_wall = |index: [usize; 3]| {
        walls.iter().any(|face| {
            let axis = face.axis();
            index[axis] == if face.is_upper() { count[axis] } else { 0 }
        })
    };
    let coordinate = |axis: usize, k: usize| match count[axis] {
        0 => 0.0,
        n => half[axis] * (2.0 * k as f64 / n as f64 - 1.0),
    };

    let mut points = Vec::new();
    for i in 0..=count[0] {
        for j in 0..=count[1] {
            // Rows inside the box touch no wall except with their two ends.
            let row_inside = i != 0 && i != count[0] && j != 0 && j != count[1];
            let step = if row_inside { count[2].max(1) } else { 1 };
            for k in (0..=count[2]).step_by(step) {
                if on_wall([i, j, k]) {
                    points.push(DVec3::new(coordinate(0, i), coordinate(1, j), coordinate(2, k)));
                }
            }
        }
    }
    points
}

/// How many points [`on_box`] makes at most, without making them.
pub(super) fn on_box_estimate(half: DVec3, spacing: f64, dimension: Dimension) -> f64 {
    let n = half * 2.0 / spacing + 1.0;
    match dimension {
        Dimension::Two => 2.0 * (n.x + n.y),
        Dimension::Three => 2.0 * (n.x * n.y + n.y * n.z + n.z * n.x),
    }
}

/// Lattice points of the square with edges 2 `half` along `s` and `t`, moved by `shift`.
pub(super) fn on_square(s: DVec3, t: DVec3, half: f64, shift: DVec3, spacing: f64) -> Vec<DVec3> {
    let n = steps(2.0 * half, spacing);
    let at = |k: usize| if n == 0 { 0.0 } else { half * (2.0 * k as f64 / n as f64 - 1.0) };
    (0..=n).flat_map(|i| (0..=n).map(move |j| shift + s * at(i) + t * at(j))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn steps_are_neither_wide_nor_narrow(length in 0.5..100.0f64) {
            let step = length / steps(length, 1.0) as f64;
            prop_assert!(step <= WIDEST + 1e-6);
            prop_assert!(step >= 0.5);
            prop_assert!(length < 1.5 || step >= 0.7);
        }

        #[test]
        fn rings_are_neither_wide_nor_narrow(radius in 0.35..100.0f64) {
            let count = ring_count(radius, 1.0);
            let chord = 2.0 * radius * (std::f64::consts::PI / count as f64).sin();
            prop_assert!((0.7 - 1e-9..1.15).contains(&chord), "{count} samples {chord} apart");
        }
    }

    #[test]
    fn a_tank_of_whole_spacings_has_walls_opposite_the_fluid_cells() {
        let (n, h) = (6, 0.1);
        let half = DVec3::splat(n as f64 * h / 2.0 + h / 2.0);
        for p in on_box(half, &[Face::Top], h, Dimension::Three) {
            for axis in 0..3 {
                let cells = (p[axis] + n as f64 * h / 2.0) / h - 0.5;
                assert!((cells - cells.round()).abs() < 1e-9, "{p} is off the fluid's lattice");
            }
        }
    }

    #[test]
    fn open_faces_keep_only_their_rim() {
        let count = |open: &[Face]| on_box(DVec3::ONE, open, 0.5, Dimension::Three).len();
        assert_eq!(count(&[]), 5 * 5 * 5 - 3 * 3 * 3);
        assert_eq!(count(&[Face::Top]), count(&[]) - 9);
        assert_eq!(count(&[Face::Top, Face::Left]), count(&[]) - 9 - 9 - 3);
        let outline = |open: &[Face]| on_box(DVec3::ONE, open, 0.5, Dimension::Two).len();
        assert_eq!(outline(&[]), 16);
        assert_eq!(outline(&[Face::Top, Face::Front]), 13);
    }
}
