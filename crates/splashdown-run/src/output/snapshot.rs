//! Snapshots: a State in a file that is whole or refused.
//!
//! ```text
//! "SPLASHDN" · crc32 of all that follows · format version · length of the rest · safetensors
//! ```
//! The rest is a plain safetensors file (offset 24): arrays by name, and one metadata entry
//! `splashdown` with the numbers and what is needed to continue a run, as JSON. Integers are
//! little-endian. Nothing in it depends on the machine, so equal states give equal files.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use serde::{Deserialize, Serialize};

use super::atomic;
use super::disk;
use super::error::{At, RunError};
use super::table::{self, Extent};
use crate::math::DVec3;
use crate::state::{Array, State};

const MAGIC: &[u8; 8] = b"SPLASHDN";
const VERSION: u32 = 1;
const HEADER: usize = 24;
/// The one metadata key: with several, their order in the file would be random.
const METADATA_KEY: &str = "splashdown";

/// A state and where a run was with its outputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Everything of the world that changes, and what is being summed up for the next frame.
    pub state: State,
    /// Scene, version and time of the run.
    pub metadata: Metadata,
}

/// What a run needs besides the state to continue its outputs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metadata {
    /// Version of Splashdown that wrote it.
    pub version: String,
    /// Name of the scene.
    pub scene_name: String,
    /// The effective scene.
    pub scene: String,
    /// The next frame to be written.
    pub next_frame: u64,
    /// Length in bytes of every growing file, relative to the run directory.
    pub files: BTreeMap<String, u64>,
    /// CRC-32 of so many bytes of each of them.
    #[serde(default)]
    pub checksums: BTreeMap<String, u32>,
}

impl Metadata {
    /// Notes how far a growing file goes.
    pub fn remember(&mut self, file: &str, extent: Extent) {
        self.files.insert(file.to_owned(), extent.bytes);
        self.checksums.insert(file.to_owned(), extent.crc32);
    }

    /// How far a growing file of the run in `directory` went, if the snapshot knows it.
    pub fn extent(&self, directory: &Path, file: &str) -> Result<Option<Extent>, RunError> {
        let Some(&bytes) = self.files.get(file) else { return Ok(None) };
        let crc32 = match self.checksums.get(file) {
            Some(&crc32) => crc32,
            None => {
                let path = directory.join(file);
                table::checksum(&path, bytes).at("read", &path)?
            }
        };
        Ok(Some(Extent { bytes, crc32 }))
    }
}

/// Why a snapshot was taken, which decides how long it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Every so many frames; the newest few are kept.
    Regular,
    /// Because the run stopped, at its end or before. Removed by the next one of any kind, so that
    /// an interrupted run leaves the same files behind as an uninterrupted one.
    Stop,
}

/// A snapshot file, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Steps done.
    pub step: u64,
    /// Why it was taken.
    pub kind: Kind,
    /// Path of the file.
    pub path: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    metadata: Metadata,
    numbers: BTreeMap<String, u64>,
}

/// The bytes of a snapshot file.
pub fn encode(snapshot: &Snapshot) -> Result<Vec<u8>, String> {
    let Snapshot { state, metadata } = snapshot;
    let stored = Stored { metadata: metadata.clone(), numbers: state.numbers.clone() };
    let json = serde_json::to_string(&stored).map_err(|e| e.to_string())?;
    let mut tensors = Vec::with_capacity(state.arrays.len());
    for (name, array) in &state.arrays {
        let (kind, shape, bytes): (_, _, &[u8]) = match array {
            Array::Vectors(v) => (Dtype::F64, vec![v.len(), 3], bytemuck::cast_slice(v)),
            Array::F64(v) => (Dtype::F64, vec![v.len()], bytemuck::cast_slice(v)),
            Array::F32(v) => (Dtype::F32, vec![v.len()], bytemuck::cast_slice(v)),
            Array::U32(v) => (Dtype::U32, vec![v.len()], bytemuck::cast_slice(v)),
        };
        let view = TensorView::new(kind, shape, bytes).map_err(|e| e.to_string())?;
        tensors.push((name.as_str(), view));
    }
    let metadata = HashMap::from([(METADATA_KEY.to_owned(), json)]);
    let payload = serialize(tensors, Some(metadata)).map_err(|e| e.to_string())?;

    let mut file = Vec::with_capacity(HEADER + payload.len());
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&[0; 4]);
    file.extend_from_slice(&VERSION.to_le_bytes());
    file.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    file.extend_from_slice(&payload);
    let crc = crc32fast::hash(&file[12..]);
    file[8..12].copy_from_slice(&crc.to_le_bytes());
    Ok(file)
}

