//! One run per directory: a lock that the system drops when its owner dies.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::error::{At, RunError};

/// Name of the lock file in a run directory.
pub const FILE: &str = ".lock";

/// Held while a run writes to its directory.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// The system's lock is on this handle: a killed run, whatever killed it, holds nothing.
    file: File,
}

/// How often a lock that is taken is tried again: whoever asks `is_held` has it for an instant.
const TRIES: usize = 4;

/// Whether a run is writing to the directory.
pub fn is_held(directory: &Path) -> bool {
    let path = directory.join(FILE);
    if !fs::symlink_metadata(&path).is_ok_and(|entry| entry.is_file()) {
        return false; // also spares us from waiting for a pipe of that name
    }
    match File::open(path).map(|file| file.try_lock_shared()) {
        Ok(Err(TryLockError::WouldBlock)) => true,
        // Where there are no locks, the file is all there is to go by.
        Ok(Err(TryLockError::Error(_))) => true,
        Ok(Ok(())) | Err(_) => false,
    }
}

impl Lock {
    /// Takes the lock of a run directory, or names the process that has it.
    pub fn take(directory: &Path) -> Result<Lock, RunError> {
        let path = directory.join(FILE);
        let mut tries = 0;
        loop {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            let mut file = options.open(&path).at("create", &path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if tries < TRIES => {
                    tries += 1;
                    std::thread::sleep(std::time::Duration::from_millis(10));
                    continue;
                }
                Err(TryLockError::WouldBlock) => return Err(taken(directory, &mut file)),
                // Some network file systems have no locks; better unguarded than useless.
                Err(TryLockError::Error(e)) if e.kind() == std::io::ErrorKind::Unsupported => {}
                Err(TryLockError::Error(e)) => return Err(e).at("lock", &path),
            }
            if !is_current(&file, &path) {
                continue; // the previous owner removed the file between our open and our lock
            }
            file.set_len(0).at("write", &path)?;
            file.rewind().at("write", &path)?;
            write!(file, "{}", std::process::id()).at("write", &path)?;
            return Ok(Lock { path, file });
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed before it is unlocked, so that nobody finds it free and then loses it.
        let _ = fs::remove_file(&self.path);
        let _ = self.file.unlock();
    }
}

fn taken(directory: &Path, file: &mut File) -> RunError {
    let mut owner = String::new();
    let _ = file.read_to_string(&mut owner);
    RunError::Directory(format!(
        "another run (process {}) is writing to {}: wait for it, stop it, or choose another directory",
        owner.trim(),
        directory.display()
    ))
}

#[cfg(unix)]
fn is_current(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(ours), Ok(theirs)) => ours.ino() == theirs.ino() && ours.dev() == theirs.dev(),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_current(_: &File, _: &Path) -> bool {
    true // an open file cannot be removed here
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_cannot_have_the_same_directory() {
        let dir = tempfile::tempdir().unwrap();
        let lock = Lock::take(dir.path()).unwrap();
        let message = Lock::take(dir.path()).unwrap_err().to_string();
        assert!(message.contains(&std::process::id().to_string()), "{message}");
        assert!(is_held(dir.path()));
        drop(lock);
        assert!(!is_held(dir.path()));
        assert!(!dir.path().join(FILE).exists());
        drop(Lock::take(dir.path()).unwrap());
    }

    #[test]
    fn the_lock_of_a_dead_run_is_taken_over() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(FILE), "4294967295").unwrap();
        assert!(!is_held(dir.path()));
        Lock::take(dir.path()).unwrap();
    }
}
