//! Small worlds that several tests share.
#![allow(dead_code)]

use splashdown::math::{DVec3, Dimension};
use splashdown::world::{Solid, Viscosity, World};

/// `count` points of spacing `h` along each axis, the first half a spacing from `corner`.
pub(crate) fn lattice(
    dimension: Dimension,
    corner: DVec3,
    count: [usize; 3],
    h: f64,
) -> Vec<DVec3> {
    let [nx, ny, nz] = count;
    let nz = if dimension == Dimension::Two { 1 } else { nz };
    let mut points = Vec::with_capacity(nx * ny * nz);
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                let cell = DVec3::new(x as f64, y as f64, z as f64) + 0.5;
                points.push(corner + dimension.flatten(cell * h));
            }
        }
    }
    points
}

/// A wall of one layer around a box of `count` lattice cells from `corner` on; open at the top.
pub(crate) fn tank(dimension: Dimension, corner: DVec3, count: [usize; 3], h: f64) -> Vec<DVec3> {
    let flat = dimension == Dimension::Two;
    let [nx, ny, nz] = count.map(|n| n as i64);
    let depth = if flat { 0..=0 } else { -1..=nz };
    let mut points = Vec::new();
    for z in depth {
        for y in -1..=ny {
            for x in -1..=nx {
                let side = x == -1 || x == nx || !flat && (z == -1 || z == nz);
                if y == -1 || side {
                    let cell = DVec3::new(x as f64, y as f64, z as f64) + 0.5;
                    points.push(corner + dimension.flatten(cell * h));
                }
            }
        }
    }
    points
}

/// A column of `fluid` lattice cells in the corner of a tank of `size` cells.
pub(crate) fn dam_break(
    dimension: Dimension,
    corner: DVec3,
    h: f64,
    fluid: [usize; 3],
    size: [usize; 3],
) -> World {
    let mut world = World::new(dimension, h);
    let points = lattice(dimension, corner, fluid, h);
    world.add_fluid("water", 1000.0, Viscosity::default(), &points, |_| DVec3::ZERO);
    world.add_solid(Solid::fixed("tank", tank(dimension, corner, size, h), 0.5 * h));
    world
}

/// Σ m v of all fluids, kg m/s.
pub(crate) fn momentum(world: &World) -> DVec3 {
    let of_fluid = |k: usize| {
        let range = world.fluids[k].range.clone();
        world.particle_mass(k) * world.particles.velocity[range].iter().sum::<DVec3>()
    };
    (0..world.fluids.len()).map(of_fluid).sum()
}

/// Σ m |v| of all fluids, kg m/s: what a momentum is to be measured against.
pub(crate) fn momentum_scale(world: &World) -> f64 {
    let of_fluid = |k: usize| {
        let velocity = &world.particles.velocity[world.fluids[k].range.clone()];
        world.particle_mass(k) * velocity.iter().map(|v| v.length()).sum::<f64>()
    };
    (0..world.fluids.len()).map(of_fluid).sum()
}

/// Numbers in [−1, 1) that are the same in every run.
pub(crate) struct Noise(u32);

impl Noise {
    /// The sequence number `seed`.
    pub(crate) fn new(seed: u32) -> Noise {
        Noise(seed.wrapping_mul(2_654_435_761).wrapping_add(12_345))
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(self.0 >> 8) / f64::from(1 << 23) - 1.0
    }

    /// The next three numbers, flat in 2D.
    pub(crate) fn vector(&mut self, dimension: Dimension) -> DVec3 {
        dimension.flatten(DVec3::new(self.next(), self.next(), self.next()))
    }
}
