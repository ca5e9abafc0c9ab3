//! Folders for cases that write files.

use std::fs;
use std::path::PathBuf;

/// A folder that is gone when the case is over.
pub(super) struct Folder {
    /// Path of the folder.
    pub path: PathBuf,
}

impl Folder {
    /// A new one.
    pub(super) fn new(case: &str) -> Result<Folder, String> {
        let name = format!("splashdown-{case}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).map_err(|e| format!("cannot create {}: {e}", path.display()))?;
        Ok(Folder { path })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nothing depends on it: at worst the system's temporary folder keeps some files.
        let _ = fs::remove_dir_all(&self.path);
    }
}
