//! What is missing or damaged of the files that a run wrote before a snapshot.
//!
//! A snapshot knows the length and the checksum of every table, and one of the tables,
//! `frames.csv`, knows every file of every frame. A run that goes on from a snapshot writes none of
//! these again.

use std::fmt;
use std::fs;
use std::io::Read;
use std::path::{Component, Path};

use rayon::prelude::*;

use super::ledger::{self, Row};
use super::snapshot::Snapshot;
use super::{disk, table};

/// How many files a message names.
const NAMED: usize = 6;
/// The content of so many bytes of frames is looked at, of the newest first: some seconds of
/// reading.
const LOOKED_AT: u64 = 2 << 30;

/// What is missing or damaged, as sentences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Damage {
    /// Tables; without them a run cannot go on.
    pub tables: Vec<String>,
    /// Frames.
    pub frames: Vec<String>,
}

impl Damage {
    /// Compares the files in a run directory with what a snapshot knows of them: their lengths, and
    /// the content of tables and of the newest frames, or of all if that is `thorough`.
    pub(super) fn of(directory: &Path, snapshot: &Snapshot, thorough: bool) -> Damage {
        let mut damage = Damage::default();
        for (file, &bytes) in &snapshot.metadata.files {
            let crc32 = snapshot.metadata.checksums.get(file).copied();
            damage.tables.extend(table_damage(&directory.join(file), bytes, crc32));
        }
        if let (true, Ok(rows)) = (damage.tables.is_empty(), frames(directory, snapshot)) {
            let mut left = if thorough { u64::MAX } else { LOOKED_AT };
            let with_content = rows.iter().rev().take_while(|row| {
                let fits = row.bytes <= left;
                left = left.saturating_sub(row.bytes);
                fits
            });
            let from = rows.len() - with_content.count();
            let look = |(k, row)| frame_damage(directory, row, k >= from);
            let lost: Vec<String> = rows.par_iter().enumerate().filter_map(look).collect();
            damage.frames.extend(lost);
        }
        damage
    }

    /// Whether nothing is missing.
    pub(super) fn is_none(&self) -> bool {
        self.tables.is_empty() && self.frames.is_empty()
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.tables.len() + self.frames.len();
        for sentence in self.tables.iter().chain(&self.frames).take(NAMED) {
            writeln!(f, "  {sentence}")?;
        }
        if all > NAMED { writeln!(f, "  and {} more", all - NAMED) } else { Ok(()) }
    }
}

/// The frames that were written before a snapshot; empty if it does not know, an error if their
/// table is damaged.
pub(super) fn frames(directory: &Path, snapshot: &Snapshot) -> Result<Vec<Row>, String> {
    let Some(&bytes) = snapshot.metadata.files.get(ledger::FILE) else { return Ok(Vec::new()) };
    let mut text = String::new();
    let file = disk::open_to_read(&directory.join(ledger::FILE)).map_err(|e| e.to_string())?;
    file.take(bytes).read_to_string(&mut text).map_err(|e| e.to_string())?;
    if snapshot.metadata.checksums.get(ledger::FILE) != Some(&crc32fast::hash(text.as_bytes())) {
        return Err("its checksum is wrong".to_owned());
    }
    ledger::parse(&text)
}

/// A snapshot that lies might name files outside of the run, or devices that never end.
pub(super) fn is_inside(file: &str) -> bool {
    Path::new(file).components().all(|part| matches!(part, Component::Normal(_)))
}

fn table_damage(path: &Path, bytes: u64, crc32: Option<u32>) -> Option<String> {
    let sentence = match fs::metadata(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => "is missing".to_owned(),
        Err(e) => format!("cannot be read: {e}"),
        Ok(there) if !there.is_file() => "is no file".to_owned(),
        Ok(there) if there.len() < bytes => format!("has {} of {bytes} bytes", there.len()),
        Ok(_) => match (table::checksum(path, bytes), crc32) {
            (Err(e), _) => format!("cannot be read: {e}"),
            (Ok(found), Some(expected)) if found != expected => "has been changed".to_owned(),
            _ => return None,
        },
    };
    Some(format!("{} {sentence}", path.display()))
}

fn frame_damage(directory: &Path, row: &Row, with_content: bool) -> Option<String> {
    if row.file.is_empty() {
        return None;
    }
    let path = directory.join(&row.file);
    let sentence = match fs::metadata(&path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => "is missing".to_owned(),
        Err(e) => format!("cannot be read: {e}"),
        Ok(there) if !there.is_file() => "is no file".to_owned(),
        Ok(there) if there.len() != row.bytes => {
            format!("has {} bytes, it had {}", there.len(), row.bytes)
        }
        Ok(_) => match row.crc32.filter(|_| with_content) {
            None => return None,
            Some(crc32) => match table::checksum(&path, row.bytes) {
                Ok(found) if found == crc32 => return None,
                Ok(_) => "has been changed".to_owned(),
                Err(e) => format!("cannot be read: {e}"),
            },
        },
    };
    Some(format!("{} {sentence}", path.display()))
}
