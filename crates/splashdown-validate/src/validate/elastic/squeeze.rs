//! Hard cases of contact: squeezed through a hole, twisted, packed. Every accepted state is looked
//! at.

use splashdown_solids::bodies::Substance;
use splashdown_solids::membrane::Sheet;
use splashdown_solids::meshing::{TetMesh, sheet, stuffed};
use splashdown_solids::solids::{Hold, Solids};

use super::super::{Case, Cost, Report};
use super::bodies::{add, advance, bent_block, block_at, hold, settings, skin, substance};
use crate::math::{DQuat, DVec2, DVec3};

pub(crate) const SQUEEZE_OUT: Case = Case {
    name: "squeeze-out",
    summary: "a press pushes a soft ball through a hole of 0.7 of its width",
    source: "no intersection in any state; Li et al. 2020, figure 1",
    by_name: false,
    cost: Cost::Seconds,
    run: squeeze_out,
};

pub(crate) const TWIST_CLOTH: Case = Case {
    name: "twist-cloth",
    summary: "a cloth is wrung by two turns",
    source: "no intersection in any state; Li et al. 2021, figure 1",
    by_name: true,
    cost: Cost::Minutes,
    run: twist_cloth,
};

pub(crate) const TIGHT_PACK: Case = Case {
    name: "tight-pack",
    summary: "a lid presses eight soft balls into a box as large as they are together",
    source: "no intersection in any state; Li et al. 2020, figure 22",
    by_name: true,
    cost: Cost::Minutes,
    run: tight_pack,
};

fn ball(radius: f64, size: f64, centre: DVec3) -> TetMesh {
    let (low, high) = (DVec3::splat(-radius), DVec3::splat(radius));
    let mut mesh = stuffed(|p: DVec3| p.length() - radius, low, high, size);
    mesh.vertices.iter_mut().for_each(|v| *v += centre);
    mesh
}

fn soft(young: f64) -> Substance {
    Substance { friction: 0.1, ..substance(young, 0.3) }
}

fn squeeze_out(report: &mut Report) -> Result<(), String> {
    let mut solids = Solids::default();
    let body = add(&mut solids, &ball(0.05, 0.02, DVec3::new(0.0, 0.07, 0.0)), &soft(2e4))?;
    // A ring with a hole of 0.07 across.
    let ring = bent_block([24, 1, 1], |p| {
        let angle = (std::f64::consts::TAU - 1e-4) * p.x;
        let radius = 0.06 + 0.05 * p.z;
        DVec3::new(radius * angle.sin(), 0.02 * p.y, radius * angle.cos())
    });
    let (vertices, triangles) = skin(&ring);
    solids.add_obstacle(vertices, &triangles, Hold::Fixed, 0.1);
    let press = block_at(DVec3::new(0.04, 0.02, 0.04), [1, 1, 1], DVec3::new(0.0, 0.135, 0.0));
    let (vertices, triangles) = skin(&press);
    solids.add_obstacle(vertices, &triangles, Hold::Driven, 0.1);
    let rest = solids.rest.clone();
    let down = |time: f64, v: u32| rest[v as usize] - DVec3::new(0.0, 0.4 * time, 0.0);
    let settings = settings(1e-3);
    let seen = advance(&mut solids, &settings, (0.01, 45), DVec3::ZERO, down)?;
    seen.tell(report);
    let above = f64::from(u8::from(solids.centre(body).1.y > 0.0));
    report.at_most("the ball is still above the hole", above, 0.0);
    Ok(())
}

fn twist_cloth(report: &mut Report) -> Result<(), String> {
    let mut solids = Solids::default();
    let mut mesh = sheet(DVec2::new(0.3, 0.3), 0.02);
    mesh.vertices.iter_mut().for_each(|v| *v = DVec3::new(v.y, v.x, 0.0));
    let parts = (&mesh.vertices[..], &mesh.triangles[..]);
    let cloth = (Sheet::NeoHookean, 5e-4);
    solids.add_shell(parts, &soft(1e5), cloth, |_| DVec3::ZERO).map_err(|e| e.to_string())?;
    hold(&mut solids, Hold::Driven, |p| p.x.abs() > 0.149);
    let rest = solids.rest.clone();
    // One turn a second at either end, which come closer.
    let wring = |time: f64, v: u32| {
        let p = rest[v as usize];
        let angle = std::f64::consts::TAU * time * p.x.signum();
        let turned = DQuat::from_rotation_x(angle) * DVec3::new(0.0, p.y, p.z);
        DVec3::new(p.x * (1.0 - 0.3 * time), turned.y, turned.z)
    };
    let settings = settings(5e-3).with(|s| s.max_iterations = 100);
    let seen = advance(&mut solids, &settings, (0.02, 50), DVec3::ZERO, wring)?;
    seen.tell(report);
    // A cloth wrung by two turns is a rope.
    let middle = solids.rest.iter().zip(&solids.position).filter(|(r, _)| r.x.abs() < 0.02);
    let widest = middle.map(|(_, x)| x.y.hypot(x.z)).fold(0.0, f64::max);
    report.at_most("half width in the middle over that at the start", widest / 0.15, 0.6);
    Ok(())
}

fn tight_pack(report: &mut Report) -> Result<(), String> {
    let mut solids = Solids::default();
    let mut volume = 0.0;
    for k in 0..8 {
        let side = |axis: i32| if k >> axis & 1 == 0 { -0.0515 } else { 0.0515 };
        // A little out of line, so that they give way.
        let centre = DVec3::new(side(0), 0.105 + side(1), side(2)) + 0.0005 * f64::from(k % 3 - 1);
        let mesh = ball(0.05, 0.025, centre);
        volume += mesh.volume();
        add(&mut solids, &mesh, &Substance { friction: 0.1, ..substance(2e4, 0.45) })?;
    }
    // Walls face inwards: a box turned inside out, without its top.
    let walls = block_at(DVec3::new(0.21, 0.4, 0.21), [1, 1, 1], DVec3::new(0.0, 0.2, 0.0));
    let (vertices, triangles) = skin(&walls);
    solids.add_obstacle(vertices, &triangles, Hold::Fixed, 0.1);
    let lid = block_at(DVec3::new(0.206, 0.02, 0.206), [1, 1, 1], DVec3::new(0.0, 0.23, 0.0));
    let (vertices, triangles) = skin(&lid);
    solids.add_obstacle(vertices, &triangles, Hold::Driven, 0.1);
    let rest = solids.rest.clone();
    let height = volume / (0.21 * 0.21);
    let speed = (0.22 - height) / 0.5;
    let down = |time: f64, v: u32| rest[v as usize] - DVec3::new(0.0, speed * time, 0.0);
    let gravity = DVec3::new(0.0, -9.81, 0.0);
    let seen = advance(&mut solids, &settings(2e-3), (0.02, 25), gravity, down)?;
    seen.tell(report);
    let places = (0..8).flat_map(|b| solids.position[solids.bodies[b].vertices.clone()].to_vec());
    let top = places.map(|p| p.y).fold(0.0, f64::max);
    report.at_most("top of the pack over the lid", top / height, 1.0);
    Ok(())
}
