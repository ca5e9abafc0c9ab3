//! How bodies will move in a step, and how they will yield to forces, before it is made: one linear
//! model of the energy (S1) about the state at its beginning.
//!
//! ```text
//! (LP1)  H = M + ĥ² ∂²(Ψ + C)/∂x²  at xⁿ, without negative eigenvalues
//! (LP2)  u = −H⁻¹ ∂E/∂x(xⁿ)        where vertices go
//! (LP3)  R = ĥ² H⁻¹                 by R F farther if forces F push
//! ```
//!
//! Friction is left out: about xⁿ, where nothing has slipped yet, all of it would stick.

use glam::DVec3;

use crate::objective::solve_raised;
use crate::outcome::Failure;
use crate::parts::Parts;
use crate::solids::{Settings, Solids};
use crate::step::{Outside, begin};
use crate::unknowns::Unknowns;
use crate::workspace::Workspace;
use splashdown_solve::block_matrix::BlockMatrix;
use splashdown_solve::operator::LinearOperator;

/// The linear model of a step.
pub struct Prediction<'a> {
    /// (LP2): displacement of every vertex, m.
    pub moves: Vec<DVec3>,
    matrix: &'a BlockMatrix,
    unknowns: Unknowns,
    /// ĥ²
    scale: f64,
}

impl<'a> Prediction<'a> {
    /// The model of the step that `step` would make of these `parts`, factorised in `workspace`.
    pub fn new(
        solids: &Solids,
        workspace: &'a mut Workspace,
        settings: &Settings,
        (outside, parts): (Outside, Parts<'_>),
        target: impl Fn(u32) -> DVec3,
    ) -> Result<Prediction<'a>, Failure> {
        workspace.matrix.most = settings.direct_limit;
        workspace.matrix.stop = workspace.stop;
        let outside = Outside { guests: None, ..outside };
        let parts = (parts, workspace.stop);
        let (mut objective, _) = begin(solids, settings, outside, target, parts);
        let x = &solids.position;
        objective.look(x, x);
        objective.assemble(x, workspace)?;
        let down: Vec<DVec3> = objective.slope(x).0.iter().map(|g| -*g).collect();
        let found = solve_raised(&mut workspace.matrix, &down)?;
        let moves = objective.unknowns.spread(&found);
        let (unknowns, scale) = (objective.unknowns, objective.scale);
        Ok(Prediction { moves, matrix: &workspace.matrix, unknowns, scale })
    }

    /// How many unknowns the model has.
    pub fn unknown_count(&self) -> usize {
        self.unknowns.of_bodies
    }

    /// Forces on unknowns from those on vertices.
    pub fn by_unknown(&self, by_vertex: &[DVec3]) -> Vec<DVec3> {
        self.unknowns.gather(by_vertex)
    }

    /// Moves of vertices from those of unknowns.
    pub fn by_vertex(&self, by_unknown: &[DVec3]) -> Vec<DVec3> {
        self.unknowns.spread(by_unknown)
    }

    /// R⁻¹ y: what it takes (N) to move unknowns by `y` (m) farther.
    pub fn resistance(&self, y: &[DVec3], force: &mut [DVec3]) {
        self.matrix.apply(y, force);
        force.iter_mut().for_each(|f| *f /= self.scale);
    }

    /// R f: how far unknowns go under forces on them (N).
    pub fn response(&self, force: &[DVec3]) -> Result<Vec<DVec3>, Failure> {
        let push: Vec<DVec3> = force.iter().map(|f| self.scale * *f).collect();
        Ok(self.matrix.solve_again(&push)?.x)
    }

    /// (LP3): how much farther vertices go if they are pushed by `force` (N).
    pub fn answer(&self, force: &[DVec3]) -> Result<Vec<DVec3>, Failure> {
        Ok(self.by_vertex(&self.response(&self.by_unknown(force))?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::Substance;
    use crate::material::{Material, Model};
    use crate::meshing::block;
    use crate::solids::{Hold, Integrator};
    use crate::step::step;

    const G: DVec3 = DVec3::new(0.0, 0.0, -9.81);

    fn settings(integrator: Integrator) -> Settings {
        Settings {
            friction_updates: 1,
            tolerance: 1e-4,
            force_tolerance: 1e-4,
            max_iterations: 50,
            integrator,
            ..Settings::default()
        }
    }

    /// A beam that is clamped at one end.
    fn beam() -> Solids {
        let material = Material::new(Model::NeoHookean, 1e6, 0.3);
        let rubber = Substance { material, density: 1e3, friction: 0.0, drag: 0.0, damping: 0.0 };
        let mut solids = Solids::default();
        let mesh = block(DVec3::new(1.0, 0.2, 0.2), [10, 2, 2]);
        solids.add_body(&mesh, &rubber, |_| DVec3::ZERO).unwrap();
        let start = solids.rest.iter().map(|x| x.x).fold(f64::INFINITY, f64::min);
        for v in 0..solids.rest.len() {
            if solids.rest[v].x < start + 1e-9 {
                solids.hold[v] = Hold::Fixed;
            }
        }
        solids
    }

    fn largest(of: &[DVec3]) -> f64 {
        of.iter().map(|u| u.length()).fold(0.0, f64::max)
    }

    #[test]
    fn small_steps_go_where_they_are_predicted_with_forces_and_without() {
        for integrator in [Integrator::ImplicitEuler, Integrator::Bdf2] {
            let settings = settings(integrator);
            let mut solids = beam();
            let (mut of_step, mut of_model) = (Workspace::default(), Workspace::default());
            for k in 0..4 {
                let force: Vec<DVec3> = match k % 2 {
                    0 => Vec::new(),
                    _ => solids.rest.iter().map(|x| DVec3::new(0.1, 0.0, x.x)).collect(),
                };
                let outside = Outside { dt: 1e-3, gravity: G, force: &[], guests: None };
                let (whole, still) = ((outside, Parts::default()), |_| DVec3::ZERO);
                let model =
                    Prediction::new(&solids, &mut of_model, &settings, whole, still).unwrap();
                let mut predicted = model.moves.clone();
                if !force.is_empty() {
                    let answer = model.answer(&force).unwrap();
                    predicted.iter_mut().zip(answer).for_each(|(u, more)| *u += more);
                }
                let before = solids.position.clone();
                let outside = Outside { force: &force, ..outside };
                let made = step(&mut solids, &mut of_step, &settings, outside, still);
                assert!(made.is_ok(), "{integrator:?} step {k}: {made:?}");
                let moved: Vec<DVec3> =
                    solids.position.iter().zip(&before).map(|(x, before)| *x - *before).collect();
                let wrong: Vec<DVec3> =
                    moved.iter().zip(&predicted).map(|(a, b)| *a - *b).collect();
                let share = largest(&wrong) / largest(&moved);
                assert!(share < 1e-2, "{integrator:?} step {k}: {share}");
            }
        }
    }
}
