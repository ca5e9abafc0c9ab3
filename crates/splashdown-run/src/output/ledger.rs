//! `frames.csv`: every file of every frame with its length, so that a resumed run sees what is
//! lost.

use std::path::{Path, PathBuf};

use super::error::{At, RunError};
use super::table::{Cell, Extent, Table};

/// Its name in the run directory.
pub const FILE: &str = "frames.csv";

const COLUMNS: [&str; 4] = ["frame", "t", "file", "bytes"];

/// The table of frame files, under construction.
#[derive(Debug)]
pub struct Ledger {
    directory: PathBuf,
    table: Table,
}

/// A file of a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Number of the frame.
    pub frame: u64,
    /// Relative to the run directory; empty if the run writes no frames.
    pub file: String,
    /// Its length.
    pub bytes: u64,
}

impl Ledger {
    /// Starts the table in a run directory.
    pub fn create(directory: &Path) -> Result<Ledger, RunError> {
        let table = Table::create(&directory.join(FILE), &COLUMNS)?;
        Ok(Ledger { directory: directory.to_owned(), table })
    }

    /// Opens the table of an earlier run and forgets everything after `extent`.
    pub fn reopen(directory: &Path, extent: Extent) -> Result<Ledger, RunError> {
        let table = Table::reopen(&directory.join(FILE), extent)?;
        Ok(Ledger { directory: directory.to_owned(), table })
    }

    /// Adds the files of a frame, which have been written.
    pub fn add(&mut self, frame: u64, time: f64, files: &[String]) -> Result<(), RunError> {
        let start = [Cell::Integer(frame), Cell::Real(time)];
        if files.is_empty() {
            self.table.row(&[start[0], start[1], Cell::Text(""), Cell::Integer(0)])?;
        }
        for file in files {
            let path = self.directory.join(file);
            let bytes = std::fs::metadata(&path).at("look at", &path)?.len();
            self.table.row(&[start[0], start[1], Cell::Text(file), Cell::Integer(bytes)])?;
        }
        self.table.flush()
    }

    /// Makes all rows survive a power cut, and tells how far they go.
    pub fn sync(&mut self) -> Result<Extent, RunError> {
        self.table.sync()
    }
}

/// The rows of the table, or the line that is none. Names of frame files need no quotes.
pub fn parse(text: &str) -> Result<Vec<Row>, String> {
    let parse_row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let [frame, _, file, bytes] = cells[..] else { return None };
        Some(Row { frame: frame.parse().ok()?, file: file.to_owned(), bytes: bytes.parse().ok()? })
    };
    let lines = text.lines().enumerate().skip(1);
    lines.map(|(k, line)| parse_row(line).ok_or(format!("line {} makes no sense", k + 1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_frame_read_back_with_their_lengths() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.ply"), "12345").unwrap();
        let mut ledger = Ledger::create(dir.path()).unwrap();
        ledger.add(0, 0.0, &["a.ply".to_owned()]).unwrap();
        ledger.add(1, 0.1, &[]).unwrap();
        assert!(ledger.add(2, 0.2, &["gone.ply".to_owned()]).is_err());
        let text = std::fs::read_to_string(dir.path().join(FILE)).unwrap();
        let row = |frame, file: &str, bytes| Row { frame, file: file.to_owned(), bytes };
        assert_eq!(parse(&text).unwrap(), [row(0, "a.ply", 5), row(1, "", 0)]);
        assert_eq!(parse("header\n0,0.0,x\n").unwrap_err(), "line 2 makes no sense");
    }
}
