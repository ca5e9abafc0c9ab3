//! Energy and momentum of a body that vibrates freely.

use splashdown_solids::solids::{Integrator, Solids};
use splashdown_solids::step::{Outside, Workspace, step};

use super::super::{Case, Cost, Report};
use super::bodies::{block_at, settings, substance};
use crate::math::DVec3;

pub(crate) const CASE: Case = Case {
    name: "energy",
    summary: "a body that vibrates and turns freely keeps its momentum, and its energy to the \
              order of the method",
    source: "conservation laws; implicit Euler is of first, BDF2 of second order",
    by_name: false,
    cost: Cost::Seconds,
    run,
};

/// Share of its energy that a body loses in 0.1 s, and the drift of its momentum over m v.
fn lost(integrator: Integrator, dt: f64) -> Result<[f64; 2], String> {
    let mut solids = Solids::default();
    let mesh = block_at(DVec3::new(0.2, 0.1, 0.1), [4, 2, 2], DVec3::ZERO);
    // Stretching along x, about 5 Hz, and a drift.
    let thrown = |p: DVec3| DVec3::new(8.0 * p.x, -2.0 * p.y, 0.0) + DVec3::new(0.2, 0.1, 0.3);
    let body = solids.add_body(&mesh, &substance(1e4, 0.3), thrown).map_err(|e| e.to_string())?;
    let energy = |solids: &Solids| solids.kinetic_energy(body) + solids.elastic_energy(body);
    let (before, momentum) = (energy(&solids), solids.momentum(body));
    let settings = settings(1e-9).with(|s| {
        s.integrator = integrator;
        s.verify = false;
    });
    let mut workspace = Workspace::default();
    for _ in 0..(0.1 / dt).round() as usize {
        step(
            &mut solids,
            &mut workspace,
            &settings,
            Outside { dt, gravity: DVec3::ZERO, force: &[], guests: None },
            |_| DVec3::ZERO,
        )
        .map_err(|e| e.to_string())?;
    }
    let drift = solids.momentum(body).distance(momentum) / momentum.length();
    Ok([1.0 - energy(&solids) / before, drift])
}

fn run(report: &mut Report) -> Result<(), String> {
    // BDF2 alone would lose energy in third order; its first step is implicit Euler, which makes it
    // two.
    let methods =
        [("implicit Euler", Integrator::ImplicitEuler, 1.0), ("BDF2", Integrator::Bdf2, 2.0)];
    for (name, integrator, order) in methods {
        let [middle, _] = lost(integrator, 1e-3)?;
        let [fine, drift] = lost(integrator, 5e-4)?;
        report.at_most(format!("{name}: drift of momentum"), drift, 1e-9);
        report.note(format!("{name}: share of energy lost in 0.1 s at Δt = 0.5 ms"), fine, 0.0);
        let found = (middle / fine).log2();
        report.close(format!("{name}: order in which the loss vanishes"), found, order, 0.5);
    }
    Ok(())
}
