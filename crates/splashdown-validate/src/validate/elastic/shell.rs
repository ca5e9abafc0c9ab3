//! Plates and balloons of thin shells against plate theory.

use splashdown_solids::membrane::Sheet;
use splashdown_solids::meshing::{sheet, stuffed};
use splashdown_solids::solids::{Hold, Solids};
use splashdown_solids::surface::boundary;

use super::super::{Case, Cost, Report};
use super::bodies::{hold, settle, substance};
use crate::math::{DVec2, DVec3};

pub(crate) const CASE: Case = Case {
    name: "shell",
    summary: "square plates sag under their weight, a cylinder bends, a balloon grows",
    source: "Timoshenko & Woinowsky-Krieger 1959, tables 8 and 35; thin-walled sphere under \
             pressure",
    by_name: false,
    cost: Cost::Seconds,
    run,
};

const LENGTH: f64 = 1.0;
const THICKNESS: f64 = 0.01;
const YOUNG: f64 = 1e9;
const POISSON: f64 = 0.3;
const DENSITY: f64 = 1000.0;

fn run(report: &mut Report) -> Result<(), String> {
    plate(report, "supported", 0.0, 0.004_062)?;
    plate(report, "clamped", 1.0, 0.001_265)?;
    strip(report)?;
    balloon(report)
}

/// D
fn stiffness(poisson: f64) -> f64 {
    YOUNG * THICKNESS.powi(3) / (12.0 * (1.0 - poisson * poisson))
}

/// w = c q L⁴ / D in the middle. Curvature at a hinge belongs to half a row on either side, so that
/// the edge of a clamped plate lies between two held rows.
fn plate(report: &mut Report, how: &str, rows_held: f64, c: f64) -> Result<(), String> {
    // Deflections of a hundredth of the thickness: no stretching.
    let g = 0.01 * THICKNESS * stiffness(POISSON) / (c * DENSITY * THICKNESS);
    let expected = c * DENSITY * THICKNESS * g * LENGTH.powi(4) / stiffness(POISSON);
    let mut found = Vec::new();
    for cells in [8, 16, 32] {
        let spacing = LENGTH / f64::from(cells);
        // A row outside the middle of the edge and one inside.
        let row = DVec2::new(spacing, LENGTH / (LENGTH / (spacing * 0.75f64.sqrt())).round());
        let mesh = sheet(DVec2::splat(LENGTH) + rows_held * row, spacing);
        let mut solids = Solids::default();
        let parts = (&mesh.vertices[..], &mesh.triangles[..]);
        let sheet = (Sheet::NeoHookean, THICKNESS);
        solids
            .add_shell(parts, &substance(YOUNG, POISSON), sheet, |_| DVec3::ZERO)
            .map_err(|e| e.to_string())?;
        let edge = 0.5 * (DVec2::splat(LENGTH) - rows_held * row) - 1e-9;
        hold(&mut solids, Hold::Fixed, |p| p.x.abs() > edge.x || p.y.abs() > edge.y);
        settle(&mut solids, DVec3::new(0.0, 0.0, -g), &[])?;
        let deepest = solids.position.iter().map(|p| -p.z).fold(0.0, f64::max);
        found.push(deepest / expected);
        if cells < 32 {
            report.note(
                format!("{how} plate, {cells} rows: sag over theory"),
                deepest / expected,
                1.0,
            );
        }
    }
    report.close(format!("{how} plate, 32 rows: sag over theory"), found[2], 1.0, 0.03);
    Ok(())
}

/// A strip held along one short side, its long sides free: hinges act as a plate of Poisson's ratio
/// −1/3, so a narrow strip is softer than it should be. Told, not asked for.
fn strip(report: &mut Report) -> Result<(), String> {
    let (spacing, width) = (LENGTH / 40.0, 0.2);
    // Held up to half a row beyond the clamp, as plates are.
    let mut mesh = sheet(DVec2::new(LENGTH + 0.5 * spacing, width), spacing);
    mesh.vertices.iter_mut().for_each(|v| v.x -= 0.25 * spacing);
    let mut solids = Solids::default();
    let parts = (&mesh.vertices[..], &mesh.triangles[..]);
    solids
        .add_shell(parts, &substance(YOUNG, 0.0), (Sheet::NeoHookean, THICKNESS), |_| DVec3::ZERO)
        .map_err(|e| e.to_string())?;
    let held = -0.5 * LENGTH + 0.5 * spacing + 1e-9;
    hold(&mut solids, Hold::Fixed, |p| p.x < held);
    let g = 0.001 * 8.0 * stiffness(0.0) / (DENSITY * THICKNESS * LENGTH.powi(4));
    settle(&mut solids, DVec3::new(0.0, 0.0, -g), &[])?;
    let ends = solids.rest.iter().zip(&solids.position).filter(|(r, _)| r.x > 0.5 * LENGTH - 1e-9);
    let (sum, count) = ends.fold((0.0, 0.0), |(s, n), (_, x)| (s - x.z, n + 1.0));
    let expected = DENSITY * THICKNESS * g * LENGTH.powi(4) / (8.0 * stiffness(0.0));
    report.note("strip, free sides: deflection over beam theory", sum / count / expected, 1.0);
    Ok(())
}

/// Δr = p r² (1 − ν) / 2 E h
fn balloon(report: &mut Report) -> Result<(), String> {
    let radius = 0.1;
    let (low, high) = (DVec3::splat(-radius), DVec3::splat(radius));
    let mesh = stuffed(|p: DVec3| p.length() - radius, low, high, 0.02);
    let skin = boundary(&mesh.tetrahedra);
    let mut number = vec![u32::MAX; mesh.vertices.len()];
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for t in skin {
        triangles.push(t.map(|v| {
            let number = &mut number[v as usize];
            if *number == u32::MAX {
                *number = vertices.len() as u32;
                vertices.push(radius * mesh.vertices[v as usize].normalize());
            }
            *number
        }));
    }
    let thickness = 1e-3;
    let mut solids = Solids::default();
    let parts = (&vertices[..], &triangles[..]);
    let body = solids
        .add_shell(parts, &substance(1e6, POISSON), (Sheet::NeoHookean, thickness), |_| DVec3::ZERO)
        .map_err(|e| e.to_string())?;
    let pressure = 1e-4 * 2.0 * 1e6 * thickness / (radius * (1.0 - POISSON));
    solids.add_pressure(body, pressure);
    // Held at one point, so that a long step does not carry it away.
    solids.hold[0] = Hold::Fixed;
    settle(&mut solids, DVec3::ZERO, &[])?;
    let volume = |x: &[DVec3]| -> f64 {
        let corners = triangles.iter().map(|t| t.map(|v| x[v as usize]));
        corners.map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
    };
    let growth = (volume(&solids.position) / volume(&solids.rest)).cbrt() - 1.0;
    report.close("balloon: growth of its radius over theory", growth / 1e-4, 1.0, 0.03);
    Ok(())
}
