//! Steps beyond the capillary limit: a drop stays calm and keeps its shape.

use super::{GAMMA, RHO, drop, drop_time, radius_of};
use crate::diagnostics;
use crate::math::{DVec3, Dimension};
use crate::sph::tension::Calibration;
use crate::validate::run::advance;
use crate::validate::{Case, Cost, Report};
use crate::world::{SolveKind, Viscosity, World};

pub(crate) const CASE: Case = Case {
    name: "capillary-step",
    summary: "a drop let go with steps of 0.5 to 4 capillary times: convergence, motion that is \
              left, energy",
    source: "stability",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

/// Radius, h.
const RADIUS: f64 = 5.0;

/// Kinetic energy over γ times the area.
fn motion(world: &World, area: f64) -> f64 {
    let n = world.fluid_count();
    let square: f64 = world.particles.velocity[..n].iter().map(|v| v.length_squared()).sum();
    0.5 * world.particle_mass(0) * square / (GAMMA * area)
}

fn run(report: &mut Report) -> Result<(), String> {
    for dimension in [Dimension::Two, Dimension::Three] {
        let mut settled = drop(dimension, RADIUS, Calibration::Physical);
        let (r, tau) = (radius_of(settled.fluid_count(), dimension), drop_time(&settled));
        let area = match dimension {
            Dimension::Two => 2.0 * std::f64::consts::PI * r,
            Dimension::Three => 4.0 * std::f64::consts::PI * r * r,
        };
        advance(&mut settled, 4.0 * tau, |_, _| ())?;
        settled.fluids[0].viscosity = Viscosity::artificial(0.1, 0.0);
        settled.particles.velocity.fill(DVec3::ZERO);
        let capillary = (RHO * settled.spacing.powi(3)
            / (8.0 * GAMMA * Calibration::Physical.rest_area(dimension)))
        .sqrt();
        let mut first = None;
        for multiple in [0.5, 1.0, 2.0, 4.0] {
            let mut world = settled.clone();
            world.tension.longest_step = multiple;
            world.method.particles().pressure.max_iterations = 200;
            let most = world.method.particles().pressure.max_iterations;
            let (begin, mut steps, mut open) = (world.clock.time, 0.0, 0.0);
            let (mut moving, mut counted) = (0.0, 0.0);
            let mut iterations = 0.0;
            advance(&mut world, begin + 4.0 * tau, |world, step| {
                steps += 1.0;
                iterations += f64::from(step.solve(SolveKind::Density).iterations);
                open += f64::from(u8::from(step.solve(SolveKind::Density).iterations >= most));
                if world.clock.time > begin + 3.0 * tau {
                    (moving, counted) = (moving + motion(world, area), counted + 1.0);
                }
            })?;
            let energy = diagnostics::surface_forces(&mut world).map_err(|e| e.to_string())?.energy;
            let first = *first.get_or_insert(energy);
            let variant = format!("{dimension:?}, {multiple} capillary times");
            let mean = (world.clock.time - begin) / (steps * capillary);
            report.close(format!("{variant}: mean step"), mean, multiple, 0.1 * multiple);
            report.note(format!("{variant}: iterations"), iterations / steps, 0.0);
            report.at_most(
                format!("{variant}: share of solves that did not converge"),
                open / steps,
                0.0,
            );
            report.at_most(
                format!("{variant}: kinetic energy over γA in the end"),
                moving / f64::max(counted, 1.0),
                5e-3,
            );
            report.close(
                format!("{variant}: energy over that with short steps"),
                energy / first,
                1.0,
                0.02,
            );
        }
    }
    Ok(())
}
