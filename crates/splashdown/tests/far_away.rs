//! Where in the world a scene is does not matter.

mod common;

use common::dam_break;
use splashdown::math::{DVec3, Dimension};

/// Mean position, kinetic energy, front, and the mean and largest density, after 0.3 s.
fn summary(corner: DVec3) -> [f64; 6] {
    let mut world = dam_break(Dimension::Two, corner, 0.01, [25, 50, 1], [100, 70, 1]);
    while world.clock.time < 0.3 {
        world.step(0.3).unwrap();
    }
    let n = world.fluid_count();
    let p = &world.particles;
    let places: Vec<DVec3> = p.position[..n].iter().map(|&x| x - corner).collect();
    let mean = places.iter().sum::<DVec3>() / n as f64;
    let energy = p.velocity[..n].iter().map(|v| 0.5 * v.length_squared()).sum::<f64>() / n as f64;
    let front = places.iter().map(|x| x.x).fold(0.0, f64::max);
    let density = p.density[..n].iter().map(|&d| f64::from(d)).sum::<f64>() / n as f64;
    let densest = p.density[..n].iter().fold(0.0f64, |a, &d| a.max(f64::from(d)));
    [mean.x, mean.y, energy, front, density, densest]
}

#[test]
fn a_tank_a_kilometre_away_behaves_like_one_at_the_origin() {
    let here = summary(DVec3::ZERO);
    let there = summary(DVec3::new(1000.0, -700.0, 0.0));
    for ((a, b), tolerance) in here.iter().zip(there).zip([5e-3, 5e-3, 1e-2, 1e-2, 2e-3, 2e-2]) {
        assert!((a - b).abs() <= tolerance * a.abs(), "{here:?} {there:?}");
    }
}
