//! Poiseuille and Couette flow of the variational fluid.

use super::channel::{Flow, couette, poiseuille};
use super::{Case, Cost, Report};
use crate::world::{PressureSolver, Viscosity, World};

pub(crate) const CASE: Case = Case {
    name: "proxy-viscous",
    summary: "flow of the variational fluid between plates: velocity profiles and wall stress",
    source: "analytic series",
    by_name: false,
    cost: Cost::Seconds,
    run,
};

fn run(report: &mut Report) -> Result<(), String> {
    let variational = |world: &mut World| {
        world.method.particles().pressure.solver = PressureSolver::Variational;
    };
    // Twice the tolerance of the incompressible solvers.
    let flow = |name: &str| Flow { prefix: format!("{name}, "), tolerance: 0.04, known: None };
    poiseuille(report, &flow("poiseuille"), variational)?;
    couette(report, &flow("couette"), variational)?;
    let weiler = |world: &mut World| {
        variational(world);
        let eta = world.fluids[0].viscosity.dynamic();
        world.fluids[0].viscosity = Viscosity::weiler2018(eta, eta);
    };
    let printed = Flow {
        known: Some("(4.14) acts along lines of centres: on a lattice it misses a third of η"),
        ..flow("poiseuille, weiler2018 (4.14 as printed)")
    };
    poiseuille(report, &printed, weiler)
}
