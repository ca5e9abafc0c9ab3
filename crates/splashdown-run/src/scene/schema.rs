//! The JSON Schema of scene files: for editors, for the manual, and for checking scenes.

use std::sync::OnceLock;

use serde::Serialize;
use serde_json::Value as Json;

use super::file::SceneFile;

/// The name of the schema in the world. Editors need an absolute URI (taplo refuses the schema
/// else); as nothing is served under it, it is none that could be fetched.
const ID: &str = "tag:splashdown,2026:scene.schema.json";

/// The file that scenes name in their first line for editors, next to themselves.
pub const FILE: &str = "splashdown.schema.json";

/// The first line of a scene for editors that know TOML by taplo.
const DIRECTIVE: &str = "#:schema ";

/// The text of a scene with a first line by which an editor finds the schema next to it. A scene
/// that names one keeps it.
pub fn with_directive(text: &str) -> String {
    let mut comments = text.lines().take_while(|line| line.starts_with('#'));
    match comments.any(|line| line.starts_with(DIRECTIVE)) {
        true => text.to_owned(),
        false => format!("{DIRECTIVE}./{FILE}\n{text}"),
    }
}

/// The JSON Schema (draft 2020-12) of scene files, as text.
pub fn json_schema() -> String {
    let mut text = serde_json::to_string_pretty(schema()).unwrap_or_default();
    text.push('\n');
    text
}

/// The schema as a value, made once.
pub(crate) fn schema() -> &'static Json {
    static SCHEMA: OnceLock<Json> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let mut schema = schemars::schema_for!(SceneFile).to_value();
        forget_null(&mut schema);
        schema["$id"] = ID.into();
        schema
    })
}

/// Follows `$ref` to the definition; a schema that is no reference is its own definition.
pub(crate) fn resolve(mut schema: &'static Json) -> &'static Json {
    while let Some(reference) = schema.get("$ref").and_then(Json::as_str) {
        let name = reference.trim_start_matches("#/$defs/");
        match self::schema().get("$defs").and_then(|defs| defs.get(name)) {
            Some(definition) => schema = definition,
            None => break,
        }
    }
    schema
}

/// The alternatives of a `oneOf` or `anyOf`.
pub(crate) fn alternatives(schema: &'static Json) -> Option<&'static Vec<Json>> {
    schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Json::as_array)
}

/// One of several tables of one key each, like `{ box = … }`.
#[derive(Clone, Copy)]
pub(crate) struct Variant {
    pub name: &'static str,
    pub schema: &'static Json,
    pub meaning: &'static str,
}

/// If the alternatives are tables of one key each: these.
pub(crate) fn variants(schema: &'static Json) -> Option<Vec<Variant>> {
    let variant = |alternative: &'static Json| {
        let properties = alternative.get("properties")?.as_object()?;
        let (name, schema) = properties.iter().next().filter(|_| properties.len() == 1)?;
        let meaning = alternative.get("description").and_then(Json::as_str).unwrap_or("");
        Some(Variant { name, schema, meaning })
    };
    alternatives(schema)?.iter().map(variant).collect()
}

/// If the alternatives are words: the words with their meanings.
pub(crate) fn words(schema: &'static Json) -> Option<Vec<(&'static str, &'static str)>> {
    alternatives(schema)?
        .iter()
        .map(|alternative| {
            let meaning = alternative.get("description").and_then(Json::as_str).unwrap_or("");
            Some((alternative.get("const")?.as_str()?, meaning))
        })
        .collect()
}

/// What a list consists of, or else the schema itself; without references.
pub(crate) fn item(property: &'static Json) -> &'static Json {
    let inner = resolve(property);
    match inner.get("items") {
        Some(items) => resolve(items),
        None => inner,
    }
}

/// A word that a key of a scene takes, or one of its variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// As it is written.
    pub name: &'static str,
    /// A sentence about it.
    pub meaning: &'static str,
}

