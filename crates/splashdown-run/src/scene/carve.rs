//! Removes fluid where solids or other fluids are.

use std::collections::HashMap;

use rayon::prelude::*;

use super::file::FluidSide;
use crate::math::{Aabb, DVec3, Dimension, Pose};
use crate::shapes::Shape;

/// Particles at rest are one spacing apart; closer by more than this share is too close.
const TOLERANCE: f64 = 0.05;
/// Two fluids come no closer than this share of the spacing.
const FLUID_DISTANCE: f64 = 0.9;

/// What carving needs to know about a solid.
pub(crate) struct Obstacle {
    /// Which `[[solid]]` of the scene it comes from.
    pub entry: usize,
    pub name: String,
    pub shape: Shape,
    /// At time zero.
    pub pose: Pose,
    pub side: FluidSide,
    /// How far its samples lie behind its surface.
    pub inset: f64,
    /// How far matter reaches beyond it: half the thickness of a sheet.
    pub half: f64,
}

/// Where a point is with respect to a solid.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Free,
    Taken,
    /// In a container.
    Inside,
    /// Beside the wall of a container, on the wrong side.
    OutsideContainer,
}

impl Obstacle {
    fn place(&self, p: DVec3, bounds: &Aabb, spacing: f64, dimension: Dimension) -> Place {
        let local = self.pose.inverse_apply(p);
        if !bounds.contains(local) {
            return Place::Free;
        }
        let distance = self.shape.signed_distance(local, dimension);
        let between_centres = (1.0 - TOLERANCE) * spacing;
        let margin = (between_centres - self.inset).max(beyond(self.half, spacing));
        let taken = match self.side {
            FluidSide::Outside => distance < margin,
            FluidSide::Both => distance.abs() < margin,
            // The wall begins at the surface and is one particle thick.
            FluidSide::Inside => -margin < distance && distance < self.inset + between_centres,
        };
        let is_container = self.side == FluidSide::Inside;
        match taken {
            true => Place::Taken,
            false if is_container && distance < 0.0 => Place::Inside,
            false if is_container && distance < self.inset + 2.0 * spacing => {
                Place::OutsideContainer
            }
            false => Place::Free,
        }
    }
}

/// How close a particle may come to the middle of what is `half` thick: to itself half a spacing.
/// Without thickness there is nothing to keep away from.
fn beyond(half: f64, spacing: f64) -> f64 {
    if half > 0.0 { half + 0.5 * (1.0 - TOLERANCE) * spacing } else { 0.0 }
}

/// What is left of some points, and what was removed by which solid.
pub(crate) struct Carved {
    /// For every point whether it stays.
    pub keep: Vec<bool>,
    /// Points removed, for every solid.
    pub removed: Vec<usize>,
    /// One of them.
    pub place: Vec<Option<DVec3>>,
    /// Points that stay beside the wall of a container but outside of it, for every solid.
    pub outside: Vec<usize>,
}

/// Carves solids out of a fluid. A point is counted for the first solid that takes it.
pub(crate) fn carve(
    points: &[DVec3],
    obstacles: &[&Obstacle],
    spacing: f64,
    dimension: Dimension,
) -> Carved {
    let reach = |o: &&Obstacle| {
        let mut margin = DVec3::splat(2.0 * spacing + o.inset + o.half);
        if dimension == Dimension::Two {
            margin.z = f64::INFINITY;
        }
        let bounds = o.shape.bounds();
        Aabb { min: bounds.min - margin, max: bounds.max + margin }
    };
    let bounds: Vec<Aabb> = obstacles.iter().map(reach).collect();
    let verdict = |p: &DVec3| {
        let (mut outside, mut inside) = (None, false);
        for (k, obstacle) in obstacles.iter().enumerate() {
            match obstacle.place(*p, &bounds[k], spacing, dimension) {
                Place::Taken => return (Some(k), None),
                Place::OutsideContainer => outside = Some(k),
                Place::Inside => inside = true,
                Place::Free => {}
            }
        }
        // Fluid between two nested vessels is beside a wall and yet contained.
        (None, outside.filter(|_| !inside))
    };
    let verdicts: Vec<(Option<usize>, Option<usize>)> = points.par_iter().map(verdict).collect();
    let mut carved = Carved {
        keep: verdicts.iter().map(|(taken, _)| taken.is_none()).collect(),
        removed: vec![0; obstacles.len()],
        place: vec![None; obstacles.len()],
        outside: vec![0; obstacles.len()],
    };
    for ((taken, outside), point) in verdicts.into_iter().zip(points) {
        if let Some(k) = taken {
            carved.removed[k] += 1;
            carved.place[k].get_or_insert(*point);
        }
        if let Some(k) = outside {
            carved.outside[k] += 1;
        }
    }
    carved
}

