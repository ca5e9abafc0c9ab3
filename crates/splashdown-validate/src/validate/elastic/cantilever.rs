//! A beam that is held at one end: under its own weight, under a large load at its end, and
//! swinging.

use splashdown_solids::solids::{Hold, Integrator, Solids};
use splashdown_solids::step::{Outside, Workspace, step};

use super::super::{Case, Cost, Report};
use super::bodies::{Order, add_of, block_at, hold, settings, settle, substance};
use crate::math::DVec3;

pub(crate) const CASE: Case = Case {
    name: "cantilever",
    summary: "a beam held at one end: small and large deflections, and the first frequency",
    source: "Euler-Bernoulli beam theory; the elastica (Bisshopp & Drucker 1945), integrated here",
    by_name: false,
    cost: Cost::Seconds,
    run,
};

/// Length and height, m.
const LENGTH: f64 = 1.0;
const HEIGHT: f64 = 0.1;
const YOUNG: f64 = 1e6;
const DENSITY: f64 = 1000.0;

/// A beam along x with `layers` of elements over its height, and two over its width. Poisson's
/// ratio is zero, so that nothing changes along the width; it is as wide as it is high, so that it
/// does not buckle sideways.
fn beam(layers: usize) -> Result<Solids, String> {
    beam_of(Order::Linear, layers, 0.0)
}

fn beam_of(order: Order, layers: usize, poisson: f64) -> Result<Solids, String> {
    let size = HEIGHT / layers as f64;
    let along = (LENGTH / size).round() as usize;
    let box_size = DVec3::new(LENGTH, HEIGHT, HEIGHT);
    let mesh = block_at(box_size, [along, layers, 2], DVec3::new(0.5 * LENGTH, 0.0, 0.0));
    let mut solids = Solids::default();
    add_of(order, &mut solids, &mesh, &substance(YOUNG, poisson))?;
    hold(&mut solids, Hold::Fixed, |p| p.x < 1e-9);
    Ok(solids)
}

/// Where the middle of the end is.
fn end(solids: &Solids) -> DVec3 {
    let is_end = |p: &DVec3| p.x > LENGTH - 1e-9;
    let at_end = solids.rest.iter().zip(&solids.position).filter(|(rest, _)| is_end(rest));
    let (sum, count) = at_end.fold((DVec3::ZERO, 0.0), |(s, n), (_, x)| (s + *x, n + 1.0));
    sum / count
}

fn run(report: &mut Report) -> Result<(), String> {
    small(report)?;
    locking(report)?;
    large(report)?;
    frequency(report)
}

/// w = q L⁴ / 8 E I, of which shear adds 0.8 (H/L)² for ν = 0.
fn small(report: &mut Report) -> Result<(), String> {
    let g = 0.02;
    let expected = 1.5 * DENSITY * g * LENGTH.powi(4) / (YOUNG * HEIGHT * HEIGHT);
    let mut found = Vec::new();
    for layers in [4, 8, 16] {
        let mut solids = beam(layers)?;
        settle(&mut solids, DVec3::new(0.0, -g, 0.0), &[])?;
        found.push(-end(&solids).y / expected);
        if layers < 16 {
            report.note(
                format!("{layers} layers: deflection over Euler-Bernoulli's"),
                found[found.len() - 1],
                1.0,
            );
        }
    }
    report.close("16 layers: deflection over Euler-Bernoulli's", found[2], 1.0, 0.03);
    let order = ((found[1] - found[0]) / (found[2] - found[1])).log2();
    report.close("order of convergence", order, 2.0, 0.5);
    // Richardson: what an infinitely fine mesh would give.
    let limit = found[2] + (found[2] - found[1]) / 3.0;
    report.close("extrapolated, over Timoshenko's", limit / 1.008, 1.0, 0.01);
    Ok(())
}

/// Few elements across, and hardly any change of volume: where linear elements lock. The section at
/// the wall may widen and narrow, as beam theory has it.
fn locking(report: &mut Report) -> Result<(), String> {
    let g = 0.02;
    let expected = 1.5 * DENSITY * g * LENGTH.powi(4) / (YOUNG * HEIGHT * HEIGHT);
    for (order, layers, poisson) in [
        (Order::Linear, 4, 0.49),
        (Order::Quadratic, 1, 0.0),
        (Order::Quadratic, 2, 0.0),
        (Order::Quadratic, 2, 0.49),
    ] {
        let mut solids = beam_of(order, layers, poisson)?;
        for (v, rest) in solids.rest.iter().enumerate().filter(|(_, p)| p.x < 1e-9) {
            solids.hold[v] = Hold::Free;
            solids.locked[v] = [true, rest.y.abs() < 1e-9, rest.z.abs() < 1e-9];
        }
        settle(&mut solids, DVec3::new(0.0, -g, 0.0), &[])?;
        let found = -end(&solids).y / expected;
        let metric = format!("{order:?}, {layers} layers, ν = {poisson}: over Euler-Bernoulli's");
        match order {
            Order::Linear => report.note(metric, found, 1.0),
            Order::Quadratic => report.close(metric, found, 1.0, 0.03),
        }
    }
    Ok(())
}

