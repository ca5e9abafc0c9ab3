//! Lattices that fill shapes: where fluids begin.
//!
//! Boxes and cylinders get their own centred lattice, turned along with them. Every other shape
//! keeps those cells of the scene's lattice (centres at odd multiples of half a spacing) whose
//! centre is inside: their number times their volume is the volume of the shape, on average.
//! Nothing is kept clear of walls here; whoever puts shapes together carves.

use rayon::prelude::*;

use super::{MAX_POINTS, Shape};
use crate::math::{Aabb, DVec3, Dimension, Pose};

/// Lattice points `spacing` apart whose cells fill the shape at `pose`. Boxes (and the water of
/// tanks): round(size / spacing) cells along each edge, centred; cylinders: as many layers. Sheets
/// have no inside and give no points, and so does a spacing that is not positive or would need more
/// than [`MAX_POINTS`] cells. In 2D: one layer at z = 0.
pub fn fill(shape: &Shape, pose: &Pose, spacing: f64, dimension: Dimension) -> Vec<DVec3> {
    if !(spacing > 0.0 && spacing.is_finite()) || shape.check().is_err() {
        return Vec::new();
    }
    match shape {
        Shape::Box { half } | Shape::Tank { half, .. } => fill_box(*half, pose, spacing, dimension),
        Shape::Cylinder { radius, half_height } => match dimension {
            Dimension::Two => {
                let half = DVec3::new(*radius, *half_height, *radius);
                fill_box(half, pose, spacing, dimension)
            }
            Dimension::Three => fill_cylinder(*radius, *half_height, pose, spacing),
        },
        _ if shape.is_closed() => fill_cells(shape, pose, spacing, dimension),
        _ => Vec::new(),
    }
}

fn fill_box(half: DVec3, pose: &Pose, spacing: f64, dimension: Dimension) -> Vec<DVec3> {
    let mut cells = (half * 2.0 / spacing).round();
    if dimension == Dimension::Two {
        cells.z = 1.0;
    }
    if cells.element_product() > MAX_POINTS {
        return Vec::new();
    }
    let [nx, ny, nz] = cells.to_array().map(|n| n as usize);
    let centre = |k: usize, n: usize| (k as f64 + 0.5 - n as f64 / 2.0) * spacing;
    let mut points = Vec::with_capacity(nx * ny * nz);
    for i in 0..nx {
        for j in 0..ny {
            for k in 0..nz {
                let local = DVec3::new(centre(i, nx), centre(j, ny), centre(k, nz));
                points.push(dimension.flatten(pose.apply(local)));
            }
        }
    }
    points
}

/// Whole layers from bottom to top, so that no layer is lost or won at the flat ends.
fn fill_cylinder(radius: f64, half_height: f64, pose: &Pose, spacing: f64) -> Vec<DVec3> {
    let layers = (2.0 * half_height / spacing).round();
    let reach = (radius / spacing).ceil();
    if 4.0 * layers * reach * reach > MAX_POINTS {
        return Vec::new();
    }
    let reach = reach as i64;
    let centres = || (-reach..reach).map(|k| (k as f64 + 0.5) * spacing);
    let mut points = Vec::new();
    for x in centres() {
        for layer in 0..layers as usize {
            let y = (layer as f64 + 0.5 - layers / 2.0) * spacing;
            let row = centres().filter(|z| x.hypot(*z) <= radius);
            points.extend(row.map(|z| pose.apply(DVec3::new(x, y, z))));
        }
    }
    points
}

fn fill_cells(shape: &Shape, pose: &Pose, spacing: f64, dimension: Dimension) -> Vec<DVec3> {
    let bounds = placed_bounds(shape, pose);
    let low = (bounds.min / spacing - 0.5).ceil();
    let high = (bounds.max / spacing - 0.5).floor();
    let mut cells = (high - low + 1.0).max(DVec3::ZERO);
    if dimension == Dimension::Two {
        cells.z = 1.0;
    }
    let position_is_exact = low.abs().max(high.abs()).max_element() < 1e15;
    if !(cells.element_product() <= 8.0 * MAX_POINTS && position_is_exact) {
        return Vec::new();
    }
    let [nx, ny, nz] = cells.to_array().map(|n| n as usize);
    let centre = |i: usize, j: usize, k: usize| {
        let cell = low + DVec3::new(i as f64, j as f64, k as f64);
        dimension.flatten((cell + 0.5) * spacing)
    };
    let column = |i: usize| {
        let mut inside = Vec::new();
        let row_along_z = dimension == Dimension::Three;
        let (rows, length) = if row_along_z { (ny, nz) } else { (1, ny) };
        for row in 0..rows {
            let mut k = 0;
            while k < length {
                let at = |k| if row_along_z { centre(i, row, k) } else { centre(i, k, 0) };
                let local = pose.inverse_apply(at(k));
                let d = shape.signed_distance(local, dimension);
                // No surface is nearer than |d|: the cells up to there are on the same side.
                let alike = ((d.abs() / spacing * (1.0 - 1e-9)).floor()).clamp(1.0, 1e9) as usize;
                let until = (k + alike).min(length);
                if d <= 0.0 {
                    inside.extend((k..until).map(at));
                }
                k = until;
            }
        }
        inside
    };
    (0..nx).into_par_iter().flat_map_iter(column).collect()
}

