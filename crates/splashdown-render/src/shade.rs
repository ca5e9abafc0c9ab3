//! From what each sample shows to a picture: light, corners, water.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use crate::camera::Camera;
use crate::color::{ToSrgb, srgb};
use crate::image::Image;
use crate::light::Light;
use crate::outline::{draw_lines, draw_sections};
use crate::raster::{Buffer, Facing, Layer, Mesh};
use crate::scene::Scene;

/// Number that marks samples of the ground.
const GROUND: u32 = u32::MAX;

/// Draws the scene with `samples` × `samples` samples per pixel.
pub fn render(
    scene: &Scene,
    camera: &Camera,
    width: usize,
    height: usize,
    samples: usize,
) -> Image {
    let fine = camera.magnified(samples as f32);
    let mut buffer = Buffer::new(width * samples, height * samples);
    buffer.draw(&fine, &layers(scene));
    draw_ground(scene, &fine, &mut buffer);
    let light = Light::new(scene, camera);
    let corners = if scene.flat {
        vec![1.0; width * height]
    } else {
        ambient_visibility(scene, &fine, &buffer, samples)
    };
    let mut colors = shade(scene, &fine, &buffer, &light, &corners, samples);
    if !scene.water.triangles.is_empty() {
        draw_water(scene, &fine, &mut buffer, &light, &mut colors);
    }
    let mut image = resolve(&colors, width, height, samples);
    draw_outlines(scene, camera, &mut image, |x, y| {
        buffer.depth[y * samples * buffer.width + x * samples]
    });
    image
}

/// What is drawn on a picture pixel by pixel: cuts, and edges where nothing nearer than `depth(x,
/// y)` hides them.
pub(crate) fn draw_outlines(
    scene: &Scene,
    camera: &Camera,
    image: &mut Image,
    depth: impl Fn(usize, usize) -> f32,
) {
    draw_sections(scene, camera, image);
    draw_lines(scene, camera, depth, image);
}

fn layers(scene: &Scene) -> [Layer<'_>; 3] {
    [
        Layer::Spheres(&scene.spheres),
        Layer::Triangles(&scene.solids, Facing::Both),
        Layer::Triangles(&scene.walls, Facing::Away),
    ]
}

fn draw_ground(scene: &Scene, camera: &Camera, buffer: &mut Buffer) {
    let Some(height) = scene.ground else { return };
    let width = buffer.width;
    let rows = buffer.depth.par_chunks_mut(width).zip(buffer.id.par_chunks_mut(width));
    rows.enumerate().for_each(|(y, (depth, id))| {
        // Along a row, both the start and the direction of rays change evenly.
        let [first, next] = [0.5, 1.5]
            .map(|x| camera.ray(Vec2::new(x, y as f32 + 0.5)))
            .map(|(start, direction)| [height - start.dot(scene.up), direction.dot(scene.up)]);
        let step = [next[0] - first[0], next[1] - first[1]];
        for (x, (depth, id)) in depth.iter_mut().zip(id).enumerate() {
            let z = (first[0] + x as f32 * step[0]) / (first[1] + x as f32 * step[1]);
            // A floor of a tank may lie in the ground: it comes first.
            if z > camera.near && z * 1.0001 < *depth {
                *depth = z;
                *id = GROUND;
            }
        }
    });
}

/// What a sample shows.
struct Hit {
    position: Vec3,
    normal: Vec3,
    color: Vec3,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Sphere,
    Solid,
    Wall,
    Ground,
}

fn hit(scene: &Scene, camera: &Camera, pixel: Vec2, depth: f32, id: u32) -> Hit {
    let (start, direction) = camera.ray(pixel);
    let position = start + direction * depth;
    if id == GROUND {
        return Hit { position, normal: scene.up, color: Vec3::ZERO, kind: Kind::Ground };
    }
    let mut k = id as usize - 1;
    if let Some(sphere) = scene.spheres.get(k) {
        let v = camera.view(sphere.center);
        let center = camera.project(v);
        let n = (pixel - center) / (sphere.radius * camera.pixels_per_metre(v.z));
        let toward = (1.0 - n.length_squared()).max(0.0).sqrt();
        let normal = camera.right * n.x - camera.up * n.y - camera.forward * toward;
        return Hit { position, normal, color: sphere.color, kind: Kind::Sphere };
    }
    k -= scene.spheres.len();
    let (mesh, kind) = if k < scene.solids.triangles.len() {
        (&scene.solids, Kind::Solid)
    } else {
        k -= scene.solids.triangles.len();
        (&scene.walls, Kind::Wall)
    };
    let (normal, color) = interpolate(mesh, k, position);
    // Seen from inside, the wall looks at us.
    let normal = if normal.dot(direction) > 0.0 { -normal } else { normal };
    Hit { position, normal, color, kind }
}

