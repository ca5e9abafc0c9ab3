//! Drops on slopes: they slip where friction is below what holds them, and stay where it is above.
//!
//! What holds them is computed from normal forces as for a block, W sin θ/Σ|N|, whose particles all
//! slip one way. A liquid pulls on its edge across it, outwards at the rear and inwards at the
//! front, so that not all friction acts along the slope: the more a drop gives way to its weight,
//! the more friction it needs. A drop that is judged must keep its shape.

use super::{H, RHO};
use crate::diagnostics;
use crate::math::{DVec3, Dimension};
use crate::motion::Scalar;
use crate::shapes::Shape;
use crate::sph::tension::{Calibration, FluidSurface};
use crate::validate::build::floor;
use crate::validate::run::advance;
use crate::validate::{Case, Cost, Report};
use crate::world::{PressureSolver, Viscosity, World};

pub(crate) const CASE: Case = Case {
    name: "droplet-incline",
    summary: "drops of four sizes on five slopes: slip at 0.8 and stick at 1.2 of the critical \
              friction, from measured normal forces",
    source: "Coulomb's law; Probst & Teschner 2024, figure 16",
    by_name: true,
    cost: Cost::Minutes,
    run,
};

const G: f64 = 9.81;
/// As long as drops settle on a level floor, as long as they are pressed less before normal forces
/// are measured, and as long as those that slip and those that stick are watched on the slope, s.
const WHILE: [f64; 4] = [0.4, 0.2, 0.1, 0.3];
/// As long as gravity along the slope grows before that, s, and in how many steps. A threshold is
/// for loads that set in slowly: at once they swing beyond what they are in the end. 0.4 s is R²/ν
/// of the largest drop: what moves in it dies out meanwhile.
const GROWS: f64 = 0.4;
const STAGES: u32 = 50;
/// Distance of the samples of the slope, in h. With h its roughness holds the smallest drop on the
/// gentlest slope.
const SAMPLES: f64 = 0.5;

/// Of drops that stick, h/s.
const LARGEST_DRIFT: f64 = 0.1;

/// Friction while drops settle: as good as none, so that normal forces are measured in a contact
/// that friction has not shaped.
const SETTLING: f64 = 1e-3;

/// Tension against vapour and against walls, N/m: of figure 16, and twice as much, for drops of so
/// many particles to a side. These are 5.0, 6.2, 7.4 and 8.7 h wide; those of the figure are 5, 7
/// and 9 mm. What counts is how soft a drop is: its weight over its dynamic tension (γ/8) times its
/// width, which is 0.25, 0.40, 0.57 and 0.77 with the figure's tension, and half of that with twice
/// as much.
const FIGURE: [f64; 2] = [4.0, 0.5];
const STIFF: [f64; 2] = [8.0, 1.0];
const DROPS: [(&str, [f64; 2], &[i32]); 2] =
    [("4 N/m", FIGURE, &[4, 5]), ("8 N/m", STIFF, &[4, 5, 6, 7])];
/// Drops of the figure's tension that are too soft to be judged as blocks: they are tried with
/// these multiples of the critical friction.
const SOFT: [i32; 2] = [6, 7];
const TRIED: [f64; 3] = [1.2, 1.4, 1.6];

/// A cube of so many particles to a side with these tensions on a floor.
fn drop_on_floor(side: i32, tensions: [f64; 2]) -> Result<World, String> {
    let mut world = World::new(Dimension::Three, H);
    world.gravity = -G * DVec3::Y;
    world.method.particles().pressure.solver = PressureSolver::Iisph;
    let cell = |k: i32| f64::from(k) + 0.5;
    let middle = f64::from(side) / 2.0;
    let mut points = Vec::new();
    for (x, y) in (0..side).flat_map(|x| (0..side).map(move |y| (x, y))) {
        for z in 0..side {
            points.push(H * DVec3::new(cell(x) - middle, cell(y), cell(z) - middle));
        }
    }
    let viscosity = Viscosity::weiler2018(0.05, 0.0);
    world.add_fluid("drop", RHO, viscosity, &points, |_| DVec3::ZERO);
    let half_size = 25.0 * H;
    let mut floor = floor(&world, half_size)?;
    let plane = Shape::Plane { normal: DVec3::Y, half_size };
    floor.local =
        plane.sample_surface(SAMPLES * H, 0.0, Dimension::Three).map_err(|e| e.to_string())?;
    world.add_solid(floor);
    let [vapour, walls, friction] = [tensions[0], tensions[1], SETTLING].map(Scalar::Constant);
    world.fluids[0].surface = FluidSurface { vapour, walls, friction, ..FluidSurface::NONE };
    world.tension.calibration = Calibration::Paper;
    // So near to the limit a drop creeps by what solves leave over: at 10⁻³ by up to 2 h/s.
    world.tension.error = 2e-4;
    Ok(world)
}

/// Where the middle of the drop is along the slope, in h.
fn place(world: &World) -> f64 {
    let n = world.fluid_count();
    world.particles.position[..n].iter().map(|p| p.x).sum::<f64>() / (n as f64 * H)
}

