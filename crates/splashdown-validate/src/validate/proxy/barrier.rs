//! The barrier between fluid and surfaces: its derivatives, that a flat floor does not know its
//! triangles, and that eliminating the fluid changes nothing.

use splashdown_solids::bodies::Substance;
use splashdown_solids::crowd::Crowd;
use splashdown_solids::guests::{Guest, GuestSettings, Guests, Linear, Sum};
use splashdown_solids::material::{Material, Model};
use splashdown_solids::meshing::block;
use splashdown_solids::proxy::{Rubbing, Touching};
use splashdown_solids::signed_pairs::SignedBarriers;
use splashdown_solids::solids::{Hold, Settings, Solids};
use splashdown_solids::step::{Outside, Workspace, step};
use splashdown_solve::differences::{Random, difference};
use splashdown_solve::newton::Energy;
use splashdown_solve::stop::Stop;

use super::Report;
use crate::math::DVec3;

/// d̂, m.
const REACH: f64 = 0.5;
/// Of the differences, m.
const STEP: f64 = 1e-5;

pub(super) fn rows(report: &mut Report) -> Result<(), String> {
    derivatives(report);
    friction(report);
    for triangles in [2, 800] {
        for (sum, name) in [(Sum::Exclusion, "exclusion"), (Sum::Sum, "plain sum")] {
            let metric = format!("floor of {triangles} triangles, {name}: lateral over normal");
            let lateral = lateral((0.5 * f64::from(triangles)).sqrt() as u32, sum);
            match sum {
                Sum::Exclusion => report.at_most(metric, lateral, 1e-9),
                _ => report.note(metric, lateral, 0.0),
            }
        }
    }
    let metric = "a step with the fluid eliminated against one with all of it: places over moves";
    report.at_most(metric, eliminated_or_not()?, 1e-11);
    Ok(())
}

fn settings(sum: Sum) -> GuestSettings {
    GuestSettings { reach: REACH, stiffness: 3.0, sum, ..GuestSettings::default() }
}

fn guest(position: DVec3) -> Guest {
    Guest { position, goal: position, mass: 1.0, area: 0.7, friction: 0.0, press: 0.0 }
}

/// A floor of n² cells of length 1 with heights, and some points over it.
fn floor(n: u32, mut height: impl FnMut() -> f64) -> Solids {
    let row = n + 1;
    let corner = |k: u32| [f64::from(k % row), f64::from(k / row)].map(|x| x - 0.5 * f64::from(n));
    let vertices: Vec<DVec3> =
        (0..row * row).map(corner).map(|[x, y]| DVec3::new(x, y, height())).collect();
    let cell = |k: u32| {
        let a = k / n * row + k % n;
        [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]
    };
    let triangles: Vec<[u32; 3]> = (0..n * n).flat_map(cell).collect();
    let mut solids = Solids::default();
    solids.add_obstacle(&vertices, &triangles, Hold::Driven, 0.0);
    solids
}

/// A crowd over it, which has looked around.
fn crowd<'a>(solids: &Solids, all: &'a [Guest], sum: Sum) -> Crowd<'a> {
    let guests = Guests { all, settings: settings(sum), start: None };
    let mut crowd = Crowd::new(solids, guests, 1.0);
    let places = crowd.places().to_vec();
    crowd.meetings = crowd.near(&places, &places);
    crowd
}

fn gradient(barriers: &SignedBarriers<'_>, x: &[DVec3]) -> Vec<DVec3> {
    let mut sum = vec![DVec3::ZERO; x.len()];
    barriers.add_gradient(x, &mut sum);
    sum
}

/// Gradient and second derivatives along random directions, over rough ground.
fn derivatives(report: &mut Report) {
    let mut random = Random::new(3);
    let mut worst = [0.0f64; 2];
    for _ in 0..20 {
        let solids = floor(4, || 0.3 * random.unit());
        let over = |_| guest((1.5 * random.vector()).with_z(0.45 + 0.2 * random.unit()));
        let all: Vec<Guest> = (0..30).map(over).collect();
        let crowd = crowd(&solids, &all, Sum::Exclusion);
        let (barriers, x) = (crowd.barriers(Stop::default()), crowd.places().to_vec());
        let way: Vec<DVec3> = x.iter().map(|_| random.vector()).collect();
        let moved =
            |t: f64| -> Vec<DVec3> { x.iter().zip(&way).map(|(x, p)| *x + t * *p).collect() };
        let slope = gradient(&barriers, &x);
        let along: f64 = slope.iter().zip(&way).map(|(g, p)| g.dot(*p)).sum();
        let expected = difference(STEP, |t| barriers.value(&moved(t)));
        let size = slope.iter().map(|g| g.length()).sum::<f64>();
        worst[0] = worst[0].max((along - expected).abs() / size);

        // The model of the fluid's phase, with second derivatives as they are.
        let guests = Guests { all: &all, settings: settings(Sum::Exclusion), start: None };
        let model = Touching::new(&solids, guests).barrier(1.0, false);
        let mut product = vec![DVec3::ZERO; x.len()];
        model.add_product(&way, &mut product);
        let along: f64 = product.iter().zip(&way).map(|(h, p)| h.dot(*p)).sum();
        let expected = difference(STEP, |t| {
            gradient(&barriers, &moved(t)).iter().zip(&way).map(|(g, p)| g.dot(*p)).sum::<f64>()
        });
        let size = product.iter().map(|h| h.length()).sum::<f64>();
        worst[1] = worst[1].max((along - expected).abs() / size);
    }
    report.at_most("barrier over rough ground: gradient against differences", worst[0], 1e-6);
    report.at_most("barrier over rough ground: Hessian against differences", worst[1], 1e-6);
}

