//! Tutorial 3: how hard water pushes on walls.
//!
//!     cargo run --release --example 03_forces_on_a_wall
//!
//! What to expect: once the water rests, floor and walls together carry its weight, and each side
//! wall is pushed outward with ρ g H²/2 per metre of depth.

use splashdown::scene::Scene;
use splashdown::world::Loads;

/// Bodies are measured one by one: to know the force on a wall, make it a body.
const SCENE: &str = r#"
[simulation]
dimension = 2
spacing = 0.02

[pressure]
boundary = "extrapolated" # the best of the three next to walls
density_error = 1e-4

[[fluid]]
name = "water"
viscosity.laplacian = { dynamic = 2, boundary = 0 } # thick, to come to rest soon

[[fluid.fill]]
shape.box = { min = [0, 0], max = [0.4, 0.3] }

[[solid]]
name = "floor"
shape.tank = { min = [0, 0], max = [0.4, 0.5], open = ["left", "right", "top"] }

[[solid]]
name = "left"
shape.tank = { min = [0, 0], max = [0.4, 0.5], open = ["right", "bottom", "top"] }

[[solid]]
name = "right"
shape.tank = { min = [0, 0], max = [0.4, 0.5], open = ["left", "bottom", "top"] }
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = Scene::parse("forces", SCENE, ".", &[])?.build()?.world;
    while world.clock.time < 1.5 {
        world.step(1.5)?;
    }
    // Every step tells what it did to the bodies; the mean over many steps is a force.
    let mut loads = Loads::default();
    while world.clock.time < 2.0 {
        loads.add(&world.step(2.0)?.loads);
    }

    let weight = world.particle_mass(0) * world.fluid_count() as f64 * world.gravity.length();
    let sideways = 0.5 * 1000.0 * world.gravity.length() * 0.3f64.powi(2);
    println!("weight of the water {weight:7.1} N/m, ρ g H²/2 = {sideways:.1} N/m");
    for (k, solid) in world.solids.iter().enumerate() {
        let force = loads.mean(k).pressure;
        println!("{:<12} x {:8.1} N/m   y {:8.1} N/m", solid.name, force.x, force.y);
    }
    Ok(())
}
