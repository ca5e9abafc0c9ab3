//! Bodies that fall, rest, swing and hit each other.

mod common;

use common::{G, at, floor, run, settings, substance};
use glam::DVec3;
use splashdown_solids::meshing::block;
use splashdown_solids::solids::{Hold, Integrator, Solids};
use splashdown_solids::step::{Outside, Workspace, step};

#[test]
fn a_cube_falls_and_comes_to_rest_on_the_floor() {
    let mut solids = Solids::default();
    let mesh = at(block(DVec3::splat(0.1), [2, 2, 2]), DVec3::new(0.0123, 0.1, 0.0));
    let cube = solids.add_body(&mesh, &substance(1e5), |_| DVec3::ZERO).unwrap();
    let floor = floor(&mut solids);
    let last = run(&mut solids, &settings(), G, 0.01, 80);
    // Weight 10 N.
    let force = last.forces[cube];
    assert!((force.y - 10.0).abs() < 0.1, "{force}");
    assert!((last.forces[floor] + force).length() < 1e-9);
    assert!(last.smallest_gap > 0.0 && last.smallest_gap < 2e-3, "{}", last.smallest_gap);
    assert!(solids.momentum(cube).length() < 1e-3);
    let (mass, centre) = solids.centre(cube);
    assert!((mass - 1.0).abs() < 1e-12);
    assert!((centre.x - 0.0123).abs() < 1e-4, "{centre}");
}

#[test]
fn a_body_that_nothing_touches_keeps_its_momentum() {
    let mut solids = Solids::default();
    let turn = |x: DVec3| DVec3::new(0.3, 0.1, -0.2) + DVec3::new(0.0, 0.0, 20.0).cross(x);
    let mesh = block(DVec3::new(0.2, 0.1, 0.1), [4, 2, 2]);
    let body = solids.add_body(&mesh, &substance(1e5), turn).unwrap();
    let before = solids.momentum(body);
    let settings = settings().with(|s| s.tolerance = 1e-9);
    let mut workspace = Workspace::default();
    for _ in 0..20 {
        step(
            &mut solids,
            &mut workspace,
            &settings,
            Outside { dt: 2e-3, gravity: DVec3::ZERO, force: &[], guests: None },
            |_| DVec3::ZERO,
        )
        .unwrap();
    }
    assert!(solids.momentum(body).distance(before) < 1e-10 * before.length());
}

#[test]
fn a_fast_ball_does_not_pass_a_thin_plate() {
    let mut solids = Solids::default();
    let plate = block(DVec3::new(0.4, 0.004, 0.4), [8, 1, 8]);
    let plate = solids.add_body(&plate, &substance(1e6), |_| DVec3::ZERO).unwrap();
    let held: Vec<usize> =
        (0..solids.rest.len()).filter(|&v| solids.rest[v].x.abs() > 0.19).collect();
    held.into_iter().for_each(|v| solids.hold[v] = Hold::Fixed);
    let mesh = at(block(DVec3::splat(0.08), [2, 2, 2]), DVec3::new(0.01, 0.06, 0.02));
    let ball = solids.add_body(&mesh, &substance(1e5), |_| DVec3::new(0.0, -100.0, 0.0)).unwrap();
    let settings = settings().with(|s| {
        s.tolerance = 1e-2;
        s.max_iterations = 500;
    });
    let mut workspace = Workspace::default();
    for k in 0..4 {
        step(
            &mut solids,
            &mut workspace,
            &settings,
            Outside { dt: 1e-3, gravity: G, force: &[], guests: None },
            |_| DVec3::ZERO,
        )
        .unwrap_or_else(|e| panic!("step {k}: {e}"));
    }
    let lowest = |body: usize| {
        let vertices = solids.bodies[body].vertices.clone();
        solids.position[vertices].iter().map(|p| p.y).fold(f64::INFINITY, f64::min)
    };
    // It flies on, in a bag.
    assert!(
        lowest(ball) < -0.1 && lowest(plate) < lowest(ball),
        "{} {}",
        lowest(plate),
        lowest(ball)
    );
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let bits = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut solids = Solids::default();
            for k in 0..3 {
                let place = DVec3::new(0.02 * f64::from(k), 0.06 + 0.11 * f64::from(k), 0.0);
                let mesh = at(block(DVec3::splat(0.1), [2, 2, 2]), place);
                solids.add_body(&mesh, &substance(2e4), |_| DVec3::ZERO).unwrap();
            }
            floor(&mut solids);
            run(&mut solids, &settings(), G, 0.01, 15);
            solids.position
        })
    };
    assert_eq!(bits(1), bits(3));
}