/// The box around a shape at its place in the scene.
fn placed_bounds(shape: &Shape, pose: &Pose) -> Aabb {
    let Aabb { min, max } = shape.bounds();
    Aabb::around((0..8).map(|k| {
        let pick = |axis: usize| if k >> axis & 1 == 1 { max[axis] } else { min[axis] };
        pose.apply(DVec3::new(pick(0), pick(1), pick(2)))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::DQuat;
    use crate::shapes::{Face, MeshShape};
    use std::f64::consts::PI;

    fn count(shape: &Shape, pose: &Pose, dimension: Dimension) -> f64 {
        fill(shape, pose, 1.0, dimension).len() as f64
    }

    #[test]
    fn a_box_is_filled_from_half_a_spacing_inside() {
        let shape = Shape::Box { half: DVec3::new(1.0, 0.5, 0.25) };
        let points = fill(&shape, &Pose::IDENTITY, 0.1, Dimension::Three);
        assert_eq!(points.len(), 20 * 10 * 5);
        assert!((points[0] - DVec3::new(-0.95, -0.45, -0.2)).length() < 1e-12);
        let layer = fill(&shape, &Pose::IDENTITY, 0.1, Dimension::Two);
        assert_eq!(layer.len(), 20 * 10);
        assert!(layer.iter().all(|p| p.z == 0.0));
    }

    #[test]
    fn water_and_wall_of_a_tank_share_one_lattice() {
        let shape = Shape::Tank { half: DVec3::new(0.4, 0.3, 0.2), open: vec![Face::Top] };
        let h = 0.1;
        let water = fill(&shape, &Pose::IDENTITY, h, Dimension::Three);
        let wall = shape.sample_surface(h, h / 2.0, Dimension::Three).unwrap();
        for p in wall {
            let cells = (p - water[0]) / h;
            assert!((cells - cells.round()).length() < 1e-9, "{p}");
        }
    }

    #[test]
    fn the_lattice_of_a_box_turns_along() {
        let shape = Shape::Box { half: DVec3::ONE };
        let pose = Pose {
            translation: DVec3::new(5.0, -2.0, 1.0),
            rotation: DQuat::from_rotation_y(0.3) * DQuat::from_rotation_x(1.0),
        };
        let points = fill(&shape, &pose, 0.25, Dimension::Three);
        assert_eq!(points.len(), 512);
        for p in points {
            let cell = pose.inverse_apply(p) / 0.25 - 0.5;
            assert!((cell - cell.round()).length() < 1e-9);
        }
    }

    #[test]
    fn round_shapes_get_their_volume() {
        let (r, b) = (8.3_f64, 9.1_f64);
        let solids = [
            (Shape::Sphere { radius: r }, 4.0 / 3.0 * PI * r.powi(3), PI * r * r),
            (Shape::Cylinder { radius: r, half_height: b }, 2.0 * PI * r * r * b, 4.0 * r * b),
            (
                Shape::Cone { radius: 2.0 * r, height: 2.0 * b },
                8.0 / 3.0 * PI * r * r * b,
                4.0 * r * b,
            ),
            (
                Shape::Torus { major: 2.0 * b, minor: r },
                4.0 * PI * PI * b * r * r,
                2.0 * PI * r * r,
            ),
            (
                Shape::Capsule { radius: r, half_height: b },
                PI * r * r * (2.0 * b + 4.0 / 3.0 * r),
                PI * r * r + 4.0 * r * b,
            ),
        ];
        let turned = Pose {
            translation: DVec3::new(0.21, 0.37, 0.48),
            rotation: DQuat::from_rotation_z(0.4) * DQuat::from_rotation_x(0.7),
        };
        let in_plane =
            Pose { translation: DVec3::new(0.2, 0.3, 0.0), rotation: DQuat::from_rotation_z(0.4) };
        for (shape, volume, area) in solids {
            for pose in [Pose::IDENTITY, turned] {
                let share = count(&shape, &pose, Dimension::Three) / volume;
                assert!((share - 1.0).abs() < 0.03, "{shape:?}: {share} of its volume");
            }
            for pose in [Pose::IDENTITY, in_plane] {
                let share = count(&shape, &pose, Dimension::Two) / area;
                assert!((share - 1.0).abs() < 0.03, "{shape:?}: {share} of its area");
            }
        }
    }

    #[test]
    fn skipping_ahead_misses_no_cell() {
        let shape = Shape::Torus { major: 6.0, minor: 2.0 };
        let points = fill(&shape, &Pose::IDENTITY, 0.5, Dimension::Three);
        let mut expected = 0;
        for i in -20..20 {
            for j in -20..20 {
                for k in -20..20 {
                    let p = (DVec3::new(f64::from(i), f64::from(j), f64::from(k)) + 0.5) * 0.5;
                    expected += usize::from(shape.signed_distance(p, Dimension::Three) <= 0.0);
                }
            }
        }
        assert_eq!(points.len(), expected);
    }

    #[test]
    fn a_closed_mesh_is_filled_and_a_sheet_is_not() {
        let ball = Shape::Sphere { radius: 9.0 };
        let mesh = Shape::Mesh(MeshShape::new(ball.surface()).unwrap());
        let share = count(&mesh, &Pose::IDENTITY, Dimension::Three)
            / count(&ball, &Pose::IDENTITY, Dimension::Three);
        assert!((share - 1.0).abs() < 0.02, "{share}");
        let sheet = Shape::Plane { normal: DVec3::Y, half_size: 5.0 };
        assert!(fill(&sheet, &Pose::IDENTITY, 1.0, Dimension::Three).is_empty());
    }

    #[test]
    fn absurd_spacings_give_nothing_rather_than_hang() {
        let ball = Shape::Sphere { radius: 1.0 };
        for h in [0.0, -1.0, f64::NAN, 1e-9] {
            assert!(fill(&ball, &Pose::IDENTITY, h, Dimension::Three).is_empty());
        }
        let lump = Shape::Box { half: DVec3::ONE };
        assert!(fill(&lump, &Pose::IDENTITY, 1e-9, Dimension::Three).is_empty());
    }
}
