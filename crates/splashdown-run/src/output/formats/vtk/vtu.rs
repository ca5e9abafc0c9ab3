//! VTK unstructured grids (`.vtu`): the elements of elastic bodies.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::byte_order;
use crate::math::DVec3;
use crate::output::frame::Deformed;

/// VTK's numbers of cells of one to four vertices: a vertex, a line, a triangle, a tetrahedron …
const TYPES: [u8; 4] = [1, 3, 5, 10];
/// … and of ten: a quadratic tetrahedron.
const QUADRATIC: u8 = 24;

/// Writes all elements with displacement, velocity, stress and the number of the body.
pub(super) fn write(out: &mut impl Write, bodies: &[Deformed]) -> io::Result<()> {
    let mut positions: Vec<DVec3> = Vec::new();
    let (mut displacement, mut velocity): (Vec<[f32; 3]>, Vec<[f32; 3]>) = Default::default();
    let (mut cells, mut stress, mut body): (Vec<i32>, Vec<f32>, Vec<u32>) = Default::default();
    let (mut offsets, mut types): (Vec<i32>, Vec<u8>) = Default::default();
    for deformed in bodies {
        let first = positions.len() as i32;
        positions.extend(&deformed.vertices);
        displacement.extend(&deformed.displacement);
        velocity.extend(&deformed.velocity);
        for cell in &deformed.cells {
            cells.extend(cell.iter().map(|v| v + first));
            offsets.push(cells.len() as i32);
            types.push(TYPES.get(cell.len() - 1).copied().unwrap_or(QUADRATIC));
        }
        stress.extend(&deformed.stress);
        body.extend(std::iter::repeat_n(deformed.body, deformed.cells.len()));
    }
    let count = types.len();
    let sections: [(&str, Vec<Array<'_>>); 4] = [
        (
            "PointData",
            vec![
                ("displacement", "Float32", 3, bytemuck::cast_slice(&displacement)),
                ("velocity", "Float32", 3, bytemuck::cast_slice(&velocity)),
            ],
        ),
        (
            "CellData",
            vec![
                ("von_mises_stress", "Float32", 1, bytemuck::cast_slice(&stress)),
                ("body", "UInt32", 1, bytemuck::cast_slice(&body)),
            ],
        ),
        ("Points", vec![("position", "Float64", 3, bytemuck::cast_slice(&positions))]),
        (
            "Cells",
            vec![
                ("connectivity", "Int32", 1, bytemuck::cast_slice(&cells)),
                ("offsets", "Int32", 1, bytemuck::cast_slice(&offsets)),
                ("types", "UInt8", 1, &types),
            ],
        ),
    ];
    let mut text = String::from("<?xml version=\"1.0\"?>\n");
    let order = byte_order();
    let _ = writeln!(
        text,
        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"{order}\" \
         header_type=\"UInt64\">\n  <UnstructuredGrid>\n    <Piece NumberOfPoints=\"{}\" \
         NumberOfCells=\"{count}\">",
        positions.len()
    );
    let mut offset = 0;
    for (section, arrays) in &sections {
        let _ = writeln!(text, "      <{section}>");
        for (name, kind, components, bytes) in arrays {
            let _ = writeln!(
                text,
                "        <DataArray type=\"{kind}\" Name=\"{name}\" \
                 NumberOfComponents=\"{components}\" format=\"appended\" offset=\"{offset}\"/>"
            );
            offset += size_of::<u64>() + bytes.len();
        }
        let _ = writeln!(text, "      </{section}>");
    }
    text.push_str("    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_");
    out.write_all(text.as_bytes())?;
    for (_, _, _, bytes) in sections.iter().flat_map(|(_, arrays)| arrays) {
        out.write_all(&(bytes.len() as u64).to_ne_bytes())?;
        out.write_all(bytes)?;
    }
    write!(out, "\n  </AppendedData>\n</VTKFile>\n")
}

/// Name, type, components and bytes of an array.
type Array<'a> = (&'static str, &'static str, usize, &'a [u8]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::testing::vtk_array;
    use crate::world::TriangleMesh;

    #[test]
    fn bodies_are_numbered_on_and_read_back() {
        let one = |body: u32| Deformed {
            body,
            vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
            displacement: vec![[0.0, 1.0, 2.0]; 4],
            velocity: vec![[3.0; 3]; 4],
            cells: vec![vec![0, 1, 2, 3], vec![1, 2]],
            stress: vec![5.0, 6.0],
            surface: TriangleMesh::default(),
        };
        let mut file = Vec::new();
        write(&mut file, &[one(2), one(3)]).unwrap();
        let connectivity = vtk_array::<i32>(&file, "connectivity");
        assert_eq!(connectivity, [0, 1, 2, 3, 1, 2, 4, 5, 6, 7, 5, 6]);
        assert_eq!(vtk_array::<i32>(&file, "offsets"), [4, 6, 10, 12]);
        assert_eq!(vtk_array::<u8>(&file, "types"), [10, 3, 10, 3]);
        assert_eq!(vtk_array::<u32>(&file, "body"), [2, 2, 3, 3]);
        assert_eq!(vtk_array::<DVec3>(&file, "position")[5], DVec3::X);
        assert_eq!(vtk_array::<f32>(&file, "von_mises_stress"), [5.0, 6.0, 5.0, 6.0]);
        // What we write, we read.
        let mesh = splashdown_solids::meshing::file::parse_tetrahedra("vtu", &file).unwrap();
        assert_eq!((mesh.vertices.len(), mesh.tetrahedra.len()), (8, 2));
    }
}
