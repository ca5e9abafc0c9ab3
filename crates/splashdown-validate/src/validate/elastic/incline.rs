//! A soft block on a slope: it sticks, slides and accelerates as Coulomb says. Nothing of the
//! solver is set.

use super::super::run::{advance, world};
use super::super::{Case, Cost, Report};
use super::sliding::{SCENE, speed};

pub(crate) const CASE: Case = Case {
    name: "incline-ipc",
    summary: "an elastic block on a slope sticks and slides 1 % to either side of Coulomb's limit",
    source: "Coulomb's law; Li et al. 2020, figure 12",
    by_name: false,
    cost: Cost::Seconds,
    run,
};

const G: f64 = 9.81;

/// The speed of a block down a slope of `degrees` at half and at the whole of 0.6 s.
fn speeds(degrees: f64, friction: f64) -> Result<[f64; 2], String> {
    let angle = f64::to_radians(degrees);
    let changes = [
        format!("simulation.gravity=[{}, {}, 0]", G * angle.sin(), -G * angle.cos()),
        format!("elastic.box.friction={friction}"),
        format!("solid.floor.friction={friction}"),
        "elastic.box.velocity=[0, 0, 0]".to_owned(),
    ];
    let mut world = world("incline", SCENE, &changes)?;
    let mut found = [0.0; 2];
    for (found, until) in found.iter_mut().zip([0.3, 0.6]) {
        advance(&mut world, until, |_, _| ())?;
        *found = speed(&world).x;
    }
    Ok(found)
}

fn run(report: &mut Report) -> Result<(), String> {
    for degrees in [10.0, 30.0] {
        let angle = f64::to_radians(degrees);
        let limit = angle.tan();
        let [_, creep] = speeds(degrees, 1.01 * limit)?;
        report.at_most(format!("{degrees}°, μ = 1.01 tan θ: creep, m/s"), creep, 1e-3);
        for share in [0.99, 0.5] {
            let [half, whole] = speeds(degrees, share * limit)?;
            let expected = (1.0 - share) * G * angle.sin();
            let metric = format!("{degrees}°, μ = {share} tan θ: acceleration over Coulomb's");
            let tolerance = if share > 0.9 { 0.1 } else { 0.01 };
            report.close(metric, (whole - half) / 0.3 / expected, 1.0, tolerance);
        }
    }
    Ok(())
}