/// Normal and colour of a triangle at a point of it.
fn interpolate(mesh: &Mesh, triangle: usize, p: Vec3) -> (Vec3, Vec3) {
    let corners = mesh.triangles[triangle].map(|v| v as usize);
    let [a, b, c] = corners.map(|v| mesh.positions[v]);
    let area = (b - a).cross(c - a);
    let scale = 1.0 / area.length_squared().max(f32::MIN_POSITIVE);
    let v = (p - a).cross(c - a).dot(area) * scale;
    let w = (b - a).cross(p - a).dot(area) * scale;
    let (v, w) = (v.clamp(0.0, 1.0), w.clamp(0.0, 1.0));
    let mix = |values: &[Vec3]| {
        let [x, y, z] = corners.map(|v| values[v]);
        x * (1.0 - v - w) + y * v + z * w
    };
    (mix(&mesh.normals).normalize_or(area.normalize_or(Vec3::Y)), mix(&mesh.colors))
}

/// Looks around a point that darken it.
pub(crate) const TAPS: usize = 10;

/// How far away things darken corners, m.
pub(crate) fn ambient_reach(scene: &Scene) -> f32 {
    (scene.radius * 0.09).max(scene.spacing * 3.0)
}

/// Where to look, for each of 16 patterns.
pub(crate) fn ambient_directions() -> Vec<Vec2> {
    (0..16 * TAPS)
        .map(|i| {
            let (turn, k) = ((i / TAPS) as f32 / 16.0, (i % TAPS) as f32);
            let angle = (k * 0.381_966 + turn) * std::f32::consts::TAU * 3.0;
            Vec2::from_angle(angle) * ((k + 0.3 + 0.6 * turn) / TAPS as f32)
        })
        .collect()
}

/// How much of the sky a pixel's point sees, from the depths around it.
///
/// Like Alchemy ambient obscurance (McGuire et al. 2011), with a fixed 4 × 4 pattern of directions
/// that a 4 × 4 mean removes again.
fn ambient_visibility(scene: &Scene, camera: &Camera, buffer: &Buffer, samples: usize) -> Vec<f32> {
    let (width, height) = (buffer.width / samples, buffer.height / samples);
    let reach = ambient_reach(scene);
    let sample = |x: usize, y: usize| y * samples * buffer.width + x * samples;
    let depths: Vec<f32> = (0..width * height)
        .into_par_iter()
        .map(|i| buffer.depth[sample(i % width, i / width)])
        .collect();
    let middle =
        |x: usize, y: usize| Vec2::new((x * samples) as f32 + 0.5, (y * samples) as f32 + 0.5);
    let directions = ambient_directions();
    let mut raw = vec![1.0f32; width * height];
    raw.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, visibility) in row.iter_mut().enumerate() {
            let s = sample(x, y);
            let (depth, id) = (buffer.depth[s], buffer.id[s]);
            if id == 0 {
                continue;
            }
            let point = hit(scene, camera, middle(x, y), depth, id);
            let pixels = reach * camera.pixels_per_metre(depth) / samples as f32;
            let pattern = (x * 5 + y * 7) % 16;
            let mut blocked = 0.0;
            for k in 0..TAPS {
                let at = directions[pattern * TAPS + k] * pixels.min(80.0);
                let (tx, ty) = (x as f32 + at.x, y as f32 + at.y);
                if tx < 0.0 || ty < 0.0 || tx >= width as f32 || ty >= height as f32 {
                    continue;
                }
                let (tx, ty) = (tx as usize, ty as usize);
                let tap = depths[ty * width + tx];
                if tap.is_infinite() {
                    continue;
                }
                let (start, direction) = camera.ray(middle(tx, ty));
                let v = start + direction * tap - point.position;
                let square = v.length_squared();
                let near = (1.0 - square / (reach * reach)).max(0.0);
                let rise = v.dot(point.normal) - 0.03 * reach;
                blocked += rise.max(0.0) / (square.sqrt() + 0.02 * reach) * near;
            }
            *visibility = (1.0 - 2.0 * blocked / TAPS as f32).clamp(0.15, 1.0);
        }
    });
    let mut smooth = vec![1.0f32; width * height];
    smooth.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, value) in row.iter_mut().enumerate() {
            let depth = depths[y * width + x];
            if depth.is_infinite() {
                continue;
            }
            let (mut sum, mut count) = (0.0, 0.0);
            for j in y.saturating_sub(2)..(y + 2).min(height) {
                for i in x.saturating_sub(2)..(x + 2).min(width) {
                    if (depths[j * width + i] - depth).abs() < 0.3 * reach {
                        sum += raw[j * width + i];
                        count += 1.0;
                    }
                }
            }
            *value = if count > 0.0 { sum / count } else { raw[y * width + x] };
        }
    });
    smooth
}

