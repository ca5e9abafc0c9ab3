//! A plate, clamped at both ends, carries a column of water.

use super::super::run::advance;
use super::super::{Case, Cost, Report};
use super::{G, SOLVERS, samples, water, world};
use crate::world::{Loads, World};

pub(crate) const CASE: Case = Case {
    name: "hydroelastic",
    summary: "a clamped plate under a column of water: deflection, and what it carries",
    source: "plate theory with shear: q L⁴/384 D + q L²/(8 (5/6) G t)",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

pub(crate) const SCENE: &str = include_str!("../../../validation/wet-plate.toml");

/// Time to come to rest, and to the end of the mean, s.
const SETTLE: f64 = 0.6;
const END: f64 = 1.0;
/// Of the plate, m: between its clamped ends, across, and its thickness.
const LENGTH: f64 = 0.3996;
const WIDTH: f64 = 0.0696;
const THICKNESS: f64 = 0.02;
/// Of the plate, kg/m³, Pa, and Poisson's ratio.
const DENSITY: f64 = 1000.0;
const YOUNG: f64 = 1e8;
const POISSON: f64 = 0.3;

fn run(report: &mut Report) -> Result<(), String> {
    for solver in SOLVERS {
        let mut world = world(SCENE, &[&format!("pressure.solver={solver}")])?;
        advance(&mut world, SETTLE, |_, _| ())?;
        let (mut sum, mut time) = (0.0, 0.0);
        let mut loads = Loads::default();
        advance(&mut world, END, |world, step| {
            sum += step.dt * deflection(world);
            time += step.dt;
            loads.add(&step.loads);
        })?;
        let weight = water(&world) * G;
        let expected = theory(weight / (LENGTH * WIDTH) + DENSITY * G * THICKNESS);
        let metric = format!("{solver}: deflection over that of plate theory");
        report.close(metric, sum / time / expected, 1.0, 0.05);
        let load = loads.mean(samples(&world)?);
        let carried = -(load.pressure.y + load.viscous.y) / weight;
        report.close(format!("{solver}: load over weight of the water"), carried, 1.0, 0.01);
    }
    Ok(())
}

/// Deflection in the middle under an even load, m.
fn theory(load: f64) -> f64 {
    let bending = YOUNG * THICKNESS.powi(3) / (12.0 * (1.0 - POISSON * POISSON));
    let shear = YOUNG / (2.0 * (1.0 + POISSON)) * 5.0 / 6.0 * THICKNESS;
    load * (LENGTH.powi(4) / (384.0 * bending) + LENGTH.powi(2) / (8.0 * shear))
}

/// How far the middle has sunk, m.
fn deflection(world: &World) -> f64 {
    let solids = &world.elastic.solids;
    let body = solids.bodies[0].vertices.clone();
    let places = solids.rest[body.clone()].iter().zip(&solids.position[body]);
    let middle = places.filter(|(rest, _)| (rest.x - 0.2).abs() < 1e-6);
    let (sum, count) = middle.fold((0.0, 0.0), |(s, n), (rest, x)| (s + rest.y - x.y, n + 1.0));
    sum / count
}
