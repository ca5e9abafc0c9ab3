//! What the cases have in common.

use splashdown_solids::barrier::Gap;
use splashdown_solids::bodies::Substance;
use splashdown_solids::material::{Material, Model};
use splashdown_solids::meshing::{TetMesh, block};
use splashdown_solids::solids::{Hold, Integrator, Settings, Solids};
use splashdown_solids::step::{Failure, Outside, Workspace, step};
use splashdown_solids::surface::boundary;

use super::super::Report;
use crate::math::DVec3;

/// Settings that look at every state.
pub(super) fn settings(tolerance: f64) -> Settings {
    Settings::default().with(|s| {
        s.tolerance = tolerance;
        s.max_iterations = 500;
        s.integrator = Integrator::ImplicitEuler;
        s.direct_limit = usize::MAX;
        s.verify = true;
    })
}

/// A neo-Hookean substance.
pub(super) fn substance(young: f64, poisson: f64) -> Substance {
    let material = Material::new(Model::NeoHookean, young, poisson);
    Substance { material, density: 1000.0, friction: 0.0, drag: 0.0, damping: 0.0 }
}

/// A block about `centre`.
pub(super) fn block_at(size: DVec3, cells: [usize; 3], centre: DVec3) -> TetMesh {
    let mut mesh = block(size, cells);
    mesh.vertices.iter_mut().for_each(|v| *v += centre);
    mesh
}

/// Moves `solids` to rest under `gravity` and `force`: a step so long that inertia has no say.
pub(super) fn settle(solids: &mut Solids, gravity: DVec3, force: &[DVec3]) -> Result<(), String> {
    settle_within(solids, settings(0.0).gap, gravity, force).map(drop)
}

/// The same where surfaces keep `gap`. Returns the number of Newton iterations.
pub(super) fn settle_within(
    solids: &mut Solids,
    gap: Gap,
    gravity: DVec3,
    force: &[DVec3],
) -> Result<u32, String> {
    let dt = 100.0;
    let settings = settings(1e-9 / dt).with(|s| {
        s.gap = gap;
        s.max_iterations = 2000;
    });
    let mut workspace = Workspace::default();
    step(solids, &mut workspace, &settings, Outside { dt, gravity, force, guests: None }, |_| {
        DVec3::ZERO
    })
    .map(|done| done.iterations)
    .map_err(|e| e.to_string())
}

/// What was seen on the way.
pub(super) struct RunSummary {
    /// States that were looked at for intersections and inverted elements.
    pub states: u32,
    /// The smallest gap, m.
    pub least: f64,
    /// Newton iterations.
    pub iterations: u32,
}

impl RunSummary {
    /// Tells of a way without violations; one with them has ended in an error.
    pub(super) fn tell(&self, report: &mut Report) {
        let RunSummary { states, least, iterations } = self;
        report.at_most(format!("intersections and inverted elements in {states} states"), 0.0, 0.0);
        report.note("smallest gap, µm", 1e6 * least, 0.0);
        report.note("Newton iterations per step", f64::from(*iterations) / f64::from(*states), 0.0);
    }
}

/// Takes `steps` steps of `dt`; one that fails is done in two halves. `target` says where driven
/// vertices are at a time.
pub(super) fn advance(
    solids: &mut Solids,
    settings: &Settings,
    (dt, steps): (f64, u32),
    gravity: DVec3,
    target: impl Fn(f64, u32) -> DVec3,
) -> Result<RunSummary, String> {
    const SMALLEST: f64 = 1.0 / 64.0;
    let mut summary = RunSummary { states: 0, least: f64::INFINITY, iterations: 0 };
    let mut workspace = Workspace::default();
    let (mut time, mut share) = (0.0, 1.0);
    let end = f64::from(steps) - 1e-9;
    while time < end {
        // In units of `dt`, so that halves are exact.
        let then = dt * (time + share);
        let goal = |v: u32| target(then, v);
        match step(
            solids,
            &mut workspace,
            settings,
            Outside { dt: share * dt, gravity, force: &[], guests: None },
            goal,
        ) {
            Ok(done) => {
                time += share;
                share = if time.fract() == 0.0 { 1.0 } else { share };
                summary.states += 1;
                summary.iterations += done.iterations;
                summary.least = summary.least.min(done.smallest_gap);
            }
            Err(Failure::Slow(..) | Failure::Stuck(..)) if share > SMALLEST => share *= 0.5,
            Err(error) => return Err(format!("at {:.4} s: {error}", dt * time)),
        }
    }
    Ok(summary)
}

/// A block of `cells` whose corners are where `place` puts those of the unit cube about the origin.
pub(super) fn bent_block(cells: [usize; 3], place: impl Fn(DVec3) -> DVec3) -> TetMesh {
    let mut mesh = block(DVec3::ONE, cells);
    mesh.vertices.iter_mut().for_each(|v| *v = place(*v));
    mesh
}

/// Triangles of the outside of a mesh, and its vertices.
pub(super) fn skin(mesh: &TetMesh) -> (&[DVec3], Vec<[u32; 3]>) {
    (&mesh.vertices, boundary(&mesh.tetrahedra))
}

/// The largest distance of a body's centre from where it was.
pub(super) fn largest_move(solids: &Solids, bodies: &[usize], before: &[DVec3]) -> f64 {
    let moves = bodies.iter().zip(before).map(|(&b, from)| solids.centre(b).1.distance(*from));
    moves.fold(0.0, f64::max)
}

/// Adds a body at rest.
pub(super) fn add(
    solids: &mut Solids,
    mesh: &TetMesh,
    substance: &Substance,
) -> Result<usize, String> {
    add_of(Order::Linear, solids, mesh, substance)
}

/// The tetrahedra that a body is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Linear,
    Quadratic,
}

/// Adds a body of linear or quadratic tetrahedra at rest.
pub(super) fn add_of(
    order: Order,
    solids: &mut Solids,
    mesh: &TetMesh,
    substance: &Substance,
) -> Result<usize, String> {
    let rest = |_| DVec3::ZERO;
    let added = match order {
        Order::Linear => solids.add_body(mesh, substance, rest),
        Order::Quadratic => solids.add_quadratic_body(mesh, substance, rest),
    };
    added.map_err(|e| e.to_string())
}

/// Holds the vertices that are chosen by where they rest.
pub(super) fn hold(solids: &mut Solids, how: Hold, chosen: impl Fn(DVec3) -> bool) {
    for (hold, &rest) in solids.hold.iter_mut().zip(&solids.rest) {
        if chosen(rest) {
            *hold = how;
        }
    }
}
