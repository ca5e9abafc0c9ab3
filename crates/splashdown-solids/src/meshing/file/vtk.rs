//! Legacy VTK files with an unstructured grid, as text (versions up to 5.1).

use super::{MeshFileError, Raw, Words};

/// VTK's number of a tetrahedron.
pub(super) const TETRAHEDRON: u64 = 10;

pub(super) fn parse(text: &str) -> Result<Raw, MeshFileError> {
    let content = |what: &str| MeshFileError::Content(what.to_owned());
    if !text.starts_with("# vtk DataFile") {
        return Err(content("it does not begin with `# vtk DataFile`: not a legacy VTK file"));
    }
    // The second line is a title of any words.
    let Some((title_end, _)) = text.match_indices('\n').nth(1) else {
        return Err(content("it ends after its title"));
    };
    let mut words = Words::new(&text[title_end..], 2);
    let coding = words.next("ASCII")?;
    if coding != "ASCII" {
        return Err(content("it is binary; export it as ASCII"));
    }
    let (mut raw, mut cells, mut types) = (Raw::default(), None, None);
    let most = text.len();
    while words.peek().is_some() {
        match words.next("a keyword")? {
            "DATASET" => {
                let kind = words.next("UNSTRUCTURED_GRID")?;
                if kind != "UNSTRUCTURED_GRID" {
                    return Err(content(&format!("it has a {kind}, not an UNSTRUCTURED_GRID")));
                }
            }
            "POINTS" => {
                let count = words.count("the number of points", most)?;
                words.next("a type")?;
                for _ in 0..count {
                    raw.vertices.push(words.point()?);
                }
            }
            "CELLS" => {
                let first = words.count("the number of cells", most)?;
                let second = words.count("the size of the list", most)?;
                cells = Some(connectivity(&mut words, first, second)?);
            }
            "CELL_TYPES" => {
                let count = words.count("the number of cells", most)?;
                let read = |_| words.parse::<u64>("the type of a cell");
                types = Some((0..count).map(read).collect::<Result<Vec<u64>, _>>()?);
            }
            // What follows are values, which a mesh does not need.
            "CELL_DATA" | "POINT_DATA" => break,
            _ => {}
        }
    }
    let (Some(cells), Some(types)) = (cells, types) else {
        return Err(content("it lacks CELLS or CELL_TYPES"));
    };
    raw.tetrahedra = tetrahedra(&cells, &types)?;
    Ok(raw)
}

/// The vertices of each cell, in the old form (count and vertices) or the new one (offsets, then
/// all).
fn connectivity(
    words: &mut Words<'_>,
    first: usize,
    second: usize,
) -> Result<Vec<Vec<usize>>, MeshFileError> {
    let vertex = "the number of a vertex";
    if words.peek() != Some("OFFSETS") {
        let mut cells = Vec::new();
        for _ in 0..first {
            let size = words.count("the size of a cell", second)?;
            cells.push((0..size).map(|_| words.parse(vertex)).collect::<Result<_, _>>()?);
        }
        return Ok(cells);
    }
    words.next("OFFSETS")?;
    words.next("a type")?;
    let offsets: Vec<usize> =
        (0..first).map(|_| words.parse("an offset")).collect::<Result<_, _>>()?;
    if words.next("CONNECTIVITY")? != "CONNECTIVITY" {
        return words.error("CONNECTIVITY should be here");
    }
    words.next("a type")?;
    let all: Vec<usize> = (0..second).map(|_| words.parse(vertex)).collect::<Result<_, _>>()?;
    split(&all, &offsets)
}

/// Cells between neighbouring offsets.
pub(super) fn split(all: &[usize], offsets: &[usize]) -> Result<Vec<Vec<usize>>, MeshFileError> {
    let cell = |pair: &[usize]| match all.get(pair[0]..pair[1]) {
        Some(cell) => Ok(cell.to_vec()),
        None => {
            Err(MeshFileError::Content(format!("there is no cell from {} to {}", pair[0], pair[1])))
        }
    };
    offsets.windows(2).map(cell).collect()
}

/// The cells that are tetrahedra.
pub(super) fn tetrahedra(
    cells: &[Vec<usize>],
    types: &[u64],
) -> Result<Vec<[usize; 4]>, MeshFileError> {
    if cells.len() != types.len() {
        let what = format!("it has {} cells and {} types", cells.len(), types.len());
        return Err(MeshFileError::Content(what));
    }
    let mut found = Vec::new();
    for (k, (cell, _)) in cells.iter().zip(types).enumerate().filter(|(_, c)| *c.1 == TETRAHEDRON) {
        let Ok(corners) = <[usize; 4]>::try_from(&cell[..]) else {
            let what = format!("cell {k} is a tetrahedron of {} vertices", cell.len());
            return Err(MeshFileError::Content(what));
        };
        found.push(corners);
    }
    Ok(found)
}
