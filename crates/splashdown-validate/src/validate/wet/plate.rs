//! A plate, clamped at both ends, carries a column of water.

use super::super::run::advance;
use super::super::{Case, Cost, Report};
use super::{G, SOLVERS, samples, water, world};
use crate::math::DVec3;
use crate::world::{Loads, World};

pub(crate) const CASE: Case = Case {
    name: "hydroelastic",
    summary: "a clamped plate under a column of water: deflection, and what it carries",
    source: "plate theory with shear: q L⁴/384 D + q L²/(8 (5/6) G t)",
    by_name: false,
    cost: Cost::Minutes,
    run,
};

pub(crate) const ALUMINIUM: Case = Case {
    name: "hydroelastic-aluminium",
    summary: "a plate of aluminium under 2 m of water: deflection",
    source: "Fourey et al. 2017, 6.85e-5 m; with shear 7.11e-5 m",
    by_name: true,
    run: run_aluminium,
    ..CASE
};

pub(crate) const SCENE: &str = include_str!("../../../validation/wet-plate.toml");
pub(crate) const OF_ALUMINIUM: &str = include_str!("../../../validation/wet-aluminium.toml");

/// A plate that is clamped at both ends.
struct Plate {
    scene: &'static str,
    /// Time to come to rest, and to the end of the mean, s.
    settle: f64,
    end: f64,
    /// Between its clamped ends, across, and its thickness, m.
    length: f64,
    width: f64,
    thickness: f64,
    /// kg/m³
    density: f64,
    /// Pa
    young: f64,
    poisson: f64,
}

const SOFT: Plate = Plate {
    scene: SCENE,
    settle: 0.6,
    end: 1.0,
    length: 0.3996,
    width: 0.0696,
    thickness: 0.02,
    density: 1000.0,
    young: 1e8,
    poisson: 0.3,
};

const STIFF: Plate = Plate {
    scene: OF_ALUMINIUM,
    settle: 1.5,
    end: 2.5,
    length: 0.9996,
    width: 0.1746,
    thickness: 0.05,
    density: 2700.0,
    young: 67.5e9,
    poisson: 0.34,
};

fn run(report: &mut Report) -> Result<(), String> {
    for solver in SOLVERS {
        SOFT.measure(report, solver)?;
    }
    Ok(())
}

fn run_aluminium(report: &mut Report) -> Result<(), String> {
    for solver in ["dfsph", "variational"] {
        let deflection = STIFF.measure(report, solver)?;
        let metric = format!("{solver}: deflection of 1 m by 0.05 m under 2 m of water, in 10 μm");
        report.close(metric, 1e5 * deflection, 7.11, 0.05 * 7.11);
    }
    Ok(())
}

impl Plate {
    /// Its mean deflection, m.
    fn measure(&self, report: &mut Report, solver: &str) -> Result<f64, String> {
        let mut world = world(self.scene, &[&format!("pressure.solver={solver}")])?;
        advance(&mut world, self.settle, |_, _| ())?;
        let (mut sum, mut time) = (0.0, 0.0);
        let mut loads = Loads::default();
        advance(&mut world, self.end, |world, step| {
            sum += step.dt * self.deflection(world);
            time += step.dt;
            loads.add(&step.loads);
        })?;
        let weight = water(&world) * G;
        let own = self.density * G * self.thickness;
        let expected = self.theory(weight / (self.length * self.width) + own);
        let metric = format!("{solver}: deflection over that of plate theory");
        report.close(metric, sum / time / expected, 1.0, 0.05);
        let load = loads.mean(samples(&world)?);
        let carried = -(load.pressure.y + load.viscous.y) / weight;
        report.close(format!("{solver}: load over weight of the water"), carried, 1.0, 0.01);
        Ok(sum / time)
    }

    /// Deflection in the middle under an even load, m.
    fn theory(&self, load: f64) -> f64 {
        let Plate { length, thickness, young, poisson, .. } = *self;
        let bending = young * thickness.powi(3) / (12.0 * (1.0 - poisson * poisson));
        let shear = young / (2.0 * (1.0 + poisson)) * 5.0 / 6.0 * thickness;
        load * (length.powi(4) / (384.0 * bending) + length.powi(2) / (8.0 * shear))
    }

    /// How far the middle has sunk, m.
    fn deflection(&self, world: &World) -> f64 {
        let middle = 0.5 * self.length + 0.0002;
        sunk(world, |rest| (rest.x - middle).abs() < 1e-6)
    }
}

/// How far the vertices of the only body that `count` have sunk, m.
fn sunk(world: &World, count: impl Fn(DVec3) -> bool) -> f64 {
    let solids = &world.elastic.solids;
    let body = solids.bodies[0].vertices.clone();
    let places = solids.rest[body.clone()].iter().zip(&solids.position[body]);
    let middle = places.filter(|(rest, _)| count(**rest));
    let (sum, count) = middle.fold((0.0, 0.0), |(s, n), (rest, x)| (s + rest.y - x.y, n + 1.0));
    sum / count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_plate_bends_by_what_is_published_and_shear() {
        let load = 1000.0 * G * 2.0 + 2700.0 * G * 0.05;
        let deflection = Plate { length: 1.0, ..STIFF }.theory(load);
        assert!((deflection / 7.11e-5 - 1.0).abs() < 1e-3, "{deflection:e}");
    }

    #[test]
    fn both_plates_have_vertices_in_their_middle() {
        for plate in [SOFT, STIFF] {
            let world = world(plate.scene, &[]).unwrap();
            assert!(plate.deflection(&world).abs() < 1e-9);
        }
    }
}
