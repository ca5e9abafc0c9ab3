//! The barrier between fluid and surfaces, as written in a scene or as it is without a word.

use splashdown_solids::guests::GuestSettings;

use super::convert::Converter;
use super::errors::Report;
use super::file::SceneFile;
use super::file::elastic::ElasticKind;
use super::file::fluid_contact::Walls;
use super::validate::join;
use super::variational::largest_pressure;
use crate::math::Dimension;
use crate::stepper::Stepper;
use crate::world::{PressureSolver, World};

/// Reach of the barrier in spacings, unless told otherwise.
const REACH: f64 = 0.5;

/// Whether a scene has a barrier between fluid and surfaces.
pub(super) fn has_barrier(file: &SceneFile) -> bool {
    let variational = file.pressure.solver == PressureSolver::Variational;
    let expected = !file.elastic.is_empty() || (variational && file.simulation.dimension == 3);
    file.fluid_contact.barrier.unwrap_or(expected) && !file.fluid.is_empty()
}

/// Whether the fluid's own solve knows what the barrier will do. Only then may samples be too weak
/// to hold the fluid on their own: pressure that pushes particles where a barrier will not let them
/// go presses the fluid together.
pub(super) fn foresees_barrier(file: &SceneFile) -> bool {
    let stepper = file.fluid_contact.stepper.unwrap_or_default();
    let is_variational = file.pressure.solver == PressureSolver::Variational;
    has_barrier(file) && is_variational && stepper != Stepper::Splitting
}

/// Sides of triangles for which samples and particles are right, in spacings.
const LONGEST: f64 = 20.0;
const SHORTEST: f64 = 0.1;

/// Where pressure of walls ends, in spacings: samples half of one behind a surface reach two.
const RUBS: f64 = 1.5;

/// Whether fluid sees nothing of surfaces but the barrier.
pub(super) fn has_bare_walls(file: &SceneFile) -> bool {
    file.fluid_contact.walls == Walls::Bare
}

/// Keys that have no meaning with the rest of the scene.
pub(super) fn check(file: &SceneFile, report: &mut Report<'_>) {
    let written = &file.fluid_contact;
    let is_variational = file.pressure.solver == PressureSolver::Variational;
    let stepper = written.stepper.unwrap_or_default();
    let keys = [
        ("stepper", written.stepper.is_some()),
        ("predict", written.predict.is_some()),
        ("friction_passes", written.friction_passes.is_some()),
        ("walls", has_bare_walls(file)),
    ];
    for (key, _) in keys.into_iter().filter(|(_, is_written)| *is_written && !is_variational) {
        let help = "leave it out, or set pressure.solver = \"variational\"".to_string();
        report.key(&join("fluid_contact", key), "is of the variational fluid alone", Some(help));
    }
    if is_variational && has_bare_walls(file) && !has_barrier(file) {
        let help = "leave out one of the two".to_string();
        let message = "\"bare\" and barrier = false: nothing would hold the fluid";
        report.key("fluid_contact.walls", message, Some(help));
    }
    if is_variational && written.predict.is_some() && stepper != Stepper::ContactProxy {
        let help = "leave it out, or set fluid_contact.stepper = \"contact_proxy\"".to_string();
        let message = "is of the stepper contact_proxy alone";
        report.key("fluid_contact.predict", message, Some(help));
    }
    if !is_variational || stepper != Stepper::ContactProxy3 {
        return;
    }
    for (k, body) in file.elastic.iter().enumerate() {
        let key = format!("elastic[{k}]");
        let solid = matches!(body.kind, ElasticKind::Solid);
        if solid && !body.material.survives_inversion() {
            let help = "write material = \"fixed_corotated\" or \"stable_neo_hookean\", or set \
                        fluid_contact.stepper = \"contact_proxy\"";
            let message = "does not survive elements that turn inside out, as with contact_proxy_3";
            report.key(&join(&key, "material"), message, Some(help.to_string()));
        } else if matches!(body.kind, ElasticKind::Shell) {
            let help = "set fluid_contact.stepper = \"contact_proxy\"".to_string();
            let message = "shells do not survive being crushed, as with contact_proxy_3";
            report.key(&key, message, Some(help));
        }
    }
}

