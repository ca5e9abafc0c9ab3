//! Shells, rods, particles and rigid bodies that fall, rest, spin and swing.

mod common;

use common::{G, at, floor, run, settings, substance};
use glam::{DVec2, DVec3};
use splashdown_solids::bodies::Substance;
use splashdown_solids::membrane::Sheet;
use splashdown_solids::meshing::{TetMesh, block, sheet};
use splashdown_solids::solids::{Integrator, Solids};
use splashdown_solids::step::{Outside, Workspace, step};

fn cube(side: f64, centre: DVec3) -> TetMesh {
    at(block(DVec3::splat(side), [1, 1, 1]), centre)
}

#[test]
fn a_rigid_cube_comes_to_rest_and_weighs_what_it_should() {
    let mut solids = Solids::default();
    let mesh = cube(0.1, DVec3::new(0.01, 0.08, 0.0));
    let body = solids.add_rigid(&mesh, None, &substance(1e7), |_| DVec3::ZERO).unwrap();
    floor(&mut solids);
    let last = run(&mut solids, &settings(), G, 0.01, 60);
    assert!((last.forces[body].y - 10.0).abs() < 0.05, "{}", last.forces[body]);
    // It is still a cube.
    let x = &solids.position;
    let edge = x[0].distance(x[1]);
    assert!((edge - 0.1).abs() < 1e-5, "{edge}");
}

#[test]
fn a_rigid_body_in_free_flight_keeps_momentum_and_spin() {
    let mut solids = Solids::default();
    let spin = DVec3::new(0.0, 3.0, 0.0);
    let thrown = |x: DVec3| DVec3::new(1.0, 0.5, 0.0) + spin.cross(x);
    let mut mesh = block(DVec3::new(0.2, 0.1, 0.1), [2, 1, 1]);
    mesh.vertices.iter_mut().for_each(|v| *v += 0.001);
    let body = solids.add_rigid(&mesh, None, &substance(1e7), thrown).unwrap();
    let angular = |solids: &Solids| -> DVec3 {
        let centre = solids.centre(body).1;
        let each =
            |v: usize| solids.mass[v] * (solids.position[v] - centre).cross(solids.velocity[v]);
        solids.bodies[body].vertices.clone().map(each).sum()
    };
    let (before, turning) = (solids.momentum(body), angular(&solids));
    let settings = settings().with(|s| {
        s.integrator = Integrator::Bdf2;
        s.tolerance = 1e-9;
        s.verify = false;
    });
    run(&mut solids, &settings, DVec3::ZERO, 2e-3, 100);
    assert!(solids.momentum(body).distance(before) < 1e-9 * before.length());
    let kept = angular(&solids).y / turning.y;
    assert!((kept - 1.0).abs() < 0.01, "{kept}");
}

#[test]
fn a_rigid_body_tells_its_inertia_its_rotation_and_its_momenta() {
    let mut solids = Solids::default();
    let spin = DVec3::new(0.0, 3.0, 0.0);
    let middle = DVec3::new(0.3, 0.3, 0.1);
    let thrown = |x: DVec3| DVec3::new(1.0, 0.5, 0.0) + spin.cross(x - middle);
    let size = DVec3::new(0.2, 0.1, 0.1);
    let mesh = at(block(size, [16, 8, 8]), middle);
    let body = solids.add_rigid(&mesh, None, &substance(1e8), thrown).unwrap();
    floor(&mut solids);
    assert_eq!(solids.rigid_motion(body + 1), None, "an obstacle");
    let start = solids.rigid_motion(body).unwrap();
    // Masses at vertices are farther out than they are in the cells: by 2/n² of n cells, 1/32 at
    // most here.
    let exact = start.mass / 12.0 * (size.x * size.x + size.z * size.z);
    let found = start.inertia.y_axis.y / exact;
    assert!((1.0..1.0 + 1.0 / 32.0).contains(&found), "{found}");
    assert!(start.centre.distance(middle) < 1e-12 && start.rotation.is_near_identity());
    let turning = start.inertia.y_axis.y * 3.0;
    assert!((start.angular_momentum.y / turning - 1.0).abs() < 1e-9);

    let settings = settings().with(|s| {
        s.integrator = Integrator::Bdf2;
        s.tolerance = 1e-9;
        s.verify = false;
    });
    run(&mut solids, &settings, DVec3::ZERO, 2e-3, 50);
    let end = solids.rigid_motion(body).unwrap();
    let turned = end.rotation.to_scaled_axis();
    assert!(turned.distance(0.1 * spin) < 0.01, "{turned}");
    assert!(end.centre.distance(middle + DVec3::new(0.1, 0.05, 0.0)) < 1e-6, "{}", end.centre);
    assert!(end.velocity.distance(DVec3::new(1.0, 0.5, 0.0)) < 1e-6, "{}", end.velocity);
}

