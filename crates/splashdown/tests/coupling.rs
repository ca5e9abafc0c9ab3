//! Rigid bodies and fluids together.

mod common;

use common::{Noise, lattice, tank};
use splashdown::body::{CouplingMethod, CouplingSolver};
use splashdown::math::{DVec3, Dimension, Pose};
use splashdown::output::totals::Totals;
use splashdown::shapes::Shape;
use splashdown::validate::build::body;
use splashdown::world::{
    BoundaryPressure, PressureSolver, Solid, SolveKind, TimeStep, Viscosity, World,
};

const H: f64 = 0.02;
const METHODS: [CouplingMethod; 3] =
    [CouplingMethod::Weak, CouplingMethod::Interlinked, CouplingMethod::Monolithic];

fn at(place: DVec3) -> Pose {
    Pose { translation: place, ..Pose::IDENTITY }
}

/// A block of fluid without gravity, with two boxes in it that fly into each other.
fn blob(dimension: Dimension, viscosity: Viscosity) -> World {
    let mut world = World::new(dimension, H);
    world.gravity = DVec3::ZERO;
    world.time_step = TimeStep::Fixed(1e-3);
    let mut noise = Noise::new(3);
    let shape = Shape::Box { half: DVec3::splat(2.5 * H) };
    let centres = [-3.0, 3.2].map(|x| dimension.flatten(DVec3::new(x, 0.3 * x, 0.1 * x) * H));
    let mut points = lattice(dimension, DVec3::splat(-9.0 * H), [18, 18, 18], H);
    points.iter_mut().for_each(|p| *p = dimension.flatten(*p));
    points.retain(|p| centres.iter().all(|c| shape.signed_distance(*p - *c, dimension) > 0.4 * H));
    world.add_fluid("water", 1000.0, viscosity, &points, |p| {
        dimension.flatten(DVec3::new(-p.y, p.x, 0.3 * p.x))
    });
    for (centre, density) in centres.into_iter().zip([200.0, 3000.0]) {
        let mut solid = body(&world, "box", &shape, density, at(centre)).unwrap();
        let rigid = solid.body_mut().unwrap();
        rigid.velocity = dimension.flatten(-12.0 * centre + 0.2 * noise.vector(dimension));
        let spin = if dimension == Dimension::Two { DVec3::Z } else { noise.vector(dimension) };
        rigid.angular_momentum = rigid.inertia * (3.0 * spin);
        world.add_solid(solid);
    }
    world
}

fn scale(world: &World) -> f64 {
    let n = world.fluid_count();
    let water: f64 = world.particles.velocity[..n].iter().map(|v| v.length()).sum();
    let of = |body: &splashdown::body::RigidBody| body.mass * body.velocity.length();
    let bodies: f64 = world.solids.iter().filter_map(|s| s.body()).map(of).sum();
    world.particle_mass(0) * water + bodies
}

#[test]
fn fluid_contact_and_friction_together_conserve_momentum() {
    let laplacian = Viscosity::laplacian(2.0, 2.0);
    for dimension in [Dimension::Two, Dimension::Three] {
        for method in METHODS {
            for (solver, boundary, viscosity) in [
                (PressureSolver::Dfsph, BoundaryPressure::Zero, laplacian),
                (PressureSolver::Iisph, BoundaryPressure::Mirrored, Viscosity::default()),
                (PressureSolver::Dfsph, BoundaryPressure::Extrapolated, Viscosity::default()),
            ] {
                let mut world = blob(dimension, viscosity);
                world.method.particles().coupling.method = method;
                (
                    world.method.particles().pressure.solver,
                    world.method.particles().pressure.boundary,
                ) = (solver, boundary);
                let (mut touched, mut worst) = (0, [0.0f64; 2]);
                for _ in 0..if dimension == Dimension::Two { 60 } else { 25 } {
                    let (before, size) = (Totals::of(&world), scale(&world));
                    let report = world.step(f64::INFINITY).unwrap();
                    touched += report.solve(SolveKind::Contact).active;
                    let after = Totals::of(&world);
                    let linear = (after.momentum - before.momentum).length() / size;
                    let turn = (after.angular_momentum - before.angular_momentum).length();
                    worst = [worst[0].max(linear), worst[1].max(turn / (9.0 * H * size))];
                }
                let case = format!("{dimension:?} {method:?} {solver:?} {boundary:?}: {worst:?}");
                println!("{case} {touched}");
                assert!(worst[0] < 1e-6, "{case}");
                // Viscosity of all components does not conserve angular momentum.
                if viscosity == Viscosity::NONE {
                    assert!(worst[1] < 1e-6, "{case}");
                }
                assert!(touched > 0 || dimension == Dimension::Three, "{case}: never met");
            }
        }
    }
}

/// Still water in a tank with a body of `ratio` times its density half way up.
fn pool(dimension: Dimension, shape: &Shape, ratio: f64) -> World {
    let mut world = World::new(dimension, H);
    let cells = [24, 22, 24];
    let centre = dimension.flatten(DVec3::new(12.0, 11.0, 12.0) * H);
    let mut points = lattice(dimension, DVec3::ZERO, cells, H);
    points.retain(|p| shape.signed_distance(*p - centre, dimension) > 0.4 * H);
    let viscosity = Viscosity::laplacian(1.0, 0.0);
    world.add_fluid("water", 1000.0, viscosity, &points, |_| DVec3::ZERO);
    world.add_solid(Solid::fixed("tank", tank(dimension, DVec3::ZERO, [24, 40, 24], H), 0.5 * H));
    world.add_solid(body(&world, "body", shape, 1000.0 * ratio, at(centre)).unwrap());
    world
}

#[test]
fn bodies_a_thousand_times_lighter_than_water_rise_and_float() {
    for ratio in [0.1, 0.01, 0.001] {
        let shape = Shape::Sphere { radius: 4.0 * H };
        let mut world = pool(Dimension::Two, &shape, ratio);
        world.time_step = TimeStep::Fixed(1e-3);
        let mut fastest: f64 = 0.0;
        while world.clock.time < 1.0 {
            world.step(1.0).unwrap();
            let n = world.fluid_count();
            let speeds = world.particles.velocity[..n].iter().map(|v| v.length());
            fastest = fastest.max(speeds.fold(0.0, f64::max));
        }
        let height = world.solids[1].pose.translation.y / H;
        assert!(height > 20.0, "ratio {ratio}: at {height} h");
        assert!(fastest < 6.0, "ratio {ratio}: {fastest} m/s");
    }
}

#[test]
fn worlds_with_bodies_have_the_same_bits_with_any_number_of_threads_and_after_a_restart() {
    let shape = Shape::Box { half: DVec3::splat(3.0 * H) };
    for (method, solver) in METHODS
        .into_iter()
        .map(|method| (method, CouplingSolver::Nncg))
        .chain([(CouplingMethod::Monolithic, CouplingSolver::NncgJacobi)])
    {
        let start = || {
            let mut world = pool(Dimension::Two, &shape, 1.5);
            (world.method.particles().coupling.method, world.method.particles().coupling.solver) =
                (method, solver);
            world
        };
        let run = |mut world: World, steps: usize, threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| (0..steps).for_each(|_| assert!(world.step(f64::INFINITY).is_ok())));
            world
        };
        let whole = run(start(), 120, 1);
        assert!(whole.export_state() == run(start(), 120, 3).export_state(), "{method:?}");
        let half = run(start(), 70, 2).export_state();
        let mut resumed = start();
        resumed.import_state(&half).unwrap();
        assert!(whole.export_state() == run(resumed, 50, 2).export_state(), "{method:?}");
    }
}
