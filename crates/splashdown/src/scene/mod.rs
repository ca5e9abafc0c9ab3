//! Scene file → World. A stand-in with the interface that the command line uses.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

use crate::math::{DVec3, Dimension, Pose};
use crate::motion::Motion;
use crate::output::settings::*;
use crate::particles::{kernel::KernelKind, store::Particles};
use crate::world::*;

/// A scene that has been read and checked.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name of the file or built-in scene.
    pub name: String,
    /// The scene as TOML, with its overrides.
    pub text: String,
    /// Where the files it names are looked for.
    pub directory: PathBuf,
}

/// A scene that is ready to run.
#[derive(Clone, Debug)]
pub struct Built {
    /// At time zero.
    pub world: World,
    /// What to write, and how long to run.
    pub output: OutputSettings,
    /// What the user may want to know.
    pub notes: Vec<String>,
}

/// Everything that is wrong with a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneErrors {
    /// Name of the file or built-in scene.
    pub file: String,
    /// Its text, to which the spans refer.
    pub text: String,
    /// In the order of the text; never empty.
    pub errors: Vec<SceneError>,
}

/// One thing that is wrong with a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneError {
    /// The key concerned.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What may help.
    pub help: Option<String>,
    /// The bytes of the text concerned.
    pub span: Option<Range<usize>>,
    /// Line from 1; 0 without a span.
    pub line: usize,
    /// Column from 1.
    pub column: usize,
    /// The override that caused it, as given.
    pub from_override: Option<String>,
}

impl std::error::Error for SceneErrors {}

impl fmt::Display for SceneErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for error in &self.errors {
            writeln!(f, "{}:{}:{}: {error}", self.file, error.line, error.column)?;
        }
        Ok(())
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.message)
    }
}

/// The built-in scenes.
pub mod gallery {
    /// A built-in scene.
    #[derive(Debug)]
    pub struct Builtin {
        /// What to call it.
        pub name: &'static str,
        /// What there is to see.
        pub summary: &'static str,
        /// TOML.
        pub text: &'static str,
    }

    /// All built-in scenes.
    pub fn list() -> &'static [Builtin] {
        &[Builtin { name: "dam-break", summary: "a stand-in", text: "duration = 1.0\n" }]
    }
}

/// The JSON Schema of scene files.
pub fn json_schema() -> String {
    "{}\n".to_owned()
}

impl Scene {
    /// Opens a built-in scene by name, or a file.
    pub fn open(name_or_path: &str, overrides: &[String]) -> Result<Scene, SceneErrors> {
        match gallery::list().iter().find(|b| b.name == name_or_path) {
            Some(builtin) => Scene::parse(builtin.name, builtin.text, PathBuf::new(), overrides),
            None => {
                let text = std::fs::read_to_string(name_or_path).unwrap_or_default();
                let error = SceneError {
                    key: "scene".to_owned(),
                    message: "is neither a file nor a built-in scene".to_owned(),
                    help: Some("`splashdown list` shows the built-in scenes".to_owned()),
                    span: (!text.is_empty()).then_some(0..text.len().min(8)),
                    line: 1,
                    column: 1,
                    from_override: None,
                };
                Err(SceneErrors { file: name_or_path.to_owned(), text, errors: vec![error] })
            }
        }
    }

    /// Reads a scene from its text.
    pub fn parse(
        name: &str,
        text: &str,
        directory: impl Into<PathBuf>,
        overrides: &[String],
    ) -> Result<Scene, SceneErrors> {
        let mut text = text.to_owned();
        for change in overrides {
            text += &format!("# {change}\n");
        }
        Ok(Scene { name: name.to_owned(), text, directory: directory.into() })
    }

    /// Two thousand particles in a line.
    pub fn build(&self) -> Result<Built, SceneErrors> {
        let n = 2000;
        let duration = self.text.rsplit("simulation.duration=").next().unwrap_or_default();
        let duration = duration.lines().next().and_then(|x| x.parse().ok()).unwrap_or(1.0);
        let world = World {
            dimension: Dimension::Two,
            spacing: 0.01,
            gravity: DVec3::new(0.0, -9.81, 0.0),
            kernel: KernelKind::Cubic,
            particles: Particles {
                position: (0..n).map(|i| DVec3::new(0.01 * i as f64, 0.0, 0.0)).collect(),
                velocity: vec![DVec3::X; n],
                id: (0..n as u32).collect(),
                density: vec![1000.0; n],
                pressure: vec![0.0; n],
                divergence_pressure: vec![0.0; n],
            },
            fluids: vec![Fluid {
                name: "water".to_owned(),
                range: 0..n - 10,
                density: 1000.0,
                viscosity: Viscosity::default(),
            }],
            solids: vec![Solid {
                name: "tank".to_owned(),
                range: n - 10..n,
                local: vec![DVec3::ZERO; 10],
                pose: Pose::IDENTITY,
                placement: Pose::IDENTITY,
                motion: Motion::Static,
                inset: 0.0,
                load: Load::default(),
                surface: TriangleMesh::default(),
            }],
            emitters: Vec::new(),
            sinks: Vec::new(),
            pressure: PressureSettings {
                solver: PressureSolver::Dfsph,
                boundary: BoundaryPressure::Zero,
                density_error: 1e-3,
                divergence_error: 1e-3,
                min_iterations: 2,
                max_iterations: 100,
                warm_start: 0.5,
            },
            time_step: TimeStep::Fixed(1e-3),
            clock: Clock::default(),
        };
        let output = OutputSettings {
            frames_per_second: 30.0,
            formats: vec![Format::Vtk],
            snapshot_every: 10,
            snapshots_kept: 2,
            duration,
            probes: Vec::new(),
        };
        Ok(Built { world, output, notes: vec!["this scene is a stand-in".to_owned()] })
    }
}
