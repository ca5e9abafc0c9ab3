//! The elastic beam of Turek & Hron's benchmark, without its fluid: CSM1 hangs, CSM3 swings.
//!
//! Plane strain: a slab of one element across, which cannot move along z.

use splashdown_solids::barrier::Gap;
use splashdown_solids::bodies::Substance;
use splashdown_solids::material::{Material, Model};
use splashdown_solids::solids::{Hold, Integrator, Solids};
use splashdown_solids::step::{Outside, Workspace, step};

use super::super::{Case, Cost, Report};
use super::bodies::{Order, add_of, bent_block, hold, settings, settle_within, substance};
use crate::math::DVec3;

pub(crate) const CSM1: Case = Case {
    name: "turek-csm1",
    summary: "the beam behind a cylinder hangs under its weight: displacement of its end",
    source: "Turek & Hron 2006, CSM1: −7.187 mm, −66.10 mm",
    by_name: true,
    cost: Cost::Seconds,
    run: csm1,
};

pub(crate) const CSM3: Case = Case {
    name: "turek-csm3",
    summary: "the same beam let go: mean and amplitude of its end, and its frequency",
    source: "Turek & Hron 2006, CSM3: −63.607 ± 65.160 mm, 1.0995 Hz",
    by_name: true,
    cost: Cost::Minutes,
    run: csm3,
};

const GRAVITY: DVec3 = DVec3::new(0.0, -2.0, 0.0);
/// Of the beam, m.
const HEIGHT: f64 = 0.02;

/// A beam with `layers` of elements over its height; they are twice as long as high. It begins at
/// the cylinder of radius 0.05 about the origin.
fn beam(order: Order, layers: usize) -> Result<Solids, String> {
    let end = 0.4;
    let along = (0.35 / HEIGHT * layers as f64 / 2.0).round() as usize;
    let mesh = bent_block([along, layers, 1], |p| {
        let y = HEIGHT * p.y;
        let start = (0.0025 - y * y).sqrt();
        let x = start + (end - start) * (p.x + 0.5);
        DVec3::new(x, y, HEIGHT / layers as f64 * p.z)
    });
    let mut solids = Solids::default();
    let material = Material::new(Model::StVenantKirchhoff, 1.4e6, 0.4);
    add_of(order, &mut solids, &mesh, &Substance { material, ..substance(1.4e6, 0.4) })?;
    hold(&mut solids, Hold::Fixed, |p| p.x * p.x + p.y * p.y < 0.0025 + 1e-9);
    solids.locked.fill([false, false, true]);
    Ok(solids)
}

/// Well below the size of elements, so that the beam does not push itself.
fn gap(layers: usize) -> Gap {
    Gap { reach: 0.05 * HEIGHT / layers as f64, thickness: 0.0 }
}

/// Displacement of the middle of the end, mm.
fn end(solids: &Solids) -> [f64; 2] {
    let there = |r: &DVec3| r.x > 0.4 - 1e-9 && r.y.abs() < 1e-9;
    let moved = solids.rest.iter().zip(&solids.position).filter(|(r, _)| there(r));
    let (sum, count) = moved.fold((DVec3::ZERO, 0.0), |(s, n), (r, x)| (s + *x - *r, n + 1.0));
    [1e3 * sum.x / count, 1e3 * sum.y / count]
}

fn csm1(report: &mut Report) -> Result<(), String> {
    let published = [-7.187, -66.10];
    let mut hang = |order: Order, layers: usize| {
        let mut solids = beam(order, layers)?;
        let iterations = settle_within(&mut solids, gap(layers), GRAVITY, &[])?;
        let moved = end(&solids);
        let name = format!("{order:?}, {layers} layers");
        report.note(format!("{name}: Newton iterations"), f64::from(iterations), 0.0);
        report.note(format!("{name}: end moves along, mm"), moved[0], published[0]);
        report.note(format!("{name}: end moves down, mm"), moved[1], published[1]);
        Ok::<_, String>(moved)
    };
    for layers in [1, 2] {
        hang(Order::Quadratic, layers)?;
    }
    let bent = hang(Order::Quadratic, 4)?;
    let coarse = hang(Order::Linear, 6)?;
    let middle = hang(Order::Linear, 12)?;
    let fine = hang(Order::Linear, 24)?;
    let order = ((middle[1] - coarse[1]) / (fine[1] - middle[1])).log2();
    report.close("Linear: order of convergence", order, 2.0, 0.5);
    for (k, axis) in ["along", "down"].iter().enumerate() {
        let mut compare = |name: &str, found: f64, tolerance: f64| {
            let metric = format!("{name}, {axis}, over the published one");
            report.close(metric, found / published[k], 1.0, tolerance);
        };
        compare("Linear, extrapolated", fine[k] + (fine[k] - middle[k]) / 3.0, 0.01);
        compare("Linear, 24 layers", fine[k], 0.03);
        compare("Quadratic, 4 layers", bent[k], 0.01);
    }
    Ok(())
}

fn csm3(report: &mut Report) -> Result<(), String> {
    swing(report, Order::Quadratic, 2)?;
    swing(report, Order::Linear, 16)
}

fn swing(report: &mut Report, order: Order, layers: usize) -> Result<(), String> {
    let mut solids = beam(order, layers)?;
    let settings = settings(1e-5).with(|s| {
        s.gap = gap(layers);
        s.integrator = Integrator::Bdf2;
        s.verify = false;
    });
    let mut workspace = Workspace::default();
    let dt = 0.01;
    let (mut lowest, mut time_of_lowest) = (0.0, 0.0);
    let mut last = [0.0; 2]; // the two heights before
    let mut returned = None;
    for k in 1..=110 {
        step(
            &mut solids,
            &mut workspace,
            &settings,
            Outside { dt, gravity: GRAVITY, force: &[], guests: None },
            |_| DVec3::ZERO,
        )
        .map_err(|e| e.to_string())?;
        let now = end(&solids)[1];
        let time = dt * f64::from(k);
        if now < lowest {
            (lowest, time_of_lowest) = (now, time);
        }
        if time > 1.5 * time_of_lowest && k > 10 && last[1] >= now && last[1] > last[0] {
            // Vertex of the parabola through the last three.
            let shift = 0.5 * (last[0] - now) / (last[0] - 2.0 * last[1] + now);
            returned = Some((time - dt + dt * shift, last[1]));
            break;
        }
        last = [last[1], now];
    }
    let (period, highest) = returned.ok_or("it did not swing back")?;
    let mean = 0.5 * (lowest + highest);
    let amplitude = 0.5 * (highest - lowest);
    let found = [
        ("mean", mean / -63.607),
        ("amplitude", amplitude / 65.160),
        ("frequency", 1.0 / period / 1.0995),
    ];
    for (what, ratio) in found {
        let metric = format!("{order:?}, {layers} layers: {what} over the published one");
        report.close(metric, ratio, 1.0, 0.03);
    }
    Ok(())
}
