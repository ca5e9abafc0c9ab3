//! `--set path.to.key=value`: changes to a scene from the command line.
//!
//! A list is entered by index or by name: `fluid.0.density=900`, `fluid.water.density=900`.

use toml::Spanned;
use toml::de::DeValue;

use super::tree::{Entry, Node, Origin, Value};
use crate::nearest::nearest;

/// What is wrong with an override itself.
#[derive(Debug, PartialEq)]
pub(crate) struct OverrideError {
    pub message: String,
    pub help: Option<String>,
}

fn wrong(message: String, help: Option<String>) -> OverrideError {
    OverrideError { message, help }
}

/// Applies override number `index` to the tree.
pub(crate) fn apply(root: &mut Node, index: usize, text: &str) -> Result<(), OverrideError> {
    let example = || Some("write path.to.key=value".to_string());
    let (path, value) =
        text.split_once('=').ok_or_else(|| wrong("has no `=`".to_string(), example()))?;
    let steps: Vec<&str> = path.trim().split('.').map(str::trim).collect();
    if steps.iter().any(|step| step.is_empty()) {
        return Err(wrong("has an empty key".to_string(), example()));
    }
    if steps.len() > 20 {
        return Err(wrong("is too deep".to_string(), None));
    }
    let place = Origin::Override(index);
    let mut node = root;
    let mut done = String::new();
    for step in &steps {
        node = enter(node, step, &done, &place)?;
        done = super::validate::join(&done, step);
    }
    *node = parse_value(value.trim(), &place);
    Ok(())
}

/// The node that `step` leads to; made if a table has no such key.
fn enter<'a>(
    node: &'a mut Node,
    step: &str,
    done: &str,
    place: &Origin,
) -> Result<&'a mut Node, OverrideError> {
    let kind = node.kind();
    match &mut node.value {
        Value::Table(entries) => {
            let make = || Entry {
                key: place.clone(),
                node: Node { value: Value::Table(Default::default()), origin: place.clone() },
            };
            Ok(&mut entries.entry(step.to_string()).or_insert_with(make).node)
        }
        Value::List(items) => {
            let found = match step.parse::<usize>() {
                Ok(index) if index < items.len() => Some(index),
                _ => items.iter().position(|item| name_of(item) == Some(step)),
            };
            if let Some(index) = found {
                return Ok(&mut items[index]);
            }
            let names: Vec<&str> = items.iter().filter_map(name_of).collect();
            let help = match nearest(step, names.iter().copied()) {
                Some(name) => format!("did you mean `{name}`?"),
                None if names.is_empty() => format!("it has {} items, counted from 0", items.len()),
                None => format!("it has 0 to {}: {}", items.len().max(1) - 1, names.join(", ")),
            };
            Err(wrong(format!("`{done}` has no `{step}`"), Some(help)))
        }
        _ => Err(wrong(format!("`{done}` is {kind}, it has no `{step}`"), None)),
    }
}

fn name_of(node: &Node) -> Option<&str> {
    let Value::Table(entries) = &node.value else { return None };
    match entries.get("name").map(|entry| &entry.node.value) {
        Some(Value::Text(name)) => Some(name),
        _ => None,
    }
}

/// A TOML value, or else a bare string.
fn parse_value(text: &str, place: &Origin) -> Node {
    match DeValue::parse(text) {
        Ok(value) => Node::from_value(&value, &|_| place.clone()),
        Err(_) => {
            let string = Spanned::new(0..text.len(), DeValue::String(text.into()));
            Node::from_value(&string, &|_| place.clone())
        }
    }
}
