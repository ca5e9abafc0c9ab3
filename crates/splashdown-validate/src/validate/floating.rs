//! Bodies in water: what carries them, how deep they float, and how light they may be.

use super::build::{at, body, pool};
use super::run::advance;
use super::{Case, Cost, Report};
use crate::math::{DVec3, Dimension};
use crate::shapes::{MeshShape, Shape, library};
use crate::world::{BoundaryPressure, Loads, SolveKind, TimeStep, Viscosity, World};

pub(super) const ARCHIMEDES: Case = Case {
    name: "archimedes",
    summary: "force on submerged bodies, draft of floating ones, drift of a neutral one",
    source: "Archimedes: ρ g V",
    by_name: false,
    cost: Cost::Minutes,
    run: archimedes,
};

pub(super) const ARCHIMEDES_LARGE: Case = Case {
    name: "archimedes-large",
    summary: "the same for larger bodies in space: ducks of 20 and 24 h, floating cubes of 20 h",
    source: "Archimedes: ρ g V",
    by_name: true,
    cost: Cost::Hours,
    run: archimedes_large,
};

pub(super) const LIGHT_BODY: Case = Case {
    name: "light-body",
    summary: "bodies 10, 100 and 1000 times lighter than water: stable, one and many",
    source: "bounded speeds; Probst & Teschner 2023 as printed fails below about 1:20",
    by_name: false,
    cost: Cost::Minutes,
    run: light_body,
};

const H: f64 = 0.02;

fn viscous(coefficient: f64) -> Viscosity {
    Viscosity::laplacian(coefficient, 0.0)
}

/// Viscosity of the water around bodies, Pa·s: thin enough for particles to change places. In thick
/// water they come to rest leaning on each other, and carry a share of the weight that scatters by
/// 2 %.
const THIN: f64 = 0.01;

/// Forces are averaged over starts that have this many particles of water together. From start to
/// start the force on a square of 10 h with 800 around it scatters by 0.005, that on bodies in
/// space by 0.002: one start is all they get.
const ENOUGH_WATER: usize = 5500;

/// A body of `side` cells in a tank `width` cells wide, with its centre `height` cells up. Water is
/// stirred in another way for every `start`.
fn tub(
    dimension: Dimension,
    shape: &Shape,
    side: usize,
    [width, depth]: [usize; 2],
    height: f64,
    ratio: f64,
    start: u32,
) -> Result<World, String> {
    let middle = 0.5 * width as f64;
    let centre = dimension.flatten(DVec3::new(middle, height, middle) * H);
    let cells = [width, depth, width];
    let mut world = pool(dimension, H, cells, depth + 2 * side, viscous(THIN), &[(shape, centre)])?;
    // Fluid stands where it was filled in next to walls that mirror, 0.2 to 0.3 h nearer to others:
    // a body of few h displaces noticeably less with those.
    world.method.particles().pressure.boundary = BoundaryPressure::Mirrored;
    stir(&mut world, start);
    world.add_solid(body(&world, "body", shape, 1000.0 * ratio, at(centre))?);
    // At the usual 1e-4 what is left over moves the force by 2 %, in the plane more than in space.
    let (dt, density_error) = match dimension {
        Dimension::Two => (1e-3, 1e-5),
        Dimension::Three => (2e-3, 2e-5),
    };
    world.time_step = TimeStep::Fixed(dt);
    world.method.particles().pressure.density_error = density_error;
    Ok(world)
}

/// Moves every particle a little: an even lattice can lean on walls and carry its own weight.
fn stir(world: &mut World, mut seed: u32) {
    let mut noise = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(seed >> 8) / f64::from(1 << 24) - 0.5
    };
    let n = world.fluid_count();
    for p in &mut world.particles.position[..n] {
        *p += world.dimension.flatten(0.4 * H * DVec3::new(noise(), noise(), noise()));
    }
}

