//! A drop that is not round swings to and fro: Rayleigh's frequency.

use super::{GAMMA, RHO, drop, drop_time, radius_of};
use crate::math::{DVec3, Dimension};
use crate::sph::tension::Calibration;
use crate::validate::run::advance;
use crate::validate::{Case, Cost, Report};
use crate::world::{Viscosity, World};

pub(crate) const CASE: Case = Case {
    name: "drop-oscillation",
    summary: "frequency of a drop's slowest oscillation over Rayleigh's, by size",
    source: "Rayleigh 1879: ω² = 8γ/(ρR³); in the plane 6γ/(ρR³)",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

pub(crate) const LARGE: Case = Case {
    name: "drop-oscillation-large",
    summary: "the same for drops of 7 and 17 thousand particles in space",
    source: "Rayleigh 1879: ω² = 8γ/(ρR³)",
    by_name: true,
    cost: Cost::Minutes,
    run: run_large,
};

/// Speed at the surface at the start, over R/√(ρR³/γ). Much smaller, and a small drop in the plane
/// hardly moves its particles against each other.
const AMPLITUDE: f64 = 0.4;

/// Σ x² − y² over all particles.
fn quadrupole(world: &World) -> f64 {
    let x = &world.particles.position[..world.fluid_count()];
    let centre = x.iter().sum::<DVec3>() / x.len() as f64;
    x.iter().map(|p| (p.x - centre.x).powi(2) - (p.y - centre.y).powi(2)).sum()
}

/// Measured over Rayleigh's frequency, squared: the tension that the drop seems to have, over γ.
pub(super) fn tension_seen(
    dimension: Dimension,
    radius: f64,
    calibration: Calibration,
) -> Result<f64, String> {
    let mut world = drop(dimension, radius, calibration);
    let (r, tau) = (radius_of(world.fluid_count(), dimension), drop_time(&world));
    // At rest first, then pushed without being compressed: v = c (x, −y).
    advance(&mut world, 2.0 * tau, |_, _| ())?;
    let rest = quadrupole(&world);
    // Takes away what is not motion of the whole.
    world.fluids[0].viscosity = Viscosity::artificial(0.1, 0.0);
    let n = world.fluid_count();
    let strain = AMPLITUDE / tau;
    for (x, v) in world.particles.position[..n].iter().zip(&mut world.particles.velocity) {
        *v = strain * DVec3::new(x.x, -x.y, 0.0);
    }
    let stiffness = if dimension == Dimension::Two { 6.0 } else { 8.0 };
    let omega = (stiffness * GAMMA / (RHO * r.powi(3))).sqrt();
    let begin = world.clock.time;
    // From one crossing of the shape at rest to the second after it: a small drift of that shape
    // cancels.
    let (mut last, mut crossings) = ((0.0, 0.0), Vec::new());
    let end = begin + 3.0 * 2.0 * std::f64::consts::PI / omega;
    while crossings.len() < 3 && world.clock.time < end {
        world.step(end).map_err(|e| e.to_string())?;
        let now = (world.clock.time - begin, quadrupole(&world) - rest);
        if last.1 * now.1 < 0.0 {
            crossings.push(last.0 + (now.0 - last.0) * last.1 / (last.1 - now.1));
        }
        last = now;
    }
    let [first, .., third] = crossings.as_slice() else {
        return Err("the drop does not swing".to_owned());
    };
    Ok((2.0 * std::f64::consts::PI / ((third - first) * omega)).powi(2))
}

fn by_size(report: &mut Report, dimension: Dimension, radii: &[f64]) -> Result<(), String> {
    for &radius in radii {
        let seen = tension_seen(dimension, radius, Calibration::Physical)?;
        let variant = format!("{dimension:?}, R = {radius} h");
        report.close(format!("{variant}: frequency"), seen.sqrt(), 1.0, 0.1);
        report.note(format!("{variant}: tension it seems to have, over the one given"), seen, 1.0);
    }
    Ok(())
}

fn run(report: &mut Report) -> Result<(), String> {
    by_size(report, Dimension::Two, &[8.0, 12.0, 16.0])?;
    by_size(report, Dimension::Three, &[6.0, 8.0])
}

fn run_large(report: &mut Report) -> Result<(), String> {
    by_size(report, Dimension::Three, &[12.0, 16.0])
}
