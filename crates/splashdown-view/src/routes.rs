//! What is asked for, and what the answer is.
//!
//! | path | answer |
//! |---|---|
//! | `/`, `/style.css`, `/*.js` | the page |
//! | `/api/run` | what was run: `manifest` |
//! | `/api/state` | frames and tables so far, and whether there will be more |
//! | `/api/frame/N?color=Q` | particles of frame N: `frame` |
//! | `/api/surface/N?color=Q` | liquid surface of frame N: `mesh` |
//! | `/api/range?color=Q` | usual range of a quantity over the run |
//! | `/api/bodies`, `/api/bodies/N` | solids that never move; those that do, at frame N: `mesh` |
//! | `/api/table/NAME?from=BYTE` | rows of a table: `tables` |

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Mutex, MutexGuard};

use glam::Vec3;
use serde_json::json;
use splashdown_geometry::math::{Aabb, DVec3};
use splashdown_render::error::RenderError;
use splashdown_render::run::{FIXED, Run, moving_file};
use splashdown_render::{scale, stage, stored};

use crate::folder::Folder;
use crate::frame::{self, QUANTITIES, Quantity};
use crate::http::{Request, Response};
use crate::{manifest, mesh, page, tables};

const JSON: &str = "application/json";
const BINARY: &str = "application/octet-stream";
/// Bytes of liquid surfaces that are kept: making one takes seconds.
const CACHE: usize = 256 << 20;

/// A run that can be looked at.
#[derive(Debug)]
pub struct View {
    folder: Folder,
    run: Mutex<Run>,
    surfaces: Mutex<VecDeque<(String, Vec<u8>)>>,
}

impl View {
    /// Opens a run, which may be going on and have no frames yet.
    pub fn open(directory: &Path) -> Result<View, RenderError> {
        let missing = || {
            let message =
                format!("there is no run in {}: it has no scene.toml", directory.display());
            RenderError::Request(message)
        };
        let folder = Folder::new(directory).map_err(|_| missing())?;
        folder.file("scene.toml").ok_or_else(missing)?;
        let run = Run::begun(folder.root())?;
        Ok(View { folder, run: Mutex::new(run), surfaces: Mutex::default() })
    }

    /// Answers a request.
    pub fn answer(&self, request: &Request) -> Response {
        let path = request.path.as_str();
        if let Some((_, kind, text)) = page::FILES.iter().find(|(name, _, _)| *name == path) {
            return Response::ok(kind, *text);
        }
        let answer = match path.strip_prefix("/api/").map(|rest| rest.split_once('/')) {
            Some(None) => match path {
                "/api/run" => self.manifest(),
                "/api/state" => self.state(),
                "/api/range" => color(request).and_then(|quantity| self.range(quantity)),
                "/api/bodies" => self.bodies(None),
                _ => Err(not_found()),
            },
            Some(Some(("frame", index))) => number(index)
                .and_then(|index| color(request).and_then(|quantity| self.frame(index, quantity))),
            Some(Some(("surface", index))) => {
                number(index).and_then(|index| color(request).and_then(|q| self.surface(index, q)))
            }
            Some(Some(("bodies", index))) => {
                number(index).and_then(|index| self.bodies(Some(index)))
            }
            Some(Some(("table", name))) => self.table(name, request.query("from")),
            _ => Err(not_found()),
        };
        answer.unwrap_or_else(|error| error)
    }

    fn manifest(&self) -> Result<Response, Response> {
        let run = self.current()?.clone();
        self.check_bodies(run.frames.last().copied())?;
        for &index in &run.frames {
            self.check_frame(&run, index)?;
        }
        let manifest = manifest::manifest(&self.folder, &run).map_err(failed)?;
        Ok(Response::ok(JSON, manifest.to_string()))
    }

    fn state(&self) -> Result<Response, Response> {
        let run = self.current()?;
        Ok(Response::ok(JSON, manifest::state(&self.folder, &run).to_string()))
    }

    fn frame(&self, index: u64, quantity: Quantity) -> Result<Response, Response> {
        let run = self.with_frame(index)?;
        let points = run.load_points(index).map_err(failed)?;
        Ok(Response::ok(BINARY, frame::encode(&points, index, run.time(index), quantity)))
    }

    fn range(&self, quantity: Quantity) -> Result<Response, Response> {
        let run = self.current()?.clone();
        for &index in &run.frames {
            self.check_frame(&run, index)?;
        }
        let range = stage::range_of(&run, &run.frames, |points| quantity.values(points));
        let range = range.map_err(failed)?.map(|[low, high]| {
            let low = if quantity.name == "speed" { 0.0 } else { low };
            scale::rounded([low, high])
        });
        Ok(Response::ok(JSON, json!(range.unwrap_or([0.0, 1.0])).to_string()))
    }