#[test]
fn driven_ends_twist_a_bar() {
    let mut solids = Solids::default();
    let mesh = block(DVec3::new(0.3, 0.06, 0.06), [10, 2, 2]);
    solids.add_body(&mesh, &substance(1e5), |_| DVec3::ZERO).unwrap();
    for v in 0..solids.rest.len() {
        if solids.rest[v].x.abs() > 0.149 {
            solids.hold[v] = Hold::Driven;
        }
    }
    let rest = solids.rest.clone();
    let mut workspace = Workspace::default();
    let settings = settings().with(|s| s.tolerance = 1e-3);
    for k in 1..=40 {
        let angle = 0.08 * f64::from(k);
        let target = |v: u32| {
            let p = rest[v as usize];
            glam::DQuat::from_rotation_x(angle * p.x.signum()) * p
        };
        let report = step(
            &mut solids,
            &mut workspace,
            &settings,
            Outside { dt: 0.01, gravity: DVec3::ZERO, force: &[], guests: None },
            target,
        )
        .unwrap();
        assert!(report.lag < 1e-5, "{}", report.lag);
    }
}

/// T = 2π √(I / M g d): a rigid bar that turns about an edge in the middle of its upper end.
#[test]
fn a_rigid_bar_that_is_held_by_an_edge_is_a_pendulum() {
    let mut solids = Solids::default();
    let (length, g) = (0.2, 10.0);
    let mesh = at(block(DVec3::new(0.02, length, 0.02), [2, 4, 1]), -0.5 * length * DVec3::Y);
    let push = |x: DVec3| DVec3::new(0.0, 0.0, 0.3).cross(x);
    let bar = solids.add_rigid(&mesh, None, &substance(1e7), push).unwrap();
    let pivot: Vec<usize> = (0..mesh.vertices.len())
        .filter(|&v| solids.rest[v].x.abs() < 1e-9 && solids.rest[v].y > -1e-9)
        .collect();
    assert_eq!(pivot.len(), 2);
    pivot.iter().for_each(|&v| solids.hold[v] = Hold::Driven);
    let (mass, centre) = solids.centre(bar);
    let inertia: f64 =
        (solids.mass.iter().zip(&solids.rest)).map(|(m, x)| m * (x.x * x.x + x.y * x.y)).sum();
    let half_period = std::f64::consts::PI * (inertia / (mass * g * -centre.y)).sqrt();

    let rest = solids.rest.clone();
    let settings = settings().with(|s| {
        s.tolerance = 1e-7;
        s.integrator = Integrator::Bdf2;
    });
    let mut workspace = Workspace::default();
    let dt = half_period / 60.0;
    let mut last = 0.0;
    for k in 1.. {
        step(
            &mut solids,
            &mut workspace,
            &settings,
            Outside { dt, gravity: G, force: &[], guests: None },
            |v| rest[v as usize],
        )
        .unwrap();
        let now = solids.centre(bar).1.x;
        if k > 10 && now * last <= 0.0 {
            let back = dt * (f64::from(k) - now / (now - last));
            assert!((back / half_period - 1.0).abs() < 0.01, "{back} {half_period}");
            break;
        }
        assert!(k < 80, "it does not swing back");
        last = now;
    }
    assert!(pivot.iter().all(|&v| solids.position[v].distance(rest[v]) < 1e-6));
}
