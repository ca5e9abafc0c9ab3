//! Gradients, Hessian and eigenvalues of the fluid's potentials.

use splashdown_physics::diagnostics::potential_derivatives;
use splashdown_solve::differences::Random;

use super::{Case, Cost, Report, barrier};
use crate::math::{DVec3, Dimension};
use crate::world::{PressureSolver, Solid, Viscosity, World};

pub(crate) const CASE: Case = Case {
    name: "proxy-derivatives",
    summary: "gradient, Hessian and eigenvalues of the potentials of the variational fluid",
    source: "central differences of sixth order; Xie 2023, appendix A",
    by_name: false,
    cost: Cost::Seconds,
    run,
};

/// Length of the step, s.
const STEP: f64 = 2e-3;

fn run(report: &mut Report) -> Result<(), String> {
    for (dimension, across) in [(Dimension::Two, 8), (Dimension::Three, 4)] {
        let models = [("laplacian", Viscosity::laplacian(2.0, 3.0))];
        let models = models.into_iter().chain([("weiler2018", Viscosity::weiler2018(2.0, 3.0))]);
        for (model, viscosity) in models {
            let mut world = blob(dimension, across, viscosity);
            let found =
                potential_derivatives(&mut world, STEP, 7).map_err(|error| error.to_string())?;
            let variant = format!("{}D, {model}", dimension.count());
            let gradient = "gradient with samples against differences";
            report.at_most(format!("{variant}: {gradient}"), found.gradient, 1e-6);
            let product = "Hessian product against differences";
            report.at_most(format!("{variant}: {product}"), found.hessian, 1e-6);
            let product = "matrix-free product against assembled";
            report.at_most(format!("{variant}: {product}"), found.product, 1e-11);
            let sum = "forces on fluid and samples, sum over sizes";
            report.at_most(format!("{variant}: {sum}"), found.momentum, 1e-11);
            let [least, most] = extremes(found.matrix);
            let metric = format!("{variant}: negative eigenvalue of P over the largest");
            report.at_most(metric, (-least / most).max(0.0), 1e-12);
        }
    }
    barrier::rows(report)
}

/// Fluid out of order on a plate.
fn blob(dimension: Dimension, across: usize, viscosity: Viscosity) -> World {
    let h = 0.01;
    let mut random = Random::new(11);
    let mut world = World::new(dimension, h);
    let deep = if dimension == Dimension::Two { 1 } else { across };
    let place = |k: usize, across: usize| {
        [k % across, k / across % across, k / across / across].map(|i| i as f64)
    };
    let mut points: Vec<DVec3> =
        (0..across * across * deep).map(|k| h * DVec3::from(place(k, across))).collect();
    points.iter_mut().for_each(|p| *p += dimension.flatten(0.2 * h * random.vector()));
    world.add_fluid("water", 1000.0, viscosity, &points, |_| DVec3::ZERO);
    let wide = across + 4;
    let layers = if dimension == Dimension::Two { 1 } else { wide };
    let of_plate = |k: usize| {
        let [x, z, _] = place(k, wide);
        dimension.flatten(h * DVec3::new(x - 2.0, -1.0, z - 2.0))
    };
    world.add_solid(Solid::fixed("plate", (0..wide * layers).map(of_plate).collect(), 0.0));
    world.method.particles().pressure.solver = PressureSolver::Variational;
    world
}

/// The smallest and the largest eigenvalue of a symmetric matrix, by Jacobi's rotations.
fn extremes(mut a: Vec<Vec<f64>>) -> [f64; 2] {
    let n = a.len();
    for _ in 0..12 {
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, p, q);
            }
        }
    }
    let diagonal = a.iter().enumerate().map(|(k, row)| row[k]);
    diagonal.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, m], x| [l.min(x), m.max(x)])
}

/// Makes entries (p, q) and (q, p) zero.
fn rotate(a: &mut [Vec<f64>], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for row in a.iter_mut() {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    let (above, below) = a.split_at_mut(q);
    for (x, y) in above[p].iter_mut().zip(&mut below[0]) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
}
