//! Which sphere or triangle each sample of a picture shows, and how far away it is.
//!
//! Rows are drawn in bands, each by one thread and in the order of the primitives, so the result
//! does not depend on the number of threads.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use crate::camera::Camera;

/// Rows of a band.
const BAND: usize = 16;

/// A sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// m, relative to the camera's origin.
    pub center: Vec3,
    /// m
    pub radius: f32,
    /// In linear light.
    pub color: Vec3,
}

/// Triangles with normals and colours at their corners.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// m, relative to the camera's origin.
    pub positions: Vec<Vec3>,
    /// Of length one.
    pub normals: Vec<Vec3>,
    /// In linear light.
    pub colors: Vec<Vec3>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Which sides of triangles are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facing {
    /// Both sides.
    Both,
    /// Only the inside: what is seen of a container when its near walls are taken away.
    Away,
}

/// Something that can be drawn.
#[derive(Clone, Copy, Debug)]
pub enum Layer<'a> {
    /// Spheres.
    Spheres(&'a [Sphere]),
    /// Triangles.
    Triangles(&'a Mesh, Facing),
}

impl Layer<'_> {
    /// How many spheres or triangles it has.
    pub fn len(&self) -> usize {
        match self {
            Layer::Spheres(spheres) => spheres.len(),
            Layer::Triangles(mesh, _) => mesh.triangles.len(),
        }
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What each sample shows.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Samples in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Distance along the camera's axis, m; infinite where there is nothing.
    pub depth: Vec<f32>,
    /// Number of the primitive, counted through all layers from 1 on; 0 where there is nothing.
    pub id: Vec<u32>,
}

#[derive(Clone, Copy)]
enum Shape {
    Sphere(Disc),
    /// Corners in pixels with what is interpolated: 1/z, or z in orthographic pictures.
    Triangle([Vec3; 3]),
}

/// A sphere as it is seen.
#[derive(Clone, Copy)]
struct Disc {
    /// Pixels.
    center: Vec2,
    /// Radius in pixels.
    pixels: f32,
    /// Depth of the centre, m.
    z: f32,
    /// m
    radius: f32,
}

impl Shape {
    /// Depth of its nearest point, m.
    fn nearest(&self, camera: &Camera) -> f32 {
        match self {
            Shape::Sphere(disc) => disc.z - disc.radius,
            Shape::Triangle([a, b, c]) if camera.orthographic => a.z.min(b.z).min(c.z),
            Shape::Triangle([a, b, c]) => 1.0 / a.z.max(b.z).max(c.z),
        }
    }
}

/// Some rows of a buffer, drawn by one thread.
struct Band<'a> {
    width: usize,
    first_row: usize,
    depth: &'a mut [f32],
    id: &'a mut [u32],
}

impl Band<'_> {
    fn rows(&self) -> [usize; 2] {
        [self.first_row, self.first_row + self.depth.len() / self.width]
    }

    fn sphere(&mut self, disc: &Disc, number: u32) {
        let Disc { center, pixels, z, radius } = *disc;
        let nearest = z - radius;
        let [from, to] = self.rows();
        let Some([first, last]) = rows(center.y - pixels, center.y + pixels, to) else { return };
        let per_pixel = 1.0 / pixels;
        for row in (first as usize).max(from)..=last as usize {
            let dy = (row as f32 + 0.5 - center.y) * per_pixel;
            let half = (1.0 - dy * dy).max(0.0).sqrt() * pixels;
            let columns = columns(center.x - half, center.x + half, self.width);
            let start = (row - from) * self.width;
            let depths = &mut self.depth[start + columns.start..start + columns.end];
            let ids = &mut self.id[start + columns.start..start + columns.end];
            for (k, (depth, id)) in depths.iter_mut().zip(ids).enumerate() {
                if *depth <= nearest {
                    continue;
                }
                let dx = ((columns.start + k) as f32 + 0.5 - center.x) * per_pixel;
                let here = z - radius * (1.0 - dx * dx - dy * dy).max(0.0).sqrt();
                if here < *depth {
                    *depth = here;
                    *id = number;
                }
            }
        }
    }

    fn triangle(&mut self, camera: &Camera, corners: &[Vec3; 3], number: u32) {
        let rows = self.rows();
        visit(corners, camera.orthographic, self.width, rows, |i, z| {
            if z < self.depth[i] {
                self.depth[i] = z;
                self.id[i] = number;
            }
        });
    }
}

struct Projected {
    shape: Shape,
    id: u32,
    /// First and last row.
    rows: [u32; 2],
}