/// Height of the surface, in h: where it would be if the water away from the body and from walls
/// were as dense up to it as it is below.
fn level(world: &World, side: usize) -> f64 {
    let n = world.fluid_count();
    let body = world.solids[1].pose.translation / H;
    let width = 3.0 * side as f64;
    let flat = world.dimension == Dimension::Two;
    let away = |p: DVec3| {
        let across = |x: f64, body: f64| ((x - body).abs(), x.min(width - x));
        let ((x, wall_x), (z, wall_z)) = (across(p.x, body.x), across(p.z, body.z));
        let (from_body, from_wall) =
            if flat { (x, wall_x) } else { (x.max(z), wall_x.min(wall_z)) };
        from_body > 0.5 * side as f64 + 2.0 && from_wall > 2.0
    };
    let heights =
        world.particles.position[..n].iter().map(|p| *p / H).filter(|p| away(*p)).map(|p| p.y);
    // Counted with ramps of one spacing, over which layers average out.
    let beyond = |y: f64, edge: f64| (y - edge + 0.5).clamp(0.0, 1.0);
    let (low, high) = (0.5 * side as f64, side as f64);
    let (below, above) = heights.fold((0.0, 0.0), |(below, above), y| {
        (below + beyond(y, low) - beyond(y, high), above + beyond(y, high))
    });
    high + (high - low) * above / below
}

fn archimedes(report: &mut Report) -> Result<(), String> {
    let ball = |side: usize| Shape::Sphere { radius: 0.5 * side as f64 * H };
    for (dimension, sides) in
        [(Dimension::Two, &[10, 14, 20, 28][..]), (Dimension::Three, &[8, 10, 12, 16][..])]
    {
        for &side in sides {
            for (name, shape) in [("box", cube(side)), ("ball", ball(side))] {
                let force = held_force(dimension, &shape, side)?;
                let metric = format!("{dimension:?}, {name} of {side} h: force over ρ g V");
                report.close(metric, force, 1.0, 0.01);
            }
        }
    }
    for side in [12, 16] {
        duck(report, side)?;
    }
    for (dimension, side, tolerance) in
        [(Dimension::Two, 10, 0.05), (Dimension::Two, 20, 0.03), (Dimension::Three, 10, 0.05)]
    {
        drafts(report, dimension, side, tolerance)?;
    }
    let mut world = tub(Dimension::Two, &ball(8), 8, [24, 24], 12.0, 1.0, 1)?;
    advance(&mut world, 2.0, |_, _| ())?; // until the stirred water is at rest
    let start = world.solids[1].pose.translation;
    advance(&mut world, 7.0, |_, _| ())?;
    let drift = (world.solids[1].pose.translation - start).length() / H;
    report.at_most("2D: drift of a neutral ball in 5 s, h", drift, 1.0);
    Ok(())
}

fn archimedes_large(report: &mut Report) -> Result<(), String> {
    for side in [20, 24] {
        duck(report, side)?;
    }
    drafts(report, Dimension::Three, 20, 0.03)
}

fn cube(side: usize) -> Shape {
    Shape::Box { half: DVec3::splat(0.5 * side as f64 * H) }
}

/// A mesh; its beak and tail are thinner than a support if it is small.
fn duck(report: &mut Report, side: usize) -> Result<(), String> {
    let duck = library::duck(side as f64 * H);
    let shape = Shape::Mesh(MeshShape::new(duck).map_err(|e| e.to_string())?);
    let force = held_force(Dimension::Three, &shape, side)?;
    report.close(format!("3D, duck of {side} h (a mesh): force over ρ g V"), force, 1.0, 0.01);
    Ok(())
}

/// How deep cubes of three densities float, upright: a cube of half the density of water would lie
/// on an edge.
fn drafts(
    report: &mut Report,
    dimension: Dimension,
    side: usize,
    tolerance: f64,
) -> Result<(), String> {
    for ratio in [0.2, 0.5, 0.8] {
        let shape = cube(side);
        let height = 2.0 * side as f64 + (0.5 - ratio) * side as f64;
        let mut world = tub(dimension, &shape, side, [3 * side, 2 * side], height, ratio, 1)?;
        if let (Dimension::Three, Some(body)) = (dimension, world.solids[1].body_mut()) {
            body.locks.rotation = [true; 3];
        }
        advance(&mut world, 1.5, |_, _| ())?;
        let (mut draft, mut time) = (0.0, 0.0);
        advance(&mut world, 3.5, |world, step| {
            let bottom = world.solids[1].pose.translation.y / H - 0.5 * side as f64;
            draft += step.dt * (level(world, side) - bottom) / side as f64;
            time += step.dt;
        })?;
        let metric =
            format!("{dimension:?}, side {side} h, density ratio {ratio}: draft over ratio");
        report.close(metric, draft / time / ratio, 1.0, tolerance);
    }
    Ok(())
}

