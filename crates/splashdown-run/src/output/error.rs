//! Why a run cannot start or go on.

use std::io;
use std::path::{Path, PathBuf};

use crate::world::StepError;

/// Why a run cannot start or go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The file system refused something.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// The file concerned.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The output directory cannot be used as asked; the message says what to do.
    #[error("{0}")]
    Directory(String),
    /// A snapshot does not fit the scene.
    #[error("the snapshot {} does not fit the scene: {reason}", path.display())]
    Snapshot {
        /// The snapshot.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
    /// The physics failed.
    #[error("the simulation cannot go on: {error}\n{saved}")]
    Step {
        /// Time, object and particle.
        error: StepError,
        /// Where the last good state was saved, or why it could not be, as a sentence.
        saved: String,
    },
    /// Somebody asked to stop while a step was computed; the state is that before the step.
    #[error("stopped")]
    Stopped,
    /// The thread that writes frames is gone; its own error was reported before.
    #[error("nothing more can be written after the earlier error")]
    WriterStopped,
}

/// Adds what was tried, and with which file, to an error of the system.
pub trait At<T> {
    /// "cannot `action` `path`: …"
    fn at(self, action: &'static str, path: &Path) -> Result<T, RunError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, RunError> {
        self.map_err(|source| RunError::Io { action, path: path.to_owned(), source })
    }
}
