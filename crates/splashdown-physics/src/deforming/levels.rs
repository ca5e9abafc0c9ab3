//! How finely the surface of an elastic body is sampled: the more finely, the farther it is
//! stretched.
//!
//! Every piece of the surface (a triangle, or a segment of a rod) has a level k. Its samples rest
//! 0.8 h/2ᵏ apart, and where it is λ times as long as at rest along some direction they are
//!
//!   a = 0.8 h λ/2ᵏ   (SL1)
//!
//! apart. It is sampled more finely where a > 1.2 h: farther apart, the first layer of fluid feels
//! single samples (its density scatters by 2 % at 1.4 h and by 15 % at 2 h). Where a < 0.5 h it is
//! sampled more coarsely again, down to level 0: samples at rest that are pressed together cost
//! time alone. A piece that has just changed is far from changing back.
//!
//! Finer samples share what those of level 0 weigh, by their distances at rest,
//!
//!   D_c = Σ_b D_b w_bc/Σ_c′ w_bc′,   w_bc = (1 − r_bc/R)²,  R = 1.2 h   (SL2)
//!
//! so that a surface counts as much at every level; how much its area has grown multiplies all of
//! them alike (`Embedding::stretch`).

use std::sync::Arc;

use splashdown_geometry::point_grid::PointGrid;
use splashdown_solids::embedding::Embedding;
use splashdown_solids::solids::Solids;

use super::Deforming;
use crate::math::DVec3;
use crate::state::{Array, State};

/// Distance of samples at rest, in spacings.
pub const APART: f64 = 0.8;
/// Farther apart than this, in spacings, samples are too few, …
const FARTHEST: f64 = 1.2;
/// … and closer than this there are more than it takes.
const CLOSEST: f64 = 0.5;
/// The finest level: a surface ten times as long as at rest still has enough samples.
const FINEST: u8 = 3;
/// R of (SL2) over the distance of samples of level 0: twice as far as any place is from one.
const SHARED: f64 = 1.5;

/// Places finer samples on a body at rest.
#[derive(Clone)]
pub struct Sampler {
    /// Distance of the samples of level 0, m.
    apart: f64,
    place: Arc<Place>,
}

/// Places at most so far apart (m), or nothing where that cannot be done.
type Place = dyn Fn(f64) -> Option<Vec<DVec3>> + Send + Sync;

/// Levels of the pieces of one body.
#[derive(Clone, Debug)]
pub(super) struct Levels {
    sampler: Option<Sampler>,
    /// State: of each piece; nothing while all are at level 0.
    of_piece: Vec<u8>,
    /// State: β and how much more than that counts, of the samples of level 0, while some of them
    /// are not there.
    rest: Vec<[f32; 2]>,
    /// How many points are of level 0.
    lowest: usize,
    /// The finer levels that have been needed so far: where their points begin, and their weights
    /// as in `rest`.
    finer: Vec<(usize, Vec<[f32; 2]>)>,
    /// No level above this can be sampled.
    finest: u8,
}

/// A sample that a body has from now on.
pub(crate) struct NewSample {
    /// Where it rests.
    pub local: DVec3,
    /// β, and how much more than that it counts.
    pub weight: [f32; 2],
}

/// How the samples of a body change.
pub(crate) struct Resampled {
    /// Which of them stay, in their order.
    pub keep: Vec<bool>,
    /// Who comes after these.
    pub new: Vec<NewSample>,
}

impl Sampler {
    /// Of a body whose samples of level 0 are `apart` from each other (m).
    pub fn new(
        apart: f64,
        place: impl Fn(f64) -> Option<Vec<DVec3>> + Send + Sync + 'static,
    ) -> Sampler {
        Sampler { apart, place: Arc::new(place) }
    }

    fn of_level(&self, level: usize) -> Option<Vec<DVec3>> {
        (self.place)(self.apart / f64::from(1 << level))
    }
}

impl std::fmt::Debug for Sampler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sampler").field("apart", &self.apart).finish_non_exhaustive()
    }
}

impl Levels {
    /// All pieces at level 0, with that many points, for good.
    pub(super) fn new(lowest: usize) -> Levels {
        let (of_piece, rest, finer) = Default::default();
        Levels { sampler: None, of_piece, rest, lowest, finer, finest: FINEST }
    }

    pub(super) fn refined_by(self, sampler: Sampler) -> Levels {
        Levels { sampler: Some(sampler), ..self }
    }

