//! Nothing leaks: water in a bag that is shaken and squeezed, and a jet on a thin sheet. Every step
//! is checked for particles that passed a surface (`elastic_solver.verify`); in the end they are
//! counted.

use splashdown_solids::verify::is_inside;

use super::super::run::advance;
use super::super::{Case, Cost, Report};
use super::{SOLVERS, world};
use crate::math::DVec3;
use crate::world::World;

pub(crate) const BAG: Case = Case {
    name: "thin-shell-tank",
    summary: "a bag of cloth of 2 mm full of water, shaken and squeezed for 10 s: what leaks",
    source: "the guarantee of the barrier",
    by_name: false,
    cost: Cost::Minutes,
    run: bag,
};

pub(crate) const JET: Case = Case {
    name: "jet-on-shell",
    summary: "a jet of 20 m/s on a sheet of 1 mm: what gets through",
    source: "the guarantee of the barrier",
    by_name: false,
    cost: Cost::Minutes,
    run: jet,
};

pub(crate) const BAG_SCENE: &str = include_str!("../../../validation/wet-bag.toml");
pub(crate) const JET_SCENE: &str = include_str!("../../../validation/wet-jet.toml");

/// Half an edge of the sheet, m.
const HALF: f64 = 0.2;

fn bag(report: &mut Report) -> Result<(), String> {
    for solver in SOLVERS {
        let mut world = verified(BAG_SCENE, solver)?;
        let (mut gap, mut widest) = (f64::INFINITY, 0.0f64);
        advance(&mut world, 10.0, |world, step| {
            gap = if step.guests.gap > 0.0 { gap.min(step.guests.gap) } else { gap };
            widest = widest.max(extent(world));
        })?;
        let out = fluid(&world).iter().filter(|p| !is_in_bag(&world, **p)).count();
        let metric = format!("{solver}: particles outside of the bag, of {}", world.fluid_count());
        report.at_most(metric, out as f64, 0.0);
        report.note(format!("{solver}: smallest gap, in d"), gap, 0.5);
        report.note(format!("{solver}: its greatest length over that at rest"), widest / 0.12, 1.0);
    }
    Ok(())
}

fn jet(report: &mut Report) -> Result<(), String> {
    for solver in SOLVERS {
        let mut world = verified(JET_SCENE, solver)?;
        let (mut gap, mut deepest, mut most) = (f64::INFINITY, 0.0f64, 0);
        advance(&mut world, 0.1, |world, step| {
            gap = if step.guests.gap > 0.0 { gap.min(step.guests.gap) } else { gap };
            let places = world.elastic.solids.position.iter();
            deepest = places.map(|x| -x.y).fold(deepest, f64::max);
            most = most.max(behind(world));
        })?;
        let metric = format!("{solver}: particles behind the sheet, of {}", world.fluid_count());
        report.at_most(metric, most as f64, 0.0);
        report.note(format!("{solver}: smallest gap, in d"), gap, 0.5);
        report.note(format!("{solver}: how deep the sheet was pushed, m"), deepest, 0.0);
    }
    Ok(())
}

/// The scene with every step looked at.
fn verified(text: &str, solver: &str) -> Result<World, String> {
    let solver = format!("pressure.solver={solver}");
    world(text, &[&solver, "elastic_solver.verify=true"])
}

fn fluid(world: &World) -> &[DVec3] {
    &world.particles.position[..world.fluid_count()]
}

fn corners(world: &World) -> impl Iterator<Item = [DVec3; 3]> + '_ {
    let solids = &world.elastic.solids;
    let triangles = &solids.surface.triangles[solids.bodies[0].triangles.clone()];
    triangles.iter().map(|(t, _)| t.map(|v| solids.position[v as usize]))
}

fn is_in_bag(world: &World, p: DVec3) -> bool {
    is_inside(corners(world), p)
}

/// The greatest edge of the box around the bag, m.
fn extent(world: &World) -> f64 {
    let body = world.elastic.solids.bodies[0].vertices.clone();
    let places = world.elastic.solids.position[body].iter();
    let (low, high) = places
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
    (high - low).max_element()
}

/// Particles below the sheet: below one of its triangles, seen from above.
fn behind(world: &World) -> usize {
    let triangles: Vec<[DVec3; 3]> = corners(world).collect();
    let inside = |p: &&DVec3| p.x.abs() < HALF && p.z.abs() < HALF && p.y < 0.0;
    let below = |p: &&DVec3| triangles.iter().any(|t| is_below(**p, t));
    fluid(world).iter().filter(inside).filter(below).count()
}

/// Whether a point is straight below a triangle.
fn is_below(p: DVec3, [a, b, c]: &[DVec3; 3]) -> bool {
    let turn = |a: DVec3, b: DVec3, c: DVec3| (b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x);
    let whole = turn(*a, *b, *c);
    let [u, v, w] = [turn(p, *b, *c), turn(*a, p, *c), turn(*a, *b, p)].map(|part| part / whole);
    u >= 0.0 && v >= 0.0 && w >= 0.0 && u * a.y + v * b.y + w * c.y > p.y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_straight_below_a_triangle_is_behind_it() {
        let triangle = [DVec3::ZERO, DVec3::X, DVec3::Z];
        assert!(is_below(DVec3::new(0.2, -0.1, 0.2), &triangle));
        assert!(!is_below(DVec3::new(0.2, 0.1, 0.2), &triangle));
        assert!(!is_below(DVec3::new(0.8, -0.1, 0.8), &triangle));
    }
}