/// How far, in h, the drop goes on a slope with friction `mu` once all of gravity acts, and how
/// fast it goes in the last quarter of the time, in h/s.
fn watched(mut world: World, degrees: f64, mu: f64, duration: f64) -> Result<[f64; 2], String> {
    let angle = degrees.to_radians();
    world.fluids[0].surface.friction = Scalar::Constant(mu);
    let start = world.clock.time;
    for stage in 1..=STAGES {
        let share = f64::from(stage) / f64::from(STAGES);
        world.gravity = G * DVec3::new(share * angle.sin(), -angle.cos(), 0.0);
        advance(&mut world, start + share * GROWS, |_, _| ())?;
    }
    let (start, begin) = (place(&world), world.clock.time);
    advance(&mut world, begin + 0.75 * duration, |_, _| ())?;
    let middle = (place(&world), world.clock.time);
    advance(&mut world, begin + duration, |_, _| ())?;
    let speed = (place(&world) - middle.0) / (world.clock.time - middle.1);
    Ok([place(&world) - start, speed])
}

const SLOPES: [f64; 5] = [18.0, 36.0, 54.0, 72.0, 90.0];

/// A drop that has settled on a level floor. All slopes start from it: another start settles to
/// other places, and a contact of a few particles is then pressed by a tenth more or less.
fn settled(side: i32, tensions: [f64; 2]) -> Result<World, String> {
    let mut world = drop_on_floor(side, tensions)?;
    advance(&mut world, WHILE[0], |_, _| ())?;
    Ok(world)
}

/// The drop under what presses it against a slope, and the friction at which a block with its
/// normal forces would slip there.
fn pressed(mut world: World, degrees: f64) -> Result<(World, f64), String> {
    let slope = f64::to_radians(degrees);
    world.gravity = -G * slope.cos() * DVec3::Y;
    let (start, mut load, mut count) = (world.clock.time, 0.0, 0.0);
    advance(&mut world, start + WHILE[1], |world, _| {
        if world.clock.time > start + 0.5 * WHILE[1] {
            (load, count) = (load + diagnostics::wall_normal_load(world), count + 1.0);
        }
    })?;
    let weight = world.particle_mass(0) * world.fluid_count() as f64 * G;
    Ok((world, weight * slope.sin() / (load / f64::max(count, 1.0))))
}

fn run(report: &mut Report) -> Result<(), String> {
    for (tension, tensions, sides) in DROPS {
        let mut of_smaller = [0.0; SLOPES.len()];
        for &side in sides {
            let drop = settled(side, tensions)?;
            of_smaller =
                on_slopes(report, &format!("{tension}, {side}³ particles"), &drop, of_smaller)?;
        }
    }
    tried(report)
}

/// Judges a drop on all slopes; returns its critical friction on each, which must be above that
/// `of_smaller` ones.
fn on_slopes(
    report: &mut Report,
    name: &str,
    drop: &World,
    of_smaller: [f64; SLOPES.len()],
) -> Result<[f64; SLOPES.len()], String> {
    let (mut found, mut on_last_slope) = ([0.0; SLOPES.len()], 0.0);
    for (k, degrees) in SLOPES.into_iter().enumerate() {
        let (world, critical) = pressed(drop.clone(), degrees)?;
        let [slipped, fast] = watched(world.clone(), degrees, 0.8 * critical, WHILE[2])?;
        let [_, creep] = watched(world, degrees, 1.2 * critical, WHILE[3])?;
        let variant = format!("{name}, {degrees}°");
        report.note(format!("{variant}: critical friction"), critical, critical);
        // Steeper slopes and larger drops ask for more friction: the order of figure 16.
        report.at_most(
            format!("{variant}: less than on the last slope, or for a smaller drop, by"),
            (f64::max(on_last_slope, of_smaller[k]) - critical).max(0.0),
            0.0,
        );
        (on_last_slope, found[k]) = (critical, critical);
        report.note(format!("{variant}: way at 0.8 of it, h"), slipped, slipped);
        report.at_most(
            format!("{variant}: at 0.8 of it, speed missing to 2 h/s"),
            (2.0 - fast).max(0.0),
            0.0,
        );
        let metric = format!("{variant}: drift at 1.2 of it, h/s");
        report.at_most(metric, creep.abs(), LARGEST_DRIFT);
    }
    Ok(found)
}

/// How much more friction than a block soft drops need.
fn tried(report: &mut Report) -> Result<(), String> {
    for side in SOFT {
        let drop = settled(side, FIGURE)?;
        for degrees in SLOPES {
            let (world, critical) = pressed(drop.clone(), degrees)?;
            for multiple in TRIED {
                let [_, creep] = watched(world.clone(), degrees, multiple * critical, WHILE[3])?;
                let variant = format!("4 N/m, {side}³ particles, {degrees}°");
                report.note(format!("{variant}: drift at {multiple} of it, h/s"), creep, 0.0);
            }
        }
    }
    Ok(())
}
