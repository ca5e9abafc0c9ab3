//! Pictures of things whose picture is known.

use glam::{Vec2, Vec3};
use splashdown_geometry::math::{Aabb, DVec3};
use splashdown_render::camera::{Camera, View, Viewport};
use splashdown_render::image::Image;
use splashdown_render::raster::{Buffer, Facing, Layer, Mesh, Sphere};
use splashdown_render::scene::Scene;
use splashdown_render::shade::render;

const SIZE: usize = 200;

/// Looks along −z at a box of two metres about the origin; `flat` without perspective.
fn camera(flat: bool) -> Camera {
    let bounds = Aabb { min: DVec3::NEG_ONE, max: DVec3::ONE };
    let viewport = Viewport { size: Vec2::splat(SIZE as f32), margins: [0.0; 4] };
    let side = |k: usize, axis: usize| if k >> axis & 1 == 1 { 1.0 } else { -1.0 };
    let corners: Vec<DVec3> =
        (0..8).map(|k| DVec3::new(side(k, 0), side(k, 1), side(k, 2))).collect();
    Camera::new(View::Front, bounds, &corners, DVec3::Y, flat, viewport)
}

fn sphere(center: Vec3, radius: f32, color: Vec3) -> Sphere {
    Sphere { center, radius, color }
}

fn scene(spheres: Vec<Sphere>) -> Scene {
    Scene { spheres, up: Vec3::Y, radius: 2.0, spacing: 0.1, ..Scene::default() }
}

#[test]
fn a_sphere_has_the_radius_and_depth_it_should_have() {
    let camera = camera(true); // 100 pixels per metre
    let mut buffer = Buffer::new(SIZE, SIZE);
    let spheres = [sphere(Vec3::new(0.2, 0.1, 0.0), 0.5, Vec3::ONE)];
    buffer.draw(&camera, &[Layer::Spheres(&spheres)]);
    let distance = camera.view(spheres[0].center).z;
    for y in 0..SIZE {
        for x in 0..SIZE {
            let (dx, dy) = (x as f32 + 0.5 - 120.0, y as f32 + 0.5 - 90.0);
            let square = (dx * dx + dy * dy) / (50.0 * 50.0);
            let i = y * SIZE + x;
            if (square - 1.0).abs() > 1e-3 {
                assert_eq!(buffer.id[i] == 1, square < 1.0, "{x} {y}");
            }
            if square < 0.99 {
                let depth = distance - 0.5 * (1.0 - square).sqrt();
                assert!((buffer.depth[i] - depth).abs() < 1e-3, "{x} {y}");
            }
        }
    }
}

#[test]
fn the_lit_side_is_bright_and_the_middle_has_the_spheres_color() {
    let red = sphere(Vec3::ZERO, 0.6, Vec3::new(0.8, 0.1, 0.1));
    let image = render(&scene(vec![red]), &camera(false), SIZE, SIZE, 2);
    let [r, g, b] = image.at(SIZE / 2, SIZE / 2);
    assert!(r > 120 && g < r / 2 && b < r / 2, "{:?}", [r, g, b]);
    let light = |x: usize, y: usize| image.at(x, y).iter().map(|&c| u32::from(c)).sum::<u32>();
    assert!(light(85, 75) > light(115, 135) + 60, "light comes from the upper left");
    let corner = image.at(2, 2);
    assert!(corner.iter().all(|&c| c > 200), "{corner:?}");
}

#[test]
fn what_is_nearer_hides_what_is_farther_in_any_order() {
    let near = sphere(Vec3::new(0.0, 0.0, 0.5), 0.2, Vec3::new(0.0, 1.0, 0.0));
    let far = sphere(Vec3::new(0.0, 0.0, -0.5), 0.6, Vec3::new(1.0, 0.0, 0.0));
    let wall = Mesh {
        positions: vec![
            Vec3::new(-3.0, -3.0, 0.0),
            Vec3::new(3.0, -3.0, 0.0),
            Vec3::new(0.0, 4.0, 0.0),
        ],
        normals: vec![Vec3::Z; 3],
        colors: vec![Vec3::ONE; 3],
        triangles: vec![[0, 1, 2]],
    };
    for spheres in [[near, far], [far, near]] {
        let mut buffer = Buffer::new(SIZE, SIZE);
        let layers = [Layer::Spheres(&spheres), Layer::Triangles(&wall, Facing::Both)];
        buffer.draw(&camera(false), &layers);
        let middle = buffer.id[SIZE / 2 * SIZE + SIZE / 2];
        assert_eq!(spheres[middle as usize - 1], near);
        assert_eq!(buffer.id[SIZE / 2 * SIZE + SIZE / 2 + 40], 3, "the wall hides the far sphere");
    }
    // The wall looks at us: seen from outside, it is left out of containers.
    let mut buffer = Buffer::new(SIZE, SIZE);
    buffer.draw(&camera(false), &[Layer::Triangles(&wall, Facing::Away)]);
    assert!(buffer.id.iter().all(|&id| id == 0));
}

