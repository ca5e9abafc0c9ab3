//! Water at rest: pressure over depth, how far it sinks, how still it is.

use super::run::{advance, slope, world};
use super::{Case, Cost, Report};
use crate::math::DVec3;
use crate::world::{Loads, World};

pub(crate) const CASE: Case = Case {
    name: "proxy-hydrostatic",
    summary: "a column of the variational fluid at rest: pressure, height, stillness (2D and 3D)",
    source: "analytic: p = ρ g d, compression p/k_I",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

const SCENE: &str = include_str!("../../../validation/proxy-hydrostatic.toml");
/// Why the column sinks.
const ORDER: &str = "particles that have settled are in no order, and the spiky gradient sees less \
                     of them than of the lattice";
/// Why water is not still.
const TREMBLES: &str = "particles of water never come to rest; with dfsph they move twice as fast";
/// What a fluid with another viscosity has besides.
const WATER: &str = "name = \"water\"";
/// Time to come to rest, and time to average over, s.
const SETTLE: f64 = 4.0;
const MEASURE: f64 = 0.5;
/// Height of the column at the start, m.
const HEIGHT: f64 = 0.48;
/// The profile is judged below this many spacings, and above as many.
const ENDS: f64 = 3.0;

fn run(report: &mut Report) -> Result<(), String> {
    for dimension in [2, 3] {
        let text = super::run::in_dimension(SCENE, dimension);
        // As the case `hydrostatic` has it: with it the column comes to rest.
        let thick = text.replace(
            WATER,
            "name = \"water\"\nviscosity.laplacian = { dynamic = 1.4, boundary = 0 }",
        );
        for (liquid, text, is_thin) in [("water", &text, true), ("1.4 Pa·s", &thick, false)] {
            let column = Column::measure(world("proxy-hydrostatic", text, &[])?)?;
            judge(report, &format!("{dimension}D, {liquid}"), &column, is_thin);
        }
        let other = ["pressure.solver=dfsph".to_owned()];
        let column = Column::measure(world("proxy-hydrostatic", &text, &other)?)?;
        let variant = format!("{dimension}D, water, dfsph");
        report.note(format!("{variant}: slope dp/dz over ρg"), column.slope, 1.0);
        report.note(format!("{variant}: RMS speed over √(gH)"), column.unrest, 0.0);
    }
    Ok(())
}

/// Demands; `is_thin` liquids are known not to come to rest.
fn judge(report: &mut Report, variant: &str, column: &Column, is_thin: bool) {
    let slope = format!("{variant}: slope dp/dz over ρg");
    let lost = format!("{variant}: height lost beyond mean compression, spacings");
    let unrest = format!("{variant}: RMS speed over √(gH)");
    report.close(slope, column.slope, 1.0, 0.03);
    report.known(ORDER).close(lost, column.lost, 0.0, 0.3);
    if is_thin {
        report.known(TREMBLES).at_most(unrest, column.unrest, 5e-3);
    } else {
        report.at_most(unrest, column.unrest, 5e-3);
    }
    let weight = "force on the tank over weight";
    report.close(format!("{variant}: {weight}"), column.force_ratio, 1.0, 0.01);
    report.note(format!("{variant}: mean compression"), column.compression, 0.005);
    report.note(format!("{variant}: solves a step"), column.solves, 1.0);
    report.note(format!("{variant}: iterations a step"), column.iterations, 0.0);
}

struct Column {
    slope: f64,
    lost: f64,
    unrest: f64,
    force_ratio: f64,
    compression: f64,
    solves: f64,
    iterations: f64,
}

impl Column {
    fn measure(mut world: World) -> Result<Column, String> {
        let (h, n) = (world.spacing, world.fluid_count());
        advance(&mut world, SETTLE, |_, _| ())?;
        let (mut speed, mut level, mut compression, mut looks) = (0.0, 0.0, 0.0, 0.0);
        let (mut solves, mut iterations) = (0.0, 0.0);
        let mut points = Vec::new();
        let mut loads = Loads::default();
        advance(&mut world, SETTLE + MEASURE, |world, step| {
            let fluid = &world.particles.position[..n];
            loads.add(&step.loads);
            looks += 1.0;
            speed += world.particles.velocity[..n].iter().map(|v| v.length_squared()).sum::<f64>();
            level += surface(fluid, h);
            let volume = step.volume.unwrap_or_default();
            compression += volume.mean_error;
            solves += f64::from(volume.solves);
            iterations += f64::from(step.solves.iter().map(|solve| solve.iterations).sum::<u32>());
            let top = HEIGHT - ENDS * h;
            let inside = fluid.iter().zip(&world.particles.pressure);
            let inside = inside.filter(|(x, _)| (ENDS * h..top).contains(&x.y));
            points.extend(inside.map(|(x, p)| (-x.y, f64::from(*p))));
        })?;
        let g = world.gravity.length();
        let weight = world.particle_mass(0) * n as f64 * g;
        let compression = compression / looks;
        Ok(Column {
            slope: slope(&points) / (world.fluids[0].density * g),
            lost: (HEIGHT * (1.0 - compression) - level / looks) / h,
            unrest: (speed / (looks * n as f64)).sqrt() / (g * HEIGHT).sqrt(),
            force_ratio: -loads.mean(0).pressure.y / weight,
            compression,
            solves: solves / looks,
            iterations: iterations / looks,
        })
    }
}

/// Mean over columns two spacings wide of their highest particle, and half a spacing.
fn surface(fluid: &[DVec3], h: f64) -> f64 {
    let mut columns: std::collections::BTreeMap<[i64; 2], f64> = Default::default();
    for x in fluid {
        let column = [x.x, x.z].map(|x| (0.5 * x / h).floor() as i64);
        let highest = columns.entry(column).or_insert(f64::MIN);
        *highest = highest.max(x.y);
    }
    columns.values().sum::<f64>() / columns.len() as f64 + 0.5 * h
}
