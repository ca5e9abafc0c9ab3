//! Water that is filled into a tank stays there.

mod common;

use common::dam_break;
use splashdown::math::{DVec3, Dimension};
use splashdown::world::{BoundaryPressure, World};

/// Largest RMS speed of water `depth` spacings deep in its first `duration`, over √(g H).
fn unrest(mut world: World, depth: u32, duration: f64) -> f64 {
    let n = world.fluid_count();
    let mut most: f64 = 0.0;
    while world.clock.time < duration {
        world.step(duration).unwrap();
        let square: f64 = world.particles.velocity[..n].iter().map(|v| v.length_squared()).sum();
        most = most.max(square / n as f64);
    }
    (most / (world.gravity.length() * f64::from(depth) * world.spacing)).sqrt()
}

/// Particles in the edges of a tank are filled in a little too densely. Let go at once, in the
/// first short step, that threw the whole column up at 0.6 to 1.3 √(g H).
#[test]
fn a_tank_is_not_thrown_up_by_its_edges() {
    let all = [BoundaryPressure::Zero, BoundaryPressure::Mirrored, BoundaryPressure::Extrapolated];
    for boundary in all {
        let mut world = dam_break(Dimension::Three, DVec3::ZERO, 0.05, [8, 8, 8], [8, 14, 8]);
        world.method.particles().pressure.boundary = boundary;
        let unrest = unrest(world, 8, 0.1);
        assert!(unrest < 0.12, "{boundary:?}: {unrest}");
    }
}

/// With steps in which pressure could carry a particle a whole spacing, deep water was crushed and
/// thrown up at half of √(g H); with solves that may leave an error of 10⁻³ it first fell, and was
/// then thrown up faster still.
#[test]
fn deep_water_stands() {
    for error in [1.0e-4, 1.0e-3] {
        let mut world = dam_break(Dimension::Two, DVec3::ZERO, 0.02, [16, 80, 1], [16, 100, 1]);
        world.method.particles().pressure.density_error = error;
        let unrest = unrest(world, 80, 0.15);
        assert!(unrest < 0.12, "{error}: {unrest}");
    }
}

/// A closed tank filled to the last corner holds more than walls with a pressure of their own leave
/// room for.
#[test]
fn a_full_tank_is_not_shaken() {
    for boundary in
        [BoundaryPressure::Zero, BoundaryPressure::Mirrored, BoundaryPressure::Extrapolated]
    {
        let mut world = dam_break(Dimension::Three, DVec3::ZERO, 0.1, [8; 3], [8; 3]);
        world.method.particles().pressure.boundary = boundary;
        let unrest = unrest(world, 8, 0.3);
        assert!(unrest < 0.12, "{boundary:?}: {unrest}");
    }
}
