//! A small world for the tests of this crate and of those above it.

use crate::math::{DVec3, Dimension, Pose};
use crate::motion::Motion;
use crate::particles::store::Particles;
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
        motion: Motion::Static,
        body: None,
        friction: 0.0,
        inset: 0.0,
        skin: Default::default(),
        displacing: Vec::new(),
        load: Load::default(),
        surface: TriangleMesh {
            vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
            triangles: vec![[0, 1, 2]],
        },
    };
    let fluid = |name: &str, range, density| Fluid {
        name: name.to_owned(),
        range,
        density,
        viscosity: Viscosity::default(),
    };
    World {
        fluids: vec![fluid("water", 0..6, 1000.0), fluid("oil", 6..9, 800.0)],
        solids: vec![solid("floor", 9..11), solid("wall", 11..13)],
        particles: Particles {
            velocity: (0..n).map(|i| DVec3::new(0.1 * i as f64, 1.0, 0.0)).collect(),
            id: (0..n as u32).map(|i| 100 + i).collect(),
            weight: (0..n).map(|i| 1.0 + 0.01 * i as f32).collect(),
            density: (0..n).map(|i| 990.0 + i as f32).collect(),
            pressure: (0..n).map(|i| 3.5 * i as f32).collect(),
            divergence_pressure: vec![0.0; n],
            grip: vec![DVec3::ZERO; n],
            position,
        },
        time_step: TimeStep::Fixed(0.01),
        ..World::new(Dimension::Two, 0.1)
    }
}
