//! Files that are either complete or not there.
//!
//! A file is written under a temporary name in its own directory, synced, and renamed. A reader, a
//! full disk or a power cut never sees half of it.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::disk::{self, File};
use super::error::{At, RunError};

/// Where the content of a file goes.
pub type Out = BufWriter<File>;

/// Creates or replaces `path` with what `write` writes.
pub fn write(path: &Path, write: impl FnOnce(&mut Out) -> io::Result<()>) -> Result<(), RunError> {
    let temporary = temporary_name(path);
    let result = write_and_sync(&temporary, write).and_then(|()| disk::rename(&temporary, path));
    if result.is_err() {
        // The first error is the one to report; a temporary file that was never made cannot be
        // removed.
        let _ = disk::remove_file(&temporary);
    }
    result.and_then(|()| disk::sync_entry(path)).at("write", path)
}

/// Creates or replaces `path` with `bytes`.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), RunError> {
    write(path, |out| out.write_all(bytes))
}

/// Whether a file of this name was left behind by a killed run.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".tmp")
}

fn write_and_sync(path: &Path, write: impl FnOnce(&mut Out) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 18, File::create(path)?);
    write(&mut out)?;
    out.into_inner().map_err(|e| e.into_error())?.sync()
}

fn temporary_name(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.tmp"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("frame.ply");
        write_bytes(&path, b"old").unwrap();
        let full = |out: &mut Out| {
            out.write_all(b"half of the n")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        };
        let message = write(&path, full).unwrap_err().to_string();
        assert!(message.contains("cannot write") && message.contains("frame.ply"), "{message}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_directory_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("gone/frame.ply");
        let message = write_bytes(&path, b"x").unwrap_err().to_string();
        assert!(message.contains("gone/frame.ply"), "{message}");
    }
}