/// What does not depend on the sample.
pub(crate) struct Backdrop {
    pub ground: Vec3,
    pub top: Vec3,
    pub bottom: Vec3,
    /// Less than one: the colours change more near the top.
    pub bend: f32,
}

impl Backdrop {
    pub(crate) fn new(scene: &Scene) -> Backdrop {
        let (top, bottom, bend) = if scene.flat {
            (srgb(0xf6f8fa), srgb(0xe3e9ee), 1.0)
        } else {
            (srgb(0xf3f6f9), srgb(0xc3ced8), 0.8f32)
        };
        Backdrop { ground: srgb(0xd4dade), top, bottom, bend }
    }

    /// One colour for each row of samples.
    fn rows(&self, height: usize) -> Vec<Vec3> {
        let share = |y: usize| ((y as f32 + 0.5) / height as f32).powf(self.bend);
        (0..height).map(|y| self.top.lerp(self.bottom, share(y))).collect()
    }
}

pub(crate) const SKY: Vec3 = Vec3::new(0.54, 0.60, 0.68);
pub(crate) const BOUNCE: Vec3 = Vec3::new(0.36, 0.35, 0.34);
pub(crate) const SUN: Vec3 = Vec3::new(0.80, 0.77, 0.72);

/// What water mirrors where it does not mirror the sky.
pub(crate) fn horizon() -> Vec3 {
    srgb(0xb8c7d4)
}

fn shade(
    scene: &Scene,
    camera: &Camera,
    buffer: &Buffer,
    light: &Light,
    visibility: &[f32],
    samples: usize,
) -> Vec<Vec3> {
    let (width, height) = (buffer.width, buffer.height);
    let mut colors = vec![Vec3::ZERO; width * height];
    let per_block = width * samples;
    let backdrop = Backdrop::new(scene);
    let empty_rows = backdrop.rows(height);
    colors.par_chunks_mut(per_block).enumerate().for_each(|(block, rows)| {
        for column in 0..width / samples {
            // Samples of a pixel that show the same surface share one look at the shadow map.
            let mut known: Option<(f32, Kind, f32)> = None;
            let sky_seen = visibility[block * (width / samples) + column];
            for j in 0..samples {
                for i in 0..samples {
                    let (x, y) = (column * samples + i, block * samples + j);
                    let (depth, id) = (buffer.depth[y * width + x], buffer.id[y * width + x]);
                    let empty = empty_rows[y];
                    let color = &mut rows[j * width + x];
                    if id == 0 {
                        *color = empty;
                        continue;
                    }
                    let pixel = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                    let mut hit = hit(scene, camera, pixel, depth, id);
                    if hit.kind == Kind::Ground {
                        hit.color = backdrop.ground;
                    }
                    let sun = match known {
                        Some((z, kind, sun))
                            if kind == hit.kind && (z - depth).abs() < scene.spacing =>
                        {
                            sun
                        }
                        _ => {
                            let sun = light.reaching(hit.position, hit.normal);
                            known = Some((depth, hit.kind, sun));
                            sun
                        }
                    };
                    *color = lit(scene, camera, light, &hit, sun, sky_seen, empty);
                }
            }
        }
    });
    colors
}

fn lit(
    scene: &Scene,
    camera: &Camera,
    light: &Light,
    hit: &Hit,
    sun: f32,
    sky_seen: f32,
    empty: Vec3,
) -> Vec3 {
    if scene.flat {
        // Discs with a hint of roundness.
        let facing = -hit.normal.dot(camera.forward);
        return hit.color * (0.72 + 0.30 * facing.max(0.0));
    }
    let n = hit.normal;
    let height = n.dot(scene.up) * 0.5 + 0.5;
    let ambient = BOUNCE.lerp(SKY, height) * sky_seen;
    let facing = n.dot(light.direction).max(0.0);
    match hit.kind {
        Kind::Ground => {
            // Fades into the background far from the scene; only shadows darken it.
            let flat = hit.position - scene.up * hit.position.dot(scene.up);
            let far = ((flat.length() / scene.radius - 0.9) / 2.6).clamp(0.0, 1.0);
            let far = far * far * (3.0 - 2.0 * far);
            let dark = (0.55 + 0.45 * sun) * (0.45 + 0.55 * sky_seen);
            (hit.color * dark).lerp(empty, far)
        }
        Kind::Wall => {
            // Glass shows no shadows; floors do.
            let floor = ((n.dot(scene.up) - 0.5) / 0.4).clamp(0.0, 1.0);
            let dark = (1.0 - 0.32 * floor * (1.0 - sun)) * (0.5 + 0.5 * sky_seen);
            hit.color * (0.86 + 0.14 * facing) * dark
        }
        Kind::Sphere | Kind::Solid => {
            let (start, _) = camera.ray(camera.center);
            let to_eye = (start - hit.position).normalize_or(-camera.forward);
            let half = (light.direction + to_eye).normalize_or(n);
            let gloss = n.dot(half).max(0.0).powi(32) * sun;
            let gloss = if hit.kind == Kind::Sphere { 0.22 * gloss } else { 0.10 * gloss };
            hit.color * (ambient + SUN * facing * sun) + Vec3::splat(gloss)
        }
    }
}

