//! How errors are shown, and which exit code they give.

use std::io::IsTerminal;
use std::process::ExitCode;

use miette::{GraphicalReportHandler, LabeledSpan, MietteDiagnostic, NamedSource, Report};
use splashdown::output::error::RunError;
use splashdown::scene::{SceneError, SceneErrors};
use splashdown_render::error::RenderError;

use crate::terminal::tell;

/// Why a command did not do what was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The scene is wrong: exit code 2.
    Scene(SceneErrors),
    /// The command line asks for something impossible: exit code 2.
    Usage(String),
    /// The run failed: exit code 1.
    Run(RunError),
    /// There is no picture: exit code 1.
    Render(RenderError),
}

impl From<SceneErrors> for Failure {
    fn from(errors: SceneErrors) -> Self {
        Failure::Scene(errors)
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Directory(message) => Failure::Usage(message),
            error => Failure::Run(error),
        }
    }
}

impl From<RenderError> for Failure {
    fn from(error: RenderError) -> Self {
        match error {
            RenderError::Run(error) => error.into(),
            RenderError::Request(message) => Failure::Usage(message),
            error => Failure::Render(error),
        }
    }
}

impl Failure {
    /// Prints what went wrong and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Failure::Scene(errors) if std::io::stderr().is_terminal() => {
                errors.errors.iter().for_each(|error| tell(snippet(errors, error).trim_end()));
                ExitCode::from(2)
            }
            Failure::Scene(errors) => {
                tell(errors.to_string().trim_end());
                ExitCode::from(2)
            }
            Failure::Usage(message) => {
                tell(&format!("error: {message}"));
                ExitCode::from(2)
            }
            Failure::Run(error) => {
                tell(&format!("error: {error}"));
                ExitCode::from(1)
            }
            Failure::Render(error) => {
                tell(&format!("error: {error}"));
                ExitCode::from(1)
            }
        }
    }
}

/// The error with the lines of the scene it is about.
fn snippet(errors: &SceneErrors, error: &SceneError) -> String {
    let place = match (&error.from_override, &error.span) {
        (Some(change), _) => format!("--set {change}: "),
        (None, None) => format!("{}: ", errors.file),
        (None, Some(_)) => String::new(),
    };
    let key = if error.key.is_empty() { String::new() } else { format!("{}: ", error.key) };
    let mut diagnostic = MietteDiagnostic::new(format!("{place}{key}{}", error.message));
    diagnostic.help.clone_from(&error.help);
    if let Some(span) = &error.span {
        // An empty span (end of the file) would underline nothing.
        let end = span.end.max(span.start + 1).min(errors.text.len().max(span.start));
        diagnostic = diagnostic.with_label(LabeledSpan::underline(span.start..end));
    }
    let source = NamedSource::new(&errors.file, errors.text.clone());
    let report = Report::new(diagnostic).with_source_code(source);
    let mut text = String::new();
    let width = 100;
    let handler = GraphicalReportHandler::new().with_width(width);
    if handler.render_report(&mut text, report.as_ref()).is_err() {
        // miette could not make sense of the span; the plain form always works.
        text = format!("{}: {error}\n", errors.file);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_shows_the_line_and_the_help() {
        let error = SceneError {
            key: "fluid[0].density".to_owned(),
            message: "must be positive, got -1".to_owned(),
            help: Some("water has 1000".to_owned()),
            span: Some(20..22),
            line: 2,
            column: 11,
            from_override: None,
        };
        let errors = SceneErrors {
            file: "dam.toml".to_owned(),
            text: "[[fluid]]\ndensity = -1\n".to_owned(),
            errors: vec![error.clone()],
        };
        let text = snippet(&errors, &error);
        for part in ["must be positive, got -1", "dam.toml:2:11", "density = -1", "water has 1000"]
        {
            assert!(text.contains(part), "{part} is missing from\n{text}");
        }
    }

    #[test]
    fn a_span_outside_the_text_is_survived() {
        let error =
            SceneError { span: Some(90..95), message: "odd".to_owned(), ..Default::default() };
        let errors =
            SceneErrors { text: "a".to_owned(), errors: vec![error.clone()], ..Default::default() };
        assert!(snippet(&errors, &error).contains("odd"));
    }
}
