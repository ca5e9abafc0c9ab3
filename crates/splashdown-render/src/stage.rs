//! Puts a frame of a run in front of the camera.

use glam::{Vec2, Vec3};
use rayon::prelude::*;
use splashdown_geometry::math::{Aabb, DVec3};
use splashdown_run::output::frame::Points;

use crate::camera::{Camera, View, Viewport};
use crate::color::{self, Linear, Ramp};
use crate::crease;
use crate::error::RenderError;
use crate::framing::{self, Framing};
use crate::image::Image;
use crate::overlay::{self, Legend};
use crate::raster::{Mesh, Sphere};
use crate::renderer::Renderer;
use crate::run::{Body, FrameData, Role, Run};
use crate::scale;
use crate::scene::{Scene, Section};
use crate::stored;

/// What a picture should look like.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Pixels.
    pub width: usize,
    /// Pixels.
    pub height: usize,
    /// Samples per pixel each way.
    pub samples: usize,
    /// What colours mean: if nothing is said, which fluid it is where there are several, and where
    /// there is one, speed of its particles and nothing of its surface.
    pub quantity: Option<Quantity>,
    /// From where it is seen.
    pub view: View,
    /// Shows the liquid's surface instead of its particles.
    pub surface: bool,
}

impl Default for Look {
    fn default() -> Look {
        Look {
            width: 1280,
            height: 720,
            samples: 2,
            quantity: None,
            view: View::Usual,
            surface: false,
        }
    }
}

/// What colours mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Quantity {
    // m/s
    /// Speed.
    Velocity,
    // Pa
    /// Pressure.
    Pressure,
    // kg/m³
    /// Density.
    Density,
    /// Which fluid it is.
    Phase,
    /// Nothing; all liquid is blue.
    None,
}

/// Everything that is the same for all pictures of a film.
#[derive(Clone, Debug)]
pub struct Stage<'a> {
    run: &'a Run,
    look: Look,
    quantity: Quantity,
    camera: Camera,
    bounds: Aabb,
    /// Height against gravity, m.
    ground: f64,
    range: Option<[f64; 2]>,
}