/// A dead load P at the end, of k = P L² / E I.
fn large(report: &mut Report) -> Result<(), String> {
    let mut solids = beam(12)?;
    for k in [1.0, 2.0] {
        let stiffness = YOUNG * HEIGHT.powi(4) / 12.0;
        let load = k * stiffness / (LENGTH * LENGTH);
        // Shared by the vertices of the end.
        let ends: Vec<usize> =
            (0..solids.rest.len()).filter(|&v| solids.rest[v].x > LENGTH - 1e-9).collect();
        let mut force = vec![DVec3::ZERO; solids.rest.len()];
        ends.iter().for_each(|&v| force[v].y = -load / ends.len() as f64);
        settle(&mut solids, DVec3::ZERO, &force)?;
        let [down, back] = elastica(k);
        let found = end(&solids);
        report.close(
            format!("k = {k}: end goes down over L"),
            -found.y / LENGTH,
            down,
            0.03 * down,
        );
        let shorter = 1.0 - found.x / LENGTH;
        report.close(format!("k = {k}: end comes back over L"), shorter, back, 0.03 * back);
    }
    Ok(())
}

/// How far the end of an inextensible beam goes down and back, over its length: θ″ = −k cos θ with
/// θ(0) = 0 and θ′(1) = 0, by shooting.
fn elastica(k: f64) -> [f64; 2] {
    let shoot = |start: f64| {
        let (n, mut y) = (2000, [0.0, start, 0.0, 0.0]);
        let h = 1.0 / f64::from(n);
        let slope = |y: [f64; 4]| [y[1], -k * y[0].cos(), y[0].cos(), y[0].sin()];
        let ahead = |y: [f64; 4], s: [f64; 4], h: f64| [0, 1, 2, 3].map(|i| y[i] + h * s[i]);
        for _ in 0..n {
            let a = slope(y);
            let b = slope(ahead(y, a, 0.5 * h));
            let c = slope(ahead(y, b, 0.5 * h));
            let d = slope(ahead(y, c, h));
            y = ahead(y, [0, 1, 2, 3].map(|i| a[i] + 2.0 * (b[i] + c[i]) + d[i]), h / 6.0);
        }
        y
    };
    let (mut low, mut high) = (0.0, k);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if shoot(middle)[1] < 0.0 { low = middle } else { high = middle }
    }
    let [_, _, along, down] = shoot(low);
    [down, 1.0 - along]
}

/// f = 1.8751² / 2π √(E I / ρ A L⁴): half a period from release to the other turning point.
fn frequency(report: &mut Report) -> Result<(), String> {
    let expected = 1.875_104_f64.powi(2) / std::f64::consts::TAU
        * (YOUNG * HEIGHT * HEIGHT / (12.0 * DENSITY)).sqrt()
        / (LENGTH * LENGTH);
    let mut solids = beam(6)?;
    settle(&mut solids, DVec3::new(0.0, -0.02, 0.0), &[])?;
    solids.velocity.fill(DVec3::ZERO);
    solids.past = Default::default();
    let dt = 1.0 / (120.0 * expected);
    let settings = settings(1e-7).with(|s| {
        s.integrator = Integrator::Bdf2;
        s.verify = false;
    });
    let mut workspace = Workspace::default();
    let (mut last, mut time) = (end(&solids).y, 0.0);
    let mut speed_before = 0.0;
    for _ in 0..90 {
        step(
            &mut solids,
            &mut workspace,
            &settings,
            Outside { dt, gravity: DVec3::ZERO, force: &[], guests: None },
            |_| DVec3::ZERO,
        )
        .map_err(|e| e.to_string())?;
        time += dt;
        let now = end(&solids).y;
        let speed = (now - last) / dt; // in the middle of the step
        if speed <= 0.0 && time > 0.2 / expected {
            let turned = time - 1.5 * dt + dt * speed_before / (speed_before - speed);
            let found = 0.5 / turned;
            report.close("first frequency over Euler-Bernoulli's", found / expected, 1.0, 0.03);
            return Ok(());
        }
        (last, speed_before) = (now, speed);
    }
    Err("it did not swing back".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mattiasson 1981, table 1.
    #[test]
    fn the_elastica_is_the_published_one() {
        for (k, down, back) in
            [(1.0, 0.30172, 0.05643), (2.0, 0.49346, 0.16064), (5.0, 0.71379, 0.38763)]
        {
            let found = elastica(k);
            assert!((found[0] - down).abs() < 1e-5 && (found[1] - back).abs() < 1e-5, "{found:?}");
        }
    }
}
