//! The `.pvd` files: every frame with its time and files, in the order in which ParaView plays
//! them.
//!
//! A list grows in place, by one write that puts the new entry and the closing lines over the old
//! closing lines; writing all of it for every frame would cost the square of the frames. A run that
//! is killed leaves a list that ends with one frame or the next. Should a power cut leave something
//! else, it lasts until the run is resumed, which writes the lists anew, whole or not at all.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::atomic;
use super::disk::File;
use super::error::{At, RunError};
use super::formats::vtk::byte_order;

/// What every list ends with.
const END: &str = "  </Collection>\n</VTKFile>\n";

/// The files of a frame, in the order of their parts.
pub(super) type Files = Box<dyn Fn(u64) -> Vec<String> + Send>;

/// A list of frames on disk.
pub(super) struct Collection {
    path: PathBuf,
    frames_per_second: f64,
    files: Files,
    /// Length of the file as we left it.
    length: u64,
}

impl Collection {
    /// Writes a list of the first `frames` frames.
    pub(super) fn create(
        path: &Path,
        frames: u64,
        frames_per_second: f64,
        files: Files,
    ) -> Result<Collection, RunError> {
        let path = path.to_owned();
        let mut collection = Collection { path, frames_per_second, files, length: 0 };
        collection.write(frames)?;
        Ok(collection)
    }

    /// Adds frame `index`, which comes after all those in the list.
    pub(super) fn add(&mut self, index: u64) -> Result<(), RunError> {
        let entry = self.entry(index);
        if self.extend(&entry).at("write", &self.path)? {
            self.length += entry.len() as u64;
            return Ok(());
        }
        // Somebody has removed or changed it.
        self.write(index + 1)
    }

    /// Puts an entry before the closing lines, unless the file is not as we left it.
    fn extend(&self, entry: &str) -> io::Result<bool> {
        let Ok(mut file) = File::open(&self.path) else { return Ok(false) };
        if file.length()? != self.length {
            return Ok(false);
        }
        let end = self.length - END.len() as u64;
        file.seek(end)?;
        if let Err(error) = file.write_all(format!("{entry}{END}").as_bytes()) {
            // On a full disk a part of it may have been written: take it back.
            let _ = file.cut(end).and_then(|()| file.write_all(END.as_bytes()));
            return Err(error);
        }
        file.sync()?;
        Ok(true)
    }

    fn write(&mut self, frames: u64) -> Result<(), RunError> {
        let mut text = String::from("<?xml version=\"1.0\"?>\n");
        let order = byte_order();
        let _ =
            writeln!(text, "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"{order}\">");
        text.push_str("  <Collection>\n");
        (0..frames).for_each(|frame| text.push_str(&self.entry(frame)));
        text.push_str(END);
        self.length = text.len() as u64;
        atomic::write_bytes(&self.path, text.as_bytes())
    }

    fn entry(&self, frame: u64) -> String {
        let time = frame as f64 / self.frames_per_second;
        let mut text = String::new();
        for (part, file) in (self.files)(frame).iter().enumerate() {
            let _ = writeln!(
                text,
                "    <DataSet timestep=\"{time:?}\" group=\"\" part=\"{part}\" file=\"{file}\"/>"
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn list(path: &Path, frames: u64) -> Collection {
        let files = |k: u64| vec![format!("vtk/fluid_{k}.vtp"), "vtk/fixed.vtp".to_owned()];
        Collection::create(path, frames, 10.0, Box::new(files)).unwrap()
    }

    #[test]
    fn a_list_that_grew_is_the_one_that_is_written_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let (grown, whole) = (dir.path().join("grown.pvd"), dir.path().join("whole.pvd"));
        let mut collection = list(&grown, 0);
        for frames in 1..=12 {
            collection.add(frames - 1).unwrap();
            list(&whole, frames);
            assert_eq!(fs::read(&grown).unwrap(), fs::read(&whole).unwrap());
        }
        let text = fs::read_to_string(&grown).unwrap();
        assert!(text.contains("timestep=\"0.2\" group=\"\" part=\"0\" file=\"vtk/fluid_2.vtp\""));
        assert_eq!(text.matches("<DataSet").count(), 24);
    }

    #[test]
    fn a_list_that_somebody_removed_or_changed_is_whole_again_with_the_next_frame() {
        let dir = tempfile::tempdir().unwrap();
        let (path, whole) = (dir.path().join("a.pvd"), dir.path().join("whole.pvd"));
        let mut collection = list(&path, 0);
        list(&whole, 3);
        for damage in [None, Some("x")] {
            collection.write(2).unwrap();
            match damage {
                None => fs::remove_file(&path).unwrap(),
                Some(text) => fs::write(&path, text).unwrap(),
            }
            collection.add(2).unwrap();
            assert_eq!(fs::read(&path).unwrap(), fs::read(&whole).unwrap());
        }
    }
}
