//! The scene in a run's directory, for those who look at the run.
//!
//! Files that the scene names may be gone, the run may have been moved to another machine, and
//! another version may have written it. So no file is looked for, what is not known is passed over,
//! and of all keys only those are asked for that a picture needs.

use serde::Deserialize;
use serde_json::Value;
use toml::de::DeTable;

use super::copies::names;
use super::errors::{Report, Source, line_and_column};
use super::file::{Copies, Fluid, Output, SceneFile, Vector};
use super::tree::{Node, Origin};
use super::validate;
use crate::math::DVec3;

/// What a run's `scene.toml` says.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredScene {
    /// A name for people; empty if the scene has none.
    pub title: String,
    /// What there is to see.
    pub description: String,
    /// 2 or 3.
    pub dimension: u8,
    /// Distance between particles, m.
    pub spacing: f64,
    /// m/s²
    pub gravity: DVec3,
    /// s
    pub duration: f64,
    /// 1/s
    pub frames_per_second: f64,
    /// Names and rest densities (kg/m³) of the fluids.
    pub fluids: Vec<(String, f64)>,
    /// The solids, every copy for itself.
    pub solids: Vec<StoredSolid>,
    /// Names of the elastic bodies, every copy for itself. Files number them after the solids.
    pub elastic: Vec<String>,
    /// All keys with their values; with those of defaults, unless another version wrote the scene.
    pub values: Value,
}

/// A solid of a stored scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSolid {
    /// With the number of the copy, if there are several.
    pub name: String,
    /// The word for its shape, like `tank`.
    pub shape: String,
    /// The word for the side that fluid is on, if the scene says so.
    pub fluid_side: Option<String>,
}

impl StoredScene {
    /// Reads the text of a scene that has been run; the error is a phrase.
    pub fn parse(text: &str) -> Result<StoredScene, String> {
        let values = values(text)?;
        let simulation = &values["simulation"];
        let spacing = simulation["spacing"].as_f64().filter(|h| *h > 0.0 && h.is_finite());
        let spacing = spacing.ok_or("has no simulation.spacing")?;
        let number = |value: &Value, or: f64| value.as_f64().unwrap_or(or);
        let fluid = |fluid: &Value| (word(&fluid["name"]), density(fluid));
        let solid = |solid: &Value| {
            let shape = solid["shape"].as_object().and_then(|shape| shape.keys().next().cloned());
            let shape = shape.unwrap_or_default();
            let fluid_side = solid["fluid_side"].as_str().map(str::to_owned);
            let of = move |name| StoredSolid {
                name,
                shape: shape.clone(),
                fluid_side: fluid_side.clone(),
            };
            copied(solid).into_iter().map(of)
        };
        Ok(StoredScene {
            title: word(&values["title"]),
            description: word(&values["description"]),
            dimension: if simulation["dimension"] == 2 { 2 } else { 3 },
            spacing,
            gravity: vector(&simulation["gravity"]).unwrap_or(DVec3::NEG_Y * 9.81),
            duration: number(&simulation["duration"], 0.0),
            frames_per_second: number(
                &values["output"]["frames_per_second"],
                Output::default().frames_per_second,
            ),
            fluids: list(&values["fluid"]).iter().map(fluid).collect(),
            solids: list(&values["solid"]).iter().flat_map(solid).collect(),
            elastic: list(&values["elastic"]).iter().flat_map(copied).collect(),
            values,
        })
    }
}

