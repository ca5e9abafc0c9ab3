//! CSV files that grow by rows and know their length in bytes.
//!
//! Length and checksum are what a snapshot remembers: a resumed run sees whether the file still is
//! what it was, cuts it there and goes on.

use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::disk::{self, File};
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
    /// Checksum of these.
    checksum: crc32fast::Hasher,
    /// Rows that are not.
    buffer: String,
}

/// How far a table went at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Length of the file, bytes.
    pub bytes: u64,
    /// CRC-32 of so many bytes.
    pub crc32: u32,
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
    /// Creates or empties the file and writes its header. The name survives a power cut.
    pub fn create(path: &Path, columns: &[&str]) -> Result<Table, RunError> {
        let file = File::create(path).at("create", path)?;
        let mut table = Table::of(path, file, Extent { bytes: 0, crc32: 0 });
        table.buffer = columns.join(",") + "\n";
        table.flush()?;
        disk::sync_entry(path).at("create", path)?;
        Ok(table)
    }

    /// Opens a file that an earlier run wrote and forgets everything after `extent`.
    pub fn reopen(path: &Path, extent: Extent) -> Result<Table, RunError> {
        let mut file = File::open(path).at("open", path)?;
        file.cut(extent.bytes).at("shorten", path)?;
        Ok(Table::of(path, file, extent))
    }

    fn of(path: &Path, file: File, extent: Extent) -> Table {
        let checksum = crc32fast::Hasher::new_with_initial_len(extent.crc32, extent.bytes);
        let (path, written) = (path.to_owned(), extent.bytes);
        Table { path, file, written, checksum, buffer: String::new() }
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

    /// Where the table is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Hands all rows to the system, so that others can read them.
    pub fn flush(&mut self) -> Result<(), RunError> {
        let result = self.file.write_all(self.buffer.as_bytes());
        if result.is_err() {
            // On a full disk a part of a row may have been written: take it back.
            let _ = self.file.cut(self.written);
            return result.at("write", &self.path);
        }
        self.written += self.buffer.len() as u64;
        self.checksum.update(self.buffer.as_bytes());
        self.buffer.clear();
        Ok(())
    }

    /// Makes all rows survive a power cut, and tells how far they go.
    pub fn sync(&mut self) -> Result<Extent, RunError> {
        self.flush()?;
        self.file.sync().at("write", &self.path)?;
        Ok(Extent { bytes: self.written, crc32: self.checksum.clone().finalize() })
    }
}

/// CRC-32 of the first `bytes` bytes of a file, or an error if it has fewer.
pub fn checksum(path: &Path, bytes: u64) -> io::Result<u32> {
    let mut file = disk::open_to_read(path)?;
    let mut hasher = crc32fast::Hasher::new();
    let mut block = vec![0; BUFFER];
    let mut left = bytes;
    while left > 0 {
        let size = left.min(BUFFER as u64) as usize;
        file.read_exact(&mut block[..size])?;
        hasher.update(&block[..size]);
        left -= size as u64;
    }
    Ok(hasher.finalize())
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
        let Extent { bytes, crc32 } = table.sync().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!((text.len() as u64, checksum(&path, bytes).unwrap()), (bytes, crc32));
        assert!(checksum(&path, bytes + 1).is_err());
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
        let extent = table.sync().unwrap();
        table.row(&[Cell::Text("later"), Cell::Integer(2)]).unwrap();
        table.sync().unwrap();
        drop(table);
        let mut table = Table::reopen(&path, extent).unwrap();
        table.row(&[Cell::Text("again"), Cell::Integer(3)]).unwrap();
        let Extent { bytes, crc32 } = table.sync().unwrap();
        assert_eq!(checksum(&path, bytes).unwrap(), crc32);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "name,n\n\"a,\"\"b\"\"\",1\nagain,3\n");
    }
}
