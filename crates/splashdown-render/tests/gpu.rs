//! The same picture from a graphics card as from the CPU. Where there is no Vulkan (Debian's
//! mesa-vulkan-drivers emulates it without a card), this is said and nothing is tested.

#![cfg(feature = "gpu")]

use glam::{Vec2, Vec3};
use splashdown_geometry::math::{Aabb, DVec3};
use splashdown_render::camera::{Camera, View, Viewport};
use splashdown_render::gpu::{Gpu, NoGpu};
use splashdown_render::image::Image;
use splashdown_render::raster::{Mesh, Sphere};
use splashdown_render::scene::{Scene, Section};
use splashdown_render::shade;

const WIDTH: usize = 320;
const HEIGHT: usize = 200;

fn gpu() -> Option<Gpu> {
    match Gpu::open(true) {
        Ok(gpu) => Some(gpu),
        Err(NoGpu::NoAdapter) => {
            println!("skipped: {}", NoGpu::NoAdapter);
            None
        }
        Err(NoGpu::Broken(reason)) => panic!("{reason}"),
    }
}

fn camera(view: View, flat: bool) -> Camera {
    let bounds = Aabb { min: DVec3::NEG_ONE, max: DVec3::ONE };
    let size = Vec2::new(WIDTH as f32, HEIGHT as f32);
    let side = |k: usize, axis: usize| if k >> axis & 1 == 1 { 1.0 } else { -1.0 };
    let corners: Vec<DVec3> =
        (0..8).map(|k| DVec3::new(side(k, 0), side(k, 1), side(k, 2))).collect();
    let viewport = Viewport { size, margins: [10.0; 4] };
    Camera::new(view, bounds, &corners, DVec3::Y, flat, viewport)
}

/// A box from `low` to `high` with flat sides.
fn cuboid(low: Vec3, high: Vec3, color: Vec3) -> Mesh {
    let mut mesh = Mesh::default();
    for axis in 0..3 {
        for side in [low, high] {
            let at = |u: Vec3, v: Vec3| {
                let mut p = side;
                (p[(axis + 1) % 3], p[(axis + 2) % 3]) = (u[(axis + 1) % 3], v[(axis + 2) % 3]);
                p
            };
            let mut quad = [at(low, low), at(high, low), at(high, high), at(low, high)];
            let mut normal = Vec3::AXES[axis];
            if side == low {
                quad.reverse();
                normal = -normal;
            }
            let first = mesh.positions.len() as u32;
            mesh.positions.extend(quad);
            mesh.normals.extend([normal; 4]);
            mesh.colors.extend([color; 4]);
            mesh.triangles.extend([[0, 1, 2], [0, 2, 3]].map(|t| t.map(|v: u32| first + v)));
        }
    }
    mesh
}

