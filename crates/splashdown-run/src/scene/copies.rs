//! Rows, rings, piles and scattered heaps of one solid.

use super::convert::Converter;
use super::file::{Copies, Scatter};
use super::validate::join;
use crate::math::{DQuat, DVec3, Dimension, Pose};
use crate::random::Random;

/// More copies than this of one solid are refused.
pub const MAX_COPIES: usize = 100_000;

/// Which copy of each row every copy is, the row written first changing fastest. None if there are
/// too many.
fn indices(rows: &[Copies]) -> Option<Vec<Vec<u32>>> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for (level, row) in rows.iter().enumerate() {
        if all.len().checked_mul(row.count as usize)? > MAX_COPIES {
            return None;
        }
        let length = level.checked_sub(1).map_or(1, |before| u64::from(rows[before].count));
        let repeat = |k: u32| {
            let left_out = u64::from(k) * u64::from(row.fewer);
            all.iter()
                .filter(move |index| {
                    let place = index.last().map_or(0, |&place| u64::from(place));
                    place + left_out < length
                })
                .map(move |index| [index.as_slice(), &[k]].concat())
        };
        all = (0..row.count).flat_map(repeat).collect();
    }
    Some(all)
}

/// How many objects an entry of a scene makes, without making them.
pub(crate) fn count(rows: &[Copies]) -> u128 {
    // How many there are by their place in the last row; the next row looks at nothing else.
    let mut by_place: Vec<u128> = vec![1];
    for row in rows {
        let up_to: Vec<u128> = std::iter::once(0)
            .chain(by_place.iter().scan(0u128, |sum, n| {
                *sum = sum.saturating_add(*n);
                Some(*sum)
            }))
            .collect();
        let left = |k: u32| by_place.len().saturating_sub(k as usize * row.fewer as usize);
        by_place = (0..row.count).map(|k| up_to[left(k)]).collect();
    }
    by_place.into_iter().fold(0, u128::saturating_add)
}

/// The names of the objects that an entry of a scene makes.
pub fn names(name: &str, copies: &[Copies]) -> Vec<String> {
    if copies.is_empty() {
        return vec![name.to_owned()];
    }
    (1..=count(copies).min(MAX_COPIES as u128)).map(|k| format!("{name}-{k}")).collect()
}

impl Converter<'_, '_> {
    /// The poses of all copies of an object, the first of which is `first`.
    pub(super) fn copies(
        &mut self,
        key: &str,
        (copies, scatter): (&[Copies], Option<&Scatter>),
        first: &Pose,
    ) -> Vec<Pose> {
        let rows: Vec<Row> = copies
            .iter()
            .enumerate()
            .map(|(k, row)| self.row(&format!("{key}.copies[{k}]"), row))
            .collect();
        let Some(indices) = indices(copies) else {
            let help = format!("at most {MAX_COPIES} in all");
            self.report.key(&join(key, "copies"), "are too many", Some(help));
            return vec![*first];
        };
        let place = |index: &Vec<u32>| {
            index.iter().zip(&rows).fold(*first, |pose, (&k, row)| row.apply(&pose, f64::from(k)))
        };
        let mut poses: Vec<Pose> = indices.iter().map(place).collect();
        if !copies.is_empty() && !self.report.is_wrong(&join(key, "at")) {
            let place = join(key, "copies");
            poses.iter().for_each(|pose| self.within_reach(&place, pose.translation));
        }
        if let Some(scatter) = scatter {
            disorder(&mut poses, scatter, self.dimension);
        }
        poses
    }

    fn row(&mut self, key: &str, row: &Copies) -> Row {
        Row {
            step: self.vector(&join(key, "step"), &row.step),
            turn: self.rotation(&join(key, "turn"), &row.turn),
            about: row.about.as_ref().map(|about| self.vector(&join(key, "about"), about)),
        }
    }
}

/// From one copy to the next.
struct Row {
    step: DVec3,
    turn: DQuat,
    about: Option<DVec3>,
}

