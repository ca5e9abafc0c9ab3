//! Friction where steps are solved no more exactly than usual.

mod common;

use common::{G, at, floor, run, settings, substance};
use glam::DVec3;
use splashdown_solids::barrier::Gap;
use splashdown_solids::bodies::Substance;
use splashdown_solids::meshing::block;
use splashdown_solids::solids::{Integrator, Settings, Solids};

const MU: f64 = 0.3;
const DT: f64 = 5e-3;
const SPEED: f64 = 1.5;
const REACH: f64 = 5e-3;

/// What a scene of this size has that sets nothing.
fn usual(young: f64) -> Settings {
    let gap = Gap { reach: REACH, thickness: 0.0 };
    let integrator = Integrator::Bdf2;
    settings().with(|s| {
        s.gap = gap;
        s.stiffness = 0.1 * young;
        s.tolerance = 2.5e-3;
        s.integrator = integrator;
    })
}

/// A box that slides, `gap` above a floor.
fn sliding(young: f64, gap: f64) -> Solids {
    let mut solids = Solids::default();
    let mesh = at(block(DVec3::new(0.2, 0.1, 0.2), [2, 1, 2]), DVec3::new(0.0, 0.05 + gap, 0.0));
    let matter = Substance { friction: MU, ..substance(young) };
    solids.add_body(&mesh, &matter, |_| SPEED * DVec3::X).unwrap();
    floor(&mut solids);
    solids.friction.fill(MU);
    solids
}

/// With the move of a Newton iteration alone to judge by, a box of 1 GPa stops after a quarter of
/// the way, under twice its weight.
#[test]
fn soft_and_stiff_boxes_slide_as_far_as_coulomb_says_and_are_carried_by_their_weight() {
    for young in [1e6, 1e9] {
        let mut solids = sliding(young, REACH);
        let stops = SPEED / (MU * G.length());
        let last = run(&mut solids, &usual(young), G, DT, (0.6 * stops / DT) as u32);
        assert!((last.forces[0].y / 40.0 - 1.0).abs() < 0.02, "{young}: {}", last.forces[0]);
        run(&mut solids, &usual(young), G, DT, (0.8 * stops / DT) as u32);
        let (way, expected) = (solids.centre(0).1.x, SPEED * SPEED / (2.0 * MU * G.length()));
        assert!((way / expected - 1.0).abs() < 0.02, "{young}: {way} instead of {expected}");
    }
}

/// Friction of its first step belongs to the push of that step, not to the one that the barrier
/// began with, which is hundreds of times its weight.
#[test]
fn a_box_that_starts_within_reach_of_the_floor_is_held_back_by_what_pushes_it() {
    for gap in [0.2, 0.5, 0.8] {
        let mut solids = sliding(1e6, gap * REACH);
        run(&mut solids, &usual(1e6), G, DT, 1);
        let speed = solids.momentum(0) / solids.centre(0).0;
        let expected = MU * (speed.y - DT * G.y);
        let lost = SPEED - speed.x;
        assert!((lost / expected - 1.0).abs() < 0.1, "{gap}: {lost} instead of {expected}");
    }
}

/// Half a metre per second down, and what friction makes of it.
#[test]
fn a_box_that_lands_loses_as_much_speed_as_its_impulse_says() {
    let mut solids = sliding(1e6, 1.02 * REACH);
    solids.velocity[..solids.bodies[0].vertices.end].iter_mut().for_each(|v| v.y = -0.5);
    run(&mut solids, &usual(1e6), G, DT, 10);
    let speed = solids.momentum(0) / solids.centre(0).0;
    let expected = MU * (speed.y + 0.5 - 10.0 * DT * G.y);
    let lost = SPEED - speed.x;
    assert!((lost / expected - 1.0).abs() < 0.1, "{lost} instead of {expected}");
}

/// A barrier that is longer than the gap throws a box upwards: by centimetres with a twentieth of
/// the reach of others.
#[test]
fn a_box_that_starts_at_any_gap_stays_there() {
    for gap in [1e-8, 1e-6, 1e-5, 1e-4, 3e-4, 0.9 * REACH] {
        let mut solids = sliding(1e6, gap);
        solids.velocity.fill(DVec3::ZERO);
        solids.note_close(REACH);
        let start = solids.centre(0).1.y;
        for k in 0..60 {
            run(&mut solids, &usual(1e6), G, 5e-4, 1);
            let moved = (solids.centre(0).1.y - start) / REACH;
            assert!(-0.05 < moved && moved < 0.01, "{gap}, step {k}: {moved} of the reach");
        }
    }
}

#[test]
fn a_box_that_all_but_touches_the_floor_slides_as_far_as_coulomb_says() {
    for gap in [1e-8, 1e-5] {
        let mut solids = sliding(1e6, gap);
        solids.note_close(REACH);
        let stops = SPEED / (MU * G.length());
        run(&mut solids, &usual(1e6), G, DT, (1.4 * stops / DT) as u32);
        let (way, expected) = (solids.centre(0).1.x, SPEED * SPEED / (2.0 * MU * G.length()));
        assert!((way / expected - 1.0).abs() < 0.02, "{gap}: {way} instead of {expected}");
    }
}
