//! Structures that only contact and friction hold together: a tower, a house of cards, a chain, an
//! arch, and a lewis that lifts a weight.

use super::curve::{Curve, Series};
use super::run::world;
use super::watch::{RunSummary, fastest, named, watch};
use super::{Case, Cost, Report};
use crate::math::DVec3;
use crate::scene::gallery;
use crate::world::World;

pub(super) const TOWER: Case = Case {
    name: "tower",
    summary: "a round tower of bricks, 10 storeys: nothing moves",
    source: "statics; Probst & Teschner 2023, figure 13",
    by_name: false,
    cost: Cost::Seconds,
    run: |report| tower(report, 10),
};

pub(super) const TOWER_40: Case = Case {
    name: "tower-40",
    summary: "the tower with 40 storeys",
    by_name: true,
    cost: Cost::Minutes,
    run: |report| tower(report, 40),
    ..TOWER
};

pub(super) const CARD_HOUSE: Case = Case {
    name: "card-house",
    summary: "a house of cards, 3 storeys: nothing moves",
    source: "statics; Probst & Teschner 2023, figure 12",
    by_name: false,
    cost: Cost::Seconds,
    run: |report| card_house(report, 3),
};

pub(super) const CARD_HOUSE_7: Case = Case {
    name: "card-house-7",
    summary: "the house of cards with 7 storeys",
    by_name: true,
    cost: Cost::Minutes,
    run: |report| card_house(report, 7),
    ..CARD_HOUSE
};

pub(super) const CHAIN: Case = Case {
    name: "chain",
    summary: "a hanging chain of 10 rings: how much longer it is than its links",
    source: "geometry; Probst & Teschner 2023, figure 15",
    by_name: false,
    cost: Cost::Seconds,
    run: |report| chain(report, 10),
};

pub(super) const CHAIN_100: Case = Case {
    name: "chain-100",
    summary: "the chain with 100 rings",
    by_name: true,
    cost: Cost::Minutes,
    run: |report| chain(report, 100),
    ..CHAIN
};

pub(super) const ARCH: Case = Case {
    name: "arch",
    summary: "a dry arch of eleven stones stands with friction 0.6 and falls with 0.1",
    source: "statics of masonry (Heyman 1966)",
    by_name: false,
    cost: Cost::Seconds,
    run: arch,
};

pub(super) const LEWIS: Case = Case {
    name: "lewis",
    summary: "wedges in a hole lift a weight by friction alone, and do not where they cannot",
    source: "statics of a wedge; Probst & Teschner 2023, figure 9",
    by_name: false,
    cost: Cost::Seconds,
    run: lewis,
};

/// How far the body that moved farthest between two states is from where it was, in h.
fn moved(world: &World, start: &[DVec3]) -> f64 {
    let moves = world.solids.iter().zip(start).map(|(s, &p)| s.pose.translation.distance(p));
    moves.fold(0.0, f64::max) / world.spacing
}

fn places(world: &World) -> Vec<DVec3> {
    world.solids.iter().map(|solid| solid.pose.translation).collect()
}

/// What every structure should do that stands: see `watch`.
fn stands(report: &mut Report, summary: &RunSummary) {
    report.at_most("drawn surfaces in each other, h", summary.deepest, 0.5);
    report.at_most("energy gained, weight times h", summary.gained, 0.05);
    report.at_most("fastest body at the end, m/s", summary.speed, 0.02);
    report.note("iterations per step", summary.iterations, 0.0);
}

/// Steps to `until`; where every body was at half of it, and what was seen.
fn stand(world: &mut World, until: f64) -> Result<(Vec<DVec3>, RunSummary), String> {
    let mut half = places(world);
    let summary = watch(world, until, |world| {
        if world.clock.time <= 0.5 * until {
            half = places(world);
        }
    })?;
    Ok((half, summary))
}

fn tower(report: &mut Report, storeys: u32) -> Result<(), String> {
    let text = include_str!("../../validation/tower.toml");
    let count = format!("solid.brick.copies.1.count={storeys}");
    let mut world = world("tower", text, &[count])?;
    let start = places(&world);
    let (half, summary) = stand(&mut world, 1.0)?;
    let per_storey = moved(&world, &start) / f64::from(storeys);
    report.at_most("a brick has moved, h per storey", per_storey, 0.02);
    report.at_most("a brick has moved in the last half second, h", moved(&world, &half), 0.1);
    stands(report, &summary);
    Ok(())
}

fn card_house(report: &mut Report, storeys: u32) -> Result<(), String> {
    let text = gallery::find("card-house").expect("it is built in").text;
    let count = |solid: &str, n: u32| {
        (0..2).map(move |k| format!("solid.{solid}.copies.{k}.count={n}")).collect::<Vec<_>>()
    };
    let mut overrides = count("left", storeys);
    overrides.extend(count("right", storeys));
    overrides.extend(count("lying", storeys - 1));
    let end = -0.08 + 0.16 * f64::from(storeys);
    overrides.push(format!("solid.table.shape.box.max=[{end}, 0, 0.12]"));
    let mut world = world("card-house", text, &overrides)?;
    let start = places(&world);
    let (half, summary) = stand(&mut world, 1.0)?;
    report.at_most("a card has moved, h", moved(&world, &start), 0.5);
    report.at_most("a card has moved in the last half second, h", moved(&world, &half), 0.1);
    stands(report, &summary);
    Ok(())
}

