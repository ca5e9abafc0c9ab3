//! A small and a large drop at the ends of a tube: the small one empties into the large one.

use super::{GAMMA, H, RHO};
use crate::math::{DVec3, Dimension, Pose};
use crate::shapes::{Face, Shape};
use crate::sph::tension::{FluidSurface, TensionModel};
use crate::validate::build::wall;
use crate::validate::run::advance;
use crate::validate::{Case, Cost, Report};
use crate::world::{PressureSolver, Viscosity, World};

pub(crate) const CASE: Case = Case {
    name: "two-drops",
    summary: "share of a small drop that is left after it was joined to a large one (2D)",
    source: "Young 1805; Probst & Teschner 2024, figure 15",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

/// Radii of the drops, in h.
const SMALL: f64 = 7.0;
const LARGE: f64 = 14.0;
/// Half the width and the length of the tube, in h.
const TUBE: [f64; 2] = [3.0, 4.0];

/// A tube along y about the origin with a drop at each end, through the corners of which its
/// outline goes.
fn world(model: TensionModel) -> Result<World, String> {
    let mut world = World::new(Dimension::Two, H);
    world.gravity = DVec3::ZERO;
    world.method.particles().pressure.solver = PressureSolver::Iisph;
    let [width, length] = TUBE;
    let mut points = Vec::new();
    let reach = 2 * LARGE as i32 + 6;
    for (x, y) in (-reach..reach).flat_map(|x| (-reach..reach).map(move |y| (x, y))) {
        let p = DVec3::new(f64::from(x) + 0.5, f64::from(y) + 0.5, 0.0);
        let radius = if p.y > 0.0 { SMALL } else { LARGE };
        let centre = length + (radius * radius - width * width).sqrt();
        let in_drop = p.y.abs() > length && p.x.hypot(p.y.abs() - centre) < radius;
        if in_drop || p.y.abs() < length && p.x.abs() < width {
            points.push(p * H);
        }
    }
    let viscosity = Viscosity::weiler2018(0.03, 0.0);
    world.add_fluid("water", RHO, viscosity, &points, |_| DVec3::ZERO);
    let half = DVec3::new(width, length, 1.0) * H;
    let shape = Shape::Tank { half, open: vec![Face::Top, Face::Bottom] };
    let mut tube = wall(&world, "tube", &shape, Pose::IDENTITY)?;
    tube.local = shape.sample_surface(H, 0.5 * H, Dimension::Two).map_err(|e| e.to_string())?;
    (tube.wetted_surface, tube.inset) = (Default::default(), 0.5 * H);
    world.add_solid(tube);
    world.fluids[0].surface = FluidSurface::of(GAMMA);
    world.tension.model = model;
    Ok(world)
}

/// Particles beyond the end of the tube at which the small drop is.
fn small_drop(world: &World) -> f64 {
    let water = &world.particles.position[..world.fluid_count()];
    water.iter().filter(|p| p.y > TUBE[1] * H).count() as f64
}

fn run(report: &mut Report) -> Result<(), String> {
    let left = |model: TensionModel| -> Result<f64, String> {
        let mut world = world(model)?;
        let before = small_drop(&world);
        advance(&mut world, 1.0, |_, _| ())?;
        Ok(small_drop(&world) / before)
    };
    let energies = left(TensionModel::Probst2024)?;
    report.at_most("energies of interfaces: share of the small drop that is left", energies, 0.1);
    let pairwise = left(TensionModel::Pairwise)?;
    report.close("pairwise: share of the small drop that is left", pairwise, 1.0, 0.25);
    Ok(())
}
