//! Even layers of samples on surfaces: which method serves which shape.
//!
//! Boxes, tanks and planes carry exact lattices (`lattice`). Bodies of revolution carry rings:
//! their profile is divided evenly, and each point of it turns into a ring that is divided evenly.
//! Meshes have their own method (`mesh_sampling`). In 2D, outlines are divided evenly between
//! corners.

use std::f64::consts::TAU;

use super::lattice::{on_box, on_box_estimate, on_square, ring_count};
use super::outline::Round;
use super::profile::Chain;
use super::{MAX_POINTS, Shape, ShapeError, mesh_sampling, primitives, slice};
use crate::math::{DVec3, Dimension};
use crate::point_grid::{with_gaps_filled, without_crowding};

/// See [`Shape::sample_surface`].
pub(super) fn sample(
    shape: &Shape,
    spacing: f64,
    offset: f64,
    dimension: Dimension,
) -> Result<Vec<DVec3>, ShapeError> {
    if !(spacing > 0.0 && spacing.is_finite()) {
        return Err(ShapeError::Spacing(spacing));
    }
    if !offset.is_finite() {
        return Err(ShapeError::Offset(offset));
    }
    shape.check()?;
    match shape {
        Shape::Box { half } => boxed(*half, &[], spacing, offset, dimension),
        Shape::Tank { half, open } => boxed(*half, open, spacing, offset, dimension),
        Shape::Plane { normal, half_size } => {
            sheet(*normal, *half_size, spacing, offset, dimension)
        }
        Shape::Mesh(mesh) => match dimension {
            Dimension::Two => slice::sample(mesh, spacing, offset),
            Dimension::Three => mesh_sampling::sample(mesh, spacing, offset),
        },
        _ => match (Round::grown(shape, offset), dimension) {
            (Some(round), Dimension::Two) => outline(&round.outline(), spacing),
            (Some(round), Dimension::Three) => {
                // Base and slope of a flat cone come close to each other behind the rim, and each
                // has to be covered.
                let closest = if matches!(shape, Shape::Cone { .. }) { 0.3 } else { 0.5 };
                rings(&round.profile(), spacing, closest)
            }
            (None, _) => Ok(Vec::new()), // All other shapes have been matched above.
        },
    }
}

/// Refuses to make more samples than could be meant.
pub(super) fn limit(estimate: f64) -> Result<(), ShapeError> {
    if estimate <= MAX_POINTS { Ok(()) } else { Err(ShapeError::TooMany(estimate)) }
}

fn boxed(
    half: DVec3,
    open: &[super::Face],
    spacing: f64,
    offset: f64,
    dimension: Dimension,
) -> Result<Vec<DVec3>, ShapeError> {
    let grown = (half + offset).max(DVec3::ZERO);
    limit(on_box_estimate(grown, spacing, dimension))?;
    Ok(on_box(grown, open, spacing, dimension))
}

fn sheet(
    normal: DVec3,
    half_size: f64,
    spacing: f64,
    offset: f64,
    dimension: Dimension,
) -> Result<Vec<DVec3>, ShapeError> {
    let flat = dimension.flatten(normal.normalize());
    let n = flat.try_normalize().ok_or(ShapeError::Normal(normal))?;
    let edge = 2.0 * half_size / spacing + 1.0;
    limit(edge.powi(dimension.count() as i32 - 1))?;
    let [s, t] = primitives::sheet_axes(n);
    Ok(match dimension {
        Dimension::Three => on_square(s, t, half_size, n * offset, spacing),
        Dimension::Two => {
            let s = s.truncate();
            let line = Chain::line(-half_size * s, half_size * s);
            line.divide(spacing).into_iter().map(|p| p.extend(0.0) + n * offset).collect()
        }
    })
}

