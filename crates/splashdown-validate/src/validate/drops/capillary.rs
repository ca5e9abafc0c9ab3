//! Water rises between plates that it wets: Jurin's height.

use super::slab::{surface, wetting};
use super::{GAMMA, RHO};
use crate::math::{DVec3, Dimension};
use crate::motion::Scalar;
use crate::shapes::{Face, Shape};
use crate::sph::tension::{ContactAngle, FluidSurface, Wetting};
use crate::validate::build::{at, wall};
use crate::validate::run::advance;
use crate::validate::{Case, Cost, Report};
use crate::world::{PressureSolver, Viscosity, World};

pub(crate) const CASE: Case = Case {
    name: "capillary-rise",
    summary: "how high water stands between plates over the water beside them, over Jurin's height \
              (2D)",
    source: "Jurin 1719: 2γ cos θ/(ρ g w) between plates; γ cos θ = e_dry − e_wet (Young 1805)",
    by_name: true,
    cost: Cost::Minutes,
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
/// (γ^BF − γ^BV)/γ^FV of plates whose wetting is worth about γ/2.
const EXCESS: f64 = -0.5;
/// How long, s. A column of this size swings in 0.15 s, and friction in the gap stops it.
const DURATION: f64 = 0.3;

/// Jurin's height, m, for a contact angle with that cosine.
fn jurin(width: i32, cosine: f64) -> f64 {
    2.0 * GAMMA * cosine / (RHO * G * f64::from(width) * H)
}

/// How much the meniscus on the outer side of a plate lifts, spread over the width beside it, m: γ
/// cos θ/(ρ g) of water per depth.
fn lifted(cosine: f64) -> f64 {
    GAMMA * cosine / (RHO * G * f64::from(BESIDE) * H)
}

/// What plates are made of.
enum Plates {
    /// By the table of angles.
    Angle,
    /// (γ^BF − γ^BV)/γ^FV.
    Excess(f64),
}

/// A gap of `width` h between two plates that stand in a tank, filled to `rise`, m, above the water
/// beside it.
fn world(width: i32, plates: &Plates, rise: f64) -> Result<World, String> {
    let mut world = World::new(Dimension::Two, H);
    world.method.particles().pressure.solver = PressureSolver::Iisph;
    let half = width / 2 + PLATE + BESIDE;
    world.gravity = -G * DVec3::Y;
    let mut points = Vec::new();
    let top = (DEPTH + (rise / H).round() as i32).max(0);
    for (x, y) in (-half..half).flat_map(|x| (0..top.max(DEPTH)).map(move |y| (x, y))) {
        let p = DVec3::new(f64::from(x) + 0.5, f64::from(y) + 0.5, 0.0);
        let beside = p.x.abs() - f64::from(width / 2);
        let is_wet = if beside < 0.0 {
            y < top
        } else {
            y < DEPTH && (beside > f64::from(PLATE) || 2 * y < DEPTH)
        };
        if is_wet {
            points.push(p * H);
        }
    }
    let viscosity = Viscosity::laplacian(0.05, 0.05);
    world.add_fluid("water", RHO, viscosity, &points, |_| DVec3::ZERO);
    let height = 60.0;
    let size = DVec3::new(f64::from(2 * half), height, 1.0) * H;
    let tank = Shape::Tank { half: 0.5 * size, open: vec![Face::Top] };
    let mut solid = wall(&world, "tank", &tank, at(DVec3::Y * 0.5 * size.y))?;
    solid.local = tank.sample_surface(H, 0.5 * H, Dimension::Two).map_err(|e| e.to_string())?;
    (solid.wetted_surface, solid.inset) = (Default::default(), 0.5 * H);
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
        Wetting::Angle(ContactAngle { degrees, tension })
    };
    world.fluids[0].surface = FluidSurface::of(GAMMA);
    world.solids[0].wetting = angle(UPRIGHT);
    for plate in &mut world.solids[1..] {
        plate.wetting = match *plates {
            Plates::Excess(excess) => surface(excess).into(),
            _ => angle(ANGLE),
        };
    }
    Ok(world)
}

/// How much higher water stands between the plates than a wide surface would, from volumes over
/// widths: water below the plates' ends fills its place everywhere.
fn rise(world: &World, width: i32, cosine: f64) -> f64 {
    let water = &world.particles.position[..world.fluid_count()];
    let inner = 0.5 * f64::from(width) * H;
    let outer = inner + f64::from(PLATE) * H;
    let beside = f64::from(BESIDE) * H;
    let mean_height = |from: f64, to: f64| {
        let within = water.iter().filter(|p| (from..to).contains(&p.x.abs()));
        within.count() as f64 * H * H / (2.0 * (to - from))
    };
    mean_height(0.0, inner) - (mean_height(outer, outer + beside) - lifted(cosine))
}

/// The rise over Jurin's height, averaged over the second half of the run, from `start` times that
/// height.
fn found(width: i32, plates: &Plates, cosine: f64, start: f64) -> Result<f64, String> {
    let expected = jurin(width, cosine);
    // Menisci beside the plates are not there yet, and are counted as if they were.
    let mut world = world(width, plates, start * expected - lifted(cosine))?;
    let (mut sum, mut steps) = (0.0, 0.0);
    advance(&mut world, DURATION, |world, _| {
        if world.clock.time > 0.5 * DURATION {
            (sum, steps) = (sum + rise(world, width, cosine), steps + 1.0);
        }
    })?;
    Ok(sum / (f64::max(steps, 1.0) * expected))
}

/// Plates of which a slab of water tells what wetting is worth, from below and from above: edges of
/// water are held where they are up to some force, and what lifts is between what both say.
fn by_energy(report: &mut Report) -> Result<(), String> {
    let cosine = wetting(Dimension::Two, EXCESS)?;
    report.note("(e_dry − e_wet)/γ of the plates", cosine, 0.5);
    let mut last = f64::INFINITY;
    for width in [12, 16, 24] {
        let plates = Plates::Excess(EXCESS);
        let [low, high] = [0.5, 1.5].map(|start| found(width, &plates, cosine, start));
        let (low, high) = (low?, high?);
        let variant = format!("gap of {width} h, by energy");
        report.note(format!("{variant}: from below"), low, 1.0);
        report.note(format!("{variant}: from above"), high, 1.0);
        let mean = 0.5 * (low + high);
        report.close(format!("{variant}: rise over Jurin's height, mean of both"), mean, 1.0, 0.15);
        lower(report, &variant, mean * jurin(width, cosine), &mut last);
    }
    Ok(())
}

/// Water stands lower than in the `last`, narrower gap.
fn lower(report: &mut Report, variant: &str, height: f64, last: &mut f64) {
    let metric = format!("{variant}: lower than in the narrower one");
    report.close(metric, f64::from(u8::from(height < *last)), 1.0, 0.0);
    *last = height;
}

fn run(report: &mut Report) -> Result<(), String> {
    by_energy(report)?;
    let cosine = ANGLE.to_radians().cos();
    let mut last = f64::INFINITY;
    for width in [12, 16, 24] {
        let height = found(width, &Plates::Angle, cosine, 1.0)?;
        let variant = format!("gap of {width} h, asked for {ANGLE}°");
        report.close(format!("{variant}: rise over Jurin's height"), height, 1.0, 0.15);
        lower(report, &variant, height * jurin(width, cosine), &mut last);
        // Edges are held and give way slowly: not judged.
        let risen = found(width, &Plates::Angle, cosine, 0.5)?;
        report.note(format!("{variant}: from half of the height"), risen, 1.0);
    }
    Ok(())
}
