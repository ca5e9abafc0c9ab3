//! The sun and its shadows.

use glam::Vec3;

use crate::camera::Camera;
use crate::raster::{Buffer, Facing, Layer};
use crate::scene::Scene;

/// Texels of the shadow map each way.
pub(crate) const SHADOW_SIZE: usize = 1024;

/// Where the sun is.
pub(crate) struct Sun {
    /// Towards the sun.
    pub direction: Vec3,
    /// Sees what the sun sees.
    pub camera: Camera,
    /// How far things do not shade themselves, m.
    pub bias: f32,
}

impl Sun {
    pub(crate) fn new(scene: &Scene, camera: &Camera) -> Sun {
        let back = -camera.forward;
        let back = (back - scene.up * back.dot(scene.up)).normalize_or(camera.up);
        let left = -camera.right;
        let direction = (scene.up * 1.25 + left * 0.55 + back * 0.45).normalize_or(Vec3::Y);
        let camera = Camera::of_light(direction, camera.origin, scene.radius, SHADOW_SIZE);
        let texel = 2.0 * scene.radius / SHADOW_SIZE as f32;
        Sun { direction, camera, bias: (1.2 * scene.spacing).max(2.0 * texel) }
    }
}

/// The sun and its shadow map.
pub(crate) struct Light {
    /// Towards the sun.
    pub direction: Vec3,
    camera: Camera,
    map: Option<Buffer>,
    bias: f32,
}

impl Light {
    pub(crate) fn new(scene: &Scene, camera: &Camera) -> Light {
        let Sun { direction, camera: light, bias } = Sun::new(scene, camera);
        let map = (!scene.flat).then(|| {
            let mut map = Buffer::new(SHADOW_SIZE, SHADOW_SIZE);
            let casting = [
                Layer::Spheres(&scene.spheres),
                Layer::Triangles(&scene.solids, Facing::Both),
                Layer::Triangles(&scene.water, Facing::Both),
            ];
            map.draw(&light, &casting);
            map
        });
        Light { direction, camera: light, map, bias }
    }

    /// Which share of the sun reaches a point.
    pub(crate) fn reaching(&self, position: Vec3, normal: Vec3) -> f32 {
        const REACH: i32 = 2;
        let Some(map) = &self.map else { return 1.0 };
        let v = self.camera.view(position + normal * self.bias);
        let p = self.camera.project(v) - 0.5;
        let z = v.z - self.bias * 0.5;
        let (corner, share) = (p.floor(), p - p.floor());
        let (x, y) = (corner.x as i32, corner.y as i32);
        let size = SHADOW_SIZE as i32;
        if x < REACH || y < REACH || x + REACH + 1 >= size || y + REACH + 1 >= size {
            return 1.0;
        }
        // A box of 5 × 5 texels, its border weighted by where between texels the point is.
        let weight = |k: i32, share: f32| match k {
            k if k == -REACH => 1.0 - share,
            k if k == REACH + 1 => share,
            _ => 1.0,
        };
        let mut lit = 0.0;
        for j in -REACH..=REACH + 1 {
            let row = (y + j) as usize * SHADOW_SIZE;
            let wy = weight(j, share.y);
            for i in -REACH..=REACH + 1 {
                let open = map.depth[row + (x + i) as usize] >= z;
                lit += if open { wy * weight(i, share.x) } else { 0.0 };
            }
        }
        lit / ((2 * REACH + 1) * (2 * REACH + 1)) as f32
    }
}