/// Lays the liquid's surface over the shaded picture: refraction, absorption, reflection, glints.
fn draw_water(
    scene: &Scene,
    camera: &Camera,
    buffer: &mut Buffer,
    light: &Light,
    colors: &mut [Vec3],
) {
    let mut surface = Buffer::new(buffer.width, buffer.height);
    surface.draw(camera, &[Layer::Triangles(&scene.water, Facing::Both)]);
    let thickness = buffer.thickness(camera, &scene.water);
    let behind = colors.to_vec();
    let (width, height) = (buffer.width, buffer.height);
    let horizon = horizon();
    // A sixth of the scene is enough to hide what is behind it.
    let clear = scene.radius / 6.0;
    colors.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, color) in row.iter_mut().enumerate() {
            let s = y * width + x;
            let depth = surface.depth[s];
            if surface.id[s] == 0 || depth > buffer.depth[s] {
                continue;
            }
            let pixel = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
            let (start, direction) = camera.ray(pixel);
            let position = start + direction * depth;
            let (n, tint) = interpolate(&scene.water, surface.id[s] as usize - 1, position);
            let direction = direction.normalize();
            let n = if n.dot(direction) > 0.0 { -n } else { n };
            let cosine = -n.dot(direction);
            let fresnel = 0.02 + 0.98 * (1.0 - cosine).powi(5);

            let depth_of_water = thickness[s];
            // Bends the view by as much as the water is deep there.
            let bend = depth_of_water.min(clear) * 0.25 * camera.pixels_per_metre(depth);
            let side = Vec2::new(-n.dot(camera.right), n.dot(camera.up)) * bend;
            let from = (pixel + side)
                .clamp(Vec2::ZERO, Vec2::new(width as f32 - 1.0, height as f32 - 1.0));
            let seen = behind[from.y as usize * width + from.x as usize];

            let share = (-depth_of_water / clear).exp();
            let through =
                (tint.max(Vec3::splat(1e-3)).ln() * (0.35 * depth_of_water / clear)).exp();
            let sun = light.reaching(position, n);
            let facing = n.dot(light.direction).max(0.0);
            let sky = n.dot(scene.up) * 0.5 + 0.5;
            let body = tint
                * (BOUNCE.lerp(SKY, sky) * 1.05 + SUN * (0.15 + 0.45 * facing) * (0.5 + 0.5 * sun));
            let refracted = body.lerp(seen * through, share * 0.85);

            let r = direction - n * (2.0 * n.dot(direction));
            let up = r.dot(scene.up);
            let mirrored = horizon.lerp(Vec3::splat(1.05), (up * 0.9 + 0.25).clamp(0.0, 1.0));
            let glint = r.dot(light.direction).max(0.0).powi(160) * 2.2 * sun
                + r.dot(light.direction).max(0.0).powi(24) * 0.18 * sun;
            *color = refracted.lerp(mirrored, fresnel) + Vec3::splat(glint);
        }
    });
    // What is drawn afterwards is hidden by the water, too.
    let depths = buffer.depth.par_iter_mut().zip(&surface.depth);
    depths.for_each(|(depth, water)| *depth = depth.min(*water));
}

fn resolve(colors: &[Vec3], width: usize, height: usize, samples: usize) -> Image {
    let to_srgb = ToSrgb::new();
    let mut image = Image::new(width, height, [0; 3]);
    let share = 1.0 / (samples * samples) as f32;
    image.pixels.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, pixel) in row.iter_mut().enumerate() {
            let mut sum = Vec3::ZERO;
            for j in 0..samples {
                let first = (y * samples + j) * width * samples + x * samples;
                sum +=
                    colors[first..first + samples].iter().map(|c| c.min(Vec3::ONE)).sum::<Vec3>();
            }
            *pixel = to_srgb.bytes(sum * share);
        }
    });
    image
}
