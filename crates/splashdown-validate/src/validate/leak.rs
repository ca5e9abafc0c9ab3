//! Violent sloshing in closed containers whose walls are one layer of particles: nothing gets out.

use super::run::{advance, world};
use super::{Case, Cost, Report};
use crate::math::{DVec3, Dimension};
use crate::shapes::Shape;
use crate::world::World;

pub(super) const CASE: Case = Case {
    name: "leak",
    summary: "ten seconds of violent sloshing in a closed tank, a sphere and a cone",
    source: "a closed container stays closed",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

const SCENE: &str = include_str!("../../validation/leak.toml");

/// A container: its name, what a scene says of it and of the water in it, its shape as it is
/// placed.
pub(super) struct Container {
    pub name: &'static str,
    solid: &'static str,
    fill: &'static str,
    pub shape: Shape,
}

pub(super) fn containers() -> [Container; 3] {
    [
        Container {
            name: "tank",
            solid: "shape.tank = { size = [1, 1, 1] }",
            fill: "shape.box = { min = [-0.5, -0.5, -0.5], max = [0.5, 0, 0.5] }",
            shape: Shape::Box { half: DVec3::splat(0.5) },
        },
        Container {
            name: "sphere",
            solid: "shape.sphere = { radius = 0.5 }",
            fill: "shape.sphere = { radius = 0.4 }\nat = [0, -0.08, 0]",
            shape: Shape::Sphere { radius: 0.5 },
        },
        Container {
            name: "cone",
            solid: "shape.cone = { radius = 0.6, height = 1 }",
            fill: "shape.cone = { radius = 0.55, height = 0.9 }\nat = [0, 0.02, 0]",
            shape: Shape::Cone { radius: 0.6, height: 1.0 },
        },
    ]
}

fn run(report: &mut Report) -> Result<(), String> {
    for container in containers() {
        let mut world = shaken(&container, &[])?;
        let start = world.fluid_count();
        let mut fastest: f64 = 0.0;
        advance(&mut world, 10.0, |world, _| fastest = fastest.max(world.max_speed()))?;
        let name = container.name;
        let outside = beyond(&world, &container.shape, 0.5 * world.spacing);
        report.at_most(format!("{name}: particles outside of {start}"), outside, 0.0);
        report.note(format!("{name}: fastest particle, m/s"), fastest, 0.0);
    }
    Ok(())
}

/// A container with water in it that is shaken.
pub(super) fn shaken(container: &Container, overrides: &[String]) -> Result<World, String> {
    let text = format!(
        "{SCENE}\n[[fluid.fill]]\n{}\n\n[[solid]]\nname = \"container\"\n{}\nfluid_side = \
             \"inside\"\n\
             motion.expressions = {{ position = [\"0.35 * sin(7 * t)\", \"0.25 * sin(11 * t)\", \
             \"0.2 * sin(5 * t)\"], axis = [0, 0, 1], angle = \"40 * sin(3 * t)\" }}\n",
        container.fill, container.solid
    );
    world(container.name, &text, overrides)
}

/// Fluid particles more than `depth` beyond the surface.
pub(super) fn beyond(world: &World, shape: &Shape, depth: f64) -> f64 {
    let solid = &world.solids[0];
    let beyond = |p: &&DVec3| {
        let local = solid.pose.inverse_apply(**p);
        shape.signed_distance(local, Dimension::Three) > depth
    };
    world.particles.position[..world.fluid_count()].iter().filter(beyond).count() as f64
}
