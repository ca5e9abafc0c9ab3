//! Gmsh meshes, versions 2.x and 4.1, as text (Gmsh reference manual, section "MSH file format").

use std::collections::HashMap;

use super::{MeshFileError, Raw, Words};

/// Gmsh's numbers of tetrahedra with 4 and with 10 nodes, of which the first four are corners.
const TETRAHEDRA: [u32; 2] = [4, 11];

/// Nodes of every type of element, by Gmsh's number.
const NODES: [usize; 32] = [
    0, 2, 3, 4, 4, 8, 6, 5, 3, 6, 9, 10, 27, 18, 14, 1, 8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,
    6, 20, 35, 56,
];

pub(super) fn parse(text: &str) -> Result<Raw, MeshFileError> {
    let mut words = Words::new(text, 1);
    let mut raw = Raw::default();
    let mut number: HashMap<u64, usize> = HashMap::new();
    let mut version = None;
    while words.peek().is_some() {
        let section = words.next("a section")?;
        match (section, version) {
            ("$MeshFormat", _) => {
                let found: f64 = words.parse("the version of the format")?;
                if !((2.0..3.0).contains(&found) || (4.05..4.2).contains(&found)) {
                    return words.error(format!("version {found} is not 2.x or 4.1"));
                }
                if words.parse::<u32>("0 for text")? != 0 {
                    return words.error("it is binary; export it as ASCII");
                }
                words.parse::<u32>("the size of numbers")?;
                version = Some(found);
            }
            ("$Nodes", Some(v)) if v < 3.0 => {
                for _ in 0..words.count("the number of nodes", text.len())? {
                    let tag = words.parse("the number of a node")?;
                    number.insert(tag, raw.vertices.len());
                    raw.vertices.push(words.point()?);
                }
            }
            ("$Elements", Some(v)) if v < 3.0 => {
                for _ in 0..words.count("the number of elements", text.len())? {
                    let _: u64 = words.parse("the number of an element")?;
                    let kind = words.parse("the type of an element")?;
                    for _ in 0..words.count("the number of tags", text.len())? {
                        let _: i64 = words.parse("a tag")?;
                    }
                    element(&mut words, kind, &number, &mut raw)?;
                }
            }
            ("$Nodes", Some(_)) => nodes_4(&mut words, text.len(), &mut number, &mut raw)?,
            ("$Elements", Some(_)) => {
                let blocks = words.count("the number of blocks", text.len())?;
                skip(&mut words, 3)?;
                for _ in 0..blocks {
                    skip(&mut words, 2)?;
                    let kind = words.parse("the type of elements")?;
                    for _ in 0..words.count("the number of elements", text.len())? {
                        let _: u64 = words.parse("the number of an element")?;
                        element(&mut words, kind, &number, &mut raw)?;
                    }
                }
            }
            ("$Nodes" | "$Elements", None) => {
                return words.error("$MeshFormat should come before it");
            }
            _ => {
                // A section we need not know, or the end of one.
                let end = format!("$End{}", section.trim_start_matches('$'));
                if !section.starts_with('$') {
                    return words.error(format!("{section:?} is not the name of a section"));
                }
                while !section.starts_with("$End") && words.next(&end)? != end {}
            }
        }
    }
    match version {
        None => Err(MeshFileError::Content("it has no $MeshFormat: not a Gmsh file".to_owned())),
        Some(_) => Ok(raw),
    }
}

fn nodes_4(
    words: &mut Words<'_>,
    most: usize,
    number: &mut HashMap<u64, usize>,
    raw: &mut Raw,
) -> Result<(), MeshFileError> {
    let blocks = words.count("the number of blocks", most)?;
    skip(words, 3)?;
    for _ in 0..blocks {
        let dimension: usize = words.parse("the dimension of an entity")?;
        skip(words, 1)?;
        let parametric = words.parse::<u32>("0 or 1")? == 1;
        let count = words.count("the number of nodes", most)?;
        // All numbers of a block come before all its places.
        for k in 0..count {
            let tag = words.parse("the number of a node")?;
            number.insert(tag, raw.vertices.len() + k);
        }
        for _ in 0..count {
            raw.vertices.push(words.point()?);
            if parametric {
                (0..dimension.min(3)).try_for_each(|_| skip_real(words))?;
            }
        }
    }
    Ok(())
}

fn element(
    words: &mut Words<'_>,
    kind: u32,
    number: &HashMap<u64, usize>,
    raw: &mut Raw,
) -> Result<(), MeshFileError> {
    let Some(&nodes) = NODES.get(kind as usize).filter(|n| **n > 0) else {
        return words.error(format!("elements of type {kind} are not known"));
    };
    let mut corners = [0; 4];
    for k in 0..nodes {
        let tag: u64 = words.parse("the number of a node")?;
        let Some(&v) = number.get(&tag) else {
            return words.error(format!("there is no node {tag}"));
        };
        if let Some(corner) = corners.get_mut(k) {
            *corner = v;
        }
    }
    if TETRAHEDRA.contains(&kind) {
        raw.tetrahedra.push(corners);
    }
    Ok(())
}

fn skip(words: &mut Words<'_>, count: usize) -> Result<(), MeshFileError> {
    (0..count).try_for_each(|_| words.parse::<i64>("a whole number").map(drop))
}

fn skip_real(words: &mut Words<'_>) -> Result<(), MeshFileError> {
    words.parse::<f64>("a number").map(drop)
}
