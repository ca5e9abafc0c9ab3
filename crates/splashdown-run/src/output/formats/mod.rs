//! File formats of frames: one file each, which writes the fluid of a frame and reads it back.
//!
//! [`ALL`] is the one list of them. Scenes (`output.formats`), the command line, the folders of a
//! run and those who read frames all ask it.

pub mod bgeo;
pub mod ply;
pub mod vtk;

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::frame::{Deformed, Points};

/// All formats, in the order of the manual. A new one is a line here and a file beside this one.
pub const ALL: [Format; 3] = [Format::VTK, Format(&bgeo::Bgeo), Format(&ply::Ply)];

/// What a file format of frames can do.
pub trait FrameFormat: Sync {
    /// Its word in scenes; also the folder of its files.
    fn name(&self) -> &'static str;
    /// A sentence about it, for the manual.
    fn meaning(&self) -> &'static str;
    /// How the names of its files end, without the dot.
    fn extension(&self) -> &'static str;
    /// Writes all fluid particles, which are drawn with `radius`, m.
    fn write(&self, out: &mut dyn Write, points: &Points, radius: f64) -> io::Result<()>;
    /// Reads them back, or says what is wrong with the file. Any bytes may come, and none panic.
    fn read(&self, file: &[u8]) -> Result<Points, String>;

    /// Whether positions keep their double precision. Readers prefer formats that do.
    fn is_exact(&self) -> bool {
        true
    }
    /// How its files of the elements of elastic bodies end, if it has such files.
    fn elements_extension(&self) -> Option<&'static str> {
        None
    }
    /// Writes these elements.
    fn write_elements(&self, _out: &mut dyn Write, _bodies: &[Deformed]) -> io::Result<()> {
        Ok(())
    }
    /// Whether lists of all frames with their times belong to it.
    fn has_time_series(&self) -> bool {
        false
    }
}

/// One of the formats in [`ALL`], known by its name.
#[derive(Clone, Copy)]
pub struct Format(&'static dyn FrameFormat);

impl Format {
    /// The usual one. Solids are written in it whatever the format of the fluid is.
    pub const VTK: Format = Format(&vtk::Vtk);

    /// The format of this name.
    pub fn named(name: &str) -> Option<Format> {
        ALL.into_iter().find(|format| format.name() == name)
    }

    /// The file of a frame, relative to the run directory.
    pub fn file(self, what: &str, index: u64) -> String {
        self.path(what, index, self.extension())
    }

    /// The elements of the elastic bodies at a frame, if it has a file for them.
    pub fn elements_file(self, index: u64) -> Option<String> {
        self.elements_extension().map(|extension| self.path(ELEMENTS, index, extension))
    }

    fn path(self, what: &str, index: u64, extension: &str) -> String {
        format!("{}/{what}_{index:06}.{extension}", self.name())
    }

    /// The number of the frame that a file of this name belongs to, if it is one of ours.
    pub fn frame_of(self, name: &str) -> Option<u64> {
        let (stem, extension) = name.rsplit_once('.')?;
        let (what, digits) = stem.rsplit_once('_')?;
        let is_ours = match what {
            FLUID | MOVING => extension == self.extension(),
            ELEMENTS => Some(extension) == self.elements_extension(),
            _ => false,
        };
        digits.parse().ok().filter(|_| is_ours)
    }
}

/// What names of files of frames begin with: fluid particles,
pub const FLUID: &str = "fluid";
/// surfaces of solids that move,
pub const MOVING: &str = "moving";
/// and elements of elastic bodies.
pub const ELEMENTS: &str = "elastic";

impl Deref for Format {
    type Target = dyn FrameFormat;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Format {}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Format {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Format {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Format, D::Error> {
        let name = String::deserialize(deserializer)?;
        Format::named(&name)
            .ok_or_else(|| de::Error::custom(format_args!("there is no format {name:?}")))
    }
}

impl JsonSchema for Format {
    fn schema_name() -> Cow<'static, str> {
        "Format".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let word = |format: Format| {
            let (name, meaning) = (format.name(), format.meaning());
            json_schema!({ "type": "string", "const": name, "description": meaning })
        };
        let words: Vec<Schema> = ALL.into_iter().map(word).collect();
        json_schema!({ "description": "File formats of frames.", "oneOf": words })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::output::testing::small_world;

    #[test]
    fn every_format_reads_what_it_writes() {
        let points = Points::capture(&small_world());
        for format in ALL {
            let mut expected = points.clone();
            if !format.is_exact() {
                expected.position.iter_mut().for_each(|p| *p = p.as_vec3().as_dvec3());
            }
            let mut file = Vec::new();
            format.write(&mut file, &points, 0.05).unwrap();
            assert_eq!(format.read(&file), Ok(expected), "{format:?}");
            assert!(format.read(&file[..file.len() / 2]).is_err(), "{format:?}");
            assert!(format.read(b"").is_err(), "{format:?}");
        }
    }

    #[test]
    fn files_are_known_by_their_names() {
        for format in ALL {
            let name = |path: String| path.rsplit_once('/').unwrap().1.to_owned();
            assert_eq!(format.frame_of(&name(format.file(FLUID, 1_234_567))), Some(1_234_567));
            let elements = format.elements_file(7).map(name);
            assert!(elements.is_none_or(|name| format.frame_of(&name) == Some(7)));
            for other in ["fixed.vtp", "fluid_x.vtp", "mine_000001.ply", "fluid_000001", ""] {
                assert_eq!(format.frame_of(other), None, "{format:?} {other}");
            }
        }
    }

    #[test]
    fn every_file_of_this_folder_is_a_format_and_every_format_is_documented() {
        let names: BTreeSet<&str> = ALL.iter().map(|format| format.name()).collect();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/output/formats");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let files: Vec<String> = files.map(|name| name.into_string().unwrap()).collect();
        let formats: BTreeSet<&str> = files.iter().filter_map(|f| f.strip_suffix(".rs")).collect();
        assert_eq!(&formats - &BTreeSet::from(["mod"]), names);

        let page = include_str!("../../../../../docs/outputs.md");
        let choices: Vec<&str> = ALL.iter().map(|format| format.name()).collect();
        assert!(page.contains(&format!("--format {},none", choices.join(","))));
        let is_frame = |word: &&str| word.contains("/fluid_000000.");
        let separate = |c: char| c.is_whitespace() || c == ',';
        let documented: BTreeSet<&str> = page.split(separate).filter(is_frame).collect();
        let files: Vec<String> = ALL.iter().map(|format| format.file(FLUID, 0)).collect();
        assert_eq!(documented, files.iter().map(String::as_str).collect());
    }
}