    fn surface(&self, index: u64, quantity: Quantity) -> Result<Response, Response> {
        let run = self.with_frame(index)?;
        if run.is_2d {
            return Err(Response::error(404, "the liquid of a 2D scene has no surface in space"));
        }
        let key = format!("{index} {}", quantity.name);
        // Locked while one is made: a page that asks for ten at once must not stop the machine.
        let mut cache = self.surfaces.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some((_, bytes)) = cache.iter().find(|(name, _)| *name == key) {
            return Ok(Response::ok(BINARY, bytes.clone()));
        }
        let points = run.load_points(index).map_err(failed)?;
        let values: Vec<Vec3> =
            quantity.values(&points).iter().map(|&v| Vec3::new(v, 0.0, 0.0)).collect();
        let find = |name: &str| self.folder.file(name);
        let surfaces = stored::surfaces(&run, index, &points, &values, find).map_err(failed)?;
        let origin = points.position.iter().find(|p| p.is_finite()).copied();
        let bytes = mesh::surfaces(surfaces, origin.unwrap_or(DVec3::ZERO));
        cache.push_back((key, bytes.clone()));
        while cache.len() > 1 && cache.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() > CACHE {
            cache.pop_front();
        }
        Ok(Response::ok(BINARY, bytes))
    }

    fn bodies(&self, index: Option<u64>) -> Result<Response, Response> {
        let run = match index {
            Some(index) => self.with_frame(index)?,
            None => self.current()?.clone(),
        };
        self.check_bodies(index)?;
        let name = index.map_or(FIXED.to_owned(), moving_file);
        let bodies = run.load_bodies(&name).map_err(failed)?;
        let bounds = Aabb::around(bodies.iter().flat_map(|body| body.vertices.iter().copied()));
        let origin = if bounds.min.is_finite() { bounds.min } else { DVec3::ZERO };
        Ok(Response::ok(BINARY, mesh::bodies(&run, &bodies, origin)))
    }

    fn table(&self, name: &str, from: Option<&str>) -> Result<Response, Response> {
        let from = number(from.unwrap_or("0"))?;
        let tables = tables::list(&self.folder);
        let table = tables.iter().find(|table| table.name == name).ok_or_else(not_found)?;
        let rows = tables::lines(&self.folder, table, from).ok_or_else(not_found)?;
        Ok(Response::ok("text/csv; charset=utf-8", rows))
    }

    /// The run with the frames there are by now.
    fn current(&self) -> Result<MutexGuard<'_, Run>, Response> {
        let mut run = self.run.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        run.refresh().map_err(failed)?;
        Ok(run)
    }

    /// The run, if it has frame `index` and its file may be read.
    fn with_frame(&self, index: u64) -> Result<Run, Response> {
        let mut run = self.run.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if run.frames.binary_search(&index).is_err() {
            run.refresh().map_err(failed)?;
        }
        if run.frames.binary_search(&index).is_err() {
            return Err(Response::error(404, "there is no such frame"));
        }
        self.check_frame(&run, index)?;
        Ok(run.clone())
    }

    fn check_frame(&self, run: &Run, index: u64) -> Result<(), Response> {
        self.folder.file(&run.points_file(index)).map(drop).ok_or_else(not_found)
    }

    /// Files of bodies are optional; those that are there must belong to the run.
    fn check_bodies(&self, index: Option<u64>) -> Result<(), Response> {
        let moving = index.map(moving_file);
        for name in [Some(FIXED.to_owned()), moving].into_iter().flatten() {
            let exists = self.folder.root().join(&name).symlink_metadata().is_ok();
            if exists && self.folder.file(&name).is_none() {
                return Err(not_found());
            }
        }
        Ok(())
    }
}

fn color(request: &Request) -> Result<Quantity, Response> {
    match request.query("color") {
        None => Ok(QUANTITIES[0]),
        Some(name) => {
            frame::quantity(name).ok_or_else(|| Response::error(404, "there is no such quantity"))
        }
    }
}

fn number(text: &str) -> Result<u64, Response> {
    let digits = !text.is_empty() && text.len() < 19 && text.bytes().all(|b| b.is_ascii_digit());
    let number = if digits { text.parse().ok() } else { None };
    number.ok_or_else(|| Response::error(400, "that is not a number"))
}

fn not_found() -> Response {
    Response::error(404, "there is nothing of this name")
}

/// Where files are is nobody's business but that of the person at the terminal.
fn failed(error: RenderError) -> Response {
    let message = match error {
        RenderError::Request(message) => message,
        RenderError::Damaged { path, reason } => {
            format!("{}: {reason}", path.file_name().unwrap_or_default().to_string_lossy())
        }
        RenderError::Run(_) => "a file of the run cannot be read".to_owned(),
    };
    Response::error(500, &message)
}
