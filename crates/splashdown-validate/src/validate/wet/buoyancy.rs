//! How deep soft and hollow bodies float, and what carries a heavy one.

use super::super::run::advance;
use super::super::{Case, Cost, Report};
use super::{G, SOLVERS, WATER, samples, water, world};
use crate::math::DVec3;
use crate::world::{Loads, World};

pub(crate) const CUBES: Case = Case {
    name: "elastic-buoyancy",
    summary: "how deep soft cubes float, and what carries a heavy one",
    source: "Archimedes: ρ g V",
    by_name: false,
    cost: Cost::Minutes,
    run: cubes,
};

pub(crate) const CUBES_FINE: Case = Case {
    name: "elastic-buoyancy-fine",
    summary: "how deep soft cubes of 16 spacings float",
    by_name: true,
    cost: Cost::Hours,
    run: fine_cubes,
    ..CUBES
};

pub(crate) const SHELLS: Case = Case {
    name: "shell-buoyancy",
    summary: "how deep a hollow ball floats, and a balloon",
    source: "Archimedes: ρ g V",
    by_name: false,
    cost: Cost::Minutes,
    run: shells,
};

pub(crate) const CUBE: &str = include_str!("../../../validation/wet-cube.toml");
pub(crate) const HANGING: &str = include_str!("../../../validation/wet-hanging.toml");
pub(crate) const BALL: &str = include_str!("../../../validation/wet-ball.toml");
pub(crate) const BALLOON: &str = include_str!("../../../validation/wet-balloon.toml");

/// Why a body below the surface is lifted too much.
const LIFTED: &str = "water that begins as an even lattice lifts too much, a rigid cube in its \
                      place by 9 per cent (`archimedes` stirs its water)";

/// Time to fall into the water, from then on to come to rest, and to the end of the mean, s.
const FALL: f64 = 0.5;
const SETTLE: f64 = 1.0;
const END: f64 = 2.0;

fn cubes(report: &mut Report) -> Result<(), String> {
    for solver in SOLVERS {
        float_cubes(report, solver, (12.0, 0.05))?;
        hang(report, solver)?;
    }
    Ok(())
}

fn fine_cubes(report: &mut Report) -> Result<(), String> {
    SOLVERS.iter().try_for_each(|solver| float_cubes(report, solver, (16.0, 0.03)))
}

/// Of a light and of a heavy cube so many spacings wide.
fn float_cubes(
    report: &mut Report,
    solver: &str,
    (wide, within): (f64, f64),
) -> Result<(), String> {
    let solver_change = format!("pressure.solver={solver}");
    let spacing = format!("simulation.spacing={}", 0.24 / wide);
    for (density, height) in [(200.0, 0.432), (700.0, 0.312)] {
        let density_change = format!("elastic.body.density={density}");
        let place = format!("elastic.body.at=[0.24, {height}, 0.24]");
        let changes = [&solver_change, &spacing, &density_change, &place];
        let mut world = world(CUBE, &changes.map(String::as_str))?;
        float(report, &format!("{solver}, cube of {density} kg/m³"), &mut world, within)?;
    }
    Ok(())
}

fn shells(report: &mut Report) -> Result<(), String> {
    for solver in SOLVERS {
        let solver_change = format!("pressure.solver={solver}");
        let mut ball = world(BALL, &[&solver_change])?;
        advance(&mut ball, FALL, |_, _| ())?;
        float(report, &format!("{solver}, ball"), &mut ball, 0.07)?;
        let mut balloon = world(BALLOON, &[&solver_change])?;
        let before = volume(&balloon, f64::INFINITY);
        advance(&mut balloon, FALL, |_, _| ())?;
        float(report, &format!("{solver}, blown up"), &mut balloon, 0.07)?;
        let radius = (volume(&balloon, f64::INFINITY) / before).cbrt();
        report.note(format!("{solver}, blown up: radius over that at rest"), radius, 1.5);
    }
    Ok(())
}

/// The share of a body that is in the water, over its density over that of water.
fn float(report: &mut Report, name: &str, world: &mut World, within: f64) -> Result<(), String> {
    let start = world.clock.time;
    advance(world, start + SETTLE, |_, _| ())?;
    let mass = world.elastic.solids.centre(0).0;
    let (mut filled, mut counted, mut time) = (0.0, 0.0, 0.0);
    let mut loads = Loads::default();
    advance(world, start + END, |world, step| {
        filled += step.dt * WATER * volume(world, filled_level(world)) / mass;
        counted += step.dt * WATER * volume(world, level(world)) / mass;
        time += step.dt;
        loads.add(&step.loads);
    })?;
    let metric = format!("{name}: immersed share over density ratio");
    report.close(metric, filled / time, 1.0, within);
    report.note(format!("{name}: the same, level counted"), counted / time, 1.0);
    let carried = water_force(world, &loads)? / (mass * G);
    report.note(format!("{name}: force of the water over weight"), carried, 1.0);
    Ok(())
}

