//! What all pictures of a run show, and where its ground is.
//!
//! Solids, the fluid at the start, and 99 % of the particles over all frames: the hundredth that is
//! farthest away from solids and start, a few drops in most runs, may leave the picture. What falls
//! below the lowest solid is under the ground, where nobody sees it.

use splashdown_geometry::math::{Aabb, DVec3};

use crate::error::RenderError;
use crate::run::{FrameData, Role, Run};

/// Particles that are looked at over all frames; of large runs, fewer frames are read.
const ENOUGH: usize = 2_000_000;
/// Vertices of a body, and particles, that are kept besides the outermost ones.
const SAMPLE: usize = 2000;

/// The same for all pictures of a run.
#[derive(Clone, Debug)]
pub struct Framing {
    /// Points that should be in the picture; never empty.
    pub outline: Vec<DVec3>,
    /// The box around them.
    pub bounds: Aabb,
    /// Height of the lowest solid against gravity, or of the lowest point where there are no
    /// solids, m.
    pub ground: f64,
}

/// Looks at the frames of a run.
pub fn of(run: &Run) -> Result<Framing, RenderError> {
    let mut gathered = Gathered::default();
    for index in shown(run)? {
        gathered.add(run, &run.load(index)?);
    }
    Ok(gathered.framing(run))
}

/// Frames to be read: the first, the last, and evenly spaced ones between.
fn shown(run: &Run) -> Result<Vec<u64>, RenderError> {
    let Some((&first, &last)) = run.frames.first().zip(run.frames.last()) else {
        return Ok(Vec::new());
    };
    let largest = run.load_points(first)?.len().max(run.load_points(last)?.len());
    let count = (ENOUGH / largest.max(1)).clamp(3, 64).min(run.frames.len());
    let at = |k: usize| run.frames[k * (run.frames.len() - 1) / (count - 1).max(1)];
    let mut shown: Vec<u64> = (0..count).map(at).collect();
    shown.dedup();
    Ok(shown)
}

#[derive(Default)]
struct Gathered {
    /// Of solids that are no wide floors.
    solids: Vec<DVec3>,
    /// The fluid of the first frame.
    start: Vec<DVec3>,
    /// Particles of all frames.
    particles: Vec<DVec3>,
    /// The lowest point of solids and level floors.
    lowest: Option<f64>,
    /// Whether there is a floor without a height of its own.
    slopes: bool,
}

impl Gathered {
    fn add(&mut self, run: &Run, frame: &FrameData) {
        let flat = |p: &DVec3| if run.is_2d { p.with_z(0.0) } else { *p };
        for body in &frame.bodies {
            let sound: Vec<DVec3> =
                body.vertices.iter().filter(|p| p.is_finite()).map(flat).collect();
            let heights = || sound.iter().map(|p| p.dot(run.up));
            let (lowest, highest) = (heights().reduce(f64::min), heights().reduce(f64::max));
            let is_level = |(low, high): (f64, f64)| high - low < 0.01 * run.spacing;
            if run.role(body.solid) != Role::Sheet {
                self.solids.extend(thinned(&sound));
            } else if !lowest.zip(highest).is_some_and(is_level) {
                self.slopes = true;
                continue;
            }
            self.lowest = self.lowest.into_iter().chain(lowest).reduce(f64::min);
        }
        let sound = frame.points.position.iter().filter(|p| p.is_finite()).map(flat);
        let before = self.particles.len();
        self.particles.extend(sound);
        if before == 0 {
            self.start = thinned(&self.particles);
        }
    }

    fn framing(mut self, run: &Run) -> Framing {
        let mut outline = self.solids;
        outline.append(&mut self.start);
        let core = Aabb::around(outline.iter().copied());
        // Down a slope, liquid may run as far as it likes.
        if let Some(ground) = self.lowest.filter(|_| !self.slopes) {
            let below = |p: &DVec3| (ground - p.dot(run.up)).max(0.0);
            self.particles.iter_mut().for_each(|p| *p += run.up * below(p));
        }
        outline.extend(thinned(&nearest(self.particles, core)));
        if outline.is_empty() {
            outline.extend([DVec3::ZERO, DVec3::ONE]);
        }
        let bounds = Aabb::around(outline.iter().copied());
        let bottom = outline.iter().map(|p| p.dot(run.up)).fold(f64::INFINITY, f64::min);
        let ground = match self.lowest {
            Some(lowest) if self.slopes => lowest.min(bottom),
            Some(lowest) => lowest,
            None => bottom,
        };
        Framing { outline, bounds, ground }
    }
}

/// All points but the hundredth that is farthest from `core`.
fn nearest(mut points: Vec<DVec3>, core: Aabb) -> Vec<DVec3> {
    let strays = points.len() / 100;
    let core = if core.min.cmple(core.max).all() { core } else { middle(&points) };
    let distance = |p: &DVec3| p.distance_squared(p.clamp(core.min, core.max));
    let kept = points.len() - strays;
    if strays > 0 {
        points.select_nth_unstable_by(kept, |a, b| distance(a).total_cmp(&distance(b)));
    }
    points.truncate(kept);
    points
}

/// The box of no size around the median.
fn middle(points: &[DVec3]) -> Aabb {
    let along = |axis: usize| {
        let mut values: Vec<f64> = points.iter().map(|p| p[axis]).collect();
        values.sort_unstable_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(0.0)
    };
    let p = DVec3::new(along(0), along(1), along(2));
    Aabb { min: p, max: p }
}

/// Some of many points, and those that are outermost in 26 directions.
fn thinned(points: &[DVec3]) -> Vec<DVec3> {
    if points.len() <= SAMPLE {
        return points.to_vec();
    }
    let mut some: Vec<DVec3> = points.iter().step_by(points.len() / SAMPLE + 1).copied().collect();
    for k in (0..27).filter(|&k| k != 13) {
        let direction =
            DVec3::new(f64::from(k % 3 - 1), f64::from(k / 3 % 3 - 1), f64::from(k / 9 - 1));
        some.extend(points.iter().max_by(|a, b| a.dot(direction).total_cmp(&b.dot(direction))));
    }
    some
}
