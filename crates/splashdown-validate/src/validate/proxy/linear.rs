//! What linear solvers cost (Xie 2023, table 6.3): the fluid's by matrix and matrix-free, that of
//! bodies with the fluid near them eliminated or not. All from the same states.

use splashdown_physics::diagnostics::{fluid_matrix_bytes, guests_and_vertices};
use splashdown_physics::report::SolveKind;
use splashdown_solids::guests::Linear;

use super::run::advance;
use super::{Case, Cost, Report};
use crate::scene::Scene;
use crate::world::{LinearSolver, World};

pub(crate) const CASE: Case = Case {
    name: "proxy-linear",
    summary: "time and memory of linear solvers, on shoot-creature with 10 thousand particles",
    source: "Xie 2023, table 6.3: 20.8 in time, 8.4 in memory; 1.31 and 1.72 for the bodies",
    by_name: true,
    cost: Cost::Minutes,
    run: |report| measure(report, &USUAL),
};

pub(crate) const LARGE: Case = Case {
    name: "proxy-linear-100k",
    summary: "the same with 100 thousand particles, as many as in the paper",
    cost: Cost::Hours,
    run: |report| measure(report, &AS_PRINTED),
    ..CASE
};

/// A size of the scene.
struct Size {
    /// m
    spacing: f64,
    /// Fluid particles from which on it is looked at.
    particles: usize,
}

const USUAL: Size = Size { spacing: 0.016, particles: 10_000 };
const AS_PRINTED: Size = Size { spacing: 0.0075, particles: 100_000 };
/// Shares of that number of particles at which states are taken.
const STATES: [f64; 3] = [0.5, 0.75, 1.0];
/// Steps from each, after one to warm up.
const STEPS: usize = 4;
/// Rounds of all solvers: of each the fastest counts, because a busy machine only ever adds.
const ROUNDS: usize = 3;

/// What the linear solves of some steps took.
#[derive(Default)]
struct Spent {
    /// Of the fluid: s, and bytes of pairs and of the matrix.
    fluid: f64,
    bytes: [usize; 2],
    /// Of the bodies: s of assembly and factorisation, of the whole second phase, iterations.
    bodies: f64,
    phase: f64,
    newton: u32,
    /// Guests that met vertices, and these vertices.
    met: [usize; 2],
    /// Iterations of conjugate gradients.
    iterations: u32,
}

impl Spent {
    /// Keeps the shorter times.
    fn improve(&mut self, other: Spent) {
        let before = std::mem::replace(self, other);
        if before.newton > 0 {
            self.fluid = self.fluid.min(before.fluid);
            self.bodies = self.bodies.min(before.bodies);
            self.phase = self.phase.min(before.phase);
        }
    }
}

fn measure(report: &mut Report, size: &Size) -> Result<(), String> {
    let mut world = scene(size)?;
    for share in STATES {
        let wanted = (share * size.particles as f64) as usize;
        while world.fluid_count() < wanted {
            let next = world.clock.time + 1e-3;
            advance(&mut world, next, |_, _| ())?;
        }
        let [mut usual, mut assembled, mut whole] = <[Spent; 3]>::default();
        for _ in 0..ROUNDS {
            usual.improve(steps(&world, LinearSolver::MatrixFree, Linear::Schur)?);
            assembled.improve(steps(&world, LinearSolver::Assembled, Linear::Schur)?);
            whole.improve(steps(&world, LinearSolver::MatrixFree, Linear::Whole)?);
        }
        let name = format!("{wanted} particles");
        of_fluid(report, &name, [&usual, &assembled]);
        of_bodies(report, &name, [&usual, &whole]);
    }
    Ok(())
}

fn of_fluid(report: &mut Report, name: &str, [free, assembled]: [&Spent; 2]) {
    let faster = assembled.fluid / free.fluid;
    report.note(format!("{name}: ms a step, matrix-free"), 1e3 * free.fluid / STEPS as f64, 0.0);
    let iterations = f64::from(free.iterations) / STEPS as f64;
    report.note(format!("{name}: iterations of CG a step"), iterations, 0.0);
    report.note(format!("{name}: time of assembled over matrix-free"), faster, 8.0);
    let metric = format!("{name}: the same, below 8");
    report.at_most(metric, (8.0 - faster).max(0.0), 0.0);
    let [pairs, matrix] = assembled.bytes;
    let larger = (pairs + matrix) as f64 / pairs as f64;
    report.note(format!("{name}: memory of assembled over matrix-free"), larger, 5.0);
    let metric = format!("{name}: the same, below 5");
    report.at_most(metric, (5.0 - larger).max(0.0), 0.0);
}

