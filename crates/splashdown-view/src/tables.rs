//! The tables of a run, as they grow.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use crate::folder::Folder;

/// Most bytes of a table in one answer.
const CHUNK: u64 = 4 << 20;

/// A table of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFile {
    /// For requests and headings: `log`, `bodies`, or `probe/NAME`.
    pub name: String,
    /// Relative to the run directory.
    pub file: String,
    /// Its length by now.
    pub bytes: u64,
}

/// The tables there are.
pub fn list(folder: &Folder) -> Vec<TableFile> {
    let probes = folder.names("probes").into_iter().filter_map(|name| {
        let stem = name.strip_suffix(".csv")?.to_owned();
        Some((format!("probe/{stem}"), format!("probes/{name}")))
    });
    let fixed = ["log", "bodies"].map(|name| (name.to_owned(), format!("{name}.csv")));
    let table = |(name, file): (String, String)| {
        let bytes = folder.file(&file)?.metadata().ok()?.len();
        Some(TableFile { name, file, bytes })
    };
    fixed.into_iter().chain(probes).filter_map(table).collect()
}

/// Whole lines of a table from byte `from` on, as many as fit into one answer.
pub fn lines(folder: &Folder, table: &TableFile, from: u64) -> Option<Vec<u8>> {
    let mut file = File::open(folder.file(&table.file)?).ok()?;
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    file.take(CHUNK).read_to_end(&mut bytes).ok()?;
    // The last row may be in the making.
    let end = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |k| k + 1);
    bytes.truncate(end);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_given_by_whole_lines_from_any_place() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("probes")).unwrap();
        std::fs::write(directory.path().join("log.csv"), "t,x\n0,1\n1,2\n2,").unwrap();
        std::fs::write(directory.path().join("probes/é.csv"), "t\n").unwrap();
        std::fs::write(directory.path().join("probes/notes.txt"), "t\n").unwrap();
        let folder = Folder::new(directory.path()).unwrap();
        let tables = list(&folder);
        let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        assert_eq!(names, ["log", "probe/é"]);
        let read = |from| String::from_utf8(lines(&folder, &tables[0], from).unwrap()).unwrap();
        assert_eq!(read(0), "t,x\n0,1\n1,2\n");
        assert_eq!(read(8), "1,2\n");
        assert_eq!(read(1000), "");
    }
}
