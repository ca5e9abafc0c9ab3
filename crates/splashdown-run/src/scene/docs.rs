//! The manual of scene files, `docs/scene.md`, made from the schema so that it cannot drift.

use std::fmt::Write;

use serde_json::Value as Json;

use super::schema::{Variant, item, resolve, schema, variants, words};
use super::validate::range_in_words;

/// The examples of the manual: complete scenes, which a test reads.
pub const EXAMPLES: [(&str, &str); 2] = [
    ("A block of water falls into an open tank", include_str!("../../scenes/docs/first.toml")),
    (
        "Two fluids, a moving solid, an emitter and a sink",
        include_str!("../../scenes/docs/second.toml"),
    ),
];

const INTRODUCTION: &str = include_str!("../../scenes/docs/introduction.md");

/// The sections: heading, and the path of the table in the schema.
const SECTIONS: [(&str, &str); 17] = [
    ("[simulation]", "simulation"),
    ("[time_step]", "time_step"),
    ("[pressure]", "pressure"),
    ("[surface]", "surface"),
    ("[coupling]", "coupling"),
    ("[grid]", "grid"),
    ("[[fluid]]", "fluid"),
    ("[[solid]]", "solid"),
    ("[[friction]]", "friction"),
    ("[[elastic]]", "elastic"),
    ("[elastic_solver]", "elastic_solver"),
    ("[fluid_contact]", "fluid_contact"),
    ("[[emitter]]", "emitter"),
    ("[[shower]]", "shower"),
    ("[[sink]]", "sink"),
    ("[[probe]]", "probe"),
    ("[output]", "output"),
];

/// The manual as Markdown.
pub fn markdown() -> String {
    let mut text = INTRODUCTION.to_string();
    text.push_str("\n## Top level\n\n");
    let sections: Vec<&str> = SECTIONS.iter().map(|(_, key)| *key).collect();
    table(&mut text, schema(), &sections);
    for (heading, key) in SECTIONS {
        let property = &schema()["properties"][key];
        let _ = writeln!(text, "\n## `{heading}`\n\n{}", description(property));
        section(&mut text, item(property), key);
    }
    text.push_str("\n## Examples\n");
    for (title, example) in EXAMPLES {
        let _ = write!(text, "\n{title}:\n\n```toml\n{example}```\n");
    }
    text
}

/// The keys of a table, then the variants and tables in it.
fn section(text: &mut String, table_schema: &'static Json, path: &str) {
    text.push('\n');
    table(text, table_schema, &[]);
    for (key, property) in properties(table_schema) {
        let path = format!("{path}.{key}");
        let inner = item(property);
        if let Some(variants) = variants(inner) {
            let _ = writeln!(text, "\n### `{path}`\n\n{} One of:", description(property));
            for Variant { name, schema, meaning } in variants {
                let meaning = meaning.replace('\n', " ");
                let _ = writeln!(text, "\n**`{key}.{name}`** {meaning}");
                if properties(resolve(schema)).next().is_some() {
                    section(text, resolve(schema), &format!("{path}.{name}"));
                }
            }
        } else if properties(inner).next().is_some() {
            let _ = writeln!(text, "\n### `{path}`\n\n{}", description(property));
            section(text, inner, &path);
        }
    }
}

/// One row for each key, required keys first.
fn table(text: &mut String, schema: &'static Json, except: &[&str]) {
    let required: Vec<&str> = match schema.get("required") {
        Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    };
    let mut rows: Vec<_> = properties(schema).filter(|(key, _)| !except.contains(key)).collect();
    rows.sort_by_key(|(key, _)| (!required.contains(key), *key));
    if rows.is_empty() {
        return;
    }
    text.push_str("| key | type | unit | default | meaning |\n|---|---|---|---|---|\n");
    for (key, property) in rows {
        let unit = property.get("x-unit").and_then(Json::as_str).unwrap_or("");
        let default = match property.get("default") {
            _ if required.contains(&key) => "required".to_string(),
            None => String::new(),
            Some(Json::Object(value)) if variants(resolve(property)).is_some() => {
                value.keys().map(|name| format!("`{name}`")).collect()
            }
            Some(Json::Object(_)) => String::new(),
            Some(value) => format!("`{value}`"),
        };
        let kind = kind(property);
        let mut meaning = description(property);
        if kind.contains("number") || kind.contains("integer") {
            let range = range_in_words(property);
            if range != "must be a finite number" {
                let _ = write!(meaning, " ({})", range.trim_start_matches("must be "));
            }
        }
        if let Some(words) = words(item(property)) {
            let words: Vec<String> = words
                .iter()
                .map(|(word, meaning)| format!("`\"{word}\"`: {}", end(meaning).replace('\n', " ")))
                .collect();
            let _ = write!(meaning, " {}", words.join("; "));
        }
        let _ = writeln!(text, "| `{key}` | {kind} | {unit} | {default} | {meaning} |");
    }
}

/// A sentence without its full stop, to go on after it.
fn end(sentence: &str) -> &str {
    sentence.trim_end_matches('.')
}

fn kind(property: &'static Json) -> String {
    let inner = resolve(property);
    if words(inner).is_some() {
        return "word".to_string();
    }
    if variants(inner).is_some() {
        return "variant".to_string();
    }
    if let Some(alternatives) = super::schema::alternatives(inner) {
        let is_formula = |a: &Json| a["type"] == "string";
        return if alternatives.iter().any(is_formula) { "number or formula" } else { "any" }
            .to_string();
    }
    match inner["type"].as_str() {
        Some("object") => "table".to_string(),
        Some("array") => format!("list of {}", plural(&kind(&inner["items"]))),
        Some("number") => "number".to_string(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

fn plural(kind: &str) -> String {
    match kind {
        "number or formula" => "numbers or formulas".to_string(),
        kind if kind.starts_with("list") => kind.replacen("list", "lists", 1),
        kind => format!("{kind}s"),
    }
}

fn properties(schema: &'static Json) -> impl Iterator<Item = (&'static str, &'static Json)> {
    let properties = schema.get("properties").and_then(Json::as_object).into_iter().flatten();
    properties.map(|(key, property)| (key.as_str(), property))
}

fn description(property: &'static Json) -> String {
    let own = property.get("description").or_else(|| resolve(property).get("description"));
    own.and_then(Json::as_str).unwrap_or("").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manual_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scene.md");
        if std::env::var_os("SPLASHDOWN_BLESS").is_some() {
            std::fs::write(path, markdown()).unwrap();
        }
        let committed = std::fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
        assert!(
            committed == markdown(),
            "docs/scene.md is out of date; SPLASHDOWN_BLESS=1 in the environment rewrites it"
        );
    }

    #[test]
    fn the_example_of_the_page_on_bodies_is_valid() {
        let page = include_str!("../../../../docs/bodies.md");
        let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
        let scene = crate::scene::Scene::parse("example", example.unwrap(), "", &[]).unwrap();
        let built = scene.build().unwrap();
        assert!(built.world.solids[1].body().is_some());
    }

    #[test]
    fn the_examples_of_the_manual_are_valid() {
        for (title, example) in EXAMPLES {
            if let Err(errors) = crate::scene::Scene::parse("example", example, "", &[]) {
                panic!("{title}:\n{errors}");
            }
        }
    }
}
