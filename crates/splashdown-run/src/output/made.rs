//! Files that commands make from a run: pictures, films, reports, meshes.
//!
//! Such a file takes the place of what such a command made before, and of nothing else unless the
//! user insists; of files of a run, devices and links never. To tell, every file says that it was
//! made here and how long it was then: one that has been changed since is the user's own.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::error::{At, RunError};
use super::writer::{SURFACES, TIME_SERIES};
use super::{formats, ledger, lock};

/// What stands near the start of a file before its length is known.
pub const MARK: &str = "made by splashdown, 000000000000 bytes";
/// What comes before the twelve digits.
const WORDS: &str = "made by splashdown, ";
/// Marks are looked for in so many bytes at the start and at the end.
const NEAR: usize = 1024;
const NO_FILE: &str =
    "is a device or a pipe, or leads to one, and only whole files are written: name a file";
/// Names that are tried for a file in the making.
const TRIES: usize = 100;

/// Folders of a run that only the run writes to.
pub fn folders() -> impl Iterator<Item = &'static str> {
    formats::ALL.into_iter().map(|format| format.name()).chain([SURFACES, "probes", "snapshots"])
}

/// Files of a run that only the run writes.
const FILES: [&str; 8] = [
    "scene.toml",
    "run.json",
    "log.csv",
    "bodies.csv",
    "elastic.csv",
    ledger::FILE,
    "timing.json",
    lock::FILE,
];

/// The mark of a file of so many bytes.
pub fn mark(length: u64) -> String {
    format!("{WORDS}{length:012} bytes")
}

/// Whether a command may write `path`; if not, the error says why and what to do.
pub fn check(path: &Path, force: bool) -> Result<(), RunError> {
    let refuse = |reason: String| Err(RunError::Directory(format!("{} {reason}", path.display())));
    if path.file_name().is_none() {
        return refuse("is not the name of a file".to_owned());
    }
    if let Some(run) = run_of(path) {
        let reason = format!("belongs to the run in {}: choose another name", run.display());
        return refuse(reason);
    }
    let entry = match fs::symlink_metadata(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
        other => other.at("look at", path)?,
    };
    let leads_to_no_file =
        || fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir());
    if entry.is_symlink() && leads_to_no_file() {
        return refuse(NO_FILE.to_owned());
    }
    if entry.is_symlink() {
        let target = fs::read_link(path).unwrap_or_default();
        let target = target.display();
        return refuse(format!("is a symbolic link to {target}: name the file itself"));
    }
    if entry.is_dir() {
        return refuse("is a directory: choose another name".to_owned());
    }
    if !entry.is_file() {
        return refuse(NO_FILE.to_owned());
    }
    if force || has_mark(path).at("read", path)? {
        return Ok(());
    }
    let reason = "is there already, and was not made by this program or has been changed since: \
                  choose another name, or replace it with --force";
    refuse(reason.to_owned())
}

/// Writes `bytes` as a file that was made from a run. Where they hold a `MARK`, it gets the length.
pub fn write(path: &Path, mut bytes: Vec<u8>, force: bool) -> Result<(), RunError> {
    let mark = mark(bytes.len() as u64);
    let near = bytes.len().min(NEAR);
    if let Some(at) = find(&bytes[..near], MARK.as_bytes()) {
        bytes[at..at + MARK.len()].copy_from_slice(mark.as_bytes());
    }
    let (draft, mut file) = Draft::create(path, force)?;
    file.write_all(&bytes).and_then(|()| file.sync_all()).at("write", path)?;
    draft.publish()
}

/// A file in the making, under another name. Dropped, it leaves nothing behind.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    temporary: PathBuf,
    force: bool,
}