/// Upward force of water on a body that is held half way down, over the weight of what it
/// displaces: a mean over starts. Not over a longer run: in water that has slowed down particles
/// stay where they lean on each other.
fn held_force(dimension: Dimension, shape: &Shape, side: usize) -> Result<f64, String> {
    let (mut sum, mut water, mut starts) = (0.0, 0, 0);
    while water < ENOUGH_WATER {
        starts += 1;
        let (force, particles) = held_force_once(dimension, shape, side, starts)?;
        sum += force;
        water += particles;
    }
    Ok(sum / f64::from(starts))
}

/// The same from one start, and the number of particles of water.
fn held_force_once(
    dimension: Dimension,
    shape: &Shape,
    side: usize,
    start: u32,
) -> Result<(f64, usize), String> {
    // In space a narrower tank has to do: five spacings on each side are two and a half supports.
    let (size, height) = match dimension {
        Dimension::Two => ([3 * side; 2], 1.5 * side as f64),
        Dimension::Three => ([side + 10, side + 12], 0.5 * side as f64 + 6.0),
    };
    let mut world = tub(dimension, shape, side, size, height, 1.0, start)?;
    let weight = match world.solids[1].body_mut() {
        Some(body) => {
            body.locks.translation = [true; 3];
            body.locks.rotation = [true; 3];
            9.81 * body.mass
        }
        None => f64::NAN,
    };
    advance(&mut world, 1.0, |_, _| ())?; // stirred water has settled by then, and still flows
    let mut loads = Loads::default();
    advance(&mut world, 5.0, |_, step| loads.add(&step.loads))?;
    Ok((loads.mean(1).pressure.y / weight, world.fluid_count()))
}

fn light_body(report: &mut Report) -> Result<(), String> {
    for (dimension, until) in [(Dimension::Two, 2.0), (Dimension::Three, 0.5)] {
        for ratio in [0.1, 0.01, 0.001] {
            for many in [false, true] {
                let side = 8;
                let shape = Shape::Sphere { radius: 3.0 * H };
                let middle = 0.5 * 3.0 * side as f64;
                let offsets: &[f64] = if many { &[-7.5, 0.0, 7.5] } else { &[0.0] };
                let centres: Vec<DVec3> = offsets
                    .iter()
                    .map(|x| dimension.flatten(DVec3::new(middle + x, 6.0 + x.abs(), middle) * H))
                    .collect();
                let hollows: Vec<(&Shape, DVec3)> = centres.iter().map(|&c| (&shape, c)).collect();
                let cells = [3 * side, 2 * side, 3 * side];
                let mut world = pool(dimension, H, cells, 4 * side, viscous(0.5), &hollows)?;
                for &centre in &centres {
                    world.add_solid(body(&world, "ball", &shape, 1000.0 * ratio, at(centre))?);
                }
                world.time_step = TimeStep::Fixed(1e-3);
                let (mut fastest, mut retries, mut iterations) = (0.0f64, 0, 0u64);
                advance(&mut world, until, |world, step| {
                    let water = &world.particles.velocity[..world.fluid_count()];
                    fastest = water.iter().map(|v| v.length()).fold(fastest, f64::max);
                    retries += step.retries;
                    iterations += u64::from(step.solve(SolveKind::Density).iterations);
                })?;
                let bodies = if many { "three" } else { "one" };
                let variant = format!("{dimension:?}, {bodies} of 1:{}", (1.0 / ratio).round());
                report.at_most(format!("{variant}: fastest water, m/s"), fastest, 6.0);
                report.at_most(format!("{variant}: retried steps"), retries.into(), 0.0);
                let mean = iterations as f64 / world.clock.step.max(1) as f64;
                report.note(format!("{variant}: iterations a step"), mean, 0.0);
            }
        }
    }
    Ok(())
}
