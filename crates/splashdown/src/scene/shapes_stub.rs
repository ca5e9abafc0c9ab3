//! Stands in for `crate::shapes` until it lands: blocks, tanks and balls only.
#![allow(missing_docs, dead_code)]

use std::path::Path;

use crate::math::{Aabb, DVec3, Dimension, Pose};
use crate::world::TriangleMesh;

#[derive(Clone, Debug)]
pub enum Shape {
    Box { half: DVec3 },
    Sphere { radius: f64 },
    Cylinder { radius: f64, half_height: f64 },
    Cone { radius: f64, height: f64 },
    Torus { major: f64, minor: f64 },
    Capsule { radius: f64, half_height: f64 },
    Plane { normal: DVec3, half_size: f64 },
    Tank { half: DVec3, open: Vec<Face> },
    Mesh(MeshShape),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    Left,
    Right,
    Bottom,
    Top,
    Back,
    Front,
}

#[derive(Clone, Debug)]
pub struct MeshShape(TriangleMesh);

impl MeshShape {
    pub fn new(mesh: TriangleMesh) -> Result<MeshShape, String> {
        Ok(MeshShape(mesh))
    }
    pub fn is_closed(&self) -> bool {
        true
    }
}

pub struct ParticleFile {
    pub positions: Vec<DVec3>,
    pub velocities: Option<Vec<DVec3>>,
}

pub fn read_mesh(_: &Path) -> Result<TriangleMesh, String> {
    Err("not yet".to_string())
}

pub fn read_particles(_: &Path) -> Result<ParticleFile, String> {
    Err("not yet".to_string())
}

impl Shape {
    fn half(&self) -> DVec3 {
        match self {
            Shape::Box { half } | Shape::Tank { half, .. } => *half,
            Shape::Sphere { radius } => DVec3::splat(*radius),
            Shape::Cylinder { radius, half_height } => DVec3::new(*radius, *half_height, *radius),
            Shape::Cone { radius, height } => DVec3::new(*radius, *height, *radius),
            Shape::Torus { major, minor } => DVec3::new(major + minor, *minor, major + minor),
            Shape::Capsule { radius, half_height } => {
                DVec3::new(*radius, half_height + radius, *radius)
            }
            Shape::Plane { half_size, .. } => DVec3::new(*half_size, 1e-9, *half_size),
            Shape::Mesh(_) => DVec3::ONE,
        }
    }

    pub fn signed_distance(&self, p: DVec3, dimension: Dimension) -> f64 {
        let p = dimension.flatten(p);
        if let Shape::Sphere { radius } = self {
            return p.length() - radius;
        }
        let mut q = p.abs() - self.half();
        if dimension == Dimension::Two {
            q.z = f64::NEG_INFINITY;
        }
        q.max(DVec3::ZERO).length() + q.max_element().min(0.0)
    }

    pub fn bounds(&self) -> Aabb {
        Aabb { min: -self.half(), max: self.half() }
    }

    pub fn surface(&self) -> TriangleMesh {
        TriangleMesh::default()
    }

    pub fn sample_surface(
        &self,
        spacing: f64,
        offset: f64,
        dimension: Dimension,
    ) -> Result<Vec<DVec3>, String> {
        let half = self.half() + offset;
        let axis = |h: f64| {
            let n = (2.0 * h / spacing).round().max(1.0) as i64;
            (0..=n).map(move |k| -h + 2.0 * h * k as f64 / n as f64)
        };
        let z: Vec<f64> =
            if dimension == Dimension::Two { vec![0.0] } else { axis(half.z).collect() };
        let mut points = Vec::new();
        for x in axis(half.x) {
            for y in axis(half.y) {
                for &z in &z {
                    let p = DVec3::new(x, y, z);
                    let r = p.abs() / half;
                    if r.x.max(r.y) > 1.0 - 1e-9
                        || (dimension == Dimension::Three && r.z > 1.0 - 1e-9)
                    {
                        points.push(p);
                    }
                }
            }
        }
        Ok(points)
    }
}

pub fn fill(shape: &Shape, pose: &Pose, spacing: f64, dimension: Dimension) -> Vec<DVec3> {
    let half = shape.half();
    let axis = |h: f64| {
        let n = (2.0 * h / spacing).round().max(1.0) as i64;
        (0..n).map(move |k| (k as f64 + 0.5 - n as f64 / 2.0) * spacing)
    };
    let z: Vec<f64> = if dimension == Dimension::Two { vec![0.0] } else { axis(half.z).collect() };
    let mut points = Vec::new();
    for x in axis(half.x) {
        for y in axis(half.y) {
            for &z in &z {
                let p = DVec3::new(x, y, z);
                if shape.signed_distance(p, dimension) < 0.0 {
                    points.push(pose.apply(p));
                }
            }
        }
    }
    points
}
