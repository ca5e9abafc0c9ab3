//! Why tension is solved together with pressure: on its own, before or after it, a drop does not
//! come to rest or keeps dents.

use std::f64::consts::PI;

use super::{GAMMA, H, Noise, RHO, radius_of};
use crate::math::{DMat3, DVec3, Dimension};
use crate::motion::Scalar;
use crate::sph::tension::{FluidSurface, TensionOrder};
use crate::validate::build::floor;
use crate::validate::run::advance;
use crate::validate::{Case, Cost, Report};
use crate::world::{PressureSolver, Viscosity, World};

pub(crate) const CASE: Case = Case {
    name: "split-tension",
    summary: "a square that becomes a drop on a floor: motion that is left and roughness of its \
              outline, tension together with pressure, before and after it (2D)",
    source: "Probst & Teschner 2024, figure 18",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

/// Particles to a side of the square: as many as half a disc of 12 h has.
const SIDE: i32 = 15;
/// Starts that are averaged over.
const STARTS: u64 = 16;
/// Of the outline, within which its farthest particle counts: about a spacing along it.
const SECTOR: f64 = 5.0 * PI / 180.0;

/// The drop, which meets its floor at about a right angle.
fn drop_on_floor(order: TensionOrder, longest_step: f64, seed: u64) -> Result<World, String> {
    let mut world = World::new(Dimension::Two, H);
    world.gravity = DVec3::ZERO;
    world.method.particles().pressure.solver = PressureSolver::Iisph;
    let mut noise = Noise(seed);
    let mut points = Vec::new();
    for (x, y) in (0..SIDE).flat_map(|x| (0..SIDE).map(move |y| (x, y))) {
        let p =
            DVec3::new(f64::from(2 * x - SIDE) / 2.0, y.into(), 0.0) + DVec3::new(0.5, 0.5, 0.0);
        points.push((p + 0.1 * noise.vector(Dimension::Two)) * H);
    }
    let viscosity = Viscosity::weiler2018(0.01, 0.0);
    world.add_fluid("drop", RHO, viscosity, &points, |_| DVec3::ZERO);
    world.add_solid(floor(&world, 1.6 * f64::from(SIDE) * H)?);
    let friction = Scalar::Constant(0.1);
    world.fluids[0].surface = FluidSurface { friction, ..FluidSurface::of(GAMMA) };
    (world.tension.order, world.tension.longest_step) = (order, longest_step);
    Ok(world)
}

/// How far, in h, the outline is from the circle that fits it best: |p|² = 2 c·p + k in the
/// least-squares sense.
fn roughness(world: &World) -> f64 {
    let x = &world.particles.position[..world.fluid_count()];
    let middle = x.iter().map(|p| p.x).sum::<f64>() / x.len() as f64;
    // Particles nearer to the floor than 3 h do not tell an outline from a foot.
    let sectors = (PI / SECTOR) as usize;
    let mut outline = vec![DVec3::ZERO; sectors];
    for p in x.iter().map(|p| DVec3::new(p.x - middle, p.y, 0.0) / H).filter(|p| p.y > 3.0) {
        let farthest = &mut outline[((p.y.atan2(p.x) / SECTOR) as usize).min(sectors - 1)];
        if p.length() > farthest.length() {
            *farthest = p;
        }
    }
    outline.retain(|p| p.y > 0.0);
    let (mut normal, mut right) = (DMat3::ZERO, DVec3::ZERO);
    for p in &outline {
        let row = DVec3::new(2.0 * p.x, 2.0 * p.y, 1.0);
        normal += DMat3::from_cols(row * row.x, row * row.y, row * row.z);
        right += row * p.length_squared();
    }
    let found = normal.inverse() * right;
    let centre = DVec3::new(found.x, found.y, 0.0);
    let radius = (found.z + centre.length_squared()).sqrt();
    let square = |p: &DVec3| ((*p - centre).length() - radius).powi(2);
    (outline.iter().map(square).sum::<f64>() / outline.len() as f64).sqrt()
}

/// `measured_once` over several starts: which one it is matters as much as anything.
fn measured(order: TensionOrder, longest_step: f64) -> Result<[f64; 2], String> {
    let mut mean = [0.0; 2];
    for seed in 1..=STARTS {
        let once = measured_once(order, longest_step, seed)?;
        (0..2).for_each(|k| mean[k] += once[k] / STARTS as f64);
    }
    Ok(mean)
}

/// Kinetic energy over γ times the outline, and roughness, over the last quarter of 6 √(ρR³/γ).
fn measured_once(order: TensionOrder, longest_step: f64, seed: u64) -> Result<[f64; 2], String> {
    let mut world = drop_on_floor(order, longest_step, seed)?;
    let n = world.fluid_count();
    let r = radius_of(2 * n, Dimension::Two);
    let end = 6.0 * (RHO * r.powi(3) / GAMMA).sqrt();
    let (mut kinetic, mut rough, mut count) = (0.0, 0.0, 0.0);
    let mass = world.particle_mass(0);
    advance(&mut world, end, |world, _| {
        if world.clock.time > 0.75 * end {
            let squares: f64 =
                world.particles.velocity[..n].iter().map(|v| v.length_squared()).sum();
            kinetic += 0.5 * mass * squares;
            (rough, count) = (rough + roughness(world), count + 1.0);
        }
    })?;
    let count = f64::max(count, 1.0);
    Ok([kinetic / (count * GAMMA * PI * r), rough / count])
}

fn run(report: &mut Report) -> Result<(), String> {
    for longest_step in [0.5, 1.0, 2.0] {
        let [kinetic, rough] = measured(TensionOrder::Together, longest_step)?;
        let variant = format!("steps of {longest_step} capillary times");
        report.note(format!("{variant}, one system: kinetic energy over γA"), kinetic, 0.0);
        report.note(format!("{variant}, one system: roughness, h"), rough, 0.0);
        for (name, order) in [("before", TensionOrder::Before), ("after", TensionOrder::After)] {
            let [k, r] = measured(order, longest_step)?;
            let variant = format!("{variant}, tension {name} pressure");
            report.note(format!("{variant}: kinetic energy over γA"), k, kinetic);
            report.note(format!("{variant}: roughness, h"), r, rough);
            if order == TensionOrder::Before && longest_step < 1.0 {
                // Tension hardly changes in so short a step: what is split off it must not matter.
                report.close(
                    format!("{variant}: roughness over one system's"),
                    r / rough,
                    1.0,
                    0.1,
                );
                continue;
            }
            // It jitters, or it has dents: one of them at least.
            report.at_most(
                format!("{variant}: one system over it, motion or roughness"),
                f64::min(kinetic / k, rough / r),
                1.0,
            );
        }
    }
    Ok(())
}
