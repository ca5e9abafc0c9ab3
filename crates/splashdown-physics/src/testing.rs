//! A small world for the tests of this crate and of those above it.

use crate::boundary::Carrier;
use crate::math::{DVec3, Dimension, Pose};
use crate::particles::store::{NewParticle, Particles};
use crate::sph::tension::FluidSurface;
use crate::world::*;

/// Two fluids of six and three particles and two bodies of two particles and one triangle each.
pub fn small_world() -> World {
    let n = 13;
    let position: Vec<DVec3> =
        (0..n).map(|i| 0.1 * DVec3::new((i % 4) as f64, (i / 4) as f64 + 0.5, 0.0)).collect();
    let solid = |name: &str, range: std::ops::Range<usize>| Solid {
        name: name.to_owned(),
        local: position[range.clone()].to_vec(),
        range,
        pose: Pose::IDENTITY,
        placement: Pose::IDENTITY,
        carrier: Carrier::Fixed,
        friction: 0.0,
        wetting: Default::default(),
        inset: 0.0,
        wetted_surface: Default::default(),
        volume_factor: Vec::new(),
        surface: TriangleMesh {
            vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
            triangles: vec![[0, 1, 2]],
        },
        wall: TriangleMesh::default(),
    };
    let fluid = |name: &str, range, density| Fluid {
        name: name.to_owned(),
        range,
        density,
        viscosity: Viscosity::default(),
        surface: FluidSurface::NONE,
    };
    let new = |i: usize| NewParticle {
        position: position[i],
        velocity: DVec3::new(0.1 * i as f64, 1.0, 0.0),
        id: 100 + i as u32,
        weight: 1.0 + 0.01 * i as f32,
        density: 990.0 + i as f32,
    };
    let mut particles = Particles::default();
    particles.insert(0, &(0..n).map(new).collect::<Vec<_>>());
    particles.pressure = (0..n).map(|i| 3.5 * i as f32).collect();
    particles.wall_friction_force = vec![DVec3::ZERO; n];
    World {
        fluids: vec![fluid("water", 0..6, 1000.0), fluid("oil", 6..9, 800.0)],
        solids: vec![solid("floor", 9..11), solid("wall", 11..13)],
        particles,
        time_step: TimeStep::Fixed(0.01),
        ..World::new(Dimension::Two, 0.1)
    }
}