/// What a vertex carries by which a heavy body hangs in the water. On the floor it would stand on
/// the water below it, which does not find its way out.
fn hang(report: &mut Report, solver: &str) -> Result<(), String> {
    let solver_change = format!("pressure.solver={solver}");
    let density = 1200.0;
    let mut world = world(HANGING, &[&solver_change])?;
    advance(&mut world, SETTLE, |_, _| ())?;
    let mut loads = Loads::default();
    advance(&mut world, END, |_, step| loads.add(&step.loads))?;
    let displaced = world.elastic.solids.centre(0).0 * G / density;
    let lifted = water_force(&world, &loads)? / (WATER * displaced);
    let carried = (density - WATER * lifted) / (density - WATER);
    let name = format!("{solver}, cube of 1200 kg/m³");
    let metric = format!("{name}: what holds it over (ρₛ − ρ) g V");
    report.known(LIFTED).close(metric, carried, 1.0, 0.03);
    let metric = format!("{name}: force of the water over ρ g V");
    report.known(LIFTED).close(metric, lifted, 1.0, 0.03);
    Ok(())
}

/// What water lifts the body with, by pressure and by the barrier, N.
fn water_force(world: &World, loads: &Loads) -> Result<f64, String> {
    Ok(loads.mean(samples(world)?).pressure.y + loads.mean_barrier(0).y)
}

/// Volume of the elastic body below a level, m³: by the divergence theorem over its wet surface.
fn volume(world: &World, level: f64) -> f64 {
    let solids = &world.elastic.solids;
    // Any height will do if all of it counts.
    let zero = if level.is_finite() { level } else { 0.0 };
    let triangles = &solids.surface.triangles[solids.bodies[0].triangles.clone()];
    let of_triangle = |corners: &[u32; 3]| -> f64 {
        let corners = corners.map(|v| solids.position[v as usize]);
        let wet = below(&corners, level);
        let fan = wet.windows(2).skip(1).map(|edge| (wet[0], edge[0], edge[1]));
        let parts =
            fan.map(|(a, b, c)| 0.5 * (b - a).cross(c - a).y * ((a.y + b.y + c.y) / 3.0 - zero));
        parts.sum()
    };
    triangles.iter().map(|(corners, _)| of_triangle(corners)).sum()
}

/// The part of a triangle below a level, as a polygon.
fn below(corners: &[DVec3; 3], level: f64) -> Vec<DVec3> {
    let mut polygon = Vec::with_capacity(4);
    for (k, &a) in corners.iter().enumerate() {
        let b = corners[(k + 1) % 3];
        if a.y <= level {
            polygon.push(a);
        }
        if (a.y <= level) != (b.y <= level) {
            polygon.push(a.lerp(b, (level - a.y) / (b.y - a.y)));
        }
    }
    polygon
}

/// Side of the square tank, m.
fn width(world: &World) -> f64 {
    2.0 * world.solids[0].pose.translation.x
}

/// Height of the surface, m: where it would be if water away from the body and from walls were as
/// dense up to it as it is below.
fn level(world: &World) -> f64 {
    let h = world.spacing;
    let (width, places) = (width(world), &world.elastic.solids.position);
    let body = places[world.elastic.solids.bodies[0].vertices.clone()].iter();
    let (low, high) = body
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
    let clear = 2.0 * h;
    let away = |p: &&DVec3| {
        let beside = |x: f64, low: f64, high: f64| x < low - clear || x > high + clear;
        let inside = |x: f64| x > clear && x < width - clear;
        (beside(p.x, low.x, high.x) || beside(p.z, low.z, high.z)) && inside(p.x) && inside(p.z)
    };
    // Counted with ramps of one spacing, over which layers average out.
    let beyond = |y: f64, edge: f64| (y - edge + 0.5).clamp(0.0, 1.0);
    let (low, high) = (3.0, 7.0);
    let water = world.particles.position[..world.fluid_count()].iter();
    let (below, above) = water.filter(away).fold((0.0, 0.0), |(below, above), p| {
        let y = p.y / h;
        (below + beyond(y, low) - beyond(y, high), above + beyond(y, high))
    });
    h * (high + (high - low) * above / below)
}

/// Height of the surface if water and what is immersed of the body fill the tank up to it, m.
fn filled_level(world: &World) -> f64 {
    let (area, filled) = (width(world).powi(2), water(world) / WATER);
    let (mut low, mut high) = (0.0, 2.0 * filled / area);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if middle * area - volume(world, middle) < filled { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_below_a_level_are_those_of_a_box() {
        let world = world(CUBE, &[]).unwrap();
        let of = |level: f64| volume(&world, level) / 0.24f64.powi(3);
        assert!((of(f64::INFINITY) - 1.0).abs() < 1e-9);
        assert!((of(0.312 + 0.06) - 0.25).abs() < 1e-9);
        assert!(of(0.3).abs() < 1e-12);
    }

    #[test]
    fn both_levels_are_that_of_an_even_lattice() {
        let place = "elastic.body.at=[0.24, 0.6, 0.24]";
        let world = world(CUBE, &[place]).unwrap();
        assert!((level(&world) - 0.36).abs() < 1e-3, "{}", level(&world));
        assert!((filled_level(&world) - 0.36).abs() < 1e-3, "{}", filled_level(&world));
    }
}
