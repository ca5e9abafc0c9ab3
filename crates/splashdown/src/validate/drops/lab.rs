//! Temporary.
use super::{GAMMA, H, RHO, drop, drop_time, radius_of};
use crate::math::{DVec3, Dimension};
use crate::sph::tension::{Calibration, env};
use crate::validate::run::advance;
use crate::validate::{Case, Report};
use crate::world::{Viscosity, ViscosityModel, World};

pub const CASE: Case = Case { name: "lab", summary: "", source: "", by_name: true, run };

fn quadrupole(world: &World) -> f64 {
    let x = &world.particles.position[..world.fluid_count()];
    let centre = x.iter().sum::<DVec3>() / x.len() as f64;
    x.iter().map(|p| (p.x - centre.x).powi(2) - (p.y - centre.y).powi(2)).sum()
}

fn run(_report: &mut Report) -> Result<(), String> {
    let dimension = if env("DIM", 2.0) > 2.5 { Dimension::Three } else { Dimension::Two };
    let flat = dimension == Dimension::Two;
    if env("ANGLE", 0.0) > 0.5 {
        for radius in if flat { [12.0, 18.0] } else { [6.5, 9.0] } {
            for k in 0..=(env("KS", 9.0) as usize) {
                let excess = env("E0", -1.4) + env("DE", 0.3) * k as f64;
                let found = super::angle::settled(dimension, radius, excess)?;
                println!("R {radius} excess {excess:.2} angle {:.1} film {:.2} lowest {:.2}", found.angle, found.film, found.lowest);
            }
        }
        return Ok(());
    }
    let mut world = drop(dimension, env("R", 12.0), Calibration::Physical);
    let (r, tau) = (radius_of(world.fluid_count(), dimension), drop_time(&world));
    let laplace = if flat { GAMMA / r } else { 2.0 * GAMMA / r };
    let (mut all, mut core, mut count, mut it) = (0.0, 0.0, 0.0, 0.0);
    let end = env("SETTLE", 3.0) * tau;
    advance(&mut world, end, |world, report| {
        if world.clock.time > 0.66 * end {
            let inner = super::pressure::core_pressure(world, r);
            (all, core, count, it) = (all + world.mean_solver_pressure(), core + inner, count + 1.0, it + f64::from(report.density_iterations));
        }
    })?;
    let area = if flat { 2.0 * std::f64::consts::PI * r } else { 4.0 * std::f64::consts::PI * r * r };
    let e0 = world.surface_forces().map_err(|e| e.to_string())?.energy / (GAMMA * area);
    println!("N {} all {:.3} core {:.3} energy {:.3} its {:.1} steps {}", world.fluid_count(), all / count / laplace, core / count / laplace, e0, it / count, count);
    // profile
    let n = world.fluid_count();
    let x = &world.particles.position[..n];
    let centre = x.iter().sum::<DVec3>() / n as f64;
    let mut bins = vec![(0, 0.0, 0.0, 0.0f64, 0.0f64); 30];
    for i in 0..n {
        let d = (x[i] - centre).length() / H;
        let b = ((r / H + 1.0 - d) / 0.5).max(0.0) as usize;
        let c = world.lab_contribution(i);
        if b < 30 { let e = &mut bins[b]; e.0 += 1; e.1 += c; e.2 += f64::from(world.particles.pressure[i]); e.3 = e.3.max(c); e.4 += c * c; }
    }
    for (b, e) in bins.iter().enumerate().take(14) {
        if e.0 > 0 {
            let k = e.0 as f64;
            let ra = r / H + 1.0 - 0.5 * (b as f64);
            let vol = if flat { std::f64::consts::PI * (ra * ra - (ra - 0.5).powi(2)) } else { 4.0 / 3.0 * std::f64::consts::PI * (ra.powi(3) - (ra - 0.5).powi(3)) };
            println!("depth {:.1}: n {} density {:.2} C {:.3} sd {:.3} max {:.3} p/laplace {:.2}", 0.5 * b as f64 - 1.0, e.0, k / vol, e.1 / k, (e.4 / k - (e.1 / k).powi(2)).max(0.0).sqrt(), e.3, e.2 / k / laplace);
        }
    }
    if env("OSC", 1.0) < 0.5 { return Ok(()); }
    let rest = quadrupole(&world);
    let model = ViscosityModel::Artificial;
    world.fluids[0].viscosity = Viscosity { model, coefficient: env("VISC", 0.1), boundary: 0.0 };
    let strain = env("AMP", 0.4) / tau;
    for (x, v) in world.particles.position[..n].iter().zip(&mut world.particles.velocity) {
        *v = strain * DVec3::new(x.x, -x.y, 0.0);
    }
    let stiffness = if flat { 6.0 } else { 8.0 };
    let omega = (stiffness * GAMMA / (RHO * r.powi(3))).sqrt();
    let begin = world.clock.time;
    let (mut last, mut crossings) = ((0.0, 0.0), Vec::new());
    let end = begin + 3.0 * 2.0 * std::f64::consts::PI / omega;
    let (mut peak, mut peaks, mut e_peak, mut peak_e) = (0.0f64, Vec::new(), 0.0, Vec::new());
    let unit = n as f64 * r * r * if flat { 0.5 } else { 0.4 };
    let mut steps = 0;
    while crossings.len() < 3 && world.clock.time < end {
        world.step(end).map_err(|e| e.to_string())?;
        steps += 1;
        let q = quadrupole(&world) - rest;
        if q.abs() > peak.abs() { peak = q; if steps % 4 == 0 { e_peak = world.clone().surface_forces().map_err(|e| e.to_string())?.energy / (GAMMA * area) - e0; } }
        let now = (world.clock.time - begin, q);
        if last.1 * now.1 < 0.0 {
            crossings.push(last.0 + (now.0 - last.0) * last.1 / (last.1 - now.1));
            peaks.push(peak / unit); peak_e.push(e_peak); peak = 0.0;
        }
        last = now;
    }
    println!("peaks {peaks:.3?} energy there {peak_e:.4?}");
    // ideal: 2D x = a(1+s): outline grows by (3/4) s² …
    for (p, e) in peaks.iter().zip(&peak_e) {
        // quadrupole/unit = s for stretch (1+s/2.., ) : x² − y² = 2 s · ½…
        let s = p / 2.0;
        let ideal = if flat { 0.75 * s * s } else { 0.8 * s * s };
        println!("   strain {s:.3} energy growth over ideal {:.2}", e / ideal);
    }
    if let [a, .., c] = crossings.as_slice() {
        let seen = (2.0 * std::f64::consts::PI / ((c - a) * omega)).powi(2);
        println!("OSC crossings {:.3?} seen {seen:.3} freq {:.3}", crossings.iter().map(|c| c * omega / std::f64::consts::PI).collect::<Vec<_>>(), seen.sqrt());
    } else { println!("OSC none {crossings:?}"); }
    Ok(())
}
