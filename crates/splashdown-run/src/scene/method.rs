//! Which method a scene asks for, with the settings that it gives it.

use super::file::{SceneFile, Solid};
use super::grid::has_grid;
use crate::method::Method;
use crate::stepper::Prediction;
use crate::world::{BoundaryPressure, PressureSolver};

/// The method of the world of a scene that is otherwise complete.
pub(crate) fn method(file: &SceneFile, has_tension: bool) -> Method {
    if has_grid(file) {
        return Method::Grid(file.grid.settings());
    }
    let mut method = Method::default();
    let settings = method.particles();

    let (written, pressure) = (&file.pressure, &mut settings.pressure);
    pressure.solver = written.solver;
    pressure.boundary = boundary_pressure(file, has_tension);
    pressure.density_error = written.density_error;
    pressure.divergence_error = written.divergence_error;
    pressure.min_iterations = written.min_iterations;
    pressure.max_iterations = written.max_iterations;
    pressure.warm_start = written.warm_start;
    pressure.potentials.tension = written.tension.unwrap_or_default();
    pressure.potentials.linear = written.linear.unwrap_or_default();

    let (written, stepper) = (&file.fluid_contact, &mut settings.stepper);
    stepper.stepper = written.stepper.unwrap_or_default();
    if let Some(known) = &written.predict {
        stepper.predict = Prediction::of(known);
    }
    stepper.friction_passes = written.friction_passes.unwrap_or(stepper.friction_passes);

    let (written, coupling) = (&file.coupling, &mut settings.coupling);
    coupling.method = written.method;
    coupling.solver = written.solver;
    coupling.contact_error = written.contact_error;
    coupling.min_iterations = written.min_iterations;
    coupling.max_iterations = written.max_iterations;
    coupling.warm_start = written.warm_start;
    method
}

/// Around bodies fluid must stand where their surface is, or they displace too little: next to
/// walls without pressure it comes too near. Wetting has been measured with those.
fn boundary_pressure(file: &SceneFile, has_tension: bool) -> BoundaryPressure {
    let has_elastic = !file.elastic.is_empty() && !file.fluid.is_empty();
    let has_bodies = has_elastic || file.solid.iter().any(Solid::is_rigid_body);
    match file.pressure.boundary {
        Some(written) => written,
        None if file.pressure.solver == PressureSolver::Variational => BoundaryPressure::Zero,
        None if has_bodies && !has_tension => BoundaryPressure::Mirrored,
        None => BoundaryPressure::Zero,
    }
}
