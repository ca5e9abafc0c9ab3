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

/// Spacing, m.
const H: f64 = 2.5e-4;
/// Contact angle on the plates; the tank's is 90°.
const ANGLE: f64 = 60.0;
/// Water beside each plate, and its depth, in h. The plates begin half way down.
const BESIDE: i32 = 24;
const DEPTH: i32 = 12;
/// In narrower gaps, in h, the layers that lie on the plates take a share of the width that counts.
const WIDE_ENOUGH: i32 = 12;
/// Thickness of a plate, in h.
const PLATE: i32 = 4;

/// A gap of `width` h between two plates that stand in a tank.
fn world(width: i32) -> Result<World, String> {
    let mut world = World::new(Dimension::Two, H);
    world.pressure.solver = PressureSolver::Iisph;
    let half = width / 2 + PLATE + BESIDE;
    let mut points = Vec::new();
    for (x, y) in (-half..half).flat_map(|x| (0..DEPTH).map(move |y| (x, y))) {
        let p = DVec3::new(f64::from(x) + 0.5, f64::from(y) + 0.5, 0.0);
        let beside = p.x.abs() - f64::from(width / 2);
        let in_plate = (0.0..f64::from(PLATE)).contains(&beside) && 2 * y >= DEPTH;
        if !in_plate {
            points.push(p * H);
        }
    }
    let model = ViscosityModel::Laplacian;
    let viscosity = Viscosity { model, coefficient: 0.02, boundary: 0.0 };
    world.add_fluid("water", RHO, viscosity, &points, |_| DVec3::ZERO);
    let height = 60.0;
    let size = DVec3::new(f64::from(2 * half), height, 1.0) * H;
    let tank = Shape::Tank { half: 0.5 * size, open: vec![Face::Top] };
    let mut solid = wall(&world, "tank", &tank, at(DVec3::Y * 0.5 * size.y))?;
    solid.local = tank.sample_surface(H, 0.5 * H, Dimension::Two).map_err(|e| e.to_string())?;
    (solid.outward, solid.inset) = (Vec::new(), 0.5 * H);
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
    let angle = ContactAngle { degrees: Scalar::Constant(ANGLE), tension: Scalar::Constant(GAMMA) };
    world.tension.fluids = vec![FluidSurface::of(GAMMA)];
    world.tension.angles = vec![None, Some(angle.clone()), Some(angle)];
    Ok(world)
}

/// Volume over width of what is between the plates and of what is beside them, above the bottom of the tank: the mean
/// heights of the surfaces, because water below the plates' ends fills its place everywhere.
fn rise(world: &World, width: i32) -> f64 {
    let water = &world.particles.position[..world.fluid_count()];
    let inner = 0.5 * f64::from(width) * H;
    let outer = inner + f64::from(PLATE) * H;
    let count = |from: f64, to: f64| {
        let above = water.iter().filter(|p| (from..to).contains(&p.x.abs()));
        above.count() as f64 * H * H / (2.0 * (to - from))
    };
    let wall = outer + f64::from(BESIDE) * H;
    // Beside the plates the outer half is flat.
    count(0.0, inner) - count(0.5 * (outer + wall), wall)
}

fn run(report: &mut Report) -> Result<(), String> {
    let mut last = f64::INFINITY;
    for width in [8, 12, 16, 24] {
        let mut world = world(width)?;
        let jurin = 2.0 * GAMMA * ANGLE.to_radians().cos()
            / (RHO * world.gravity.length() * f64::from(width) * H);
        let end = 0.12;
        let (mut sum, mut steps) = (0.0, 0.0);
        advance(&mut world, end, |world, _| {
            if world.clock.time > 0.75 * end {
                (sum, steps) = (sum + rise(world, width), steps + 1.0);
            }
        })?;
        let height = sum / f64::max(steps, 1.0);
        let metric = format!("gap of {width} h: rise over Jurin's height");
        match width < WIDE_ENOUGH {
            true => report.note(metric, height / jurin, 1.0),
            false => report.close(metric, height / jurin, 1.0, 0.15),
        }
        let metric = format!("gap of {width} h: lower than in the narrower one");
        report.close(metric, f64::from(u8::from(height < last)), 1.0, 0.0);
        last = height;
    }
    Ok(())
}
