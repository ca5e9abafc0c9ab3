//! Checks a scene's keys, types and ranges against the schema, and reports every fault.
//!
//! What is wrong is replaced by something harmless, so that the checks that follow (names,
//! references, formulas …) still run and all errors of a file come in one go.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::errors::Report;
use super::hints;
use super::schema::{Variant, alternatives, resolve, schema, variants, words};
use super::tree::{Entry, Node, Origin, Value};
use crate::nearest::nearest;

/// What is said of a key that should be there.
pub(crate) const MISSING: &str = "is missing";
/// What is said of a table that should name one of several variants.
pub(crate) const EMPTY: &str = "is empty";

/// Reports all faults of the tree and repairs it.
pub(crate) fn validate(root: &mut Node, report: &mut Report<'_>) {
    if !check(root, schema(), "", report) {
        *root = placeholder(schema(), &root.origin);
    }
}

/// Checks `node`; false if it must be replaced. Parts of it that can be are repaired in place.
fn check(node: &mut Node, outer: &'static Json, path: &str, report: &mut Report<'_>) -> bool {
    let inner = resolve(outer);
    if let Some(words) = words(inner) {
        return check_word(node, &words, path, report);
    }
    if let Some(variants) = variants(inner) {
        return check_variant(node, &variants, path, report);
    }
    if let Some(alternatives) = alternatives(inner) {
        if let Some(fitting) = alternatives.iter().find(|a| fits(node, &a["type"])) {
            return check(node, fitting, path, report);
        }
        let names: Vec<_> = alternatives.iter().map(|a| type_name(&a["type"])).collect();
        return wrong_type(node, &names.join(" or "), path, report);
    }
    if !fits(node, &inner["type"]) {
        let wanted = type_name(&inner["type"]);
        let message = format!("expected {wanted}, found {}", node.kind());
        report.at(&node.origin, path, message, hints::written(outer, path));
        return false;
    }
    match &mut node.value {
        Value::Table(_) => check_table(node, inner, path, report),
        Value::List(_) => check_list(node, outer, inner, path, report),
        Value::Integer(_) | Value::Float(_) => check_range(node, outer, path, report),
        Value::HugeInteger(text) => {
            let message = format!("{text} is out of range");
            report.at(&node.origin, path, message, Some(range_in_words(outer)));
            false
        }
        _ => true,
    }
}

fn check_table(
    node: &mut Node,
    schema: &'static Json,
    path: &str,
    report: &mut Report<'_>,
) -> bool {
    let origin = node.origin.clone();
    let Value::Table(entries) = &mut node.value else { return true };
    let properties = schema.get("properties").and_then(Json::as_object).into_iter().flatten();
    let known = properties.clone().map(|(key, _)| key.as_str());
    refuse_unknown_keys(entries, known, Some(schema), path, report);

    let required: Vec<&str> = match schema.get("required") {
        Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    };
    for (key, property) in properties {
        let child_path = join(path, key);
        let is_required = required.contains(&key.as_str());
        let Some(entry) = entries.get_mut(key) else {
            if is_required {
                report.at(&origin, &child_path, MISSING, Some(expected(property)));
                report.found.replaced.insert(child_path);
                let node = placeholder(property, &origin);
                entries.insert(key.clone(), Entry { key: origin.clone(), node });
            }
            continue;
        };
        if check(&mut entry.node, property, &child_path, report) {
            continue;
        }
        report.found.replaced.insert(child_path);
        if is_required {
            entry.node = placeholder(property, &entry.node.origin);
        } else {
            entries.remove(key);
        }
    }
    true
}

fn check_list(
    node: &mut Node,
    outer: &'static Json,
    schema: &'static Json,
    path: &str,
    report: &mut Report<'_>,
) -> bool {
    let origin = node.origin.clone();
    let Value::List(items) = &mut node.value else { return true };
    let limit = |name: &str| {
        let limit = outer.get(name).or_else(|| schema.get(name)).and_then(Json::as_u64);
        limit.map(|n| n as usize)
    };
    let (least, most) = (limit("minItems").unwrap_or(0), limit("maxItems").unwrap_or(100_000));
    if items.len() < least || items.len() > most {
        let count = if least == most { format!("{least}") } else { format!("{least} to {most}") };
        let message = format!("has {} items", items.len());
        report.at(&origin, path, message, Some(format!("must have {count}")));
        return false;
    }
    for (index, item) in items.iter_mut().enumerate() {
        let path = format!("{path}[{index}]");
        if !check(item, &schema["items"], &path, report) {
            report.found.replaced.insert(path);
            *item = placeholder(&schema["items"], &item.origin);
        }
    }
    true
}

