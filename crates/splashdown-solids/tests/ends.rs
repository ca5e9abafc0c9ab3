//! Steps end: by failing if there is nothing to find, and when somebody asks.

mod common;

use std::sync::atomic::AtomicUsize;
use std::time::Instant;

use common::{G, at, floor, settings, substance};
use glam::DVec3;
use splashdown_solids::membrane::Sheet;
use splashdown_solids::meshing::{block, stuffed};
use splashdown_solids::solids::Solids;
use splashdown_solids::step::{Failure, Outside, Workspace, step};
use splashdown_solids::surface::boundary;
use splashdown_solve::stop::Stop;

/// A ball-shaped shell under a pressure that bursts it.
fn balloon(pressure: f64) -> Solids {
    let corner = DVec3::splat(0.1);
    let ball = stuffed(|p: DVec3| p.length() - 0.1, -corner, corner, 0.05);
    let triangles = boundary(&ball.tetrahedra);
    let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let vertices: Vec<DVec3> = used.iter().map(|&v| ball.vertices[v as usize]).collect();
    let place = |v: u32| used.binary_search(&v).unwrap() as u32;
    let triangles: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(place)).collect();
    let mut solids = Solids::default();
    let body = solids
        .add_shell((&vertices, &triangles), &substance(1e6), (Sheet::NeoHookean, 2e-3), |_| {
            DVec3::ZERO
        })
        .unwrap();
    solids.add_pressure(body, pressure);
    solids
}

#[test]
fn a_balloon_that_bursts_fails_within_seconds_and_stays_as_it_was() {
    let mut solids = balloon(1e12);
    let (before, began) = (solids.position.clone(), Instant::now());
    let settings = settings().with(|s| {
        s.verify = false;
        s.max_iterations = 200;
    });
    let mut workspace = Workspace::default();
    let failed = step(
        &mut solids,
        &mut workspace,
        &settings,
        Outside { dt: 5e-3, gravity: G, force: &[], guests: None },
        |_| DVec3::ZERO,
    );
    let failed = failed.unwrap_err();
    assert!(failed.vertex().is_some_and(|v| (v as usize) < before.len()), "{failed}");
    assert_eq!(solids.position, before);
    assert!(began.elapsed().as_secs_f64() < 30.0, "{:?}", began.elapsed());
}

#[test]
fn a_step_ends_when_somebody_asks_and_nothing_has_changed() {
    static ASKED: AtomicUsize = AtomicUsize::new(2);
    let mut solids = Solids::default();
    let mesh = at(block(DVec3::splat(0.1), [2, 2, 2]), DVec3::new(0.0, 0.051, 0.0));
    solids.add_body(&mesh, &substance(1e5), |_| DVec3::ZERO).unwrap();
    floor(&mut solids);
    let before = (solids.position.clone(), solids.velocity.clone(), solids.past.clone());
    let mut workspace = Workspace::default();
    workspace.stop = Stop::at(&ASKED);
    let ended = step(
        &mut solids,
        &mut workspace,
        &settings(),
        Outside { dt: 0.01, gravity: G, force: &[], guests: None },
        |_| DVec3::ZERO,
    );
    assert_eq!(ended, Err(Failure::Stopped));
    assert_eq!((solids.position, solids.velocity, solids.past), before);
}
