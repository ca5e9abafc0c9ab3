//! Dry stone and cards: rigid bodies that stand by friction alone, and fall without it. Nothing of
//! the solver is set.

use super::super::run::{advance, world};
use super::super::{Case, Cost, Report};
use super::bodies::largest_move;
use crate::math::DVec3;
use crate::world::SolveKind;

pub(crate) const ARCH: Case = Case {
    name: "arch-ipc",
    summary: "a round arch of nine stones stands by friction, and falls without: with all defaults",
    source: "Heyman 1966: a half circle stands if its thickness is above 0.1075 radii; Li et al. \
             2020, figure 13",
    by_name: false,
    cost: Cost::Seconds,
    run: arch,
};

pub(crate) const CARD_HOUSE: Case = Case {
    name: "card-house-ipc",
    summary: "a house of seven cards stands by friction, and falls without: with all defaults",
    source: "Coulomb's law: cards stand if μ > tan θ / 2; Li et al. 2020, figure 13",
    by_name: false,
    cost: Cost::Seconds,
    run: card_house,
};

const STONES: &str = include_str!("../../../validation/elastic-arch.toml");
const CARDS: &str = include_str!("../../../validation/elastic-cards.toml");

/// How far any body of a scene moves in half a second, m, if all have this friction.
fn moves(name: &str, scene: &str, friction: f64, report: &mut Report) -> Result<f64, String> {
    let text = scene.replace("friction = 0.6", &format!("friction = {friction}"));
    let mut world = world(name, &text, &["elastic_solver.verify=true".to_owned()])?;
    let bodies: Vec<usize> = (0..world.elastic.names.len()).collect();
    let before: Vec<DVec3> = bodies.iter().map(|&b| world.elastic.solids.centre(b).1).collect();
    let (mut steps, mut iterations) = (0, 0);
    advance(&mut world, 0.5, |_, step| {
        steps += 1;
        iterations += step.solve(SolveKind::Elastic).iterations;
    })?;
    let states = format!("μ = {friction}: intersections and inverted elements in {steps} states");
    report.at_most(states, 0.0, 0.0);
    let each = f64::from(iterations) / f64::from(steps);
    report.note(format!("μ = {friction}: Newton iterations per step"), each, 0.0);
    Ok(largest_move(&world.elastic.solids, &bodies, &before))
}

fn arch(report: &mut Report) -> Result<(), String> {
    let stands = moves("arch", STONES, 0.6, report)?;
    report.at_most("μ = 0.6: a stone moves in 0.5 s, mm", 1e3 * stands, 5.0);
    let falls = moves("arch", STONES, 0.05, report)?;
    report.at_most("μ = 0.05: 50 mm over how far a stone moves", 0.05 / falls, 1.0);
    Ok(())
}

fn card_house(report: &mut Report) -> Result<(), String> {
    let stands = moves("cards", CARDS, 0.6, report)?;
    report.at_most("μ = 0.6: a card moves in 0.5 s, mm", 1e3 * stands, 2.0);
    let falls = moves("cards", CARDS, 0.1, report)?;
    report.at_most("μ = 0.1: 20 mm over how far a card moves", 0.02 / falls, 1.0);
    Ok(())
}
