//! The same incline, mass ratio, stack and pile in Bullet, side by side, where it is installed.
//!
//! `scripts/bench_bullet.py` is part of the program; it runs in the interpreter that
//! SPLASHDOWN_PYTHON names, or else in the first python3 on the PATH.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use super::build::mesh_body;
use super::folder::Folder;
use super::run::advance;
use super::{Case, Cost, Report, build, incline, piles};
use crate::body::CouplingSolver;
use crate::math::{DQuat, DVec3, Dimension};
use crate::mesh::TriangleMesh;
use crate::shapes::{Face, Shape, library};
use crate::world::{SolveKind, TimeStep, World};

pub(super) const CASE: Case = Case {
    name: "bullet",
    summary: "incline, mass ratio and stack next to Bullet; skipped where pybullet is not \
              installed",
    source: "Bullet, by pybullet: nothing is demanded of it",
    by_name: false,
    cost: Cost::Seconds,
    run,
};

pub(super) const PILE: Case = Case {
    name: "bullet-pile",
    summary: "500 lumpy bodies next to Bullet with convex decomposition: time of a step",
    source: "Bullet, by pybullet: nothing is demanded of it",
    by_name: true,
    cost: Cost::Minutes,
    run: pile,
};

const SCRIPT: &str = include_str!("../../scripts/bench_bullet.py");
const H: f64 = 0.02;

