//! Meshes of liquid and bodies, and a table of how bodies move, for Blender, Houdini and others.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use glam::Vec3;
use splashdown::math::DVec3;
use splashdown::output::atomic;
use splashdown::output::error::At;

use crate::error::RenderError;
use crate::run::{Body, FIXED, Run, moving_file};
use crate::stored;
use crate::surface::LiquidSurface;

/// File formats of meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// Wavefront OBJ: positions, normals, triangles.
    Obj,
    /// Binary PLY with normals and velocities.
    Ply,
    /// Legacy binary VTK with normals and velocities.
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
}

impl<'a> Exporter<'a> {
    /// Makes the folder, writes the table of motions, where there are bodies, and one mesh for each of
    /// those that never move.
    pub fn new(run: &'a Run, folder: &Path, format: MeshFormat) -> Result<Self, RenderError> {
        fs::create_dir_all(folder).at("create", folder)?;
        let table = run.directory.join("bodies.csv");
        if table.is_file() {
            let text = fs::read_to_string(&table).at("read", &table)?;
            let motion = motion(&text).map_err(|reason| RenderError::damaged(&table, reason))?;
            atomic::write_bytes(&folder.join("bodies_motion.csv"), motion.as_bytes())?;
        }
        let exporter = Exporter { run, folder: folder.to_owned(), format };
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
                let name = match self.run.fluids.get(liquid.fluid) {
                    Some((name, _)) => name.clone(),
                    None => format!("fluid-{}", liquid.fluid),
                };
                self.write(&format!("{name}_{index:06}"), &of_liquid(&liquid))?;
            }
        }
        Ok(())
    }

    fn name(&self, body: &Body) -> String {
        match self.run.solids.get(body.solid) {
            Some((name, _)) => name.clone(),
            None => format!("body-{}", body.solid),
        }
    }

    fn write(&self, name: &str, surface: &Surface<'_>) -> Result<(), RenderError> {
        let file = format!("{name}.{}", self.format.extension());
        let path = self.folder.join(file);
        Ok(atomic::write(&path, |out| match self.format {
            MeshFormat::Obj => write_obj(out, surface),
            MeshFormat::Ply => write_ply(out, surface),
            MeshFormat::Vtk => write_vtk(out, surface),
        })?)
    }
}

/// Writes a liquid surface as binary PLY with normals and velocities.
pub fn write_liquid(out: &mut impl Write, liquid: &LiquidSurface) -> io::Result<()> {
    write_ply(out, &of_liquid(liquid))
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

/// Time, body, position and quaternion, from the columns of `bodies.csv`.
fn motion(table: &str) -> Result<String, String> {
    const COLUMNS: [&str; 9] =
        ["t", "body", "x", "y", "z", "rotation_x", "rotation_y", "rotation_z", "rotation_w"];
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap_or("").split(',').collect();
    let places: Vec<usize> = COLUMNS
        .iter()
        .map(|column| header.iter().position(|name| name == column))
        .collect::<Option<_>>()
        .ok_or("has other columns than a table of bodies")?;
    let mut text = COLUMNS.join(",") + "\n";
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
    writeln!(out, "# splashdown")?;
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

fn write_ply(out: &mut impl Write, surface: &Surface<'_>) -> io::Result<()> {
    write!(out, "ply\nformat binary_little_endian 1.0\ncomment splashdown\n")?;
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

/// Legacy VTK is big-endian.
fn write_vtk(out: &mut impl Write, surface: &Surface<'_>) -> io::Result<()> {
    let (n, m) = (surface.vertices.len(), surface.triangles.len());
    write!(out, "# vtk DataFile Version 3.0\nsplashdown\nBINARY\nDATASET POLYDATA\n")?;
    writeln!(out, "POINTS {n} double")?;
    for v in surface.vertices {
        v.to_array().iter().try_for_each(|x| out.write_all(&x.to_be_bytes()))?;
    }
    write!(out, "\nPOLYGONS {m} {}\n", 4 * m)?;
    for t in surface.triangles {
        out.write_all(&3u32.to_be_bytes())?;
        t.iter().try_for_each(|v| out.write_all(&v.to_be_bytes()))?;
    }
    if !surface.normals.is_empty() {
        write!(out, "\nPOINT_DATA {n}\nNORMALS normals float\n")?;
        for x in surface.normals.iter().flat_map(|v| v.to_array()) {
            out.write_all(&x.to_be_bytes())?;
        }
        write!(out, "\nVECTORS velocity float\n")?;
        for x in surface.velocity.iter().flat_map(|v| v.to_array()) {
            out.write_all(&x.to_be_bytes())?;
        }
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
            write_ply(&mut ply, surface).unwrap();
            let end = ply.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
            ply.len() - end
        };
        assert_eq!(length(&full), 4 * (24 + 24) + 2 * 13);
        assert_eq!(length(&bare), 4 * 24 + 2 * 13);
        let mut vtk = Vec::new();
        write_vtk(&mut vtk, &full).unwrap();
        assert!(vtk.windows(17).any(|w| w == b"\nVECTORS velocity"));
    }
}
