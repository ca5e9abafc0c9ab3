//! A net of linked rings catches a ball: no ring leaves another.

use splashdown_solids::bodies::Substance;
use splashdown_solids::meshing::TetMesh;
use splashdown_solids::solids::{Hold, Solids};

use super::super::{Case, Cost, Report};
use super::bodies::{advance, bent_block, settings, skin, substance};
use crate::math::{DQuat, DVec3};

pub(crate) const CASE: Case = Case {
    name: "chain-net",
    summary: "nine rings linked by twelve others, held at the corners, catch a ball; all links \
              stay",
    source: "linking numbers of closed curves cannot change; Li et al. 2020, figure 15",
    by_name: true,
    cost: Cost::Seconds,
    run,
};

/// Of the middle line, and half the thickness of a ring, m.
const RADIUS: f64 = 0.05;
const HALF: f64 = 0.007;
/// From one flat ring to the next.
const PITCH: f64 = 0.13;
const SIDES: usize = 20;

/// A ring of square section about `axis`; its ends all but meet.
fn ring(centre: DVec3, axis: DVec3) -> TetMesh {
    let turn = DQuat::from_rotation_arc(DVec3::Y, axis);
    bent_block([SIDES, 1, 1], |p| {
        let angle = (std::f64::consts::TAU - 1e-4) * p.x;
        let radius = RADIUS + 2.0 * HALF * p.z;
        let flat = DVec3::new(radius * angle.sin(), 2.0 * HALF * p.y, radius * angle.cos());
        centre + turn * flat
    })
}

/// Middle line of a ring as it is now: the mean of the four corners of each section.
fn middle(solids: &Solids, body: usize) -> Vec<DVec3> {
    let places = &solids.position[solids.bodies[body].vertices.clone()];
    let layer = SIDES + 1;
    let at = |k: usize| (0..4).map(|j| places[k + j * layer]).sum::<DVec3>() / 4.0;
    (0..SIDES).map(at).collect()
}

/// How often two closed curves wind around each other, by Gauss's integral.
fn linking_number(a: &[DVec3], b: &[DVec3]) -> f64 {
    let fine = |c: &[DVec3]| -> Vec<[DVec3; 2]> {
        let n = c.len();
        let piece = |k: usize| {
            let (from, to) = (c[k / 8], c[(k / 8 + 1) % n]);
            let share = |j: usize| from.lerp(to, j as f64 / 8.0);
            [share(k % 8), share(k % 8 + 1)]
        };
        (0..8 * n).map(piece).collect()
    };
    let (a, b) = (fine(a), fine(b));
    let mut sum = 0.0;
    for [p, q] in &a {
        for [s, t] in &b {
            let r = 0.5 * (*p + *q - *s - *t);
            sum += r.dot((*q - *p).cross(*t - *s)) / r.length().powi(3);
        }
    }
    sum / (4.0 * std::f64::consts::PI)
}

fn run(report: &mut Report) -> Result<(), String> {
    let mut solids = Solids::default();
    let metal = Substance { friction: 0.3, density: 3000.0, ..substance(1e8, 0.3) };
    let mut flat = Vec::new();
    let mut links = Vec::new();
    let place = |i: usize, j: usize| PITCH * DVec3::new(i as f64 - 1.0, 0.0, j as f64 - 1.0);
    let mut corners = Vec::new();
    for j in 0..3 {
        for i in 0..3 {
            let mesh = ring(place(i, j), DVec3::Y);
            if i != 1 && j != 1 {
                corners.push((flat.len(), mesh));
                flat.push(usize::MAX);
            } else {
                flat.push(
                    solids
                        .add_rigid(&mesh, None, &metal, |_| DVec3::ZERO)
                        .map_err(|e| e.to_string())?,
                );
            }
        }
    }
    for j in 0..3 {
        for i in 0..3 {
            for (di, dj, axis) in [(1, 0, DVec3::Z), (0, 1, DVec3::X)] {
                if i + di < 3 && j + dj < 3 {
                    let centre = 0.5 * (place(i, j) + place(i + di, j + dj));
                    let mesh = ring(centre, axis);
                    let link = solids.add_rigid(&mesh, None, &metal, |_| DVec3::ZERO);
                    links.push((
                        [i + 3 * j, i + di + 3 * (j + dj)],
                        link.map_err(|e| e.to_string())?,
                    ));
                }
            }
        }
    }
    let ball = splashdown_solids::meshing::stuffed(
        |p: DVec3| p.length() - 0.07,
        DVec3::splat(-0.07),
        DVec3::splat(0.07),
        0.05,
    );
    let ball = TetMesh {
        vertices: ball.vertices.iter().map(|v| *v + DVec3::new(0.01, 0.16, 0.0)).collect(),
        ..ball
    };
    let ball = solids.add_rigid(&ball, None, &metal, |_| DVec3::ZERO).map_err(|e| e.to_string())?;
    for (k, mesh) in &corners {
        let (vertices, triangles) = skin(mesh);
        flat[*k] = solids.add_obstacle(vertices, &triangles, Hold::Fixed, 0.3);
    }
    let numbers = |solids: &Solids| -> Vec<f64> {
        let each = |(ends, link): &([usize; 2], usize)| {
            ends.map(|k| linking_number(&middle(solids, flat[k]), &middle(solids, *link)))
        };
        links.iter().flat_map(each).collect()
    };
    let before = numbers(&solids);
    let linked = before.iter().filter(|n| (n.abs() - 1.0).abs() < 0.1).count();
    report.close("links at the start", linked as f64, 24.0, 0.0);
    let settings = settings(1e-3).with(|s| s.stiffness = 1e6);
    let gravity = DVec3::new(0.0, -9.81, 0.0);
    let seen = advance(&mut solids, &settings, (0.01, 40), gravity, |_, _| DVec3::ZERO)?;
    seen.tell(report);
    let changed = before.iter().zip(numbers(&solids)).map(|(a, b)| (a - b).abs());
    report.at_most("change of a linking number", changed.fold(0.0, f64::max), 0.1);
    report.at_most("the ball is below the net by, m", -solids.centre(ball).1.y, 0.25);
    Ok(())
}
