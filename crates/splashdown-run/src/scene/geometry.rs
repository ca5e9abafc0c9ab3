//! Shapes as written in a scene → `Shape`, and what can be said about them before sampling.

use std::f64::consts::PI;
use std::path::Path;

use super::convert::Converter;
use super::file::shape::{self, FillShape, SolidShape};
use super::file::{FluidSide, Rotation, Vector};
use super::input::Input;
use super::memory::Bytes;
use super::validate::join;
use crate::math::{DVec3, Dimension, Pose};
use crate::shapes::{MeshShape, ParticleFile, Shape};

const MESH_ENDINGS: [&str; 3] = ["obj", "ply", "stl"];
const PARTICLE_ENDINGS: [&str; 7] = ["ply", "vtk", "bgeo", "gz", "csv", "txt", "xyz"];

/// Memory that a byte of a file takes while it is read, at most about.
const BYTES_PER_BYTE_OF_FILE: u128 = 24;

/// A shape that may still have to be read from a file.
#[derive(Clone, Debug)]
pub(crate) enum Geometry {
    Known(Shape),
    MeshFile { key: String, input: Input, scale: f64 },
    ParticleFile { key: String, input: Input },
}

/// A shape in its place.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub geometry: Geometry,
    pub pose: Pose,
}

impl Converter<'_, '_> {
    /// The shape and place of a `[[fluid.fill]]`.
    pub(super) fn fill_shape(
        &mut self,
        key: &str,
        shape: &FillShape,
        at: Option<&Vector>,
        rotate: &Rotation,
    ) -> Placed {
        let shape_key = join(key, "shape");
        let mut centre = None;
        let geometry = match shape {
            FillShape::Box(b) => self.block_shape(&shape_key, b, &mut centre),
            FillShape::Sphere(s) => sphere(s),
            FillShape::Cylinder(c) => cylinder(c),
            FillShape::Cone(c) => cone(c),
            FillShape::Torus(t) => self.torus(&shape_key, t),
            FillShape::Capsule(c) => capsule(c),
            FillShape::Rabbit(r) => self.made(&shape_key, &SolidShape::Rabbit(r.clone())),
            FillShape::Elephant(e) => self.made(&shape_key, &SolidShape::Elephant(e.clone())),
            FillShape::Duck(d) => self.made(&shape_key, &SolidShape::Duck(d.clone())),
            FillShape::Creature(c) => self.made(&shape_key, &SolidShape::Creature(c.clone())),
            FillShape::Mesh(m) => self.mesh(&shape_key, m),
            FillShape::Particles(p) => {
                let key = join(&shape_key, "particles.file");
                let input = self.input(&key, &p.file, &PARTICLE_ENDINGS);
                Geometry::ParticleFile { key, input }
            }
        };
        Placed { geometry, pose: self.placement(key, at, centre, rotate) }
    }

    /// The shape and place of a `[[solid]]`.
    pub(super) fn solid_shape(
        &mut self,
        key: &str,
        shape: &SolidShape,
        at: Option<&Vector>,
        rotate: &Rotation,
    ) -> Placed {
        self.shape_of(key, shape, (at, rotate), self.spacing)
    }

    /// The same of what has elements of a size of its own.
    pub(super) fn shape_of(
        &mut self,
        key: &str,
        shape: &SolidShape,
        (at, rotate): (Option<&Vector>, &Rotation),
        element_size: f64,
    ) -> Placed {
        let shape_key = join(key, "shape");
        let mut centre = None;
        let geometry = match shape {
            SolidShape::Box(b) => self.block_shape(&shape_key, b, &mut centre),
            SolidShape::Sphere(s) => sphere(s),
            SolidShape::Cylinder(c) => cylinder(c),
            SolidShape::Cone(c) => cone(c),
            SolidShape::Torus(t) => self.torus(&shape_key, t),
            SolidShape::Capsule(c) => capsule(c),
            SolidShape::Mesh(m) => self.mesh(&shape_key, m),
            SolidShape::Plane(p) => {
                let normal = self.direction(&join(&shape_key, "plane.normal"), &p.normal);
                Geometry::Known(Shape::Plane { normal, half_size: p.size / 2.0 })
            }
            SolidShape::Tank(t) => {
                let half;
                let parts = [&t.size, &t.min, &t.max];
                (half, centre) = self.block(&join(&shape_key, "tank"), parts);
                Geometry::Known(Shape::Tank { half, open: t.open.clone() })
            }
            generated => self.made_of(&shape_key, generated, element_size),
        };
        Placed { geometry, pose: self.placement(key, at, centre, rotate) }
    }