impl Buffer {
    /// Nothing, as far as the eye can see.
    pub fn new(width: usize, height: usize) -> Buffer {
        let n = width * height;
        Buffer { width, height, depth: vec![f32::INFINITY; n], id: vec![0; n] }
    }

    /// Draws layers; at every sample the nearest wins.
    pub fn draw(&mut self, camera: &Camera, layers: &[Layer<'_>]) {
        let mut shapes = project(camera, layers, self.height);
        // Near ones first: most of what they hide is then rejected by one comparison.
        shapes.par_sort_unstable_by(|a, b| {
            a.shape.nearest(camera).total_cmp(&b.shape.nearest(camera)).then(a.id.cmp(&b.id))
        });
        let bins = bin(&shapes, self.height);
        let width = self.width;
        let bands =
            self.depth.par_chunks_mut(BAND * width).zip(self.id.par_chunks_mut(BAND * width));
        bands.zip(&bins).enumerate().for_each(|(band, ((depth, id), bin))| {
            let mut band = Band { width, first_row: band * BAND, depth, id };
            for &k in bin {
                let Projected { shape, id: number, .. } = &shapes[k as usize];
                match shape {
                    Shape::Sphere(sphere) => band.sphere(sphere, *number),
                    Shape::Triangle(corners) => band.triangle(camera, corners, *number),
                }
            }
        });
    }

    /// How much of each sample's ray is inside a closed mesh, up to the depth of this buffer, m.
    pub fn thickness(&self, camera: &Camera, mesh: &Mesh) -> Vec<f32> {
        let layers = [Layer::Triangles(mesh, Facing::Both)];
        let shapes = project(camera, &layers, self.height);
        let bins = bin(&shapes, self.height);
        let width = self.width;
        let mut thickness = vec![0.0; self.depth.len()];
        let bands = thickness.par_chunks_mut(BAND * width).zip(self.depth.par_chunks(BAND * width));
        bands.zip(&bins).enumerate().for_each(|(band, ((sum, depth), bin))| {
            let rows = [band * BAND, band * BAND + depth.len() / width];
            for &k in bin {
                let Shape::Triangle(corners) = &shapes[k as usize].shape else { continue };
                // Leaving counts up to where the ray is stopped, entering counts against it.
                let sign = if signed_area(corners) > 0.0 { 1.0 } else { -1.0 };
                visit(corners, camera.orthographic, width, rows, |i, z| {
                    sum[i] += sign * z.min(depth[i]);
                });
            }
        });
        thickness.par_iter_mut().for_each(|t| *t = t.max(0.0));
        thickness
    }
}

/// Twice the area of a triangle in pixels; positive if its inside is seen (y points down).
fn signed_area([a, b, c]: &[Vec3; 3]) -> f32 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

fn project(camera: &Camera, layers: &[Layer<'_>], height: usize) -> Vec<Projected> {
    let mut shapes = Vec::new();
    let mut first_id = 1;
    for layer in layers {
        match layer {
            Layer::Spheres(spheres) => shapes.par_extend(
                spheres
                    .par_iter()
                    .enumerate()
                    .filter_map(|(k, s)| project_sphere(camera, s, first_id + k as u32, height)),
            ),
            Layer::Triangles(mesh, facing) => {
                shapes.par_extend((0..mesh.triangles.len()).into_par_iter().flat_map_iter(|k| {
                    project_triangle(camera, mesh, k, *facing, first_id + k as u32, height)
                }));
            }
        }
        first_id += layer.len() as u32;
    }
    shapes
}

fn project_sphere(camera: &Camera, s: &Sphere, id: u32, height: usize) -> Option<Projected> {
    let v = camera.view(s.center);
    if !v.is_finite() || v.z - s.radius <= camera.near {
        return None;
    }
    let center = camera.project(v);
    let pixels = s.radius * camera.pixels_per_metre(v.z);
    let rows = rows(center.y - pixels, center.y + pixels, height)?;
    let disc = Disc { center, pixels, z: v.z, radius: s.radius };
    Some(Projected { shape: Shape::Sphere(disc), id, rows })
}

fn project_triangle(
    camera: &Camera,
    mesh: &Mesh,
    k: usize,
    facing: Facing,
    id: u32,
    height: usize,
) -> impl Iterator<Item = Projected> {
    let corners = mesh.triangles[k].map(|v| camera.view(mesh.positions[v as usize]));
    let polygon = if corners.iter().all(|c| c.is_finite()) {
        clip_near(corners, camera.near)
    } else {
        Vec::new()
    };
    let camera = *camera;
    let to_screen = move |v: Vec3| {
        let p = camera.project(v);
        Vec3::new(p.x, p.y, if camera.orthographic { v.z } else { 1.0 / v.z })
    };
    let screen: Vec<Vec3> = polygon.into_iter().map(to_screen).collect();
    (2..screen.len()).filter_map(move |i| {
        let corners = [screen[0], screen[i - 1], screen[i]];
        let area = signed_area(&corners);
        if area == 0.0 || !area.is_finite() || (facing == Facing::Away && area < 0.0) {
            return None;
        }
        let low = corners[0].y.min(corners[1].y).min(corners[2].y);
        let high = corners[0].y.max(corners[1].y).max(corners[2].y);
        let rows = rows(low, high, height)?;
        Some(Projected { shape: Shape::Triangle(corners), id, rows })
    })
}

/// The part of a triangle that is in front of the camera.
fn clip_near(corners: [Vec3; 3], near: f32) -> Vec<Vec3> {
    if corners.iter().all(|c| c.z > near) {
        return corners.to_vec();
    }
    let mut kept = Vec::new();
    for i in 0..3 {
        let (a, b) = (corners[i], corners[(i + 1) % 3]);
        if a.z > near {
            kept.push(a);
        }
        if (a.z > near) != (b.z > near) {
            kept.push(a.lerp(b, (near - a.z) / (b.z - a.z)).with_z(near));
        }
    }
    kept
}

/// First and last row with a sample between `low` and `high`.
fn rows(low: f32, high: f32, height: usize) -> Option<[u32; 2]> {
    let first = (low - 0.5).ceil().max(0.0);
    let last = (high - 0.5).floor().min(height as f32 - 1.0);
    (first <= last).then_some([first as u32, last as u32])
}

/// Numbers of the shapes that touch each band.
fn bin(shapes: &[Projected], height: usize) -> Vec<Vec<u32>> {
    let mut bins = vec![Vec::new(); height.div_ceil(BAND)];
    for (k, shape) in shapes.iter().enumerate() {
        let [first, last] = shape.rows.map(|row| row as usize / BAND);
        for bin in &mut bins[first..=last] {
            bin.push(k as u32);
        }
    }
    bins
}

/// Samples of a row between `low` and `high`. One on a shared edge belongs to one side only.
fn columns(low: f32, high: f32, width: usize) -> std::ops::Range<usize> {
    let first = (low - 0.5).ceil().max(0.0);
    let last = (high - 0.5).ceil().min(width as f32);
    if first < last { first as usize..last as usize } else { 0..0 }
}

/// Calls `found(index in the band, depth)` for every sample of a triangle in the rows of a band.
fn visit(
    corners: &[Vec3; 3],
    orthographic: bool,
    width: usize,
    [from, to]: [usize; 2],
    mut found: impl FnMut(usize, f32),
) {
    let [a, b, c] = *corners;
    let inverse = 1.0 / signed_area(corners);
    let low = a.min(b).min(c);
    let high = a.max(b).max(c);
    let exact = |value: f32| value.clamp(low.z, high.z); // slivers would extrapolate
    let Some([first, last]) = rows(low.y, high.y, to) else { return };
    for row in (first as usize).max(from)..=last as usize {
        let y = row as f32 + 0.5;
        // Where this row enters and leaves the triangle.
        let (mut left, mut right) = (f32::INFINITY, f32::NEG_INFINITY);
        for [p, q] in [[a, b], [b, c], [c, a]] {
            if (p.y <= y) != (q.y <= y) {
                // From the upper to the lower corner, so that triangles that share an edge
                // agree about it to the last bit.
                let [p, q] = if p.y < q.y { [p, q] } else { [q, p] };
                let x = p.x + (q.x - p.x) * ((y - p.y) / (q.y - p.y));
                left = left.min(x);
                right = right.max(x);
            }
        }
        for column in columns(left, right, width) {
            let p = Vec2::new(column as f32 + 0.5, y);
            let v = ((c.x - p.x) * (a.y - p.y) - (c.y - p.y) * (a.x - p.x)) * inverse;
            let w = ((a.x - p.x) * (b.y - p.y) - (a.y - p.y) * (b.x - p.x)) * inverse;
            let value = exact(a.z + (b.z - a.z) * v + (c.z - a.z) * w);
            found((row - from) * width + column, if orthographic { value } else { 1.0 / value });
        }
    }
}
