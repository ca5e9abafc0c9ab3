//! Newton's third law: what pressure gives to one it takes from another.

mod common;

use common::{Noise, dam_break, lattice, momentum, momentum_scale};
use splashdown::math::{DVec3, Dimension};
use splashdown::world::{BoundaryPressure, PressureSolver, Viscosity, World};

#[test]
fn pressure_forces_conserve_momentum() {
    for solver in [PressureSolver::Dfsph, PressureSolver::Variational] {
        two_drops_keep_their_momentum(solver);
    }
}

/// The variational fluid is where conjugate gradients have come, to 10⁻⁴ of the residual.
const OF_SOLVE: f64 = 1e-4;

fn two_drops_keep_their_momentum(solver: PressureSolver) {
    for dimension in [Dimension::Two, Dimension::Three] {
        let h = 0.02;
        let mut noise = Noise::new(3);
        let mut world = World::new(dimension, h);
        world.gravity = DVec3::ZERO;
        world.method.particles().pressure.solver = solver;
        for (k, density) in [1000.0, 500.0].into_iter().enumerate() {
            let corner = DVec3::new(k as f64 * 12.0 * h, 0.0, 0.0);
            let mut points = lattice(dimension, corner, [12, 16, 8], h);
            points.iter_mut().for_each(|p| *p = *p * 0.97 + 0.2 * h * noise.vector(dimension));
            let mut noise = Noise::new(7);
            let velocities: Vec<DVec3> = points.iter().map(|_| noise.vector(dimension)).collect();
            let at = |p: DVec3| velocities[points.iter().position(|q| *q == p).unwrap()];
            world.add_fluid("drop", density, Viscosity::default(), &points, at);
        }
        for step in 0..20 {
            let (before, scale) = (momentum(&world), momentum_scale(&world));
            world.step(f64::INFINITY).unwrap();
            let change = (momentum(&world) - before).length() / scale;
            let limit = if solver == PressureSolver::Variational { OF_SOLVE } else { 1e-6 };
            assert!(change < limit, "{dimension:?}, step {step}: {change:e}");
        }
    }
}

#[test]
fn walls_feel_what_they_take_from_the_fluid() {
    for dimension in [Dimension::Two, Dimension::Three] {
        for boundary in
            [BoundaryPressure::Zero, BoundaryPressure::Mirrored, BoundaryPressure::Extrapolated]
        {
            let all = [PressureSolver::Dfsph, PressureSolver::Iisph, PressureSolver::Variational];
            for solver in all {
                let mut world = dam_break(dimension, DVec3::ZERO, 0.04, [10, 14, 6], [20, 20, 6]);
                world.method.particles().pressure.boundary = boundary;
                world.method.particles().pressure.solver = solver;
                let mass = world.particle_mass(0) * world.fluid_count() as f64;
                for _ in 0..60 {
                    let before = momentum(&world);
                    let report = world.step(f64::INFINITY).unwrap();
                    let gravity = mass * report.dt * world.gravity;
                    let by_walls = momentum(&world) - before - gravity;
                    let load = report.loads.solids[0].pressure;
                    let error = (by_walls + load).length() / gravity.length();
                    let limit = if solver == PressureSolver::Variational { OF_SOLVE } else { 1e-5 };
                    assert!(error < limit, "{dimension:?} {boundary:?} {solver:?}: {error:e}");
                }
            }
        }
    }
}
