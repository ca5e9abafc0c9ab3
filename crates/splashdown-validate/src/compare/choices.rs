//! What can differ in a scene: the other methods that apply to it, one at a time.

use serde::Serialize;

use crate::body::CouplingMethod;
use crate::scene::Scene;
use crate::scene::file::{Elastic, ElasticKind, Fluid, SceneFile};
use crate::scene::schema::{self, written};
use crate::sph::tension::TensionModel;
use crate::world::{BoundaryPressure, PressureSolver};

/// Viscosity of water, for fluids that have none as a material constant, Pa·s.
const WATER: f64 = 0.001;

/// A way to run a scene other than as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// A word for it.
    pub name: String,
    /// What makes it so, as for `--set`.
    pub overrides: Vec<String>,
}

/// Every other method that would make a difference to the scene.
pub fn choices(scene: &Scene) -> Vec<Choice> {
    let file = &scene.file;
    if file.coupling.method == CouplingMethod::ElastoMonolith {
        return of_grid(file);
    }
    let mut found = Vec::new();
    if has_fluid(file) && has_bodies(file) {
        found.extend(others("coupling.method", file.coupling.method));
    }
    if has_bodies(file) && file.coupling.method != CouplingMethod::Interlinked {
        found.extend(others("coupling.solver", file.coupling.solver));
    }
    if has_fluid(file) {
        found.extend(others("pressure.solver", file.pressure.solver));
        if !file.solid.is_empty() {
            found.extend(boundaries(file));
        }
        found.extend(viscosities(file));
    }
    if has_tension(file) {
        found.extend(tensions(file));
    }
    if file.pressure.solver == PressureSolver::Variational && !file.elastic.is_empty() {
        let own = file.fluid_contact.stepper.unwrap_or_default();
        found.extend(others("fluid_contact.stepper", own));
    }
    found.extend(elastic(file));
    // Not everything goes together: contact angles need a model that knows them.
    let is_valid = |choice: &Choice| {
        let Scene { name, text, directory, .. } = scene;
        Scene::parse(name, text, directory, &choice.overrides).is_ok()
    };
    found.retain(is_valid);
    found
}

/// What can differ where the fluid is on a grid: what particles carry, and SPH instead.
fn of_grid(file: &SceneFile) -> Vec<Choice> {
    let mut found = vec![word("coupling.method", "monolithic")];
    found.extend(others("grid.transfer", file.grid.transfer));
    found.extend(others("grid.kernel", file.grid.kernel));
    let named = |choice: Choice| Choice { name: format!("volume-{}", choice.name), ..choice };
    found.extend(others("grid.volume", file.grid.volume).into_iter().map(named));
    found
}

/// Whether there is, or will be, any fluid.
pub fn has_fluid(file: &SceneFile) -> bool {
    !file.fluid.is_empty()
}

/// Whether any rigid body moves by the forces on it.
pub fn has_bodies(file: &SceneFile) -> bool {
    file.solid.iter().any(|solid| solid.is_rigid_body())
}

fn has_tension(file: &SceneFile) -> bool {
    let pulls = |fluid: &Fluid| {
        let surface = &fluid.surface;
        let written = [&surface.tension, &surface.between_fluids, &surface.at_walls];
        fluid.surface_liquid().is_some() || written.iter().any(|tension| tension.is_some())
    };
    file.fluid.iter().any(pulls)
}

/// The choice of a word for a key that is called by the word.
fn word(key: &str, word: &str) -> Choice {
    Choice { name: word.replace('_', "-"), overrides: vec![format!("{key}=\"{word}\"")] }
}

fn boundaries(file: &SceneFile) -> Vec<Choice> {
    let unset = match has_bodies(file) && !has_tension(file) {
        true => BoundaryPressure::Mirrored,
        false => BoundaryPressure::Zero,
    };
    others("pressure.boundary", file.pressure.boundary.unwrap_or(unset))
}

fn tensions(file: &SceneFile) -> Vec<Choice> {
    // The other two models do not take tensions in N/m: a scene would need other numbers for them.
    let alike = [TensionModel::Probst2024, TensionModel::Pairwise].map(|model| written(&model));
    let named = |choice: Choice| Choice { name: format!("tension-{}", choice.name), ..choice };
    let mut found = others("surface.model", file.surface.model);
    found.retain(|choice| alike.contains(&choice.name));
    if file.surface.model == TensionModel::Probst2024 {
        found.extend(others("surface.order", file.surface.order).into_iter().map(named));
    }
    found
}

