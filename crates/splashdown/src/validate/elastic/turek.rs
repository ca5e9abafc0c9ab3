//! The elastic beam of Turek & Hron's benchmark, without its fluid: CSM1 hangs, CSM3 swings.
//!
//! Plane strain: a slab of one element across, which cannot move along z.

use splashdown_solids::bodies::Substance;
use splashdown_solids::material::{Material, Model};
use splashdown_solids::solids::{Hold, Integrator, Settings, Solids};
use splashdown_solids::step::{Workspace, step};

use super::super::{Case, Report};
use super::bodies::{add, bent_block, hold, settings, settle, substance};
use crate::math::DVec3;

pub const CSM1: Case = Case {
    name: "turek-csm1",
    summary: "the beam behind a cylinder hangs under its weight: displacement of its end",
    source: "Turek & Hron 2006, CSM1: −7.187 mm, −66.10 mm",
    by_name: true,
    run: csm1,
};

pub const CSM3: Case = Case {
    name: "turek-csm3",
    summary: "the same beam let go: mean and amplitude of its end, and its frequency",
    source: "Turek & Hron 2006, CSM3: −63.607 ± 65.160 mm, 1.0995 Hz",
    by_name: true,
    run: csm3,
};

const GRAVITY: DVec3 = DVec3::new(0.0, -2.0, 0.0);

/// A beam with `layers` of elements over its height; they are twice as long as high. It begins at the cylinder of
/// radius 0.05 about the origin.
fn beam(layers: usize) -> Result<Solids, String> {
    let (half, height) = (0.4, 0.02);
    let along = (0.35 / height * layers as f64 / 2.0).round() as usize;
    let mesh = bent_block([along, layers, 1], |p| {
        let y = height * p.y;
        let start = (0.0025 - y * y).sqrt();
        let x = start + (half - start) * (p.x + 0.5);
        DVec3::new(x, y, height / layers as f64 * p.z)
    });
    let mut solids = Solids::default();
    let material = Material::new(Model::StVenantKirchhoff, 1.4e6, 0.4);
    add(&mut solids, &mesh, &Substance { material, ..substance(1.4e6, 0.4) })?;
    hold(&mut solids, Hold::Fixed, |p| p.x * p.x + p.y * p.y < 0.0025 + 1e-9);
    solids.locked.fill([false, false, true]);
    Ok(solids)
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
    let mut found = Vec::new();
    for layers in [6, 12, 24] {
        let mut solids = beam(layers)?;
        settle(&mut solids, GRAVITY, &[])?;
        found.push(end(&solids));
        report.note(
            format!("{layers} layers: end moves down, mm"),
            found[found.len() - 1][1],
            published[1],
        );
    }
    let [coarse, middle, fine] = found[..] else { return Err("three meshes".to_owned()) };
    let order = ((middle[1] - coarse[1]) / (fine[1] - middle[1])).log2();
    report.close("order of convergence", order, 2.0, 0.5);
    for (k, axis) in ["along", "down"].iter().enumerate() {
        let limit = fine[k] + (fine[k] - middle[k]) / 3.0;
        let metric = format!("extrapolated, {axis}, over the published one");
        report.close(metric, limit / published[k], 1.0, 0.01);
        report.close(
            format!("24 layers, {axis}, over the published one"),
            fine[k] / published[k],
            1.0,
            0.03,
        );
    }
    Ok(())
}

fn csm3(report: &mut Report) -> Result<(), String> {
    let mut solids = beam(16)?;
    let settings = Settings { integrator: Integrator::Bdf2, verify: false, ..settings(1e-5) };
    let mut workspace = Workspace::default();
    let dt = 0.01;
    let (mut lowest, mut time_of_lowest) = (0.0, 0.0);
    let mut last = [0.0; 2]; // the two heights before
    let mut returned = None;
    for k in 1..=110 {
        step(&mut solids, &mut workspace, &settings, dt, GRAVITY, &[], |_| DVec3::ZERO)
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
    report.close("mean over the published one", mean / -63.607, 1.0, 0.03);
    report.close("amplitude over the published one", amplitude / 65.160, 1.0, 0.03);
    report.close("frequency over the published one", 1.0 / period / 1.0995, 1.0, 0.03);
    Ok(())
}