fn chain(report: &mut Report, links: u32) -> Result<(), String> {
    let text = include_str!("../../validation/chain.toml");
    let mut world = world("chain", text, &[format!("solid.link.copies.0.count={links}")])?;
    // From the middle of the ring that is held to the middle of the last one.
    let length = f64::from(links) * 0.12;
    let last = format!("link-{links}");
    let mut lengths = Vec::new();
    let summary = watch(&mut world, 1.0, |world| {
        let lowest = named(world, &last).map_or(f64::NAN, |link| link.pose.translation.y);
        lengths.push((world.clock.time, -lowest / length - 1.0));
    })?;
    let late: Vec<f64> = lengths.iter().filter(|(t, _)| *t > 0.5).map(|l| l.1).collect();
    let mean = late.iter().sum::<f64>() / late.len() as f64;
    let longest = late.iter().fold(0.0, |a, &b| f64::max(a, b));
    report.at_most("longer than its links, mean over the last half second", mean, 0.02);
    report.at_most("longer than its links, at most", longest, 0.02);
    report.at_most("drawn surfaces in each other, h", summary.deepest, 0.5);
    report.at_most("energy gained, weight times h", summary.gained, 0.05);
    report.note("fastest link at the end, m/s", summary.speed, 0.0);
    report.note("iterations per step", summary.iterations, 0.0);
    report.curve(Curve {
        name: "Elongation of the chain".into(),
        axes: ["t, s", "elongation"],
        measured: vec![Series::new("measured", &lengths)],
        reference: vec![Series::of("limit", [0.0, 1.0], |_| 0.02)],
        source: "2 % of its length",
    });
    Ok(())
}

fn arch(report: &mut Report) -> Result<(), String> {
    let text = include_str!("../../validation/arch.toml");
    let mut measured = Vec::new();
    let mut crown = f64::NAN;
    for mu in [0.6, 0.1] {
        let friction = ["stone", "ground"].map(|name| format!("solid.{name}.friction={mu}"));
        let mut world = world("arch", text, &friction)?;
        let start = named(&world, "stone-6")?.pose.translation;
        crown = start.y;
        let mut heights = Vec::new();
        let mut late = f64::NAN;
        let summary = watch(&mut world, 1.5, |world| {
            let y = named(world, "stone-6").map_or(f64::NAN, |stone| stone.pose.translation.y);
            heights.push((world.clock.time, y));
            late = if world.clock.time <= 1.0 { y } else { late };
        })?;
        let h = world.spacing;
        let end = named(&world, "stone-6")?.pose.translation;
        if mu > 0.5 {
            report.at_most("μ = 0.6: the crown has sunk, h", (start.y - end.y) / h, 0.5);
            report.at_most("μ = 0.6: in the last half second, h", (late - end.y) / h, 0.1);
            stands(report, &summary);
        } else {
            report.close("μ = 0.1: the crown has fallen, h", (start.y - end.y) / h, 18.0, 4.0);
            report.at_most("μ = 0.1: drawn surfaces in each other, h", summary.deepest, 0.5);
            report.at_most("μ = 0.1: energy gained, weight times h", summary.gained, 0.05);
        }
        measured.push(Series::new(format!("μ = {mu}"), &heights));
    }
    report.curve(Curve {
        name: "Height of the crown".into(),
        axes: ["t, s", "height, m"],
        measured,
        reference: vec![Series::of("as built", [0.0, 1.5], |_| crown)],
        source: "statics",
    });
    Ok(())
}

fn lewis(report: &mut Report) -> Result<(), String> {
    let text = include_str!("../../validation/lewis.toml");
    let mut measured = Vec::new();
    for (mu, lifted) in [(0.5, 0.1), (0.05, 0.0)] {
        let mut world = world("lewis", text, &[format!("friction.1.coefficient={mu}")])?;
        let (mut start, mut heights) = (f64::NAN, Vec::new());
        let (mut at_top, mut deepest) = (f64::NAN, 0.0f64);
        while world.clock.time < 1.5 {
            let step = world.step(1.5).map_err(|e| e.to_string())?;
            deepest = deepest.max(step.penetration / world.spacing);
            let y = named(&world, "weight")?.pose.translation.y;
            // What was loose has settled when the lift begins.
            start = if world.clock.time <= 0.2 { y } else { start };
            at_top = if world.clock.time <= 1.1 { y } else { at_top };
            heights.push((world.clock.time, y - start));
        }
        let end = named(&world, "weight")?.pose.translation.y;
        let h = world.spacing;
        let metric = format!("μ = {mu}: the weight is lifted, h");
        report.close(metric, (end - start) / h, lifted / h, 0.5);
        let metric = format!("μ = {mu}: it sinks while it is held, h/s");
        report.at_most(metric, (at_top - end) / (0.4 * h), 0.1);
        report.at_most(format!("μ = {mu}: largest penetration, h"), deepest, 0.5);
        report.note(format!("μ = {mu}: fastest body at the end, m/s"), fastest(&world), 0.0);
        measured.push(Series::new(format!("μ = {mu}"), &heights));
    }
    let smooth = |t: f64| {
        let s = ((t - 0.2) / 0.8).clamp(0.0, 1.0);
        0.1 * s * s * (3.0 - 2.0 * s)
    };
    report.curve(Curve {
        name: "Height of the weight".into(),
        axes: ["t, s", "lifted, m"],
        measured,
        reference: vec![Series::of("the middle piece", [0.0, 1.5], smooth)],
        source: "prescribed",
    });
    Ok(())
}
