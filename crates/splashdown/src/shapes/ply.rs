//! PLY files: vertices with positions and perhaps velocities, and faces.

use std::io::Cursor;

use ply_rs_bw::parser::Parser;
use ply_rs_bw::ply::{PropertyAccess, PropertyAccessResult};

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

/// Positions and velocities of all vertices, and all faces.
fn parse(bytes: &[u8]) -> Result<(ParticleFile, Vec<Vec<u32>>), String> {
    let file = Parser::<Row>::new()
        .read_ply(&mut Cursor::new(bytes))
        .map_err(|error| error.to_string())?;
    let mut positions = Vec::new();
    let mut velocities = Vec::new();
    let mut faces = Vec::new();
    for (name, rows) in file.payload {
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
pub fn parse_mesh(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let (points, faces) = parse(bytes)?;
    let triangles = faces.iter().flat_map(|corners| fan(corners)).collect();
    Ok(TriangleMesh { vertices: points.positions, triangles })
}

/// Particles at the vertices of a file.
pub fn parse_particles(bytes: &[u8]) -> Result<ParticleFile, String> {
    parse(bytes).map(|(points, _)| points)
}
