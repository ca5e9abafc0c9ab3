//! The number of threads changes nothing: not one bit.

mod common;

use common::dam_break;
use splashdown::math::{DVec3, Dimension};
use splashdown::world::{BoundaryPressure, Loads, PressureSolver, World};

/// The whole state after 100 steps with this many threads, and what they did to solids.
fn run(mut world: World, threads: usize) -> (World, Loads) {
    let mut loads = Loads::default();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        for _ in 0..100 {
            loads.add(&world.step(f64::INFINITY).unwrap().loads);
        }
    });
    (world, loads)
}

/// Bits of everything that is state, and of the loads.
fn bits((world, loads): &(World, Loads)) -> Vec<u64> {
    let p = &world.particles;
    let mut bits = Vec::new();
    let mut doubles = |v: &DVec3| bits.extend(v.to_array().map(f64::to_bits));
    p.position.iter().for_each(&mut doubles);
    p.velocity.iter().for_each(&mut doubles);
    world.solids.iter().for_each(|solid| solid.local.iter().for_each(&mut doubles));
    for load in &loads.solids {
        [load.pressure, load.viscous, load.pressure_moment, load.viscous_moment]
            .iter()
            .for_each(&mut doubles);
    }
    bits.extend(p.id.iter().map(|&id| u64::from(id)));
    for array in [&p.weight, &p.density, &p.pressure, &p.divergence_pressure] {
        bits.extend(array.iter().map(|x| u64::from(x.to_bits())));
    }
    bits.extend([world.clock.time.to_bits(), world.clock.dt.to_bits(), world.clock.step]);
    bits
}

fn check(make: impl Fn() -> World) {
    let one = bits(&run(make(), 1));
    for threads in [2, 3, 8] {
        assert!(one == bits(&run(make(), threads)), "{threads} threads give another result");
    }
}

#[test]
fn a_3d_dam_break_has_the_same_bits_with_any_number_of_threads() {
    check(|| {
        dam_break(Dimension::Three, DVec3::new(0.3, 0.1, -0.2), 0.05, [14, 16, 12], [30, 20, 12])
    });
}

#[test]
fn a_2d_dam_break_has_the_same_bits_with_any_number_of_threads() {
    let zero = (PressureSolver::Dfsph, BoundaryPressure::Zero);
    let extrapolated = (PressureSolver::Iisph, BoundaryPressure::Extrapolated);
    let variational = (PressureSolver::Variational, BoundaryPressure::Zero);
    for (solver, boundary) in [zero, extrapolated, variational] {
        check(|| {
            let corner = DVec3::new(-0.1, 0.0, 0.0);
            let mut world = dam_break(Dimension::Two, corner, 0.01, [30, 60, 1], [120, 80, 1]);
            world.method.particles().pressure.solver = solver;
            world.method.particles().pressure.boundary = boundary;
            world
        });
    }
}
