//! What can differ in a scene: the other methods that apply to it, one at a time.

use crate::scene::Scene;
use crate::scene::file::{
    Boundary, CouplingMethod, CouplingSolver, ElasticElements, ElasticKind, ElasticMaterial, Fluid,
    Integrator, SceneFile, Solver, Viscosity, surface,
};

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
    let mut found = Vec::new();
    if has_fluid(file) && has_bodies(file) {
        found.extend(coupling(file));
    }
    if has_bodies(file) && file.coupling.method != CouplingMethod::Interlinked {
        let other = match file.coupling.solver {
            CouplingSolver::Nncg => "jacobi",
            CouplingSolver::Jacobi => "nncg",
        };
        found.push(word("coupling.solver", other));
    }
    if has_fluid(file) {
        let other = match file.pressure.solver {
            Solver::Dfsph => "iisph",
            Solver::Iisph => "dfsph",
        };
        found.push(word("pressure.solver", other));
        if !file.solid.is_empty() {
            found.extend(boundaries(file));
        }
        found.extend(viscosities(file));
    }
    if has_tension(file) {
        found.extend(tensions(file));
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

fn coupling(file: &SceneFile) -> Vec<Choice> {
    let all = [
        (CouplingMethod::Weak, "weak"),
        (CouplingMethod::Interlinked, "interlinked"),
        (CouplingMethod::Monolithic, "monolithic"),
    ];
    others(&all, file.coupling.method, "coupling.method")
}

fn boundaries(file: &SceneFile) -> Vec<Choice> {
    let all = [
        (Boundary::Zero, "zero"),
        (Boundary::Mirrored, "mirrored"),
        (Boundary::Extrapolated, "extrapolated"),
    ];
    let unset = match has_bodies(file) && !has_tension(file) {
        true => Boundary::Mirrored,
        false => Boundary::Zero,
    };
    others(&all, file.pressure.boundary.unwrap_or(unset), "pressure.boundary")
}

fn tensions(file: &SceneFile) -> Vec<Choice> {
    use surface::{Model, Order};
    // The other two models do not take tensions in N/m: a scene would need other numbers for them.
    let models = [(Model::Probst2024, "probst2024"), (Model::Pairwise, "pairwise")];
    let orders =
        [(Order::Together, "together"), (Order::Before, "before"), (Order::After, "after")];
    let named = |choice: Choice| Choice { name: format!("tension-{}", choice.name), ..choice };
    let mut found = others(&models, file.surface.model, "surface.model");
    if file.surface.model == Model::Probst2024 {
        found.extend(others(&orders, file.surface.order, "surface.order").into_iter().map(named));
    }
    found
}

/// All of a list but the one that the scene has.
fn others<T: Copy + PartialEq>(all: &[(T, &str)], own: T, key: &str) -> Vec<Choice> {
    all.iter().filter(|(value, _)| *value != own).map(|(_, name)| word(key, name)).collect()
}

/// The other models of viscosity, for all fluids at once. Physical ones keep the viscosity, or take
/// that of water.
fn viscosities(file: &SceneFile) -> Vec<Choice> {
    let names = ["none", "artificial", "xsph", "weiler2018", "laplacian"];
    let has = |name: &str| file.fluid.iter().all(|fluid| model(&fluid.viscosity()) == name);
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
    names.into_iter().filter(|name| !has(name)).map(choice).collect()
}

fn model(viscosity: &Viscosity) -> &'static str {
    match viscosity {
        Viscosity::None(_) => "none",
        Viscosity::Artificial(_) => "artificial",
        Viscosity::Xsph(_) => "xsph",
        Viscosity::Weiler2018(_) => "weiler2018",
        Viscosity::Laplacian(_) => "laplacian",
    }
}

fn dynamic(fluid: &Fluid) -> f64 {
    match fluid.viscosity() {
        Viscosity::Weiler2018(v) | Viscosity::Laplacian(v) => v.dynamic,
        _ => WATER,
    }
}

fn elastic(file: &SceneFile) -> Vec<Choice> {
    let mut found = Vec::new();
    if file.elastic.is_empty() {
        return found;
    }
    let integrators = [(Integrator::ImplicitEuler, "implicit_euler"), (Integrator::Bdf2, "bdf2")];
    found.extend(others(&integrators, file.elastic_solver.integrator, "elastic_solver.integrator"));
    let solids = || file.elastic.iter().filter(|body| body.kind == ElasticKind::Solid);
    let of_solids = |name: &str, key: &str, value: &str| Choice {
        name: name.replace('_', "-"),
        overrides: solids().map(|b| format!("elastic.{}.{key}=\"{value}\"", b.name)).collect(),
    };
    if solids().next().is_none() {
        return found;
    }
    for (elements, name) in
        [(ElasticElements::Linear, "linear"), (ElasticElements::Quadratic, "quadratic")]
    {
        if !solids().all(|body| body.elements == elements) {
            found.push(of_solids(name, "elements", name));
        }
    }
    for (material, name) in [
        (ElasticMaterial::NeoHookean, "neo_hookean"),
        (ElasticMaterial::StableNeoHookean, "stable_neo_hookean"),
        (ElasticMaterial::FixedCorotated, "fixed_corotated"),
        (ElasticMaterial::StVenantKirchhoff, "st_venant_kirchhoff"),
    ] {
        if !solids().all(|body| body.material == material) {
            found.push(of_solids(name, "material", name));
        }
    }
    found
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
        assert_eq!(names("card-house"), ["jacobi"]);
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
