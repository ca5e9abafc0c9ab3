//! Water rises between plates that it wets: Jurin's height.

use super::{GAMMA, RHO};
use crate::math::{DVec3, Dimension};
use crate::motion::Scalar;
use crate::shapes::{Face, Shape};
use crate::sph::tension::{ContactAngle, FluidSurface};
use crate::validate::build::{at, wall};
use crate::validate::run::advance;
use crate::validate::{Case, Report};
use crate::world::{PressureSolver, Viscosity, ViscosityModel, World};

pub const CASE: Case = Case {
    name: "capillary-rise",
    summary: "how high water stands between plates over the water beside them, over Jurin's height (2D)",
    source: "Jurin 1719: 2γ cos θ/(ρ g w) between plates",
    by_name: true,
    run,
};

const G: f64 = 9.81;
/// Spacing, m.
const H: f64 = 2.5e-4;
/// Contact angles on the plates and on the tank.
const ANGLE: f64 = 60.0;
const UPRIGHT: f64 = 90.0;
/// Water beside each plate, and its depth, in h. The plates begin half way down.
const BESIDE: i32 = 24;
const DEPTH: i32 = 12;
/// Thickness of a plate, in h: water must not see through it, and sees 4 h far.
const PLATE: i32 = 6;
/// How long, s. A column of this size swings in 0.15 s, and friction in the gap stops it.
const DURATION: f64 = 0.3;

/// Jurin's height, m.
fn jurin(width: i32) -> f64 {
    2.0 * GAMMA * ANGLE.to_radians().cos() / (RHO * G * f64::from(width) * H)
}

/// A gap of `width` h between two plates that stand in a tank, filled about as high as it should be.
fn world(width: i32) -> Result<World, String> {
    let mut world = World::new(Dimension::Two, H);
    world.pressure.solver = PressureSolver::Iisph;
    let half = width / 2 + PLATE + BESIDE;
    world.gravity = -G * DVec3::Y;
    let mut points = Vec::new();
    let top = DEPTH + (jurin(width) / H) as i32;
    for (x, y) in (-half..half).flat_map(|x| (0..top).map(move |y| (x, y))) {
        let p = DVec3::new(f64::from(x) + 0.5, f64::from(y) + 0.5, 0.0);
        let beside = p.x.abs() - f64::from(width / 2);
        let is_wet = if beside < 0.0 {
            true
        } else {
            y < DEPTH && (beside > f64::from(PLATE) || 2 * y < DEPTH)
        };
        if is_wet {
            points.push(p * H);
        }
    }
    let model = ViscosityModel::Laplacian;
    let viscosity = Viscosity { model, coefficient: 0.05, boundary: 0.05 };
    world.add_fluid("water", RHO, viscosity, &points, |_| DVec3::ZERO);
    let height = 60.0;
    let size = DVec3::new(f64::from(2 * half), height, 1.0) * H;
    let tank = Shape::Tank { half: 0.5 * size, open: vec![Face::Top] };
    let mut solid = wall(&world, "tank", &tank, at(DVec3::Y * 0.5 * size.y))?;
    solid.local = tank.sample_surface(H, 0.5 * H, Dimension::Two).map_err(|e| e.to_string())?;
    (solid.skin, solid.inset) = (Default::default(), 0.5 * H);
    world.add_solid(solid);
    let from = 0.5 * f64::from(DEPTH);
    let plate =
        Shape::Box { half: DVec3::new(0.5 * f64::from(PLATE), 0.5 * (height - from), 1.0) * H };
    for side in [-1.0, 1.0] {
        let place =
            DVec3::new(side * 0.5 * f64::from(width + PLATE), 0.5 * (height + from), 0.0) * H;
        let solid = wall(&world, "plate", &plate, at(place))?;
        world.add_solid(solid);
    }
    let angle = |degrees| {
        let (degrees, tension) = (Scalar::Constant(degrees), Scalar::Constant(GAMMA));
        Some(ContactAngle { degrees, tension })
    };
    world.tension.fluids = vec![FluidSurface::of(GAMMA)];
    world.tension.angles = vec![angle(UPRIGHT), angle(ANGLE), angle(ANGLE)];
    Ok(world)
}

/// How much higher water stands between the plates than a wide surface would, from volumes over widths: water below the
/// plates' ends fills its place everywhere. The meniscus on the outer side of a plate lifts γ cos θ/(ρ g) of water per
/// depth there, which is spread over the width beside it.
fn rise(world: &World, width: i32) -> f64 {
    let water = &world.particles.position[..world.fluid_count()];
    let inner = 0.5 * f64::from(width) * H;
    let outer = inner + f64::from(PLATE) * H;
    let beside = f64::from(BESIDE) * H;
    let mean_height = |from: f64, to: f64| {
        let within = water.iter().filter(|p| (from..to).contains(&p.x.abs()));
        within.count() as f64 * H * H / (2.0 * (to - from))
    };
    let lifted = GAMMA * ANGLE.to_radians().cos() / (RHO * G * beside);
    mean_height(0.0, inner) - (mean_height(outer, outer + beside) - lifted)
}

fn run(report: &mut Report) -> Result<(), String> {
    let mut last = f64::INFINITY;
    for width in [12, 16, 24] {
        let mut world = world(width)?;
        let (mut sum, mut steps) = (0.0, 0.0);
        advance(&mut world, DURATION, |world, _| {
            if world.clock.time > 0.5 * DURATION {
                (sum, steps) = (sum + rise(world, width), steps + 1.0);
            }
        })?;
        let height = sum / f64::max(steps, 1.0);
        let metric = format!("gap of {width} h: rise over Jurin's height");
        report.close(metric, height / jurin(width), 1.0, 0.15);
        let metric = format!("gap of {width} h: lower than in the narrower one");
        report.close(metric, f64::from(u8::from(height < last)), 1.0, 0.0);
        last = height;
    }
    Ok(())
}
