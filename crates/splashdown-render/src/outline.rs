//! Edges and cuts, drawn on a finished picture.

use glam::Vec2;

use crate::camera::Camera;
use crate::color::ToSrgb;
use crate::image::Image;
use crate::scene::Scene;

const LINE_COLOR: [u8; 3] = [122, 136, 148];

/// Edges of containers, where nothing is in front of them.
pub(crate) fn draw_lines(
    scene: &Scene,
    camera: &Camera,
    depth: impl Fn(usize, usize) -> f32,
    image: &mut Image,
) {
    let width = (image.height as f32 / 480.0).max(1.0);
    for &[a, b] in &scene.lines {
        let (mut a, mut b) = (camera.view(a), camera.view(b));
        if a.z.max(b.z) <= camera.near {
            continue;
        }
        if a.z > b.z {
            (a, b) = (b, a);
        }
        if a.z < camera.near {
            a = a.lerp(b, (camera.near - a.z) / (b.z - a.z)).with_z(camera.near);
        }
        let ends = [camera.project(a), camera.project(b)];
        let depth_at = |t: f32| {
            if camera.orthographic {
                a.z + (b.z - a.z) * t
            } else {
                1.0 / ((1.0 - t) / a.z + t / b.z)
            }
        };
        let slack = 0.01 * scene.radius;
        image.line(ends, width, LINE_COLOR, |t, x, y| {
            if depth_at(t) - slack < depth(x, y) { 1.0 } else { 0.0 }
        });
    }
}

/// Where a 2D scene cuts its solids.
pub(crate) fn draw_sections(scene: &Scene, camera: &Camera, image: &mut Image) {
    let to_srgb = ToSrgb::new();
    let width = (image.height as f32 / 240.0).max(1.5);
    for section in &scene.sections {
        let outline: Vec<[Vec2; 2]> = section
            .segments
            .iter()
            .map(|ends| ends.map(|p| camera.project(camera.view(p))))
            .collect();
        if let Some(color) = section.fill {
            fill(image, &outline, to_srgb.bytes(color));
        }
        for ends in outline {
            image.line(ends, width, [62, 74, 86], |_, _, _| 1.0);
        }
    }
}

/// Fills what an odd number of outlines surrounds, four scan lines per row.
fn fill(image: &mut Image, outline: &[[Vec2; 2]], color: [u8; 3]) {
    const LINES: usize = 4;
    let mut crossings = Vec::new();
    let mut cover = vec![0.0f32; image.width];
    for y in 0..image.height {
        cover.fill(0.0);
        for line in 0..LINES {
            let height = y as f32 + (line as f32 + 0.5) / LINES as f32;
            crossings.clear();
            for [a, b] in outline.iter().filter(|[a, b]| (a.y <= height) != (b.y <= height)) {
                crossings.push(a.x + (b.x - a.x) * (height - a.y) / (b.y - a.y));
            }
            crossings.sort_unstable_by(f32::total_cmp);
            for span in crossings.chunks_exact(2) {
                let (from, to) = (span[0].max(0.0), span[1].min(image.width as f32));
                let last = (to.ceil().max(0.0) as usize).min(image.width);
                for (x, cover) in cover.iter_mut().enumerate().take(last).skip(from as usize) {
                    let part = (to.min(x as f32 + 1.0) - from.max(x as f32)).clamp(0.0, 1.0);
                    *cover += part / LINES as f32;
                }
            }
        }
        for (x, &alpha) in cover.iter().enumerate().filter(|(_, alpha)| **alpha > 0.0) {
            image.blend(x, y, color, alpha.min(1.0));
        }
    }
}