/// What works, but not well: triangles that do not suit the particles that meet them, and a barrier
/// that holds fluid off.
pub(super) fn surface_notes(world: &World) -> Vec<String> {
    let (d, solids) = (world.spacing, &world.elastic.solids);
    let mut notes = Vec::new();
    if world.fluids.is_empty() {
        return notes;
    }
    for (name, body) in world.elastic.names.iter().zip(&solids.bodies) {
        let triangles = &solids.surface.triangles[body.triangles.clone()];
        let edges = triangles.iter().flat_map(|&([a, b, c], _)| [[a, b], [b, c], [c, a]]);
        let length = |[a, b]: [u32; 2]| solids.rest[a as usize].distance(solids.rest[b as usize]);
        let [shortest, longest] =
            edges.map(length).fold([f64::INFINITY, 0.0], |[s, l], x| [s.min(x), l.max(x)]);
        if longest > LONGEST * d {
            notes.push(format!(
                "`{name}` has triangles of up to {longest:.3} m, more than {LONGEST} spacings: \
                 fluid bends it coarsely; make element_size smaller"
            ));
        }
        if shortest < SHORTEST * d {
            notes.push(format!(
                "`{name}` has triangles of down to {shortest:.1e} m, less than a tenth of the \
                 spacing: many vertices for each sample of it; make element_size larger"
            ));
        }
    }
    if let Some(guests) = world.elastic.guests.filter(|guests| guests.reach > 1.001 * REACH * d) {
        notes.push(format!(
            "fluid_contact.reach: {} m is more than half a spacing: it holds fluid off walls",
            guests.reach
        ));
    }
    notes
}

/// How surfaces keep the fluids of a `world` off, which has all its objects; nothing if they do
/// not.
pub(super) fn guest_settings(
    convert: &mut Converter<'_, '_>,
    file: &SceneFile,
    world: &World,
) -> Option<GuestSettings> {
    let written = &file.fluid_contact;
    if !has_barrier(file) {
        return None;
    }
    if convert.dimension == Dimension::Two {
        if written.barrier == Some(true) {
            let help = "write simulation.dimension = 3, or leave it out".to_string();
            let message = "there is no barrier between fluid and surfaces in 2D";
            convert.report.key("fluid_contact.barrier", message, Some(help));
        }
        return None;
    }
    if world.solids.iter().any(|solid| solid.body().is_some()) {
        if !file.elastic.is_empty() {
            return None; // said of the elastic bodies
        }
        let help = "leave it out, or write them as [[elastic]], kind = \"rigid\"".to_string();
        let message = "does not meet rigid bodies that are a [[solid]]";
        convert.report.key("fluid_contact.barrier", message, Some(help));
        return None;
    }
    let stiffness = written.stiffness.unwrap_or_else(|| largest_pressure(world, convert.duration));
    Some(GuestSettings {
        reach: written.reach.unwrap_or(REACH * world.spacing),
        friction_reach: if world.has_wall_friction() { RUBS * world.spacing } else { 0.0 },
        stiffness,
        sum: written.sum,
        linear: written.linear,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::scene::Scene;

    const SCENE: &str = r#"
[simulation]
spacing = 0.05
duration = 1
[[fluid]]
name = "water"
fill = [{ shape.box = { min = [0, 0, 0], max = [0.3, 0.3, 0.3] } }]
[[elastic]]
name = "mat"
shape.box = { min = [-1, -0.5, -1], max = [1, -0.1, 1] }
density = 1000
youngs_modulus = 1e6
element_size = 0.2
"#;

    fn parsed(change: &str) -> Result<Scene, String> {
        let changes: Vec<String> = change.split_whitespace().map(str::to_owned).collect();
        Scene::parse("mat", SCENE, Path::new("."), &changes).map_err(|e| e.to_string())
    }

    fn notes(change: &str) -> Vec<String> {
        parsed(change).unwrap().build().unwrap().notes
    }

    #[test]
    fn triangles_and_reach_that_do_not_suit_the_particles_are_noted() {
        let says = |change: &str, word: &str| notes(change).iter().any(|note| note.contains(word));
        assert!(!says("", "triangles") && !says("", "reach"), "{:?}", notes(""));
        assert!(says("simulation.spacing=0.012 elastic.0.element_size=0.4", "coarsely"));
        assert!(says("fluid_contact.reach=0.04", "holds fluid off"));
    }

    #[test]
    fn keys_without_meaning_are_refused_with_what_to_do() {
        for (change, words) in [
            ("fluid_contact.stepper=joint", "of the variational fluid alone"),
            ("fluid_contact.walls=bare", "of the variational fluid alone"),
            (
                "pressure.solver=variational fluid_contact.walls=bare fluid_contact.barrier=false",
                "nothing would hold",
            ),
            (
                "pressure.solver=variational fluid_contact.stepper=joint fluid_contact.predict=[]",
                "of the stepper contact_proxy alone",
            ),
            (
                "pressure.solver=variational fluid_contact.stepper=contact_proxy_3",
                "does not survive",
            ),
            (
                "pressure.solver=variational pressure.linear=assembled fluid_contact.stepper=joint",
                "matrix_free with the stepper joint",
            ),
        ] {
            let error = parsed(change).err().unwrap_or_default();
            assert!(error.contains(words), "{change}: {error}");
        }
        let inverts = "pressure.solver=variational fluid_contact.stepper=contact_proxy_3 \
                       elastic.0.material=fixed_corotated";
        assert!(parsed(inverts).is_ok());
    }
}