#[test]
fn a_cloth_falls_over_a_cube_and_lies_on_it() {
    let mut solids = Solids::default();
    let mut mesh = sheet(DVec2::splat(0.3), 0.05);
    let place = |v: DVec3| DVec3::new(v.y, 0.12, v.x);
    mesh.vertices.iter_mut().for_each(|v| *v = place(*v));
    let parts = (&mesh.vertices[..], &mesh.triangles[..]);
    let cloth =
        solids.add_shell(parts, &substance(1e5), (Sheet::NeoHookean, 1e-3), |_| DVec3::ZERO);
    let cloth = cloth.unwrap();
    let below = cube(0.1, DVec3::new(0.003, 0.06, 0.002));
    solids.add_rigid(&below, None, &substance(1e7), |_| DVec3::ZERO).unwrap();
    floor(&mut solids);
    run(&mut solids, &settings(), G, 0.01, 30);
    let heights = solids.position[solids.bodies[cloth].vertices.clone()].iter().map(|p| p.y);
    let (low, high) = heights.fold((1.0, 0.0), |(l, h), y| (f64::min(l, y), f64::max(h, y)));
    assert!(high > 0.109, "it lies on the cube: {high}");
    assert!(low < 0.07 && low > 0.0, "its sides hang down: {low}");
}

#[test]
fn crossed_rods_and_loose_balls_rest_on_each_other_at_their_thickness() {
    let mut solids = Solids::default();
    let line = |y: f64, along: DVec3| -> Vec<DVec3> {
        (0..=10).map(|k| DVec3::Y * y + along * 0.03 * (f64::from(k) - 5.0)).collect()
    };
    let segments: Vec<[u32; 2]> = (0..10).map(|k| [k, k + 1]).collect();
    let radius = 0.006;
    for (y, along) in [(0.012, DVec3::X), (0.03, DVec3::Z)] {
        let points = line(y, along);
        let rod = (&points[..], &segments[..]);
        solids.add_rod(rod, &substance(1e8), radius, |_| DVec3::ZERO).unwrap();
    }
    let centres = [DVec3::new(0.3, 0.012, 0.0), DVec3::new(0.301, 0.03, 0.0)];
    solids.add_particles(&centres, &substance(1e6), 0.008, |_| DVec3::ZERO);
    floor(&mut solids);
    run(&mut solids, &settings(), G, 0.01, 40);
    let [low, high] = [5, 16].map(|v| solids.position[v].y);
    assert!(low > radius && low < radius + 2e-3, "{low}");
    assert!(high - low > 2.0 * radius && high - low < 2.0 * radius + 3e-3, "{}", high - low);
    let apart = solids.position[22].distance(solids.position[23]);
    assert!(apart > 0.016, "{apart}");
}

/// u″ + ω² τ u′ + ω² u = 0 dies away as exp(−ω² τ t / 2).
#[test]
fn kelvin_voigt_damping_dies_away_at_its_rate() {
    let swing = |damping: f64| {
        let mut solids = Solids::default();
        let mesh = block(DVec3::new(0.4, 0.05, 0.05), [8, 1, 1]);
        let matter = Substance { damping, ..substance(1e5) };
        let stretch =
            |x: DVec3| DVec3::new(0.05 * (std::f64::consts::PI * x.x / 0.4).sin(), 0.0, 0.0);
        let body = solids.add_body(&mesh, &matter, stretch).unwrap();
        let settings = settings().with(|s| {
            s.integrator = Integrator::Bdf2;
            s.tolerance = 1e-7;
            s.verify = false;
        });
        let mut workspace = Workspace::default();
        let energy = |s: &Solids| s.kinetic_energy(body) + s.elastic_energy(body);
        let before = energy(&solids);
        // About one period of the bar, f = c / 2 L = 12.5 Hz.
        for _ in 0..160 {
            step(
                &mut solids,
                &mut workspace,
                &settings,
                Outside { dt: 5e-4, gravity: DVec3::ZERO, force: &[], guests: None },
                |_| DVec3::ZERO,
            )
            .unwrap();
        }
        (energy(&solids) / before).ln()
    };
    let tau = 1e-3;
    // Over the loss of the method itself. Energy goes as the square: ω² τ t.
    let lost = swing(0.0) - swing(tau);
    let omega = std::f64::consts::TAU * 12.5;
    let expected = omega * omega * tau * 0.08;
    assert!((lost / expected - 1.0).abs() < 0.1, "{}", lost / expected);
}

#[test]
fn conjugate_gradients_lead_to_the_same_place() {
    let fall = |direct_limit: usize| {
        let mut solids = Solids::default();
        let mut mesh = block(DVec3::splat(0.1), [2, 2, 2]);
        mesh.vertices.iter_mut().for_each(|v| v.y += 0.06);
        solids.add_body(&mesh, &substance(1e5), |_| DVec3::ZERO).unwrap();
        floor(&mut solids);
        run(&mut solids, &settings().with(|s| s.direct_limit = direct_limit), G, 0.01, 15);
        solids.position
    };
    let pairs = fall(usize::MAX).into_iter().zip(fall(0));
    let apart = pairs.map(|(a, b)| a.distance(b)).fold(0.0, f64::max);
    assert!(apart < 1e-4, "{apart}");
}

#[test]
fn a_locked_axis_does_not_move() {
    let mut solids = Solids::default();
    let mesh = block(DVec3::new(0.2, 0.1, 0.1), [2, 1, 1]);
    solids.add_body(&mesh, &substance(1e5), |_| DVec3::ZERO).unwrap();
    solids.locked.fill([false, true, false]);
    run(&mut solids, &settings(), DVec3::new(1.0, -10.0, 0.0), 0.01, 10);
    let fallen = solids.rest.iter().zip(&solids.position).map(|(r, x)| (r.y - x.y).abs());
    assert_eq!(fallen.fold(0.0, f64::max), 0.0);
    assert!(solids.velocity[0].x > 0.09);
}
