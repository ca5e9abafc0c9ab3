//! A dam breaks on something that bends: a gate of rubber, and an obstacle in the way.

use super::super::run::advance;
use super::super::{Case, Cost, Curve, Report, Series};
use super::world;
use crate::math::DVec3;
use crate::world::World;

pub(crate) const GATE: Case = Case {
    name: "dam-on-gate",
    summary: "water flows out below a gate of rubber: how its lower end moves",
    source: "Antoci, Gallati & Sibilla 2007, experiment; Yang et al. 2012, Khayyer et al. 2018",
    by_name: false,
    cost: Cost::Minutes,
    run: gate,
};

pub(crate) const GATE_FINE: Case = Case {
    name: "dam-on-gate-fine",
    summary: "the same with particles of half the size",
    by_name: true,
    cost: Cost::Hours,
    run: fine_gate,
    ..GATE
};

pub(crate) const OBSTACLE: Case = Case {
    name: "dam-on-obstacle",
    summary: "a column of water falls on an elastic obstacle: how far its top is pushed",
    source: "computed by Idelsohn et al. 2008, Bogaers et al. 2016, Liu et al. 2013",
    by_name: false,
    cost: Cost::Minutes,
    run: obstacle,
};

pub(crate) const GATE_SCENE: &str = include_str!("../../../validation/wet-gate.toml");
pub(crate) const OBSTACLE_SCENE: &str = include_str!("../../../validation/wet-obstacle.toml");

/// Ordinary water, and that of potentials by its usual stepper.
const SOLVERS: [&str; 2] = ["dfsph", "variational"];
/// Where the ends that are looked at rest, m.
const LOWER_END: DVec3 = DVec3::new(0.0025, 0.00125, 0.00875);
const TOP: DVec3 = DVec3::new(0.292, 0.0806, 0.015);

/// Of the gate: time in s, displacements along x and y in mm.
const EXPERIMENT: [[f64; 3]; 9] = [
    [0.04, 12.5, 1.1],
    [0.08, 34.0, 10.2],
    [0.12, 44.0, 15.1],
    [0.16, 46.3, 17.1],
    [0.20, 44.2, 16.0],
    [0.24, 43.0, 13.9],
    [0.28, 41.2, 12.9],
    [0.32, 40.1, 12.0],
    [0.36, 37.4, 11.0],
];
/// Computed displacements along x at these times, mm.
const YANG: [f64; 9] = [14.5, 35.3, 39.3, 35.8, 30.9, 27.7, 26.4, 27.9, 28.8];
const KHAYYER: [f64; 9] = [14.4, 36.9, 42.5, 39.6, 34.6, 31.1, 29.1, 29.1, 29.7];
/// Why the gate bends less than in the experiment at its peak.
const LOW: &str = "one element across the gate is 3 per cent too stiff in bending, a millimetre; \
                   another is missing to the lowest published computation (Yang et al., 39.3 \
                   mm), not understood; finer particles were not tried";
/// The experiment is demanded up to here, s: later published computations with a linear rubber
/// fall short of it, too, which is put down to the rubber and to leaks at the sides.
const DEMANDED: f64 = 0.13;

/// Of the obstacle: time in s, displacement along x in mm by three methods.
const OBSTACLES: [[f64; 4]; 9] = [
    [0.16, 9.3, 14.7, 5.9],
    [0.18, 24.0, 30.1, 21.1],
    [0.20, 36.4, 40.7, 36.6],
    [0.24, 48.0, 44.8, 46.3],
    [0.28, 45.8, 36.7, 43.5],
    [0.32, 39.0, 28.1, 36.7],
    [0.36, 31.0, 19.8, 29.8],
    [0.40, 24.0, 15.8, 25.2],
    [0.50, 16.7, 8.3, 18.1],
];

/// Time in s, and how far the end has moved, mm.
type Track = Vec<(f64, DVec3)>;

fn gate(report: &mut Report) -> Result<(), String> {
    gate_at(report, "0.0025")
}

fn fine_gate(report: &mut Report) -> Result<(), String> {
    gate_at(report, "0.00125")
}