/// Samples of curves in the plane z = 0.
pub(super) fn outline(chains: &[Chain], spacing: f64) -> Result<Vec<DVec3>, ShapeError> {
    limit(chains.iter().map(|chain| chain.length() / spacing + 1.0).sum())?;
    let points = chains.iter().flat_map(|chain| chain.divide(spacing));
    // Chains share their corners, and sides of a thin shape may meet.
    Ok(without_crowding(points.map(|p| p.extend(0.0)).collect(), 0.5 * spacing))
}

/// Samples of the surface that a profile (r, y) sweeps when it turns about the y axis.
fn rings(profile: &[Chain], spacing: f64, closest: f64) -> Result<Vec<DVec3>, ShapeError> {
    let widest = profile
        .iter()
        .flat_map(|chain| [0.0, 0.25, 0.5, 0.75, 1.0].map(|t| chain.at(t * chain.length()).x));
    let widest = widest.fold(0.0, f64::max);
    let length: f64 = profile.iter().map(Chain::length).sum();
    limit((length / spacing + 1.0) * (TAU * widest / spacing + 1.0))?;

    let points = rings_apart(profile, spacing);
    let count = points.len();
    let kept = without_crowding(points, closest * spacing);
    // Where few samples go around, or some were lost, they need not cover everything.
    let is_short = |length: f64| length < 4.0 * spacing;
    let is_thin = is_short(widest) || profile.iter().any(|chain| is_short(chain.length()));
    let is_thin = is_thin || kept.len() < count;
    let gaps = if is_thin { rings_apart(profile, 0.25 * spacing) } else { Vec::new() };
    Ok(with_gaps_filled(kept, gaps, WIDEST_GAP * spacing))
}

/// Farther than this, in spacings, nothing on a thin shape is from a sample.
const WIDEST_GAP: f64 = 0.75;

/// Samples of a profile that turns, the same distance apart along it and around.
fn rings_apart(profile: &[Chain], spacing: f64) -> Vec<DVec3> {
    let mut points = Vec::new();
    // Corners first: where a thin shape brings samples together, the ones on edges stay.
    let corners = profile.iter().filter(|c| !c.closed).flat_map(|c| [c.at(0.0), c.at(c.length())]);
    for corner in corners {
        push_ring(&mut points, corner.x, corner.y, 0.0, spacing);
    }
    for chain in profile {
        let divided = chain.divide(spacing);
        let ends = if chain.closed { 0 } else { 1 };
        for (k, p) in divided.iter().enumerate().take(divided.len() - ends).skip(ends) {
            // Every other ring is turned by half a step: samples stand in the gaps of the last
            // ring.
            push_ring(&mut points, p.x, p.y, 0.5 * (k % 2) as f64, spacing);
        }
    }
    points
}