    /// What a generator makes, once for all copies.
    fn made(&mut self, key: &str, shape: &SolidShape) -> Geometry {
        self.made_of(key, shape, self.spacing)
    }

    fn made_of(&mut self, key: &str, shape: &SolidShape, element_size: f64) -> Geometry {
        if let Some(geometry) = self.generated.get(key) {
            return geometry.clone();
        }
        let made = self.generated_shape(key, shape, element_size);
        // All others are known already.
        let made = made.unwrap_or(Geometry::Known(Shape::Sphere { radius: 1.0 }));
        self.generated.insert(key.to_owned(), made.clone());
        made
    }

    fn block_shape(
        &mut self,
        key: &str,
        block: &shape::BoxShape,
        centre: &mut Option<DVec3>,
    ) -> Geometry {
        let parts = [&block.size, &block.min, &block.max];
        let half;
        (half, *centre) = self.block(&join(key, "box"), parts);
        Geometry::Known(Shape::Box { half })
    }

    fn torus(&mut self, key: &str, torus: &shape::Torus) -> Geometry {
        if torus.minor >= torus.major {
            let help = format!("must be below major, {} m", torus.major);
            let message = format!("{} is out of range", torus.minor);
            self.report.key(&join(key, "torus.minor"), message, Some(help));
        }
        Geometry::Known(Shape::Torus { major: torus.major, minor: torus.minor })
    }

    fn mesh(&mut self, key: &str, mesh: &shape::Mesh) -> Geometry {
        let key = join(key, "mesh.file");
        let input = self.input(&key, &mesh.file, &MESH_ENDINGS);
        Geometry::MeshFile { key, input, scale: mesh.scale }
    }

    /// The shape itself, read from its file if need be; `None` if that failed.
    pub(super) fn load(&mut self, geometry: &Geometry) -> Option<Shape> {
        match geometry {
            Geometry::Known(shape) => Some(shape.clone()),
            Geometry::ParticleFile { .. } => None,
            Geometry::MeshFile { key, input, scale } => {
                let place = (input.clone(), scale.to_bits());
                if !self.meshes.contains_key(&place) {
                    let read = self.readable(input).and_then(|()| scaled_mesh(input, *scale));
                    self.meshes.insert(place.clone(), read);
                }
                match &self.meshes[&place] {
                    Ok(shape) => Some(shape.clone()),
                    Err(message) => {
                        self.report.key(key, message, None);
                        None
                    }
                }
            }
        }
    }

    /// The particles of a file; `None` if it could not be read.
    pub(super) fn read_particles(&mut self, key: &str, input: &Input) -> Option<ParticleFile> {
        if let Some(read) = self.particles.remove(input) {
            return Some(read);
        }
        let read = self.readable(input).and_then(|()| input.particles());
        read.map_err(|message| self.report.key(key, message, None)).ok()
    }

    /// Whether the content of an input fits into memory.
    fn readable(&self, input: &Input) -> Result<(), String> {
        match input {
            Input::Disk(path) => self.affordable(path),
            Input::Builtin(_) => Ok(()),
        }
    }

    /// Whether the content of a file fits into memory.
    pub(super) fn affordable(&self, path: &Path) -> Result<(), String> {
        let bytes = read_bytes(path);
        if bytes <= self.memory.into() {
            return Ok(());
        }
        let (needs, limit) = (Bytes(bytes), Bytes(self.memory.into()));
        Err(format!("reading it needs about {needs} of memory; the limit is {limit} (--memory)"))
    }
}

/// About what reading a file takes: numbers in memory are larger than in files, and meshes get a
/// tree.
pub(crate) fn read_bytes(path: &Path) -> u128 {
    let length = std::fs::metadata(path).map_or(0, |file| file.len());
    BYTES_PER_BYTE_OF_FILE * u128::from(length)
}

fn scaled_mesh(input: &Input, scale: f64) -> Result<Shape, String> {
    let mut mesh = input.mesh()?;
    mesh.vertices.iter_mut().for_each(|v| *v *= scale);
    MeshShape::new(mesh).map(Shape::Mesh).map_err(|e| e.to_string())
}

