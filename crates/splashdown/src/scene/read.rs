//! Text → tree → overrides → checked scene.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::de::DeTable;

use super::errors::{Report, SceneErrors, Source, line_and_column};
use super::file::SceneFile;
use super::tree::{Node, Origin};
use super::{Scene, check, overrides, validate};

/// Longer scene files are refused.
pub const MAX_LENGTH: usize = 4 << 20;
/// How many lines with syntax errors are shown.
const MAX_SYNTAX_ERRORS: usize = 5;

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
    if text.len() > MAX_LENGTH {
        let message = format!("is longer than {} MiB", MAX_LENGTH >> 20);
        return Err(SceneErrors::without_place(name, message, None));
    }
    let (document, syntax_errors) = DeTable::parse_recoverable(text);
    let root = Node::from_document(&document, &Origin::File);
    let source = Source {
        file: name.to_string(),
        text: text.to_string(),
        overrides: given.to_vec(),
        root: root.clone(),
    };
    let mut report = Report::new(&source);
    // One slip makes the reader stumble several times; the first few places are enough.
    let mut lines = Vec::new();
    for error in &syntax_errors {
        let span = error.span().unwrap_or(0..0);
        let (line, _) = line_and_column(text, span.start);
        if lines.contains(&line) || lines.len() == MAX_SYNTAX_ERRORS {
            continue;
        }
        lines.push(line);
        let message = error.message().replace('\n', ", ");
        report.at(&Origin::File(span), "", message, Some("TOML syntax".to_string()));
    }
    // After a syntax error half of the tree may be missing: complaints about it would be noise.
    report.finish()?;

    let mut tree = root;
    let mut report = Report::new(&source);
    for (index, text) in given.iter().enumerate() {
        if let Err(error) = overrides::apply(&mut tree, index, text) {
            report.at(&Origin::Override(index), "", error.message, error.help);
        }
    }
    let override_errors = std::mem::take(&mut report.errors);
    let source = Source { root: tree.clone(), ..source.clone() };
    let mut report = Report::new(&source);
    report.errors = override_errors;

    validate::validate(&mut tree, &mut report);
    match SceneFile::deserialize(tree.to_toml()) {
        Ok(file) => {
            check::check(&file, &directory, &mut report);
            report.finish()?;
            let name = name.to_string();
            Ok(Scene { name, text: effective_text(text, &tree, given), file, directory, source })
        }
        Err(error) => {
            // The schema lets pass what serde does not: better told without a place than not at all.
            if report.errors.is_empty() {
                let message = error.message().to_string();
                report.at(&Origin::File(0..0), "", message, None);
            }
            report.finish()?;
            unreachable!("an error was reported")
        }
    }
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
