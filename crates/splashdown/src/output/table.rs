//! CSV files that grow by rows and know their length in bytes.
//!
//! The length is what a snapshot remembers: a resumed run cuts the file there and goes on.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::error::{At, RunError};

/// Rows are collected up to this many bytes before they go to the system.
const BUFFER: usize = 1 << 16;

/// A CSV file under construction.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    file: File,
    /// Bytes that are in the file.
    written: u64,
    /// Rows that are not.
    buffer: String,
}

/// One value of a row.
#[derive(Clone, Copy, Debug)]
pub enum Cell<'a> {
    /// Quoted where commas or quotes make it necessary.
    Text(&'a str),
    /// The shortest digits that read back as the same number.
    Real(f64),
    /// A count.
    Integer(u64),
}

impl Table {
    /// Creates or empties the file and writes its header.
    pub fn create(path: &Path, columns: &[&str]) -> Result<Table, RunError> {
        let file = File::create(path).at("create", path)?;
        let mut table = Table { path: path.to_owned(), file, written: 0, buffer: String::new() };
        table.buffer = columns.join(",") + "\n";
        table.flush()?;
        Ok(table)
    }

    /// Opens a file that an earlier run wrote and forgets everything after `bytes`.
    pub fn reopen(path: &Path, bytes: u64) -> Result<Table, RunError> {
        let mut file = OpenOptions::new().write(true).open(path).at("open", path)?;
        file.set_len(bytes).at("shorten", path)?;
        file.seek(SeekFrom::End(0)).at("shorten", path)?;
        Ok(Table { path: path.to_owned(), file, written: bytes, buffer: String::new() })
    }

    /// Appends a row.
    pub fn row(&mut self, cells: &[Cell]) -> Result<(), RunError> {
        for (k, cell) in cells.iter().enumerate() {
            if k > 0 {
                self.buffer.push(',');
            }
            // Writing to a String cannot fail.
            let _ = match cell {
                Cell::Text(text) => push_text(&mut self.buffer, text),
                Cell::Real(x) => write!(self.buffer, "{x:?}"),
                Cell::Integer(n) => write!(self.buffer, "{n}"),
            };
        }
        self.buffer.push('\n');
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    /// Length of the table with all its rows.
    pub fn bytes(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// Where the table is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Hands all rows to the system, so that others can read them.
    pub fn flush(&mut self) -> Result<(), RunError> {
        let result = self.file.write_all(self.buffer.as_bytes());
        if result.is_err() {
            // On a full disk a part of a row may have been written: take it back.
            let _ = self.file.set_len(self.written);
            let _ = self.file.seek(SeekFrom::Start(self.written));
            return result.at("write", &self.path);
        }
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Makes all rows survive a power cut.
    pub fn sync(&mut self) -> Result<(), RunError> {
        self.flush()?;
        self.file.sync_data().at("write", &self.path)
    }
}

fn push_text(buffer: &mut String, text: &str) -> std::fmt::Result {
    if text.contains([',', '"', '\n', '\r']) {
        write!(buffer, "\"{}\"", text.replace('"', "\"\""))
    } else {
        buffer.write_str(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_bit_by_bit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.csv");
        let values = [0.1 + 0.2, -0.0, 1e-310, f64::MAX, 1.0 / 3.0, 5.0];
        let mut table = Table::create(&path, &["x"]).unwrap();
        for x in values {
            table.row(&[Cell::Real(x)]).unwrap();
        }
        table.flush().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.len() as u64, table.bytes());
        let read: Vec<u64> =
            text.lines().skip(1).map(|l| l.parse::<f64>().unwrap().to_bits()).collect();
        assert_eq!(read, values.map(f64::to_bits));
    }

    #[test]
    fn a_reopened_table_forgets_what_came_later() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.csv");
        let mut table = Table::create(&path, &["name", "n"]).unwrap();
        table.row(&[Cell::Text("a,\"b\""), Cell::Integer(1)]).unwrap();
        let bytes = table.bytes();
        table.row(&[Cell::Text("later"), Cell::Integer(2)]).unwrap();
        table.sync().unwrap();
        drop(table);
        let mut table = Table::reopen(&path, bytes).unwrap();
        table.row(&[Cell::Text("again"), Cell::Integer(3)]).unwrap();
        table.flush().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "name,n\n\"a,\"\"b\"\"\",1\nagain,3\n");
    }
}
