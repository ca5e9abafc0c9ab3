//! VTK XML files for ParaView: `.vtp` per frame.
//!
//! Own writer: the arrays go out as they lie in memory (appended raw data, the default of VTK's own
//! writer), where vtkio would convert them to base64 text, a third larger and several copies
//! slower. Format: VTK File Formats for VTK 4.2 and later, section "XML file formats".
//!
//! The reader reads what the writer writes: one piece, appended raw arrays. Any other bytes give an
//! error, never a panic: frames may come from a full disk or another program.

mod vtu;

use std::fmt::Write as _;
use std::io::{self, Write};

use super::FrameFormat;
use crate::math::{DVec3, Pose};
use crate::output::frame::{Deformed, Points, Surfaces};
use crate::world::TriangleMesh;

/// VTK XML files.
pub struct Vtk;

impl FrameFormat for Vtk {
    fn name(&self) -> &'static str {
        "vtk"
    }

    fn meaning(&self) -> &'static str {
        "VTK XML (`.vtp` with a `.pvd` time series), for ParaView."
    }

    fn extension(&self) -> &'static str {
        "vtp"
    }

    fn write(&self, mut out: &mut dyn Write, points: &Points, _radius: f64) -> io::Result<()> {
        write_points(&mut out, points)
    }

    fn read(&self, file: &[u8]) -> Result<Points, String> {
        read_points(file)
    }

    fn elements_extension(&self) -> Option<&'static str> {
        Some("vtu")
    }

    fn write_elements(&self, mut out: &mut dyn Write, bodies: &[Deformed]) -> io::Result<()> {
        vtu::write(&mut out, bodies)
    }

    fn has_time_series(&self) -> bool {
        true
    }
}

/// Writes all fluid particles as vertices with their attributes.
pub fn write_points(out: &mut impl Write, points: &Points) -> io::Result<()> {
    let n = points.len();
    let connectivity: Vec<i32> = (0..n as i32).collect();
    let offsets: Vec<i32> = (1..=n as i32).collect();
    let mut file = PolyData::new(n);
    file.cell_count = [n, 0];
    file.section("Points", &[Array::new("position", "Float64", 3, &points.position)]);
    file.section(
        "Verts",
        &[
            Array::new("connectivity", "Int32", 1, &connectivity),
            Array::new("offsets", "Int32", 1, &offsets),
        ],
    );
    file.section(
        "PointData",
        &[
            Array::new("velocity", "Float32", 3, &points.velocity),
            Array::new("pressure", "Float32", 1, &points.pressure),
            Array::new("density", "Float32", 1, &points.density),
            Array::new("id", "UInt32", 1, &points.id),
            Array::new("fluid", "UInt32", 1, &points.fluid),
        ],
    );
    file.write(out)
}

/// Writes the bodies that never move: triangles, or points where there are none.
pub fn write_fixed(out: &mut impl Write, surfaces: &Surfaces) -> io::Result<()> {
    write_surfaces(out, surfaces.fixed.iter().map(|(body, pose, mesh)| (*body, *pose, &**mesh)))
}

/// Writes the moving bodies at the given poses, and the surfaces of the elastic ones.
pub fn write_moving(
    out: &mut impl Write,
    surfaces: &Surfaces,
    poses: &[Pose],
    elastic: &[Deformed],
) -> io::Result<()> {
    let bodies = surfaces.moving.iter().zip(poses);
    let rigid = bodies.map(|((body, mesh), pose)| (*body, *pose, &**mesh));
    let deformed = elastic.iter().map(|d| (d.body, Pose::IDENTITY, &d.surface));
    write_surfaces(out, rigid.chain(deformed))
}

fn write_surfaces<'a>(
    out: &mut impl Write,
    bodies: impl Iterator<Item = (u32, Pose, &'a TriangleMesh)>,
) -> io::Result<()> {
    let mut vertices: Vec<DVec3> = Vec::new();
    let mut points: Vec<i32> = Vec::new();
    let mut body_of_point: Vec<u32> = Vec::new();
    let mut connectivity: Vec<i32> = Vec::new();
    let mut body_of_triangle: Vec<u32> = Vec::new();
    for (body, pose, mesh) in bodies {
        let first = vertices.len() as i32;
        vertices.extend(mesh.vertices.iter().map(|&v| pose.apply(v)));
        if mesh.triangles.is_empty() {
            points.extend(first..vertices.len() as i32);
            body_of_point.extend(std::iter::repeat_n(body, mesh.vertices.len()));
        }
        connectivity.extend(mesh.triangles.iter().flatten().map(|&v| first + v as i32));
        body_of_triangle.extend(std::iter::repeat_n(body, mesh.triangles.len()));
    }
    let offsets: Vec<i32> = (1..=body_of_triangle.len() as i32).map(|k| 3 * k).collect();
    let point_offsets: Vec<i32> = (1..=points.len() as i32).collect();
    // VTK numbers cells by kind: vertices first.
    let body = [body_of_point, body_of_triangle].concat();
    let mut file = PolyData::new(vertices.len());
    file.cell_count = [points.len(), offsets.len()];
    file.section("Points", &[Array::new("position", "Float64", 3, &vertices)]);
    file.section(
        "Verts",
        &[
            Array::new("connectivity", "Int32", 1, &points),
            Array::new("offsets", "Int32", 1, &point_offsets),
        ],
    );
    file.section(
        "Polys",
        &[
            Array::new("connectivity", "Int32", 1, &connectivity),
            Array::new("offsets", "Int32", 1, &offsets),
        ],
    );
    file.section("CellData", &[Array::new("body", "UInt32", 1, &body)]);
    file.write(out)
}

