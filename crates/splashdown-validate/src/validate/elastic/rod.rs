//! Rods that hang and columns that buckle.

use splashdown_solids::solids::{Hold, Solids};
use splashdown_solids::step::{Outside, Workspace, step};

use super::super::{Case, Cost, Report};
use super::bodies::{settings, settle, substance};
use crate::math::DVec3;

pub(crate) const CASE: Case = Case {
    name: "rod",
    summary: "a rope hangs as a catenary, a column buckles at Euler's load",
    source: "catenary; Euler 1744: P = π² E I / 4 L² of a column held at its foot",
    by_name: false,
    cost: Cost::Seconds,
    run,
};

fn run(report: &mut Report) -> Result<(), String> {
    catenary(report)?;
    buckling(report)
}

fn add_line(
    solids: &mut Solids,
    points: &[DVec3],
    young: f64,
    radius: f64,
) -> Result<usize, String> {
    let segments: Vec<[u32; 2]> = (1..points.len() as u32).map(|v| [v - 1, v]).collect();
    solids
        .add_rod((points, &segments), &substance(young, 0.3), radius, |_| DVec3::ZERO)
        .map_err(|e| e.to_string())
}

/// A thin rope of length 1.2 between supports one metre apart: y = a cosh x/a, 2 a sinh 1/2a = 1.2.
fn catenary(report: &mut Report) -> Result<(), String> {
    let (length, count) = (1.2, 60);
    let (mut low, mut high) = (0.1, 10.0);
    for _ in 0..100 {
        let a: f64 = 0.5 * (low + high);
        if 2.0 * a * (0.5 / a).sinh() > length { low = a } else { high = a }
    }
    let sag = low * ((0.5 / low).cosh() - 1.0);
    // It begins as a V.
    let depth = (0.25 * length * length - 0.25f64).sqrt();
    let point = |k: usize| {
        let s = k as f64 / count as f64;
        DVec3::new(s - 0.5, -depth * (1.0 - (2.0 * s - 1.0).abs()), 0.0)
    };
    let points: Vec<DVec3> = (0..=count).map(point).collect();
    let mut solids = Solids::default();
    add_line(&mut solids, &points, 1e8, 1e-3)?;
    for v in [0, count] {
        solids.hold[v] = Hold::Fixed;
    }
    let settings = settings(1e-6).with(|s| s.max_iterations = 2000);
    let mut workspace = Workspace::default();
    let gravity = DVec3::new(0.0, -9.81, 0.0);
    // Implicit Euler with long steps: it swings out at once.
    for _ in 0..40 {
        step(
            &mut solids,
            &mut workspace,
            &settings,
            Outside { dt: 0.2, gravity, force: &[], guests: None },
            |_| DVec3::ZERO,
        )
        .map_err(|e| e.to_string())?;
    }
    let found = -solids.position.iter().map(|p| p.y).fold(0.0, f64::min);
    report.close("catenary: sag over theory", found / sag, 1.0, 0.03);
    let shape = |x: f64| low * ((x / low).cosh() - (0.5 / low).cosh());
    let off = solids.position.iter().map(|p| (p.y - shape(p.x)).abs()).fold(0.0, f64::max);
    report.at_most("catenary: largest distance from the curve over its sag", off / sag, 0.03);
    Ok(())
}

/// How far the head of a column of length 1 goes aside under a load of `share` of Euler's and a
/// small push.
fn aside(share: f64, push: f64) -> Result<f64, String> {
    let (count, young, radius) = (50, 1e9, 5e-3);
    // Curvature at a vertex belongs to half a segment on either side: the foot is half a segment
    // below the second vertex.
    let segment = 1.0 / (count as f64 - 0.5);
    let points: Vec<DVec3> =
        (0..=count).map(|k| DVec3::new(0.0, segment * (k as f64 - 0.5), 0.0)).collect();
    let mut solids = Solids::default();
    add_line(&mut solids, &points, young, radius)?;
    (0..2).for_each(|v| solids.hold[v] = Hold::Fixed);
    let bending = young * std::f64::consts::PI * f64::powi(radius, 4) / 4.0;
    let euler = std::f64::consts::PI.powi(2) * bending / 4.0;
    let mut force = vec![DVec3::ZERO; points.len()];
    force[count] = DVec3::new(push * bending, -share * euler, 0.0);
    settle(&mut solids, DVec3::ZERO, &force)?;
    Ok(solids.position[count].x)
}

/// Southwell 1932: deflections by a small push grow as 1 / (1 − P/P_E).
fn buckling(report: &mut Report) -> Result<(), String> {
    let push = 1e-4;
    let (p, q) = (0.7, 0.9);
    let (a, b) = (1.0 / aside(p, push)?, 1.0 / aside(q, push)?);
    // The straight line through both, where it meets zero.
    let found = p + (q - p) * a / (a - b);
    report.close("column: buckling load over Euler's", found, 1.0, 0.03);
    report.at_most(
        "column at 0.97 of it: head goes aside over its length",
        aside(0.97, push)?,
        0.01,
    );
    let buckled = aside(1.2, push)? / elastica(1.2);
    report.close("column at 1.2 of it: head goes aside over the elastica's", buckled, 1.0, 0.03);
    Ok(())
}

/// How far the head of a buckled column goes aside over its length: 2 k / K(k) with K(k) = π/2
/// √(P/P_E) (Timoshenko & Gere 1961, section 2.7).
fn elastica(share: f64) -> f64 {
    let wanted = std::f64::consts::FRAC_PI_2 * share.sqrt();
    let (mut low, mut high) = (0.0, 1.0 - 1e-12);
    for _ in 0..100 {
        let k = 0.5 * (low + high);
        if elliptic(k) < wanted { low = k } else { high = k }
    }
    2.0 * low / elliptic(low)
}

/// The complete elliptic integral of the first kind, by means.
fn elliptic(k: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    for _ in 0..30 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::FRAC_PI_2 / a
}