fn gate_at(report: &mut Report, spacing: &str) -> Result<(), String> {
    let mut measured = Vec::new();
    for solver in SOLVERS {
        let changes =
            [format!("pressure.solver={solver}"), format!("simulation.spacing={spacing}")];
        let track = track(GATE_SCENE, &changes, LOWER_END, 0.4)?;
        for [time, x, _] in EXPERIMENT {
            let metric = format!("{solver}: x at {time} s, mm");
            let found = at(&track, time).x;
            match time {
                0.0..0.1 => report.close(metric, found, x, 6.0),
                0.1..DEMANDED => report.known(LOW).close(metric, found, x, 6.0),
                _ => report.note(metric, found, x),
            }
        }
        let largest = |of: fn(&DVec3) -> f64| track.iter().map(|(_, u)| of(u)).fold(0.0, f64::max);
        let [x, y] = [largest(|u| u.x), largest(|u| u.y)];
        report.known(LOW).close(format!("{solver}: largest x, mm"), x, 44.0, 5.0);
        report.known(LOW).close(format!("{solver}: largest y, mm"), y, 16.25, 2.75);
        measured.push(along_x(solver, &track));
    }
    let times = || EXPERIMENT.iter().map(|[time, ..]| *time);
    let computed = |name: &str, x: &[f64]| {
        Series::new(name, &times().zip(x.iter().copied()).collect::<Vec<_>>())
    };
    report.curve(Curve {
        name: "lower end of the gate".to_owned(),
        axes: ["t, s", "x, mm"],
        measured,
        reference: vec![
            computed("experiment", &EXPERIMENT.map(|[_, x, _]| x)),
            computed("Yang et al. 2012", &YANG),
            computed("Khayyer et al. 2018", &KHAYYER),
        ],
        source: GATE.source,
    });
    Ok(())
}

fn obstacle(report: &mut Report) -> Result<(), String> {
    let mut measured = Vec::new();
    for solver in SOLVERS {
        let changes = [format!("pressure.solver={solver}")];
        let track = track(OBSTACLE_SCENE, &changes, TOP, 0.5)?;
        let farther = |best: (f64, f64), (t, u): &(f64, DVec3)| match u.x > best.1 {
            true => (*t, u.x),
            false => best,
        };
        let (time, largest) = track.iter().fold((0.0, 0.0), farther);
        report.close(format!("{solver}: largest displacement, mm"), largest, 46.6, 4.7);
        report.close(format!("{solver}: when that is, s"), time, 0.25, 0.03);
        for [time, idelsohn, bogaers, liu] in OBSTACLES {
            let mean = (idelsohn + bogaers + liu) / 3.0;
            report.note(format!("{solver}: x at {time} s, mm"), at(&track, time).x, mean);
        }
        measured.push(along_x(solver, &track));
    }
    let of = |name: &str, k: usize| {
        Series::new(name, &OBSTACLES.iter().map(|row| (row[0], row[k])).collect::<Vec<_>>())
    };
    report.curve(Curve {
        name: "top of the obstacle".to_owned(),
        axes: ["t, s", "x, mm"],
        measured,
        reference: vec![
            of("Idelsohn et al. 2008", 1),
            of("Bogaers et al. 2016", 2),
            of("Liu et al. 2013", 3),
        ],
        source: OBSTACLE.source,
    });
    Ok(())
}

/// How the vertex that rests at `place` moves until `end`, every step of it checked for what
/// passes a surface.
fn track(text: &str, changes: &[String], place: DVec3, end: f64) -> Result<Track, String> {
    let mut all: Vec<&str> = changes.iter().map(String::as_str).collect();
    all.push("elastic_solver.verify=true");
    let mut world = world(text, &all)?;
    let vertex = nearest(&world, place);
    let mut track = Track::new();
    advance(&mut world, end, |world, _| {
        let solids = &world.elastic.solids;
        let moved = solids.position[vertex] - solids.rest[vertex];
        track.push((world.clock.time, 1000.0 * moved));
    })?;
    Ok(track)
}

/// The vertex of the only elastic body that rests nearest to a place.
fn nearest(world: &World, place: DVec3) -> usize {
    let solids = &world.elastic.solids;
    let away = |v: &usize| solids.rest[*v].distance_squared(place);
    let vertices = solids.bodies[0].vertices.clone();
    vertices.min_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or_default()
}

/// Between two steps.
fn at(track: &Track, time: f64) -> DVec3 {
    let k = track.partition_point(|(t, _)| *t < time).clamp(1, track.len() - 1);
    let ((before, a), (after, b)) = (track[k - 1], track[k]);
    a.lerp(b, (time - before) / (after - before))
}

fn along_x(name: &str, track: &Track) -> Series {
    Series::new(name, &track.iter().map(|(t, u)| (*t, u.x)).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_is_interpolated_between_its_steps() {
        let track: Track = vec![(0.0, DVec3::ZERO), (0.1, DVec3::X), (0.3, 3.0 * DVec3::X)];
        assert!(at(&track, 0.2).distance(2.0 * DVec3::X) < 1e-12);
        assert!(at(&track, 0.05).distance(0.5 * DVec3::X) < 1e-12);
    }

    #[test]
    fn the_ends_that_are_looked_at_are_vertices() {
        for (text, place) in [(GATE_SCENE, LOWER_END), (OBSTACLE_SCENE, TOP)] {
            let world = world(text, &[]).unwrap();
            let found = world.elastic.solids.rest[nearest(&world, place)];
            assert!((found - place).truncate().length() < 1e-9, "{found} {place}");
        }
    }
}