/// All keys and values: as this version understands them if it does, else as they are written.
fn values(text: &str) -> Result<Value, String> {
    let (document, syntax_errors) = DeTable::parse_recoverable(text);
    if let Some(error) = syntax_errors.first() {
        let (line, _) = line_and_column(text, error.span().unwrap_or(0..0).start);
        return Err(format!("line {line}: {}", error.message().replace('\n', ", ")));
    }
    let root = Node::from_document(&document, &Origin::File);
    let mut tree = root.clone();
    let (file, overrides) = (String::new(), Vec::new());
    let source = Source { file, text: text.to_owned(), overrides, root: root.clone() };
    let mut report = Report::new(&source);
    validate::validate(&mut tree, &mut report);
    let known = match report.finish() {
        Ok(()) => SceneFile::deserialize(tree.to_toml()).ok(),
        Err(_) => None,
    };
    let written = || serde_json::to_value(root.to_toml()).map_err(|e| e.to_string());
    known.and_then(|file| serde_json::to_value(file).ok()).map_or_else(written, Ok)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn vector(value: &Value) -> Option<DVec3> {
    let numbers = value.as_array()?.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>()?;
    Some(Vector(numbers).to_dvec3())
}

fn density(fluid: &Value) -> f64 {
    let known = || serde_json::from_value::<Fluid>(fluid.clone()).ok().map(|f| f.density());
    fluid["density"].as_f64().or_else(known).unwrap_or(1000.0)
}

/// The names of all copies of an object.
fn copied(object: &Value) -> Vec<String> {
    let count = |row: &Value, key: &str| row[key].as_u64().and_then(|n| u32::try_from(n).ok());
    let row = |row: &Value| Copies {
        count: count(row, "count").unwrap_or(1),
        step: Vector::zero(),
        turn: Default::default(),
        about: None,
        fewer: count(row, "fewer").unwrap_or(0),
    };
    let rows: Vec<Copies> = list(&object["copies"]).iter().map(row).collect();
    names(&word(&object["name"]), &rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Scene, gallery};

    /// What the scene says must be what the strict reader says.
    #[test]
    fn builtin_scenes_say_the_same_to_those_who_look_at_their_runs() {
        for builtin in gallery::list() {
            let stored = StoredScene::parse(builtin.text).unwrap();
            let file = Scene::builtin(builtin.name, &[]).unwrap().file;
            assert_eq!((&stored.title, stored.spacing), (&file.title, file.simulation.spacing));
            assert_eq!(stored.gravity, file.simulation.gravity.to_dvec3(), "{}", builtin.name);
            assert_eq!(stored.frames_per_second, file.output.frames_per_second);
            let fluids: Vec<_> = file.fluid.iter().map(|f| (f.name.clone(), f.density())).collect();
            assert_eq!(stored.fluids, fluids);
            let solids = file.solid.iter().flat_map(|s| names(&s.name, &s.copies));
            assert!(solids.eq(stored.solids.iter().map(|s| s.name.clone())), "{}", builtin.name);
            let elastic = file.elastic.iter().flat_map(|e| names(&e.name, &e.copies));
            assert!(elastic.eq(stored.elastic.iter().cloned()), "{}", builtin.name);
        }
    }

    const STRANGE: &str = r#"
        colour = "a key of the next version"
        [simulation]
        spacing = 0.1
        dimension = 2
        gravity = [0, -1]
        turbulence = { model = "new" }
        [[fluid]]
        name = "water"
        stickiness = 3
        [[solid]]
        name = "wall"
        shape.fractal = { depth = 7 }
        fluid_side = "inside"
        copies = [{ count = 3, along = "spiral" }, { count = 2 }]
        [[elastic]]
        name = "jelly"
        kind = "gel"
        [[solid]]
        name = "gone"
        shape.mesh = { file = "no/such/file.obj" }
    "#;

    #[test]
    fn scenes_of_other_versions_and_without_their_files_are_understood() {
        let stored = StoredScene::parse(STRANGE).unwrap();
        assert_eq!((stored.dimension, stored.spacing, stored.gravity.y), (2, 0.1, -1.0));
        assert_eq!(stored.frames_per_second, 30.0);
        assert_eq!(stored.fluids, [("water".to_owned(), 1000.0)]);
        assert_eq!(stored.solids.len(), 7);
        assert_eq!(stored.solids[5].name, "wall-6");
        assert_eq!(stored.solids[0].shape, "fractal");
        assert_eq!(stored.solids[0].fluid_side.as_deref(), Some("inside"));
        assert_eq!(stored.solids[6].shape, "mesh");
        assert_eq!(stored.elastic, ["jelly"]);
        assert_eq!(stored.values["simulation"]["turbulence"]["model"], "new");
    }

    #[test]
    fn what_is_no_scene_is_told_with_its_line() {
        assert!(StoredScene::parse("title = \"x\"\nspacing = = 3").unwrap_err().contains("line 2"));
        assert!(StoredScene::parse("title = 5").unwrap_err().contains("simulation.spacing"));
        for text in ["simulation = 3", "fluid = [1, \"a\"]", "solid = { name = 3 }", ""] {
            assert!(StoredScene::parse(text).is_err(), "{text}");
        }
        let odd = "[simulation]\nspacing = 1\n[[solid]]\nname = 3\ncopies = 5\n";
        assert_eq!(StoredScene::parse(odd).unwrap().solids.len(), 1);
    }
}
