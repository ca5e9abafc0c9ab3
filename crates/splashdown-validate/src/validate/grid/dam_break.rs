//! The collapse of a column of water, as the SPH methods are asked for it, too.

use super::super::dam_break::{A, FRONT, HEIGHT, LARGEST_SHIFT, SCENE, best_shift, collapse};
use super::super::run::world;
use super::{Case, Cost, METHOD, Report};

pub(in super::super) const CASE: Case = Case {
    name: "apic-dam-break",
    summary: "front and height of a collapsing column on a grid at three resolutions",
    source: "Martin & Moyce 1952, Phil. Trans. R. Soc. A 244: tables 2 and 6, n² = 2, a = 0.05715 \
             m",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

fn run(report: &mut Report) -> Result<(), String> {
    let mut errors = Vec::new();
    for cells_across in [10, 20, 40] {
        let spacing = format!("simulation.spacing={}", A / f64::from(2 * cells_across));
        let viscosity = "fluid.water.viscosity={ none = {} }".to_owned();
        let world = world("dam-break", SCENE, &[spacing, METHOD.to_owned(), viscosity])?;
        let (front, height) = collapse(world)?;
        let variant = format!("a/Δx = {cells_across}");
        let (shift, front) = best_shift(&front, &FRONT);
        report.at_most(format!("{variant}: front, mean relative error"), front, 0.04);
        report.at_most(format!("{variant}: time shift in T"), shift.abs(), LARGEST_SHIFT);
        let (shift, height) = best_shift(&height, &HEIGHT);
        report.at_most(format!("{variant}: height, mean relative error"), height, 0.04);
        report.at_most(format!("{variant}: its time shift in τ"), shift.abs(), LARGEST_SHIFT);
        errors.push(front + height);
    }
    report.note("errors at 40 cells over errors at 10", errors[2] / errors[0], 0.0);
    Ok(())
}
