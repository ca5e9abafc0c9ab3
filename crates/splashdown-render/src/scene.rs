//! What is in a picture.

use glam::Vec3;

use crate::raster::{Mesh, Sphere};

/// Everything in a picture, in metres relative to the camera's origin.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// Particles.
    pub spheres: Vec<Sphere>,
    /// Bodies.
    pub solids: Mesh,
    /// Containers; their near walls are left out.
    pub walls: Mesh,
    /// Surface of the liquid, translucent.
    pub water: Mesh,
    /// Edges of containers.
    pub lines: Vec<[Vec3; 2]>,
    /// Cuts through bodies, in 2D.
    pub sections: Vec<Section>,
    /// Height of the ground along `up`.
    pub ground: Option<f32>,
    /// Against gravity.
    pub up: Vec3,
    /// Radius of a ball about the origin that contains everything of interest, m.
    pub radius: f32,
    /// Distance between particles, m.
    pub spacing: f32,
    /// A 2D scene: no ground, no shadows.
    pub flat: bool,
}

/// The cut through a body in a 2D scene.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Its outline.
    pub segments: Vec<[Vec3; 2]>,
    /// What is inside; none if fluid is.
    pub fill: Option<Vec3>,
}