/// Reads a snapshot file back, or says what is wrong with it.
pub fn decode(file: &[u8]) -> Result<Snapshot, String> {
    let header = file.first_chunk().ok_or("it is cut off")?;
    check_header(header, file.len() as u64)?;
    if crc32fast::hash(&file[12..]) != word(header, 8) {
        return Err("its checksum is wrong".to_owned());
    }
    if word(header, 12) != VERSION {
        let version = word(header, 12);
        return Err(format!("its format is version {version}, this program reads {VERSION}"));
    }
    decode_payload(&file[HEADER..])
}

/// Whether a file of this length that begins like this can be a snapshot.
fn check_header(header: &[u8; HEADER], file: u64) -> Result<(), String> {
    if &header[..8] != MAGIC {
        return Err("it is not a snapshot".to_owned());
    }
    let length = u64::from(word(header, 16)) | u64::from(word(header, 20)) << 32;
    match file.saturating_sub(HEADER as u64) {
        there if there < length => Err(format!("it is cut off: {there} of {length} bytes")),
        there if there > length => {
            Err(format!("it is too long: {there} instead of {length} bytes"))
        }
        _ => Ok(()),
    }
}

fn word(header: &[u8; HEADER], at: usize) -> u32 {
    u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
}

fn decode_payload(payload: &[u8]) -> Result<Snapshot, String> {
    let (_, header) = SafeTensors::read_metadata(payload).map_err(|e| e.to_string())?;
    let json = header.metadata().as_ref().and_then(|m| m.get(METADATA_KEY));
    let json = json.ok_or("it has no metadata")?;
    let stored: Stored = serde_json::from_str(json).map_err(|e| e.to_string())?;
    let tensors = SafeTensors::deserialize(payload).map_err(|e| e.to_string())?;
    let mut arrays = BTreeMap::new();
    for (name, tensor) in tensors.iter() {
        let data = tensor.data();
        let array = match (tensor.dtype(), tensor.shape()) {
            (Dtype::F64, [_, 3]) => Array::Vectors(collect::<DVec3>(data)),
            (Dtype::F64, [_]) => Array::F64(collect(data)),
            (Dtype::F32, [_]) => Array::F32(collect(data)),
            (Dtype::U32, [_]) => Array::U32(collect(data)),
            (kind, shape) => return Err(format!("{name} is an unexpected {kind:?} {shape:?}")),
        };
        arrays.insert(name.to_owned(), array);
    }
    Ok(Snapshot { state: State { arrays, numbers: stored.numbers }, metadata: stored.metadata })
}

fn collect<T: bytemuck::AnyBitPattern>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
}

/// Name of a snapshot file.
pub fn file_name(kind: Kind, step: u64) -> String {
    match kind {
        Kind::Regular => format!("step-{step:09}.snapshot"),
        Kind::Stop => format!("stop-{step:09}.snapshot"),
    }
}

/// All snapshots in a directory, newest first, and whatever else has the name of one. None if there
/// is no such directory.
pub fn list(directory: &Path) -> Result<Vec<Entry>, RunError> {
    let entries = match fs::read_dir(directory) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.at("list", directory)?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.at("list", directory)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(stem) = name.strip_suffix(".snapshot") else { continue };
        let (kind, digits) = match stem.split_once('-') {
            Some(("step", digits)) => (Kind::Regular, digits),
            Some(("stop", digits)) => (Kind::Stop, digits),
            _ => continue,
        };
        if let Ok(step) = digits.parse() {
            found.push(Entry { step, kind, path });
        }
    }
    found.sort_by_key(|e| (std::cmp::Reverse(e.step), e.kind == Kind::Stop));
    Ok(found)
}

