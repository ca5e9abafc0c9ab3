//! PLY files: vertices with positions and perhaps velocities, and faces.

use std::io::Cursor;

use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{
    ElementDef, Encoding, Header, PropertyAccess, PropertyAccessResult, PropertyType, ScalarType,
};

use super::mesh_file::fan;
use super::particle_file::ParticleFile;
use crate::math::DVec3;
use crate::mesh::TriangleMesh;

/// Names of the six numbers of a vertex, with the other names that programs give them.
const NAMES: [&[&str]; 6] = [
    &["x"],
    &["y"],
    &["z"],
    &["vx", "velocity_x", "v_x", "velocity0"],
    &["vy", "velocity_y", "v_y", "velocity1"],
    &["vz", "velocity_z", "v_z", "velocity2"],
];

/// One row of any element: what we look for in vertices and in faces.
#[derive(Default)]
struct Row {
    numbers: [Option<f64>; 6],
    corners: Vec<u32>,
}

impl Row {
    fn set_number(&mut self, name: &str, value: f64) -> PropertyAccessResult {
        match NAMES.iter().position(|names| names.contains(&name)) {
            Some(k) => self.numbers[k] = Some(value),
            None => return PropertyAccessResult::Ignored,
        }
        PropertyAccessResult::Set
    }

    /// A corner that does not fit becomes the largest index, which no mesh has.
    fn set_corners<T: TryInto<u32>>(&mut self, name: &str, value: Vec<T>) -> PropertyAccessResult {
        if name != "vertex_indices" && name != "vertex_index" {
            return PropertyAccessResult::Ignored;
        }
        self.corners = value.into_iter().map(|v| v.try_into().unwrap_or(u32::MAX)).collect();
        PropertyAccessResult::Set
    }

    fn vector(&self, first: usize) -> Option<DVec3> {
        let [x, y, z] = [0, 1, 2].map(|k| self.numbers[first + k]);
        Some(DVec3::new(x?, y?, z?))
    }
}

impl PropertyAccess for Row {
    fn new() -> Row {
        Row::default()
    }
    fn set_char(&mut self, name: &str, value: i8) -> PropertyAccessResult {
        self.set_number(name, value.into())
    }
    fn set_uchar(&mut self, name: &str, value: u8) -> PropertyAccessResult {
        self.set_number(name, value.into())
    }
    fn set_short(&mut self, name: &str, value: i16) -> PropertyAccessResult {
        self.set_number(name, value.into())
    }
    fn set_ushort(&mut self, name: &str, value: u16) -> PropertyAccessResult {
        self.set_number(name, value.into())
    }
    fn set_int(&mut self, name: &str, value: i32) -> PropertyAccessResult {
        self.set_number(name, value.into())
    }
    fn set_uint(&mut self, name: &str, value: u32) -> PropertyAccessResult {
        self.set_number(name, value.into())
    }
    fn set_float(&mut self, name: &str, value: f32) -> PropertyAccessResult {
        self.set_number(name, value.into())
    }
    fn set_double(&mut self, name: &str, value: f64) -> PropertyAccessResult {
        self.set_number(name, value)
    }
    fn set_list_char(&mut self, name: &str, value: Vec<i8>) -> PropertyAccessResult {
        self.set_corners(name, value)
    }
    fn set_list_uchar(&mut self, name: &str, value: Vec<u8>) -> PropertyAccessResult {
        self.set_corners(name, value)
    }
    fn set_list_short(&mut self, name: &str, value: Vec<i16>) -> PropertyAccessResult {
        self.set_corners(name, value)
    }
    fn set_list_ushort(&mut self, name: &str, value: Vec<u16>) -> PropertyAccessResult {
        self.set_corners(name, value)
    }
    fn set_list_int(&mut self, name: &str, value: Vec<i32>) -> PropertyAccessResult {
        self.set_corners(name, value)
    }
    fn set_list_uint(&mut self, name: &str, value: Vec<u32>) -> PropertyAccessResult {
        self.set_corners(name, value)
    }
    fn set_list_float(&mut self, _: &str, _: Vec<f32>) -> PropertyAccessResult {
        PropertyAccessResult::Ignored
    }
    fn set_list_double(&mut self, _: &str, _: Vec<f64>) -> PropertyAccessResult {
        PropertyAccessResult::Ignored
    }
}

