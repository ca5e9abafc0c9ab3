//! Reads the `.vtp` files that `splashdown_run::output::vtk` writes: one piece, appended raw arrays.
//!
//! Any other bytes give an error, never a panic: frames may come from a full disk or another program.

use splashdown_geometry::math::DVec3;
use splashdown_run::output::frame::Points;

/// Triangles and loose points of all bodies in a file, each with the index of its body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyFile {
    /// m
    pub vertices: Vec<DVec3>,
    /// Three corners, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Index of the solid of each triangle.
    pub body_of_triangle: Vec<u32>,
    /// Vertices that are shown as points, for bodies without triangles.
    pub points: Vec<u32>,
    /// Index of the solid of each point.
    pub body_of_point: Vec<u32>,
}

/// Reads the particles of a frame.
pub fn read_points(file: &[u8]) -> Result<Points, String> {
    let file = File::parse(file)?;
    let points = Points {
        position: file.array("Points", "position", "Float64", 3)?,
        velocity: file.array("PointData", "velocity", "Float32", 3)?,
        pressure: file.array("PointData", "pressure", "Float32", 1)?,
        density: file.array("PointData", "density", "Float32", 1)?,
        id: file.array("PointData", "id", "UInt32", 1)?,
        fluid: file.array("PointData", "fluid", "UInt32", 1)?,
    };
    let n = file.count("NumberOfPoints")?;
    let lengths = [
        points.position.len(),
        points.velocity.len(),
        points.pressure.len(),
        points.density.len(),
        points.id.len(),
        points.fluid.len(),
    ];
    match lengths.iter().find(|&&length| length != n) {
        Some(length) => Err(format!("an array has {length} instead of {n} entries")),
        None => Ok(points),
    }
}

/// Reads the surfaces of bodies.
pub fn read_bodies(file: &[u8]) -> Result<BodyFile, String> {
    let file = File::parse(file)?;
    let vertices: Vec<DVec3> = file.array("Points", "position", "Float64", 3)?;
    let points: Vec<u32> = file.array("Verts", "connectivity", "Int32", 1)?;
    let corners: Vec<u32> = file.array("Polys", "connectivity", "Int32", 1)?;
    let mut body_of_point: Vec<u32> = file.array("CellData", "body", "UInt32", 1)?;
    // A negative index becomes a large one: one test finds both.
    if let Some(v) = points.iter().chain(&corners).find(|&&v| v as usize >= vertices.len()) {
        return Err(format!("refers to vertex {v} of {}", vertices.len()));
    }
    if body_of_point.len() != points.len() + corners.len() / 3 || !corners.len().is_multiple_of(3) {
        return Err("the numbers of cells and of their bodies differ".to_owned());
    }
    let body_of_triangle = body_of_point.split_off(points.len());
    let triangles = corners.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect();
    Ok(BodyFile { vertices, triangles, body_of_triangle, points, body_of_point })
}

/// The XML part of a file, and the bytes its arrays are in.
struct File<'a> {
    xml: &'a str,
    data: &'a [u8],
}

impl<'a> File<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Self, String> {
        const MARK: &[u8] = b"<AppendedData encoding=\"raw\">";
        // The header of our files is about 2 kB; nothing is gained by searching a gigabyte.
        let head = &bytes[..bytes.len().min(1 << 16)];
        let mark = find(head, MARK).ok_or("is not a VTK file with raw appended data")?;
        let xml = std::str::from_utf8(&head[..mark]).map_err(|_| "has a header that is no text")?;
        for part in ["type=\"PolyData\"", "byte_order=\"LittleEndian\"", "header_type=\"UInt64\""] {
            if !xml.contains(part) {
                return Err(format!("has no {part}"));
            }
        }
        let rest = &bytes[mark + MARK.len()..];
        let start = find(&rest[..rest.len().min(16)], b"_").ok_or("has no appended data")?;
        Ok(File { xml, data: &rest[start + 1..] })
    }

    fn count(&self, name: &str) -> Result<usize, String> {
        attribute(self.xml, name)
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| format!("has no {name}"))
    }

    fn array<T: bytemuck::AnyBitPattern>(
        &self,
        section: &str,
        name: &str,
        kind: &str,
        components: usize,
    ) -> Result<Vec<T>, String> {
        let missing = || format!("has no array {section}/{name} of {components} {kind}");
        let (_, inside) = self.xml.split_once(&format!("<{section}>")).ok_or_else(missing)?;
        let (inside, _) = inside.split_once(&format!("</{section}>")).ok_or_else(missing)?;
        let wanted = |tag: &&str| {
            attribute(tag, "Name") == Some(name)
                && attribute(tag, "type") == Some(kind)
                && attribute(tag, "NumberOfComponents") == Some(&components.to_string())
        };
        let tag = inside.split("<DataArray").find(wanted).ok_or_else(missing)?;
        let offset: usize =
            attribute(tag, "offset").and_then(|o| o.parse().ok()).ok_or_else(missing)?;
        let short = || format!("ends before the end of {section}/{name}");
        let block = self.data.get(offset..).ok_or_else(short)?;
        let (length, block) = block.split_first_chunk::<8>().ok_or_else(short)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| short())?;
        let block = block.get(..length).ok_or_else(short)?;
        let size = size_of::<T>();
        if !length.is_multiple_of(size) {
            return Err(format!("{section}/{name} has {length} bytes, not a multiple of {size}"));
        }
        Ok(block.chunks_exact(size).map(bytemuck::pod_read_unaligned).collect())
    }
}

/// The value of `name="…"` in a tag or a text with one such tag.
fn attribute<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let key = format!(" {name}=\"");
    let rest = &text[text.find(&key)? + key.len()..];
    rest.split_once('"').map(|(value, _)| value)
}

fn find(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes.windows(pattern.len()).position(|window| window == pattern)
}
