//! What else looks at every frame, in the background: surfaces, for example, which this crate
//! cannot make.

use std::path::Path;

use super::error::RunError;
use super::frame::Frame;

/// Sees every frame after its files are written and before any later snapshot is. Whatever it
/// writes for frame k is there, then, when a run is resumed behind frame k, and it must give the
/// same bytes when it sees the same frame again.
pub trait Observer: Send {
    /// Looks at a frame of the run in `directory`. Returns the files that it wrote, relative to it.
    fn frame(&mut self, directory: &Path, frame: &Frame) -> Result<Vec<String>, RunError>;
}