#[test]
fn the_thickness_of_a_cube_is_its_edge() {
    let cube = cube();
    let camera = camera(true);
    let mut buffer = Buffer::new(SIZE, SIZE);
    let thickness = buffer.thickness(&camera, &cube);
    assert!((thickness[SIZE / 2 * SIZE + SIZE / 2 + 3] - 1.0).abs() < 1e-4);
    assert_eq!(thickness[SIZE / 2 * SIZE + 10], 0.0);
    buffer.depth.fill(camera.view(Vec3::ZERO).z);
    let thickness = buffer.thickness(&camera, &cube);
    assert!((thickness[SIZE / 2 * SIZE + SIZE / 2 + 3] - 0.5).abs() < 1e-4);
}

fn cube() -> Mesh {
    let mut mesh = Mesh::default();
    for axis in 0..3 {
        for side in [-0.5f32, 0.5] {
            let at = |u: f32, v: f32| {
                let mut p = [side; 3];
                (p[(axis + 1) % 3], p[(axis + 2) % 3]) = (u, v);
                Vec3::from(p)
            };
            let first = mesh.positions.len() as u32;
            let mut quad = [at(-0.5, -0.5), at(0.5, -0.5), at(0.5, 0.5), at(-0.5, 0.5)];
            if side < 0.0 {
                quad.reverse();
            }
            mesh.positions.extend(quad);
            mesh.triangles.push([first, first + 1, first + 2]);
            mesh.triangles.push([first, first + 2, first + 3]);
        }
    }
    mesh.normals = mesh.positions.clone();
    mesh.colors = vec![Vec3::splat(0.5); mesh.positions.len()];
    mesh
}

/// The back wall and the floor of a container of two metres, which look outward.
fn vessel() -> Mesh {
    let wall = [[1, -1, -1], [-1, -1, -1], [-1, 1, -1], [1, 1, -1]];
    let floor = [[-1, -1, -1], [1, -1, -1], [1, -1, 1], [-1, -1, 1]];
    let place = |p: [i32; 3]| Vec3::from_array(p.map(|x| x as f32));
    Mesh {
        positions: wall.into_iter().chain(floor).map(place).collect(),
        normals: [[Vec3::NEG_Z; 4], [Vec3::NEG_Y; 4]].concat(),
        colors: vec![Vec3::splat(0.8); 8],
        triangles: vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]],
    }
}

#[test]
fn drops_throw_shadows_on_floors_and_none_on_glass() {
    let camera = camera(false);
    let draw = |spheres: Vec<Sphere>| {
        let scene = Scene { walls: vessel(), spacing: 0.02, ..scene(spheres) };
        render(&scene, &camera, SIZE, SIZE, 1)
    };
    let drops = vec![
        sphere(Vec3::new(0.0, 0.0, -0.85), 0.1, Vec3::ONE),
        sphere(Vec3::new(-0.5, -0.6, 0.0), 0.1, Vec3::ONE),
    ];
    let (with, without) = (draw(drops), draw(Vec::new()));
    // Where the sun, from the upper left in front, would throw their shadows.
    let darker = |p: Vec3| {
        let pixel = camera.project(camera.view(p));
        let light = |image: &Image| i32::from(image.at(pixel.x as usize, pixel.y as usize)[1]);
        light(&without) - light(&with)
    };
    assert_eq!(darker(Vec3::new(0.18, -0.42, -1.0)), 0, "glass");
    assert!(darker(Vec3::new(-0.32, -1.0, -0.14)) > 15, "floor");
}

/// Some thousand spheres, a cube, a container, water and a ground.
fn busy() -> Scene {
    let spheres = (0..5000)
        .map(|i| {
            let x = |k: usize| ((i * k) % 997) as f32 / 498.5 - 1.0;
            sphere(
                Vec3::new(x(31), x(57), x(89)),
                0.05,
                Vec3::new(0.2, 0.4, 0.2 + 0.3 * x(7).abs()),
            )
        })
        .collect();
    let mut water = cube();
    water.positions.iter_mut().for_each(|p| *p += Vec3::new(0.8, 0.5, 0.4));
    Scene {
        solids: cube(),
        walls: cube(),
        water,
        lines: vec![[Vec3::NEG_ONE, Vec3::ONE]],
        ground: Some(-1.0),
        ..scene(spheres)
    }
}

#[test]
fn pictures_have_the_same_bytes_for_any_number_of_threads() {
    let draw = |threads: usize| -> Image {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| render(&busy(), &camera(false), SIZE, SIZE - 7, 2))
    };
    let one = draw(1);
    assert!(one == draw(2) && one == draw(5));
}

#[test]
fn spheres_and_triangles_that_make_no_sense_are_survived() {
    let mut scene = busy();
    for bad in [f32::NAN, f32::INFINITY, 1e30, -1e30] {
        scene.spheres.push(sphere(Vec3::splat(bad), 0.1, Vec3::ONE));
        scene.spheres.push(sphere(Vec3::ZERO, bad, Vec3::splat(bad)));
        scene.lines.push([Vec3::splat(bad), Vec3::ZERO]);
        scene.solids.positions[0] = Vec3::splat(bad);
        render(&scene, &camera(false), 40, 30, 1);
    }
    // A camera in the middle of everything.
    let bounds = Aabb { min: DVec3::NEG_ONE, max: DVec3::ONE };
    let viewport = Viewport { size: Vec2::splat(40.0), margins: [0.0; 4] };
    let view = View::Free { eye: DVec3::ZERO, target: DVec3::X, fov: 90.0 };
    render(&busy(), &Camera::new(view, bounds, &[], DVec3::Y, false, viewport), 40, 40, 2);
}
