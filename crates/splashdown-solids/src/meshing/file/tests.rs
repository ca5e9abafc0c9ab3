use super::*;
use splashdown_solve::differences::Random;

const MSH_2: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"soft body\"\n\
    $EndPhysicalNames\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n7 0 0 1\n9 5 5 5\n$EndNodes\n\
    $Elements\n2\n1 2 2 1 1 1 2 3\n2 4 2 1 1 1 3 2 7\n$EndElements\n";

const MSH_4: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n\
    1 0 0 0 1 1 1 0 0\n$EndEntities\n$Nodes\n2 4 1 4\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n\
    3 1 0 1\n4\n0 0 1\n$EndNodes\n$Elements\n2 2 1 2\n2 1 2 1\n1 1 2 3\n3 1 4 1\n2 1 2 3 4\n\
    $EndElements\n";

const VTK: &str = "# vtk DataFile Version 3.0\na title\nASCII\nDATASET UNSTRUCTURED_GRID\n\
    POINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 2 9\n4 0 1 2 3\n3 0 1 2\nCELL_TYPES 2\n10\n5\n\
    POINT_DATA 4\nSCALARS x double\n";

const VTK_5: &str = "# vtk DataFile Version 5.1\na title\nASCII\nDATASET UNSTRUCTURED_GRID\n\
    POINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 2 4\nOFFSETS vtktypeint64\n0 4\n\
    CONNECTIVITY vtktypeint64\n0 1 2 3\nCELL_TYPES 1\n10\n";

const VTU: &str = r#"<?xml version="1.0"?>
<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian">
<UnstructuredGrid><Piece NumberOfPoints="4" NumberOfCells="1">
<Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">
0 0 0 1 0 0 0 1 0 0 0 1</DataArray></Points>
<Cells><DataArray type="Int32" Name="connectivity" format="ascii">0 1 2 3</DataArray>
<DataArray type="Int32" Name="offsets" format="ascii">4</DataArray>
<DataArray type="UInt8" Name="types" format="ascii">10</DataArray></Cells>
</Piece></UnstructuredGrid></VTKFile>"#;

const ALL: [(&str, &str); 5] =
    [("msh", MSH_2), ("msh", MSH_4), ("vtk", VTK), ("vtk", VTK_5), ("vtu", VTU)];

#[test]
fn every_format_has_the_same_tetrahedron() {
    for (ending, text) in ALL {
        let mesh =
            parse_tetrahedra(ending, text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!((mesh.vertices.len(), mesh.tetrahedra.len()), (4, 1), "{text}");
        assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-15, "{text}");
    }
}

#[test]
fn raw_appended_arrays_are_read() {
    let mut blocks: Vec<u8> = Vec::new();
    let mut offsets = Vec::new();
    let mut put = |bytes: Vec<u8>| {
        offsets.push(blocks.len());
        blocks.extend((bytes.len() as u64).to_le_bytes());
        blocks.extend(bytes);
    };
    put([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0f64]
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect());
    put([0, 1, 2, 3i32].iter().flat_map(|x| x.to_le_bytes()).collect());
    put(4i64.to_le_bytes().to_vec());
    put(vec![10]);
    let array = |kind: &str, name: &str, k: usize| {
        let at = offsets[k];
        format!(r#"<DataArray type="{kind}" Name="{name}" format="appended" offset="{at}"/>"#)
    };
    let head = format!(
        "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\
         <Points>{}</Points><Cells>{}{}{}</Cells><AppendedData encoding=\"raw\">_",
        array("Float64", "position", 0),
        array("Int32", "connectivity", 1),
        array("Int64", "offsets", 2),
        array("UInt8", "types", 3),
    );
    let bytes = [head.as_bytes(), &blocks].concat();
    let mesh = parse_tetrahedra("vtu", &bytes).unwrap();
    assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-15);
}

#[test]
fn mistakes_are_named_with_their_line() {
    for (ending, text, from, to, said) in [
        ("msh", MSH_2, "0 1 0\n7", "0 oops 0\n7", "line 12: \"oops\" is not a coordinate"),
        ("msh", MSH_2, "1 3 2 7", "1 3 2 8", "line 19: there is no node 8"),
        ("msh", MSH_2, "2.2 0", "2.2 1", "binary"),
        ("msh", MSH_2, "2.2 0", "3 0", "line 2: version 3 is not 2.x or 4.1"),
        ("msh", MSH_2, "\n5\n1 0", "\n5000000000\n1 0", "line 9: 5000000000 is more than"),
        ("vtk", VTK, "4 0 1 2 3", "4 0 1 2 9", "has vertex 9"),
        ("vtk", VTK, "ASCII", "BINARY", "binary"),
        ("vtu", VTU, "10</Data", "5</Data", "no tetrahedra"),
        ("vtu", VTU, "Name=\"types\"", "Name=\"kinds\"", "lacks the array types"),
    ] {
        let changed = text.replace(from, to);
        assert_ne!(changed, text, "{from}");
        let error = parse_tetrahedra(ending, changed.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(said), "{said}: {error}");
    }
}

/// Whatever a file says, the answer is a mesh or an error: no panic, no endless wait, no huge
/// memory.
#[test]
fn files_with_random_damage_are_read_or_refused() {
    let mut random = Random::new(77);
    let mut refused = 0;
    for (ending, text) in ALL {
        for _ in 0..2000 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=(4.0 * random.unit()) as usize {
                let at = (random.unit() * bytes.len() as f64) as usize;
                match (random.unit() * 4.0) as u32 {
                    0 => bytes[at] = (random.unit() * 256.0) as u8,
                    1 => bytes[at] = b'9',
                    2 => bytes.truncate(at.max(1)),
                    _ => {
                        let piece = bytes[at..(at + 9).min(bytes.len())].to_vec();
                        bytes.splice(at..at, piece);
                    }
                }
            }
            match parse_tetrahedra(ending, &bytes) {
                Ok(mesh) => assert!(mesh.vertices.iter().all(|v| v.is_finite())),
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 1000, "{refused}");
}
