//! A small and a large drop on the two sides of a wall, joined through a hole in it: the small one empties into the large one.

use super::{GAMMA, H, Noise, RHO};
use crate::math::{DVec3, Dimension};
use crate::shapes::Shape;
use crate::sph::tension::{Calibration, FluidSurface, TensionModel};
use crate::validate::build::{at, wall};
use crate::validate::run::advance;
use crate::validate::{Case, Report};
use crate::world::{PressureSolver, Viscosity, ViscosityModel, World};

pub const CASE: Case = Case {
    name: "two-drops",
    summary: "share of a small drop that is left after it was joined to a large one (2D)",
    source: "Young 1805; Probst & Teschner 2024, figure 15",
    by_name: false,
    run,
};

/// Radii of the half discs below and above the wall, half the hole and the wall, in h.
const LARGE: f64 = 14.0;
const SMALL: f64 = 7.0;
const HOLE: f64 = 3.0;
const WALL: f64 = 2.0;

/// The wall is about y = 0; water meets it at about 90°.
fn world(model: TensionModel) -> Result<World, String> {
    let mut world = World::new(Dimension::Two, H);
    world.gravity = DVec3::ZERO;
    world.pressure.solver = PressureSolver::Iisph;
    let mut noise = Noise(9);
    let mut points = Vec::new();
    let reach = LARGE as i32 + 4;
    for (x, y) in (-reach..reach).flat_map(|x| (-reach..reach).map(move |y| (x, y))) {
        let p = DVec3::new(f64::from(x) + 0.5, f64::from(y) + 0.5, 0.0);
        let beyond = p.y.abs() - WALL;
        let radius = if p.y > 0.0 { SMALL } else { LARGE };
        let in_drop = beyond > 0.0 && p.x.hypot(beyond) < radius;
        if in_drop || beyond < 0.0 && p.x.abs() < HOLE {
            points.push((p + 0.05 * noise.vector(Dimension::Two)) * H);
        }
    }
    let viscosity = Viscosity {
        model: ViscosityModel::Weiler2018,
        coefficient: 0.2 * (RHO * GAMMA * SMALL * H).sqrt(),
        boundary: 0.0,
    };
    world.add_fluid("water", RHO, viscosity, &points, |_| DVec3::ZERO);
    let length = 2.0 * LARGE;
    let half = DVec3::new(0.5 * length, WALL, 1.0) * H;
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let place = DVec3::X * side * (HOLE + 0.5 * length) * H;
        let solid = wall(&world, name, &Shape::Box { half }, at(place))?;
        world.add_solid(solid);
    }
    world.tension.fluids = vec![FluidSurface::of(GAMMA)];
    world.tension.calibration = Calibration::Physical;
    world.tension.model = model;
    Ok(world)
}

/// Particles above the wall.
fn above(world: &World) -> f64 {
    let water = &world.particles.position[..world.fluid_count()];
    water.iter().filter(|p| p.y > WALL * H).count() as f64
}

fn run(report: &mut Report) -> Result<(), String> {
    let end = 8.0 * (RHO * (SMALL * H).powi(3) / GAMMA).sqrt();
    let left = |model: TensionModel| -> Result<f64, String> {
        let mut world = world(model)?;
        let before = above(&world);
        advance(&mut world, end, |_, _| ())?;
        Ok(above(&world) / before)
    };
    let energies = left(TensionModel::Probst2024)?;
    report.at_most("energies of interfaces: share of the small drop that is left", energies, 0.1);
    let pairwise = left(TensionModel::Pairwise)?;
    report.close("pairwise: share of the small drop that is left", pairwise, 1.0, 0.25);
    Ok(())
}
