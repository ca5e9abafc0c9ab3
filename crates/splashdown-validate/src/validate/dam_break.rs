//! The collapse of a column of water, as Martin & Moyce photographed it in 1952.

use super::run::{advance, world};
use super::{Case, Cost, Curve, Report, Series};
use crate::world::World;

pub(super) const CASE: Case = Case {
    name: "dam-break",
    summary: "front and height of a collapsing column at three resolutions",
    source: "Martin & Moyce 1952, Phil. Trans. R. Soc. A 244: tables 2 and 6, n² = 2, a = 0.05715 \
             m",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

pub(super) const SCENE: &str = include_str!("../../validation/dam-break.toml");
/// Width of the column, m.
pub(super) const A: f64 = 0.05715;
const G: f64 = 9.81;

/// T = t √(n² g/a), Z = front / a.
pub(super) const FRONT: [(f64, f64); 15] = [
    (0.41, 1.11),
    (0.84, 1.22),
    (1.19, 1.44),
    (1.43, 1.67),
    (1.63, 1.89),
    (1.83, 2.11),
    (1.98, 2.33),
    (2.20, 2.56),
    (2.32, 2.78),
    (2.51, 3.00),
    (2.65, 3.22),
    (2.83, 3.44),
    (2.98, 3.67),
    (3.11, 3.89),
    (3.33, 4.11),
];

/// τ = t √(g/a), H = height / (n² a), as far as the channel is long enough.
pub(super) const HEIGHT: [(f64, f64); 11] = [
    (0.56, 0.94),
    (0.77, 0.89),
    (0.93, 0.83),
    (1.08, 0.78),
    (1.28, 0.72),
    (1.46, 0.67),
    (1.66, 0.61),
    (1.84, 0.56),
    (2.00, 0.50),
    (2.21, 0.44),
    (2.45, 0.39),
];

/// The gate leaves late: published comparisons shift time by up to this, in units of T.
pub(super) const LARGEST_SHIFT: f64 = 0.5;

fn run(report: &mut Report) -> Result<(), String> {
    let mut fronts = Vec::new();
    let (mut front_series, mut height_series) = (Vec::new(), Vec::new());
    for particles_across in [20, 40, 80] {
        let spacing = format!("simulation.spacing={}", A / f64::from(particles_across));
        let (front, height) = collapse(world("dam-break", SCENE, &[spacing])?)?;
        let (shift, error) = best_shift(&front, &FRONT);
        let variant = format!("a/h = {particles_across}");
        report.at_most(format!("{variant}: front, mean relative error"), error, 0.08);
        report.at_most(format!("{variant}: time shift in T"), shift, LARGEST_SHIFT);
        front_series.push(Series::new(&variant, &shifted(&front, shift)));
        let (shift, error) = best_shift(&height, &HEIGHT);
        height_series.push(Series::new(&variant, &shifted(&height, shift)));
        report.at_most(format!("{variant}: height, mean relative error"), error, 0.08);
        fronts.push(front);
    }
    let curve = |name: &str, axes, measured, table: &[(f64, f64)]| Curve {
        name: format!("{name}, time shifted as in the metrics"),
        axes,
        measured,
        reference: vec![Series::new("experiment", table)],
        source: CASE.source,
    };
    report.curve(curve("front", ["T = t √(n² g/a)", "front / a"], front_series, &FRONT));
    report.curve(curve("height", ["τ = t √(g/a)", "height / (n² a)"], height_series, &HEIGHT));
    // Converges: each refinement changes the front less than the one before.
    let first = distance(&fronts[0], &fronts[1]);
    let second = distance(&fronts[1], &fronts[2]);
    report.note("change of the front from a/h = 20 to 40", first, 0.0);
    report.at_most("change from 40 to 80 over change from 20 to 40", second / first, 1.0);
    Ok(())
}

pub(super) type Track = Vec<(f64, f64)>;

/// Front over T and height over τ.
pub(super) fn collapse(mut world: World) -> Result<(Track, Track), String> {
    let (h, n) = (world.spacing, world.fluid_count());
    let (mut front, mut height) = (Vec::new(), Vec::new());
    let end = 3.9 / (2.0 * G / A).sqrt();
    advance(&mut world, end, |world, _| {
        let positions = &world.particles.position[..n];
        // The front of the bulk: a lone droplet ahead of it has no neighbours to count.
        let x = positions.iter().map(|p| p.x).fold(0.0, f64::max) + 0.5 * h;
        let at_wall = positions.iter().filter(|p| p.x < 2.0 * h).map(|p| p.y);
        let y = at_wall.fold(0.0, f64::max) + 0.5 * h;
        front.push((world.clock.time * (2.0 * G / A).sqrt(), x / A));
        height.push((world.clock.time * (G / A).sqrt(), y / (2.0 * A)));
    })?;
    Ok((front, height))
}

/// Linear interpolation of a curve with growing abscissa.
fn at(curve: &[(f64, f64)], x: f64) -> f64 {
    let k = curve.partition_point(|point| point.0 < x).clamp(1, curve.len() - 1);
    let ((x0, y0), (x1, y1)) = (curve[k - 1], curve[k]);
    y0 + (y1 - y0) * ((x - x0) / (x1 - x0)).clamp(0.0, 1.0)
}

/// The shift in time under which the curve meets the table best, and the mean relative error then.
pub(super) fn best_shift(curve: &[(f64, f64)], table: &[(f64, f64)]) -> (f64, f64) {
    let error = |shift: f64| {
        let relative = |&(t, value): &(f64, f64)| (at(curve, t - shift) / value - 1.0).abs();
        table.iter().map(relative).sum::<f64>() / table.len() as f64
    };
    (-50..=50)
        .map(|k| LARGEST_SHIFT * f64::from(k) / 50.0)
        .map(|shift| (shift, error(shift)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap_or((0.0, f64::INFINITY))
}

/// The curve as an observer sees it whose clock started earlier by `shift`.
fn shifted(curve: &[(f64, f64)], shift: f64) -> Track {
    curve.iter().map(|(t, y)| (t + shift, *y)).collect()
}

/// Mean distance of two curves over the times of the table.
fn distance(a: &[(f64, f64)], b: &[(f64, f64)]) -> f64 {
    FRONT.iter().map(|&(t, _)| (at(a, t) - at(b, t)).abs()).sum::<f64>() / FRONT.len() as f64
}
