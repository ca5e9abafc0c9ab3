//! Meshes of liquid and bodies, and a table of how bodies move, for Blender, Houdini and others.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use glam::Vec3;
use splashdown_geometry::math::DVec3;
use splashdown_run::output::error::At;
use splashdown_run::output::made;
use splashdown_run::output::writer::file_stem;

use crate::error::RenderError;
use crate::run::{Body, FIXED, Run, moving_file};
use crate::stored;
use crate::surface::LiquidSurface;

/// File formats of meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum MeshFormat {
    // Positions, normals, triangles.
    /// Wavefront OBJ.
    Obj,
    /// Binary PLY with normals and velocities.
    Ply,
    /// Legacy VTK with normals and velocities.
    Vtk,
}

impl MeshFormat {
    fn extension(self) -> &'static str {
        match self {
            MeshFormat::Obj => "obj",
            MeshFormat::Ply => "ply",
            MeshFormat::Vtk => "vtk",
        }
    }
}

/// VTK's number of a cell that is a point …
const VERTEX: u32 = 1;
/// … and of a triangle.
const TRIANGLE: u32 = 5;

/// A mesh to be written; `normals` and `velocity` may be empty.
#[derive(Clone, Copy, Debug)]
struct Surface<'a> {
    vertices: &'a [DVec3],
    normals: &'a [Vec3],
    velocity: &'a [Vec3],
    triangles: &'a [[u32; 3]],
}

/// Writes meshes of a run into `folder`.
#[derive(Debug)]
pub struct Exporter<'a> {
    run: &'a Run,
    folder: PathBuf,
    format: MeshFormat,
    force: bool,
    /// Names of the files of the solids, then of those of the fluids.
    names: Vec<String>,
}

impl<'a> Exporter<'a> {
    /// Makes the folder, writes the table of motions, where there are bodies, and one mesh for each
    /// of those that never move. What was not made here is replaced by force only.
    pub fn new(
        run: &'a Run,
        folder: &Path,
        format: MeshFormat,
        force: bool,
    ) -> Result<Self, RenderError> {
        let motions = folder.join("bodies_motion.csv");
        // Before the folder is made: it may be one that belongs to the run.
        check_table(&motions, force)?;
        fs::create_dir_all(folder).at("create", folder)?;
        let table = run.directory.join("bodies.csv");
        if table.is_file() {
            let text = fs::read_to_string(&table).at("read", &table)?;
            let motion = motion(&text).map_err(|reason| RenderError::damaged(&table, reason))?;
            // Checked above.
            made::write(&motions, motion.into_bytes(), true)?;
        }
        let names = file_names(run);
        let exporter = Exporter { run, folder: folder.to_owned(), format, force, names };
        for body in run.load_bodies(FIXED)? {
            exporter.write(&exporter.name(&body), &of_body(&body))?;
        }
        Ok(exporter)
    }

    /// Writes the bodies that move and, if asked for, the liquid's surface at frame `index`.
    pub fn frame(&self, index: u64, with_liquid: bool) -> Result<(), RenderError> {
        self.run.check(index)?;
        for body in self.run.load_bodies(&moving_file(index))? {
            self.write(&format!("{}_{index:06}", self.name(&body)), &of_body(&body))?;
        }
        if with_liquid {
            if self.run.is_2d {
                let message = "the liquid of a 2D scene has no surface in space".to_owned();
                return Err(RenderError::Request(message));
            }
            let points = self.run.load_points(index)?;
            let find = |name: &str| stored::in_directory(self.run, name);
            for liquid in stored::surfaces(self.run, index, &points, &[], find)? {
                let own = self.names.get(self.run.solids.len() + liquid.fluid);
                let name = own.cloned().unwrap_or_else(|| format!("fluid-{}", liquid.fluid));
                self.write(&format!("{name}_{index:06}"), &of_liquid(&liquid))?;
            }
        }
        Ok(())
    }

    fn name(&self, body: &Body) -> String {
        match self.names.get(body.solid) {
            Some(name) if body.solid < self.run.solids.len() => name.clone(),
            _ => format!("body-{}", body.solid),
        }
    }

