//! Wavefront OBJ: vertices and faces, which is all that a shape needs of it.
//!
//! Normals, texture coordinates, materials, groups, lines and curves are stepped over. Indices
//! count from one, or backwards from the last vertex if negative.

use super::mesh_file::fan;
use crate::math::DVec3;
use crate::mesh::TriangleMesh;

/// A mesh of all faces of a file; polygons are split. Vertices that no face names are left out.
pub(super) fn parse(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    let mut number = 0;
    let mut lines = bytes.split(|&byte| byte == b'\n');
    while let Some(line) = lines.next() {
        number += 1;
        let first = number;
        // Names and comments may be in any encoding; what we look at is ASCII.
        let mut text = String::from_utf8_lossy(line).trim_end().to_owned();
        while text.ends_with('\\') {
            text.pop();
            let Some(more) = lines.next() else { break };
            number += 1;
            text += String::from_utf8_lossy(more).trim_end();
        }
        let mut words = text.split_ascii_whitespace();
        let parsed = match words.next() {
            Some("v") => vertex(words).map(|v| vertices.push(v)),
            Some("f") => face(words, vertices.len()).map(|c| triangles.extend(fan(&c))),
            _ => Ok(()),
        };
        parsed.map_err(|what| format!("line {first}: {what}"))?;
    }
    Ok(without_strays(&vertices, triangles))
}

/// Three coordinates; a fourth one, or colours, may follow.
fn vertex<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<DVec3, String> {
    let mut coordinate = || {
        let word = words.next().ok_or("a vertex needs x, y and z")?;
        word.parse::<f64>().map_err(|_| format!("'{}' is not a number", shown(word)))
    };
    Ok(DVec3::new(coordinate()?, coordinate()?, coordinate()?))
}

/// Corners `v`, `v/vt`, `v//vn` or `v/vt/vn`, as indices from zero.
fn face<'a>(words: impl Iterator<Item = &'a str>, count: usize) -> Result<Vec<u32>, String> {
    let corner = |word: &str| {
        let index = word.split('/').next().unwrap_or_default();
        let index: i64 = index.parse().map_err(|_| format!("'{}' is no corner", shown(word)))?;
        let from_zero = if index < 0 { count as i64 + index } else { index - 1 };
        let known = usize::try_from(from_zero).is_ok_and(|k| k < count);
        let from_zero = u32::try_from(from_zero).ok().filter(|_| known);
        from_zero.ok_or_else(|| format!("a face names vertex {index} of {count}"))
    };
    words.take_while(|word| !word.starts_with('#')).map(corner).collect()
}

/// The beginning of a word, for a message.
fn shown(word: &str) -> String {
    word.chars().take(40).collect()
}

/// Keeps the vertices that triangles name, in the order in which they do.
fn without_strays(vertices: &[DVec3], mut triangles: Vec<[u32; 3]>) -> TriangleMesh {
    let mut kept = Vec::new();
    let mut place: Vec<Option<u32>> = vec![None; vertices.len()];
    for v in triangles.iter_mut().flatten() {
        let old = *v as usize;
        *v = *place[old].get_or_insert_with(|| {
            kept.push(vertices[old]);
            kept.len() as u32 - 1
        });
    }
    TriangleMesh { vertices: kept, triangles }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polygons_are_split_and_negative_indices_count_backwards() {
        let quad = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
        assert_eq!(parse(quad).unwrap().triangles.len(), 2);
        let back = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nmtllib none.mtl\nusemtl red\nf -3 -2 -1\n";
        assert_eq!(parse(back).unwrap().triangles, [[0, 1, 2]]);
    }

    #[test]
    fn what_shapes_do_not_need_is_stepped_over() {
        let text =
            b"# caf\xe9\r\no thing\nv 9 9 9\nv 0 0 0 1\nv 1 0 0 0.5 0.5 0.5\nvn 0 0 1\nvt 0 0\n\
                     v 1 1 0\nl 1 2\nf 2/1/1 3//1 \\\n4/1 # done\n";
        let mesh = parse(text).unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2]]);
        assert_eq!(mesh.vertices, [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0)]);
    }

    #[test]
    fn impossible_indices_are_refused_with_their_line() {
        let three = "v 0 0 0\nv 1 0 0\nv 1 1 0\n";
        for bad in ["0", "4", "-4", "9223372036854775807", "18446744073709551615", "x", "1e3", "/1"]
        {
            let error = parse(format!("{three}f 1 2 {bad}\n").as_bytes()).unwrap_err();
            assert!(error.contains("line 4"), "{bad}: {error}");
        }
        assert!(parse(b"v 0 0\n").unwrap_err().contains("line 1: a vertex needs"));
    }
}
