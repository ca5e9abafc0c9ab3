//! Writes liquid surfaces while a run goes on, in the thread that writes its frames.

use std::path::Path;

use splashdown_run::output::atomic;
use splashdown_run::output::error::RunError;
use splashdown_run::output::frame::{Frame, Surfaces};
use splashdown_run::output::observer::Observer;
use splashdown_run::output::writer::surface_file;

use crate::export;
use crate::surface::{self, LiquidSurface};
use crate::walls::Walls;

/// One PLY mesh per fluid and frame, with normals and velocities. A fluid that is not there yet has
/// a mesh without triangles, so that series have no gaps.
#[derive(Clone, Debug)]
pub struct SurfaceWriter {
    /// Names of the fluids.
    pub fluids: Vec<String>,
    /// Distance between particles, m.
    pub spacing: f64,
    /// The solids that surfaces end at.
    pub solids: Surfaces,
}

impl Observer for SurfaceWriter {
    fn frame(&mut self, directory: &Path, frame: &Frame) -> Result<Vec<String>, RunError> {
        let file = |fluid: &String| surface_file(fluid, frame.index);
        let files: Vec<String> = self.fluids.iter().map(file).collect();
        let walls = Walls::at(&self.solids, frame);
        let made = surface::reconstruct(&frame.points, self.spacing, &walls, &[]);
        for (k, file) in files.iter().enumerate() {
            let none = LiquidSurface::default();
            let liquid = made.iter().find(|surface| surface.fluid == k).unwrap_or(&none);
            atomic::write(&directory.join(file), |out| export::write_liquid(out, liquid))?;
        }
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use splashdown_geometry::math::DVec3;
    use splashdown_run::output::frame::Points;

    #[test]
    fn every_fluid_has_a_mesh_even_if_there_is_none_of_it() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("surface")).unwrap();
        let place = |k: i32| 0.1 * DVec3::new((k % 5).into(), (k / 5 % 5).into(), (k / 25).into());
        let points = Points {
            position: (0..125).map(place).collect(),
            velocity: vec![[0.0; 3]; 125],
            pressure: vec![0.0; 125],
            density: vec![1000.0; 125],
            id: (0..125).collect(),
            fluid: vec![0; 125],
        };
        let frame = Frame { index: 4, points, poses: Vec::new(), elastic: Vec::new() };
        let fluids = vec!["water".to_owned(), "oil".to_owned()];
        let mut writer = SurfaceWriter { fluids, spacing: 0.1, solids: Surfaces::default() };
        let files = writer.frame(directory.path(), &frame).unwrap();
        assert_eq!(files, ["surface/water_000004.ply", "surface/oil_000004.ply"]);
        let read = |name: &str| std::fs::read(directory.path().join("surface").join(name)).unwrap();
        let text = |name: &str| String::from_utf8_lossy(&read(name)).into_owned();
        assert!(text("oil_000004.ply").contains("element face 0\n"));
        let water = text("water_000004.ply");
        assert!(water.contains("property float nx") && water.contains("property float vx"));
        assert!(!water.contains("element face 0\n"));
        let before = read("water_000004.ply");
        writer.frame(directory.path(), &frame).unwrap();
        assert!(before == read("water_000004.ply"), "the same frame gives the same bytes");
    }
}
