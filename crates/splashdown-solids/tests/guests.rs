//! Particles that take part in the steps of bodies.

mod common;

use common::{G, floor, settings, substance};
use glam::{DVec2, DVec3};
use splashdown_solids::guests::{Guest, GuestSettings, Guests, Linear, Sum};
use splashdown_solids::membrane::Sheet;
use splashdown_solids::meshing::sheet;
use splashdown_solids::solids::{Hold, Settings, Solids};
use splashdown_solids::step::{Failure, Outside, Report, Workspace, step};
use splashdown_solids::verify::Violation;

const DT: f64 = 1e-3;
const MASS: f64 = 1e-3;
const REACH: f64 = 5e-3;

/// Particles in free flight, but for what they meet.
struct Swarm {
    place: Vec<DVec3>,
    velocity: Vec<DVec3>,
    friction: f64,
    press: f64,
    linear: Linear,
    workspace: Workspace,
}

impl Swarm {
    fn at(place: Vec<DVec3>, velocity: DVec3) -> Swarm {
        let velocity = vec![velocity; place.len()];
        let (linear, workspace) = (Linear::Schur, Workspace::default());
        Swarm { place, velocity, friction: 0.0, press: 0.0, linear, workspace }
    }

    fn advance(&mut self, solids: &mut Solids, settings: &Settings, gravity: DVec3) -> Report {
        let guest = |(&position, &v): (&DVec3, &DVec3)| {
            let goal = position + DT * v + DT * DT * gravity;
            let (friction, press) = (self.friction, self.press);
            Guest { position, goal, mass: MASS, area: 1e-4, friction, press }
        };
        let all: Vec<Guest> = self.place.iter().zip(&self.velocity).map(guest).collect();
        let (sum, linear) = (Sum::Exclusion, self.linear);
        let barrier =
            GuestSettings { reach: REACH, friction_reach: 0.0, stiffness: 1e3, sum, linear };
        let guests = Some(Guests { all: &all, settings: barrier, start: None });
        let outside = Outside { dt: DT, gravity, force: &[], guests };
        let report = step(solids, &mut self.workspace, settings, outside, |_| DVec3::ZERO)
            .unwrap_or_else(|e| panic!("{e}: {e:?}"));
        for (k, &new) in report.guests.iter().enumerate() {
            self.velocity[k] = (new - self.place[k]) / DT;
            self.place[k] = new;
        }
        report
    }

    fn momentum(&self) -> DVec3 {
        MASS * self.velocity.iter().sum::<DVec3>()
    }
}

/// Tight enough for forces of a thousandth.
fn tight() -> Settings {
    settings().with(|s| (s.tolerance, s.force_tolerance) = (1e-5, 1e-4))
}

/// A sheet of 0.2 m that is 1 mm thick.
fn cloth(density: f64) -> Solids {
    let mesh = sheet(DVec2::splat(0.2), 0.04);
    let upright = |v: &DVec3| DVec3::new(v.x, v.z, -v.y);
    let vertices: Vec<DVec3> = mesh.vertices.iter().map(upright).collect();
    let matter = splashdown_solids::bodies::Substance { density, ..substance(1e6) };
    let mut solids = Solids::default();
    let (triangles, kind) = (&mesh.triangles[..], (Sheet::NeoHookean, 1e-3));
    solids.add_shell((&vertices, triangles), &matter, kind, |_| DVec3::ZERO).unwrap();
    solids
}

#[test]
fn a_floor_carries_the_weight_of_what_rests_on_it() {
    let mut solids = Solids::default();
    let ground = floor(&mut solids);
    let places = (0..20).map(|k| DVec3::new(0.013 * f64::from(k), 0.9 * REACH, 0.1)).collect();
    let mut swarm = Swarm::at(places, DVec3::ZERO);
    let mut last = Report::default();
    for _ in 0..300 {
        last = swarm.advance(&mut solids, &tight(), G);
    }
    let on_ground: DVec3 = last.guest_forces[solids.bodies[ground].vertices.clone()].iter().sum();
    let share = on_ground.y / (20.0 * MASS * G.y);
    assert!((share - 1.0).abs() < 1e-3, "{share}");
    assert!(last.guest_contacts == 20 && last.guest_gap > 0.0 && last.guest_gap < REACH);
    assert!(on_ground.x.abs() < 1e-9 * on_ground.y.abs());
}

#[test]
fn what_is_thrown_at_a_fixed_sheet_stays_in_front() {
    let mut solids = cloth(1000.0);
    solids.hold.fill(Hold::Fixed);
    let place = |k: i32| DVec3::new(0.017 * f64::from(k % 5), 0.05 + 0.01 * f64::from(k), 0.011);
    let mut swarm = Swarm::at((0..10).map(place).collect(), -100.0 * DVec3::Y);
    for _ in 0..30 {
        let report = swarm.advance(&mut solids, &settings(), DVec3::ZERO);
        assert!(report.guests.iter().all(|x| x.y > 0.5e-3), "{report:?}");
    }
}

