//! The patch test: where the border of a mesh is deformed evenly, so is its inside.

use splashdown_solids::meshing::stuffed;
use splashdown_solids::solids::{Hold, Solids};
use splashdown_solids::step::{Outside, Workspace, step};
use splashdown_solve::differences::Random;

use super::super::{Case, Cost, Report};
use super::bodies::{Order, add_of, settings, substance};
use crate::math::{DMat3, DVec3};

pub(crate) const CASE: Case = Case {
    name: "patch-test",
    summary: "a ball whose surface is deformed evenly is deformed evenly inside",
    source: "exact: elements contain every even deformation",
    by_name: false,
    cost: Cost::Seconds,
    run,
};

fn run(report: &mut Report) -> Result<(), String> {
    let mesh = stuffed(|p: DVec3| p.length() - 1.0, DVec3::NEG_ONE, DVec3::ONE, 0.4);
    let mut random = Random::new(3);
    let deformation = DMat3::IDENTITY + 0.2 * random.matrix();
    let kinds = [
        (Order::Linear, 0.0),
        (Order::Linear, 0.3),
        (Order::Linear, 0.45),
        (Order::Quadratic, 0.3),
    ];
    for (order, poisson) in kinds {
        let mut solids = Solids::default();
        add_of(order, &mut solids, &mesh, &substance(1e6, poisson))?;
        let outer: Vec<u32> = solids.surface.points.iter().map(|p| p.0).collect();
        outer.iter().for_each(|&v| solids.hold[v as usize] = Hold::Fixed);
        // The border where it should be, the inside a little off.
        let goal: Vec<DVec3> = solids.rest.iter().map(|&x| deformation * x).collect();
        for (v, &goal) in goal.iter().enumerate() {
            let off = if solids.hold[v] == Hold::Free { 0.03 } else { 0.0 };
            solids.position[v] = goal + off * random.vector();
        }
        // A step so long that inertia has no say.
        let dt = 1e3;
        let settings = settings(1e-11 / dt);
        let mut workspace = Workspace::default();
        step(
            &mut solids,
            &mut workspace,
            &settings,
            Outside { dt, gravity: DVec3::ZERO, force: &[], guests: None },
            |_| DVec3::ZERO,
        )
        .map_err(|e| e.to_string())?;
        let wrong = solids.position.iter().zip(&goal).map(|(x, g)| x.distance(*g));
        let metric = format!("{order:?}, ν = {poisson}: largest error over the radius");
        report.at_most(metric, wrong.fold(0.0, f64::max), 1e-9);
    }
    Ok(())
}