impl Entry {
    /// What has the name of a snapshot and cannot be one: a pipe that nobody writes to would keep
    /// its reader for ever, and a link leads who knows where.
    fn is_no_file(&self) -> Option<&'static str> {
        let kind = match fs::symlink_metadata(&self.path) {
            Ok(there) => there.file_type(),
            Err(_) => return None, // reading says why
        };
        match kind {
            kind if kind.is_file() => None,
            kind if kind.is_symlink() => Some("it is a link"),
            kind if kind.is_dir() => Some("it is a directory"),
            _ => Some("it is a pipe or a device"),
        }
    }

    /// Reads it, and refuses what is not whole or is not what its name says.
    pub fn load(&self) -> Result<Snapshot, String> {
        if let Some(reason) = self.is_no_file() {
            return Err(reason.to_owned());
        }
        let snapshot = decode(&self.read()?)?;
        match snapshot.state.numbers.get("clock.step") {
            Some(&step) if step == self.step => Ok(snapshot),
            Some(step) => Err(format!("it is of step {step}, and its name says {}", self.step)),
            None => Err("it does not know its step".to_owned()),
        }
    }

    /// Its bytes, unless its first few say that they are no snapshot: what is not one may be huge.
    fn read(&self) -> Result<Vec<u8>, String> {
        let cannot = |e: std::io::Error| format!("it cannot be read: {e}");
        let mut file = disk::open_to_read(&self.path).map_err(cannot)?;
        let length = file.metadata().map_err(cannot)?.len();
        let mut header = [0; HEADER];
        file.read_exact(&mut header).map_err(|_| "it is cut off")?;
        check_header(&header, length)?;
        let mut bytes = header.to_vec();
        file.read_to_end(&mut bytes).map_err(cannot)?;
        Ok(bytes)
    }

    /// Removes it. What has its name and is no file stays: it is not ours.
    pub fn remove(&self) -> Result<(), RunError> {
        match self.is_no_file() {
            Some(_) => Ok(()),
            None => disk::remove_file(&self.path).at("remove", &self.path),
        }
    }
}