/// An array as it goes into the file.
struct Array<'a> {
    name: &'static str,
    kind: &'static str,
    components: usize,
    bytes: &'a [u8],
}

impl<'a> Array<'a> {
    fn new<T: bytemuck::NoUninit>(
        name: &'static str,
        kind: &'static str,
        components: usize,
        values: &'a [T],
    ) -> Self {
        Array { name, kind, components, bytes: bytemuck::cast_slice(values) }
    }
}

/// A `.vtp` file in the making: the XML so far, and the arrays it refers to by their offset.
struct PolyData<'a> {
    point_count: usize,
    /// Vertices and polygons.
    cell_count: [usize; 2],
    sections: String,
    blocks: Vec<&'a [u8]>,
    offset: usize,
}

impl<'a> PolyData<'a> {
    fn new(point_count: usize) -> Self {
        let (sections, blocks) = (String::new(), Vec::new());
        PolyData { point_count, cell_count: [0; 2], sections, blocks, offset: 0 }
    }

    fn section(&mut self, name: &str, arrays: &[Array<'a>]) {
        let _ = writeln!(self.sections, "      <{name}>");
        for array in arrays {
            let _ = writeln!(
                self.sections,
                "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" \
                 format=\"appended\" offset=\"{}\"/>",
                array.kind, array.name, array.components, self.offset
            );
            self.blocks.push(array.bytes);
            self.offset += size_of::<u64>() + array.bytes.len();
        }
        let _ = writeln!(self.sections, "      </{name}>");
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let (points, [verts, polys]) = (self.point_count, self.cell_count);
        writeln!(out, "<?xml version=\"1.0\"?>")?;
        writeln!(
            out,
            "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"{}\" header_type=\"UInt64\">",
            byte_order()
        )?;
        writeln!(out, "  <PolyData>")?;
        writeln!(
            out,
            "    <Piece NumberOfPoints=\"{points}\" NumberOfVerts=\"{verts}\" \
             NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"{polys}\">"
        )?;
        out.write_all(self.sections.as_bytes())?;
        write!(out, "    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n_")?;
        for block in &self.blocks {
            out.write_all(&(block.len() as u64).to_ne_bytes())?;
            out.write_all(block)?;
        }
        write!(out, "\n  </AppendedData>\n</VTKFile>\n")
    }
}

pub(in crate::output) fn byte_order() -> &'static str {
    if cfg!(target_endian = "little") { "LittleEndian" } else { "BigEndian" }
}

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
    let file = Parsed::parse(file)?;
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
    let file = Parsed::parse(file)?;
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
struct Parsed<'a> {
    xml: &'a str,
    data: &'a [u8],
}

impl<'a> Parsed<'a> {
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
        Ok(Parsed { xml, data: &rest[start + 1..] })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::testing::{small_world, vtk_array};

    #[test]
    fn points_read_back_as_they_were() {
        let points = Points::capture(&small_world());
        let mut file = Vec::new();
        write_points(&mut file, &points).unwrap();
        let position: Vec<DVec3> = vtk_array(&file, "position");
        assert_eq!(position, points.position);
        assert_eq!(vtk_array::<[f32; 3]>(&file, "velocity"), points.velocity);
        assert_eq!(vtk_array::<f32>(&file, "pressure"), points.pressure);
        assert_eq!(vtk_array::<f32>(&file, "density"), points.density);
        assert_eq!(vtk_array::<u32>(&file, "id"), points.id);
        assert_eq!(vtk_array::<u32>(&file, "fluid"), points.fluid);
        assert_eq!(vtk_array::<i32>(&file, "offsets").last(), Some(&(points.len() as i32)));
    }

    #[test]
    fn surfaces_are_placed_by_their_pose() {
        let world = small_world();
        let surfaces = Surfaces::of(&world);
        let mut file = Vec::new();
        let pose =
            Pose { translation: DVec3::new(1.0, 2.0, 3.0), rotation: Pose::IDENTITY.rotation };
        write_fixed(&mut file, &surfaces).unwrap();
        assert_eq!(vtk_array::<u32>(&file, "body"), [0, 1]);
        let two = Surfaces {
            fixed: Vec::new(),
            moving: surfaces.fixed.iter().map(|(k, _, mesh)| (*k, mesh.clone())).collect(),
            elastic: false,
        };
        let mut file = Vec::new();
        write_moving(&mut file, &two, &[pose, Pose::IDENTITY], &[]).unwrap();
        let placed: Vec<DVec3> = vtk_array(&file, "position");
        assert_eq!(placed[0], world.solids[0].surface.vertices[0] + pose.translation);
        assert_eq!(vtk_array::<u32>(&file, "body"), [0, 1]);
    }

    #[test]
    fn bodies_without_triangles_are_shown_as_points() {
        let mut world = small_world();
        world.solids[1].surface = TriangleMesh::default();
        let mut file = Vec::new();
        write_fixed(&mut file, &Surfaces::of(&world)).unwrap();
        let text = String::from_utf8_lossy(&file);
        assert!(text.contains("NumberOfVerts=\"2\"") && text.contains("NumberOfPolys=\"1\""));
        assert_eq!(vtk_array::<u32>(&file, "body"), [1, 1, 0]);
    }
}
