//! All that is wrong with a scene, each with its place.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use super::tree::{Node, Origin, Value};

/// More errors than this are counted, not listed.
const MAX_ERRORS: usize = 100;

/// Everything that is wrong with a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneErrors {
    /// Name of the file or built-in scene.
    pub file: String,
    /// Its text, to which the spans refer.
    pub text: String,
    /// In the order of the text; never empty.
    pub errors: Vec<SceneError>,
}

/// One thing that is wrong with a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneError {
    /// The key concerned, like `fluid[0].density`; empty if none is.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// The allowed range, the nearest valid name, or what else may help.
    pub help: Option<String>,
    /// The bytes of the text concerned; none if the cause is not in the text.
    pub span: Option<Range<usize>>,
    /// Line from 1; 0 without a span.
    pub line: usize,
    /// Column from 1, in characters; 0 without a span.
    pub column: usize,
    /// The override that caused it, as given.
    pub from_override: Option<String>,
}

impl SceneErrors {
    /// A single error without a place in the text, such as a file that cannot be read.
    pub(crate) fn without_place(file: &str, message: String, help: Option<String>) -> SceneErrors {
        let error = SceneError { message, help, ..SceneError::default() };
        SceneErrors { file: file.to_string(), text: String::new(), errors: vec![error] }
    }
}

impl std::error::Error for SceneErrors {}

impl fmt::Display for SceneErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, error) in self.errors.iter().enumerate() {
            if k > 0 {
                writeln!(f)?;
            }
            match (&error.from_override, error.line) {
                (Some(text), _) => write!(f, "--set {text}: ")?,
                (None, 0) => write!(f, "{}: ", self.file)?,
                (None, line) => write!(f, "{}:{line}:{}: ", self.file, error.column)?,
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

/// A scene's text and tree, by which errors find their place.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub file: String,
    pub text: String,
    pub overrides: Vec<String>,
    pub root: Node,
}

impl Source {
    /// The error for the given place.
    fn error(
        &self,
        origin: &Origin,
        key: &str,
        message: String,
        help: Option<String>,
    ) -> SceneError {
        let mut error = SceneError { key: key.to_string(), message, help, ..SceneError::default() };
        match origin {
            Origin::File(span) => {
                (error.line, error.column) = line_and_column(&self.text, span.start);
                error.span = Some(span.clone());
            }
            Origin::Override(index) => error.from_override = self.overrides.get(*index).cloned(),
        }
        error
    }
}

/// What was found while a scene was checked.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub errors: Vec<SceneError>,
    /// Keys whose values were replaced by something harmless: what is wrong with these is not the
    /// user's fault.
    pub replaced: HashSet<String>,
    /// Keys with an error, and all that they are part of.
    wrong: HashSet<String>,
    left_out: usize,
}

impl Findings {
    /// `Ok` if nothing was found.
    pub(crate) fn finish(self, source: &Source) -> Result<(), SceneErrors> {
        if self.errors.is_empty() {
            return Ok(());
        }
        let mut errors = self.errors;
        errors.sort_by_key(|e| e.span.as_ref().map_or(usize::MAX, |span| span.start));
        if self.left_out > 0 {
            let message = format!("{} more errors are not shown", self.left_out);
            errors.push(SceneError { message, ..SceneError::default() });
        }
        let (file, text) = (source.file.clone(), source.text.clone());
        Err(SceneErrors { file, text, errors })
    }
}

/// Collects errors while a scene is checked.
pub(crate) struct Report<'a> {
    pub source: &'a Source,
    pub found: Findings,
}

impl<'a> Report<'a> {
    pub(crate) fn new(source: &'a Source) -> Report<'a> {
        Report { source, found: Findings::default() }
    }

    /// Adds an error about a known place.
    pub(crate) fn at(
        &mut self,
        origin: &Origin,
        key: &str,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        self.found.wrong.extend(parts(key).map(str::to_owned));
        if self.found.errors.len() < MAX_ERRORS {
            self.found.errors.push(self.source.error(origin, key, message.into(), help));
        } else {
            self.found.left_out += 1;
        }
    }

    /// Adds an error about the value of `key`, unless the key or what it is part of has one
    /// already: the second would only be a consequence of the first.
    pub(crate) fn key(&mut self, key: &str, message: impl Into<String>, help: Option<String>) {
        if !self.has_error_about(key) {
            let (origin, _) = self.source.root.locate(key);
            self.at(&origin, key, message, help);
        }
    }

    /// Adds an error about some bytes of the string that `key` holds.
    pub(crate) fn within(
        &mut self,
        key: &str,
        inner: Range<usize>,
        message: String,
        help: Option<String>,
    ) {
        if self.has_error_about(key) {
            return;
        }
        let (mut origin, node) = self.source.root.locate(key);
        if let (Origin::File(span), Some(Value::Text(content))) = (&origin, node.map(|n| &n.value))
        {
            // Only where the string stands in the file as it is, without escapes.
            let raw = self.source.text.get(span.start + 1..span.end.saturating_sub(1));
            if raw == Some(content) {
                origin = Origin::File(span.start + 1 + inner.start..span.start + 1 + inner.end);
            }
        }
        self.at(&origin, key, message, help);
    }

    /// Whether something is wrong with `key` or with a part of it.
    pub(crate) fn is_wrong(&self, key: &str) -> bool {
        self.found.wrong.contains(key) || parts(key).any(|part| self.found.replaced.contains(part))
    }

    fn has_error_about(&self, key: &str) -> bool {
        parts(key).any(|part| self.found.replaced.contains(part))
            || self.found.errors.iter().any(|error| error.key == key)
    }

    /// `Ok` if nothing was reported.
    pub(crate) fn finish(self) -> Result<(), SceneErrors> {
        self.found.finish(self.source)
    }
}

/// A key and all that it is part of: `fluid`, `fluid[0]`, `fluid[0].fill` …
fn parts(key: &str) -> impl Iterator<Item = &str> {
    let ends = key.match_indices(['.', '[']).map(|(end, _)| end).chain([key.len()]);
    ends.map(|end| &key[..end])
}

/// Line and column of a byte, from 1; the column counts characters.
pub(crate) fn line_and_column(text: &str, byte: usize) -> (usize, usize) {
    let mut end = byte.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}
