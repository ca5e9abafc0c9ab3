//! `frames.csv`: every file of every frame with its length and checksum, so that a resumed run sees
//! what is lost or was changed.

use std::path::{Path, PathBuf};

use super::disk;
use super::error::{At, RunError};
use super::table::{self, Cell, Extent, Table};

/// Its name in the run directory.
pub const FILE: &str = "frames.csv";

const COLUMNS: [&str; 5] = ["frame", "t", "file", "bytes", "crc32"];

/// The table of frame files, under construction.
#[derive(Debug)]
pub struct Ledger {
    directory: PathBuf,
    table: Table,
    /// How many columns it has: tables of earlier versions have no checksums.
    columns: usize,
}

/// A file of a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Number of the frame.
    pub frame: u64,
    /// Relative to the run directory; empty if the run writes no frames.
    pub file: String,
    /// Length of the file, bytes.
    pub bytes: u64,
    /// CRC-32 of its content; runs of earlier versions have none.
    pub crc32: Option<u32>,
}

impl Ledger {
    /// Starts the table in a run directory.
    pub fn create(directory: &Path) -> Result<Ledger, RunError> {
        let table = Table::create(&directory.join(FILE), &COLUMNS)?;
        Ok(Ledger { directory: directory.to_owned(), table, columns: COLUMNS.len() })
    }

    /// Opens the table of an earlier run and forgets everything after `extent`.
    pub fn reopen(directory: &Path, extent: Extent) -> Result<Ledger, RunError> {
        let path = directory.join(FILE);
        let text = disk::read_text(&path).at("read", &path)?;
        let columns = text.lines().next().map_or(COLUMNS.len(), |line| line.split(',').count());
        let table = Table::reopen(&path, extent)?;
        Ok(Ledger { directory: directory.to_owned(), table, columns })
    }

    /// Adds the files of a frame, which have been written.
    pub fn add(&mut self, frame: u64, time: f64, files: &[String]) -> Result<(), RunError> {
        if files.is_empty() {
            self.row(frame, time, "", [0, 0])?;
        }
        for file in files {
            let path = self.directory.join(file);
            let bytes = std::fs::metadata(&path).at("look at", &path)?.len();
            let crc32 = table::checksum(&path, bytes).at("read", &path)?;
            self.row(frame, time, file, [bytes, crc32.into()])?;
        }
        self.table.flush()
    }

    fn row(&mut self, frame: u64, time: f64, file: &str, sums: [u64; 2]) -> Result<(), RunError> {
        let [bytes, crc32] = sums.map(Cell::Integer);
        let cells = [Cell::Integer(frame), Cell::Real(time), Cell::Text(file), bytes, crc32];
        self.table.row(&cells[..self.columns.min(cells.len())])
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
        let (frame, file, bytes, crc32) = match cells[..] {
            [frame, _, file, bytes] => (frame, file, bytes, None),
            [frame, _, file, bytes, crc32] => (frame, file, bytes, Some(crc32.parse().ok()?)),
            _ => return None,
        };
        let (frame, bytes) = (frame.parse().ok()?, bytes.parse().ok()?);
        Some(Row { frame, file: file.to_owned(), bytes, crc32 })
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
        let row = |frame, file: &str, bytes, crc32| Row {
            frame,
            file: file.to_owned(),
            bytes,
            crc32: Some(crc32),
        };
        let sum = crc32fast::hash(b"12345");
        assert_eq!(parse(&text).unwrap(), [row(0, "a.ply", 5, sum), row(1, "", 0, 0)]);
        assert_eq!(parse("header\n0,0.0,x\n").unwrap_err(), "line 2 makes no sense");
    }

    #[test]
    fn a_table_of_an_earlier_version_keeps_its_columns() {
        let dir = tempfile::tempdir().unwrap();
        let old = "frame,t,file,bytes\n0,0.0,a.ply,5\n";
        std::fs::write(dir.path().join(FILE), old).unwrap();
        std::fs::write(dir.path().join("b.ply"), "123").unwrap();
        let extent = Extent { bytes: old.len() as u64, crc32: crc32fast::hash(old.as_bytes()) };
        let mut ledger = Ledger::reopen(dir.path(), extent).unwrap();
        ledger.add(1, 0.1, &["b.ply".to_owned()]).unwrap();
        let text = std::fs::read_to_string(dir.path().join(FILE)).unwrap();
        assert_eq!(text, format!("{old}1,0.1,b.ply,3\n"));
        assert!(parse(&text).unwrap().iter().all(|row| row.crc32.is_none()));
    }
}
