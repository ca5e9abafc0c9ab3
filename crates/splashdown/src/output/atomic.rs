//! Files that are either complete or not there.
//!
//! A file is written under a temporary name in its own directory, synced, and renamed. A reader, a
//! full disk or a power cut never sees half of it.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::error::{At, RunError};

/// Creates or replaces `path` with what `write` writes.
pub fn write(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), RunError> {
    let temporary = temporary_name(path);
    let result = write_and_sync(&temporary, write).and_then(|()| fs::rename(&temporary, path));
    if result.is_err() {
        // The first error is the one to report; a temporary file that was never made cannot be removed.
        let _ = fs::remove_file(&temporary);
    }
    result.at("write", path)?;
    sync_directory(path);
    Ok(())
}

/// Creates or replaces `path` with `bytes`.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), RunError> {
    write(path, |out| out.write_all(bytes))
}

/// Whether a file of this name was left behind by a killed run.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".tmp")
}

fn write_and_sync(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 18, File::create(path)?);
    write(&mut out)?;
    out.into_inner().map_err(|e| e.into_error())?.sync_all()
}

fn temporary_name(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.tmp"))
}

/// Makes the rename itself survive a power cut, where directories can be synced at all.
fn sync_directory(path: &Path) {
    if let Some(directory) = path.parent()
        && let Ok(directory) = File::open(directory)
    {
        let _ = directory.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("frame.ply");
        write_bytes(&path, b"old").unwrap();
        let full = |out: &mut BufWriter<File>| {
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