#[test]
fn a_light_free_sheet_takes_the_momentum_of_what_falls_on_it() {
    for linear in [Linear::Schur, Linear::Whole] {
        let mut solids = cloth(200.0);
        let place =
            |k: i32| DVec3::new(0.011 * f64::from(k % 4), 3e-3 + 4e-3 * f64::from(k / 4), 0.007);
        let mut swarm = Swarm::at((0..20).map(place).collect(), -DVec3::Y);
        (swarm.linear, swarm.friction) = (linear, 0.3);
        let before = swarm.momentum();
        let mut exchanged = 0.0f64;
        for k in 0..20 {
            swarm.advance(&mut solids, &settings(), DVec3::ZERO);
            let of_sheet = solids.momentum(0);
            exchanged = exchanged.max(of_sheet.length());
            let lost = (swarm.momentum() + of_sheet - before).length();
            assert!(lost < 1e-10 * before.length(), "{linear:?} step {k}: {lost}");
        }
        assert!(exchanged > 0.1 * before.length(), "{exchanged}");
    }
}

/// Speed down a slope after 0.2 s.
fn slid(friction: f64, press: f64) -> f64 {
    let mut solids = Solids::default();
    floor(&mut solids);
    let angle = f64::to_radians(30.0);
    let gravity = 10.0 * DVec3::new(angle.sin(), -angle.cos(), 0.0);
    let mut swarm = Swarm::at(vec![DVec3::new(0.1, 0.9 * REACH, 0.2)], DVec3::ZERO);
    // It comes to rest on the floor before it may slide.
    for _ in 0..200 {
        swarm.advance(&mut solids, &tight(), gravity.with_x(0.0));
    }
    (swarm.friction, swarm.press) = (friction, press);
    for _ in 0..200 {
        swarm.advance(&mut solids, &tight(), gravity);
    }
    swarm.velocity[0].x
}

#[test]
fn guests_slide_as_coulomb_says_and_stick_on_gentle_slopes() {
    let (sine, cosine) = f64::to_radians(30.0).sin_cos();
    let expected = 10.0 * (sine - 0.3 * cosine) * 0.2;
    let speed = slid(0.3, 0.0);
    assert!((speed / expected - 1.0).abs() < 0.01, "{speed} instead of {expected}");
    // What presses a guest counts: as much as its weight here.
    let expected = 10.0 * (sine - 2.0 * 0.15 * cosine) * 0.2;
    let speed = slid(0.15, 10.0 * cosine * MASS);
    assert!((speed / expected - 1.0).abs() < 0.01, "{speed} instead of {expected}");
    assert!(slid(0.65, 0.0).abs() < 1e-3, "tan 30° is 0.577");
}

#[test]
fn one_thread_and_two_find_the_same_bits() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut solids = cloth(100.0);
            let place = |k: i32| {
                DVec3::new(0.011 * f64::from(k % 8) - 0.05, 3e-3 + 4e-3 * f64::from(k / 8), 0.007)
            };
            let mut swarm = Swarm::at((0..64).map(place).collect(), -DVec3::Y);
            swarm.friction = 0.3;
            for _ in 0..8 {
                swarm.advance(&mut solids, &settings(), G);
            }
            (swarm.place, solids.position)
        })
    };
    assert_eq!(run(1), run(2));
}

/// Beginning where all is expected finds the same minimum, in no more iterations.
#[test]
fn a_start_that_is_expected_changes_no_result() {
    let run = |is_expected: bool| {
        let mut solids = cloth(200.0);
        let fall: Vec<DVec3> = solids.position.iter().map(|x| *x + DT * DT * G).collect();
        let guest = |k: i32| {
            let position = DVec3::new(0.011 * f64::from(k), 3e-3, 0.007);
            let goal = position - DT * DVec3::Y;
            Guest { position, goal, mass: MASS, area: 1e-4, friction: 0.2, press: 0.0 }
        };
        let all: Vec<Guest> = (0..5).map(guest).collect();
        let (sum, linear) = (Sum::Exclusion, Linear::Schur);
        let barrier =
            GuestSettings { reach: REACH, friction_reach: 0.0, stiffness: 1e3, sum, linear };
        let start = is_expected.then_some(&fall[..]);
        let guests = Some(Guests { all: &all, settings: barrier, start });
        let outside = Outside { dt: DT, gravity: G, force: &[], guests };
        let settings = settings().with(|s| (s.tolerance, s.force_tolerance) = (1e-8, 1e-8));
        let mut workspace = Workspace::default();
        let report = step(&mut solids, &mut workspace, &settings, outside, |_| DVec3::ZERO);
        (report.unwrap(), solids.position)
    };
    let ((stays, x), (expected, y)) = (run(false), run(true));
    assert!(expected.iterations <= stays.iterations, "{expected:?} {stays:?}");
    let apart =
        |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(apart(&x, &y) < 1e-10 && apart(&stays.guests, &expected.guests) < 1e-10);
}

#[test]
fn a_guest_that_begins_behind_the_thickness_of_a_sheet_is_told() {
    let mut solids = cloth(200.0);
    let position = DVec3::new(0.01, 0.2e-3, 0.01);
    let guest =
        Guest { position, goal: position, mass: MASS, area: 1e-4, friction: 0.0, press: 0.0 };
    let (sum, linear) = (Sum::Exclusion, Linear::Schur);
    let barrier = GuestSettings { reach: REACH, friction_reach: 0.0, stiffness: 1e3, sum, linear };
    let guests = Some(Guests { all: &[guest], settings: barrier, start: None });
    let outside = Outside { dt: DT, gravity: G, force: &[], guests };
    let found = step(&mut solids, &mut Workspace::default(), &settings(), outside, |_| DVec3::ZERO);
    assert!(matches!(found, Err(Failure::Violation(Violation::Passage([0, _])))), "{found:?}");
}
