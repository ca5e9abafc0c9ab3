//! Text → tree → overrides → checked scene.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::de::DeTable;

use super::errors::{Findings, Report, SceneErrors, Source, line_and_column};
use super::file::SceneFile;
use super::tree::{Node, Origin};
use super::{Scene, check, grid, hints, overrides, validate, variational};

/// Longer scene files are refused.
pub(super) const MAX_LENGTH: usize = 4 << 20;
/// How many lines with syntax errors are shown.
const MAX_SYNTAX_ERRORS: usize = 5;
/// Of a text with more syntax errors nothing else is said.
const MAX_SLIPS: usize = 100;

/// Reads a scene from a file.
pub(crate) fn read_text(path: &Path) -> Result<String, SceneErrors> {
    let name = path.display().to_string();
    let fail = |message: String| SceneErrors::without_place(&name, message, None);
    let size = std::fs::metadata(path).map_err(|e| fail(format!("cannot be read: {e}")))?.len();
    if size > MAX_LENGTH as u64 {
        return Err(fail(format!("is longer than {} MiB", MAX_LENGTH >> 20)));
    }
    let bytes = std::fs::read(path).map_err(|e| fail(format!("cannot be read: {e}")))?;
    String::from_utf8(bytes).map_err(|e| {
        let valid = e.utf8_error().valid_up_to();
        fail(format!("is not UTF-8 text (byte {valid})"))
    })
}

/// Reads a scene from its text; errors are collected, not only the first.
pub(crate) fn parse(
    name: &str,
    text: &str,
    directory: PathBuf,
    given: &[String],
) -> Result<Scene, SceneErrors> {
    let (scene, found) = draft(name, text, directory, given)?;
    found.finish(&scene.source)?;
    Ok(scene)
}

/// Reads a scene as far as that goes: what is wrong in it is among the findings, and something
/// harmless in its place.
pub(crate) fn draft(
    name: &str,
    text: &str,
    directory: PathBuf,
    given: &[String],
) -> Result<(Scene, Findings), SceneErrors> {
    if text.len() > MAX_LENGTH {
        let message = format!("is longer than {} MiB", MAX_LENGTH >> 20);
        return Err(SceneErrors::without_place(name, message, None));
    }
    let (document, syntax_errors) = DeTable::parse_recoverable(text);
    let mut tree = Node::from_document(&document, &Origin::File);
    let overrides = given.iter().enumerate();
    let applied: Vec<Result<(), overrides::OverrideError>> =
        overrides.map(|(k, text)| overrides::apply(&mut tree, k, text)).collect();
    let mut left_out = variational::leave_out_keys_of_other_solver(&mut tree);
    left_out.extend(grid::leave_out_keys_of_other_methods(&mut tree));
    let source = Source {
        file: name.to_string(),
        text: text.to_string(),
        overrides: given.to_vec(),
        root: tree.clone(),
    };
    let mut report = Report::new(&source);
    if !syntax_errors.is_empty() {
        syntax(&syntax_errors, &mut tree, &mut report);
        return Err(report.finish().err().unwrap_or_default());
    }
    for (index, error) in applied.into_iter().enumerate().filter_map(|(k, r)| Some((k, r.err()?))) {
        report.at(&Origin::Override(index), "", error.message, error.help);
    }
    validate::validate(&mut tree, &mut report);
    match SceneFile::deserialize(tree.to_toml()) {
        Ok(file) => {
            check::check(&file, &directory, &mut report);
            let (found, name) = (report.found, name.to_string());
            let text = effective_text(text, &tree, given);
            Ok((Scene { name, text, file, directory, left_out, source }, found))
        }
        Err(error) => {
            // The schema lets pass what serde does not: better told without a place than not at
            // all.
            if report.found.errors.is_empty() {
                let message = error.message().to_string();
                report.at(&Origin::File(0..0), "", message, None);
            }
            Err(report.finish().err().unwrap_or_default())
        }
    }
}

/// Reports the places that are not TOML, and what is wrong in the parts of the scene that they
/// leave readable.
fn syntax(errors: &[toml::de::Error], tree: &mut Node, report: &mut Report<'_>) {
    let text = &report.source.text;
    // One slip makes the reader stumble several times; the first few places are enough.
    let mut lines = Vec::new();
    for error in errors.iter().take(MAX_SLIPS) {
        let span = error.span().unwrap_or(0..0);
        let (line, _) = line_and_column(text, span.start);
        if lines.contains(&line) {
            continue;
        }
        lines.push(line);
        if lines.len() > MAX_SYNTAX_ERRORS {
            continue;
        }
        let message = error.message().replace('\n', ", ");
        let hint = text.lines().nth(line - 1).and_then(hints::slip);
        let help = hint.map_or("TOML syntax".to_string(), |hint| format!("TOML syntax: {hint}"));
        report.at(&Origin::File(span), "", message, Some(help));
    }
    if errors.len() > MAX_SLIPS {
        return; // not a scene at all
    }
    // From such a place to the next table nothing is where it belongs, and what is missing may
    // stand there.
    let mut rest = Report::new(report.source);
    validate::validate(tree, &mut rest);
    let is_spoilt = |line: usize| {
        let table = |l: &&str| l.trim_start().starts_with('[');
        // After a table without its name not even the tables are known.
        let is_header = |slip: usize| text.lines().nth(slip - 1).is_some_and(|l| table(&l));
        lines
            .iter()
            .filter(|slip| **slip <= line)
            .any(|&slip| is_header(slip) || !text.lines().take(line).skip(slip).any(|l| table(&l)))
    };
    let is_absence = |message: &str| [validate::MISSING, validate::EMPTY].contains(&message);
    rest.found.errors.retain(|error| !is_absence(&error.message) && !is_spoilt(error.line));
    report.found.errors.append(&mut rest.found.errors);
}

/// The scene as it is with its overrides: the text as written if there are none.
fn effective_text(text: &str, tree: &Node, given: &[String]) -> String {
    if given.is_empty() {
        return text.to_string();
    }
    let mut effective = String::new();
    for line in text.lines().take_while(|line| line.starts_with('#')) {
        effective.push_str(line);
        effective.push('\n');
    }
    effective.push_str("#\n# Changed by:\n");
    for text in given {
        effective.push_str(&format!("#   --set {}\n", text.replace(['\n', '\r'], " ")));
    }
    effective.push('\n');
    effective.push_str(&toml::to_string(&tree.to_toml()).unwrap_or_default());
    effective
}