impl Draft {
    /// Starts a file that will be called `path`.
    pub fn create(path: &Path, force: bool) -> Result<(Draft, File), RunError> {
        check(path, force)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        for k in 1..=TRIES {
            let number = if k == 1 { String::new() } else { format!(".{k}") };
            let temporary = path.with_file_name(format!(".{name}{number}.tmp"));
            // Never one that is there: it may be somebody's, or a link to somewhere else.
            match OpenOptions::new().write(true).create_new(true).open(&temporary) {
                Ok(file) => return Ok((Draft { path: path.to_owned(), temporary, force }, file)),
                Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e).at("write", path),
            }
        }
        Err(io::Error::from(ErrorKind::AlreadyExists)).at("find a temporary name for", path)
    }

    /// Where it is until it is complete.
    pub fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Gives the file its name, unless somebody else has taken it meanwhile.
    pub fn publish(self) -> Result<(), RunError> {
        check(&self.path, self.force)?;
        fs::rename(&self.temporary, &self.path).at("write", &self.path)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Gone already if the file has got its name.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// The directory of the run that a path belongs to, whether there is such a file or not.
fn run_of(path: &Path) -> Option<PathBuf> {
    let full = resolved(path)?;
    let belongs = |run: &Path| {
        let inside: Vec<String> = full
            .strip_prefix(run)
            .into_iter()
            .flatten()
            .map(|part| part.to_string_lossy().to_lowercase()) // some file systems do not care
            .collect();
        match &inside[..] {
            [file] => {
                let mut names = FILES.into_iter().chain(TIME_SERIES).chain(folders());
                names.any(|name| name == file)
            }
            [folder, ..] => folders().any(|name| name == folder),
            [] => false,
        }
    };
    let is_run = |directory: &Path| {
        let has = |name: &str| directory.join(name).is_file();
        has("scene.toml") && (has("run.json") || has("log.csv"))
    };
    full.ancestors().skip(1).find(|&run| belongs(run) && is_run(run)).map(Path::to_owned)
}

/// The path without links, as far as its folders exist.
fn resolved(path: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(path).ok()?;
    let folders = absolute.ancestors().skip(1);
    let (folder, real) =
        folders.map(|f| (f, fs::canonicalize(f))).find(|(_, real)| real.is_ok())?;
    Some(real.ok()?.join(absolute.strip_prefix(folder).ok()?))
}

/// Whether a plain file says that it was made here, and is as long as it was.
pub fn is_made(path: &Path) -> bool {
    let is_file = fs::symlink_metadata(path).is_ok_and(|entry| entry.is_file());
    is_file && has_mark(path).unwrap_or(false)
}

fn has_mark(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mark = mark(length);
    let mut near = Vec::new();
    (&file).take(NEAR as u64).read_to_end(&mut near)?;
    if find(&near, mark.as_bytes()).is_some() {
        return Ok(true);
    }
    near.clear();
    file.seek(SeekFrom::Start(length.saturating_sub(NEAR as u64)))?;
    file.take(NEAR as u64).read_to_end(&mut near)?;
    Ok(find(&near, mark.as_bytes()).is_some())
}

fn find(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes.windows(pattern.len()).position(|window| window == pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(words: &str) -> Vec<u8> {
        format!("<!-- {MARK} -->\n{words}\n").into_bytes()
    }

    fn refused(path: &Path, force: bool) -> String {
        write(path, page("new"), force).unwrap_err().to_string()
    }

    #[test]
    fn what_was_made_here_is_replaced_and_what_was_not_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("report.html");
        write(&path, page("first"), false).unwrap();
        let length = fs::metadata(&path).unwrap().len();
        assert!(fs::read_to_string(&path).unwrap().contains(&mark(length)));
        write(&path, page("the second"), false).unwrap();
        assert!(fs::read_to_string(&path).unwrap().contains("the second"));
        // Somebody adds a line, and the file is theirs.
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"my notes\n").unwrap();
        let message = refused(&path, false);
        assert!(message.contains("report.html") && message.contains("--force"), "{message}");
        assert!(fs::read_to_string(&path).unwrap().ends_with("my notes\n"));
        write(&path, page("third"), true).unwrap();
        assert!(fs::read_to_string(&path).unwrap().contains("third"));
        fs::write(dir.path().join("thesis.tex"), "precious").unwrap();
        assert!(check(&dir.path().join("thesis.tex"), false).is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "nothing else is left");
    }

    #[test]
    fn files_of_a_run_are_not_written_even_by_force() {
        let dir = tempfile::tempdir().unwrap();
        let run = dir.path().join("run");
        fs::create_dir_all(run.join("vtk")).unwrap();
        for name in ["scene.toml", "run.json", "log.csv", "vtk/fluid_000000.vtp"] {
            fs::write(run.join(name), "x").unwrap();
        }
        for name in ["scene.toml", "log.csv", ".lock", "frames.csv", "vtk/fluid_000000.vtp"] {
            assert!(refused(&run.join(name), true).contains("belongs to the run"), "{name}");
        }
        for name in ["vtk/new.png", "vtk/../vtk/deep/er/new.png", "snapshots/x", "LOG.CSV", "vtk"] {
            assert!(refused(&run.join(name), true).contains("belongs to the run"), "{name}");
        }
        assert_eq!(fs::read(run.join("log.csv")).unwrap(), b"x");
        fs::create_dir(run.join("meshes")).unwrap();
        for name in ["frame-0001.png", "report.html", "meshes/tank.ply"] {
            write(&run.join(name), page("x"), false).unwrap();
        }
        // Elsewhere such names are names like others.
        write(&dir.path().join("log.csv"), page("x"), false).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_devices_and_pipes_stay_what_they_are() {
        use std::os::unix::fs::{FileTypeExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("target.png");
        fs::write(&target, "precious").unwrap();
        let link = dir.path().join("link.png");
        symlink(&target, &link).unwrap();
        let dangling = dir.path().join("dangling.png");
        symlink("nowhere.png", &dangling).unwrap();
        let null = dir.path().join("null.png");
        symlink("/dev/null", &null).unwrap();
        let pipe = dir.path().join("pipe.png");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for force in [false, true] {
            assert!(refused(&link, force).contains("symbolic link to"));
            assert!(refused(&dangling, force).contains("nowhere.png"));
            assert!(refused(&pipe, force).contains("device or a pipe"));
            assert!(refused(Path::new("/dev/null"), force).contains("device or a pipe"));
            assert!(refused(&null, force).contains("leads to one"), "as /dev/stdout may");
            assert!(refused(dir.path(), force).contains("directory"));
        }
        assert_eq!(fs::read(&target).unwrap(), b"precious");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
        // Nor does a link at the temporary name lead anywhere.
        symlink(&target, dir.path().join(".new.png.tmp")).unwrap();
        write(&dir.path().join("new.png"), page("x"), false).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"precious");
        assert!(dir.path().join(".new.png.tmp").is_symlink());
    }

    #[test]
    fn a_draft_that_is_given_up_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("film.gif");
        let (draft, _) = Draft::create(&path, false).unwrap();
        drop(draft);
        let (draft, mut file) = Draft::create(&path, false).unwrap();
        file.write_all(b"GIF").unwrap();
        fs::write(&path, "somebody was faster").unwrap();
        assert!(draft.publish().is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        assert_eq!(fs::read(&path).unwrap(), b"somebody was faster");
    }
}
