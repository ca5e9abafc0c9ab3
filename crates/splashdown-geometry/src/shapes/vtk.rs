//! Legacy VTK files (`.vtk`, text or binary, versions up to 5.1): points and their velocities.
//!
//! Only what particles need is kept; cells and other arrays are stepped over. Counts are compared
//! with the bytes that are left before anything is stored.

use super::particle_file::ParticleFile;
use crate::math::DVec3;

/// Reads the points, and velocities from a point array `v`, `vel` or `velocity`.
pub(super) fn parse(bytes: &[u8]) -> Result<ParticleFile, String> {
    let mut from = Scanner { rest: bytes, binary: false };
    let magic = from.line().unwrap_or_default();
    if !magic.starts_with("# vtk DataFile Version") {
        return Err("not a legacy VTK file".into());
    }
    from.line(); // a title
    match from.line().unwrap_or_default().trim().to_ascii_uppercase().as_str() {
        "ASCII" => {}
        "BINARY" => from.binary = true,
        other => return Err(format!("third line: expected ASCII or BINARY, got '{other}'")),
    }
    let mut file = ParticleFile::default();
    let mut section = Section { in_points: false, count: 0, cells: [0; 2] };
    let is_new = magic.contains("Version 5");
    while let Some(line) = from.full_line() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if !section.read(&words, is_new, &mut from, &mut file)? {
            break;
        }
    }
    if file.velocities.as_ref().is_some_and(|v| v.len() != file.positions.len()) {
        return Err("the velocities are not as many as the points".into());
    }
    Ok(file)
}

/// Which data the following arrays belong to.
struct Section {
    in_points: bool,
    count: usize,
    /// Sizes of the two arrays that describe cells since version 5.
    cells: [usize; 2],
}

