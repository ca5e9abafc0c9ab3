//! A run directory, read back frame by frame.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use splashdown_geometry::math::DVec3;
use splashdown_run::output::error::At;
use splashdown_run::output::formats::{self, FLUID, Format, vtk};
use splashdown_run::output::frame::Points;
use splashdown_run::output::run_directory;
use splashdown_run::scene::stored::{StoredScene, StoredSolid};

pub use splashdown_run::output::writer::{FIXED, moving_file};

use crate::error::RenderError;

/// A run on disk: what was run, and which frames there are.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its directory.
    pub directory: PathBuf,
    /// Title of the scene, or its name.
    pub title: String,
    /// 2D scenes lie in the plane z = 0.
    pub is_2d: bool,
    /// Distance between particles, m.
    pub spacing: f64,
    /// Against gravity, of length one.
    pub up: DVec3,
    /// Frame k is at k / fps, s.
    pub frames_per_second: f64,
    /// Names and rest densities of the fluids.
    pub fluids: Vec<(String, f64)>,
    /// Names of the solids, then of the elastic bodies, and how they relate to the fluid.
    pub solids: Vec<(String, Role)>,
    /// Numbers of the frames on disk, ascending.
    pub frames: Vec<u64>,
    /// What was run, as the run remembers it.
    pub scene: StoredScene,
    /// Its text.
    pub text: String,
    format: Format,
}

/// How a solid relates to the fluid, and so how much of it should hide what is behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Fluid is around it.
    Obstacle,
    /// Fluid is in it: its near walls must not hide the fluid.
    Container,
    /// A thin sheet, or a wide floor.
    Sheet,
}

/// One frame, as it was written.
#[derive(Clone, Debug, Default)]
pub struct FrameData {
    /// Number of the frame, from 0.
    pub index: u64,
    /// s
    pub time: f64,
    /// The fluid.
    pub points: Points,
    /// The solids, where the run wrote them.
    pub bodies: Vec<Body>,
}

