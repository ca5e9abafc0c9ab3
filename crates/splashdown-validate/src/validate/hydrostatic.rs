//! A column of water at rest: pressure grows with depth as ρ g d, and the tank carries the weight.

use super::run::{advance, in_dimension, slope, world};
use super::{Case, Cost, Curve, Report, Series};
use crate::math::{Aabb, DVec3, Dimension};
use crate::world::{Loads, World};

pub(super) const CASE: Case = Case {
    name: "hydrostatic",
    summary: "a column at rest: pressure over depth, force on the tank, stillness (2D and 3D)",
    source: "analytic: p = ρ g d",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

const SCENE: &str = include_str!("../../validation/hydrostatic.toml");
/// Time to come to rest, and time to average over, s. Particles take up to seven seconds to find
/// places that they keep.
const SETTLE: f64 = 8.0;
const MEASURE: f64 = 1.0;
/// Pressure at the surface is a matter of definition: the profile is judged below this many h …
const SURFACE: f64 = 2.5;
/// … and above the layers that a wall disturbs: two supports of the kernel.
const FLOOR_LAYERS: usize = 4;

fn run(report: &mut Report) -> Result<(), String> {
    for dimension in [2, 3] {
        let text = in_dimension(SCENE, dimension);
        for solver in ["dfsph", "iisph"] {
            let mut wall_errors = Vec::new();
            let mut profiles = Vec::new();
            for boundary in ["zero", "mirrored", "extrapolated"] {
                let overrides =
                    [format!("pressure.solver={solver}"), format!("pressure.boundary={boundary}")];
                let column = Column::measure(world("hydrostatic", &text, &overrides)?)?;
                let variant = format!("{dimension}D {solver} {boundary}");
                column.judge(report, &variant);
                report.at_most(format!("{variant}: RMS speed over √(gH)"), column.unrest, 2e-3);
                wall_errors.push(column.wall_error());
                profiles.push((Series::new(boundary, &column.layers), column.weight_density));
                report.note(format!("{variant}: wall layer error"), column.wall_error(), 0.0);
            }
            report.curve(curve(format!("{dimension}D {solver}"), profiles));
            let best = wall_errors.into_iter().fold(f64::INFINITY, f64::min);
            let metric = format!("{dimension}D {solver}: wall layer error, best boundary pressure");
            report.at_most(metric, best, 0.10);
        }
    }
    Ok(())
}

/// Pressure over depth for the boundary pressures.
fn curve(name: String, profiles: Vec<(Series, f64)>) -> Curve {
    let weight_density = profiles.first().map_or(0.0, |(_, weight_density)| *weight_density);
    let measured: Vec<Series> = profiles.into_iter().map(|(series, _)| series).collect();
    let depth = measured.iter().flat_map(|s| &s.points).map(|p| p[0]).fold(0.0, f64::max);
    let exact = Series::of("ρ g d", [0.0, depth], |d| weight_density * d);
    let axes = ["depth, m", "pressure, Pa"];
    Curve { name, axes, measured, reference: vec![exact], source: CASE.source }
}

/// What was measured of one column.
struct Column {
    /// Time-averaged (depth, pressure) by layer, bottom to top, away from the side walls; m, Pa.
    layers: Vec<(f64, f64)>,
    /// ρ g.
    weight_density: f64,
    spacing: f64,
    /// Force on walls and floor over the weight of the water.
    force_ratio: f64,
    floor_ratio: f64,
    /// RMS speed over √(g H).
    unrest: f64,
}

impl Column {
    fn measure(mut world: World) -> Result<Column, String> {
        let (h, n) = (world.spacing, world.fluid_count());
        let tank = Aabb::around(world.particles.position[n..].iter().copied());
        advance(&mut world, SETTLE, |_, _| ())?;
        let mut loads = Loads::default();

        let height = world.particles.position[..n].iter().map(|p| p.y).fold(0.0, f64::max);
        let mut sums = vec![(0.0, 0.0, 0.0); (height / h) as usize + 3]; // depth, pressure, number
        let (mut speed2, mut looks) = (0.0, 0.0);
        advance(&mut world, SETTLE + MEASURE, |world, step| {
            loads.add(&step.loads);
            let particles = &world.particles;
            let level = surface_level(&particles.position[..n], h);
            for i in 0..n {
                speed2 += particles.velocity[i].length_squared();
                let p = particles.position[i];
                if beside_wall(p, &tank, h, world.dimension) {
                    continue;
                }
                let last = sums.len() - 1;
                let sum = &mut sums[((p.y / h).max(0.0) as usize).min(last)];
                sum.0 += level - p.y;
                sum.1 += f64::from(particles.pressure[i] + particles.divergence_pressure[i]);
                sum.2 += 1.0;
            }
            looks += 1.0;
        })?;

        let full = |sum: &&(f64, f64, f64)| sum.2 > looks; // at least one particle in it always
        let g = world.gravity.length();
        let weight = world.particle_mass(0) * n as f64 * g;
        let down = |k: usize| -loads.mean(k).pressure.y;
        Ok(Column {
            layers: sums.iter().filter(full).map(|s| (s.0 / s.2, s.1 / s.2)).collect(),
            weight_density: world.fluids[0].density * g,
            spacing: h,
            force_ratio: (0..world.solids.len()).map(down).sum::<f64>() / weight,
            floor_ratio: down(1) / weight,
            unrest: (speed2 / (looks * n as f64)).sqrt() / (g * height).sqrt(),
        })
    }

    fn judge(&self, report: &mut Report, variant: &str) {
        let interior: Vec<_> = self
            .layers
            .iter()
            .skip(FLOOR_LAYERS)
            .filter(|(depth, _)| *depth > SURFACE * self.spacing)
            .copied()
            .collect();
        let relative = |&(d, p): &(f64, f64)| p / (self.weight_density * d) - 1.0;
        let mean = interior.iter().map(relative).sum::<f64>() / interior.len() as f64;
        report.at_most(format!("{variant}: mean interior pressure error"), mean, 0.04);
        let worst = interior.iter().map(|layer| relative(layer).abs()).fold(0.0, f64::max);
        report.note(format!("{variant}: worst layer"), worst, 0.0);
        let slope = slope(&interior) / self.weight_density;
        report.close(format!("{variant}: slope dp/dd over ρg"), slope, 1.0, 0.03);
        report.close(
            format!("{variant}: force on the tank over weight"),
            self.force_ratio,
            1.0,
            0.01,
        );
        report.note(format!("{variant}: share of the floor"), self.floor_ratio, 1.0);
    }

    /// Relative error of the pressure in the layer on the floor.
    fn wall_error(&self) -> f64 {
        self.layers.first().map_or(1.0, |&(d, p)| (p / (self.weight_density * d) - 1.0).abs())
    }
}

/// Mean height of the topmost particles plus half a spacing.
fn surface_level(positions: &[DVec3], h: f64) -> f64 {
    let top = positions.iter().map(|p| p.y).fold(f64::MIN, f64::max);
    let (sum, count) = positions
        .iter()
        .filter(|p| p.y > top - 0.5 * h)
        .fold((0.0, 0.0), |(sum, count), p| (sum + p.y, count + 1.0));
    sum / count + 0.5 * h
}

fn beside_wall(p: DVec3, tank: &Aabb, h: f64, dimension: Dimension) -> bool {
    let (low, high) = (p - tank.min, tank.max - p);
    let x = low.x.min(high.x) < 2.5 * h;
    x || dimension == Dimension::Three && low.z.min(high.z) < 2.5 * h
}