    /// The level that a point belongs to.
    fn of_point(&self, point: usize) -> u8 {
        self.finer.partition_point(|(first, _)| *first <= point) as u8
    }

    fn weight(&self, point: usize) -> [f32; 2] {
        match self.of_point(point) {
            0 => self.rest[point],
            level => {
                let (first, weights) = &self.finer[usize::from(level) - 1];
                weights[point - first]
            }
        }
    }
}

/// The level at which a piece that is stretched `stretch` times should be, if it is at `level` and
/// can be at `finest`.
fn wanted(stretch: f64, mut level: u8, finest: u8) -> u8 {
    let apart = |level: u8| APART * stretch / f64::from(1 << level);
    while level < finest && apart(level) > FARTHEST {
        level += 1;
    }
    while level > 0 && apart(level) < CLOSEST {
        level -= 1;
    }
    level
}

impl Deforming {
    /// Samples the surface as its stretch asks for; nothing if that is how it is sampled already.
    /// `weight` has β of each sample, and how much more than that it counts.
    pub(crate) fn resample(
        &mut self,
        solids: &Solids,
        weight: impl Fn(usize) -> [f32; 2],
    ) -> Option<Resampled> {
        self.levels.sampler.as_ref()?;
        let before = self.levels_of_pieces();
        let mut after: Vec<u8> = before.clone();
        for (piece, level) in after.iter_mut().enumerate() {
            let stretch = self.embedding.longest_stretch(piece, &solids.position);
            *level = wanted(stretch, *level, self.levels.finest);
        }
        if before == after {
            return None;
        }
        if self.levels.of_piece.is_empty() {
            self.levels.rest = vec![[0.0; 2]; self.levels.lowest];
            let own = self.points.iter().enumerate();
            own.for_each(|(k, &point)| self.levels.rest[point as usize] = weight(k));
        }
        let finest = self.grow(after.iter().copied().max().unwrap_or(0), solids);
        after.iter_mut().for_each(|level| *level = (*level).min(finest));
        let change = self.change(&before, &after, solids);
        let is_lowest = after.iter().all(|&level| level == 0);
        self.levels.of_piece = if is_lowest { Vec::new() } else { after };
        change
    }

    /// Shows the samples that belong to the levels `after` instead of `before`.
    fn change(&mut self, before: &[u8], after: &[u8], solids: &Solids) -> Option<Resampled> {
        if before == after {
            return None;
        }
        let keep: Vec<bool> =
            self.points.iter().map(|&point| self.is_shown(point as usize, after)).collect();
        let come = |point: &u32| {
            let point = *point as usize;
            self.is_shown(point, after) && !self.is_shown(point, before)
        };
        let come: Vec<u32> = (0..self.embedding.len() as u32).filter(come).collect();
        let new = |&point: &u32| NewSample {
            local: self.embedding.gather(point as usize, &solids.rest),
            weight: self.levels.weight(point as usize),
        };
        let new = come.iter().map(new).collect();
        let mut stays = keep.iter();
        self.points.retain(|_| *stays.next().unwrap_or(&true));
        self.points.extend(come);
        Some(Resampled { keep, new })
    }

    /// Whether a point is a sample while pieces are at those levels.
    fn is_shown(&self, point: usize, levels: &[u8]) -> bool {
        let level = self.embedding.piece_of(point).map_or(0, |piece| levels[piece]);
        self.levels.of_point(point) == level
    }

    fn levels_of_pieces(&self) -> Vec<u8> {
        match &self.levels.of_piece[..] {
            [] => vec![0; self.embedding.piece_count()],
            levels => levels.to_vec(),
        }
    }

    /// Makes the points of all levels up to `finest`, as far as that can be done; returns how far.
    fn grow(&mut self, finest: u8, solids: &Solids) -> u8 {
        let Some(sampler) = self.levels.sampler.clone() else { return 0 };
        let place = |embedding: &Embedding, points: std::ops::Range<usize>| -> Vec<DVec3> {
            points.map(|point| embedding.gather(point, &solids.rest)).collect()
        };
        while self.levels.finer.len() < usize::from(finest) {
            let level = self.levels.finer.len() + 1;
            let Some(places) = sampler.of_level(level).filter(|places| !places.is_empty()) else {
                self.levels.finest = level as u8 - 1;
                break;
            };
            let first = self.embedding.len();
            let finer = Embedding::new(solids, self.body, &places);
            Arc::make_mut(&mut self.embedding).extend(&finer);
            let coarse = place(&self.embedding, 0..self.levels.lowest);
            let fine = place(&self.embedding, first..self.embedding.len());
            let weights = shared((&coarse, &self.levels.rest), &fine, SHARED * sampler.apart);
            self.levels.finer.push((first, weights));
        }
        finest.min(self.levels.finer.len() as u8)
    }
}

