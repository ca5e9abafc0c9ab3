//! The files of a run, and no others.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A directory that files may be read from.
#[derive(Clone, Debug)]
pub struct Folder {
    /// Without symbolic links, so that what is below it can be told from what is not.
    root: PathBuf,
}

impl Folder {
    /// The directory itself may be a symbolic link: its user named it.
    pub fn new(directory: &Path) -> io::Result<Folder> {
        Ok(Folder { root: fs::canonicalize(directory)? })
    }

    /// Path of the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A file of the directory. None if there is none of this name, if it is not a plain file, or
    /// if a symbolic link leads out of the directory.
    pub fn file(&self, name: &str) -> Option<PathBuf> {
        let path = fs::canonicalize(self.root.join(name)).ok()?;
        (path.starts_with(&self.root) && path.is_file()).then_some(path)
    }

    /// Names of the files in a folder of the directory, sorted; those that `file` would refuse are
    /// left out.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.root.join(folder)) else { return Vec::new() };
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| self.file(&format!("{folder}/{name}")).is_some())
            .collect();
        names.sort_unstable();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_files_inside_are_found() {
        let outside = tempfile::tempdir().unwrap();
        let secret = outside.path().join("secret");
        fs::write(&secret, "x").unwrap();
        let inside = tempfile::tempdir_in(outside.path()).unwrap();
        fs::create_dir(inside.path().join("probes")).unwrap();
        fs::write(inside.path().join("probes/a.csv"), "t\n").unwrap();
        let folder = Folder::new(inside.path()).unwrap();
        assert!(folder.file("probes/a.csv").is_some());
        for name in ["../secret", "probes/../../secret", "probes", "", ".", "missing"] {
            assert_eq!(folder.file(name), None, "{name}");
        }
        assert_eq!(folder.file(&secret.display().to_string()), None);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&secret, inside.path().join("probes/b.csv")).unwrap();
            std::os::unix::fs::symlink("a.csv", inside.path().join("probes/c.csv")).unwrap();
            assert_eq!(folder.file("probes/b.csv"), None);
            assert_eq!(folder.names("probes"), ["a.csv", "c.csv"]);
        }
    }
}