impl Section {
    /// Reads what a keyword announces. False if the keyword is unknown.
    fn read(
        &mut self,
        words: &[&str],
        is_new: bool,
        from: &mut Scanner,
        file: &mut ParticleFile,
    ) -> Result<bool, String> {
        let word = |k: usize| words.get(k).copied().unwrap_or_default();
        let count = |k: usize| {
            word(k)
                .parse::<usize>()
                .map_err(|_| format!("'{}' is not a count in '{}'", word(k), words.join(" ")))
        };
        match word(0).to_ascii_uppercase().as_str() {
            "DATASET" | "DIMENSIONS" | "ORIGIN" | "SPACING" | "ASPECT_RATIO" => {}
            "POINTS" => file.positions = from.vectors(count(1)?, word(2))?,
            "VERTICES" | "LINES" | "POLYGONS" | "TRIANGLE_STRIPS" | "CELLS" if is_new => {
                self.cells = [count(1)?, count(2)?];
            }
            "VERTICES" | "LINES" | "POLYGONS" | "TRIANGLE_STRIPS" | "CELLS" => {
                from.skip(count(2)?, 1, "int")?;
            }
            "OFFSETS" => from.skip(self.cells[0], 1, word(1))?,
            "CONNECTIVITY" => from.skip(self.cells[1], 1, word(1))?,
            "CELL_TYPES" => from.skip(count(1)?, 1, "int")?,
            "POINT_DATA" => (self.in_points, self.count) = (true, count(1)?),
            "CELL_DATA" => (self.in_points, self.count) = (false, count(1)?),
            "VECTORS" | "NORMALS" => self.array(word(1), 3, self.count, word(2), from, file)?,
            "TENSORS" => from.skip(self.count, 9, word(2))?,
            "TEXTURE_COORDINATES" => from.skip(self.count, count(2)?, word(3))?,
            "GLOBAL_IDS" | "PEDIGREE_IDS" => from.skip(self.count, 1, word(2))?,
            "SCALARS" => {
                let components = if words.len() > 3 { count(3)? } else { 1 };
                from.skip_line_beginning_with("LOOKUP_TABLE");
                from.skip(self.count, components, word(2))?;
            }
            "COLOR_SCALARS" => {
                from.skip(
                    self.count,
                    count(2)?,
                    if from.binary { "unsigned_char" } else { "float" },
                )?;
            }
            "LOOKUP_TABLE" => {
                from.skip(count(2)?, 4, if from.binary { "unsigned_char" } else { "float" })?;
            }
            "FIELD" => {
                for _ in 0..count(2)? {
                    let line = from.full_line().ok_or("it ends inside a field")?;
                    let head: Vec<&str> = line.split_whitespace().collect();
                    if head.first().is_some_and(|w| w.eq_ignore_ascii_case("METADATA")) {
                        from.skip_until_blank_line();
                        continue;
                    }
                    let [name, size, tuples, kind] = head[..] else {
                        return Err(format!("'{line}' does not describe an array"));
                    };
                    let number = |w: &str| w.parse().map_err(|_| format!("'{w}' is not a count"));
                    self.array(name, number(size)?, number(tuples)?, kind, from, file)?;
                }
            }
            "METADATA" => from.skip_until_blank_line(),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn array(
        &self,
        name: &str,
        size: usize,
        tuples: usize,
        kind: &str,
        from: &mut Scanner,
        file: &mut ParticleFile,
    ) -> Result<(), String> {
        let is_velocity = ["v", "vel", "velocity"].contains(&name.to_lowercase().as_str());
        if is_velocity && size == 3 && self.in_points {
            file.velocities = Some(from.vectors(tuples, kind)?);
            Ok(())
        } else {
            from.skip(tuples, size, kind)
        }
    }
}

struct Scanner<'a> {
    rest: &'a [u8],
    binary: bool,
}

impl Scanner<'_> {
    /// The next line, without its end.
    fn line(&mut self) -> Option<String> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.iter().position(|&b| b == b'\n').unwrap_or(self.rest.len());
        // Keywords are short; a long "line" is binary data that was not announced.
        let line = String::from_utf8_lossy(&self.rest[..end.min(1000)]).trim().to_owned();
        self.rest = &self.rest[(end + 1).min(self.rest.len())..];
        Some(line)
    }

    /// The next line that is not blank.
    fn full_line(&mut self) -> Option<String> {
        loop {
            let line = self.line()?;
            if !line.is_empty() {
                return Some(line);
            }
        }
    }

    fn skip_line_beginning_with(&mut self, word: &str) {
        let before = self.rest;
        if !self.full_line().is_some_and(|line| line.starts_with(word)) {
            self.rest = before;
        }
    }

    fn skip_until_blank_line(&mut self) {
        while self.line().is_some_and(|line| !line.is_empty()) {}
    }

    fn skip(&mut self, tuples: usize, size: usize, kind: &str) -> Result<(), String> {
        self.numbers(tuples, size, kind, |_| {})
    }

    fn vectors(&mut self, count: usize, kind: &str) -> Result<Vec<DVec3>, String> {
        let mut numbers = Vec::new();
        self.numbers(count, 3, kind, |x| numbers.push(x))?;
        Ok(numbers.chunks_exact(3).map(DVec3::from_slice).collect())
    }

    /// Takes `tuples` times `size` numbers of a type off the front.
    fn numbers(
        &mut self,
        tuples: usize,
        size: usize,
        kind: &str,
        mut take: impl FnMut(f64),
    ) -> Result<(), String> {
        let kind = kind.to_ascii_lowercase();
        let width = match kind.as_str() {
            "char" | "unsigned_char" => 1,
            "short" | "unsigned_short" => 2,
            "int" | "unsigned_int" | "float" | "vtkidtype" => 4,
            "double" | "long" | "unsigned_long" | "vtktypeint64" => 8,
            _ => return Err(format!("arrays of type '{kind}' are not supported")),
        };
        let count = tuples.checked_mul(size).ok_or("an array is too large")?;
        let too_short = || format!("it ends inside an array of {count} numbers");
        if !self.binary {
            for _ in 0..count {
                let text = self.word().ok_or_else(too_short)?;
                take(text.parse().map_err(|_| format!("'{text}' is not a number"))?);
            }
            return Ok(());
        }
        let length =
            count.checked_mul(width).filter(|&n| n <= self.rest.len()).ok_or_else(too_short)?;
        let (data, rest) = self.rest.split_at(length);
        self.rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        for bytes in data.chunks_exact(width) {
            // Integers are only ever stepped over; positions and velocities are float or double.
            take(match (kind.as_str(), bytes) {
                ("float", &[a, b, c, d]) => f32::from_be_bytes([a, b, c, d]).into(),
                ("double", bytes) => bytes.try_into().map_or(f64::NAN, f64::from_be_bytes),
                (_, &[a, b, c, d]) => i32::from_be_bytes([a, b, c, d]).into(),
                _ => f64::NAN,
            });
        }
        Ok(())
    }

    /// The next word of text.
    fn word(&mut self) -> Option<String> {
        let start = self.rest.iter().position(|b| !b.is_ascii_whitespace())?;
        let rest = &self.rest[start..];
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.rest = &rest[end..];
        Some(String::from_utf8_lossy(&rest[..end.min(100)]).into_owned())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use vtkio::model::{
        Attribute, Attributes, ByteOrder, DataSet, PolyDataPiece, Version, VertexNumbers, Vtk,
    };

    /// Written by the library that also writes our frames.
    pub(crate) fn write(file: &ParticleFile, binary: bool) -> Vec<u8> {
        let flat =
            |vectors: &[DVec3]| -> Vec<f64> { vectors.iter().flat_map(|v| v.to_array()).collect() };
        let count = file.positions.len() as u32;
        let velocity =
            Attribute::vectors("velocity").with_data(flat(file.velocities.as_ref().unwrap()));
        let id = Attribute::scalars("id", 1).with_data((0..count as i32).collect::<Vec<i32>>());
        let piece = PolyDataPiece {
            points: flat(&file.positions).into(),
            verts: Some(VertexNumbers::Legacy {
                num_cells: count,
                vertices: (0..count).flat_map(|k| [1, k]).collect(),
            }),
            data: Attributes { point: vec![id, velocity], cell: vec![] },
            ..Default::default()
        };
        let vtk = Vtk {
            version: Version::new_legacy(4, 2),
            title: "drops".into(),
            byte_order: ByteOrder::BigEndian,
            data: DataSet::inline(piece),
            file_path: None,
        };
        if binary {
            let mut bytes = Vec::new();
            vtk.write_legacy(&mut bytes).unwrap();
            bytes
        } else {
            let mut text = String::new();
            vtk.write_legacy_ascii(&mut text).unwrap();
            text.into_bytes()
        }
    }

    #[test]
    fn version_5_files_with_fields_and_metadata_are_read() {
        let text = "# vtk DataFile Version 5.1\nvtk output\nASCII\nDATASET POLYDATA\nPOINTS 2 \
                    float\n\
                    0 0 0 1 2 3\nMETADATA\nINFORMATION 0\n\nVERTICES 3 2\nOFFSETS vtktypeint64\n0 \
                    1 2\n\
                    CONNECTIVITY vtktypeint64\n0 1\nPOINT_DATA 2\nFIELD FieldData 2\nid 1 2 int\n7 \
                    8\n\
                    velocity 3 2 double\n1 0 0\n0 1 0\nMETADATA\nINFORMATION 0\n\n";
        let file = parse(text.as_bytes()).unwrap();
        assert_eq!(file.positions, [DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0)]);
        assert_eq!(file.velocities, Some(vec![DVec3::X, DVec3::Y]));
    }

    #[test]
    fn huge_counts_are_not_believed() {
        for kind in ["ASCII", "BINARY"] {
            for count in ["99999999999", "18446744073709551615", "-1"] {
                let text = format!(
                    "# vtk DataFile Version 3.0\nt\n{kind}\nDATASET POLYDATA\nPOINTS {count} \
                     float\n1 2 3"
                );
                assert!(parse(text.as_bytes()).is_err());
            }
        }
    }
}
