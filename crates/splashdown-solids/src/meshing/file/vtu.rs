//! VTK XML unstructured grids: one piece, arrays as text or as raw appended data without
//! compression.

use glam::DVec3;

use super::vtk::{split, tetrahedra};
use super::{MeshFileError, Raw};

pub(super) fn parse(bytes: &[u8]) -> Result<Raw, MeshFileError> {
    let file = File::new(bytes)?;
    let places = file.array("Points", None)?.reals()?;
    let whole = |name: &str| file.array("Cells", Some(name))?.wholes();
    let (connectivity, ends, types) = (whole("connectivity")?, whole("offsets")?, whole("types")?);
    let indices = |all: Vec<u64>| -> Vec<usize> {
        all.into_iter().map(|v| usize::try_from(v).unwrap_or(usize::MAX)).collect()
    };
    let mut offsets = vec![0];
    offsets.extend(indices(ends));
    let cells = split(&indices(connectivity), &offsets)?;
    let vertices = places.chunks_exact(3).map(DVec3::from_slice).collect();
    Ok(Raw { vertices, tetrahedra: tetrahedra(&cells, &types)? })
}

struct File<'a> {
    /// Everything before the appended data.
    head: &'a str,
    appended: &'a [u8],
    little: bool,
    /// Bytes of the number before each appended array.
    header: usize,
}

/// One array: its type and where its values are.
struct Array<'a> {
    name: String,
    kind: String,
    values: Values<'a>,
    little: bool,
}

enum Values<'a> {
    Text(&'a str),
    Raw(&'a [u8]),
}

fn wrong<T>(what: impl Into<String>) -> Result<T, MeshFileError> {
    Err(MeshFileError::Content(what.into()))
}

impl<'a> File<'a> {
    fn new(bytes: &'a [u8]) -> Result<File<'a>, MeshFileError> {
        let tag = b"<AppendedData";
        let end = bytes.windows(tag.len()).position(|w| w == tag).unwrap_or(bytes.len());
        let Ok(head) = std::str::from_utf8(&bytes[..end]) else {
            return wrong("it is not text");
        };
        let Some(file) = element(head, "VTKFile") else {
            return wrong("it has no <VTKFile>: not a VTK XML file");
        };
        if attribute(file, "type") != Some("UnstructuredGrid") {
            return wrong("its type is not UnstructuredGrid");
        }
        if attribute(file, "compressor").is_some() {
            return wrong("it is compressed; write it without compression");
        }
        let rest = &bytes[end..];
        let mut appended = &rest[rest.len()..];
        if let Some(close) = rest.iter().position(|&b| b == b'>') {
            let open = String::from_utf8_lossy(&rest[..close]);
            if attribute(&open, "encoding") != Some("raw") {
                return wrong("its appended data is not raw; write it raw or as ASCII");
            }
            let start = rest[close..].iter().position(|&b| b == b'_').map(|k| close + k + 1);
            appended = &rest[start.unwrap_or(rest.len())..];
        }
        Ok(File {
            head,
            appended,
            little: attribute(file, "byte_order") != Some("BigEndian"),
            header: if attribute(file, "header_type") == Some("UInt64") { 8 } else { 4 },
        })
    }

    /// The array `name` of a section; the first one if there is no name.
    fn array(&self, section: &str, name: Option<&str>) -> Result<Array<'a>, MeshFileError> {
        let (open, close) = (format!("<{section}>"), format!("</{section}>"));
        let inside = self.head.find(&open).and_then(|start| {
            let rest = &self.head[start..];
            Some(&rest[..rest.find(&close)?])
        });
        let Some(mut inside) = inside else { return wrong(format!("it has no {open}")) };
        let label = name.unwrap_or("the first").to_owned();
        while let Some(tag) = element(inside, "DataArray") {
            let after = tag.as_ptr() as usize - inside.as_ptr() as usize + tag.len();
            inside = &inside[after..];
            if name.is_some() && attribute(tag, "Name") != name {
                continue;
            }
            let name = format!("{section}, array {label}");
            let Some(kind) = attribute(tag, "type") else {
                return wrong(format!("{name}: no type"));
            };
            let values = match attribute(tag, "format") {
                Some("ascii") => {
                    let text = inside.split_once('>').map_or("", |(_, rest)| rest);
                    Values::Text(text.split('<').next().unwrap_or_default())
                }
                Some("appended") => Values::Raw(self.block(tag, &name)?),
                _ => return wrong(format!("{name}: neither ascii nor appended")),
            };
            return Ok(Array { name, kind: kind.to_owned(), values, little: self.little });
        }
        wrong(format!("{section} lacks the array {label}"))
    }

    fn block(&self, tag: &str, name: &str) -> Result<&'a [u8], MeshFileError> {
        let offset = attribute(tag, "offset").and_then(|o| o.parse::<usize>().ok());
        let block = offset.and_then(|offset| {
            let rest = self.appended.get(offset..)?;
            let size = number(rest.get(..self.header)?, self.little);
            rest[self.header..].get(..usize::try_from(size).ok()?)
        });
        block.map_or_else(|| wrong(format!("{name}: ends too early")), Ok)
    }
}

impl Array<'_> {
    fn values<T>(
        &self,
        parse: impl Fn(&str) -> Option<T>,
        decode: impl Fn(&[u8]) -> Option<T>,
        size: usize,
    ) -> Result<Vec<T>, MeshFileError> {
        let bad = || MeshFileError::Content(format!("{}: a value is not a number", self.name));
        match self.values {
            Values::Text(text) => {
                text.split_whitespace().map(|w| parse(w).ok_or_else(bad)).collect()
            }
            Values::Raw(bytes) => {
                bytes.chunks_exact(size).map(|b| decode(b).ok_or_else(bad)).collect()
            }
        }
    }

    fn reals(&self) -> Result<Vec<f64>, MeshFileError> {
        let bits = |b: &[u8]| number(b, self.little);
        let parse = |w: &str| w.parse().ok();
        match self.kind.as_str() {
            "Float64" => self.values(parse, |b| Some(f64::from_bits(bits(b))), 8),
            "Float32" => self.values(parse, |b| Some(f32::from_bits(bits(b) as u32).into()), 4),
            kind => wrong(format!("{}: {kind} is not Float32 or Float64", self.name)),
        }
    }

    fn wholes(&self) -> Result<Vec<u64>, MeshFileError> {
        let size = match self.kind.as_str() {
            "Int8" | "UInt8" => 1,
            "Int16" | "UInt16" => 2,
            "Int32" | "UInt32" => 4,
            "Int64" | "UInt64" => 8,
            kind => return wrong(format!("{}: {kind} is not a whole number", self.name)),
        };
        self.values(|w| w.parse().ok(), |b| Some(number(b, self.little)), size)
    }
}

/// An unsigned number of up to eight bytes.
fn number(bytes: &[u8], little: bool) -> u64 {
    let join = |sum: u64, b: &u8| sum << 8 | u64::from(*b);
    if little { bytes.iter().rev().fold(0, join) } else { bytes.iter().fold(0, join) }
}

/// What stands between `<name` and the next `>`.
fn element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let start = text.find(&format!("<{name} "))? + name.len() + 1;
    let length = text[start..].find('>')?;
    Some(&text[start..start + length])
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    let length = tag[start..].find('"')?;
    Some(&tag[start..start + length])
}
