//! Contact angles: which tension of a wall makes a fluid meet it at a wanted angle.
//!
//! Young's equation, cos θ = (e_dry − e_wet)/γ, holds with what walls of one layer really cost
//! (`validate/drops/slab.rs`), but walls that attract hold the edge of a drop. So the angle is
//! looked up, as drops take it that spread from 90°; below 70° that needs a stronger pull than
//! Young's, which lifts columns between plates too high. At 60° the table is between both: drops
//! that spread stop at 66°, and columns that are filled to Jurin's height stay within 10 % of it:
//! docs/methods/droplets.md.

use crate::math::Dimension;

/// (γ^BF − γ^BV)/γ^FV and the angle, in degrees, that it is taken for: that of a drop that spread,
/// but for 60°. Angles are those of the height of the centre of a drop; at 30° in space and at 150°
/// they are between that and the angle of its outline.
const SPACE: [(f64, f64); 12] = [
    (-1.3, 0.0),
    (-1.1, 12.0),
    (-0.94, 30.0),
    (-0.75, 44.0),
    (-0.35, 60.0),
    (-0.05, 83.5),
    (0.3, 109.0),
    (0.65, 119.0),
    (1.0, 139.0),
    (1.14, 150.0),
    (1.22, 160.0),
    (1.35, 180.0),
];
const PLANE: [(f64, f64); 11] = [
    (-2.0, 0.0),
    (-1.6, 17.5),
    (-1.2, 40.5),
    (-0.65, 60.0),
    (-0.4, 72.5),
    (0.0, 97.5),
    (0.4, 122.0),
    (0.8, 141.0),
    (0.95, 150.0),
    (1.06, 160.0),
    (1.2, 180.0),
];

/// (γ^BF − γ^BV)/γ^FV for the `angle`, in degrees.
pub fn needed_excess(angle: f64, dimension: Dimension) -> f64 {
    let table: &[(f64, f64)] = match dimension {
        Dimension::Two => &PLANE,
        Dimension::Three => &SPACE,
    };
    let after = table.iter().position(|&(_, a)| a >= angle).unwrap_or(table.len() - 1).max(1);
    let [(x0, a0), (x1, a1)] = [table[after - 1], table[after]];
    x0 + (x1 - x0) * ((angle - a0) / (a1 - a0)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_angles_need_walls_that_repel_more() {
        for dimension in [Dimension::Two, Dimension::Three] {
            let excess: Vec<f64> =
                (0..=180).map(|a| needed_excess(f64::from(a), dimension)).collect();
            assert!(excess.is_sorted_by(|a, b| a < b), "{excess:?}");
            assert!(excess[0] < -1.0 && excess[180] > 0.9);
        }
    }
}
