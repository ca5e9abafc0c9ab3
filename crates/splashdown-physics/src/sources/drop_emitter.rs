//! Drop emitters: single drops that appear one after the other, as rain does or as a printer's.
//!
//! Drop k appears k/rate after the start, at a random place of a box or at the next of a list of
//! places. Nothing is remembered: which drops a step makes follows from the times between which it
//! goes, and where they appear from their numbers, so that a resumed run makes the same drops.

use crate::math::{DVec3, Dimension, Pose};
use splashdown_geometry::random::Random;

/// A source of drops.
#[derive(Clone, Debug)]
pub struct DropEmitter {
    /// As in the scene.
    pub name: String,
    /// Index into `World::fluids`.
    pub fluid: usize,
    /// Particles of a drop about its centre, m.
    pub drop: Vec<DVec3>,
    /// Where drops appear.
    pub places: DropPlaces,
    /// m/s
    pub velocity: DVec3,
    /// Drops per second.
    pub rate: f64,
    /// The first appears here, s.
    pub start: f64,
    /// None appears from here on, s.
    pub end: f64,
}

/// Where drops appear.
#[derive(Clone, Debug)]
pub enum DropPlaces {
    /// At random in a box.
    Box {
        /// Where the box is.
        pose: Pose,
        /// Half of its edge lengths, m.
        half_size: DVec3,
        /// Another number, other places.
        seed: u32,
    },
    /// At these, each once.
    List(Vec<DVec3>),
}

impl DropEmitter {
    /// How many drops have appeared before the time `t`.
    pub fn drops_before(&self, t: f64) -> u64 {
        let count = ((t.min(self.end) - self.start) * self.rate).ceil().max(0.0) as u64;
        match &self.places {
            DropPlaces::Box { .. } => count,
            DropPlaces::List(places) => count.min(places.len() as u64),
        }
    }

    /// Where drop `k` appears.
    pub(crate) fn place(&self, k: u64) -> DVec3 {
        match &self.places {
            DropPlaces::List(places) => places[k as usize],
            DropPlaces::Box { pose, half_size, seed } => {
                // Far from each other in the sequence: no two drops or seeds share their numbers.
                let mut random = Random((u64::from(*seed) << 40).wrapping_add(k << 8));
                let mut side = || 2.0 * random.unit() - 1.0;
                pose.apply(*half_size * DVec3::new(side(), side(), side()))
            }
        }
    }
}

/// The lattice points of a ball (disc in 2D): of the round heaps about a point or the middle of a
/// cell of the lattice, the one whose volume is nearest to the ball's. At least one point.
pub fn drop(radius: f64, spacing: f64, dimension: Dimension) -> Vec<DVec3> {
    use std::f64::consts::PI;
    let r = radius / spacing;
    let wanted = match dimension {
        Dimension::Two => PI * r.powi(2),
        Dimension::Three => 4.0 / 3.0 * PI * r.powi(3),
    };
    let reach = r.ceil() as i32 + 2;
    let depth = if dimension == Dimension::Two { 0..=0 } else { -reach..=reach };
    let mut best = vec![DVec3::ZERO];
    for shift in [0.0, 0.5] {
        let shift = dimension.flatten(DVec3::splat(shift));
        let columns = (-reach..=reach).flat_map(|x| (-reach..=reach).map(move |y| (x, y)));
        let mut points: Vec<DVec3> = columns
            .flat_map(|(x, y)| depth.clone().map(move |z| DVec3::new(x.into(), y.into(), z.into())))
            .map(|p| p + shift)
            .filter(|p| p.length() <= r + 1.0)
            .collect();
        points.sort_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
        // A heap ends where the next point is farther out.
        let error = |count: usize| (count as f64 - wanted).abs();
        let is_round =
            |end: &usize| points[*end].length_squared() - points[*end - 1].length_squared() > 1e-9;
        let ends = (1..points.len()).filter(is_round);
        let nearest = ends.min_by(|a, b| error(*a).total_cmp(&error(*b)));
        if let Some(end) = nearest.filter(|end| error(*end) < error(best.len())) {
            points.truncate(end);
            best = points;
        }
    }
    best.iter_mut().for_each(|p| *p *= spacing);
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn emitter(places: DropPlaces) -> DropEmitter {
        DropEmitter {
            name: "rain".to_owned(),
            fluid: 0,
            drop: vec![DVec3::ZERO],
            places,
            velocity: DVec3::ZERO,
            rate: 10.0,
            start: 0.05,
            end: 1.0,
        }
    }

    #[test]
    fn every_drop_appears_once_whatever_the_steps_are() {
        let half_size = DVec3::ONE;
        let rain = emitter(DropPlaces::Box { pose: Pose::IDENTITY, half_size, seed: 1 });
        for steps in [7, 100, 1001] {
            let time = |k: u32| 2.0 * f64::from(k) / f64::from(steps);
            let made = |k: u32| rain.drops_before(time(k + 1)) - rain.drops_before(time(k));
            // At 0.05, 0.15 … 0.95 s.
            assert_eq!((0..steps).map(made).sum::<u64>(), 10);
        }
        assert_eq!([0.05, 0.0501, 0.16].map(|t| rain.drops_before(t)), [0, 1, 2]);
        let places: Vec<DVec3> = (0..10).map(|k| rain.place(k)).collect();
        assert!(places.iter().all(|p| p.abs().max_element() <= 1.0));
        let apart = |k: usize| places[..k].iter().all(|q| q.distance(places[k]) > 1e-3);
        assert!((0..10).all(apart), "{places:?}");
    }

    #[test]
    fn a_list_of_places_is_used_up() {
        let print = emitter(DropPlaces::List(vec![DVec3::X, DVec3::Y]));
        assert_eq!(print.drops_before(0.9), 2);
        assert_eq!(print.place(1), DVec3::Y);
    }

    #[test]
    fn drops_have_about_their_volume() {
        let volume = |r: f64, d| drop(r, 1.0, d).len() as f64;
        let pi = std::f64::consts::PI;
        for r in [2.0, 3.0, 4.5] {
            let space = volume(r, Dimension::Three) / (4.0 / 3.0 * pi * r.powi(3));
            let plane = volume(r, Dimension::Two) / (pi * r * r);
            assert!((space - 1.0).abs() < 0.1 && (plane - 1.0).abs() < 0.06, "{space} {plane}");
        }
        assert_eq!(drop(0.3, 1.0, Dimension::Three), [DVec3::ZERO]);
    }
}
