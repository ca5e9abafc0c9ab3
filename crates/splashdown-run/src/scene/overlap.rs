//! Bodies that start too close to each other or to walls: found, named, and moved apart or refused.
//!
//! Contact between bodies acts between their samples. Samples of two bodies closer than contact are
//! pushed apart by the first step, all at once, and the bodies fly off. So every pair is looked at
//! before the first step, by its samples and the other's distance field.

use rayon::prelude::*;

use super::convert::Converter;
use super::file::{FluidSide, Overlap};
use super::solids::SampledSolid;
use crate::body::RigidBody;
use crate::math::{Aabb, DVec3, Dimension};

/// Layers of samples of two bodies in contact are this many spacings apart (`rigid::contact`): with
/// samples half a spacing behind the surfaces, these just touch.
const CONTACT: f64 = 1.0;
/// What is less than this many spacings is no overlap: samples of curved surfaces lie that
/// unevenly.
const TOLERANCE: f64 = 0.05;
/// What may be left of an overlap after moving, in spacings.
const LEFT: f64 = 0.1;
/// How often all pairs are moved apart before it is given up.
const SWEEPS: usize = 200;
/// A body is held along a way if less than this share of its mobility is left.
const HELD: f64 = 1e-2;
/// More notes than this are counted, not listed.
pub(super) const MAX_NOTES: usize = 10;

/// Of more pairs than this that may touch, none is looked at.
const MAX_PAIRS: usize = 1_000_000;

/// Two solids, by index, that are too close.
#[derive(Clone, Copy)]
struct Touch {
    pair: [usize; 2],
    /// How much closer than contact, m.
    depth: f64,
    /// The way out for the first of the pair, of length one.
    way: DVec3,
    /// Where they are deepest in each other.
    place: DVec3,
}

/// Finds bodies that overlap, and moves them apart or reports them.
pub(crate) fn resolve_overlaps(
    convert: &mut Converter<'_, '_>,
    option: Overlap,
    solids: &mut [SampledSolid],
    notes: &mut Vec<String>,
) {
    let (spacing, dimension) = (convert.spacing, convert.dimension);
    if let Some(crowded) = crowd(solids, spacing) {
        let key = format!("solid[{}]", solids[crowded].obstacle.entry);
        let message = format!("more than {MAX_PAIRS} pairs of bodies are in one another's place");
        let help = "move copies apart: give `copies` a step".to_string();
        convert.report.key(&key, message, Some(help));
        return;
    }
    let mut found = touches(solids, spacing, dimension);
    if found.is_empty() {
        return;
    }
    if option == Overlap::Refuse {
        report(convert, solids, &found, "move them apart, or set coupling.overlap = \"separate\"");
        return;
    }
    let mut left = found.clone();
    for _ in 0..SWEEPS {
        left.iter().for_each(|touch| separate(solids, touch));
        left = touches(solids, spacing, dimension);
        if left.iter().all(|touch| touch.depth < LEFT * spacing) {
            break;
        }
    }
    left.retain(|touch| touch.depth >= LEFT * spacing);
    if !left.is_empty() {
        let help = match left.iter().any(|touch| !is_held(solids, touch)) {
            true => "they could not be moved apart",
            false => "they could not be moved apart: locks hold them; leave a gap between them",
        };
        report(convert, solids, &left, help);
        return;
    }
    found.retain(|touch| !is_held(solids, touch)); // these touch, and that is said elsewhere
    let deepest = found.iter().map(|touch| touch.depth).fold(0.0, f64::max);
    for touch in found.iter().take(MAX_NOTES) {
        let [a, b] = touch.pair.map(|k| &solids[k].solid.name);
        notes.push(format!("`{a}` and `{b}` overlapped by {:.3e} m: moved apart", touch.depth));
    }
    if found.len() > MAX_NOTES {
        let more = found.len() - MAX_NOTES;
        notes.push(format!("{more} more pairs overlapped, by at most {deepest:.3e} m"));
    }
}

fn report(convert: &mut Converter<'_, '_>, solids: &[SampledSolid], touches: &[Touch], help: &str) {
    for touch in touches {
        let [a, b] = touch.pair.map(|k| &solids[k]);
        // The place in the file is that of the one that can move.
        let [moving, other] = if a.solid.body().is_some() { [a, b] } else { [b, a] };
        let key = format!("solid[{}]", moving.obstacle.entry);
        let (name, other) = (&moving.solid.name, &other.solid.name);
        let Touch { depth, place, .. } = touch;
        let message = format!("`{name}` overlaps `{other}` by {depth:.3e} m at {place:.3}");
        // Copies share their place in the file; every pair is reported nevertheless.
        let (origin, _) = convert.report.source.root.locate(&key);
        convert.report.at(&origin, &key, message, Some(help.to_string()));
    }
}