    fn write(&self, name: &str, surface: &Surface<'_>) -> Result<(), RenderError> {
        let file = format!("{name}.{}", self.format.extension());
        let path = self.folder.join(file);
        let mut bytes = Vec::new();
        let written = match self.format {
            MeshFormat::Obj => write_obj(&mut bytes, surface),
            MeshFormat::Ply => write_ply(&mut bytes, surface, made::MARK),
            MeshFormat::Vtk => write_vtk(&mut bytes, surface),
        };
        written.at("write", &path)?;
        Ok(made::write(&path, bytes, self.force)?)
    }
}

/// Names of files for the solids and then for the fluids of a run: their own, with a number where
/// two would be the same, or one the name of another at a frame.
fn file_names(run: &Run) -> Vec<String> {
    let solids = run.solids.iter().map(|(name, _)| name);
    let fluids = run.fluids.iter().map(|(name, _)| name);
    unique_names(solids.chain(fluids).map(|name| file_stem(name)))
}

/// Names as they are, with a number where two differ by nothing, or by the case of letters, which
/// some file systems ignore, and where one ends as files of a frame do: the fixed solid
/// `gear_000001` would have the file of `gear` at frame 1.
fn unique_names(stems: impl Iterator<Item = String>) -> Vec<String> {
    let mut taken = HashSet::new();
    let unique = |stem: String| {
        let numbered = (2..).map(|number| format!("{stem}-{number}"));
        let own = std::iter::once(stem.clone()).filter(|name| !ends_like_a_frame(name));
        own.chain(numbered).find(|name| taken.insert(name.to_lowercase())).unwrap_or(stem)
    };
    stems.map(unique).collect()
}

fn ends_like_a_frame(name: &str) -> bool {
    let digits = name.rsplit_once('_').map_or("", |(_, end)| end);
    digits.len() >= 6 && digits.bytes().all(|b| b.is_ascii_digit())
}

/// A table has no place for a mark: one with these columns and no others was made here.
fn check_table(path: &Path, force: bool) -> Result<(), RenderError> {
    let is_ours = |path: &Path| {
        let is_file = fs::symlink_metadata(path).is_ok_and(|entry| entry.is_file());
        let text = if is_file { fs::read_to_string(path).ok() } else { None };
        text.is_some_and(|text| text.lines().next() == Some(&MOTION.join(",")))
    };
    Ok(made::check(path, force || is_ours(path))?)
}

/// Writes a liquid surface as binary PLY with normals and velocities.
pub fn write_liquid(out: &mut impl Write, liquid: &LiquidSurface) -> io::Result<()> {
    write_ply(out, &of_liquid(liquid), "splashdown")
}

fn of_body(body: &Body) -> Surface<'_> {
    Surface { vertices: &body.vertices, normals: &[], velocity: &[], triangles: &body.triangles }
}

fn of_liquid(liquid: &LiquidSurface) -> Surface<'_> {
    Surface {
        vertices: &liquid.vertices,
        normals: &liquid.normals,
        velocity: &liquid.velocity,
        triangles: &liquid.triangles,
    }
}

/// Columns of the table of motions.
const MOTION: [&str; 9] =
    ["t", "body", "x", "y", "z", "rotation_x", "rotation_y", "rotation_z", "rotation_w"];

/// Time, body, position and quaternion, from the columns of `bodies.csv`.
fn motion(table: &str) -> Result<String, String> {
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap_or("").split(',').collect();
    let places: Vec<usize> = MOTION
        .iter()
        .map(|column| header.iter().position(|name| name == column))
        .collect::<Option<_>>()
        .ok_or("has other columns than a table of bodies")?;
    let mut text = MOTION.join(",") + "\n";
    for (k, line) in lines.enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        let picked: Vec<&str> = places
            .iter()
            .map(|&place| cells.get(place).copied())
            .collect::<Option<_>>()
            .ok_or_else(|| format!("line {} is too short", k + 2))?;
        let _ = writeln!(text, "{}", picked.join(","));
    }
    Ok(text)
}

