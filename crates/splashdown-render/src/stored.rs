//! Liquid surfaces that `run --surface` wrote, so that nobody has to make them again.

use std::path::{Path, PathBuf};

use glam::Vec3;
use splashdown_geometry::math::DVec3;
use splashdown_run::output::frame::Points;
use splashdown_run::output::writer::surface_file;

use crate::error::RenderError;
use crate::run::Run;
use crate::surface::{self, LiquidSurface};
use crate::walls::Walls;

/// Surfaces of a frame: those that the run wrote, if `find` finds the files of all fluids, else new
/// ones. `extra` has a value for each particle or is empty.
pub fn surfaces(
    run: &Run,
    index: u64,
    points: &Points,
    extra: &[Vec3],
    find: impl Fn(&str) -> Option<PathBuf>,
) -> Result<Vec<LiquidSurface>, RenderError> {
    match read_all(run, index, find) {
        Some(mut surfaces) => {
            for surface in &mut surfaces {
                surface.extra = surface::interpolate(surface, points, run.spacing, extra);
            }
            Ok(surfaces)
        }
        None => {
            let walls = Walls::of(&run.load(index)?.bodies);
            Ok(surface::reconstruct(points, run.spacing, &walls, extra))
        }
    }
}

/// A file in the run's directory, for `surfaces`.
pub fn in_directory(run: &Run, name: &str) -> Option<PathBuf> {
    Some(run.directory.join(name)).filter(|path| path.is_file())
}

/// None if a file is missing or damaged: surfaces can be made again.
fn read_all(
    run: &Run,
    index: u64,
    find: impl Fn(&str) -> Option<PathBuf>,
) -> Option<Vec<LiquidSurface>> {
    let mut surfaces = Vec::new();
    for (fluid, (name, _)) in run.fluids.iter().enumerate() {
        let surface = read(&find(&surface_file(name, index))?)?;
        if !surface.triangles.is_empty() {
            surfaces.push(LiquidSurface { fluid, ..surface });
        }
    }
    Some(surfaces)
}

/// Reads what `export::write_liquid` writes.
fn read(path: &Path) -> Option<LiquidSurface> {
    parse(&std::fs::read(path).ok()?)
}

/// Bytes of a vertex: three doubles, six floats.
const VERTEX: usize = 48;
/// Bytes of a triangle: a three, three integers.
const TRIANGLE: usize = 13;

fn parse(file: &[u8]) -> Option<LiquidSurface> {
    const END: &[u8] = b"end_header\n";
    let end = file.windows(END.len()).take(1024).position(|window| window == END)? + END.len();
    let header = std::str::from_utf8(&file[..end]).ok()?;
    let properties = "property double x\nproperty double y\nproperty double z\n\
                      property float nx\nproperty float ny\nproperty float nz\n\
                      property float vx\nproperty float vy\nproperty float vz\n";
    let count = |name: &str| {
        let line = header.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().parse::<usize>().ok()
    };
    let (n, m) = (count("element vertex ")?, count("element face ")?);
    let is_empty = n == 0 && m == 0; // written without normals
    if !header.contains("binary_little_endian") || !(is_empty || header.contains(properties)) {
        return None;
    }
    let data = &file[end..];
    let length = n.checked_mul(VERTEX)?;
    if length.checked_add(m.checked_mul(TRIANGLE)?)? != data.len() {
        return None;
    }
    let (vertices, triangles) = data.split_at(length);
    let mut surface = LiquidSurface::default();
    for vertex in vertices.chunks_exact(VERTEX) {
        let double = |k: usize| bytemuck::pod_read_unaligned::<f64>(&vertex[8 * k..8 * k + 8]);
        let float = |k: usize| bytemuck::pod_read_unaligned::<f32>(&vertex[4 * k..4 * k + 4]);
        surface.vertices.push(DVec3::new(double(0), double(1), double(2)));
        surface.normals.push(Vec3::new(float(6), float(7), float(8)));
        surface.velocity.push(Vec3::new(float(9), float(10), float(11)));
    }
    for triangle in triangles.chunks_exact(TRIANGLE) {
        let corner =
            |k: usize| bytemuck::pod_read_unaligned::<u32>(&triangle[4 * k + 1..4 * k + 5]);
        let corners = [corner(0), corner(1), corner(2)];
        if triangle[0] != 3 || corners.iter().any(|&v| v as usize >= n) {
            return None;
        }
        surface.triangles.push(corners);
    }
    Some(surface)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export;

    fn written() -> (LiquidSurface, Vec<u8>) {
        let surface = LiquidSurface {
            fluid: 0,
            vertices: (0..4).map(|k| DVec3::new(k.into(), 0.1 * f64::from(k * k), 1e6)).collect(),
            normals: vec![Vec3::Y; 4],
            velocity: (0..4).map(|k| Vec3::splat(k as f32)).collect(),
            extra: Vec::new(),
            triangles: vec![[0, 1, 2], [1, 3, 2]],
        };
        let mut bytes = Vec::new();
        export::write_liquid(&mut bytes, &surface).unwrap();
        (surface, bytes)
    }

    #[test]
    fn surfaces_are_read_as_they_were_written() {
        let (surface, bytes) = written();
        assert_eq!(parse(&bytes), Some(surface));
        let mut bytes = Vec::new();
        export::write_liquid(&mut bytes, &LiquidSurface::default()).unwrap();
        assert_eq!(parse(&bytes), Some(LiquidSurface::default()));
    }

    #[test]
    fn what_is_damaged_is_not_read() {
        let (_, bytes) = written();
        for length in 0..bytes.len() {
            assert_eq!(parse(&bytes[..length]), None, "{length}");
        }
        let mut outside = bytes.clone();
        *outside.last_mut().unwrap() = 200; // a corner that no vertex has
        assert_eq!(parse(&outside), None);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let huge = text.replace("element vertex 4", "element vertex 18446744073709551615");
        assert_eq!(parse(huge.as_bytes()), None);
    }
}