/// A solid at the time of a frame, in world coordinates.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// Index into `Run::solids`.
    pub solid: usize,
    /// m
    pub vertices: Vec<DVec3>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Run {
    /// Reads what was run and lists the frames, of which there must be some.
    pub fn open(directory: &Path) -> Result<Run, RenderError> {
        let run = Run::begun(directory)?;
        if run.frames.is_empty() {
            let names: Vec<&str> = formats::ALL.iter().map(|format| format.name()).collect();
            let message = format!(
                "there are no frames in {}: run the scene with --format, one of {}",
                directory.display(),
                names.join(", ")
            );
            return Err(RenderError::Request(message));
        }
        Ok(run)
    }

    /// The same for a run that may not have written a frame yet.
    pub fn begun(directory: &Path) -> Result<Run, RenderError> {
        let path = directory.join("scene.toml");
        if !path.is_file() {
            let message =
                format!("there is no run in {}: it has no scene.toml", directory.display());
            return Err(RenderError::Request(message));
        }
        let text = fs::read_to_string(&path).at("read", &path)?;
        let scene =
            StoredScene::parse(&text).map_err(|reason| RenderError::damaged(&path, reason))?;
        let title = match scene.title.is_empty() {
            true => name_of_scene(directory),
            false => scene.title.clone(),
        };
        let solids = scene.solids.iter().map(|solid| (solid.name.clone(), role(solid)));
        let elastic = scene.elastic.iter().map(|name| (name.clone(), Role::Obstacle));
        let mut run = Run {
            directory: directory.to_owned(),
            title,
            is_2d: scene.dimension == 2,
            spacing: scene.spacing,
            up: -scene.gravity.normalize_or(DVec3::NEG_Y),
            frames_per_second: scene.frames_per_second,
            fluids: scene.fluids.clone(),
            solids: solids.chain(elastic).collect(),
            frames: Vec::new(),
            scene,
            text,
            format: Format::VTK,
        };
        run.refresh()?;
        Ok(run)
    }

    /// Lists the frames again: a run that is going on writes more of them.
    pub fn refresh(&mut self) -> Result<(), RenderError> {
        let mut formats = formats::ALL;
        formats.sort_by_key(|format| !format.is_exact());
        for format in formats {
            self.format = format;
            self.frames = list_frames(&self.directory, format)?;
            if !self.frames.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// Says which frames there are if `index` is not one of them.
    pub fn check(&self, index: u64) -> Result<(), RenderError> {
        if self.frames.binary_search(&index).is_ok() {
            return Ok(());
        }
        let (first, last) = (self.frames.first(), self.frames.last());
        let message = format!(
            "there is no frame {index} in {}: frames go from {} to {}",
            self.directory.display(),
            first.unwrap_or(&0),
            last.unwrap_or(&0)
        );
        Err(RenderError::Request(message))
    }

    /// Reads frame `index`.
    pub fn load(&self, index: u64) -> Result<FrameData, RenderError> {
        self.check(index)?;
        let points = self.load_points(index)?;
        let mut bodies = self.load_bodies(FIXED)?;
        bodies.extend(self.load_bodies(&moving_file(index))?);
        bodies.sort_by_key(|body| body.solid);
        Ok(FrameData { index, time: self.time(index), points, bodies })
    }

    /// The particles of frame `index` alone.
    pub fn load_points(&self, index: u64) -> Result<Points, RenderError> {
        let path = self.directory.join(self.points_file(index));
        parse(&path, |file| self.format.read(file))
    }

    /// The solids in a file of the run; none if it has no such file.
    pub fn load_bodies(&self, name: &str) -> Result<Vec<Body>, RenderError> {
        let path = self.directory.join(name);
        if !path.is_file() {
            return Ok(Vec::new());
        }
        Ok(split_bodies(&parse(&path, vtk::read_bodies)?))
    }

    /// The file with the particles of frame `index`, relative to the directory.
    pub fn points_file(&self, index: u64) -> String {
        self.format.file(FLUID, index)
    }

    /// When frame `index` is, s.
    pub fn time(&self, index: u64) -> f64 {
        index as f64 / self.frames_per_second
    }

    /// The role of a solid; one that the scene does not know is an obstacle.
    pub fn role(&self, solid: usize) -> Role {
        self.solids.get(solid).map_or(Role::Obstacle, |(_, role)| *role)
    }
}

fn role(solid: &StoredSolid) -> Role {
    match (solid.shape.as_str(), solid.fluid_side.as_deref()) {
        ("plane", _) => Role::Sheet,
        (_, Some("outside")) => Role::Obstacle,
        (_, Some("inside")) | ("tank", _) => Role::Container,
        (_, Some("both")) => Role::Sheet,
        _ => Role::Obstacle,
    }
}

/// What the scene was called when it was run, without folders and ending; else the name of the
/// directory.
fn name_of_scene(directory: &Path) -> String {
    let name = run_directory::scene_name(directory).unwrap_or_default();
    // Written on a system with other separators, perhaps.
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".toml").unwrap_or(name);
    if !name.is_empty() {
        return name.to_owned();
    }
    let full = fs::canonicalize(directory).unwrap_or_default();
    full.file_name().map_or("Splashdown".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn list_frames(directory: &Path, format: Format) -> Result<Vec<u64>, RenderError> {
    let folder = directory.join(format.name());
    let entries = match fs::read_dir(&folder) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.at("list", &folder)?,
    };
    let mut frames = Vec::new();
    for entry in entries {
        let name = entry.at("list", &folder)?.file_name();
        let fluid = name.to_str().filter(|name| name.starts_with(FLUID));
        frames.extend(fluid.and_then(|name| format.frame_of(name)));
    }
    frames.sort_unstable();
    Ok(frames)
}

fn parse<T>(path: &Path, read: impl Fn(&[u8]) -> Result<T, String>) -> Result<T, RenderError> {
    let bytes = fs::read(path).at("read", path)?;
    read(&bytes).map_err(|reason| RenderError::damaged(path, reason))
}

fn split_bodies(file: &vtk::BodyFile) -> Vec<Body> {
    // Each vertex with the body that used it last and its number there: bodies that share one, as
    // only a damaged file has it, get one each.
    let mut renumbered = vec![(usize::MAX, 0); file.vertices.len()];
    let mut bodies: BTreeMap<u32, Body> = BTreeMap::new();
    let mut take = |v: u32, body: &mut Body| {
        let (owner, number) = &mut renumbered[v as usize];
        if *owner != body.solid {
            (*owner, *number) = (body.solid, body.vertices.len() as u32);
            body.vertices.push(file.vertices[v as usize]);
        }
        *number
    };
    let empty = |solid: u32| Body { solid: solid as usize, ..Body::default() };
    for (triangle, &solid) in file.triangles.iter().zip(&file.body_of_triangle) {
        let body = bodies.entry(solid).or_insert_with(|| empty(solid));
        let corners = triangle.map(|v| take(v, body));
        body.triangles.push(corners);
    }
    for (&point, &solid) in file.points.iter().zip(&file.body_of_point) {
        take(point, bodies.entry(solid).or_insert_with(|| empty(solid)));
    }
    bodies.into_values().collect()
}