/// A python that has pybullet, or a metric that says why there is none.
fn interpreter(report: &mut Report) -> Option<String> {
    let python = std::env::var("SPLASHDOWN_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let found = Command::new(&python)
        .args(["-c", "import pybullet"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if found.is_ok_and(|status| status.success()) {
        return Some(python);
    }
    let why = format!("skipped: {python} cannot import pybullet (pip install pybullet,");
    report.note(format!("{why} or name a python in SPLASHDOWN_PYTHON)"), 0.0, 0.0);
    None
}

/// Runs the script; the JSON object of each scene it ran.
fn bullet(python: &str, arguments: &[&str]) -> Result<Vec<Value>, String> {
    let explain = |e: std::io::Error| format!("{python}: {e}");
    let mut child = Command::new(python)
        .arg("-")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(explain)?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(SCRIPT.as_bytes()).map_err(explain)?;
    }
    let output = child.wait_with_output().map_err(explain)?;
    if !output.status.success() {
        return Err(format!(
            "bench_bullet.py {} ended with {}",
            arguments.join(" "),
            output.status
        ));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().filter(|line| line.starts_with('{'));
    lines.map(|line| serde_json::from_str(line).map_err(|e| e.to_string())).collect()
}

fn number(result: &Value, key: &str) -> f64 {
    result[key].as_f64().unwrap_or(f64::NAN)
}

/// Milliseconds of one step of `world` over the last steps of a run that `run` does.
fn timed<T>(run: impl FnOnce() -> Result<(T, u64), String>) -> Result<(T, f64), String> {
    let start = Instant::now();
    let (result, steps) = run()?;
    Ok((result, 1e3 * start.elapsed().as_secs_f64() / steps as f64))
}

fn run(report: &mut Report) -> Result<(), String> {
    let Some(python) = interpreter(report) else { return Ok(()) };
    let theirs = bullet(&python, &["incline", "mass-ratio", "box-stack"])?;
    let [slope, ratio, stack] = &theirs[..] else {
        return Err("bench_bullet.py did not print three results".to_owned());
    };

    let (ours, ms) = timed(|| {
        let mut world = incline::box_world()?;
        let found = incline::onset(&mut world)?;
        Ok((found, world.clock.step))
    })?;
    let tangent = 30.0f64.to_radians().tan();
    report.close("incline 30°: starts to slide at", ours[0], tangent, 0.015);
    report.note("incline 30°: starts to slide at, Bullet", number(slope, "onset"), tangent);
    report.at_most("incline 30°: creep, h/s", ours[1], 0.1);
    report.note("incline 30°: creep, h/s, Bullet", number(slope, "creep") / H, 0.0);
    report.note("incline 30°: ms per step", ms, 0.0);
    report.note("incline 30°: ms per step, Bullet", number(slope, "ms"), 0.0);

    let cases = [("mass ratio", 10.0, &[1e3, 1e6][..], ratio), ("stack", 6.0, &[1e3; 8], stack)];
    for (name, cells, densities, theirs) in cases {
        let (ours, ms) = timed(|| {
            let world = piles::pile(cells, densities, 1e-4, CouplingSolver::Nncg)?;
            Ok((piles::settle(world, cells, 1.0)?, 1000))
        })?;
        report.at_most(format!("{name}: largest penetration, h"), ours.worst, 0.5);
        let bullet = number(theirs, "worst") / H;
        report.note(format!("{name}: largest penetration, h, Bullet"), bullet, 0.0);
        report.at_most(format!("{name}: error of the height, h"), ours.sunk, 0.1);
        let bullet = number(theirs, "sunk") / H;
        report.note(format!("{name}: error of the height, h, Bullet"), bullet, 0.0);
        report.note(format!("{name}: speed at the end, m/s"), ours.speed, 0.0);
        let bullet = number(theirs, "speed");
        report.note(format!("{name}: speed at the end, m/s, Bullet"), bullet, 0.0);
        report.note(format!("{name}: ms per step"), ms, 0.0);
        report.note(format!("{name}: ms per step, Bullet"), number(theirs, "ms"), 0.0);
    }
    Ok(())
}

/// Bodies across: in layers of seven times seven, one size apart.
const COUNT: usize = 500;
/// Size of a body, m; it is ten spacings.
const SIZE: f64 = 0.4;

/// Wavefront OBJ.
fn obj(mesh: &TriangleMesh) -> String {
    let vertices = mesh.vertices.iter().map(|v| format!("v {} {} {}\n", v.x, v.y, v.z));
    let one = |t: &[u32; 3]| format!("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
    vertices.chain(mesh.triangles.iter().map(one)).collect()
}

fn pile_world(mesh: &TriangleMesh) -> Result<World, String> {
    let h = SIZE / 10.0;
    let mut world = World::new(Dimension::Three, h);
    world.time_step = TimeStep::Fixed(1.0 / 240.0);
    world.method.particles().coupling.contact_error = 1e-3;
    let half = 3.6 * SIZE;
    let layers = COUNT.div_ceil(49) as f64 + 1.0;
    let size = DVec3::new(half, 0.5 * layers * SIZE, half);
    let shape = Shape::Tank { half: size, open: vec![Face::Top] };
    let mut tank = build::wall(&world, "box", &shape, build::at(DVec3::Y * size.y))?;
    tank.local = shape.sample_surface(h, 0.5 * h, world.dimension).map_err(|e| e.to_string())?;
    tank.inset = 0.5 * h;
    world.add_solid(tank);
    let one = mesh_body(&world, "lumpy", mesh.clone(), 1000.0, DVec3::ZERO)?;
    for k in 0..COUNT {
        let cell = [k % 7, k / 49, k / 7 % 7].map(|n| n as f64);
        let mut solid = one.clone();
        let place = DVec3::new(cell[0] - 3.0, cell[1] + 0.55, cell[2] - 3.0) * SIZE;
        let turn = k as f64;
        let rotation = DQuat::from_rotation_z(0.7 * turn)
            * DQuat::from_rotation_y(2.1 * turn)
            * DQuat::from_rotation_x(1.3 * turn);
        solid.name = format!("lumpy-{k}");
        (solid.pose.translation, solid.pose.rotation) = (place, rotation);
        solid.placement = solid.pose;
        world.add_solid(solid);
    }
    Ok(world)
}

fn pile(report: &mut Report) -> Result<(), String> {
    let mesh = library::creature(SIZE, 7, 1).map_err(|misfit| misfit.must)?;
    let mut world = pile_world(&mesh)?;
    let particles = world.particles.len() - world.solids[0].range.len();
    let (mut worst, mut contacts) = (0.0f64, 0);
    let (_, ms) = timed(|| {
        advance(&mut world, 1.0, |world, step| {
            worst = worst.max(step.penetration / world.spacing);
            contacts = step.solve(SolveKind::Contact).active;
        })?;
        Ok(((), world.clock.step))
    })?;
    report.note("500 lumpy bodies: samples", particles as f64, 0.0);
    report.note("500 lumpy bodies: ms per step", ms, 0.0);
    report.note("500 lumpy bodies: contacts at the end", f64::from(contacts), 0.0);
    report.at_most("500 lumpy bodies: largest penetration, h", worst, 0.5);
    let Some(python) = interpreter(report) else { return Ok(()) };
    let folder = Folder::new("bullet")?;
    let path = folder.path.join("lumpy.obj");
    std::fs::write(&path, obj(&mesh)).map_err(|e| e.to_string())?;
    let (count, size) = (COUNT.to_string(), SIZE.to_string());
    let path = path.to_string_lossy();
    let theirs = bullet(&python, &["pile", "--mesh", &path, "--size", &size, "--count", &count])?;
    let Some(theirs) = theirs.first() else { return Err("bench_bullet.py was silent".to_owned()) };
    report.note("500 lumpy bodies: ms per step, Bullet", number(theirs, "ms"), 0.0);
    report.note("500 lumpy bodies: convex parts of one, Bullet", number(theirs, "hulls"), 0.0);
    report.note("500 lumpy bodies: contacts at the end, Bullet", number(theirs, "contacts"), 0.0);
    let deepest = number(theirs, "worst") / world.spacing;
    report.note("500 lumpy bodies: penetration at the end, h, Bullet", deepest, 0.0);
    Ok(())
}