/// A table of exactly one key, which names the variant.
fn check_variant(
    node: &mut Node,
    variants: &[Variant],
    path: &str,
    report: &mut Report<'_>,
) -> bool {
    let names = || variants.iter().map(|variant| variant.name);
    let all = format!("one of {}", names().collect::<Vec<_>>().join(", "));
    let origin = node.origin.clone();
    let entries = match &mut node.value {
        Value::Table(entries) => entries,
        Value::Text(text) => {
            // `shape = "box"` is a likely mistake: show how it is written.
            let name = nearest(text, names()).unwrap_or(variants[0].name);
            let help = format!("write a table like {name} = {{ … }}, {all}");
            report.at(&origin, path, "expected a table, found a string", Some(help));
            return false;
        }
        _ => return wrong_type(node, &format!("a table with {all}"), path, report),
    };
    prefer_overrides(entries);
    let before = entries.len();
    refuse_unknown_keys(entries, names(), None, path, report);
    if entries.len() > 1 {
        let given = entries.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        report.at(&origin, path, format!("has several of {given}"), Some(all));
        return false;
    }
    let Some((key, entry)) = entries.iter_mut().next() else {
        if before == 0 {
            report.at(&origin, path, EMPTY, Some(all));
        }
        return false;
    };
    let Some(variant) = variants.iter().find(|variant| variant.name == key) else { return false };
    check(&mut entry.node, variant.schema, &join(path, key), report)
}

/// An override that picks another variant replaces the one of the file.
fn prefer_overrides(entries: &mut BTreeMap<String, Entry>) {
    let overridden = |entry: &Entry| matches!(entry.key, Origin::Override(_));
    if entries.values().any(overridden) {
        entries.retain(|_, entry| overridden(entry));
    }
}

fn check_word(node: &Node, words: &[(&str, &str)], path: &str, report: &mut Report<'_>) -> bool {
    let all = words.iter().map(|(word, _)| format!("\"{word}\"")).collect::<Vec<_>>().join(", ");
    let Value::Text(text) = &node.value else {
        return wrong_type(node, &format!("one of {all}"), path, report);
    };
    if words.iter().any(|(word, _)| word == text) {
        return true;
    }
    let help = match nearest(text, words.iter().map(|(word, _)| *word)) {
        Some(word) => format!("did you mean \"{word}\"? One of {all}"),
        None => format!("one of {all}"),
    };
    report.at(&node.origin, path, format!("\"{}\" is not known", shorten(text)), Some(help));
    false
}

fn check_range(node: &Node, schema: &'static Json, path: &str, report: &mut Report<'_>) -> bool {
    let value = match node.value {
        Value::Integer(i) => i as f64,
        Value::Float(f) => f,
        _ => return true,
    };
    let limit = |name: &str| schema.get(name).and_then(Json::as_f64);
    let inside = value.is_finite()
        && limit("minimum").is_none_or(|least| value >= least)
        && limit("maximum").is_none_or(|most| value <= most)
        && limit("exclusiveMinimum").is_none_or(|bound| value > bound);
    if !inside {
        let message = format!("{value} is out of range");
        report.at(&node.origin, path, message, Some(range_in_words(schema)));
    }
    inside
}

/// "must be above 0 m"
pub(crate) fn range_in_words(schema: &Json) -> String {
    let limit = |name: &str| schema.get(name).filter(|value| value.is_number());
    let unit = schema.get("x-unit").and_then(Json::as_str).map(|u| format!(" {u}"));
    let unit = unit.unwrap_or_default();
    match (limit("exclusiveMinimum"), limit("minimum"), limit("maximum")) {
        (Some(bound), _, Some(most)) => format!("must be above {bound} and at most {most}{unit}"),
        (Some(bound), _, None) => format!("must be above {bound}{unit}"),
        (None, Some(least), Some(most)) => format!("must be between {least} and {most}{unit}"),
        (None, Some(least), None) => format!("must be at least {least}{unit}"),
        (None, None, Some(most)) => format!("must be at most {most}{unit}"),
        (None, None, None) => "must be a finite number".to_string(),
    }
}

