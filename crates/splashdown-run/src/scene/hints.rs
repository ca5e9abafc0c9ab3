//! How something would be written right: for those who see the format for the first time.

use serde_json::Value as Json;

use super::schema::{resolve, schema, variants};
use super::validate::join;

/// How a value of this type is written, where that is not obvious.
pub(crate) fn written(outer: &'static Json, path: &str) -> Option<String> {
    let inner = resolve(outer);
    let unit = outer.get("x-unit").and_then(Json::as_str).map(|unit| format!(" in {unit}"));
    match inner["type"].as_str()? {
        "array" if is_table(&inner["items"]) => {
            Some(format!("write [[{}]], with two brackets", without_indices(path)))
        }
        "array" if is_vector(outer) || is_vector(inner) => Some("write [x, y, z]".to_string()),
        "array" => Some("write [ … ]".to_string()),
        "object" => {
            let keys = inner.get("properties").and_then(Json::as_object)?.keys();
            let keys: Vec<&str> = keys.map(String::as_str).collect();
            Some(format!("write {{ key = value }} with {}", keys.join(", ")))
        }
        "number" => Some(format!("write a plain number{}", unit.unwrap_or_default())),
        _ => None,
    }
}

/// Where a key that is unknown in a table belongs: one level deeper, or in a table of the whole
/// scene.
pub(crate) fn belongs(key: &str, table: &'static Json, path: &str) -> Option<String> {
    let has = |schema: &'static Json| property(schema, key).is_some();
    for (name, child) in properties(table) {
        let inner = resolve(child);
        let is_variant = || variants(inner)?.iter().any(|v| v.name == key).then_some(());
        if is_variant().is_some() || (inner["type"] == "object" && has(inner)) {
            return Some(format!("write {name}.{key}"));
        }
        if is_table(&inner["items"]) {
            let entry = join(&without_indices(path), name);
            let item = resolve(&inner["items"]);
            match property(item, key) {
                Some(list) if is_table(&resolve(list)["items"]) => {
                    return Some(format!("write [[{entry}.{key}]]"));
                }
                Some(_) => return Some(format!("it belongs into [[{entry}]]")),
                None => {}
            }
        }
    }
    let mut tables = properties(schema());
    let (name, _) = tables.find(|(_, t)| resolve(t)["type"] == "object" && has(resolve(t)))?;
    Some(format!("it belongs into [{name}]"))
}

/// What is likely meant by a line that is not TOML.
pub(crate) fn slip(line: &str) -> Option<&'static str> {
    let (_, value) = line.split_once('=')?;
    let value = value.trim();
    let digits = value.trim_start_matches('-');
    let is_number = |text: &str| text.trim().parse::<f64>().is_ok();
    let in_list = value.strip_prefix('[').map(|rest| rest.trim_end_matches(']'));
    if value.starts_with('(') {
        Some("lists stand in brackets: [x, y, z]")
    } else if digits.starts_with('.') {
        Some("numbers begin with a digit: 0.2")
    } else if value.split_once(',').is_some_and(|(a, b)| is_number(a) && is_number(b)) {
        Some("numbers have a point, not a comma: 0.2")
    } else if in_list.is_some_and(|l| !l.contains(',') && l.split_whitespace().count() > 1) {
        Some("items of lists are separated by commas: [x, y, z]")
    } else if value.chars().next().is_some_and(char::is_alphabetic) {
        Some("texts stand in quotation marks: \"…\"")
    } else {
        None
    }
}

fn properties(table: &'static Json) -> impl Iterator<Item = (&'static String, &'static Json)> {
    table.get("properties").and_then(Json::as_object).into_iter().flatten()
}

fn property(table: &'static Json, key: &str) -> Option<&'static Json> {
    table.get("properties").and_then(|properties| properties.get(key))
}

fn is_table(schema: &'static Json) -> bool {
    resolve(schema)["type"] == "object"
}

fn is_vector(schema: &Json) -> bool {
    schema.get("maxItems").and_then(Json::as_u64) == Some(3)
}

/// `fluid.fill` from `fluid[0].fill`.
fn without_indices(path: &str) -> String {
    let name = |part: &'_ str| part.split('[').next().unwrap_or_default().to_owned();
    path.split('.').map(name).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use crate::scene::Scene;

    fn said(text: &str) -> String {
        let text = format!("simulation.spacing = 0.1\n{text}\n");
        Scene::parse("new", &text, "", &[]).unwrap_err().to_string()
    }

    #[test]
    fn mistakes_of_a_first_day_are_answered_by_how_it_is_written() {
        let fluid = "[[fluid]]\nname = \"w\"\n";
        let fill = "[[fluid.fill]]\nshape.box.size = [1, 1, 1]\n";
        let solid = "[[solid]]\nname = \"s\"\n";
        for (text, hint) in [
            ("[fluid]\nname = \"w\"".to_string(), "write [[fluid]], with two brackets"),
            (format!("{fluid}shape.box.size = [1, 1, 1]"), "it belongs into [[fluid.fill]]"),
            (format!("{fluid}[[fill]]\nshape.box.size = [1, 1, 1]"), "write [[fluid.fill]]"),
            (format!("{fluid}[[fluid.fill]]\nbox.size = [1, 1, 1]"), "write shape.box"),
            (format!("{fluid}{fill}gravity = [0, 0, 0]"), "it belongs into [simulation]"),
            (format!("{fluid}{fill}{solid}shape.box = [1, 1, 1]"), "with max, min, size"),
            (format!("{fluid}{fill}{solid}shape.box.size = 1"), "write [x, y, z]"),
            (
                format!("{fluid}{fill}{solid}shape.box.size = [1, 1, 1]\nmass = \"3 kg\""),
                "write a plain number in kg",
            ),
            (format!("{fluid}{fill}at = (0, 0, 0)"), "lists stand in brackets"),
            (format!("{fluid}{fill}at = [0 0 0]"), "separated by commas"),
            (format!("{fluid}{fill}{solid}shape.sphere.radius = 0,2"), "a point, not a comma"),
            (format!("{fluid}{fill}{solid}shape.sphere.radius = .2"), "begin with a digit"),
            (format!("{fluid}{fill}[[solid]]\nname = tank"), "in quotation marks"),
            ("duration = 3".to_string(), "write simulation.duration"),
        ] {
            let all = said(&text);
            assert!(all.contains(hint), "{hint} is not in\n{all}");
        }
        let all = said(&format!("{fluid}{fill}{solid}shape.box.size = 1"));
        assert_eq!(all.lines().count(), 1, "nothing is said twice:\n{all}");
    }
}
