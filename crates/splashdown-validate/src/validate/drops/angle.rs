//! Drops on a floor take the contact angle that was asked for.

use std::f64::consts::PI;

use super::{GAMMA, H, Noise, RHO, ball, cap};
use crate::math::{DVec3, Dimension};
use crate::motion::Scalar;
use crate::sph::tension::{FluidSurface, WallSurface, young};
use crate::validate::build::floor;
use crate::validate::run::advance;
use crate::validate::{Case, Cost, Report};
use crate::world::{PressureSolver, Viscosity, World};

pub(crate) const CASE: Case = Case {
    name: "contact-angle",
    summary: "angle of drops on a floor, from the height of their centre and by a cap that fits \
              their outline, beside the one asked for",
    source: "Young 1805",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

/// Height of the centre of a cap with contact angle `theta` over the radius of a ball (disc) of its
/// volume.
fn height_of_centre(theta: f64, dimension: Dimension) -> f64 {
    let (sin, cos) = theta.sin_cos();
    match dimension {
        Dimension::Two => {
            let area = theta - sin * cos; // of a circle of radius 1
            (2.0 * sin.powi(3) / (3.0 * area) - cos) / (area / PI).sqrt()
        }
        Dimension::Three => {
            let height = 1.0 - cos;
            let volume = PI * height * height * (3.0 - height) / 3.0;
            let centre = height * (4.0 - height) / (4.0 * (3.0 - height));
            centre / (volume * 0.75 / PI).cbrt()
        }
    }
}

/// The angle, in degrees, of a cap whose centre is this high.
fn angle_of(height: f64, dimension: Dimension) -> f64 {
    let (mut low, mut high) = (0.02, PI);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if height_of_centre(middle, dimension) < height { low = middle } else { high = middle }
    }
    low.to_degrees()
}

/// A drop at rest.
pub(super) struct Settled {
    /// From the height of its centre, degrees.
    pub angle: f64,
    /// By the ball that fits its outline, degrees.
    pub fitted: Option<f64>,
    /// Share of the particles in the lowest layer.
    pub film: f64,
    /// Height of the lowest particle, in h: half a spacing where it touches the floor.
    pub lowest: f64,
}

/// A drop that starts as half a ball, on a floor with (γ^BF − γ^BV)/γ^FV = `excess`.
pub(super) fn settled(dimension: Dimension, radius: f64, excess: f64) -> Result<Settled, String> {
    let mut world = World::new(dimension, H);
    world.gravity = DVec3::ZERO;
    world.method.particles().pressure.solver = PressureSolver::Iisph;
    let mut points = ball(dimension, radius, DVec3::ZERO, &mut Noise(5));
    points.retain(|p| p.y > 0.0);
    let r = super::radius_of(points.len(), dimension);
    let calm = 0.3 * (RHO * GAMMA * r).sqrt();
    let viscosity = Viscosity::weiler2018(calm, 0.0);
    world.add_fluid("drop", RHO, viscosity, &points, |_| DVec3::ZERO);
    world.add_solid(floor(&world, 4.0 * radius * H)?);
    world.fluids[0].surface = FluidSurface::of(GAMMA);
    world.solids[0].wetting = WallSurface {
        dry: Scalar::Constant((-excess * GAMMA).max(0.0)),
        wet: Scalar::Constant((excess * GAMMA).max(0.0)),
    }
    .into();
    let end = 5.0 * (RHO * r.powi(3) / GAMMA).sqrt();
    let (mut height, mut count) = (0.0, 0.0);
    advance(&mut world, end, |world, _| {
        if world.clock.time > 0.8 * end {
            let n = world.fluid_count();
            let y: f64 = world.particles.position[..n].iter().map(|p| p.y).sum();
            (height, count) = (height + y / n as f64, count + 1.0);
        }
    })?;
    let places: Vec<DVec3> =
        world.particles.position[..world.fluid_count()].iter().map(|p| *p / H).collect();
    let heights = || places.iter().map(|p| p.y);
    Ok(Settled {
        angle: angle_of(height / (f64::max(count, 1.0) * r), dimension),
        fitted: cap::fitted_angle(&places, dimension),
        film: heights().filter(|&y| y < 1.5).count() as f64 / places.len() as f64,
        lowest: heights().fold(f64::INFINITY, f64::min),
    })
}

fn run(report: &mut Report) -> Result<(), String> {
    let asked = [30.0, 60.0, 90.0, 120.0, 150.0];
    for (dimension, radii) in [(Dimension::Two, [12.0, 18.0]), (Dimension::Three, [6.5, 9.0])] {
        for radius in radii {
            for angle in asked {
                let found = settled(dimension, radius, young::needed_excess(angle, dimension))?;
                let variant = format!("{dimension:?}, R = {radius} h: asked for {angle}°");
                report.close(variant.clone(), found.angle, angle, 10.0);
                let fitted = found.fitted.ok_or("too few particles for an outline")?;
                report.close(format!("{variant}, by its outline"), fitted, angle, 10.0);
            }
        }
        let wet = settled(dimension, radii[0], young::needed_excess(0.0, dimension))?;
        match dimension {
            Dimension::Two => report.at_most("Two: asked for 0°, angle", wet.angle, 10.0),
            Dimension::Three => {
                report.close("Three: asked for 0°, share in one layer", wet.film, 1.0, 0.05);
            }
        }
        let repelled = settled(dimension, radii[0], young::needed_excess(180.0, dimension))?;
        report.at_most(
            format!("{dimension:?}: asked for 180°, h by which it is not above the floor"),
            (1.5 - repelled.lowest).max(0.0),
            0.0,
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    #[test]
    fn half_a_ball_has_its_centre_where_the_textbook_says() {
        // 3/8 R above the plane, and 4/(3π) R in the plane.
        let volume = 0.5f64;
        let space = height_of_centre(FRAC_PI_2, Dimension::Three) * volume.cbrt();
        let plane = height_of_centre(FRAC_PI_2, Dimension::Two) * volume.sqrt();
        assert!((space - 0.375).abs() < 1e-12 && (plane - 4.0 / (3.0 * PI)).abs() < 1e-12);
        for degrees in [20.0, 75.0, 140.0f64] {
            for dimension in [Dimension::Two, Dimension::Three] {
                let height = height_of_centre(degrees.to_radians(), dimension);
                assert!((angle_of(height, dimension) - degrees).abs() < 1e-6);
            }
        }
    }
}
