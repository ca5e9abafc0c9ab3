//! A drop of water that sticks comes to rest, on the level and on a slope.

use super::{H, Noise, ball};
use crate::math::{DVec3, Dimension};
use crate::motion::Scalar;
use crate::output::totals::Totals;
use crate::sph::tension::{FluidSurface, WallSurface, young};
use crate::validate::build::floor;
use crate::validate::run::advance;
use crate::validate::{Case, Cost, Report};
use crate::world::{PressureSolver, Viscosity, World};

pub(crate) const CASE: Case = Case {
    name: "drop-at-rest",
    summary: "what is left of the motion of a drop of water that sticks to a plate or a slope, and \
              whether it creeps",
    source: "Coulomb's law",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

/// Spacing, m: water is what it is, so that lengths matter here.
const SPACING: f64 = 3e-4;
const GAMMA: f64 = 0.0728;
const RHO: f64 = 998.2;
/// Pa·s. Nothing but it slows the drop down.
const VISCOSITY: f64 = 1.002e-3;
/// On paraffin.
const ANGLE: f64 = 109.0;
const FRICTION: f64 = 0.3;
/// When the drop is looked at, s. Motion of the size of a spacing dies out within h²/ν = 0.09 s, of
/// the drop's size within a second.
const WATCHED: [f64; 2] = [0.8, 0.9];

/// A drop of 2.2 mm on a floor, with gravity turned by `degrees`.
fn drop_on_slope(degrees: f64, solver: PressureSolver) -> Result<World, String> {
    let mut world = World::new(Dimension::Three, SPACING);
    let angle = degrees.to_radians();
    world.gravity = 9.81 * DVec3::new(angle.sin(), -angle.cos(), 0.0);
    world.method.particles().pressure.solver = solver;
    let points = ball(Dimension::Three, 3.7, 3.8 * H * DVec3::Y, &mut Noise(11));
    let points: Vec<DVec3> = points.iter().map(|p| *p * (SPACING / H)).collect();
    let viscosity = Viscosity::weiler2018(VISCOSITY, VISCOSITY);
    world.add_fluid("water", RHO, viscosity, &points, |_| DVec3::ZERO);
    world.add_solid(floor(&world, 16.0 * SPACING)?);
    let excess = young::needed_excess(ANGLE, Dimension::Three);
    world.fluids[0].surface =
        FluidSurface { friction: Scalar::Constant(FRICTION), ..FluidSurface::of(GAMMA) };
    world.solids[0].wetting = WallSurface {
        dry: Scalar::Constant((-excess * GAMMA).max(0.0)),
        wet: Scalar::Constant((excess * GAMMA).max(0.0)),
    }
    .into();
    Ok(world)
}

fn run(report: &mut Report) -> Result<(), String> {
    for solver in [PressureSolver::Dfsph, PressureSolver::Iisph] {
        for degrees in [0.0, 45.0] {
            let mut world = drop_on_slope(degrees, solver)?;
            let mass = RHO * SPACING.powi(3) * world.fluid_count() as f64;
            let place = |world: &World| {
                let n = world.fluid_count();
                world.particles.position[..n].iter().map(|p| p.x).sum::<f64>() / n as f64
            };
            advance(&mut world, WATCHED[0], |_, _| ())?;
            let start = place(&world);
            let (mut energy, mut count) = (0.0, 0.0);
            advance(&mut world, WATCHED[1], |world, _| {
                (energy, count) = (energy + Totals::of(world).kinetic_energy, count + 1.0);
            })?;
            let speed = (2.0 * energy / (count * mass)).sqrt() / SPACING;
            let creep = (place(&world) - start) / (SPACING * (WATCHED[1] - WATCHED[0]));
            let variant = format!("{solver:?}, {degrees}°");
            report.at_most(format!("{variant}: root mean square of speeds, h/s"), speed, 0.1);
            report.at_most(format!("{variant}: creep, h/s"), creep.abs(), 0.01);
        }
    }
    Ok(())
}