fn push_ring(points: &mut Vec<DVec3>, radius: f64, y: f64, turn: f64, spacing: f64) {
    match ring_count(radius, spacing) {
        1 => points.push(DVec3::new(0.0, y, 0.0)),
        n => points.extend((0..n).map(|k| {
            let angle = (k as f64 + turn) / n as f64 * TAU;
            DVec3::new(radius * angle.cos(), y, radius * angle.sin())
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::Face;
    use crate::shapes::test_support::{covering, dense_offset_surface, nearest_pair};
    use proptest::prelude::*;

    /// Covering radius and smallest distance of the samples, in spacings.
    fn figures(shape: &Shape, offset: f64, dimension: Dimension) -> (f64, f64) {
        let samples = shape.sample_surface(1.0, offset, dimension).unwrap();
        let surface = dense_offset_surface(shape, 0.12, offset, dimension);
        (covering(&surface, &samples), nearest_pair(&samples))
    }

    fn shapes_of_size(a: f64, b: f64, c: f64) -> Vec<Shape> {
        vec![
            Shape::Box { half: DVec3::new(a, b, c) },
            Shape::Tank { half: DVec3::new(a, b, c), open: vec![Face::Top, Face::Right] },
            Shape::Plane { normal: DVec3::new(1.0, 2.0, 0.5), half_size: a },
            Shape::Sphere { radius: a },
            Shape::Cylinder { radius: a, half_height: b },
            Shape::Cone { radius: a, height: 2.0 * b },
            Shape::Torus { major: a + b, minor: b },
            Shape::Capsule { radius: a, half_height: b },
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn one_layer_of_samples_is_tight_and_not_crowded(
            a in 2.7..9.0f64, b in 2.7..9.0f64, c in 2.7..9.0f64, offset in -0.5..0.5f64,
        ) {
            for shape in shapes_of_size(a, b, c) {
                for dimension in [Dimension::Two, Dimension::Three] {
                    let (cover, apart) = figures(&shape, offset, dimension);
                    // Where gaps are filled, it is from rings a quarter of a spacing apart: between
                    // them a little more than the widest gap is left (0.766 is the most seen).
                    prop_assert!(
                        cover <= WIDEST_GAP + 0.05,
                        "{shape:?} {dimension:?}: covered within {cover}"
                    );
                    let least = if matches!(shape, Shape::Cone { .. }) { 0.3 } else { 0.7 };
                    prop_assert!(apart >= least, "{shape:?} {dimension:?}: {apart} apart");
                }
            }
        }

        #[test]
        fn small_and_thin_shapes_stay_covered_too(
            a in 0.05..2.0f64, b in 0.05..2.0f64, c in 0.05..2.0f64, offset in -0.5..0.5f64,
        ) {
            for shape in shapes_of_size(a, b, c) {
                for dimension in [Dimension::Two, Dimension::Three] {
                    let (cover, apart) = figures(&shape, offset, dimension);
                    prop_assert!(cover <= 0.85, "{shape:?} {dimension:?}: covered within {cover}");
                    let least = if matches!(shape, Shape::Cone { .. }) { 0.3 } else { 0.5 };
                    prop_assert!(apart >= least - 1e-6, "{shape:?} {dimension:?}: {apart} apart");
                }
            }
        }
    }

    #[test]
    fn a_torus_that_nearly_closes_is_covered() {
        for minor in [0.4, 0.453, 0.5] {
            let torus = Shape::Torus { major: 0.503, minor };
            for offset in [-0.3, -0.1, 0.0, 0.1, 0.3, 0.5] {
                let (cover, apart) = figures(&torus, offset, Dimension::Three);
                assert!(cover <= 0.85 && apart >= 0.5, "{minor} {offset}: {cover} {apart}");
            }
        }
    }

    #[test]
    fn the_number_of_samples_fits_the_area() {
        for shape in shapes_of_size(9.0, 7.0, 8.0) {
            let samples = shape.sample_surface(1.0, 0.0, Dimension::Three).unwrap();
            let per_area = samples.len() as f64 / shape.surface().area();
            assert!((0.93..1.12).contains(&per_area), "{shape:?}: {per_area} samples per h²");
        }
    }

    #[test]
    fn bad_input_is_refused_in_words() {
        let ball = Shape::Sphere { radius: 1.0 };
        let of = |shape: &Shape, h, offset| {
            shape.sample_surface(h, offset, Dimension::Three).unwrap_err().to_string()
        };
        assert_eq!(of(&ball, 0.0, 0.0), "the spacing must be positive and finite, got 0");
        assert!(of(&ball, f64::NAN, 0.0).contains("spacing"));
        assert!(of(&ball, 0.1, f64::INFINITY).contains("offset"));
        assert!(of(&ball, 1e-9, 0.0).contains("more than the limit"));
        assert!(of(&Shape::Sphere { radius: -1.0 }, 0.1, 0.0).contains("radius must be positive"));
        assert!(
            of(&Shape::Plane { normal: DVec3::ZERO, half_size: 1.0 }, 0.1, 0.0).contains("normal")
        );
        let flat = Shape::Plane { normal: DVec3::Z, half_size: 1.0 };
        assert!(flat.sample_surface(0.1, 0.0, Dimension::Two).is_err());
    }
}