/// All that a key can be but what the scene has.
fn others(key: &str, own: impl Serialize) -> Vec<Choice> {
    let own = written(&own);
    let others = schema::choices(key).into_iter().filter(|choice| choice.name != own);
    others.map(|choice| word(key, choice.name)).collect()
}

/// The other models of viscosity, for all fluids at once. Physical ones keep the viscosity, or take
/// that of water.
fn viscosities(file: &SceneFile) -> Vec<Choice> {
    let has = |name: &str| file.fluid.iter().all(|fluid| written(&fluid.viscosity()) == name);
    let choice = |name: &str| {
        let of_fluid = |fluid: &Fluid| {
            let parameters = match name {
                "weiler2018" | "laplacian" => format!("{{ dynamic = {:?} }}", dynamic(fluid)),
                _ => "{}".to_owned(),
            };
            format!("fluid.{}.viscosity={{ {name} = {parameters} }}", fluid.name)
        };
        Choice {
            name: if name == "none" { "inviscid".to_owned() } else { name.to_owned() },
            overrides: file.fluid.iter().map(of_fluid).collect(),
        }
    };
    let models = schema::choices("fluid.viscosity").into_iter().map(|model| model.name);
    models.filter(|name| !has(name)).map(choice).collect()
}

fn dynamic(fluid: &Fluid) -> f64 {
    let viscosity = fluid.viscosity();
    if viscosity.is_implicit() { viscosity.dynamic() } else { WATER }
}

fn elastic(file: &SceneFile) -> Vec<Choice> {
    let mut found = Vec::new();
    if file.elastic.is_empty() {
        return found;
    }
    let integrator = file.elastic_solver.integrator;
    found.extend(others("elastic_solver.integrator", integrator));
    found.extend(of_solids(file, "elements", |body| written(&body.elements)));
    found.extend(of_solids(file, "material", |body| written(&body.material)));
    found
}

/// All that a key of elastic solids can be, for all of them at once, but what they all have.
fn of_solids(file: &SceneFile, key: &str, own: fn(&Elastic) -> String) -> Vec<Choice> {
    let solids = || file.elastic.iter().filter(|body| body.kind == ElasticKind::Solid);
    let choice = |value: &str| Choice {
        name: value.replace('_', "-"),
        overrides: solids().map(|b| format!("elastic.{}.{key}=\"{value}\"", b.name)).collect(),
    };
    if solids().next().is_none() {
        return Vec::new();
    }
    let values = schema::choices(&format!("elastic.{key}")).into_iter().map(|word| word.name);
    values.filter(|value| !solids().all(|body| own(body) == *value)).map(choice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::gallery;

    fn names(scene: &str) -> Vec<String> {
        let scene = Scene::builtin(scene, &[]).unwrap();
        choices(&scene).into_iter().map(|choice| choice.name).collect()
    }

    #[test]
    fn only_what_applies_is_chosen() {
        let water = names("dam-break");
        assert!(water.contains(&"iisph".to_owned()) && water.contains(&"mirrored".to_owned()));
        assert!(!water.contains(&"weak".to_owned()), "nothing moves in it: {water:?}");
        assert!(!water.iter().any(|name| name.starts_with("tension")), "{water:?}");
        let both = names("rising-sphere");
        assert!(
            ["weak", "interlinked", "jacobi", "dfsph"].iter().all(|n| both.contains(&(*n).into()))
        );
        assert_eq!(names("card-house"), ["jacobi", "nncg-jacobi"]);
        let expected = ["monolithic", "pic", "flip", "quadratic", "volume-none"];
        assert_eq!(names("grid-dam-break"), expected);
        let elastic = names("cube-on-cloth");
        let expected = ["implicit-euler", "quadratic"];
        assert!(expected.iter().all(|n| elastic.contains(&(*n).into())), "{elastic:?}");
        assert!(!elastic.contains(&"iisph".to_owned()));
        assert!(names("water-crown").contains(&"tension-before".to_owned()));
    }

    #[test]
    fn every_choice_of_every_builtin_scene_is_a_valid_scene() {
        for builtin in gallery::list() {
            let scene = Scene::builtin(builtin.name, &[]).unwrap();
            let choices = choices(&scene);
            assert!(!choices.is_empty(), "{}", builtin.name);
            for choice in choices {
                let changed = Scene::builtin(builtin.name, &choice.overrides);
                let changed =
                    changed.unwrap_or_else(|e| panic!("{} {choice:?}\n{e}", builtin.name));
                assert_ne!(changed.file, scene.file, "{} {choice:?}", builtin.name);
            }
        }
    }
}
