//! One run per directory: a lock that the system drops when its owner dies.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
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
    /// An empty file that was there before may be somebody else's: it is given back as it was.
    borrowed: bool,
}

/// How often a lock that is taken is tried again: whoever asks `is_held` has it for an instant.
const TRIES: usize = 4;
/// Digits of the largest process number, and one more.
const LONGEST: u64 = 11;

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
    /// Takes the lock of a run directory, or names the process that has it. A file of that name
    /// that is no lock of ours is left as it is.
    pub fn take(directory: &Path) -> Result<Lock, RunError> {
        let path = directory.join(FILE);
        let mut tries = 0;
        loop {
            let (mut file, is_new) = open(&path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if tries < TRIES => {
                    tries += 1;
                    std::thread::sleep(std::time::Duration::from_millis(10));
                    continue;
                }
                Err(TryLockError::WouldBlock) => return Err(taken(directory, &mut file)),
                // Some network file systems have no locks; better unguarded than useless.
                Err(TryLockError::Error(e)) if e.kind() == ErrorKind::Unsupported => {}
                Err(TryLockError::Error(e)) => return Err(e).at("lock", &path),
            }
            if !is_current(&file, &path) {
                continue; // the previous owner removed the file between our open and our lock
            }
            let mut content = Vec::new();
            (&file).take(LONGEST).read_to_end(&mut content).at("read", &path)?;
            if content.len() as u64 == LONGEST || !content.iter().all(u8::is_ascii_digit) {
                return Err(foreign(&path, "was not written by a run"));
            }
            file.set_len(0).at("write", &path)?;
            file.rewind().at("write", &path)?;
            write!(file, "{}", std::process::id()).at("write", &path)?;
            return Ok(Lock { path, file, borrowed: content.is_empty() && !is_new });
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.borrowed {
            let _ = self.file.set_len(0);
        } else if is_current(&self.file, &self.path) {
            // Removed before it is unlocked, so that nobody finds it free and then loses it.
            let _ = fs::remove_file(&self.path);
        }
        let _ = self.file.unlock();
    }
}

/// The lock file, and whether it is new.
fn open(path: &Path) -> Result<(File, bool), RunError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    // Makes a new file or nothing: a link is not followed, not even one that leads nowhere.
    match options.clone().create_new(true).open(path) {
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
        other => return Ok((other.at("create", path)?, true)),
    }
    match fs::symlink_metadata(path) {
        Ok(entry) if entry.is_file() => {}
        Ok(entry) if entry.is_symlink() => return Err(foreign(path, "is a symbolic link")),
        Ok(_) => return Err(foreign(path, "is not a plain file")),
        Err(e) if e.kind() == ErrorKind::NotFound => return open(path), // removed by its owner
        Err(e) => return Err(e).at("look at", path),
    }
    match options.open(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => open(path),
        other => Ok((other.at("open", path)?, false)),
    }
}

fn foreign(path: &Path, what: &str) -> RunError {
    let path = path.display();
    RunError::Directory(format!(
        "{path} {what}, so it is not the lock of a run: move it away, or choose another directory"
    ))
}

fn taken(directory: &Path, file: &mut File) -> RunError {
    let mut owner = String::new();
    let _ = file.take(LONGEST).read_to_string(&mut owner);
    RunError::Directory(format!(
        "another run (process {}) is writing to {}: wait for it, stop it, or choose another \
         directory",
        owner.trim(),
        directory.display()
    ))
}

#[cfg(unix)]
fn is_current(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::symlink_metadata(path)) {
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
        assert!(!dir.path().join(FILE).exists());
    }

    #[test]
    fn a_file_of_somebody_else_is_neither_changed_nor_removed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FILE);
        for content in ["keep me", "123 of my own", "123456789012345678901234567890"] {
            fs::write(&path, content).unwrap();
            let message = Lock::take(dir.path()).unwrap_err().to_string();
            assert!(message.contains(".lock was not written by a run"), "{message}");
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        // One that is empty may be anybody's: it serves, and is empty again afterwards.
        fs::write(&path, "").unwrap();
        let lock = Lock::take(dir.path()).unwrap();
        assert!(is_held(dir.path()) && Lock::take(dir.path()).is_err());
        drop(lock);
        assert_eq!(fs::read(&path).unwrap(), b"");
        // What took the place of the lock meanwhile stays, too.
        fs::remove_file(&path).unwrap();
        let lock = Lock::take(dir.path()).unwrap();
        fs::remove_file(&path).unwrap();
        fs::write(&path, "mine now").unwrap();
        drop(lock);
        #[cfg(unix)]
        assert_eq!(fs::read(&path).unwrap(), b"mine now");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_followed() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let (path, target) = (dir.path().join(FILE), dir.path().join("precious"));
        symlink(&target, &path).unwrap();
        for content in [None, Some("4711")] {
            content.iter().for_each(|text| fs::write(&target, text).unwrap());
            let message = Lock::take(dir.path()).unwrap_err().to_string();
            assert!(message.contains("is a symbolic link"), "{message}");
            assert_eq!(fs::read_to_string(&target).ok().as_deref(), content);
            assert!(path.is_symlink() && !is_held(dir.path()));
        }
    }
}