impl Row {
    fn apply(&self, pose: &Pose, times: f64) -> Pose {
        let turn = DQuat::from_scaled_axis(self.turn.to_scaled_axis() * times);
        let around = match self.about {
            Some(about) => about + turn * (pose.translation - about),
            None => pose.translation,
        };
        let rotation = (turn * pose.rotation).normalize();
        Pose { translation: around + self.step * times, rotation }
    }
}

fn disorder(poses: &mut [Pose], scatter: &Scatter, dimension: Dimension) {
    let mut random = Random(u64::from(scatter.seed));
    for pose in poses {
        let mut offset = || (2.0 * random.unit() - 1.0) * scatter.jitter;
        let offset = DVec3::new(offset(), offset(), offset());
        pose.translation += dimension.flatten(offset);
        if scatter.rotate {
            let turn = match dimension {
                Dimension::Two => DQuat::from_rotation_z(std::f64::consts::TAU * random.unit()),
                Dimension::Three => random.rotation(),
            };
            pose.rotation = (turn * pose.rotation).normalize();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(count: u32, fewer: u32) -> Copies {
        let zero = super::super::file::Vector::zero;
        Copies { count, step: zero(), turn: Default::default(), about: None, fewer }
    }

    #[test]
    fn rows_of_rows_make_grids_and_pyramids() {
        assert_eq!(indices(&[]).unwrap(), vec![Vec::<u32>::new()]);
        assert_eq!(indices(&[row(3, 0), row(2, 0)]).unwrap().len(), 6);
        let pyramid = indices(&[row(3, 0), row(3, 1)]).unwrap();
        let expected = [[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [0, 2]];
        assert_eq!(pyramid, expected.map(|index| index.to_vec()));
        assert!(indices(&[row(100_000, 0), row(100_000, 0)]).is_none());
    }

    #[test]
    fn copies_are_counted_without_being_made() {
        for rows in [vec![], vec![row(3, 1)], vec![row(4, 0), row(3, 1), row(2, 2)]] {
            assert_eq!(count(&rows), indices(&rows).unwrap().len() as u128);
        }
        let many = vec![row(100_000, 0); 8];
        assert_eq!(count(&many), u128::MAX);
        assert_eq!(count(&many[..3]), 1_000_000_000_000_000);
    }

    #[test]
    fn a_ring_closes_and_a_screw_rises() {
        let quarter = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
        let screw = Row { step: DVec3::Y, turn: quarter, about: Some(DVec3::ZERO) };
        let start = Pose { translation: DVec3::X, rotation: DQuat::IDENTITY };
        let end = screw.apply(&start, 4.0);
        assert!((end.translation - DVec3::new(1.0, 4.0, 0.0)).length() < 1e-12);
        assert!(end.rotation.angle_between(DQuat::IDENTITY) < 1e-6);
        let in_place = Row { step: DVec3::X, turn: quarter, about: None };
        assert_eq!(in_place.apply(&start, 2.0).translation, DVec3::X * 3.0);
    }

    #[test]
    fn disorder_is_the_same_every_time_and_stays_in_bounds() {
        let scatter = Scatter { jitter: 0.1, rotate: true, seed: 7 };
        let make = |scatter: &Scatter| {
            let mut poses = vec![Pose::IDENTITY; 500];
            disorder(&mut poses, scatter, Dimension::Three);
            poses
        };
        let poses = make(&scatter);
        assert_eq!(poses, make(&scatter));
        assert_ne!(poses, make(&Scatter { seed: 8, ..scatter.clone() }));
        assert!(poses.iter().all(|p| p.translation.abs().max_element() <= 0.1));
        let mean: DVec3 = poses.iter().map(|p| p.rotation * DVec3::X).sum::<DVec3>() / 500.0;
        assert!(mean.length() < 0.1, "{mean}: all directions alike");
        let mut flat = vec![Pose::IDENTITY; 5];
        disorder(&mut flat, &scatter, Dimension::Two);
        assert!(flat.iter().all(|p| p.translation.z == 0.0 && p.rotation.x == 0.0));
    }
}
