//! Dry stone and cards: rigid bodies that stand by friction alone, and fall without it.

use splashdown_solids::bodies::Substance;
use splashdown_solids::solids::{Settings, Solids};

use super::super::{Case, Report};
use super::bodies::{add_floor, advance, bent_block, largest_move, settings, substance};
use crate::math::{DQuat, DVec3};

pub const ARCH: Case = Case {
    name: "arch-ipc",
    summary: "a round arch of nine stones stands by friction, and falls without",
    source: "Heyman 1966: a half circle stands if its thickness is above 0.1075 radii; Li et al. 2020, figure 13",
    by_name: false,
    run: arch,
};

pub const CARD_HOUSE: Case = Case {
    name: "card-house-ipc",
    summary: "a house of seven cards stands by friction, and falls without",
    source: "Coulomb's law: cards stand if μ > tan θ / 2; Li et al. 2020, figure 13",
    by_name: false,
    run: card_house,
};

/// Gap at the start, inside the reach of the barrier.
const GAP: f64 = 0.85e-3;
const DT: f64 = 0.01;
const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

fn stone(friction: f64) -> Substance {
    Substance { friction, density: 2000.0, ..substance(1e8, 0.2) }
}

/// How far any of `bodies` moves in half a second.
fn moved(mut solids: Solids, bodies: &[usize], report: Option<&mut Report>) -> Result<f64, String> {
    let before: Vec<DVec3> = bodies.iter().map(|&b| solids.centre(b).1).collect();
    let settings = Settings { stiffness: 1e6, ..settings(1e-3) };
    let seen = advance(&mut solids, &settings, (DT, 50), GRAVITY, |_, _| DVec3::ZERO)?;
    if let Some(report) = report {
        seen.tell(report);
    }
    Ok(largest_move(&solids, bodies, &before))
}

/// How far the stones of an arch move in half a second.
fn arch_moves(friction: f64, report: Option<&mut Report>) -> Result<f64, String> {
    let (stones, inner, outer, depth) = (9, 0.8, 1.0, 0.3);
    let mut solids = Solids::default();
    let mut bodies = Vec::new();
    let wedge = std::f64::consts::PI / f64::from(stones);
    for k in 0..stones {
        let place = |p: DVec3| {
            let radius = inner + (outer - inner) * (0.5 + p.x);
            // Faces are moved back by half a gap.
            let angle = wedge * (f64::from(k) + 0.5 + p.y) - p.y.signum() * 0.5 * GAP / radius;
            DVec3::new(radius * angle.cos(), radius * angle.sin() + 0.5 * GAP, depth * p.z)
        };
        let mesh = bent_block([1, 1, 1], place);
        bodies.push(
            solids
                .add_rigid(&mesh, None, &stone(friction), |_| DVec3::ZERO)
                .map_err(|e| e.to_string())?,
        );
    }
    add_floor(&mut solids, 2.0, friction);
    moved(solids, &bodies, report)
}

fn arch(report: &mut Report) -> Result<(), String> {
    let stands = arch_moves(0.6, Some(report))?;
    report.at_most("μ = 0.6: a stone moves in 0.5 s, mm", 1e3 * stands, 5.0);
    let falls = arch_moves(0.05, None)?;
    report.at_most("μ = 0.05: 50 mm over how far a stone moves", 0.05 / falls, 1.0);
    Ok(())
}

/// How far the cards of a house move in half a second.
fn cards_move(friction: f64, report: Option<&mut Report>) -> Result<f64, String> {
    let (length, width, thick, lean) = (0.1, 0.08, 0.004, f64::to_radians(20.0));
    let mut solids = Solids::default();
    let mut bodies = Vec::new();
    let mut card = |centre: DVec3, angle: f64, length: f64| {
        let turn = DQuat::from_rotation_z(angle);
        let place = |p: DVec3| centre + turn * (p * DVec3::new(thick, length, width));
        let mesh = bent_block([1, 1, 1], place);
        let body = solids.add_rigid(&mesh, None, &stone(friction), |_| DVec3::ZERO);
        body.map(|b| bodies.push(b)).map_err(|e| e.to_string())
    };
    let (sine, cosine) = lean.sin_cos();
    // Half the extent of a leaning card.
    let (half_x, half_y) =
        (0.5 * (length * sine + thick * cosine), 0.5 * (length * cosine + thick * sine));
    let mut frame = |x: f64, floor: f64| {
        let (aside, y) = (half_x + 0.5 * GAP, floor + GAP + half_y);
        card(DVec3::new(x - aside, y, 0.0), -lean, length)?;
        card(DVec3::new(x + aside, y, 0.0), lean, length)
    };
    let apart = 4.0 * half_x + 0.01;
    frame(-0.5 * apart, 0.0)?;
    frame(0.5 * apart, 0.0)?;
    let roof = 2.0 * half_y + 2.0 * GAP + 0.5 * thick;
    frame(0.0, roof + 0.5 * thick)?;
    card(DVec3::new(0.0, roof, 0.0), std::f64::consts::FRAC_PI_2, apart + 0.04)?;
    add_floor(&mut solids, 0.5, friction);
    moved(solids, &bodies, report)
}

fn card_house(report: &mut Report) -> Result<(), String> {
    let stands = cards_move(0.6, Some(report))?;
    report.at_most("μ = 0.6: a card moves in 0.5 s, mm", 1e3 * stands, 2.0);
    let falls = cards_move(0.1, None)?;
    report.at_most("μ = 0.1: 20 mm over how far a card moves", 0.02 / falls, 1.0);
    Ok(())
}
