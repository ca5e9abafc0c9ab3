//! What cases about rigid bodies look at: drawn surfaces in each other, energy that comes from
//! nowhere.

use super::run::advance;
use crate::math::{Aabb, DVec3};
use crate::output::totals::Totals;
use crate::shapes::{MeshShape, Shape};
use crate::world::{Solid, SolveKind, World};

/// How often surfaces are compared, s.
const INTERVAL: f64 = 0.05;

/// Surfaces of all solids as they are drawn, to measure how deep they are in each other. The solver
/// knows nothing of them: it sees samples behind them.
struct Surfaces {
    /// Shape, and points on it; none for sheets, which have no inside.
    of: Vec<Option<(Shape, Vec<DVec3>)>>,
}

impl Surfaces {
    fn of(world: &World) -> Result<Surfaces, String> {
        let surface = |solid: &Solid| -> Result<_, String> {
            let mesh = MeshShape::new(solid.surface.clone()).map_err(|e| e.to_string())?;
            if !mesh.is_closed() {
                return Ok(None);
            }
            let shape = Shape::Mesh(mesh);
            let apart = if solid.body().is_some() { 0.5 } else { 1.0 } * world.spacing;
            let points = shape.sample_surface(apart, 0.0, world.dimension);
            let points = points.map_err(|e| e.to_string())?;
            Ok(Some((shape, points)))
        };
        Ok(Surfaces { of: world.solids.iter().map(surface).collect::<Result<_, String>>()? })
    }

    /// The largest distance of a point of one surface to another surface that it is inside of, in
    /// h.
    fn deepest(&self, world: &World) -> f64 {
        let places = |k: usize| -> Vec<DVec3> {
            let Some((_, points)) = &self.of[k] else { return Vec::new() };
            points.iter().map(|&p| world.solids[k].pose.apply(p)).collect()
        };
        let places: Vec<Vec<DVec3>> = (0..self.of.len()).map(places).collect();
        let boxes: Vec<Aabb> = places.iter().map(|p| Aabb::around(p.iter().copied())).collect();
        let mut deepest: f64 = 0.0;
        for (b, other) in self.of.iter().enumerate() {
            let Some((shape, _)) = other else { continue };
            let (pose, bounds) = (world.solids[b].pose, shape.bounds());
            let back = pose.rotation.inverse();
            for a in 0..self.of.len() {
                let solids = [a, b].map(|k| world.solids[k].body().is_some());
                let apart = boxes[a].min.cmpgt(boxes[b].max).any()
                    || boxes[b].min.cmpgt(boxes[a].max).any();
                if a == b || solids == [false; 2] || apart {
                    continue;
                }
                for &p in &places[a] {
                    let p = back * (p - pose.translation);
                    if bounds.contains(p) {
                        deepest = deepest.max(-shape.signed_distance(p, world.dimension));
                    }
                }
            }
        }
        deepest / world.spacing
    }
}

/// What was seen.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RunSummary {
    /// Deepest that drawn surfaces were in each other, h.
    pub deepest: f64,
    /// Largest rise of the energy over what it had been before, over what lifts all bodies by h.
    pub gained: f64,
    /// Largest speed of a body at the end, m/s.
    pub speed: f64,
    /// Iterations per step.
    pub iterations: f64,
}

/// Steps to `until` with open eyes; `look` sees every step.
pub(super) fn watch(
    world: &mut World,
    until: f64,
    mut look: impl FnMut(&World),
) -> Result<RunSummary, String> {
    let surfaces = Surfaces::of(world)?;
    let weight: f64 = bodies(world).map(|body| body.mass).sum::<f64>() * world.gravity.length();
    let energy = |world: &World| {
        let totals = Totals::of(world);
        totals.kinetic_energy + totals.potential_energy
    };
    let mut summary = RunSummary::default();
    let (mut least, mut next, mut iterations, mut steps) = (energy(world), 0.0, 0, 0);
    advance(world, until, |world, step| {
        let now = energy(world);
        least = least.min(now);
        summary.gained = summary.gained.max((now - least) / (weight * world.spacing));
        if world.clock.time >= next {
            summary.deepest = summary.deepest.max(surfaces.deepest(world));
            next += INTERVAL;
        }
        iterations += step.solve(SolveKind::Contact).iterations;
        steps += 1;
        look(world);
    })?;
    summary.deepest = summary.deepest.max(surfaces.deepest(world));
    summary.speed = fastest(world);
    summary.iterations = f64::from(iterations) / f64::from(steps.max(1));
    Ok(summary)
}

fn bodies(world: &World) -> impl Iterator<Item = &crate::body::RigidBody> {
    world.solids.iter().filter_map(|solid| solid.body())
}

/// Largest speed of a body, m/s.
pub(super) fn fastest(world: &World) -> f64 {
    bodies(world).map(|body| body.velocity.length()).fold(0.0, f64::max)
}

/// The solid of that name.
pub(super) fn named<'a>(world: &'a World, name: &str) -> Result<&'a Solid, String> {
    let found = world.solids.iter().find(|solid| solid.name == name);
    found.ok_or_else(|| format!("there is no solid {name}"))
}