/// Friction's gradient and second derivatives along random directions.
fn friction(report: &mut Report) {
    let mut random = Random::new(4);
    let solids = floor(4, || 0.1 * random.unit());
    let over = |_| Guest {
        friction: 0.4,
        press: 2.0,
        ..guest((1.5 * random.vector()).with_z(0.25 + 0.1 * random.unit()))
    };
    let all: Vec<Guest> = (0..30).map(over).collect();
    let mut crowd = crowd(&solids, &all, Sum::Exclusion);
    let x = crowd.places().to_vec();
    crowd.slips = crowd.lagged(&x);
    let epsilon = 0.05;
    let frictions = crowd.frictions(epsilon);
    let away: Vec<DVec3> = x.iter().map(|x| *x + 0.03 * random.vector()).collect();
    let way: Vec<DVec3> = x.iter().map(|_| random.vector()).collect();
    let moved =
        |t: f64| -> Vec<DVec3> { away.iter().zip(&way).map(|(x, p)| *x + t * *p).collect() };
    let mut slope = vec![DVec3::ZERO; x.len()];
    frictions.add_gradient(&away, &mut slope);
    let along: f64 = slope.iter().zip(&way).map(|(g, p)| g.dot(*p)).sum();
    let expected = difference(1e-4, |t| frictions.value(&moved(t)));
    let size = slope.iter().map(|g| g.length()).sum::<f64>();
    let error = (along - expected).abs() / size;
    report.at_most("friction of fluid: gradient against differences", error, 1e-6);

    // The secant of the fluid's phase has the force of the slip that it is made for.
    let guests = Guests { all: &all, settings: settings(Sum::Exclusion), start: None };
    let moves: Vec<DVec3> = away.iter().zip(&x).map(|(to, from)| *to - *from).collect();
    let press: Vec<f64> = all.iter().map(|guest| guest.press).collect();
    let law = Settings::default().with(|s| s.friction_speed = epsilon);
    let model =
        Touching::new(&solids, guests).friction(&press, &law, (1.0, Rubbing::Secant(&moves), 1.0));
    let mut secant = vec![DVec3::ZERO; x.len()];
    model.add_slope(&moves, &mut secant);
    let apart: f64 = secant.iter().zip(&slope).map(|(a, b)| a.distance(*b)).sum();
    report.at_most("friction of fluid: its secant against it", apart / size, 1e-11);
}

/// The largest lateral force over the normal one, along a flat floor.
fn lateral(n: u32, sum: Sum) -> f64 {
    let mut random = Random::new(5);
    let solids = floor(n, || 0.0);
    let inner = 0.5 * f64::from(n) - 0.49;
    let over = |k: usize| {
        let place = (inner * random.vector()).with_z(0.01 + 0.45 * random.unit());
        // Some are right over edges.
        guest(if k.is_multiple_of(3) { place.with_x(place.x.round()) } else { place })
    };
    let all: Vec<Guest> = (0..300).map(over).collect();
    let crowd = crowd(&solids, &all, sum);
    let slope = gradient(&crowd.barriers(Stop::default()), crowd.places());
    let of_guests = &slope[solids.position.len()..];
    of_guests.iter().map(|g| g.truncate().length() / g.z.abs()).fold(0.0, f64::max)
}

/// How far apart two ways to solve leave a soft block with fluid on it, over how far it moves.
fn eliminated_or_not() -> Result<f64, String> {
    let stepped = |linear: Linear| -> Result<Vec<DVec3>, String> {
        let mesh = block(DVec3::new(4.0, 4.0, 1.0), [4, 4, 1]);
        let mut solids = Solids::default();
        let substance = Substance {
            material: Material::new(Model::NeoHookean, 1e4, 0.3),
            density: 100.0,
            friction: 0.0,
            drag: 0.0,
            damping: 0.0,
        };
        solids.add_body(&mesh, &substance, |_| DVec3::ZERO).map_err(|e| e.to_string())?;
        let top = solids.position.iter().map(|x| x.z).fold(0.0, f64::max);
        let mut random = Random::new(6);
        let over = |_| {
            let place = (1.8 * random.vector()).with_z(top + 0.2 + 0.2 * random.unit());
            Guest { goal: place - 0.3 * DVec3::Z, mass: 2.0, ..guest(place) }
        };
        let all: Vec<Guest> = (0..40).map(over).collect();
        let settings = GuestSettings { linear, ..settings(Sum::Exclusion) };
        let guests = Some(Guests { all: &all, settings, start: None });
        let gravity = -10.0 * DVec3::Z;
        let outside = Outside { dt: 1e-2, gravity, force: &[], guests };
        let tight = Settings::default().with(|s| {
            s.tolerance = 1e-12;
            s.force_tolerance = 1e-13;
        });
        let still = |_| DVec3::ZERO;
        let done = step(&mut solids, &mut Workspace::default(), &tight, outside, still);
        let report = done.map_err(|failure| format!("{failure:?}"))?;
        Ok(solids.position.iter().copied().chain(report.guests).collect())
    };
    let [schur, whole] = [stepped(Linear::Schur)?, stepped(Linear::Whole)?];
    let apart = schur.iter().zip(&whole).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    Ok(apart / 0.3)
}