/// Writes a snapshot atomically and removes those that are no longer needed.
pub fn write(
    directory: &Path,
    kind: Kind,
    step: u64,
    snapshot: &Snapshot,
    kept: usize,
) -> Result<PathBuf, RunError> {
    let path = directory.join(file_name(kind, step));
    let bytes = encode(snapshot).map_err(std::io::Error::other).at("write", &path)?;
    atomic::write_bytes(&path, &bytes)?;
    // Never fewer than two: if the newest turns out to be unreadable, the one before is used.
    let mut regular = 0;
    for entry in list(directory)?.iter().filter(|entry| entry.is_no_file().is_none()) {
        regular += usize::from(entry.kind == Kind::Regular);
        let superseded = match entry.kind {
            Kind::Regular => regular > kept.max(2),
            Kind::Stop => entry.path != path,
        };
        if superseded {
            entry.remove()?;
        }
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::testing::small_world;
    use proptest::prelude::*;

    fn sample(step: u64) -> Snapshot {
        let mut world = small_world();
        world.clock.step = step;
        let files = BTreeMap::from([("log.csv".to_owned(), 12)]);
        let metadata =
            Metadata { scene: "a = 1\n".to_owned(), next_frame: 4, files, ..Default::default() };
        Snapshot { state: world.export_state(), metadata }
    }

    #[test]
    fn a_snapshot_reads_back_as_it_was_and_always_has_the_same_bytes() {
        let snapshot = sample(7);
        let bytes = encode(&snapshot).unwrap();
        assert_eq!(decode(&bytes).unwrap(), snapshot);
        assert_eq!(encode(&snapshot).unwrap(), bytes);
        assert!(SafeTensors::deserialize(&bytes[HEADER..]).is_ok());
    }

    #[test]
    fn any_flipped_byte_and_any_cut_is_noticed() {
        let bytes = encode(&sample(7)).unwrap();
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 1 << (at % 8);
            assert!(decode(&bad).is_err(), "flip at {at}");
            assert!(decode(&bytes[..at]).is_err(), "cut at {at}");
        }
        assert!(decode(&[bytes.as_slice(), &[0]].concat()).is_err());
    }

    #[test]
    fn a_damaged_snapshot_is_refused_and_the_one_before_is_there() {
        let dir = tempfile::tempdir().unwrap();
        for step in [1, 2, 3] {
            write(dir.path(), Kind::Regular, step, &sample(step), 3).unwrap();
        }
        let newest = dir.path().join(file_name(Kind::Regular, 3));
        let bytes = fs::read(&newest).unwrap();
        fs::write(&newest, &bytes[..bytes.len() / 2]).unwrap();
        let [first, second, _] = &list(dir.path()).unwrap()[..] else { panic!() };
        assert!(first.load().unwrap_err().contains("cut off"));
        assert_eq!(second.load().unwrap(), sample(2));
    }

    #[test]
    fn a_snapshot_of_another_step_than_its_name_says_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), Kind::Stop, 9, &sample(3), 2).unwrap();
        let reason = list(dir.path()).unwrap()[0].load().unwrap_err();
        assert!(reason.contains("step 3") && reason.contains('9'), "{reason}");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_neither_read_nor_removed() {
        let dir = tempfile::tempdir().unwrap();
        let path = |step| dir.path().join(file_name(Kind::Stop, step));
        assert!(std::process::Command::new("mkfifo").arg(path(9)).status().unwrap().success());
        std::os::unix::fs::symlink("/dev/zero", path(8)).unwrap();
        fs::create_dir(path(7)).unwrap();
        write(dir.path(), Kind::Stop, 6, &sample(6), 2).unwrap();
        // And what is a file, but far too large to be read.
        fs::File::create(path(5)).unwrap().set_len(1 << 40).unwrap();
        let reasons: Vec<_> = list(dir.path()).unwrap().iter().map(|e| e.load()).collect();
        let expected = ["it is a pipe or a device", "it is a link", "it is a directory"];
        for (reason, expected) in reasons.iter().zip(expected) {
            assert_eq!(reason, &Err(expected.to_owned()));
        }
        assert_eq!(reasons[3], Ok(sample(6)));
        assert_eq!(reasons[4], Err("it is not a snapshot".to_owned()));
    }

    #[test]
    fn only_the_newest_are_kept_and_stops_only_until_the_next_one() {
        let dir = tempfile::tempdir().unwrap();
        for step in 1..=3 {
            write(dir.path(), Kind::Regular, step, &sample(step), 2).unwrap();
        }
        write(dir.path(), Kind::Stop, 4, &sample(4), 2).unwrap();
        let steps = || list(dir.path()).unwrap().iter().map(|e| e.step).collect::<Vec<_>>();
        assert_eq!(steps(), [4, 3, 2]);
        write(dir.path(), Kind::Stop, 5, &sample(5), 2).unwrap();
        assert_eq!(steps(), [5, 3, 2]);
        write(dir.path(), Kind::Regular, 6, &sample(6), 2).unwrap();
        assert_eq!(steps(), [6, 3]);
    }

    proptest! {
        /// A payload with a right checksum but arbitrary content must still be refused calmly.
        #[test]
        fn hostile_payloads_never_panic(mut at in 24usize..2000, byte: u8, cut in 0usize..200) {
            let mut bytes = encode(&sample(1)).unwrap();
            at = at.min(bytes.len() - 1);
            bytes[at] = byte;
            bytes.truncate(bytes.len() - cut);
            let length = (bytes.len() - HEADER) as u64;
            bytes[16..24].copy_from_slice(&length.to_le_bytes());
            let crc = crc32fast::hash(&bytes[12..]);
            bytes[8..12].copy_from_slice(&crc.to_le_bytes());
            if let Ok(snapshot) = decode(&bytes) {
                let _ = small_world().import_state(&snapshot.state);
            }
        }
    }
}