/// (SL2) of β and of what counts; returns β and the ratio of the two.
fn shared((coarse, rest): (&[DVec3], &[[f32; 2]]), fine: &[DVec3], reach: f64) -> Vec<[f32; 2]> {
    let grid = PointGrid::of(fine, reach);
    let mut sums = vec![[0.0; 2]; fine.len()];
    for (&at, &[weight, factor]) in coarse.iter().zip(rest) {
        let weight = f64::from(weight);
        let mut near = Vec::new();
        grid.all_near(at, |c, squared| {
            near.push((c, (1.0 - squared.sqrt() / reach).max(0.0).powi(2)));
            true
        });
        let all: f64 = near.iter().map(|(_, w)| w).sum();
        for (c, w) in near.into_iter().filter(|_| all > 0.0) {
            sums[c][0] += weight * w / all;
            sums[c][1] += weight * f64::from(factor) * w / all;
        }
    }
    // Weights of zero would be measured anew.
    let split = |[weight, counts]: [f64; 2]| {
        let factor = if weight > 0.0 { counts / weight } else { 0.0 };
        [(weight as f32).max(f32::MIN_POSITIVE), factor as f32]
    };
    sums.into_iter().map(split).collect()
}

/// Which samples there are, and in which order, is state.
impl Deforming {
    pub(crate) fn save(&self, key: &str, state: &mut State) {
        let Deforming { body: _, embedding: _, points, levels } = self;
        let Levels { sampler: _, of_piece, rest, lowest: _, finer: _, finest: _ } = levels;
        state.put(&format!("{key}.points"), Array::U32(points.clone()));
        if !of_piece.is_empty() {
            let levels = of_piece.iter().map(|&level| u32::from(level)).collect();
            state.put(&format!("{key}.levels"), Array::U32(levels));
            state.put(&format!("{key}.at_rest"), Array::F32(rest.as_flattened().to_vec()));
        }
    }

    /// Takes what `save` put; `complete` is still to come.
    pub(crate) fn load(&mut self, key: &str, state: &State) -> Result<(), String> {
        let levels = &mut self.levels;
        self.points = state.integers(&format!("{key}.points"))?.clone();
        (levels.of_piece, levels.rest) = Default::default();
        let name = format!("{key}.levels");
        if !state.arrays.contains_key(&name) {
            return Ok(());
        }
        let stored = state.integers(&name)?;
        let pieces = self.embedding.piece_count();
        let is_level = |level: &u32| *level <= u32::from(FINEST);
        if levels.sampler.is_none() || stored.len() != pieces || !stored.iter().all(is_level) {
            return Err(format!(
                "{name} are not levels up to {FINEST} of the {pieces} triangles of the scene"
            ));
        }
        levels.of_piece = stored.iter().map(|&level| level as u8).collect();
        let name = format!("{key}.at_rest");
        let (rest, others) = state.singles(&name)?.as_chunks::<2>();
        let is_weight = |[weight, factor]: &[f32; 2]| *weight > 0.0 && *factor >= 0.0;
        if rest.len() != levels.lowest || !others.is_empty() || !rest.iter().all(is_weight) {
            return Err(format!("{name} are not the weights of the scene's samples"));
        }
        levels.rest = rest.to_vec();
        Ok(())
    }

    /// Makes the samples that `load` found, which have to be `count`, on bodies at rest.
    pub(crate) fn complete(&mut self, solids: &Solids, count: usize) -> Result<(), String> {
        // Their weights may have been others.
        Arc::make_mut(&mut self.embedding).truncate(self.levels.lowest);
        self.levels.finer.clear();
        let levels = self.levels_of_pieces();
        let finest = levels.iter().copied().max().unwrap_or(0);
        let mut sorted = self.points.clone();
        sorted.sort_unstable();
        let is_whole = self.grow(finest, solids) == finest && sorted.len() == count;
        let all = 0..self.embedding.len() as u32;
        if is_whole && all.filter(|&p| self.is_shown(p as usize, &levels)).eq(sorted) {
            return Ok(());
        }
        Err("points are not the samples of the scene at the levels of its triangles".to_owned())
    }
}

#[cfg(test)]
mod tests;