fn sphere(s: &shape::Sphere) -> Geometry {
    Geometry::Known(Shape::Sphere { radius: s.radius })
}

fn cylinder(c: &shape::Cylinder) -> Geometry {
    Geometry::Known(Shape::Cylinder { radius: c.radius, half_height: c.height / 2.0 })
}

fn cone(c: &shape::Cone) -> Geometry {
    Geometry::Known(Shape::Cone { radius: c.radius, height: c.height })
}

fn capsule(c: &shape::Capsule) -> Geometry {
    Geometry::Known(Shape::Capsule { radius: c.radius, half_height: c.height / 2.0 })
}

/// Where fluid may be, if the scene does not say.
pub(crate) fn default_side(shape: &Shape) -> FluidSide {
    match shape {
        Shape::Tank { .. } => FluidSide::Inside,
        Shape::Plane { .. } => FluidSide::Both,
        Shape::Mesh(mesh) if !mesh.is_closed() => FluidSide::Both,
        _ => FluidSide::Outside,
    }
}

/// Volume in m³ (in 2D the area of the cut, times one metre); none for sheets and for meshes, which
/// have to be read first.
pub(crate) fn volume(shape: &Shape, dimension: Dimension) -> Option<f64> {
    let flat = dimension == Dimension::Two;
    Some(match *shape {
        Shape::Box { half } | Shape::Tank { half, .. } if flat => 4.0 * half.x * half.y,
        Shape::Box { half } | Shape::Tank { half, .. } => 8.0 * half.x * half.y * half.z,
        Shape::Sphere { radius: r } if flat => PI * r * r,
        Shape::Sphere { radius: r } => 4.0 / 3.0 * PI * r.powi(3),
        Shape::Cylinder { radius: r, half_height } if flat => 4.0 * r * half_height,
        Shape::Cylinder { radius: r, half_height } => 2.0 * PI * r * r * half_height,
        Shape::Cone { radius: r, height } if flat => r * height,
        Shape::Cone { radius: r, height } => PI * r * r * height / 3.0,
        Shape::Torus { minor, .. } if flat => 2.0 * PI * minor * minor,
        Shape::Torus { major, minor } => 2.0 * PI * PI * major * minor * minor,
        Shape::Capsule { radius: r, half_height } if flat => PI * r * r + 4.0 * r * half_height,
        Shape::Capsule { radius: r, half_height } => {
            4.0 / 3.0 * PI * r.powi(3) + 2.0 * PI * r * r * half_height
        }
        Shape::Mesh(ref mesh) if mesh.is_closed() && !flat => mesh.volume(),
        Shape::Plane { .. } | Shape::Mesh(_) => return None,
    })
}

/// Surface in m² (in 2D the length of the outline, times one metre), roughly; none for meshes.
pub(crate) fn surface(shape: &Shape, dimension: Dimension) -> Option<f64> {
    let flat = dimension == Dimension::Two;
    Some(match *shape {
        Shape::Box { half } | Shape::Tank { half, .. } if flat => 4.0 * (half.x + half.y),
        Shape::Box { half } | Shape::Tank { half, .. } => {
            8.0 * (half.x * half.y + half.y * half.z + half.z * half.x)
        }
        Shape::Sphere { radius: r } if flat => 2.0 * PI * r,
        Shape::Sphere { radius: r } => 4.0 * PI * r * r,
        Shape::Cylinder { radius: r, half_height } if flat => 4.0 * (r + half_height),
        Shape::Cylinder { radius: r, half_height } => 2.0 * PI * r * (r + 2.0 * half_height),
        Shape::Cone { radius: r, height } if flat => 2.0 * (r + r.hypot(height)),
        Shape::Cone { radius: r, height } => PI * r * (r + r.hypot(height)),
        Shape::Torus { minor, .. } if flat => 4.0 * PI * minor,
        Shape::Torus { major, minor } => 4.0 * PI * PI * major * minor,
        Shape::Capsule { radius: r, half_height } if flat => 2.0 * PI * r + 4.0 * half_height,
        Shape::Capsule { radius: r, half_height } => 4.0 * PI * r * (r + half_height),
        Shape::Plane { half_size, .. } if flat => 2.0 * half_size,
        Shape::Plane { half_size, .. } => 4.0 * half_size * half_size,
        Shape::Mesh(ref mesh) if !flat => mesh.surface().area(),
        Shape::Mesh(_) => return None,
    })
}