/// What can be chosen for a key like `coupling.method` or `output.formats`, in the order of the
/// manual; nothing if it is no choice. Whoever offers choices asks here: all then offer the same.
pub fn choices(key: &str) -> Vec<Word> {
    let property = |table, name| item(table).get("properties").and_then(|keys| keys.get(name));
    let Some(found) = key.split('.').try_fold(schema(), property) else { return Vec::new() };
    let word = |(name, meaning)| Word { name, meaning };
    let of_variant = |variant: Variant| Word { name: variant.name, meaning: variant.meaning };
    match (words(item(found)), variants(item(found))) {
        (Some(words), _) => words.into_iter().map(word).collect(),
        (_, Some(variants)) => variants.into_iter().map(of_variant).collect(),
        _ => Vec::new(),
    }
}

/// How a choice is written: its word, or the name of its variant.
pub fn written(choice: &impl Serialize) -> String {
    match serde_json::to_value(choice) {
        Ok(Json::String(word)) => word,
        Ok(Json::Object(table)) => table.into_iter().next().map_or(String::new(), |(name, _)| name),
        _ => String::new(),
    }
}

/// TOML has no null: keys that are not set are left out. So `null` disappears from types, from
/// alternatives and from defaults.
fn forget_null(schema: &mut Json) {
    match schema {
        Json::Object(object) => {
            object.retain(|_, value| !value.is_null());
            if let Some(Json::Array(types)) = object.get_mut("type") {
                types.retain(|t| t != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    object.insert("type".to_string(), only);
                }
            }
            if let Some(Json::Array(any)) = object.get_mut("anyOf") {
                any.retain(|s| s.get("type").is_none_or(|t| t != "null"));
                if let [Json::Object(only)] = any.as_slice() {
                    let only = only.clone();
                    object.remove("anyOf");
                    for (key, value) in only {
                        object.entry(key).or_insert(value);
                    }
                }
            }
            object.values_mut().for_each(forget_null);
        }
        Json::Array(items) => items.iter_mut().for_each(forget_null),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_has_a_name_of_its_own() {
        let (scheme, rest) = schema()["$id"].as_str().unwrap().split_once(':').unwrap();
        assert!(scheme.chars().all(|c| c.is_ascii_lowercase()) && !rest.contains(['#', ' ']));
    }

    #[test]
    fn a_scene_names_its_schema_once_and_stays_a_scene() {
        for builtin in crate::scene::gallery::list() {
            let text = with_directive(builtin.text);
            assert!(text.starts_with("#:schema ./splashdown.schema.json\n"), "{}", builtin.name);
            assert!(crate::scene::Scene::parse(builtin.name, &text, "", &[]).is_ok());
            assert_eq!(with_directive(&text), text);
        }
        let other = "# mine\n#:schema ../other.json\n";
        assert_eq!(with_directive(other), other);
    }

    #[test]
    fn choices_are_those_of_the_scene() {
        let names = |key| choices(key).iter().map(|word| word.name).collect::<Vec<_>>();
        assert_eq!(names("pressure.solver"), ["dfsph", "iisph", "variational"]);
        let formats = crate::output::formats::ALL.iter().map(|format| format.name());
        assert_eq!(names("output.formats"), formats.collect::<Vec<_>>());
        assert_eq!(names("fluid.viscosity")[..2], ["none", "artificial"]);
        assert_eq!(written(&crate::world::PressureSolver::Iisph), "iisph");
        assert_eq!(written(&crate::world::Viscosity::default()), "none");
        assert!(names("pressure.warm_start").is_empty() && names("no.such").is_empty());
    }

    #[test]
    fn the_schema_describes_every_key() {
        fn visit(schema: &'static Json, path: &str, undescribed: &mut Vec<String>) {
            if let Some(properties) = schema.get("properties").and_then(Json::as_object) {
                for (key, property) in properties {
                    let path = format!("{path}.{key}");
                    let described = property.get("description").is_some();
                    if !described && resolve(property).get("description").is_none() {
                        undescribed.push(path);
                    }
                }
            }
        }
        let mut undescribed = Vec::new();
        visit(schema(), "", &mut undescribed);
        for (name, definition) in schema()["$defs"].as_object().unwrap() {
            visit(definition, name, &mut undescribed);
        }
        assert!(undescribed.is_empty(), "{undescribed:?}");
        let text = json_schema();
        assert!(!text.contains("null"), "{text}");
    }
}