fn write_obj(out: &mut impl Write, surface: &Surface<'_>) -> io::Result<()> {
    writeln!(out, "# {}", made::MARK)?;
    for v in surface.vertices {
        writeln!(out, "v {} {} {}", v.x, v.y, v.z)?;
    }
    for n in surface.normals {
        writeln!(out, "vn {} {} {}", n.x, n.y, n.z)?;
    }
    for t in surface.triangles {
        let [a, b, c] = t.map(|v| v + 1);
        if surface.normals.is_empty() {
            writeln!(out, "f {a} {b} {c}")?;
        } else {
            writeln!(out, "f {a}//{a} {b}//{b} {c}//{c}")?;
        }
    }
    Ok(())
}

fn write_ply(out: &mut impl Write, surface: &Surface<'_>, comment: &str) -> io::Result<()> {
    write!(out, "ply\nformat binary_little_endian 1.0\ncomment {comment}\n")?;
    writeln!(out, "element vertex {}", surface.vertices.len())?;
    write!(out, "property double x\nproperty double y\nproperty double z\n")?;
    if !surface.normals.is_empty() {
        write!(out, "property float nx\nproperty float ny\nproperty float nz\n")?;
    }
    if !surface.velocity.is_empty() {
        write!(out, "property float vx\nproperty float vy\nproperty float vz\n")?;
    }
    writeln!(out, "element face {}", surface.triangles.len())?;
    write!(out, "property list uchar uint vertex_indices\nend_header\n")?;
    for (i, v) in surface.vertices.iter().enumerate() {
        v.to_array().iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))?;
        for values in [surface.normals, surface.velocity] {
            if let Some(value) = values.get(i) {
                value.to_array().iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))?;
            }
        }
    }
    for t in surface.triangles {
        out.write_all(&[3])?;
        t.iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))?;
    }
    Ok(())
}