/// A solid among so many in one place that looking at all pairs would take for ever.
fn crowd(solids: &[SampledSolid], spacing: f64) -> Option<usize> {
    let near = |s: &SampledSolid| {
        let bounds = s.obstacle.shape.bounds();
        let reach = 0.5 * bounds.size().length() + s.obstacle.inset + spacing;
        (s.obstacle.pose.apply(0.5 * (bounds.min + bounds.max)), reach)
    };
    let balls: Vec<(DVec3, f64)> = solids.iter().map(near).collect();
    let start = |k: &usize| balls[*k].0.x - balls[*k].1;
    let mut order: Vec<usize> = (0..solids.len()).collect();
    order.sort_by(|a, b| start(a).total_cmp(&start(b)).then(a.cmp(b)));
    let mut pairs = 0;
    for (k, &a) in order.iter().enumerate().filter(|(_, a)| solids[**a].solid.body().is_some()) {
        let (centre, reach) = balls[a];
        let meets = |b: &&usize| centre.distance(balls[**b].0) < reach + balls[**b].1;
        let after = order[k + 1..].iter().take_while(|b| start(b) <= centre.x + reach);
        pairs += after.filter(meets).count();
        if pairs > MAX_PAIRS {
            return Some(a);
        }
    }
    None
}

/// All pairs that are too close and of which at least one can move.
fn touches(solids: &[SampledSolid], spacing: f64, dimension: Dimension) -> Vec<Touch> {
    let reach = CONTACT * spacing;
    let places: Vec<Vec<DVec3>> = solids
        .par_iter()
        .map(|s| s.solid.local.iter().map(|p| dimension.flatten(s.solid.pose.apply(*p))).collect())
        .collect();
    let bounds: Vec<Aabb> = places
        .iter()
        .map(|points| Aabb::around(points.iter().copied()).grown(reach / 2.0))
        .collect();
    let mut pairs = Vec::new();
    // Along x, a solid meets only those that begin before it ends.
    let mut order: Vec<usize> = (0..solids.len()).collect();
    order.sort_by(|&a, &b| bounds[a].min.x.total_cmp(&bounds[b].min.x).then(a.cmp(&b)));
    for (k, &a) in order.iter().enumerate() {
        for &b in order[k + 1..].iter().take_while(|&&b| bounds[b].min.x <= bounds[a].max.x) {
            let apart = bounds[a].min.cmpgt(bounds[b].max) | bounds[b].min.cmpgt(bounds[a].max);
            let can_move = solids[a].solid.body().is_some() || solids[b].solid.body().is_some();
            if can_move && !apart.any() {
                pairs.push([a.min(b), a.max(b)]);
            }
        }
    }
    pairs.sort_unstable();
    let look = |&pair: &[usize; 2]| {
        let deepest = |[a, b]: [usize; 2]| {
            let near = bounds[b].grown(reach);
            let gap = |p: DVec3| gap(&solids[b], p, dimension);
            let inside = places[a].iter().filter(|p| near.contains(**p));
            let (least, at) = inside.map(|&p| (gap(p), p)).min_by(|x, y| x.0.total_cmp(&y.0))?;
            (least < reach - TOLERANCE * spacing)
                .then(|| (reach - least, slope(gap, at, 0.05 * spacing, dimension), at))
        };
        // Samples of the first in the second, and the other way round.
        let forth = deepest(pair);
        let back = deepest([pair[1], pair[0]]).map(|(depth, way, at)| (depth, -way, at));
        let (depth, way, place) = match (forth, back) {
            (Some(f), Some(b)) => {
                if f.0 >= b.0 {
                    f
                } else {
                    b
                }
            }
            (one, other) => one.or(other)?,
        };
        Some(Touch { pair, depth, way, place })
    };
    pairs.par_iter().filter_map(look).collect()
}

/// Distance from `p` to the layer of samples of a solid; negative inside.
fn gap(solid: &SampledSolid, p: DVec3, dimension: Dimension) -> f64 {
    let obstacle = &solid.obstacle;
    let local = obstacle.pose.inverse_apply(p);
    let distance = obstacle.shape.signed_distance(local, dimension);
    match obstacle.side {
        FluidSide::Outside => distance + obstacle.inset,
        FluidSide::Both => distance.abs() + obstacle.inset,
        FluidSide::Inside => (distance - obstacle.inset).abs(),
    }
}

/// The direction in which `f` grows fastest.
fn slope(f: impl Fn(DVec3) -> f64, at: DVec3, step: f64, dimension: Dimension) -> DVec3 {
    let along = |axis: DVec3| f(at + axis * step) - f(at - axis * step);
    let slope = dimension.flatten(DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z)));
    slope.normalize_or(DVec3::Y)
}

/// One along the axes that a body moves along, zero along those that it does not.
fn free(body: &RigidBody) -> DVec3 {
    DVec3::from_array(body.locks.translation.map(|held| if held { 0.0 } else { 1.0 }))
}

/// Whether neither of the two can go its way out.
fn is_held(solids: &[SampledSolid], touch: &Touch) -> bool {
    let bodies = touch.pair.iter().filter_map(|&k| solids[k].solid.body());
    bodies.map(|body| free(body).dot(touch.way * touch.way)).all(|share| share < HELD)
}

/// Moves the two along their way out, the lighter one farther.
fn separate(solids: &mut [SampledSolid], touch: &Touch) {
    if is_held(solids, touch) {
        return;
    }
    let mobility = touch.pair.map(|k| {
        let body = solids[k].solid.body();
        body.map_or(DVec3::ZERO, |body| free(body) / body.mass)
    });
    let total = (mobility[0] + mobility[1]).dot(touch.way * touch.way);
    for (k, sign) in [(0, 1.0), (1, -1.0)] {
        let shift = touch.way * mobility[k] * (sign * touch.depth / total);
        let SampledSolid { solid, obstacle } = &mut solids[touch.pair[k]];
        for pose in [&mut solid.pose, &mut solid.placement, &mut obstacle.pose] {
            pose.translation += shift;
        }
    }
}
