//! A square bar is twisted: torque per angle after Saint-Venant.

use splashdown_solids::solids::{Hold, Solids};

use super::super::{Case, Cost, Report};
use super::bodies::{add, block_at, hold, settle, substance};
use crate::math::{DQuat, DVec3};

pub(crate) const CASE: Case = Case {
    name: "twist-bar",
    summary: "torque of a square bar that is twisted a little, from two lengths",
    source: "Saint-Venant 1855: T = 0.1406 G a⁴ θ / L",
    by_name: false,
    cost: Cost::Seconds,
    run,
};

const SIDE: f64 = 0.1;
const YOUNG: f64 = 1e6;
const POISSON: f64 = 0.3;
const ANGLE: f64 = 1e-3;

/// θ/T of a bar as long as `rows` cells, with `cells` across, whose ends are held.
fn compliance(cells: usize, rows: usize) -> Result<f64, String> {
    let length = SIDE * rows as f64 / cells as f64;
    let size = DVec3::new(SIDE, length, SIDE);
    let mesh = block_at(size, [cells, rows, cells], DVec3::ZERO);
    let mut solids = Solids::default();
    add(&mut solids, &mesh, &substance(YOUNG, POISSON))?;
    hold(&mut solids, Hold::Fixed, |p| p.y.abs() > 0.5 * length - 1e-9);
    // Begins twisted evenly, with the ends where they should be.
    for (x, rest) in solids.position.iter_mut().zip(&solids.rest) {
        *x = DQuat::from_rotation_y(ANGLE * (rest.y / length + 0.5)) * *rest;
    }
    settle(&mut solids, DVec3::ZERO, &[])?;
    let mut pull = vec![DVec3::ZERO; solids.rest.len()];
    for element in &solids.elements {
        element.scatter(&element.gradient(&element.gather(&solids.position)), &mut pull);
    }
    let at_end = (0..pull.len()).filter(|&v| solids.rest[v].y > 0.5 * length - 1e-9);
    let torque: f64 = at_end.map(|v| solids.position[v].cross(pull[v]).y).sum();
    Ok(ANGLE / torque)
}

fn run(report: &mut Report) -> Result<(), String> {
    let shear = YOUNG / (2.0 * (1.0 + POISSON));
    let mut found = Vec::new();
    for cells in [4, 8, 16] {
        // What the held ends add to the stiffness is the same for both lengths.
        let [short, long] = [cells * 3 / 2, cells * 3];
        let per_length = (compliance(cells, long)? - compliance(cells, short)?) / (1.5 * SIDE);
        let ratio = 1.0 / (per_length * 0.1406 * shear * SIDE.powi(4));
        report.note(format!("{cells} cells across: torque over Saint-Venant's"), ratio, 1.0);
        found.push(ratio);
    }
    let order = ((found[1] - found[0]) / (found[2] - found[1])).log2();
    report.close("order of convergence", order, 2.0, 0.5);
    let limit = found[2] + (found[2] - found[1]) / 3.0;
    report.close("extrapolated, over Saint-Venant's", limit, 1.0, 0.01);
    report.close("16 cells, over Saint-Venant's", found[2], 1.0, 0.03);
    Ok(())
}