/// A ball with smooth normals.
fn ball(center: Vec3, radius: f32, color: Vec3) -> Mesh {
    let (rows, columns) = (24u32, 48u32);
    let mut mesh = Mesh::default();
    for i in 0..=rows {
        for j in 0..=columns {
            let polar = std::f32::consts::PI * i as f32 / rows as f32;
            let turn = std::f32::consts::TAU * j as f32 / columns as f32;
            let n = Vec3::new(polar.sin() * turn.cos(), polar.cos(), -polar.sin() * turn.sin());
            mesh.positions.push(center + radius * n);
            mesh.normals.push(n);
            mesh.colors.push(color);
        }
    }
    let at = |i: u32, j: u32| i * (columns + 1) + j;
    for i in 0..rows {
        for j in 0..columns {
            mesh.triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            mesh.triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    mesh
}

/// A tank with a heap of spheres, a block and the ground below.
fn particles() -> Scene {
    let mut spheres = Vec::new();
    for k in 0..16 * 16 * 16 {
        let (x, y, z) = (k % 16, k / 16 % 16, k / 256);
        let center = Vec3::new(x as f32, y as f32, z as f32) * 0.07 + Vec3::new(-0.95, -0.95, -0.6);
        if x + y < 18 {
            let color = Vec3::new(0.05, 0.2 + 0.02 * y as f32, 0.4 + 0.03 * x as f32);
            spheres.push(Sphere { center, radius: 0.037, color });
        }
    }
    Scene {
        spheres,
        solids: cuboid(
            Vec3::new(0.3, -1.0, -0.3),
            Vec3::new(0.6, -0.2, 0.3),
            Vec3::new(0.6, 0.3, 0.1),
        ),
        walls: cuboid(Vec3::NEG_ONE, Vec3::ONE, Vec3::new(0.8, 0.85, 0.9)),
        lines: vec![[Vec3::NEG_ONE, Vec3::new(1.0, -1.0, -1.0)], [Vec3::NEG_ONE, Vec3::ONE]],
        ground: Some(-1.002),
        up: Vec3::Y,
        radius: 1.75,
        spacing: 0.07,
        ..Scene::default()
    }
}

/// Water instead of spheres: a slab with a ball above it.
fn liquid() -> Scene {
    let tint = Vec3::new(0.05, 0.25, 0.5);
    let mut water = cuboid(Vec3::new(-0.99, -0.99, -0.99), Vec3::new(0.99, -0.4, 0.99), tint);
    let drop = ball(Vec3::new(-0.2, 0.2, 0.1), 0.4, tint);
    let first = water.positions.len() as u32;
    water.positions.extend(drop.positions);
    water.normals.extend(drop.normals);
    water.colors.extend(drop.colors);
    water.triangles.extend(drop.triangles.iter().map(|t| t.map(|v| first + v)));
    Scene { spheres: Vec::new(), water, ..particles() }
}

/// Discs and a cut, seen from the front.
fn plane() -> Scene {
    let corners = [(-0.5, -0.5), (0.5, -0.5), (0.0, 0.4)].map(|(x, y)| Vec3::new(x, y, 0.0));
    let segments =
        vec![[corners[0], corners[1]], [corners[1], corners[2]], [corners[2], corners[0]]];
    let spheres = particles().spheres.into_iter().filter(|s| s.center.z < -0.59);
    Scene {
        spheres: spheres.map(|s| Sphere { center: s.center.with_z(0.0), ..s }).collect(),
        sections: vec![Section { segments, fill: Some(Vec3::new(0.5, 0.3, 0.2)) }],
        up: Vec3::Y,
        radius: 1.75,
        spacing: 0.07,
        flat: true,
        ..Scene::default()
    }
}

fn distance(a: [u8; 3], b: [u8; 3]) -> u32 {
    (0..3).map(|k| u32::from(a[k].abs_diff(b[k]))).max().unwrap_or(0)
}

/// Whether a pixel is on an edge: a neighbour has another colour.
fn is_edge(image: &Image, x: usize, y: usize) -> bool {
    let around = |k: usize, n: usize| k.saturating_sub(1)..(k + 2).min(n);
    let near = |i: usize, j: usize| distance(image.at(i, j), image.at(x, y)) > 24;
    around(y, image.height).any(|j| around(x, image.width).any(|i| near(i, j)))
}

/// Asserts that two pictures differ by less than 0.5 % in the mean, and clearly at edges only.
fn assert_alike(name: &str, cpu: &Image, gpu: &Image) {
    let (mut sum, mut clear) = (0u64, 0);
    for y in 0..cpu.height {
        for x in 0..cpu.width {
            let (a, b) = (cpu.at(x, y), gpu.at(x, y));
            sum += a.iter().zip(b).map(|(&a, b)| u64::from(a.abs_diff(b))).sum::<u64>();
            clear += usize::from(distance(a, b) > 24 && !is_edge(cpu, x, y));
        }
    }
    let n = cpu.pixels.len() as f64;
    let mean = sum as f64 / (3.0 * 255.0 * n);
    println!("{name}: {:.3} % in the mean, {clear} pixels beyond edges", 100.0 * mean);
    if let Some(folder) = std::env::var_os("PICTURES") {
        let folder = std::path::Path::new(&folder);
        cpu.write_png(&folder.join(format!("{name}-cpu.png")), true).unwrap();
        gpu.write_png(&folder.join(format!("{name}-gpu.png")), true).unwrap();
    }
    assert!(mean < 0.005, "{name}: {mean}");
    assert!((clear as f64) < 0.001 * n, "{name}: {clear} pixels");
}

#[test]
fn a_graphics_card_draws_the_picture_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    println!("{}", gpu.name());
    let free = View::parse("eye=1.5,0.3,2.5 target=0,-0.4,0 fov=50").unwrap();
    for (name, scene, view) in [
        ("particles", particles(), View::ThreeQuarter),
        ("from-above", particles(), View::Top),
        ("liquid", liquid(), View::ThreeQuarter),
        ("liquid-from-above", liquid(), View::Top),
        ("liquid-near", liquid(), free),
        ("plane", plane(), View::Front),
        ("nothing", Scene { up: Vec3::Y, radius: 1.0, ..Scene::default() }, View::Front),
    ] {
        let camera = camera(view, scene.flat);
        for samples in [1, 2] {
            let drawn = gpu.render(&scene, &camera, WIDTH, HEIGHT, samples).unwrap();
            let expected = shade::render(&scene, &camera, WIDTH, HEIGHT, samples);
            assert_alike(&format!("{name}-{samples}"), &expected, &drawn);
        }
    }
}

#[test]
fn things_that_make_no_sense_are_survived_and_too_large_pictures_refused() {
    let Some(gpu) = gpu() else { return };
    let mut scene = liquid();
    for bad in [f32::NAN, f32::INFINITY, 1e30, -1e30] {
        let ones = Vec3::ONE;
        scene.spheres.push(Sphere { center: Vec3::splat(bad), radius: 0.1, color: ones });
        scene.spheres.push(Sphere { center: Vec3::ZERO, radius: bad, color: Vec3::splat(bad) });
        scene.lines.push([Vec3::splat(bad), Vec3::ZERO]);
        scene.solids.positions[0] = Vec3::splat(bad);
        gpu.render(&scene, &camera(View::Front, false), 40, 30, 1).unwrap();
    }
    // A camera in the middle of everything.
    let inside = View::Free { eye: DVec3::ZERO, target: DVec3::X, fov: 90.0 };
    gpu.render(&liquid(), &camera(inside, false), 40, 40, 2).unwrap();
    let reason = gpu.render(&liquid(), &camera(View::Top, false), 1 << 20, 16, 1).unwrap_err();
    assert!(reason.contains("pixels each way"), "{reason}");
}