/// Legacy VTK is big-endian. An unstructured grid and not polygons, normals as vectors and not as
/// normals: so says the same to ParaView, and meshio reads nothing else.
fn write_vtk(out: &mut impl Write, surface: &Surface<'_>) -> io::Result<()> {
    let n = surface.vertices.len();
    let words = made::MARK;
    write!(out, "# vtk DataFile Version 3.0\n{words}\nBINARY\nDATASET UNSTRUCTURED_GRID\n")?;
    writeln!(out, "POINTS {n} double")?;
    for v in surface.vertices {
        v.to_array().iter().try_for_each(|x| out.write_all(&x.to_be_bytes()))?;
    }
    // A body without triangles, as in 2D, is its points.
    let points = if surface.triangles.is_empty() { n } else { 0 };
    let (count, kind) = match points {
        0 => (surface.triangles.len(), TRIANGLE),
        n => (n, VERTEX),
    };
    let size = 4 * surface.triangles.len() + 2 * points;
    write!(out, "\nCELLS {count} {size}\n")?;
    let mut cell = |corners: &[u32]| {
        out.write_all(&(corners.len() as u32).to_be_bytes())?;
        corners.iter().try_for_each(|v| out.write_all(&v.to_be_bytes()))
    };
    surface.triangles.iter().try_for_each(|t| cell(t))?;
    (0..points as u32).try_for_each(|v| cell(&[v]))?;
    write!(out, "\nCELL_TYPES {count}\n")?;
    (0..count).try_for_each(|_| out.write_all(&kind.to_be_bytes()))?;
    let vectors = [("normals", surface.normals), ("velocity", surface.velocity)];
    let vectors = vectors.iter().filter(|(_, values)| !values.is_empty() && values.len() == n);
    for (k, (name, values)) in vectors.enumerate() {
        if k == 0 {
            write!(out, "\nPOINT_DATA {n}")?;
        }
        write!(out, "\nVECTORS {name} float\n")?;
        values
            .iter()
            .flat_map(|v| v.to_array())
            .try_for_each(|x| out.write_all(&x.to_be_bytes()))?;
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_motions_has_poses_only() {
        let header = "t,body,pressure_force_x,x,y,z,rotation_x,rotation_y,rotation_z,rotation_w\n";
        let table = format!("{header}0.5,paddle,9,1,2,3,0,0,0,1\n");
        let text = motion(&table).unwrap();
        assert_eq!(text.lines().nth(1), Some("0.5,paddle,1,2,3,0,0,0,1"));
        assert!(motion("").is_err() && motion("a,b\n1,2\n").is_err());
        assert!(motion(&format!("{header}0.5,paddle,9\n")).unwrap_err().contains("line 2"));
    }

    #[test]
    fn no_object_takes_the_file_of_another() {
        let names = ["gear", "gear_000001", "a", "A", "a-2", "gear", "year_2026"];
        let unique = unique_names(names.map(str::to_owned).into_iter());
        let expected = ["gear", "gear_000001-2", "a", "A-2", "a-2-2", "gear-2", "year_2026"];
        assert_eq!(unique, expected);
    }

    #[test]
    fn every_format_has_all_vertices_and_triangles() {
        let vertices = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let (normals, velocity) = ([Vec3::Y; 4], [Vec3::X; 4]);
        let triangles = [[0, 1, 2], [1, 2, 3]];
        let full = Surface {
            vertices: &vertices,
            normals: &normals,
            velocity: &velocity,
            triangles: &triangles,
        };
        let bare = Surface { normals: &[], velocity: &[], ..full };
        let mut obj = Vec::new();
        write_obj(&mut obj, &full).unwrap();
        let text = String::from_utf8(obj).unwrap();
        assert!(text.contains("v 1 0 0\n") && text.ends_with("f 2//2 3//3 4//4\n"), "{text}");
        let length = |surface: &Surface<'_>| {
            let mut ply = Vec::new();
            write_ply(&mut ply, surface, "test").unwrap();
            let end = ply.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
            ply.len() - end
        };
        assert_eq!(length(&full), 4 * (24 + 24) + 2 * 13);
        assert_eq!(length(&bare), 4 * 24 + 2 * 13);
    }

    /// Sections of a legacy file: its line and the bytes up to the next one.
    fn section<'a>(file: &'a [u8], start: &str, length: usize) -> &'a [u8] {
        let at = file.windows(start.len()).position(|w| w == start.as_bytes());
        let at = at.unwrap_or_else(|| panic!("there is no {start:?}")) + start.len();
        assert_eq!(file[at + length], b'\n', "{start:?} is longer than {length} bytes");
        &file[at..at + length]
    }

    #[test]
    fn legacy_files_have_only_what_meshio_knows() {
        let vertices = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let (normals, velocity) = ([Vec3::Y; 4], [Vec3::new(1.0, 2.0, 3.0); 4]);
        let (vertices, normals, velocity) = (&vertices[..], &normals[..], &velocity[..]);
        let triangles = &[[0, 1, 2], [1, 2, 3]];
        let full = Surface { vertices, normals, velocity, triangles };
        let mut file = Vec::new();
        write_vtk(&mut file, &full).unwrap();
        let head = String::from_utf8_lossy(&file[..120]).into_owned();
        assert!(head.starts_with("# vtk DataFile Version 3.0\nmade by splashdown"), "{head}");
        assert!(head.contains("\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n"), "{head}");
        section(&file, "POINTS 4 double\n", 4 * 24);
        let words = |bytes: &[u8]| -> Vec<u32> {
            bytes.chunks(4).map(|b| u32::from_be_bytes(b.try_into().unwrap())).collect()
        };
        let cells = words(section(&file, "CELLS 2 8\n", 8 * 4));
        assert_eq!(cells, [3, 0, 1, 2, 3, 1, 2, 3]);
        assert_eq!(words(section(&file, "CELL_TYPES 2\n", 2 * 4)), [5, 5]);
        section(&file, "POINT_DATA 4\nVECTORS normals float\n", 48);
        let velocity = words(section(&file, "\nVECTORS velocity float\n", 48));
        assert_eq!(f32::from_bits(velocity[2]), 3.0);
        // Bodies without triangles are clouds of points, and have no velocities.
        let cloud = Surface { normals: &[], velocity: &[], triangles: &[], ..full };
        let mut file = Vec::new();
        write_vtk(&mut file, &cloud).unwrap();
        assert_eq!(words(section(&file, "CELLS 4 8\n", 32)), [1, 0, 1, 1, 1, 2, 1, 3]);
        assert_eq!(words(section(&file, "CELL_TYPES 4\n", 16)), [1; 4]);
        assert!(!file.windows(10).any(|w| w == b"POINT_DATA"));
    }
}