fn refuse_unknown_keys(
    entries: &mut BTreeMap<String, Entry>,
    known: impl Iterator<Item = &'static str> + Clone,
    table: Option<&'static Json>,
    path: &str,
    report: &mut Report<'_>,
) {
    entries.retain(|key, entry| {
        let is_known = known.clone().any(|name| name == key);
        if !is_known {
            let elsewhere = table.and_then(|table| hints::belongs(key, table, path));
            let help = match (elsewhere, nearest(key, known.clone())) {
                (Some(place), _) => place,
                (None, Some(name)) => format!("did you mean `{name}`?"),
                (None, None) => {
                    format!("known here: {}", known.clone().collect::<Vec<_>>().join(", "))
                }
            };
            report.at(&entry.key, &join(path, &shorten(key)), "unknown key", Some(help));
        }
        is_known
    });
}

fn wrong_type(node: &Node, wanted: &str, path: &str, report: &mut Report<'_>) -> bool {
    report.at(&node.origin, path, format!("expected {wanted}, found {}", node.kind()), None);
    false
}

fn fits(node: &Node, wanted: &Json) -> bool {
    match wanted.as_str() {
        Some("object") => matches!(node.value, Value::Table(_)),
        Some("array") => matches!(node.value, Value::List(_)),
        Some("string") => matches!(node.value, Value::Text(_)),
        Some("boolean") => matches!(node.value, Value::Boolean(_)),
        Some("integer") => matches!(node.value, Value::Integer(_) | Value::HugeInteger(_)),
        Some("number") => {
            matches!(node.value, Value::Integer(_) | Value::HugeInteger(_) | Value::Float(_))
        }
        _ => true,
    }
}

fn type_name(wanted: &Json) -> &'static str {
    match wanted.as_str() {
        Some("object") => "a table",
        Some("array") => "a list",
        Some("string") => "a string",
        Some("boolean") => "true or false",
        Some("integer") => "an integer",
        Some("number") => "a number",
        _ => "something else",
    }
}

/// Help for a missing key: what belongs there.
fn expected(schema: &'static Json) -> String {
    let inner = resolve(schema);
    let unit = schema.get("x-unit").and_then(Json::as_str).map(|u| format!(" in {u}"));
    match (words(inner), variants(inner), alternatives(inner)) {
        (Some(words), ..) => {
            let words: Vec<_> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
            format!("one of {}", words.join(", "))
        }
        (_, Some(variants), _) => {
            let names: Vec<_> = variants.iter().map(|variant| variant.name).collect();
            format!("a table with one of {}", names.join(", "))
        }
        (.., Some(alternatives)) => {
            let names: Vec<_> = alternatives.iter().map(|a| type_name(&a["type"])).collect();
            format!("{}{}", names.join(" or "), unit.unwrap_or_default())
        }
        _ => format!("{}{}", type_name(&inner["type"]), unit.unwrap_or_default()),
    }
}

/// Something that satisfies the schema, so that later checks can go on.
fn placeholder(outer: &'static Json, origin: &Origin) -> Node {
    let schema = resolve(outer);
    let limit = |name: &str| outer.get(name).or_else(|| schema.get(name)).and_then(Json::as_f64);
    let entry = |(key, schema): (&str, &'static Json)| {
        let node = placeholder(schema, origin);
        (key.to_string(), Entry { key: origin.clone(), node })
    };
    let value = if let Some(words) = words(schema) {
        Value::Text(words[0].0.to_string())
    } else if let Some(variants) = variants(schema) {
        Value::Table(BTreeMap::from([entry((variants[0].name, variants[0].schema))]))
    } else if let Some(alternatives) = alternatives(schema) {
        return placeholder(&alternatives[0], origin);
    } else {
        match schema["type"].as_str() {
            Some("object") => {
                let required = schema.get("required").and_then(Json::as_array);
                let names = required.into_iter().flatten().filter_map(Json::as_str);
                Value::Table(names.map(|n| entry((n, &schema["properties"][n]))).collect())
            }
            Some("array") => {
                let count = limit("minItems").unwrap_or(0.0) as usize;
                Value::List((0..count).map(|_| placeholder(&schema["items"], origin)).collect())
            }
            Some("integer") => Value::Integer(limit("minimum").unwrap_or(0.0) as i64),
            Some("number") => Value::Float(
                limit("exclusiveMinimum").map(|x| x + 0.1).or(limit("minimum")).unwrap_or(0.0),
            ),
            Some("boolean") => Value::Boolean(false),
            _ => Value::Text("-".to_string()),
        }
    };
    Node { value, origin: origin.clone() }
}

pub(crate) fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_string() } else { format!("{path}.{key}") }
}

/// The beginning of a text that may be very long.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}
