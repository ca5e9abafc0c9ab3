//! Why there is no picture.

use std::path::{Path, PathBuf};

use splashdown_run::output::error::RunError;

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The file system refused something.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A file is not what it should be.
    #[error("{}: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Something was asked for that is not possible; the message says what is.
    #[error("{0}")]
    Request(String),
}

impl RenderError {
    /// A file that is not what it should be.
    pub fn damaged(path: &Path, reason: impl Into<String>) -> RenderError {
        RenderError::Damaged { path: path.to_owned(), reason: reason.into() }
    }
}
