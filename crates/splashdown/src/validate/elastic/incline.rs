//! A soft block on a slope: it sticks, slides and accelerates as Coulomb says.

use splashdown_solids::solids::{Hold, Settings, Solids};
use splashdown_solids::step::{Workspace, step};

use super::super::{Case, Report};
use super::bodies::{add, block_at, settings, substance};
use crate::math::DVec3;

pub const CASE: Case = Case {
    name: "incline-ipc",
    summary: "an elastic block on a slope sticks and slides 1 % to either side of Coulomb's limit",
    source: "Coulomb's law; Li et al. 2020, figure 12",
    by_name: false,
    run,
};

const G: f64 = 9.81;
const DT: f64 = 0.01;

/// The mean speed of a block down a slope of `degrees` at half and at the whole of `duration`.
fn speeds(degrees: f64, friction: f64, duration: f64) -> Result<[f64; 2], String> {
    let mut solids = Solids::default();
    let size = DVec3::new(0.2, 0.1, 0.2);
    // At the height at which its weight rests on the barrier, so that it does not bounce.
    let mesh = block_at(size, [2, 1, 2], DVec3::new(0.013, 0.5 * size.y + 0.8e-3, 0.007));
    let mut matter = substance(1e6, 0.3);
    matter.friction = friction;
    let body = add(&mut solids, &mesh, &matter)?;
    let corner = |x: f64, z: f64| DVec3::new(x, 0.0, z);
    let corners = [corner(-3.0, -3.0), corner(-3.0, 3.0), corner(6.0, 3.0), corner(6.0, -3.0)];
    solids.add_obstacle(&corners, &[[0, 1, 2], [0, 2, 3]], Hold::Fixed, friction);
    let angle = f64::to_radians(degrees);
    let gravity = G * DVec3::new(angle.sin(), -angle.cos(), 0.0);
    let settings = Settings { friction_updates: 2, ..settings(1e-5) };
    let mut workspace = Workspace::default();
    let steps = (duration / DT).round() as usize;
    let mut found = [0.0; 2];
    for k in 1..=steps {
        step(&mut solids, &mut workspace, &settings, DT, gravity, &[], |_| DVec3::ZERO)
            .map_err(|e| e.to_string())?;
        let speed = solids.momentum(body).x / solids.centre(body).0;
        if k == steps / 2 {
            found[0] = speed;
        }
        found[1] = speed;
    }
    Ok(found)
}

fn run(report: &mut Report) -> Result<(), String> {
    for degrees in [10.0, 30.0] {
        let angle = f64::to_radians(degrees);
        let limit = angle.tan();
        let [_, creep] = speeds(degrees, 1.01 * limit, 0.6)?;
        report.at_most(format!("{degrees}°, μ = 1.01 tan θ: creep, m/s"), creep, 1e-4);
        for share in [0.99, 0.5] {
            let [half, whole] = speeds(degrees, share * limit, 0.6)?;
            let expected = (1.0 - share) * G * angle.sin();
            let metric = format!("{degrees}°, μ = {share} tan θ: acceleration over Coulomb's");
            let tolerance = if share > 0.9 { 0.1 } else { 0.01 };
            report.close(metric, (whole - half) / 0.3 / expected, 1.0, tolerance);
        }
    }
    Ok(())
}
