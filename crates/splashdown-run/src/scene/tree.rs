//! A TOML document that remembers where every key and value was written.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Where a key or value came from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Origin {
    /// These bytes of the file.
    File(Range<usize>),
    /// The override of this index.
    Override(usize),
}

/// A value and its origin.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub value: Value,
    pub origin: Origin,
}

/// A TOML value.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    /// A date or time: nothing in a scene has this type, so which one does not matter.
    Date,
    /// An integer that does not fit, as written.
    HugeInteger(String),
    List(Vec<Node>),
    Table(BTreeMap<String, Entry>),
}

/// A value with the place of its key.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub key: Origin,
    pub node: Node,
}

impl Node {
    /// From a parsed document; every origin is given by `place`.
    pub(crate) fn from_document(
        table: &Spanned<DeTable<'_>>,
        place: &dyn Fn(Range<usize>) -> Origin,
    ) -> Node {
        let origin = place(table.span());
        Node { value: table_value(table.get_ref(), place), origin }
    }

    /// From a parsed value; every origin is given by `place`.
    pub(crate) fn from_value(
        value: &Spanned<DeValue<'_>>,
        place: &dyn Fn(Range<usize>) -> Origin,
    ) -> Node {
        let origin = place(value.span());
        let value = match value.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(i) => match i64::from_str_radix(i.as_str(), i.radix()) {
                Ok(integer) => Value::Integer(integer),
                Err(_) => Value::HugeInteger(i.to_string()),
            },
            DeValue::Float(f) => Value::Float(f.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Boolean(b) => Value::Boolean(*b),
            DeValue::Datetime(_) => Value::Date,
            DeValue::Array(items) => {
                Value::List(items.iter().map(|item| Node::from_value(item, place)).collect())
            }
            DeValue::Table(table) => table_value(table, place),
        };
        Node { value, origin }
    }

    /// What follows the article in "expected …, found a …".
    pub(crate) fn kind(&self) -> &'static str {
        match &self.value {
            Value::Text(_) => "a string",
            Value::Integer(_) | Value::HugeInteger(_) => "an integer",
            Value::Float(_) => "a number with decimals",
            Value::Boolean(_) => "a boolean",
            Value::Date => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// The plain value, without origins.
    pub(crate) fn to_toml(&self) -> toml::Value {
        match &self.value {
            Value::Text(text) => toml::Value::String(text.clone()),
            Value::Integer(i) => toml::Value::Integer(*i),
            Value::Float(f) => toml::Value::Float(*f),
            Value::Boolean(b) => toml::Value::Boolean(*b),
            Value::Date => toml::Value::String("a date".to_string()),
            Value::HugeInteger(text) => toml::Value::String(text.clone()),
            Value::List(items) => toml::Value::Array(items.iter().map(Node::to_toml).collect()),
            Value::Table(entries) => toml::Value::Table(
                entries.iter().map(|(key, entry)| (key.clone(), entry.node.to_toml())).collect(),
            ),
        }
    }

    /// The entries of the table that `key` of this table holds, if it does.
    pub(crate) fn table(&mut self, key: &str) -> Option<&mut BTreeMap<String, Entry>> {
        let Value::Table(entries) = &mut self.value else { return None };
        match &mut entries.get_mut(key)?.node.value {
            Value::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// Follows a path like `fluid[0].density`; returns the place of the last key or item on it that
    /// exists, and the node there if the whole path exists.
    pub(crate) fn locate(&self, path: &str) -> (Origin, Option<&Node>) {
        let mut origin = self.origin.clone();
        let mut node = self;
        for step in path.split(['.', '[']).filter(|step| !step.is_empty()) {
            let next = match (&node.value, step.strip_suffix(']')) {
                (Value::List(items), Some(index)) => {
                    index.parse::<usize>().ok().and_then(|k| items.get(k))
                }
                (Value::Table(entries), None) => entries.get(step).map(|entry| &entry.node),
                _ => None,
            };
            match next {
                Some(next) => (node, origin) = (next, next.origin.clone()),
                None => return (origin, None),
            }
        }
        (origin, Some(node))
    }
}

fn table_value(table: &DeTable<'_>, place: &dyn Fn(Range<usize>) -> Origin) -> Value {
    let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let text: &std::borrow::Cow<'_, str> = key.get_ref();
        (text.to_string(), Entry { key: place(key.span()), node: Node::from_value(value, place) })
    };
    Value::Table(table.iter().map(entry).collect())
}
