//! Tutorial 1: a block of water falls into a tank, built by hand from the library's parts.
//!
//!     cargo run --release --example 01_falling_block
//!
//! What to expect: the block falls freely, hits the floor after about a quarter of a second and
//! splashes up both walls. The height of its centre is printed as a bar.

use splashdown::boundary::Carrier;
use splashdown::math::{DVec3, Dimension, Pose};
use splashdown::shapes::{Face, Shape, fill};
use splashdown::world::{Solid, Viscosity, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let h = 0.02; // the distance between particles decides how fine everything is
    let mut world = World::new(Dimension::Two, h);

    // Fluids come first: particles on a lattice that fills a shape.
    let block = Shape::Box { half: DVec3::new(0.15, 0.15, 0.5) };
    let place = Pose { translation: DVec3::new(0.0, 0.45, 0.0), ..Pose::IDENTITY };
    let points = fill(&block, &place, h, world.dimension);
    let damping = Viscosity::artificial(0.02, 0.0);
    world.add_fluid("water", 1000.0, damping, &points, |_| DVec3::ZERO);

    // Then walls: one layer of particles half a spacing behind the surface. A tank is described by
    // the water it can hold, so "behind" is outside.
    let tank = Shape::Tank { half: DVec3::new(0.5, 0.4, 0.5), open: vec![Face::Top] };
    let placement = Pose { translation: DVec3::new(0.0, 0.4, 0.0), ..Pose::IDENTITY };
    world.add_solid(Solid {
        name: "tank".to_owned(),
        range: 0..0, // add_solid fills this in
        local: tank.sample_surface(h, 0.5 * h, world.dimension)?,
        pose: placement,
        placement,
        carrier: Carrier::Fixed,
        friction: 0.0,
        wetting: Default::default(),
        inset: 0.5 * h,
        wetted_surface: Default::default(), // wanted of bodies that move
        wall: Default::default(),           // wanted of solids in a liquid on a grid
        volume_factor: Vec::new(),
        surface: tank.surface(),
    });

    println!("{} fluid particles, {} in all", world.fluid_count(), world.particles.len());
    for frame in 1..=20 {
        let time = f64::from(frame) * 0.05;
        while world.clock.time < time {
            world.step(time)?;
        }
        let water = &world.particles.position[..world.fluid_count()];
        let height = water.iter().map(|p| p.y).sum::<f64>() / water.len() as f64;
        println!("{time:4.2} s  {height:6.3} m  {}", "█".repeat((100.0 * height) as usize));
    }
    Ok(())
}
