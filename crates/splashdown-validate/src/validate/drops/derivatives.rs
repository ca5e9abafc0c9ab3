//! Forces of surface tension are the derivatives of its energy.

use super::{H, Noise, RHO, ball};
use crate::diagnostics;
use crate::math::{DQuat, DVec3, Dimension, Pose};
use crate::motion::Scalar;
use crate::shapes::Shape;
use crate::sph::tension::{Calibration, FluidSurface, WallSurface};
use crate::validate::build::{at, body};
use crate::validate::{Case, Cost, Report};
use crate::world::{Viscosity, World};

pub(crate) const CASE: Case = Case {
    name: "tension-derivatives",
    summary: "forces of surface tension against finite differences of its energy, all interfaces \
              at once",
    source: "Probst & Teschner 2024, eqs. 6 to 11",
    by_name: false,
    cost: Cost::Seconds,
    run,
};

/// How far particles are moved, in h.
const NUDGE: f64 = 1e-5;

/// Two fluids of different tension around half of a brick that is free to move.
fn world(dimension: Dimension) -> Result<World, String> {
    let mut world = World::new(dimension, H);
    let mut noise = Noise(7);
    let shape = Shape::Box { half: DVec3::new(4.0, 1.5, 3.0) * H };
    let dry = |p: &DVec3| shape.signed_distance(*p, dimension) > 0.3 * H;
    for (name, x, density) in [("water", -2.6, RHO), ("oil", 2.6, 800.0)] {
        let centre = DVec3::new(x, 3.5, 0.0) * H;
        let mut points = ball(dimension, 2.9, centre, &mut noise);
        points.retain(dry);
        world.add_fluid(name, density, Viscosity::default(), &points, |_| DVec3::ZERO);
    }
    world.add_solid(body(&world, "brick", &shape, 500.0, at(DVec3::ZERO))?);
    let constant = Scalar::Constant;
    let fluid = |v, o, w| FluidSurface {
        vapour: constant(v),
        others: constant(o),
        walls: constant(w),
        ..FluidSurface::NONE
    };
    world.fluids[0].surface = fluid(0.07, 0.02, 0.03);
    world.fluids[1].surface = fluid(0.03, 0.05, 0.01);
    world.solids[0].wetting = WallSurface { dry: constant(0.04), wet: constant(0.025) }.into();
    world.tension.calibration = Calibration::Paper;
    Ok(world)
}

fn energy(world: &World) -> Result<f64, String> {
    let mut world = world.clone();
    Ok(diagnostics::surface_forces(&mut world).map_err(|e| e.to_string())?.energy)
}

/// Energy at both sides of a change → its slope.
fn slope(world: &World, size: f64, change: impl Fn(&mut World, f64)) -> Result<f64, String> {
    let mut energies = [0.0; 2];
    for (sign, energy_at) in [1.0, -1.0].into_iter().zip(&mut energies) {
        let mut moved = world.clone();
        change(&mut moved, sign * size);
        *energy_at = energy(&moved)?;
    }
    Ok((energies[0] - energies[1]) / (2.0 * size))
}

/// Moves the particles of the solid with it.
fn place(world: &mut World, pose: Pose) {
    let (dimension, solid) = (world.dimension, &mut world.solids[0]);
    solid.pose = pose;
    for (x, &local) in world.particles.position[solid.range.clone()].iter_mut().zip(&solid.local) {
        *x = dimension.flatten(pose.apply(local));
    }
}

fn run(report: &mut Report) -> Result<(), String> {
    for dimension in [Dimension::Two, Dimension::Three] {
        let mut world = world(dimension)?;
        let forces = diagnostics::surface_forces(&mut world).map_err(|e| e.to_string())?;
        let largest = forces.fluid.iter().map(|f| f.length()).fold(0.0, f64::max);
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        let axes = &axes[..dimension.count()];

        let mut worst = 0.0f64;
        for i in (0..world.fluid_count()).step_by(1 + world.fluid_count() / 12) {
            for &axis in axes {
                let by_difference =
                    slope(&world, NUDGE * H, |w, d| w.particles.position[i] += d * axis)?;
                worst = worst.max((by_difference + forces.fluid[i].dot(axis)).abs() / largest);
            }
        }
        report.at_most(format!("{dimension:?}: force on fluid, of the largest"), worst, 1e-6);

        let [force, moment] = forces.solids[0];
        let mut worst = 0.0f64;
        for &axis in axes {
            let by_difference = slope(&world, NUDGE * H, |w, d| place(w, at(d * axis)))?;
            worst = worst.max((by_difference + force.dot(axis)).abs() / force.length());
        }
        report.at_most(format!("{dimension:?}: force on the body, relative"), worst, 1e-6);
        let turning = if dimension == Dimension::Two { &[DVec3::Z][..] } else { axes };
        let mut worst = 0.0f64;
        for &axis in turning {
            let by_difference = slope(&world, NUDGE, |w, d| {
                place(w, Pose { rotation: DQuat::from_axis_angle(axis, d), ..at(DVec3::ZERO) });
            })?;
            let size = force.length() * 4.0 * H;
            worst = worst.max((by_difference + moment.dot(axis)).abs() / size);
        }
        report.at_most(format!("{dimension:?}: moment on the body, relative"), worst, 1e-6);

        let total = forces.fluid.iter().sum::<DVec3>() + force;
        let sum: f64 = forces.fluid.iter().map(|f| f.length()).sum();
        report.at_most(
            format!("{dimension:?}: sum of all forces, relative"),
            total.length() / sum,
            1e-13,
        );
        let turn = |(x, f): (&DVec3, &DVec3)| x.cross(*f);
        let turns = world.particles.position.iter().zip(&forces.fluid).map(turn).sum::<DVec3>();
        let turned = (turns + moment).length() / (sum * 4.0 * H);
        report.at_most(format!("{dimension:?}: sum of all moments, relative"), turned, 1e-13);
    }
    Ok(())
}