/// For every point whether it keeps its distance from all points of `earlier`, which are `half`
/// thick if they are no fluid.
pub(crate) fn apart(points: &[DVec3], earlier: &[DVec3], half: f64, spacing: f64) -> Vec<bool> {
    let distance = beyond(half, spacing).max(FLUID_DISTANCE * spacing);
    let shared = overlap(points, earlier, distance);
    let cell = |p: DVec3| ((p - shared.min) / distance).floor().as_i64vec3().to_array();
    let mut cells: HashMap<[i64; 3], Vec<DVec3>> = HashMap::new();
    for p in earlier.iter().filter(|p| shared.contains(**p)) {
        cells.entry(cell(*p)).or_default().push(*p);
    }
    let is_apart = |p: &DVec3| {
        if cells.is_empty() || !shared.contains(*p) {
            return true;
        }
        let [x, y, z] = cell(*p);
        let near = (x - 1..=x + 1)
            .flat_map(|x| (y - 1..=y + 1).map(move |y| (x, y)))
            .flat_map(|(x, y)| (z - 1..=z + 1).map(move |z| [x, y, z]));
        !near
            .filter_map(|c| cells.get(&c))
            .flatten()
            .any(|q| q.distance_squared(*p) < distance * distance)
    };
    points.par_iter().map(is_apart).collect()
}

/// The region in which points of both sets may be within `distance` of each other.
fn overlap(a: &[DVec3], b: &[DVec3], distance: f64) -> Aabb {
    let a = Aabb::around(a.iter().copied()).grown(distance);
    let b = Aabb::around(b.iter().copied()).grown(distance);
    Aabb { min: a.min.max(b.min), max: a.max.min(b.max) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(x0: f64) -> Vec<DVec3> {
        (0..10).map(|k| DVec3::new(x0 + 0.1 * f64::from(k), 0.0, 0.0)).collect()
    }

    fn kept_by(side: FluidSide, inset: f64, shape: Shape) -> Vec<f64> {
        let obstacle = Obstacle {
            entry: 0,
            name: "o".into(),
            shape,
            pose: Pose::IDENTITY,
            side,
            inset,
            half: 0.0,
        };
        let points = row(-0.45);
        let carved = carve(&points, &[&obstacle], 0.1, Dimension::Three);
        points.iter().zip(carved.keep).filter(|(_, keep)| *keep).map(|(p, _)| p.x).collect()
    }

    #[test]
    fn an_obstacle_takes_what_is_in_it_and_leaves_half_a_spacing() {
        let kept = kept_by(FluidSide::Outside, 0.05, Shape::Box { half: DVec3::splat(0.2) });
        assert_eq!(kept.len(), 6); // |x| = 0.05 and 0.15 are inside
    }

    #[test]
    fn a_container_keeps_what_fits_exactly() {
        let tank = Shape::Tank { half: DVec3::splat(0.5), open: vec![] };
        assert_eq!(kept_by(FluidSide::Inside, 0.05, tank).len(), 10);
        let tank = Shape::Tank { half: DVec3::splat(0.47), open: vec![] };
        assert_eq!(kept_by(FluidSide::Inside, 0.05, tank).len(), 8);
    }

    #[test]
    fn fluids_keep_their_distance_and_the_later_one_loses() {
        assert!(apart(&row(1.0), &row(0.0), 0.0, 0.1).iter().all(|keep| *keep));
        let keep = apart(&row(0.45), &row(0.0), 0.0, 0.1);
        assert_eq!(keep.iter().filter(|keep| **keep).count(), 4);
        assert!(apart(&row(0.0), &[], 0.0, 0.1).iter().all(|keep| *keep));
    }
}