impl<'a> Stage<'a> {
    /// A camera and colours that suit the frames from `first` to `last`. Cameras of all pictures of
    /// a run are the same; colours suit the frames that are asked for.
    pub fn new(run: &'a Run, look: Look, first: u64, last: u64) -> Result<Stage<'a>, RenderError> {
        if run.frames.is_empty() {
            return Err(RenderError::Request("the run has no frames".to_owned()));
        }
        if !(16..=16384).contains(&look.width) || !(16..=16384).contains(&look.height) {
            let message = "pictures have 16 to 16384 pixels each way".to_owned();
            return Err(RenderError::Request(message));
        }
        if look.surface && run.is_2d {
            let message = "the liquid of a 2D scene has no surface in space: leave out --surface";
            return Err(RenderError::Request(message.to_owned()));
        }
        let Framing { outline, bounds, ground } = framing::of(run)?;
        let shown: Vec<u64> =
            run.frames.iter().copied().filter(|k| (first..=last).contains(k)).collect();
        let usual = match run.fluids.len() > 1 {
            true => Quantity::Phase,
            false if look.surface => Quantity::None,
            false => Quantity::Velocity,
        };
        let quantity = look.quantity.unwrap_or(usual);
        let range = range_of(run, &shown, |points| values(points, quantity))?;
        let range = match quantity {
            Quantity::Velocity => range.map(|[_, high]| [0.0, high]),
            _ => range,
        };
        let range = range.map(scale::rounded);
        let camera = camera(run, &look, quantity, bounds, &outline);
        Ok(Stage { run, look, quantity, camera, bounds, ground, range })
    }

    /// Draws a frame on the CPU.
    pub fn picture(&self, frame: &FrameData) -> Result<Image, RenderError> {
        self.picture_by(&Renderer::Cpu, frame)
    }

    /// Draws a frame.
    pub fn picture_by(&self, by: &Renderer, frame: &FrameData) -> Result<Image, RenderError> {
        let scene = self.scene(frame)?;
        let Look { width, height, samples, .. } = self.look;
        let mut image = by.render(&scene, &self.camera, width, height, samples.clamp(1, 4))?;
        overlay::draw(&mut image, &self.run.title, frame.time, self.legend().as_ref());
        Ok(image)
    }

    /// The colours of the particles of a frame.
    pub fn colors(&self, points: &Points) -> Vec<Linear> {
        let ramp = match self.quantity {
            Quantity::Phase => {
                return points.fluid.iter().map(|&k| color::of_fluid(k as usize)).collect();
            }
            Quantity::None => return vec![color::of_fluid(0); points.len()],
            _ => ramp(self.quantity),
        };
        let table = ramp.table();
        let [low, high] = self.range.unwrap_or([0.0, 1.0]);
        values(points, self.quantity)
            .iter()
            .map(|&v| {
                let t = (f64::from(v) - low) / (high - low);
                table[(t.clamp(0.0, 1.0) * 255.0 + 0.5) as usize] // not a number: the first
            })
            .collect()
    }

    /// The liquid, as particles or as its surface, and the bodies.
    pub fn scene(&self, frame: &FrameData) -> Result<Scene, RenderError> {
        let mut scene = self.bodies(frame);
        let colors = self.colors(&frame.points);
        if self.look.surface {
            let find = |name: &str| stored::in_directory(self.run, name);
            for liquid in stored::surfaces(self.run, frame.index, &frame.points, &colors, find)? {
                let mut mesh = Mesh {
                    positions: liquid.vertices.iter().map(|&v| self.camera.local(v)).collect(),
                    normals: liquid.normals,
                    colors: liquid.extra,
                    triangles: liquid.triangles,
                };
                crease::split(&mut mesh);
                append(&mut scene.water, &mesh);
            }
            return Ok(scene);
        }
        let radius = 0.5 * self.run.spacing as f32 * if self.run.is_2d { 1.1 } else { 1.05 };
        let particles = frame.points.position.iter().zip(colors);
        scene.spheres.extend(particles.map(|(&p, color)| Sphere {
            center: self.camera.local(p),
            radius,
            color,
        }));
        Ok(scene)
    }

    fn legend(&self) -> Option<Legend> {
        let title = match self.quantity {
            Quantity::Velocity => "speed (m/s)",
            Quantity::Pressure => "pressure (Pa)",
            Quantity::Density => "density (kg/m³)",
            Quantity::Phase => {
                let name =
                    |(k, (name, _)): (usize, &(String, f64))| (name.clone(), color::of_fluid(k));
                return Some(Legend::Names(self.run.fluids.iter().enumerate().map(name).collect()));
            }
            Quantity::None => return None,
        };
        let range = self.range?;
        let table = ramp(self.quantity).table();
        Some(Legend::Bar { title: title.to_owned(), range, table })
    }

    fn bodies(&self, frame: &FrameData) -> Scene {
        let up = self.run.up.as_vec3();
        let mut scene = Scene {
            up,
            radius: (self.bounds.size().length() / 2.0).max(1e-9) as f32,
            spacing: self.run.spacing as f32,
            flat: self.run.is_2d && self.camera.orthographic,
            ..Scene::default()
        };
        let mut obstacles = 0;
        for body in &frame.bodies {
            let role = self.run.role(body.solid);
            let color = match role {
                Role::Container => color::srgb(0xe9eef2),
                Role::Sheet => color::srgb(0xd0d6da),
                Role::Obstacle => {
                    obstacles += 1;
                    color::of_solid(obstacles - 1)
                }
            };
            if body.triangles.is_empty() {
                let radius = 0.5 * self.run.spacing as f32;
                scene.spheres.extend(body.vertices.iter().map(|&p| Sphere {
                    center: self.camera.local(p),
                    radius,
                    color,
                }));
            } else if scene.flat {
                let segments = cut(body, |p| self.camera.local(p));
                let fill = (role == Role::Obstacle).then_some(color);
                scene.sections.push(Section { segments, fill });
            } else if role == Role::Container {
                append(&mut scene.walls, &colored(body, &self.camera, color));
                scene.lines.extend(edges(body, &self.camera));
            } else {
                append(&mut scene.solids, &colored(body, &self.camera, color));
            }
        }
        if !scene.flat {
            let height = (self.ground - self.camera.origin.dot(self.run.up)) as f32;
            scene.ground = Some(height - 1e-3 * scene.radius);
        }
        scene
    }
}

fn camera(run: &Run, look: &Look, quantity: Quantity, bounds: Aabb, outline: &[DVec3]) -> Camera {
    let unit = overlay::unit(look.height);
    let bottom = if matches!(quantity, Quantity::None | Quantity::Phase) { 64.0 } else { 92.0 };
    let viewport = Viewport {
        size: Vec2::new(look.width as f32, look.height as f32),
        margins: [48.0 * unit, 64.0 * unit, 48.0 * unit, bottom * unit],
    };
    Camera::new(look.view, bounds, outline, run.up, run.is_2d, viewport)
}

fn ramp(quantity: Quantity) -> Ramp {
    match quantity {
        Quantity::Pressure => Ramp::Ember,
        Quantity::Density => Ramp::Meadow,
        _ => Ramp::Water,
    }
}

fn values(points: &Points, quantity: Quantity) -> Vec<f32> {
    match quantity {
        Quantity::Velocity => {
            points.velocity.par_iter().map(|&v| Vec3::from_array(v).length()).collect()
        }
        Quantity::Pressure => points.pressure.clone(),
        Quantity::Density => points.density.clone(),
        Quantity::Phase | Quantity::None => Vec::new(),
    }
}

/// The usual range of a quantity over some frames, of which it looks at eight at most.
pub fn range_of(
    run: &Run,
    frames: &[u64],
    values: impl Fn(&Points) -> Vec<f32>,
) -> Result<Option<[f64; 2]>, RenderError> {
    let mut range: Option<[f64; 2]> = None;
    let stride = frames.len() / 8 + 1;
    for &index in frames.iter().rev().step_by(stride) {
        if let Some([low, high]) = scale::range(&values(&run.load_points(index)?)) {
            let [a, b] = range.unwrap_or([low, high]);
            range = Some([a.min(low), b.max(high)]);
        }
    }
    Ok(range)
}

fn append(mesh: &mut Mesh, other: &Mesh) {
    let first = mesh.positions.len() as u32;
    mesh.positions.extend_from_slice(&other.positions);
    mesh.normals.extend_from_slice(&other.normals);
    mesh.colors.extend_from_slice(&other.colors);
    mesh.triangles.extend(other.triangles.iter().map(|t| t.map(|v| first + v)));
}

/// The body in one colour.
fn colored(body: &Body, camera: &Camera, color: Linear) -> Mesh {
    let (positions, normals) = crease::smooth(body, camera.origin);
    let count = positions.len() as u32;
    let triangles = (0..count / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    Mesh { colors: vec![color; positions.len()], positions, normals, triangles }
}

/// Edges of a container: where it ends, bends, or turns away from the camera.
fn edges(body: &Body, camera: &Camera) -> Vec<[Vec3; 2]> {
    crease::edges(body, camera.origin, |at, [n, m]| {
        let to_eye = camera.eye - at;
        (n.dot(to_eye) > 0.0) != (m.dot(to_eye) > 0.0)
    })
}

/// Where the triangles of a body meet the plane z = 0.
fn cut(body: &Body, place: impl Fn(DVec3) -> Vec3) -> Vec<[Vec3; 2]> {
    let mut segments = Vec::new();
    for t in &body.triangles {
        let corners = t.map(|v| body.vertices[v as usize]);
        let mut ends = Vec::new();
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            if (a.z > 0.0) != (b.z > 0.0) {
                ends.push(place(a.lerp(b, a.z / (a.z - b.z))));
            }
        }
        if let [a, b] = ends[..] {
            segments.push([a, b]);
        }
    }
    segments
}
