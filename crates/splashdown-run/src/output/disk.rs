//! The one door to the file system: every operation by which a run changes files goes through here.
//!
//! So a test can make any of them fail. With `SPLASHDOWN_FAULT=kill:17` in its environment the
//! program is gone in the middle of its 17th operation, with `error:17` that operation fails, and
//! with `full:17` it and all later ones that need space do; `trace:17` tells all from the 17th on
//! (`docs/testing.md`). Without, an operation costs one look at a constant more.

use std::fs;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that is being written.
#[derive(Debug)]
pub struct File {
    file: fs::File,
    path: PathBuf,
}

impl File {
    /// Creates or empties a file. What is there and no file, a pipe for example, is refused.
    pub fn create(path: &Path) -> io::Result<File> {
        match fs::symlink_metadata(path) {
            Ok(there) if !there.is_file() => return Err(no_file()),
            _ => {}
        }
        before("create", path)?;
        Ok(File { file: fs::File::create(path)?, path: path.to_owned() })
    }

    /// Opens a file that is there, to change it.
    pub fn open(path: &Path) -> io::Result<File> {
        if !fs::metadata(path)?.is_file() {
            return Err(no_file());
        }
        before("open", path)?;
        let file = fs::OpenOptions::new().write(true).open(path)?;
        Ok(File { file, path: path.to_owned() })
    }

    /// Its length in bytes.
    pub fn length(&self) -> io::Result<u64> {
        self.file.metadata().map(|there| there.len())
    }

    /// Cuts it to so many bytes, and goes on writing there.
    pub fn cut(&mut self, bytes: u64) -> io::Result<()> {
        before("cut", &self.path)?;
        self.file.set_len(bytes)?;
        self.seek(bytes)
    }

    /// Goes on writing after so many bytes.
    pub fn seek(&mut self, bytes: u64) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(bytes)).map(drop)
    }

    /// Makes everything written survive a power cut.
    pub fn sync(&self) -> io::Result<()> {
        before("sync", &self.path)?;
        self.file.sync_all()
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(fault) = due("write", &self.path) {
            // Half of it arrives, as on a disk that fills up or under a program that is killed.
            self.file.write_all(&bytes[..bytes.len() / 2])?;
            return Err(fault.strike());
        }
        let count = self.file.write(bytes)?;
        trace("wrote", &self.path, count);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Gives a file its name, in place of whatever file has it.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    before("rename", to)?;
    fs::rename(from, to)
}

/// Removes a file.
pub fn remove_file(path: &Path) -> io::Result<()> {
    before("remove", path)?;
    fs::remove_file(path)
}

/// Makes a directory and those above it, so that they survive a power cut.
pub fn create_directories(path: &Path) -> io::Result<()> {
    if path.as_os_str().is_empty() || path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        create_directories(parent)?;
    }
    before("make", path)?;
    match fs::create_dir(path) {
        // Somebody else made it meanwhile.
        Err(e) if e.kind() == ErrorKind::AlreadyExists && path.is_dir() => {}
        other => other?,
    }
    sync_entry(path)
}

/// Makes the name of a file or directory survive a power cut, where directories can be synced.
pub fn sync_entry(path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    // Where a directory cannot be opened as a file, or not by us, there is nothing to be done.
    let Ok(directory) = fs::File::open(parent.unwrap_or(Path::new("."))) else { return Ok(()) };
    before("sync the name of", path)?;
    match directory.sync_all() {
        Err(e) if matches!(e.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        other => other,
    }
}

/// Reads a whole file. Pipes and devices, which may never end, are refused.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_to_read(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The same for text.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|e| io::Error::new(ErrorKind::InvalidData, e))
}

/// Opens a file to read it. Pipes and devices are refused.
pub fn open_to_read(path: &Path) -> io::Result<fs::File> {
    if !fs::metadata(path)?.is_file() {
        return Err(no_file());
    }
    before("read", path)?;
    fs::File::open(path)
}

fn no_file() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, "there is something of this name that is no file")
}

/// What a test wants to go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// The program is gone, as by `kill -9`.
    Kill,
    /// One operation fails.
    Error,
    /// An operation and all later ones that need space fail.
    Full,
    /// Nothing; all operations from one on are told.
    Trace,
}

impl Fault {
    /// Ends the program, or gives the error to end the operation with.
    fn strike(self) -> io::Error {
        match self {
            // Nothing is dropped, flushed or unlocked by us: as the system does it.
            Fault::Kill => std::process::exit(137),
            Fault::Full => ErrorKind::StorageFull.into(),
            Fault::Error | Fault::Trace => io::Error::other("made to fail by SPLASHDOWN_FAULT"),
        }
    }
}

/// The fault, and the number of the operation that it begins with.
static PLAN: LazyLock<Option<(Fault, u64)>> =
    LazyLock::new(|| parse(&std::env::var("SPLASHDOWN_FAULT").ok()?));

/// Operations so far; not counted unless there is a plan.
static DONE: AtomicU64 = AtomicU64::new(0);

fn parse(plan: &str) -> Option<(Fault, u64)> {
    let (fault, number) = plan.split_once(':')?;
    let fault = match fault {
        "kill" => Fault::Kill,
        "error" => Fault::Error,
        "full" => Fault::Full,
        "trace" => Fault::Trace,
        _ => return None,
    };
    Some((fault, number.parse().ok()?))
}

/// What is to go wrong with the operation that comes next, if anything.
fn due(operation: &str, path: &Path) -> Option<Fault> {
    let (fault, first) = (*PLAN)?;
    let number = DONE.fetch_add(1, Ordering::Relaxed) + 1;
    let needs_space = ["create", "make", "write"].contains(&operation);
    let is_due = match fault {
        Fault::Kill | Fault::Error => number == first,
        Fault::Full => number >= first && needs_space,
        Fault::Trace => {
            trace(operation, path, 0);
            false
        }
    };
    if is_due {
        eprintln!("SPLASHDOWN_FAULT at operation {number}: {operation} {}", path.display());
    }
    is_due.then_some(fault)
}

fn before(operation: &str, path: &Path) -> io::Result<()> {
    due(operation, path).map_or(Ok(()), |fault| Err(fault.strike()))
}

/// Tells an operation, and how many bytes it was about.
fn trace(operation: &str, path: &Path, bytes: usize) {
    if let Some((Fault::Trace, first)) = *PLAN
        && DONE.load(Ordering::Relaxed) >= first
    {
        eprintln!("{operation} {} {bytes}", path.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_a_word_and_a_number() {
        assert_eq!(parse("kill:17"), Some((Fault::Kill, 17)));
        assert_eq!(parse("full:1"), Some((Fault::Full, 1)));
        for plan in ["", "1", "kill", "kill:", "kill:x", "Error:1"] {
            assert_eq!(parse(plan), None, "{plan}");
        }
    }

    #[test]
    fn directories_are_made_with_those_above_them() {
        let dir = tempfile::tempdir().unwrap();
        create_directories(&dir.path().join("a/b/c")).unwrap();
        create_directories(&dir.path().join("a/b")).unwrap();
        assert!(dir.path().join("a/b/c").is_dir());
        fs::write(dir.path().join("file"), "").unwrap();
        assert!(create_directories(&dir.path().join("file/d")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn pipes_are_refused_and_nobody_waits_for_them() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(File::create(&pipe).is_err() && File::open(&pipe).is_err());
        assert!(read(&pipe).is_err() && read(dir.path()).is_err());
    }
}