fn of_bodies(report: &mut Report, name: &str, [schur, whole]: [&Spent; 2]) {
    let [guests, vertices] = schur.met;
    let crowd = guests as f64 / vertices.max(1) as f64;
    report.note(format!("{name}: guests for each wet vertex"), crowd, 3.0);
    let each = |spent: &Spent, of: fn(&Spent) -> f64| of(spent) / f64::from(spent.newton.max(1));
    let slower = each(whole, |s| s.bodies) / each(schur, |s| s.bodies);
    let ms = 1e3 * each(schur, |s| s.bodies);
    report.note(format!("{name}: ms of an assembly and solution, Schur"), ms, 0.0);
    let metric = format!("{name}: time of whole over Schur, assembly and solution");
    let demanded = if crowd >= 3.0 { 1.2 } else { 0.95 };
    report.note(metric, slower, demanded);
    let metric = format!("{name}: the same, below {demanded}");
    report.at_most(metric, (demanded - slower).max(0.0), 0.0);
    let metric = format!("{name}: the same of an iteration of Newton's method, whole");
    report.note(metric, each(whole, |s| s.phase) / each(schur, |s| s.phase), 1.0);
}

fn scene(size: &Size) -> Result<World, String> {
    let changes =
        [format!("simulation.spacing={}", size.spacing), "emitter.hose.limit=200000".to_owned()];
    let scene = Scene::builtin("shoot-creature", &changes).map_err(|e| e.to_string())?;
    Ok(scene.build().map_err(|e| e.to_string())?.world)
}

/// Some steps from a state, with these solvers.
fn steps(from: &World, linear: LinearSolver, of_bodies: Linear) -> Result<Spent, String> {
    let mut world = from.clone();
    world.method.particles().pressure.potentials.linear = linear;
    if let Some(guests) = &mut world.elastic.guests {
        guests.linear = of_bodies;
    }
    let mut spent = Spent::default();
    for k in 0..=STEPS {
        let step = world.step(f64::INFINITY).map_err(|e| e.to_string())?;
        if k == 0 {
            continue;
        }
        let (fluid, newton) = (step.solve(SolveKind::Density), step.solve(SolveKind::Elastic));
        spent.fluid += fluid.seconds;
        spent.iterations += fluid.iterations;
        let [assembly, factorisation, ..] = step.newton_seconds;
        spent.bodies += assembly + factorisation;
        spent.phase += newton.seconds;
        spent.newton += newton.iterations;
    }
    spent.bytes = fluid_matrix_bytes(&world);
    spent.met = guests_and_vertices(&world);
    Ok(spent)
}

#[cfg(test)]
mod tests {
    use super::super::run::world;
    use super::*;

    #[test]
    fn soft_bodies_and_fluid_go_where_they_go_with_the_matrix_of_the_fluid() {
        let text = include_str!("../../../validation/wet-layer.toml");
        let changes = ["pressure.solver=variational", "simulation.spacing=0.015"];
        let mut worlds = ["matrix_free", "assembled"].map(|linear| {
            let linear = format!("pressure.linear={linear}");
            let all: Vec<String> = changes.iter().map(|c| c.to_string()).chain([linear]).collect();
            world("layer", text, &all).unwrap()
        });
        for world in &mut worlds {
            (0..2).for_each(|_| drop(world.step(1.0).unwrap()));
        }
        let [a, b] = worlds.each_ref().map(|world| {
            let solids = world.elastic.solids.position.iter();
            world.particles.position.iter().chain(solids)
        });
        let apart = a.zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(apart < 1e-9, "{apart:e}");
        let bytes = worlds.each_ref().map(fluid_matrix_bytes);
        assert!(bytes[0][1] == 0 && bytes[1][1] > 5 * bytes[1][0], "{bytes:?}");
    }
}
