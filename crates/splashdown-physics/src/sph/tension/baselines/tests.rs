//! What all models have in common, and what makes them differ.

use super::*;
use crate::diagnostics::surface_forces;
use crate::math::Dimension;
use crate::motion::Scalar;
use crate::sph::tension::{FluidSurface, TensionOrder, WallSurface};
use crate::world::World;
use crate::world::{Solid, Viscosity};

const H: f64 = 1e-3;

/// A lattice ball of `radius` h, its halves two fluids, with a row of wall particles below it if
/// `on_wall`.
fn drop(dimension: Dimension, radius: f64, model: TensionModel, on_wall: bool) -> World {
    let mut world = World::new(dimension, H);
    let reach = radius.ceil() as i32;
    let depth = if dimension == Dimension::Two { 0..=0 } else { -reach..=reach };
    let mut halves = [Vec::new(), Vec::new()];
    for (x, y) in (-reach..=reach).flat_map(|x| (-reach..=reach).map(move |y| (x, y))) {
        for z in depth.clone() {
            let p = DVec3::new(x.into(), y.into(), z.into());
            // Not quite a lattice, so that nothing cancels by symmetry.
            let shifted = p + 0.1
                * dimension.flatten(DVec3::from(p.to_array().map(|x| (3.1 * x + 0.3).sin())));
            if p.length() <= radius {
                halves[usize::from(x > 0)].push(shifted * H);
            }
        }
    }
    for (name, points) in ["water", "oil"].into_iter().zip(&halves) {
        world.add_fluid(name, 1000.0, Viscosity::default(), points, |_| DVec3::ZERO);
    }
    let wall = (-4..=4).map(|x| DVec3::new(f64::from(x), -radius - 1.0, 0.0) * H);
    if on_wall {
        world.add_solid(Solid::fixed("wall", wall.collect(), 0.0));
    }
    // κ of He et al. is a tension times a length.
    let unit = if model == TensionModel::He2015 { H } else { 1.0 };
    let tension = Scalar::Constant(0.07);
    for (fluid, tension) in world.fluids.iter_mut().zip([0.07, 0.05]) {
        fluid.surface = FluidSurface::of(tension * unit);
    }
    for solid in &mut world.solids {
        solid.wetting = WallSurface { dry: tension.clone(), ..WallSurface::NONE }.into();
    }
    world.tension.model = model;
    world
}

const MODELS: [TensionModel; 3] =
    [TensionModel::Pairwise, TensionModel::Akinci2013, TensionModel::He2015];

#[test]
fn momentum_is_kept_and_so_is_angular_momentum_where_forces_are_central() {
    for dimension in [Dimension::Two, Dimension::Three] {
        for model in MODELS {
            let mut world = drop(dimension, 3.0, model, true);
            let forces = surface_forces(&mut world).unwrap();
            let size: f64 = forces.fluid.iter().map(|f| f.length()).sum();
            let [force, moment] = forces.solids[0];
            assert!(size > 0.0 && force.length() > 0.0, "{model:?} {dimension:?}");
            let sum = forces.fluid.iter().sum::<DVec3>() + force;
            assert!(sum.length() < 1e-13 * size, "{model:?}: {sum}");
            if model != TensionModel::Akinci2013 {
                let turn = world.particles.position.iter().zip(&forces.fluid);
                let turn = turn.map(|(x, f)| x.cross(*f)).sum::<DVec3>() + moment;
                assert!(turn.length() < 1e-13 * size * 3.0 * H, "{model:?}: {turn}");
            }
        }
    }
}

#[test]
fn drops_are_pulled_together() {
    for dimension in [Dimension::Two, Dimension::Three] {
        for model in MODELS {
            let mut world = drop(dimension, 4.0, model, true);
            let forces = surface_forces(&mut world).unwrap();
            let outer = world.particles.position.iter().zip(&forces.fluid);
            let outer = outer.filter(|(x, _)| x.length() > 3.0 * H && x.y > -H);
            let inward: f64 = outer.map(|(x, f)| -x.normalize().dot(*f)).sum();
            assert!(inward > 0.0, "{model:?} {dimension:?}: {inward}");
        }
    }
}

#[test]
fn drops_hold_together_before_and_after_pressure() {
    for model in [TensionModel::Pairwise, TensionModel::Akinci2013, TensionModel::Probst2024] {
        for order in [TensionOrder::Before, TensionOrder::After] {
            let mut world = drop(Dimension::Two, 4.0, model, false);
            world.gravity = DVec3::ZERO;
            world.tension.order = order;
            for _ in 0..30 {
                world.step(f64::INFINITY).unwrap();
            }
            let water = &world.particles.position[..world.fluid_count()];
            let centre = water.iter().sum::<DVec3>() / water.len() as f64;
            let farthest = water.iter().map(|x| x.distance(centre)).fold(0.0, f64::max);
            assert!(farthest < 5.5 * H, "{model:?} {order:?}: {}", farthest / H);
            let speed = world.max_speed();
            assert!(speed > 0.0 && speed < 1.0, "{model:?} {order:?}: {speed} m/s");
        }
    }
}
