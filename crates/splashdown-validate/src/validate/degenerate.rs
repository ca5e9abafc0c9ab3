//! Contacts that have no good normal: tips, edges, rims.

use super::run::world;
use super::watch::{named, watch};
use super::{Case, Cost, Report};
use crate::math::DVec3;

pub(super) const CASE: Case = Case {
    name: "degenerate",
    summary: "nine contacts of tips, edges and rims: penetration, energy, where things end up",
    source: "Erleben 2018, configurations; Probst & Teschner 2023, figure 5; statics",
    by_name: false,
    cost: Cost::Seconds,
    run,
};

/// What should become of the body "upper".
enum Fate {
    /// It rests with its centre of mass at this height, m.
    Rests(f64),
    /// It has slid this far along x, m.
    Slides(f64),
    /// It may balance or fall, but not sink below this height, m.
    Falls(f64),
}

/// Configurations with what statics and Coulomb's law say of them.
fn configurations() -> [(&'static str, &'static str, Fate); 8] {
    macro_rules! scene {
        ($name:literal) => {
            ($name, include_str!(concat!("../../validation/degenerate/", $name, ".toml")))
        };
    }
    let with = |(name, text), fate| (name, text, fate);
    // Where flanks that widen by `slope` meet rims `half` from the middle, the tip is half/slope
    // below.
    let hangs = |slope: f64, half: f64, centre: f64| Fate::Rests(0.2 - half / slope + centre);
    let square = 0.5f64.sqrt(); // from the corners of a square base to its sides
    [
        with(scene!("spike-on-spike"), Fate::Falls(0.04)),
        with(scene!("spike-on-wedge"), Fate::Falls(0.04)),
        with(scene!("wedge-on-wedge"), Fate::Falls(0.04)),
        with(scene!("spike-in-hole"), hangs(0.2 * square / 0.24, 0.24 * square - 0.1, 0.18)),
        with(scene!("spike-in-crack"), hangs(0.2 * square / 0.24, 0.05, 0.18)),
        with(scene!("wedge-in-crack"), hangs(0.5, 0.05, 0.16)),
        with(scene!("sliding-spike"), Fate::Slides(1.5 * 1.5 / (2.0 * 0.5 * 9.81))),
        with(scene!("hollow-prism"), Fate::Rests(0.1)),
    ]
}

fn run(report: &mut Report) -> Result<(), String> {
    for (name, text, fate) in configurations() {
        let mut world = world(name, text, &[])?;
        let start = named(&world, "upper")?.pose.translation;
        let until = match fate {
            Fate::Falls(_) => 1.5,
            _ => 0.8,
        };
        let seen = watch(&mut world, until, |_| ())?;
        let h = world.spacing;
        report.at_most(format!("{name}: drawn surfaces in each other, h"), seen.deepest, 1.0);
        report.at_most(format!("{name}: energy gained, weight times h"), seen.gained, 0.05);
        let end = named(&world, "upper")?.pose.translation;
        match fate {
            Fate::Rests(height) => {
                report.close(format!("{name}: height at rest, h"), end.y / h, height / h, 1.0);
                let aside = DVec3::new(end.x - start.x, 0.0, end.z - start.z).length() / h;
                report.at_most(format!("{name}: moved aside, h"), aside, 0.5);
                report.at_most(format!("{name}: speed at rest, m/s"), seen.speed, 0.01);
            }
            Fate::Slides(distance) => {
                let metric = format!("{name}: slid over v²/(2 μ g)");
                report.close(metric, (end.x - start.x) / distance, 1.0, 0.05);
                report.at_most(format!("{name}: speed at rest, m/s"), seen.speed, 0.01);
            }
            Fate::Falls(lowest) => {
                let metric = format!("{name}: is above the floor and inside the scene");
                let there = end.y > lowest && end.y < start.y && end.abs().max_element() < 0.7;
                report.close(metric, f64::from(u8::from(there)), 1.0, 0.0);
            }
        }
    }
    cliff_edge(report)
}

/// Two bricks, one with its centre of mass 1.5 h inside the edge and one with it 1.5 h beyond.
fn cliff_edge(report: &mut Report) -> Result<(), String> {
    let text = include_str!("../../validation/degenerate/cliff-edge.toml");
    let mut world = world("cliff-edge", text, &[])?;
    let start = named(&world, "inside")?.pose.translation;
    let seen = watch(&mut world, 1.5, |_| ())?;
    let h = world.spacing;
    report.at_most("cliff-edge: drawn surfaces in each other, h", seen.deepest, 1.0);
    report.at_most("cliff-edge: energy gained, weight times h", seen.gained, 0.05);
    let moved = (named(&world, "inside")?.pose.translation - start).length() / h;
    report.at_most("cliff-edge: the brick inside has moved, h", moved, 0.1);
    let fallen = named(&world, "beyond")?.pose.translation.y / h;
    report.close("cliff-edge: height of the brick beyond, fallen, h", fallen, 2.5, 2.6);
    Ok(())
}