/// What a header announces must fit into the bytes that follow it: a row takes room in memory even
/// where it takes none in the file.
fn check_claims(header: &Header, left: usize) -> Result<(), String> {
    let mut claimed: u128 = 0;
    for ElementDef { name, count, properties, .. } in header.elements.values() {
        if *count > 0 && properties.is_empty() {
            return Err(format!("its header has {count} of `{name}`, but no property of them"));
        }
        let row: u128 = properties.values().map(|p| least(&p.data_type, header.encoding)).sum();
        claimed = claimed.saturating_add((*count as u128).saturating_mul(row));
    }
    // The last line of a text need not end.
    if claimed > left as u128 + 1 {
        return Err(format!("its header promises {claimed} bytes or more, but {left} follow it"));
    }
    Ok(())
}

/// The fewest bytes of a property in a row: its number, or the length of its list, which may be
/// empty.
fn least(kind: &PropertyType, encoding: Encoding) -> u128 {
    let (PropertyType::Scalar(number) | PropertyType::List(number, _)) = kind;
    match (encoding, number) {
        (Encoding::Ascii, _) => 2, // a digit, and what separates it from the next
        (_, ScalarType::Char | ScalarType::UChar) => 1,
        (_, ScalarType::Short | ScalarType::UShort) => 2,
        (_, ScalarType::Int | ScalarType::UInt | ScalarType::Float) => 4,
        (_, ScalarType::Double) => 8,
    }
}

/// Positions and velocities of all vertices, and all faces.
fn parse(bytes: &[u8]) -> Result<(ParticleFile, Vec<Vec<u32>>), String> {
    let parser = Parser::<Row>::new();
    let mut reader = Reader::new(Cursor::new(bytes));
    let header = parser.read_header(&mut reader).map_err(|error| error.to_string())?;
    let start = usize::try_from(reader.get_ref().position()).unwrap_or(usize::MAX);
    check_claims(&header, bytes.len().saturating_sub(start))?;
    let payload = parser.read_payload(&mut reader, &header).map_err(|error| error.to_string())?;
    let mut positions = Vec::new();
    let mut velocities = Vec::new();
    let mut faces = Vec::new();
    for (name, rows) in payload {
        match name.as_str() {
            "vertex" | "point" => {
                for row in rows {
                    positions.push(row.vector(0).ok_or("vertices need x, y and z")?);
                    velocities.extend(row.vector(3));
                }
            }
            "face" => faces.extend(rows.into_iter().map(|row| row.corners)),
            _ => {}
        }
    }
    let velocities = (velocities.len() == positions.len()).then_some(velocities);
    Ok((ParticleFile { positions, velocities }, faces))
}

/// A mesh of the faces of a file.
pub(super) fn parse_mesh(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let (points, faces) = parse(bytes)?;
    let triangles = faces.iter().flat_map(|corners| fan(corners)).collect();
    Ok(TriangleMesh { vertices: points.positions, triangles })
}

/// Particles at the vertices of a file.
pub(super) fn parse_particles(bytes: &[u8]) -> Result<ParticleFile, String> {
    parse(bytes).map(|(points, _)| points)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUBE: &str = "element vertex 1\nproperty float x\nproperty float y\nproperty float z\n";

    fn refused(format: &str, elements: &str, rows: &[u8]) -> String {
        let mut file = format!("ply\nformat {format} 1.0\n{elements}end_header\n").into_bytes();
        file.extend(rows);
        parse(&file).err().unwrap_or_else(|| panic!("{format}, {elements} is read"))
    }

    #[test]
    fn rows_that_cost_nothing_in_the_file_are_refused_before_they_cost_memory() {
        for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
            let endless = format!("{CUBE}element face {}\n", u64::MAX);
            let error = refused(format, &endless, b"0 0 0\n0 0 0\n0 0 0\n");
            assert!(error.contains("no property"), "{error}");
        }
    }

    #[test]
    fn a_header_cannot_promise_more_than_the_file_holds() {
        let faces = "property list uchar int vertex_indices\n";
        for count in [4_000_000_000, u64::MAX] {
            for format in ["ascii", "binary_little_endian"] {
                let promise = format!("{CUBE}element face {count}\n{faces}");
                let error = refused(format, &promise, b"0 0 0\n0 0 0\n0 0 0\n");
                assert!(error.contains("its header promises"), "{error}");
            }
        }
        let exact = format!("ply\nformat ascii 1.0\n{CUBE}end_header\n1 2 3");
        assert_eq!(parse(exact.as_bytes()).unwrap().0.positions, [DVec3::new(1.0, 2.0, 3.0)]);
    }
}
